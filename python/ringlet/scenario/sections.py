"""The sections of a scenario file but for the traffic: typed, with defaults and what each key means.

The JSON Schema, the reference in the documentation and the command line's checks all come from these models.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ringlet.scenario.messages import as_ringlet_error
from ringlet.scenario.units import LinkRate, PositiveTime, Time, refuse

MAX_NODES = 65_536
MAX_GROUPS = 16
MAX_SEED = 2**63 - 1
DEFAULT_PRESET = "A"
"""The reading of the paper's silent points that is taken where a scenario does not choose; docs/protocols.md argues it."""


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)  # it has no public name


class _OneMessage(ModelMetaclass):
    """Makes a section written in Python fail as one in a file does: with a RingletError."""

    if not TYPE_CHECKING:  # an editor is to see the fields

        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            try:
                return super().__call__(*args, **kwargs)
            except ValidationError as error:
                raise as_ringlet_error(error, self) from None


class Section(BaseModel, metaclass=_OneMessage):
    """What all sections have in common: no unknown keys, no silent conversions, no changes."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, revalidate_instances="always"
    )


def later(**names: str) -> BeforeValidator:
    """Refuses values that the contract names but this version cannot simulate yet."""

    def check(value: object) -> object:
        if isinstance(value, str) and value in names:
            raise refuse(f"{names[value]}; it is not in this version yet")
        return value

    return BeforeValidator(check)


_SWITCHED = dict.fromkeys(
    ["switch", "omega", "flip", "indirect-cube", "generalized-cube", "baseline", "butterfly", "torus", "rings"],
    "'ring'",
)
_PROTOCOLS = dict.fromkeys(["ppq", "train", "dfc"], "'none', 'sci' or 'grouped'")


class Network(Section):
    """The ring."""

    topology: Annotated[Literal["ring"], later(**_SWITCHED)] = Field("ring", description="How nodes are connected.")
    nodes: int = Field(
        ge=1, le=MAX_NODES, description="Nodes on the ring; node `i` feeds node `i + 1` modulo this number."
    )
    link_rate: LinkRate = Field(
        "1 GB/s",
        description="Data rate of a link. One 16-bit symbol passes per cycle: 2 ns at 1 GB/s, 4 ns at 500 MB/s.",
    )
    hop_delay: PositiveTime = Field(
        1,
        description="Cycles, or a time, from one node's output to the next node's input (parse, wire, latch); a time is "
        "rounded up to whole cycles. At most 1,000,000 cycles.",
    )


class GroupStep(Section):
    """A moment at which software rewrites the group registers."""

    at: Time = Field(description="When; the first step is at 0.")
    groups: list[Annotated[int, Field(ge=0, lt=MAX_GROUPS)]] = Field(description="Each node's group from then on.")


class FlowControl(Section):
    """Which node may send when."""

    protocol: Annotated[Literal["none", "sci", "grouped"], later(**_PROTOCOLS)] = Field(
        "sci",
        description="`none`: a node sends whenever its bypass FIFO is empty. `sci`: go bits. `grouped`: the enhanced "
        "protocol of picker1994, one go bit per transmission group and a block register.",
    )
    preset: Literal["A", "B"] | None = Field(
        None,
        description="A reading of the points on which picker1994 is silent (`sci` and `grouped`). `A`: release "
        "`unblocked`, extension `after-send`, to be used with a hop delay of 3; `B`: release `all`, extension `none`, "
        f"with a hop delay of 1. Default: `{DEFAULT_PRESET}`. The hop delay itself is set in `[network]`.",
    )
    release: Literal["unblocked", "all"] | None = Field(
        None,
        description="What the idle behind an own packet carries while the bypass FIFO is not empty: the saved go bits "
        "of groups outside the block register, or all saved go bits. Default: the preset's.",
    )
    extension: Literal["none", "passing", "after-send", "always"] | None = Field(
        None,
        description="Go-bit extension: which idles created by stripping a packet copy the go bits of the last emitted "
        "idle. `passing`: those that pass a node with an empty bypass FIFO; `after-send`: also the one absorbed behind an "
        "own packet if the FIFO is empty then; `always`: that one in any case. Default: the preset's.",
    )
    priorities: int | None = Field(
        None,
        ge=1,
        le=4,
        description="`sci` only: send priorities. 1 (default): one go bit, as picker1994 describes it. 2 to 4: a low and "
        "a high go bit; experimental, see the model.",
    )
    groups: int | None = Field(
        None, ge=1, le=MAX_GROUPS, description="`grouped` only: transmission groups. Default: 8."
    )
    assignment: (
        Literal["node", "pair", "maximal-conflict"]
        | Annotated[list[int], Field(fail_fast=True)]
        | Annotated[list[Annotated[list[int], Field(fail_fast=True)]], Field(fail_fast=True)]
        | None
    ) = Field(
        None,
        description="`grouped` only: which group a packet belongs to. `node`: each node has its own group; `pair`: each "
        "source-destination pair that is used; `maximal-conflict`: nodes that conflict most share a group; a list with "
        "each node's group; or a matrix with the group of each source (row) and destination. Default: `node` if there "
        "are enough groups, else `maximal-conflict`.",
    )
    schedule: list[GroupStep] | None = Field(
        None,
        min_length=1,
        description="`grouped` only, instead of `assignment`: software rewrites the nodes' group registers between packets.",
    )


class Queues(Section):
    """The queues of every node."""

    receive: Annotated[int, Field(ge=1, lt=2**32)] | Literal["unlimited"] = Field(
        "unlimited",
        description="Packets that a receive queue holds: being received, waiting, in service. What finds it full is "
        "refused with a busy echo and sent again.",
    )
    service_time: Time = Field(0, description="Time to serve a received packet, one at a time.")
    transmit: Annotated[int, Field(ge=1, lt=2**32)] | Literal["unlimited"] = Field(
        "unlimited", description="Packets that a transmit queue holds, the head included. What finds it full is lost."
    )
    outstanding: Annotated[int, Field(ge=1, lt=2**32)] | Literal["unlimited"] = Field(
        64, description="Packets that a node may have sent and not yet seen accepted (SCI: 64)."
    )


class Retry(Section):
    """When a refused packet is sent again."""

    strategy: Literal["constant", "linear", "exponential"] = Field(
        "constant",
        description="Delay after the `k`-th refusal of a packet: `delay`, `k` times, or `2^(k-1)` times as long.",
    )
    delay: Time = Field(0, description="Delay after the first refusal.")


class Run(Section):
    """How long to simulate."""

    duration: PositiveTime | None = Field(
        None,
        description="Measured time, after the warm-up. With `precision`, the most. Default: `1 ms` without a precision.",
    )
    precision: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="Measure until total throughput and mean latency are known within this relative half width (95 %).",
    )
    warmup: Time | Literal["auto"] = Field(
        "auto",
        description="Time simulated before the measurement. `auto`: until MSER-5 finds the transient over.",
    )
    seed: int = Field(1, ge=0, le=MAX_SEED, description="Seed of all random draws.")
    stall_after: PositiveTime | None = Field(
        None,
        description="A ring on which packets wait and none is accepted for this long is reported as stalled. Default: "
        "1,000,000 cycles or 20 revolutions of the ring, whichever is longer.",
    )
