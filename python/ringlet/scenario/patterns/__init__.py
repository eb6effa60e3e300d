"""The traffic section by where packets go. Each pattern is a class of its own, and all are listed here.

>>> from ringlet.scenario.patterns import PATTERNS
>>> "tornado" in PATTERNS.listed
True
"""

from typing import TYPE_CHECKING

from ringlet.scenario.patterns.uniform import UniformTraffic
from ringlet.scenario.traffic.section import DEFAULT_PATTERN, TrafficSection
from ringlet.sections.plugins import Family, members

__all__ = ["PATTERNS", "AnyTraffic", "UniformTraffic"]

_LISTED = (
    "uniform",
    "fan_in",
    "hot_spot",
    "permutation",
    "deterministic",
    "mapped",
    "some",
    "local",
    "matrix",
    "trace",
)
"""The modules of all members."""

_BASE: type[TrafficSection] = TrafficSection  # type: ignore[type-abstract]
PATTERNS = Family(_BASE, members(_BASE, __name__, _LISTED), path="traffic.pattern", group="ringlet.patterns")
"""All patterns by name."""

if TYPE_CHECKING:
    AnyTraffic = TrafficSection
else:
    AnyTraffic = PATTERNS.annotation(DEFAULT_PATTERN, implied=True)
"""Traffic of one of the patterns with its keys: which one, `pattern` says, or a key that only it has."""
