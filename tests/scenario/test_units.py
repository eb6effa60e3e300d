"""Quantities as people write them."""

import pytest

from ringlet import RingletError, Scenario
from ringlet.scenario.values.units import magnitude


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("2.5 Gb/s", "MB/s", 312.5),
        ("2.5 Gbps", "MB/s", 312.5),
        ("2.5 Gbit/s", "MB/s", 312.5),
        ("10 GBps", "MB/s", 10_000),
        ("1 GB/s", "MB/s", 1000),
        ("100 Kbps", "MB/s", 0.0125),
        ("1 Tb/s", "MB/s", 125_000),
        ("1 KB", "byte", 1000),
        ("1 kB", "byte", 1000),
        ("1 KiB", "byte", 1024),
        ("8 Kibit", "byte", 1024),
        ("16 b", "byte", 2),
    ],
)
def test_a_unit_of_data_is_taken_as_people_write_it(text, unit, value):
    assert magnitude(text, unit) == pytest.approx(value, rel=1e-15)


def one(**traffic):
    return Scenario.from_dict({"network": {"nodes": 4}, "traffic": traffic})


def test_a_load_may_be_a_share_of_the_link():
    rates = [one(load=load).network_spec(1) for load in ("30 %", "30%", 0.3, "300 MB/s")]
    assert rates[0] == rates[1] == rates[2] == rates[3]


def test_a_time_may_be_in_cycles():
    for text, cycles in (("10 cycles", 10), ("1 cycle", 1)):
        made = [Scenario.from_dict({"network": {"nodes": 4, "hop_delay": time}}) for time in (text, cycles)]
        assert made[0].network_spec(1) == made[1].network_spec(1)


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        ({"load": "10 cycles"}, "'10 cycles' is not allowed; a quantity in MB/s"),
        ({"load": "200000 %"}, "at most 1000 words per cycle"),
        ({"load": "-3 %"}, "'-3 %' is not allowed; a quantity in MB/s"),
    ],
)
def test_a_unit_of_another_kind_is_refused(traffic, message):
    with pytest.raises(RingletError, match=message):
        one(**traffic)


def test_an_editor_takes_a_share():
    import jsonschema

    from ringlet.scenario import json_schema

    jsonschema.validate({"network": {"nodes": 4}, "traffic": {"load": "30 %"}}, json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"network": {"nodes": 4}, "traffic": {"load": "30 %%"}}, json_schema())


@pytest.mark.parametrize(
    ("text", "unit"),
    [("3 kHz", "MB/s"), ("1 Hz", "byte/ns"), ("3 percent", "byte"), ("3 degree", "byte"), ("5 rpm", "kHz")],
)
def test_a_quantity_of_another_kind_without_a_dimension_is_refused(text, unit):
    # Bits, angles and counts have none in the library of units.
    with pytest.raises(ValueError, match=f"a quantity in {unit}"):
        magnitude(text, unit)


def test_a_load_in_hertz_is_refused_with_its_key():
    with pytest.raises(RingletError, match=r"traffic.load: '3 kHz' is not allowed; a quantity in MB/s"):
        Scenario.from_dict({"network": {"nodes": 4}, "traffic": {"load": "3 kHz", "arrivals": "poisson"}})
