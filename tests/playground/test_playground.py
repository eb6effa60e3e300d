"""The playground in a real browser, against the native engine; skipped where it cannot be built."""

import json
import os
import subprocess
import sys
import time
import tomllib
from contextlib import ExitStack
from pathlib import Path

import pytest

from browser import DESKTOP, PHONE, opened
from ringlet import run
from ringlet._engine import Simulation
from ringlet.player.data import columns
from ringlet.scenario import Scenario
from ringlet.trace import record

ROOT = Path(__file__).parents[2]
TARGET = "wasm32-unknown-unknown"
# One worker builds the page for all of these tests.
pytestmark = pytest.mark.xdist_group("playground")

# fmt: off
SETTINGS = [
    {"protocol": "none", "nodes": 3, "pattern": "uniform", "load": 0, "mix": "send16", "hopDelay": 1, "seed": 1},
    {"protocol": "sci", "nodes": 8, "pattern": "fan-in", "load": 11, "mix": "send80", "hopDelay": 4, "seed": 2},
    {"protocol": "sci", "nodes": 16, "pattern": "hot-spot", "load": 4, "mix": "mixed", "hopDelay": 2, "seed": 3},
    {"protocol": "grouped", "nodes": 8, "pattern": "fan-in", "load": 11, "mix": "mixed", "hopDelay": 4, "seed": 4},
    {"protocol": "grouped", "nodes": 12, "pattern": "uniform", "load": 9, "mix": "send80", "hopDelay": 32, "seed": 5},
    {"protocol": "ppq", "nodes": 5, "pattern": "tornado", "load": 7, "mix": "mixed", "hopDelay": 8, "seed": 6},
    {"protocol": "train", "nodes": 6, "pattern": "uniform", "load": 11, "mix": "mixed", "hopDelay": 1, "seed": 7},
    {"protocol": "dfc", "nodes": 10, "pattern": "hot-spot", "load": 11, "mix": "send16", "hopDelay": 16, "seed": 8},
    {"protocol": "metaring", "nodes": 4, "pattern": "neighbour", "load": 11, "mix": "send80", "hopDelay": 4, "seed": 9},
    {"protocol": "token-ring", "nodes": 16, "pattern": "uniform", "load": 5, "mix": "mixed", "hopDelay": 2, "seed": 10},
    {"protocol": "slotted-ring", "nodes": 6, "pattern": "uniform", "load": 8, "mix": "mixed", "hopDelay": 16,
     "seed": 11},
    {"protocol": "slotted-ring", "nodes": 16, "pattern": "hot-spot", "load": 11, "mix": "send16", "hopDelay": 1,
     "seed": 12},
    {"protocol": "rpr", "nodes": 8, "pattern": "fan-in", "load": 11, "mix": "send80", "hopDelay": 4, "seed": 13},
    {"protocol": "rpr", "nodes": 3, "pattern": "uniform", "load": 6, "mix": "mixed", "hopDelay": 32, "seed": 14},
]
# fmt: on


def named(settings):
    return f"{settings['protocol']}-{settings['pattern']}-{settings['nodes']}"


def make_playground(**environment):
    """Runs `make playground` with the environment of these tests, which is there already."""
    bin_folder = Path(sys.executable).parent
    words = ["make", "-s", "-o", ".venv/.built", f"BIN={bin_folder}", "playground"]
    return subprocess.run(
        words, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="session")
def page_file():
    """The page, built of the crate as it is."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    if not list(Path(sysroot, "lib", "rustlib", TARGET).glob("lib/*")):
        pytest.skip(f"the playground is not tested without Rust's target {TARGET} (rustup target add {TARGET})")
    done = make_playground()
    assert done.returncode == 0, done.stderr
    path = ROOT / "out" / "playground.html"
    assert str(path) in done.stdout
    assert path.stat().st_size <= 3_000_000
    return path


def test_make_says_how_to_get_the_target(tmp_path):
    """A compiler without the target, which prints a folder where there is none."""
    compiler = tmp_path / "rustc"
    compiler.write_text(f"#!/bin/sh\necho {tmp_path}\n", encoding="utf-8")
    compiler.chmod(0o755)
    done = make_playground(PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode != 0
    assert f"the playground needs Rust's target {TARGET}" in done.stderr
    assert f"rustup target add {TARGET}" in done.stderr


@pytest.fixture
def show(browser, page_file):
    """Opens the page, at a fragment of its address."""
    with ExitStack() as pages:

        def show(fragment="", **options):
            return pages.enter_context(opened(browser, page_file, fragment, ready="body[data-ready]", **options))

        yield show


@pytest.fixture(scope="module")
def asked(browser, page_file):
    """One open page, of which the engine and the tables are asked."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.wait_for_selector("body[data-ready]", timeout=20_000)
    # What the page does by itself must not come between two requests: its frames end here.
    page.evaluate("window.requestAnimationFrame = () => 0; new Promise((done) => setTimeout(done, 300))")
    yield page
    context.close()


def scenario(page, settings):
    """The scenario of the file that the page shows."""
    return Scenario.from_dict(tomllib.loads(page.evaluate("(s) => playground.fileOf(playground.tables, s)", settings)))


def plain(spec):
    """As it comes out of JSON."""
    return json.loads(json.dumps(spec))


@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_the_spec_is_that_of_the_file(asked, settings):
    spec = asked.evaluate("(s) => playground.specOf(playground.tables, s)", settings)
    assert spec == plain(scenario(asked, settings).network_spec(settings["seed"]))


@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_the_optimum_is_that_of_the_file(asked, settings):
    shown = asked.evaluate("(s) => playground.optimumOf(playground.tables, s)", settings)
    optimum = scenario(asked, settings).optimum()
    assert shown == (None if optimum is None else pytest.approx(optimum.words_per_cycle.tolist(), rel=1e-9))


@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_counts_are_those_of_the_native_engine(asked, settings):
    found = asked.evaluate(
        """(s) => {
            const { engine, tables, specOf } = playground;
            engine.build(specOf(tables, s));
            engine.advance(7_000);
            engine.reset();
            // The steps do not matter.
            engine.advance(33_000);
            return engine.advance(60_001);
        }""",
        settings,
    )
    simulation = Simulation(json.dumps(scenario(asked, settings).network_spec(settings["seed"])))
    assert simulation.advance(7_000) is None
    simulation.reset_measurement()
    assert simulation.advance(93_001) is None
    assert found["cycle"] == simulation.cycle
    assert found["stall"] is None
    flows, nodes = simulation.flow_counters(), simulation.node_counters()
    assert found["flows"] == {name: flows[name].tolist() for name in found["flows"]}
    assert found["nodes"] == {name: nodes[name].tolist() for name in found["nodes"]}
    assert sum(found["flows"]["delivered_symbols"]) > 1_000


@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_windows_are_those_of_the_recorder(asked, settings):
    windows = asked.evaluate(
        """(s) => {
            const { engine, tables, specOf } = playground;
            engine.build(specOf(tables, s));
            return [engine.record(1500), engine.record(900)];
        }""",
        settings,
    )
    known = scenario(asked, settings)
    for window, (start, stop) in zip(windows, ((0, 1500), (1500, 2400)), strict=True):
        assert (window["from"], window["cycles"]) == (start, stop - start)
        assert columns_of(window) == expected_columns(record(known, start=start, stop=stop))


def columns_of(window):
    return {f"{table}.{name}": column for table, columns in window.items() if isinstance(columns, dict)
            for name, column in columns.items()}  # fmt: skip


def expected_columns(recording):
    """The player's columns, with cycles and packets as they are in place of their differences."""
    of_networks = ("transfers.", "slot_lengths.", "fills.")
    found = {name: column.copy() for name, column in columns(recording) if not name.startswith(of_networks)}
    tables = ("runs", "stays", "heads", "transmit_lengths", "receive_lengths", "withheld")
    for name in [*(f"{table}.cycle" for table in tables), "stays.packet", "events.packet"]:
        found[name] = found[name].cumsum()
    found["runs.packet"] = recording.runs["packet"]
    return {name: column.tolist() for name, column in found.items()}


def test_what_is_shown_is_what_a_run_finds(show):
    shown = show("#protocol=grouped&nodes=6&pattern=hot-spot&load=11&mix=mixed&hopDelay=2&seed=5")
    wait_until(shown, "playground.found?.measured === playground.MEASURED")
    content = tomllib.loads(shown.inner_text("#file", timeout=0) or shown.evaluate("file.textContent"))
    warm_up, measured = shown.evaluate("[playground.WARM_UP, playground.MEASURED]")
    # A plain number is cycles.
    content["run"] |= {"warmup": warm_up, "duration": measured}
    expected = [node["throughput_words_per_cycle"] for node in run(content).to_dict()["nodes"]]
    assert shown.evaluate("playground.rates()") == pytest.approx(expected, rel=1e-12)
    cells = shown.locator("#nodes-found tr td:nth-child(3)").all_inner_texts()
    assert cells == [f"{value:.3f}" for value in expected]


def wait_until(shown, condition):
    end = time.monotonic() + 60
    while not shown.evaluate(condition):
        assert time.monotonic() < end, condition
        shown.wait_for_timeout(20)


def test_a_ring_too_short_for_slots_gets_a_longer_hop_and_says_so(show):
    shown = show("#protocol=slotted-ring&nodes=3&pattern=uniform&load=8&mix=mixed&hopDelay=1&seed=1")
    assert "at least 13 cycles with protocol 'slotted-ring'" in shown.inner_text("#problem")
    assert shown.inner_text("#problem").endswith("; 16 is taken.")
    assert "hop_delay = 16" in shown.evaluate("file.textContent")
    shown.select_option("#protocol", "sci")
    assert not shown.locator("#problem").is_visible()


def test_a_slider_begins_another_ring(show):
    shown = show()
    shown.locator("#nodes").fill("0")
    assert shown.locator("#nodes-found tr").count() == 3
    shown.select_option("#protocol", "token-ring")
    assert "protocol=token-ring" in shown.evaluate("location.hash")
    assert 'protocol = "token-ring"' in shown.evaluate("file.textContent")
    again = show(shown.evaluate("location.hash"))
    assert again.evaluate("playground.settings") == shown.evaluate("playground.settings")


def test_it_plays_from_window_to_window(show):
    shown = show("#nodes=4&hopDelay=1")
    before = shown.evaluate("playground.recording.meta.start")
    shown.locator("#speed").fill("8")
    shown.click("#play")
    wait_until(shown, f"playground.recording.meta.start > {before}")
    shown.click("#play")
    assert shown.evaluate("playground.view.playing") is False


@pytest.mark.parametrize("fragment", ["#protocol=x&nodes=99&load=1e9&seed=-1", "#rubbish", "#load=0.5&nodes=8.5"])
def test_a_wrong_address_opens_the_first_ring(show, fragment):
    first = show().evaluate("playground.settings")
    assert show(fragment).evaluate("playground.settings") == first


def test_what_the_engine_refuses_is_told(asked):
    told = """(spec) => { try { playground.engine.build(spec); return ""; } catch (error) { return error.message; } }"""
    spec = asked.evaluate("playground.specOf(playground.tables, playground.settings)")
    assert asked.evaluate(told, {**spec, "nodes": 0}).startswith("nodes: 0 is not allowed")
    assert "rubbish" in asked.evaluate(told, {"rubbish": 1})
    assert asked.evaluate(told, spec) == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_wider_than_the_window(show, viewport, scheme):
    shown = show(viewport=viewport, color_scheme=scheme)
    assert shown.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("fragment", ["", "#protocol=slotted-ring&nodes=3&load=8&hopDelay=1"])
def test_the_page_is_accessible(show, fragment, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    shown = show(fragment, color_scheme=scheme, viewport={"width": width, "height": 900})
    shown.click("summary")
    found = Axe().run(shown)
    assert found.violations_count == 0, found.generate_report()


def test_heading_and_settings_begin_at_the_same_line_of_a_wide_window(show):
    shown = show(viewport={"width": 1920, "height": 1080})
    lefts = shown.evaluate(
        "['h1', '.settings'].map((name) => document.querySelector(name).getBoundingClientRect().left)"
    )
    assert lefts[0] == lefts[1]


def test_a_setting_and_its_value_stand_in_one_line(show):
    shown = show()
    tops = shown.evaluate(
        """["nodes", "load", "hopDelay"].map((name) => {
            const value = document.getElementById(`${name}-value`);
            return value.getBoundingClientRect().top - value.parentElement.getBoundingClientRect().top;
        })"""
    )
    assert max(tops) < 5


def test_the_fair_share_is_seen_in_a_bar_also_in_grey_and_on_paper(show):
    """A light rim parts the mark from the bar, which is as dark; browsers print neither unless told to."""
    shown = show("#protocol=none&nodes=4&pattern=fan-in&load=11&mix=send16&hopDelay=4&seed=1")
    wait_until(shown, "playground.found?.flows")
    style = "(elements) => elements.map((element) => getComputedStyle(element)[KEY])"
    rims = shown.eval_on_selector_all(".best", style.replace("KEY", "'boxShadow'"))
    assert all("0px 0px 0px 1px" in rim for rim in rims)
    adjusted = shown.eval_on_selector_all(".best, .bar, .mark, .block", style.replace("KEY", "'printColorAdjust'"))
    assert set(adjusted) == {"exact"}


@pytest.mark.parametrize(("load", "rising"), [(0, False), (5, True), (11, False)], ids=["light", "beyond", "saturated"])
def test_a_latency_that_rises_with_the_run_is_called_so(show, load, rising):
    """Poisson arrivals above what the ring carries queue up without end; saturated nodes have a packet only."""
    shown = show(f"#protocol=sci&nodes=8&pattern=hot-spot&load={load}&mix=send80&hopDelay=4&seed=1")
    wait_until(shown, "playground.found?.measured === playground.MEASURED")
    shown.wait_for_timeout(200)
    assert shown.inner_text("#latency").endswith("cycles, and rising: more is offered than delivered") is rising


def test_the_letters_of_the_nodes_are_explained(show):
    shown = show()
    for letter, meaning in (("A", "passing"), ("B", "sending"), ("C", "recovering"), ("D", "blocked")):
        assert f"{letter} {meaning}" in shown.inner_text(".key")
    assert "bypass FIFO" in shown.inner_text(".key")


def test_a_script_that_is_not_ours_does_not_run(browser, page_file, tmp_path):
    smuggled = tmp_path / "smuggled.html"
    text = page_file.read_text(encoding="utf-8")
    smuggled.write_text(text.replace("<main", "<script>window.ran = 1</script><main"), encoding="utf-8")
    page = browser.new_page()
    page.goto(smuggled.as_uri())
    page.wait_for_selector("body[data-ready]", timeout=20_000)
    assert page.evaluate("window.ran") is None
    page.close()


def test_the_page_is_small(page_file):
    assert page_file.stat().st_size <= 3_000_000
