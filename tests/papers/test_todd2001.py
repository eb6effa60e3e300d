"""The reproduction of todd2001: what it runs, and how results become rows."""

import math
import tomllib
from dataclasses import replace

import fake_todd2001 as fake
import numpy as np
import pytest

from ringlet.papers import figures_of, todd2001
from ringlet.papers.runs import Case, scenario_files, scenarios_of, simulate
from ringlet.papers.todd2001 import TODD2001, figure8, figure9, figure10, figure11, nearest
from ringlet.papers.todd2001.curves import furthest, peak, sustained
from ringlet.papers.todd2001.settings import COMMON, PROTOCOLS, Setting
from ringlet.papers.todd2001.study import FULL, MB, QUICK, Point, Scale, measure, peak_GBps, service_limit_MBps

SHORT = Scale(seeds=(1, 2), overrides=("run.duration=100 us", "run.warmup=20 us"))


@pytest.fixture(scope="module")
def results():
    return fake.results(QUICK)


def with_point(results, curve, load, **changes):
    case = curve.case(load, QUICK)
    return {**results, case: replace(results[case], **changes)}


def test_figures_are_over_at_least_five_seeds_and_two_ms():
    assert len(set(FULL.seeds)) >= 5
    assert FULL.overrides == ()
    for name in scenario_files("todd2001"):
        assert Case("todd2001", name).load().measured_cycles * 2e-9 >= 2e-3


def test_every_figure_has_its_scenario_file():
    assert scenario_files("todd2001") == (
        "figure10.toml",
        "figure11.toml",
        "figure8a.toml",
        "figure8b.toml",
        "figure9a.toml",
        "figure9b.toml",
    )


def test_all_figures_have_the_same_host():
    hosts = []
    for name in scenario_files("todd2001"):
        content = tomllib.loads(scenarios_of("todd2001").joinpath(name).read_text(encoding="utf-8"))
        del content["queues"]["service_time"], content["queues"]["priorities"]
        hosts.append([content[section] for section in ("network", "queues", "retry", "run")])
        assert content["traffic"]["transaction"] == "read64"
        assert content["traffic"]["arrivals"] == "poisson"
    assert all(host == hosts[0] for host in hosts)


def test_protocols_differ_in_the_flow_control_only():
    for curves in zip(*([curve(protocol) for curve in common_curves()] for protocol in PROTOCOLS), strict=True):
        scenarios = [curve.case(curve.loads_MBps[-1], FULL).load().to_dict() for curve in curves]
        assert [scenario.pop("flow_control")["protocol"] for scenario in scenarios] == list(PROTOCOLS)
        # TRAIN's tickets are for the oldest packets, so that its queues are in that order.
        for scenario in scenarios:
            scenario["queues"].pop("order")
        assert all(scenario == scenarios[0] for scenario in scenarios)


def common_curves():
    return [
        *(lambda protocol, part=part: figure8.curve(part, protocol) for part in figure8.PARTS),
        *(lambda protocol, part=part: figure9.curve(part, protocol) for part in figure9.PARTS),
        figure10.curve,
        *(lambda protocol, percent=percent: figure11.curve(protocol, percent) for percent in figure11.HOT_PERCENTS),
    ]


def test_every_case_loads_and_offers_what_its_curve_says():
    for curve in todd2001.tables.all_curves(FULL):
        scenario = curve.case(curve.loads_MBps[-1], FULL).load()
        spec = scenario.network_spec(1)
        # A read64 has 64 bytes of data; a cycle takes 2 ns.
        rates = {}
        for flow in spec["flows"]:
            rates[flow["source"]] = rates.get(flow["source"], 0) + flow["arrivals"]["rate"]
        per_node = curve.loads_MBps[-1] * curve.priorities * MB / 64 * 2e-9
        senders = set(range(8)) - ({4} if curve.hot_percent else set())
        assert {node for node, rate in rates.items() if rate > 0} == senders
        assert all(rates[node] == pytest.approx(per_node) for node in senders)


def test_hot_requests_go_to_the_hot_node():
    matrix = figure11.curve("dfc", 70).case(150, FULL).load().traffic_matrix()
    assert matrix[0, 4] == pytest.approx(0.7)
    assert matrix[0, 1] == pytest.approx(0.05)


def test_there_is_one_row_for_every_published_figure(results):
    rows = TODD2001.report(results, QUICK).rows
    assert [row.figure for row in rows] == list(figures_of("todd2001"))
    assert all(row.other is None for row in rows)


def test_a_sustained_throughput_is_the_mean_of_the_two_highest_loads(results):
    line = figure8.curve("a", "sci")
    totals = {125.0: [600.0, 620.0], 150.0: [700.0, 700.0]}
    changed = results
    for load, total in totals.items():
        changed = with_point(changed, line, load, throughput_MBps=np.array(total)[:, None])
    found = sustained(changed, line, QUICK)
    assert found.value == pytest.approx(655)
    assert found.spread == pytest.approx(np.std([650, 660], ddof=1))


def test_a_peak_is_the_highest_mean_over_the_seeds(results):
    line = figure8.curve("a", "ppq")
    changed = with_point(results, line, 50.0, throughput_MBps=np.array([[900.0], [920.0]]))
    found = peak(changed, line, QUICK)
    assert found.value == pytest.approx(910)
    assert "50 MB/s" in found.detail


@pytest.mark.parametrize(("last", "holds"), [(670.0, 0.0), (610.0, 0.0), (100.0, 1.0)])
def test_throughput_falls_if_the_sustained_one_is_a_tenth_below_the_peak(results, last, holds):
    line = figure8.curve("b", "ppq")
    changed = results
    for load in (125.0, 150.0):
        changed = with_point(changed, line, load, throughput_MBps=np.full((2, 1), last))
    assert figure8.measurements(changed, QUICK)["todd2001.f8b.ppq"].value == holds


def test_the_protocol_furthest_from_a_common_figure_counts(results):
    found = figure8.measurements(results, QUICK)["todd2001.f8b.plateau"]
    assert found.value == pytest.approx(840.5)
    assert "base SCI 700" in found.detail
    assert "DFC 840" in found.detail


def test_a_figure_that_could_not_be_obtained_is_furthest(results):
    changed = with_point(results, figure8.curve("a", "ppq"), 1.0, latency_us=np.full((2, 1), np.nan))
    found = figure8.measurements(changed, QUICK)["todd2001.f8.latency.sci"]
    assert math.isnan(found.value)


def test_furthest_of_one_is_that_one():
    found = furthest({"PPQ": todd2001.Measurement(1.0)}, 2.0, digits=1)
    assert (found.value, found.detail) == (1.0, "PPQ 1.0")


def test_priorities_roll_off_in_order(results):
    found = figure10.measurements(results, QUICK)["todd2001.f10.rolloff"]
    assert found.value == 1
    assert "TRAIN 0.75, 1, 1.25, 2.5, never" in found.detail


def test_a_low_priority_that_outlives_a_higher_one_breaks_the_order(results):
    line = figure10.curve("dfc")
    changed = results
    for load in figure10.LOADS:
        case = line.case(load, QUICK)
        throughput = changed[case].throughput_MBps.copy()
        throughput[:, [0, 64]] = throughput[:, [64, 0]]
        changed = with_point(changed, line, load, throughput_MBps=throughput)
    assert figure10.measurements(changed, QUICK)["todd2001.f10.rolloff"].value == 0


def test_dead_runs_say_nothing_of_the_order(results):
    line = figure10.curve("ppq")
    case = line.case(0.25, QUICK)
    throughput = results[case].throughput_MBps.copy()
    throughput[0] = 0
    changed = with_point(results, line, 0.25, throughput_MBps=throughput, stalls=("dead",))
    found = figure10.measurements(changed, QUICK)["todd2001.f10.rolloff"]
    assert found.value == 1
    assert "left out: 1 that stalled" in found.detail


@pytest.mark.parametrize(
    ("at_50", "at_100", "counts", "agrees"),
    [(745.0, 570.0, 570.0, True), (760.0, 600.0, 600.0, False), (700.0, 540.0, 700.0, False)],
)
def test_each_end_of_a_range_is_compared_with_its_own(results, at_50, at_100, counts, agrees):
    changed = dict(results)
    for percent, value in ((50, at_50), (100, at_100)):
        for line in (figure11.curve("dfc", percent), figure11.peak_curve("dfc", percent)):
            for load in line.loads_MBps:
                changed[line.case(load, QUICK)] = fake.point(line, load, QUICK, capacity=value - 0.5)
    row = next(row for row in TODD2001.report(changed, QUICK).rows if row.figure.id == "todd2001.f11.dfc.range")
    assert row.ends == pytest.approx((at_100, at_50))
    # The one further from its own stands for both; between the published ends lies nothing that is published.
    assert row.obtained == pytest.approx(counts)
    assert row.agrees is agrees


def test_losses_and_shares_come_from_the_ends_of_the_hot_spot(results):
    changed = dict(results)
    for percent, value in ((50, 750.0), (100, 560.0)):
        for line in (figure11.curve("dfc", percent), figure11.peak_curve("dfc", percent)):
            for load in line.loads_MBps:
                changed[line.case(load, QUICK)] = fake.point(line, load, QUICK, capacity=value - 0.5)
    found = figure11.measurements(changed, QUICK)
    assert found["todd2001.f11.dfc.loss"].value == pytest.approx(100 * (1 - 560 / 750), abs=0.01)
    assert found["todd2001.f11.dfc.share"].value == pytest.approx(100 * 560 / 610.35, abs=0.01)


def test_the_analytic_figures_are_the_papers():
    assert peak_GBps() == pytest.approx(1.142857, abs=1e-6)
    assert service_limit_MBps(0.1) == pytest.approx(610.35, abs=0.01)
    assert service_limit_MBps(1.0) == pytest.approx(61.04, abs=0.01)


class FakeResult:
    """A result as `rl.run` returns it."""

    def __init__(self, stall=None):
        total = {"offered_MBps": 1.048576, "throughput_MBps": 1.048576, "latency_ns": {"mean": 156.0}}
        nothing = {"offered_MBps": 1.0, "throughput_MBps": 0.0, "latency_ns": {"mean": None}}
        self.document = {"total": total, "priorities": [{"priority": level, **nothing} for level in range(3)]}
        self.document["priorities"][2] = {"priority": 2, **total}
        self.stall = stall


def test_megabytes_are_the_papers(monkeypatch):
    scenario = figure9.curve("a", "dfc").case(1, FULL).load()
    point = measure(scenario, [FakeResult()])
    assert point.throughput_MBps.tolist() == [[0, 0, pytest.approx(1.0)]]
    # The paper counts a cycle in the destination's node, too.
    assert point.latency_us[0, 2] == pytest.approx(0.158)
    assert np.isnan(point.latency_us[0, :2]).all()


def test_a_run_that_stalls_counts_as_nothing_and_is_noted(results):
    scenario = figure9.curve("a", "ppq").case(30, FULL).load()
    point = measure(scenario, [FakeResult(), FakeResult(stall={"detail": "node 3 waits for a go bit"})])
    assert point.total_MBps.tolist() == [pytest.approx(1.0), 0.0]
    assert np.isnan(point.mean_latency_us[1])
    assert point.stalls == ("node 3 waits for a go bit",)
    changed = with_point(results, figure8.curve("a", "sci"), 150.0, stalls=point.stalls)
    row = todd2001.measurements(changed, QUICK)["todd2001.f8a.sci"]
    assert "1 of 4 runs stalled" in row.detail
    stalls = next(table for table in todd2001.paper_tables(changed, QUICK) if table.name == "stalls")
    assert stalls.lines == (("base SCI", "common host", "figure8a.toml", 150.0, "1 of 2", "node 3 waits for a go bit"),)


def test_a_study_of_dead_rings_is_drawn_and_tabled(results):
    dead = {case: still(point) for case, point in results.items()}
    report = TODD2001.report(dead, QUICK)
    assert not any(row.agrees for row in report.rows if row.seeds)
    for figure in report.figures:
        figure.draw()


def still(point: Point) -> Point:
    none = np.full_like(point.latency_us, np.nan)
    return Point(point.offered_MBps, 0 * point.throughput_MBps, none, none[:, 0], ("dead", "dead"))


def test_peaks_of_the_hot_spot_are_at_loads_in_steps_of_5_and_those_of_ppq_of_long_runs(results):
    for (protocol, percent), loads in figure11.PEAK_LOADS.items():
        assert set(np.diff(loads)) == {5.0}
        measured_s = figure11.peak_curve(protocol, percent).case(loads[0], FULL).load().measured_cycles * 2e-9
        # "Hundreds of thousands of messages", at 300 MB/s.
        assert measured_s == pytest.approx(40e-3 if protocol == "ppq" else 2e-3)
        # A short study does not run the same twice.
        assert set(figure11.peak_curve(protocol, percent).cases(QUICK)) <= set(results)


def test_own_settings_decide_no_row_and_a_check_leaves_them_out():
    assert nearest.cases(QUICK) == []
    results = fake.results(FULL)
    for alternative in nearest.ALTERNATIVES:
        assert alternative.setting != COMMON
        assert f"todd2001.{alternative.row}" in {figure.id for figure in figures_of("todd2001")}
    own = set(nearest.cases(FULL))
    without = {case: point for case, point in results.items() if case not in own}
    assert todd2001.measurements(without, FULL) == todd2001.measurements(results, FULL)
    names = {table.name for table in todd2001.paper_tables(results, FULL)}
    assert names - {table.name for table in todd2001.paper_tables(fake.results(QUICK), QUICK)} == {"nearest"}


def test_an_idle_ring_takes_81_cycles_one_way_and_two_more_for_go_bits():
    line = figure8.curve("a", "sci")
    case = line.case(1, Scale(seeds=(1,)))
    found = simulate([case], measure, seeds=(1, 2), workers=1)[case]
    # A cycle to the send, 9 and 41 symbols with framing, 4 links, the destination's node, 50 cycles of service;
    # and in the mean 1 to 2 cycles until the next go bit.
    assert found.mean_latency_us == pytest.approx(0.165, abs=0.001)
    assert found.total_MBps == pytest.approx(8, rel=0.2)


def test_base_sci_saturates_near_the_published_throughput():
    line = figure8.curve("a", "sci")
    case = line.case(150, SHORT)
    found = simulate([case], measure, seeds=(1, 2), workers=1)[case]
    assert found.total_MBps.mean() == pytest.approx(698, rel=0.05)
    assert (found.total_MBps < found.offered_MBps.sum(axis=1)).all()


def test_inheritance_lifts_the_plateau_of_train_above_the_published_one():
    without = Setting("no inheritance", ("flow_control.inheritance=false",))
    scale = Scale(seeds=(1, 2))

    def sustained_MBps(setting):  # noqa: N802 - the unit
        case = replace(figure8.curve("b", "train"), setting=setting).case(150, scale)
        return simulate([case], measure, seeds=scale.seeds, workers=1)[case].total_MBps.mean()

    assert sustained_MBps(COMMON) > 1.15 * 290
    assert sustained_MBps(without) == pytest.approx(290, rel=0.08)
