import csv
from pathlib import Path

import numpy as np
import pytest
from networks import SIZES, walk

from ringlet.rings import Banyan, cost, long_ring_network, ringlet_network
from ringlet.rings.rerouted import routes_without
from ringlet.scenario.network.multistage import KINDS

PUBLISHED = Path(__file__).parents[3] / "shared" / "published" / "published.csv"

CLOSING = ("omega", "flip", "indirect-cube", "generalized-cube")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("radix", "stages"), SIZES)
def test_every_wiring_is_a_permutation(kind, radix, stages):
    banyan = Banyan(kind, radix, stages)
    assert len(banyan.wirings) == stages + 1
    for wiring in banyan.wirings:
        assert sorted(wiring) == list(range(radix**stages))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("radix", "stages"), SIZES)
def test_there_is_exactly_one_path_from_every_input_to_every_output(kind, radix, stages):
    banyan = Banyan(kind, radix, stages)
    reached = banyan.wirings[0][:, None]
    for wiring in banyan.wirings[1:]:
        switch = reached // radix * radix
        reached = wiring[switch[..., None] + np.arange(radix)].reshape(banyan.size, -1)
    assert (np.sort(reached) == np.arange(banyan.size)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("radix", "stages"), [(2, 3), (2, 6), (2, 10), (3, 4), (4, 2), (8, 2)])
def test_four_of_the_six_networks_close_without_permuted_wiring(kind, radix, stages):
    banyan = Banyan(kind, radix, stages)
    assert banyan.closes == (kind in CLOSING)
    assert (len(banyan.closed_rings()) == banyan.size) == (kind in CLOSING)


def test_closed_one_to_one_a_baseline_merges_paths_to_pairs_and_a_butterfly_to_necklaces():
    baseline, butterfly = (Banyan(kind, 2, 4).closed_rings() for kind in ("baseline", "butterfly"))
    assert (len(baseline), max(map(len, baseline))) == (10, 2)
    assert (len(butterfly), max(map(len, butterfly))) == (6, 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("radix", "stages"), SIZES)
def test_parts_follow_from_size_and_radix(kind, radix, stages):
    n, size = stages, radix**stages
    ringlets = cost(ringlet_network(Banyan(kind, radix, stages))[0])
    assert (ringlets.switches, ringlets.ports) == (n * size // radix, 2 * n * size)
    assert ringlets.rings == ringlets.ringlets == (n + 1) * size
    long_rings = cost(long_ring_network(Banyan(kind, radix, stages))[0])
    assert (long_rings.switches, long_rings.ports, long_rings.rings) == (n * size // radix, n * size, size)
    assert long_rings.cables == size * (n + 2)
    assert ringlets.adapters == long_rings.adapters == 2 * size


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_ring_leads_from_a_processor_through_each_stage_to_its_memory(kind):
    banyan = Banyan(kind, 2, 3)
    network, _ = long_ring_network(banyan)
    for ring in range(network.rings):
        interfaces = slice(network.ring_start[ring], network.ring_start[ring + 1])
        first, *ports, last = zip(network.interface_node[interfaces], network.interface_port[interfaces], strict=True)
        assert last[0] == first[0] + banyan.size
        stages = [int(network.port_switch[port]) // banyan.switches_per_stage for _, port in ports]
        assert stages == [0, 1, 2]


def published(row):
    if not PUBLISHED.exists():
        pytest.skip(
            "published.csv belongs to the project, not to a user's copy: the papers' figures cannot be compared"
        )
    with PUBLISHED.open(encoding="utf-8") as file:
        return float(next(each["value"] for each in csv.DictReader(file) if each["id"] == row))


@pytest.mark.parametrize("kind", CLOSING)
def test_port_counts_are_those_of_richter1999(kind):
    two, four = Banyan(kind, 2, 4), Banyan(kind, 4, 2)
    assert cost(ringlet_network(two)[0]).ports == published("richter1999.s7.ports.ringlet")
    assert cost(long_ring_network(two)[0]).ports == published("richter1999.s7.ports.first")
    assert cost(long_ring_network(four)[0]).ports == published("richter1999.s7.ports.second")


def test_the_closure_property_is_that_of_richter1999():
    holds = all(Banyan(kind, 2, 4).closes == (kind in CLOSING) for kind in KINDS)
    assert float(holds) == published("richter1999.s7.closure")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("radix", "digits"), [(2, 1), (2, 3), (2, 4), (3, 2), (4, 2)])
def test_an_extra_stage_makes_ways_that_share_only_their_first_and_last_switch(kind, radix, digits):
    """Of one pair after the other, all ways are followed."""
    banyan = Banyan(kind, radix, digits + 1, extra_stage=True)
    assert banyan.size == radix**digits
    exits = np.arange(radix)
    lines = banyan.wirings[0][:, None]
    passed = []
    for wiring in banyan.wirings[1:]:
        passed.append(np.repeat(lines // radix, radix, axis=1))
        switch = lines // radix * radix
        lines = wiring[switch[..., None] + exits].reshape(banyan.size, -1)
        passed = [np.repeat(stage, lines.shape[1] // stage.shape[1], axis=1) for stage in passed]
    for source in range(banyan.size):
        for sink in range(banyan.size):
            (ways,) = np.nonzero(lines[source] == sink)
            assert len(ways) == radix
            first, *between, last = (np.unique(stage[source, ways]) for stage in passed)
            assert len(first) == len(last) == 1
            assert all(len(stage) == radix for stage in between)


@pytest.mark.parametrize("kind", KINDS)
def test_an_extra_stage_costs_a_stage_and_a_crossing(kind):
    plain, extra = Banyan(kind, 2, 3), Banyan(kind, 2, 4, extra_stage=True)
    before, after = (ringlet_network(banyan) for banyan in (plain, extra))
    assert cost(after[0]).switches - cost(before[0]).switches == plain.switches_per_stage
    assert cost(after[0]).ports - cost(before[0]).ports == 2 * plain.size
    for source in range(plain.size):
        for memory in range(plain.size, 2 * plain.size):
            assert len(walk(*before, source, memory)) == 2 * 3
            assert len(walk(*after, source, memory)) == 2 * 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radix", [2, 4])
def test_destinations_spread_over_the_ways_of_an_extra_stage(kind, radix):
    network, routes = ringlet_network(Banyan(kind, radix, 3, extra_stage=True))
    memories = range(radix**2, 2 * radix**2)
    for source in range(radix**2):
        outputs = [walk(network, routes, source, memory)[1] for memory in memories]
        assert np.unique(outputs, return_counts=True)[1].tolist() == [radix] * radix


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radix", [2, 3])
def test_no_switch_between_the_first_and_the_last_stage_is_needed(kind, radix):
    """Whichever fails, requests and responses have ways without its rings."""
    banyan = Banyan(kind, radix, 3, extra_stage=True)
    network, routes = ringlet_network(banyan)
    for switch in range(banyan.switches_per_stage, 2 * banyan.switches_per_stage):
        interrupted = np.zeros(network.rings, dtype=bool)
        interrupted[network.port_ring[network.port_switch == switch]] = True
        detours = routes_without(network, routes, interrupted)
        for processor in range(banyan.size):
            for memory in range(banyan.size, 2 * banyan.size):
                for ends in ((processor, memory), (memory, processor)):
                    ports = walk(network, detours, *ends)
                    assert len(ports) == 2 * 3, "the other ways are as short"
                    assert not interrupted[network.port_ring[ports]].any()
