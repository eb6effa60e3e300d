"""Tables of link controllers and B-Links."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.cli.figure_columns import columns, headings
from ringlet.cli.tables import SHOWN_NODES, left_out, table
from ringlet.figures import Figure
from ringlet.figures.switches import B_LINK, CONTROLLER

if TYPE_CHECKING:
    from rich.table import Table


def by_controller(controllers: Sequence[Mapping[str, Any]]) -> "Table":
    """Returns what link controllers sent, took and refused, and their queues."""
    return _by_name("link controller", CONTROLLER, controllers)


def by_b_link(links: Sequence[Mapping[str, Any]]) -> "Table":
    """Returns what B-Links moved."""
    return _by_name("B-Link", B_LINK, links)


def _by_name(what: str, figures: Sequence[Figure], records: Sequence[Mapping[str, Any]]) -> "Table":
    shown = records[:SHOWN_NODES]
    named = [figure for figure in figures if figure.heading]
    rows = table((what, *headings(named)))
    for one, *cells in zip(shown, *columns(named, shown), strict=True):
        rows.add_row(one["name"], *cells)
    left_out(len(records), rows)
    return rows
