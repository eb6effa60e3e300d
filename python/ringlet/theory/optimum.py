"""The optimum of a scenario: that of picker1994, and the fair share, which is max-min fair; the largest total, and the
factor by which loads can grow."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import crossing_probabilities, optimal_throughput
from ringlet.analysis.allocation import Contest, Optimum
from ringlet.analysis.max_min import FloatArray
from ringlet.analysis.optimum import throughput_with_echo
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.theory.resources import MAX_PAIRS, MOST_KEPT_FLOWS, Shared, shared

MAX_PAPER_NODES = 1024
"""Nodes up to which the optimum of picker1994 is computed: its time grows with their number to the third power."""


def paper_optimum(resolved: Resolved, *, with_echo: bool = True) -> NDArray[np.float64] | None:
    """Returns the optimal throughput of each node as picker1994 defines it, in words per cycle, shape (nodes,).

    Section 4.2: max-min fair without echoes; with echoes its approximation (Section 4.3), in which links that only a
    node's echoes cross do not count for it. Framing takes its share of the link, but is no part of the packets. None
    where that theory does not apply: several rings, links of different rates, transactions with responses, messages, a
    trace, no background traffic; and with more than `MAX_PAPER_NODES` nodes.
    """
    traffic = resolved.file.traffic
    alone = traffic.arrival_process.generates and traffic.replayed is None
    alone = alone and not any(activity.is_in(resolved.file) for activity in ACTIVITIES)
    if resolved.switched or resolved.slow_links or not alone or resolved.nodes > MAX_PAPER_NODES:
        return None
    if traffic.moves.response_bytes is not None:
        return None
    sends, attempted = resolved.mean_send_symbols, resolved.attempted_throughput()
    share = 1 - resolved.link_format.framing_symbols / sends
    if not with_echo or not resolved.echoes:
        matrix = resolved.pattern.matrix()
        return np.asarray(share * optimal_throughput(matrix, mean_send_symbols=sends, attempted=attempted))
    echo = resolved.link_format.bare_echo_symbols
    theory = throughput_with_echo(_crossing(resolved), mean_send_symbols=sends, attempted=attempted, echo_symbols=echo)
    return np.asarray(share * theory)


def _crossing(resolved: Resolved) -> FloatArray:
    """Returns the probability that a packet of each node crosses each link, made once for all loads of a small ring."""
    found: FloatArray | None = resolved.kept.get("crossing")
    if found is None:
        found = crossing_probabilities(resolved.pattern.matrix())
        if resolved.nodes <= MOST_KEPT_FLOWS:
            resolved.kept["crossing"] = found
    return found


def optimum(resolved: Resolved, *, echoes: bool = True, max_pairs: int = MAX_PAIRS) -> Optimum | None:
    """Returns the max-min fair allocation, echoes and all charged to what they use, priority by priority.

    All nodes' rates of the highest priority are raised together until a load is carried or a link, bus or server that
    is used is full; what is left goes to the next priority in the same way. A node's traffic at a priority is one
    commodity: its destinations have fixed shares. What has a load and what takes whatever it gets are two.

    None where copies of packets are more than a ring carries, or where what several receivers cost is not known.

    Args:
        resolved: the scenario.
        echoes: whether echoes count.
        max_pairs: of a flow and a destination; None is returned where there are more.
    """
    flows = None if why_uncounted(resolved) else resolved.steady_flows()
    found = None if flows is None else shared(resolved, flows, echoes=echoes, max_pairs=max_pairs)
    return None if found is None else if_copies_fit(resolved, fair_share(found, resolved.nodes))


def why_uncounted(resolved: Resolved) -> str:
    """Returns what would have to be so for the cost of packets with several receivers to be known; empty: it is."""
    if not resolved.has_copies:
        return ""
    if resolved.stripped_by == "source":
        return "false where a packet goes round to its source; 'last-receiver' of network.stripped_by has a fair share"
    if resolved.routed_network[0].second_interface is not None:
        return "false where each of two rings has another last receiver"
    return "false where receivers take time, as queues.service_time says" if resolved.service_cycles.any() else ""


def if_copies_fit(resolved: Resolved, best: Optimum) -> Optimum | None:
    """Returns an allocation, or None where a ring cannot carry the copies that take it: then each packet comes by the
    ring that has less to do, and no share of both rings says how many do."""
    if resolved.routed_network[0].sends_copies and best.growth is not None and best.growth[0] < 1:
        return None
    return best


def fair_share(found: Shared, nodes: int) -> Optimum:
    """Returns the max-min fair allocation of what is shared among so many nodes."""
    contest = Contest(
        commodities=found.commodities,
        uses=found.uses,
        capacity=found.capacity,
        name=found.places.name,
        senders=found.senders,
        flows=found.flows,
        shares=found.shares,
        words=found.words,
        nodes=nodes,
    )
    return Optimum(contest, np.array([one.limit for one in found.commodities]))


def of_offered(
    resolved: Resolved,
    best: Optimum,
    words_per_cycle: Sequence[float],
    entered_per_cycle: Sequence[float],
    got_per_cycle: Sequence[float],
) -> Optimum:
    """Returns the allocation where flows offered so much, in place of what the scenario says.

    What a node's share leaves waiting is the last that it has offered: its share has the mix of what the node sent, and
    of what was left so much as the share is more. The mix of all that was offered is another one in a short run.

    Args:
        resolved: the scenario.
        best: the allocation of that, with echoes.
        words_per_cycle: that each steady flow offered; shape (flows,). What takes all it gets still does, unless it
            ends.
        entered_per_cycle: of that, what found room in its node's transmit queue; shape (flows,).
        got_per_cycle: of that, what was delivered; shape (flows,).
    """
    offered, contest = np.array(words_per_cycle, dtype=np.float64), best.contest
    given = best.limits.copy()
    if np.isinf(given).any():
        end = np.array([flow.ends for flow in resolved.steady_flows() or ()], dtype=bool)
        given[contest.senders[end[contest.flows]]] = 0.0

    def of_nodes(words: FloatArray) -> FloatArray:
        return np.bincount(contest.senders, words[contest.flows] * contest.shares, len(given)).astype(np.float64)

    def of_flows(factors: FloatArray) -> FloatArray:
        return np.bincount(contest.flows, factors[contest.senders] * contest.shares, len(offered)).astype(np.float64)

    drawn, entered, got = of_nodes(offered), np.array(entered_per_cycle), np.array(got_per_cycle)
    limits = np.where(np.isfinite(given), drawn, given)
    into_queues = of_nodes(entered)
    # What offers all it wants and gets nothing into its queue has the mix that it offers.
    factors = of_flows(np.divide(drawn, into_queues, out=np.zeros(len(given)), where=into_queues > 0))
    wanted = np.where(factors > 0, entered * factors, offered)
    # What takes all it gets takes as much of each flow, unless its node's queue has lost some.
    differ = np.where(np.isfinite(limits), limits > 0, (into_queues > 0) & (into_queues < drawn))
    of_all = _mixed(resolved, contest, differ, wanted)
    first = Optimum(of_all, limits).rates
    came = of_nodes(got)
    left = np.clip(np.divide(first - came, drawn - came, out=np.ones(len(given)), where=drawn > came), 0.0, 1.0)
    left = np.where(came > 0, np.where(np.isfinite(limits), left, 0.0), 1.0)
    waits = differ & (left < 1)
    if not waits.any():
        return Optimum(of_all, limits)
    sent = got + np.maximum(wanted - got, 0.0) * of_flows(left)
    return Optimum(_mixed(resolved, contest, differ, sent), limits, of_all)


def _mixed(resolved: Resolved, contest: Contest, differ: NDArray[np.bool_], words: FloatArray) -> Contest:
    """Returns a contest in which flows have other parts in what their node sends: what data a word moves, and where it
    goes, hangs on them.

    Args:
        resolved: the scenario.
        contest: that of what the scenario says.
        differ: commodities whose parts may be others; shape (commodities,).
        words: of each flow, in proportion to those of the others of its commodity; shape (flows,).
    """
    several = np.bincount(contest.senders, minlength=len(differ)) > 1
    are_mixed = np.bincount(contest.flows, (several & differ)[contest.senders], len(words)) > 0
    flows = resolved.steady_flows() if are_mixed.any() else None
    if flows is None:
        return contest
    given, sent = np.array([flow.rate for flow in flows]), words / contest.words
    rates = np.where(are_mixed & np.isfinite(given), sent, given).tolist()
    mixes = [replace(flow, rate=rate) for flow, rate in zip(flows, rates, strict=True)]
    found = shared(resolved, mixes, taken=np.where(are_mixed, sent, 1.0))
    return contest if found is None else fair_share(found, resolved.nodes).contest
