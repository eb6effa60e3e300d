"""Warm-up, batches and stopping, with deliveries that the test writes down."""

import numpy as np
import pytest
from fake_simulator import FakeScenario, FakeSimulator, flow_spec, network_spec

from ringlet.run.drive import drive
from ringlet.run.engine import Engine
from ringlet.run.flows import Flows
from ringlet.run.plan import BATCHES, NODE_CYCLES_CAP, Plan


def steady(cycles, flows=1, *, share=0.02, seed=0):
    return np.random.default_rng(seed).random((cycles, flows)) < share


def driven(simulator, **scenario):
    spec = network_spec([flow_spec(node) for node in range(simulator.flows)])
    engine = Engine(simulator)
    plan = Plan.of(FakeScenario(spec, **scenario), spec)
    return engine, drive(engine, Flows.from_spec(spec), plan)


@pytest.mark.parametrize("cycles", [30_000, 30_011, 65, 31, 30, 7, 1])
def test_a_duration_is_measured_to_the_cycle_in_equal_batches(cycles):
    engine, measurement = driven(FakeSimulator(steady(cycles)), measured_cycles=cycles)
    lengths = measurement.batches.cycles
    assert lengths.sum() == engine.measured_cycles == cycles
    assert len(lengths) == min(BATCHES, cycles)
    assert len(set(lengths[:-1])) <= 1
    assert lengths[-1] >= lengths[0]
    assert measurement.warnings == []


def test_a_given_warm_up_is_discarded_and_nothing_else():
    packets = np.zeros((11_000, 1), dtype=bool)
    packets[:1000] = True
    packets[1000::50] = True
    engine, measurement = driven(FakeSimulator(packets), warmup=1000, measured_cycles=10_000)
    assert engine.measured_from == 1000
    assert measurement.batches.delivered_packets[:, -1].sum() == 200


def test_no_warm_up_measures_from_cycle_zero():
    engine, measurement = driven(FakeSimulator(steady(3000)), warmup=0, measured_cycles=3000)
    assert engine.measured_from == 0
    assert engine.cycle == 3000
    assert len(measurement.batches) == BATCHES


def test_each_series_is_the_sum_of_its_flows():
    packets = steady(3000, flows=3)
    _, measurement = driven(FakeSimulator(packets), measured_cycles=3000)
    np.testing.assert_array_equal(measurement.batches.delivered_packets.sum(axis=0)[:3], packets.sum(axis=0))
    assert measurement.batches.delivered_packets[:, 3].sum() == packets.sum()
    assert measurement.batches.payload_symbols[:, 3].sum() == 40 * packets.sum()
    assert measurement.batches.latency_cycles[:, 3].sum() == 100 * packets.sum()


def test_an_automatic_warm_up_is_a_tenth_of_the_duration_if_there_is_no_transient():
    engine, measurement = driven(FakeSimulator(steady(200_000)), warmup="auto", measured_cycles=100_000)
    assert engine.measured_from == 10_000
    assert engine.measured_cycles == 100_000
    assert measurement.warnings == []


def test_an_automatic_warm_up_grows_past_the_transient():
    cycles, over = 400_000, 15_000
    latency = np.maximum(100, 2000 - np.arange(cycles) * 1900 // over)[:, None]
    engine, measurement = driven(FakeSimulator(steady(cycles), latency), warmup="auto", measured_cycles=100_000)
    assert over < engine.measured_from <= 8 * over
    assert engine.measured_from % 10_000 == 0
    assert measurement.batches.latency.mean[-1] == 100
    assert measurement.warnings == []


def test_throughput_alone_can_prolong_the_warm_up():
    packets = steady(400_000)
    packets[:15_000] = False
    packets[0] = True
    engine, _ = driven(FakeSimulator(packets), warmup="auto", measured_cycles=100_000)
    assert engine.measured_from > 15_000


def test_a_drift_without_end_is_reported_after_as_long_as_the_duration():
    cycles = 200_000
    latency = np.arange(cycles)[:, None]
    engine, measurement = driven(FakeSimulator(steady(cycles), latency), warmup="auto", measured_cycles=50_000)
    assert engine.measured_from == 50_000
    assert engine.measured_cycles == 50_000
    assert any("warm-up not detected" in warning for warning in measurement.warnings)


def test_a_long_warm_up_takes_few_steps():
    cycles = 2_000_000
    simulator = FakeSimulator(steady(cycles), np.arange(cycles)[:, None])
    spec = network_spec([flow_spec(0)])
    engine = Engine(simulator)
    # As a run without a duration has it: short bins at first, and a limit far away.
    plan = Plan(warm_up="auto", warm_up_bin=10, warm_up_limit=cycles // 2, measured=1000, precision=None)
    drive(engine, Flows.from_spec(spec), plan)
    assert engine.measured_from > 900_000
    # 200 bins, 100 more for each of nine doublings; bins of a constant length would be 100,000.
    assert len(simulator.steps) < 1500


def test_an_automatic_warm_up_covers_round_trips_of_a_long_ring_however_short_the_run():
    spec = network_spec([flow_spec(0)], nodes=100, hop_delay=50)
    plan = Plan.of(FakeScenario(spec, warmup="auto", measured_cycles=10), spec)
    engine = Engine(FakeSimulator(steady(30_000)))
    drive(engine, Flows.from_spec(spec), plan)
    assert engine.measured_from >= 4 * 100 * 50
    assert engine.measured_cycles == 10


def test_a_ring_without_traffic_needs_no_warm_up_and_no_precision():
    spec = network_spec([], nodes=4)
    engine = Engine(FakeSimulator(np.zeros((50_000, 0))))
    plan = Plan.of(FakeScenario(spec, warmup="auto", precision=0.1, measured_cycles=None), spec)
    measurement = drive(engine, Flows.from_spec(spec), plan)
    assert engine.measured_from == 0
    assert measurement.precision_reached is False


def noisy_latency(cycles, seed=0):
    return np.random.default_rng(seed).integers(50, 150, (cycles, 1))


def test_a_precise_run_stops_when_both_series_are_precise():
    simulator = FakeSimulator(steady(2_000_000), noisy_latency(2_000_000))
    engine, measurement = driven(simulator, precision=0.02, measured_cycles=2_000_000)
    assert measurement.precision_reached is True
    assert engine.measured_cycles < 1_500_000
    for interval in (measurement.batches.throughput, measurement.batches.latency):
        assert interval.relative_half_width[-1] <= 0.02
    assert measurement.warnings == []


def test_higher_precision_takes_longer():
    lengths = [
        driven(
            FakeSimulator(steady(3_000_000), noisy_latency(3_000_000)), precision=precision, measured_cycles=3_000_000
        )[0].measured_cycles
        for precision in (0.05, 0.02, 0.01)
    ]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[2]


def test_batches_stay_between_20_and_40_however_long_it_takes():
    simulator = FakeSimulator(steady(500_000), noisy_latency(500_000))
    engine, measurement = driven(simulator, precision=1e-6, measured_cycles=500_000)
    assert 20 <= len(measurement.batches) <= 40
    assert measurement.batches.cycles.sum() == engine.measured_cycles == 500_000
    np.testing.assert_array_equal(np.unique(simulator.steps[:-1]), [1000, 2000, 4000, 8000, 16000])


def test_a_precision_out_of_reach_is_said_so_at_the_duration():
    simulator = FakeSimulator(steady(50_000), noisy_latency(50_000))
    engine, measurement = driven(simulator, precision=1e-6, measured_cycles=50_000)
    assert measurement.precision_reached is False
    assert engine.measured_cycles == 50_000
    assert any("precision 1e-06 not reached in 50000 cycles" in warning for warning in measurement.warnings)


def test_a_precision_without_a_duration_has_a_cap():
    spec = network_spec([flow_spec(node) for node in range(16)])
    plan = Plan.of(FakeScenario(spec, precision=0.01, measured_cycles=None), spec)
    assert plan.measured == NODE_CYCLES_CAP // 16


@pytest.mark.parametrize("precision", [None, 0.01])
def test_a_stall_ends_the_measurement_where_it_is(precision):
    simulator = FakeSimulator(steady(30_000), stall_at=12_345)
    engine, measurement = driven(simulator, measured_cycles=30_000, precision=precision)
    assert engine.stall["since_cycle"] == 12_340
    assert measurement.batches.cycles.sum() == engine.measured_cycles == 12_345


@pytest.mark.parametrize("warmup", ["auto", 5000])
def test_after_a_stall_in_the_warm_up_everything_counts_as_measured(warmup):
    simulator = FakeSimulator(steady(30_000), stall_at=1234)
    engine, measurement = driven(simulator, warmup=warmup, measured_cycles=30_000)
    assert engine.measured_from == 0
    assert measurement.batches.cycles.sum() == 1234
    assert simulator.cycle == 1234


def test_the_stopwatch_counts_only_the_engine():
    engine, _ = driven(FakeSimulator(steady(3000)), measured_cycles=3000)
    assert 0 < engine.seconds < 1
