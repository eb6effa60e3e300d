"""What one broken link costs a candidate, and what is bought for each stage of growth."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ringlet import Scenario
from ringlet.advice import Requirements
from ringlet.advice.advice import advice
from ringlet.advice.candidates import candidates
from ringlet.advice.failures import worst_link
from ringlet.advice.stages import stages
from ringlet.advice.traffic import base_content, own_content
from ringlet.rings import cost

NEEDS = {"senders": 4, "receivers": 4, "rate": "20 MB/s", "duration": "60 us", "loss": 0.02, "at_most": 3}


def failing(**more):
    wanted = Requirements.from_dict(NEEDS | {"failure_loss": 1.0} | more)
    found = {}
    for one in candidates(wanted):
        scenario = Scenario.from_dict(base_content(wanted) | own_content(wanted, one))
        found[one.name] = (wanted, one, scenario, worst_link(wanted, one, scenario))
    return found


def test_a_broken_link_costs_what_is_on_its_ring():
    found = {name: broken.share for name, (_, _, _, broken) in failing().items()}
    assert found["ring"] == 1
    # A ring of its own for each node, or of a sender and a receiver, or of half of all.
    assert found["dual-ring"] == found["omega-ringlets-2"] == found["omega-extra-stage-2"] == pytest.approx(1 / 4)
    assert found["omega-first-grade"] == pytest.approx(1 - (3 / 4) ** 2)
    assert found["switch-long-rings-2"] == pytest.approx(1 - (1 / 2) ** 2)


def test_locality_keeps_data_on_the_rings_that_work():
    found = {name: broken.share for name, (_, _, _, broken) in failing(locality=1).items()}
    assert found["omega-first-grade"] == pytest.approx(1 / 4)
    assert found["switch-long-rings-2"] == pytest.approx(1 / 2)


def test_of_events_other_receivers_build_those_of_one_without_a_way():
    found = {name: broken.share for name, (_, _, _, broken) in failing(event_building={"fragment": 256}).items()}
    assert found["omega-first-grade"] == found["dual-ring"] == pytest.approx(1 / 4)
    assert found["switch-long-rings-2"] == pytest.approx(1 / 2)


def test_with_a_broken_link_data_are_sent_only_where_there_is_a_way():
    for wanted, one, _, broken in failing().values():
        if broken.share == 1:
            continue
        content = base_content(wanted) | own_content(wanted, one, broken=broken)
        scenario = Scenario.from_dict(content)
        matrix = scenario.traffic_matrix()[np.ix_(one.senders, one.receivers)]
        sending = broken.reached.any(axis=1)
        assert (matrix[sending][~broken.reached[sending]] == 0).all(), one.name
        flows = scenario.network_spec(1)["flows"]
        rates = sum(flow["arrivals"]["rate"] for flow in flows) * 64e3 / scenario.symbol_time_ns
        assert rates == pytest.approx((1 - broken.share) * 4 * 20), one.name


def test_all_limits_that_are_violated_are_named_those_of_a_failure_too():
    needs = NEEDS | {"rate": "200 MB/s", "failure_loss": 0.3, "topologies": ["ring", "switch", "dual-ring"]}
    with ThreadPoolExecutor(1) as executor:
        found = {one.candidate.name: one for one in advice(needs, executor=executor).ranked}
    assert "would have to carry" in found["ring"].why
    assert "with a broken link on ring 'r0' 100 % of the data have no way, 30 % allowed" in found["ring"].why
    assert found["dual-ring"].verdict.failure_loss.mean == pytest.approx(0.25, abs=0.05)
    assert "broken" not in found["dual-ring"].why


def test_where_a_failure_may_cost_nothing_two_rings_with_copies_are_advised():
    needs = NEEDS | {"failure_loss": 0, "duration": "400 us"}
    needs["topologies"] = ["ring", "dual-ring", "dual-attached-ring"]
    with ThreadPoolExecutor(1) as executor:
        found = {one.candidate.name: one for one in advice(needs, executor=executor).ranked}
    states = {name: one.verdict.state for name, one in found.items()}
    assert states == {"ring": "fails", "dual-ring": "fails", "dual-attached-ring": "fits"}
    assert next(iter(found)) == "dual-attached-ring"
    assert "25 % of the data have no way, 0 % allowed" in found["dual-ring"].why


def test_messages_may_not_miss_a_deadline():
    needs = NEEDS | {"topologies": ["ring"], "protocols": ["sci", "dfc"]}
    with ThreadPoolExecutor(1) as executor:
        for deadline, missed in (("10 us", False), ("180 ns", True)):
            message = {"size": 64, "period": "10 us", "deadline": deadline}
            for one in advice(needs | {"message": message}, executor=executor).ranked:
                assert ("missed their deadline" in one.why) == missed, one.candidate.name


@pytest.mark.parametrize("growths", [[1.0], [1.0, 2.0, 3.0]])
def test_stages_buy_together_what_the_last_one_needs(growths):
    wanted = Requirements.from_dict(NEEDS | {"growth": 4, "stages": growths})
    for one in candidates(wanted):
        parts = cost(Scenario.from_dict({"network": one.network}).routed_network[0])
        found = stages(wanted, one, parts)
        assert [stage.growth for stage in found] == [*growths, 4.0]
        for part in ("switches", "ports", "cables"):
            assert sum(getattr(stage.bought, part) for stage in found) >= getattr(parts, part), one.name
        assert sum(stage.price for stage in found) >= parts.ports
    assert stages(Requirements.from_dict(NEEDS), one, parts) == ()
