"""Data frames of results."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.simulation.batches import Batches
from ringlet.simulation.records import SYMBOL_BYTES

if TYPE_CHECKING:
    import pandas as pd

_GROUPS = {
    "latency_ns": "latency_{}_ns",
    "message_latency_ns": "message_latency_{}_ns",
    "output_inversions": "output_inversion_{}",
    "input_inversions": "input_inversion_{}",
    "queues": "{}",
    "deviation": "deviation_{}",
    "paper_deviation": "paper_deviation_{}",
    "link": "link_{}_fraction",
}
"""How the columns of a nested object are called."""

_QUEUES = {
    "transmit_mean": "transmit_queue_mean_packets",
    "transmit_max": "transmit_queue_max_packets",
    "receive_mean": "receive_queue_mean_packets",
    "receive_max": "receive_queue_max_packets",
    "bypass_max_symbols": "bypass_max_symbols",
}


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record's figures by column name, units in the names; nested ones like `latency_p95_ns`, NaN for None."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            for inner, number in value.items():
                row[_GROUPS[key].format(_QUEUES.get(inner, inner))] = np.nan if number is None else number
        else:
            row[key] = np.nan if value is None else value
    return row


def record_table(records: Iterable[Mapping[str, Any]]) -> "pd.DataFrame":
    """One row per record, such as a node; nested figures become columns like `latency_p95_ns`."""
    # Loaded on first use: it takes longer than most runs, and a message about bad input does not need it.
    import pandas as pd

    return pd.DataFrame([flat(record) for record in records])


def batch_table(series: Batches, which: int, symbol_time_ns: float) -> "pd.DataFrame":
    """One row per batch of one series: when, how long, packets, throughput and mean latency (NaN without a delivery).

    `start_ns` counts from the start of the measurement.
    """
    cycles = series.cycles
    duration_ns = cycles * symbol_time_ns
    packets = series.delivered_packets[:, which]
    latency = np.full(packets.shape, np.nan)
    np.divide(series.latency_cycles[:, which] * symbol_time_ns, packets, out=latency, where=packets > 0)
    import pandas as pd

    return pd.DataFrame(
        {
            "start_ns": np.cumsum(duration_ns) - duration_ns,
            "duration_ns": duration_ns,
            "delivered_packets": packets.astype(np.int64),
            # Bytes per ns are GB/s.
            "throughput_MBps": 1e3 * SYMBOL_BYTES * series.payload_symbols[:, which] / duration_ns,
            "latency_mean_ns": latency,
        }
    )


def distribution_table(record: Mapping[str, Any]) -> "pd.DataFrame":
    """One row per bin of a latency distribution: upper end, packets, share of all packets that took longer."""
    import pandas as pd

    packets = np.array(record["packets"], dtype=np.int64)
    total = max(packets.sum(), 1)
    return pd.DataFrame(
        {"upper_ns": record["upper_ns"], "packets": packets, "longer": (total - np.cumsum(packets)) / total}
    )
