"""The content of a verification's report: facts, sentences, tables and charts, the same for HTML and PDF."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.verification.sentences import PARTS, counting, named

Record = Mapping[str, Any]

KEYS = ("deadline_us", "bound_us", "these_phases_us", "searched_us", "p99_us", "mean_us")

MISSING = "-"
"""Stands for a figure that there is not."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of words and figures, all as they are shown."""

    id: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int]
    """Columns of words; the others are figures, which stand to the right."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A message in a chart: shares of its deadline."""

    name: str
    bound: float | None
    own: float | None
    """Worst response in the set's own phases."""
    searched: float | None
    guaranteed: bool


@dataclass(frozen=True, slots=True)
class StripChart:
    """A chart of one line for each message, those without a bound first and then by their distance from the deadline,
    on a logarithmic scale of shares."""

    id: str
    title: str
    own: str
    """Name of the mark of the own phases: `exact` or `these phases`."""
    strips: tuple[Strip, ...]
    decades: tuple[int, int]
    """Powers of ten at both ends of the scale."""

    def place(self, share: float) -> float:
        """Returns where a share stands, from 0 to 1."""
        low, high = self.decades
        return (math.log10(max(share, 10.0**low)) - low) / (high - low)

    @property
    def marks(self) -> list[tuple[float, str]]:
        """Powers of ten with their labels."""
        low, high = self.decades
        return [(self.place(10.0**power), _percent(power)) for power in range(low, high + 1)]

    @property
    def caption(self) -> str:
        """Sentence beside the chart: what it shows, in which order, and what a bold name is."""
        bounded = [one.bound is not None for one in self.strips]
        order = "closest first" if len(set(bounded)) == 1 else "those without a bound first, then the closest"
        return f"{self.title}, {order}; a bold name is not guaranteed"

    @property
    def has_bounds(self) -> bool:
        """True if a message has a bound."""
        return any(one.bound is not None for one in self.strips)


@dataclass(frozen=True, slots=True)
class CasePart:
    """A protocol, and a failure: its table and its chart."""

    title: str
    sentence: str
    table: PageTable
    chart: StripChart


@dataclass(frozen=True, slots=True)
class Content:
    """All that a report shows."""

    title: str
    facts: tuple[tuple[str, str], ...]
    verdicts: tuple[tuple[str, bool], ...]
    """Each sentence, and whether it says yes."""
    helps: tuple[str, ...]
    inputs: PageTable
    cases: PageTable
    reasons: PageTable
    failures: PageTable
    changes: PageTable
    scenarios: PageTable
    lemmas: PageTable
    refused: PageTable
    parts: tuple[CasePart, ...]
    assumptions: tuple[str, ...]


def content_of(document: Record, text: str) -> Content:
    """Returns what the report of a verification shows.

    Args:
        document: of the verification.
        text: of its JSON file, whose digest stands in the report.
    """
    of = document["inputs"][0]["name"] if document["inputs"] else "a message set"
    names = ["none", *(one["what"] for one in document["failures"])]
    return Content(
        title=f"Verification of {of}",
        facts=tuple(_facts(document, text)),
        verdicts=tuple(zip(document["verdicts"], (document["holds"], document["survives"]), strict=False)),
        helps=tuple(document["helps"]),
        inputs=_table(
            "inputs",
            "Files that were read",
            ("file", "SHA-256"),
            [(o["name"], o["sha256"]) for o in document["inputs"]],
        ),
        cases=_cases(document, names),
        reasons=_table(
            "reasons",
            f"Deadlines that are not guaranteed under {document['judged']}, and why",
            ("messages", "why"),
            [(named(one["messages"]), one["why"]) for one in document["reasons"]],
        ),
        failures=_table(
            "failures",
            "Single failures, and the messages that have no way then",
            ("failure", "without a way", "which", "from or to what fails"),
            [
                (one["what"], str(len(one["cut"])), *(", ".join(one[key]) or MISSING for key in ("cut", "ends")))
                for one in document["failures"]
            ],
            words={0, 2, 3},
        ),
        changes=_changes(document),
        scenarios=_scenarios(document, names),
        lemmas=_table(
            "lemmas",
            "What the bounds of each protocol follow from",
            ("protocol", "lemmas of the page 'Guaranteed response times'"),
            [(name, "; ".join(found) or "no message has a bound") for name, found in document["lemmas"].items()],
        ),
        refused=_table(
            "refused",
            "Protocols that cannot run the set",
            ("protocol", "why"),
            [*document["refused"].items()],
        ),
        parts=tuple(_parts(document, names)),
        assumptions=tuple(document["assumptions"]),
    )


def _facts(document: Record, text: str) -> Iterator[tuple[str, str]]:
    yield "ringlet", f"{document['ringlet']}, code {document['engine']}"
    yield "command", document["command"]
    yield "verdict of", f"protocol {document['judged']}"
    yield "messages", str(len(document["cases"][0]["messages"]))
    yield "seed", str(document["seed"])
    yield "search", f"{document['trials']} trials of other phases in each case, and as many for its load factors"
    yield "load factors", f"within {100 * document['tolerance']:g} %"
    yield "SHA-256 of the scenario", document["scenario_sha256"]
    yield "SHA-256 of verification.json", hashlib.sha256(text.encode()).hexdigest()
    yield "computed again by", "ringlet verify --check verification.json"
    if sizes := document["queues"].get(document["judged"]):
        yield "queues that all bounds need", ", ".join(f"{key} = {size}" for key, size in sizes.items())


def _cases(document: Record, names: Sequence[str]) -> PageTable:
    rows = []
    for case in document["cases"]:
        messages, factors = case["messages"], case.get("breakdown") or {}
        late = sum(bool(one["missed"]) for one in messages)
        searched = sum((one["searched_us"] or 0.0) > one["deadline_us"] for one in messages)
        rows.append(
            (
                case["protocol"],
                names[case["failure"]],
                f"{sum(one['guaranteed'] for one in messages)} of {counting(document, case)}",
                str(late) if messages else MISSING,
                str(searched) if messages else MISSING,
                *(_figure(factors.get(key)) for key in ("these_phases_factor", "searched_factor", "guaranteed_factor")),
                case["refused"] or "",
            )
        )
    columns = (
        *("protocol", "failure", "guaranteed", "late in these phases", "late in the search"),
        *("factor in these phases", "factor searched", "factor guaranteed", "refused"),
    )
    caption = "Each protocol without a failure and with each; factors say how much faster the whole set may run"
    shown = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    return _table("cases", caption, columns[:shown], [row[:shown] for row in rows], words={0, 1, 8})


def _changes(document: Record) -> PageTable:
    rows = [
        (
            one["protocol"],
            one["change"],
            f"{one['messages'] - len(one['late'])} of {one['messages']}",
            "guaranteed" if one["of"] == "bounds" else "met in these phases",
            " ".join(f"--set '{key}'" for key in one["set"]),
        )
        for one in document["remedies"]
    ]
    columns = ("protocol", "change", "deadlines", "", "as an option")
    return _table("changes", "Changes that were tried without a failure", columns, rows, words={0, 1, 3, 4})


def _scenarios(document: Record, names: Sequence[str]) -> PageTable:
    rows = []
    for case in document["cases"]:
        for key in ("witness", "miss"):
            if case[key] is not None:
                factors = case["breakdown"]
                what = (
                    f"{case['closest']} takes longest, as a share of its deadline"
                    if key == "witness"
                    else f"{factors['searched_miss']} misses its deadline above the factor searched"
                )
                rows.append((case[key]["file"], case["protocol"], names[case["failure"]], what, case[key]["sha256"]))
    columns = ("file", "protocol", "failure", "what", "SHA-256")
    return _table("scenarios", "Scenarios in the worst phases that were found", columns, rows)


def _parts(document: Record, names: Sequence[str]) -> Iterator[CasePart]:
    """Yields each protocol without a failure, the judged one first, then the judged one with each failure."""
    cases = [case for case in document["cases"] if case["messages"]]
    whole = [case for case in cases if case["failure"] == 0]
    broken = [case for case in cases if case["failure"] and case["protocol"] == document["judged"]]
    for case in (*whole, *broken):
        failure = f", failure: {names[case['failure']]}" if case["failure"] else ""
        ordered = sorted(case["messages"], key=_closeness)
        own = "these phases" if case["exact"] is None else "exact"
        id = f"{case['protocol']}-{case['failure']}"
        rows = [
            (
                one["name"],
                *(_figure(one[key]) for key in KEYS),
                _figure(None if one["bound_us"] is None else one["deadline_us"] - one["bound_us"]),
                "yes" if one["guaranteed"] else "no",
                _most(one),
            )
            for one in ordered
        ]
        head = ("message", "deadline", "bound", own, "searched", "p99", "mean", "margin")
        columns = (*head, "guaranteed", "most of the bound")
        caption = "Times in us, in the order of the chart; the margin is what the bound leaves"
        table = _table(f"messages-{id}", caption, columns, rows, words={0, 8, 9})
        strips = tuple(_strip(one) for one in ordered)
        shares = [
            share for one in strips for share in (one.bound, one.own, one.searched) if share is not None and share > 0
        ]
        low = math.floor(math.log10(min(shares, default=0.1)))
        high = math.ceil(math.log10(max([*shares, 1.0])))
        title = f"Responses under {case['protocol']}{failure}, as shares of their deadlines"
        chart = StripChart(f"chart-{id}", title, own, strips, (min(low, -1), high))
        yield CasePart(f"{case['protocol']}{failure}", _of_case(case), table, chart)


def _of_case(case: Record) -> str:
    """Returns how the figures of a case came about."""
    exact = case["exact"]
    seen = (
        f"The worst of these phases is that of the {case['simulated_us']:,.6g} us that were simulated, and what comes "
        "after them is not known"
        if exact is None
        else "The worst of these phases is exact for all time: the simulation repeats itself every "
        f"{exact['period_cycles']:,} cycles, from cycle {exact['transient_cycles']:,} or an earlier one on"
    )
    miss = f"{case['missed_trials']} of {case['trials']} trials of other phases miss a deadline"
    stall = "" if case["stall"] is None else f" It stalls: {case['stall']}."
    whys: dict[str, list[str]] = {}
    for one in case["messages"]:
        if one["bound_us"] is None:
            whys.setdefault(one["why_no_bound"], []).append(one["name"])
    whose = {why: "" if len(names) == len(case["messages"]) else f" of {named(names)}" for why, names in whys.items()}
    return f"{seen}. {miss}.{stall}{''.join(f' No bound{of}: {why}.' for why, of in whose.items())}"


def _most(one: Record) -> str:
    """Returns what most of a bound is made of."""
    if one["bound_us"] is None:
        return "no bound"
    part = max(one["parts_us"], key=lambda key: one["parts_us"][key])
    return f"{PARTS[part]}: {one['parts_us'][part]:.4g}"


def _strip(one: Record) -> Strip:
    bound, own, searched = (None if one[key] is None else one[key] / one["deadline_us"] for key in KEYS[1:4])
    return Strip(one["name"], bound, own, searched, one["guaranteed"])


def _closeness(one: Record) -> tuple[bool, float, str]:
    worst = max(one["searched_us"] or 0.0, one["these_phases_us"] or 0.0)
    used = worst if one["bound_us"] is None else one["bound_us"]
    return one["bound_us"] is not None, -used / one["deadline_us"], one["name"]


def _table(
    id: str,
    caption: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    *,
    words: set[int] | None = None,
) -> PageTable:
    every = set(range(len(columns)))
    return PageTable(id, caption, columns, tuple(rows), frozenset(every if words is None else words))


def _figure(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:z.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:z.4g}"


def _percent(power: int) -> str:
    return f"{100 * 10.0**power:g} %"
