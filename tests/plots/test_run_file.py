"""Results that somebody else wrote, or changed: drawn, or refused with file and key."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringlet as rl
from ringlet import RingletError
from ringlet.plots import run_charts
from ringlet.plots.run_file import read_run_file
from ringlet.plots.save import save

RUN = rl.run(
    rl.Scenario.from_dict(
        {
            "network": {"nodes": 3},
            "flow_control": {"priorities": 2},
            "traffic": {"load": "40 MB/s", "priorities": [0, 1]},
            "run": {"duration": 2000, "warmup": 0},
        }
    )
).to_dict()


def write(folder, document):
    (folder / "run.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return folder / "run.json"


def places(value, path=()):
    """Every place in a document that figures may look at."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in parts:
        if path or key in ("nodes", "latency_distribution", "retry_distribution", "priorities", "total"):
            yield from places(inner, (*path, key))


PLACES = sorted(set(places(RUN)) - {()}, key=str)
VALUES = [None, "x", -1, 1e300, float("nan"), float("inf"), [], {}, [[]], True, 10**400, "\0", ..., "nest"]


def changed(place, value):
    document = copy.deepcopy(RUN)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return document


@settings(max_examples=150, deadline=None)
@given(place=st.sampled_from(PLACES), value=st.sampled_from(VALUES))
def test_a_changed_result_is_drawn_or_refused(tmp_path_factory, place, value):
    folder = tmp_path_factory.mktemp("run")
    if value == "nest":
        text = json.dumps(changed(place, "NEST")).replace('"NEST"', "[" * 50_000 + "]" * 50_000)
    else:
        text = json.dumps(changed(place, value))
    file = write(folder, text)
    try:
        document = read_run_file(file)
    except RingletError as error:
        refusal = str(error)
    else:
        assert run_charts({"run": document})
        return
    assert refusal.startswith(f"{file}: ")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["$a_{$", "_hidden", "\\frac", "x" * 60])
def test_names_are_drawn_as_they_are(tmp_path, name):
    document = changed(("nodes", 0, "name"), name)
    for runs in ({name: document}, {name: document, "other": RUN}):
        save(run_charts(runs)[0], tmp_path, ["svg"])


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("nodes", 1, "link", "echo"), ..., "nodes[1].link.echo: missing"),
        (("nodes", 2, "throughput_MBps"), "fast", "nodes[2].throughput_MBps: 'fast'"),
        (("nodes", 2, "id"), 7, "nodes[2].id: 7 is not allowed; 2"),
        (("nodes",), [], "nodes: [] is not allowed; at least 1"),
        (("latency_distribution", "total", "packets"), [], "as many upper_ns as packets"),
        (("retry_distribution", "total", "retries"), [], "as many retries as packets"),
        (("priorities", 0, "latency_ns"), None, "priorities[0].latency_ns: None"),
        (("nodes", 0, "name"), "a\0b", "nodes[0].name: 'a\\x00b'"),
        (("scenario",), 4, "scenario: 4"),
    ],
)
def test_what_cannot_be_drawn_is_named(tmp_path, place, value, words):
    file = write(tmp_path, changed(place, value))
    with pytest.raises(RingletError) as caught:
        read_run_file(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert words in str(caught.value)
