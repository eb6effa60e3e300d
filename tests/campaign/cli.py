"""Commands in this process, held to what is promised of any input: an exit code, and one line for what is wrong."""

import contextlib
import io
from collections.abc import Sequence

from campaign.observe import require
from ringlet.cli import main

LONGEST_LINE = 2000
"""Characters that a message may have: it quotes names of files and the beginnings of values."""


def command(
    *arguments: str, fails: Sequence[str] = (), verdicts: Sequence[int] = (), printed: list[str] | None = None
) -> str:
    """Runs a command and returns how it ended: `done`, `refused`, `verdict` where it ended with one of `verdicts` and
    without a message, or `failed` where its message says one of `fails`. What it prints is appended to `printed`.

    Raises:
        RuleError: another exit code, no message, a line that is no error of its own, an internal error.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
    # What tells of progress is no message.
    told = err.getvalue().splitlines(keepends=True)
    message = "".join(line for line in told if not line.startswith("simulating: "))
    if printed is not None:
        printed.append(out.getvalue())
    if code in verdicts and not message:
        return "verdict"
    if code == 0:
        require(not message, f"done, but stderr has {message!r}")
        return "done"
    require(code in (1, 2), f"exit code {code}: {message}")
    require("internal error" not in message, message.strip())
    body = message.removesuffix("\n")
    lines = body.split("\n")
    require(
        message.endswith("\n") and all(line.isprintable() and line.startswith("ringlet: ") for line in lines),
        f"not one line for each error: {message!r}",
    )
    longest = max(map(len, lines))
    require(longest <= LONGEST_LINE, f"a message of {longest} characters: {body}")
    if code == 1:
        require(any(words in body for words in fails), f"exit code 1 for bad input: {body}")
        return "failed"
    return "refused"
