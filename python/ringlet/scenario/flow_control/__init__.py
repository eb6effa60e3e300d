"""Flow control: which node may send when. Each protocol is a module of its own, and all are listed here.

>>> from ringlet.scenario.flow_control import PROTOCOLS
>>> list(PROTOCOLS.listed)[:3]
['none', 'sci', 'grouped']
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ringlet.scenario.flow_control.protocol import DEFAULT_PROTOCOL, FlowControl, Reading, Ring, Shape
from ringlet.sections.plugins import Family, members

__all__ = ["PROTOCOLS", "AnyFlowControl", "FlowControl", "Reading", "Ring", "Shape", "with_own_options"]

_LISTED = (
    "none",
    "sci",
    "grouped",
    "ppq",
    "train",
    "dfc",
    "metaring",
    "token_ring",
    "timed_token",
    "slotted_ring",
    "rpr",
)
"""The modules of all members."""

PROTOCOLS = Family(FlowControl, members(FlowControl, __name__, _LISTED), path="flow_control.protocol", group=None)
"""All protocols by name."""

if TYPE_CHECKING:
    AnyFlowControl = FlowControl
else:
    AnyFlowControl = PROTOCOLS.annotation(DEFAULT_PROTOCOL)
"""One of the protocols with its options: which one, `protocol` says."""


def with_own_options(section: Mapping[str, Any], protocols: Iterable[str]) -> dict[str, Any]:
    """Returns a `[flow_control]` section without the options that its own protocol lacks and others have.

    Args:
        section: as a file holds it.
        protocols: the others, such as those that a study compares; an option that none of them has stays, to be
            refused.
    """
    known = PROTOCOLS.listed
    own = known.get(str(section.get("protocol", DEFAULT_PROTOCOL)))
    others = {key for name in protocols if name in known for key in known[name].options()}
    kept = others if own is None else set(own.options())
    return {key: value for key, value in section.items() if key in kept or key not in others}
