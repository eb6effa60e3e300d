"""Traces of DUMPI (SST), as the text that `dumpi2ascii` writes: a trace with dependences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported
from ringlet.imports.lines import read_lines
from ringlet.imports.programs.mpi import Process, Recorded
from ringlet.imports.programs.process_files import process_files
from ringlet.imports.programs.program import Program
from ringlet.imports.programs.ring_steps import Kind

WORLD = "2"
"""Number of MPI_COMM_WORLD in DUMPI."""

SENDS = ("MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend")
RECEIVES = ("MPI_Recv", "MPI_Irecv")
COLLECTIVES: dict[str, tuple[Kind, str, str]] = {
    "MPI_Barrier": ("all-gather", "", ""),
    "MPI_Bcast": ("broadcast", "count", "datatype"),
    "MPI_Reduce": ("reduce", "count", "datatype"),
    "MPI_Allreduce": ("all-reduce", "count", "datatype"),
    "MPI_Allgather": ("all-gather", "sendcount", "sendtype"),
    "MPI_Alltoall": ("all-to-all", "sendcount", "sendtype"),
    "MPI_Gather": ("gather", "sendcount", "sendtype"),
    "MPI_Scatter": ("scatter", "sendcount", "sendtype"),
}
"""Operation of each call, and the arguments that are the number and the type of the elements of a part."""

OTHERS = ("v", "w", "MPI_Scan", "MPI_Exscan", "MPI_Reduce_scatter")
"""Ends of further collective calls, and their names: their parts differ, or go from one to the next only."""

_CALL = re.compile(r"(MPI_\w+) (entering|returning) at walltime (\d+\.\d+)", re.ASCII)
_ARGUMENT = re.compile(r"[\w*]+ (\w+)(?:\[\d+\])*=(.*)")
_SIZE = re.compile(r"Datatype (\d+) \(.*\) has size (\d+)", re.ASCII)
_STATUS = re.compile(r"source=(-?\d+), tag=(-?\d+)")
_NUMBERED = re.compile(r"(.+[-.])(\d+)(\.txt)")


@dataclass
class Recording:
    """A call of a process."""

    place: str
    name: str
    enter_ns: Decimal
    leave_ns: Decimal = Decimal(0)
    arguments: dict[str, str] = field(default_factory=dict)

    def number(self, key: str) -> int:
        """Returns the number that an argument begins with.

        Raises:
            RingletError: there is none.
        """
        match = re.match(r"\[?(-?\d+)", self.arguments.get(key, ""))
        if match is None:
            value = self.arguments.get(key, f"<no {key}>")
            raise RingletError.not_allowed(f"{self.place}, {self.name}, {key}", value, "a number")
        return int(match[1])

    def numbers(self, key: str) -> list[int]:
        """Returns the numbers of a list."""
        return [int(one) for one in re.findall(r"-?\d+", self.arguments.get(key, ""))]


def read(file: Path, answers: Answers) -> Imported:
    """Returns the messages of all processes as a trace; the file is one of `name-0000.txt`, `name-0001.txt`, ...

    Raises:
        RingletError: a file of a process is missing or no text of DUMPI; a message has no partner; or there are
            collective operations, and no option says what becomes of them.
    """
    files = process_files(file, _NUMBERED, "one of the files NAME-0000.txt, NAME-0001.txt, ...")
    recorded = Recorded(Program(str(file), len(files)), answers)
    for rank, one in enumerate(files):
        sizes: dict[int, int] = {}
        calls = list(_calls(one, sizes))
        _Reader(recorded, rank, sizes).read(calls)
    return recorded.trace({WORLD: range(len(files))})


class _Reader:
    """A reader of the calls of a process."""

    def __init__(self, recorded: Recorded, rank: int, sizes: dict[int, int]) -> None:
        self._recorded = recorded
        self._process = Process(recorded, rank)
        self._sizes = sizes
        """Bytes of an element of each data type."""
        self._requests: dict[int, int] = {}
        """Number of the message of each request."""
        self._worlds = {int(WORLD)}
        """Communicators of all processes."""

    def read(self, calls: list[Recording]) -> None:
        """Adds calls to the program."""
        for one in calls:
            self._process.enter(one.place, one.enter_ns)
            self._add(one)
            self._process.leave(one.leave_ns)

    def _add(self, one: Recording) -> None:
        name = one.name
        if name in SENDS:
            self._message(one, "send", "count", "datatype", "dest", "tag")
        elif name in RECEIVES:
            self._message(one, "receive", "count", "datatype", "source", "tag")
        elif name == "MPI_Sendrecv":
            self._message(one, "send", "sendcount", "sendtype", "dest", "sendtag")
            self._message(one, "receive", "recvcount", "recvtype", "source", "recvtag")
        elif name in ("MPI_Wait", "MPI_Waitall"):
            self._wait(one, one.numbers("request") + one.numbers("requests"))
        elif name in ("MPI_Waitany", "MPI_Waitsome", "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"):
            requests = one.numbers("request") + one.numbers("requests")
            if "flag" not in one.arguments or one.number("flag"):
                places = one.numbers("index") + one.numbers("indices")
                known = [requests[at] for at in places if 0 <= at < len(requests)]
                self._wait(one, known if places else requests)
        elif name == "MPI_Comm_dup" and one.number("oldcomm") in self._worlds:
            self._worlds.add(one.number("newcomm"))
        elif name in COLLECTIVES:
            kind, count, datatype = COLLECTIVES[name]
            self._check_communicator(one)
            size = self._bytes(one, count, datatype) if count else 1
            root = one.number("root") if "root" in one.arguments else 0
            self._process.collective(one.place, WORLD, kind, size, root)
        elif (name.startswith(("MPI_All", "MPI_Gather", "MPI_Scatter")) and name.endswith(OTHERS)) or name in OTHERS:
            self._process.collective(f"{one.place}, {name}", WORLD, None, 0, 0)

    def _message(self, one: Recording, kind: str, count: str, datatype: str, end: str, tag: str) -> None:
        self._check_communicator(one)
        peer, number = one.number(end), one.number(tag)
        if status := _STATUS.search(one.arguments.get("status", "")):
            # Whose message came to a receive that takes those of anybody.
            peer, number = (int(status[1]) if peer < 0 else peer), (int(status[2]) if number < 0 else number)
        if one.arguments.get(end, "").endswith("(MPI_PROC_NULL)"):
            return
        if not 0 <= peer < self._recorded.program.processes:
            allowed = f"a process from 0 to {self._recorded.program.processes - 1}, or a status that says which"
            raise RingletError.not_allowed(f"{one.place}, {one.name}, {end}", one.arguments.get(end, ""), allowed)
        if number < 0:
            allowed = "a tag, or a status that says which"
            raise RingletError.not_allowed(f"{one.place}, {one.name}, {tag}", one.arguments.get(tag, ""), allowed)
        size = self._bytes(one, count, datatype)
        waits = not one.name.startswith("MPI_I")
        made = self._process.message(
            "send" if kind == "send" else "receive", one.place, peer, size, number, waits=waits
        )
        if not waits:
            self._requests[one.number("request")] = made

    def _wait(self, one: Recording, requests: list[int]) -> None:
        self._process.wait(one.place, [self._requests.pop(number) for number in requests if number in self._requests])

    def _bytes(self, one: Recording, count: str, datatype: str) -> int:
        kind = one.number(datatype)
        if kind not in self._sizes:
            allowed = "a type whose size the end of the file says: Datatype 9 (MPI_INT) has size 4"
            raise RingletError.not_allowed(f"{one.place}, {datatype}", one.arguments[datatype], allowed)
        return one.number(count) * self._sizes[kind]

    def _check_communicator(self, one: Recording) -> None:
        if one.number("comm") not in self._worlds:
            allowed = "MPI_COMM_WORLD, or a duplicate of it: the file does not say who belongs to others"
            raise RingletError.not_allowed(f"{one.place}, {one.name}, comm", one.arguments["comm"], allowed)


def _calls(file: Path, sizes: dict[int, int]) -> Iterator[Recording]:
    """Yields the calls of a process, and fills in the sizes of data types."""
    if file.stat().st_size > limits.FILE_BYTES:
        raise RingletError.not_allowed(str(file), "<its size>", f"at most {limits.FILE_BYTES:,} bytes")
    open_calls: list[Recording] = []
    some = False
    for number, line in read_lines(file, "a text of DUMPI"):
        place = f"{file}, line {number}"
        if match := _CALL.match(line):
            some = True
            ns = Decimal(match[3]) * 10**9
            if match[2] == "entering":
                open_calls.append(Recording(place, match[1], ns))
                continue
            if not open_calls or open_calls[-1].name != match[1]:
                raise RingletError.not_allowed(place, f"{match[1]} returning", "a call that has been entered")
            one = open_calls.pop()
            one.leave_ns = ns
            if not open_calls:
                yield one
        elif open_calls and (match := _ARGUMENT.fullmatch(line)):
            open_calls[-1].arguments[match[1]] = match[2]
        elif match := _SIZE.fullmatch(line):
            sizes[int(match[1])] = int(match[2])
    if not some:
        raise RingletError.not_allowed(
            str(file), "<no call>", "lines such as MPI_Send entering at walltime 1.000000000, ..."
        )
