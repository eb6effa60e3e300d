"""Response times on a token ring (docs/explanation/guarantees.md, Section 6)."""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, Windows


@dataclass(frozen=True)
class Tokens(Analysis):
    """A token ring where no packet is refused."""

    token: int
    """Symbols of the token."""
    quota: int
    """Packets that a node sends for a token."""
    returned: bool
    """Does a node keep the token until the echoes of its packets are back?"""

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        # An idle, and the token behind it; what a packet keeps the token for.
        revolution = flows.revolution + flows.nodes * (self.token + 2)
        kept_for_echo = flows.revolution + 2 if self.returned else 0
        each = (flows.packet + kept_for_echo).astype(float)
        longest = flows.longest_sent + kept_for_echo
        late = np.where(flows.same_node, flows.jitter[None, :], bounds.sent[None, :])
        blocking = np.where(flows.longest_lower > 0, flows.longest_lower + kept_for_echo, 0.0)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            released = flows.released(window, late[windows.of])
            ahead = windows.first_packets(messages, released)
            own = windows.first_cycles(messages, released) + kept_for_echo * ahead
            visits = np.ceil(ahead / self.quota)
            passing = each[None, :] * windows.others(released)
            of_node = passing @ flows.of_node
            # Of a node no more than its share of each of the visits, and one before, in its longest packets.
            most = self.quota * (visits + 1)[:, None] * longest[None, :]
            kept = np.minimum(1.0, np.divide(most, of_node, out=np.ones_like(of_node), where=of_node > 0))
            passing = passing * (kept @ flows.of_node.T)
            access = (visits + 1) * revolution
            return own, blocking[windows.of], access, *windows.inversion_and_interference(passing)

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        # Bypass FIFOs are empty: no other node sends.
        free = np.zeros(flows.nodes)
        return Bounds(*parts, flows.transit(free), flows.returned(free), waited, window)
