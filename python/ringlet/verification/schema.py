"""The JSON Schema of a verification's document."""

from typing import Any

from ringlet.verification.verification import SCHEMA

Schema = dict[str, Any]


def _typed(kind: str, description: str, *, null: bool = False) -> Schema:
    return {"type": [kind, "null"] if null else kind, "description": description}


def _array(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def _record(description: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}

_FILE = _record(
    "A scenario beside the report.",
    file=_typed("string", "Name of its file."),
    sha256=_typed("string", "Its SHA-256."),
)

_SIZES: Schema = {
    "type": "object",
    "additionalProperties": {"type": "integer"},
    "description": "Sizes of queues that bounds need and the scenario has not, by key.",
}

_MESSAGE = _record(
    "A message in a case; times in us.",
    name=_typed("string", "Its name."),
    deadline_us=_typed("number", "Its deadline."),
    bound_us=_typed("number", "Proven bound of its response in all phases; null: there is none.", null=True),
    guaranteed=_typed("boolean", "Is the bound within the deadline?"),
    parts_us={
        "type": "object",
        "additionalProperties": {"type": "number"},
        "description": "What the bound is made of; empty without one.",
    },
    why_no_bound=_typed("string", "Why there is no bound; null: there is one.", null=True),
    these_phases_us=_typed("number", "Worst response in the set's own phases; null: none.", null=True),
    searched_us=_typed("number", "Longest response that was found in any phases; null: none.", null=True),
    mean_us=_typed("number", "Mean response in its own phases; null: none.", null=True),
    p99_us=_typed("number", "99th percentile of its responses there; null: none.", null=True),
    released=_typed("integer", "Releases that were measured there."),
    missed=_typed("integer", "Deadlines missed there."),
)

_BREAKDOWN = _record(
    "Load factors, as of `ringlet breakdown`.",
    these_phases_factor=_typed("number", "Largest without a miss in the set's own phases."),
    searched_factor=_typed("number", "Largest at which no trial of other phases misses a deadline."),
    guaranteed_factor=_typed("number", "Largest at which all deadlines are guaranteed; null: none.", null=True),
    first_miss=_typed("string", "Message that misses above the first; null: none does.", null=True),
    searched_miss=_typed("string", "Message that misses above the second; null: none does.", null=True),
    utilisation=_typed("number", "Of the busiest link at the first factor."),
    why_none=_typed("string", "Why the first is 0; null: it is not.", null=True),
    why_unproven=_typed("string", "Why the third is null; null: it is not.", null=True),
)

_ALWAYS = ("protocol", "failure", "refused", "messages", "needed", "witness", "miss")


def _case() -> Schema:
    found = _record(
        "A protocol without a failure, or with one; where nothing is left to be sent, or it is refused, it has no "
        "messages and no more than its first keys.",
        protocol=_typed("string", "Flow control."),
        failure=_typed("integer", "Number of the failure in `failures`, from 1; 0: none."),
        refused=_typed("string", "Why it cannot be simulated; null: it can.", null=True),
        messages=_array(_MESSAGE, "Each message, loop, and flow with a deadline that has a way, in this order."),
        needed=_SIZES,
        exact={
            **_record(
                "The period that repeats, where the worst of these phases is exact.",
                period_cycles=_typed("integer", "Cycles after which all repeats."),
                transient_cycles=_typed("integer", "Cycle from which on it does, at most."),
            ),
            "type": ["object", "null"],
        },
        simulated_us=_typed("number", "Time that was measured in these phases."),
        stall=_typed("string", "What stalled there; null: nothing.", null=True),
        trials=_typed("integer", "Trials of other phases."),
        missed_trials=_typed("integer", "Trials in which a deadline was missed."),
        closest=_typed("string", "Message whose longest response is the largest share of its deadline."),
        witness={**_FILE, "type": ["object", "null"]},
        breakdown={**_BREAKDOWN, "type": ["object", "null"]},
        miss={**_FILE, "type": ["object", "null"]},
    )
    found["required"] = list(_ALWAYS)
    return found


def json_schema() -> Schema:
    """Returns the JSON Schema of `verification.json`, which `ringlet verify` writes."""
    remedy = _record(
        "A change that was tried without a failure.",
        protocol=_typed("string", "Flow control."),
        of={"enum": ["bounds", "phases"], "description": "What was computed: bounds, or the set's own phases."},
        change=_typed("string", "The change in words."),
        set={**_TEXTS, "description": "The same for `--set`."},
        messages=_typed("integer", "Messages."),
        guaranteed=_typed("integer", "Deadlines that are guaranteed with it."),
        late={**_TEXTS, "description": "Messages whose deadlines are not guaranteed, or are missed, with it."},
        why_no_bound=_typed("string", "Why one has no bound; null: all have.", null=True),
        needed=_SIZES,
        exact=_typed("boolean", "Whether the worst of these phases is exact."),
        better=_typed("boolean", "Whether fewer messages are late than without it."),
    )
    remedy["required"] = ["protocol", "of", "change", "set", "messages", "late", "better"]
    document = _record(
        "A message set verified by `ringlet verify`.",
        schema={"const": SCHEMA, "description": "Version of the document."},
        ringlet=_typed("string", "Release of ringlet."),
        engine=_typed("string", "Release, and a digest of all code that decides the figures."),
        command=_typed("string", "The command that computes the same."),
        inputs=_array(
            _record(
                "A file.", name=_typed("string", "Its name."), sha256=_typed("string", "SHA-256 of what it holds.")
            ),
            "Files that were read.",
        ),
        scenario_sha256=_typed("string", "SHA-256 of the scenario as JSON without blanks, its keys in order."),
        scenario=_typed("object", "The scenario with all defaults; `ringlet schema` describes it."),
        asked={**_TEXTS, "type": ["array", "null"], "description": "Protocols that were asked for; null: all."},
        trials=_typed("integer", "Trials of other phases in each case, and as many for its load factors."),
        tolerance=_typed("number", "Relative error of load factors."),
        assumed=_record(
            "What bounds assume that the scenario does not state.",
            rate=_typed("string", "Most that each node's background traffic sends; null: not said.", null=True),
            burst=_typed("string", "What it may send at once beyond that; null: not said.", null=True),
            jitter={"type": ["number", "string"], "description": "Most time by which a message is late."},
            losses=_typed("integer", "Packets and echoes that are lost at most."),
            failure=_typed("boolean", "May a cable or a station of a dual-attached ring with copies fail?"),
            offsets=_typed("boolean", "Are the bounds those for the offsets of the messages?"),
        ),
        all_factors=_typed("boolean", "Are there load factors with each failure, too?"),
        seed=_typed("integer", "Seed of all that is drawn."),
        judged=_typed("string", "Protocol that the verdicts are of."),
        refused={
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Protocols that cannot run the set, and why.",
        },
        assumptions={**_TEXTS, "description": "What is taken for granted, in words."},
        lemmas={
            "type": "object",
            "additionalProperties": _TEXTS,
            "description": "The lemmas that the bounds of each protocol, and its guaranteed factor, follow from; none "
            "without any.",
        },
        offsets_unused={
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Protocols whose bounds are those for all phases though those for offsets were asked for, "
            "and why.",
        },
        failures=_array(
            _record(
                "A single failure.",
                what=_typed("string", "What fails, in words."),
                rings={**_TEXTS, "description": "Rings that it interrupts."},
                cut={**_TEXTS, "description": "Messages that have no way then, though their ends work."},
                ends={**_TEXTS, "description": "Messages from or to a node that it cuts off."},
            ),
            "Each single failure of a link, a switch or a station.",
        ),
        with_failures=_typed("boolean", "Were failures looked at?"),
        cases=_array(_case(), "Each protocol, the judged one first, without a failure and with each."),
        queues={"type": "object", "additionalProperties": _SIZES, "description": "Over all cases, by protocol."},
        remedies=_array(remedy, "Changes that were tried where not all deadlines are guaranteed."),
        reasons=_array(
            _record(
                "A reason.",
                messages={**_TEXTS, "description": "Messages that it is of."},
                why=_typed("string", "The reason."),
            ),
            "Why deadlines are not guaranteed under the judged protocol without a failure.",
        ),
        helps={**_TEXTS, "description": "What of all that was tried helps there."},
        holds=_typed("boolean", "Is every deadline guaranteed there?"),
        survives=_typed("boolean", "Is it so with each single failure, too?"),
        verdicts={**_TEXTS, "description": "The verdicts in words."},
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ringlet verification", **document}
