"""Schedules in GOAL (Hoefler, Siebert, Lumsdaine 2009), the text that LogGOPSim reads: a trace with dependences."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported, asked
from ringlet.imports.lines import read_lines
from ringlet.imports.programs.program import Operation, Program
from ringlet.scenario.values.units import exact_ns

MAX_RANKS = 1 << 20

_OPERATION = re.compile(
    r"(?:([A-Za-z]\w*)\s*:\s*)?(?:(send)\s+(\d+)\s*b\s+to\s+(\d+)|(recv)\s+(\d+)\s*b\s+from\s+(-1|\d+)|(calc)\s+(\d+))"
    r"(?:\s+tag\s+(-1|\d+))?(?:\s+cpu\s+(\d+))?(?:\s+nic\s+(\d+))?",
    re.ASCII,
)
_DEPENDENCE = re.compile(r"([A-Za-z]\w*)\s+(i?requires)\s+([A-Za-z]\w*)", re.ASCII)
_RANK = re.compile(r"rank\s+(\d{1,9})\s*\{", re.ASCII)
_RANKS = re.compile(r"num_ranks\s+(\d{1,9})", re.ASCII)
ALLOWED = (
    "a line of GOAL: num_ranks 2, rank 0 {, l1: send 8b to 1 tag 0, l2: recv 8b from 1 tag 0, l3: calc 100, "
    "l3 requires l2, l3 irequires l2, }"
)


def read(file: Path, answers: Answers) -> Imported:
    """Returns the messages of a schedule as a trace.

    Raises:
        RingletError: a line is not GOAL; labels or messages have no partner; or nothing says the unit of its times.
    """
    program: Program | None = None
    rank: int | None = None
    labels: dict[str, int] = {}
    cpus = False
    for place, line in _statements(file):
        if match := _RANKS.fullmatch(line):
            if program is not None or not 1 <= int(match[1]) <= MAX_RANKS:
                raise RingletError.not_allowed(place, line, f"num_ranks once, from 1 to {MAX_RANKS:,}")
            program = Program(str(file), int(match[1]))
        elif program is None:
            raise RingletError.not_allowed(place, line[:80], "num_ranks before all else")
        elif (match := _RANK.fullmatch(line)) and rank is None:
            rank, labels = _number(place, match[1], program.processes), {}
        elif line == "}" and rank is not None:
            rank = None
        elif rank is None:
            raise RingletError.not_allowed(place, line[:80], f"rank 0 {{, of {program.processes} ranks")
        elif match := _DEPENDENCE.fullmatch(line):
            ends = []
            for label in (match[1], match[3]):
                if label not in labels:
                    raise RingletError.not_allowed(place, label, f"a label above it in rank {rank}")
                ends.append(labels[label])
            one = program.operations[ends[0]]
            (one.after if match[2] == "requires" else one.after_begin).append(ends[1])
        elif match := _OPERATION.fullmatch(line):
            cpus = cpus or bool(match[11] or match[12])
            number = program.add(_operation(place, rank, match, program.processes, answers))
            if match[1]:
                if match[1] in labels:
                    raise RingletError.not_allowed(place, match[1], f"a label once in rank {rank}")
                labels[match[1]] = number
        else:
            raise RingletError.not_allowed(place, line[:80], ALLOWED)
    if program is None or rank is not None:
        value = "<its end>" if program else "<no line>"
        raise RingletError.not_allowed(str(file), value, "num_ranks, and a block rank 0 { ... } for each rank")
    found = program.trace()
    if not any(one.kind == "send" for one in program.operations):
        raise RingletError.not_allowed(str(file), "<no message>", "a schedule with messages")
    found.left_out.append("processors: computations of a rank that do not require each other take place at once")
    if cpus:
        found.left_out.append("cpu and nic of operations")
    return found


def _operation(place: str, rank: int, match: re.Match[str], ranks: int, answers: Answers) -> Operation:
    if match[8]:
        ns = Decimal(match[9])
        if ns and answers.time_unit is None:
            raise asked(place, f"calc {match[9]} has no unit", "--time-unit", "it, such as 'ns', that of LogGOPSim")
        return Operation("compute", rank, place, ns=ns * _unit_ns(answers.time_unit) if ns else ns)
    for value, what in ((match[7], "rank"), (match[10], "tag")):
        if value == "-1":
            allowed = f"a {what}: which message comes first to any of them depends on the network"
            raise RingletError.not_allowed(place, "-1", allowed)
    tag = int(match[10] or 0)
    if match[2]:
        return Operation("send", rank, place, _number(place, match[4], ranks), int(match[3]), tag)
    return Operation("receive", rank, place, _number(place, match[7], ranks), int(match[6]), tag)


def _unit_ns(unit: str | None) -> Decimal:
    try:
        found = exact_ns(f"1 {unit}")
    except ValueError:
        raise RingletError.not_allowed("--time-unit", unit, "a unit of time, such as 'ns'") from None
    return Decimal(found.numerator) / Decimal(found.denominator)


def _number(place: str, text: str, ranks: int) -> int:
    if len(text) > 9 or int(text) >= ranks:
        raise RingletError.not_allowed(place, f"rank {text}", f"a rank from 0 to {ranks - 1}")
    return int(text)


def _statements(file: Path) -> Iterator[tuple[str, str]]:
    """Yields the lines that say something, without comments; a brace that closes is a line."""
    inside = False
    for number, line in read_lines(file, "a schedule in GOAL"):
        text = ""
        while line:
            if inside:
                _, inside_end, line = line.partition("*/")
                inside = not inside_end
                continue
            before, begin, rest = line.partition("/*")
            before, comment, _ = before.partition("//")
            text += before
            line = "" if comment else rest
            inside = bool(begin) and not comment
        for part in re.split(r"[;]|(?<=\{)|(?=\})", text):
            if part.strip():
                yield f"{file}, line {number}", " ".join(part.split())
    if inside:
        raise RingletError.not_allowed(str(file), "/*", "a comment that ends with */")
