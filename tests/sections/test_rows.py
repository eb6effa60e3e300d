"""Rows of a table as sections: the same as made one by one, each value checked once."""

from typing import Annotated, Any

import pytest

from ringlet import RingletError
from ringlet.sections import After, Field, Rows, Section, refuse

looked_at: list[Any] = []


def _even(value: int) -> int:
    looked_at.append(value)
    if value % 2:
        raise refuse("an even number")
    return value


class Cable(Section):
    """A cable of which some keys are checked."""

    strands: Annotated[int, After(_even)]
    length_m: float = Field(default=1.0, gt=0)
    name: str = Field(default_factory=lambda before: f"{before['strands']} strands")
    tags: dict[str, str] = Field(default={})


ROWS = [
    {"strands": 2},
    {"strands": 2, "length_m": 2},
    {"strands": 4, "length_m": 2.0, "tags": {"room": "3"}},
    {"strands": 2, "name": "short"},
]


def test_sections_of_rows_are_those_made_one_by_one():
    rows = Rows(Cable)
    found = [rows.made(row) for row in ROWS]
    expected = [Cable(**row) for row in ROWS]
    assert found == expected
    assert [one.given for one in found] == [one.given for one in expected]
    assert [one.name for one in found] == ["2 strands", "2 strands", "4 strands", "short"]


def test_a_value_is_checked_once():
    looked_at.clear()
    rows = Rows(Cable)
    for _ in range(3):
        for row in ROWS:
            rows.made(row)
    assert looked_at == [2, 4]


def test_sections_share_no_table():
    rows = Rows(Cable)
    first, second = rows.made({"strands": 2}), rows.made({"strands": 2})
    assert first.tags is not second.tags


@pytest.mark.parametrize(
    "row",
    [
        {"strands": True},
        {"strands": 2.0},
        {"strands": 3, "length_m": 0},
        {"length_m": 1},
        {"strands": 2, "strnds": 2},
        {"strands": 2, "name": None},
        {"strands": 2, "tags": ["room"]},
    ],
    ids=str,
)
def test_a_wrong_row_says_what_the_section_alone_says(row):
    rows = Rows(Cable)
    # What was right before is equal to some of what is wrong.
    rows.made({"strands": 2, "length_m": 1})
    with pytest.raises(RingletError) as alone:
        Cable(**row)
    for _ in range(2):
        with pytest.raises(RingletError) as caught:
            rows.made(row)
        assert caught.value.args == alone.value.args
