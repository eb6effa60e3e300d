"""Each export, opened by a reader that has nothing to do with its writer, says what the recording does."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
import pytest
import pywellen
import vcdvcd
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from recordings import CYCLES, FLOW_CONTROL, by_cycle, changing, recording

from ringlet.errors import RingletError
from ringlet.trace import FORMATS, write
from ringlet.trace.recording import FATES, KINDS

PS_PER_CYCLE = 2000


@pytest.fixture(params=list(FLOW_CONTROL))
def made(request):
    return recording(request.param)


def written(made, tmp_path, file_format):
    return str(write(made, tmp_path / f"ring.{file_format}", file_format))


@pytest.mark.parametrize("file_format", ["vcd", "fst"])
def test_a_waveform_viewer_sees_every_symbol(made, tmp_path, file_format):
    waveform = pywellen.Waveform(written(made, tmp_path, file_format))
    assert str(waveform.timescale) == "1ps"
    signals = {variable.full_name: variable.signal for variable in waveform.all_vars()}
    assert len(signals) == 10 * made.nodes
    expected = {name: by_cycle(made, name) for name in ("kind", "activity", "packet")}
    expected["bypass_symbols"] = changing(made, made.bypass_fill)
    expected["head"] = changing(made, made.tables["heads"])
    expected["transmit_queue"] = changing(made, made.tables["transmit_lengths"])
    for name, values in expected.items():
        for node in range(made.nodes):
            signal = signals[f"node{node}.{name}"]
            for cycle in range(0, CYCLES, 7):
                read = signal.value_at((made.start + cycle) * PS_PER_CYCLE)
                known = isinstance(read, int) or set(read) <= set("01")
                assert (int(str(read), 10 if isinstance(read, int) else 2) if known else -1) == values[node, cycle]


def test_vcd_is_standard_for_another_reader(made, tmp_path):
    dump = vcdvcd.VCDVCD(written(made, tmp_path, "vcd"))
    kind = by_cycle(made, "kind")
    for node in range(made.nodes):
        for time, value in dump[f"node{node}.kind"].tv:
            assert int(value, 2) == kind[node, time // PS_PER_CYCLE - made.start]
    assert dump.endtime == made.stop * PS_PER_CYCLE


class Event(BaseModel):
    """What every event of the Trace Event Format has."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: str
    pid: Annotated[int, Field(ge=0)]
    tid: Annotated[int, Field(ge=0)]


class Timed(Event):
    """At a time, in us."""

    ts: Annotated[float, Field(ge=0)]


class Complete(Timed):
    ph: Literal["X"]
    cat: str
    dur: Annotated[float, Field(gt=0)]
    args: dict[str, Any]


class Counter(Timed):
    ph: Literal["C"]
    args: dict[str, int | float]


class Instant(Timed):
    ph: Literal["i"]
    cat: str
    s: Literal["g", "p", "t"]
    args: dict[str, Any]


class Flow(Timed):
    ph: Literal["s", "t", "f"]
    cat: str
    id: int
    bp: Literal["e"] | None = None


class Metadata(Event):
    ph: Literal["M"]
    name: Literal["process_name", "process_sort_index", "thread_name"]
    args: dict[str, str | int]


class Trace(BaseModel):
    """The format's JSON object."""

    model_config = ConfigDict(extra="forbid")
    traceEvents: list[Annotated[Complete | Counter | Instant | Flow | Metadata, Field(discriminator="ph")]]  # noqa: N815
    displayTimeUnit: Literal["ms", "ns"]  # noqa: N815
    otherData: dict[str, Any]  # noqa: N815


def test_perfetto_json_is_what_the_format_says(made, tmp_path):
    text = Path(written(made, tmp_path, "perfetto")).read_text(encoding="utf-8")
    trace = TypeAdapter(Trace).validate_json(text)
    kinds = np.full((made.nodes, made.stop - made.start), -9)
    ends: dict[int, float] = {}
    for event in trace.traceEvents:
        if not isinstance(event, Complete):
            continue
        # Slices of one track follow each other without a gap.
        assert ends.setdefault(event.pid, event.ts) == pytest.approx(event.ts, abs=1e-6)
        ends[event.pid] = event.ts + event.dur
        begin, end = (round(time * 500) - made.start for time in (event.ts, event.ts + event.dur))
        kinds[event.pid, max(0, begin) : max(0, end)] = KINDS.index(event.cat)
    assert np.array_equal(kinds, by_cycle(made, "kind"))
    arrows: dict[int, list[Flow]] = {}
    for event in trace.traceEvents:
        if isinstance(event, Flow):
            arrows.setdefault(event.id, []).append(event)
    assert arrows
    for steps in arrows.values():
        assert [step.ph for step in steps] == ["s", *["t"] * (len(steps) - 2), "f"]
        assert [step.ts for step in steps] == sorted(step.ts for step in steps)
    names = {event.args["name"] for event in trace.traceEvents if isinstance(event, Metadata) and "name" in event.args}
    assert {"node 0", "link 0 to 1", "link 3 to 0", "host"} <= names


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_a_data_frame_library_reads_the_table(made, tmp_path, file_format):
    path = written(made, tmp_path, file_format)
    table = pl.read_csv(path, infer_schema_length=None) if file_format == "csv" else pl.read_parquet(path)
    assert table["time_ns"].to_list() == [cycle * 2.0 for cycle in table["cycle"]]
    assert table["cycle"].is_sorted()
    on_links = table.filter(pl.col("event").is_in(KINDS))
    assert on_links.height == made.runs["node"].size
    sends = on_links.filter(pl.col("event") == "send")
    assert (sends["packet"].is_not_null() & sends["source"].is_not_null()).all()
    assert on_links["symbols"].sum() == int(made.runs["symbols"].sum())
    fates = table.filter(pl.col("event").is_in(FATES))
    assert fates.height == made.tables["events"]["node"].size
    assert fates["packet"].null_count() == 0
    fill = table.filter((pl.col("event") == "bypass_symbols") & (pl.col("node") == 2)).sort("cycle")
    assert fill["value"].to_list() == made.bypass_fill["value"][made.bypass_fill["node"] == 2].tolist()


def test_parquet_says_what_made_it(tmp_path):
    made = recording("sci")
    metadata = json.loads(pl.read_parquet_metadata(written(made, tmp_path, "parquet"))["ringlet"])
    assert (metadata["seed"], metadata["start_cycle"]) == (5, 400)
    assert metadata["scenario"]["flow_control"]["protocol"] == "sci"


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(RingletError, match=r"--format: 'gtkw' is not allowed; vcd, fst"):
        write(recording("sci"), tmp_path / "x", "gtkw")


@pytest.mark.parametrize("file_format", list(FORMATS))
def test_a_file_that_cannot_be_written_is_named(tmp_path, file_format):
    with pytest.raises(RingletError, match="cannot be written"):
        write(recording("sci"), tmp_path / "absent" / "x", file_format)
