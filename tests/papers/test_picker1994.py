"""The reproduction of picker1994: what it runs, and how results become rows."""

import numpy as np
import pytest

from ringlet.analysis import maximal_conflict_grouping
from ringlet.errors import RingletError
from ringlet.papers import figures_of, picker1994, reproduce
from ringlet.papers.picker1994 import examples, figure3, figure5, table3, table4
from ringlet.papers.picker1994.deviations import CaseResult, measure
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, PRESETS
from ringlet.papers.picker1994.study import FULL, QUICK
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
    assert len(names) == 10
    for name in names:
        scenario = Case("picker1994", name).load()
        assert scenario.attempted_throughput() == pytest.approx(1.0)


def test_every_case_is_what_the_paper_says():
    for case in dict.fromkeys(picker1994.all_cases(QUICK)):
        scenario = case.load()
        assert scenario.mean_send_symbols == pytest.approx(
            20.8 if "traffic.transaction=mixed" in case.overrides else 40
        )
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
    rows = picker1994.rows(measured, QUICK)
    assert [row.figure for row in rows] == list(figures_of("picker1994"))


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
    assert result.average_percent == pytest.approx(22.3, abs=1)
    assert result.maximum_percent == pytest.approx(44.6, abs=1.5)


def test_the_worked_examples_have_the_optimum_of_the_text(fake_results):
    section, table = examples.examples(fake_results, DEFAULT_PRESET)
    for example in (section, table):
        for node in example.nodes:
            assert node.share_obtained == pytest.approx(float(node.share), abs=1e-12)
    assert [node.optimal_with_echo for node in section.nodes] == pytest.approx(
        [0.3008, 0.3008, 0.3008, 0.6015], abs=5e-5
    )
    assert [node.optimal_with_echo for node in table.nodes] == pytest.approx([0.3922, 0.3922, 0.7843, 0.7843], abs=5e-5)
