"""Requirements: what a file means, and what is refused with one message."""

import re

import pytest

from ringlet import RingletError
from ringlet.advice import Requirements

NEEDS = {"senders": 4, "receivers": 4, "rate": "50 MB/s"}


def test_defaults_are_those_of_the_chapter():
    wanted = Requirements.from_dict(NEEDS)
    assert (wanted.transaction, wanted.switch.preset, wanted.switch_ports) == ("dmove64", "lc-2", 4)
    assert wanted.prices.unit == "ports"
    assert wanted.prices.port == 1
    assert wanted.queues.transmit == 16
    assert wanted.latency_ns is None


def test_a_sender_keeps_its_buffer_if_other_queues_are_given():
    assert Requirements.from_dict({**NEEDS, "queues": {"receive": 4}}).queues.transmit == 16
    assert Requirements.from_dict({**NEEDS, "queues": {"transmit": 3}}).queues.transmit == 3


def test_ports_are_free_once_something_else_has_a_price():
    assert Requirements.from_dict({**NEEDS, "prices": {"cable": 3}}).prices.port == 0
    assert Requirements.from_dict({**NEEDS, "prices": {"cable": 3, "port": 2}}).prices.port == 2
    assert Requirements.from_dict({**NEEDS, "prices": {"unit": "ports"}}).prices.port == 1


def test_growth_counts_whole_nodes():
    wanted = Requirements.from_dict({**NEEDS, "senders": 5, "growth": 1.5})
    assert (wanted.final_senders, wanted.final_receivers) == (8, 6)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"event_building": {"fragment": "1 KiB"}, "locality": 0.5},
            "locality: 0.5 is not allowed; none with event building",
        ),
        ({"event_building": {"fragment": "1 KiB", "destination": "credits"}}, "event_building.queue"),
        ({"growth": 2, "stages": [1, 2]}, "stages"),
        ({"growth": 4, "stages": [2, 1]}, "ascending factors below growth, 4"),
        ({"protocols": ["dfc", "dfc"]}, "protocols[1]"),
        ({"protocols": ["none", "tokenring"]}, "protocols[1]"),
        ({"failure_loss": 1.5}, "failure_loss"),
    ],
)
def test_what_does_not_fit_together_is_named(keys, words):
    with pytest.raises(RingletError, match=re.escape(words)):
        Requirements.from_dict(NEEDS | keys)


@pytest.mark.parametrize(("given", "rate"), [("100 MB in 10 s", "10 MB/s"), ("3 GB in 2 min", "25 MB/s")])
def test_an_amount_in_the_time_of_a_shot_is_a_mean_rate(given, rate):
    assert Requirements.from_dict(NEEDS | {"rate": given}).rate == rate


@pytest.mark.parametrize("given", ["100 MB in 0 s", "5 in 3", "10 s in 3 s"])
def test_an_amount_that_is_none_is_refused(given):
    message = f"rate: {given!r} is not allowed; an amount of data in a time above 0, such as '100 MB in 10 s'"
    with pytest.raises(RingletError, match=re.escape(message)):
        Requirements.from_dict(NEEDS | {"rate": given})


def test_the_dictionary_of_requirements_means_the_same():
    wanted = Requirements.from_dict(
        {**NEEDS, "latency": "3 us", "prices": {"switch": 5}, "switch": {"preset": "scilab"}}
    )
    assert Requirements.from_dict(wanted.to_dict()) == wanted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"senders": 0}, "senders: 0 is not allowed; at least 1"),
        ({"receivers": 257}, "receivers: 257 is not allowed; at most 256"),
        ({"rate": "0 MB/s"}, "rate: '0 MB/s' is not allowed; above 0"),
        ({"rate": "2 GB/s"}, "rate: '2 GB/s' is not allowed; at most 500 MB/s, the rate of a sender's link"),
        ({"rate": "0.3 GB/s", "switch": {"preset": "lc-1"}}, "rate: '0.3 GB/s' is not allowed; at most 200 MB/s"),
        ({"rate": 5}, "rate: 5 is not allowed; a string with a unit, such as '60 MB/s'"),
        ({"rate": "5 us"}, "rate: '5 us' is not allowed; a quantity in MB/s"),
        ({"latency": 5}, "latency: 5 is not allowed; a string with a unit, such as '5 us'"),
        ({"latency": "0 us"}, "latency: '0 us' is not allowed; above 0"),
        ({"latency_figure": "p42"}, "latency_figure: 'p42' is not allowed; 'mean', 'p50', 'p95' or 'p99'"),
        ({"loss": 1}, "loss: 1 is not allowed; below 1"),
        ({"locality": 1.5}, "locality: 1.5 is not allowed; at most 1"),
        ({"growth": 100}, "growth: 100.0 is not allowed; at most 64: 256 senders in the end"),
        ({"switch_ports": 1}, "switch_ports: 1 is not allowed; at least 2"),
        ({"topologies": []}, "topologies: [] is not allowed; at least 1 of them"),
        ({"topologies": ["star"]}, "topologies[0]: 'star' is not allowed; 'ring', 'dual-ring', 'dual-attached-ring'"),
        ({"prices": {"port": -1}}, "prices.port: -1 is not allowed; at least 0"),
        ({"prices": {"prot": 1}}, "prices.prot: unknown key; did you mean 'port'?"),
        ({"sender": 4}, "sender: unknown key; did you mean 'senders'?"),
        ({"at_least": 30}, "at_most: 24 is not allowed; at least 30, the runs to begin with"),
        ({"switch": {"rate": "0 MB/s"}}, "switch.rate: '0 MB/s' is not allowed; above 0"),
    ],
)
def test_refused(change, message):
    with pytest.raises(RingletError) as caught:
        Requirements.from_dict({**NEEDS, **change})
    assert message in str(caught.value)


def test_what_is_missing_is_named():
    with pytest.raises(RingletError, match="senders: missing"):
        Requirements.from_dict({"receivers": 2, "rate": "1 MB/s"})
