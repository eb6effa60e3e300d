"""A message set verified: under protocols, without a failure and with each single one, by every means there is."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from ringlet._engine import __version__
from ringlet.errors import RingletError
from ringlet.executors import Workers, open_workers
from ringlet.lazy import library
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.scenario.activities.loops.activity import LoopKeys
from ringlet.scenario.resolved.two_rings import check_no_crossing
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.simulation import engine_version
from ringlet.simulation.breakdown import protocols_able, with_protocol
from ringlet.simulation.phases import check_trials, released_by
from ringlet.simulation.verified import counts_offsets, why_no_offsets
from ringlet.store import Store, canonical_json, scenario_digest
from ringlet.studies.breakdown import LEAST_TOLERANCE
from ringlet.theory.guarantee import checked
from ringlet.theory.lemmas import lemmas
from ringlet.theory.response_flows import Assumed
from ringlet.verification.failures import NONE, Failure, degraded, single_failures
from ringlet.verification.remedies import OF_QUEUES, remedies, spread
from ringlet.verification.sentences import assumptions, breaking, helps, other_protocols, reasons, verdicts
from ringlet.verification.tasks import Task, done

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

SCHEMA = 2
"""Version of the document."""

TRIALS = 100
"""Trials of other phases in each case unless it is said; the breakdown makes as many again."""

TOLERANCE = 0.05
"""Relative error of load factors unless it is said."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Verification:
    """A message set verified."""

    document: dict[str, Any]
    """All that was found, as JSON; `ringlet schema verification` describes it."""
    scenarios: Mapping[str, str]
    """The scenarios that the document names, as TOML by the names of their files."""

    @property
    def holds(self) -> bool:
        """True if every deadline is guaranteed under the protocol that is judged, without a failure."""
        return bool(self.document["holds"])

    @property
    def survives(self) -> bool:
        """True if every deadline stays guaranteed with each single failure, too."""
        return bool(self.document["survives"])

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each protocol, failure and message: deadline, bound, responses in us, and whether it is
        guaranteed."""
        shown = ("deadline_us", "bound_us", "guaranteed", "these_phases_us", "searched_us", "mean_us", "p99_us")
        failures = ["none", *(one["what"] for one in self.document["failures"])]
        rows = [
            {
                "protocol": case["protocol"],
                "failure": failures[case["failure"]],
                "message": one["name"],
                **{key: one[key] for key in shown},
            }
            for case in self.document["cases"]
            for one in case["messages"]
        ]
        table = pd.DataFrame(rows, columns=["protocol", "failure", "message", *shown])
        return table.set_index(["protocol", "failure", "message"]).astype(
            dict.fromkeys((key for key in shown if key.endswith("_us")), float)
        )

    def __repr__(self) -> str:
        """The verdicts."""
        return f"<Verification: {'; '.join(self.document['verdicts'])}>"


def verify(
    scenario: ScenarioLike,
    protocols: Sequence[str] | None = None,
    *,
    failures: bool = True,
    trials: int = TRIALS,
    tolerance: float = TOLERANCE,
    all_factors: bool = False,
    rate: str | None = None,
    burst: str | None = None,
    losses: int = 0,
    offsets: bool = False,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
) -> Verification:
    """Verifies a message set: what is guaranteed, what was found at worst, and what a failure does.

    Under each protocol, without a failure and with each single failure of a link, switch or station: a bound of each
    message's response, the worst in the set's own phases (exact where the simulation comes back to a state), the
    longest that a search of other phases finds, the 99th percentile, and the load factors of `breakdown`. Where a
    deadline is not guaranteed it says why, and tries what may help.

    >>> import ringlet as rl
    >>> messages = [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}]
    >>> ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": messages}
    >>> rl.verify(ring, ["token-ring"], failures=False, trials=2, tolerance=0.5, workers=1).holds
    True

    Args:
        scenario: with messages, control loops, or flows with periods and deadlines; its options of flow control hold
            for its own protocol, others have their defaults.
        protocols: to verify, the one that is judged first; default: the scenario's, then all others that can run it.
        failures: whether each single failure is looked at.
        trials: simulations of other phases in each case, and as many for its load factors.
        tolerance: relative error of load factors, 1e-6 to below 1.
        all_factors: whether load factors are computed with each failure, too, which takes most of the time then.
        rate: to which bounds take each node's background traffic to keep, such as `20 MB/s`.
        burst: which it may send at once beyond that, such as `1 KiB`.
        losses: packets and echoes that are lost at most in all bounds; simulations lose none.
        offsets: whether bounds are those for the offsets of the messages, where such bounds are proven; else they hold
            for all phases.
        executor: as for `sweep`.
        workers: processes on this machine; default: one per core.
        store: a `Store`, or a file, made if it is missing: what it has is not computed again. Default: in memory.

    Raises:
        RingletError: no messages, an unknown protocol, or a protocol that cannot run the scenario.
        OSError: the store's disk is full or fails; what is finished is kept.
    """
    return verified_set(
        Scenario.of(scenario),
        protocols,
        failures=failures,
        trials=trials,
        tolerance=tolerance,
        all_factors=all_factors,
        assumed=checked(rate, burst, 0, losses, offsets=offsets),
        executor=executor,
        workers=workers,
        store=store,
    )


def verified_set(
    scenario: Scenario,
    protocols: Sequence[str] | None,
    *,
    failures: bool,
    trials: int,
    tolerance: float,
    all_factors: bool = False,
    assumed: Assumed | None = None,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    inputs: Sequence[Mapping[str, str]] = (),
    command: str = "rl.verify",
    progress: Progress | None = None,
) -> Verification:
    """Returns what `verify` does, with the files and the command that it came from in its document."""
    # As a report holds it, so that a report is computed again from the same.
    scenario = Scenario.from_dict(scenario.to_dict())
    check_no_crossing(scenario.resolved, "a verification")
    assumed = assumed or Assumed()
    _check(scenario, trials, tolerance)
    names, refused = _protocols(scenario, protocols)
    found = single_failures(scenario) if failures else []
    cases = _cases(scenario, names, [NONE, *found], trials, tolerance, assumed, all_factors=all_factors)
    opened = store if isinstance(store, Store) else Store.open(store)
    shown = progress or (lambda _, __: None)
    try:
        with open_workers(executor, workers=workers) as at:
            results = done([one.task for one in cases if one.task is not None], opened, at, shown)
            records = [_record(one, results) for one in cases]
            changes = _changes(scenario, [one for one in records if one["failure"] == 0], assumed)
            tried = done([task for _, task in changes], opened, at, shown)
    finally:
        if opened is not store:
            opened.close()
    scenarios: dict[str, str] = {}
    for record in records:
        _keep_scenarios(record, scenarios)
    # Keys are in order here, whether messages came from a file of their own or not.
    content = canonical_json(scenario.to_dict())
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "ringlet": __version__,
        "engine": engine_version(),
        "command": command,
        "inputs": [dict(one) for one in inputs],
        "scenario_sha256": scenario_digest(content),
        "scenario": json.loads(content),
        "asked": None if protocols is None else list(protocols),
        "trials": trials,
        "tolerance": tolerance,
        "all_factors": all_factors,
        "assumed": asdict(assumed),
        "seed": scenario.seed,
        "judged": names[0],
        "refused": refused,
        "assumptions": assumptions(scenario, assumed, failures=failures),
        "lemmas": {name: _lemmas(scenario, name, assumed, records) for name in names},
        "offsets_unused": _offsets_unused(scenario, names, assumed, records),
        "failures": [
            {"what": one.what, "rings": list(one.rings), "cut": list(one.cut), "ends": list(one.ends)} for one in found
        ],
        "with_failures": failures,
        "cases": records,
        "queues": _queues(records),
        "remedies": [{**change, **tried[task]} for change, task in changes],
    }
    _mark_better(document["remedies"], records)
    judged = records[0]
    document["reasons"] = reasons(judged, of_offsets=assumed.offsets)
    document["helps"] = helps(document["remedies"], names[0]) + other_protocols(document)
    document["holds"] = _all_guaranteed(judged)
    broken = breaking([one for one in records if one["protocol"] == names[0]], document["failures"])
    document["survives"] = document["holds"] and not broken
    document["verdicts"] = verdicts(document)
    return Verification(document, scenarios)


@dataclass(frozen=True, slots=True)
class _Case:
    """A protocol and a failure, by its number, 0 for none; without a task nothing is left to be sent, or it is
    refused."""

    protocol: str
    failure: int
    task: Task | None
    refused: str | None = None


def _check(scenario: Scenario, trials: int, tolerance: float) -> None:
    if not released_by(scenario):
        raise RingletError(
            "messages: missing; a verification needs messages or messages_file, loops, or flows with periods and "
            "deadlines"
        )
    if scenario.replay is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", "none beside messages, for a verification")
    if scenario.errors.lose:
        allowed = (
            "none: a verification looks at each single failure by itself; --losses says how many packets may be lost"
        )
        raise RingletError.not_allowed("errors", "<[errors]>", allowed)
    if not LEAST_TOLERANCE <= tolerance < 1:
        raise RingletError.not_allowed("tolerance", tolerance, f"at least {LEAST_TOLERANCE:g} and below 1")
    check_trials(trials)


def _protocols(scenario: Scenario, asked: Sequence[str] | None) -> tuple[list[str], dict[str, str]]:
    """Returns the protocols to verify, the one that is judged first, and why the others cannot run the set."""
    if asked is not None:
        names = list(dict.fromkeys(asked))
        if not names:
            raise RingletError("protocols: missing; at least one is needed")
        for name in names:
            with_protocol(scenario, name).network_spec(scenario.seed)
        return names, {}
    own = scenario.flow_control.protocol
    with_protocol(scenario, own).network_spec(scenario.seed)
    names, refused = protocols_able(scenario)
    return [own, *(name for name in names if name != own)], refused


def _cases(
    scenario: Scenario,
    names: Sequence[str],
    failures: Sequence[Failure],
    trials: int,
    tolerance: float,
    assumed: Assumed,
    *,
    all_factors: bool,
) -> list[_Case]:
    """Returns the cases of each protocol: first without a failure, then with each."""
    found = []
    for name in names:
        under = with_protocol(scenario, name)
        for number, failure in enumerate(failures):
            try:
                left = degraded(under, failure)
                if left is not None:
                    left.network_spec(left.seed)
            except RingletError as error:
                found.append(_Case(name, number, None, str(error)))
                continue
            of_factors = tolerance if all_factors or not number else None
            task = None if left is None else Task.of("case", left, trials, of_factors, assumed)
            found.append(_Case(name, number, task))
    return found


def _record(case: _Case, results: Mapping[Task, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns a case as the document has it, its scenarios still in it."""
    head = {"protocol": case.protocol, "failure": case.failure, "refused": case.refused}
    if case.task is None:
        return {**head, "messages": [], "needed": {}, "witness": None, "miss": None}
    return {**head, **results[case.task]}


def _keep_scenarios(record: dict[str, Any], scenarios: dict[str, str]) -> None:
    """Puts the scenarios of a case among the files, and their names and digests in their place."""
    place = f"-failure-{record['failure']}" if record["failure"] else ""
    for key, word in (("witness", "worst"), ("miss", "miss")):
        if record[key] is not None:
            name = f"{record['protocol']}{place}-{word}.toml"
            text = tomli_w.dumps(record[key])
            scenarios[name] = text
            record[key] = {"file": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _changes(
    scenario: Scenario, whole: Sequence[Mapping[str, Any]], assumed: Assumed
) -> list[tuple[dict[str, Any], Task]]:
    """Returns the changes to be tried for each protocol under which not all deadlines are guaranteed."""
    found: list[tuple[dict[str, Any], Task]] = []
    for record in whole:
        if _all_guaranteed(record):
            continue
        under = with_protocol(scenario, record["protocol"])
        head = {"protocol": record["protocol"]}
        for one in remedies(under, assumed):
            change = {**head, "of": "bounds", "change": one.change, "set": list(one.keys)}
            found.append((change, Task.of("bounds", one.scenario, assumed=assumed)))
        missed = scenario.resolved.message_keys.has_messages and any(one["missed"] for one in record["messages"])
        shifted = spread(under) if missed or assumed.offsets else None
        if shifted is None:
            continue
        change = {**head, "change": shifted.change, "set": []}
        if assumed.offsets:
            found.append(({**change, "of": "bounds"}, Task.of("bounds", shifted.scenario, assumed=assumed)))
        if missed:
            found.append(({**change, "of": "phases"}, Task.of("phases", shifted.scenario)))
    return found


def _mark_better(tried: Sequence[dict[str, Any]], records: Sequence[Mapping[str, Any]]) -> None:
    """Says of each change whether fewer messages are late with it than without, and than with the sizes of queues
    alone beside which it is made."""
    for record in records:
        messages = record["messages"]
        if record["failure"] == 0:
            late = {"bounds": sum(not one["guaranteed"] for one in messages)}
            late["phases"] = sum(bool(one["missed"]) for one in messages)
            for one in tried:
                if one["protocol"] == record["protocol"]:
                    one["better"] = len(one["late"]) < late[one["of"]]
                    if one["change"].startswith(OF_QUEUES):
                        late["bounds"] = len(one["late"])


def _queues(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Returns for each protocol the sizes of queues that bounds need and the scenario has not, over all cases."""
    found: dict[str, dict[str, int]] = {}
    for record in records:
        sizes = found.setdefault(record["protocol"], {})
        for key, size in record["needed"].items():
            sizes[key] = max(size, sizes.get(key, 0))
    return {name: sizes for name, sizes in found.items() if sizes}


def _lemmas(scenario: Scenario, protocol: str, assumed: Assumed, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the lemmas that the bounds of a protocol, and its guaranteed factor, follow from; none where no message
    has a bound, and the set at no factor."""
    under = with_protocol(scenario, protocol)
    used = {one.protocol for one in under.resolved.ring_protocols.by_ring(under.routed_network[0].rings)}
    responses = TRANSACTIONS[scenario.resolved.message_keys.message_transaction].response_bytes is not None
    of_protocol = [one for one in records if one["protocol"] == protocol]
    factors = ((one.get("breakdown") or {}).get("guaranteed_factor") for one in of_protocol)
    bounds = (message["bound_us"] for one in of_protocol for message in one["messages"])
    if all(one is None for one in (*factors, *bounds)):
        return []
    copies = under.routed_network[0].second_interface is not None
    return lemmas(
        used,
        switched=scenario.network.switched and not copies,
        copies=copies,
        responses=responses,
        loops=bool(LoopKeys.in_file(scenario).loops),
        losses=bool(assumed.losses),
        offsets=counts_offsets(under, assumed),
        receivers=under.resolved.has_copies,
    )


def _offsets_unused(
    scenario: Scenario, protocols: Sequence[str], assumed: Assumed, records: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Returns why the bounds of a protocol are those for all phases, by its name, though those for offsets are asked
    for; protocols without a bound are not among them."""
    found = {}
    for name in protocols if assumed.offsets else ():
        messages = next(one["messages"] for one in records if one["protocol"] == name)
        why = why_no_offsets(with_protocol(scenario, name), assumed)
        if why is not None and any(one["bound_us"] is not None for one in messages):
            found[name] = why
    return found


def _all_guaranteed(record: Mapping[str, Any]) -> bool:
    return bool(record["messages"]) and all(one["guaranteed"] for one in record["messages"])
