"""Mutants are mistakes in code that runs, each in force alone."""

from pathlib import Path

import pytest
from mutants import mutants_of, written

SOURCE = b"""
const LIMIT: u32 = 3;

fn first(queue: &mut Queue, now: u64) -> Option<u32> {
    if now < queue.start && !queue.is_empty() {
        queue.settle(now + 1);
    }
    match queue.kind { 0 => None, _ => queue.items.iter().min() }
}
"""
FILE = Path("queue.rs")


def test_small_mistakes_are_found_where_code_runs():
    found = [str(mutant).partition(": ")[2] for mutant in mutants_of(FILE, SOURCE)]
    assert found == [
        "`now < queue.start && !queue.is_empty()` -> `now < queue.start || !queue.is_empty()`",
        "`now < queue.start` -> `now <= queue.start`",
        "`!queue.is_empty()` -> `queue.is_empty()`",
        "`queue.settle(now + 1);` -> `nothing`",
        "`now + 1` -> `now - 1`",
        "`1` -> `(1 + 1)`",
        "`queue.items.iter().min()` -> `queue.items.iter().max()`",
    ]


@pytest.mark.parametrize("chosen", [(), (1,), (0, 1), (3, 4, 5)])
def test_every_mutant_stands_behind_the_question_whether_it_is_in_force(chosen):
    mutants = [mutant for index, mutant in enumerate(mutants_of(FILE, SOURCE)) if index in chosen]
    for number, mutant in enumerate(mutants, start=1):
        mutant.number = number
    text = written(SOURCE, mutants).decode()
    for mutant in mutants:
        start, end = mutant.place
        assert f"crate::mutants::is({mutant.number})" in text.encode()[start:end].decode()
    assert text.count("crate::mutants::is(") == len(chosen)
    if not chosen:
        assert text == SOURCE.decode()
