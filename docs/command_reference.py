"""Writes the command-line reference from the commands themselves."""

from pathlib import Path

import click
import typer

from ringlet.cli import app

INTRODUCTION = """# Command line

Exit codes: 0 done; 2 bad input, with one message on stderr; 1 anything else. Progress goes to stderr, and only on a
terminal. With `--json` a command prints one JSON object and nothing else on stdout.

`ringlet --install-completion` makes the shell complete commands and options.
"""


def write(path: Path) -> None:
    """Writes the page, unless it is there already and the same."""
    page = render(typer.main.get_command(app))
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def render(command: click.Command) -> str:
    """Returns the page for a group of commands."""
    parts = [INTRODUCTION]
    context = click.Context(command, info_name="ringlet")
    assert isinstance(command, click.Group)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        if found is not None and not found.hidden:
            parts.append(_command(found, click.Context(found, info_name=name, parent=context)))
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"## {command.name}", "", "```text", usage, "```", "", (command.help or "").strip(), ""]
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.hidden:
            continue
        record = parameter.get_help_record(context)
        if record is None:
            names, text = parameter.make_metavar(context), getattr(parameter, "help", None) or ""
        else:
            names, text = record
        lines += [f"`{names}`", f": {' '.join(text.split()) or 'No further description.'}", ""]
    return "\n".join(lines)
