"""Breakdown utilisation under several protocols: searched for by a sweep's workers, and kept in its store."""

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ringlet.errors import RingletError
from ringlet.executors import Workers, open_workers
from ringlet.executors.execute import execute
from ringlet.lazy import library
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.sections.wording import counted
from ringlet.simulation import engine_version
from ringlet.simulation.breakdown import Breakdown, breakdown_of, protocols_able, with_protocol
from ringlet.simulation.phases import check_trials
from ringlet.store import Record, Store, canonical_json, result_key, scenario_digest
from ringlet.store.store import without_seed
from ringlet.studies.worker import check_version

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

TRIALS = 300
"""Trials of phases that a breakdown makes unless it is said."""

LEAST_TOLERANCE = 1e-6
"""A finer one is beyond the resolution of periods in cycles."""


class Search(NamedTuple):
    """The search for the breakdown under one protocol: text and numbers only, as it travels."""

    scenario_json: str
    """The scenario under the protocol, without files and without its seed."""
    seed: int
    tolerance: float
    trials: int
    engine: str
    """Version of the code that is to search."""

    @property
    def content(self) -> str:
        """The search as a document, from which its key in the store is computed."""
        searched = {"tolerance": self.tolerance, "trials": self.trials}
        return canonical_json({**json.loads(self.scenario_json), "breakdown": searched})

    @property
    def key(self) -> str:
        """The key of the store."""
        return result_key(scenario_digest(self.content), self.seed, self.engine)


def breakdown(
    scenario: ScenarioLike,
    protocols: Sequence[str] | None = None,
    *,
    tolerance: float = 0.01,
    trials: int = TRIALS,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
) -> "pd.DataFrame":
    """Returns the breakdown factors and utilisation of a message set, a row per protocol.

    The set runs faster and faster, all periods, deadlines and offsets divided by a load factor, until a deadline is
    missed (Lehoczky, Sha and Ding 1989); background traffic stays as it is. There are three factors, each found to
    within `tolerance`:

    - `breakdown_factor`: the set in its own phases, each simulation from cycle 0 for the largest offset, the
      hyperperiod (at least 2 and at most 20 of the longest periods), and the longest deadline;
    - `searched_factor`: the largest at which no trial of other phases missed a deadline; `searched_miss` misses its
      deadline a little above, in the scenario `witness`;
    - `guaranteed_factor`: the largest at which all deadlines are guaranteed in all phases, NaN where none are
      (`why_unproven`).

    Between the last two nothing is known.

    >>> import ringlet as rl
    >>> messages = [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}]
    >>> ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": messages}
    >>> rl.breakdown(ring, ["token-ring"], tolerance=0.5, workers=1).index.tolist()
    ['token-ring']

    Args:
        scenario: with messages; its options of flow control hold for its own protocol, others have their defaults.
        protocols: to compare; default: all that can run the set.
        tolerance: relative distance of the largest factor without a miss from one with it, 1e-6 to below 1.
        trials: simulations of other phases under each protocol.
        executor: as for `sweep`.
        workers: processes on this machine; default: one per core, at most one per protocol.
        store: a `Store`, or a file, made if it is missing; what is in it is not searched for again. Default: in memory.

    Raises:
        RingletError: no messages, an unknown protocol, or a protocol that cannot run the scenario.
        OSError: the store's disk is full or fails; what is finished is kept.
    """
    found = breakdowns(
        scenario, protocols, tolerance=tolerance, trials=trials, executor=executor, workers=workers, store=store
    )
    table = pd.DataFrame([asdict(one) for one in found]).set_index("protocol")
    return table.astype({"guaranteed_factor": float})


def breakdowns(
    scenario: ScenarioLike,
    protocols: Sequence[str] | None = None,
    *,
    tolerance: float = 0.01,
    trials: int = TRIALS,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Breakdown]:
    """Returns what `breakdown` tabulates; `progress` is called with the number of protocols done and of all."""
    scenario = Scenario.of(scenario)
    if scenario.resolved.flow_keys.has_flows:
        # The rates of flows would have to grow with the messages', and most flows have no deadline that says how far.
        key = "flows" if scenario.resolved.flow_keys.flows_file is None else "flows_file"
        value = f"<{counted(len(scenario.resolved.flow_table), 'flow')}>"
        allowed = (
            "none for a breakdown, which has the factor of messages: flows with a period and a deadline may stand "
        )
        raise RingletError.not_allowed(key, value, f"{allowed}among these")
    if not scenario.resolved.message_keys.has_messages:
        raise RingletError("messages: missing; a breakdown needs messages or messages_file")
    if scenario.replay is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", "none beside messages, for a breakdown")
    if not LEAST_TOLERANCE <= tolerance < 1:
        raise RingletError.not_allowed("tolerance", tolerance, f"at least {LEAST_TOLERANCE:g} and below 1")
    check_trials(trials)
    if workers is not None and workers < 1:
        raise RingletError.not_allowed("workers", workers, "at least 1")
    # All are checked before the first is simulated.
    tried = protocols_able(scenario)[0] if protocols is None else dict.fromkeys(protocols)
    variants = [with_protocol(scenario, protocol) for protocol in tried]
    if not variants:
        raise RingletError("protocols: missing; at least one is needed")
    searches = [_search(variant, tolerance, trials) for variant in variants]
    opened = store if isinstance(store, Store) else Store.open(store)
    try:
        left = [search for search in searches if opened.find(search.key) is None]
        done = len(searches) - len(left)
        if left:
            if executor is None and len(left) == 1:
                workers = 1
            with open_workers(executor, workers=workers) as at:
                for outcomes in execute(breakdown_record, partial(next, iter(left), None), at):
                    with opened.transaction():
                        for search, record in ((one.task, one.found) for one in outcomes if one.found is not None):
                            opened.put(search.content, search.seed, search.engine, record)
                    done += sum(one.value() is not None for one in outcomes)
                    if progress is not None:
                        progress(done, len(searches))
        return [_kept(opened, search) for search in searches]
    finally:
        if opened is not store:
            opened.close()


def breakdown_record(search: Search) -> Record:
    """Searches for a breakdown, in a worker.

    Raises:
        VersionError: this worker has other code.
        RingletError: the engine cannot simulate the scenario.
    """
    check_version(search.engine)
    content = json.loads(search.scenario_json)
    scenario = Scenario.from_dict({**content, "run": {**content["run"], "seed": search.seed}})
    start = time.perf_counter()
    found = asdict(breakdown_of(scenario, search.tolerance, search.trials))
    figures = {key: value for key, value in found.items() if isinstance(value, int | float)}
    return Record.of_figures(figures, {"breakdown": found}, wall_s=time.perf_counter() - start)


def _search(scenario: Scenario, tolerance: float, trials: int) -> Search:
    return Search(canonical_json(without_seed(scenario.to_dict())), scenario.seed, tolerance, trials, engine_version())


def _kept(store: Store, search: Search) -> Breakdown:
    number = store.find(search.key)
    assert number is not None, "it has just been found or stored"
    return Breakdown(**store.document(number)["breakdown"])
