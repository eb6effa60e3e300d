"""What links have lost, as a table, and what became of links and nodes that failed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.cli.figures import column, figure
from ringlet.cli.tables import SHOWN_NODES, left_out, table

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = (
    "packets lost\non link to it",
    "echoes\nlost",
    "\ntime-outs",
    "packets\ngiven up",
    "first\ntime-out us",
    "first\ngiven up us",
)

COUNTS = ("lost_sends", "lost_echoes", "timeouts", "given_up_packets")


def by_interface(errors: Mapping[str, Any]) -> "Table":
    """Returns what was lost on the link to each interface and what that one noticed, and in total."""
    interfaces = errors["interfaces"]
    shown = interfaces[:SHOWN_NODES]
    rows = table(("interface", *COLUMNS))
    for name, *figures in zip([one["name"] for one in shown], *_figures(shown), strict=True):
        rows.add_row(name, *figures)
    left_out(len(interfaces), rows)
    rows.add_row("total", *(figures[0] for figures in _figures([errors])), style="bold")
    return rows


def failure_lines(failures: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns a line for each link or node that fails."""
    return [_line(failure) for failure in failures]


def given_up_lines(total: Mapping[str, Any]) -> list[str]:
    """Returns a line about data that senders gave up, if there is any."""
    if not total["given_up_packets"]:
        return []
    return [
        f"{total['given_up_packets']} packets given up: {figure(total['given_up_MBps'])} MB/s beside what was lost at senders"
    ]


def _line(failure: Mapping[str, Any]) -> str:
    what = f"{failure['what']} fails at {figure(failure['fails_at_ns'] / 1e3)} us"
    if failure["first_loss_ns"] is None:
        return f"{what}: nothing was lost"
    lost = f"{failure['lost_sends']} packets and {failure['lost_echoes']} echoes lost"
    first = f"the first after {figure(failure['first_loss_ns'] / 1e3)} us"
    if failure["noticed_ns"] is None:
        return f"{what}: {lost}, {first}; not noticed by the end"
    return f"{what}: {lost}, {first}; noticed after {figure(failure['noticed_ns'] / 1e3)} us"


def _figures(records: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    times = [
        column(None if record[key] is None else record[key] / 1e3 for record in records)
        for key in ("first_timeout_ns", "first_given_up_ns")
    ]
    return [*([str(record[key]) for record in records] for key in COUNTS), *times]
