"""What the shell completes behind `--set`: in Bash, Zsh and fish themselves, and what the latter two are given."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pexpect
import pytest
from click.shell_completion import get_completion_class

from ringlet.cli.app import app
from ringlet.cli.completion import VARIABLE, Bash

COMMAND = Path(sys.executable).parent / "ringlet"
ON_A_TERMINAL = {
    "zsh": (
        ".zshrc",
        "PS1='ready> '; fpath+=$HOME; autoload -Uz compinit; compinit -u -D; bindkey -e\n"
        'show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^X" show\n',
        "_ringlet",
    ),
    "fish": (
        ".config/fish/config.fish",
        "function show; echo '<'(commandline)'>'; end\nfunction fish_prompt; echo 'ready> '; end\nbind \\cx show\n",
        ".config/fish/completions/ringlet.fish",
    ),
}
"""What a shell reads at its start, so that Control-X shows the line that is being written, and where it looks for the
script; below the home folder."""


def needs(shell: str) -> pytest.MarkDecorator:
    reason = f"completion in {shell} is not tested without it (Debian and Ubuntu: apt install {shell})"
    return pytest.mark.skipif(shutil.which(shell) is None, reason=reason)


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


@needs("bash")
def test_a_key_is_completed_behind_set():
    found = completed(
        "ringlet run ring.toml --set flow_control.prot", ["ringlet", "run", "a", "--set", "flow_control.prot"]
    )
    assert found == ["flow_control.protocol="]


@needs("bash")
def test_a_value_is_completed_behind_its_key():
    line = "ringlet run ring.toml --set flow_control.protocol=to"
    words = ["ringlet", "run", "ring.toml", "--set", "flow_control.protocol", "=", "to"]
    assert completed(line, words) == ["token-ring"]
    assert "rpr" in completed(line.removesuffix("to"), [*words[:-1], ""])


@needs("bash")
def test_commands_are_completed_as_before():
    assert completed("ringlet expl", ["ringlet", "expl"]) == ["explain"]


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


@pytest.mark.parametrize("shell", [pytest.param("zsh", marks=needs("zsh")), pytest.param("fish", marks=needs("fish"))])
def test_a_shell_completes_each_time_and_sets_no_blank_between_key_and_value(shell, tmp_path):
    start, settings, script = ON_A_TERMINAL[shell]
    made = get_completion_class(shell)
    for file, text in ((start, settings), (script, made(app, {}, "ringlet", VARIABLE).source())):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    home = {name: str(tmp_path) for name in ("HOME", "ZDOTDIR")} | {"XDG_CONFIG_HOME": str(tmp_path / ".config")}
    terminal = pexpect.spawn(
        shell, ["-i"], env=os.environ | home | {"PATH": path, "TERM": "dumb"}, encoding="utf-8", dimensions=(40, 200)
    )
    terminal.expect_exact("ready> ")
    for begun, whole in (
        ("ringlet run a --set flow_control.prot", "ringlet run a --set flow_control.protocol="),
        ("ringlet run a --set flow_control.protocol=to", "ringlet run a --set flow_control.protocol=token-ring "),
        ("ringlet exp", "ringlet explain "),
    ):
        terminal.send(f"{begun}\t\x18")
        terminal.expect(r"<([^>]*)>", timeout=60)
        assert terminal.match[1] == whole
        terminal.send("\x15")
    terminal.close(force=True)
