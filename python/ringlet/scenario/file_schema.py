"""The JSON Schema of scenario files, and what it says of a key given by its path."""

import copy
from functools import cache
from typing import Any

from ringlet.scenario.network import TOPOLOGIES
from ringlet.scenario.patterns import PATTERNS
from ringlet.scenario.scenario import Scenario
from ringlet.sections.json_schema import published


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of scenario files, for editors, with what installed packages add."""
    schema = copy.deepcopy(_schema())
    for family in (TOPOLOGIES, PATTERNS):
        family.add_to(schema)
    return published("scenario", schema)


def base_unit(key: str) -> str | None:
    """Returns the unit of a plain number at a key such as `traffic.load`: "words per cycle"; None if it has none."""
    schema = _schema()
    found: dict[str, Any] = schema
    for name in key.split("."):
        resolved = _resolved(found, schema)
        tables = [_resolved(one, schema) for one in resolved.get("oneOf", [resolved])]
        inner = next((table["properties"][name] for table in tables if name in table.get("properties", {})), None)
        if inner is None:
            return None
        found = inner
    parts = [found, *found.get("anyOf", ())]
    return next((part["unit"] for part in parts if "unit" in part), None)


@cache
def _schema() -> dict[str, Any]:
    return Scenario.json_schema()


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        found: dict[str, Any] = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
        return found
    return part


WORDS = {
    "flow_control.protocol": "flow control",
    "traffic.load": "offered load",
    "traffic.load_factor": "load factor",
    "events.rate": "trigger rate",
    "queues.receive": "receive queue",
    "queues.transmit": "transmit queue",
    "retry.delay": "retry delay",
    "retry.strategy": "retry strategy",
    "switch.receive": "receive buffer of a port",
    "switch.transmit": "transmit buffer of a port",
    "host.slots": "transmit slots",
    "events.queue": "queue of a builder",
}
"""Keys whose last word does not say what they are."""

COUNTED = {
    "queues.receive": "packets",
    "queues.transmit": "packets",
    "queues.responses": "packets",
    "queues.outstanding": "packets",
    "queues.window": "transactions",
    "switch.receive": "packets",
    "switch.transmit": "packets",
    "host.slots": "packets",
    "events.queue": "events",
}
"""Units of keys that count something and whose name does not say what."""


def words(key: str) -> str:
    """Returns what a key such as `network.hop_delay` is, in words: "hop delay"."""
    return WORDS.get(key) or key.rpartition(".")[2].replace("_", " ")
