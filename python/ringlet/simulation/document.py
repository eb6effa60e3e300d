"""The JSON document of a run, made from what the engine found."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet import theory
from ringlet._engine import __version__
from ringlet.figures import Found, Offered, records
from ringlet.figures.document_schema import SCHEMA
from ringlet.figures.exact import exact_record
from ringlet.garbage import uncollected
from ringlet.scenario import Scenario
from ringlet.scenario.activities.activity import EndedRun
from ringlet.scenario.activities.collective import CollectivePlan
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.simulation.distribution import latency_distribution, retry_distribution
from ringlet.simulation.error_records import error_records
from ringlet.simulation.notices import INTERVALS, describe_stall, notices
from ringlet.simulation.replay import ReplayRecord
from ringlet.simulation.saw import saw
from ringlet.simulation.switch_records import SwitchRecords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ringlet._engine import Measured, Simulation
    from ringlet.scenario.resolved.scenario import Resolved


class Document:
    """The document of a run that is over, made at its first use: that takes about as long as a run of a few
    microseconds."""

    def __init__(self, scenario: Scenario, seed: int, simulation: "Simulation", found: "Measured") -> None:
        """Reads from the simulation what it alone holds; the simulation is not kept.

        Args:
            scenario: that was simulated.
            seed: of the run.
            simulation: after the run.
            found: what the run returned.
        """
        ns = float(scenario.symbol_time_ns)
        self._scenario, self._seed, self._found = scenario, seed, found
        # A trace file may change later; all else of a scenario stays as it is.
        self._content = None if scenario.replay is None else scenario.to_dict()
        replay, messages = scenario.replay, scenario.periodic_messages
        self._replay = None
        if replay is not None:
            others = len(messages) + sum(plan.flow_count for plan in scenario.resolved.plans)
            self._replay = ReplayRecord.of(replay, simulation, other_flows=others, symbol_time_ns=ns)
        ended = EndedRun(
            engine=simulation,
            measured=found,
            resolved=scenario.resolved,
            node_name=scenario.node_name,
            bandwidth_bound=partial(_bandwidth_bound, scenario.resolved),
            latency_bound=partial(_latency_bound, scenario.resolved),
        )
        self._activities = {one.name: one.found(ended) for one in ACTIVITIES}
        measured, exact = found["cycle"] - found["measured_from"], found["exact"]
        if exact is None:
            self._switches = SwitchRecords.of(simulation, scenario, cycles=measured)
        else:
            self._switches = SwitchRecords.of(exact["period"], scenario, cycles=exact["period_cycles"])
        self._errors = error_records(simulation, scenario, found)
        self._offered = _offered(simulation if exact is None else exact["period"], scenario)

    @uncollected()
    def build(self, *, largest_total: bool = True, with_scenario: bool = True) -> dict[str, Any]:
        """Returns the document.

        Args:
            largest_total: whether `total.maximum_MBps` is computed where it is known; else it is None.
            with_scenario: whether the document holds what a file of the scenario would hold.
        """
        scenario, found, replay = self._scenario, self._found, self._replay
        figures = Found(found, scenario, self._activities, offered=self._offered, largest_total=largest_total)
        switched = scenario.network.switched
        stall = found["stall"]
        described = None if stall is None else describe_stall(stall, scenario.routed_network[0] if switched else None)
        switches = self._switches
        once = replay is not None or scenario.resolved.takes_place_once
        nodes = [
            {"id": i, "name": scenario.node_name(i), **record} for i, record in enumerate(records("nodes", figures))
        ]
        steady = figures.has_steady_latency[-1] or not scenario.resolved.has_steady_state
        short = scenario.resolved.has_steady_state and not figures.has_known_latency[-1]
        lines = notices(
            found,
            described,
            scenario.horizon.precision,
            nodes,
            takes_place_once=once,
            steady=steady,
            short=short,
            intervals=[what for what in INTERVALS if figures.half_widths(f"{what}_half_width")[-1] is not None],
        )
        content = {"scenario": scenario.to_dict() if self._content is None else self._content} if with_scenario else {}
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "ringlet": __version__,
            **content,
            "seed": self._seed,
            **records("run", figures)[0],
            "nodes": nodes,
            "total": records("total", figures)[0],
            "precision": _precision(found),
            "saw": saw(scenario, found, self._activities, trace=None if replay is None else replay.to_dict()),
            "exact": exact_record(figures),
            "stall": described,
            "warnings": [
                *scenario.warnings(),
                *lines,
                *(switches.warnings() if switches is not None else []),
                *(replay.warnings() if replay is not None else []),
            ],
        }
        if found["priorities"]:
            document["priorities"] = [
                {"priority": priority, **record}
                for priority, record in zip(found["priorities"], records("priorities", figures), strict=True)
            ]
        lasting = figures.measured
        document["latency_distribution"] = latency_distribution(lasting, symbol_time_ns=figures.symbol_time_ns)
        document["retry_distribution"] = retry_distribution(lasting)
        if replay is not None:
            document["trace"] = replay.to_dict()
        for activity in ACTIVITIES:
            # One that a run has none of is None or empty.
            if self._activities[activity.name]:
                for part in activity.parts:
                    every = records(part.name, figures)
                    document[part.name] = every if part.many else every[0]
        if switches is not None:
            document["link_controllers"] = switches.controllers()
            document["b_links"] = switches.b_links()
        if self._errors is not None:
            document["errors"] = self._errors
        return document


def _bandwidth_bound(resolved: "Resolved", plans: Sequence[CollectivePlan]) -> tuple[float, str]:

    return theory.bandwidth_bound_cycles(resolved, plans)


def _latency_bound(resolved: "Resolved", plans: Sequence[CollectivePlan]) -> float:

    return theory.latency_bound_cycles(resolved, plans)


def _offered(simulation: "Simulation", scenario: Scenario) -> Offered | None:
    """Returns what each flow offered; None where there is no fair share."""
    best = scenario.quick_optimum
    numbers = None if best is None else scenario.resolved.steady_numbers()
    if best is None or numbers is None:
        return None
    counters = simulation.flow_counters()
    framing = scenario.resolved.link_format.framing_symbols
    got = (counters["delivered_symbols"] - framing * counters["delivered_packets"]).astype(np.float64)
    generated, lost = (counters[name][numbers].astype(np.float64) for name in ("generated_packets", "lost_packets"))

    def at_least_got(packets: "NDArray[np.float64]") -> list[float]:
        most = got.copy()
        most[numbers] = np.maximum(most[numbers], best.contest.words * packets)
        each: list[float] = most.tolist()
        return each

    return Offered(at_least_got(generated), at_least_got(generated - lost), got.tolist())


def _precision(found: "Measured") -> dict[str, Any] | None:
    if found["precision_reached"] is None:
        return None
    if found["exact"] is not None:
        return {"reached": True, "throughput_relative_half_width": 0.0, "latency_relative_half_width": 0.0}
    certainty = found["certainty"]
    return {
        "reached": found["precision_reached"],
        "throughput_relative_half_width": certainty["throughput"]["relative_half_width"],
        "latency_relative_half_width": certainty["latency"]["relative_half_width"],
    }
