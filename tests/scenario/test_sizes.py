"""Sizes that are drawn from a distribution, and the packets that they fill."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlet import run
from ringlet.scenario.values.sizes import Spread, cut

MOST = 65_535


@st.composite
def spreads(draw):
    least = draw(st.integers(1, 500))
    most = least + draw(st.integers(0, 20_000))
    if draw(st.booleans()):
        return Spread(least=least, most=most)
    mean = draw(st.integers(1, 8000))
    return Spread(mean=mean, deviation=mean * draw(st.floats(0.05, 3)), least=least, most=most)


@given(spreads(), st.sampled_from([16, 64, 256]))
def test_shares_are_those_of_the_distribution(spread, packet):
    found = cut(spread, packet, MOST)
    shares = dict(found.packets)
    assert math.fsum(shares.values()) == pytest.approx(1, abs=1e-9)
    below = 0.0
    for count, share in shares.items():
        below += share
        assert below == pytest.approx(spread.up_to(count * packet), abs=1e-9)
    assert spread.least <= found.mean_bytes <= spread.most + 1e-9 * spread.most


@given(spreads())
def test_the_mean_is_that_of_drawn_sizes(spread):
    random = np.random.default_rng(1)
    if spread.mean is None:
        drawn = random.uniform(spread.least, spread.most, 20_000)
    else:
        variance = math.log1p((spread.deviation / spread.mean) ** 2)
        drawn = random.lognormal(math.log(spread.mean) - variance / 2, math.sqrt(variance), 20_000)
        drawn = np.clip(drawn, spread.least, spread.most)
    # Of 20,000 sizes hardly one is of a tail of a thousandth.
    error = 6 * drawn.std() / math.sqrt(len(drawn)) + 1e-3 * drawn.mean()
    assert spread.mean_bytes == pytest.approx(drawn.mean(), abs=error)


def test_a_detector_s_fragments_come_in_their_mean_size():
    events = {
        "rate": "20 kHz",
        "builders": [7],
        "fragment": {"mean": "1 KiB", "deviation": "600 B", "least": "64 B", "most": "8 KiB"},
        "fragments": {"0": "2 KiB"},
    }
    document = run({"network": {"nodes": 8}, "events": events, "run": {"duration": "50 ms"}}).document
    built = document["events"]["built_events"]
    data = [node["throughput_MBps"] * 1e6 * document["simulated_s"] / built for node in document["nodes"][:7]]
    assert data[0] == pytest.approx(2048, rel=0.01)
    assert np.mean(data[1:]) == pytest.approx(1024, rel=0.05)
