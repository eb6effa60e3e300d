"""Requirements of a data-acquisition system on its network: the six key parameters of richter1999, Section 6.2, and the
parts that may be bought."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from ringlet.advice.flow_table import DEFAULT_TRANSACTION, FlowTable, flow_table, payload_bytes, placed, with_flows
from ringlet.errors import RingletError
from ringlet.scenario import Queues, Retry
from ringlet.scenario.file.kinds import lines_named, read_kind
from ringlet.scenario.file.overrides import apply_override
from ringlet.scenario.flow_control import PROTOCOLS, AnyFlowControl
from ringlet.scenario.flow_control.sci import Sci
from ringlet.scenario.hardware.switch import Switch, preset_links
from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.scenario.values.sizes import WholeSize
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.scenario.values.units import Count, DataRate, Duration, PositiveTime, Size, Time, magnitude, size_bytes
from ringlet.sections import Before, Field, Section, refuse
from ringlet.sections.json_schema import published

MOST_NODES = 256
"""Senders, and receivers, with growth."""

Banyan = Literal["omega", "flip", "indirect-cube", "generalized-cube", "baseline", "butterfly"]

Family = Literal["ring", "dual-ring", "dual-attached-ring", "switch", Banyan, "torus", "ring-of-rings"]

FAMILIES: tuple[Family, ...] = (
    *("ring", "dual-ring", "dual-attached-ring", "switch", "omega", "torus", "ring-of-rings"),
)
"""Families that are tried where requirements name none: of the Banyan networks, which have the same parts, one."""

LatencyFigure = Literal["mean", "p50", "p95", "p99"]

SENDER_BUFFER_PACKETS = 16

SENDER_BUFFER_FRAGMENTS = 4
"""Fragments of events, or messages of flows, that a sender holds where the requirements say nothing."""


def _of_a_shot(value: object) -> object:
    """Returns the mean rate of an amount of data in a time, `100 MB in 10 s`; all else as it is."""
    amount, between, time = value.partition(" in ") if isinstance(value, str) else ("", "", "")
    if not between:
        return value
    try:
        rate = magnitude(amount, "MB") / magnitude(time, "s")
    except (ValueError, ZeroDivisionError):
        raise refuse("an amount of data in a time above 0, such as '100 MB in 10 s'") from None
    return f"{rate:.15g} MB/s"


class Prices(Section):
    """The prices of parts; without them a network costs the ports of its switches, which dominate (richter1999,
    Section 6.7)."""

    unit: str = Field(
        default="ports",
        min_length=1,
        max_length=20,
        description="What the prices are in, such as `EUR`. Default: `ports`.",
    )
    switch: float = Field(default=0.0, ge=0, description="Of a switch, bridge or router, without its ports.")
    port: float = Field(default=1.0, ge=0, description="Of a port of a switch.")
    cable: float = Field(default=0.0, ge=0, description="Of a cable: a link of one direction.")
    adapter: float = Field(default=0.0, ge=0, description="Of the adapter of a sender or receiver.")
    buffer: float = Field(
        default=0.0, ge=0, description="Of the place for a packet in a sender's memory; it is in no stage of growth."
    )

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Once anything has a price, ports are free unless they have one, too."""
        if content and not {"port"} & set(content) and set(content) - {"unit"}:
            return {"port": 0.0, **content}
        return content


class BuiltEvents(Section):
    """Event building: on each trigger every sender sends a fragment to one receiver, which builds the event."""

    fragment: WholeSize = Field(
        description="Data of a fragment, such as `1 KiB`. There are as many triggers as `rate` has fragments."
    )
    trigger: Literal["poisson", "periodic"] = Field(
        default="poisson", description="When there is a trigger, as `events.trigger` of a scenario."
    )
    destination: Literal["round-robin", "barrel", "credits"] = Field(
        default="round-robin", description="Which receiver builds an event, as `events.destination` of a scenario."
    )
    queue: Count | Literal["unlimited"] = Field(
        default="unlimited", description="Events that a receiver holds, as `events.queue` of a scenario."
    )
    build_time: Time = Field(default=0, description="Time that a receiver takes for an event that is complete.")
    timeout: PositiveTime | None = Field(
        default=None,
        description="Time from the trigger after which an event is given up, since a fragment of it was lost. Default: "
        "100 us, or more: ten times what its fragments need on the link of its receiver and there, or twice `latency`.",
    )


class Message(Section):
    """A periodic message of each sender to the receiver of its own, with a deadline."""

    size: Size = Field(description="Its data, such as `64 byte`.")
    period: PositiveTime = Field(description="Time from one to the next.")
    deadline: PositiveTime | None = Field(
        default=None, description="Time until all of it has been served. Default: the period."
    )


class Requirements(Section):
    """Senders, receivers, their data, and what is allowed to be lost and late."""

    senders: int = Field(
        ge=1,
        le=MOST_NODES,
        description="Sensors, or the computers that read them out. With flows: the nodes that these name as sources.",
    )
    receivers: int = Field(
        ge=1,
        le=MOST_NODES,
        description="Computers that take the data. With flows: the nodes that these name as destinations; given where "
        'they name `"all"`.',
    )
    rate: Annotated[DataRate, Before(_of_a_shot)] = Field(
        description="Data of each sender, without headers, such as `60 MB/s`; or its amount in the time of a shot, "
        "`100 MB in 10 s`, of which the mean counts. With flows: of the sender that has most, as they say."
    )
    flows: list[dict[str, Any]] | None = Field(
        default=None,
        min_length=1,
        description="Flows from senders to receivers, as `[[flows]]` of a scenario, in place of `senders` and `rate`: "
        'nodes by any names, `"all"` for all receivers, and arrivals with a rate. None may miss its deadline.',
    )
    flows_file: str | None = Field(
        default=None,
        description="The same from a CSV or Parquet file, relative to the requirements file, with the columns of "
        "`flows_file` of a scenario.",
    )
    locality: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of a sender's data that goes to a receiver of its own, the rest to all others evenly: "
        "sender `i` belongs to receiver "
        "`i * receivers / senders`, rounded down. Default: no preference, all receivers evenly.",
    )
    loss: float = Field(
        default=1e-3, ge=0, lt=1, description="Share of the data that may be lost. 0: none is to be seen."
    )
    latency: Duration | None = Field(
        default=None,
        description="Time from a packet's generation to the end of its service that is allowed, such as `5 us`. "
        "Default: any.",
    )
    latency_figure: LatencyFigure = Field(default="p99", description="What `latency` limits: the mean, or a quantile.")
    event_building: BuiltEvents | None = Field(
        default=None,
        description="Event building in place of data that go to all receivers: `loss` is the share of triggers and "
        "events that are lost, and `latency` that of a whole event.",
    )
    message: Message | None = Field(
        default=None,
        description="A periodic message of each sender to the receiver of its own, beside the data and of a higher "
        "priority. None may miss its deadline.",
    )
    failure_loss: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of the data that may be lost for good while any one link is broken, when routes have been "
        "changed. Default: any.",
    )
    growth: float = Field(
        default=1.0,
        ge=1,
        le=MOST_NODES,
        description="Factor by which the numbers of senders and receivers may grow: what is advised is built for so "
        "many.",
    )
    stages: list[Annotated[float, Field(ge=1, le=MOST_NODES)]] = Field(
        default=[],
        description="Factors, ascending and below `growth`, by which the system has grown at earlier times: what has "
        "to be bought for each, and at last for `growth`.",
    )
    transaction: str = Field(
        default=DEFAULT_TRANSACTION, description="How data is moved, as `traffic.transaction` of a scenario."
    )
    arrivals: Literal["poisson", "periodic"] = Field(
        default="poisson", description="When packets are generated; `periodic`: all senders sample at the same moments."
    )
    bit_error_rate: float = Field(
        default=0.0, ge=0, lt=1, description="Probability that a bit is wrong, on every link."
    )
    switch_ports: int = Field(
        default=4, ge=2, le=256, description="Ports of the largest switch that can be had; Dolphin's has 4."
    )
    topologies: list[Family] = Field(
        default=list(FAMILIES),
        min_length=1,
        description="What may be built. Default: all but the Banyan networks other than `omega`, which "
        "have its parts and their own wiring. `dual-attached-ring`, a copy of each packet round each of two rings, is "
        "tried where a failure counts (`failure_loss`), with transmit queues without limit; not for event building, "
        "nor with `buffers`.",
    )
    prices: Prices = Field(default=Prices(), description="What parts cost.")
    switch: Switch = Field(
        default=Switch(),
        description="What switches are made of, and with `preset` how fast links are; as in a scenario.",
    )
    link_rate: DataRate | None = Field(
        default=None,
        description="Data rate of every link, such as `1 GB/s`. Default: that of `switch.preset`, `500 MB/s`.",
    )
    queues: Queues = Field(
        default=Queues(transmit=SENDER_BUFFER_PACKETS),
        description="The queues of every node, as in a scenario, but that a sender holds 16 packets unless `transmit` "
        "says otherwise, or four "
        "fragments of events if these are more: what finds no room is lost.",
    )
    retry: Retry = Field(default=Retry(), description="When a refused packet is sent again; as in a scenario.")
    flow_control: AnyFlowControl = Field(default=Sci(), description="Which node may send when; as in a scenario.")
    protocols: list[str] = Field(
        default=[],
        description="Names of flow-control protocols with which each network is tried, each with its defaults, instead "
        "of `flow_control` alone.",
    )
    buffers: list[Count] = Field(
        default=[],
        description="Packets that a sender may hold, ascending: each network is tried with the first number, and with "
        "the next one while it loses too much. Default: `queues.transmit` alone.",
    )
    duration: Duration | None = Field(
        default=None,
        description="Measured time of a run, after its warm-up. Default: 200 us, or the time of 50 triggers, of 50 "
        "messages of each kind, and of ten events, if that is more and takes at most 50,000 packets; a tenth of it "
        "above the required rate. Without one a network whose runs have more than 10,000 packets is looked at for "
        "5,000 of them first, and only what does not fail then is run so long, the cheapest first, until one fits.",
    )
    at_least: int = Field(
        default=3, ge=2, le=1000, description="Runs of each network to begin with, each with a seed of its own."
    )
    at_most: int = Field(
        default=24,
        ge=2,
        le=1000,
        description="Where to give up if the 95 % interval of a figure still holds the limit; until then the runs are "
        "doubled.",
    )
    seed: int = Field(default=1, ge=0, le=MAX_SEED, description="Seed of the first run; the others follow.")
    discard: bool = Field(
        default=True,
        description="Is a network not simulated where theory says that it fails: a link, switch or receiver would have "
        "to carry more than it can, or the queueing model's mean latency is more than twice the latency allowed?",
    )

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Requirements":
        """Reads a TOML file; each override `KEY=VALUE` replaces one key.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        path = Path(path)
        content = read_kind(path, "requirements")
        names = (override.partition("=")[0].strip().split(".") for override in overrides)
        with lines_named(path, frozenset(map(tuple, names))):
            return cls.from_dict(content, overrides, folder=path.parent)

    @classmethod
    def from_dict(
        cls, content: Mapping[str, Any], overrides: Sequence[str] = (), *, folder: Path | None = None
    ) -> "Requirements":
        """Returns the requirements with the content of a file.

        Args:
            content: what the file holds.
            overrides: `KEY=VALUE`, each of which replaces one key.
            folder: where a file of flows starts from; default: here.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        changed = dict(content)
        for override in overrides:
            apply_override(changed, override)
        if folder is not None and isinstance(changed.get("flows_file"), str):
            changed["flows_file"] = str(folder / changed["flows_file"])
        return cls.checked(changed, named="requirements")

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        content, largest_bytes = with_flows(content)
        queues = content.get("queues", {})
        if not isinstance(queues, Mapping):
            return content
        packets = max(_packets_of_fragment(content), -(-largest_bytes // payload_bytes(content.get("transaction"))))
        transmit = max(SENDER_BUFFER_PACKETS, SENDER_BUFFER_FRAGMENTS * packets)
        return {**content, "queues": {"transmit": transmit, **queues}}

    def _fits_together(self, folder: Path) -> None:
        table = None
        if self.flows is not None:
            self._check_flows()
            table = flow_table(placed(self.flows), self.receivers, payload_bytes(self.transaction))
        self.__dict__["_flow_table"] = table
        for key in ("senders", "receivers"):
            if math.ceil(getattr(self, key) * self.growth) > MOST_NODES:
                allowed = f"at most {MOST_NODES / getattr(self, key):g}: {MOST_NODES} {key} in the end"
                raise RingletError.not_allowed("growth", self.growth, allowed)
        if table is None and magnitude(self.rate, "MB/s") > magnitude(self.links, "MB/s"):
            raise RingletError.not_allowed("rate", self.rate, f"at most {self.links}, the rate of a sender's link")
        if self.event_building is not None and self.locality is not None:
            allowed = "none with event building: all senders send to one receiver at a time"
            raise RingletError.not_allowed("locality", self.locality, allowed)
        if (
            self.event_building is not None
            and self.event_building.destination == "credits"
            and self.event_building.queue == "unlimited"
        ):
            raise RingletError.not_allowed("event_building.queue", "unlimited", "a number with destination 'credits'")
        if self.prices.buffer and not (self.buffers or isinstance(self.queues.transmit, int)):
            allowed = "0 unless buffers, or a number as queues.transmit, say how many places there are"
            raise RingletError.not_allowed("prices.buffer", self.prices.buffer, allowed)
        if sorted(set(self.buffers)) != self.buffers:
            raise RingletError.not_allowed("buffers", str(self.buffers), "numbers of packets, ascending")
        if sorted(set(self.stages)) != self.stages or (self.stages and self.stages[-1] >= self.growth):
            allowed = f"ascending factors below growth, {self.growth:g}"
            raise RingletError.not_allowed("stages", str(self.stages), allowed)
        for place, protocol in enumerate(self.protocols):
            if protocol not in PROTOCOLS.listed or protocol in self.protocols[:place]:
                allowed = f"each once: {', '.join(PROTOCOLS.listed)}"
                raise RingletError.not_allowed(f"protocols[{place}]", protocol, allowed)
        if self.at_most < self.at_least:
            raise RingletError.not_allowed("at_most", self.at_most, f"at least {self.at_least}, the runs to begin with")

    def _check_flows(self) -> None:
        """Raises RingletError for a key that says the same as flows, or what they cannot have."""
        for key in ("locality", "event_building", "message"):
            if getattr(self, key) is not None:
                raise RingletError(f"{key}: given together with flows, which say who sends what to whom")
        if self.arrivals != type(self).fields["arrivals"].default:
            raise RingletError("arrivals: given together with flows, which have their own")
        if self.growth != 1:
            raise RingletError.not_allowed("growth", self.growth, "1 with flows: a table has its senders")

    @property
    def table_of_flows(self) -> FlowTable | None:
        """The flows, numbered; None without any."""
        found: FlowTable | None = self.__dict__["_flow_table"]
        return found

    @property
    def links(self) -> str:
        """Data rate of every link."""
        return self.link_rate or preset_links(self.switch.preset)["link_rate"]

    @property
    def final_senders(self) -> int:
        """Senders after growth."""
        return math.ceil(self.senders * self.growth)

    @property
    def final_receivers(self) -> int:
        """Receivers after growth."""
        return math.ceil(self.receivers * self.growth)

    def event_rate(self, rate: str) -> str:
        """Returns the rate of triggers at which each sender has so much data; there is event building."""
        assert self.event_building is not None
        return f"{1e6 * magnitude(rate, 'MB/s') / size_bytes(self.event_building.fragment):.12g} Hz"

    @property
    def latency_column(self) -> str:
        """The figure of a run that `latency` limits."""
        return f"{'latency' if self.event_building is None else 'event_latency'}_{self.latency_figure}_ns"

    @property
    def latency_ns(self) -> float | None:
        """Latency that is allowed."""
        return None if self.latency is None else magnitude(self.latency, "ns")

    def to_dict(self) -> dict[str, Any]:
        """Returns what a file would hold, with all defaults, ready for JSON."""
        return self.table()


def _packets_of_fragment(content: Mapping[str, Any]) -> int:
    """Returns how many packets a fragment is cut into; 0 without events, or where that is refused later."""
    events = content.get("event_building")
    transaction = TRANSACTIONS.get(str(content.get("transaction", DEFAULT_TRANSACTION)))
    if not isinstance(events, Mapping) or transaction is None or not transaction.data_bytes:
        return 0
    try:
        return math.ceil(size_bytes(events["fragment"]) / transaction.data_bytes)
    except (KeyError, TypeError, ValueError, RingletError):
        return 0


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of requirements files, for editors."""
    return published("requirements", Requirements.json_schema())
