"""Axis labels from the names of columns, which carry their units."""

import re

UNITS = {
    "words_per_cycle": "words/cycle",
    "symbol_times": "symbol times",
    "MBps": "MB/s",
    "GBps": "GB/s",
    "Bps": "B/s",
    "ns": "ns",
    "us": "µs",
    "ms": "ms",
    "s": "s",
    "packets": "packets",
    "symbols": "symbols",
    "cycles": "cycles",
    "fraction": "share of time",
}
"""Ends of the names of columns, and what they mean."""

_NAME = re.compile(rf"(.+?)_({'|'.join(UNITS)})$")
_PERCENTILE = re.compile(r"\bp(\d+)\b")


def label(column: str) -> str:
    """Returns a column's name in words, with its unit in parentheses.

    >>> label("latency_p99_ns"), label("traffic.load_MBps"), label("flow_control.protocol")
    ('latency p99 (ns)', 'traffic.load (MB/s)', 'flow_control.protocol')
    """
    match = _NAME.match(column)
    if match is None:
        return _words(column)
    name, unit = match.groups()
    return f"{_words(name)} ({UNITS[unit]})"


def _words(name: str) -> str:
    """Underscores as blanks, but not in the keys of a scenario."""
    return name if "." in name else name.replace("_", " ")


def interval_column(column: str) -> str:
    """Returns the name of the column with the half width of a figure's 95 % interval: `latency_p99_ci95_ns`."""
    match = _NAME.match(column)
    return f"{match[1]}_ci95_{match[2]}" if match else f"{column}_ci95"
