"""Words for columns of tables: figures from their registry, keys of the scenario, and other names as they stand."""

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ringlet.figures import BY_INTERVAL, BY_NAME
from ringlet.scenario.file_schema import COUNTED
from ringlet.scenario.file_schema import words as words_of_key

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
    "percent": "%",
    "kHz": "kHz",
    "bytes": "bytes",
}
"""Ends of the names of columns that are no figures, such as axes of a study, and what they mean."""

SINGULARS = {
    "packets": "packet",
    "symbols": "symbol",
    "cycles": "cycle",
    "bytes": "byte",
    "symbol times": "symbol time",
    "transactions": "transaction",
    "events": "event",
}
"""Units of a single one."""

NO_LABELS: Mapping[str, str] = MappingProxyType({})
"""Words for columns and for values, where there are none."""

_NAME = re.compile(rf"(.+?)_({'|'.join(UNITS)})$")


def label(column: str) -> str:
    """Returns what a column holds in words, with its unit in parentheses.

    >>> label("latency_p99_ns"), label("traffic.load_MBps"), label("flow_control.protocol")
    ('99th-percentile latency (ns)', 'offered load (MB/s)', 'flow control')
    >>> label("events.rate_kHz"), label("queues.receive")
    ('trigger rate (kHz)', 'receive queue (packets)')
    """
    name, unit = words_and_unit(column)
    return f"{name} ({unit})" if unit else name


def words_and_unit(column: str) -> tuple[str, str]:
    """Returns what a column holds in words, and its unit, which may be empty."""
    if (figure := BY_NAME.get(column)) is not None:
        return figure.words, figure.unit
    if (figure := BY_INTERVAL.get(column)) is not None:
        return f"{figure.words} ± 95 %", figure.unit
    match = _NAME.match(column)
    name, unit = match.groups() if match else (column, "")
    return words_of_key(name), UNITS[unit] if unit else COUNTED.get(name, "")


def setting(column: str, value: object, labels: Mapping[str, str] = NO_LABELS) -> str:
    """Returns a value of a column as a legend has it: a word alone, anything else with its name.

    Args:
        column: of the table.
        value: in it.
        labels: words for columns and for values, in place of the usual ones.

    >>> setting("flow_control.protocol", "sci"), setting("traffic.load_MBps", 200.0)
    ('sci', 'offered load 200 MB/s')
    >>> setting("network.hop_delay_cycles", 1), setting("queues.receive", 2)
    ('hop delay 1 cycle', 'receive queue 2 packets')
    >>> setting("flow_control.protocol", "sci", {"sci": "SCI with go bits"})
    'SCI with go bits'
    """
    number = f"{value:g}" if isinstance(value, float | np.floating) else str(value)
    if isinstance(value, str) or number in labels:
        return labels.get(number, number)
    name, unit = (labels[column], "") if column in labels else words_and_unit(column)
    return " ".join(filter(None, (name, number, SINGULARS.get(unit, unit) if number == "1" else unit)))
