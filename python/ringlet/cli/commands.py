"""The commands by name. The module of a command is imported when the command is called, not before."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS: Mapping[str, str] = {
    "run": "Simulate a scenario: a table per node and in total.",
    "bound": "Optimal throughput of each node.",
    "model": "Mean latency and queue length of each node, by a queueing model.",
    "group": "Which nodes share a transmission group.",
    "breakdown": "How much faster a message set may run until it misses a deadline.",
    "topology": "Rings, switches, routes, cost and deadlock of a network.",
    "trace": "What happened, symbol by symbol: the ring player, waveforms, timelines, tables.",
    "sweep": "A study: many points, each several times, resumable.",
    "advise": "Which network a data-acquisition system needs: cost against what it does.",
    "plot": "Figures of runs and sweeps, as PNG and SVG.",
    "reproduce": "A paper's tables and figures beside ours.",
    "bench": "Node-cycles per second on this machine.",
    "store": "Check a store of results, or take what is sound out of a damaged one.",
    "schema": "JSON Schema of scenario, study and requirements files, for editors.",
}
"""What each command is for. In the module `ringlet.cli.NAME`, `command` is the command, or `app` holds its commands."""


class Commands(TyperGroup):
    """Lists all commands by their names and summaries, and makes the one that is called from its module."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - those of the base class
        """Takes the options of the base class."""
        super().__init__(**options)
        for name, summary in COMMANDS.items():
            self.add_command(TyperCommand(name, short_help=summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:  # noqa: ANN401
        """Returns the name of the command that is called, the command itself, and what follows it."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, None if listed is None else _load(str(listed.name)), rest


def _load(name: str) -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    module = import_module(f"ringlet.cli.{name}")
    if hasattr(module, "app"):
        return typer.main.get_command(module.app)
    one = typer.Typer(rich_markup_mode=None, add_completion=False)
    one.command(name=name, short_help=COMMANDS[name])(module.command)
    return typer.main.get_command(one)
