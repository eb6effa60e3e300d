"""Schedulability: the share of random message sets whose deadlines are met, against utilisation."""

import json
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ringlet.analysis.message_sets import random_set
from ringlet.errors import RingletError
from ringlet.executors import Workers, open_workers
from ringlet.executors.execute import execute
from ringlet.lazy import library
from ringlet.scenario import Scenario, flow_control
from ringlet.scenario.file.kinds import lines_named, read_kind
from ringlet.scenario.values.maxima import MAX_DRIFT_PPM, MAX_SEED
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.scenario.values.units import PositiveTime, exact_cycles
from ringlet.sections import After, Field, Section
from ringlet.sections.json_schema import published
from ringlet.simulation import engine_version
from ringlet.simulation.breakdown import first_miss
from ringlet.simulation.phases import LEAST_TRIALS, MOST_TRIALS, PhaseSearch, PhaseTrials, random_of
from ringlet.store import Store
from ringlet.studies.set_store import WAYS, Accepted, Computed, SetTask, StoredSets
from ringlet.studies.worker import check_version
from ringlet.theory.guarantee import guarantees

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

SHOWN_PERIODS = 2
"""Longest periods that a simulation lasts, and the longest deadline."""

LIGHT = 0.01
"""Utilisation of a set that is made to see whether all protocols take it."""

MAX_SETS = 1_000_000


def _without_messages(scenario: dict[str, Any]) -> dict[str, Any]:
    for key in ("messages", "messages_file", "traffic", "flow_control"):
        if key in scenario:
            raise RingletError.not_allowed(f"scenario.{key}", f"<[{key}]>", "none: the study makes it")
    return scenario


class Schedulability(Section):
    """A schedulability study: random message sets, under several protocols, at several utilisations."""

    scenario: Annotated[dict[str, Any], After(_without_messages)] = Field(
        description="What all have in common, as in a scenario file without messages and traffic."
    )
    protocols: Annotated[list[dict[str, Any]], Field(min_length=1)] = Field(
        description="A `[flow_control]` section of each protocol that is compared."
    )
    utilisations: Annotated[list[Annotated[float, Field(gt=0, le=1)]], Field(min_length=1)] = Field(
        description="Of the busiest link, by packets and echoes; above 0 and at most 1."
    )
    sets: Annotated[int, Field(ge=1, le=MAX_SETS)] = Field(default=100, description="Sets at each utilisation.")
    messages: Annotated[int, Field(ge=1, le=4096)] = Field(default=16, description="Of a set.")
    most_packets: Annotated[int, Field(ge=1, le=1024)] = Field(
        default=1, description="Into which a message is cut at most."
    )
    periods: Annotated[list[PositiveTime], Field(min_length=2, max_length=2)] = Field(
        description="Shortest and longest at full utilisation; drawn log-uniform. Deadlines are the periods."
    )
    priorities: Annotated[int, Field(ge=1, le=64)] = Field(default=1, description="Priorities of the messages.")
    jitter: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0, description="Jitter of each message, as a share of its period."
    )
    drift: Annotated[float, Field(ge=0, lt=MAX_DRIFT_PPM)] = Field(
        default=0,
        description="Most by which clocks drift, in parts per million: that of each node is drawn between this below "
        "and this above 0.",
    )
    sporadic: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0, description="Mean time beyond the period until a message comes again, as a share of the period."
    )
    simulate: bool = Field(
        default=True, description="Simulate each set, all messages released at once, beside its guarantee?"
    )
    trials: Annotated[int, Field(ge=LEAST_TRIALS, le=MOST_TRIALS)] | None = Field(
        default=None,
        description="Trials of other phases of each set that is simulated without a miss. Default: no search.",
    )
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = Field(default=1, description="Seed of all sets.")

    @classmethod
    def load(cls, path: str | Path) -> "Schedulability":
        """Reads a study from a TOML file.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        path = Path(path)
        content = read_kind(path, "a schedulability study")
        with lines_named(path):
            study = cls.from_dict(content)
            study.check()
        return study

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Schedulability":
        """Returns the study with the content of a file.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        return cls.checked(content, named="study")

    def check(self) -> None:
        """Raises RingletError if the sets cannot be made or simulated."""
        bare = Scenario.from_dict({**self.scenario, "flow_control": self.protocols[0]})
        if bare.network.switched:
            allowed = "'ring': sets are drawn for the links of one ring"
            raise RingletError.not_allowed("scenario.network.topology", bare.network.topology, allowed)
        if bare.network.nodes < 2:
            allowed = "at least 2 nodes: messages of a set go from a node to another one"
            raise RingletError.not_allowed("scenario.network.nodes", bare.network.nodes, allowed)
        low, high = (exact_cycles(period, bare.symbol_time_ns) for period in self.periods)
        if not 1 <= low <= high:
            raise RingletError.not_allowed("periods", self.periods, "the shortest, at least a cycle, then the longest")
        for i in range(len(self.protocols)):
            guarantees(self.scenario_of(0, LIGHT, i))

    def unproven(self) -> dict[str, str]:
        """Returns why nothing is guaranteed under a protocol, however light a set is; of those where that is so."""
        found = {}
        for i, name in enumerate(protocol_names(self)):
            of_light = guarantees(self.scenario_of(0, LIGHT, i))
            if all(one.bound_cycles is None for one in of_light):
                found[name] = str(of_light[0].why)
        return found

    def scenario_of(self, number: int, utilisation: float, protocol: int) -> Scenario:
        """Returns a set, scaled to a utilisation, under a protocol; the same number is the same set at each of them."""
        bare = Scenario.from_dict({**self.scenario, "flow_control": self.protocols[protocol]})
        transaction = TRANSACTIONS[bare.resolved.message_keys.message_transaction]
        packet = bare.resolved.link_format.symbols(int(transaction.carrier_bytes)) + 1
        cycle_ns = bare.symbol_time_ns
        low, high = (exact_cycles(period, cycle_ns) for period in self.periods)
        # Drawn at full utilisation and slowed down, so that the shares of its messages stay.
        made = random_set(
            np.random.default_rng([self.seed, number]),
            nodes=bare.network.nodes,
            messages=self.messages,
            utilisation=1.0,
            periods=(low, high),
            packet=packet,
            echo=bare.resolved.echo_cost_symbols,
            most_packets=self.most_packets,
            levels=self.priorities,
        )
        # A stream of its own, so that the sets are those without drift.
        clocks = np.random.default_rng([self.seed, number, 1]).uniform(-self.drift, self.drift, bare.network.nodes)
        rows = zip(made.source, made.destination, made.packets, made.period, made.level, strict=True)
        messages = [
            {
                "name": str(i),
                "source": int(source),
                "destination": int(destination),
                "size": int(packets * transaction.payload_bytes),
                "period": float(period / utilisation),
                "priority": int(level),
                "jitter": float(self.jitter * period / utilisation),
                "drift": float(clocks[source]),
                "sporadic": float(self.sporadic * period / utilisation),
            }
            for i, (source, destination, packets, period, level) in enumerate(rows)
        ]
        return Scenario.from_dict({**self.scenario, "flow_control": self.protocols[protocol], "messages": messages})


def schedulability_schema() -> dict[str, Any]:
    """Returns the JSON Schema of schedulability studies, for editors."""
    return published("schedulability", Schedulability.json_schema())


def schedulability(
    study: Schedulability | Mapping[str, Any] | str | Path,
    *,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple["pd.DataFrame", "pd.DataFrame"]:
    """Returns the acceptance ratios of random message sets, and their breakdown utilisations.

    The first table has a row per protocol and utilisation: the shares of the sets of which every deadline is guaranteed
    (`guaranteed`), of which none was missed in a simulation with all messages released at once, nor in `trials` of
    other phases (`searched`, NaN without), and of which none was missed in that simulation (`simulated`, NaN without).
    The second one has a row per protocol: the means over the sets of the highest utilisation of the study up to which
    the set, slowed down, was accepted at every one, 0 where at none. `guaranteed` is NaN for a protocol under which no
    bound is proven for any set.

    >>> import ringlet as rl
    >>> study = {"scenario": {"network": {"nodes": 4}}, "protocols": [{"protocol": "sci"}], "utilisations": [0.1]}
    >>> accepted, _ = rl.schedulability(study | {"sets": 2, "messages": 2, "periods": ["1 us", "20 us"]}, workers=1)
    >>> accepted["simulated"].tolist()
    [1.0]

    Args:
        study: or the path of its file, or what the file holds.
        executor: as for `sweep`.
        workers: processes on this machine; default: one per core.
        store: a `Store`, or a file, made if it is missing: what it holds of the study is not computed again; default:
            in memory.
        progress: called with the number of sets done and of all.

    Raises:
        RingletError: a bad study; what is finished is kept in the store.
    """
    if not isinstance(study, Schedulability):
        study = Schedulability.load(study) if isinstance(study, str | Path) else Schedulability.from_dict(study)
    study.check()
    found = list(_found(study, executor=executor, workers=workers, store=store, progress=progress))
    table = pd.DataFrame([asdict(one) for one in found]).astype(dict.fromkeys(WAYS, float))
    names = dict(enumerate(protocol_names(study)))
    ratios = table.groupby(["protocol", "utilisation"])[list(WAYS)].mean().rename(index=names, level=0)
    # Up to the first utilisation at which a set is not accepted.
    ordered = table.sort_values("utilisation").set_index(["protocol", "number", "utilisation"])
    kept = ordered.groupby(level=["protocol", "number"]).cummin()
    reached = kept.mul(kept.index.get_level_values("utilisation"), axis=0).groupby(level=["protocol", "number"]).max()
    mean = reached.groupby(level="protocol").mean().rename(index=names)
    for name in study.unproven():
        ratios.loc[name, "guaranteed"] = mean.loc[name, "guaranteed"] = np.nan
    return ratios, mean


def protocol_names(study: Schedulability) -> list[str]:
    """Returns what the protocols are called: by their names, and by their options where a name is there twice."""
    names = [str(section.get("protocol", flow_control.protocol.DEFAULT_PROTOCOL)) for section in study.protocols]
    return [
        name
        if names.count(name) == 1
        else " ".join([name, *(f"{key}={value}" for key, value in section.items() if key != "protocol")])
        for name, section in zip(names, study.protocols, strict=True)
    ]


def _found(
    study: Schedulability,
    *,
    executor: Executor | Workers | str | None,
    workers: int | None,
    store: Store | str | Path | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Accepted]:
    """Yields what became of each set, those that the store has first; what is computed is stored at once."""
    opened = store if isinstance(store, Store) else Store.open(store)
    sets = StoredSets(opened, study.table(with_none=True, without={"sets"}), engine_version())
    try:
        missing = []
        for number in range(study.sets):
            there = sets.find(number)
            if there is None:
                missing.append(number)
            else:
                yield from there
        done, left = study.sets - len(missing), iter(missing)

        def take() -> SetTask | None:
            number = next(left, None)
            return None if number is None else SetTask(number, sets.content, sets.engine)

        with open_workers(executor, workers=workers) as at:
            for outcomes in execute(computed, take, at):
                for part in sets.keep(outcomes):
                    yield from part
                done += len(outcomes)
                if progress is not None:
                    progress(done, study.sets)
    finally:
        if opened is not store:
            opened.close()


def computed(task: SetTask) -> Computed:
    """Draws a set and tries it at each utilisation under each protocol, in a worker.

    A guarantee at a utilisation holds at each lower one: what the slower set releases, the faster one may release, and
    its deadlines are longer. So the highest one is found by bisection.

    Raises:
        VersionError: this worker has other code.
    """
    check_version(task.engine)
    start = time.perf_counter()
    study = Schedulability.from_dict(json.loads(task.content))
    found = []
    steps = sorted(set(study.utilisations))
    for protocol in range(len(study.protocols)):
        scenarios = [study.scenario_of(task.number, utilisation, protocol) for utilisation in steps]
        simulated = [_meets_deadlines(scenario) if study.simulate else None for scenario in scenarios]
        searched = [
            None if study.trials is None or met is None else met and not _misses_in_trials(scenario, study.trials)
            for scenario, met in zip(scenarios, simulated, strict=True)
        ]
        # A deadline that is missed cannot be guaranteed.
        missed = [simulated.index(False) if False in simulated else len(steps)]
        missed += [searched.index(False) if False in searched else len(steps)]
        candidates = scenarios[: min(missed)]
        guaranteed = bisect_left(candidates, True, key=lambda scenario: not _is_guaranteed(scenario))
        found += [
            Accepted(task.number, protocol, utilisation, i < guaranteed, searched[i], simulated[i])
            for i, utilisation in enumerate(steps)
        ]
    return Computed(tuple(found), time.perf_counter() - start)


def _meets_deadlines(scenario: Scenario) -> bool:
    messages = scenario.periodic_messages
    longest = max(message.period_cycles for message in messages)
    cycles = SHOWN_PERIODS * longest + max(message.deadline_cycles for message in messages)
    return first_miss(scenario, int(cycles)) is None


def _misses_in_trials(scenario: Scenario, trials: int) -> bool:
    search = PhaseSearch(PhaseTrials(scenario), random_of(scenario))
    return any(bool((search.step()[1] > search.trials.deadlines).any()) for _ in range(trials))


def _is_guaranteed(scenario: Scenario) -> bool:
    try:
        return all(one.holds for one in guarantees(scenario))
    except RingletError:
        # More is needed than there is.
        return False
