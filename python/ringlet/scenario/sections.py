"""The sections of a scenario file but for the traffic: typed, with defaults and what each key means.

The JSON Schema, the reference in the documentation and the command line's checks all come from these models.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ringlet.errors import RingletError
from ringlet.scenario.per_node import PlacesPerNode, TimePerNode
from ringlet.scenario.plain import plain
from ringlet.scenario.units import Places, PositiveTime, Time
from ringlet.scenario.validation import as_ringlet_error

MAX_GROUPS = 16
MAX_LEVELS = 256
MAX_SEED = 2**63 - 1

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)  # it has no public name


class _OneMessage(ModelMetaclass):
    """Makes a section written in Python fail as one in a file does: with a RingletError."""

    if not TYPE_CHECKING:  # an editor is to see the fields

        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            try:
                return super().__call__(*args, **{key: plain(value) for key, value in kwargs.items()})
            except ValidationError as error:
                raise as_ringlet_error(error, self) from None


class Section(BaseModel, metaclass=_OneMessage):
    """The base class of all sections: no unknown keys, no silent conversions, no changes."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        revalidate_instances="always",
        # The outermost section's checks hold those of all inner ones; each section's own would be made besides.
        defer_build=True,
    )

    def __dir__(self) -> list[str]:
        """The names of the section: those that every model of pydantic has would bury them."""
        return [name for name in super().__dir__() if name.startswith("_") or not hasattr(BaseModel, name)]

    @classmethod
    def checked(cls, content: Mapping[str, Any], *, named: str, folder: Path | None = None) -> Self:
        """Returns the section with the content of a file.

        Args:
            content: what the file holds.
            named: what it is called in a message.
            folder: where files that it names start from; default: here.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        try:
            return cls.model_validate(plain(content), context=Path() if folder is None else folder)
        except ValidationError as error:
            raise as_ringlet_error(error, cls) from None
        except RecursionError:
            raise RingletError(f"{named}: nested too deeply") from None

    @classmethod
    def by_default(cls) -> Self:
        """Returns a section of which a file says nothing; to call its class would build its checks first."""
        return cast(Self, cls.model_construct())


class FromPreset(Section):
    """A section that takes what is not given from the values of a preset; without one its defaults are those."""

    presets: ClassVar[Mapping[str, Mapping[str, object]]]

    @model_validator(mode="before")
    @classmethod
    def _from_preset(cls, content: object) -> object:
        if not isinstance(content, dict):
            return content
        preset = content.get("preset")
        return {**cls.presets[preset], **content} if isinstance(preset, str) and preset in cls.presets else content


class Queues(Section):
    """The queues of every node."""

    receive: PlacesPerNode = Field(
        "unlimited",
        description="Packets that a receive queue holds: being received, waiting, in service. There is one for "
        "requests "
        "and one for responses. What finds it full is refused with a busy echo and sent again. "
        "Or a list, or a table, as for `service_time`.",
    )
    service_time: TimePerNode = Field(
        0,
        description="Time to serve a received packet, one at a time in each receive queue; or a list, one for each "
        "node; or a table by the nodes' names or numbers, with `others` for those that it does not name.",
    )
    responses: Places = Field(
        "unlimited",
        description="Responses that a node may have created and not yet seen accepted: at this number it serves no "
        "further request that needs one.",
    )
    window: Places = Field(
        "unlimited",
        description="Transactions that a node may have begun and not completed: at this number it sends no further "
        "request that needs a response.",
    )
    transmit: Annotated[int, Field(ge=0, lt=2**32)] | Literal["unlimited"] = Field(
        "unlimited",
        description="Requests that a transmit queue holds, the head included. What finds it full is lost. With "
        "`host.slots` those "
        "that wait for a slot; only then it may be 0.",
    )
    outstanding: Places = Field(
        64,
        description="Packets that a node may have sent and not yet seen accepted, requests and responses apart (the "
        "echo-waiting queue; SCI: 64).",
    )
    order: Literal["alternate", "response-first", "request-first", "oldest"] = Field(
        "alternate",
        description="Which of request and response goes first at equal priority: `alternate`, the class that did not "
        "leave last; or the one that has waited longest (`oldest`).",
    )
    priorities: int | None = Field(
        None,
        ge=1,
        le=MAX_LEVELS,
        description="Levels of the prioritised FIFOs: transmit and receive queues take the highest priority first. "
        "Default: 256 with the real-time protocols and where there are messages; else `flow_control.priorities`, or 1.",
    )


class Run(Section):
    """The length of a run, its warm-up and its seed."""

    duration: PositiveTime | None = Field(
        None,
        description="Measured time, after the warm-up. With `precision`, the most. Default: `1 ms` without a "
        "precision; with a trace "
        "until all of it has been delivered.",
    )
    precision: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="Measure until total throughput and mean latency are known within this relative half width (95 %).",
    )
    warmup: Time | Literal["auto"] = Field(
        "auto",
        description="Time simulated before the measurement. `auto`: until MSER-5 finds the transient over; none for a "
        "trace, for a message set alone, whose first releases are to count, and where links or nodes fail.",
    )
    seed: int = Field(1, ge=0, le=MAX_SEED, description="Seed of all random draws.")
    stall_after: PositiveTime | None = Field(
        None,
        description="A ring or network on which packets wait and none is accepted for this long is reported as "
        "stalled. Default: "
        "1,000,000 cycles, with switches a quarter of the duration if that is less, but 25,000 cycles and 20 times "
        "what a packet takes through a switch, at "
        "a node, or until a time-out; at least 20 revolutions of the longest ring.",
    )


def published(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of ringlet's files or documents of this name, as it is printed for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:ringlet:{name}",
        **schema,
        "title": f"ringlet {name}",
    }
