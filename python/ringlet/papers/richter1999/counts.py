"""The counts of Sections 6.5 and 6.7: ports, rings that close without permuted wiring, and a switch in full duplex."""

from typing import Any

from ringlet.papers.measurement import Measurement
from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.study import PAPER, Results, Scale
from ringlet.papers.runs import Case
from ringlet.rings import Cost, cost
from ringlet.rings.banyan import Banyan
from ringlet.scenario import Scenario
from ringlet.scenario.network.multistage import KINDS

NETWORKS: dict[str, dict[str, Any]] = {
    "ringlet": {"topology": "omega", "size": 16},
    "first": {"topology": "omega", "size": 16, "connection": "long-ring"},
    "second": {"topology": "omega", "size": 16, "radix": 4, "connection": "long-ring"},
}
"""The three 16 x 16 networks of Section 6.7 by the names of their rows."""
CLOSING = frozenset({"omega", "generalized-cube", "flip", "indirect-cube"})
"""Topologies that close to rings without permuted wiring, says Section 6.7."""
CLOSURE_RADICES = ((2, 4), (2, 6), (3, 3), (4, 2))
"""Radix and stages of the networks in which that is looked at."""
DUPLEX_PORTS = 4
B_LINK_BYTES, PAYLOAD_BYTES = 88, 64
"""Bytes of a packet of 80 bytes with its encapsulation, and bytes of its data."""


def duplex_case(scale: Scale) -> Case:
    """Returns the case of the switch in full duplex."""
    return Case(PAPER, "duplex.toml", scale.overrides)


def cases(scale: Scale) -> list[Case]:
    """Returns the cases behind the counts."""
    return [duplex_case(scale)]


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the counts by row id."""
    ports = {
        f"{PAPER}.s7.ports.{name}": Measurement(found.ports, detail=f"{found.switches} switches, {found.rings} rings")
        for name, found in costs().items()
    }
    closing = {kind for kind in KINDS if all(Banyan(kind, radix, n).closes for radix, n in CLOSURE_RADICES)}
    case = duplex_case(scale)
    each = [node * B_LINK_BYTES / PAYLOAD_BYTES for node in results[case].nodes_MBps]
    return {
        **ports,
        f"{PAPER}.s7.closure": Measurement(
            float(closing == CLOSING),
            detail="found by following the lines, radix 2 to 4: " + ", ".join(sorted(closing)) + " close",
        ),
        f"{PAPER}.s5.duplex": Measurement(
            sum(each) / DUPLEX_PORTS,
            detail=f"bytes on the B-Link, simulated; {sum(results[case].nodes_MBps) / DUPLEX_PORTS:z.0f} MB/s of "
            f"payload",
            case=case,
        ),
    }


def costs() -> dict[str, Cost]:
    """Returns what each network needs."""
    return {name: cost(Scenario.from_dict({"network": keys}).routed_network[0]) for name, keys in NETWORKS.items()}


def table() -> Table:
    """Returns what the three networks need."""
    lines = [
        (name, found.switches, found.ports, found.rings, found.cables, found.adapters)
        for name, found in costs().items()
    ]
    return Table(
        name="cost",
        title="What 16 x 16 networks need",
        caption="Ringlets and radix 2; first-grade optimized, radix 2; second-grade optimized, radix 4 (Section 6.7).",
        columns=("network", "switches", "ports", "rings", "cables", "adapters"),
        lines=tuple(lines),
    )
