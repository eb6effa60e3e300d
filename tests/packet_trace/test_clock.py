"""Times of a trace on any clock and scale: read exactly, and counted from the first record on."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.scenario.packet_trace.clock import Clock, exact_time, is_whole
from ringlet.scenario.values.units import exact_ns

NOW_NS = 1_791_000_000_000_000_000
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1, "ps": Fraction(1, 1000)}


def scenario(folder, content, name="t.csv", **trace):
    (folder / name).write_text(content, encoding="utf-8")
    sections = {"network": {"nodes": 4}, "traffic": {"trace": {"file": name, **trace}}}
    return Scenario.from_dict(sections, base_dir=folder)


def table(times, head="time_ns"):
    return f"{head},source,destination,bytes\n" + "".join(f"{time},0,2,80\n" for time in times)


def results(folder, *args, **trace):
    found = rl.run(scenario(folder, *args, **trace)).to_dict()
    return found["total"], {key: value for key, value in found["trace"].items() if key != "file"}


def test_a_trace_by_the_clock_of_the_day_is_that_from_zero(tmp_path):
    ns = range(0, 1100, 100)
    zero = results(tmp_path, table(ns))
    assert results(tmp_path, table(NOW_NS + time for time in ns)) == zero
    assert results(tmp_path, table(10**40 + time for time in ns)) == zero
    assert results(tmp_path, table((f"1791000000.{time:09}" for time in ns), "time_s")) == zero


def test_a_start_in_the_clock_of_the_file(tmp_path):
    content = table(NOW_NS + time for time in range(0, 1100, 100))
    found = scenario(tmp_path, content, start=f"{NOW_NS + 300} ns", stop=f"{NOW_NS + 800} ns").replay.survey
    assert (found.packets, found.first_ns, found.last_ns) == (5, 300.0, 700.0)
    with pytest.raises(RingletError, match="a trace with packets in what is replayed"):
        scenario(tmp_path, content, start=f"{NOW_NS + 1001} ns")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("span_ps", [10, 10**6, 10**12, 3 * 86_400 * 10**12 + 1000])
def test_times_are_exact_from_picoseconds_to_days_in_every_unit(tmp_path, unit, span_ps):
    """Packets start in the cycle of 2 ns that the exact times say, whatever the unit and the clock's zero."""
    for zero in (Fraction(0), Fraction(NOW_NS)):
        places = [Fraction(0), Fraction(span_ps, 3000).limit_denominator(1), Fraction(span_ps, 1000)]
        texts = [f"{Decimal((zero + ns).numerator) / (zero + ns).denominator / Decimal(1):f}" for ns in places]
        scaled = [f"{Decimal(text).scaleb({'s': -9, 'ms': -6, 'us': -3, 'ns': 0, 'ps': 3}[unit]):f}" for text in texts]
        replay = scenario(tmp_path, table(scaled, f"time_{unit}")).replay
        found = np.concatenate([piece.time_ns for piece in replay.records()])
        assert found.tolist() == [float(ns) for ns in places]
        assert replay.cycles(found).tolist() == [-(-ns // 2) for ns in places]


@given(
    st.decimals(0, 10**20, allow_nan=False, places=6),
    st.lists(st.decimals(0, 10**6, places=9), min_size=1, max_size=5),
    st.sampled_from(sorted(UNITS)),
)
def test_a_time_from_the_first_on_is_rounded_once(first, steps, unit):
    clock = Clock(Fraction(UNITS[unit]), start_ns=0, stop_ns=float("inf"))
    time = Fraction(first)
    clock.ns(exact_time(str(first)))
    total = Decimal(first)
    for step in steps:
        total = Decimal(Fraction(total).numerator) / Fraction(total).denominator + step
        expected = float((Fraction(total) - time) * UNITS[unit])
        assert clock.ns(exact_time(f"{total:f}")) == expected


def test_columns_of_integers_are_those_of_the_rows():
    for dtype in (np.int64, np.uint64, np.int8, np.float32, np.float64):
        times = np.array([3, 5, 5, 90], dtype=dtype)
        clock = Clock(Fraction(1, 1000), start_ns=0, stop_ns=float("inf"))
        assert clock.ns_of_all(times).tolist() == [0.0, 0.002, 0.002, 0.087]
        assert clock.ns_of_all(np.array([80], dtype=dtype)) is None
    clock = Clock(Fraction(1), start_ns=0, stop_ns=float("inf"))
    assert clock.ns_of_all(np.array([NOW_NS, NOW_NS + 1])).tolist() == [0.0, 1.0]
    assert clock.ns_of_all(np.array([2**63], dtype=np.uint64)) is None


@pytest.mark.parametrize("head", ["time_ns", "timestamp_ns", "Timestamp [ns]", "t (ns)", "ts_ns", "TIME_ns"])
@pytest.mark.parametrize("ends", ["source,destination,bytes", "src,dst,size", "From,To,Length", "sender,receiver,len"])
def test_columns_are_found_by_their_heads(tmp_path, head, ends):
    found = scenario(tmp_path, f"{head},{ends}\n5,0,1,80\n25,1,2,80\n").replay.survey
    assert (found.packets, found.last_ns) == (2, 20.0)


def test_a_time_without_unit_is_asked_for(tmp_path):
    content = "timestamp,src,dst,size\n1.5,0,1,80\n1.500001,0,1,80\n"
    with pytest.raises(RingletError, match=r"'timestamp' is not allowed; a head with its unit.*traffic\.trace\.time_u"):
        scenario(tmp_path, content)
    assert scenario(tmp_path, content, time_unit="s").replay.survey.last_ns == 1000.0
    with pytest.raises(RingletError, match=r"time_unit: 'parsec' is not allowed; a unit of time"):
        scenario(tmp_path, content, time_unit="parsec")
    with pytest.raises(RingletError, match=r"time_unit: 'us' is not allowed; 'ns', which the head 'time_ns' says"):
        scenario(tmp_path, table([0]), time_unit="us")


def test_columns_that_are_not_clear_are_asked_for_by_name(tmp_path):
    content = "time_ns,a,b,bytes\n0,0,1,80\n"
    with pytest.raises(RingletError, match=r"header: 'a' is not allowed; columns are .*traffic\.trace\.columns"):
        scenario(tmp_path, content)
    assert scenario(tmp_path, content, columns={"source": "a", "destination": "b"}).replay.survey.packets == 1
    with pytest.raises(
        RingletError, match=r"columns\.source: 'c' is not allowed; a column of .*t\.csv: 'time_ns', 'a'"
    ):
        scenario(tmp_path, content, columns={"source": "c"})
    with pytest.raises(RingletError, match="'src' and 'source' both say the source; it needs one of them"):
        scenario(tmp_path, "time_ns,src,source,dst,bytes\n0,0,0,1,80\n")


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1791000000000000001 ns", NOW_NS + 1),
        ("0.1 ps", Fraction(1, 10000)),
        ("1_000 s", 10**12),
        ("2 h", 7200 * 10**9),
    ],
)
def test_a_time_with_its_unit_is_exact(text, ns):
    assert exact_ns(text) == ns


@pytest.mark.parametrize("text", ["1e999999999 ns", "3 MB", "ns", f"0.{'1' * 200} s"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="a "):
        exact_ns(text)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("7", True),
        ("7.0", True),
        ("7.5", False),
        ("1E40", True),
        ("1E-40", False),
        ("12345678901234567890123456789.5", False),
    ],
)
def test_a_time_of_any_size_is_whole_or_not(text, whole):
    assert is_whole(exact_time(text)) == whole
