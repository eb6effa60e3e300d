"""Execution traces of Chakra (MLCommons), which ASTRA-sim replays, read by protobuf: a trace with dependences."""

import gzip
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.imports.content import LEAVE_OUT, Answers, Imported, asked
from ringlet.imports.libraries import library
from ringlet.imports.programs import chakra_schema as schema
from ringlet.imports.programs.process_files import process_files
from ringlet.imports.programs.program import Operation, Program
from ringlet.imports.programs.ring_steps import Collective, Kind, add_steps
from ringlet.sections.wording import counted

_NUMBERED = re.compile(r"(.+)\.(\d{1,6})(\.et(?:\.gz)?)")

KINDS: Mapping[int, Kind] = {
    schema.ALL_REDUCE: "all-reduce",
    schema.ALL_GATHER: "all-gather",
    schema.ALL_TO_ALL: "all-to-all",
    schema.REDUCE_SCATTER: "reduce-scatter",
    schema.REDUCE_SCATTER_BLOCK: "reduce-scatter",
    schema.BROADCAST: "broadcast",
    schema.REDUCE: "reduce",
    schema.GATHER: "gather",
    schema.SCATTER: "scatter",
    schema.BARRIER: "all-gather",
}


@dataclass
class Node:
    """A node of a trace."""

    place: str
    id: int
    type: int
    after: list[int]
    """Ids of the nodes that it waits for."""
    duration_us: int
    values: Mapping[str, Any]
    """Attributes by their names."""

    def whole(self, *names: str) -> int | None:
        """Returns the first of these attributes that there is, as a whole number at least 0.

        Raises:
            RingletError: it is none.
        """
        for name in names:
            if name in self.values:
                value = self.values[name]
                if isinstance(value, str | float) or value < 0:
                    raise RingletError.not_allowed(f"{self.place}, {name}", value, "a whole number, at least 0")
                return int(value)
        return None


@dataclass
class _Made:
    """Operations of the nodes of all processes, and counts of what was left out."""

    program: Program
    ends: dict[tuple[int, int], int] = field(default_factory=dict)
    """Number of the operation with which a node of a process ends."""
    begins: dict[tuple[int, int], int] = field(default_factory=dict)
    """Number of the operation that waits for what a node waits for."""
    untimed: int = 0
    memory: int = 0
    expanded: int = 0
    left_out: int = 0
    unknown: int = 0
    """Dependences on nodes that are not in the file."""


def read(file: Path, answers: Answers) -> Imported:
    """Returns the messages of all processes as a trace; the file is one of `name.0.et`, `name.1.et`, ...

    Raises:
        RingletError: protobuf is not there; a file of a process is missing, damaged or no trace; or there are
            collective operations, and no option says what becomes of them.
    """
    files = process_files(file, _NUMBERED, "one of the files NAME.0.et, NAME.1.et, ... of a trace")
    nodes = {process: list(_nodes(one)) for process, one in enumerate(files)}
    made = _Made(Program(str(file), len(files)))
    groups: dict[str, dict[int, list[Node]]] = defaultdict(lambda: defaultdict(list))
    for process, ones in nodes.items():
        for one in ones:
            _add(made, process, one, answers)
            if one.type == schema.COLLECTIVE and answers.collectives != LEAVE_OUT:
                groups[str(one.values.get("pg_name", ""))][process].append(one)
    for name, calls in groups.items():
        _expand(made, name, calls, len(files))
    for process, ones in nodes.items():
        known = {one.id for one in ones}
        for one in ones:
            operation = made.program.operations[made.begins[process, one.id]]
            for before in one.after:
                if before in known:
                    operation.after.append(made.ends[process, before])
                else:
                    made.unknown += 1
    if not any(one.kind == "send" for one in made.program.operations):
        raise RingletError.not_allowed(str(file), "<no message>", "traces of several processes, with messages")
    found = made.program.trace()
    if made.expanded:
        found.taken.append(
            f"{counted(made.expanded, 'collective operation')} as messages around the ring of their members"
        )
    if made.left_out:
        found.left_out.append(f"{counted(made.left_out, 'node')} of collective operations, which end at once")
    if made.unknown:
        found.left_out.append(f"{counted(made.unknown, 'dependence')} on nodes that are not in their file")
    if made.untimed:
        found.left_out.append(
            f"{counted(made.untimed, 'computation')} without duration_micros, which ASTRA-sim makes from num_ops: they "
            "end at once"
        )
    if made.memory:
        found.left_out.append(f"{counted(made.memory, 'access')} to memory without duration_micros: they end at once")
    return found


def _add(made: _Made, process: int, one: Node, answers: Answers) -> None:
    kind = one.type
    operation = Operation("compute", process, one.place, ns=Decimal(one.duration_us) * 1000)
    if kind == schema.SEND:
        operation = _message("send", process, one, "comm_dst", made.program.processes)
    elif kind == schema.RECEIVE:
        operation = _message("receive", process, one, "comm_src", made.program.processes)
    elif kind == schema.COLLECTIVE:
        # Recorded durations of collectives are those of the network that was traced.
        operation.ns = Decimal(0)
        if answers.collectives is None:
            said = "what becomes of such nodes: ring, messages around the ring of their members; or leave-out"
            raise asked(one.place, "a collective operation does not say its messages", "--collectives", said)
        made.left_out += answers.collectives == LEAVE_OUT
    elif kind == schema.COMPUTE and not one.duration_us:
        made.untimed += 1
    elif kind in (schema.MEMORY_LOAD, schema.MEMORY_STORE) and not one.duration_us:
        made.memory += 1
    number = made.program.add(operation)
    made.begins[process, one.id] = made.ends[process, one.id] = number


def _message(kind: Any, process: int, one: Node, end: str, processes: int) -> Operation:  # noqa: ANN401 - a literal
    peer, size = one.whole(end), one.whole("comm_size", "tensor_size")
    if peer is None or size is None:
        raise RingletError.not_allowed(one.place, f"<no {end if peer is None else 'comm_size'}>", "both, of a message")
    if peer >= processes:
        allowed = f"a process from 0 to {processes - 1}, of which there are files"
        raise RingletError.not_allowed(f"{one.place}, {end}", peer, allowed)
    return Operation(kind, process, one.place, peer, size, one.whole("comm_tag") or 0)


def _expand(made: _Made, group: str, calls: Mapping[int, list[Node]], processes: int) -> None:
    """Adds the messages of the collective operations of a group, whose members call them in one order."""
    members = sorted(calls) if group else list(range(processes))
    counts = {process: len(calls.get(process, ())) for process in members}
    if len(set(counts.values())) > 1:
        fewest = min(members, key=lambda one: counts[one])
        most = max(members, key=lambda one: counts[one])
        value = f"<{counts[fewest]} at process {fewest}, {counts[most]} at process {most}>"
        where = f"collective operations of group {group!r}" if group else "collective operations"
        raise RingletError.not_allowed(f"{made.program.file}, {where}", value, "as many at each member")
    for at, ones in enumerate(zip(*(calls[process] for process in members), strict=True)):
        first = ones[0]
        types = {one.whole("comm_type") or 0 for one in ones}
        if len(types) > 1 or not types <= set(KINDS):
            value = f"comm_type {' and '.join(map(str, sorted(types)))}"
            raise RingletError.not_allowed(first.place, value, "one type at all members: 0 to 9, those of Chakra")
        kind = types.pop()
        size = 1 if kind == schema.BARRIER else first.whole("comm_size", "tensor_size")
        if size is None:
            raise RingletError.not_allowed(first.place, "<no comm_size>", "one, of a collective operation")
        root = first.whole("root_rank", "comm_root") or 0
        if members and root not in members:
            raise RingletError.not_allowed(f"{first.place}, root", root, f"a member of the group, {members}")
        # As in ASTRA-sim the size of an all-gather is that of each one's part; of others it is cut into parts.
        whole = KINDS[kind] in ("all-gather", "broadcast", "reduce", "gather")
        part = size if whole else -(-size // len(members))
        one = Collective(KINDS[kind], members, part, members.index(root), first.place, f"{group} {at}")
        entries = [made.begins[process, node.id] for process, node in zip(members, ones, strict=True)]
        ends = add_steps(made.program, one, entries)
        for process, node, end in zip(members, ones, ends, strict=True):
            made.ends[process, node.id] = end
        made.expanded += 1


def _nodes(file: Path) -> Iterator[Node]:
    proto = library("google.protobuf.proto", "protobuf", "Traces of Chakra")
    metadata, node_class = schema.classes()
    number = 0
    with file.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    seen: set[int] = set()
    try:
        with gzip.open(file) if packed else file.open("rb") as content:
            if proto.parse_length_prefixed(metadata, content) is None:
                raise RingletError.not_allowed(str(file), "<no byte>", "a trace of Chakra")
            while (found := proto.parse_length_prefixed(node_class, content)) is not None:
                number += 1
                place = f"{file}, node {found.id} ({found.name[:40]!r})"
                if found.id in seen:
                    raise RingletError.not_allowed(place, found.id, "an id of its own for each node")
                seen.add(found.id)
                if content.tell() > limits.FILE_BYTES:
                    raise RingletError.not_allowed(str(file), "<its size>", f"at most {limits.FILE_BYTES:,} bytes")
                kinds = {one.name: (one, one.WhichOneof("value")) for one in found.attr}
                values = {name: getattr(one, kind) for name, (one, kind) in kinds.items() if kind}
                after = list(dict.fromkeys((*found.ctrl_deps, *found.data_deps)))
                # As in ASTRA-sim: a call by the host takes its time; what it starts is a node of its own.
                kind = schema.COMPUTE if values.get("is_cpu_op") else found.type
                yield Node(place, found.id, kind, after, found.duration_micros, values)
    except RingletError:
        raise
    except Exception as error:
        cause = " ".join(str(error).split())[:200]
        raise RingletError(f"{file}, behind node {number}: not a trace of Chakra: {cause}") from None
