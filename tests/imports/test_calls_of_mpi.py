"""Recorded calls of MPI become traces: what lies between them is computed, and what they took is left out."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

import ringlet as rl

NS = "{:d}.{:09d}"


def rows(file="made.csv"):
    with Path(file).open(encoding="utf-8") as stream:
        return [tuple(row.values()) for row in csv.DictReader(stream)]


def call(name, begin_ns, end_ns, *arguments):
    """A call as dumpi2ascii writes it, with times behind 1,296,777,956 s."""
    lines = []
    for word, time in (("entering", begin_ns), ("returning", end_ns)):
        lines.append(f"MPI_{name} {word} at walltime 1296777956.{time:09d}, cputime 0.007712000 seconds in thread 0.")
    return "\n".join([lines[0], *arguments, lines[1]]) + "\n"


WORLD = "MPI_Comm comm=2 (MPI_COMM_WORLD)"
INTS = ("int count=100", "MPI_Datatype datatype=9 (MPI_INT)")
SIZES = "MPI_Send called 1 times and ignored 0 times\nDatatype 9 (MPI_INT) has size 4\nDatatype 28 (user) has size 24\n"
REQUEST = "MPI_Request request=[4]"


def send(begin, end, to, *, name="Send", more=()):
    return call(name, begin, end, *INTS, f"int dest={to}", "int tag=7", WORLD, *more)


def receive(begin, end, source, *, name="Recv", tag=7, more=("MPI_Status status=<IGNORED>",)):
    return call(name, begin, end, *INTS, f"int source={source}", f"int tag={tag}", WORLD, *more)


def wait(begin, end):
    return call("Wait", begin, end, REQUEST, "MPI_Status status=<IGNORED>")


def barrier(begin, end):
    return call("Barrier", begin, end, WORLD)


def written(folder, *processes, sizes=SIZES):
    for rank, calls in enumerate(processes):
        text = "version=1.0.0\nhostname=here\n" + "".join(calls) + sizes
        (folder / f"run-{rank:04d}.txt").write_text(text, encoding="utf-8")
    return folder / "run-0000.txt"


DUMPI = ["--format", "dumpi"]
START = call("Init", 0, 500, "int argc=1", 'string argv[1]=["./mpi"]')


def test_calls_of_dumpi_become_a_trace(tmp_path, imported):
    file = written(
        tmp_path,
        # 100 ns of computing, a send of 50 ns that is left out, 30 ns more until the receive, which waits.
        [START, send(600, 650, 1, name="Isend", more=(REQUEST,)), receive(680, 9000, 1), wait(9010, 9020)],
        [START, receive(510, 4000, 0), send(4200, 4300, 0)],
    )
    _, _, printed = imported(file, *DUMPI)
    assert rows() == [("1", "100", "0", "1", "400", ""), ("2", "300", "1", "0", "400", "1")]
    assert "left out: how long calls of MPI took, and when each process began: all begin at 0" in printed
    assert rl.run("made.toml").trace["complete"]


def test_what_is_not_waited_for_does_not_hold_a_send_back(tmp_path, imported):
    early = [START, receive(500, 510, 1, name="Irecv", more=(REQUEST,)), send(510, 520, 1), wait(520, 900)]
    late = [START, receive(500, 900, 0), send(900, 910, 0)]
    imported(written(tmp_path, [*early, send(900, 901, 1)], [*late, receive(910, 999, 0)]), *DUMPI)
    # The first send waits for nothing, the last one for the message of the request.
    assert [(row[2], row[5]) for row in rows()] == [("0", ""), ("1", "1"), ("0", "2")]


def test_a_status_says_whose_message_came_to_a_receive_of_any(tmp_path, imported, refused):
    status = "MPI_Status status=[{bytes=400, cancelled=0, source=1, tag=7, error=0}]"
    sender = [START, send(600, 700, 0)]
    for more, found in ((status, True), ("MPI_Status status=<IGNORED>", False)):
        file = written(tmp_path, [START, receive(500, 900, "-1 (MPI_ANY_SOURCE)", tag=-1, more=(more,))], sender)
        if found:
            imported(file, *DUMPI)
            assert [row[2:4] for row in rows()] == [("1", "0")]
        else:
            message = "MPI_Recv, source: '-1 (MPI_ANY_SOURCE)' is not allowed; a process from 0 to 1, or a status"
            assert message in refused(file, *DUMPI)


def test_collective_calls_are_asked_for(tmp_path, imported, refused):
    file = written(
        tmp_path,
        *([START, barrier(700, 900), send(950, 960, 1 - rank), receive(960, 999, 1 - rank)] for rank in (0, 1)),
    )
    assert "line 7: a collective operation does not say its messages; --collectives says what" in refused(file, *DUMPI)
    imported(file, *DUMPI, "--collectives", "ring")
    assert [row[4] for row in rows()] == ["1", "1", "400", "400"]
    assert {row[5] for row in rows()[2:]} == {"1", "2"}
    for one in ("made.csv", "made.toml"):
        Path(one).unlink()
    _, _, printed = imported(file, *DUMPI, "--collectives", "leave-out")
    assert len(rows()) == 2
    assert "left out: 2 calls of collective operations, which end at once" in printed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace("datatype=9 (MPI_INT)", "datatype=31 (user)"),
            "datatype: '31 (user)' is not",
        ),
        (lambda text: text.replace("comm=2 (MPI_COMM_WORLD)", "comm=5 (user)"), "MPI_Send, comm: '5 (user)' is not"),
        (
            lambda text: text.replace("int dest=1", "int dest=9"),
            "MPI_Send, dest: '9' is not allowed; a process",
        ),
        (lambda text: text.replace("int dest=1\n", ""), "line 7, MPI_Send, dest: <no dest> is not allowed"),
        (
            lambda text: text.replace("MPI_Send returning", "MPI_Recv returning"),
            "'MPI_Recv returning' is not allowed",
        ),
        (
            lambda text: text.replace("956.000000600", "956.000000100"),
            "'1296777956000000100 ns' is not allowed",
        ),
        (lambda text: text.replace("int tag=7", "int tag=8"), "is not allowed; a message that process 0 sends"),
        (lambda text: "nothing\n", "<no call> is not allowed; lines such as MPI_Send entering at walltime"),
    ],
)
def test_a_bad_text_of_dumpi_is_refused_with_its_line(tmp_path, refused, change, message):
    file = written(tmp_path, [START, send(600, 700, 1)], [START, receive(500, 900, 0)])
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    assert message in refused(file, *DUMPI)


def test_a_missing_process_is_named(tmp_path, refused):
    file = written(tmp_path, [START], [START], [START])
    (tmp_path / "run-0001.txt").unlink()
    assert "<no file of process 1> is not allowed; a file of each process" in refused(file, *DUMPI)


def archive(folder, events):
    """Writes an archive of two processes; events are those of each, as methods of a writer of events."""
    otf2 = pytest.importorskip("otf2")
    with otf2.writer.open(str(folder / "archive"), timer_resolution=10**6) as trace:
        definitions = trace.definitions
        tree = definitions.system_tree_node("node")
        regions = {
            name: definitions.region(name, paradigm=otf2.Paradigm.MPI if name != "main" else otf2.Paradigm.USER)
            for name in ("main", "MPI_Send", "MPI_Recv", "MPI_Bcast")
        }
        groups = [
            definitions.location_group(
                f"rank {rank}", system_tree_parent=tree, location_group_type=otf2.LocationGroupType.PROCESS
            )
            for rank in (0, 1)
        ]
        locations = [definitions.location(f"thread {rank}", group=groups[rank]) for rank in (0, 1)]
        writers = [trace.event_writer_from_location(location) for location in locations]
        world = definitions.group(
            "world", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI,
            members=locations,
        )  # fmt: skip
        both = definitions.comm("both", group=world)
        for writer, calls in zip(writers, events, strict=True):
            for region, begin, end, name, arguments in calls:
                writer.enter(begin, regions[region])
                if name:
                    writer_call = getattr(writer, name)
                    if name == "mpi_collective_end":
                        writer_call(end, otf2.CollectiveOp.BCAST, both, *arguments)
                    else:
                        writer_call(end, arguments[0], both, *arguments[1:])
                writer.leave(end, regions[region])
    return folder / "archive" / "traces.otf2"


def test_an_archive_of_otf2_becomes_a_trace(tmp_path, imported):
    # Microseconds: 5 of computing before the send, and 20 between the receive and the answer.
    first = [
        ("MPI_Send", 5, 8, "mpi_send", (1, 3, 4096)),
        ("main", 10, 20, None, ()),
        ("MPI_Recv", 21, 99, "mpi_recv", (1, 3, 64)),
    ]
    second = [("MPI_Recv", 2, 50, "mpi_recv", (0, 3, 4096)), ("MPI_Send", 70, 71, "mpi_send", (0, 3, 64))]
    _, _, printed = imported(archive(tmp_path, [first, second]))
    assert rows() == [("1", "0", "0", "1", "4096", ""), ("2", "20000", "1", "0", "64", "1")]
    assert "taken: 2 nodes, one for each process" in printed
    assert rl.run("made.toml").trace["complete"]


def test_a_broadcast_of_an_archive_goes_from_its_root(tmp_path, imported, refused):
    first = [("MPI_Bcast", 1, 9, "mpi_collective_end", (1, 0, 512))]
    second = [("MPI_Bcast", 2, 9, "mpi_collective_end", (1, 1024, 512))]
    file = archive(tmp_path, [first, second])
    assert "process 0, call 1, BCAST: a collective operation does not say its messages; --collectives" in refused(file)
    imported(file, "--collectives", "ring")
    assert [row[2:5] for row in rows()] == [("1", "0", "512")]


def test_a_file_that_is_no_archive_is_refused_in_one_line(tmp_path):
    pytest.importorskip("otf2")
    (tmp_path / "x.otf2").write_bytes(b"OTF2" + bytes(40))
    # The library in C writes to the process's own standard error.
    command = [sys.executable, "-m", "ringlet", "import", "x.otf2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ringlet: x.otf2: not an archive of OTF2: ")
    assert done.stderr.count("\n") == 1
