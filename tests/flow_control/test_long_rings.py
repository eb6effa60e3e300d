"""SCI's default extension on rings that are longer than the packets of their senders."""

import pytest

import ringlet as rl


def shares(senders, *, hop_delay=20, receiver=7, high=None, extension="received", reserve=0):
    """Returns what each of the senders gets that fill the link before one receiver of 8 nodes, in words per cycle."""
    way = [float(node == receiver) for node in range(8)]
    flow_control = {"protocol": "sci", "extension": extension}
    traffic = {
        "pattern": "matrix",
        "matrix": [way if node in senders else [0.0] * 8 for node in range(8)],
        "arrivals": "saturated",
        "transaction": "send64",
    }
    if high is not None:
        flow_control |= {"priorities": 4, "reserve": reserve}
        traffic["priority"] = [3 * (node == high) for node in range(8)]
    nodes = rl.run(
        {
            "network": {"nodes": 8, "hop_delay": hop_delay},
            "flow_control": flow_control,
            "traffic": traffic,
            "run": {"duration": 60_000, "warmup": 30_000},
        }
    ).nodes
    return nodes["throughput_words_per_cycle"].iloc[senders].tolist()


@pytest.mark.parametrize(
    ("senders", "each"), [([0], 0.97), ([0, 1], 0.2), ([0, 1, 2], 0.2), ([0, 1, 2, 3], 0.2), ([*range(6)], 0.12)]
)
def test_senders_past_each_other_send_one_packet_a_revolution(senders, each):
    # 32 words in 160 cycles.
    assert shares(senders) == pytest.approx([each] * len(senders), abs=0.005)


def test_two_senders_share_all_of_a_link_where_two_packets_are_as_long_as_the_ring():
    assert shares([0, 1], hop_delay=4) == pytest.approx([0.485, 0.485], abs=0.005)


def test_extension_of_what_passes_gives_two_senders_more_but_not_the_same():
    assert shares([0, 1], extension="passing") == pytest.approx([0.52, 0.26], abs=0.01)


@pytest.mark.parametrize("extension", ["received", "none", "passing", "after-send", "always"])
def test_beside_a_reserve_the_high_class_gets_the_rest_whatever_the_extension(extension):
    high, low = shares([1, 2], receiver=3, high=1, extension=extension, reserve=0.1)
    assert low == pytest.approx(0.097, abs=0.005)
    assert high == pytest.approx(0.86, abs=0.01)
