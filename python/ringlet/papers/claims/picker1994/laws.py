"""Tests of the laws of every ring."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.rings import Ring, draw_ring, renumbering


def _protocol(name: str, **options: object) -> dict[str, object]:
    """Returns the keys of a protocol, by their paths."""
    return {"flow_control.protocol": name, **{f"flow_control.{key}": value for key, value in options.items()}}


@checks("picker1994.c86")
def renumbering_renumbers_results(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before, without flow control and under SCI."""
    return renumbering(trials, [_protocol("none"), _protocol("sci"), _protocol("sci", extension="none")], silent=(0, 3))


@checks("picker1994.c87")
def renumbering_renumbers_results_with_priorities(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under SCI with four priorities."""
    return renumbering(trials, [_protocol("sci", priorities=4)], priorities=4, silent=(0, 3), rings=80)


@checks("picker1994.c88")
def renumbering_renumbers_results_with_a_reserve(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under SCI with a reserve for low priorities."""
    return renumbering(trials, [_protocol("sci", priorities=2, reserve=0.1)], priorities=2)


@checks("picker1994.c90")
def renumbering_renumbers_results_with_groups(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before with groups by maximal conflict."""
    return renumbering(trials, [_protocol("grouped", groups=2, assignment="maximal-conflict")])


@checks("picker1994.c91")
def results_do_not_depend_on_the_link_rate(trials: Trials) -> Finding:
    """Throughput in words per cycle is the same at any link rate."""
    largest = 0.0
    for _ in range(trials.count(6)):
        drawn = draw_ring(trials.rng)
        for protocol in ("none", "sci", "grouped", "dfc", "metaring"):
            ring = drawn.under(protocol)
            found = [
                ring.with_keys({"network.link_rate": rate}).throughput() for rate in ("250 MB/s", "1 GB/s", "2 GB/s")
            ]
            largest = max(largest, float(np.ptp(found, axis=0).max()))
    return Finding(largest == 0, f"largest difference {largest:g}")


@checks("picker1994.c92")
def an_idle_node_is_a_longer_link(trials: Trials) -> Finding:
    """A node that neither sends nor receives changes nothing but the length of a link."""
    changed, number, most = 0, 0, 0.0
    for _ in range(trials.count(8)):
        ring = draw_ring(trials.rng, nodes=(3, 7), hop_delays=(2, 8))
        delay = int(str(ring.keys["network.hop_delay"]))
        place = int(trials.rng.integers(1, ring.nodes + 1))
        moved = [d + (d >= place) for d in ring.destinations]
        moved.insert(place, (place + 1) % (ring.nodes + 1))
        delays = [delay] * ring.nodes
        delays[place - 1 : place] = [delay - 1, 1]
        longer = Ring(tuple(moved), frozenset({place}), None, {**ring.keys, "network.hop_delay": delays})
        same = Ring(ring.destinations, frozenset(), (1.0,) * ring.nodes, ring.keys)
        for protocol in ("none", "sci", "grouped", "dfc"):
            straight = same.under(protocol).throughput(cycles=60_000)
            beside = np.delete(longer.under(protocol).throughput(cycles=60_000), place)
            gap = float(np.abs(straight - beside).max())
            changed, number, most = changed + (gap > 0.02), number + 1, max(most, gap)
    return Finding(changed == 0, f"{changed} of {number} rings change by over .02; largest {most:z.3f}")


@checks("picker1994.c04")
def fairness_does_not_hang_on_the_extension(trials: Trials) -> Finding:
    """Under each reading of go-bit extension the least of the senders has 0.9 of what the greatest has."""
    found = {}
    for extension in ("received", "none", "passing", "after-send", "always"):
        least = 1.0
        for _ in range(trials.count(30)):
            ring = draw_ring(trials.rng, silent=(1, 4)).under("sci", extension=extension)
            # Every sender always has a packet: what Poisson arrivals leave free says nothing of the rule.
            sent = ring.throughput()[ring.senders]
            least = min(least, float(sent.min() / sent.max()))
        found[extension] = least
    shown = ", ".join(f"{name} {least:z.3f}" for name, least in found.items())
    return Finding(min(found.values()) >= 0.9, f"smallest least over greatest: {shown}")
