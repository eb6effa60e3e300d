"""Shell completion: the script that makes a shell complete commands, options and their values."""

import os
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from ringlet.cli import output
from ringlet.cli.failures import CommandError
from ringlet.files import write_text

VARIABLE = "_RINGLET_COMPLETE"

PLACES = {
    "bash": (".bash_completions/ringlet.sh", ".bashrc", "source ~/.bash_completions/ringlet.sh"),
    "zsh": (".zfunc/_ringlet", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/ringlet.fish", None, ""),
    "powershell": (".config/ringlet/completion.ps1", None, ""),
}
"""Files of each shell below the home folder: that of the completion script, that which the shell reads at its start,
and the line there."""


_WORDS = 'COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD'
_ADDED = "COMPREPLY+=($value)"


@add_completion_class
class Bash(BashComplete):
    """Completion in Bash, which takes `--set KEY=VALUE` for several words: at `=` it divides them.

    The program gets the line up to the cursor, divided at blanks only, and Bash the part behind the last `=`.
    """

    source_template = (
        BashComplete.source_template.replace(_WORDS, 'COMP_WORDS="${COMP_LINE:0:$COMP_POINT}" COMP_CWORD=-1')
        .replace("local response", 'local response line="${COMP_LINE:0:$COMP_POINT}"\n    local word="${line##* }"')
        .replace(
            _ADDED,
            '[[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && value="${value#"${word%%=*}="}"\n'
            "            [[ $value == *= ]] && compopt -o nospace\n"
            f"            {_ADDED}",
        )
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """Returns the words before the one that is being written, and this one."""
        if os.environ["COMP_CWORD"] != "-1":  # a script of an earlier version
            return super().get_completion_args()
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        begun = "" if not words or line[-1].isspace() else words.pop()
        return words[1:], begun


_ADDED_IN_ZSH = "compadd -U -V unsorted -a completions"
_LOADED = """\
    # autoload from fpath, call function directly
    %(complete_func)s "$@"
else
    # eval/source/. command, register function for later
    compdef %(complete_func)s %(prog_name)s
fi
"""


@add_completion_class
class Zsh(ZshComplete):
    """Completion in Zsh: a value follows a key, `KEY=`, without a blank.

    Where Zsh loads the script at its first use, it takes the whole file for the function that completes; the function
    in it is registered then, too, or else every second completion would only do that.
    """

    source_template = ZshComplete.source_template.replace(
        _ADDED_IN_ZSH,
        "local -a begun=(${(M)completions:#*=}) whole=(${completions:#*=})\n"
        "        (( $#begun )) && compadd -U -V unsorted -S '' -a begun\n"
        "        (( $#whole )) && compadd -U -V unsorted -a whole",
    ).replace(
        _LOADED,
        '    %(complete_func)s "$@"\nfi\ncompdef %(complete_func)s %(prog_name)s\n',
    )


def show(command: click.Command) -> None:
    """Writes the script for the shell that this process was started from."""
    output.write(_script(command, _shell()))


def install(command: click.Command) -> None:
    """Puts the script where the shell finds it, and says where that is."""
    shell = _shell()
    place, start, line = PLACES[shell]
    file = Path.home() / place
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, _script(command, shell))
    if start is not None:
        read = Path.home() / start
        before = read.read_text(encoding="utf-8") if read.is_file() else ""
        if line not in before.splitlines():
            # Where it is a link, to a folder of such files, what it leads to is written.
            write_text(read.resolve(), f"{before.rstrip()}\n{line}\n".lstrip())
    more = f"; add '. {file}' to $PROFILE" if shell == "powershell" else "; it counts in the next terminal"
    output.write_line(f"{shell} completion installed in {file}{more}")


def _script(command: click.Command, shell: str) -> str:
    made = get_completion_class(shell)
    assert made is not None
    return made(command, {}, "ringlet", VARIABLE).source()


def _shell() -> str:
    import shellingham

    try:
        name = shellingham.detect_shell()[0].lower().replace("pwsh", "powershell")
    except shellingham.ShellDetectionFailure:
        name = "none that is known"
    if name not in PLACES:
        raise CommandError(f"completion is there for {', '.join(PLACES)}; this shell is {name}")
    return str(name)
