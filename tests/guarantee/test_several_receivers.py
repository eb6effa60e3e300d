"""Bounds of flows whose packets have several receivers (docs/explanation/guarantees.md, "Several receivers")."""

import random

import pytest

import ringlet as rl
from guarantee.several import SEVERAL, several_trial
from ringlet.errors import RingletError

PROTOCOLS = ("none", "metaring", "token-ring", "timed-token", "slotted-ring")


def ring(*flows, protocol="none", nodes=8, **sections):
    content = {
        "network": {"nodes": nodes, "hop_delay": 20, "echoes": False},
        "flow_control": {"protocol": protocol},
        "flows": list(flows),
        "run": {"duration": "400 us", "warmup": 0},
    }
    return content | sections


def video(**keys):
    return {
        "name": "video",
        "source": 0,
        "destination": [5, 2, 7],
        "multicast": True,
        "size": 64,
        "period": "6 us",
    } | keys


OTHER = {"name": "other", "source": 3, "destination": 6, "size": 200, "period": "9 us"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_receiver_has_the_bound_of_the_last_one(protocol):
    found = rl.guarantee(ring(video(), OTHER, protocol=protocol))
    alone = rl.guarantee(ring(video(multicast=False, destination=7), OTHER, protocol=protocol))
    assert list(found.index) == ["video to 7", "video to 2", "video to 5", "other"]
    assert found["bound_us"].tolist() == [*[alone["bound_us"]["video"]] * 3, alone["bound_us"]["other"]]


def test_each_receiver_takes_the_time_of_its_services():
    service = [0, 0, "1 us", 0, 0, 0, 0, 0]
    found = rl.guarantee(ring(video(), OTHER, queues={"service_time": service}))
    without = rl.guarantee(ring(video(), OTHER))
    assert found["bound_us"]["video to 2"] >= without["bound_us"]["video to 2"] + 1


def test_jitter_and_deadlines_count_at_each_receiver():
    found = rl.guarantee(ring(video(jitter="1 us", deadline="900 ns"), OTHER))
    plain = rl.guarantee(ring(video(), OTHER))
    assert (found["bound_us"] - plain["bound_us"]).tolist() == [pytest.approx(1)] * 3 + [0]
    assert found["deadline_us"].tolist()[:3] == [0.9] * 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_run_exceeds_a_bound(protocol):
    rng = random.Random(f"multicast {protocol}")
    bounded = 0
    for _ in range(12):
        nodes = rng.randint(4, 10)
        flows = []
        for number in range(rng.randint(1, 5)):
            source = rng.randrange(nodes)
            others = [node for node in range(nodes) if node != source]
            receivers = rng.sample(others, rng.randint(1, len(others)))
            one = {"name": f"flow {number}", "source": source, "size": rng.choice((16, 64, 200, 500))}
            one["destination"] = receivers if len(receivers) > 1 else receivers[0]
            one |= {"multicast": len(receivers) > 1, "period": f"{rng.uniform(8, 30):.3f} us"}
            flows.append(one | {"offset": f"{rng.uniform(0, 3):.3f} us", "jitter": rng.choice((0, "2 us"))})
        service = [rng.choice((0, "100 ns")) for _ in range(nodes)]
        content = ring(*flows, protocol=protocol, nodes=nodes, queues={"service_time": service})
        bound = rl.guarantee(content)["bound_us"].dropna()
        bounded += len(bound)
        for seed in (1, 2):
            found = rl.run(content | {"run": {"duration": "400 us", "warmup": 0, "seed": seed}}).to_dict(timing=False)
            for flow in found["flows"]:
                if flow["name"] in bound:
                    assert flow["latency_max_ns"] <= bound[flow["name"]] * 1000 + 1e-6, (content, flow["name"])
    assert bounded > 60


@pytest.mark.parametrize("protocol", SEVERAL)
@pytest.mark.parametrize("seed", range(8))
def test_no_response_of_several_receivers_is_above_its_bound(protocol, seed):
    found = several_trial(seed, protocol=protocol)
    assert not found.exceeded, found.scenario


REFUSED = [
    (
        {"network": {"nodes": 8, "echoes": False, "stripped_by": "source"}},
        r"network\.stripped_by: 'source' is not allowed; 'last-receiver', without echoes, for a guarantee",
    ),
    (
        {"network": {"nodes": 8}, "flow_control": {"protocol": "sci"}},
        r"network\.stripped_by: 'source' is not allowed; 'last-receiver', without echoes, for a guarantee",
    ),
]


@pytest.mark.parametrize(("sections", "message"), REFUSED)
def test_packets_that_go_all_the_way_round_have_no_bound(sections, message):
    with pytest.raises(RingletError, match=message):
        rl.guarantee(ring(video()) | sections)


def test_copies_round_both_rings_have_no_bound():
    network = {"topology": "dual-attached-ring", "ways": "both", "nodes": 8, "stripped_by": "last-receiver"}
    found = rl.guarantee(ring(video()) | {"network": network})
    assert found["bound_us"].isna().all()
