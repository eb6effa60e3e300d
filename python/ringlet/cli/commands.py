"""The commands by name. The module of a command is imported when the command is called, not before."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

COMMANDS: Mapping[str, str] = {
    "new": "Write a scenario to begin with, for one of four users.",
    "import": "Take a file of another tool as a scenario.",
    "export": "Write flows and topology for another tool.",
    "run": "Simulate a scenario: a table per node and in total.",
    "bound": "Optimal throughput of each node.",
    "model": "Mean latency and queue length of each node, by a queueing model.",
    "guarantee": "A proven upper bound of each message's response time.",
    "check": "Every state of a small ring: deadlock, livelock, starvation, with a counterexample.",
    "exact": "A small ring under random traffic, solved and not simulated.",
    "group": "Which nodes share a transmission group.",
    "place": "Which node goes where, so that data travel less far.",
    "breakdown": "How much faster a message set may run until it misses a deadline.",
    "verify": "From a message set to a report that an engineer signs.",
    "schedulability": "How many random message sets meet their deadlines, against utilisation.",
    "topology": "Rings, switches, routes, cost and deadlock of a network.",
    "trace": "What happened, symbol by symbol: the ring player, waveforms, timelines, tables.",
    "sweep": "A study: many points, each several times, resumable.",
    "compare": "Two scenarios, runs or sweeps: what differs, with intervals.",
    "advise": "Which network a data-acquisition system needs: cost against what it does.",
    "report": "A page of a sweep: its figures, its points, and some runs more closely.",
    "plot": "Figures of runs and sweeps, as PNG, SVG and PDF.",
    "reproduce": "A paper's tables and figures beside ours.",
    "cite": "How to cite ringlet, or a paper that it reproduces.",
    "bench": "Node-cycles per second on this machine.",
    "store": "Check a store of results, or take what is sound out of a damaged one.",
    "explain": "What a key, a figure or a warning means.",
    "schema": "JSON Schema of each kind of file, and of results.",
}
"""Commands, each with its purpose in a line. A command is `command` in the module `ringlet.cli.NAME`."""


class Commands(click.Group):
    """Lists all commands by their names and summaries, and takes the one that is called from its module."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - those of the base class
        """Takes the options of the base class."""
        listed = {name: click.Command(name, short_help=summary) for name, summary in COMMANDS.items()}
        super().__init__(commands=listed, **options)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of `COMMANDS`."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the name of the command that is called, the command itself, and what follows it."""
        name, listed, rest = super().resolve_command(ctx, args)
        if listed is None:
            return name, None, rest
        command: click.Command = import_module(f"ringlet.cli.{listed.name}").command
        command.name = listed.name
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as the base class
        """Calls the command.

        Raises:
            click.Abort: Ctrl-C, about which click itself would write an empty line.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.Abort from error
