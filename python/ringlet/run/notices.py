"""What a reader should know before trusting the figures of a run."""

import numpy as np

from ringlet.run.engine import Counters, Engine
from ringlet.run.flows import Flows
from ringlet.run.records import Records
from ringlet.statistics import Interval

OVERLOAD_SHARE = 0.05
"""Share of the packets generated that may be left waiting before the load counts as more than the ring carries."""


def notices(
    engine: Engine, flows: Flows, records: Records, node_counters: Counters, *, is_replay: bool = False
) -> list[str]:
    """Returns a line for each thing: a stall, starvation, overload, correlated batches.

    The batches of a replay are no sample of anything, and so may correlate.
    """
    found = []
    if engine.stall is not None:
        found.append(f"stalled since cycle {engine.stall['since_cycle']}: {engine.stall['detail']}")
    found += _overload(flows, records)
    if is_replay:
        # A replay that is incomplete says so itself.
        return found
    found = [*_starvation(flows, records, node_counters), *found]
    for name, interval in (("throughput", records.throughput), ("latency", records.latency)):
        found += _correlation(name, interval)
    return found


def _starvation(flows: Flows, records: Records, node_counters: Counters) -> list[str]:
    """Nodes that sent nothing although a packet waited for most of the time. Responses are not counted as sent: who only answers is left out."""
    waited = node_counters["transmit_queue_packet_cycles"] > records.cycles / 2
    sent = records.sums["sent_packets"] + records.sums["retries"]
    asks = np.array([bool(members) for members in flows.members[: flows.nodes]])
    starved = np.flatnonzero(waited & asks & (sent[: flows.nodes] == 0)).tolist()
    if not starved:
        return []
    some = ", ".join(str(node) for node in starved[:10])
    more = f" and {len(starved) - 10} more" if len(starved) > 10 else ""
    return [f"starved: packets waited at node {some}{more}, and none was sent"]


def _overload(flows: Flows, records: Records) -> list[str]:
    """Loads above what the ring carries, whose latency has no steady value."""
    counters, free = records.counters, ~flows.saturated
    generated = counters["generated_packets"][free].astype(np.float64).sum()
    done = flows.served_requests(counters) + counters["lost_packets"] + counters["given_up_packets"]
    served = done[free].sum()
    left = generated - served
    sources = np.unique(flows.source[free]).size
    if left <= max(OVERLOAD_SHARE * generated, 10.0 * sources):
        return []
    return [
        f"overloaded: {left:.0f} of {generated:.0f} packets generated were left waiting; the latency has no steady value"
    ]


def _correlation(name: str, interval: Interval) -> list[str]:
    if not interval.correlated[-1]:
        return []
    return [
        f"batches of the total {name} correlate (lag 1: {interval.lag1[-1]:.2f}): the run is short for what it "
        "measures; the interval was widened"
    ]
