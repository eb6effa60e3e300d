"""The reproduction of picker1994: what it runs, and how results become rows."""

import numpy as np
import pytest

from ringlet.analysis import maximal_conflict_grouping
from ringlet.errors import RingletError
from ringlet.papers import figures_of, picker1994, reproduce
from ringlet.papers.measurement import median_run
from ringlet.papers.picker1994 import PICKER1994, examples, figure3, figure5, population, table3, table4
from ringlet.papers.picker1994.digits import LENGTHS_SYMBOLS, fitting
from ringlet.papers.picker1994.missing import missing_inputs
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, PRESETS
from ringlet.papers.picker1994.study import FULL, QUICK, CaseResult, measure
from ringlet.papers.runs import Case, scenario_files, simulate


def test_an_unknown_paper_is_bad_input():
    with pytest.raises(
        RingletError,
        match="paper: 'picker1949' is not known; allowed: picker1994, todd2001, richter1999, richter1997; did you mean",
    ):
        reproduce(["picker1949"], quick=True)


def test_zero_workers_are_bad_input():
    with pytest.raises(RingletError, match="workers: 0"):
        reproduce(["picker1994"], quick=True, workers=0)


def test_averages_are_over_at_least_ten_seeds():
    assert len(set(FULL.seeds)) >= 10


def test_every_scenario_file_loads_as_it_is():
    names = scenario_files("picker1994")
    assert len(names) == 11
    for name in names:
        scenario = Case("picker1994", name).load()
        assert scenario.resolved.attempted_throughput() == pytest.approx(1.0)


def test_every_case_is_what_the_paper_says():
    for case in dict.fromkeys(picker1994.all_cases(QUICK)):
        scenario = case.load()
        (sizes,) = (each for each in case.overrides if each.startswith("traffic.transaction="))
        symbols = {"mixed": 20.8, "{sizes = {64 = 1.0}}": 32, "{sizes = {80 = 1.0}}": 40}[sizes.partition("=")[2]]
        assert scenario.mean_send_symbols == pytest.approx(symbols)
        assert scenario.measured_cycles == 30_000
        assert scenario.traffic_matrix().sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(("nodes", "fan_in"), [(4, 2), (8, 3), (16, 4)])
def test_table_3_has_its_fan_in_and_neighbours(nodes, fan_in):
    matrix = table3.case_of(DEFAULT_PRESET, nodes, "sci", "single").load().traffic_matrix()
    destinations = matrix.argmax(axis=1)
    assert list(destinations[:fan_in]) == [fan_in] * fan_in
    assert list(destinations[fan_in:]) == [(node + 1) % nodes for node in range(fan_in, nodes)]


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_enhanced_protocol_has_a_group_per_node_or_eight(preset):
    four = table3.case_of(preset, 4, "enhanced", "single").load()
    assert list(four.group_assignment()) == [0, 1, 2, 3]
    sixteen = table3.case_of(preset, 16, "enhanced", "single").load()
    assert list(sixteen.group_assignment()) == maximal_conflict_grouping(sixteen.traffic_matrix(), 8)


@pytest.fixture(scope="module")
def fake_results():
    """Results in which every protocol has the same deviation in every case: none 10 %, SCI 20 %, enhanced 30 %."""
    results = {}
    for case in picker1994.all_cases(QUICK):
        nodes = case.load().network.nodes
        protocol = case.load().flow_control.protocol
        lost = {"none": 0.1, "sci": 0.2, "grouped": 0.3}[protocol]
        optimal = np.full(nodes, 0.5)
        results[case] = CaseResult(np.tile(optimal * (1 - lost), (len(QUICK.seeds), 1)), optimal)
    return results


def test_there_is_one_row_for_every_published_figure(fake_results):
    measured = {preset.name: picker1994.measurements(fake_results, preset, QUICK) for preset in PRESETS}
    rows = PICKER1994.rows(measured, QUICK, missing_inputs=missing_inputs(fake_results, DEFAULT_PRESET, QUICK))
    assert [row.figure for row in rows] == list(figures_of("picker1994"))


def test_every_figure_that_rests_on_matrices_has_a_range_also_where_ours_agrees(fake_results):
    found = missing_inputs(fake_results, DEFAULT_PRESET, QUICK)
    rows = {figure.id for figure in figures_of("picker1994") if figure.place in ("Table 4", "Figure 4")}
    assert set(found) == rows | {f"picker1994.t3.n16.sci.mixed.{figure}" for figure in ("ave", "max")}


def test_the_range_of_a_row_is_over_the_possible_inputs(fake_results):
    found = missing_inputs(fake_results, DEFAULT_PRESET, QUICK)
    pair = found["picker1994.t3.n16.sci.mixed.ave"]
    assert (pair.low, pair.high) == pytest.approx((10.0, 20.0))
    results = dict(fake_results)
    (worst, *_) = population.members(DEFAULT_PRESET, 8, "sparse", "sci", "single", QUICK)
    results[worst.case] = CaseResult(results[worst.case].throughput_words_per_cycle * 0.0, np.full(8, 0.5))
    wider = missing_inputs(results, DEFAULT_PRESET, QUICK)["picker1994.t4.n8.sci.single.avemax"]
    assert wider.low == pytest.approx(20.0)
    assert wider.high == pytest.approx((100 + (QUICK.random_matrices - 1) * 20) / QUICK.random_matrices)


def with_deviation(results, members, percent):
    """Results in which each matrix of some members has one average deviation."""
    changed = dict(results)
    for member in members:
        each = changed[member.case]
        optimal = each.optimal_words_per_cycle
        changed[member.case] = CaseResult(np.tile(optimal * (1 - percent / 100), (len(QUICK.seeds), 1)), optimal)
    return changed


def test_the_largest_of_all_patterns_and_more_is_at_least_that_of_the_patterns(fake_results):
    milder = population.members(DEFAULT_PRESET, 4, "sparse", "sci", "single", QUICK)
    found = missing_inputs(with_deviation(fake_results, milder, 5.0), DEFAULT_PRESET, QUICK)
    assert found["picker1994.t4.n4.sci.single.max"].low == pytest.approx(20.0)
    assert found["picker1994.t4.n4.sci.single.avemax"].low == pytest.approx(5.0)


def test_figure_4_is_judged_on_every_family_of_matrices(fake_results):
    better = dict(fake_results)
    every = [(nodes, mix) for nodes in population.RING_SIZES for mix in ("single", "mixed")]
    for nodes, mix in every:
        for family in population.families(nodes):
            members = population.members(DEFAULT_PRESET, nodes, family, "enhanced", mix, QUICK)
            better = with_deviation(better, members, 10.0)

    def judged(results):
        row = table4.measurements(results, DEFAULT_PRESET, QUICK)["picker1994.f4.order"]
        missing = missing_inputs(results, DEFAULT_PRESET, QUICK)["picker1994.f4.order"]
        return row.value, missing.low, missing.high

    assert judged(better) == (1, 1, 1)
    dense = population.members(DEFAULT_PRESET, 8, "dense-uniform", "enhanced", "mixed", QUICK)
    worse = with_deviation(better, dense, 30.0)
    # Obtained from patterns and fan-in, broken by dense matrices.
    assert judged(worse) == (1, 0, 1)
    missing = missing_inputs(worse, DEFAULT_PRESET, QUICK)["picker1994.f4.order"]
    assert missing.reason.endswith("it does not for N=8 mixed dense-uniform")
    # By no family the order holds for each ring size and size mix.
    assert judged(fake_results) == (0, 0, 0)


def test_a_row_with_a_range_says_which_input_is_missing(fake_results):
    measured = {preset.name: picker1994.measurements(fake_results, preset, QUICK) for preset in PRESETS}
    rows = PICKER1994.rows(measured, QUICK, missing_inputs=missing_inputs(fake_results, DEFAULT_PRESET, QUICK))
    for row in rows:
        found = row.to_dict()
        assert found["determined"] is (found["range"] is None) is (row.missing is None)
        assert found["verdict"] == row.verdict
        assert row.missing is None or row.missing.reason in row.note
        assert row.verdict != "possible" or row.missing


def test_only_64_bytes_fit_all_maxima_of_one_size_and_80_bytes_those_of_mixed_sizes():
    fits = {mix: {2 * symbols: fitting(mix, symbols) for symbols in LENGTHS_SYMBOLS} for mix in ("single", "mixed")}
    assert [size for size, maxima in fits["single"].items() if maxima == 9] == [64]
    assert [size for size, maxima in fits["mixed"].items() if maxima == 9] == [80]


def test_a_run_that_locks_in_another_phase_does_not_move_the_typical_run():
    typical = median_run([0.3, 0.4, 0.5, 0.4, 33.0])
    assert typical.value == pytest.approx(0.4)
    assert typical.detail == "single runs: 0.30 to 33.00"
    assert median_run([0.3, 0.4, 0.5]).detail == ""


def test_rows_hold_the_deviations_of_their_cases(fake_results):
    found = picker1994.measurements(fake_results, DEFAULT_PRESET, QUICK)
    expected = {"none": 10.0, "sci": 20.0, "enhanced": 30.0}
    for row, measurement in found.items():
        parts = row.split(".")
        if parts[1] in ("t3", "t4"):
            assert measurement.value == pytest.approx(expected[parts[3]])
            assert measurement.spread == pytest.approx(0.0)


def test_relations_are_judged_from_the_averages(fake_results):
    assert table4.measurements(fake_results, DEFAULT_PRESET, QUICK)["picker1994.f4.order"].value == 0
    assert figure5.measurements(fake_results, DEFAULT_PRESET)["picker1994.f5.order"].value == 1


def test_the_worst_class_is_where_enhanced_loses_most(fake_results):
    worst = figure3.CLASSES[7]
    results = dict(fake_results)
    case = figure3.case_of(DEFAULT_PRESET, worst, "enhanced", "single")
    results[case] = CaseResult(results[case].optimal_words_per_cycle * 0.1 * np.ones((2, 1)), np.full(4, 0.5))
    found = figure3.measurements(results, DEFAULT_PRESET)["picker1994.f3.worst.single"]
    assert found.value == pytest.approx(90.0)
    assert worst.name in found.detail
    assert "+70.0 points" in found.detail


def test_results_do_not_depend_on_the_number_of_workers():
    cases = [table3.case_of(preset, 4, "enhanced", mix) for preset in PRESETS for mix in ("single", "mixed")]
    alone = simulate(cases, measure, seeds=(1, 2), workers=1)
    together = simulate(cases, measure, seeds=(1, 2), workers=2)
    for case in cases:
        assert np.array_equal(alone[case].throughput_words_per_cycle, together[case].throughput_words_per_cycle)


def test_without_flow_control_one_node_of_table_3_starves():
    case = table3.case_of(DEFAULT_PRESET, 4, "none", "single")
    result = simulate([case], measure, seeds=(1, 2, 3), workers=1)[case]
    assert (result.maximum_percent > 95).all()
    assert result.average_percent == pytest.approx(25, abs=1)


def test_sci_holds_the_free_nodes_of_table_3_to_the_conflicting_ones():
    case = table3.case_of(DEFAULT_PRESET, 4, "sci", "single")
    result = simulate([case], measure, seeds=(1, 2, 3), workers=1)[case]
    assert result.average_percent == pytest.approx(21.73, abs=0.5)
    assert result.maximum_percent == pytest.approx(43.47, abs=1.0)


def test_the_worked_examples_have_the_optimum_of_the_text(fake_results):
    printed = next(preset for preset in PRESETS if preset.one_size_bytes == 80)
    section, table = examples.examples(fake_results, printed)
    for example in (section, table):
        for node in example.nodes:
            assert node.share_obtained == pytest.approx(float(node.share), abs=1e-12)
    assert [node.optimal_with_echo for node in section.nodes] == pytest.approx(
        [0.3008, 0.3008, 0.3008, 0.6015], abs=5e-5
    )
    assert [node.optimal_with_echo for node in table.nodes] == pytest.approx([0.3922, 0.3922, 0.7843, 0.7843], abs=5e-5)
