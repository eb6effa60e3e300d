"""Tables of lost packets and echoes, and of links and nodes that failed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.cli.figures import figure
from ringlet.cli.run_tables import columns, headings
from ringlet.cli.tables import SHOWN_NODES, left_out, table
from ringlet.figures.errors import COUNTS, FIRST

if TYPE_CHECKING:
    from rich.table import Table


def by_interface(errors: Mapping[str, Any]) -> "Table":
    """Returns what was lost on the link to each interface and what its time-outs detected, and in total."""
    interfaces = errors["interfaces"]
    shown = interfaces[:SHOWN_NODES]
    figures = (*COUNTS, *FIRST)
    rows = table(("interface", *headings(figures)))
    for one, *cells in zip(shown, *columns(figures, shown), strict=True):
        rows.add_row(one["name"], *cells)
    left_out(len(interfaces), rows)
    rows.add_row("total", *(cells[0] for cells in columns(figures, [errors])), style="bold")
    return rows


def failure_lines(failures: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns a line for each link or node that fails."""
    return [_line(failure) for failure in failures]


def given_up_lines(total: Mapping[str, Any]) -> list[str]:
    """Returns a line about data that senders gave up, if there is any."""
    if not total["given_up_packets"]:
        return []
    return [
        f"{total['given_up_packets']} packets given up: {figure(total['given_up_MBps'])} MB/s beside what was lost at "
        f"senders"
    ]


def _line(failure: Mapping[str, Any]) -> str:
    what = f"{failure['what']} fails at {figure(failure['fails_at_ns'] / 1e3)} us"
    if failure["first_loss_ns"] is None:
        return f"{what}: nothing was lost"
    lost = f"{failure['lost_sends']} packets and {failure['lost_echoes']} echoes lost"
    first = f"the first after {figure(failure['first_loss_ns'] / 1e3)} us"
    if failure["noticed_ns"] is None:
        return f"{what}: {lost}, {first}; not detected by the end"
    return f"{what}: {lost}, {first}; detected after {figure(failure['noticed_ns'] / 1e3)} us"
