"""What `ringlet reproduce --brief`, and so `make demo`, says at its end."""

from pathlib import Path
from types import SimpleNamespace

from ringlet.cli.reproduce import write_brief


def reproduction(*verdicts, quick=True):
    rows = [
        SimpleNamespace(verdict=verdict, figure=SimpleNamespace(id=f"paper.row{i}"))
        for i, verdict in enumerate(verdicts)
    ]
    return SimpleNamespace(
        papers=[SimpleNamespace(title="A paper (1994)", rows=rows)],
        rows=rows,
        verdicts={each: verdicts.count(each) for each in ("agrees", "possible", "differs")},
        quick=quick,
        wall_s=12.3,
    )


def test_two_sentences_say_how_much_came_out_the_same_and_where_to_look(capsys):
    write_brief(reproduction("agrees", "agrees", "differs", "possible"), Path("out/report.html"))
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "A paper (1994), simulated again, with few seeds: of 4 published figures 2 came out again, 1 may, by what the "
        "text leaves open, and 1 differ.",
        "Open out/report.html in a browser to see each figure beside the published one, and the reason where they "
        "differ.",
    ]
    assert said.err == "12 s\n"


def test_without_a_report_the_option_that_writes_one_is_named(capsys):
    write_brief(reproduction("agrees", quick=False))
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("A paper (1994), simulated again: of 1 published figures 1 came out again")
    assert second.startswith("'--out DIR' writes a report that shows each figure")
