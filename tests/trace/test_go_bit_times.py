"""How long go bits are under way: against a count cycle by cycle, and as picker1994 explains its deviations."""

import numpy as np
import pytest

from ringlet import RingletError, Scenario
from ringlet.trace import record


def recorded(protocol, transaction="send80", **options):
    content = {
        "network": {"nodes": 4, "hop_delay": 2},
        "traffic": {"destinations": [2, 3, 0, 0], "transaction": transaction},
        "flow_control": {"protocol": protocol, **options},
        "run": {"duration": 20_000, "warmup": 0, "seed": 1},
    }
    return record(Scenario.from_dict(content), start=1_000, stop=9_000)


def cycle_by_cycle(recording, node, bit):
    """Cycles in which a series of idles with the go bit begins."""
    frame = recording.frame("runs")
    words = np.full(recording.stop + 300, -1)
    for row in frame[(frame["node"] == node) & (frame["kind"] == "idle")].itertuples():
        words[row.cycle : row.cycle + row.symbols] = row.word
    has = (words >= 0) & (words >> bit & 1 == 1)
    return np.flatnonzero(has & ~np.append(False, has[:-1]))


@pytest.mark.parametrize(
    ("protocol", "options", "bits"),
    [("sci", {}, 1), ("sci", {"priorities": 4}, 2), ("grouped", {"groups": 4}, 4)],
)
def test_times_between_go_bits_are_those_of_a_count_cycle_by_cycle(protocol, options, bits):
    recording = recorded(protocol, **options)
    times = recording.go_bit_times().set_index(["node", "go_bit"])
    assert len(times) == 4 * bits
    for (node, bit), row in times.iterrows():
        begins = cycle_by_cycle(recording, node, bit)
        assert row["series"] == len(begins)
        if len(begins) > 1:
            assert row["mean_cycles"] == pytest.approx(np.diff(begins).mean())
            assert row["deviation_cycles"] == pytest.approx(np.diff(begins).std())
        else:
            assert np.isnan(row["mean_cycles"])


@pytest.mark.parametrize("protocol", ["sci", "grouped"])
def test_mixed_sizes_make_the_time_of_a_round_vary(protocol):
    one, mixed = (recorded(protocol, size).go_bit_times() for size in ("send80", "mixed"))
    relative = [float((times["deviation_cycles"] / times["mean_cycles"]).mean()) for times in (one, mixed)]
    assert relative[1] > relative[0]


@pytest.mark.parametrize("protocol", ["none", "ppq", "token-ring"])
def test_idles_without_go_bits_are_refused(protocol):
    with pytest.raises(RingletError, match=f"flow_control.protocol: '{protocol}' is not allowed; a protocol whose"):
        recorded(protocol).go_bit_times()
