"""`ringlet new` writes scenarios that run; `ringlet explain` knows every key, figure and warning."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli_w

import ringlet as rl
from ringlet.advice.requirements import json_schema as requirements_schema
from ringlet.cli import explanation, kept_explanations, main
from ringlet.cli.explanations import WARNINGS, explanations
from ringlet.cli.glossary import TERMS, spelt
from ringlet.cli.new import USERS
from ringlet.figures import BY_NAME, figures_of
from ringlet.figures.document_schema import result_schema
from ringlet.scenario import json_schema as scenario_schema
from ringlet.sections.schema_in_words import keys_of
from ringlet.simulation import notices
from ringlet.studies.schedulability import Schedulability
from ringlet.studies.study import study_schema


@pytest.mark.parametrize("user", USERS)
def test_a_new_scenario_runs_and_its_comments_name_it_and_what_exists(user, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", user]) == 0
    assert f"ringlet run {user}.toml" in capsys.readouterr().out
    text = Path(f"{user}.toml").read_text(encoding="utf-8")
    commands = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#   ringlet ")]
    assert any(f" {user}.toml" in command for command in commands)
    assert "FILE" not in text
    begins = {line.rindex("   ") for line in text.splitlines() if line.startswith("#   ringlet ")}
    assert len(begins) == 1
    for word in [part.split("'")[0] for part in text.split("ringlet explain ")[1:]]:
        assert matching(word.split()[0])
    assert rl.run(f"{user}.toml").to_dict()["total"]["throughput_MBps"] > 0


def test_a_new_message_set_is_guaranteed_alone_and_with_the_traffic_that_it_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "real-time"]) == 0
    text = Path("real-time.toml").read_text(encoding="utf-8")
    (named,) = (line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#     ringlet "))
    for words in ("ringlet guarantee real-time.toml", named):
        capsys.readouterr()
        assert main(shlex.split(words)[1:]) == 0
        assert "deadlines: all 4 guaranteed" in capsys.readouterr().out


def test_a_new_protocol_runs_and_its_tests_pass(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "protocol", "two-steps"]) == 0
    folder = tmp_path / "two-steps"
    assert "ringlet run two-steps/ring.toml" in capsys.readouterr().out
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (entry,) = project["entry-points"]["ringlet.protocols"].items()
    assert entry == ("two-steps", "two_steps_protocol:TwoSteps")
    # As an installation has it.
    installed = folder / "ringlet_two_steps-0.1.0.dist-info"
    installed.mkdir()
    installed.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: ringlet-two-steps\n", encoding="utf-8")
    points = f"[ringlet.protocols]\n{entry[0]} = {entry[1]}\n"
    installed.joinpath("entry_points.txt").write_text(points, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    for words in (["ringlet", "run", "ring.toml"], ["pytest", "-q", "-p", "no:cacheprovider"]):
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    for name, allowed in (("two-steps", "not there yet"), ("sci", "another name"), ("Two steps", "such as")):
        assert main(["new", "protocol", name]) == 2
        assert allowed in capsys.readouterr().err


def test_an_editor_completes_a_new_scenario(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "teaching", "ring.toml"]) == 0
    first, *_ = Path("ring.toml").read_text(encoding="utf-8").splitlines()
    named = Path(first.removeprefix("#:schema "))
    assert json.loads(named.read_text(encoding="utf-8")) == scenario_schema()
    named.write_text("mine", encoding="utf-8")
    assert main(["new", "research"]) == 0
    assert named.read_text(encoding="utf-8") == "mine"


def test_a_file_that_is_there_is_not_replaced(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = Path("mine.toml")
    file.write_text("mine", encoding="utf-8")
    assert main(["new", "teaching", str(file)]) == 2
    assert "'mine.toml' is not allowed; a file that is not there yet" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "mine"


def matching(name):
    return explanation.matching(name, explanations())


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("traffic.load", "a plain number is in words per cycle"),
        ("service_time", "queues.service_time: a key of a scenario"),
        ("flow_control.protocol", '"none" or "sci"'),
        ("metaring", "MetaRing of Cidon and Ofek"),
        ("hot-spot", "keys of its own: hot_node, hot_fraction"),
        ("omega", "a value of network.topology"),
        ("messages.deadline", "Time from the release"),
        ("replications", "a key of a study"),
        ("latency_ns.p99", "latency_p99_ns: a figure of a run"),
        ("throughput_ci95_MBps", "95 % interval"),
        ("starved", "a warning of a run"),
        ("overloaded: 12 of 40 packets generated were left waiting", "a lower traffic.load"),
    ],
)
def test_a_key_a_figure_or_a_message_is_explained(name, part, capsys):
    assert main(["explain", name]) == 0
    assert part in capsys.readouterr().out


@pytest.mark.parametrize("key", ["flow_control.protocol", "traffic.pattern", "network.topology"])
def test_a_key_that_chooses_is_explained_once_and_each_of_its_values(key):
    (one,) = [found for found in matching(key) if found.kind.startswith("a key of a scenario")]
    values = re.findall(r'"([\w-]+)"', one.facts[0])
    assert len(values) >= 8
    for value in values:
        assert any(found.kind == f"a value of {key}" and found.text for found in matching(value)), value


def test_a_misspelt_name_gets_the_one_that_is_meant(capsys):
    assert main(["explain", "traffic.laod"]) == 2
    assert "'traffic.laod' is not allowed; did you mean 'traffic.load'" in capsys.readouterr().err


def test_the_type_of_a_key_is_said_in_few_words():
    assert matching("traffic.load")[0].facts[0].startswith('number or quantity such as "10 MB/s" or list of these; ')
    assert matching("traffic")[0].facts[0].startswith('table, by its pattern: "uniform" or "neighbour" or ')
    for one in explanations():
        assert "whole number or number" not in " ".join(one.facts), one.name
        assert one.kind.count(" = ") <= 1, one.kind


@pytest.mark.parametrize("schema", [scenario_schema, study_schema, requirements_schema])
def test_a_table_goes_by_its_keys_and_not_by_the_name_of_a_class(schema):
    classes = {name for name, one in schema()["$defs"].items() if "properties" in one}
    assert len(classes) >= 3
    words = {word for key in keys_of(schema()) for fact in key.facts for word in re.findall(r"\w+", fact)}
    assert not words & {name for name in classes if name[0].isupper()}


def test_every_figure_is_explained():
    named = {one.name for one in explanations()}
    assert {*BY_NAME, *(figure.name for figure in figures_of("nodes"))} <= named
    assert all(one.text for one in explanations() if one.kind == "a figure of a run")


def names_in(schema: Mapping[str, Any]) -> Iterator[str]:
    """The names of all entries of a JSON document."""
    for name, part in schema.get("properties", {}).items():
        yield name
        yield from names_in(part)
    if "items" in schema:
        yield from names_in(schema["items"])


def test_every_name_in_the_json_of_a_run_is_explained():
    names = set(names_in(result_schema()))
    assert {"retry_distribution", "late_s", "blocked", "p50"} <= names
    assert not {name for name in names if not matching(name)}


def recognised(message: str) -> str:
    (found,) = matching(message)
    return found.name


def test_the_warnings_of_runs_are_recognised():
    starving = {
        "network": {"nodes": 4, "hop_delay": 3},
        "flow_control": {"protocol": "none"},
        "traffic": {"destinations": [3, 3, 3, 1], "arrivals": "saturated"},
        "run": {"duration": "50 us"},
    }
    overloaded = {
        "network": {"nodes": 4},
        "traffic": {"arrivals": "poisson", "load": "900 MB/s"},
        "run": {"duration": "20 us", "precision": 0.0001},
    }
    found = {recognised(line) for run in (starving, overloaded) for line in rl.run(run).to_dict()["warnings"]}
    assert {"starved", "overloaded", "precision not reached"} <= found


def test_the_warning_of_correlated_batches_is_recognised():
    certainty = {"correlated": True, "lag1": 0.5}
    (line,) = notices._correlation("latency", certainty)
    assert recognised(line) == "batches correlate"


def test_no_message_is_that_of_two_warnings():
    examples = [
        "warm-up not detected: throughput",
        "stalled since cycle 7: x",
        "ring.toml: the ring stalled at cycle 7",
    ]
    examples += ["this network can deadlock: 4 buffers", "overload: utilisation 2 of link 3, above 1"]
    examples += ["set.csv: period without a unit: cycles of 2 ns"]
    assert len({recognised(example) for example in examples}) == len(examples) - 1
    assert len({one.name for one in WARNINGS}) == len(WARNINGS)


def schemas() -> dict[str, dict]:
    return {
        "scenario": scenario_schema(),
        "study": study_schema(),
        "requirements": requirements_schema(),
        "schedulability": Schedulability.json_schema(),
    }


@pytest.mark.parametrize("file", schemas())
def test_every_key_of_every_file_is_explained(file):
    explained = {one.name: one for one in explanations()}
    paths = {key.path for key in keys_of(schemas()[file])}
    assert paths
    assert paths <= set(explained)
    assert [path for path in paths if not explained[path].text.strip()] == []


RING = {"network": {"nodes": 2}, "queues": {"transmit": 1}}
TRAFFIC = {"transaction": "send16", "destinations": [1, 0], "arrivals": "bernoulli", "load": 0.2}
MESSAGE = {"name": "a", "source": 0, "destination": 1, "size": 64, "period": "10 us"}
PRINTED = {
    "bound": {**RING, "traffic": TRAFFIC},
    "model": {"network": {"nodes": 2}, "traffic": TRAFFIC},
    "guarantee": {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": [MESSAGE]},
    "check": {**RING, "traffic": TRAFFIC},
    "exact": {**RING, "traffic": TRAFFIC},
    "group": {
        "network": {"nodes": 4},
        "traffic": {"destinations": [3, 3, 3, 1]},
        "flow_control": {"protocol": "grouped"},
    },
    "place": {"network": {"nodes": 4}, "traffic": {"destinations": [2, 3, 0, 1], "load": "10 MB/s"}},
    "topology": {"network": {"topology": "torus", "shape": [2, 2]}},
    "compare": {**RING, "traffic": TRAFFIC, "run": {"duration": "20 us"}},
    "breakdown": {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": [MESSAGE]},
    "verify": {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": [MESSAGE]},
}
"""A scenario for each command that prints figures of its own as JSON."""
OPTIONS = {
    "breakdown": ["--protocol", "token-ring", "--tolerance", "0.3", "--trials", "1", "--workers", "1"],
    "verify": ["--protocol", "token-ring", "--tolerance", "0.3", "--trials", "1", "--workers", "1", "--out", "out"],
    "compare": ["other.toml", "--replications", "2", "--workers", "1"],
}
CONTAINERS = {
    *("a", "b", "cost", "closure", "deadlock", "files", "figure", "key", "keys", "of", "one_to_one", "longest"),
    *("one", "properties", "refused", "rows", "uses"),
}
"""Entries that hold others, or what their place says."""


def names_printed(document: Any) -> Iterator[str]:
    """The names of all entries of what a command has printed, but for those of scenarios."""
    if isinstance(document, list):
        for one in document:
            yield from names_printed(one)
    elif isinstance(document, dict):
        for name, value in document.items():
            if name != "scenario" and re.fullmatch(r"[a-z]\w+", name):
                yield name
            yield from names_printed(value) if name not in ("scenario", "scenarios") else ()


@pytest.mark.parametrize("command", PRINTED)
def test_every_name_that_a_command_prints_is_explained(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("ring.toml", "other.toml"):
        Path(name).write_text(tomli_w.dumps(PRINTED[command]), encoding="utf-8")
    shown = main([command, "ring.toml", *OPTIONS.get(command, []), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert shown in (0, 1, 3)
    assert sorted({name for name in names_printed(document) if not matching(name)} - CONTAINERS) == []


def test_every_warning_of_the_registry_is_explained():
    assert set(notices.PATTERNS) <= {one.name for one in WARNINGS}


@pytest.mark.parametrize("name", ["go bit", "go-bit", "Go bits", "echo", "bypass FIFO", "FAIR SHARE"])
def test_a_term_is_explained_in_any_spelling(name, capsys):
    assert main(["explain", name]) == 0
    shown = capsys.readouterr().out
    assert ": a term\n" in shown
    # A name of several words is one without quotes, too.
    assert main(["explain", *name.split()]) == 0
    assert capsys.readouterr().out == shown


def test_a_term_does_not_hide_a_key_of_its_name(capsys):
    assert main(["explain", "window"]) == 0
    shown = capsys.readouterr().out
    assert "window: a term\n" in shown
    assert "queues.window: a key of a scenario" in shown


def test_each_term_says_whether_something_else_has_its_name():
    others = {spelt(name.rpartition(".")[2]) for one in explanations() for name in (one.name, *one.other_names)}
    for term in TERMS:
        assert term.shared == any(spelt(name) in others for name in (term.name, *term.other_names)), term.name


def test_each_term_has_its_page():
    pages = Path(__file__).parents[2] / "docs"
    assert all((pages / f"{term.see}.md").is_file() for term in TERMS)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The file in which explanations are kept, in a cache of its own; each call reads it anew."""
    monkeypatch.setattr(kept_explanations, "_file", lambda: tmp_path / "cache" / "explanations.json")
    monkeypatch.setattr(kept_explanations, "explanations", kept_explanations.explanations.__wrapped__)
    return tmp_path / "cache" / "explanations.json"


def test_explanations_are_kept_as_they_were_made(kept):
    assert kept_explanations.explanations() == explanations()
    document = json.loads(kept.read_text(encoding="utf-8"))
    document["explanations"] = document["explanations"][:2]
    kept.write_text(json.dumps(document), encoding="utf-8")
    assert kept_explanations.explanations() == explanations()[:2]


def test_explanations_are_made_again_where_a_module_or_a_package_has_changed(kept, tmp_path, monkeypatch):
    kept_explanations.explanations()
    first = kept.read_text(encoding="utf-8")
    (tmp_path / "added-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert kept_explanations.explanations() == explanations()
    assert json.loads(kept.read_text(encoding="utf-8"))["made_from"] != json.loads(first)["made_from"]
    monkeypatch.setattr(kept_explanations, "_modules", lambda: iter(["a module of another size"]))
    kept.write_text(first, encoding="utf-8")
    assert kept_explanations.explanations() == explanations()
    assert kept.read_text(encoding="utf-8") != first


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"explanations": 3}'])
def test_a_damaged_file_of_explanations_is_written_again(kept, text):
    kept.parent.mkdir()
    kept.write_text(text, encoding="utf-8")
    assert kept_explanations.explanations() == explanations()
    assert len(kept.read_text(encoding="utf-8")) > 100_000


def test_a_cache_that_cannot_be_written_keeps_nothing_and_explains_all_the_same(kept):
    kept.parent.write_text("no folder", encoding="utf-8")
    assert kept_explanations.explanations() == explanations()


def test_texts_of_other_packages_are_not_kept(kept, monkeypatch):
    monkeypatch.setattr("ringlet.cli.explanations.depends_on_other_packages", lambda: True)
    assert kept_explanations.explanations() == explanations()
    assert not kept.exists()
