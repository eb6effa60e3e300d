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
    "percent": "%",
}
"""Ends of the names of columns, and what they mean."""

_NAME = re.compile(rf"(.+?)_({'|'.join(UNITS)})$")


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
