"""Writes the command-line reference from the commands themselves."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from ringlet.cli.app import app

INTRODUCTION = """# Command line

Exit codes: 0 done; 2 bad input, with one message on stderr; 3 a verdict fails, of `run --verdict`,
`guarantee`, `breakdown --at` and `verify`; 141 the reader of the output has left, such as `head`; 130 ended by SIGINT
and 143 by SIGTERM, within a second and with what is kept on stderr; 1 anything else. Runs of the same scenario and seed
print the same bytes; how fast a machine is goes to stderr.
Progress goes to stderr, and only on a terminal; `reproduce`, which takes minutes, writes a line for each scenario file
anywhere. With `--json` a command prints one JSON object and nothing else on
stdout.

`ringlet --install-completion` makes the shell complete commands and options.
"""

VERBATIM = "\b"
"""Marks a paragraph of a help text that keeps its line breaks."""


def write(path: Path) -> None:
    """Writes the page, unless it is there already and the same."""
    page = render(app)
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def render(group: click.Group) -> str:
    """Returns the page for a group of commands."""
    context = group.make_context("ringlet", [], resilient_parsing=True)
    return "\n".join([INTRODUCTION, *commands(group, context, heading="##")])


def commands(group: click.Group, parent: click.Context, *, heading: str) -> Iterator[str]:
    """Yields a section for each command of a group, and for each of its own commands."""
    for name in group.commands:
        _, command, _ = group.resolve_command(parent, [name])
        assert command is not None
        context = command.make_context(name, [], parent=parent, resilient_parsing=True)
        yield _command(command, context, heading)
        if isinstance(command, click.Group):
            yield from commands(command, context, heading=f"{heading}#")


def _command(command: click.Command, context: click.Context, heading: str) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    title = f"{heading} {context.command_path.removeprefix('ringlet ')}"
    lines = [title, "", "```text", usage, "```", "", help_text(inspect.cleandoc(command.help or "")), ""]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and not getattr(parameter, "hidden", False):
            names, text = record
            lines += [f"`{names}`", f": {' '.join(text.split())}", ""]
    return "\n".join(lines)


def help_text(text: str) -> str:
    """Returns the help of a command as Markdown."""
    return "\n\n".join(_paragraph(paragraph) for paragraph in text.strip().split("\n\n"))


def _paragraph(paragraph: str) -> str:
    if not paragraph.startswith(VERBATIM):
        return paragraph
    lines = paragraph.removeprefix(VERBATIM).strip("\n").splitlines()
    title = [lines.pop(0), ""] if lines[0].endswith(":") else []
    return "\n".join([*title, "```text", *(line.removeprefix("    ") for line in lines), "```"])
