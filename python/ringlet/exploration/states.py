"""Explores every state of a small ring or network, with the simulator's own code."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ringlet._engine import Exploration
from ringlet.errors import RingletError
from ringlet.exploration.checked import Checked, Property
from ringlet.exploration.flows import above, explored_flows, name
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.resolved.engine_spec import engine_flow
from ringlet.scenario.scenario import Scenario
from ringlet.trace import Recording
from ringlet.trace.layout import Layout
from ringlet.trace.record import drawing, layout_of
from ringlet.trace.recording import Source

if TYPE_CHECKING:
    from ringlet._engine import Way

STATES_AT_A_TIME = 2_000
"""States between two looks at the clock."""

DEFAULT_STATES = 1_000_000
"""States that are met at most where nothing else is said."""

JUDGED_STATES = 60_000
"""States at which an exploration without a limit of its own ends early: if as large a part of them waits to be explored
as of the first half, more than the default come. In the four rings and networks tried that have 130,000 to 300,000
states in all, the part had become smaller by a tenth to a half."""

MAX_FRONTIER_BYTES = 4_000_000_000
"""Memory that the states may hold whose steps are not known yet."""

RECORDED_CYCLES = 400
"""Least cycles of a counterexample."""


def explore_states(
    scenario: Scenario,
    *,
    under_way: int,
    losses: int,
    step: int,
    states: int | None,
    seconds: float | None,
    progress: Callable[[int, int], None],
) -> Checked:
    """Explores every state that a ring or network can come to; the arguments are those of `check`.

    Raises:
        RingletError: there are too many flows, or the engine refuses the scenario.
    """
    spec = scenario.network_spec(scenario.seed)
    resolved = scenario.resolved
    flows = explored_flows(resolved.flows, resolved.nodes)
    spec |= {"flows": [engine_flow(flow) for flow in flows]}
    room = _room(scenario, flows)
    try:
        exploration = Exploration(json.dumps(spec, allow_nan=False), under_way, losses, step, room)
    except ValueError as error:
        raise RingletError(str(error)) from error
    complete, grows = _explore(exploration, states, seconds, progress)
    found = _Found(exploration, scenario, step, flows, layout_of(scenario, spec))
    found.look(room)
    return replace(found.checked(complete), grows=grows)


def _room(scenario: Scenario, flows: list[Flow]) -> int | None:
    """Returns the symbols that a bypass FIFO has room for; None where rings differ or hold packets that pass."""
    network, protocols, protocol = scenario.network, scenario.resolved.ring_protocols, scenario.flow_control
    if network.bypass == "store-and-forward" or scenario.resolved.pass_cycles or protocols.own:
        return None
    longest = max(max(flow.sizes[0][0], flow.response_symbols or 0) for flow in flows)
    ring = scenario.resolved.ring
    return protocol.bypass_room(protocol.resolved(ring), ring.nodes, longest)


def _explore(
    exploration: Exploration, states: int | None, seconds: float | None, progress: Callable[[int, int], None]
) -> tuple[bool, bool]:
    """Explores in pieces, so that Ctrl-C and the time are seen; returns whether it was all, and whether it ended early
    for what waits."""
    start, most = time.monotonic(), DEFAULT_STATES if states is None else states
    is_judged, of_half = states is not None, None
    while not exploration.explore(min(most, exploration.states + STATES_AT_A_TIME)):
        met, held = exploration.states, exploration.frontier_bytes
        progress(met, most)
        if met >= most or held > MAX_FRONTIER_BYTES or (seconds is not None and time.monotonic() - start > seconds):
            return False, False
        if of_half is None and 2 * met >= JUDGED_STATES:
            of_half = held / met
        if not is_judged and of_half is not None and met >= JUDGED_STATES:
            is_judged = True
            if held / met >= of_half:
                return False, True
    return True, False


class _Found:
    """The properties of the states that were met."""

    def __init__(
        self, exploration: Exploration, scenario: Scenario, step: int, flows: list[Flow], layout: Layout
    ) -> None:
        self.exploration = exploration
        self.scenario = scenario
        self.layout = layout
        self.step = step
        self.flows = flows
        self.names = [name(flow, scenario.node_name if scenario.network.switched else str) for flow in flows]
        self.properties: list[Property] = []
        self.broken: Way | None = None
        self.repeats = True

    def look(self, room: int | None) -> None:
        """Returns each property, and whether it holds."""
        self._rest()
        if not any(protocol.acts_at_rest for _, protocol in self.scenario.resolved.ring_protocols.named()):
            awoken = self.exploration.rest_lasts()
            says = "what is at rest begins something by itself" if awoken else "nothing begins by itself"
            self._add("stays at rest", awoken, None, says, repeats=False)
        for flow, called in enumerate(self.names):
            higher = above(self.flows, flow)
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

    def checked(self, complete: bool) -> Checked:
        """Returns all of it, with the counterexample recorded."""
        recording, arrivals, losses = None, tuple[tuple[int, str], ...](), tuple[tuple[int, str], ...]()
        if self.broken is not None:
            recording = self._recorded(self.broken)
            arrivals, losses = self._arrivals(self.broken), self._losses(self.broken)
        goes_round = self.broken is not None and self.repeats
        return Checked(
            states=self.exploration.states,
            complete=complete,
            flows=tuple(self.names),
            properties=tuple(self.properties),
            counterexample=recording,
            arrivals=arrivals,
            losses=losses,
            repeats_from=len(self.broken[0]) * self.step if self.broken and goes_round else None,
            round_cycles=len(self.broken[1]) * self.step if self.broken and goes_round else None,
        )

    def _rest(self) -> None:
        steps, never = self.exploration.rest()
        if never is None:
            says = f"from every state all is delivered and all at rest within {self._cycles(steps)} cycles"
        else:
            held = ", ".join(self.exploration.held(never))
            says = {
                "deadlock": f"deadlock: messages wait and nothing is sent ({held})",
                "livelock": f"livelock: packets are sent for ever and none is delivered ({held})",
                "lost": f"lost control state: all is delivered, and this is held for ever: {held}",
            }[self.exploration.cause(never)]
        self._add("comes to rest", never, self._cycles(steps), says)

    def _add(self, name: str, broken: "Way | None", cycles: int | None, says: str, *, repeats: bool = True) -> None:
        self.properties.append(Property(name, broken is None, cycles, says))
        if broken is not None and self.broken is None:
            self.broken, self.repeats = broken, repeats

    def _cycles(self, steps: int | None) -> int | None:
        return None if steps is None else steps * self.step

    def _arrivals(self, broken: "Way") -> tuple[tuple[int, str], ...]:
        steps = enumerate([*broken[0], *broken[1]])
        return tuple(
            (i * self.step, name) for i, (flows, _) in steps for bit, name in enumerate(self.names) if flows >> bit & 1
        )

    def _losses(self, broken: "Way") -> tuple[tuple[int, str], ...]:
        """Returns what is lost: from which cycle on the next packet, or echo, over the link to which interface."""
        links = [interface for ring in self.layout.rings for interface in ring.interfaces]
        steps = enumerate([*broken[0], *broken[1]])
        return tuple((i * self.step, self.layout.name(links[link])) for i, (_, link) in steps if link is not None)

    def _recorded(self, broken: "Way") -> Recording:
        tables, stop = self.exploration.record(broken, RECORDED_CYCLES)
        scenario = self.scenario
        return Recording(
            scenario=scenario.to_dict(),
            seed=scenario.seed,
            start=0,
            stop=stop,
            layout=self.layout,
            flows=tuple(Source(called) for called in self.names),
            symbol_time_ns=float(scenario.symbol_time_ns),
            reading=scenario.resolved.ring_protocols.reading(),
            tables=tables,
            drawn=drawing(scenario, self.layout),
        )
