"""A small ring under Bernoulli traffic as a Markov chain of the simulator's own states, solved: exact figures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet._engine import __version__, markov_chain
from ringlet.errors import RingletError
from ringlet.exploration.flows import MAX_FLOWS, check_delivery, explored_flows, name
from ringlet.lazy import library
from ringlet.scenario.resolved.engine_spec import engine_flow
from ringlet.scenario.resolved.slow_links import check_equal_links
from ringlet.scenario.resolved.two_rings import check_one_interface
from ringlet.scenario.scenario import Scenario, ScenarioLike
from ringlet.scenario.traffic.arrivals import Bernoulli

if TYPE_CHECKING:
    import scipy.sparse as sp

    from ringlet._engine import MarkovChain

    Floats = NDArray[np.float64]
else:
    sp = library("scipy.sparse")

DEFAULT_STATES = 500_000
"""States of the chain at most, where nothing else is said."""

RESIDUAL = 1e-13
"""Sum of the changes of all probabilities in a step at which they count as stationary."""

MOST_STEPS = 1_000_000
"""Steps after which the probabilities have to be."""

TAIL = 1e-6
"""Share of the packets beyond the end of a distribution of latencies."""

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True, slots=True)
class ExactFlow:
    """Exact figures of a flow."""

    name: str
    offered_packets_per_cycle: float
    """Probability of an arrival in a cycle."""
    throughput_packets_per_cycle: float
    throughput_words_per_cycle: float
    throughput_MBps: float  # noqa: N815 - the unit
    lost_share: float
    """Share of the arrivals that find the transmit queue full."""
    mean_packets: float
    """Packets generated and not delivered, on average."""
    latency_mean_ns: float
    latency_ns: "Floats | None"
    """Ends of the bins of the latency's distribution, one for each cycle; None where packets of the flow may overtake
    each other."""
    latency_probability: "Floats | None"
    """Probability of each of these latencies."""

    def quantile_ns(self, quantile: float) -> float | None:
        """Returns the least latency that so large a share of the packets does not exceed; None where it is not known.

        Args:
            quantile: the share, 0 to 1.
        """
        if self.latency_ns is None or self.latency_probability is None:
            return None
        place = int(np.searchsorted(np.cumsum(self.latency_probability), quantile))
        return float(self.latency_ns[place]) if place < self.latency_ns.size else None

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures as JSON takes them."""
        known = self.latency_ns is not None and self.latency_probability is not None
        return {
            "name": self.name,
            "offered_packets_per_cycle": self.offered_packets_per_cycle,
            "throughput_packets_per_cycle": self.throughput_packets_per_cycle,
            "throughput_words_per_cycle": self.throughput_words_per_cycle,
            "throughput_MBps": self.throughput_MBps,
            "lost_share": self.lost_share,
            "mean_packets": self.mean_packets,
            "latency_ns": {
                "mean": self.latency_mean_ns,
                **{key: self.quantile_ns(quantile) for key, quantile in QUANTILES.items()},
            },
            "latency_distribution": {
                "upper_ns": self.latency_ns.tolist(),
                "probability": self.latency_probability.tolist(),
            }
            if known and self.latency_ns is not None and self.latency_probability is not None
            else None,
        }


@dataclass(frozen=True, slots=True)
class Exact:
    """Exact figures of a ring under Bernoulli traffic, without simulation and without intervals."""

    scenario: Scenario
    states: int
    """States that the ring can come to."""
    steps: int
    """Steps until the probabilities were stationary."""
    residual: float
    """Sum of the changes of all probabilities in the last step."""
    flows: tuple[ExactFlow, ...]

    @property
    def latency_mean_ns(self) -> float:
        """Mean latency of all packets delivered."""
        weights = [flow.throughput_packets_per_cycle for flow in self.flows]
        return float(np.average([flow.latency_mean_ns for flow in self.flows], weights=weights))

    @property
    def throughput_MBps(self) -> float:  # noqa: N802 - the unit
        """Throughput of all flows."""
        return sum(flow.throughput_MBps for flow in self.flows)

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures as JSON takes them: what `ringlet exact --json` prints."""
        return {
            "schema": 1,
            "ringlet": __version__,
            "scenario": self.scenario.to_dict(),
            "states": self.states,
            "steps": self.steps,
            "residual": self.residual,
            "flows": [flow.to_dict() for flow in self.flows],
            "total": {
                "throughput_MBps": self.throughput_MBps,
                "throughput_words_per_cycle": sum(flow.throughput_words_per_cycle for flow in self.flows),
                "latency_ns": {"mean": self.latency_mean_ns},
            },
        }


def exact(scenario: ScenarioLike, *, states: int = DEFAULT_STATES) -> Exact:
    """Returns exact figures of a small ring under Bernoulli traffic: throughput, losses, latency and its distribution.

    The states of the simulator are those of a Markov chain: in each cycle a packet of each flow arrives or does not.
    Every state that the ring can come to is found by forking the simulation; the probabilities that it has in the long
    run follow from the steps between them. The mean latency is by Little's law, the distribution by following a packet.

    >>> import ringlet as rl
    >>> traffic = {"transaction": "send16", "destinations": [1, 0], "arrivals": "bernoulli", "load": 0.05}
    >>> found = rl.exact({"network": {"nodes": 2}, "traffic": traffic, "queues": {"transmit": 1}})
    >>> round(found.flows[0].lost_share, 3) < 0.1
    True

    Args:
        scenario: a ring of two to four nodes, each with one destination and one length of packets, `traffic.arrivals`
            `bernoulli` and `queues.transmit` small: what waits belongs to the state.
        states: most states.

    Raises:
        RingletError: a scenario with other traffic, or with more states: the message says how many were met.

    References:
        docs/explanation/exactness.md. J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations
        Research 9 (1961).
    """
    scenario = Scenario.of(scenario)
    if not 1 <= states <= 2**31:
        raise RingletError.not_allowed("states", states, f"1 to {2**31}")
    check_one_interface(scenario.resolved, "an exact chain")
    check_equal_links(scenario.resolved, "an exact chain")
    flows = _flows(scenario)
    spec = scenario.network_spec(scenario.seed) | {"flows": [engine_flow(flow) for flow in flows]}
    try:
        met, chain = markov_chain(json.dumps(spec, allow_nan=False), states)
    except ValueError as error:
        raise RingletError(str(error)) from error
    if chain is None:
        allowed = f"at most {states}: fewer nodes, shorter packets, a smaller queues.transmit, or more --states"
        raise RingletError.not_allowed("network", f"<more than {met} states>", allowed)
    rates = np.array([flow.arrivals["rate"] for flow in flows])
    solved = _Chain(chain, rates)
    # Packets of a flow that are never refused arrive in the order in which they left.
    receive, packets = spec["queues"]["receive"], spec["format"]
    in_order = receive["common"]["capacity"] is None and receive["each"] is None
    framing = packets["echo_symbols"] - 64 // packets["link_width"]
    ns, symbol_bytes = float(scenario.symbol_time_ns), scenario.resolved.link_format.symbol_bytes
    figures = []
    for number, flow in enumerate(flows):
        symbols = flow.sizes[0][0]
        rate, mean = solved.throughput[number], solved.mean_packets[number]
        words = rate * (symbols - framing)
        cycles, probability = solved.latencies(number) if in_order else (None, None)
        figures.append(
            ExactFlow(
                name=name(flow, scenario.node_name),
                offered_packets_per_cycle=float(rates[number]),
                throughput_packets_per_cycle=rate,
                throughput_words_per_cycle=words,
                throughput_MBps=words * symbol_bytes * 1e3 / ns,
                lost_share=solved.lost[number] / float(rates[number]),
                mean_packets=mean,
                latency_mean_ns=(mean / rate + COUNTED_CYCLES) * ns,
                latency_ns=None if cycles is None else cycles * ns,
                latency_probability=probability,
            )
        )
    return Exact(scenario, met, solved.steps, solved.residual, tuple(figures))


COUNTED_CYCLES = 1
"""Cycles of a latency in which a packet is in no state: the one in which it arrives, and is counted as it begins, or in
which its service ends, and is counted until then."""


def _flows(scenario: Scenario) -> Sequence[Any]:
    """Returns the flows of a scenario, one for each source.

    Raises:
        RingletError: traffic that is no Markov chain of the simulator's states.
    """
    others = [f"<{plan.section}>" for plan in scenario.resolved.plans]
    others += ["<messages>"] * bool(scenario.periodic_messages) + ["<a trace>"] * (scenario.replay is not None)
    others += ["<[errors]>"] * scenario.errors.lose
    if scenario.network.switched or others:
        what = "<a network of rings>" if scenario.network.switched else others[0]
        raise RingletError.not_allowed(
            "network",
            what,
            "a single ring without errors, and Bernoulli arrivals of [traffic] alone, to be solved exactly",
        )
    check_delivery(scenario.resolved)
    drawn = scenario.resolved.flows
    for flow in drawn:
        kind = flow.arrivals["kind"]
        if kind != Bernoulli.name:
            raise RingletError.not_allowed("traffic.arrivals", kind, f"{Bernoulli.name}, to be solved exactly")
        if flow.response_symbols is not None or flow.burst > 1:
            allowed = "a bare send packet, without a response, to be solved exactly"
            raise RingletError.not_allowed("traffic.transaction", "<a transaction>", allowed)
    flows = explored_flows(drawn, scenario.resolved.nodes)
    if not flows:
        raise RingletError.not_allowed("traffic.arrivals", "none", "bernoulli, to be solved exactly")
    if len(flows) > len(drawn):
        allowed = f"one destination (traffic.destinations) for each of at most {MAX_FLOWS} nodes, to be solved exactly"
        raise RingletError.not_allowed("traffic", "<packets drawn at random>", allowed)
    return flows


class _Chain:
    """A chain with the probabilities of its states in the long run."""

    def __init__(self, chain: "MarkovChain", rates: "Floats") -> None:
        flows = int(chain["flows"])
        self.sets = 1 << flows
        self.next = np.asarray(chain["next"], dtype=np.int64).reshape(-1, self.sets)
        self.arrived = (np.arange(self.sets)[:, None] >> np.arange(flows)) & 1
        shape = (*self.next.shape, flows)
        bits = np.arange(flows, dtype=np.uint8)
        self._lost = (np.asarray(chain["lost"]).reshape(-1, self.sets, 1) >> bits & 1).reshape(shape)
        self._delivered = (np.asarray(chain["delivered"]).reshape(-1, self.sets, 1) >> bits & 1).reshape(shape)
        self.held = np.asarray(chain["held"], dtype=np.int64).reshape(-1, flows)
        self.weights: Floats = np.prod(np.where(self.arrived, rates, 1 - rates), axis=1)
        states = len(self.next)
        self._rows = np.repeat(np.arange(states), self.sets)
        forward: sp.csr_matrix = self._matrix(np.tile(self.weights, states)).T.tocsr()
        self.probabilities = self._stationary(forward)
        by_step = self.probabilities[:, None, None] * self.weights[None, :, None]
        self.throughput: list[float] = (by_step * self._delivered).sum(axis=(0, 1)).tolist()
        self.lost: list[float] = (by_step * self._lost).sum(axis=(0, 1)).tolist()
        self.mean_packets: list[float] = (self.probabilities @ self.held).tolist()

    def _matrix(self, values: "Floats") -> "sp.csr_matrix":
        states = len(self.next)
        return sp.csr_matrix((values, (self._rows, self.next.ravel())), shape=(states, states))

    def _stationary(self, forward: "sp.csr_matrix") -> "Floats":
        """Returns the probability of each state in the long run: that of the ring at rest, moved on step by step."""
        now: NDArray[Any] = np.zeros(forward.shape[0])
        now[0] = 1.0
        self.steps, self.residual = 0, np.inf
        while self.residual > RESIDUAL and self.steps < MOST_STEPS:
            for _ in range(100):
                now = forward @ now
            later = forward @ now
            self.steps += 101
            self.residual = float(np.abs(later - now).sum())
            now = later / later.sum()
        return now

    def latencies(self, flow: int) -> "tuple[Floats, Floats]":
        """Returns the latencies of a flow's packets in cycles, ascending, and the probability of each.

        A packet that arrives is delivered with the flow's delivery of that number: one more than those before it.
        """
        delivered, lost = self._delivered[:, :, flow], self._lost[:, :, flow]
        most = int(self.held[:, flow].max()) + 1
        weights = np.tile(self.weights, len(self.next))
        goes = self._matrix(weights * (delivered.ravel() == 0))
        ends = self._matrix(weights * (delivered.ravel() == 1))
        # Where the packet stands behind the step in which it arrives: so many deliveries away, in this state.
        comes = (self.arrived[:, flow] == 1)[None, :] & (lost == 0)
        share: NDArray[np.float64] = self.probabilities[:, None] * self.weights[None, :] * comes
        share /= share.sum()
        away = self.held[:, [flow]] + 1 - delivered
        start = np.zeros((len(self.next), most + 1))
        np.add.at(start, (self.next.ravel(), away.ravel()), share.ravel())
        # Probability, for each state, that so many deliveries come within the steps so far.
        within = np.zeros((len(self.next), most + 1))
        within[:, 0] = 1.0
        reached = [float((start * within).sum())]
        while reached[-1] < 1 - TAIL and len(reached) < MOST_STEPS:
            within[:, 1:] = goes @ within[:, 1:] + ends @ within[:, :-1]
            reached.append(float((start * within).sum()))
        cycles = np.arange(len(reached)) + COUNTED_CYCLES
        probability = np.diff(np.array(reached), prepend=0.0)
        first = int(np.argmax(probability > 0))
        return cycles[first:].astype(np.float64), probability[first:]
