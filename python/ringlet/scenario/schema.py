"""The JSON Schema of scenario files."""

from typing import Any

from ringlet.scenario.scenario import Scenario


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of scenario files, for editors."""
    schema = Scenario.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "ringlet scenario"}
