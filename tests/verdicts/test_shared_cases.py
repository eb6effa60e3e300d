"""Cases of users that lie beside the repository: what is right of each of them."""

from pathlib import Path

import pytest

import ringlet as rl
from ringlet.studies import Study

CASES = Path(__file__).parents[3] / "shared/cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is not there")


def run(name, *settings):
    return rl.run(rl.Scenario.load(CASES / name, settings)).document


def test_times_of_the_day_s_clock_are_those_from_zero():
    epoch, zero = run("clock-times.toml"), run("clock-times.toml", "traffic.trace.file=clock-times-from-zero.csv")
    assert epoch["nodes"] == zero["nodes"]
    assert epoch["trace"]["run_time_s"] == zero["trace"]["run_time_s"]
    started = run("clock-times.toml", 'traffic.trace.start="1791000000000000000 ns"')
    assert started["total"]["delivered_packets"] > 0


@pytest.mark.parametrize(("rows", "packets"), [("rows-4096-bytes.csv", 15), ("rows-8-bytes.csv", 1)])
def test_rows_of_a_trace_of_any_size_are_cut_into_packets(rows, packets):
    trace = run("replay.toml", f"traffic.trace.file={rows}")["trace"]
    assert trace["complete"]
    assert trace["packets"] == packets


def test_the_groups_of_the_paper_s_example_share_in_thirds():
    found = [node["throughput_words_per_cycle"] for node in run("groups-example.toml")["nodes"]]
    # Of 41 symbols 40 are the packet's.
    assert found == pytest.approx([40 / 41 * third / 3 for third in (1, 1, 1, 2)], rel=0.01)


def test_every_sender_of_a_train_sends():
    shares = [node["of_optimum"] for node in run("train-starves.toml")["nodes"]]
    assert min(shares) > 0.8


def test_a_ring_of_857_km_carries_what_is_offered():
    total = run("packet-ring-857km.toml")["total"]
    assert total["of_optimum"] > 0.99


def test_an_axis_that_nobody_draws_is_refused():
    with pytest.raises(rl.RingletError, match=r"no key draws the axis network\.hop_delay"):
        Study.load(CASES / "three-axes.toml")


def test_fragments_of_each_source_are_taken():
    events = run("fragments.toml")["events"]
    assert events["built_events"] == events["triggers"] > 0


def test_the_latency_of_reads_is_that_of_transactions():
    latency = run("read-latency.toml")["total"]
    assert latency["message_latency_ns"]["mean"] > 1.9 * latency["latency_ns"]["mean"]
