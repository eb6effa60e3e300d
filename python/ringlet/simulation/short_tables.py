"""Data frames of many columns that show a few of them.

Loading this module loads pandas: others reach it through `ringlet.lazy.library`.
"""

from collections.abc import Sequence

import pandas as pd

KEYS = ("point", "replication", "priority", "name")
"""Columns that say of what a row is; those that vary in a sweep stand behind the first two."""

SHOWN = (
    "replications",
    "offered_MBps",
    "throughput_MBps",
    "throughput_ci95_MBps",
    "of_optimum",
    "latency_mean_ns",
    "latency_ci95_ns",
    "latency_mean_ci95_ns",
    "latency_p99_ns",
    "throughput_difference_MBps",
    "throughput_difference_ci95_MBps",
    "throughput_ratio",
    "latency_mean_difference_ns",
    "latency_mean_difference_ci95_ns",
    "latency_mean_ratio",
)
"""Figures that are shown where a table has them and a row has a value."""

WHERE_ANY = ("lost_MBps", "retries", "missed_deadlines", "starved", "warned_of")
"""Figures that are shown where one is not zero, false or empty."""


class ShortTable(pd.DataFrame):
    """A data frame that has every column and shows a few; `all_columns` shows every one.

    What is made from it, such as by `table[columns]`, is a plain data frame.

    >>> import ringlet as rl
    >>> nodes = rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}}).nodes
    >>> list(nodes.short)
    ['name', 'offered_MBps', 'throughput_MBps', 'of_optimum', 'latency_mean_ns', 'latency_p99_ns']
    >>> len(nodes.all_columns.columns) == len(nodes.columns) > 40
    True
    """

    _metadata = ["_axis_columns"]  # noqa: RUF012 - pandas asks for a list, which it does not change
    _axis_columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: pd.DataFrame, axis_columns: Sequence[str] = ()) -> "ShortTable":
        """Returns a table that shows a few columns.

        Args:
            table: to be shown; it is not copied.
            axis_columns: columns that vary in a sweep.
        """
        made = cls(table)
        made._axis_columns = tuple(axis_columns)
        return made

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        """Class of what pandas makes from it."""
        return pd.DataFrame

    @property
    def short(self) -> pd.DataFrame:
        """The columns that are shown: of what a row is, rates and latencies with their intervals, and what was lost,
        sent again, missed, starved or warned of where there is any."""
        names = [*KEYS[:2], *self._axis_columns, *KEYS[2:]]
        names += [name for name in SHOWN if name in self and self[name].notna().any()]
        names += [name for name in WHERE_ANY if name in self and self[name].fillna(0).astype(bool).any()]
        return self[[name for name in dict.fromkeys(names) if name in self]]

    @property
    def all_columns(self) -> pd.DataFrame:
        """The whole table as a plain data frame. pandas shows as many of its columns as `display.max_columns` says."""
        return pd.DataFrame(self)

    @property
    def _note(self) -> str:
        """Number of columns that are shown, and the way to see the others; empty where all are."""
        shown, columns = len(self.short.columns), len(self.columns)
        return "" if shown == columns else f"{shown} of {columns} columns; .all_columns has all"

    def __repr__(self) -> str:
        """The columns that are shown, however wide, and how many there are."""
        if self.empty:
            return repr(self.all_columns)
        shown = self.short.to_string(max_rows=pd.get_option("display.max_rows"), float_format="{:.6g}".format)
        return f"{shown}\n[{len(self)} rows, {self._note}]" if self._note else shown

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the same as HTML."""
        if self.empty:
            return ""
        shown = self.short.to_html(
            max_rows=pd.get_option("display.max_rows"), float_format="{:.6g}".format, show_dimensions=False, border=0
        )
        return f"{shown}<p>{len(self)} rows, {self._note}</p>" if self._note else shown
