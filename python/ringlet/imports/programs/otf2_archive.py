"""Archives of OTF2, the traces of Score-P, read by its library: messages of MPI as a trace with dependences."""

import ctypes
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported
from ringlet.imports.libraries import library
from ringlet.imports.programs.mpi import Process, Recorded
from ringlet.imports.programs.program import Program
from ringlet.imports.programs.ring_steps import Kind

KINDS: dict[str, Kind] = {
    "BARRIER": "all-gather",
    "BCAST": "broadcast",
    "GATHER": "gather",
    "SCATTER": "scatter",
    "ALLGATHER": "all-gather",
    "ALLTOALL": "all-to-all",
    "ALLREDUCE": "all-reduce",
    "REDUCE": "reduce",
    "REDUCE_SCATTER": "reduce-scatter",
    "REDUCE_SCATTER_BLOCK": "reduce-scatter",
}
"""Operations by their names in OTF2."""


def read(file: Path, answers: Answers) -> Imported:
    """Returns the messages of an archive as a trace.

    Raises:
        RingletError: otf2 is not there, the file is no anchor of an archive; or there are collective operations, and no
            option says what becomes of them.
    """
    otf2 = library("otf2", "otf2", "Archives of OTF2", extra="otf2")
    try:
        with _silent_library(), otf2.reader.open(str(file)) as archive:
            return _imported(file, otf2, archive, answers)
    except RingletError:
        raise
    except Exception as error:
        cause = " ".join(str(error).split())[:200]
        raise RingletError(f"{file}: not an archive of OTF2: {type(error).__name__}: {cause}") from None


_ERROR_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int,
    *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p),
    ctypes.c_void_p,
)
"""Type of OTF2_ErrorCallback: its data, file, line, function, code and format, and a va_list, which is a pointer."""

_passed_on = _ERROR_CALLBACK(lambda *arguments: arguments[4])
"""Callback that returns the code of an error, and prints nothing."""


@contextmanager
def _silent_library() -> Iterator[None]:
    """Keeps the library in C from printing its errors meanwhile: its Python part raises them too."""
    register = ctypes.CDLL(import_module("_otf2.Config").lib_path()).OTF2_Error_RegisterCallback
    register.argtypes, register.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_void_p
    before = register(ctypes.cast(_passed_on, ctypes.c_void_p), None)
    try:
        yield
    finally:
        register(before, None)


def _imported(file: Path, otf2: Any, archive: Any, answers: Answers) -> Imported:  # noqa: ANN401 - a library's
    events = otf2.events
    processes = [
        one for one in archive.definitions.location_groups if one.location_group_type == otf2.LocationGroupType.PROCESS
    ]
    ranks = {id(one): rank for rank, one in enumerate(processes)}
    recorded = Recorded(Program(str(file), len(processes)), answers)
    reading = [_Reader(recorded, rank, f"{file}, process {rank}") for rank in range(len(processes))]
    scale = Decimal(10**9) / Decimal(archive.definitions.clock_properties.timer_resolution)
    members: dict[Hashable, Sequence[int]] = {}
    for location, event in archive.events:
        rank = ranks.get(id(location.group))
        if rank is None:
            continue
        one, time_ns = reading[rank], Decimal(event.time) * scale
        communicator = getattr(event, "communicator", None)
        if communicator is not None and id(communicator) not in members:
            group = communicator.group
            members[id(communicator)] = [
                ranks[id(communicator.location(place).group)] for place in range(len(group.members))
            ]
        world = members.get(id(communicator), ())
        match event:
            case events.Enter() if event.region.paradigm == otf2.Paradigm.MPI:
                one.enter(time_ns)
            case events.Leave() if event.region.paradigm == otf2.Paradigm.MPI:
                one.leave(time_ns)
            case events.MpiSend() | events.MpiIsend():
                one.message("send", time_ns, world[event.receiver], event.msg_length, (id(communicator), event.msg_tag))
            case events.MpiRecv() | events.MpiIrecv():
                tag = (id(communicator), event.msg_tag)
                one.message("receive", time_ns, world[event.sender], event.msg_length, tag)
            case events.MpiCollectiveEnd():
                one.collective(time_ns, id(communicator), event, len(world))
            case _:
                pass
    found = recorded.trace(members)
    threads = len(archive.definitions.locations) - len(processes)
    if threads > 0:
        found.left_out.append(f"threads and devices: {threads} locations besides the processes")
    return found


class _Reader:
    """A reader of the events of a process: those of a region of MPI are one call."""

    def __init__(self, recorded: Recorded, rank: int, place: str) -> None:
        self._process = Process(recorded, rank)
        self._place = place
        self._depth = 0
        self._number = 0

    def enter(self, time_ns: Decimal) -> None:
        """Enters a region of MPI."""
        self._depth += 1
        if self._depth == 1:
            self._number += 1
            self._process.enter(f"{self._place}, call {self._number}", time_ns)

    def leave(self, time_ns: Decimal) -> None:
        """Leaves a region of MPI."""
        self._depth -= 1
        if not self._depth:
            self._process.leave(time_ns)

    def message(self, kind: Any, time_ns: Decimal, peer: int, size: int, tag: Hashable) -> None:  # noqa: ANN401 - a literal
        """Sends or receives a message, of which a receive is recorded when it is complete."""
        self._alone(time_ns)
        self._process.message(kind, f"{self._place}, call {self._number}", peer, size, tag)

    def collective(self, time_ns: Decimal, communicator: Hashable, event: Any, members: int) -> None:  # noqa: ANN401
        """Ends a collective operation."""
        self._alone(time_ns)
        name = str(event.collective_op).rpartition(".")[2]
        kind = KINDS.get(name)
        sent, received = event.size_sent, event.size_received
        # Bytes of all parts where a member combines them; else of what goes to, or comes from, one member.
        size = {
            "broadcast": received,
            "scatter": received,
            "reduce": sent,
            "gather": sent,
            "all-gather": -(-received // members),
            "all-to-all": -(-sent // members),
        }.get(kind or "", min(sent, received) or max(sent, received))
        root = event.root if isinstance(event.root, int) and event.root < members else 0
        size = 1 if name == "BARRIER" else size
        self._process.collective(f"{self._place}, call {self._number}, {name}", communicator, kind, size, root)

    def _alone(self, time_ns: Decimal) -> None:
        """Makes an event outside every region of MPI a call that takes no time."""
        if not self._depth:
            self.enter(time_ns)
            self.leave(time_ns)
