"""Commands, files and tests that the page on performance names are there; its numbers that are no times are theirs."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from operator import attrgetter
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.benchmarks import CASES
from ringlet.cli.app import main
from ringlet.exploration.states import JUDGED_STATES
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.packet_trace.plain_csv import SMALLEST
from ringlet.scenario.scenario import MOST_KEPT
from ringlet.simulation import phases
from ringlet.studies.sweep_frames import ROWS
from ringlet.trace.record import record
from ringlet.verification.verification import TRIALS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/performance.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CRATES = ROOT / "crates"
BENCHES = CRATES / "ringlet-bench/benches"

NOT_OURS = {
    *("a", "l", "f", "e", "u", "1 - u", "a <= f", "a + l - e", "f + 1", "f + 1 + l", "N D", "1 / (N/2 * 46)"),
    *("10 * 40 µs * 16 / (51 * 7.5 ns)", "2e-3", "[[messages]]"),
    *("GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "valgrind --tool=callgrind"),
}
"""Words between backticks that name nothing of the repository: formulas, values, other programs."""


def named():
    """What the page names between backticks and in blocks of commands, in its order."""
    for block, span in re.findall(r"```text\n(.*?)```|`([^`]+)`", PAGE, re.DOTALL):
        if block:
            yield from (line.partition("#")[0].strip() for line in block.splitlines())
        else:
            yield " ".join(span.split())


def kind_of(words):
    """What the words name, and what is to be there of it."""
    words = re.sub(r"^(OPENBLAS_NUM_THREADS=1 )?(\.venv/bin/python )?", "", words)
    first = words.split(maxsplit=1)[0]
    for kind, starts in {
        "cargo bench": "cargo bench",
        "installed": ("cargo install", "rustup", "pip install"),
        "make": "make ",
        "script": "benches/",
        "command": "ringlet ",
        "option": "--",
        "import": "import ",
    }.items():
        if words.startswith(starts):
            return kind, words
    if re.fullmatch(r"[\w-]+(/[\w.-]+)+|\w+\.rs", first):
        return "file", words
    if re.fullmatch(r"\w+(\.\w+)+", words):
        return "name", words
    return (
        "protocol" if words in PROTOCOLS.listed else "test" if re.fullmatch(r"[a-z]+(_[a-z]+)+", words) else ""
    ), words


NAMED = [(kind, words) for kind, words in map(kind_of, named()) if kind != "protocol"]


def of_kind(kind):
    """What the page names of a kind, each once."""
    return sorted({words for each, words in NAMED if each == kind})


def with_options():
    """Scripts and commands of ringlet with all that the page says behind them, an option alone to the last one."""
    lines = []
    for kind, words in NAMED:
        if kind in ("script", "command"):
            lines.append(words)
        elif kind == "option":
            # Such as "`benches/trace.py`, and with `--csv`".
            lines.append(f"{lines[-1].split(' --')[0]} {words}")
    return sorted(set(lines))


def test_all_that_the_page_names_is_of_a_kind_that_is_looked_up():
    # A number of packets goes with the option before it.
    assert {words for kind, words in NAMED if not kind} | NOT_OURS == NOT_OURS | {"100000000"}


def test_each_section_with_a_table_says_how_it_was_made():
    for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        if "\n|---" in section:
            assert "**Method.**" in section or "None of these is repeatable" in section, title


def test_benchmarks_of_cargo_are_there():
    manifest = tomllib.loads((ROOT / "crates/ringlet-bench/Cargo.toml").read_text(encoding="utf-8"))
    found = {bench["name"]: bench.get("path", f"benches/{bench['name']}.rs") for bench in manifest["bench"]}
    lines = of_kind("cargo bench")
    assert len(lines) == 5
    for line in lines:
        name = re.fullmatch(r"cargo bench -p ringlet-bench --bench (\w+)", line)[1]
        assert (ROOT / "crates/ringlet-bench" / found[name]).is_file(), line


def test_what_is_installed_is_what_the_makefile_and_the_package_ask_for():
    assert of_kind("installed") == [
        "cargo install gungraun-runner --version 0.20.0",
        "pip install 'ringlet[peers]'",
        "rustup component add llvm-tools",
    ]
    assert "cargo install gungraun-runner --version 0.20.0" in MAKEFILE
    assert "rustup component add llvm-tools" in MAKEFILE
    assert (
        "peers"
        in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    )


@pytest.mark.parametrize("line", of_kind("make"))
def test_targets_of_make_are_there_and_know_their_variables(line):
    _, target, *variables = line.split()
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
    for variable in variables:
        name, value = variable.split("=")
        assert f"$({name})" in MAKEFILE
        assert f"# make {target} " in MAKEFILE
        assert f"({variable}: " in MAKEFILE or value in MAKEFILE


@pytest.mark.parametrize("line", [line for line in with_options() if line.startswith("benches/")])
def test_scripts_are_there_and_take_what_is_named(line):
    script, *words = line.split()
    text = (ROOT / script).read_text(encoding="utf-8")
    if not words:
        return
    if "argparse" not in text:
        # A number of turns.
        assert re.fullmatch(r"\d+", " ".join(words))
        assert "sys.argv[1]" in text
        return
    done = subprocess.run(
        [sys.executable, ROOT / script, *words, "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for word in words:
        if word.startswith("--"):
            assert re.search(rf"{word}\b", done.stdout), word


@pytest.mark.parametrize("line", [line for line in with_options() if line.startswith("ringlet ")])
def test_commands_are_there_and_take_what_is_named(line, capsys):
    command, *words = line.split()[1:]
    assert main([command] if command.startswith("-") else [command, "--help"]) == 0
    shown = capsys.readouterr().out
    for word in words:
        if word.startswith("--"):
            assert re.search(rf"{word}\b", shown), word
        elif "/" in word:
            assert (ROOT / word).is_file(), word


def test_files_are_there():
    paths = of_kind("file")
    assert "crates/ringlet-run" in paths
    for path in paths:
        if path.endswith(".rs"):
            assert list(CRATES.rglob(path)), path
        else:
            assert (ROOT / path).exists(), path


def test_tests_and_names_of_python_are_there():
    assert of_kind("test") == ["a_node_at_rest_takes_less_than_a_kibibyte", "to_dict"]
    assert callable(rl.Result.to_dict)
    source = (CRATES / "ringlet-engine/tests/engine/invariants.rs").read_text(encoding="utf-8")
    body = source.partition("fn a_node_at_rest_takes_less_than_a_kibibyte()")[2].partition("\n}\n")[0]
    assert "A node at rest takes at most 1,024 bytes with its flow." in WORDS
    assert "bytes <= 1024" in body
    for name in of_kind("name"):
        if name.startswith("rl."):
            assert attrgetter(name.removeprefix("rl."))(rl)
        else:
            assert importlib.import_module(name)
    assert of_kind("import") == ["import numpy", "import ringlet"]


def constants(script):
    """Numbers that a benchmark gives names to."""
    found = {}
    for line in ast.parse((ROOT / "benches" / script).read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign):
            for target in line.targets:
                try:
                    value = ast.literal_eval(line.value)
                except ValueError:
                    continue
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                values = value if isinstance(target, ast.Tuple) else [value]
                found |= {one.id: each for one, each in zip(names, values, strict=True)}
    return found


def rust(file, pattern):
    """What the groups of a pattern hold in a source below crates/."""
    found = re.search(pattern, (CRATES / file).read_text(encoding="utf-8"))
    assert found, (file, pattern)
    return tuple(int(group.replace("_", "")) for group in found.groups())


def test_numbers_of_benchmarks_are_those_of_their_sources():
    bench = "ringlet-bench/benches/"
    assert "fails where a case takes 2 % more than what was kept" in WORDS
    assert "--callgrind-limits='ir=2%'" in MAKEFILE
    assert "hop delay 1, uniform traffic, median of 10 samples" in WORDS
    assert rust(f"{bench}throughput.rs", r"sample_count = (\d+)") == (10,)
    assert "`1 / (N/2 * 46)` packets per cycle and node" in WORDS
    assert sum(rust(f"{bench}workloads/mod.rs", r"2\.0 \* \((\d+)\.0 \+ (\d+)\.0\)")) == 46
    assert "8 nodes, saturated read64, input queues of 5 packets and 0.1 µs of service" in WORDS
    assert rust(f"{bench}workloads/mod.rs", r'name: "read64_sci", nodes: (\d+)') == (8,)
    # A symbol takes 2 ns.
    assert rust(f"{bench}workloads/mod.rs", r"capacity: Some\((\d+)\), service_cycles: (\d+)") == (5, 50)
    assert "The 65,536 nodes are measured after two revolutions" in WORDS
    assert rust(f"{bench}throughput.rs", r"\.max\((\d+) \* u64::from\(spec\.nodes\)\)") == (2,)
    workloads = (BENCHES / "workloads/mod.rs").read_text(encoding="utf-8")
    for nodes in (4, 1024, 65_536):
        assert f"| {nodes:,} nodes, SCI |" in PAGE
        assert re.search(rf'"nodes_{nodes}", nodes: {nodes:_}|"nodes_{nodes}", nodes: {nodes},', workloads)
    assert "64 rings of 16 nodes with switches" in WORDS
    assert "a trace replayed on a ring of 64 nodes" in WORDS
    assert rust(f"{bench}instructions.rs", r"const NODES: u32 = (\d+)") == (64,)
    assert "`make instructions` builds 64 rings and 1,024" in WORDS
    sides = re.findall(
        r"bench::rings_(\d+)\(args = \((\d+),\), setup = torus_of", (BENCHES / "instructions.rs").read_text()
    )
    assert [(int(rings), int(side) ** 2) for rings, side in sides] == [(64, 64), (1024, 1024)]
    cases = {case.name: case.description for case in CASES}
    assert "also has 16 and 65,536 nodes with packets to the neighbour" in WORDS
    assert cases["neighbour"].startswith("16 nodes")
    assert cases["neighbour-65536"].startswith("65536 nodes")
    assert "some 40 revolutions" in WORDS
    assert "some 40 revolutions" in next(case.note for case in CASES if case.name == "nodes-65536")


def test_numbers_of_networks_are_those_of_their_benchmarks():
    bench = "ringlet-bench/benches/networks/"
    assert (
        "Rings of 16 nodes and 4 ports, links of 500 MB/s, switches in the manner of the LC-2, hosts with 8 slots"
        in WORDS
    )
    assert rust(f"{bench}topologies.rs", r"symbol_ps: (\d+)") == (4000,)
    assert rust(f"{bench}topologies.rs", r"slots: Some\((\d+)\)") == (8,)
    assert "three quarters to the next node" in WORDS
    assert "probability: 0.75" in (BENCHES / "networks/topologies.rs").read_text(encoding="utf-8")
    assert "with nothing else to do, seven rounds" in WORDS
    assert rust(f"{bench}ratios.rs", r"const ROUNDS: usize = (\d+)") == (7,)
    assert "networks of 64 to 4,096 rings" in WORDS
    scale = (BENCHES / "networks/scale.rs").read_text(encoding="utf-8")
    sides = [int(side) for side in re.search(r"SIDES.*\[(.*?)\];", scale)[1].replace('"', "").split(", ")]
    assert (min(sides) ** 2, max(sides) ** 2) == (64, 4096)
    assert "4,096 rings (65,536 nodes)" in WORDS
    assert 16 * 4096 == 65_536
    # Each ring has 16 nodes and 4 ports.
    assert "1.3 kB, and 82,000 of them" in WORDS
    assert round(20 * 4096, -3) == 82_000
    assert "The bound is 1.05, and `.venv/bin/python benches/busy_threads.py` fails above it" in WORDS
    busy = constants("busy_threads.py")
    assert busy["MOST"] == 1.05
    assert "64 rings of 32 nodes on two cores" in WORDS
    shape = busy["NETWORK"]["network"]["shape"]
    assert (sum(shape), shape[0]) == (64, 32)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (
            [8] * 4,
            "A torus of 8 x 8 x 8 x 8 has {rings:,} rings, most of two interfaces, and {interfaces:,} interfaces.",
        ),
        ([16] * 4, "A torus of 16 x 16 x 16 x 16, with {nodes:,} nodes and {rings:,} rings"),
        ([64, 64], "On a torus of 64 x 64 nodes, which has {rings:,} rings"),
    ],
)
def test_tori_have_the_rings_that_the_page_says(shape, said):
    network, _ = rl.Scenario.from_dict({"network": {"topology": "torus", "shape": shape}}).routed_network
    counts = {"nodes": network.nodes, "rings": network.rings, "interfaces": network.interfaces}
    assert said.format(**counts) in WORDS


def test_limits_are_those_of_the_sources():
    assert "A ring has at most 65,536 nodes, and so has a network" in WORDS
    assert rust("ringlet-engine/src/spec.rs", r"pub const MAX_NODES: u32 = ([\d_]+)") == (65_536,)
    with pytest.raises(rl.RingletError, match=r"network\.nodes: 65537"):
        rl.Scenario.from_dict({"network": {"nodes": 65_537}})
    signals = "ringlet-python/src/run.rs"
    assert "a run goes at least 64 cycles at once" in WORDS
    assert rust(signals, r"LEAST_CYCLES_BETWEEN_SIGNALS: u64 = ([\d_]+)") == (64,)
    (between,) = rust(signals, r"const NODE_CYCLES_BETWEEN_SIGNALS: u64 = ([\d_]+)")
    assert between == 1_000_000
    assert "a run looked for signals each million node-cycles, which are 15 cycles here" in WORDS
    assert between // 65_536 == 15
    assert "looks for signals every million node-cycles, or every 64 cycles" in WORDS
    assert rust(signals, r"const MOST_STRETCH: u64 = ([\d_]+)") == (16,)
    assert rust(signals, r"const SHORT: Duration = Duration::from_millis\((\d+)\)") == (2,)
    assert "up to 16 times as seldom while such a stretch takes less than 2 ms" in WORDS
    plan = "ringlet-run/src/plan.rs"
    assert "takes at least four times the way round the longest ring" in WORDS
    assert rust(plan, r"WARM_UP_ROUND_TRIPS: u64 = (\d+)") == (4,)
    assert "and judges by 200 bins" in WORDS
    assert rust(plan, r"WARM_UP_BINS: u64 = (\d+)") == (200,)
    assert f"An exploration ends at {JUDGED_STATES:,} states if their number only grows" in WORDS
    assert "of which those of eight networks are kept" in WORDS
    assert MOST_KEPT == 8
    assert f"tabulated about {ROWS:,} runs at a time" in WORDS
    assert "CSV files below 1 MiB" in WORDS
    assert SMALLEST == 1 << 20
    assert "and three seeds with 100 trials" in WORDS
    assert TRIALS == 100
    assert "a network is swept once in 32 trials, for as long as 32 of them" in WORDS
    assert (phases.SWEEP_EVERY_OF_NETWORKS, phases.SWEEP_WINDOWS_OF_NETWORKS) == (32, 32)
    assert "| a sweep in 8 trials, as long as 128 of them | 61 s | 1 | 1 |" in PAGE
    assert (phases.SWEEP_EVERY, phases.SWEEP_WINDOWS) == (8, 128)
    assert "8 protocols, 12 failures | cases" in PAGE
    assert set(re.findall(r"^\| \d+ messages, .* nodes.*? \| (\d+) \|", PAGE, re.MULTILINE)) == {str(8 * (1 + 12))}
    assert "Each of its 15.6 million packets".lower() in WORDS.lower()
    assert round(1e9 / 64 / 1e6, 1) == 15.6
    assert "of one size, released without jitter, has a million packets at most" in WORDS
    message = {"name": "a", "source": 0, "destination": 2, "size": 64 * 1_000_001, "period": "10 s"}
    with pytest.raises(rl.RingletError, match="at most 1000000 packets of 64 bytes"):
        rl.Scenario.from_dict({"network": {"nodes": 4}, "messages": [message]})
    profile = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["profile"]
    assert "Release builds have none" in WORDS
    assert profile["campaign"]["overflow-checks"] is True
    assert "overflow-checks" not in profile["release"]


def test_aims_and_cases_of_scripts_are_those_of_the_page():
    run = constants("run.py")
    assert f"| `rl.run` of 2 µs | 0.43 ms | {run['RUN_LIMIT_MS']} ms |" in PAGE
    assert re.search(rf"^\| `rl\.run` of 100 µs, .* \| {run['RATIO_LIMIT']} times \|$", PAGE, re.MULTILINE)
    guarantee = constants("guarantee.py")
    assert (
        f"`ringlet guarantee` for {guarantee['COUNT']:,} messages of one packet each on {guarantee['NODES']}" in WORDS
    )
    assert f"packets of 80 bytes between {constants('trace.py')['NODES']} nodes" in WORDS
    assert "100 runs of 0.15 s on 2 workers" in WORDS
    assert constants("sweep.py")["WORKERS"] == 2
    once = constants("once/time_to_interval.py")
    assert "a ring of 16 nodes with SCI and Poisson traffic" in WORDS
    assert once["NODES"] == 16
    assert "Runs ended after 25 million cycles at 60 %" in WORDS
    assert "no way reached 1 % of the mean latency in 50 million cycles" in WORDS
    assert [once["BIN"] * once["BINS"][load] for load in (60, 90)] == [25_000_000, 50_000_000]
    assert "batches of 100,000 cycles" in WORDS
    assert "BATCH = 100 * BIN" in (ROOT / "benches/once/variance.py").read_text(encoding="utf-8")


def test_what_users_wait_for_may_take_what_its_script_says():
    spec = importlib.util.spec_from_file_location("waiting", ROOT / "benches/waiting.py")
    waiting = importlib.util.module_from_spec(spec)
    sys.modules["waiting"] = waiting
    spec.loader.exec_module(waiting)
    limits = {case.name: case for case in waiting.CASES}
    table = PAGE.partition("## What users wait for")[2].partition("**Method.**")[0]
    rows = dict(re.findall(r"^\| (.*?) \| .* \| ([^|]*) \|$", table, re.MULTILINE))
    for row, name in {
        "`ringlet sweep` of 10 points of 2 µs": "sweep of 10 points of 2 us",
        "the same, all in the store": "the same, all in the store",
        "`ringlet sweep` of 1,000 points of 2 µs, 12 turns": "sweep of 1,000 points of 2 us",
        "`ringlet plot` of 200 stored points": "plot of 200 stored points",
        "`ringlet explain` of a key, from the second on": "explain a key",
        "`ringlet plot` of a run": "plot of a run",
        "`ringlet check examples/four-nodes.toml`": "check of four nodes",
        "`ringlet run` of 100,000 flows on 4,096 nodes, from CSV to the table": "run of 100,000 flows on 4,096 nodes",
    }.items():
        case = limits[name]
        assert float(re.match(r"[\d.]+", rows[row])[0]) == case.limit_s, row
        if "MB" in rows[row]:
            assert f"({case.megabytes_limit:g} MB)" in rows[row]
    for row, most in rows.items():
        if row.startswith(("a scenario from a dict", "the same with")):
            assert float(re.match(r"[\d.]+", most)[0]) == waiting.DICT_LIMIT_MS, row
    assert (
        rows["`rl.run` of 100 µs, the engine's share in percent"] == f"at least {waiting.SHARE_LIMIT_PERCENT}: missed"
    )
    assert "`.venv/bin/python benches/waiting.py --only torus` has the first and the last row" in WORDS
    assert sum("torus" in name for name in limits) == 2
    torus = re.findall(
        r"^\| (?:10 MB/s|saturated).* \| (\d+) s(?:: missed)? \| [\d.]+ GB \| (\d) GiB \|$", PAGE, re.MULTILINE
    )
    aims = [limits[f"run of a 16^4 torus, {load}"] for load in ("10 MB/s", "saturated", "saturated")]
    assert torus == [(f"{case.limit_s:g}", f"{case.megabytes_limit / 1024:g}") for case in aims]


def test_the_smallest_ring_whose_gap_has_two_go_bits_is_the_one_of_the_page():
    assert "3 nodes, hop delay 3, packets of 8 symbols, nodes 0 and 1 saturated towards node 2" in WORDS
    assert "whose idles of cycles 57 to 62, between two echoes, have the bits 0 1 0 0 0 0 (`ringlet trace`)" in WORDS
    matrix = [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    scenario = {
        "network": {"nodes": 3, "hop_delay": 3},
        "traffic": {"transaction": "send16", "pattern": "matrix", "matrix": matrix, "arrivals": "saturated"},
        "run": {"duration": 100, "warmup": 0},
    }
    runs = record(rl.Scenario.from_dict(scenario), start=0, stop=100).tables["runs"]
    columns = zip(*(runs[name].tolist() for name in ("node", "cycle", "symbols", "kind", "word")), strict=True)
    emitted = [(cycle, symbols, kind, word) for node, cycle, symbols, kind, word in columns if node == 2]
    idle, echo = 0, 3
    bits = {cycle + i: word for cycle, symbols, kind, word in emitted if kind == idle for i in range(symbols)}
    assert [bits.get(cycle) for cycle in range(56, 64)] == [None, 0, 1, 0, 0, 0, 0, None]
    assert {kind for cycle, symbols, kind, _ in emitted if cycle + symbols == 57 or cycle == 63} == {echo}


def test_the_automatic_warm_up_of_a_torus_is_at_least_what_the_page_says():
    torus = rl.Scenario.from_dict({"network": {"topology": "torus", "shape": [16, 16]}})
    longest = max(shape.around_cycles for shape in torus.resolved.ring_shapes)
    assert f"the way round the longest ring, {4 * longest:,} cycles here" in WORDS


def test_shares_of_earlier_times_are_those_that_the_page_says():
    assert "203, a quarter of the first version's 812 |" in PAGE
    assert "51, a quarter of 203 |" in PAGE
    assert (812 / 4, round(203 / 4)) == (203, 51)
    assert "At saturation a node of a 16-node ring gets a packet every 23 cycles" in WORDS
    assert (41 + 5) / 2 == 23


@pytest.mark.parametrize(("percent", "abs_cycles"), [(10, 0.1), (50, 1.0)])
def test_the_ring_beside_other_simulators_has_the_mean_latency_of_the_page(percent, abs_cycles):
    said = re.search(rf"^\| {percent} % of saturation \| ringlet \| [^|]* \| \| ([\d.]+) \|$", PAGE, re.MULTILINE)[1]
    # A send of 41 symbols and its echo of 5, each with its idle, pass half of the links each.
    load = percent / 100 * 40 / (16 / 2 * 46)
    scenario = {
        "network": {"nodes": 16, "hop_delay": 1},
        "flow_control": {"protocol": "none"},
        "traffic": {"transaction": "send80", "arrivals": "poisson", "load": load},
        "run": {"duration": 4_000_000, "warmup": 20_000},
    }
    resolved = rl.Scenario.from_dict(scenario)
    found = rl.run(resolved).document["total"]["latency_ns"]["mean"] / float(resolved.symbol_time_ns)
    assert found == pytest.approx(float(said), abs=abs_cycles)
