"""Explores a small ring of a scenario exhaustively, with the simulator's own code, or whether a network deadlocks."""

import json
import time
from collections.abc import Callable

from ringlet._engine import Exploration
from ringlet.errors import RingletError
from ringlet.exploration.checked import Checked, Property
from ringlet.exploration.deadlock import check_network
from ringlet.exploration.flows import above, explored_flows, name
from ringlet.scenario.engine_spec import engine_flow
from ringlet.scenario.flows import Flow
from ringlet.scenario.scenario import Scenario, ScenarioLike
from ringlet.trace import Recording
from ringlet.trace.layout import Layout
from ringlet.trace.recording import Source

MAX_NODES = 8
"""Largest ring."""

DEFAULT_STATES = 1_000_000
"""States that are met where nothing else is said."""

STATES_AT_A_TIME = 2_000
"""States between two looks at the clock."""

MAX_FRONTIER_BYTES = 4_000_000_000
"""Memory that the states may hold whose steps are not known yet."""

RECORDED_CYCLES = 400
"""Least cycles of a counterexample."""

Arrivals = tuple[bytes, bytes]


def check(
    scenario: ScenarioLike,
    *,
    under_way: int = 1,
    step: int = 1,
    states: int = DEFAULT_STATES,
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Checked:
    """Explores every state that a ring can come to, whatever arrives in which cycle.

    A flow is a source, a destination and a length of packets. What the scenario says of when packets arrive does not
    count: a message of any flow may arrive in any cycle, but a flow has no more than `under_way` messages begun and not
    completed. Then these properties hold or do not: left alone, the ring delivers everything and comes to rest (no
    deadlock, no livelock, no lost control state); it stays at rest; no flow waits for ever, but for higher priorities;
    no bypass FIFO holds more than it has room for.

    Of a network of rings it is only asked whether it can deadlock: that is proved by its buffers, or packets are
    searched for with which it does; `complete` is false where neither succeeds.

    >>> import ringlet as rl
    >>> rl.check({"network": {"nodes": 2}, "traffic": {"transaction": "send16", "destinations": [1, 0]}}, step=16).holds
    True

    Args:
        scenario: what to explore: a ring of at most 8 nodes with at most 8 flows, or a network; without errors and
            traces.
        under_way: messages, or transactions, that each flow may have begun and not completed, 1 to 200.
        step: cycles between two times at which messages may arrive; 1: every way in which they may arrive is explored.
        states: most states that are met, about.
        seconds: most time; None: as long as it takes.
        progress: called with the states met and the most.

    Raises:
        RingletError: a scenario that is not explored.

    References:
        docs/explanation/model-checking.md.
    """
    scenario = Scenario.of(scenario)
    _check(scenario)
    if scenario.network.switched:
        return check_network(scenario, seconds=seconds, progress=progress)
    for option, value, most in (("under_way", under_way, 200), ("step", step, 100_000), ("states", states, 2**31)):
        if not 1 <= value <= most:
            raise RingletError.not_allowed(option, value, f"1 to {most}")
    spec = scenario.network_spec(scenario.seed)
    resolved, protocol = scenario.resolved, scenario.flow_control
    flows = explored_flows(resolved.flows, resolved.nodes)
    spec |= {"flows": [engine_flow(flow) for flow in flows]}
    longest = max(max(flow.sizes[0][0], flow.response_symbols or 0) for flow in flows)
    room = protocol.bypass_room(protocol.resolved(resolved.ring), resolved.nodes, longest)
    try:
        exploration = Exploration(json.dumps(spec, allow_nan=False), under_way, step, room)
    except ValueError as error:
        raise RingletError(str(error)) from error
    complete = _explore(exploration, states, seconds, progress)
    found = _Found(exploration, step, [name(flow) for flow in flows], Layout.of(spec))
    found.look(flows, room)
    return found.checked(scenario, complete)


def _check(scenario: Scenario) -> None:
    if not scenario.network.switched:
        _check_ring(scenario)
    if scenario.errors.lose:
        raise RingletError.not_allowed("errors", "<[errors]>", "links that lose nothing, if the ring is explored")
    if scenario.events is not None:
        raise RingletError.not_allowed("events", "<[events]>", "none: arrivals are those that are explored")
    if scenario.collective is not None:
        raise RingletError.not_allowed("collective", "<[collective]>", "none: arrivals are those that are explored")
    if scenario.loops is not None:
        raise RingletError.not_allowed("loops", "<[[loops]]>", "none: arrivals are those that are explored")
    if scenario.replay is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", "no trace: arrivals are those that are explored")
    if not scenario.resolved.flows:
        raise RingletError.not_allowed("traffic.arrivals", "none", "traffic or messages, to be explored")


def _check_ring(scenario: Scenario) -> None:
    network = scenario.network
    if network.nodes > MAX_NODES:
        allowed = f"at most {MAX_NODES}: the states of a larger ring cannot be explored"
        raise RingletError.not_allowed("network.nodes", network.nodes, allowed)
    if not scenario.flow_control.explored:
        protocol = scenario.flow_control.protocol
        allowed = "another protocol: its rates take so long to settle that its states cannot be explored"
        raise RingletError.not_allowed("flow_control.protocol", protocol, allowed)
    if scenario.retry.by == "responder":
        raise RingletError.not_allowed("retry.by", scenario.retry.by, "'requester', if the ring is explored")


def _explore(
    exploration: Exploration, states: int, seconds: float | None, progress: Callable[[int, int], None]
) -> bool:
    """Explores in pieces, so that Ctrl-C and the time are seen; returns whether it was all."""
    start = time.monotonic()
    while not exploration.explore(min(states, exploration.states + STATES_AT_A_TIME)):
        progress(exploration.states, states)
        late = seconds is not None and time.monotonic() - start > seconds
        if exploration.states >= states or late or exploration.frontier_bytes > MAX_FRONTIER_BYTES:
            return False
    return True


class _Found:
    """The properties of the states that were met."""

    def __init__(self, exploration: Exploration, step: int, names: list[str], layout: Layout) -> None:
        self.exploration = exploration
        self.layout = layout
        self.step = step
        self.names = names
        self.properties: list[Property] = []
        self.broken: Arrivals | None = None
        self.repeats = True

    def look(self, flows: list[Flow], room: int | None) -> None:
        """Returns each property, and whether it holds."""
        self._rest()
        awoken = self.exploration.rest_lasts()
        says = "a ring at rest begins something by itself" if awoken else "nothing begins by itself"
        self._add("stays at rest", awoken, None, says, repeats=False)
        for flow, called in enumerate(self.names):
            higher = above(flows, flow)
            steps, forever = self.exploration.wait(flow, higher)
            but = " while none of higher priority arrive" if higher else ""
            if forever is None:
                says = f"the next delivery comes within {self._cycles(steps)} cycles{but}"
            else:
                others = self.exploration.repeat(forever, 1)
                served = [name for name, count in zip(self.names, others.tolist(), strict=True) if count]
                by = (
                    f"while {', '.join(served)} {'are' if len(served) > 1 else 'is'} served"
                    if served
                    else "with all others"
                )
                says = f"it may wait for ever{but}, {by}"
            self._add(f"serves {called}", forever, self._cycles(steps), says)
        if room is not None:
            most = self.exploration.bypass_max_symbols
            over = self.exploration.bypass_holds()
            self._add("bypass FIFOs have room", over, None, f"at most {most} of {room} symbols are held", repeats=False)

    def checked(self, scenario: Scenario, complete: bool) -> Checked:
        """Returns all of it, with the counterexample recorded."""
        recording, arrivals = None, tuple[tuple[int, str], ...]()
        if self.broken is not None:
            recording = self._recorded(scenario, self.broken)
            arrivals = self._arrivals(self.broken)
        goes_round = self.broken is not None and self.repeats
        return Checked(
            states=self.exploration.states,
            complete=complete,
            flows=tuple(self.names),
            properties=tuple(self.properties),
            counterexample=recording,
            arrivals=arrivals,
            repeats_from=len(self.broken[0]) * self.step if self.broken and goes_round else None,
            round_cycles=len(self.broken[1]) * self.step if self.broken and goes_round else None,
        )

    def _rest(self) -> None:
        steps, never = self.exploration.rest()
        if never is None:
            says = f"from every state all is delivered and the ring at rest within {self._cycles(steps)} cycles"
        else:
            held = ", ".join(self.exploration.held(never))
            says = {
                "deadlock": f"deadlock: messages wait and nothing is sent ({held})",
                "livelock": f"livelock: packets are sent for ever and none is delivered ({held})",
                "lost": f"lost control state: all is delivered, and this is held for ever: {held}",
            }[self.exploration.cause(never)]
        self._add("comes to rest", never, self._cycles(steps), says)

    def _add(self, name: str, broken: Arrivals | None, cycles: int | None, says: str, *, repeats: bool = True) -> None:
        self.properties.append(Property(name, broken is None, cycles, says))
        if broken is not None and self.broken is None:
            self.broken, self.repeats = broken, repeats

    def _cycles(self, steps: int | None) -> int | None:
        return None if steps is None else steps * self.step

    def _arrivals(self, broken: Arrivals) -> tuple[tuple[int, str], ...]:
        steps = enumerate([*broken[0], *broken[1]])
        return tuple(
            (i * self.step, name) for i, flows in steps for bit, name in enumerate(self.names) if flows >> bit & 1
        )

    def _recorded(self, scenario: Scenario, broken: Arrivals) -> Recording:
        tables, stop = self.exploration.record(broken, RECORDED_CYCLES)
        return Recording(
            scenario=scenario.to_dict(),
            seed=scenario.seed,
            start=0,
            stop=stop,
            layout=self.layout,
            flows=tuple(Source(called) for called in self.names),
            symbol_time_ns=float(scenario.symbol_time_ns),
            reading=scenario.flow_control.reading(),
            tables=tables,
        )
