"""Imports of files into an empty folder."""

import tomllib
from pathlib import Path

import pytest

from ringlet import Scenario
from ringlet.cli import main


@pytest.fixture
def imported(tmp_path, monkeypatch, capsys):
    """Imports a file into an empty folder; returns what is in the scenario, the scenario, and what was printed."""
    monkeypatch.chdir(tmp_path)

    def take(file, *options):
        assert main(["import", str(file), "--to", "made.toml", *options]) == 0, capsys.readouterr().err
        content = tomllib.loads(Path("made.toml").read_text(encoding="utf-8"))
        return content, Scenario.load("made.toml"), capsys.readouterr().out

    return take


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Imports a file that is refused; returns the message. Nothing is written."""
    monkeypatch.chdir(tmp_path)

    def take(file, *options):
        before = set(tmp_path.iterdir())
        assert main(["import", str(file), *options]) == 2
        assert set(tmp_path.iterdir()) == before
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        return printed.err

    return take
