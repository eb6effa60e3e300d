"""What a command loads before it answers: a library that it does not need makes every start slower."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import tomli_w
from command_line import RING

import ringlet
from ringlet.scenario.flow_control import PROTOCOLS

PACKAGE = Path(ringlet.__file__).parent

LARGE = {
    *("click", "dask", "importlib.metadata", "jinja2", "matplotlib", "networkx", "numpy", "numpy.ma"),
    *("pandas", "pebble", "pint", "pydantic", "rich", "scipy", "shellingham", "sqlite3", "vcd"),
}
"""What takes a hundredth of a second or more to load."""

COMMAND_LINE = {"click"}
SCENARIO = COMMAND_LINE | {"numpy"}
LINEAR_PROGRAM = {"scipy", "numpy.ma", "importlib.metadata"}


def loaded(code: str, folder: Path) -> set[str]:
    """The large libraries that are loaded after some code has run in a process of its own."""
    shown = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{shown}"], cwd=folder, capture_output=True, text=True, check=True, timeout=600
    )
    return LARGE & set(json.loads(done.stderr.splitlines()[-1]))


def test_an_import_of_the_package_loads_no_library(tmp_path):
    assert loaded("import ringlet", tmp_path) == set()


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["--help"], COMMAND_LINE),
        (["--version"], COMMAND_LINE),
        (["run", "--help"], COMMAND_LINE),
        (["rnu"], COMMAND_LINE),
        (["explain", "go-bit"], COMMAND_LINE),
        (["run", "missing.toml"], COMMAND_LINE),
        (["run", "ring.toml", "--set", "network.knots=3"], COMMAND_LINE),
        (["run", "ring.toml", "--set", "traffic.load=1 MB/s", "--json"], SCENARIO),
        (["run", "ring.toml", "--set", "traffic.load=1 MB/s"], SCENARIO),
        (["run", "ring.toml", "--set", "traffic.load=1 MB/s", "--set", "network.cable_length=20 m"], SCENARIO),
        # What a saturated ring could carry at most is a linear program.
        (["run", "ring.toml"], SCENARIO | LINEAR_PROGRAM),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_loads_no_library_that_it_does_not_need(words, allowed, tmp_path):
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    assert loaded(f"from ringlet.cli import main; main({words!r})", tmp_path) <= allowed


def test_a_key_is_explained_without_a_library_once_explanations_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    explain = "from ringlet.cli import main; main(['explain', 'traffic.load'])"
    loaded(explain, tmp_path)
    assert loaded(explain, tmp_path) <= COMMAND_LINE


def proved(protocol: str) -> list[str]:
    return ["guarantee", "set.toml", "--set", f"flow_control.protocol={protocol}"]


@pytest.mark.parametrize(
    "words", [["bound", "ring.toml"], ["model", "ring.toml"], *map(proved, PROTOCOLS.listed)], ids=" ".join
)
def test_theory_answers_without_the_engine(words, tmp_path):
    traffic = {"arrivals": "poisson", "load": "50 MB/s"}
    messages = [
        {"source": node, "destination": (node + 5) % 16, "size": 64, "period": f"{20 + node} us"} for node in range(16)
    ]
    for name, sections in ("ring", {"traffic": traffic}), ("set", {"messages": messages}):
        scenario = {"network": {"nodes": 16, "hop_delay": 2}, **sections}
        (tmp_path / f"{name}.toml").write_text(tomli_w.dumps(scenario), encoding="utf-8")
    code = f"""
import sys
from ringlet.cli import main
main({words!r})
started = [name for name in sys.modules if name.startswith(("ringlet._engine", "ringlet.simulation"))]
assert not started, started
"""
    assert loaded(code, tmp_path) <= SCENARIO


def test_a_run_checks_no_key_that_its_scenario_does_not_give(tmp_path):
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    code = """
from ringlet.cli import main
main(["run", "ring.toml", "--json"])
import ringlet
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.network import TOPOLOGIES
from ringlet.scenario.patterns import PATTERNS
members = [one for family in (PROTOCOLS, TOPOLOGIES, PATTERNS) for one in family.listed.values()]
checked = {name for one in members for name, key in one.fields.items() if key.check is not None}
assert checked == {"topology", "nodes", "pattern", "destinations", "arrivals"}, checked
"""
    loaded(code, tmp_path)


def test_a_replayed_trace_alone_loads_what_reads_traces(tmp_path):
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    code = """
import sys
from ringlet.cli import main
main(["run", "ring.toml", "--json"])
assert "ringlet.scenario.packet_trace.reader" not in sys.modules
"""
    loaded(code, tmp_path)


def test_every_name_of_the_package_can_be_used(tmp_path):
    code = "import ringlet as rl; assert set(rl.__all__) <= set(dir(rl)); [getattr(rl, name) for name in rl.__all__]"
    assert "pandas" not in loaded(code, tmp_path)


@pytest.mark.parametrize("stub", sorted(PACKAGE.rglob("__init__.pyi")), ids=lambda stub: stub.parent.name)
def test_a_name_of_a_package_is_what_its_stub_says_though_a_module_has_the_same_name(stub):
    package = importlib.import_module(".".join(("ringlet", *stub.parent.relative_to(PACKAGE).parts)))
    lines = [line.split() for line in stub.read_text(encoding="utf-8").splitlines() if line.startswith("from ")]
    assert [line[5] for line in lines] == [line[3] for line in lines]
    assert sorted(line[5] for line in lines) == package.__all__
    for _, module, _, name, *_ in lines:
        if module == package.__name__:
            assert getattr(package, name) is importlib.import_module(f"{module}.{name}")
        else:
            # An import makes a module an attribute of its package.
            home = importlib.import_module(module)
            assert getattr(package, name) is getattr(home, name)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'ringlet' has no attribute 'nothing'"):
        ringlet.nothing  # noqa: B018


def test_a_study_is_swept_without_data_frames_and_drawn_without_what_reports_and_pdf_need(tmp_path):
    study = {
        "scenario": {"network": {"nodes": 4}, "run": {"duration": "10 us"}},
        "axes": [{"traffic": {"load": ["20 MB/s", "40 MB/s"]}}],
    }
    (tmp_path / "study.toml").write_text(tomli_w.dumps(study), encoding="utf-8")
    swept = loaded('from ringlet.cli import main; main(["sweep", "study.toml", "--workers", "1"])', tmp_path)
    assert swept & {"pandas", "scipy", "matplotlib", "jinja2"} == set()
    code = """
import sys
from ringlet.cli import main
main(["plot", "out/study"])
needless = ("ringlet.advice", "ringlet.papers", "ringlet.report", "ringlet.verification", "fontTools.subset", "jinja2")
started = [name for name in needless if name in sys.modules]
assert not started, started
"""
    loaded(code, tmp_path)
    assert (tmp_path / "plots" / "sweep.png").exists()


def test_the_charts_of_a_run_are_drawn_without_the_linear_program_of_its_largest_total(tmp_path):
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    drawn = loaded('from ringlet.cli import main; main(["plot", "ring.toml"])', tmp_path)
    assert "scipy" not in drawn
    assert (tmp_path / "plots" / "nodes.png").exists()


def test_matplotlib_loaded_by_a_command_draws_alike_and_documents_what_is_defined_later(tmp_path):
    code = """
import sys
from ringlet.plots.undocumented import load_matplotlib
load_matplotlib()
from matplotlib.lines import Line2D
line = Line2D([], [])
line.set(color="red", lw=3)
assert (line.get_color(), line.get_linewidth()) == ("red", 3)
assert Line2D.set.__doc__ is None

class Later(Line2D):
    def set_hue(self, hue):
        "Sets the hue."

assert "hue" in Later.set.__doc__
"""
    loaded(code, tmp_path)
