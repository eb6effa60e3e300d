import itertools

import pint
import pytest

from ringlet.scenario.values.conversion import FREQUENCIES, LENGTHS, SIZES, TIMES, factor
from ringlet.scenario.values.units import magnitude

RATES = [f"{size}/{time}" for size, time in itertools.product(SIZES, TIMES)]


@pytest.mark.parametrize(
    ("units", "wanted"),
    [
        (TIMES, "ns"),
        (SIZES, "byte"),
        (RATES, "MB/s"),
        (RATES, "byte/ns"),
        (FREQUENCIES, "kHz"),
        (FREQUENCIES, "GHz"),
        (LENGTHS, "m"),
    ],
    ids=["times", "sizes", "rates", "rates in byte/ns", "frequencies", "frequencies in GHz", "lengths"],
)
def test_factors_are_those_of_pint_bit_for_bit(units, wanted):
    registry = pint.UnitRegistry()
    assert {unit: factor(unit, wanted) for unit in units} == {
        unit: registry.Quantity(1.0, unit).to(wanted).magnitude for unit in units
    }


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [("s", "byte"), ("byte", "MB/s"), ("MB/s", "ns"), ("s/s", "ns"), ("fortnight", "ns"), ("kHz", "MB/s"), ("m", "ns")],
)
def test_what_is_not_of_one_kind_has_no_factor(unit, wanted):
    assert factor(unit, wanted) is None


def test_a_unit_that_is_not_listed_is_that_of_pint():
    assert magnitude("2 weeks", "h") == 336
    assert magnitude("8 Gbps", "MB/s") == pytest.approx(1000)
