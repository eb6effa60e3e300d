"""What to simulate: typed, validated, with units; and the engine's NetworkSpec made from it."""

from typing import Any

from ringlet.scenario.flow_control import FlowControl, GroupStep
from ringlet.scenario.flows import Payload
from ringlet.scenario.link_errors import ErrorLink, Errors, FailingNode
from ringlet.scenario.message_set import PeriodicMessage
from ringlet.scenario.messages import Message
from ringlet.scenario.network import Network
from ringlet.scenario.packet_trace import PacketTrace
from ringlet.scenario.replay import Replay
from ringlet.scenario.scenario import Scenario
from ringlet.scenario.sections import Queues, Retry, Run
from ringlet.scenario.traffic import Mix, RandomMatrix, Traffic

__all__ = [
    "ErrorLink",
    "Errors",
    "FailingNode",
    "FlowControl",
    "GroupStep",
    "Message",
    "Mix",
    "Network",
    "PacketTrace",
    "Payload",
    "PeriodicMessage",
    "Queues",
    "RandomMatrix",
    "Replay",
    "Retry",
    "Run",
    "Scenario",
    "Traffic",
    "json_schema",
]


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of scenario files, for editors."""
    schema = Scenario.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "ringlet scenario"}
