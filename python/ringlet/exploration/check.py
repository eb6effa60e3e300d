"""Explores a small ring or network of a scenario exhaustively; of a larger network, whether it deadlocks."""

import time
from collections.abc import Callable
from dataclasses import replace

from ringlet.errors import RingletError
from ringlet.exploration.checked import Checked
from ringlet.exploration.deadlock import MAX_FLOWS as SEARCHED_FLOWS
from ringlet.exploration.deadlock import check_network
from ringlet.exploration.flows import MAX_FLOWS, check_delivery, explored_flows
from ringlet.exploration.states import explore_states
from ringlet.scenario.resolved.slow_links import check_equal_links
from ringlet.scenario.resolved.two_rings import check_no_responses, sends_copies
from ringlet.scenario.scenario import Scenario, ScenarioLike

MAX_INTERFACES = 8
"""Most nodes of a ring, or nodes and link controllers of all rings of a network, whose states are explored."""

EXPLORED = "none: what is explored is that of packets which arrive at any time"


def check(
    scenario: ScenarioLike,
    *,
    under_way: int = 1,
    losses: int | None = None,
    step: int = 1,
    states: int | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Checked:
    """Explores every state that a ring or a small network can come to, whatever arrives in which cycle.

    A flow is a source, a destination and a length of packets. What the scenario says of when packets arrive does not
    count: a message of any flow may arrive in any cycle, but a flow has no more than `under_way` messages begun and not
    completed. With `[errors]` any packet or echo may be lost on a link that has errors, `losses` of them altogether.
    Then these properties hold or do not: left alone, everything is delivered and comes to rest (no deadlock, no
    livelock, no lost control state); it stays at rest; no flow waits for ever, but for higher priorities; no bypass
    FIFO holds more than it has room for.

    Of a larger network of rings it is only asked whether it can deadlock: that is proved by its buffers, or packets are
    searched for with which it does; `complete` is false where neither succeeds.

    >>> import ringlet as rl
    >>> rl.check({"network": {"nodes": 2}, "traffic": {"transaction": "send16", "destinations": [1, 0]}}, step=16).holds
    True

    Args:
        scenario: what to explore: a ring of at most 8 nodes, or a network of at most 8 nodes and link controllers, with
            at most 8 flows; or a larger network without errors.
        under_way: messages, or transactions, that each flow may have begun and not completed, 1 to 200.
        losses: packets and echoes that are lost altogether, at most, 0 to 10; default: 1 with `[errors]`, else 0.
        step: cycles between two times at which messages may arrive; 1: every way in which they may arrive is explored.
        states: most states that are met, about; None: a million, or 60,000 if as large a part of them waits to be
            explored as of the first half (`grows`).
        seconds: most time; None: as long as it takes.
        progress: called with the states met and the most.

    Raises:
        RingletError: a scenario that is not explored.

    References:
        docs/explanation/model-checking.md.
    """
    scenario = Scenario.of(scenario)
    losses = int(scenario.errors.lose) if losses is None else losses
    _check(scenario, losses)
    bounds = (("under_way", under_way, 1, 200), ("losses", losses, 0, 10), ("step", step, 1, 100_000))
    for option, value, least, most in (*bounds, ("states", 1 if states is None else states, 1, 2**31)):
        if not least <= value <= most:
            raise RingletError.not_allowed(option, value, f"{least} to {most}")
    if not _is_small(scenario):
        return check_network(scenario, seconds=seconds, progress=progress)
    start = time.monotonic()
    found = explore_states(
        scenario, under_way=under_way, losses=losses, step=step, states=states, seconds=seconds, progress=progress
    )
    if found.complete or not found.holds or not scenario.network.switched or scenario.errors.lose:
        return found
    # What was not explored may still be proved by the network's buffers, or be found by a search.
    left = None if seconds is None else max(0.0, seconds - (time.monotonic() - start))
    searched = check_network(scenario, seconds=left, progress=progress)
    return replace(searched, states=found.states, complete=False, properties=searched.properties + found.properties)


def _is_small(scenario: Scenario) -> bool:
    """Returns whether all states are explored, and not only a deadlock searched for."""
    if not scenario.network.switched:
        return True
    network, resolved = scenario.routed_network[0], scenario.resolved
    if (resolved.symbol_cycles > 1).any():
        # Clocks of different rates come together too seldom.
        return False
    # A port has a link controller for each B-Link.
    controllers = (network.interfaces - network.nodes) * scenario.switch.links
    if network.nodes + controllers > MAX_INTERFACES:
        return False
    return len(explored_flows(resolved.flows, resolved.nodes, SEARCHED_FLOWS)) <= MAX_FLOWS


def _check(scenario: Scenario, losses: int) -> None:
    """Raises RingletError for what is not explored, with the reasons of docs/reference/limits.md."""
    network, errors = scenario.network, scenario.errors
    if not network.switched and network.nodes > MAX_INTERFACES:
        allowed = f"at most {MAX_INTERFACES}: the states of a larger ring cannot be explored"
        raise RingletError.not_allowed("network.nodes", network.nodes, allowed)
    if errors.fail:
        allowed = "no failures at given times: bit_error_rate, with which anything may be lost at any time"
        raise RingletError.not_allowed("errors", "<failures>", allowed)
    if losses and not errors.lose:
        raise RingletError.not_allowed("losses", losses, "0, unless [errors] has links that lose something")
    may_lose = 1 if sends_copies(scenario.resolved) else 0
    if losses > may_lose and not scenario.resolved.echoes:
        allowed = f"at most {may_lose} without echoes: a message that is lost for good is not explored"
        raise RingletError.not_allowed("losses", losses, allowed)
    if losses > errors.max_timeouts:
        allowed = f"at least {losses}, the losses: a packet that is given up is not explored"
        raise RingletError.not_allowed("errors.max_timeouts", errors.max_timeouts, allowed)
    check_equal_links(scenario.resolved, "a check")
    check_delivery(scenario.resolved)
    for plan in scenario.resolved.plans:
        if not plan.is_explored:
            raise RingletError.not_allowed(plan.key, f"<{plan.section}>", EXPLORED)
    check_no_responses(scenario.resolved, "a check")
    if scenario.replay is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", EXPLORED)
    if not scenario.resolved.flows:
        raise RingletError.not_allowed("traffic.arrivals", "none", "traffic or messages, to be explored")
    if errors.lose and not _is_small(scenario):
        most = f"at most {MAX_INTERFACES} nodes and link controllers, and {MAX_FLOWS} flows"
        raise RingletError.not_allowed(
            "errors", "<[errors]>", f"none in so large a network; {most}, of one link rate, with losses"
        )
