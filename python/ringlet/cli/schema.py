"""`ringlet schema`: the keys of a scenario, for an editor."""

from ringlet.cli import output
from ringlet.scenario import json_schema

NAME = "schema"
SUMMARY = "JSON Schema of scenario files, for editors."


def command() -> None:
    """Print the JSON Schema of scenario files, with which an editor completes and checks them.

    It comes from the model that checks scenarios. Editors with a TOML language server take it from a first line in the
    file: #:schema ./ringlet.schema.json

    \b
    Example:
        ringlet schema > ringlet.schema.json
    """
    output.write_json(json_schema(), indent=2)
