"""Values of nodes and links: one for all, a list with one for each node, or a table by name."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from ringlet.errors import RingletError
from ringlet.scenario.values.node_names import allowed
from ringlet.scenario.values.units import Length, LinkRate, Places, PositiveTime, Time
from ringlet.sections import Before, Field, refuse

OTHERS = "others"
"""The key of a table for all that it does not name."""

TimePerNode = Time | Annotated[list[Time], Field(fail_fast=True)] | dict[str, Time]
"""A time of each node."""

PositiveTimePerNode = PositiveTime | Annotated[list[PositiveTime], Field(fail_fast=True)] | dict[str, PositiveTime]
"""A time above 0 of each node or link."""


LengthPerLink = Length | Annotated[list[Length], Field(fail_fast=True)] | dict[str, Length]
"""A length of each link."""


def _not_a_list(value: object) -> object:
    if isinstance(value, list):
        raise refuse("one rate, or a table of rings; a list, with a rate for each link, is for topology 'ring'")
    return value


LinkRatePerRing = Annotated[LinkRate | dict[str, LinkRate], Before(_not_a_list)]
"""A link rate of each ring."""

LinkRatePerLink = LinkRate | Annotated[list[LinkRate], Field(fail_fast=True)] | dict[str, LinkRate]
"""A link rate of each link of one ring."""


PlacesPerNode = Places | Annotated[list[Places], Field(fail_fast=True)] | dict[str, Places]
"""Places of a queue of each node."""


NO_LIMIT = "unlimited"
"""The value of a queue that holds any number."""

WaitingPlaces = Annotated[int, Field(ge=0, lt=2**32)] | Literal["unlimited"]
"""Places of a queue that may have none."""

WaitingPlacesPerNode = WaitingPlaces | Annotated[list[WaitingPlaces], Field(fail_fast=True)] | dict[str, WaitingPlaces]
"""Places of a queue of each node, which may have none."""


def of_ports(given: Any, default: Any) -> Any:  # noqa: ANN401 - whatever a key may hold
    """Returns the value of a port: the one, `others` of a table, or the key's default, since a list has none."""
    if isinstance(given, Mapping):
        return given.get(OTHERS, default)
    return default if isinstance(given, list) else given


def items(path: str, given: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a key may hold
    """Returns one value by its path, or those of a list or table by theirs."""
    if isinstance(given, list):
        return {f"{path}[{index}]": one for index, one in enumerate(given)}
    if isinstance(given, Mapping):
        return {f"{path}.{name}": one for name, one in given.items()}
    return {path: given}


def check_length(path: str, given: Any, nodes: int) -> None:  # noqa: ANN401 - whatever a key may hold
    """Raises RingletError if a list has another number of values than there are nodes."""
    if isinstance(given, list) and len(given) != nodes:
        raise RingletError.not_allowed(path, f"<{len(given)} values>", f"one value, or {nodes}, one per node")


def of_nodes(path: str, given: Any, nodes: int, names: Callable[[], Mapping[str, int]]) -> list[Any]:  # noqa: ANN401
    """Returns the value of each node.

    Args:
        path: the key.
        given: one value, a list or a table.
        nodes: number of nodes.
        names: returns the number of each node by its name; called where a table has one.

    Raises:
        RingletError: a list of the wrong length, a name that no node has, or nodes without a value.
    """
    check_length(path, given, nodes)
    if isinstance(given, list):
        return given
    if not isinstance(given, Mapping):
        return [given] * nodes
    names = cache(names)
    found = {node_of(f"{path}.{name}", name, nodes, names): one for name, one in given.items() if name != OTHERS}
    return filled(path, given, [found.get(node, given.get(OTHERS)) for node in range(nodes)])


def of_rings(path: str, given: Any, rings: Callable[[], Mapping[str, int]]) -> list[Any]:  # noqa: ANN401
    """Returns the value of each ring.

    Args:
        path: the key.
        given: one value, or a table by ring.
        rings: returns the number of each ring by its name.

    Raises:
        RingletError: a name that no ring has, or rings without a value.
    """
    known = rings()
    if not isinstance(given, Mapping):
        return [given] * len(known)
    for name in given:
        if name != OTHERS and name not in known:
            allowed_names = f"the name of a ring: {some_rings(known)}; or '{OTHERS}'"
            raise RingletError.not_allowed(f"{path}.{name}", name, allowed_names)
    values = {number: given.get(name, given.get(OTHERS)) for name, number in known.items()}
    return filled(path, given, [values[number] for number in range(len(known))])


def node_of(path: str, name: str, nodes: int, names: Callable[[], Mapping[str, int]]) -> int:
    """Returns the node that a key of a table names, or numbers.

    Raises:
        RingletError: there is none.
    """
    known = names()
    if name in known:
        return known[name]
    if name.isascii() and name.isdigit() and len(name) <= len(str(nodes)):
        if int(name) < nodes:
            return int(name)
        raise RingletError.not_allowed(path, name, f"a node from 0 to {nodes - 1}")
    raise RingletError.not_allowed(path, name, f"{allowed(name, known)}; or '{OTHERS}'")


SHOWN_RINGS = 8
"""Rings that a message names."""


def some_rings(rings: Mapping[str, int]) -> str:
    """Returns the names of the first rings, for a message."""
    return ", ".join(map(repr, list(rings)[:SHOWN_RINGS])) + (", ..." if len(rings) > SHOWN_RINGS else "")


SHOWN_NAMES = 3
"""Names up to which a message has the table itself."""


def filled(path: str, given: Mapping[str, Any], values: Sequence[Any]) -> list[Any]:
    """Returns the values of a table, none of which is missing.

    Raises:
        RingletError: the table leaves one out.
    """
    if any(value is None for value in values):
        value = dict(given) if len(given) <= SHOWN_NAMES else f"<{len(given)} names>"
        raise RingletError.not_allowed(path, value, f"a value for every node and link, or '{OTHERS}' for the rest")
    return list(values)
