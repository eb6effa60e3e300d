import csv
from pathlib import Path

import numpy as np
import pytest
from networks import SIZES

from ringlet.scenario.network.multistage import KINDS
from ringlet.topology import Banyan, cost, long_ring_network, ringlet_network

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
