"""Cases of a paper, and what is told of them while they run."""

import re
from pathlib import Path

import pytest

from ringlet import RingletError, papers
from ringlet.cli import main
from ringlet.cli.progress import reproducing
from ringlet.papers import PAPERS
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["picker1994"], "picker1994: about 27 s, with --quick 12 s, of processor time"),
        (["--quick", "picker1994", "richter1997"], "picker1994, richter1997: about 17 s of processor time"),
    ],
)
def test_a_reproduction_says_first_about_how_long_it_takes(monkeypatch, capsys, words, said):
    def none(*args, **options):
        raise RingletError("nothing is simulated here")

    monkeypatch.setattr(papers, "reproduce", none)
    assert main(["reproduce", *words]) == 2
    assert capsys.readouterr().err.splitlines()[0] == said


def test_the_page_on_performance_has_the_times_that_are_said():
    page = (Path(__file__).parents[2] / "docs/explanation/performance.md").read_text(encoding="utf-8")
    heads = re.search(r"^\| `ringlet reproduce --workers 1 --out out` \| (.*?) \| together", page, re.MULTILINE)[1]
    for scale, head in (("full_s", "full"), ("quick_s", "`--quick`")):
        row = re.search(rf"^\| {head} \| ((?:[\d.]+ \| )+)", page, re.MULTILINE)[1]
        *seconds, together = map(float, row.split(" | ")[:-1])
        assert seconds == [getattr(PAPERS[name], scale) for name in heads.split(" | ")]
        assert sum(seconds) == pytest.approx(together, abs=0.01)
