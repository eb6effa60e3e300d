"""What a person sees. After a change on purpose: `pytest tests/cli --snapshot-update`, and look at the difference."""

import re
from itertools import pairwise

import pytest
from command_line import ringlet

from ringlet.cli.commands import COMMANDS

MISTAKES = {
    "unknown-key": ("run", "ring.toml", "--set", "network.noodles=4"),
    "no-nodes": ("run", "ring.toml", "--set", "network.nodes=0"),
    "wrong-unit": ("run", "ring.toml", "--set", "run.duration=3 MB"),
    "destination-is-the-source": ("run", "ring.toml", "--set", "traffic.destinations=[3, 3, 3, 3]"),
    "missing-file": ("run", "nowhere.toml"),
    "unknown-paper": ("reproduce", "piker1994"),
    "no-command": (),
    "no-scenario": ("run",),
    "mistyped-command": ("benhc",),
    "wrong-option": ("run", "ring.toml", "--jsn"),
    "no-run-to-plot": ("plot", "list.json"),
    "no-json-to-plot": ("plot", "set.csv"),
    "result-that-is-missing": ("plot", "nowhere.json"),
    "result-given-twice": ("plot", "ring.toml", "ring.toml"),
    "chart-that-is-not-there": ("plot", "ring.toml", "--chart", "priorities"),
    "plots-into-a-file": ("plot", "ring.toml", "--out", "set.csv/figures"),
    "too-large": ("bound", "large.toml"),
    "unknown-picture": ("topology", "omega.toml", "--plot", "omega.gif"),
}


def test_help(folder, snapshot):
    assert ringlet("--help", folder=folder).stdout == snapshot


def test_help_of_a_command(folder, snapshot):
    assert ringlet("group", "--help", folder=folder).stdout == snapshot


@pytest.mark.parametrize("command", [*sorted(set(COMMANDS) - {"store"}), "store check", "store repair"])
def test_help_fits_a_terminal_and_describes_every_option(folder, command):
    """The words themselves are compared with the man page (tests/docs/test_man_page.py)."""
    lines = ringlet(*command.split(), "--help", folder=folder).stdout.splitlines()
    assert lines[0].startswith(f"Usage: ringlet {command} ")
    assert max(map(len, lines)) <= 100
    assert any(line.startswith(f"      ringlet {command} ") for line in lines), "no example"
    options = lines[lines.index("Options:") + 1 :]
    for option, below in pairwise(options):
        assert not option.startswith("  -") or re.search(r"\S {2,}\S", option) or below.startswith(" " * 8), option
    assert [line for line in options if line.startswith("  -")][-1].startswith("  -h, --help")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_message(folder, snapshot, mistake):
    (folder / "list.json").write_text("[1, 2]", encoding="utf-8")
    (folder / "large.toml").write_text("[network]\nnodes = 65_536\n", encoding="utf-8")
    assert ringlet(*MISTAKES[mistake], folder=folder).stderr == snapshot


@pytest.mark.parametrize(
    ("command", "scenario"),
    [
        ("run", "ring"),
        ("bound", "ring"),
        ("bound", "omega"),
        ("bound", "set"),
        ("group", "ring"),
        ("run", "set"),
        ("topology", "omega"),
    ],
)
def test_table(folder, snapshot, command, scenario):
    shown = ringlet(command, f"{scenario}.toml", folder=folder).stdout.splitlines()
    assert [line for line in shown if not line.endswith("node-cycles/s")] == snapshot
