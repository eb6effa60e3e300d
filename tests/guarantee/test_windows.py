"""Sums over the flows in a window are those of every pair of a window and a flow, however windows are grouped."""

import math
from dataclasses import fields

import numpy as np
import pytest

from ringlet.analysis.response_bounds import Bounds, Directed, RingFlows
from ringlet.analysis.response_bounds.busy_window import fixed_point
from ringlet.analysis.response_bounds.steps import FEW, Steps
from ringlet.analysis.response_bounds.windows import ALONE, Kinds, Once, Rows, Windows

NODES, ECHO = 6, 4


def drawn(random, count):
    """Random flows on a ring of six nodes, with jitter and periods that are no whole numbers."""
    source = random.integers(NODES, size=count)
    return RingFlows(
        NODES,
        random.integers(1, 9, size=NODES),
        ECHO,
        source,
        (source + random.integers(1, NODES, size=count)) % NODES,
        random.integers(8, 60, size=count),
        random.integers(3, size=count),
        random.integers(1, 4, size=count),
        random.uniform(50, 2000, size=count),
        random.uniform(0, 300, size=count),
        np.zeros(count),
        np.zeros(count, dtype=np.int64),
    )


def by_pairs(flows, flow, window, sent, wait):
    """What one window holds: packets and cycles of the node's other flows that go first, and cycles that lower
    priorities and all flows of other nodes take of its link."""
    node, found = int(flows.source[flow]), [0.0] * 4
    for other in range(flows.count):
        behind = (node - int(flows.source[other])) % NODES
        between = sum(wait[(int(flows.source[other]) + hop) % NODES] for hop in range(1, behind))
        late = flows.jitter[other] if behind == 0 else sent[other] + between
        packets = (math.floor((window + late + 1) / flows.period[other]) + 1) * int(flows.packets[other])
        reach = (int(flows.destination[other]) - int(flows.source[other]) - 1) % NODES + 1
        lower = flows.priority[other] < flows.priority[flow]
        if behind == 0 and other != flow and not lower:
            found[0] += packets
            found[1] += packets * (int(flows.symbols[other]) + 1)
        if behind != 0:
            cycles = packets * (int(flows.symbols[other]) + 1 if behind < reach else ECHO + 1)
            found[2] += cycles if lower else 0
            found[3] += cycles
    return found


@pytest.mark.parametrize("count", [1, 2, 30, ALONE + 40])
def test_what_windows_hold_is_the_sum_over_all_flows(count):
    random = np.random.default_rng(count)
    flows = drawn(random, count)
    sent, wait = random.uniform(0, 5000, size=count), random.integers(0, 80, size=NODES).astype(float)

    def prepared(kinds):
        late = kinds.late(flows.jitter, sent, wait)
        return kinds.sums(late, *kinds.packets_and_cycles_first, *kinds.lower_and_all(kinds.on_link))

    of = random.integers(count, size=60)
    window = random.integers(0, 40, size=60) * 100.0
    windows, once = Windows(flows, of), Once(flows, prepared)
    for chosen in (slice(None), slice(None, None, 3)):
        packets, cycles, lower, passing = once(of[chosen], window[chosen])
        some = windows.at(np.arange(60)[chosen])
        found = np.stack([*some.before(window[chosen], packets, cycles), lower, passing], axis=1)
        expected = [
            by_pairs(flows, flow, length, sent, wait)
            for flow, length in zip(of[chosen], window[chosen].tolist(), strict=True)
        ]
        assert found.tolist() == expected


def test_windows_that_hold_the_same_are_looked_at_once():
    flows, looked_at = drawn(np.random.default_rng(1), 20), []

    def prepared(kinds):
        def compute(rows):
            looked_at.extend(zip(rows.node.tolist(), rows.window.tolist(), strict=True))
            return [rows.window]

        return compute

    once = Once(flows, prepared)
    of = np.flatnonzero(flows.kind == flows.kind[0]).repeat(3)
    for _ in range(2):
        assert once(of, np.full(len(of), 7.0))[0].tolist() == [7.0] * len(of)
    assert looked_at == [(int(flows.source[0]), 7.0)]


@pytest.mark.parametrize("count", [30, ALONE])
def test_a_flow_without_an_end_makes_sums_endless_only_where_it_counts(count):
    flows = drawn(np.random.default_rng(2), count)
    sent = np.where(np.arange(count) == 0, np.inf, 10.0)

    def prepared(kinds):
        late = kinds.late(np.zeros(count), sent)
        return kinds.sums(late, *kinds.lower_and_all(kinds.on_link))

    lower, passing = Once(flows, prepared)(np.arange(count), np.full(count, 100.0))
    other_node = flows.source != flows.source[0]
    assert np.isinf(passing).tolist() == other_node.tolist()
    assert np.isinf(lower).tolist() == (other_node & (flows.priority > flows.priority[0])).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_a_table_of_lengths_holds_what_each_window_holds(seed):
    random = np.random.default_rng(seed)
    flows = drawn(random, 40)
    late, weights = random.uniform(0, 3000, size=40), random.integers(5, size=(3, 40)).astype(float)
    # Lengths at which a message more comes, and those beside; at last some that are no whole numbers.
    comes = np.ceil(random.integers(1, 9, size=40) * flows.period - late - 1)
    lengths = np.concatenate([comes - 1, comes, comes + 1, random.uniform(0, 3000, size=40), [0, 1e7]])
    lengths = np.maximum(lengths, 0)
    steps, expected = Steps(flows, late, weights), weights @ flows.released(lengths, late[None, :]).T
    for asked in (np.arange(FEW), random.permutation(len(lengths)), np.arange(len(lengths))):
        assert np.array_equal(steps(lengths[asked]), expected[:, asked])


@pytest.mark.parametrize("count", [30, ALONE])
def test_sums_of_nodes_are_those_of_their_flows(count):
    random = np.random.default_rng(count)
    flows = drawn(random, count)
    kinds = Kinds(flows, np.array([1]))
    late, window = kinds.late(flows.jitter, np.full(count, 70.0)), np.arange(0, 2000, 50.0)
    rows = Rows(kinds, np.zeros(len(window), dtype=np.int64), window)
    (found,) = kinds.sums_of_nodes(late, kinds.on_link)(rows)
    each = kinds.on_link * flows.released(window, late)
    assert found.tolist() == [[float(row[flows.source == node].sum()) for node in range(NODES)] for row in each]


def test_bounds_are_what_follows_from_them():
    """A round in which no wait and no transit grows may still let echoes come back later, at a node that no packet
    passes on its way: then what counts in the next round is more."""
    flows = RingFlows(
        nodes=4,
        hops=np.array([1, 4, 152, 1]),
        echo=ECHO,
        source=np.array([3, 2, 2, 2]),
        destination=np.array([0, 0, 0, 1]),
        symbols=np.full(4, 40),
        priority=np.array([0, 1, 2, 2]),
        packets=np.array([1, 1, 2, 1]),
        period=np.array([158.0, 195.0, 437.0, 449.0]),
        jitter=np.array([0.0, 24.0, 691.0, 4.0]),
        spacing=np.zeros(4),
        overtaking=np.array([0, 0, 1, 0]),
    )
    analysis = Directed(flows, announces=False, control=2, high_water=1000, bypass=371)
    found = fixed_point(analysis)
    assert np.isfinite(found.arrived).all()
    following = analysis.improved(found)
    for field in fields(Bounds):
        assert np.array_equal(getattr(following, field.name), getattr(found, field.name)), field.name
