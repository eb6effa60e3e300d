"""`ringlet check`: every state that a small ring or network can come to, and whether a large one can deadlock."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import exploration, player
from ringlet.cli import output
from ringlet.cli.arguments import AT_LEAST_ONE, PATH, as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.failures import CommandError
from ringlet.cli.progress import counting
from ringlet.cli.tables import Table
from ringlet.errors import RingletError
from ringlet.sections.wording import counted

if TYPE_CHECKING:
    from ringlet.exploration import Checked

_count = partial(click.option, type=AT_LEAST_ONE, show_default=True)


@click.command
@scenario_file
@set_keys
@_count(
    "--under-way",
    metavar="N",
    default=1,
    help="Messages, or transactions, that each flow may have begun and not completed.",
)
@click.option(
    "--losses",
    metavar="N",
    type=click.IntRange(min=0),
    help="Packets and echoes that are lost altogether, at most; default: 1 with [errors], else 0.",
)
@_count(
    "--step",
    metavar="CYCLES",
    default=1,
    help="Cycles between two times at which messages may arrive; with more than 1 not every way is explored.",
)
@_count(
    "--states",
    metavar="N",
    show_default=False,
    help="Most states that are met; default: 1000000, or 60000 if their number only grows: if as large a part of them "
    "waits to be explored as of the first 30000.",
)
@click.option("--seconds", metavar="S", type=click.FloatRange(min=0), help="Most time; default: no limit.")
@click.option(
    "--out",
    metavar="FILE",
    type=PATH,
    help="The counterexample, a page of the ring player; default: SCENARIO-counterexample.html in this folder.",
)
@as_json
def command(
    scenario: Path,
    overrides: Sequence[str],
    under_way: int,
    losses: int | None,
    step: int,
    states: int | None,
    seconds: float | None,
    out: Path | None,
    json: bool,
) -> None:
    """Explore every state that a small ring or network can come to, whatever arrives in which cycle.

    Left alone, is everything delivered and at rest at last, or is there a deadlock, a livelock, lost control state?
    Does every flow get its turn, but for higher priorities? Does any bypass FIFO overflow? With [errors] any packet or
    echo may be lost besides, at any link that has errors. The states are those of the simulator itself. If something
    does not hold the exit code is 1, and a counterexample is written that the ring player plays. For up to 8 nodes and
    link controllers of ports, such as two rings and a switch, and 8 flows (source, destination, length); small packets,
    such as traffic.transaction=send16, have the fewest states.

    Of a larger network of rings it is asked whether it can deadlock with the traffic of the scenario, whenever its
    packets come: either its buffers cannot wait for each other in a circle, or packets are searched for with which they
    do, as few as possible. If neither succeeds the exit code is 2.

    \b
    Examples:
        ringlet check ring.toml --set network.nodes=3 --set "traffic.destinations=[2,0,1]"
        ringlet check ring.toml --set flow_control.protocol=none --out starved.html
        ringlet check ring.toml --under-way 2 --states 5000000 --seconds 600
        ringlet check ring.toml --set errors.bit_error_rate=1e-9 --set errors.timeout=1000 --losses 2
        ringlet check torus.toml --set switch.pooled=true --out deadlock.html
    """
    loaded = load(scenario, overrides)
    out = out or Path(f"{scenario.stem}-counterexample.html")
    if out.is_dir() or not out.parent.is_dir():
        raise RingletError.not_allowed("--out", str(out), "a file in a folder that exists")
    options = {name: f"--{name.replace('_', '-')}" for name in ("under_way", "losses", "step", "states")}
    with refusing(scenario, overrides, **options), counting("exploring states") as progress:
        checked = exploration.check(
            loaded,
            under_way=under_way,
            losses=losses,
            step=step,
            states=states,
            seconds=seconds,
            progress=progress,
        )
    if checked.counterexample is not None:
        player.write_player(checked.counterexample, out)
    if json:
        output.write_json(checked.to_dict(None if checked.counterexample is None else str(out)))
    else:
        rows = Table(("property", "holds"), words=("what was found",))
        for one in checked.properties:
            rows.add_row(one.name, ("yes" if checked.complete else "so far") if one.holds else "no", one.says)
        output.write_table(rows)
        output.write_line(_extent(checked, step, under_way))
    if not checked.holds:
        again = (
            ""
            if checked.repeats_from is None
            else (f", which repeats itself every {checked.round_cycles} cycles from cycle {checked.repeats_from} on")
        )
        broken = next(one for one in checked.properties if not one.holds)
        raise CommandError(f"{scenario}: {broken.name}: {broken.says}; {out} plays it{again}")
    if not checked.complete and not checked.states:
        place = f"<a network that may deadlock, but not in {checked.simulations} simulations>"
        raise RingletError.not_allowed("network", place, "routes, traffic or buffers without a circle, to be proved")
    if not checked.complete:
        allowed = "fewer nodes or flows, shorter packets, a longer --step, or more --states, until all can be explored"
        place = f"<more than {checked.states} states{', whose number only grows' if checked.grows else ''}>"
        raise RingletError.not_allowed("network", place, allowed)


def _extent(checked: "Checked", step: int, under_way: int) -> str:
    """Returns how much was looked at, in a line."""
    searched = f"; {counted(checked.simulations, 'simulation')} searched for one" if checked.simulations else ""
    if not checked.states:
        flows = counted(len(checked.flows), "flow")
        return f"deadlock of a network, of {flows} whose packets come at any time{searched}"
    arriving = "in any cycle" if step == 1 else f"every {step} cycles"
    known = "all there are" if checked.complete else "not all there are"
    return (
        f"{counted(checked.states, 'state')}, {known}, of {counted(len(checked.flows), 'flow')} with up to {under_way} "
        f"message{'s' if under_way > 1 else ''} under way, which arrive {arriving}{searched}"
    )
