"""The sections and keys of a scenario file, typed, with defaults. Each section is checked by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.scenario.activities.registry import ACTIVITIES, KeysOfActivities
from ringlet.scenario.flow_control import AnyFlowControl, FlowControl
from ringlet.scenario.flow_control.sci import Sci
from ringlet.scenario.hardware.switch import Host, Switch, preset_links
from ringlet.scenario.keys.errors import Errors
from ringlet.scenario.keys.queues import Queues
from ringlet.scenario.keys.retry import Retry
from ringlet.scenario.keys.ring_sections import RingSections
from ringlet.scenario.keys.run import Run
from ringlet.scenario.network import TOPOLOGIES, AnyNetwork
from ringlet.scenario.network.topology import DEFAULT_TOPOLOGY
from ringlet.scenario.patterns import AnyTraffic, UniformTraffic
from ringlet.scenario.traffic.arrivals import NoArrivals
from ringlet.sections import Field, Section


class Sections(Section):
    """The sections that every scenario has."""

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


class ScenarioFile(KeysOfActivities, Sections):
    """The sections and keys of a scenario file."""

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        return cls._with_preset_links(cls._with_activities_alone(super()._completed(content)))

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
    def _with_activities_alone(content: dict[str, Any]) -> dict[str, Any]:
        """Activities without a traffic section are all the traffic there is."""
        if "traffic" in content:
            return content
        alone = any(content.get(key) is not None for one in ACTIVITIES for key in one.keys)
        return {**content, "traffic": {"arrivals": NoArrivals.name}} if alone else content

    @property
    def flow_controls(self) -> Sequence[FlowControl]:
        """The flow control of all rings, and then those that single rings have."""
        return [self.flow_control, *(ring.flow_control for ring in (self.rings or {}).values())]
