"""How fast a trace of packets is read from Parquet or CSV, checked, and replayed, and in how much memory.

    .venv/bin/python benches/trace.py                       # 10^7 packets; needs 250 MB of disk
    .venv/bin/python benches/trace.py --packets 1000000
    .venv/bin/python benches/trace.py --csv                 # the same as text, times with three decimals

Packets of 80 bytes between 16 nodes at random times, 400 MB/s in all, written to a file. The survey is the first
reading, when the scenario is made; the feed alone is the second one, which hands packets to the engine; the run is the
feed and the engine. Processor time; memory is the most that the process had at any time, beside what it had before.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import ringlet as rl
from ringlet.scenario.values.units import MAX_CYCLES
from ringlet.simulation.replay import Feed

NODES = 16
ROWS = 1 << 18


def write(file: Path, packets: int) -> None:
    """Writes a trace of so many packets."""
    random = np.random.default_rng(1)
    schema = pa.schema({"time_ns": pa.float64(), "source": pa.int32(), "destination": pa.int32(), "bytes": pa.int32()})
    last = 0.0
    is_csv = file.suffix == ".csv"
    if is_csv:
        schema = schema.set(0, pa.field("time_ns", pa.decimal128(20, 3)))
    with csv.CSVWriter(file, schema) if is_csv else parquet.ParquetWriter(file, schema) as writer:
        for first in range(0, packets, ROWS):
            rows = min(ROWS, packets - first)
            times = last + np.cumsum(random.exponential(200.0, rows))
            last = float(times[-1])
            source = random.integers(0, NODES, rows, dtype=np.int32)
            destination = (source + random.integers(1, NODES, rows, dtype=np.int32)) % NODES
            given = pa.array(times) if not is_csv else pa.array(np.round(times, 3)).cast(schema.field(0).type)
            columns = [given, source, destination, np.full(rows, 80, dtype=np.int32)]
            writer.write_table(pa.table(columns, schema=schema))


def memory_mb() -> float:
    """Returns the most memory that this process had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    """Measures each reading and the run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packets", type=int, default=10_000_000)
    parser.add_argument("--csv", action="store_true")
    arguments = parser.parse_args()
    packets = arguments.packets
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("trace.csv" if arguments.csv else "trace.parquet")
        # What is needed is loaded before it is timed.
        write(file, 60_000 if arguments.csv else 1000)
        content = {"network": {"nodes": NODES}, "traffic": {"trace": {"file": str(file)}}}
        rl.run(rl.Scenario.from_dict(content)).to_dict()
        write(file, packets)
        before, start = memory_mb(), time.process_time()
        scenario = rl.Scenario.from_dict(content)
        surveyed = time.process_time()
        feed = Feed(scenario.replay)
        while feed.piece()[1] < MAX_CYCLES:
            pass
        fed = time.process_time()
        found = rl.run(scenario)
        ended = time.process_time()
    replayed = found.trace
    assert replayed is not None
    assert replayed["complete"]
    for name, seconds in (("survey", surveyed - start), ("feed", fed - surveyed), ("run", ended - fed)):
        print(f"{name:>6}: {seconds:7.2f} s, {packets / seconds / 1e6:6.2f} million packets/s")
    print(f"memory: {memory_mb() - before:.0f} MB more than the {before:.0f} MB before")


if __name__ == "__main__":
    main()
