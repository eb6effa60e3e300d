"""The explanations of `ringlet explain`: keys of files, figures of results, and warnings of runs."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from ringlet.advice.requirements import json_schema as requirements_schema
from ringlet.cli.columns import COLUMNS
from ringlet.cli.explanation import Explanation
from ringlet.figures import BY_INTERVAL, BY_NAME, Figure, OverSeeds, figures_of
from ringlet.figures.document_schema import result_schema
from ringlet.figures.errors import ERRORS, FAILURES, INTERFACES
from ringlet.figures.switches import B_LINK, CONTROLLER
from ringlet.scenario import json_schema as scenario_schema
from ringlet.scenario.network import TOPOLOGIES
from ringlet.scenario.patterns import PATTERNS
from ringlet.sections.schema_in_words import Key, choices_of, keys_of
from ringlet.simulation import notices
from ringlet.studies.schedulability import schedulability_schema
from ringlet.studies.study import study_schema
from ringlet.verification.schema import json_schema as verification_schema

CHOOSING = {"flow_control.protocol": "sci", "network.topology": "torus", "traffic.pattern": "hot-spot"}
"""Keys that choose what else their table has, each with one of its values."""


WARNINGS = (
    Explanation(
        "warm-up not detected",
        "a warning of a run",
        "The throughput or the latency still changed steadily when the longest warm-up was over, so the "
        "figures may depend on how long was simulated.\n"
        "What helps: a longer run.duration, or run.warmup set to a time. Above saturation the latency grows "
        "for ever, and no warm-up ends that: see 'overloaded'.",
        pattern=notices.PATTERNS["warm-up not detected"],
    ),
    Explanation(
        "precision not reached",
        "a warning of a run",
        "The run ended, at its run.duration or at the most that is simulated, before throughput and mean "
        "latency were as precise as run.precision requires.\n"
        "What helps: a longer run.duration, or a larger run.precision. The intervals beside the figures say "
        "what is known.",
        pattern=notices.PATTERNS["precision not reached"],
    ),
    Explanation(
        "without a turn",
        "a warning of a run",
        "Packets waited for most of the time in the transmit slots of these link controllers of a switch, and not "
        "one was sent on its ring: what passes leaves no gap.\n"
        "What helps: flow control, or less traffic past the port.",
        pattern=r"without a turn",
    ),
    Explanation(
        "starved",
        "a warning of a run",
        "Packets waited at these nodes for most of the time, and none was sent, or less than 1 % of the node's fair "
        "share was served: others' packets pass without a gap. Without flow control that is what happens upstream of "
        "a busy destination. The table has no latency of such a node: it is that of the few packets that got through."
        "\n"
        "What helps: a flow_control.protocol that holds the others back; 'ringlet trace --format player' "
        "shows it. Where its packets are sent again and again to a full receiver, retry.reservation = true keeps a "
        "place for them.",
        pattern=notices.PATTERNS["starved"],
    ),
    Explanation(
        "stalled",
        "a warning of a run",
        "Packets wait and none is accepted any more, since the cycle named: a deadlock, or a receiver that "
        "takes nothing. 'ringlet run' ends with exit code 1 then.\n"
        "What helps: 'ringlet topology' names the buffers that can wait for each other. run.stall_after says "
        "how long nothing may move.",
        pattern=notices.PATTERNS["stalled"],
    ),
    Explanation(
        "overloaded",
        "a warning of a run",
        "More is offered than the ring or network carries: queues grow for as long as one simulates. The "
        "throughput is what it carries; the latency has no steady value, and is longer in a longer run.\n"
        "What helps: a lower traffic.load; 'ringlet bound' says what each node could get at best.",
        pattern=notices.PATTERNS["overloaded"],
    ),
    Explanation(
        "not steady",
        "a warning of a run",
        "The mean latency of a batch is like that of the one before, or rises from each to the next: the run has seen "
        "few excursions of the queues, or queues that fill. Or queues are so long that they change slowly: the run "
        "lasts less than 250 times w^2 / s, of a mean wait w and a time s between packets of a source. Such batches "
        "give no interval.\n"
        "What helps: a longer run.duration, several seeds with 'ringlet sweep', or a lower load.",
        pattern=notices.PATTERNS["not steady"],
    ),
    Explanation(
        "batches correlate",
        "a warning of a run",
        "The interval of a mean comes from batches of the run, taken as independent. These are not: what "
        "happened in one is felt in the next. The interval was made wider for that.\n"
        "What helps: a longer run.duration, or several seeds with 'ringlet sweep'.",
        pattern=notices.PATTERNS["batches correlate"],
    ),
    Explanation(
        "this network can deadlock",
        "a warning before a run",
        "Packets in the buffers named can wait for each other in a circle, for ever. It need not happen in a "
        "run; if it does, the run is reported as stalled.\n"
        "What helps: other routes, or switches with separate buffers for responses. 'ringlet topology' names "
        "all buffers of the circle.",
        pattern=r"this network can deadlock",
    ),
    Explanation(
        "overload",
        "a warning before a run, of 'ringlet model' and of sets of messages",
        "Messages or packets need more of a link or a receive queue than there is, by their rates alone, "
        "whatever the protocol does: responses grow without end.\n"
        "What helps: longer periods, a lower load, or a shorter queues.service_time.",
        pattern=r"overload: ",
    ),
    Explanation(
        "without a unit",
        "a warning before a run",
        "A table of messages has times without a unit. They are taken as cycles, of a symbol each.\n"
        "What helps: the unit in the heading of the column, such as period_us, or in each value, such as '10 "
        "us'.",
        pattern=r"without a unit: ",
    ),
)
"""Messages that need more than a line. Errors are not here: each says what is allowed."""


@cache
def explanations() -> tuple[Explanation, ...]:
    """Returns all that can be explained."""
    return (*_keys(), *_choices(), *_figures(), *_parts(), *_columns(), *WARNINGS)


def depends_on_other_packages() -> bool:
    """Returns whether installed packages add patterns or topologies, whose texts may change at any time."""
    return any(next(family.added(), None) is not None for family in (PATTERNS, TOPOLOGIES))


def _keys() -> Iterator[Explanation]:
    # What several files, protocols or topologies say alike is said once.
    alike: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for file, schema in (
        ("a scenario", scenario_schema()),
        ("a study", study_schema()),
        ("requirements", requirements_schema()),
        ("a schedulability study", schedulability_schema()),
    ):
        for path, facts, description, where in _merged(keys_of(schema)):
            alike.setdefault((path, facts, description), {}).setdefault(file, []).append(where)
    for (path, facts, description), files in alike.items():
        first, *others = dict.fromkeys(where for each in files.values() for where in each if where) or ("",)
        # All are distinguished by the same key.
        values = [_plain(other).rpartition(" = ")[2] for other in others]
        where = f", with {' or '.join([_plain(first), *values])}" if first else ""
        yield Explanation(path, f"a key of {' and of '.join(files)}{where}", _plain(description), (_plain(facts),))


def _choices() -> Iterator[Explanation]:
    for choice in choices_of(scenario_schema()):
        keys = f"keys of its own: {', '.join(choice.keys)}" if choice.keys else "no keys of its own"
        yield Explanation(choice.value, f"a value of {choice.path}", _plain(choice.description), (keys,))


def _merged(keys: Iterable[Key]) -> Iterator[tuple[str, str, str, str]]:
    """Yields path, facts, description and table of each key; a key that chooses a table with all its values."""
    by_path: dict[str, list[Key]] = {}
    for key in keys:
        by_path.setdefault(key.path, []).append(key)
    for path, same in by_path.items():
        if path in CHOOSING:
            values = " or ".join(dict.fromkeys(key.facts[0] for key in same))
            description = same[0].description or by_path[path.rpartition(".")[0]][0].description
            yield path, values, f"{description}\n'ringlet explain {CHOOSING[path]}' explains that value.", ""
            continue
        everywhere = len({(key.facts, key.description) for key in same}) == 1 and len(same) > 2
        for key in same:
            yield path, "; ".join(key.facts), key.description, "" if everywhere else key.where


def _figures() -> Iterator[Explanation]:
    every = (*BY_NAME.values(), *figures_of("nodes"), *figures_of("priorities"), *ERRORS, *INTERFACES, *FAILURES)
    every = (*every, *CONTROLLER, *B_LINK)
    for figure in dict.fromkeys(every):
        yield _figure(figure)
    for name, figure in BY_INTERVAL.items():
        if name not in BY_NAME:
            text = f"Half the width of the 95 % interval of {figure.name}, over the runs of a point."
            yield Explanation(name, "a column of a sweep", text)


def _parts() -> Iterator[Explanation]:
    """Yields the entries of a run's JSON that are no figures themselves."""
    known = {f".{name}" for each in _figures() for name in (each.name, *each.other_names)}
    found: dict[str, Explanation] = {}
    for path, part in _entries(result_schema()):
        if any(f".{path}".endswith(name) for name in known):
            continue
        inside = ", ".join(_inside(part).get("properties", {}))
        text = _plain(part.get("description", "")) or f"A part of {path.rpartition('.')[0] or 'the document'}."
        found.setdefault(
            path, Explanation(path, "a part of a run's JSON", text, (f"it has {inside}",) if inside else ())
        )
    yield from found.values()


def _columns() -> Iterator[Explanation]:
    """Yields what commands print that is no part of a run; a name that several of them print has one meaning."""
    found: dict[str, list[tuple[str, str]]] = {}
    for command, columns in COLUMNS.items():
        for name, text in columns.items():
            found.setdefault(name, []).append((command, text))
    for name, meanings in found.items():
        commands = " and ".join(f"'ringlet {command}'" for command, _ in meanings)
        yield Explanation(name, f"a figure of {commands}", "\n".join(dict.fromkeys(text for _, text in meanings)))
    for path, part in _entries(verification_schema()):
        text = _plain(part.get("description", ""))
        if text:
            yield Explanation(f"verification.{path}", "a part of the JSON of 'ringlet verify'", text)


def _entries(schema: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the path and the schema of all entries of a JSON document."""
    for name, part in _inside(schema).get("properties", {}).items():
        path = f"{above}.{name}" if above else name
        yield path, part
        yield from _entries(part, path)


def _inside(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the schema of an object, or of those in an array."""
    inside: Mapping[str, Any] = schema.get("items", schema)
    return inside


def _figure(figure: Figure) -> Explanation:
    of = ", ".join(part for part in figure.values)
    facts = [figure.label]
    in_json = ".".join(figure.path)
    if of:
        facts.append(f"in the JSON {in_json}, of {of}" if in_json != figure.name else f"of {of}")
    if figure.over_seeds is not OverSeeds.NONE:
        facts.append(f"over the seeds of a point: {figure.over_seeds.value}")
    return Explanation(figure.name, "a figure of a run", _plain(figure.meaning), tuple(facts), (in_json,))


def _plain(text: str) -> str:
    """Returns text of the reference without what marks code in it."""
    return text.replace("`", "")
