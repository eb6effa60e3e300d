"""The sections of single rings of a network, by their names: the keys that differ there."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from ringlet.errors import Problems, RingletError
from ringlet.scenario.flow_control import AnyFlowControl
from ringlet.sections import Before, Field, Section
from ringlet.sections.wording import BARE_KEY

OWN_KEYS = re.compile(r"flow_control\b")
"""The beginning of a message about a key that a ring has of its own."""


class RingSection(Section):
    """The keys that differ on one ring of a network."""

    flow_control: AnyFlowControl = Field(description="Which node or port of this ring may send when.")


@contextmanager
def on_ring(name: str) -> Iterator[None]:
    """Names the section of a ring in the messages about its keys."""
    try:
        yield
    except RingletError as error:
        told = (f"{_place(name)}{one}" if OWN_KEYS.match(one) else one for one in error.args)
        raise RingletError(*told) from error


def _place(name: str) -> str:
    """Returns what is before a key of a ring's section in a message."""
    return f"rings.{name if BARE_KEY.fullmatch(name) else json.dumps(name)}."


def _by_name(value: Any) -> Any:  # noqa: ANN401 - whatever the key may hold
    """Checks each section by itself, so that a message says on which ring a protocol is wrong."""
    if not isinstance(value, Mapping):
        return value
    problems, found = Problems(), {}
    for name, one in value.items():
        with problems.collected():
            try:
                if not isinstance(one, Mapping | RingSection):
                    raise RingletError.not_allowed("flow_control", one, "a table with the ring's flow_control")
                found[name] = RingSection.made(one) if isinstance(one, RingSection) else RingSection(**one)
            except RingletError as error:
                raise error.behind(_place(str(name))) from None
    problems.check()
    return found


RingSections = Annotated[dict[str, RingSection], Before(_by_name)]
"""The sections of rings by their names."""
