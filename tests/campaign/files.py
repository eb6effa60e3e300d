"""Files that a scenario names: matrices, message sets, flows, fragments, times of triggers, traces of all formats."""

import bz2
import io
import struct
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

Rows = list[dict[str, Any]]


def make(key: str, nodes: int, rng: Random, made: dict[str, bytes]) -> str:
    """Makes the file that a key asks for and returns its name; a key that is not known gets one of any kind."""
    kind = MAKERS.get(key) or rng.choice(list(MAKERS.values()))
    name, content = kind(nodes, rng)
    made[name] = content
    return name


def matrix(nodes: int, rng: Random) -> tuple[str, bytes]:
    """A traffic matrix."""
    lines = []
    for row in range(nodes):
        weights = [0 if column == row and nodes > 1 else rng.randint(0, 3) for column in range(nodes)]
        if not sum(weights):
            weights[(row + 1) % nodes] = 1
        lines.append(",".join(repr(weight / sum(weights)) for weight in weights))
    return "matrix.csv", "\n".join(lines).encode()


def messages(nodes: int, rng: Random) -> tuple[str, bytes]:
    """A set of periodic messages."""
    lines = ["name,source,destination,size,period_us,deadline,priority"]
    for number in range(rng.randint(1, 4)):
        source = rng.randrange(nodes)
        destination = (source + rng.randint(1, max(1, nodes - 1))) % nodes
        period = rng.choice((1, 2, 5, 10))
        deadline = rng.choice(("", str(rng.randint(1, 500))))
        lines.append(
            f"m{number},{source},{destination},{rng.randint(1, 400)},{period},{deadline},{rng.choice(('', '1'))}"
        )
    return "messages.csv", "\n".join(lines).encode()


def flows(nodes: int, rng: Random) -> tuple[str, bytes]:
    """Flows by the clock, closed ones, and those after others that come to their nodes."""
    lines = ["name,source,destination,size_bytes,period_us,window,think_us,think_times,after,delay_us"]
    node, number = rng.randrange(nodes), rng.randint(1, 4)
    for place in range(number):
        to = (node + rng.randint(1, max(1, nodes - 1))) % nodes
        how = "after" if place and rng.random() < 0.5 else rng.choice(("clock", "closed"))
        times = {
            "clock": f"{rng.choice((1, 5, 20))},,,,,",
            "closed": f",{rng.randint(1, 4)},{rng.choice(('', '0.5', '3'))},{rng.choice(('', 'exponential'))},,",
            "after": f",,,,f{place - 1},{rng.choice(('', '0.2', '4'))}",
        }
        lines.append(f"f{place},{node},{to},{rng.randint(1, 900)},{times[how]}")
        node = to
    return "flows.csv", "\n".join(lines).encode()


def fragments(nodes: int, rng: Random) -> tuple[str, bytes]:
    """Fragments of some sources."""
    sizes = ("64", "100: 0.5; 700: 0.5", "mean: 300; deviation: 200; most: 900", "least: 1; most: 400")
    sources = rng.sample(range(nodes), k=rng.randint(1, min(nodes, 4)))
    return "fragments.csv", "\n".join(
        ["source,size_bytes", *(f"{one},{rng.choice(sizes)}" for one in sources)]
    ).encode()


def times(nodes: int, rng: Random) -> tuple[str, bytes]:
    """Times of triggers, by a clock of the day."""
    del nodes
    time, lines = 1_791_000_000_000_000_000, ["time_ns"]
    for _ in range(rng.randint(1, 30)):
        time += rng.choice((0, 1, rng.randint(0, 2000)))
        lines.append(str(time))
    return "times.csv", "\n".join(lines).encode()


def trace(nodes: int, rng: Random) -> tuple[str, bytes]:
    """A trace of packets in one of the formats."""
    return rng.choice(list(TRACES.values()))(nodes, rng)


def packets(nodes: int, rng: Random) -> Rows:
    """The packets of a trace: what every format can say."""
    cycle, rows = 0, []
    for number in range(rng.choice((1, 3, 10, 40))):
        cycle += rng.choice((0, 0, 1, 5, rng.randint(0, 200)))
        source = rng.randrange(nodes)
        # A packet may depend on those that its source has been sent.
        known = [row["id"] for row in rows if row["destination"] == source]
        rows.append(
            {
                "cycle": cycle,
                "source": source,
                "destination": rng.randrange(nodes),
                "transaction": rng.choice(("read64", "dmove64", "nwrite16", "send80", "send16")),
                "priority": 0,
                "id": number,
                "depends_on": sorted(rng.sample(known, k=min(len(known), rng.choice((0, 0, 1, 2))))),
            }
        )
    return rows


def csv_trace(nodes: int, rng: Random) -> tuple[str, bytes]:
    """A CSV table."""
    rows = packets(nodes, rng)
    columns = [name for name in rows[0] if name not in ("priority", "id", "depends_on") or rng.random() < 0.7]
    if "depends_on" in columns and "id" not in columns:
        columns.remove("depends_on")
    header = ["time_ns" if name == "cycle" and rng.random() < 0.5 else name for name in columns]

    def cell(value: object) -> str:
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)

    lines = [",".join(header), *(",".join(cell(row[name]) for name in columns) for row in rows)]
    return "trace.csv", "\n".join(lines).encode()


def parquet_trace(nodes: int, rng: Random) -> tuple[str, bytes]:
    """A Parquet table."""
    import pyarrow
    from pyarrow.parquet import write_table

    rows = packets(nodes, rng)
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in rows[0]}
    columns["depends_on"] = [" ".join(map(str, ids)) for ids in columns["depends_on"]]
    stream = io.BytesIO()
    write_table(pyarrow.table(columns), stream, compression=rng.choice(("snappy", "zstd", "none")))
    return "trace.parquet", stream.getvalue()


def netrace(nodes: int, rng: Random) -> tuple[str, bytes]:
    """A netrace file (Hestness, Grot and Keckler, 2010), compressed or not."""
    rows = packets(nodes, rng)
    dependants: Mapping[int, list[int]] = {row["id"]: [] for row in rows}
    for row in rows:
        for awaited in row["depends_on"]:
            dependants[awaited].append(row["id"])
    cuts = [len(rows)] if rng.random() < 0.5 else [len(rows) // 2, len(rows) - len(rows) // 2]
    notes = b"notes\0"
    content = struct.pack("<If30sBxQQII8x", 0x484A5455, 1.0, b"campaign", nodes, 64, len(rows), len(notes), len(cuts))
    content += notes
    sizes = [25 + 4 * len(dependants[row["id"]]) for row in rows]
    start = 0
    for count in cuts:
        content += struct.pack("<QQQ", sum(sizes[:start]), 0, count)
        start += count
    for row in rows:
        kind = rng.choice((1, 6, 13, 27))
        waiting = dependants[row["id"]]
        content += struct.pack(
            "<QIIBBBBB", row["cycle"], row["id"], 0, kind, row["source"], row["destination"], 0, len(waiting)
        )
        content += struct.pack(f"<{len(waiting)}I", *waiting)
    if rng.random() < 0.5:
        return "trace.tra", content
    return "trace.tra.bz2", bz2.compress(content)


Maker = Callable[[int, Random], tuple[str, bytes]]

TRACES: Mapping[str, Maker] = {"csv": csv_trace, "parquet": parquet_trace, "netrace": netrace}
"""Formats of traces."""

MAKERS: Mapping[str, Maker] = {
    "matrix_file": matrix,
    "messages_file": messages,
    "flows_file": flows,
    "fragments_file": fragments,
    "times_file": times,
    "file": trace,
}
"""What the keys that name a file ask for."""
