"""The scenario: what to simulate, typed and validated."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, model_validator

from ringlet.errors import RingletError
from ringlet.scenario import groups
from ringlet.scenario.files import read_text
from ringlet.scenario.messages import as_ringlet_error
from ringlet.scenario.patterns import Pattern, build_pattern
from ringlet.scenario.sections import DEFAULT_PRESET, FlowControl, Network, Queues, Retry, Run, Section
from ringlet.scenario.traffic import Traffic
from ringlet.scenario.units import MAX_CYCLES, cycles, magnitude, words_per_cycle

PRESETS = {"A": ("unblocked", "after-send"), "B": ("all", "none")}
"""Release and go-bit extension of each preset."""

OPTIONS = {
    "none": (),
    "sci": ("preset", "release", "extension", "priorities"),
    "grouped": ("preset", "release", "extension", "groups", "assignment", "schedule"),
}
"""The flow-control options of each protocol."""

SYMBOL_BYTES = 2
GROSS_BYTES = 4
"""Idles that a gross load counts for each packet: 84 bytes for one of 80."""

MAX_HOP_DELAY_CYCLES = 1_000_000
DEFAULT_DURATION = "1 ms"
STALL_CYCLES = 1_000_000
STALL_REVOLUTIONS = 20


class Scenario(Section):
    """One ring, its flow control, queues and traffic, and how long to simulate it."""

    network: Network = Field(description="The ring.")
    flow_control: FlowControl = Field(FlowControl(), description="Which node may send when.")
    queues: Queues = Field(Queues(), description="The queues of every node.")
    retry: Retry = Field(Retry(), description="When a refused packet is sent again.")
    traffic: Traffic = Field(Traffic(), description="What the nodes send, where, and when.")
    run: Run = Field(Run(), description="How long to simulate.")

    _folder: Path = PrivateAttr(Path())

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Scenario":
        """Reads a TOML file; each override `KEY=VALUE` replaces one key, such as `traffic.load="50 MB/s"`.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        path = Path(path)
        text = read_text(path, "a TOML file")
        if not text.strip():
            raise RingletError.not_allowed(
                str(path), "<an empty file>", "a scenario; it has at least [network] with nodes"
            )
        try:
            content = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            # Not only TOMLDecodeError: a number may have more digits than Python takes.
            raise RingletError(f"{path}: not a TOML file: {error}") from None
        for override in overrides:
            apply_override(content, override)
        return cls.from_dict(content, base_dir=path.parent)

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

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> "Scenario":
        if isinstance(info.context, Path):
            self._folder = info.context
        self._check()
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
        """Returns what a file would hold, with all defaults, ready for JSON; a matrix file is replaced by its matrix."""
        content = self.model_dump(mode="json", exclude_none=True)
        if self.traffic.matrix_file is not None:
            del content["traffic"]["matrix_file"]
            content["traffic"]["matrix"] = [spec["weights"] for spec in self._pattern.destinations]
        return content

    def __getstate__(self) -> dict[Any, Any]:
        """Leaves out what is computed from the rest."""
        state = super().__getstate__()
        computed = ("_pattern", "_groups")
        state["__dict__"] = {key: value for key, value in state["__dict__"].items() if key not in computed}
        return state

    # What the other layers ask for.

    @property
    def symbol_time_ns(self) -> float:
        """Time of one symbol on a link, in ns: a cycle."""
        return SYMBOL_BYTES / magnitude(self.network.link_rate, "byte/ns")

    @property
    def hop_delay_cycles(self) -> int:
        """Cycles from a node's output to the next one's."""
        return cycles(self.network.hop_delay, self.symbol_time_ns)

    @property
    def mean_send_symbols(self) -> float:
        """Mean length of a send packet, in symbols."""
        return float(sum(symbols * share for symbols, share in self.traffic.sizes_symbols))

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
        """Cycles to measure, or with a precision the most; None: until the precision is reached."""
        if self.run.duration is None and self.run.precision is not None:
            return None
        return cycles(self.run.duration or DEFAULT_DURATION, self.symbol_time_ns)

    @property
    def warmup(self) -> Any:  # noqa: ANN401 - int | Literal["auto"]
        """Cycles of the warm-up, or "auto"."""
        return "auto" if self.run.warmup == "auto" else cycles(self.run.warmup, self.symbol_time_ns)

    def traffic_matrix(self) -> NDArray[np.float64]:
        """Returns the probability that a packet of node `i` goes to node `j`, shape (nodes, nodes); rows sum to 1."""
        return self._pattern.matrix()

    def load_words_per_cycle(self) -> list[float]:
        """Returns each node's offered load in words of send packets per cycle; 1 for a saturated node."""
        nodes = self.network.nodes
        if self.traffic.arrivals == "saturated" or self.traffic.load is None:
            return [1.0] * nodes
        loads = self.traffic.load if isinstance(self.traffic.load, list) else [self.traffic.load] * nodes
        mean = self.mean_send_symbols
        share = 1.0 if self.traffic.load_counts == "payload" else mean / (mean + GROSS_BYTES / SYMBOL_BYTES)
        return [words_per_cycle(load, self.symbol_time_ns) * share for load in loads]

    def attempted_throughput(self) -> NDArray[np.float64]:
        """Returns what each node attempts to put on its link, in symbols per cycle with each packet's idle, at most 1.

        This is the `d_i = min(1, lambda_i (L_i + 1))` of picker1994, equation (2).
        """
        with_idle = 1 + 1 / self.mean_send_symbols
        return np.minimum(1.0, np.asarray(self.load_words_per_cycle()) * with_idle)

    def group_assignment(self) -> list[int] | list[list[int]]:
        """Returns each node's transmission group, or that of each source-destination pair, shape (nodes, nodes).

        Where software changes them, those of the start; without the protocol `grouped`, one group.
        """
        return self._groups

    def network_spec(self, seed: int) -> dict[str, Any]:
        """Returns the engine's NetworkSpec: everything resolved to cycles, symbols and node numbers."""
        queues, nodes = self.queues, self.network.nodes
        revolution = nodes * self.hop_delay_cycles
        stall_after = self.run.stall_after
        stall = max(STALL_CYCLES, STALL_REVOLUTIONS * revolution) if stall_after is None else self._cycles(stall_after)
        return {
            "seed": seed,
            "nodes": nodes,
            "hop_delay": self.hop_delay_cycles,
            "flow_control": self._flow_control_spec(),
            "receive_queue": {
                "capacity": _limit(queues.receive),
                "service_cycles": self._cycles(queues.service_time),
            },
            "transmit_capacity": _limit(queues.transmit),
            "outstanding_limit": _limit(queues.outstanding),
            "retry": {"strategy": self.retry.strategy, "delay_cycles": self._cycles(self.retry.delay)},
            "flows": self._flows(),
            "stall_cycles": max(1, stall),
            # A histogram of 3 digits takes some 20 kB per node.
            "latency_digits": 3 if nodes <= 4096 else 2,
        }

    # How it is resolved.

    @cached_property
    def _pattern(self) -> Pattern:
        return build_pattern(self.traffic, self.network.nodes, self._folder)

    @cached_property
    def _groups(self) -> list[int] | list[list[int]]:
        return groups.assignment(self.flow_control, self._pattern)

    def _cycles(self, value: float | str) -> int:
        return cycles(value, self.symbol_time_ns)

    def _flow_control_spec(self) -> dict[str, Any]:
        options = self.flow_control
        if options.protocol == "none":
            return {"protocol": "none"}
        release, extension = PRESETS[options.preset or DEFAULT_PRESET]
        spec = {
            "protocol": options.protocol,
            "extension": options.extension or extension,
            "release": options.release or release,
        }
        if options.protocol == "sci":
            return {**spec, "priorities": options.priorities or 1}
        return {**spec, "groups": groups.group_count(options)}

    def _flows(self) -> list[dict[str, Any]]:
        traffic, nodes = self.traffic, self.network.nodes
        sizes = traffic.sizes_symbols
        group_specs = groups.group_specs(self.flow_control, self._groups, self.symbol_time_ns)
        priorities = traffic.priority if isinstance(traffic.priority, list) else [traffic.priority] * nodes
        phases = traffic.phase if isinstance(traffic.phase, list) else [traffic.phase] * nodes
        flows = []
        for node, load in enumerate(self.load_words_per_cycle()):
            if load == 0:
                continue
            flows.append(
                {
                    "source": node,
                    "priority": priorities[node],
                    "arrivals": self._arrivals(load / self.mean_send_symbols, phases[node]),
                    "sizes": sizes,
                    "destinations": self._pattern.destinations[node],
                    "groups": group_specs[node],
                }
            )
        return flows

    def _arrivals(self, rate: float, phase: float | str) -> dict[str, Any]:
        match self.traffic.arrivals:
            case "saturated":
                return {"kind": "saturated"}
            case "periodic":
                return {"kind": "periodic", "period": 1 / rate, "phase": float(self._cycles(phase))}
            case kind:
                return {"kind": kind, "rate": rate}

    # What only the sections together can show.

    def _check(self) -> None:
        if self.hop_delay_cycles > MAX_HOP_DELAY_CYCLES:
            allowed = f"at most {MAX_HOP_DELAY_CYCLES} cycles of {self.symbol_time_ns:g} ns"
            raise RingletError.not_allowed("network.hop_delay", self.network.hop_delay, allowed)
        self._check_times()
        self._check_options()
        self._check_per_node()
        self._check_load()
        # Builds, and so checks, destinations and groups.
        groups.group_specs(self.flow_control, self._groups, self.symbol_time_ns)

    def _check_times(self) -> None:
        phase, steps = self.traffic.phase, self.flow_control.schedule or []
        times = {
            "queues.service_time": self.queues.service_time,
            "retry.delay": self.retry.delay,
            "run.duration": self.run.duration,
            "run.warmup": self.run.warmup,
            "run.stall_after": self.run.stall_after,
            **({f"traffic.phase[{i}]": one for i, one in enumerate(phase)} if isinstance(phase, list) else {}),
            **({} if isinstance(phase, list) else {"traffic.phase": phase}),
            **{f"flow_control.schedule[{i}].at": step.at for i, step in enumerate(steps)},
        }
        for path, value in times.items():
            if value not in (None, "auto") and self._cycles(value) > MAX_CYCLES:
                allowed = f"at most 2^53 cycles of {self.symbol_time_ns:g} ns"
                raise RingletError.not_allowed(path, value, allowed)
        total = (self.measured_cycles or 0) + (0 if self.run.warmup == "auto" else self.warmup)
        if total > MAX_CYCLES:
            allowed = "together with run.duration at most 2^53 cycles"
            raise RingletError.not_allowed("run.warmup", self.run.warmup, allowed)

    def _check_options(self) -> None:
        options = self.flow_control
        allowed = OPTIONS[options.protocol]
        for key in FlowControl.model_fields:
            value = getattr(options, key)
            if key != "protocol" and key not in allowed and value is not None:
                has = f"it has {', '.join(allowed)}" if allowed else "it has none"
                message = f"protocol {options.protocol!r} has no such option; {has}"
                raise RingletError.not_allowed(f"flow_control.{key}", value, message)
        if options.assignment is not None and options.schedule is not None:
            raise RingletError(
                "flow_control.schedule: given together with flow_control.assignment; one of them is allowed"
            )

    def _check_per_node(self) -> None:
        nodes = self.network.nodes
        for key in ("load", "phase", "priority"):
            value = getattr(self.traffic, key)
            if isinstance(value, list) and len(value) != nodes:
                allowed = f"one value, or {nodes}, one per node"
                raise RingletError.not_allowed(f"traffic.{key}", f"<{len(value)} values>", allowed)
        levels = self.flow_control.priorities or 1
        priority = self.traffic.priority
        for i, level in enumerate(priority if isinstance(priority, list) else [priority]):
            if level >= levels:
                where = f"traffic.priority[{i}]" if isinstance(priority, list) else "traffic.priority"
                allowed = f"below {levels}, which flow_control.priorities sets"
                raise RingletError.not_allowed(where, level, allowed)
        if self.traffic.phase != 0 and self.traffic.arrivals != "periodic":
            raise RingletError.not_allowed(
                "traffic.phase", self.traffic.phase, "a phase belongs to arrivals 'periodic'"
            )

    def _check_load(self) -> None:
        traffic = self.traffic
        if traffic.arrivals == "saturated":
            return
        if traffic.load is None:
            raise RingletError(f"traffic.load: missing; arrivals {traffic.arrivals!r} need it")
        # At most one packet per cycle for Bernoulli arrivals, and a period of at least a cycle.
        most = 1000.0 if traffic.arrivals == "poisson" else 1.0
        for i, load in enumerate(self.load_words_per_cycle()):
            if load / self.mean_send_symbols > most:
                where = f"traffic.load[{i}]" if isinstance(traffic.load, list) else "traffic.load"
                value = traffic.load[i] if isinstance(traffic.load, list) else traffic.load
                allowed = f"at most {most:g} packets per cycle ({most * self.mean_send_symbols:g} words per cycle)"
                raise RingletError.not_allowed(where, value, allowed)
            if 0 < load < self.mean_send_symbols / MAX_CYCLES:
                raise RingletError.not_allowed("traffic.load", traffic.load, "0, or at least one packet in 2^53 cycles")


def _limit(value: int | str) -> int | None:
    return None if isinstance(value, str) else value


def apply_override(content: dict[str, Any], override: str) -> None:
    """Sets one key of a file's content, given as `KEY=VALUE` with VALUE as in TOML, or a bare string.

    Raises:
        RingletError: no `KEY=VALUE`, or the key leads through something that is not a table.
    """
    key, equals, text = override.partition("=")
    names = key.strip().split(".")
    if not equals or not all(names):
        raise RingletError.not_allowed("--set", override, "KEY=VALUE, such as traffic.load='50 MB/s'")
    try:
        parsed = tomllib.loads(f"value = {text.strip()}")
        value = parsed["value"] if len(parsed) == 1 else text.strip()
    except (ValueError, RecursionError):
        # Not only TOMLDecodeError: a number may have more digits than Python takes.
        value = text.strip()
    table = content
    for depth, name in enumerate(names[:-1]):
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            raise RingletError.not_allowed("--set", override, f"{'.'.join(names[: depth + 1])} is not a table")
        table = inner
    table[names[-1]] = value
