"""One table of everything that happens, as CSV or Parquet."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet._engine import __version__
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.trace.recording import EVENT, FATES, KINDS, Recording

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")


def event_table(recording: Recording) -> "pd.DataFrame":
    """Returns one row for each thing that happens, in order of time, then node.

    Columns: `cycle`, `time_ns`, `node`; `event`, what: a kind of symbols on the node's output link (`idle`, `send`,
    ...), what happens to a packet
    (`accepted`, ...), or a change (`bypass_symbols`, `transmit_queue`, `receive_queue`, `head`, `withheld`); `value`,
    of a change the new one, of idles their go
    bits, of a control symbol its 32 bits, of an event the priority inherited; `symbols`, how many; `activity` of the
    node; `packet` and its `source`, `destination`, `flow`, `response`,
    `priority`, `group` and `generated_cycle`. What does not apply is missing.

    Of a network there are `interface` and `ring`, the names of the node or port and of its ring; `to`, the interface
    that takes a packet or echo off the ring; and the event `moved`: a B-Link begins to carry a packet from the port's
    buffer to that of the port `to`. Where the scenario names its nodes, names stand for their numbers.
    """
    tables = recording.tables
    runs, events = tables["runs"], tables["events"]
    on_links = recording.frame("runs")
    parts = [
        pd.DataFrame(
            {
                "cycle": runs["cycle"],
                "node": runs["node"],
                "event": np.asarray(KINDS)[runs["kind"]],
                "value": pd.array(runs["word"].astype(np.int64), dtype="Int64").copy(),
                "symbols": pd.array(runs["symbols"].astype(np.int64), dtype="Int64"),
                "activity": on_links["activity"].astype(str),
                "packet": runs["packet"],
            }
        ),
        pd.DataFrame(
            {
                "cycle": events["cycle"],
                "node": events["node"],
                "event": np.asarray(FATES)[events["fate"]],
                "packet": events["packet"].astype(np.int64),
            }
        ),
    ]
    layout = recording.layout
    if layout.is_network:
        parts[0]["to"] = pd.array(runs["to"], dtype="Int64").copy()
        parts[0].loc[runs["to"] < 0, "to"] = pd.NA
        moved = tables["transfers"]
        parts.append(
            pd.DataFrame(
                {
                    "cycle": (moved["start_ps"] // recording.symbol_ps).astype(np.int64),
                    "node": moved["entry"],
                    "event": "moved",
                    "to": pd.array(moved["exit"].astype(np.int64), dtype="Int64"),
                    "packet": moved["packet"].astype(np.int64),
                }
            )
        )
    parts[0].loc[(runs["packet"] >= 0) & (runs["kind"] != EVENT), "value"] = pd.NA
    for name, change in (
        ("bypass_symbols", recording.bypass_fill),
        ("transmit_queue", tables["transmit_lengths"]),
        ("receive_queue", tables["receive_lengths"]),
        ("withheld", tables["withheld"]),
    ):
        value = pd.array(change["value"].astype(np.int64), dtype="Int64")
        parts.append(pd.DataFrame({"cycle": change["cycle"], "node": change["node"], "event": name, "value": value}))
    heads = tables["heads"]
    parts.append(
        pd.DataFrame({"cycle": heads["cycle"], "node": heads["node"], "event": "head", "packet": heads["value"]})
    )
    table = pd.concat(parts, ignore_index=True)
    table["packet"] = table["packet"].astype("Int64").where(table["packet"] >= 0)
    described = recording.frame("packets").drop(columns=["symbols", "message", "part"])
    described = (
        described.rename(columns={"generated": "generated_cycle"}).astype("Int64").astype({"response": "boolean"})
    )
    table = table.join(described, on="packet")
    # The sender of a response may be unknown.
    table["source"] = table["source"].where(table["source"] >= 0)
    table.insert(1, "time_ns", table["cycle"] * recording.symbol_time_ns)
    if layout.is_network:
        names = np.array([layout.name(one) for one in range(layout.interfaces)])
        rings = np.array([layout.rings[ring].name for ring in layout.ring_of])
        table.insert(3, "interface", names[table["node"]])
        table.insert(4, "ring", rings[table["node"]])
    return _with_names(table.sort_values(["cycle", "node"], kind="stable", ignore_index=True), recording)


def _with_names(table: "pd.DataFrame", recording: Recording) -> "pd.DataFrame":
    """Returns the table with names in place of numbers, where the scenario names its nodes."""
    names = recording.scenario["network"].get("node_names")
    if names is None:
        return table
    # The node of a row in a network is an interface, which has its name beside it.
    columns = ["source", "destination"] if recording.layout.is_network else ["node", "source", "destination"]
    return table.assign(**{column: table[column].map(dict(enumerate(names))) for column in columns})


def write_csv(recording: Recording, path: Path) -> None:
    """Writes the table as CSV; what does not apply is empty."""
    event_table(recording).to_csv(path, index=False, lineterminator="\n")


def write_parquet(recording: Recording, path: Path) -> None:
    """Writes the table as Parquet, with scenario, seed and versions in the file's metadata under `ringlet`.

    Raises:
        RingletError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise RingletError("--format: parquet needs pyarrow; pip install 'ringlet[parquet]'") from None
    table = pa.Table.from_pandas(event_table(recording), preserve_index=False)
    metadata = {**(table.schema.metadata or {}), b"ringlet": json.dumps(provenance(recording)).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def provenance(recording: Recording) -> dict[str, Any]:
    """Returns what is needed to record the same again."""
    return {
        "ringlet": __version__,
        "scenario": dict(recording.scenario),
        "seed": recording.seed,
        "start_cycle": recording.start,
        "stop_cycle": recording.stop,
        "symbol_time_ns": recording.symbol_time_ns,
    }
