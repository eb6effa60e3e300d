"""Upper bounds of response times on rings that are proven: docs/explanation/guarantees.md has every lemma.

Each protocol's analysis says how long a packet waits if no packet has waited longer than its bound so far; the fixed
point of that is a bound of all. Pure numpy.
"""

from ringlet.analysis.response_bounds.busy_window import Analysis
from ringlet.analysis.response_bounds.crossings import ChainBounds, Legs, Reached, SwitchTimes, chain_bounds
from ringlet.analysis.response_bounds.directed import Directed
from ringlet.analysis.response_bounds.go_bits import GoBits
from ringlet.analysis.response_bounds.offsets import Known
from ringlet.analysis.response_bounds.quotas import Quotas
from ringlet.analysis.response_bounds.receiver import Service, service
from ringlet.analysis.response_bounds.ring import Bounds, NoBoundError, RingFlows
from ringlet.analysis.response_bounds.slots import Slots
from ringlet.analysis.response_bounds.timed_tokens import TimedTokens
from ringlet.analysis.response_bounds.tokens import Tokens
from ringlet.analysis.response_bounds.trains import Trains
from ringlet.analysis.response_bounds.uncontrolled import Uncontrolled

__all__ = [
    "Analysis",
    "Bounds",
    "ChainBounds",
    "Directed",
    "GoBits",
    "Known",
    "Legs",
    "NoBoundError",
    "Quotas",
    "Reached",
    "RingFlows",
    "Service",
    "Slots",
    "SwitchTimes",
    "TimedTokens",
    "Tokens",
    "Trains",
    "Uncontrolled",
    "chain_bounds",
    "service",
]
