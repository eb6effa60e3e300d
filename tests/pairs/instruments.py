"""Instruments: every command that takes a scenario, what a program steps, and a sweep."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import tomli_w

import ringlet as rl
from campaign.checks import counts, relations
from campaign.observe import Observed
from ringlet.cli.commands import COMMANDS

Instrument = Callable[[dict[str, Any], Path], None]
"""Takes what a scenario file holds, and the folder of its files; raises where something does not hold."""


def run(content: dict[str, Any], folder: Path) -> None:
    """Runs it: packets and symbols are conserved, and neither steps nor threads matter."""
    scenario = rl.Scenario.from_dict(content, base_dir=folder)
    observed = Observed(scenario, folder, Random(1))
    for check in (
        counts.symbols_are_conserved,
        counts.packets_are_conserved,
        counts.queues_keep_their_places,
        counts.a_trace_is_accounted_for,
        relations.pieces_do_not_matter,
        relations.threads_do_not_matter,
    ):
        check(observed)
    document = observed.document
    if not content["errors"]:
        generated = observed.counted.flows["generated_packets"].sum()
        assert document["stall"] is None
        assert generated == 0 or observed.counted.flows["delivered_packets"].sum() > 0


def stepping(content: dict[str, Any], folder: Path) -> None:
    """Steps it: what a fork does equals what the simulation itself does."""
    scenario = rl.Scenario.from_dict(content, base_dir=folder)
    simulation = rl.Simulation(scenario)
    network = scenario.routed_network[0]
    sender = int(network.senders[0])
    receiver = next(int(node) for node in network.receivers if node != sender)
    simulation.inject(sender, receiver, size=16)
    simulation.advance(700)
    fork = simulation.fork()
    simulation.advance(2_000)
    for _ in range(4):
        fork.advance(500)
    # What was lost has no times, and NaN is not equal to itself.
    assert repr(simulation.deliveries()) == repr(fork.deliveries())
    ours, theirs = simulation.counters().nodes, fork.counters().nodes
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def sweep(content: dict[str, Any], folder: Path) -> None:
    """Sweeps it over the seed."""
    with ThreadPoolExecutor(1) as executor:
        swept = rl.sweep(rl.Scenario.from_dict(content, base_dir=folder), {}, replications=2, executor=executor)
    assert len(swept.points) == 2


def check(content: dict[str, Any], folder: Path) -> None:
    """Explores a ring or a small network, as far as some hundred states, or looks for a deadlock of a large one."""
    try:
        rl.check(rl.Scenario.from_dict(content, base_dir=folder), step=64, states=300, seconds=1)
    except rl.RingletError as error:
        if "states> is not allowed" not in str(error):
            raise


def exact(content: dict[str, Any], folder: Path) -> None:
    """Solves a small ring, as far as some hundred states."""
    try:
        rl.exact(rl.Scenario.from_dict(content, base_dir=folder), states=300)
    except rl.RingletError as error:
        if "states> is not allowed" not in str(error):
            raise


def plot(content: dict[str, Any], folder: Path) -> None:
    """Makes every figure of a run of it, without drawing it."""
    from ringlet.plots import run_charts

    assert len(run_charts(rl.run(rl.Scenario.from_dict(content, base_dir=folder)))) >= 3


WORDS: Mapping[str, tuple[str, ...]] = {
    "breakdown": ("--tolerance", "0.9", "--trials", "2", "--protocol", "{protocol}"),
    "export": ("--format", "csv", "--explain"),
    "trace": ("--to", "800", "--format", "player", "--out", "player.html"),
}
"""What a command needs besides the scenario, or what makes it short."""


def _command(name: str) -> Instrument:
    def call(content: dict[str, Any], folder: Path) -> None:
        file = folder / "scenario.toml"
        file.write_text(tomli_w.dumps(content), encoding="utf-8")
        words = [
            str(folder / word) if word.endswith(".html") else word.format(**content["flow_control"])
            for word in WORDS.get(name, ())
        ]
        import_module(f"ringlet.cli.{name}").command.main([str(file), *words], standalone_mode=False)

    return call


def _takes_a_scenario(name: str) -> bool:
    return any(one.name == "scenario" for one in import_module(f"ringlet.cli.{name}").command.params)


INSTRUMENTS: Mapping[str, Instrument] = {
    **{name: _command(name) for name in COMMANDS if _takes_a_scenario(name)},
    "run": run,
    "check": check,
    "exact": exact,
    "plot": plot,
    "sweep": sweep,
    "stepping": stepping,
}
"""By name."""
