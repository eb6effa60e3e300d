"""Response times without flow control (docs/explanation/guarantees.md, Section 3)."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.offsets import Known, Releases, Schedule
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows


@dataclass(frozen=True)
class Uncontrolled(Analysis):
    """A ring without flow control where no packet is refused."""

    offers: ClassVar[bool] = False
    survives: ClassVar[bool] = True
    circles: ClassVar[bool] = False

    def at_offsets(self, schedule: Schedule) -> Releases:
        """Returns the releases: no node waits for anything but what passes."""
        return Known(self.flows, schedule)

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        wait = flows.longest_sent
        sent = bounds.sent

        def held(kinds: Kinds) -> Compute:
            late = kinds.late(flows.jitter, sent, wait)
            weights = *kinds.packets_and_cycles_first, *kinds.lower_and_all(kinds.on_link)
            return kinds.sums(late, *weights)

        once = Once(flows, held)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray, *, first: bool = False) -> Parts:
            packets, cycles, lower, passing = once(windows.of, window)
            own = windows.first_cycles(messages, windows.before(window, packets, cycles)[1])
            if first:
                lower, passing = windows.passing_first(lower, passing)
            blocking, access = flows.longest_lower[windows.of], np.ones(windows.count)
            return own, blocking, access, lower, passing - lower + flows.sent_again

        # A packet that is sent again may be what a first one finds at its node.
        of_first = None if flows.lost else partial(shares, first=True)
        parts, waited, window = longest_waits(flows, shares, bounds.window, of_first)
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)
