"""Writes the study reference from the model that checks studies, so that it cannot differ."""

from pathlib import Path

from scenario_reference import Page, nested, write_changed

from ringlet.studies import Study
from ringlet.studies.summary import summarised_figures

INTRODUCTION = """# Study reference

A study is a TOML file; [Sweeps](../how-to/sweeps.md) shows how to write one and run it. This page is generated from the
model that checks it. `ringlet schema study` prints the same as a JSON Schema, for editors.
"""

FIGURES = """## Figures

What `replications.watch` and `plots` may name, and what the tables have as columns.
{doc}`/reference/what-a-run-tells` says what they mean, and what becomes of them over the replications; each is a figure
of the whole ring, over the measured time of a run. In the summary a mean has the half width of its 95 % interval beside
it, such as `throughput_ci95_MBps`.
"""


def write(path: Path) -> None:
    """Writes the page."""
    write_changed(path, render(Study.json_schema()))


def render(schema: dict) -> str:
    """Returns the page."""
    page = Page("study-key", schema)
    parts = [INTRODUCTION, page.section("Study", {**schema, "description": ""}, "")]
    parts += [page.table(name) for name in nested(schema, page.definitions)]
    names = ", ".join(f"`{name}`" for name in summarised_figures())
    return "\n".join([*parts, FIGURES, f"{names}.\n"])
