"""The other sections of a candidate's scenario: data, events, messages, and what fails."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.advice.candidates import Candidate, own_receiver, shares
from ringlet.advice.failures import Failing
from ringlet.advice.flow_table import FlowTable
from ringlet.advice.physics import run_ns, timeout_ns
from ringlet.advice.requirements import Requirements
from ringlet.scenario.values.units import magnitude

ROUNDED = 1e-9
"""Share by which a rate stays below that of a link."""

MESSAGE_PRIORITY = 1
"""Send priority of messages; data have 0."""


def base_content(requirements: Requirements) -> dict[str, Any]:
    """Returns what the scenarios of all candidates have in common."""
    content: dict[str, Any] = {name: getattr(requirements, name).table() for name in ("switch", "queues", "retry")}
    content["run"] = {"duration": f"{run_ns(requirements):.12g} ns", "seed": requirements.seed}
    if requirements.flows is not None:
        content["flow_transaction"] = requirements.transaction
    return content


def own_content(
    requirements: Requirements, candidate: Candidate, rate: str | None = None, broken: Failing | None = None
) -> dict[str, Any]:
    """Returns the sections of a candidate's scenario that others have otherwise.

    Args:
        requirements: what the network is for.
        candidate: the network.
        rate: data of each sender, with flows of that which has most; default: the required rate.
        broken: a link that is broken all the time; routes lead round it, and senders send only where there is a way.
    """
    errors: dict[str, Any] = {"bit_error_rate": requirements.bit_error_rate}
    reached = np.ones((len(candidate.senders), len(candidate.receivers)), dtype=bool)
    if broken is not None:
        errors |= {"links": [{"source": broken.source, "fails_at": 0}]}
        errors |= {"steers_after": 0} if broken.steers else {}
        reached = broken.reached
    flow_control = candidate.flow_control or requirements.flow_control.table()
    content: dict[str, Any] = {"network": candidate.network, "flow_control": flow_control, "errors": errors}
    own_queues = {} if candidate.transmit is None else {"transmit": candidate.transmit}
    content["queues"] = requirements.queues.table() | own_queues
    load = rate or requirements.rate
    if (table := requirements.table_of_flows) is not None:
        factors = _factors(requirements, table, load)
        content["flows"] = table.content(candidate.senders, candidate.receivers, factors, reached)
    elif requirements.event_building is None:
        content["traffic"] = traffic_content(requirements, candidate, load, reached)
    else:
        content["events"] = events_content(requirements, candidate, load, reached)
    if requirements.message is not None:
        content["messages"] = messages_content(requirements, candidate, reached)
    return content


def _factors(requirements: Requirements, table: FlowTable, rate: str) -> list[float]:
    """Returns by which factor the data of each sender grow, so that the one with most has a rate; where that is all
    that a link takes, every sender has it."""
    asked = magnitude(rate, "MB/s")
    if asked < magnitude(requirements.links, "MB/s"):
        return [asked / table.most_MBps if rate != requirements.rate else 1.0] * len(table.senders)
    # A rate of the last digit more would be refused.
    return [(1 - ROUNDED) * asked / float(data) for data in table.demands.sum(axis=1)]


def events_content(
    requirements: Requirements, candidate: Candidate, rate: str, reached: NDArray[np.bool_]
) -> dict[str, Any]:
    """Returns the section of a candidate's scenario that says how events are built, without nodes that have no way to
    all others that have any."""
    assert requirements.event_building is not None
    senders, receivers = np.flatnonzero(reached.any(axis=1)), np.flatnonzero(reached.any(axis=0))
    return {
        **requirements.event_building.table(),
        "timeout": f"{timeout_ns(requirements):.12g} ns",
        "rate": requirements.event_rate(rate),
        "sources": [candidate.senders[number] for number in senders],
        "builders": [candidate.receivers[number] for number in receivers],
        "transaction": requirements.transaction,
    }


def messages_content(
    requirements: Requirements, candidate: Candidate, reached: NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """Returns the messages of a candidate's scenario: one of each sender to the receiver of its own, where there is a
    way."""
    assert requirements.message is not None
    given = {key: value for key, value in requirements.message.table().items() if value is not None}
    senders, receivers = len(candidate.senders), len(candidate.receivers)
    own = [own_receiver(number, senders, receivers) for number in range(senders)]
    return [
        {
            "name": f"message {number}",
            "source": candidate.senders[number],
            "destination": candidate.receivers[own[number]],
            "priority": MESSAGE_PRIORITY,
            **given,
        }
        for number in range(senders)
        if reached[number, own[number]]
    ]


def traffic_content(
    requirements: Requirements, candidate: Candidate, rate: str, reached: NDArray[np.bool_]
) -> dict[str, Any]:
    """Returns the traffic section of a candidate's scenario.

    By a pattern where every processor sends and every memory receives, by a matrix elsewhere.

    Args:
        requirements: what the network is for.
        candidate: the network.
        rate: data of each sender.
        reached: whether each sender has a way to each receiver; shape (senders, receivers).
    """
    wanted = requirements
    same = {"transaction": wanted.transaction, "arrivals": wanted.arrivals}
    exact = candidate.processors == len(candidate.senders) == len(candidate.receivers) and reached.all()
    if exact and (wanted.locality is None or len(candidate.receivers) == 1):
        return {**same, "load": rate, "pattern": "uniform"}
    if exact:
        return {**same, "load": rate, "pattern": "local", "locality": wanted.locality}
    ways = len(candidate.senders) * shares(wanted, candidate) * reached
    loads = ["0 MB/s"] * candidate.nodes
    for sender, share in zip(candidate.senders, ways.sum(axis=1).tolist(), strict=True):
        loads[sender] = rate if share == 1 else f"{share * magnitude(rate, 'MB/s'):.12g} MB/s"
    return {**same, "load": loads, "pattern": "matrix", "matrix": _matrix(candidate, ways).tolist()}


def _matrix(candidate: Candidate, ways: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the share of each sender's traffic that each node takes; idle nodes have a row, too, but no load.

    Args:
        candidate: the network.
        ways: share of the data of each sender that each receiver takes; less than 1 in all where there is no way.
    """
    receivers = list(candidate.receivers)
    rows = np.zeros((candidate.processors or candidate.nodes, candidate.nodes))
    for node in range(len(rows)):
        # Whatever is not itself.
        rows[node, next((receiver for receiver in receivers if receiver != node), (node + 1) % candidate.nodes)] = 1.0
    for sender, row in zip(candidate.senders, ways, strict=True):
        if row.any():
            rows[sender] = 0.0
            rows[sender, receivers] = row / row.sum()
    return rows
