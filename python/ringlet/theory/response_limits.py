"""The limits of queues that have to be out of reach for bounds of response times to hold
(docs/explanation/guarantees.md, Sections 2 and 9)."""

from collections.abc import Mapping, Sequence

import numpy as np

from ringlet.analysis.response_bounds import Analysis, ChainBounds, NoBoundError, Reached, service
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.theory.response_flows import BoolArray, FloatArray, RingLegs

UNKNOWN = "and nothing bounds how many there may be, since another message has no bound"
"""End of a sentence about packets, of which a limit allows so many."""


class LimitsReachedError(NoBoundError):
    """No bound is proven, since limits of queues may be reached; with larger ones they are not."""

    def __init__(self, why: str, needed: Mapping[str, int]) -> None:
        """Takes the message, and by the keys of the scenario the sizes that are out of reach."""
        super().__init__(why)
        self.needed = needed


def served(made: RingLegs, arrived: FloatArray, cycles: int) -> tuple[FloatArray, list[FloatArray]]:
    """Returns the longest service at the end of each leg, 0 where that is no node, and what each input queue holds.

    Args:
        made: the legs.
        arrived: longest time from when a message is due until all of it is at the end of each leg; shape (legs,).
        cycles: of the network, of a service; a ring takes whole symbol times for it.

    Returns:
        The longest time from a packet's arrival to the end of its service; shape (legs,). Of each ring, the most
        packets in the queue of requests or in that of responses at each place; shape (places,).
    """
    time = np.zeros(len(arrived))
    places = []
    each = zip(made.legs.rings, made.rings, made.hosts, made.symbols, strict=True)
    for those, ring, hosts, symbol in each:
        most = np.zeros(ring.nodes)
        for response in (False, True):
            which = hosts.any(axis=1) & (made.legs.response[those] == response)
            if which.any():
                late = arrived[those[which]] / symbol
                found = service(ring.chosen(which), late, hosts[which], -(-cycles // symbol))
                time[those[which]] = found.time * symbol
                most = np.maximum(most, found.places)
        places.append(most)
    return time, places


def check_limits(
    resolved: Resolved,
    made: RingLegs,
    found: ChainBounds,
    complete: FloatArray,
    places: list[FloatArray],
    analyses: Sequence[Analysis],
) -> None:
    """Raises LimitsReachedError if limits of queues may refuse a packet, or keep one back: it names all of them, each
    with the size that is out of reach.

    Where a message has no bound, NoBoundError says which limit nothing keeps out of reach for that.

    Args:
        resolved: whose queues are used.
        made: the legs.
        found: their bounds.
        complete: longest time from when a message is due until it has been served at the end of each leg.
        places: that `served` returned.
        analyses: of the protocol of each ring.
    """
    if resolved.switched and not np.isfinite(complete).all():
        raise NoBoundError(f"a port has room for few packets, {UNKNOWN}")
    reached = [*found.reached, *_refusing(resolved, made, places, analyses)]
    accepted = found.of_legs(made.legs, "sent") + found.of_legs(made.legs, "returned")
    stay = found.of_legs(made.legs, "returned")
    answers = made.legs.answers
    pending = max(_most_held(made, accepted, stay, response=False), _most_held(made, accepted, stay, response=True))
    # What was lost waits longer.
    pending += max(ring.lost for ring in made.rings)
    outstanding = min((one for one in resolved.outstanding if one is not None), default=None)
    if outstanding is not None and pending > outstanding:
        _check_known("queues.outstanding", outstanding, pending)
        why = f"queues.outstanding, {outstanding}, may keep a node back; {pending:z.0f} do not"
        reached.append(Reached("queues.outstanding", int(pending), why))
    if answers.any():
        created = _most_held(made, accepted, np.full(len(stay), np.inf), response=True, which=answers)
        responses = resolved.least_places("responses")
        # At the limit itself a node serves no request.
        if responses is not None and created >= responses:
            _check_known("queues.responses", responses, created)
            why = f"queues.responses, {responses}, may keep a node from serving; {created + 1:z.0f} do not"
            reached.append(Reached("queues.responses", int(created) + 1, why))
        begun = _begun(made, complete)
        window = resolved.least_places("window")
        if window is not None and begun > window:
            _check_known("queues.window", window, begun)
            why = f"queues.window, {window}, may keep a node back; {begun:z.0f} do not"
            reached.append(Reached("queues.window", int(begun), why))
    if not reached:
        return
    sizes: dict[str, int] = {}
    for one in reached:
        sizes[one.key] = max(one.needed, sizes.get(one.key, 0))
    why = "; ".join(one.why for one in reached)
    if len(reached) > 1:
        why += f"; all that is needed: {', '.join(f'{key} = {size}' for key, size in sizes.items())}"
    raise LimitsReachedError(why, sizes)


def _check_known(key: str, limit: int, most: float) -> None:
    """Raises NoBoundError if nothing bounds the packets of which a limit allows so many."""
    if not np.isfinite(most):
        raise NoBoundError(f"{key} allows {limit}, {UNKNOWN}")


def _refusing(
    resolved: Resolved, made: RingLegs, places: list[FloatArray], analyses: Sequence[Analysis]
) -> list[Reached]:
    """Returns the input queues that may be given more packets than they take, the fullest one of each ring."""
    reached = []
    for most, names, analysis in zip(places, made.names, analyses, strict=True):
        few, worst = analysis.places(resolved.least_receive_places), int(most.argmax())
        if few is not None and most[worst] > few:
            _check_known("queues.receive", few, most[worst])
            why = (
                f"the input queue of {names[worst]} may be given {most[worst]:z.0f} packets and takes {few} before it "
                "refuses or stops them; no bound is proven for what is sent again"
            )
            reached.append(Reached("queues.receive", int(most[worst]), why))
    return reached


def _most_held(
    made: RingLegs, ends: FloatArray, stay: FloatArray, *, response: bool, which: BoolArray | None = None
) -> float:
    """Returns the most packets of a class that a place of a ring has sent, or created, and not yet seen accepted.

    Args:
        made: the legs.
        ends: longest time from when a message is due until all of it is accepted; shape (legs,).
        stay: longest time of a packet from its first symbol until then; shape (legs,); infinite: it may wait before.
        response: of responses, or of requests.
        which: of the legs; None: all.
    """
    most = 0.0
    for those, ring, symbol in zip(made.legs.rings, made.rings, made.symbols, strict=True):
        chosen = made.legs.response[those] == response
        if which is not None:
            chosen &= which[those]
        if not chosen.any():
            continue
        here, late = ring.chosen(chosen), ends[those[chosen]] / symbol
        due = (np.floor((late + 1) / here.period) + 1) * here.packets
        fitting = np.floor(stay[those[chosen]].max() / symbol / here.packet.min()) + 1
        most = max(most, min(float(np.bincount(here.source, due).max()), float(fitting)))
    return most


def _begun(made: RingLegs, complete: FloatArray) -> float:
    """Returns the most transactions that a node has begun and not completed.

    Args:
        made: the legs.
        complete: longest time from when a message is due until it has been served at the end of each leg.
    """
    last = np.zeros(int(made.flow.max()) + 1)
    np.maximum.at(last, made.flow, np.where(made.legs.response, complete, 0.0))
    begun: dict[tuple[int, int], float] = {}
    for number, (those, ring, symbol) in enumerate(zip(made.legs.rings, made.rings, made.symbols, strict=True)):
        first = (made.legs.before[those] < 0) & (last[made.flow[those]] > 0)
        due = (np.floor((last[made.flow[those]] / symbol + 1) / ring.period) + 1) * ring.packets
        for place, count in zip(ring.source[first].tolist(), due[first].tolist(), strict=True):
            begun[number, place] = begun.get((number, place), 0.0) + count
    return max(begun.values(), default=0.0)
