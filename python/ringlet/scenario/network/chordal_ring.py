"""Chordal rings: a ring of routers, and chords that take packets across it.

Arden and Lee, Analysis of Chordal Ring Network, IEEE Transactions on Computers C-30(4), 1981.
"""

from typing import TYPE_CHECKING, Any, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.network.topology import SwitchedNetwork
from ringlet.sections import Field

if TYPE_CHECKING:
    import numpy as np

    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes
else:
    np = library("numpy")


class ChordalRing(SwitchedNetwork):
    """A ring of routers with a node each; a ringlet joins each odd router with the one `chord` places on."""

    topology: Literal["chordal-ring"] = "chordal-ring"
    chord: int = Field(
        ge=3, description="Places from an odd router to the even one at the other end of its chord; odd."
    )

    def check(self) -> None:
        """Raises RingletError if not every router can have a chord."""
        if self.nodes % 2 or self.nodes < 6:
            allowed = "an even number, at least 6: each chord joins an odd router and an even one"
            raise RingletError.not_allowed("network.nodes", self.nodes, allowed)
        if not (self.chord % 2 and self.chord <= self.nodes // 2):
            allowed = f"an odd number from 3 to {self.nodes // 2}, half of the nodes"
            raise RingletError.not_allowed("network.chord", self.chord, allowed)

    def built(self) -> "tuple[Rings, Routes]":
        """Builds rings, routers and routes: a packet takes its router's chord if that saves links of the ring.

        A router's port 0 leads to its node, port 1 to the ring, and port 2 to the chord. Rings are those of the nodes,
        the one of all routers, and the chords. A packet takes no second chord: behind the first, the ring is shorter.
        """
        nodes, router = self.nodes, np.arange(self.nodes)
        ports = 3 * router[:, None] + np.arange(3)
        odd = router[1::2]
        even = (odd + self.chord) % nodes
        chord = nodes + 1 + np.arange(len(odd))
        network = ring_networks.Network.from_blocks(
            [
                np.stack([router, ring_networks.at_port(ports[:, 0])], axis=1),
                ring_networks.at_port(ports[:, 1])[None, :],
                ring_networks.at_port(np.stack([ports[odd, 2], ports[even, 2]], axis=1)),
            ],
            switch_start=3 * np.arange(nodes + 1),
            roles=np.full(nodes, ring_networks.Role.COMPUTER, dtype=np.int8),
            names=ring_networks.Names(switch="router {}".format),
        )
        # How far behind a router the other end of its chord is; nodes from there on are nearer to that.
        reach = np.where(router % 2, self.chord, nodes - self.chord)
        behind = router + reach
        at_zero = np.where(behind <= nodes, ports[:, 2], ports[:, 1])
        at_zero[0] = ports[0, 0]
        across = [
            (router, 0 * router, at_zero),
            (router, (router + 1) % nodes, ports[:, 1]),
            (router, behind % nodes, ports[:, 2]),
            (router, router, ports[:, 0]),
        ]
        leaving: list[Any] = [
            (router, 0 * router, ports[:, 0]),
            (0 * router + nodes, router, ports[:, 1]),
            (chord, 0 * chord, np.where(odd < even, ports[even, 2], ports[odd, 2])),
            (chord, odd, ports[odd, 2]),
            (chord, even, ports[even, 2]),
        ]
        return network, ring_networks.Routes.from_entries(network, router, nodes, leaving, across)

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return f"chordal ring of {self.nodes}, chords of {self.chord}"
