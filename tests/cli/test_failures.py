"""What surrounds every command: one line on stderr and an exit code, whatever happens."""

import importlib
import os
import signal
import subprocess
import sys
import time

import pytest
from command_line import COMMAND, started

from ringlet.cli import failures, main


@pytest.fixture
def ring(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RINGLET_DEBUG", raising=False)

    def failing_with(error):
        def fail(scenario, **options):
            raise error

        monkeypatch.setattr(importlib.import_module("ringlet.simulation"), "run", fail)
        return main(["run", "ring.toml"])

    return failing_with


class Panic(BaseException):
    """As a panic of the engine arrives: not an Exception."""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "ringlet: out of memory\n"),
        (OSError(28, "No space left on device", "x"), "ringlet: x: No space left on device\n"),
        (
            ZeroDivisionError("by\nzero"),
            "ringlet: internal error: ZeroDivisionError: by zero (RINGLET_DEBUG=1 shows where)\n",
        ),
        (Panic("index"), "ringlet: internal error: Panic: index (RINGLET_DEBUG=1 shows where)\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_one_line_and_1(ring, capsys, error, message):
    assert ring(error) == 1
    assert capsys.readouterr() == ("", message)


def test_an_interrupt_is_one_whatever_takes_its_place(ring, capsys):
    # As it arrives in the middle of an import: the module that was being made is said to be missing.
    error = ImportError("initialization failed")
    error.__cause__ = SystemError("error return without exception set")
    error.__cause__.__context__ = KeyboardInterrupt()
    assert ring(error) == 130
    assert capsys.readouterr() == ("", "ringlet: interrupted\n")


def test_an_interrupt_is_130(ring, capsys):
    assert ring(KeyboardInterrupt()) == 130
    assert capsys.readouterr() == ("", "ringlet: interrupted\n")


CLOSED = {"2>&-": (0, True), ">&-": (0, False), ">&- 2>&-": (0, False), "<&-": (0, True), "<&- >&- 2>&-": (0, False)}


@pytest.mark.parametrize("streams", CLOSED)
def test_a_stream_that_is_closed_takes_nothing_and_stops_nothing(folder, streams):
    code, printed = CLOSED[streams]
    shell = f"{COMMAND} run ring.toml --json {streams}"
    done = subprocess.run(["sh", "-c", shell], cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith('{"schema"') == printed


def test_what_is_said_on_a_closed_stderr_is_not_said_elsewhere(folder):
    shell = f"{COMMAND} run ring.toml --set network.nodes=0 2>&-"
    done = subprocess.run(["sh", "-c", shell], cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_more_threads_than_can_be_counted_are_as_many_as_there_are_rings(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(["run", "ring.toml", "--threads", str(10**23)]) == 0
    assert "MB/s" in capsys.readouterr().out


def test_debugging_shows_the_traceback(ring, capsys, monkeypatch):
    monkeypatch.setenv("RINGLET_DEBUG", "1")
    assert ring(ZeroDivisionError("why")) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_message_cannot_steer_the_terminal():
    assert failures.one_line("a\n b\x1b[31m\u202e") == r"a b\x1b[31m\u202e"


def test_ctrl_c_ends_a_reproduction_and_its_workers_with_one_line(folder):
    process = started("reproduce", "picker1994", "--workers", 2, folder=folder)
    # Two workers and what keeps track of their resources.
    while len(process.children()) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    # As a terminal does: to the command and to its workers.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=600)
    takes, *ended = err.splitlines()
    assert takes.startswith("picker1994: about ")
    assert (process.returncode, out, ended) == (130, "", ["ringlet: interrupted"])


def test_a_signal_in_the_middle_of_a_run_is_an_interrupt(folder):
    # It comes while the engine simulates, which ends before it looks for signals; what is next is to import NumPy.
    program = """
import signal, sys
from ringlet.cli import main
from ringlet.simulation import simulate

def begun(*args, **options):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return build(*args, **options)

build, simulate.Simulation = simulate.Simulation, begun
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGTERM))
sys.exit(main(["run", "ring.toml", "--set", "run.warmup=0", "--set", "run.duration=20000000"]))
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "", "ringlet: interrupted\n")
