"""Traffic as people have it: counts and rates as a matrix, rounded probabilities, loads scaled, times without units."""

import numpy as np
import pytest

import ringlet
from ringlet import RingletError, Scenario

COUNTS = [[0, 30, 10], [5, 0, 5], [1, 0, 0]]
SHARES = [[0, 0.75, 0.25], [0.5, 0, 0.5], [1, 0, 0]]


def scenario(matrix, folder=None, **keys):
    return Scenario.from_dict({"network": {"nodes": 3}, "traffic": {"matrix": matrix, **keys}}, base_dir=folder)


def test_counts_and_rates_become_probabilities_and_this_is_said():
    for factor in (1, 0.25):
        found = scenario((np.array(COUNTS) * factor).tolist())
        assert np.array_equal(found.traffic_matrix(), SHARES)
        assert found.warnings() == [
            "traffic.matrix: counts or rates, made probabilities row by row; loads are those of traffic.load: "
            "traffic.matrix_unit, such as 'MB/s', makes them of the rates"
        ]


def test_ones_are_counts_where_a_row_has_several():
    found = scenario([[0, 1, 1], [1, 0, 1], [1, 0, 0]])
    assert np.array_equal(found.traffic_matrix(), [[0, 0.5, 0.5], [0.5, 0, 0.5], [1, 0, 0]])
    assert "counts or rates" in found.warnings()[0]


def test_counts_in_a_file_do_too(tmp_path):
    (tmp_path / "m.csv").write_text("0,30,10\n5,0,5\n1,0,0\n")
    content = {"network": {"nodes": 3}, "traffic": {"matrix_file": "m.csv"}}
    found = Scenario.from_dict(content, base_dir=tmp_path)
    assert np.array_equal(found.traffic_matrix(), SHARES)
    assert "m.csv: counts or rates" in found.warnings()[0]


RATES = [[0, 64, 128, 0], [0, 0, 128, 96], [0, 0, 0, 0], [96, 0, 0, 0]]
LOADS = ["192 MB/s", "224 MB/s", "0 MB/s", "96 MB/s"]


def of_rates(traffic, folder=None):
    content = {"network": {"nodes": 4}, "traffic": traffic, "run": {"duration": "50 us", "warmup": 0}}
    return Scenario.from_dict(content, base_dir=folder)


def test_rates_with_a_unit_are_the_loads(tmp_path):
    (tmp_path / "m.csv").write_text("\n".join(",".join(map(str, row)) for row in RATES))
    for traffic in ({"matrix": RATES}, {"matrix_file": "m.csv"}):
        found = of_rates({**traffic, "matrix_unit": "MB/s"}, tmp_path)
        assert found.warnings() == []
        assert found.resolved.load == LOADS
        assert found.resolved.request_rates() == of_rates({"matrix": RATES, "load": LOADS}).resolved.request_rates()
        assert (
            ringlet.run(found).to_dict()["nodes"]
            == ringlet.run(of_rates({"matrix": RATES, "load": LOADS})).to_dict()["nodes"]
        )
        assert ringlet.run(found.to_dict()).to_dict()["nodes"] == ringlet.run(found).to_dict()["nodes"]


def test_rates_below_one_are_rates_where_they_have_a_unit():
    found = of_rates({"matrix": [[0, 0.5, 0, 0], [0] * 4, [0] * 4, [0.1, 0.1, 0, 0]], "matrix_unit": "Gb/s"})
    assert found.resolved.load == ["0.5 Gb/s", "0 Gb/s", "0 Gb/s", "0.20000000000000001 Gb/s"]
    assert found.traffic_matrix()[3].tolist() == [0.5, 0.5, 0, 0]


def test_a_factor_multiplies_rates_of_a_matrix():
    whole = of_rates({"matrix": RATES, "matrix_unit": "MB/s"}).resolved.request_rates()
    half = of_rates({"matrix": RATES, "matrix_unit": "MB/s", "load_factor": 0.5}).resolved.request_rates()
    assert half == [rate / 2 for rate in whole]


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        ({"matrix": RATES, "matrix_unit": "km"}, "traffic.matrix_unit: 'km' is not allowed; a unit of a data rate"),
        (
            {"matrix": RATES, "matrix_unit": "MB/s", "load": "1 MB/s"},
            "traffic.load: <given> is not allowed; none beside traffic.matrix_unit, by which the load",
        ),
        (
            {"random_matrix": {"family": "sparse"}, "matrix_unit": "MB/s"},
            "traffic.matrix_unit: 'MB/s' is not allowed; none with traffic.random_matrix",
        ),
        (
            {"matrix": RATES, "matrix_unit": "Gb/s"},
            "traffic.matrix_unit, sum of row 0: '192 Gb/s' is not allowed; at most 1 word per cycle, the link's rate",
        ),
    ],
)
def test_what_rates_of_a_matrix_cannot_be_is_said(traffic, message):
    with pytest.raises(RingletError) as error:
        of_rates(traffic)
    assert message in str(error.value)


def test_rows_that_are_rounded_are_taken_with_a_note():
    found = scenario([[0, 0.333, 0.6665], [0.5, 0, 0.5], [1, 0, 0]])
    assert found.traffic_matrix()[0] == pytest.approx(np.array([0, 0.333, 0.6665]) / 0.9995, rel=1e-12)
    assert found.warnings() == ["traffic.matrix: 1 rows that sum to 1 but for rounding are made to"]
    assert scenario(SHARES).warnings() == []


@pytest.mark.parametrize("row", [[0, 0.33, 0.66], [0, 0.2, 0.1]])
def test_other_sums_of_probabilities_are_refused(row):
    with pytest.raises(RingletError, match=r"^traffic\.matrix\[0\]: <a row with sum .*> is not allowed"):
        scenario([row, *SHARES[1:]])


def test_a_factor_scales_loads_that_differ():
    loads = ["20 MB/s", 0.5, 0]
    found = scenario(SHARES, load=loads, load_factor=0.5).resolved.request_rates()
    assert found == pytest.approx([rate / 2 for rate in scenario(SHARES, load=loads).resolved.request_rates()])


def test_times_of_a_table_without_their_unit_are_told(tmp_path):
    (tmp_path / "set.csv").write_text("source,destination,size,period,deadline,offset_us\n0,1,64,10000,1 us,3\n")
    content = {"network": {"nodes": 3}, "messages_file": "set.csv"}
    warnings = Scenario.from_dict(content, base_dir=tmp_path).warnings()
    assert warnings[0].startswith("set.csv: period without a unit: cycles of 2 ns; ")
    (tmp_path / "set.csv").write_text("source,destination,size,period_us\n0,1,64,10\n")
    assert Scenario.from_dict(content, base_dir=tmp_path).warnings() == []
