"""The man page is that of the commands as they are, and `man` takes it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "generators"))

import man_page  # noqa: E402

from ringlet.cli.commands import COMMANDS  # noqa: E402


def words(page: str) -> list[str]:
    """What the page says, without its layout, which another release of docutils may write otherwise."""
    text = " ".join(line for line in page.splitlines() if not line.startswith((".", "'")))
    return re.sub(r"\\f[A-Z]", "", text).replace(r"\-", "-").split()


def test_it_says_what_the_commands_say():
    kept = words(man_page.PAGE.read_text(encoding="utf-8"))
    assert kept == words(man_page.render()), "write it again: .venv/bin/python docs/generators/man_page.py"
    assert len(kept) > 3000


@pytest.mark.skipif(shutil.which("man") is None, reason="the man page is not shown without man (apt install man-db)")
def test_man_shows_every_command():
    man = ["man", "--warnings", "--local-file", str(man_page.PAGE)]
    environment = {"PATH": "/usr/bin:/bin", "MANWIDTH": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(man, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ringlet(1)")
    headings = re.findall(r"^   (\S.*)$", done.stdout, re.MULTILINE)
    assert [name for name in headings if " " not in name] == list(COMMANDS)
