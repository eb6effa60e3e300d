"""Writes the reference of requirements from the model that checks them, so that it cannot differ."""

from pathlib import Path

from scenario_reference import Page, nested, write_changed

from ringlet.advice import Requirements
from ringlet.scenario.flow_control import PROTOCOLS

INTRODUCTION = """# Requirements reference

What `ringlet advise` takes, as a TOML file or by `--set`; [Size a data-acquisition
ring](../how-to/data-acquisition.md#choose-a-network) shows how. This page is generated from the model that checks it.
`ringlet schema requirements` prints the same as a JSON Schema, for editors. Its tables `[switch]`, `[queues]`,
`[retry]` and `[flow_control]` are those of a {doc}`scenario </reference/scenario>`.
"""

SCENARIO_TABLES = ("Switch", "Queues", "Retry", "GroupStep", *(one.__name__ for one in PROTOCOLS.listed.values()))


def write(path: Path) -> None:
    """Writes the page."""
    write_changed(path, render(Requirements.json_schema()))


def render(schema: dict) -> str:
    """Returns the page."""
    page = Page("requirements-key", schema)
    own = [name for name in nested(schema, page.definitions) if name not in SCENARIO_TABLES]
    parts = [INTRODUCTION, page.section("Requirements", {**schema, "description": ""}, "")]
    return "\n".join([*parts, *map(page.table, own)]) + "\n"
