"""The reproduction of richter1997: what it runs, and how results become rows."""

import numpy as np
import pytest

from ringlet.papers import figures_of, richter1997
from ringlet.papers.richter1997 import cables, delays, lengths, one_place
from ringlet.papers.richter1997.delays import ACCEPTED, LITERAL, STRATEGIES
from ringlet.papers.richter1997.study import FULL, QUICK, Point, measure
from ringlet.papers.runs import Case, scenario_files, simulate


def point(raw: float, retry: float) -> Point:
    return Point(*(np.array([value, value + 0.1]) for value in (217.0, raw, retry, 5.0)))


@pytest.fixture
def results():
    """Every case from a formula: a strategy that grows faster puts more new packets on the ring."""
    found = {case: point(1, 1) for case in richter1997.all_cases(QUICK)}
    for file in (*delays.FILES.values(), delays.SWITCH):
        for growth, strategy in enumerate(STRATEGIES):
            for delay in QUICK.delays_us:
                raw = min(220 + delay / 10 * (1 + growth / 10), 400)
                found[delays.case(file, strategy, delay)] = point(raw, 0 if delay == 2000 else 400 - raw)
    return found


def obtained(results, row, reading=LITERAL):
    return delays.measurements(results, reading, QUICK)[f"richter1997.{row}"]


def test_every_configuration_of_the_paper_has_a_scenario_file():
    assert scenario_files("richter1997") == ("figure4-10.toml", "figure4-11.toml", "figure4-9-switch.toml")
    for name in scenario_files("richter1997"):
        scenario = Case("richter1997", name).load()
        assert scenario.measured_cycles == 500_000
        assert scenario.network.link_rate == "500 MB/s"


def test_senders_offer_more_than_their_ring_carries():
    for file, senders in (("figure4-10.toml", 3), ("figure4-11.toml", 9)):
        spec = Case("richter1997", file).load().network_spec(1)
        assert len(spec["flows"]) == senders
        assert sum(flow["arrivals"]["rate"] * 40 for flow in spec["flows"]) == pytest.approx(1.2, rel=1e-4)


def test_there_is_one_row_for_every_published_figure(results):
    report = richter1997.RICHTER1997.report(results, QUICK)
    assert [row.figure for row in report.rows] == list(figures_of("richter1997"))
    assert {row.other.name for row in report.rows} == {ACCEPTED.name}
    report.figures[0].draw()


def test_rows_are_read_at_the_longest_delay_and_without_any(results):
    assert obtained(results, "f10.limit").value == pytest.approx(400.05)
    assert obtained(results, "f10.factor").value == pytest.approx(400 / 220, abs=1e-3)
    assert obtained(results, "f11.none").value == pytest.approx(0.22, abs=1e-3)
    assert obtained(results, "f11.delay").value == pytest.approx(0.4, abs=1e-3)
    assert obtained(results, "f10.limit", ACCEPTED).value == pytest.approx(217.05)


def test_the_order_of_the_strategies_holds_until_one_is_worse(results):
    assert obtained(results, "f10.order").value == 1
    case = delays.case("figure4-11.toml", "exponential", 20)
    assert obtained({**results, case: point(219, 181)}, "f10.order").value == 0


def test_the_class_of_every_row_is_over_the_lengths_of_cables(results):
    for ratio, file in delays.FILES.items():
        for length, raw in zip(cables.LENGTHS_M, (450, 440, 430, 420, 410), strict=True):
            case = delays.case(file, "exponential", 2000, *cables.overrides(length))
            results[case] = point(raw if ratio == "9:1" else 560 - length, 0)
            results[delays.case(file, "exponential", 0, *cables.overrides(length))] = point(220, 180)
    report = richter1997.RICHTER1997.report(results, QUICK)
    rows = {row.figure.id.removeprefix("richter1997."): row for row in report.rows}
    assert all("metres" in row.reason for row in rows.values())
    assert rows["f11.delay"].verdict == "possible"
    assert rows["f11.delay"].possible_ranges == (pytest.approx((0.41005, 0.45005)),)
    assert rows["f10.limit"].verdict == "differs"
    assert rows["f11.none"].verdict == "agrees"
    # With one metre the formula holds; for other lengths the strategies that are not set have fewer retries.
    assert rows["f12.retry"].verdict == "possible"


def test_cables_lengthen_the_links():
    for length in cables.LENGTHS_M:
        case = delays.case("figure4-10.toml", "exponential", 0, *cables.overrides(length))
        assert case.load().network.hop_delay.replace(" ", "") == f"{40 + 4 * length}ns"


def test_retry_traffic_must_vanish(results):
    assert obtained(results, "f12.retry").value == 1
    case = delays.case("figure4-10.toml", "constant", 2000)
    assert obtained({**results, case: point(400, 5)}, "f12.retry").value == 0


def test_a_responder_with_one_place_takes_every_second_packet_and_decides_no_row(results):
    with_one = set(one_place.cases(QUICK))
    rows = delays.measurements({case: found for case, found in results.items() if case not in with_one}, LITERAL, QUICK)
    assert rows == delays.measurements(results, LITERAL, QUICK)
    cases = [delays.case("figure4-10.toml", "exponential", delay, *one_place.OVERRIDES) for delay in (0, 2000)]
    found = simulate(cases, measure, seeds=(1,), workers=1)
    none, long = (found[case] for case in cases)
    # Of the ring's 482 MB/s without a delay, half is sent again.
    assert none.raw_MBps[0] == pytest.approx(none.retry_MBps[0], rel=0.01)
    assert long.raw_MBps[0] / none.raw_MBps[0] == pytest.approx(2, abs=0.01)


def test_the_responder_accepts_the_same_whatever_the_delay():
    short = "run.duration=1 ms"
    cases = [delays.case("figure4-11.toml", "exponential", delay, short) for delay in (0, 50, 1000)]
    found = simulate(cases, measure, seeds=(1,), workers=1)
    none, some, long = (found[case] for case in cases)
    # 80 bytes in 366 ns, which are 92 cycles.
    assert all(one.accepted_MBps[0] == pytest.approx(80 / 0.368, rel=0.02) for one in (none, some, long))
    # New packets without a delay are those that are accepted; with one the ring takes others instead.
    assert none.raw_MBps[0] == pytest.approx(none.accepted_MBps[0], rel=0.02)
    assert none.raw_MBps[0] < some.raw_MBps[0] < long.raw_MBps[0]
    assert none.retry_MBps[0] > some.retry_MBps[0] > long.retry_MBps[0]


def test_ports_of_a_switch_share_its_b_link():
    case = delays.case(delays.SWITCH, "exponential", 0, "run.duration=0.2 ms")
    found = simulate([case], measure, seeds=(1,), workers=1)[case]
    # 88 bytes of the B-Link for each 80: 454.5 MB/s for four rings.
    assert found.accepted_MBps[0] * 4 == pytest.approx(454.5, rel=0.25)


def test_limits_and_lengths_load():
    for case in {*lengths.cases(FULL)}:
        case.load()
