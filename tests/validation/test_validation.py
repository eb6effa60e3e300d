"""Every case of the table, and what the table promises of itself."""

import pytest

from validation.__main__ import with_result
from validation.case import cases

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_table_says_what_the_run_gives(case):
    obtained = case.run()
    expected = case.by_theory()
    assert (case.expected, case.obtained, case.verdict) == (expected, obtained, case.judge(expected, obtained))


def test_cases_are_named_once_and_each_has_a_source_and_one_measure():
    assert len({case.id for case in CASES}) == len(CASES) >= 20
    assert all(case.source and (case.tolerance is None) != (case.bound is None) for case in CASES)


def test_a_case_that_differs_says_why():
    assert [case.id for case in CASES if case.verdict == "differs" and not case.note] == []


def test_results_are_written_before_the_note():
    text = 'id = "x"\nobtained = 1\nverdict = "agrees"\nnote = "why"\n\n'
    assert with_result(text, 2.5, 3, "differs") == (
        'id = "x"\nexpected = 2.5\nobtained = 3\nverdict = "differs"\nnote = "why"\n\n'
    )
