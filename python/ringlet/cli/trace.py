"""`ringlet trace` records a window of a run for a viewer."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import player, trace
from ringlet.cli import output
from ringlet.cli.arguments import PATH, completed_from, load, options_named, refusing, run_seed, scenario_file, set_keys
from ringlet.cli.failures import CommandError
from ringlet.cli.progress import working
from ringlet.errors import RingletError
from ringlet.scenario.values.units import cycle_at

if TYPE_CHECKING:
    from ringlet.trace import Recording


FORMATS = ("player", "vcd", "fst", "perfetto", "csv", "parquet")
"""Formats of a recording; all but the player are written by `ringlet.trace.write`."""


@click.command
@scenario_file
@click.option(
    "--format",
    "file_format",
    metavar="FORMAT",
    required=True,
    help="player (a page that plays the ring), vcd or fst (GTKWave, Surfer), perfetto (ui.perfetto.dev, "
    "chrome://tracing), csv or parquet.",
    shell_complete=completed_from(lambda: FORMATS),
)
@click.option("--out", metavar="FILE", type=PATH, required=True, help="File to write.")
@click.option(
    "--from",
    "start",
    metavar="TIME",
    default="0",
    show_default=True,
    help="Start of the window: cycles, or a time such as '20 us'.",
)
@click.option("--to", "stop", metavar="TIME", help="End of the window; default: 10,000 cycles after its start.")
@set_keys
@click.option(
    "--beside",
    metavar="KEY=VALUE",
    multiple=True,
    help="Of the player: a second run with this key replaced, too, beside the first in lock-step. May be repeated.",
)
@run_seed
def command(
    scenario: Path,
    file_format: str,
    out: Path,
    start: str,
    stop: str | None,
    overrides: Sequence[str],
    beside: Sequence[str],
    seed: int | None,
) -> None:
    """Record a window of a run and write everything that happens in it: each symbol on each link, bypass FIFOs, queues,
    heads, go bits, the fate of packets.

    The run is that of `ringlet run`, from the empty ring at cycle 0 on; what lies before the window is simulated at
    full speed. The player is one page that needs nothing else and opens at a cycle by its address, as in
    ring.html#cycle=1200&node=2; it prints the moments that it found worth looking at.

    \b
    Examples:
        ringlet trace ring.toml --format player --out ring.html
        ringlet trace ring.toml --format player --out both.html --beside flow_control.protocol=none
        ringlet trace ring.toml --format fst --out ring.fst --from "20 us" --to "60 us"
        ringlet trace ring.toml --format parquet --out ring.parquet --set flow_control.protocol=none
    """
    if file_format not in FORMATS:
        raise RingletError.not_allowed("--format", file_format, ", ".join(FORMATS))
    if beside and file_format != "player":
        raise RingletError.not_allowed("--beside", beside[0], f"only with --format player, not {file_format}")
    loaded = load(scenario, overrides, seed)
    second = load(scenario, [*overrides, *beside], seed) if beside else None
    first = cycle_at("--from", start, loaded.symbol_time_ns)
    if stop is not None and cycle_at("--to", stop, loaded.symbol_time_ns) <= first:
        raise RingletError(f"--to: {stop} is not after --from {start}; allowed: a later time")
    _check_file(out)
    with working(f"recording {loaded.network.nodes} nodes"):
        options = {"start": "--from", "stop": "--to", "second": "--beside"}
        with refusing(scenario, overrides, **options):
            recording = trace.record(loaded, start=start, stop=stop)
        with refusing(scenario, [*overrides, *beside], **options):
            other = None if second is None else trace.record(second, start=start, stop=stop)
        with options_named(options):
            if other is None:
                _write(recording, file_format, out)
            else:
                _write_both(recording, other, beside, out)
    layout = recording.layout
    ports = " with two interfaces each" if layout.seconds else f" and {len(layout.ports)} ports" if layout.ports else ""
    output.write_line(
        f"{out}: cycles {recording.start} to {recording.stop} of {recording.nodes} nodes{ports}, seed {recording.seed}"
    )
    if file_format == "player":
        _write_moments(recording, out)
    if other is not None:
        output.write_line(f"with {', '.join(beside)}:")
        _write_moments(other, out)
    for one in filter(None, (recording, other)):
        if one.stall is not None:
            what = "network" if one.layout.is_network else "ring"
            raise CommandError(
                f"{scenario}: the {what} stalled at cycle {one.stall['since_cycle']}: {one.stall['detail']}"
            )


def _check_file(out: Path) -> None:
    """Refuses a file that cannot be written before anything is simulated."""
    if out.is_dir():
        raise RingletError.not_allowed("--out", str(out), "a file, and this is a folder")
    if not out.parent.is_dir():
        raise RingletError.not_allowed("--out", str(out), f"a file in a folder that exists, and {out.parent} does not")


def _write(recording: "Recording", file_format: str, out: Path) -> None:
    if file_format == "player":
        player.write_player(recording, out)
    else:
        trace.write(recording, out, file_format)


def _write_both(recording: "Recording", other: "Recording", beside: Sequence[str], out: Path) -> None:
    first = f"flow control {recording.protocol}"
    # Told by the protocols, or where these are equal by the keys that differ.
    second = f"flow control {other.protocol}" if other.protocol != recording.protocol else ", ".join(beside)
    player.write_both(recording, other, out, names=(first, second))


def _write_moments(recording: "Recording", out: Path) -> None:
    for moment in trace.moments(recording):
        output.write_line(f"  {moment.name}: {out}#{moment.address}")
