"""Records a window of a run."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet._engine import Recorder
from ringlet.errors import RingletError
from ringlet.rings.network import MAX_DRAWN, Role
from ringlet.scenario import Scenario
from ringlet.scenario.values.units import MAX_CYCLES, cycle_at, with_time
from ringlet.simulation.replay import Feed
from ringlet.trace.layout import Layout
from ringlet.trace.recording import Recording, Source

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_CYCLES = 10_000
"""Length of the window where none is given."""

MAX_NODE_CYCLES = 20_000_000
"""Most interfaces times cycles of a window: its tables take some 5 bytes for each at full load."""


def record(
    scenario: Scenario, *, start: int | str = 0, stop: int | str | None = None, seed: int | None = None
) -> Recording:
    """Simulates a scenario from cycle 0 and records the cycles from `start` to before `stop`.

    What is recorded is the run that `ringlet.run` measures, its warm-up included: cycle 0 is that of the empty ring.

    Args:
        scenario: what to simulate.
        start: first cycle of the window, or its time, such as "20 us".
        stop: cycle behind the window, or its time; default: `DEFAULT_CYCLES` after `start`.
        seed: of every random stream; default: the scenario's.

    Raises:
        RingletError: an empty or too long window, a ring that stalls before it, or a scenario that the engine cannot
        simulate.
    """
    first = cycle_at("start", start, scenario.symbol_time_ns)
    last = first + DEFAULT_CYCLES if stop is None else cycle_at("stop", stop, scenario.symbol_time_ns)
    seed = scenario.seed if seed is None else seed
    spec = scenario.network_spec(seed)
    layout = layout_of(scenario, spec)
    interfaces = layout.interfaces
    if not first < MAX_CYCLES:
        raise RingletError.not_allowed("start", start, f"a time before cycle {MAX_CYCLES}")
    if not first < last <= MAX_CYCLES:
        raise RingletError.not_allowed("stop", stop, f"a time after the start, {start}")
    if (last - first) * interfaces > MAX_NODE_CYCLES:
        most = with_time(max(1, MAX_NODE_CYCLES // interfaces), scenario.symbol_time_ns)
        what = "interfaces" if layout.is_network else "nodes"
        allowed = f"with {interfaces} {what} at most {most} after the start, {start}"
        raise RingletError.not_allowed("stop", stop, allowed)
    try:
        recorder = Recorder(json.dumps(spec, allow_nan=False), first, last)
        if scenario.replay is not None:
            Feed(scenario.replay).hand_in_until(recorder, last)
        tables, stall = recorder.record()
    except ValueError as error:
        raise RingletError(str(error)) from error
    if stall is not None:
        last = min(last, _last_cycle(tables))
        if last <= first:
            raise RingletError.not_allowed(
                "start", start, f"a time before the ring stalls, which is at cycle {stall['since_cycle']}"
            )
    return Recording(
        scenario=scenario.to_dict(),
        seed=seed,
        start=first,
        stop=last,
        layout=layout,
        flows=_sources(scenario, spec["flows"]),
        symbol_time_ns=float(scenario.symbol_time_ns),
        reading=scenario.resolved.ring_protocols.reading(),
        tables=tables,
        stall=stall,
        drawn=drawing(scenario, layout),
    )


def layout_of(scenario: Scenario, spec: Mapping[str, Any]) -> Layout:
    """Returns the rings of a scenario by the names of what is on them; `spec` is the engine's."""
    network = scenario.routed_network[0]
    named = bool(network.node_names) or bool((network.roles != Role.COMPUTER).any())
    return Layout.of(
        spec,
        node_names=[network.node_name(node) for node in range(network.nodes)] if named else (),
        ring_names=[network.names.ring(ring) for ring in range(network.rings)],
    )


def drawing(scenario: Scenario, layout: Layout) -> "Callable[[], Figure] | None":
    """Returns what draws a network for the player's overview; None for a ring, or where too much would be drawn."""
    network = scenario.routed_network[0]
    if not layout.is_network or network.interfaces > MAX_DRAWN:
        return None
    return lambda: scenario.network.drawn(network)


def _sources(scenario: Scenario, flows: Sequence[Mapping[str, Any]]) -> tuple[Source, ...]:
    """Returns the flows as moments and the player show them; those of the message set are the last ones."""
    messages, resolved = scenario.periodic_messages, scenario.resolved
    names = [""] * (len(flows) - len(messages)) + [message.name for message in messages]
    for plan in resolved.plans:
        if plan.message:
            first = resolved.first_flow(plan)
            names[first : first + plan.flow_count] = [plan.message] * plan.flow_count
    return tuple(
        Source(name, flow["deadline_cycles"], flow["response_symbols"] is not None, flow["burst"])
        for name, flow in zip(names, flows, strict=True)
    )


def _last_cycle(tables: dict[str, dict[str, Any]]) -> int:
    """The cycle up to which every node has emitted something."""
    runs = tables["runs"]
    ends: dict[int, int] = {}
    for node, end in zip(runs["node"].tolist(), (runs["cycle"] + runs["symbols"]).tolist(), strict=True):
        ends[node] = max(end, ends.get(node, 0))
    return min(ends.values(), default=0)
