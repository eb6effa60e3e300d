"""What `ringlet reproduce --brief`, and so `make demo`, says at its end."""

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


def test_three_sentences_say_what_was_done_what_agrees_and_what_differs(capsys):
    write_brief(reproduction("agrees", "agrees", "differs", "not determined"))
    assert capsys.readouterr().out.splitlines() == [
        "A paper (1994): simulated again in 12 s, with few seeds, which is a check and no result.",
        "Of 3 published figures that the text determines, ours agree with 2; 1 more depend on what it leaves open.",
        "These differ: paper.row2; the report shows each beside ours, and why.",
    ]


def test_where_all_agree_none_differs(capsys):
    write_brief(reproduction("agrees", quick=False))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("with all seeds.")
    assert lines[2] == "None differs; the report shows each beside ours, and why."
