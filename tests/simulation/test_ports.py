"""What interfaces of a network do otherwise: passing apart from stripping, stop-and-wait, cascades in turn."""

import pytest

import ringlet as rl

LONG_RINGS = {
    "network": {"topology": "omega", "size": 4, "connection": "long-ring", "hop_delay": 5},
    "traffic": {"pattern": "local", "locality": 1, "arrivals": "periodic", "load": "20 MB/s"},
    "queues": {"receive": 4, "service_time": 10},
    "run": {"duration": "20 us", "warmup": "2 us"},
}
"""Each ring leads from a processor through two ports to its memory."""

SLOW_MEMORY = {
    "network": {"topology": "switch", "ports": 4, "nodes": 4},
    "traffic": {"pattern": "local", "locality": 1, "transaction": "nwrite64", "load": "150 MB/s"},
    "host": {"slots": 4},
    "queues": {"receive": 1, "service_time": "1 us"},
    "run": {"duration": "40 us", "warmup": "10 us"},
}


def with_keys(content, **sections):
    return {key: {**content.get(key, {}), **sections.get(key, {})} for key in (*content, *sections)}


@pytest.mark.parametrize("protocol", ["none", "sci", "grouped"])
def test_only_what_passes_a_port_waits(protocol):
    """A move passes two ports and is stripped by its memory: two waits, of at most its 40 symbols."""

    def latency(**keys):
        content = with_keys(LONG_RINGS, network=keys, flow_control={"protocol": protocol})
        return rl.run(content).total["latency_max_ns"].item()

    at_once = latency()
    # Go bits may delay a packet by one that has been stripped, at each of three nodes that send it.
    later = 0 if protocol == "none" else 3 * 40 * 4
    assert 0 <= latency(pass_delay="48 ns") - (at_once + 2 * 48) <= later
    assert 0 <= latency(pass_delay="10 us") - (at_once + 2 * 40 * 4) <= later
    assert 0 <= latency(bypass="store-and-forward") - (at_once + 2 * 40 * 4) <= later


def test_a_sender_that_stops_and_waits_sends_less_again():
    free, waits = (rl.run(with_keys(SLOW_MEMORY, host={"order": order})) for order in ("new-first", "stop-and-wait"))
    # The memories, each with one place, are the bottleneck either way; they stand idle until a packet comes again.
    assert waits.total["throughput_MBps"].item() == pytest.approx(free.total["throughput_MBps"].item(), rel=0.1)
    assert 0 < waits.total["retry_MBps"].item() < free.total["retry_MBps"].item()


def test_packets_accepted_at_the_first_try_are_counted():
    idle = rl.run(LONG_RINGS).total
    assert idle["retries"].item() == 0
    # Those of the few packets under way at the ends of the measured time.
    assert idle["first_try_packets"].item() == pytest.approx(idle["delivered_packets"].item(), abs=8)
    busy = rl.run(SLOW_MEMORY).total
    assert 0 < busy["first_try_packets"].item() < busy["delivered_packets"].item()


def test_requests_and_responses_have_latencies_of_their_own():
    total = rl.run(with_keys(SLOW_MEMORY, traffic={"load": "10 MB/s", "arrivals": "periodic"})).total
    both = (total["request_latency_mean_ns"].item() + total["response_latency_mean_ns"].item()) / 2
    assert total["latency_mean_ns"].item() == pytest.approx(both, rel=0.05)
    # A memory serves a request for 1 us, and a processor a response; a response is shorter.
    assert total["response_latency_mean_ns"].item() < total["request_latency_mean_ns"].item()
    alone = rl.run(LONG_RINGS).total
    assert alone["response_latency_mean_ns"].isna().all()
    assert alone["request_latency_mean_ns"].item() == alone["latency_mean_ns"].item()


def test_link_controllers_take_turns():
    def moved(cascade):
        content = with_keys(SLOW_MEMORY, traffic={"load": "10 MB/s"}, switch={"links": 3, "cascade": cascade})
        return rl.run(content).b_links["packets"].tolist()

    first, *others = moved("first-free")
    assert first > 0
    assert others == [0, 0]
    in_turn = moved("round-robin")
    assert max(in_turn) - min(in_turn) <= 4
