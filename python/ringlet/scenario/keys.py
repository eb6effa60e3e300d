"""What the model says of a key given by its path."""

from functools import cache
from typing import Any

from ringlet.scenario.scenario import Scenario


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
    return Scenario.model_json_schema()


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        found: dict[str, Any] = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
        return found
    return part
