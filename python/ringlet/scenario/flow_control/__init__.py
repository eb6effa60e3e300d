"""Flow control: which node may send when. Each protocol is a module of its own, and all are listed here.

>>> from ringlet.scenario.flow_control import PROTOCOLS
>>> list(PROTOCOLS)
['none', 'sci', 'grouped', 'ppq', 'train', 'dfc']
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import BeforeValidator, Discriminator, Tag

from ringlet.errors import RingletError
from ringlet.scenario.flow_control.dfc import Dfc
from ringlet.scenario.flow_control.grouped import Grouped
from ringlet.scenario.flow_control.none import NoFlowControl
from ringlet.scenario.flow_control.ppq import Ppq
from ringlet.scenario.flow_control.protocol import DEFAULT_PROTOCOL, FlowControl, Reading, Ring
from ringlet.scenario.flow_control.sci import Sci
from ringlet.scenario.flow_control.train import Train
from ringlet.scenario.validation import as_details

__all__ = ["PROTOCOLS", "AnyFlowControl", "FlowControl", "Reading", "Ring", "names", "with_own_options"]

_LISTED: tuple[type[FlowControl], ...] = (NoFlowControl, Sci, Grouped, Ppq, Train, Dfc)

PROTOCOLS: Mapping[str, type[FlowControl]] = {one.name(): one for one in _LISTED}
"""All protocols by name."""


def names(which: Callable[[type[FlowControl]], bool] = lambda _: True) -> str:
    """Returns the names of some protocols as a message lists them: `'none' or 'sci'`."""
    return _listed([name for name, one in PROTOCOLS.items() if which(one)], "or")


def with_own_options(section: Mapping[str, Any], protocols: Iterable[str]) -> dict[str, Any]:
    """Returns a `[flow_control]` section without the options that its own protocol lacks and others have.

    Args:
        section: as a file holds it.
        protocols: the others, such as those that a study compares; an option that none of them has stays, to be
            refused.
    """
    own = PROTOCOLS.get(str(section.get("protocol", DEFAULT_PROTOCOL)))
    others = {key for name in protocols if name in PROTOCOLS for key in PROTOCOLS[name].options()}
    kept = others if own is None else set(own.options())
    return {key: value for key, value in section.items() if key in kept or key not in others}


def _listed(these: list[str], joined: str) -> str:
    *first, last = map(repr, these)
    return f"{', '.join(first)} {joined} {last}" if first else last


def _of_its_protocol(content: object) -> object:
    """Refuses a protocol that there is not, and options of other protocols."""
    with as_details():
        return _own_section(content) if isinstance(content, Mapping) else content


def _own_section(content: Mapping[str, Any]) -> dict[str, Any]:
    protocol = content.get("protocol", DEFAULT_PROTOCOL)
    if not isinstance(protocol, str) or protocol not in PROTOCOLS:
        raise RingletError.not_allowed("flow_control.protocol", protocol, names())
    own = PROTOCOLS[protocol].model_fields
    given = {key: value for key, value in content.items() if key in own or value is not None}
    for key, value in given.items():
        owners = [name for name, one in PROTOCOLS.items() if key in one.model_fields]
        if owners and key not in own:
            verb = "has" if len(owners) == 1 else "have"
            allowed = f"protocol {protocol!r} has no such option; {_listed(owners, 'and')} {verb} it"
            raise RingletError.not_allowed(f"flow_control.{key}", value, allowed)
    return given


def _tag(content: object) -> str | None:
    if isinstance(content, FlowControl):
        return f"protocol={content.protocol}"
    return f"protocol={content.get('protocol', DEFAULT_PROTOCOL)}" if isinstance(content, Mapping) else None


if TYPE_CHECKING:
    AnyFlowControl = FlowControl
else:
    _Tagged = tuple(Annotated[one, Tag(f"protocol={name}")] for name, one in PROTOCOLS.items())
    AnyFlowControl = Annotated[Union[_Tagged], Discriminator(_tag), BeforeValidator(_of_its_protocol)]  # noqa: UP007
"""One of the protocols with its options: which one, `protocol` says."""
