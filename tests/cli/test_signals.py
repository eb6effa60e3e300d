"""Ctrl-C and SIGTERM: every command that works for more than a second ends within a second, and says what it keeps."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import psutil
import pytest
from command_line import started, take_interrupts

from ringlet.cli import interrupts
from ringlet.store import Store

STARTS = 2.0
"""Processor time that a command alone has used before it gets the signal, as a multiple of that of a run of
microseconds, which is almost all start: it has begun to work."""

WORKED_S = 2.0
"""Processor time that a command with a store has used, its workers' starts included: it has opened its store."""

FILES = {
    "ring.toml": """
[network]
nodes = 64
[traffic]
[run]
warmup = 0
duration = "1 s"
""",
    "omega.toml": """
[network]
topology = "omega"
size = 64
[traffic]
[run]
duration = "1 s"
""",
    "idle.toml": """
[network]
nodes = 64
[flow_control]
protocol = "train"
[traffic]
arrivals = "poisson"
load = "1 kB/s"
[run]
duration = "100 s"
""",
    "large.toml": """
[network]
topology = "torus"
shape = [64, 64]
[traffic]
""",
    "middle.toml": """
[network]
topology = "torus"
shape = [32, 32]
[traffic]
""",
    "chain.toml": """
[network]
nodes = 4
[traffic]
arrivals = "bernoulli"
load = 0.05
destinations = [1, 2, 3, 0]
""",
    "slow.toml": """
[network]
nodes = 64
[traffic]
arrivals = "poisson"
load = "5 MB/s"
[[messages]]
source = 0
destination = 5
size = 64
period = "100 ms"
[[messages]]
source = 1
destination = 6
size = 64
period = "1 us"
""",
    "small.toml": """
[network]
nodes = 4
[[messages]]
source = 0
destination = 2
size = 64
period = "10 us"
[[messages]]
source = 1
destination = 2
size = 64
period = "7 us"
""",
    "states.toml": """
[network]
nodes = 6
[traffic]
destinations = [3, 4, 5, 0, 1, 2]
""",
    "set.toml": """
messages_file = "set.csv"
[network]
nodes = 64
""",
    "study.toml": """
scenario = "ring.toml"
[[axes]]
network.hop_delay = [1, 2, 3, 4]
[replications]
count = 4
""",
    "sets.toml": """
utilisations = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
sets = 2000
messages = 16
most_packets = 4
periods = ["1 us", "20 us"]
protocols = [{ protocol = "sci" }, { protocol = "train" }]
[scenario.network]
nodes = 8
""",
    "events.toml": """
senders = 64
receivers = 16
rate = "20 MB/s"
loss = 0.01
latency = "500 us"
duration = "30 ms"
[event_building]
fragment = "1 KiB"
""",
    "set.csv": "name,source,destination,size,period_us\n"
    + "".join(f"m{i},{i % 64},{(i + 1 + i % 62) % 64},64,{20_000 + i}\n" for i in range(50_000)),
    "metro.gml": "graph [\n"
    + "".join(f'node [ id {i} label "n{i}" ]\nedge [ source {i} target {(i + 1) % 50_000} ]\n' for i in range(50_000))
    + "]\n",
}

KEPT = {
    "sweep": "out/study/store.sqlite keeps 0 finished runs, and the same command goes on",
    "advise": "kept/store.sqlite keeps what is finished, and the same command goes on",
    "breakdown": "kept/store.sqlite keeps what is finished, and the same command goes on",
    "verify": "kept/store.sqlite keeps what is finished, and the same command goes on",
    "schedulability": "out/sets/store.sqlite keeps what is finished, and the same command goes on",
}
"""What a command with a store says."""

READS = ["--set", "traffic.transaction=read64"]
"""Transactions with responses, of which the model takes half as long again."""

ALONE = (
    ["run", "ring.toml"],
    ["run", "omega.toml"],
    ["run", "idle.toml"],
    ["run", "large.toml", "--threads", "2"],
    ["bound", "large.toml"],
    ["model", "middle.toml", "--set", "traffic.arrivals=poisson", "--set", "traffic.load=1 kB/s", *READS],
    ["guarantee", "set.toml"],
    ["check", "states.toml", "--states", "100000000"],
    ["exact", "chain.toml", "--states", "100000000"],
    ["place", "ring.toml", "--set", "network.nodes=128"],
    ["group", "ring.toml", "--set", "network.nodes=1024"],
    ["topology", "large.toml", "--set", "network.shape=[200, 200]"],
    ["import", "metro.gml"],
    ["export", "set.toml", "--format", "saihu"],
    ["run", "slow.toml", "--search", "100000", "--witness", "worst.toml"],
    ["run", "ring.toml", "--why"],
    ["store", "check", "rows.sqlite"],
    ["store", "repair", "rows.sqlite"],
    ["trace", "ring.toml", "--format", "csv", "--out", "ring.csv", "--from", "0.5 s"],
    ["trace", "middle.toml", "--format", "csv", "--out", "ring.csv", "--to", "4000"],
    ["plot", "ring.toml"],
    ["bench"],
)

WITH_WORKERS = (
    ["sweep", "study.toml"],
    ["compare", "ring.toml", "idle.toml"],
    ["advise", "events.toml", "--out", "kept"],
    ["breakdown", "slow.toml", "--out", "kept"],
    ["schedulability", "sets.toml"],
    ["verify", "slow.toml", "--out", "kept"],
    ["verify", "--check", "report.json"],
    ["reproduce", "picker1994"],
    ["reproduce", "--claims", "--out", "claims"],
)

EACH = [*ALONE, *([*words, "--workers", workers] for words in WITH_WORKERS for workers in ("1", "2"))]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A store of so many rows that it takes seconds to look at all of them."""
    file = tmp_path_factory.mktemp("store") / "rows.sqlite"
    with Store.open(file):
        pass
    with closing(sqlite3.connect(file)) as database:
        new = ((f"[{number}]", number) for number in range(1_200_000))
        database.executemany("INSERT INTO layouts (content, checksum) VALUES (?, ?)", new)
        database.commit()
    return file


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A verification's report that asks for so many trials that it takes long to compute again."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "small.toml").write_text(FILES["small.toml"], encoding="utf-8")
    words = ["verify", "small.toml", "--protocol", "sci", "--no-failures", "--trials", "1", "--out", "out"]
    process = started(*words, folder=folder)
    _, err = process.communicate(timeout=120)
    assert process.returncode in (0, 3), err
    document = json.loads((folder / "out" / "verification.json").read_text("utf-8"))
    document["trials"] = 100_000
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    return folder / "report.json"


@pytest.fixture(scope="module")
def start_s(tmp_path_factory):
    """Processor time of a run of microseconds."""
    folder = tmp_path_factory.mktemp("start")
    (folder / "tiny.toml").write_text('[network]\nnodes = 4\n[run]\nduration = "2 us"\n', encoding="utf-8")
    before = os.times()
    assert started("run", "tiny.toml", folder=folder).wait() == 0
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def used_s(process):
    """Returns the processor time of a process and its workers, in seconds."""
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        try:
            times = each.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def interrupted(process, number):
    """Sends a command a signal; returns its two outputs, and the seconds that it took to end."""
    begun = time.monotonic()
    # As a terminal does: to the command and to its workers.
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    return (*process.communicate(timeout=60), time.monotonic() - begun)


def allowed_s():
    """Returns in how many seconds a command ends: one, and as many times that as programs wait for each core."""
    return max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.mark.parametrize("number", interrupts.SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("words", EACH, ids=" ".join)
def test_a_command_ends_within_a_second_and_says_what_it_keeps(tmp_path, request, start_s, words, number):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name, fixture in (("rows.sqlite", "rows"), ("report.json", "report")):
        if name in words:
            shutil.copy(request.getfixturevalue(fixture), tmp_path / name)
    process = started(*words, folder=tmp_path)
    try:
        latest = time.monotonic() + 120
        worked_s = min(WORKED_S, STARTS * start_s) if words in ALONE else WORKED_S
        while used_s(process) < worked_s:
            assert process.poll() is None, f"it ended before it could be interrupted: {process.communicate()}"
            assert time.monotonic() < latest, "it waits for something before it has worked"
            # To look at all processes of a machine for its workers takes milliseconds.
            time.sleep(0.1)
        workers = process.children(recursive=True)
        out, err, took = interrupted(process, number)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out) == (128 + number, "")
    kept = None if "--check" in words else KEPT.get(words[0])
    assert err.splitlines()[-1] == "ringlet: interrupted" + (f"; {kept}" if kept else "")
    assert "Traceback" not in err
    assert took < allowed_s()
    assert not psutil.wait_procs(workers, timeout=5)[1], "workers outlive the command"
    assert not list(tmp_path.rglob(".*")), "a file that was not finished is left"


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The output of a sweep whose report takes seconds."""
    folder = tmp_path_factory.mktemp("swept")
    axes = 'flow_control.protocol = ["none", "sci", "dfc"]', 'traffic.load = ["20 MB/s", "50 MB/s"]'
    axes += ("network.hop_delay = [1, 2, 3, 4, 5, 6, 7, 8]",)
    keys = "".join(f"[[axes]]\n{axis}\n" for axis in axes)
    run = '[scenario.network]\nnodes = 8\n[scenario.run]\nduration = "2 us"\nwarmup = 0\n'
    (folder / "few.toml").write_text(run + keys, encoding="utf-8")
    process = started("sweep", "few.toml", "--out", "done", "--workers", "1", folder=folder)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return folder / "done"


@pytest.mark.parametrize("number", interrupts.SIGNALS, ids=lambda number: number.name)
def test_a_report_that_is_interrupted_says_which_files_are_written(tmp_path, swept, number):
    done = shutil.copytree(swept, tmp_path / "done")
    before = set(done.rglob("*"))
    process = started("report", "done", folder=tmp_path)
    try:
        latest = time.monotonic() + 120
        while not list(done.glob("players/run-*.html")):
            assert process.poll() is None, f"it ended before it could be interrupted: {process.communicate()}"
            assert time.monotonic() < latest, "it writes nothing"
            time.sleep(0.01)
        out, err, took = interrupted(process, number)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    written = [path for path in done.rglob("*") if path not in before and path.is_file()]
    assert (process.returncode, out) == (128 + number, "")
    if len(written) == 1:
        expected = f"ringlet: interrupted; {written[0].relative_to(tmp_path)} is written\n"
        assert err == expected
    else:
        assert err.startswith(f"ringlet: interrupted; {len(written)} files are written, the last one done/")
        assert (tmp_path / err.strip().rsplit(" ", 1)[1]) in written
    assert done / "report.html" not in written
    assert took < allowed_s()
    assert not list(tmp_path.rglob(".*")), "a file that was not finished is left"


STUCK = """
import sys, time
from pathlib import Path
from ringlet.cli import interrupts
from ringlet.files import writing

with interrupts.ending_in_time() as signals, interrupts.keeping(Path("s.sqlite")), writing(Path("out.csv")):
    signals.begin()
    while True:
        try:
            print("begun", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""


@pytest.mark.parametrize("number", interrupts.SIGNALS, ids=lambda number: number.name)
def test_work_that_sees_no_interrupt_is_ended(tmp_path, number):
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=take_interrupts,
    )
    assert process.stdout.readline() == "begun\n"
    begun = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert interrupts.PATIENCE_S <= time.monotonic() - begun < allowed_s()
    kept = "s.sqlite keeps what is finished, and the same command goes on"
    assert (process.returncode, err) == (128 + number, f"ringlet: interrupted; {kept}\n")
    assert not list(tmp_path.iterdir()), "the file that was being written is left"


EXECUTED = """
import sys
from ringlet.cli import interrupts

with interrupts.ending_in_time() as signals:
    try:
        signals.begin()
        exec("import os, signal, time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)")
    except KeyboardInterrupt:
        pass
sys.exit(interrupts.exit_code(signals.came[0]))
"""


def test_an_interrupt_while_a_library_makes_its_classes_keeps_the_exit_code():
    done = subprocess.run([sys.executable, "-c", EXECUTED], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, "")


LOADED = """
import sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "ringlet.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
import ringlet.cli
"""


def test_an_interrupt_while_the_command_is_loaded_is_one_line():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "ringlet: interrupted\n")


EARLY = """
import os, signal, sys
from contextlib import contextmanager
from ringlet.cli import interrupts, main

ending_in_time = interrupts.ending_in_time

@contextmanager
def sent(**given):
    with ending_in_time(**given) as signals:
        os.kill(os.getpid(), signal.{name})
        yield signals

interrupts.ending_in_time = sent
sys.argv = ["ringlet", "--version"]
sys.exit(main())
"""


@pytest.mark.parametrize("number", interrupts.SIGNALS, ids=lambda number: number.name)
def test_a_signal_before_a_command_begins_is_one_line(number):
    words = [sys.executable, "-c", EARLY.format(name=number.name)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, preexec_fn=take_interrupts)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "ringlet: interrupted\n")


TOLD = """
import atexit, os, signal, sys
from ringlet.cli import failures, main

def sent():
    os.kill(os.getpid(), signal.{name})

def reported(*error, report=failures.report, **debug):
    code = report(*error, **debug)
    {at_report}
    return code

{at_exit}
failures.report = reported
sys.argv = ["ringlet", "check", "missing.toml"]
sys.exit(main())
"""


@pytest.mark.parametrize("at", ["report", "exit"])
@pytest.mark.parametrize("number", interrupts.SIGNALS, ids=lambda number: number.name)
def test_a_signal_behind_the_message_of_a_command_changes_no_exit_code(tmp_path, number, at):
    program = TOLD.format(
        name=number.name,
        at_report="sent()" if at == "report" else "",
        at_exit="atexit.register(sent)" if at == "exit" else "",
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=take_interrupts,
    )
    assert (done.returncode, done.stderr) == (2, "ringlet: missing.toml: no such file\n")
