"""Cases of a paper, and what is told of them while they run."""

from ringlet.cli.progress import reproducing
from ringlet.papers.runs import Advance, Case, simulate

CASES = [
    Case("richter1997", file, ("run.duration=2 us", "run.warmup=0", *more))
    for more in ((), ("traffic.load=10 MB/s",))
    for file in ("figure4-10.toml", "figure4-11.toml")
]


def count(scenario, results):
    return len(results)


def test_a_file_is_over_with_its_last_case():
    told = []
    found = simulate(CASES + CASES, count, seeds=(1, 2), workers=1, progress=told.append)
    assert set(found.values()) == {2}
    assert [advance.done for advance in told] == [1, 2, 3, 4]
    assert [advance.finished for advance in told] == ["", "figure4-10", "", "figure4-11"]
    assert {(advance.total, advance.paper) for advance in told} == {(4, "richter1997")}


def test_cases_that_are_simulated_again_count_beside_the_earlier_ones():
    told = []
    simulate(CASES[:2], count, seeds=(3,), workers=1, progress=told.append, before=4)
    assert [(advance.done, advance.total) for advance in told] == [(5, 6), (6, 6)]


def test_without_a_terminal_each_file_has_a_line(capsys):
    with reproducing() as progress:
        progress(Advance(1, 3, "picker1994", ""))
        progress(Advance(2, 3, "picker1994", "table3-n4"))
    assert capsys.readouterr().err == "picker1994: table3-n4 done (2 of 3 cases, 0 s, about 0 s to go)\n"
