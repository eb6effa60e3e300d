"""The notebook runs from top to bottom. The documentation's build runs it in Jupyter; here its code runs alone."""

import json
from pathlib import Path

import matplotlib

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorials" / "tour.ipynb"


def cells(kind: str) -> list[dict]:
    return [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


def test_its_cells_run_in_order():
    names: dict[str, object] = {}
    with matplotlib.rc_context({"backend": "agg"}):
        for cell in cells("code"):
            exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), names)
    assert len(names["sweep"].summary) == 10
    assert sorted(names["runs"]) == ["grouped", "none", "sci"]


def test_it_is_committed_without_what_it_printed():
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells("code"))
