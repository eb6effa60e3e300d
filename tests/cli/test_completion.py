"""What the shell completes behind `--set`: in Bash itself, and what zsh and fish are given."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from ringlet.cli.app import app
from ringlet.cli.completion import VARIABLE, Bash

COMMAND = Path(sys.executable).parent / "ringlet"
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="completion in Bash is not tested without bash")


def completed(line: str, words: list[str]) -> list[str]:
    """What Bash puts in place of the last word: it divides the line into words at `=`, too."""
    assert isinstance(app, click.Command)
    script = Bash(app, {}, "ringlet", VARIABLE).source()
    quoted = " ".join(f"'{word}'" for word in words)
    test = (
        f"{script}\ncompopt() {{ :; }}\nCOMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({quoted})\n"
        f"COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_ringlet_completion '{COMMAND}'\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", test], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_key_is_completed_behind_set():
    found = completed(
        "ringlet run ring.toml --set flow_control.prot", ["ringlet", "run", "a", "--set", "flow_control.prot"]
    )
    assert found == ["flow_control.protocol="]


def test_a_value_is_completed_behind_its_key():
    line = "ringlet run ring.toml --set flow_control.protocol=to"
    words = ["ringlet", "run", "ring.toml", "--set", "flow_control.protocol", "=", "to"]
    assert completed(line, words) == ["token-ring"]
    assert "rpr" in completed(line.removesuffix("to"), [*words[:-1], ""])


def test_commands_are_completed_as_before():
    assert completed("ringlet exp", ["ringlet", "exp"]) == ["explain"]


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("flow_control.prot", "flow_control.protocol="),
        ("flow_control.protocol=to", "flow_control.protocol=token-ring"),
    ],
)
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_given_keys_and_values(shell, begun, whole):
    line = "ringlet run ring.toml --set"
    # What the script of each hands on: zsh the line and the place of the word, fish the word.
    words = {"zsh": (f"{line} {begun}", "4"), "fish": (line, begun)}[shell]
    asked = dict(zip((VARIABLE, "COMP_WORDS", "COMP_CWORD"), (f"{shell}_complete", *words), strict=True))
    done = subprocess.run([COMMAND], env=os.environ | asked, capture_output=True, text=True, check=True)
    assert whole in done.stdout.replace(",", "\n").splitlines()
