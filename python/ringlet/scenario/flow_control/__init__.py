"""Flow control: which node may send when. Each protocol is a module of its own, and all are listed here.

>>> from ringlet.scenario.flow_control import PROTOCOLS
>>> list(PROTOCOLS.listed)[:3]
['none', 'sci', 'grouped']
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import DEFAULT_PROTOCOL, FlowControl, Reading, Ring, Shape
from ringlet.scenario.flow_control.symbol_protocol import SymbolProtocol
from ringlet.sections.plugins import Family, members

__all__ = [
    "PROTOCOLS",
    "AnyFlowControl",
    "FlowControl",
    "Reading",
    "Ring",
    "Shape",
    "SymbolProtocol",
    "with_own_options",
]

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

PROTOCOLS = Family(
    FlowControl,
    members(FlowControl, __name__, _LISTED),
    path="flow_control.protocol",
    group="ringlet.protocols",
    added_base=SymbolProtocol,
)
"""All protocols by name; those that installed packages add are written in Python."""

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
    own = _options(str(section.get("protocol", DEFAULT_PROTOCOL)))
    beyond = {key for name in protocols for key in _options(name) or ()}
    kept = beyond if own is None else set(own)
    return {key: value for key, value in section.items() if key in kept or key not in beyond}


def _options(name: str) -> tuple[str, ...] | None:
    """Returns the options of a protocol; None where there is none of that name."""
    try:
        return PROTOCOLS.member(name).options()
    except RingletError:
        return None
