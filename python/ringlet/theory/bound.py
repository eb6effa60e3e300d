"""The fair share of each node of a scenario, as records."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.analysis.allocation import Optimum
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.scenario import Scenario, ScenarioLike
from ringlet.theory.optimum import paper_optimum, why_uncounted

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")


def exact_optimum(scenario: Scenario) -> Optimum:
    """Returns the max-min fair allocation, echoes and all charged to what they use.

    Raises:
        RingletError: there is no traffic, or too many pairs of nodes.
    """
    found = scenario.optimum()
    why = why_uncounted(scenario.resolved)
    if why:
        raise RingletError.not_allowed(scenario.resolved.multicast_path, True, f"{why}, for the fair share")
    if found is None and scenario.routed_network[0].sends_copies:
        ways = "a load of which each ring carries its copies, for the fair share"
        raise RingletError.not_allowed("network.ways", "both", ways)
    if found is None:
        nodes = scenario.network.nodes
        raise RingletError.not_allowed(
            "network.nodes", nodes, "at most 4096 nodes that send to all others, for the fair share"
        )
    if not found.commodities:
        raise RingletError.not_allowed("traffic.arrivals", "none", "background traffic, messages or a trace")
    return found


def bound(scenario: ScenarioLike) -> "pd.DataFrame":
    """Returns what each node of a scenario can get at best, a row for each: what `ringlet bound` prints.

    Throughputs are in words of send packets per cycle, of 16 bits unless `network.link_width` says otherwise, requests
    and responses, and belong to the source of the requests. Columns: `optimal`, max-min fair without echoes;
    `optimal_with_echo`, the approximation of picker1994, Section 4.3, NaN where that theory does not apply (several
    rings, links of different rates, responses, messages, traces, more than 1,024 nodes); `max_min_with_echo`, max-min
    fair with all that packets use of links, switches and servers; `max_min_MBps`, the same as data; `stopped_by`, the
    full resource that keeps a node from more, None where it gets its load.

    >>> import ringlet as rl
    >>> rl.bound({"network": {"nodes": 4}})["max_min_with_echo"].round(3).tolist()
    [0.435, 0.435, 0.435, 0.435]

    Args:
        scenario: or the path of its file, or what the file holds.

    Raises:
        RingletError: a bad scenario, no traffic, or too many pairs of nodes.
    """
    return pd.DataFrame(bound_records(Scenario.of(scenario))).set_index("id")


def bound_records(scenario: Scenario) -> list[dict[str, Any]]:
    """Returns the rows of `bound`; None for NaN."""
    exact = exact_optimum(scenario)
    with_echo = paper_optimum(scenario.resolved)
    without = paper_optimum(scenario.resolved, with_echo=False)
    if without is None:
        free = scenario.optimum(echoes=False)
        assert free is not None, "there are no more pairs without echoes"
        without = free.words_per_cycle
    data = exact.payload_bytes_per_cycle * 1e3 / scenario.symbol_time_ns
    paper = np.full(exact.nodes, None) if with_echo is None else with_echo
    return [
        {
            "id": node,
            "name": scenario.node_name(node),
            "optimal": optimal,
            "optimal_with_echo": echo,
            "max_min_with_echo": exactly,
            "max_min_MBps": rate,
            "stopped_by": stopped_by,
        }
        for node, (optimal, echo, exactly, rate, stopped_by) in enumerate(
            zip(
                without.tolist(),
                paper.tolist(),
                exact.words_per_cycle.tolist(),
                data.tolist(),
                exact.node_stopped_by(),
                strict=True,
            )
        )
    ]
