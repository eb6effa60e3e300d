"""Links of one ring that are slower than the others (docs/explanation/slow-links.md)."""

import pytest

import ringlet as rl
from ringlet.exports.links import interfaces
from ringlet.player import page
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.trace import record

RATES = {"2": "400 MB/s", "others": "1 GB/s"}
TO_NEXT = {"pattern": "permutation", "destinations": [1, 2, 3, 4, 5, 0]}


def scenario(protocol="none", rates=RATES, *, network=None, traffic=None, **sections):
    content = {
        "network": {"nodes": 6, "link_rate": rates, "hop_delay": "8 ns", **(network or {})},
        "flow_control": {"protocol": protocol} if isinstance(protocol, str) else protocol,
        "traffic": {"transaction": "send80", "arrivals": "saturated", **TO_NEXT, **(traffic or {})},
        "run": {"duration": "200 us", "warmup": "20 us"},
    }
    return rl.Scenario.from_dict(content | sections)


def test_a_list_and_a_table_say_the_same():
    by_list = scenario(rates=["1 GB/s", "1 GB/s", "400 MB/s", "1 GB/s", "1 GB/s", "1 GB/s"]).network_spec(1)
    assert by_list == scenario().network_spec(1)
    assert by_list["slow_links"] == [{"node": 2, "cycles": 5, "symbols": 2}]


@pytest.mark.parametrize(
    ("slow", "fast", "cycles", "symbols"),
    [
        ("622.08 Mb/s", "2.5 Gb/s", 15625, 3888),
        ("333.333 MB/s", "1 GB/s", 1000000, 333333),
        ("300 MB/s", "1 GB/s", 10, 3),
    ],
)
def test_ratios_of_rates_are_exact(slow, fast, cycles, symbols):
    (link,) = scenario(rates={"0": slow, "others": fast}).network_spec(1)["slow_links"]
    assert link == {"node": 0, "cycles": cycles, "symbols": symbols}


def test_equal_rates_are_one_rate():
    assert scenario(rates=["1 GB/s"] * 6).network_spec(1) == scenario(rates="1 GB/s").network_spec(1)


@pytest.mark.parametrize("protocol", ["none", "sci", "grouped", "metaring"])
def test_a_slow_link_carries_what_its_rate_says(protocol):
    saturated = scenario(protocol, network={"echoes": False}, traffic={"destinations": [3, 3, 3, 4, 5, 0]})
    result = rl.run(saturated).document
    into_slow = [node["throughput_MBps"] for node in result["nodes"][:3]]
    # Metaring's SAT is carried, too.
    least = 0.97 if protocol == "metaring" else 0.999
    assert least * 400 * 40 / 41 < sum(into_slow) < 1.001 * 400 * 40 / 41
    assert rl.bound(saturated)["stopped_by"].tolist()[:3] == ["link 2"] * 3
    assert rl.bound(saturated)["max_min_MBps"].tolist()[:3] == pytest.approx([400 * 40 / 41 / 3] * 3)


def test_a_token_ring_goes_on_over_a_slow_link():
    fast, slow = (rl.run(scenario("token-ring", rates)).document["total"] for rates in ("1 GB/s", RATES))
    assert 0.4 * fast["throughput_MBps"] < slow["throughput_MBps"] < fast["throughput_MBps"]


def test_a_packet_is_later_by_what_its_symbols_take_longer():
    rarely = {"arrivals": "periodic", "load": [0, 0, "1 MB/s", 0, 0, 0]}
    slow, fast = (
        rl.run(scenario(rates=rates, traffic=rarely)).document["total"]["latency_ns"]["mean"]
        for rates in (RATES, "1 GB/s")
    )
    # 40 symbols of 2 ns.
    assert slow - fast == pytest.approx(1.5 * 40 * 2)


def test_shares_of_time_of_a_slow_link_are_its_own():
    load = {"arrivals": "periodic", "load": [0, 0, "200 MB/s", 0, 0, 0]}
    link = rl.run(scenario(traffic=load, network={"echoes": False})).document["nodes"][2]["link"]
    assert link["send"] == pytest.approx(0.5, rel=0.01)
    assert sum(link.values()) == pytest.approx(1)


def test_a_link_that_is_sent_more_than_it_carries_is_told():
    load = {"arrivals": "poisson", "load": ["250 MB/s", "250 MB/s", 0, 0, 0, 0], "destinations": [3, 3, 3, 4, 5, 0]}
    total, nodes = (
        rl.run(scenario(traffic=load, network={"echoes": False}, run={"duration": "2 ms"})).document[key]
        for key in ("total", "nodes")
    )
    # A fifth of what comes in 2 ms has to wait at the end, of 250 symbols a us.
    assert total["latency_growth"] > 0.1
    assert nodes[2]["slow_link_max_symbols"] > 0.15 * 250 * 2000
    assert nodes[2]["link"]["idle"] == 0
    assert nodes[1]["link"]["idle"] > 0.4


def test_a_simulation_goes_on_from_a_save_and_a_fork(tmp_path):
    simulation = rl.Simulation(scenario("sci"))
    simulation.advance(10_001)
    simulation.save(tmp_path / "saved")
    copies = [rl.Simulation.load(tmp_path / "saved"), simulation.fork(), simulation]
    for copy in copies:
        copy.advance(12_345)
    counted = [copy.counters().nodes["slow_link_max_symbols"].tolist() for copy in copies]
    delivered = [copy.counters().nodes["delivered_packets"].tolist() for copy in copies]
    assert counted[0] == counted[1] == counted[2]
    assert counted[0][2] > 0
    assert delivered[0] == delivered[1] == delivered[2]


def test_a_link_of_an_export_has_its_own_rate():
    assert [one.link_rate_MBps for one in interfaces(scenario().resolved)] == [1000, 1000, 400, 1000, 1000, 1000]


def _options(name):
    return {"protocol": name, **({"target": "50 us"} if name == "timed-token" else {})}


@pytest.mark.parametrize("name", sorted({"ppq", "train", "dfc", "rpr", "timed-token", "slotted-ring"}))
def test_a_protocol_that_a_slow_link_breaks_says_why(name):
    taking = PROTOCOLS.names(lambda one: one.takes_slow_links)
    with pytest.raises(rl.RingletError, match=rf"one rate for all links with protocol '{name}': .*; {taking} take"):
        scenario(name).network_spec(1)


@pytest.mark.parametrize(
    ("protocol", "why"),
    [
        ({"protocol": "sci", "priorities": 2}, "its priorities are collected and announced idle by idle"),
        ({"protocol": "grouped", "groups": 33}, "on a slow link go bits are joined of at most 32 groups"),
        ({"protocol": "token-ring", "release": "header"}, "with release 'header' a node reckons with a way round"),
    ],
)
def test_options_that_a_slow_link_breaks_say_why(protocol, why):
    with pytest.raises(rl.RingletError, match=why):
        scenario(protocol).network_spec(1)


@pytest.mark.parametrize(
    ("sections", "beside"),
    [
        ({"errors": {"bit_error_rate": 1e-9}}, r"\[errors\]"),
        ({"retry": {"by": "responder"}}, r"retry\.by = 'responder'"),
        (
            {"flows": [{"source": 0, "destination": [1, 2], "multicast": True, "size": 80, "rate": "1 MB/s"}]},
            "packets that have several receivers",
        ),
    ],
)
def test_what_does_not_go_with_slow_links_is_named(sections, beside):
    with pytest.raises(rl.RingletError, match=rf"one rate for all links with {beside}"):
        scenario(**sections).network_spec(1)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        (["1 GB/s", "500 MB/s"], "<2 values> is not allowed; one value, or 6, one per node"),
        ({"2": "0.9 MB/s", "others": "1 GB/s"}, "'0.9 MB/s' is not allowed; at least a part in 1000"),
        ({"9": "500 MB/s", "others": "1 GB/s"}, "'9' is not allowed; "),
        ({"2": "500 MB/s"}, "a value for every node and link, or 'others' for the rest"),
    ],
)
def test_rates_that_links_cannot_have_are_named(rates, message):
    with pytest.raises(rl.RingletError, match=message):
        scenario(rates=rates).network_spec(1)


def test_a_load_above_the_own_link_is_refused():
    load = {"arrivals": "poisson", "load": ["600 MB/s"] * 6}
    with pytest.raises(rl.RingletError, match=r"load\[2\]: '600 MB/s' .* the link's rate of 400 MB/s"):
        scenario(traffic=load).network_spec(1)


def test_analyses_that_do_not_know_slow_links_say_so():
    poisson = scenario(traffic={"arrivals": "poisson", "load": "10 MB/s"})
    with pytest.raises(rl.RingletError, match="one rate for all links of a ring, for the queueing model"):
        rl.model(poisson)
    with pytest.raises(rl.RingletError, match="one rate for all links of a ring, for a check"):
        rl.check(poisson)
    with pytest.raises(rl.RingletError, match="one rate for all links of a ring, for an exact chain"):
        rl.exact(scenario(traffic={"arrivals": "bernoulli", "load": "10 MB/s"}))
    message = {"source": 0, "destination": 3, "size": 80, "period": "100 us", "deadline": "100 us", "name": "one"}
    guarantee = rl.guarantee(scenario(traffic={"arrivals": "none"}, messages=[message]))
    assert guarantee["bound_us"].isna().all()
    assert "rings whose links have one rate" in guarantee["why"].item()
    with pytest.raises(rl.RingletError, match="one rate for all links of a ring in the player"):
        page(record(scenario(), stop=1000))
