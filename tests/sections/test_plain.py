"""Scenarios take numbers as programs have them: numpy, pandas and pint."""

import numpy as np
import pandas as pd
import pint
import pytest

import ringlet as rl

UNITS = pint.UnitRegistry()
MATRIX = (np.ones((4, 4)) - np.eye(4)) / 3


def scenario(nodes: object = 4, **traffic: object) -> rl.Scenario:
    content = {"network": {"nodes": nodes}, "run": {"duration": 20 * UNITS.us}}
    return rl.Scenario.from_dict(content | {"traffic": {"arrivals": "poisson", **traffic}})


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (np.float32(0.125), 0.125),
        (np.float64(0.1), 0.1),
        (np.array([0.1, 0.2, 0.1, 0.2]), [0.1, 0.2, 0.1, 0.2]),
        (pd.Series([0.1, 0.2, 0.1, 0.2]), [0.1, 0.2, 0.1, 0.2]),
        (60 * UNITS.MB / UNITS.s, "60.0 MB/s"),
        (UNITS.Quantity(480, "Mbit/s"), "60 MB/s"),
        (UNITS.Quantity(np.array([60, 50, 40, 30]), "MB/s"), ["60 MB/s", "50 MB/s", "40 MB/s", "30 MB/s"]),
    ],
)
def test_a_load_as_programs_have_it_is_that_of_a_file(given, same):
    assert scenario(load=given).network_spec(1)["flows"] == scenario(load=same).network_spec(1)["flows"]


def test_a_frame_is_a_matrix_and_a_numpy_number_a_count():
    made = scenario(np.int64(4), load=0.1, pattern="matrix", matrix=pd.DataFrame(MATRIX))
    np.testing.assert_allclose(made.traffic_matrix(), MATRIX)


def test_sections_axes_and_seeds_take_them_too():
    ring = rl.Scenario(network={"nodes": np.int64(4)}, run={"duration": UNITS.Quantity(20, "us")})
    assert rl.run(ring, seed=np.int64(3)).seed == 3
    swept = rl.sweep(ring, {"traffic.load": np.linspace(0.1, 0.2, 3)}, replications=1, workers=1)
    assert swept.summary[swept.axes[0]].tolist() == pytest.approx([0.1, 0.15, 0.2])


def test_what_is_no_quantity_is_refused_as_it_would_be_in_a_file():
    with pytest.raises(rl.RingletError, match=r"traffic\.load: '3 kg' is not allowed; a quantity in MB/s"):
        scenario(load=UNITS.Quantity(3, "kg"))
    with pytest.raises(rl.RingletError, match=r"network\.nodes: 4\.5 is not allowed"):
        scenario(np.float64(4.5))


def test_a_scenario_is_printed_in_one_line():
    assert str(scenario(load=0.1)) == "<Scenario: 4 nodes, ring, flow control sci, arrivals poisson 0.1, seed 1>"
