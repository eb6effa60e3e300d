"""The candidates' runs: all a few times, then those that are unclear more often, and what they carry beyond what is
required."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import Any

from ringlet.advice.candidates import Candidate
from ringlet.advice.failures import Failing
from ringlet.advice.physics import beyond_ns, look_ns, run_ns, us
from ringlet.advice.requirements import Requirements
from ringlet.advice.ruled_out import hopeless
from ringlet.advice.stages import memory_price, parts_of, price
from ringlet.advice.traffic import base_content, own_content
from ringlet.advice.verdict import Interval, Verdict, discarded, interval, judge, unfinished, with_failure
from ringlet.errors import INTERNAL, RingletError
from ringlet.executors import Workers
from ringlet.scenario import Scenario
from ringlet.scenario.values.units import magnitude
from ringlet.store import Store
from ringlet.studies import Study, SweepResult
from ringlet.studies.schedule import Counts
from ringlet.studies.sweep import sweep

BEYOND = (1.5, 2.0, 4.0)
"""Multiples of the required rate at which it is tried how much a network carries; besides, every sender offers what a
link takes."""

SPENT = "not simulated to the end: the budget is spent"
"""Reason of a verdict that a budget leaves open."""


class _SpentError(Exception):
    """The budget is spent."""


MOST_LOOKS = 4
"""Times as many first looks at an unclear candidate as there are runs to begin with: together they are as long as one
run."""


Load = tuple[int, str | None, Failing | None]
"""A candidate's number, the rate of each sender, None: the required one, and a broken link, None: there is none."""


class Runs:
    """Simulates candidates on the machinery of sweeps."""

    def __init__(
        self,
        wanted: Requirements,
        found: list[Candidate],
        store: Store,
        workers: Workers,
        progress: Callable[[Counts], None],
        budget_s: float | None = None,
    ) -> None:
        """Builds the candidates' scenarios; arguments as for `ringlet.advise`.

        Raises:
            RingletError: requirements that no scenario can have.
        """
        self._wanted = wanted
        self.found = list(found)
        """Each candidate, with the buffers that it is tried with."""
        self._store = store
        self._workers = workers
        self._progress = progress
        self._ends = math.inf if budget_s is None else monotonic() + budget_s
        self.counts = Counts(0)
        """Runs of all rounds; what a round takes over from the one before is not counted again."""
        self.defects: list[str] = []
        """Runs that failed by a defect of ringlet: the candidate, and the error."""
        self._look_ns = look_ns(wanted)
        self._looked: set[int] = set()
        """Candidates of which there has been a first look only."""
        self.scenarios = self._all_scenarios()
        """Each candidate's, at the required rate."""
        self._ruled_out = [hopeless(wanted, one) if wanted.discard else () for one in self.scenarios]
        self._tried = [candidate for candidate, reasons in enumerate(self._ruled_out) if not reasons]

    def verdicts(self) -> list[Verdict | str]:
        """Returns a verdict for each candidate, or why there is none; with the least buffers that lose little enough,
        or the largest."""
        verdicts: list[Verdict | str] = [discarded(reasons) for reasons in self._ruled_out]
        left = self._tried
        self._fill(verdicts, left)
        for transmit in self._wanted.buffers[1:]:
            left = [
                candidate
                for candidate in left
                if isinstance(verdict := verdicts[candidate], Verdict) and verdict.loss.high > self._wanted.loss
            ]
            for candidate in left:
                self.found[candidate] = replace(self.found[candidate], transmit=transmit)
            self._fill(verdicts, left)
        if self._wanted.buffers:
            self.scenarios = self._all_scenarios()
        return verdicts

    def _fill(self, verdicts: list[Verdict | str], candidates: list[int]) -> None:
        """Sets the verdicts of some candidates; with a budget one by one, the cheapest first.

        Where runs are long there is a first look at each. What does not fail then is run at full length, the cheapest
        first, until one fits: what costs more cannot be the advice.
        """
        if self._look_ns is None:
            for group in self._groups(candidates):
                self._judge_group(verdicts, group, self._wanted.at_most)
            return
        self._looked.update(candidates)
        for group in self._groups(candidates):
            self._judge_group(verdicts, group, min(MOST_LOOKS * self._wanted.at_least, self._wanted.at_most))
        for candidate in sorted(candidates, key=self._dearness):
            verdict = verdicts[candidate]
            if not isinstance(verdict, Verdict) or _fails(verdict) or SPENT in verdict.reasons:
                continue
            if (cheaper := self._cheapest(verdicts)) is not None and self._dearness(cheaper) < self._dearness(
                candidate
            ):
                looked = f"looked at for {us(self._look_ns)} only: {self.found[cheaper].name} fits and costs no more"
                verdicts[candidate] = replace(verdict, reasons=(*verdict.reasons, looked))
                continue
            self._looked.discard(candidate)
            self._judge_group(verdicts, [candidate], self._wanted.at_most)

    def _judge_group(self, verdicts: list[Verdict | str], group: list[int], at_most: int) -> None:
        """Sets the verdicts of candidates that are simulated together."""
        begun: dict[int, Verdict | str] = {}
        try:
            self._run_until_clear(begun, group, at_most)
        except _SpentError:
            for candidate in group:
                verdict = begun.get(candidate, unfinished())
                if isinstance(verdict, Verdict) and verdict.state == "unclear":
                    verdict = replace(verdict, reasons=(*verdict.reasons, SPENT))
                begun[candidate] = verdict
        for candidate, found in begun.items():
            verdicts[candidate] = found

    def _cheapest(self, verdicts: list[Verdict | str]) -> int | None:
        """Returns the cheapest candidate that fits by runs of full length."""
        fitting = [
            candidate
            for candidate, verdict in enumerate(verdicts)
            if isinstance(verdict, Verdict) and verdict.state == "fits" and candidate not in self._looked
        ]
        return min(fitting, key=self._dearness, default=None)

    def _dearness(self, candidate: int) -> tuple[float, int, int]:
        """Returns what ranks candidates: of equal prices that of fewer ports, then of fewer cables, is first."""
        parts = parts_of(self._wanted, self.scenarios[candidate])
        memory = memory_price(self._wanted, self.found[candidate])
        return price(self._wanted.prices, parts) + memory, parts.ports, parts.cables

    def _groups(self, candidates: list[int]) -> list[list[int]]:
        """Returns the candidates that are simulated together."""
        if self._ends == math.inf:
            return [candidates]
        return [[one] for one in sorted(candidates, key=self._dearness)]

    def _run_until_clear(self, verdicts: dict[int, Verdict | str], candidates: list[int], at_most: int) -> None:
        """Runs candidates until each is clear, or has run often enough."""
        left, runs, known = candidates, self._wanted.at_least, 0
        while left:
            result = self._sweep([(candidate, None, None) for candidate in left], runs, known * len(left))
            for place, candidate in enumerate(left):
                verdicts[candidate] = self._judge(result, place, candidate)
            left = [
                candidate
                for candidate in left
                if isinstance(verdict := verdicts[candidate], Verdict) and verdict.state == "unclear"
            ]
            known, runs = runs, min(2 * runs, at_most)
            if known == runs:
                break

    def with_failures(self, verdicts: list[Verdict | str], failing: list[Failing]) -> list[Verdict | str]:
        """Returns the verdicts with what is lost while a link is broken: the one without which most data have no way.

        Args:
            verdicts: those of the whole networks.
            failing: each candidate's worst link.
        """
        limit = self._wanted.failure_loss
        if limit is None:
            return verdicts
        left = [
            candidate
            for candidate, verdict in enumerate(verdicts)
            if isinstance(verdict, Verdict) and verdict.state != "fails" and failing[candidate].share <= limit
        ]
        lost: dict[int, Interval | str] = {}
        for candidate in left:
            try:
                result = self._sweep([(candidate, None, failing[candidate])], self._wanted.at_least, 0)
            except RingletError as error:
                lost[candidate] = str(error)
                continue
            except _SpentError:
                lost[candidate] = "the budget is spent"
                continue
            points, failures = result.points, result.failures
            if len(failures):
                lost[candidate] = str(failures["reason"].iloc[0])
            else:
                carried = (1 - failing[candidate].share) * points["throughput_MBps"] / points["offered_MBps"]
                lost[candidate] = interval((1 - carried).to_numpy())
        return [
            with_failure(self._wanted, verdict, failing[candidate], lost.get(candidate))
            if isinstance(verdict, Verdict)
            else verdict
            for candidate, verdict in enumerate(verdicts)
        ]

    def beyond(self, verdicts: list[Verdict | str]) -> tuple[list[Interval | None], list[Interval | None]]:
        """Returns the largest throughput of each candidate at any rate tried, and that when every sender offers what a
        link takes; in MB/s. Where runs are long, only of those that may be the advice.

        Args:
            verdicts: those at the required rate.
        """
        rate = magnitude(self._wanted.rate, "MB/s")
        link = magnitude(self.scenarios[0].resolved.fastest_link_rate, "MB/s")
        higher = [*(factor * rate for factor in BEYOND if factor * rate < link), link]
        rates = [None, *(f"{each:.12g} MB/s" for each in higher)]
        most: list[Interval | None] = [None] * len(self.found)
        overloaded = most.copy()
        tried = self._tried
        if self._look_ns is not None:
            tried = [one for one in tried if one not in self._looked and not _fails(verdicts[one])]
        if not tried:
            return most, overloaded
        for group in self._groups(tried):
            loads: list[Load] = [(candidate, each, None) for candidate in group for each in rates]
            with suppress(_SpentError):
                points = self._sweep(loads, self._wanted.at_least, self._wanted.at_least * len(group)).points
                carried = {
                    point: interval(runs["throughput_MBps"].to_numpy()) for point, runs in points.groupby("point")
                }
                for place, candidate in enumerate(group):
                    of_it = [carried.get(place * len(rates) + rate) for rate in range(len(rates))]
                    given = (one for one in of_it if one is not None)
                    most[candidate] = max(given, key=lambda one: one.mean, default=None)
                    overloaded[candidate] = of_it[-1]
        return most, overloaded

    def _length_ns(self, candidate: int, rate: str | None) -> float:
        """Returns how long a run is measured."""
        if rate is not None:
            return beyond_ns(self._wanted)
        if candidate in self._looked and self._look_ns is not None:
            return self._look_ns
        return run_ns(self._wanted)

    def _all_scenarios(self) -> list[Scenario]:
        """Returns the scenario of each candidate, at the required rate."""
        study = self._study([(candidate, None, None) for candidate in range(len(self.found))], self._wanted.at_least)
        return [study.point_scenario(point) for point in range(len(self.found))]

    def _study(self, loads: list[Load], runs: int) -> Study:
        """Returns the study of some candidates."""
        each = [own_content(self._wanted, self.found[candidate], rate, broken) for candidate, rate, broken in loads]
        axis: dict[str, Any] = {section: [content[section] for content in each] for section in each[0]}
        lengths = [self._length_ns(candidate, rate) for candidate, rate, _ in loads]
        axis["run"] = {"duration": [f"{length:.12g} ns" for length in lengths]}
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
            if counts.done < counts.total:
                self._check_budget()

        self._check_budget()
        study = self._study(loads, runs)
        result = sweep(study, executor=self._workers, store=self._store, yes=True, progress=told)
        failures = result.failures
        for point, reason in zip(failures["point"].tolist(), failures["reason"].tolist(), strict=True):
            if reason.startswith(INTERNAL):
                self.defects.append(f"{self.found[loads[point][0]].name}: {reason}")
        return result

    def _check_budget(self) -> None:
        """Raises _SpentError where no run may begin any more; what is finished is in the store."""
        if monotonic() >= self._ends:
            raise _SpentError

    def _judge(self, result: SweepResult, place: int, candidate: int) -> Verdict | str:
        failures = result.failures
        of_it = failures[failures["point"] == place] if len(failures) else failures
        if len(of_it):
            return str(of_it["reason"].iloc[0])
        points = result.points
        of_it, look = points[points["point"] == place], candidate in self._looked
        return judge(self._wanted, of_it, self.found[candidate].transmit, look=look)


def _fails(verdict: Verdict | str) -> bool:
    return isinstance(verdict, Verdict) and verdict.state == "fails"
