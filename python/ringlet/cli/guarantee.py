"""`ringlet guarantee`: proven upper bounds of response times."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ringlet import plots
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.failures import VERDICT_FAILS
from ringlet.cli.tables import MISSING, Table, column
from ringlet.errors import RingletError
from ringlet.theory.guarantee import PARTS, checked, guarantee_records

PICTURES = (".png", ".svg")


MOST_NAMED = 8
"""Messages that the line about all of them names."""


@click.command
@scenario_file
@set_keys
@click.option("--rate", metavar="RATE", help="Most that each node's background traffic sends, such as '20 MB/s'.")
@click.option("--burst", metavar="SIZE", help="What it may send at once beyond that, such as '1 KiB'.")
@click.option(
    "--jitter",
    metavar="TIME",
    default="0",
    help="Most time by which a message is released after it is due, where its own jitter is less; default: 0.",
)
@click.option(
    "--losses",
    metavar="COUNT",
    type=int,
    default=0,
    help="Packets and echoes that are lost at most, at whatever places; default: 0.",
)
@click.option(
    "--offsets", is_flag=True, help="Bounds for the offsets of the file, kept to the cycle, instead of for all phases."
)
@click.option(
    "--any-failure",
    is_flag=True,
    help="Bounds with any one cable or station failed, of a dual-attached ring with copies; but at its ends.",
)
@click.option("--plot", metavar="FILE", type=PATH, help="Draw bounds and deadlines: .svg or .png.")
@as_json
def command(
    scenario: Path,
    overrides: Sequence[str],
    rate: str | None,
    burst: str | None,
    jitter: str,
    losses: int,
    offsets: bool,
    any_failure: bool,
    plot: Path | None,
    json: bool,
) -> int:
    """Compute a proven upper bound of each message's response time, without a simulation.

    A bound holds for every phase of the messages: offsets do not count, and a message may come less often than its
    period says; with --offsets it holds for the offsets of the file. It is for messages on a ring or on rings that
    switches join; of transactions with responses it is the time until the last response has been served, of control
    loops that until the last node has done its work. Where none is proven, as for some protocols, the table says why.
    The page "Guaranteed response times" of the documentation has conditions and proofs. Where a deadline is not
    guaranteed the exit code is 3.

    \b
    Examples:
        ringlet guarantee message-set.toml --set flow_control.stop_thru=false
        ringlet guarantee message-set.toml --set flow_control.protocol=sci --json
        ringlet guarantee message-set.toml --jitter "200 ns" --plot bounds.svg
    """
    loaded = load(scenario, overrides)
    assumed = checked(rate, burst, jitter, losses, offsets=offsets, failure=any_failure)
    if plot is not None and plot.suffix.lower() not in PICTURES:
        raise RingletError.not_allowed("--plot", str(plot), "a name that ends in .svg or .png")
    with refusing(scenario, overrides):
        found = guarantee_records(loaded, assumed)
    if plot is not None:
        _draw(found, plot)
    messages = found["messages"]
    code = VERDICT_FAILS if any(one["guaranteed"] is False for one in messages) else 0
    if json:
        output.write_json(found)
        return code
    shown = [part for part in PARTS if part != "switches" or loaded.network.switched]
    rows = Table(
        (
            "message",
            "bound\nus",
            "deadline\nus",
            "margin\nus",
            "guaranteed",
            *(f"{name}\nus" for name in map(_words, shown)),
        )
    )
    columns = [column(one[key] for one in messages) for key in ("bound_us", "deadline_us", "margin_us")]
    parts = [column((one["parts_us"] or {}).get(part) for one in messages) for part in shown]
    for i, one in enumerate(messages):
        verdict = {True: "yes", False: "no", None: MISSING}[one["guaranteed"]]
        rows.add_row(one["name"], *(each[i] for each in columns), verdict, *(each[i] for each in parts))
    if any(one["bound_us"] is not None for one in messages):
        output.write_table(rows)
    for why in dict.fromkeys(one["why"] for one in messages if one["why"] is not None):
        names = [one["name"] for one in messages if one["why"] == why]
        which = "all messages" if len(names) == len(messages) else ", ".join(names)
        output.write_line(f"no bound for {which}: {why}", style="yellow")
    output.write_line(_summary(messages, " for these offsets" if offsets else ""))
    if plot is not None:
        output.write_line(f"The drawing: {plot}")
    return code


def _summary(messages: Sequence[Mapping[str, Any]], phases: str) -> str:
    """Says in one line whether all deadlines are guaranteed, in which phases, and which are not."""
    late = [str(one["name"]) for one in messages if one["guaranteed"] is False]
    messages = [one for one in messages if one["deadline_us"] is not None]
    if not messages:
        return "deadlines: none is given"
    if not late:
        least = min(messages, key=lambda one: one["margin_us"] / one["deadline_us"])
        share = 100 * least["margin_us"] / least["deadline_us"]
        margin = f"{least['name']}, {least['margin_us']:.4g} us, {share:z.0f} % of its deadline"
        return f"deadlines: all {len(messages)} guaranteed{phases}; least margin: {margin}"
    if len(late) == len(messages):
        return f"deadlines: none guaranteed{phases}"
    more = f" and {len(late) - MOST_NAMED} more" if len(late) > MOST_NAMED else ""
    kept = f"{len(messages) - len(late)} of {len(messages)}"
    return f"deadlines: {kept} guaranteed{phases}; not that of {', '.join(late[:MOST_NAMED])}{more}"


def _words(part: str) -> str:
    return part.replace("_", "\n") if "_" in part else part


def _draw(found: Mapping[str, Any], file: Path) -> None:
    plots.save(
        plots.guarantee_chart(found, name=file.stem),
        file.parent,
        ("svg",) if file.suffix.lower() == ".svg" else ("png",),
    )
