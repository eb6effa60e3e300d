"""The candidates' runs: all a few times, then those that are unclear more often, and what they carry beyond what is
required."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ringlet.advice.candidates import Candidate, own_receiver
from ringlet.advice.requirements import Requirements
from ringlet.advice.theory import hopeless
from ringlet.advice.verdict import Interval, Verdict, discarded, interval, judge
from ringlet.errors import INTERNAL
from ringlet.scenario.units import magnitude
from ringlet.store import Store
from ringlet.studies import Study, SweepResult
from ringlet.studies.schedule import Counts
from ringlet.studies.sweep import sweep
from ringlet.studies.workers import Workers

BEYOND = (1.5, 2.0, 4.0)
"""Multiples of the required rate at which it is tried how much a network carries; besides, every sender offers what a
link takes."""

Load = tuple[int, str | None]
"""A candidate's number, and the rate of each sender; None: the required one."""


class Runs:
    """Simulates candidates on the machinery of sweeps."""

    def __init__(
        self,
        wanted: Requirements,
        found: list[Candidate],
        store: Store,
        workers: Workers,
        progress: Callable[[Counts], None],
    ) -> None:
        """Builds the candidates' scenarios; arguments as for `ringlet.advise`.

        Raises:
            RingletError: requirements that no scenario can have.
        """
        self._wanted = wanted
        self._found = found
        self._store = store
        self._workers = workers
        self._progress = progress
        self.counts = Counts(0)
        """Runs of all rounds; what a round takes over from the one before is not counted again."""
        self.defects: list[str] = []
        """Which runs failed by a defect of ringlet: the candidate, and the error."""
        study = self._study([(candidate, None) for candidate in range(len(found))], wanted.at_least)
        self.scenarios = [study.point_scenario(point) for point in range(len(found))]
        """Each candidate's, at the required rate."""
        self._ruled_out = [hopeless(wanted, one) if wanted.discard else () for one in self.scenarios]
        self._tried = [candidate for candidate, reasons in enumerate(self._ruled_out) if not reasons]

    def verdicts(self) -> list[Verdict | str]:
        """Returns a verdict for each candidate, or why there is none."""
        verdicts: list[Verdict | str] = [discarded(reasons) for reasons in self._ruled_out]
        left, runs, known = self._tried, self._wanted.at_least, 0
        while left:
            result = self._sweep([(candidate, None) for candidate in left], runs, known * len(left))
            for place, candidate in enumerate(left):
                verdicts[candidate] = self._judge(result, place)
            left = [
                candidate
                for candidate in left
                if isinstance(verdict := verdicts[candidate], Verdict) and verdict.state == "unclear"
            ]
            known, runs = runs, min(2 * runs, self._wanted.at_most)
            if known == runs:
                break
        return verdicts

    def beyond(self) -> tuple[list[Interval | None], list[Interval | None]]:
        """Returns the largest throughput of each candidate at any rate tried, and that when every sender offers what a
        link takes; in MB/s."""
        rate = magnitude(self._wanted.rate, "MB/s")
        link = magnitude(self.scenarios[0].network.link_rate, "MB/s")
        higher = [*(factor * rate for factor in BEYOND if factor * rate < link), link]
        rates = [None, *(f"{each:.12g} MB/s" for each in higher)]
        most: list[Interval | None] = [None] * len(self._found)
        overloaded = most.copy()
        if not self._tried:
            return most, overloaded
        loads: list[Load] = [(candidate, each) for candidate in self._tried for each in rates]
        points = self._sweep(loads, self._wanted.at_least, self._wanted.at_least * len(self._tried)).points
        throughput = {point: interval(runs["throughput_MBps"].to_numpy()) for point, runs in points.groupby("point")}
        for place, candidate in enumerate(self._tried):
            of_it = [throughput.get(place * len(rates) + rate) for rate in range(len(rates))]
            most[candidate] = max((one for one in of_it if one is not None), key=lambda one: one.mean, default=None)
            overloaded[candidate] = of_it[-1]
        return most, overloaded

    def _study(self, loads: list[Load], runs: int) -> Study:
        """Returns the study of some candidates."""
        axis = {
            "network": [self._found[candidate].network for candidate, _ in loads],
            "traffic": [traffic_content(self._wanted, self._found[candidate], rate) for candidate, rate in loads],
        }
        content = {"scenario": base_content(self._wanted), "axes": [axis], "replications": {"count": runs}}
        return Study.from_dict(content)

    def _sweep(self, loads: list[Load], runs: int, known: int) -> SweepResult:
        before = self.counts

        def told(counts: Counts) -> None:
            # Runs of an earlier round are found in the store.
            total = before.total + counts.total - known
            found = before.found + max(0, counts.found - known)
            self.counts = Counts(total, found, before.computed + counts.computed, before.failed + counts.failed)
            self._progress(self.counts)

        study = self._study(loads, runs)
        result = sweep(study, executor=self._workers, store=self._store, yes=True, progress=told)
        failures = result.failures
        for point, reason in zip(failures["point"].tolist(), failures["reason"].tolist(), strict=True):
            if reason.startswith(INTERNAL):
                self.defects.append(f"{self._found[loads[point][0]].name}: {reason}")
        return result

    def _judge(self, result: SweepResult, place: int) -> Verdict | str:
        failures = result.failures
        of_it = failures[failures["point"] == place] if len(failures) else failures
        if len(of_it):
            return str(of_it["reason"].iloc[0])
        points = result.points
        return judge(self._wanted, points[points["point"] == place])


def base_content(requirements: Requirements) -> dict[str, Any]:
    """Returns what the scenarios of all candidates have in common."""
    content: dict[str, Any] = {
        name: getattr(requirements, name).table() for name in ("switch", "queues", "retry", "flow_control")
    }
    content["errors"] = {"bit_error_rate": requirements.bit_error_rate}
    content["run"] = {"duration": requirements.duration, "seed": requirements.seed}
    return content


def traffic_content(requirements: Requirements, candidate: Candidate, rate: str | None = None) -> dict[str, Any]:
    """Returns the traffic section of a candidate's scenario; with another rate of each sender than is required.

    By a pattern where every processor sends and every memory receives, by a matrix elsewhere.
    """
    wanted, load = requirements, rate or requirements.rate
    same = {"transaction": wanted.transaction, "arrivals": wanted.arrivals}
    exact = candidate.processors == len(candidate.senders) == len(candidate.receivers)
    if exact and (wanted.locality is None or len(candidate.receivers) == 1):
        return {**same, "load": load, "pattern": "uniform"}
    if exact:
        return {**same, "load": load, "pattern": "local", "locality": wanted.locality}
    loads = ["0 MB/s"] * candidate.nodes
    for sender in candidate.senders:
        loads[sender] = load
    return {**same, "load": loads, "pattern": "matrix", "matrix": _matrix(wanted, candidate).tolist()}


def _matrix(wanted: Requirements, candidate: Candidate) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Returns the share of each sender's traffic that each node takes; idle nodes have a row, too, but no load."""
    receivers = list(candidate.receivers)
    rows = np.zeros((candidate.processors or candidate.nodes, candidate.nodes))
    for node in range(len(rows)):
        # Whatever is not itself.
        rows[node, next((receiver for receiver in receivers if receiver != node), (node + 1) % candidate.nodes)] = 1.0
    for number, sender in enumerate(candidate.senders):
        own = receivers[own_receiver(number, len(candidate.senders), len(receivers))]
        rows[sender] = 0.0
        if wanted.locality is None or len(receivers) == 1:
            rows[sender, receivers] = 1 / len(receivers)
        else:
            rows[sender, receivers] = (1 - wanted.locality) / (len(receivers) - 1)
            rows[sender, own] = wanted.locality
    return rows
