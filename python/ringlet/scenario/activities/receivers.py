"""Destinations of messages and flows as a file gives them, and the receivers of packets that have several."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ringlet.errors import RingletError
from ringlet.scenario.activities.tables import shares
from ringlet.scenario.values.node_names import is_own, named

if TYPE_CHECKING:
    from ringlet.rings import Network

ALL: Literal["all"] = "all"
"""Destination of what goes to every other node."""

MAX_RECEIVERS = 1 << 16
"""Receivers of all packets that have several: each has a flow of the engine."""


def by_its_way(keys: dict[str, Any]) -> str:
    """Returns the name of what has none: source and destination as the file calls them, such as `0-3` or `0-1+2`."""
    to = keys.get("destination")
    words = "+".join(named(one) for one in to) if isinstance(to, list | Mapping) else named(to)
    return f"{named(keys.get('source'))}-{words}"


def read_destination(text: str) -> Any:  # noqa: ANN401 - a node, several, shares of them, or all
    """Returns what a cell says of a destination."""
    found = shares(text)
    if isinstance(found, list):
        return [_known(one) for one in found]
    return found if isinstance(found, dict) or found == ALL else _known(found)


def _known(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and not is_own(text) else text


def read_flag(text: str) -> bool | str:
    """Returns what a cell says that is true or false; another text stays one."""
    return {"true": True, "false": False}.get(text.lower(), text)


def receivers_of(
    source: int, destination: int | str | Sequence[int], network: "Network", at: str, *, answers: str
) -> list[int]:
    """Returns the receivers of packets in the order in which they pass them, round the first ring.

    Args:
        source: node that sends them.
        destination: a node, a list of nodes, or `ALL`.
        network: on which they go.
        at: beginning of the path of their keys.
        answers: key of the transaction, if that has responses; else empty.

    Raises:
        RingletError: no group of receivers, or a network or transaction that has no rule for one.
    """
    if network.second_interface is None and (len(network.ring_lengths) > 1 or len(network.switch_start) > 1):
        allowed = "false with several rings: nothing says how switches would copy packets"
        raise RingletError.not_allowed(f"{at}multicast", True, allowed)
    if answers:
        raise RingletError.not_allowed(
            answers, "<a response>", "one without responses, with multicast: no receiver answers"
        )
    others = (node for node in range(network.nodes) if node != source)
    nodes = list(others) if destination == ALL else [destination] if isinstance(destination, int) else [*destination]
    if len(nodes) < 2:
        allowed = "at least two receivers with multicast"
        raise RingletError.not_allowed(f"{at}destination", "<1 node>" if nodes else "<no node>", allowed)
    places = network.node_interface.tolist()
    return sorted(nodes, key=lambda node: (places[node] - places[source]) % network.nodes)


def check_count(receivers: Iterable[Sequence[int]], path: str) -> None:
    """Raises RingletError for more receivers together than the engine is given flows for."""
    count = sum(map(len, receivers))
    if count > MAX_RECEIVERS:
        raise RingletError.not_allowed(path, f"<{count:,} receivers>", f"at most {MAX_RECEIVERS:,} with multicast")
