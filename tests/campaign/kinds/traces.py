"""Damaged traces in all formats: refused with one message, or replayed with every packet accounted for."""

import bz2
import io
from pathlib import Path
from random import Random
from typing import Any

from campaign import damage, files
from campaign.case import Case, Kind
from campaign.kinds.mutations import simulate_if_valid


def generate(seed: int) -> Case:
    """Makes a scenario that replays a trace of some format, damaged in its bytes, or in what the bytes say."""
    rng = Random(f"traces {seed}")
    nodes = rng.choice((2, 3, 4, 8))
    form = rng.choice(list(files.TRACES))
    name, content = files.TRACES[form](nodes, rng)
    if form == "parquet" and rng.random() < 0.5:
        content = _odd_columns(content, rng)
    elif name.endswith(".bz2") and rng.random() < 0.7:
        content = bz2.compress(damage.damaged(bz2.decompress(content), rng))
    elif rng.random() < 0.95:
        content = damage.damaged(content, rng)
    trace: dict[str, Any] = {"file": name}
    if rng.random() < 0.3:
        trace["replay"] = "open-loop"
    if rng.random() < 0.2:
        trace["time_scale"] = rng.choice((1e-9, 0.5, 1e9))
    if rng.random() < 0.2:
        trace["clock"] = rng.choice(("1 Hz", "1 GHz", "1 PHz"))
    if rng.random() < 0.2:
        trace |= {"start": rng.choice((0, 10, "1 us")), "stop": rng.choice((5, 100, "1 ms"))}
    network: dict[str, Any] = {"nodes": nodes}
    if nodes in (4, 8) and rng.random() < 0.3:
        network = {"topology": "torus", "shape": [2, nodes // 2]}
    content_ = {"network": network, "traffic": {"trace": trace}, "run": {"warmup": 0}}
    if rng.random() < 0.5:
        content_["run"]["duration"] = rng.randint(1, 5000)
    return Case({"scenario": content_}, {name: content})


def _odd_columns(content: bytes, rng: Random) -> bytes:
    """Returns a Parquet table of which a column has another type, values or name, or is gone."""
    import pyarrow
    from pyarrow.parquet import read_table, write_table

    table = read_table(io.BytesIO(content))
    place = rng.randrange(table.num_columns)
    name = table.column_names[place]
    rows = table.num_rows
    odd = (
        pyarrow.array([[1, 2]] * rows),
        pyarrow.array([{"a": 1}] * rows),
        pyarrow.array([10**9] * rows, type=pyarrow.timestamp("ns")),
        pyarrow.array([5] * rows, type=pyarrow.duration("us")),
        pyarrow.array([5] * rows, type=pyarrow.date32()),
        pyarrow.array([None] * rows),
        pyarrow.array([rng.choice((float("nan"), float("inf"), -1.0, 2e19, 0.5))] * rows),
        pyarrow.array([rng.choice((2**63, 2**64 - 1, 0))] * rows, type=pyarrow.uint64()),
        pyarrow.array([rng.choice((-1, -(2**63), 2**62))] * rows),
        pyarrow.array([rng.choice(("\x00", "", "1e5", "read64", "x" * 1000))] * rows),
        pyarrow.array([rng.choice((b"\xff\xfe", b"", b"1"))] * rows),
        pyarrow.array([True] * rows),
        pyarrow.array(["a"] * rows).dictionary_encode(),
    )
    roll = rng.random()
    if roll < 0.8:
        table = table.set_column(place, name, rng.choice(odd))
    elif roll < 0.9:
        table = table.drop_columns([name])
    else:
        table = table.append_column(rng.choice(("cycle", "time_ns", "time_s", "\x00", "bytes", "é")), rng.choice(odd))
    stream = io.BytesIO()
    write_table(table, stream)
    return stream.getvalue()


def check(case: Case, folder: Path, rng: Random) -> str:
    """Validates the scenario, and simulates it if the trace is short."""
    return simulate_if_valid(case.content["scenario"], folder, rng)


TRACES = Kind("traces", "damaged traces: CSV, Parquet, netrace, compressed netrace", generate, check)
