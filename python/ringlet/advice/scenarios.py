"""A candidate's scenario: the required traffic on its network."""

from typing import Any

import numpy as np

from ringlet.advice.candidates import Candidate, own_receiver
from ringlet.advice.requirements import Requirements


def base_content(requirements: Requirements) -> dict[str, Any]:
    """Returns what the scenarios of all candidates have in common."""
    content: dict[str, Any] = {
        name: getattr(requirements, name).model_dump(mode="json", exclude_none=True)
        for name in ("switch", "queues", "retry", "flow_control")
    }
    content["errors"] = {"bit_error_rate": requirements.bit_error_rate}
    content["run"] = {"duration": requirements.duration, "seed": requirements.seed}
    return content


def traffic_content(requirements: Requirements, candidate: Candidate, rate: str | None = None) -> dict[str, Any]:
    """Returns the traffic section of a candidate's scenario; with another rate of each sender than is required.

    By a pattern where every processor sends and every memory receives, by a matrix elsewhere.
    """
    wanted, load = requirements, rate or requirements.rate
    same = {"transaction": wanted.transaction, "arrivals": wanted.arrivals}
    exact = candidate.processors == len(candidate.senders) == len(candidate.receivers)
    if exact and (wanted.locality is None or len(candidate.receivers) == 1):
        return {**same, "load": load, "pattern": "uniform"}
    if exact:
        return {**same, "load": load, "pattern": "local", "locality": wanted.locality}
    loads = ["0 MB/s"] * candidate.nodes
    for sender in candidate.senders:
        loads[sender] = load
    return {**same, "load": loads, "pattern": "matrix", "matrix": _matrix(wanted, candidate).tolist()}


def _matrix(wanted: Requirements, candidate: Candidate) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Returns who sends how much of it to whom; idle nodes have a row, too, but no load."""
    receivers = list(candidate.receivers)
    rows = np.zeros((candidate.processors or candidate.nodes, candidate.nodes))
    for node in range(len(rows)):
        # Whatever is not itself.
        rows[node, next((receiver for receiver in receivers if receiver != node), (node + 1) % candidate.nodes)] = 1.0
    for number, sender in enumerate(candidate.senders):
        own = receivers[own_receiver(number, len(candidate.senders), len(receivers))]
        rows[sender] = 0.0
        if wanted.locality is None or len(receivers) == 1:
            rows[sender, receivers] = 1 / len(receivers)
        else:
            rows[sender, receivers] = (1 - wanted.locality) / (len(receivers) - 1)
            rows[sender, own] = wanted.locality
    return rows
