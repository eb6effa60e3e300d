"""The scenario: what to simulate, typed and validated."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, model_validator

from ringlet.analysis import ECHO_SYMBOLS
from ringlet.errors import RingletError
from ringlet.scenario import flows, message_set, topologies
from ringlet.scenario.checks import check
from ringlet.scenario.deadlock import deadlock_warnings
from ringlet.scenario.files import read_scenario
from ringlet.scenario.flow_control import AnyFlowControl, Ring
from ringlet.scenario.flow_control.sci import Sci
from ringlet.scenario.link_errors import Errors
from ringlet.scenario.link_failures import LinkErrors, least_timeout_cycles
from ringlet.scenario.message_set import PeriodicMessage
from ringlet.scenario.messages import Message, read_messages
from ringlet.scenario.network import Network
from ringlet.scenario.network_spec import engine_network
from ringlet.scenario.optimum import Optimum, optimum, paper_optimum
from ringlet.scenario.patterns import Pattern, build_pattern, check_keys
from ringlet.scenario.replay import Replay
from ringlet.scenario.resources import MAX_PAIRS
from ringlet.scenario.sections import MAX_LEVELS, Queues, Retry, Run, Section
from ringlet.scenario.switch import Host, Switch, with_preset_links
from ringlet.scenario.traffic import Traffic
from ringlet.scenario.transactions import HEADER_BYTES, TRANSACTIONS, MovingTransaction
from ringlet.scenario.units import cycles, magnitude
from ringlet.scenario.utilisation import utilisation
from ringlet.scenario.validation import as_ringlet_error
from ringlet.topology import Network as Rings
from ringlet.topology import Routes

DEFAULT_DURATION = "1 ms"
STALL_CYCLES = 1_000_000
STALL_REVOLUTIONS = 20
STALL_DELAYS = 20
LEAST_STALL_CYCLES = 25_000

QUICK_PAIRS = 1 << 18
"""Pairs of nodes up to which the optimum takes little time beside a run: 512 nodes that send to everyone."""

HISTOGRAM_FLOWS = 4096
"""Flows up to which latency histograms have 3 digits: one takes some 20 kB."""


class Scenario(Section):
    """A ring or a network of rings, its flow control, queues and traffic, and how long to simulate it."""

    network: Network = Field(description="Rings, nodes and switches.")
    switch: Switch = Field(Switch(), description="What the switches are made of.")
    host: Host = Field(Host(), description="What lies between nodes and rings.")
    flow_control: AnyFlowControl = Field(Sci(), description="Which node may send when.")
    queues: Queues = Field(Queues(), description="The queues of every node.")
    retry: Retry = Field(Retry(), description="When a refused packet is sent again.")
    errors: Errors = Field(Errors(), description="Links that lose packets, links and nodes that fail.")
    traffic: Traffic = Field(Traffic(), description="What the nodes send, where, and when.")
    run: Run = Field(Run(), description="How long to simulate.")
    messages: list[Message] | None = Field(
        None,
        min_length=1,
        description="A set of periodic messages. Without a `[traffic]` section there is no other traffic.",
    )
    messages_file: str | None = Field(
        None,
        description="The set from a CSV file, relative to the scenario file: a header with the keys of a message, then a "
        "line for each. A column `period` holds what a scenario would, `period_us` numbers in that unit.",
    )
    message_transaction: MovingTransaction = Field(
        "dmove64", description="The transaction that messages are cut into; a read moves the data to the source."
    )
    message_priorities: message_set.PriorityRule = Field(
        "given",
        description="`given`: each message's `priority`. `rate-monotonic`, `deadline-monotonic`: by period or deadline, "
        "the shortest highest, equal ones equal, all above the background traffic; `priority` does not count then.",
    )
    allow_late_deadlines: bool = Field(False, description="May deadlines be beyond their periods?")

    _folder: Path = PrivateAttr(Path())

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
        try:
            return cls.from_dict(content, base_dir=path.parent)
        except RingletError as error:
            from ringlet.scenario.positions import with_lines

            raise with_lines(error, path, overridden) from None

    @classmethod
    def of(cls, source: "Scenario | Mapping[str, Any] | str | Path") -> "Scenario":
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
        try:
            return cls.model_validate(content, context=Path() if base_dir is None else Path(base_dir))
        except ValidationError as error:
            raise as_ringlet_error(error, cls) from None
        except RecursionError:
            raise RingletError("scenario: nested too deeply") from None

    @model_validator(mode="before")
    @classmethod
    def _preset_links(cls, content: object) -> object:
        """Links are as fast as the switches' preset says, unless the file does."""
        return with_preset_links(content) if isinstance(content, Mapping) else content

    @model_validator(mode="before")
    @classmethod
    def _messages_alone(cls, content: object) -> object:
        """A set of messages without a traffic section is all the traffic there is."""
        if not isinstance(content, Mapping) or "traffic" in content:
            return content
        alone = any(content.get(key) is not None for key in ("messages", "messages_file"))
        return {**content, "traffic": Traffic(arrivals="none")} if alone else content

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> "Scenario":
        if isinstance(info.context, Path):
            self._folder = info.context
        check(self)
        return self

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> "Scenario":
        """Returns a scenario with other sections, checked like any other.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        del deep  # nothing in a scenario changes
        sections = {name: getattr(self, name) for name in type(self).model_fields}
        return self.from_dict({**sections, **(update or {})}, base_dir=self._folder)

    def to_dict(self) -> dict[str, Any]:
        """Returns what a file would hold, with all defaults, ready for JSON.

        A matrix file is replaced by its matrix; a trace, which may be too long for that, is named by its full path and its SHA-256.
        """
        content = self.model_dump(mode="json", exclude_none=True)
        if self.traffic.matrix_file is not None:
            del content["traffic"]["matrix_file"]
            content["traffic"]["matrix"] = [spec["weights"] for spec in self._pattern.destinations if spec is not None]
        if self.replay is not None:
            file = {"file": str(self.replay.stretch.file.absolute()), "sha256": self.replay.sha256}
            content["traffic"]["trace"] |= file
        if self.messages_file is not None:
            del content["messages_file"]
            content["messages"] = [message.model_dump(mode="json", exclude_none=True) for message in self._table]
        return content

    def __getstate__(self) -> dict[Any, Any]:
        """Leaves out what is computed from the rest."""
        state = super().__getstate__()
        computed = {name for name, value in vars(Scenario).items() if isinstance(value, cached_property)}
        state["__dict__"] = {key: value for key, value in state["__dict__"].items() if key not in computed}
        return state

    # What the other layers ask for.

    @property
    def folder(self) -> Path:
        """Where files that the scenario names start from."""
        return self._folder

    @property
    def symbol_time_ns(self) -> float:
        """Time of one symbol on a link, in ns: a cycle."""
        return flows.SYMBOL_BYTES / magnitude(self.network.link_rate, "byte/ns")

    @property
    def hop_delay_cycles(self) -> int:
        """Cycles from a node's output to the next one's."""
        return cycles(self.network.hop_delay, self.symbol_time_ns)

    @property
    def mean_send_symbols(self) -> float:
        """Mean length of a request packet of the background traffic, in symbols."""
        return self.traffic.moves.mean_request_bytes / flows.SYMBOL_BYTES + self.network.framing

    @property
    def mean_payload_symbols(self) -> float:
        """Mean data of a transaction of the background traffic, in 16-bit words; all of a bare send packet."""
        return self.traffic.moves.payload_bytes / flows.SYMBOL_BYTES

    @property
    def seed(self) -> int:
        """Seed of all random draws."""
        return self.run.seed

    @property
    def precision(self) -> float | None:
        """Relative half width at which to stop."""
        return self.run.precision

    @property
    def measured_cycles(self) -> int | None:
        """Cycles to measure, or with a precision the most; None: until the precision is reached, or the trace delivered."""
        if self.run.duration is None and (self.run.precision is not None or self.traffic.trace is not None):
            return None
        return cycles(self.run.duration or DEFAULT_DURATION, self.symbol_time_ns)

    @property
    def warmup(self) -> Any:  # noqa: ANN401 - int | Literal["auto"]
        """Cycles of the warm-up, or "auto"; a trace, or a message set alone, has none, so that its first packets count, nor has what fails."""
        if self.run.warmup == "auto":
            alone = (self.has_messages or self.traffic.trace is not None) and self.traffic.arrivals == "none"
            return 0 if self.errors.fail or alone else "auto"
        return cycles(self.run.warmup, self.symbol_time_ns)

    @cached_property
    def routed_network(self) -> tuple[Rings, Routes]:
        """Rings, nodes and switches, and how packets are routed."""
        return topologies.routed(self.network)

    @cached_property
    def replay(self) -> Replay | None:
        """The trace that is replayed; None without one. Its flows are the first ones of the engine's."""
        if self.traffic.trace is None:
            return None
        return Replay.of(
            self.traffic.trace,
            self._folder,
            nodes=self.network.nodes,
            levels=self.send_priorities,
            symbol_time_ns=self.symbol_time_ns,
        )

    @cached_property
    def link_errors(self) -> LinkErrors | None:
        """Errors and failures of links, resolved; None where nothing can be lost.

        Raises:
            RingletError: a link or node that is not there, or a time-out that is too short.
        """
        if not self.errors.lose:
            return None
        network = self.routed_network[0]
        listed = self.network.switches if self.network.topology == "rings" else None
        names = map(str, range(network.switches)) if listed is None else (switch.name for switch in listed)
        return LinkErrors(
            self.errors,
            network,
            switches={name: number for number, name in enumerate(names)},
            symbol_time_ns=self.symbol_time_ns,
            least_timeout=least_timeout_cycles(network, self.hop_delay_cycles, self.switch.links),
        )

    def traffic_matrix(self) -> NDArray[np.float64]:
        """Returns the probability that a packet of node `i` goes to node `j`, shape (nodes, nodes); rows sum to 1."""
        return self._pattern.matrix()

    @property
    def has_messages(self) -> bool:
        """Whether there is a message set."""
        return self.messages is not None or self.messages_file is not None

    @property
    def periodic_messages(self) -> tuple[PeriodicMessage, ...]:
        """The message set in cycles and packets; empty without one. Their flows are the last ones of the engine's."""
        return self._messages

    @property
    def send_priorities(self) -> int:
        """Priorities that packets may have: the levels of the FIFOs, or fewer where SCI itself has some."""
        own = self.flow_control.send_priorities
        return min(self._levels, own) if own > 1 else self._levels

    def request_rates(self) -> list[float]:
        """Returns each node's background requests per cycle that its load makes, 0 without a load."""
        return flows.request_rates(self.traffic, self.network.nodes, self.symbol_time_ns)

    def attempted_throughput(self) -> NDArray[np.float64]:
        """Returns what each node attempts to put on its link, in symbols per cycle with each packet's idle, at most 1.

        This is the `d_i = min(1, lambda_i (L_i + 1))` of picker1994, equation (2).
        """
        nodes = self.network.nodes
        if self.traffic.arrivals in ("saturated", "closed"):
            return np.ones(nodes)
        rates = np.zeros(nodes) if self.traffic.arrivals == "none" else np.asarray(self.request_rates())
        return np.minimum(1.0, rates * (self.mean_send_symbols + 1))

    @cached_property
    def quick_optimum(self) -> Optimum | None:
        """The max-min fair allocation with echoes, for the figures of a run; None where it would take long."""
        return self.optimum(max_pairs=QUICK_PAIRS)

    @cached_property
    def paper_optimum(self) -> NDArray[np.float64] | None:
        """The optimum with echoes of picker1994, in words per cycle, for the figures of a run.

        None where its theory does not apply, or where it would take long.
        """
        return None if self.quick_optimum is None else paper_optimum(self)

    def optimum(self, *, echoes: bool = True, max_pairs: int = MAX_PAIRS) -> Optimum | None:
        """Returns what every node can get at best, max-min fair, with all that its packets use.

        A trace counts with its mean rates and the shares of its destinations, messages with their periods.

        Args:
            echoes: whether echoes and tickets count.
            max_pairs: of a flow and a destination; None is returned where there are more.
        """
        steady = self.steady_flows()
        return None if steady is None else optimum(self, steady, echoes=echoes, max_pairs=max_pairs)

    def steady_flows(self) -> Sequence[flows.Flow] | None:
        """Returns the flows of `network_spec`, those of a trace with their mean rates and shares of destinations.

        None where a trace has too many nodes for that.
        """
        if self.replay is None:
            return self._flows
        count = len(self.replay.survey.senders)
        trace = self.replay.mean_flows(self._flows[:count])
        return None if trace is None else (*trace, *self._flows[count:])

    def group_assignment(self) -> list[int] | list[list[int]]:
        """Returns each node's transmission group, or that of each source-destination pair, shape (nodes, nodes).

        Where software changes them, those of the start; without the protocol `grouped`, one group.
        """
        return self._groups

    def scaled(self, load_factor: float) -> "Scenario":
        """Returns the scenario with its messages so much faster: periods, deadlines and offsets divided by a factor.

        Raises:
            RingletError: a period shorter than a cycle.
        """
        table = message_set.scaled(self._table, load_factor, self.symbol_time_ns)
        return self.model_copy(update={"messages": table, "messages_file": None})

    def payloads(self) -> list[flows.Payload]:
        """Returns what of each flow of `network_spec` counts as data, in its order."""
        return [flow.payload for flow in self._flows]

    def warnings(self) -> list[str]:
        """Returns what is worth a warning before a run.

        Messages that need more than there is, a network that can deadlock; a matrix that was made one of probabilities, times
        in a table without their unit.
        """
        found = [*self._pattern.notes, *self._without_unit()]
        if self.network.switched:
            return [*found, *deadlock_warnings(self)]
        return [*found, *(utilisation(self.network_spec(self.seed)).warnings() if self.has_messages else [])]

    def _without_unit(self) -> list[str]:
        keys = {key for message in self._table for key in message.without_unit}
        if not keys:
            return []
        words = ", ".join(key for key in ("period", "deadline", "offset") if key in keys)
        unit = f"cycles of {self.symbol_time_ns:g} ns; a column period_us holds microseconds"
        return [f"{self.messages_file}: {words} without a unit: {unit}"]

    @cached_property
    def engine_spec(self) -> str:
        """The engine's NetworkSpec as JSON, made once for any number of runs: each says its seed beside it."""
        return json.dumps(self.network_spec(0), allow_nan=False)

    def network_spec(self, seed: int) -> dict[str, Any]:
        """Returns the engine's NetworkSpec: everything resolved to cycles, symbols and node numbers."""
        queues, nodes = self.queues, self.network.nodes
        longest = int(self.routed_network[0].ring_lengths.max())
        revolution = longest * self.hop_delay_cycles
        stall_after = self.run.stall_after
        stall = self._stall_cycles(revolution) if stall_after is None else self._cycles(stall_after)
        spec = {
            "seed": seed,
            "nodes": nodes,
            "hop_delay": self.hop_delay_cycles,
            "echo_symbols": ECHO_SYMBOLS + self.network.framing,
            "priorities": self._levels,
            "flow_control": self.flow_control.spec(self._ring),
            "receive_queue": {
                "capacity": _limit(queues.receive),
                "service_cycles": self._cycles(queues.service_time),
            },
            "response_capacity": _limit(queues.responses),
            "transmit_capacity": _limit(queues.transmit),
            "outstanding_limit": _limit(queues.outstanding),
            "window": _limit(queues.window),
            "order": queues.order,
            "retry": {
                "strategy": self.retry.strategy,
                "delay_cycles": self._cycles(self.retry.delay),
                "reservation": self.retry.reservation,
            },
            "flows": [dict(flow.spec) for flow in self._flows],
            "stall_cycles": max(1, stall),
            "latency_digits": 3 if len(self._flows) <= HISTOGRAM_FLOWS else 2,
        }
        errors = self.link_errors
        # A single ring is a network of one ring where it has what only networks have.
        if self.network.switched or errors is not None or self.retry.by == "responder":
            network = engine_network(
                self.network,
                self.switch,
                self.host,
                *self.routed_network,
                self.symbol_time_ns,
                data_bytes=self.traffic.moves.payload_bytes,
            )
            spec["network"] = {
                **network,
                "retry_by": self.retry.by,
                "errors": None if errors is None else errors.spec(),
            }
        return spec

    # How it is resolved.

    @cached_property
    def _pattern(self) -> Pattern:
        if self.replay is not None:
            check_keys(self.traffic)
            return self.replay.pattern()
        return build_pattern(self.traffic, self.routed_network[0], self._folder)

    @cached_property
    def _groups(self) -> list[int] | list[list[int]]:
        return self.flow_control.group_assignment(self._pattern)

    @cached_property
    def _table(self) -> list[Message]:
        if self.messages_file is not None:
            return read_messages(self._folder / self.messages_file)
        return self.messages or []

    @cached_property
    def _messages(self) -> tuple[PeriodicMessage, ...]:
        background = self.traffic.priorities or self.traffic.priority
        highest = max(background) if isinstance(background, list) else background
        return tuple(
            message_set.resolve(
                self._table,
                nodes=self.network.nodes,
                symbol_time_ns=self.symbol_time_ns,
                transaction=TRANSACTIONS[self.message_transaction],
                rule=self.message_priorities,
                late_deadlines=self.allow_late_deadlines,
                lowest=0 if self.traffic.arrivals == "none" else highest + 1,
                levels=self.send_priorities,
                path="messages" if self.messages_file is None else self.messages_file,
            )
        )

    @cached_property
    def _flows(self) -> tuple[flows.Flow, ...]:
        in_groups = self.flow_control.group_specs(self._groups, self.symbol_time_ns)
        framing, cycle_ns = self.network.framing, self.symbol_time_ns
        background = flows.background(
            self.traffic,
            self._pattern,
            in_groups,
            symbol_time_ns=cycle_ns,
            framing_symbols=framing,
            adapter=self.host.adapter,
        )
        transaction = TRANSACTIONS[self.message_transaction]
        if self.replay is not None:
            background = self.replay.flows(in_groups, framing_symbols=framing)
        return (*background, *flows.messages(self._messages, transaction, in_groups, framing_symbols=framing))

    @property
    def _levels(self) -> int:
        if self.queues.priorities is not None:
            return self.queues.priorities
        own = self.flow_control.send_priorities
        prioritised = self.flow_control.prioritised or self.has_messages
        return MAX_LEVELS if own == 1 and prioritised else own

    @property
    def _ring(self) -> Ring:
        lengths = {symbols for flow in self._flows for symbols, _ in flow.spec["sizes"]}
        lengths |= {flow.spec["response_symbols"] or 0 for flow in self._flows}
        return Ring(
            nodes=self.network.nodes,
            symbol_time_ns=self.symbol_time_ns,
            framing_symbols=self.network.framing,
            longest_symbols=max(lengths, default=flows.symbols(HEADER_BYTES, self.network.framing)),
            receive=_limit(self.queues.receive),
            refuses=self.network.switched or _limit(self.queues.receive) is not None,
        )

    def _stall_cycles(self, revolution: int) -> int:
        """Cycles without progress that are a stall: in a network no more than a quarter of the time measured, or its end would come first."""
        most = STALL_CYCLES
        if self.network.switched and self.measured_cycles is not None:
            switch, host, errors = self.switch, self.host, self.link_errors
            crossing = sum(map(self._cycles, (switch.set_up, switch.to_link, switch.from_link)))
            at_host = sum(
                map(self._cycles, (host.fill_time, host.fill_delay, host.receive_delay, self.queues.service_time))
            )
            slowest = max(crossing, at_host, 0 if errors is None else errors.timeout_cycles)
            most = min(most, max(self.measured_cycles // 4, LEAST_STALL_CYCLES, STALL_DELAYS * slowest))
        return max(most, STALL_REVOLUTIONS * revolution)

    def _cycles(self, value: float | str) -> int:
        return cycles(value, self.symbol_time_ns)


def _limit(value: int | str) -> int | None:
    return None if isinstance(value, str) else value
