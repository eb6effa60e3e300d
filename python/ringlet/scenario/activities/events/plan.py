"""Event building resolved to cycles, packets and node numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.activities.events.files import FragmentGiven, read_fragments, read_times
from ringlet.scenario.activities.events.keys import Events
from ringlet.scenario.activities.events.triggers import Triggers, check_triggers, triggers_of
from ringlet.scenario.activities.flow import Flow, Payload, packets_of
from ringlet.scenario.activities.plan import SectionPlan, Surroundings
from ringlet.scenario.values.destinations import Destinations, Fixed, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.node_names import checked_nodes
from ringlet.scenario.values.per_node import node_of
from ringlet.scenario.values.sizes import Cut, SizesGiven, Spread, cut
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction
from ringlet.scenario.values.units import MAX_CYCLES, cycles

if TYPE_CHECKING:
    import numpy as np

else:
    np = library("numpy")

MAX_FRAGMENT_PACKETS = 65_535
"""Packets of a fragment: what the engine takes."""

MAX_SHARES = 1 << 24
"""Sources times nodes of the network, where there are several builders."""


@dataclass(frozen=True)
class EventBuilding(SectionPlan):
    """Event building in the terms of the engine."""

    kind: ClassVar[str] = "events"
    key: ClassVar[str] = "events"
    section: ClassVar[str] = "[events]"
    named: ClassVar[str] = "event building"
    waits: ClassVar[bool] = False

    events: Events
    nodes: int
    sources: tuple[int, ...]
    builders: tuple[int, ...]
    triggers: Triggers
    of_files: Mapping[str, Any]
    """Keys of the section that hold what files have, in place of those that name these."""
    build_cycles: int
    credit_cycles: int
    timeout_cycles: int | None
    priority: int
    transaction: Transaction
    fragments: tuple[Cut, ...]
    """Data and packets of the fragments of each source."""

    @classmethod
    def of(cls, keys: Events, around: Surroundings) -> "EventBuilding":
        """Resolves the section.

        Raises:
            RingletError: a builder or source that is not there, a trigger faster than its dead time, a file that cannot
                be read, or what is too long.
        """
        events, network, ns, folder = keys, around.network, around.symbol_time_ns, around.folder
        builders = checked_nodes(events.builders, "events.builders", network.receivers.tolist(), network.nodes)
        senders = network.senders.tolist()
        given = events.sources
        if given is None:
            given = [node for node in senders if node not in set(builders)]
            if not given:
                raise RingletError.not_allowed("events.builders", events.builders, "at least one node left that sends")
        sources = checked_nodes(given, "events.sources", senders, network.nodes)
        if len(builders) == 1 and builders[0] in sources:
            place = sources.index(builders[0])
            raise RingletError.not_allowed(
                f"events.sources[{place}]", builders[0], "a node other than the only builder"
            )
        if len(builders) > 1 and len(sources) * network.nodes > MAX_SHARES:
            allowed = f"at most {MAX_SHARES // network.nodes} sources in a network of {network.nodes} nodes"
            raise RingletError.not_allowed("events.sources", f"<{len(sources)} sources>", allowed)
        check_triggers(events)
        listed: list[Any] | None = events.times
        if events.times_file is not None:
            listed = read_times(folder / events.times_file)
        triggers = triggers_of(events, listed, ns)
        of_file = [] if events.fragments_file is None else read_fragments(folder / events.fragments_file)
        of_files: dict[str, Any] = {} if events.times_file is None else {"times": listed, "times_file": None}
        if of_file:
            each = {**events.table().get("fragments", {}), **{one.source: one.written for one in of_file}}
            of_files |= {"fragments": each, "fragments_file": None}
        for key in ("build_time", "credit_delay", "timeout"):
            value = getattr(events, key)
            if value is not None and cycles(value, ns) > MAX_CYCLES:
                raise RingletError.not_allowed(f"events.{key}", value, f"at most 2^53 cycles of {ns:g} ns")
        if events.destination == "credits" and events.queue == "unlimited":
            raise RingletError.not_allowed("events.queue", events.queue, "a number of events with 'credits'")
        transaction = TRANSACTIONS[events.transaction]
        return cls(
            events=events,
            nodes=network.nodes,
            sources=sources,
            builders=builders,
            triggers=triggers,
            of_files=of_files,
            build_cycles=cycles(events.build_time, ns),
            credit_cycles=cycles(events.credit_delay, ns),
            timeout_cycles=None if events.timeout is None else cycles(events.timeout, ns),
            priority=events.priority,
            transaction=transaction,
            fragments=_fragments(events, of_file, transaction, sources, network.nodes, around.numbers),
        )

    @property
    def inlined(self) -> Mapping[str, Any]:
        """Times and fragments of files."""
        return self.of_files

    @property
    def is_random(self) -> bool:
        """True if triggers or sizes are drawn."""
        return self.triggers.is_random or any(len(one.packets) > 1 for one in self.fragments)

    @property
    def trigger_interval_cycles(self) -> float | None:
        """Mean time between triggers, those that are lost included; None of listed ones."""
        return self.triggers.run_interval_cycles

    @property
    def last_release_cycle(self) -> int:
        """Cycle behind the last trigger that is listed."""
        return self.triggers.times[-1] + 1 if self.triggers.times else 0

    @property
    def flow_count(self) -> int:
        """A flow for each source."""
        return len(self.sources)

    def flows(
        self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool, first: int
    ) -> Iterator[Flow]:
        """Yields a flow for each source, in their order."""
        del first  # none names another one
        sizes, answer = packets_of(self.transaction, link_format)
        for source, fragment in zip(self.sources, self.fragments, strict=True):
            # A fragment for the source itself stays there.
            leaves = 1 - (source in self.builders) / len(self.builders)
            yield Flow(
                source=source,
                priority=self.priority,
                arrivals={"kind": "trace", "responses": False, "dependence_driven": waiting},
                sizes=sizes,
                response_symbols=answer,
                destinations=self.destinations(source),
                groups=group_specs[source],
                # The last packet is filled up: on average each carries this much of the fragment.
                payload=Payload(fragment.mean_bytes / fragment.mean_packets),
                rate=leaves * fragment.mean_packets * self.triggers.accepted_per_cycle,
                dependent=True,
                planned_random=self.is_random,
            )

    def destinations(self, source: int) -> Destinations:
        """Returns the shares of the builders in the packets of a source."""
        others = [builder for builder in self.builders if builder != source]
        if len(others) == 1:
            return Fixed(others[0])
        weights = np.zeros(self.nodes)
        weights[others] = 1 / len(others)
        return Weighted(weights.tolist())

    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields where each source's fragments go."""
        for source in self.sources:
            yield source, self.destinations(source)

    def spec(self, first_flow: int) -> dict[str, Any]:
        """Returns the engine's form."""
        assignment: dict[str, Any] = {"kind": self.events.destination}
        if self.events.destination == "credits":
            assignment["delay_cycles"] = self.credit_cycles
        return {
            "kind": self.kind,
            **self.triggers.spec(),
            "fragments": [
                {"flow": first_flow + place, "packets": one.packets} for place, one in enumerate(self.fragments)
            ],
            "builders": self.builders,
            "assignment": assignment,
            "places": None if isinstance(self.events.queue, str) else self.events.queue,
            "build_cycles": self.build_cycles,
            "timeout_cycles": self.timeout_cycles,
        }


def _fragments(
    events: Events,
    of_file: Sequence[FragmentGiven],
    transaction: Transaction,
    sources: Sequence[int],
    nodes: int,
    names: Callable[[], Mapping[str, int]],
) -> tuple[Cut, ...]:
    """Returns the fragments of each source.

    Raises:
        RingletError: a source without one, a node that is no source, or a fragment of too many packets.
    """
    places = {source: place for place, source in enumerate(sources)}
    given: dict[int, tuple[str, SizesGiven]] = {}
    if events.fragment is not None:
        given = dict.fromkeys(sources, ("events.fragment", events.fragment))
    each = [(f"events.fragments.{name}", name, sizes) for name, sizes in (events.fragments or {}).items()]
    each += [(f"{one.place}source", one.source, one.size) for one in of_file]
    own: set[int] = set()
    for path, name, sizes in each:
        source = node_of(path, name, nodes, names)
        if source not in places:
            raise RingletError.not_allowed(path, name, "a node that sends fragments")
        if source in own:
            raise RingletError.not_allowed(path, name, "each source once")
        own.add(source)
        given[source] = (path, sizes)
    missing = [source for source in sources if source not in given]
    if missing:
        value = f"<{len(each)} sources>" if each else "<none>"
        key = "events.fragments" if each else "events.fragment"
        raise RingletError.not_allowed(key, value, f"data of a fragment of every source, node {missing[0]} included")
    known: dict[str, Cut] = {}
    for path, sizes in given.values():
        if path not in known:
            found = cut(sizes, int(transaction.payload_bytes), MAX_FRAGMENT_PACKETS)
            if found is None:
                allowed = f"at most {MAX_FRAGMENT_PACKETS} packets of {transaction.payload_bytes:g} bytes"
                if isinstance(sizes, Spread):
                    raise RingletError.not_allowed(f"{path}.most", sizes.most or "<no limit>", allowed)
                raise RingletError.not_allowed(path, sizes, allowed)
            known[path] = found
    return tuple(known[given[source][0]] for source in sources)
