"""All pairs of members: each runs, or is refused with a reason of the table; no reason is without a refusal.

A row of the array has a member of each factor, and every pair that is not refused is in one of the rows. With
`RINGLET_PAIRS=whole` every transaction takes part, and every pair that is refused.
"""

import os
from itertools import combinations

import pytest
from allpairspy import AllPairs

from pairs.factors import USUAL, content, factors
from pairs.instruments import INSTRUMENTS
from pairs.refusals import completed, each_refusal, refusals, refused
from ringlet import RingletError

WHOLE = os.environ.get("RINGLET_PAIRS") == "whole"
MEMBERS = factors(whole=WHOLE)


def rows():
    """Cases that have every pair that can be had."""
    names = list(MEMBERS)
    found = [
        dict(zip(names, row, strict=True))
        for row in AllPairs(
            list(MEMBERS.values()), filter_func=lambda row: not refused(dict(zip(names, row, strict=False)))
        )
        if len(row) == len(names)
    ]
    # The search goes forward only, and may leave a pair out that some row could have.
    covered = {pair for row in found for pair in combinations(row.items(), 2)}
    for one, other in combinations(names, 2):
        for pair in (((one, x), (other, y)) for x in MEMBERS[one] for y in MEMBERS[other]):
            if pair not in covered and (case := completed(dict(pair), MEMBERS)) is not None:
                row = {name: case[name] for name in names}
                found.append(row)
                covered.update(combinations(row.items(), 2))
    return found


ROWS = rows()


def in_words(case):
    unusual = [member for factor, member in case.items() if member != USUAL[factor]]
    return ", ".join(unusual) or "usual"


@pytest.mark.parametrize("case", ROWS, ids=in_words)
def test_what_is_not_refused_runs(case, tmp_path):
    INSTRUMENTS[case["instrument"]](content(case, tmp_path), tmp_path)


@pytest.mark.parametrize(
    ("refusal", "case"), list(each_refusal(MEMBERS)), ids=lambda one: in_words(one) if isinstance(one, dict) else ""
)
def test_what_is_refused_says_why(refusal, case, tmp_path):
    with pytest.raises(RingletError) as error:
        INSTRUMENTS[case["instrument"]](content(case, tmp_path), tmp_path)
    assert refusal.says(str(error.value)), f"{refusal.message} is not what it says: {error.value}"


def test_no_entry_of_the_table_is_unused():
    tried = {id(refusal) for refusal, _ in each_refusal(MEMBERS)}
    unused = [one.where for one in refusals() if id(one) not in tried]
    assert not unused


def test_every_pair_is_tried_or_refused():
    """A pair that is in no row is refused by the table, or whatever completes it is."""
    every = {pair for row in ROWS for pair in combinations(row.items(), 2)}
    for one, other in combinations(MEMBERS, 2):
        for x in MEMBERS[one]:
            for y in MEMBERS[other]:
                pair = ((one, x), (other, y))
                assert pair in every or completed(dict(pair), MEMBERS) is None
