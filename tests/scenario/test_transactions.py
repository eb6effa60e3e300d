"""SCI's transactions: packets, data, loads."""

import pytest

from ringlet import Scenario
from ringlet.scenario import Payload
from ringlet.scenario.values.transactions import TRANSACTIONS, send


def scenario(**traffic):
    return Scenario.from_dict({"network": {"nodes": 4}, "traffic": traffic})


def flow(**traffic):
    return scenario(**traffic).network_spec(1)["flows"][0]


@pytest.mark.parametrize(
    ("name", "request_bytes", "response_bytes", "data_bytes"),
    [
        ("read64", 16, 80, 64),
        ("nread64", 16, 80, 64),
        ("nread256", 16, 272, 256),
        ("nwrite16", 32, 16, 16),
        ("nwrite64", 80, 16, 64),
        ("nwrite256", 272, 16, 256),
        ("readsb", 16, 32, 16),
        ("writesb", 32, 16, 16),
        ("locksb", 32, 32, 16),
        ("dmove00", 16, None, None),
        ("dmove16", 32, None, 16),
        ("dmove64", 80, None, 64),
        ("nmove256", 272, None, 256),
        ("event64", 80, None, 64),
    ],
)
def test_packets_of_a_transaction(name, request_bytes, response_bytes, data_bytes):
    transaction = TRANSACTIONS[name]
    assert transaction.request_bytes == ((request_bytes, 1.0),)
    assert (transaction.response_bytes, transaction.data_bytes) == (response_bytes, data_bytes)
    spec = flow(transaction=name)
    assert spec["sizes"] == [(request_bytes // 2, 1.0)]
    assert spec["response_symbols"] == (None if response_bytes is None else response_bytes // 2)


def test_the_data_is_in_the_packet_that_has_room_for_it():
    for transaction in TRANSACTIONS.values():
        assert transaction.carrier_bytes == 16 + (transaction.data_bytes or 0)


def test_bare_sends_have_no_response_and_count_whole():
    assert send((16, 0.25), (80, 0.75), (32, 0.0)).request_bytes == ((80, 0.75), (16, 0.25))
    spec = flow(transaction="mixed")
    assert (spec["response_symbols"], spec["burst"], spec["deadline_cycles"]) == (None, 1, None)
    assert scenario(transaction="mixed").payloads()[0] == Payload()


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("send80", Payload()),
        ("dmove00", Payload()),
        ("dmove64", Payload(64)),
        ("nwrite64", Payload(64)),
        ("read64", Payload(64, in_response=True)),
        ("locksb", Payload(16, in_response=True)),
    ],
)
def test_data_counts_when_it_has_been_served(name, payload):
    assert scenario(transaction=name).payloads() == [payload] * 4


@pytest.mark.parametrize(
    ("name", "counts", "bytes_each"),
    [
        ("read64", "payload", 64),
        ("nwrite64", "payload", 64),
        ("dmove64", "payload", 64),
        ("readsb", "payload", 16),
        ("dmove00", "payload", 16),
        ("send80", "payload", 80),
        ("mixed", "payload", 41.6),
        ("dmove64", "gross", 84),
        ("read64", "gross", 84),
        ("nwrite64", "gross", 84),
        ("mixed", "gross", 45.6),
    ],
)
def test_a_load_is_divided_by_what_counts(name, counts, bytes_each):
    # 2 ns per cycle: 100 MB/s are 0.2 bytes per cycle.
    spec = flow(transaction=name, load="100 MB/s", load_counts=counts)
    assert spec["arrivals"] == {"kind": "poisson", "rate": pytest.approx(0.2 / bytes_each)}


def test_a_load_is_split_evenly_over_priorities():
    content = {"network": {"nodes": 3}, "queues": {"priorities": 8}}
    split = Scenario.from_dict(
        {**content, "traffic": {"transaction": "read64", "load": ["64 MB/s", 0, "64 MB/s"], "priorities": [7, 0]}}
    )
    flows = split.network_spec(1)["flows"]
    assert [(one["source"], one["priority"]) for one in flows] == [(0, 7), (0, 0), (2, 7), (2, 0)]
    assert [one["arrivals"]["rate"] for one in flows] == pytest.approx([0.001] * 4)
    assert len(split.payloads()) == 4


def test_the_attempted_throughput_counts_requests_with_idles_and_framing():
    content = {"network": {"nodes": 2, "framing": 1}, "traffic": {"transaction": "dmove64", "load": "64 MB/s"}}
    framed = Scenario.from_dict(content)
    assert framed.mean_send_symbols == 41
    assert framed.resolved.attempted_throughput() == pytest.approx([0.002 * 42] * 2)


@pytest.mark.parametrize("load_counts", ["payload", "gross"])
@pytest.mark.parametrize("network", [{"framing": 4}, {"echoes": False}, {"hop_delay": 20}, {"cable_length": 50}])
def test_a_key_of_the_symbols_changes_no_load(network, load_counts):
    def flow_with(**keys):
        traffic = {"arrivals": "poisson", "load": "100 MB/s", "transaction": "nwrite64", "load_counts": load_counts}
        return Scenario.from_dict({"network": {"nodes": 4, **keys}, "traffic": traffic}).network_spec(1)["flows"][0]

    assert flow_with(**network)["arrivals"] == flow_with()["arrivals"]
