"""The JSON Schema of a run, made from the registry."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ringlet.document.figure import Figure
from ringlet.document.part import DocumentPart
from ringlet.figures.errors import ERRORS, FAILURES, INTERFACES, SERVICE
from ringlet.figures.exact import EXACT
from ringlet.figures.held_back import CAUSES
from ringlet.figures.registry import figures_of
from ringlet.figures.replay import REPLAY
from ringlet.figures.run import PRECISION
from ringlet.figures.switches import B_LINK, CONTROLLER
from ringlet.scenario.activities.activity import Activity
from ringlet.scenario.activities.registry import ACTIVITIES, PARTS

Schema = Mapping[str, Any]

SCHEMA = 1
"""Version of the document."""


def result_schema() -> dict[str, Any]:
    """Returns the JSON Schema of what `ringlet run --json` prints."""
    record, run = _record(figures_of("total")), _record(figures_of("run"))
    properties = {
        "schema": {"const": SCHEMA, "description": "Version of the document."},
        "ringlet": _typed("string", "Release of ringlet."),
        "scenario": _typed("object", "The scenario, with all defaults; `ringlet schema` describes it."),
        "seed": _typed("integer", "Seed of the run."),
        **run["properties"],
        "nodes": _array(
            "Each node, in the order of their numbers.",
            _record(
                figures_of("nodes"),
                left_out=("held_back",),
                id=_typed("integer", "Number of the node."),
                name=_typed("string", "Its name, such as `node 0`, or `P0` in a network."),
                held_back={
                    **_shares(CAUSES),
                    "description": "Shares of the time, which add up to 1; left out without `--why`.",
                },
            ),
        ),
        "total": {**record, "description": "The whole network."},
        "precision": {
            **_record(PRECISION),
            "type": ["object", "null"],
            "description": "How precise the figures are; null where the scenario has no precision.",
        },
        "saw": SAW,
        "exact": {
            **_record(EXACT),
            "type": ["object", "null"],
            "description": "The period of a run in which nothing is drawn at random and that has come back to a state: "
            "rates, means, percentiles, shares and distributions are those of a period, and so exact for these phases "
            "and for all time; counts are of the measured time. Null where none was found.",
        },
        "stall": STALL,
        "warnings": _array(
            "What a reader should know before trusting the figures.", _typed("string", "A warning, in words.")
        ),
        "priorities": _array(
            "Each send priority in use, ascending; left out where there is one only.",
            _record(figures_of("priorities"), priority=_typed("integer", "The send priority.")),
        ),
        "latency_distribution": _distribution(
            "Distribution of the one-way latency: of all packets, and of each priority where there are several.",
            _LATENCY_BINS,
        ),
        "retry_distribution": _distribution(
            "Packets accepted, by how often their node sent them again before that: of all packets, and of each "
            "priority where there are several. Packets that were given up, or wait at the end, are not in it.",
            _RETRY_BINS,
        ),
        "trace": {**_record(REPLAY), "description": "The record of a trace's replay; left out without a trace."},
        **{part.name: _part(part) for part in PARTS},
        "link_controllers": _array(
            "Each link controller of a switch's port; left out without switches.", _record(CONTROLLER)
        ),
        "b_links": _array("Each B-Link of a switch; left out without switches.", _record(B_LINK)),
        "search": SEARCH,
        "regimes": REGIMES,
        "held_back": {
            "type": "object",
            "description": "What held packets back; left out without `--why`.",
            "properties": {
                "start_cycle": _typed("integer", "First cycle that was looked at."),
                "stop_cycle": _typed("integer", "Cycle behind the last one."),
                "sentence": _typed("string", "What holds back the node that is held back most."),
            },
            "required": ["start_cycle", "stop_cycle", "sentence"],
        },
        "errors": {
            **_record(
                ERRORS,
                left_out=("service",),
                failures=_array("Each link or node that fails.", _record(FAILURES)),
                interfaces=_array("Each interface at which something was lost or timed out.", _record(INTERFACES)),
                service={
                    **_record(
                        SERVICE,
                        throughput_MBps=_array("Throughput of all nodes in each bin, in MB/s.", {"type": "number"}),
                    ),
                    "description": "Throughput over time; left out where nothing fails.",
                },
            ),
            "description": "Packets lost on links, and when senders detected it; left out without errors.",
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:ringlet:result",
        "title": "ringlet result",
        "description": (
            "What 'ringlet run --json' prints, and 'Result.to_dict()' returns. Later releases may add entries."
        ),
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in LEFT_OUT],
    }


LEFT_OUT = (
    "priorities",
    "trace",
    *(part.name for part in PARTS),
    "link_controllers",
    "b_links",
    "search",
    "regimes",
    "held_back",
    "errors",
)
"""Entries that only some documents have."""


def _shares(causes: Mapping[str, str]) -> dict[str, Any]:
    properties = {name: {"type": "number", "description": says} for name, says in causes.items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _typed(kind: str, meaning: str) -> dict[str, Any]:
    return {"type": kind, "description": meaning}


def _part(part: DocumentPart) -> dict[str, Any]:
    meaning, record = f"{part.meaning}; left out without {part.without}.", _record(figures_of(part.name))
    return _array(meaning, record) if part.many else {**record, "description": meaning}


def _array(meaning: str, items: Schema) -> dict[str, Any]:
    return {"type": "array", "description": meaning, "items": items}


def _record(figures: Iterable[Figure], *, left_out: Collection[str] = (), **others: Schema) -> dict[str, Any]:
    """An object with an entry for each figure, those with a common key in an object of their own."""
    properties: dict[str, Any] = dict(others)
    for figure in figures:
        for path in figure.paths:
            *groups, key = path
            at = properties
            for group in groups:
                inner = at.setdefault(group, {"type": "object", "properties": {}, "required": []})
                inner["required"].append(key)
                at = inner["properties"]
            at[key] = _figure(figure) if path == figure.path else _former(figure)
    required = [name for name in properties if name not in left_out]
    return {"type": "object", "properties": properties, "required": required}


def _figure(figure: Figure) -> dict[str, Any]:
    """The schema of a figure; `unit` is an annotation."""
    kind = [figure.kind, "null"] if figure.may_lack else figure.kind
    unit = {"unit": figure.unit} if figure.unit else {}
    words = {"additionalProperties": {"type": "string"}} if figure.kind == "object" else {}
    return {"type": kind, "description": figure.meaning, **unit, **words}


def _former(figure: Figure) -> dict[str, Any]:
    """The schema of a figure at the place that it leaves with release 1.0."""
    return {**_figure(figure), "description": f"The former name of {figure.name}.", "deprecated": True}


_PORT = _typed("string", "A port of a switch.")

STALL = {
    "type": ["object", "null"],
    "description": "Where packets waited and nothing moved any more; null where that did not happen.",
    "properties": {
        "since_cycle": _typed("integer", "Cycle since which nothing has moved."),
        "waiting_nodes": _array("Nodes whose packets wait.", _typed("integer", "Number of the node.")),
        "detail": _typed("string", "What waits for what, in words."),
        "blocked": _array(
            "Ports whose packets wait for each other; left out where there are none.",
            {
                "type": "object",
                "properties": {
                    "port": _PORT,
                    "packets": {"enum": ["requests", "responses"], "description": "Which of its packets wait."},
                    "waits_for": _PORT,
                },
                "required": ["port", "packets", "waits_for"],
            },
        ),
    },
    "required": ["since_cycle", "waiting_nodes", "detail"],
}


def _seen(meaning: str, counts: Mapping[str, str], **others: Schema) -> dict[str, Any]:
    """An object of counts, left out where the scenario has no such activity."""
    properties = {**{name: _typed("integer", said) for name, said in counts.items()}, **others}
    return {"type": "object", "description": meaning, "properties": properties, "required": list(properties)}


def _seen_of(activity: Activity) -> dict[str, Any]:
    """An object of what a run has seen of an activity."""
    properties: dict[str, Schema] = {}
    for name, (kind, said) in activity.seen.items():
        unit = {"unit": "ns"} if name.endswith("_ns") else {}
        properties[name] = {"type": kind if isinstance(kind, str) else list(kind), **unit, "description": said}
    return _seen(f"{activity.title}.", {}, **properties)


_COMPLETE = _typed("boolean", "Whether all of it was delivered.")

SAW = {
    "type": "object",
    "description": "What the measured time holds of each activity that the scenario has: what its verdicts are from.",
    "properties": {
        "ended_by": {
            "enum": [
                *("duration", "hyperperiod", "triggers", "releases", "complete", "trace", "precision"),
                *("ends", "default", "cap", "stall", "growing queues"),
            ],
            "description": "What ended the run: `run.duration`, or what was asked (`ends`: that what ends is "
            "delivered, by estimate; `default`: 1 ms where nothing is), the most that is measured for it, a "
            "stall, or queues that grow.",
        },
        "packets": _seen("All packets.", {"delivered": "Packets delivered, requests and responses."}),
        **{one.name: _seen_of(one) for one in reversed(ACTIVITIES)},
        "trace": _seen(
            "The replay of a trace.",
            {"started": "Packets that started.", "waiting": "Packets that did not."},
            complete=_COMPLETE,
        ),
    },
    "required": ["ended_by", "packets"],
}

_RESPONSE = {"type": ["number", "null"], "unit": "ns"}

SEARCH = {
    "type": "object",
    "description": "What a search of other phases of messages and loops has found; left out without `--search`.",
    "properties": {
        "trials": _typed("integer", "Simulations of other phases."),
        "missed_trials": _typed("integer", "Those of them in which a deadline was missed."),
        "closest": _typed("string", "Message or loop whose longest response takes the largest share of its deadline."),
        "why_no_bound": {"type": ["string", "null"], "description": "Why some have no bound; null where all have."},
        "responses": _array(
            "Each message, then each loop.",
            {
                "type": "object",
                "properties": {
                    "name": _typed("string", "Its name."),
                    "deadline_ns": {"type": "number", "unit": "ns", "description": "Its deadline."},
                    "these_phases_ns": {**_RESPONSE, "description": "Worst response of the run."},
                    "searched_ns": {**_RESPONSE, "description": "Longest response in the run and in all trials."},
                    "bound_ns": {**_RESPONSE, "description": "Guaranteed bound for all phases; null without one."},
                },
                "required": ["name", "deadline_ns", "these_phases_ns", "searched_ns", "bound_ns"],
            },
        ),
    },
    "required": ["trials", "missed_trials", "closest", "why_no_bound", "responses"],
}

_START = {
    "type": "object",
    "properties": {
        "throughput_MBps": {"type": "number", "unit": "MB/s", "description": "Throughput of all nodes."},
        "throughput_ci95_MBps": {**_RESPONSE, "unit": "MB/s", "description": "Half of the width of its interval."},
        "latency_mean_ns": {**_RESPONSE, "description": "Mean one-way latency."},
        "latency_ci95_ns": {**_RESPONSE, "description": "Half of the width of its interval; null without one."},
        "queues_grow": _typed("boolean", "True if more came than was served."),
        "stalled": _typed("boolean", "True if nothing moved any more."),
        "warmup_cycles": _typed("integer", "Cycles before the measured ones."),
        "cycles": _typed("integer", "Cycles that were measured."),
    },
}
_START["required"] = list(_START["properties"])

REGIMES = {
    "type": "object",
    "description": "Whether the ring comes to the same from an empty and from an overfull start; left out where that "
    "was not looked for.",
    "properties": {
        "verdict": {
            "enum": ["two", "one", "undecided"],
            "description": "`two`: throughput, or a steady latency, differs beyond chance, by 2 % or 20 % at least; "
            "`one`: they differ by less.",
        },
        "undecided_as": {
            "enum": ["start", "growth", "chance", None],
            "description": "Why nothing is decided, else null: packets of the overfull start were still being served; "
            "queues grow after one start only; chance may be what they differ by.",
        },
        "waiting_packets": _typed("integer", "Packets that waited at each source in the overfull start."),
        "empty": {**_START, "description": "The run itself."},
        "overfull": {**_START, "description": "The run that began with packets waiting."},
    },
    "required": ["verdict", "undecided_as", "waiting_packets", "empty", "overfull"],
}

_LATENCY_BINS = {
    "upper_ns": _array(
        "Upper end of each bin that holds packets, ascending; it is at most 4.4 % above the lower one.",
        {"type": "number", "unit": "ns"},
    ),
    "packets": _array("Packets in each bin.", {"type": "integer"}),
}

_RETRY_BINS = {
    "retries": _array(
        "How often the packets of each bin were sent again, ascending, 0 among them; beyond 31 the upper end of a bin, "
        "which is at most 6.7 % above the lower one.",
        {"type": "integer"},
    ),
    "packets": _array("Packets in each bin.", {"type": "integer"}),
}


def _distribution(meaning: str, bins: Mapping[str, Schema]) -> dict[str, Any]:
    """An object with the bins of the total, and of each priority where there are several."""
    return {
        "type": "object",
        "description": meaning,
        "properties": {
            "total": {"type": "object", "properties": bins, "required": list(bins)},
            "priorities": _array(
                "Each send priority.",
                {
                    "type": "object",
                    "properties": {"priority": _typed("integer", "The send priority."), **bins},
                    "required": ["priority", *bins],
                },
            ),
        },
        "required": ["total"],
    }
