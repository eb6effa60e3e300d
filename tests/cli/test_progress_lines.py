"""Progress without a terminal: lines, and none from what is short."""

from ringlet.cli import progress


def test_without_a_terminal_progress_is_a_line_at_most_every_ten_seconds(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.counting("simulating", lines=True) as advance:
        for second in range(31):
            now[0] = 100.0 + second
            advance(second, 40)
    assert capsys.readouterr().err.splitlines() == [
        "simulating: 10 of 40, 10 s",
        "simulating: 20 of 40, 20 s",
        "simulating: 30 of 40, 30 s",
    ]


def test_what_is_short_writes_no_progress(capsys):
    with progress.counting("simulating", lines=True) as advance:
        advance(1, 1)
    assert capsys.readouterr().err == ""


def test_progress_is_for_a_terminal_where_lines_are_not_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    with progress.counting("simulating") as advance:
        advance(1, 2)
    assert capsys.readouterr().err == ""
