"""Tables as text: alignment, headings of several lines, wide characters, and styles where a terminal has them."""

import sys

import pytest

from ringlet.cli import output
from ringlet.cli.tables import Table


def lines(table: Table) -> list[str]:
    return list(table.lines(lambda text, _: text))


def test_figures_end_below_each_other_and_words_begin_below_each_other():
    table = Table(("node", "throughput\nMB/s"), words=("why",), title="all nodes")
    table.add_row("0", "1.5", "link 1")
    table.add_row("receiver", "200.0", "none")
    table.add_row("... 3 more")
    assert lines(table) == [
        "all nodes",
        "          throughput",
        "node            MB/s  why",
        "0                1.5  link 1",
        "receiver       200.0  none",
        "... 3 more",
    ]


def test_a_wide_character_takes_two_places_and_a_combining_one_none():
    table = Table(("node", "MB/s"))
    table.add_row("節点", "1")
    table.add_row("e\u0301", "2")
    assert lines(table)[1:] == ["節点     1", "e\u0301        2"]


@pytest.mark.parametrize(
    ("environment", "terminal", "text"),
    [
        ({}, False, "late"),
        ({}, True, "\x1b[31mlate\x1b[0m"),
        ({"TERM": "dumb"}, True, "late"),
        ({"NO_COLOR": "1"}, True, "late"),
        ({"FORCE_COLOR": "1"}, False, "\x1b[31mlate\x1b[0m"),
    ],
    ids=str,
)
def test_a_style_is_written_where_stdout_is_a_terminal_that_has_it(environment, terminal, text, monkeypatch):
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert output.styled("late", "red") == text
    assert output.styled("late", None) == "late"
