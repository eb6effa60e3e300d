"""The sections and keys of a scenario file, typed, with defaults. Each section is checked by itself."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ringlet.scenario.flow_control import AnyFlowControl, FlowControl
from ringlet.scenario.flow_control.sci import Sci
from ringlet.scenario.hardware.switch import Host, Switch, preset_links
from ringlet.scenario.keys.collective import Collective
from ringlet.scenario.keys.errors import Errors
from ringlet.scenario.keys.events import Events
from ringlet.scenario.keys.flows import FlowKeys, flows_of_frame
from ringlet.scenario.keys.loops import Loop
from ringlet.scenario.keys.messages import Message, PriorityRule
from ringlet.scenario.keys.queues import Queues
from ringlet.scenario.keys.retry import Retry
from ringlet.scenario.keys.ring_sections import RingSections
from ringlet.scenario.keys.run import Run
from ringlet.scenario.network import TOPOLOGIES, AnyNetwork
from ringlet.scenario.network.topology import DEFAULT_TOPOLOGY
from ringlet.scenario.patterns import AnyTraffic, UniformTraffic
from ringlet.scenario.traffic.arrivals import NoArrivals
from ringlet.scenario.values.transactions import MovingTransaction
from ringlet.sections import Field, Section

PLANNED = ("messages", "messages_file", "flows", "flows_file", "events", "collective", "loops")
"""Sections that have packets of their own."""


class ScenarioFile(Section):
    """The sections and keys of a scenario file."""

    frames: ClassVar[tuple[str, ...]] = ("flows",)

    network: AnyNetwork = Field(description="Rings, nodes and switches.")
    switch: Switch = Field(default=Switch.by_default(), description="What the switches are made of.")
    host: Host = Field(default=Host.by_default(), description="What lies between nodes and rings.")
    flow_control: AnyFlowControl = Field(default=Sci.by_default(), description="Which node may send when.")
    rings: RingSections | None = Field(
        default=None,
        description="What differs on single rings of a network, by their names, such as "
        '`rings."ring 0".flow_control = { protocol = "sci" }`. `flow_control` holds for all others.',
    )
    queues: Queues = Field(default=Queues.by_default(), description="The queues of every node.")
    retry: Retry = Field(default=Retry.by_default(), description="When a refused packet is sent again.")
    errors: Errors = Field(
        default=Errors.by_default(), description="Links that lose packets, links and nodes that fail."
    )
    traffic: AnyTraffic = Field(
        default=UniformTraffic.by_default(), description="What the nodes send, where, and when."
    )
    run: Run = Field(default=Run.by_default(), description="How long to simulate.")
    events: Events | None = Field(
        default=None,
        description="Event building: triggers, on which all sources send fragments to a builder. Without a `[traffic]` "
        "section there is no other traffic.",
    )
    collective: Collective | None = Field(
        default=None,
        description="A collective operation of a parallel program, once. Without a `[traffic]` section there is no "
        "other traffic.",
    )
    loops: list[Loop] | None = Field(
        default=None,
        min_length=1,
        description="Control loops, each with an end-to-end deadline. Without a `[traffic]` section there is no other "
        "traffic.",
    )
    messages: list[Message] | None = Field(
        default=None,
        min_length=1,
        description="A set of periodic messages. Without a `[traffic]` section there is no other traffic.",
    )
    messages_file: str | None = Field(
        default=None,
        description="The set from a CSV file, relative to the scenario file: a header with the keys of a message, then "
        "a line for each. A column `period` holds what a scenario would, `period_us` numbers in that unit.",
    )
    flows: list[FlowKeys] | None = Field(
        default=None,
        min_length=1,
        description="Flows: messages of any size, at times of many kinds. Without a `[traffic]` section there is no "
        "other traffic. In Python also a data frame with the columns of `flows_file`.",
    )
    flows_file: str | None = Field(
        default=None,
        description="The flows from a CSV or Parquet file, relative to the scenario file: a header with the keys of a "
        "flow, then a line for each. A column `rate_MBps`, `period_us`, `size_bytes` or `drift_ppm` has numbers in "
        "that unit.",
    )
    flow_transaction: MovingTransaction = Field(
        default="dmove64",
        description="The transaction that messages of flows are cut into; a read moves the data to the source.",
    )
    message_transaction: MovingTransaction = Field(
        default="dmove64",
        description="The transaction that messages are cut into; a read moves the data to the source.",
    )
    message_priorities: PriorityRule = Field(
        default="given",
        description="`given`: each message's `priority`. `rate-monotonic`, `deadline-monotonic`: by period or "
        "deadline, the shortest highest, equal ones equal, all above the background traffic; `priority` "
        "does not count then.",
    )
    allow_late_deadlines: bool = Field(default=False, description="May deadlines be beyond their periods?")

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        if hasattr(content.get("flows"), "itertuples"):
            content = {**content, "flows": flows_of_frame(content["flows"])}
        return cls._with_preset_links(cls._with_messages_alone(content))

    @staticmethod
    def _with_preset_links(content: dict[str, Any]) -> dict[str, Any]:
        """Links are as fast as the switches' preset says, unless the file does."""
        network, switch = content.get("network"), content.get("switch", {})
        if not isinstance(network, Mapping) or not isinstance(switch, Mapping):
            return content
        topology = TOPOLOGIES.listed.get(str(network.get("topology", DEFAULT_TOPOLOGY)))
        if topology is not None and not topology.switched:
            return content
        return {**content, "network": {**preset_links(switch.get("preset")), **network}}

    @staticmethod
    def _with_messages_alone(content: dict[str, Any]) -> dict[str, Any]:
        """Messages, events and the like without a traffic section are all the traffic there is."""
        if "traffic" in content:
            return content
        alone = any(content.get(key) is not None for key in PLANNED)
        return {**content, "traffic": {"arrivals": NoArrivals.name}} if alone else content

    @property
    def flow_controls(self) -> Sequence[FlowControl]:
        """The flow control of all rings, and then those that single rings have."""
        return [self.flow_control, *(ring.flow_control for ring in (self.rings or {}).values())]

    @property
    def has_flows(self) -> bool:
        """True if there are flows."""
        return self.flows is not None or self.flows_file is not None

    @property
    def has_messages(self) -> bool:
        """True if there is a message set."""
        return self.messages is not None or self.messages_file is not None
