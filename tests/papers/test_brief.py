"""What `ringlet reproduce --brief`, and so `make demo`, says at its end."""

from pathlib import Path
from types import SimpleNamespace

from ringlet.cli.reproduce import write_brief


def reproduction(*verdicts, quick=True):
    rows = [
        SimpleNamespace(verdict=verdict, figure=SimpleNamespace(id=f"paper.row{i}"))
        for i, verdict in enumerate(verdicts)
    ]
    determined = [row for row in rows if row.verdict != "not determined"]
    return SimpleNamespace(
        papers=[SimpleNamespace(title="A paper (1994)", rows=rows)],
        rows=rows,
        determined=len(determined),
        agreeing=sum(row.verdict == "agrees" for row in rows),
        quick=quick,
        wall_s=12.3,
    )


def test_two_sentences_say_how_much_came_out_the_same_and_where_to_look(capsys):
    write_brief(reproduction("agrees", "agrees", "differs", "not determined"), Path("out/report.html"))
    assert capsys.readouterr().out.splitlines() == [
        "A paper (1994), simulated again, with few seeds: 2 of the 3 published figures that the text determines came "
        "out again.",
        "Open out/report.html in a browser to see each figure beside the published one, and the reason where they "
        "differ.",
    ]


def test_without_a_report_the_option_that_writes_one_is_named(capsys):
    write_brief(reproduction("agrees", quick=False))
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("A paper (1994), simulated again: 1 of the 1 ")
    assert second.startswith("'--out DIR' writes a report that shows each figure")
