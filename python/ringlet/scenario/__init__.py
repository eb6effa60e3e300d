"""What to simulate: typed, validated, with units; and the engine's NetworkSpec made from it."""

from typing import Any

from ringlet.scenario.scenario import Scenario

__all__ = ["Scenario", "json_schema"]


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of scenario files, for editors."""
    schema = Scenario.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ringlet scenario", **schema}
