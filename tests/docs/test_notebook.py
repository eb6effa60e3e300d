"""The notebooks run from top to bottom. The documentation's build runs them in Jupyter; here their code runs alone."""

import ast
import importlib
import json
import re
from pathlib import Path

import matplotlib
import pytest

import ringlet as rl

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"

TOUR = TUTORIALS / "tour.ipynb"

LESSONS = sorted((TUTORIALS / "course").glob("*.ipynb"))


def cells(notebook: Path, kind: str) -> list[dict]:
    return [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


def shown(notebook: Path, **predicted: object) -> tuple[dict[str, object], list[object]]:
    """Runs the cells, with predictions in place of `None`; returns all names, and what each cell shows."""
    names: dict[str, object] = {}
    found = []
    with matplotlib.rc_context({"backend": "agg"}):
        for cell in cells(notebook, "code"):
            source = "".join(cell["source"])
            for name, value in predicted.items():
                source = re.sub(rf"^{name} = None", f"{name} = {value!r}", source, flags=re.MULTILINE)
            *body, last = ast.parse(source).body
            if isinstance(last, ast.Expr):
                exec(compile(ast.Module(body, []), notebook.name, "exec"), names)
                found.append(eval(compile(ast.Expression(last.value), notebook.name, "eval"), names))
            else:
                exec(compile(source, notebook.name, "exec"), names)
    return names, found


def test_the_cells_of_the_tour_run_in_order():
    names, _ = shown(TOUR)
    assert len(names["sweep"].summary) == 10
    assert sorted(names["runs"]) == ["grouped", "none", "sci"]


@pytest.mark.parametrize("notebook", [TOUR, *LESSONS], ids=lambda path: path.stem)
def test_notebooks_are_committed_without_what_they_printed(notebook):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(notebook, "code"))


def said(found: list[object]) -> list[str]:
    return [one for one in found if isinstance(one, str)]


@pytest.mark.parametrize("notebook", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_that_is_not_answered_says_so_and_its_answer_checks_itself(notebook):
    _, found = shown(notebook)
    verdicts = said(found)
    assert len(verdicts) == 2
    assert all(one.startswith("no prediction yet") for one in verdicts)


RIGHT = {
    "1-ring": {"to_node_2_and_3": (30, 36), "of_80_bytes": (88,)},
    "2-fairness": {"node_1": (0,), "with_go_bits": (272.7, 272.7, 272.7, 272.7)},
    "3-shares": {"full_link": 1, "fair_share": (285.7,)},
    "4-deadlines": {"longest_and_proven": (1.43, 3.17), "still_proven": False},
    "5-networks": {"torus_by_ring": (1.93,), "growth": (1.0, 2.33)},
}
WRONG = {
    "1-ring": {"to_node_2_and_3": (48, 72), "of_80_bytes": (120,)},
    "2-fairness": {"node_1": (100,), "with_go_bits": (400, 100, 400, 400)},
    "3-shares": {"full_link": 3, "fair_share": (250,)},
    "4-deadlines": {"longest_and_proven": (1.0, 2.0), "still_proven": True},
    "5-networks": {"torus_by_ring": (4.0,), "growth": (1.0, 4.0)},
}


@pytest.mark.parametrize("notebook", LESSONS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("answers", "verdict"), [(RIGHT, "right"), (WRONG, "not so")], ids=["right", "wrong"])
def test_a_lesson_tells_right_predictions_from_wrong_ones(notebook, answers, verdict):
    _, found = shown(notebook, **answers[notebook.stem])
    assert [one.startswith(verdict) for one in said(found)] == [True, True]


@pytest.mark.parametrize(
    ("predicted", "words"),
    [
        (88, "right: predicted 88; found 88"),
        ([87], "right: predicted 87; found 88"),
        ((80,), "not so: predicted 80; found 88"),
        ((80, 88), "not so: 2 given, 1 asked for; found: 88"),
    ],
)
def test_a_prediction_may_be_a_number_or_several(predicted, words):
    _, found = shown(LESSONS[0], of_80_bytes=predicted)
    assert said(found)[1] == words


def test_lessons_compare_in_the_same_way():
    assert len({"".join(cells(lesson, "code")[0]["source"]) for lesson in LESSONS}) == 1


@pytest.mark.parametrize(
    ("protocol", "hop_delay", "of_each"), [("none", 4, 0.421), ("sci", 4, 0.261), ("sci", 3, 0.273)]
)
def test_the_playground_has_the_ring_of_the_second_lesson(protocol, hop_delay, of_each, monkeypatch):
    monkeypatch.syspath_prepend(TUTORIALS.parent / "playground")
    settings = importlib.import_module("settings")
    ring = settings.scenario(protocol=protocol, nodes=4, pattern="fan-in", load=None, mix="send16", hop_delay=hop_delay)
    assert ring.traffic_matrix().argmax(axis=1).tolist() == [2, 2, 3, 0]
    assert hop_delay == 3 or {hop_delay, 4} <= {*settings.HOP_DELAYS, *settings.NODES}
    assert rl.run(ring).nodes["throughput_words_per_cycle"].round(3).iloc[3] == of_each


def test_a_typo_in_a_notebook_costs_a_line(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell", reason="notebooks need IPython").InteractiveShell()
    shell.run_cell("import ringlet as rl\nrl.run({'network': {'nods': 4}})")
    assert capsys.readouterr().out.splitlines() == ["RingletError: network.nods: unknown key; did you mean 'nodes'?"]
