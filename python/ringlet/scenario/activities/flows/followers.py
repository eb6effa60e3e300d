"""Flows whose messages come after those of another flow."""

from collections.abc import Sequence
from dataclasses import replace

from ringlet.errors import Problems, RingletError
from ringlet.scenario.activities.flows.keys import FlowKeys
from ringlet.scenario.activities.flows.resolved import ResolvedFlow
from ringlet.scenario.values.destinations import Fixed, Uniform
from ringlet.scenario.values.transactions import Transaction

MAX_FOLLOWED_PACKETS = 1 << 16
"""Packets of a message that another flow follows: what the engine takes."""


def followed(
    flows: Sequence[FlowKeys], found: tuple[ResolvedFlow, ...], transaction: Transaction, nodes: int
) -> tuple[ResolvedFlow, ...]:
    """Returns the flows, of which those after others have as many messages as come to their sources.

    Raises:
        RingletError: what does not come to the source of a flow that follows it.
    """
    if all(flow.after is None for flow in flows):
        return found
    places = {one.name: place for place, one in enumerate(found)}
    problems, made = Problems(), list(found)
    for place, (flow, one) in enumerate(zip(flows, found, strict=True)):
        if flow.after is None:
            continue
        with problems.collected():
            number = places.get(flow.after)
            wrong = "the name of a flow" if number is None else _wrong(one, found[number], transaction, nodes)
            if number is not None and flows[number].multicast:
                wrong = "a flow without multicast"
            if wrong:
                others = (other for other in found if other is not one)
                fits = next((other for other in others if not _wrong(one, other, transaction, nodes)), None)
                hint = "" if fits is None else f", such as {fits.name!r}"
                raise RingletError.not_allowed(f"{one.place}after", flow.after, wrong + hint)
            made[place] = replace(one, follows=number)
    problems.check()
    return _as_many(made, nodes)


def check_repeats(flows: Sequence[ResolvedFlow]) -> None:
    """Raises RingletError for a flow after one whose requests come again where no response came in time: they are
    delivered twice."""
    for one in flows:
        if one.follows is not None and flows[one.follows].source != one.source:
            allowed = f"a flow of the same source, {one.source}, where queues.response_timeout sends requests again"
            raise RingletError.not_allowed(f"{one.place}after", flows[one.follows].name, allowed)


def _wrong(one: ResolvedFlow, other: ResolvedFlow, transaction: Transaction, nodes: int) -> str:
    """Returns what another flow would have to be for its messages to come whole to the source of one; empty: it is."""
    if other.is_saturated:
        return "a flow with messages, not one with arrivals 'saturated'"
    if -(-other.sizes.most_bytes // int(transaction.payload_bytes)) > MAX_FOLLOWED_PACKETS:
        return f"a flow with messages of at most {MAX_FOLLOWED_PACKETS} packets"
    if other.source == one.source:
        answers = transaction.response_bytes is not None
        return "" if answers else f"a flow of another node than {one.source}, or a flow_transaction with responses"
    if transaction.data_in == "response":
        return f"a flow of the same source, {one.source}, to which a read brings the data"
    return "" if _share(one, other, nodes) else f"a flow whose messages go to node {one.source}"


def _share(one: ResolvedFlow, other: ResolvedFlow, nodes: int) -> float:
    """Returns the share of the other flow's messages that come to the source of one."""
    to = other.destinations
    if other.source == one.source or to == Fixed(one.source):
        return 1.0
    if isinstance(to, Fixed):
        return 0.0
    return 1 / (nodes - 1) if isinstance(to, Uniform) else float(to.row(other.source, nodes)[one.source])


def _as_many(flows: list[ResolvedFlow], nodes: int) -> tuple[ResolvedFlow, ...]:
    """Returns the flows with the messages per cycle of what they follow; refuses those that follow themselves."""
    ready = [one.follows is None for one in flows]
    for start in range(len(flows)):
        way, passed = [start], {start}
        while not ready[way[-1]]:
            follows = flows[way[-1]].follows
            assert follows is not None, "only those that follow are not ready"
            if follows in passed:
                allowed = "a flow that does not follow this one itself: none of them would begin"
                raise RingletError.not_allowed(f"{flows[start].place}after", flows[follows].name, allowed)
            way.append(follows)
            passed.add(follows)
        for place in reversed(way[:-1]):
            one = flows[place]
            assert one.follows is not None, "only those that follow are not ready"
            other = flows[one.follows]
            drawn = one.times_drawn or other.is_random
            flows[place] = replace(one, per_cycle=other.per_cycle * _share(one, other, nodes), times_drawn=drawn)
            ready[place] = True
    return tuple(flows)
