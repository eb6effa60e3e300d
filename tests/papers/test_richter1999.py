"""The reproduction of richter1999: what it runs, and how results become rows."""

import math
from dataclasses import replace

import pytest

from ringlet.papers import figures_of, richter1999
from ringlet.papers.richter1999 import counts, locality, others, overload, systems, testbeds, variants
from ringlet.papers.richter1999.choices import NO_FLOW_CONTROL, PARAMETERS, PRINTED, READINGS, WRITES
from ringlet.papers.richter1999.study import FULL, QUICK, Point, Scale, measure
from ringlet.papers.richter1999.systems import OMEGA_RINGLETS, SYSTEMS, TWO_LONG, TWO_RINGLETS
from ringlet.papers.runs import Case, scenario_files, simulate
from ringlet.scenario import Scenario

SHORT = Scale(step_MBps=25, fine_MBps=25, overrides=("run.duration=0.2 ms", "run.warmup=0.1 ms"), quick=True)


def point(rate: float, processors: int, capacity: float) -> Point:
    """A system that loses what is beyond a capacity, in MB/s of payload."""
    offered = rate * processors * 64 / 84
    output = min(offered, capacity)
    latency = 1000.0 if offered <= capacity else 5000.0
    return Point(offered, output, offered - output, 0.0, latency, latency - 1, latency + 1, (output / 4,) * 4)


@pytest.fixture(scope="module")
def results():
    """Every case from a formula: no simulation."""
    found = {case: point(1, 1, 1) for case in richter1999.all_cases(QUICK)}
    for system in SYSTEMS:
        for reading in READINGS:
            for rate in systems.rates_MBps(QUICK):
                found[systems.case(system, reading, rate, QUICK)] = point(rate, system.processors, 176.0)
    return found


def obtained(results, row):
    return richter1999.measurements(results, PRINTED, QUICK)[f"richter1999.{row}"]


def test_every_system_of_the_chapter_has_a_scenario_file_that_runs():
    for name in scenario_files("richter1999"):
        scenario = Case("richter1999", name, SHORT.overrides).load()
        assert isinstance(scenario, Scenario)
    assert {system.file for system in SYSTEMS} < set(scenario_files("richter1999"))


@pytest.mark.parametrize("system", [*SYSTEMS, *others.SHOWN[1:]], ids=lambda system: system.name)
def test_all_figures_have_the_parameters_that_are_listed(system):
    content = Case("richter1999", system.file).load().to_dict()
    for parameter in PARAMETERS:
        section, key = parameter.key.split(".")
        assert content[section][key] == parameter.value, parameter.key


def test_systems_differ_in_their_network_alone():
    contents = [Case("richter1999", system.file, ("traffic.load=1 MB/s",)).load().to_dict() for system in SYSTEMS]
    networks = [content.pop("network") for content in contents]
    assert all(content == contents[0] for content in contents)
    assert all(network["pass_delay"] == "146.67 ns" for network in networks)


def test_the_other_reading_changes_workload_and_switch_alone():
    printed, writes = (systems.case(TWO_RINGLETS, reading, 100, FULL).load().to_dict() for reading in READINGS)
    assert printed.pop("switch") != writes.pop("switch")
    assert printed["traffic"].pop("transaction") == "dmove64"
    assert writes["traffic"].pop("transaction") == "nwrite64"
    assert printed == writes


def test_there_is_one_row_for_every_published_figure(results):
    report = richter1999.RICHTER1999.report(results, QUICK)
    assert [row.figure for row in report.rows] == list(figures_of("richter1999"))
    assert {row.other.name for row in report.rows} == {WRITES.name}
    assert len({table.name for table in report.tables}) == len(report.tables)
    report.figures[0].draw()
    for panel in report.figures[0].panels:
        # The crosses are the published points. Where both readings are equal, neither hides the other.
        first, second, *_ = panel.series
        assert first.marker != second.marker
        assert first.dashes != second.dashes
        assert not first.has_interval or first.offset < 0 < second.offset


def test_a_rate_saturates_where_packets_are_lost_and_latency_is_read_below(results):
    # 125 MB/s of each of two processors offer 190.5 MB/s of payload.
    assert obtained(results, "f21.ringlet.sat.in").value == 250
    assert obtained(results, "f21.ringlet.sat.out").value == 176
    assert obtained(results, "f21.ringlet.loss").value == pytest.approx(1000 * 64 / 84 - 176)
    assert obtained(results, "f22.ringlet.latency").value == 1001
    # Two extremes: of single packets, and of the largest at each rate.
    assert obtained(results, "f22.ringlet.latency.over").ends == (4999, 5001)
    assert obtained(results, "f22.ringlet.latency.over").value == 5001
    assert obtained(results, "f23.long.latency.over").ends == pytest.approx((5.001, 5.001))


def test_a_few_lost_packets_do_not_saturate_a_rate(results):
    case = systems.case(TWO_RINGLETS, PRINTED, 100, QUICK)
    lossy = {**results, case: replace(results[case], loss_MBps=0.4)}
    assert obtained(lossy, "f21.ringlet.sat.in").value == 250
    # But its latency is no longer that of a system which loses nothing.
    assert "at 75 MB/s" in obtained(lossy, "f22.ringlet.latency").detail


def test_a_system_that_never_saturates_saturates_at_the_highest_rate(results):
    changed = dict(results)
    for rate in systems.rates_MBps(QUICK):
        changed[systems.case(TWO_LONG, PRINTED, rate, QUICK)] = point(rate, 2, math.inf)
    assert obtained(changed, "f21.long.sat.in").value == 1000


def test_a_block_is_at_full_speed_from_95_percent_on():
    assert testbeds.knee({16: 4.0, 64: 9.4, 128: 9.5, 256: 10.0, 512: 7.0}) == 128


def test_the_software_check_is_outweighed_by_what_counts_as_the_maximum(results):
    changed = dict(results)
    # A check of 6.8 us for each block of 12.12 bytes a microsecond.
    for block in testbeds.CHECKED_BLOCKS:
        case = testbeds.CHECKED_2.case(block, QUICK)
        changed[case] = replace(results[case], output_MBps=block / (block / 12.12 + 6.8))
    found = testbeds.missing_inputs(changed, QUICK)["richter1999.f4.check.knee"]
    assert (found.low, found.high) == (4, 64)


def test_latencies_of_long_blocks_are_in_accordance_with_the_throughput():
    # Section 6.4 on Figure 6.5; the figures of combined buffers, 6.9 to 6.11, are drawn without a word.
    for bed in (testbeds.STREAMS_2[2], testbeds.STREAMS_2[4], testbeds.STREAMS_2[8]):
        back_to_back, apart = bed.case(4096, QUICK), testbeds.apart_case(bed, 4096, QUICK)
        rate, slower = simulated(back_to_back, apart)
        latency_us = testbeds.latencies_us(_EveryCase(slower), bed, QUICK)[4096]
        assert latency_us == pytest.approx(4096 / rate.output_MBps, rel=0.05)


class _EveryCase(dict):
    """The same figures for each case."""

    def __init__(self, point):
        super().__init__()
        self.point = point

    def __missing__(self, case):
        return self.point


def test_ports_and_closure_are_the_chapters(results):
    found = counts.measurements(results, QUICK)
    ports = [found[f"richter1999.s7.ports.{name}"].value for name in ("ringlet", "first", "second")]
    assert ports == [128, 64, 32]
    assert found["richter1999.s7.closure"].value == 1


def test_overload_is_looked_for_from_saturation_on():
    assert min(overload.rates_MBps(TWO_LONG, FULL)) == 450
    assert len(overload.rates_MBps(TWO_LONG, FULL)) == 11
    assert "host.order=lowest-slot" in overload.overload_case(TWO_LONG, "lowest-slot", 450, FULL).overrides


def test_latencies_beyond_saturation_have_a_range_over_the_orders_of_slots(results):
    # Every case of the formula takes 1001 ns, and its least is 999.
    long = overload.overload_case(TWO_LONG, "requeue", 450, QUICK)
    omega = overload.overload_case(OMEGA_RINGLETS, "new-first", 125, QUICK)
    ringlets = overload.overload_case(TWO_RINGLETS, "lowest-slot", 125, QUICK)
    changed = dict(results)
    for case, latency_ns in ((long, 90_000), (omega, 30_000), (ringlets, 12_000)):
        changed[case] = replace(results[case], largest_latency_ns=float(latency_ns))
    found = overload.missing_inputs(changed, QUICK)
    ends = {row.removeprefix("richter1999."): (each.low, each.high) for row, each in found.items()}
    # In the units of the rows: us and ns.
    assert ends["f25.omega.latency.over"] == (pytest.approx(1001), pytest.approx(30_000))
    assert ends["f27.second.latency.over"] == pytest.approx((1.001, 1.001))
    # Of long rings the rate with the least, and that with the most; of ringlets the shortest, and the longest.
    assert ends["f23.long.latency.over"] == pytest.approx((1.001, 1.001))
    assert found["richter1999.f23.long.latency.over"].upper == pytest.approx((1.001, 90.0))
    assert ends["f22.ringlet.latency.over"] == pytest.approx((999, 999))
    assert found["richter1999.f22.ringlet.latency.over"].upper == pytest.approx((1001, 12_000))
    assert len(ends) == 5


def test_every_case_loads():
    for case in {
        *variants.cases(FULL),
        *locality.cases(QUICK),
        *testbeds.cases(QUICK),
        *overload.cases(QUICK),
        *others.cases(QUICK),
    }:
        case.load()


def simulated(*cases):
    found = simulate(cases, measure, seeds=(1,), workers=1)
    return [found[case] for case in cases]


def test_the_switch_with_ringlets_is_as_slow_as_published():
    below, beyond = simulated(*(systems.case(TWO_RINGLETS, PRINTED, rate, SHORT) for rate in (100, 500)))
    assert below.largest_latency_ns == pytest.approx(2344, rel=0.02)
    assert below.loss_MBps == 0
    assert beyond.output_MBps == pytest.approx(176, rel=0.01)


def test_long_rings_are_as_fast_as_published():
    below, beyond = simulated(*(systems.case(TWO_LONG, PRINTED, rate, SHORT) for rate in (425, 500)))
    assert below.largest_latency_ns == pytest.approx(1127, rel=0.01)
    assert beyond.output_MBps == pytest.approx(682, rel=0.01)


def test_responses_hold_the_b_link_instead_of_a_fitted_set_up():
    (beyond,) = simulated(systems.case(TWO_RINGLETS, WRITES, 500, SHORT))
    assert beyond.output_MBps == pytest.approx(176, rel=0.05)


def test_a_b_link_in_full_duplex_gives_each_port_150_mb_per_s():
    case = counts.duplex_case(SHORT)
    (found,) = simulated(case)
    assert sum(found.nodes_MBps) * 88 / 64 / 4 == pytest.approx(150, rel=0.01)


@pytest.mark.parametrize("setting", list(overload.SETTINGS))
def test_no_mean_latency_is_longer_than_the_buffers_of_a_long_ring_hold(setting):
    """By Little's law: so the published 75 to 301 us are of single packets that starve, not of all."""
    case = systems.case(TWO_LONG, PRINTED, 500, SHORT, *overload.SETTINGS[setting])
    (found,) = simulated(case)
    # Of one ring: 8 slots, a packet that waits for one, 4 places of the memory; 64 bytes in output_MBps / 2.
    packets, interval_ns = 8 + 1 + 4, 64e3 / (found.output_MBps / 2)
    ahead_ns, behind_ns = 58 + 82, 188 + 147
    assert found.loss_MBps > 0
    assert found.mean_latency_ns < packets * interval_ns + ahead_ns + behind_ns < 3000


def test_a_lone_sender_waits_for_go_bits_under_the_default_extension():
    """Why the scenario files have another: a long ring is long enough to lose throughput at 425 MB/s."""
    passing = systems.case(TWO_LONG, PRINTED, 425, SHORT)
    received = systems.case(TWO_LONG, PRINTED, 425, SHORT, "flow_control.extension=received")
    with_passing, with_received = simulated(passing, received)
    assert with_passing.loss_MBps == 0
    assert with_received.loss_MBps > 0.2 * with_received.offered_MBps


def test_one_sender_on_a_ring_gets_the_same_with_and_without_scis_flow_control():
    cases = [systems.case(TWO_RINGLETS, PRINTED, rate, SHORT) for rate in (100, 500)]
    without = [systems.case(TWO_RINGLETS, PRINTED, rate, SHORT, *NO_FLOW_CONTROL) for rate in (100, 500)]
    assert simulated(*cases) == simulated(*without)
