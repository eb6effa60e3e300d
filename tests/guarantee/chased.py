"""One trial with losses at the worst places: each time the last packet of a message comes to its destination it is
lost, just before its last link ends, until no more may be lost."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from guarantee.limits import limits
from guarantee.lossy import LOSSY, LossyTrial
from ringlet._engine import Simulation
from ringlet.theory.response_flows import Assumed

MOST_LOSSES = 3

SYMBOLS = 40
"""Of a dmove64."""


@dataclass
class Chase:
    """A ring whose messages are released at given cycles, and packets on links that are lost."""

    spec: dict[str, Any]
    """The engine's."""
    count: int
    """Messages."""
    simulations: int = 0

    def run(self, offsets: np.ndarray, cuts: list[tuple[int, int]], end: float) -> tuple[np.ndarray, np.ndarray, int]:
        """Returns the longest response of each message, how many are complete, and how many packets and echoes were
        lost, of links that are cut, each for a cycle, behind a node."""
        for flow, offset in zip(self.spec["flows"][-self.count :], offsets.tolist(), strict=True):
            flow["arrivals"]["phase"] = offset
        at: dict[int, set[int]] = {}
        for place, cycle in cuts:
            at.setdefault(place, set()).add(cycle)
        self.spec["network"]["errors"]["links"] = [
            {"ring": 0, "place": place, "bit_error_rate": 0.0, "interruptions": _apart(cycles)}
            for place, cycles in at.items()
        ]
        simulation = Simulation(json.dumps(self.spec), seed=1)
        simulation.advance(int(end))
        self.simulations += 1
        counters, errors = simulation.flow_counters(), simulation.error_counters()
        longest = counters["message_latency_max_cycles"][-self.count :].astype(float)
        lost = int(errors["lost_sends"].sum() + errors["lost_echoes"].sum())
        return longest, counters["completed_messages"][-self.count :], lost

    def completed(
        self, message: int, offsets: np.ndarray, cuts: list[tuple[int, int]], limit: float
    ) -> tuple[int | None, int]:
        """Returns the cycle in which the first of a message is complete, None if not by its bound, and the losses."""
        low, high = int(offsets[message]), int(offsets[message] + limit) + 2
        _, done, lost = self.run(offsets, cuts, high)
        if not done[message]:
            return None, lost
        while high - low > 1:
            middle = (low + high) // 2
            if self.run(offsets, cuts, middle)[1][message]:
                high = middle
            else:
                low = middle
        return high, lost


def _apart(cycles: set[int]) -> list[tuple[int, int]]:
    """Returns interruptions of a cycle each, none of which touches the one before."""
    found: list[tuple[int, int]] = []
    for one in sorted(cycles):
        if one >= 0 and (not found or one > found[-1][1]):
            found.append((one, one + 1))
    return found


def chased_trial(seed: int, *, protocol: str | None = None, tries: int = 10) -> LossyTrial:
    """Chases one message after the other of a random set, with the others released close to it or to when it is sent
    again; some losses are of other packets, which are sent again when it is released."""
    random = np.random.default_rng([seed, 5])
    chosen = protocol or str(random.choice(LOSSY))
    nodes, count, losses = int(random.integers(2, 6)), int(random.integers(1, 5)), int(random.integers(1, 4))
    hop_delay = int(random.integers(1, 3))
    timeout = nodes * (hop_delay + 2 * (SYMBOLS + 1)) + int(random.integers(0, 400))
    messages: list[dict[str, Any]] = []
    for number in range(count):
        source, way = int(random.integers(nodes)), int(random.integers(1, nodes))
        source = messages[0]["source"] if number and random.random() < 0.4 else source
        packets = int(random.integers(1, 4))
        share = random.uniform(0.03, 0.25 if chosen == "none" else 0.08)
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": 64 * packets,
                "period": int((SYMBOLS + 1) * packets / share),
                "priority": int(random.integers(0, 2)) if chosen == "none" else 0,
            }
        )
    content = {
        "network": {"nodes": nodes, "hop_delay": hop_delay},
        "flow_control": {"protocol": chosen},
        # A bit that is wrong once in a blue moon, so that there are time-outs.
        "errors": {"bit_error_rate": 1e-18, "timeout": timeout},
        "run": {"duration": 1},
        "messages": messages,
    }
    trial = LossyTrial(seed, chosen, losses, np.full(count, np.nan), np.zeros(count))
    made = limits(content, Assumed(losses=losses))
    if made is None:
        return trial
    trial.bound = made.bound
    period = np.array([one["period"] for one in messages], dtype=float)
    chase, start = Chase(made.scenario.network_spec(1), count), losses * (timeout + 300) + 1000
    for _ in range(tries):
        chased = int(random.integers(count))
        limit = float(trial.bound[chased])
        if not np.isfinite(limit):
            continue
        near = (
            start + random.choice([0, 1, timeout, timeout + 41, 2 * timeout], count) + random.integers(-60, 60, count)
        )
        offsets = np.rint(np.where(random.random(count) < 0.7, near, random.uniform(0, period)) % period)
        offsets[chased] = start
        cuts: list[tuple[int, int]] = []
        if random.random() < 0.5:
            before = random.integers(0, losses)
            cuts = [
                (int(random.integers(nodes)), start - timeout + int(random.integers(-80, 80))) for _ in range(before)
            ]
        link = (messages[chased]["destination"] - 1) % nodes
        for _ in range(losses):
            end, lost = chase.completed(chased, offsets, cuts, limit)
            if end is None or lost >= losses:
                break
            cuts = _lost_last(chase, chased, offsets, cuts, link, end, lost)
        else:
            end, lost = chase.completed(chased, offsets, cuts, limit)
        worst, _, lost = chase.run(offsets, cuts, start + limit + 3 * period.max() + timeout * losses)
        if lost > losses:
            continue
        trial.lost += lost
        # One that is not complete by its bound is above it.
        worst[chased] = max(worst[chased], limit + 1 if end is None else 0.0)
        trial.worst = np.maximum(trial.worst, worst)
        over = np.flatnonzero(worst > trial.bound + 1e-6)
        if len(over) and not trial.exceeded:
            trial.exceeded, trial.scenario = over.tolist(), json.loads(json.dumps(chase.spec))
    trial.simulations = chase.simulations
    return trial


def _lost_last(
    chase: Chase,
    chased: int,
    offsets: np.ndarray,
    cuts: list[tuple[int, int]],
    link: int,
    end: int,
    lost: int,
) -> list[tuple[int, int]]:
    """Returns the cuts with one more, at which a message's last packet comes to its destination; the same if there is
    none that loses that packet alone."""
    for ahead in (SYMBOLS, SYMBOLS - 1, SYMBOLS + 1, SYMBOLS + 2):
        more = [*cuts, (link, end - ahead)]
        _, done, now = chase.run(offsets, more, end + 1)
        if not done[chased] and now == lost + 1:
            return more
    return cuts
