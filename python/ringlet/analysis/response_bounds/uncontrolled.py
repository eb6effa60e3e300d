"""Response times without flow control (docs/explanation/guarantees.md, Section 3)."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, Windows


@dataclass(frozen=True)
class Uncontrolled(Analysis):
    """A ring without flow control where no packet is refused."""

    offers: ClassVar[bool] = False

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        wait = flows.longest_sent
        late = np.where(flows.same_node, flows.jitter[None, :], bounds.sent[None, :] + flows.waits_between(wait))

        def shares(windows: Windows, messages: FloatArray, window: FloatArray, *, first: bool = False) -> Parts:
            released = flows.released(window, late[windows.of])
            own = windows.first_cycles(messages, released)
            passing = windows.on_link * windows.others(released)
            if first:
                # The bypass FIFO is empty, and at most one packet passes just then.
                passing = np.where(windows.finds_free[:, None], flows.longest_passing[windows.of], passing)
            blocking, access = flows.longest_lower[windows.of], np.ones(windows.count)
            return own, blocking, access, *windows.inversion_and_interference(passing)

        parts, waited, window = longest_waits(flows, shares, bounds.window, partial(shares, first=True))
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)
