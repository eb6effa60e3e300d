"""Nodes by name: the one place where a name becomes a node's number.

A text that a file calls a node is this node, even where it looks like a number: with the names "1", "2", "3" the text
"1" is the first node, and the whole number 1 the second.

A scenario is checked `within` the names of its network. A key that takes a node is of type `Node`, and takes its number
or its name.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from ringlet.errors import NO_NODE_NAMES, RingletError
from ringlet.sections import Before, Field, JsonSchema, refuse

MOST_LETTERS = 40
"""Letters of a name."""

_SHOWN = 4
"""Names that a message lists."""


@dataclass(frozen=True, slots=True)
class _Known:
    own: Sequence[str]
    """Names by which the file calls its nodes; empty where it gives none."""
    numbers: Callable[[], Mapping[str, int]]


_KNOWN: ContextVar[_Known | None] = ContextVar("node names", default=None)


@contextmanager
def within(own: Sequence[str], numbers: Callable[[], Mapping[str, int]]) -> Iterator[None]:
    """Lets nodes go by their names inside.

    Args:
        own: what the file calls its nodes; empty where it does not.
        numbers: returns the number of each name, those of roles such as `P0` among them; called at the first name,
            since a network may have to be built for it.
    """
    token = _KNOWN.set(_Known(own, cache(numbers)))
    try:
        yield
    finally:
        _KNOWN.reset(token)


def _numbers() -> Mapping[str, int]:
    known = _KNOWN.get()
    if known is None:
        return {}
    # The names of a network's roles are known when it is built: until then a name in it is none of them.
    token = _KNOWN.set(None)
    try:
        return known.numbers()
    finally:
        _KNOWN.reset(token)


def numbered(value: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    """Returns the number of the node with a name; what is no string stays as it is.

    Raises:
        RefusedError: no node has this name.
    """
    if not isinstance(value, str):
        return value
    names = _numbers()
    if value not in names:
        raise refuse(allowed(value, names))
    return names[value]


def _numbered_unless_a_port(value: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    """Returns the number of the node with a name, where a switch's port may stand, too.

    A name that is neither a node's nor a port's is refused where the ports are known.
    """
    is_name = isinstance(value, str) and ("." not in value or is_own(value))
    return numbered(value) if is_name and _numbers() else value


def is_own(text: str) -> bool:
    """Returns whether the file calls a node so: then it is this node, though it may look like a number or a port."""
    known = _KNOWN.get()
    return known is not None and text in known.own


def named(node: Any) -> str:  # noqa: ANN401 - what is no number is refused elsewhere
    """Returns what the file calls a node, else its number."""
    known = _KNOWN.get()
    own = () if known is None else known.own
    return own[node] if isinstance(node, int) and 0 <= node < len(own) else str(node)


def number_of(value: int | str, names: Mapping[str, int], path: str) -> int:
    """Returns the number of the node with a name, or the number itself, where no section is being checked.

    Raises:
        RingletError: no node has this name.
    """
    if isinstance(value, int):
        return value
    if value not in names:
        raise RingletError.not_allowed(path, value, allowed(value, names))
    return names[value]


def allowed(name: str, names: Mapping[str, int]) -> str:
    """Returns what would be taken in place of a name that no node has."""
    if not names:
        return f"a node's number, a whole number; {NO_NODE_NAMES}"
    near = difflib.get_close_matches(name[:MOST_LETTERS], names, n=3)
    if near:
        return f"a node's number or name; did you mean {' or '.join(map(repr, near))}?"
    more = ", ..." if len(names) > _SHOWN else ""
    return f"a node's number or name: {', '.join(map(repr, list(names)[:_SHOWN]))}{more}"


def checked_nodes(given: Sequence[int], path: str, there: Sequence[int], nodes: int) -> tuple[int, ...]:
    """Returns a list of nodes.

    Args:
        given: their numbers.
        path: the key.
        there: those that are allowed.
        nodes: how many there are in the network.

    Raises:
        RingletError: one that is not there, or stands in the list twice.
    """
    known, seen = set(there), set[int]()
    what = f"a node below {nodes}" if len(known) == nodes else f"one of the {len(known)} nodes that can"
    for place, node in enumerate(given):
        if node not in known:
            raise RingletError.not_allowed(f"{path}[{place}]", node, what)
        if node in seen:
            raise RingletError.not_allowed(f"{path}[{place}]", node, "each node once")
        seen.add(node)
    return tuple(given)


def check_names(names: Sequence[str], nodes: int) -> None:
    """Raises RingletError if names are not one for each node, or could be taken for something else."""
    if len(names) != nodes:
        raise RingletError.not_allowed("network.node_names", f"<{len(names)} names>", f"{nodes}, one for each node")
    seen = set[str]()
    for index, name in enumerate(names):
        path = f"network.node_names[{index}]"
        if name in seen:
            raise RingletError.not_allowed(path, name, "each name once")
        seen.add(name)
        if not name.strip() == name or not name.isprintable() or not 0 < len(name) <= MOST_LETTERS:
            raise RingletError.not_allowed(path, name, f"1 to {MOST_LETTERS} letters, without blanks around them")
        if name[0] in "+-" or ":" in name:
            raise RingletError.not_allowed(path, name, "a name that begins with a letter or digit, without ':'")


NODE_FORMS: list[dict[str, Any]] = [{"type": "integer", "minimum": 0}, {"type": "string", "minLength": 1}]
"""JSON schemas of a node: its number, or its name."""

Node = Annotated[int, Field(ge=0), Before(numbered), JsonSchema({"anyOf": NODE_FORMS})]
"""A node: its number, or its name."""

NodeOrPort = Annotated[int | str, Before(_numbered_unless_a_port)]
"""A node, or a switch's port as `switch.port`."""
