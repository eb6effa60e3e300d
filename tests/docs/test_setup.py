"""The Makefile says in one line what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    shutil.which("make") is None, reason="the Makefile is not tested without make (Debian and Ubuntu: apt install make)"
)


def make(*words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    # Not the variables of a make that runs these tests.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    if path is not None:
        environment["PATH"] = path
    command = [shutil.which("make"), "--no-print-directory", "-C", str(ROOT), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def only_message(done: subprocess.CompletedProcess[str]) -> str:
    """What was said besides make's own closing line."""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1, done.stderr
    return lines[0]


def folder_with(tmp_path: Path, **programs: str) -> str:
    """A PATH that has the shell's ordinary programs and these, but no toolchain."""
    for name in ("sh", "bash", "cut", "sort", "head", "find", "printf", "test", "env"):
        if found := shutil.which(name):
            (tmp_path / name).symlink_to(found)
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    return str(tmp_path)


def test_missing_cargo_is_one_line(tmp_path):
    done = make("build", path=folder_with(tmp_path))
    assert done.returncode != 0
    assert only_message(done).startswith("ringlet: cargo is missing: install Rust")


def test_old_cargo_is_one_line(tmp_path):
    done = make("build", path=folder_with(tmp_path, cargo="echo cargo 1.63.0"))
    assert done.returncode != 0
    assert only_message(done).startswith("ringlet: cargo 1.63.0 is too old: install Rust")


def test_missing_python_is_one_line():
    done = make("build", "PYTHON=python-that-is-not-here")
    assert done.returncode != 0
    assert only_message(done).startswith("ringlet: python-that-is-not-here is missing: install Python 3.11")


def test_old_python_is_one_line(tmp_path):
    old = tmp_path / "python-old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 && exit 0\nexit 1\n', encoding="utf-8")
    old.chmod(0o755)
    done = make("build", f"PYTHON={old}")
    assert done.returncode != 0
    assert only_message(done).startswith("ringlet: Python 3.9.2 is too old: install Python 3.11")
