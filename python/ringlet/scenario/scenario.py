"""The scenario: what to simulate, typed and validated; and all that is computed from it.

In three steps: what the file holds (`schema`), the same resolved to cycles and node numbers (`resolved`), and the
engine's NetworkSpec made from that (`engine_spec`).
"""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ringlet.errors import RingletError
from ringlet.garbage import uncollected
from ringlet.lazy import late
from ringlet.scenario import resolved as resolution
from ringlet.scenario.activities.messages import periodic
from ringlet.scenario.file.kinds import lines_named, read_scenario
from ringlet.scenario.flow_control import SymbolProtocol
from ringlet.scenario.keys.scenario_file import ScenarioFile
from ringlet.scenario.network import node_numbers, own_names
from ringlet.scenario.values.node_names import number_of, within
from ringlet.sections import Section
from ringlet.sections.plain import PLAIN, is_same

# The other steps are imported where they are taken: a file with a mistake in it needs none of them, nor numpy.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ringlet.analysis.allocation import Optimum
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes
    from ringlet.scenario.activities.flow import Payload
    from ringlet.scenario.activities.messages.periodic import PeriodicMessage
    from ringlet.scenario.resolved.failures import LinkErrors
    from ringlet.scenario.resolved.horizon import Horizon
    from ringlet.scenario.resolved.replay import Replay
    from ringlet.scenario.resolved.scenario import Resolved

QUICK_PAIRS = 1 << 18
"""Pairs of nodes up to which the fair share takes little time beside a run: 512 nodes that send to all others."""


MOST_KEPT_NODES, MOST_KEPT_VALUES = 256, 2000
"""Nodes, and values in its file, of a scenario that is kept for the next one."""


class Scenario(ScenarioFile):
    """A ring or a network of rings, its flow control, queues and traffic, and how long to simulate it.

    >>> import ringlet as rl
    >>> rl.Scenario.from_dict({"network": {"nodes": 4}, "flow_control": {"protocol": "none"}})
    <Scenario: 4 nodes, ring, flow control none, arrivals saturated, seed 1>
    """

    _folder: Path = Path()

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Scenario":
        """Reads a TOML file; each override `KEY=VALUE` replaces one key, such as `traffic.load="50 MB/s"`.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        path = Path(path)
        return cls.from_file(path, *read_scenario(path, overrides))

    @classmethod
    def from_file(cls, path: Path, content: Mapping[str, Any], overridden: frozenset[tuple[str, ...]]) -> "Scenario":
        """Returns the scenario with the content of a file, some keys of which something else has set.

        Raises:
            RingletError: what is wrong, in which line, and what is allowed.
        """
        with lines_named(path, overridden):
            return cls.from_dict(content, base_dir=path.parent)

    @classmethod
    def of(cls, source: "ScenarioLike") -> "Scenario":
        """Returns a scenario as it is, or from the path of a file or what a file holds.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        if isinstance(source, Scenario):
            return source
        return cls.load(source) if isinstance(source, str | Path) else cls.from_dict(source)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], base_dir: str | Path | None = None) -> "Scenario":
        """Returns the scenario with the content of a file; `base_dir` is where `traffic.matrix_file` starts from.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        return cls.checked(content, named="scenario", folder=None if base_dir is None else Path(base_dir))

    @uncollected()
    def _fill(self, content: object, folder: Path) -> None:
        """Lets nodes go by the names that the network gives them."""
        section = content.get("network") if isinstance(content, Mapping) else None
        with within(own_names(section), lambda: node_numbers(section)):
            super()._fill(content, folder)
        table, known, _ = self.__dict__.pop("_read")
        _remember(self, table, known)

    def _known(self, table: dict[str, Any]) -> Mapping[str, Any]:
        """Returns the sections of the scenario before this one on the same network that have the same content; none
        without one: nodes of another network may have other names."""
        latest, known = _latest_on(table.get("network")), dict[str, Any]()
        self._read = table, known, latest
        if latest is None:
            return known
        sections = latest.scenario.__dict__
        known |= {
            name: sections[name]
            for name, content in table.items()
            if type(content) is dict
            and isinstance(sections.get(name), Section)
            and is_same(content, latest.table.get(name))
        }
        return known

    def _fits_together(self, folder: Path) -> None:
        self._folder = folder
        self.__dict__["resolved"], differs = self._resolve()
        self._check_together(differs)

    def _check_together(self, differs: frozenset[str] | None) -> None:
        """Checks what concerns several sections, but for what was checked in the scenario before, from which this one
        differs so."""
        if differs is None or not differs <= {resolution.LOAD}:
            resolution.check(self.resolved)
        elif differs:
            resolution.check_load(self.resolved)

    def changed(self, **keys: Any) -> "Scenario":  # noqa: ANN401
        """Returns a scenario with other sections, checked like any other.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        return self.from_dict({**dict(self.items()), **keys}, base_dir=self._folder)

    def to_dict(self) -> dict[str, Any]:
        """Returns what a file would hold, with all defaults, ready for JSON.

        A matrix file is replaced by its matrix, and so are tables of flows, messages, fragments and triggers; a trace,
        which may be too long for that, is named by its full path and its SHA-256.
        """
        content = self.table()
        if content["traffic"].pop("matrix_file", None) is not None:
            nodes, destinations = self.network.nodes, self.resolved.traffic_pattern.destinations
            rows = [destinations[node] for node in self.resolved.routed_network[0].senders.tolist()]
            # A row of zeros is that of a node that only receives.
            content["traffic"]["matrix"] = [[0.0] * nodes if to is None else to.spec()["weights"] for to in rows]
            if content["traffic"].pop("matrix_unit", None) is not None:
                content["traffic"]["load"] = self.resolved.load
        if self.replay is not None:
            file = {"file": str(self.replay.stretch.file.absolute()), "sha256": self.replay.sha256}
            content["traffic"]["trace"] |= file
        for key, named in (("messages", self.resolved.message_table), ("flows", self.resolved.flow_table)):
            given = getattr(self, key) or []
            if len(given) != len(named) or any(row is not other for row, other in zip(given, named, strict=True)):
                content.pop(f"{key}_file", None)
                content[key] = [row.table() for row in named]
        for plan in self.resolved.plans:
            if plan.inlined:
                section = {**content[plan.key], **plan.inlined}
                content[plan.key] = {key: value for key, value in section.items() if value is not None}
        return content

    def short_dict(self) -> dict[str, Any]:
        """Returns the same without the sections that have their defaults."""
        given = self.table(without_defaults=True)
        # Which kind a section is of is no key with a default.
        kept = {"network", "flow_control", "traffic", *(name for name, value in given.items() if value != {})}
        kept |= {key for key in ("messages", "flows") if getattr(self, f"{key}_file") is not None}
        return {name: value for name, value in self.to_dict().items() if name in kept}

    def __repr__(self) -> str:
        """One line: nodes, topology, flow control, arrivals."""
        nodes, traffic = self.network.nodes, self.traffic
        load = "" if traffic.load is None or isinstance(traffic.load, list) else f" {traffic.load}"
        return (
            f"<Scenario: {nodes} node{'s' if nodes > 1 else ''}, {self.network.topology}, "
            f"flow control {self.flow_control.protocol}, arrivals {traffic.arrivals}{load}, seed {self.seed}>"
        )

    def __str__(self) -> str:
        """Returns the line of `repr`."""
        return repr(self)

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the line of `repr`, and the keys that differ from their defaults."""
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(json.dumps(value, ensure_ascii=False))}</td></tr>"
            for key, value in _keys(self.table(with_none=True, without_defaults=True))
        )
        return f"<p>{escape(repr(self).strip('<>'))}</p><table>{rows}</table>"

    def __getstate__(self) -> dict[Any, Any]:
        """Leaves out what is computed from the rest."""
        computed = {name for name, value in vars(Scenario).items() if isinstance(value, cached_property)}
        return {key: value for key, value in self.__dict__.items() if key not in computed}

    @cached_property
    def resolved(self) -> "Resolved":
        """The scenario in cycles, symbols and node numbers."""
        return self._resolve()[0]

    def _resolve(self) -> "tuple[Resolved, frozenset[str] | None]":
        """Returns the scenario in cycles, with the parts that the one before it has made, and in what it differs from
        that; None where there is none to take anything from."""
        made, (_, _, latest) = resolution.Resolved(self, self._folder), self.__dict__.get("_read", _NONE_READ)
        if latest is None or latest.scenario is self or latest.scenario.folder != self._folder:
            return made, None
        differs = resolution.differing(self, latest.scenario)
        resolution.share(made, latest.scenario.resolved, differs)
        return made, differs

    @cached_property
    def engine_spec(self) -> str:
        """The engine's NetworkSpec as JSON, made once for any number of runs: each says its seed beside it."""
        return json.dumps(self.network_spec(0), allow_nan=False)

    def network_spec(self, seed: int) -> dict[str, Any]:
        """Returns the engine's NetworkSpec: everything resolved to cycles, symbols and node numbers.

        Raises:
            RingletError: its protocol is written in Python.
        """
        self._check_engine()
        return resolution.network_spec(self.resolved, seed)

    def ring_spec(self, seed: int) -> dict[str, Any]:
        """Returns the same, of which a ring whose protocol is written in Python reads all but the flow control."""
        return resolution.network_spec(self.resolved, seed)

    def _check_engine(self) -> None:
        """Raises RingletError for a protocol that the engine does not have."""
        if self.runs_in_python:
            protocol = self.flow_control
            named = protocol.added_by or f"flow_control.protocol: {protocol.protocol!r}"
            raise RingletError(f"{named}, and written in Python: it is there for runs and studies alone (run, sweep)")

    @property
    def runs_in_python(self) -> bool:
        """True if its protocol is written in Python, and runs symbol by symbol."""
        return isinstance(self.flow_control, SymbolProtocol)

    def stepping_spec(self, seed: int) -> dict[str, Any]:
        """Returns the same for a simulation that a program steps: it may inject packets at every node."""
        self._check_engine()
        return resolution.stepping_spec(self.resolved, seed)

    def stepping_json(self, *, seed: int | None = None) -> str:
        """Returns what the C interface takes, as JSON: the scenario, what it is in cycles and node numbers, and the
        packets of its trace.

        Args:
            seed: of every random stream; default: the scenario's.

        Raises:
            RingletError: something that does not fit the network, the protocol or the engine.
        """
        seed = self.seed if seed is None else seed
        made = {"scenario": self.to_dict(), "seed": seed, "spec": self.stepping_spec(seed)}
        if self.replay is not None:
            made["trace"] = resolution.trace_columns(self.replay)
        return json.dumps(made, allow_nan=False)

    def node_number(self, node: int | str, key: str) -> int:
        """Returns the number of a node, which may go by the name that the network gives it.

        Raises:
            RingletError: there is no such node; the message names `key`.
        """
        number = node if isinstance(node, int) else number_of(node, node_numbers(self.network), key)
        if not 0 <= number < self.network.nodes:
            raise RingletError.not_allowed(key, node, f"a node below {self.network.nodes}, or its name")
        return number

    def warnings(self) -> list[str]:
        """Returns what is worth a warning before a run.

        Messages that need more than there is, a network that can deadlock; a matrix that was made one of probabilities,
        times in a table without their unit.
        """
        found: list[str] = late("theory.warnings", "warnings")(self.resolved)
        return found

    def node_name(self, node: int) -> str:
        """Returns what a node is called in results."""
        if self.network.node_names is not None:
            return self.network.node_names[node]
        return self.routed_network[0].node_name(node) if self.network.switched else f"node {node}"

    @property
    def names_no_file(self) -> bool:
        """True if nothing of it stands in another file, which may change: neither a table nor a trace."""
        return not any(_names_file(getattr(self, name)) for name in self.given)

    @property
    def folder(self) -> Path:
        """The folder from which the names of files start."""
        return self._folder

    @property
    def symbol_time_ns(self) -> float:
        """Time of one symbol on a link, in ns: a cycle."""
        return self.resolved.symbol_time_ns

    @property
    def hop_cycles(self) -> "NDArray[np.int64]":
        """Cycles from the output of each node, and of each port of a network, to the next one's; in the order of its
        rings' links."""
        return self.resolved.hop_cycles

    @property
    def mean_send_symbols(self) -> float:
        """Mean length of a request packet of the background traffic, in symbols."""
        return self.resolved.mean_send_symbols

    @property
    def seed(self) -> int:
        """Seed of all random draws."""
        return self.run.seed

    @property
    def horizon(self) -> "Horizon":
        """The time to measure: as the file says, or until what it asks is known."""
        return self.resolved.horizon

    @property
    def measured_cycles(self) -> int | None:
        """Cycles to measure, or with a precision the most; None: until what is asked is known."""
        return self.resolved.measured_cycles

    @property
    def warmup(self) -> Any:  # noqa: ANN401 - int | Literal["auto"]
        """Cycles of the warm-up, or "auto"; a trace, or a message set alone, has none, nor has what fails."""
        return self.resolved.warmup

    @property
    def routed_network(self) -> "tuple[Rings, Routes]":
        """Rings, nodes and switches, and how packets are routed."""
        return self.resolved.routed_network

    @property
    def replay(self) -> "Replay | None":
        """The trace that is replayed; None without one."""
        return self.resolved.replay

    @property
    def link_errors(self) -> "LinkErrors | None":
        """Errors and failures of links in numbers of interfaces and cycles; None where nothing can be lost."""
        return self.resolved.link_errors

    @property
    def periodic_messages(self) -> "tuple[PeriodicMessage, ...]":
        """The message set in cycles and packets; empty without one. Their flows are the last ones of the engine's."""
        return self.resolved.messages

    def traffic_matrix(self) -> "NDArray[np.float64]":
        """Returns the probability that a packet of node `i` goes to node `j`, shape (nodes, nodes); rows sum to 1."""
        return self.resolved.pattern.matrix()

    def group_assignment(self) -> list[int] | list[list[int]]:
        """Returns each node's transmission group, or that of each source-destination pair, shape (nodes, nodes).

        Where software changes them, those of the start; without the protocol `grouped`, one group.
        """
        return self.resolved.groups

    def payloads(self) -> "list[Payload]":
        """Returns what of each flow of `network_spec` counts as data, in its order."""
        return [flow.payload for flow in self.resolved.flows]

    def scaled(self, load_factor: float) -> "Scenario":
        """Returns the scenario with its messages so much faster: periods, deadlines and offsets divided by a factor.

        Raises:
            RingletError: a period shorter than a cycle.
        """
        table = periodic.scaled(self.resolved.message_table, load_factor, self.symbol_time_ns)
        return self.changed(messages=table, messages_file=None)

    @cached_property
    def quick_optimum(self) -> "Optimum | None":
        """The max-min fair allocation with echoes; None where it would take long."""
        return self.optimum(max_pairs=QUICK_PAIRS)

    def fair_share(
        self, words_per_cycle: Sequence[float], entered_per_cycle: Sequence[float], got_per_cycle: Sequence[float]
    ) -> "Optimum | None":
        """Returns the max-min fair allocation, with echoes, of what flows offered; None where it would take long.

        Args:
            words_per_cycle: that each flow of `network_spec` offered; shape (flows,).
            entered_per_cycle: of that, what found room in its node's transmit queue; shape (flows,).
            got_per_cycle: of that, what was delivered; shape (flows,).
        """
        numbers = self.resolved.steady_numbers()
        if self.quick_optimum is None or numbers is None:
            return self.quick_optimum
        found: Optimum = late("theory.optimum", "of_offered")(
            self.resolved,
            self.quick_optimum,
            *([each[number] for number in numbers] for each in (words_per_cycle, entered_per_cycle, got_per_cycle)),
        )
        fitting: Optimum | None = late("theory.optimum", "if_copies_fit")(self.resolved, found)
        return fitting

    @cached_property
    def paper_optimum(self) -> "NDArray[np.float64] | None":
        """The optimum with echoes of picker1994, in words per cycle, for the figures of a run.

        None where its theory does not apply, or where it would take long.
        """
        return None if self.quick_optimum is None else late("theory.optimum", "paper_optimum")(self.resolved)

    def optimum(self, *, echoes: bool = True, max_pairs: int | None = None) -> "Optimum | None":
        """Returns what every node can get at best, max-min fair, with all that its packets use.

        A trace counts with its mean rates and the shares of its destinations, messages with their periods.

        Args:
            echoes: whether echoes and tickets count.
            max_pairs: of a flow and a destination, where None is returned if there are more; default: 2^24.
        """
        most = {} if max_pairs is None else {"max_pairs": max_pairs}
        found: Optimum | None = late("theory.optimum", "optimum")(self.resolved, echoes=echoes, **most)
        return found


class _Latest(NamedTuple):
    """A scenario that was made, and what a file would hold of it."""

    scenario: Scenario
    table: dict[str, Any]


_NONE_READ: tuple[dict[str, Any], dict[str, Any], _Latest | None] = {}, {}, None
"""Table, known sections and scenario before it of a scenario that no table was read for: none of them."""

MOST_KEPT = 8
"""Networks whose latest scenario is kept."""

_LATEST: OrderedDict[str, _Latest] = OrderedDict()
"""The latest small scenarios that fit together, one for each network, the last used network last: the next scenario on
a network mostly has most of its sections, as the points of a study have, and takes them, and what is resolved from
them, as they are."""


def _latest_on(network: object) -> _Latest | None:
    """Returns the latest scenario that is kept of a network, given as the content of its section; None without one."""
    latest = _LATEST.get(repr(network))
    # Values of a program may be written alike and differ.
    return latest if latest is not None and is_same(network, latest.table.get("network")) else None


def _remember(scenario: Scenario, table: dict[str, Any], known: Mapping[str, Any]) -> None:
    """Keeps a scenario for the next one on its network, unless it would hold much memory, or reads files, which may
    change.

    Args:
        scenario: that fits together.
        table: what a file would hold of it.
        known: sections that it has of the one before, which was kept.
    """
    new = {name: content for name, content in table.items() if name not in known}
    if scenario.network.nodes <= MOST_KEPT_NODES and _leaves(new) <= MOST_KEPT_VALUES:
        key = repr(table.get("network"))
        _LATEST.pop(key, None)
        _LATEST[key] = _Latest(scenario, table)
        while len(_LATEST) > MOST_KEPT:
            _LATEST.popitem(last=False)


def _names_file(value: Any) -> bool:  # noqa: ANN401 - the value of a key
    """Returns whether a key of a value, or in one of its sections, names a file."""
    if isinstance(value, Section):
        return any(
            value.__dict__[name] is not None and (name.endswith("file") or _names_file(value.__dict__[name]))
            for name in value.given
        )
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and any(map(_names_file, value))


def _leaves(content: Any) -> int:  # noqa: ANN401 - whatever a file holds
    """Returns how many values there are in tables and lists; more than are kept, if there is a section, or the name of
    a file."""
    if type(content) in PLAIN:
        return 1
    if type(content) is list:
        return sum(map(_leaves, content))
    if type(content) is not dict or any(str(key).endswith("file") for key in content):
        return MOST_KEPT_VALUES + 1
    return sum(map(_leaves, content.values()))


def _keys(content: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the keys of tables in tables with their values, those of lists with the list."""
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from _keys(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


ScenarioLike = Scenario | Mapping[str, Any] | str | Path
"""Argument that stands for a scenario: a scenario itself, what a file holds, or the path of a file."""
