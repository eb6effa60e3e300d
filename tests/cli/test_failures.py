"""What surrounds every command: one line on stderr and an exit code, whatever happens."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from command_line import COMMAND, hear_interrupts

from ringlet.cli import failures, main


@pytest.fixture
def ring(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RINGLET_DEBUG", raising=False)

    def failing_with(error):
        def fail(scenario, **options):
            raise error

        monkeypatch.setattr(sys.modules["ringlet.simulation"], "run", fail)
        return main(["run", "ring.toml"])

    return failing_with


class Panic(BaseException):
    """As a panic of the engine arrives: not an Exception."""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyboardInterrupt(), "ringlet: interrupted\n"),
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


def test_debugging_shows_the_traceback(ring, capsys, monkeypatch):
    monkeypatch.setenv("RINGLET_DEBUG", "1")
    assert ring(ZeroDivisionError("why")) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_message_cannot_steer_the_terminal():
    assert failures.one_line("a\n b\x1b[31m\u202e") == r"a b\x1b[31m\u202e"


def test_ctrl_c_ends_a_reproduction_and_its_workers_with_one_line(folder):
    process = psutil.Popen(
        [COMMAND, "reproduce", "picker1994", "--workers", "2"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_interrupts,
    )
    # Two workers and what keeps track of their resources.
    while len(process.children()) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    # As a terminal does: to the command and to its workers.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (1, "", "ringlet: interrupted\n")
