"""Guaranteed response times of a message set: proven upper bounds, without a simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.response_bounds import Bounds, NoBoundError, RingFlows, fixed_point, service
from ringlet.errors import RingletError
from ringlet.scenario.resolved import limit
from ringlet.scenario.scenario import Scenario
from ringlet.scenario.units import MAX_CYCLES, exact_cycles, magnitude
from ringlet.scenario.utilisation import utilisation

if TYPE_CHECKING:
    import pandas as pd

PARTS = ("own_queue", "blocking", "access", "inversion", "interference", "transit", "service")
"""What a bound is made of, in the order of a message's way."""

NOT_SETTLED = "the analysis finds no end of the wait at this load"


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions that the scenario does not state."""

    rate: str | None = None
    """Most data per second that each node's background traffic sends over a long time, such as `20 MB/s`."""
    burst: str | None = None
    """Data beyond that which it may send at once, such as `1 KiB`."""
    jitter: float | str = 0
    """Most time by which each message is released after it is due; a message may also come less often."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The bound of one message; times in cycles."""

    name: str
    deadline_cycles: int
    bound_cycles: float | None
    """From the due release to the end of the last packet's service; None: there is none."""
    parts_cycles: dict[str, float]
    """What it is made of; empty without a bound."""
    why: str | None
    """Why there is no bound."""

    @property
    def holds(self) -> bool:
        """Whether every release is complete by its deadline."""
        return self.bound_cycles is not None and self.bound_cycles <= self.deadline_cycles


def guarantees(scenario: Scenario, assumed: Assumed | None = None) -> list[Guarantee]:
    """Returns the bound of each message, in the order of the table.

    Raises:
        RingletError: a scenario that the analysis does not cover, needs more than there is, or of which something has
        to
            be assumed.
    """
    assumed = assumed or Assumed()
    _check(scenario, assumed)
    messages = scenario.periodic_messages
    try:
        bounds, served = _bounds(scenario, assumed)
    except NoBoundError as error:
        return [Guarantee(one.name, one.deadline_cycles, None, {}, str(error)) for one in messages]
    found = []
    first = len(scenario.resolved.flows) - len(messages)
    values = [*(getattr(bounds, part) for part in PARTS[:-1]), served]
    for i, message in enumerate(messages, first):
        parts = {part: float(value[i]) for part, value in zip(PARTS, values, strict=True)}
        total = float(np.ceil(sum(parts.values())))
        bounded = bool(np.isfinite(total))
        found.append(
            Guarantee(
                message.name,
                message.deadline_cycles,
                total if bounded else None,
                parts if bounded else {},
                None if bounded else NOT_SETTLED,
            )
        )
    return found


def _check(scenario: Scenario, assumed: Assumed) -> None:
    if scenario.network.switched:
        allowed = "'ring'; guaranteed response times are for one ring"
        raise RingletError.not_allowed("network.topology", scenario.network.topology, allowed)
    if not scenario.has_messages:
        raise RingletError("messages: missing; a guarantee needs messages or messages_file")
    if scenario.errors.lose:
        raise RingletError.not_allowed("errors", "<[errors]>", "links that lose nothing, for a guarantee")
    if scenario.events is not None:
        raise RingletError.not_allowed("events", "<[events]>", "no event building, for a guarantee")
    if scenario.collective is not None:
        raise RingletError.not_allowed("collective", "<[collective]>", "no collective operation, for a guarantee")
    if scenario.traffic.replayed is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", "no trace, for a guarantee")
    if scenario.traffic.arrival_process.generates and (assumed.rate is None or assumed.burst is None):
        allowed = "'none', or say the rate and the burst that each node's traffic keeps to (--rate and --burst)"
        raise RingletError.not_allowed("traffic.arrivals", scenario.traffic.arrivals, allowed)
    needed = utilisation(scenario.resolved, scenario.resolved.flows[-len(scenario.periodic_messages) :])
    if needed.busiest_link > 1 or needed.servers.max(initial=0.0) > 1:
        what = "link" if needed.busiest_link > 1 else "receive queue of node"
        worst = needed.links if needed.busiest_link > 1 else needed.servers
        place = f"<utilisation {worst.max():.3g} of {what} {worst.argmax()}>"
        raise RingletError.not_allowed("messages", place, "at most 1, for a guarantee")


def _bounds(scenario: Scenario, assumed: Assumed) -> tuple[Bounds, NDArray[np.float64]]:
    """Returns the bounds of all flows until their arrival, and of their service.

    Raises:
        NoBoundError: there is none.
    """
    flows, targets = _flows(scenario, assumed)
    queues, protocol = scenario.queues, scenario.flow_control
    if limit(queues.transmit) is not None:
        raise NoBoundError("a full transmit queue loses messages; there is a bound with queues.transmit = 'unlimited'")
    if scenario.retry.by == "responder":
        raise NoBoundError("a receiver that holds back echoes has no bound that is proven; retry.by = 'requester' has")
    analysis = protocol.response_analysis(flows, protocol.resolved(scenario.resolved.ring))
    bounds = fixed_point(flows, analysis)
    served = service(flows, bounds, targets, int(scenario.resolved.service_cycles.max()))
    places = analysis.places(scenario.resolved.least_receive_places)
    if places is not None and np.all(np.isfinite(bounds.arrived)) and np.any(served.places > places):
        node = int(served.places.argmax())
        raise NoBoundError(
            f"the input queue of node {node} may be given {served.places[node]:.0f} packets and takes {places} before "
            "it refuses or stops them; no bound is proven for what is sent again"
        )
    outstanding, most = np.floor(bounds.returned.max() / flows.packet) + 1, limit(queues.outstanding)
    if most is not None and np.isfinite(outstanding) and outstanding > most:
        raise NoBoundError(f"queues.outstanding, {most}, may keep a node back; {outstanding:.0f} do not")
    return bounds, np.where(np.isfinite(bounds.arrived), served.time, np.inf)


def _flows(scenario: Scenario, assumed: Assumed) -> tuple[RingFlows, NDArray[np.bool_]]:
    """Returns the flows of the analysis, and the nodes to which each may go."""
    resolved = scenario.resolved
    nodes, sources = resolved.nodes, resolved.flows
    jitter = exact_cycles(assumed.jitter, resolved.symbol_time_ns)
    lengths = {size for flow in sources for size, _ in flow.sizes}
    if any(flow.response_symbols is not None for flow in sources):
        raise NoBoundError(
            "no bound is proven for transactions with responses; there is one with a move, such as "
            "message_transaction = 'dmove64'"
        )
    if len(lengths) > 1:
        raise NoBoundError("packets have several lengths; there is a bound where all have one")
    rows: list[tuple[int, int, int, int, float, float]] = []
    targets = np.zeros((len(sources), nodes), dtype=bool)
    background = len(sources) - len(resolved.messages)
    for i, flow in enumerate(sources):
        source = flow.source
        targets[i] = flow.destinations.row(source, nodes) > 0
        # What may go to several nodes is taken to go to the farthest: its packet crosses the most links.
        onward = (np.flatnonzero(targets[i]) - source - 1) % nodes
        farthest = int((source + 1 + onward.max()) % nodes)
        if i < background:
            period, late = _background(scenario, assumed)
            rows.append((source, farthest, flow.priority, 1, period, late))
        else:
            period = resolved.messages[i - background].period_cycles
            rows.append((source, farthest, flow.priority, flow.burst, period, jitter))
    hop = resolved.equal_hop_cycles
    if hop is None:
        raise NoBoundError("links have different hop delays; bounds are proven where all have one")
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    flows = RingFlows(
        nodes,
        hop,
        lengths.pop(),
        resolved.echo_symbols,
        *columns[:4],
        *(column.astype(float) for column in columns[4:]),
    )
    return flows, targets


def _background(scenario: Scenario, assumed: Assumed) -> tuple[float, float]:
    """Returns period and jitter of a flow that releases as much as a rate and a burst allow."""
    data = float(scenario.traffic.moves.payload_bytes)
    per_cycle = magnitude(assumed.rate or "", "byte/ns") * scenario.symbol_time_ns / data
    packets = max(1.0, np.ceil(magnitude(assumed.burst or "", "byte") / data))
    return 1 / per_cycle, (packets - 1) / per_cycle


def guarantee_records(scenario: Scenario, assumed: Assumed | None = None) -> dict[str, Any]:
    """Returns what `ringlet guarantee` prints as JSON: None for what there is not."""
    us = scenario.symbol_time_ns / 1e3
    messages = []
    for one in guarantees(scenario, assumed):
        bound = None if one.bound_cycles is None else one.bound_cycles * us
        deadline = one.deadline_cycles * us
        messages.append(
            {
                "name": one.name,
                "bound_us": bound,
                "deadline_us": deadline,
                "margin_us": None if bound is None else deadline - bound,
                "guaranteed": one.holds,
                "why": one.why,
                "parts_us": {part: value * us for part, value in one.parts_cycles.items()} or None,
            }
        )
    return {"schema": 1, "protocol": scenario.flow_control.protocol, "messages": messages}


def guarantee(
    scenario: Scenario | Mapping[str, Any] | str | Path,
    *,
    rate: str | None = None,
    burst: str | None = None,
    jitter: float | str = 0,
) -> "pd.DataFrame":
    """Returns a proven upper bound of each message's response time: what `ringlet guarantee` prints.

    A row per message by its name. Columns: `bound_us`, from the due release to the end of the last packet's service,
    NaN without a bound; `deadline_us`; `margin_us`; `guaranteed`, whether the bound is within the deadline; `why` there
    is no bound, else None; and what the bound is made of, in us: `own_queue`, `blocking`, `access`, `inversion`,
    `interference`, `transit`, `service`. Offsets do not count, so the bounds are also those of sporadic messages.
    docs/explanation/guarantees.md has the conditions and the proofs.

    >>> import ringlet as rl
    >>> messages = [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}]
    >>> ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": messages}
    >>> rl.guarantee(ring)["guaranteed"].tolist()
    [True]

    Args:
        scenario: or the path of its file, or what the file holds; one ring with messages.
        rate: of each node's background traffic, such as `20 MB/s`; needed where there is some.
        burst: which it may send at once beyond its rate, such as `1 KiB`.
        jitter: most time by which a message is released after it is due, in cycles or a quantity such as `1 us`.

    Raises:
        RingletError: a bad scenario, or one of which something has to be assumed.
    """
    import pandas as pd

    found = guarantee_records(Scenario.of(scenario), checked(rate, burst, jitter))["messages"]
    rows = [{**one, **(one["parts_us"] or dict.fromkeys(PARTS))} for one in found]
    columns: Sequence[str] = ("bound_us", "deadline_us", "margin_us", "guaranteed", "why", *PARTS)
    table = pd.DataFrame(rows).set_index("name")[list(columns)]
    return table.astype({"bound_us": float, "margin_us": float, **dict.fromkeys(PARTS, float)})


def checked(rate: str | None, burst: str | None, jitter: float | str) -> Assumed:
    """Returns what is assumed.

    Raises:
        RingletError: no rate, size or time, or one that is not above 0 (a jitter: not below).
    """
    for name, text, unit, example in (("rate", rate, "byte/ns", "20 MB/s"), ("burst", burst, "byte", "1 KiB")):
        if text is not None and not _quantity(text, unit) > 0:
            raise RingletError.not_allowed(f"--{name}", text, f"a quantity above 0 such as '{example}'")
    try:
        jitter = float(jitter)
    except ValueError:
        late = _quantity(str(jitter), "ns")
    else:
        late = jitter
    if not 0 <= late <= MAX_CYCLES:
        raise RingletError.not_allowed("--jitter", jitter, "cycles, or a quantity of at least 0 such as '1 us'")
    return Assumed(rate, burst, jitter)


def _quantity(text: str, unit: str) -> float:
    """Returns what a text says in a unit; -1 where it says nothing."""
    try:
        return magnitude(text, unit)
    except ValueError:
        return -1.0
