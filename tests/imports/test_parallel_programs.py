"""Programs that send and receive become traces whose dependences and computing times are those of the program."""

import csv
import gzip
import random
import struct
from pathlib import Path

import pytest

import ringlet as rl

FILES = Path(__file__).parent / "files"
NS = ["--time-unit", "ns"]


def rows(file="made.csv"):
    with Path(file).open(encoding="utf-8") as stream:
        return [tuple(row.values()) for row in csv.DictReader(stream)]


def test_a_schedule_in_goal_becomes_a_trace_with_dependences(imported, refused):
    asked = "line 3: calc 100 has no unit; --time-unit says it, such as 'ns', that of LogGOPSim"
    assert asked in refused(FILES / "ping.goal")
    content, _, printed = imported(FILES / "ping.goal", *NS)
    assert content["network"] == {"nodes": 3}
    assert rows() == [
        ("1", "100", "0", "1", "1000", ""),
        ("2", "150", "1", "2", "1", "1"),
        ("3", "150", "2", "0", "8", "2"),
    ]
    assert "taken: computing, 150 ns in all: so long behind what it waits for a message starts" in printed
    assert "left out: cpu and nic of operations" in printed
    assert rl.run("made.toml").trace["complete"]


def test_microseconds_are_a_thousand_of_nanoseconds(imported):
    imported(FILES / "ping.goal", "--time-unit", "us")
    assert [row[1] for row in rows()] == ["100000", "150000", "150000"]


GOAL = "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 1\n}\nrank 1 {\nb: recv 8b from 0 tag 1\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tag 1\n}\nrank 1", "tag 2\n}\nrank 1", "line 6: 'receive from 0, tag 1' is not allowed; a message that"),
        (
            "b: recv 8b from 0 tag 1\n",
            "",
            "line 3: 'send to 1, tag 1' is not allowed; a message that",
        ),
        ("from 0 tag", "from -1 tag", "line 6: '-1' is not allowed; a rank: which message comes first"),
        ("to 1", "to 2", "line 3: 'rank 2' is not allowed; a rank from 0 to 1"),
        ("a: send", "a: push", "line 3: 'a: push 8b to 1 tag 1' is not allowed; a line of GOAL: num_ranks 2"),
        (
            "tag 1\n}\nrank 1",
            "tag 1\na requires c\n}\nrank 1",
            "line 4: 'c' is not allowed; a label above it",
        ),
        ("tag 1\n}\nrank 1", "tag 1\na requires a\n}\nrank 1", "line 3: 'send' is not allowed; operations that do not"),
        ("num_ranks 2\n", "", "line 1: 'rank 0 {' is not allowed; num_ranks before all else"),
        ("rank 1 {", "rank 1 {{", "is not allowed; a line of GOAL"),
        ("tag 1\n}\n", "tag 1\n} /* ", "'/*' is not allowed; a comment that ends with */"),
        (
            "a: send 8b to 1 tag 1\n",
            "",
            "line 5: 'receive from 0, tag 1' is not allowed; a message",
        ),
    ],
)
def test_a_bad_schedule_is_refused_with_its_line(tmp_path, refused, old, new, message):
    assert old in GOAL
    (tmp_path / "s.goal").write_text(GOAL.replace(old, new, 1), encoding="utf-8")
    assert message in refused(tmp_path / "s.goal", *NS)


def test_many_messages_that_are_waited_for_are_collected(tmp_path, imported):
    count = 20
    lines = [f"num_ranks {count + 2}", f"rank {count + 1} {{", f"r: recv 8b from {count}", "}"]
    for rank in range(count):
        lines += [f"rank {rank} {{", f"c: calc {10 * rank}", f"s: send 8b to {count} tag {rank}", "s requires c", "}"]
    lines += [f"rank {count} {{", f"out: send 8b to {count + 1}"]
    for rank in range(count):
        lines += [f"r{rank}: recv 8b from {rank} tag {rank}", f"out requires r{rank}"]
    (tmp_path / "many.goal").write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")
    _, _, printed = imported(tmp_path / "many.goal", *NS)
    last = rows()[-1]
    assert (last[1], last[2:4]) == ("190", (str(count), str(count + 1)))
    (collected,) = [row for row in rows() if row[2] == row[3]]
    assert last[5] == collected[0]
    assert len(collected[5].split()) == count
    assert "taken: one packet to the own node, each of which collects more than 8 messages" in printed
    run = rl.run("made.toml").trace
    assert run["complete"]


def test_times_of_a_program_are_those_of_its_longest_way(tmp_path, imported):
    """Random programs of three ranks, against the longest way through their operations, found backwards from each."""
    for seed in range(20):
        draw = random.Random(seed)
        lines, operations = {rank: [] for rank in range(3)}, {}
        for number in range(12):
            source, to = draw.sample(range(3), 2)
            for rank, kind in ((source, "s"), (to, "r")):
                before = [one for one in operations if one[0] == rank]
                after = draw.sample(before, min(len(before), draw.randrange(3)))
                ns = draw.randrange(100)
                operations[rank, f"{kind}{number}"] = (ns, after)
                lines[rank].append(f"c{kind}{number}: calc {ns}")
                what = f"send 8b to {to}" if kind == "s" else f"recv 8b from {source}"
                lines[rank] += [f"{kind}{number}: {what} tag {number}", f"{kind}{number} requires c{kind}{number}"]
                lines[rank] += [f"c{kind}{number} requires {one[1]}" for one in after]

        def end(rank, name, operations=operations):
            ns, after = operations[rank, name]
            begin = ns + max((end(*one) for one in after), default=0)
            sender = next((one for one in operations if one[1] == f"s{name[1:]}"), None)
            return max(begin, end(*sender)) if name[0] == "r" else begin

        text = "".join(f"rank {rank} {{\n" + "\n".join(lines[rank]) + "\n}\n" for rank in range(3))
        file = tmp_path / f"random{seed}.goal"
        file.write_text(f"num_ranks 3\n{text}", encoding="utf-8")
        for one in ("made.csv", "made.toml"):
            Path(one).unlink(missing_ok=True)
        imported(file, *NS)
        found = sorted(int(row[1]) for row in rows() if row[2] != row[3])
        assert found == sorted(end(*one) for one in operations if one[1][0] == "s")
        assert rl.run("made.toml").trace["complete"]


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def number(field, value):
    return varint(field << 3) + varint(value)


def attribute(name, field, value):
    """An attribute with a value of an integer type, by the number of its field in the schema of Chakra."""
    return text(10, text(1, name.encode()) + number(field, value))


INT32, INT64, UINT64, BOOL = 7, 9, 13, 27
COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7


def node(place, kind, *attributes, after=(), micros=0, name=b"node"):
    packed = b"".join(map(varint, after))
    deps = text(5, packed) if packed else b""
    whole = number(1, place) + text(2, name) + number(3, kind) + deps + number(7, micros)
    whole += attribute("is_cpu_op", BOOL, 0) + b"".join(attributes)
    return varint(len(whole)) + whole


def chakra(folder, files, opener=open, suffix=".et"):
    metadata = text(1, b"0.0.4")
    for rank, nodes in enumerate(files):
        with opener(folder / f"trace.{rank}{suffix}", "wb") as stream:
            stream.write(varint(len(metadata)) + metadata + b"".join(nodes))
    return folder / f"trace.0{suffix}"


def sends(to, size, tag=0):
    return attribute("comm_dst", INT32, to), attribute("comm_size", INT64, size), attribute("comm_tag", INT32, tag)


def receives(source, size, tag=0):
    return attribute("comm_src", INT32, source), attribute("comm_size", INT64, size), attribute("comm_tag", INT32, tag)


@pytest.mark.parametrize("opener", [open, gzip.open])
def test_a_trace_of_chakra_becomes_one_with_dependences(tmp_path, imported, opener):
    first = [node(0, COMPUTE, micros=5), node(1, SEND, *sends(1, 4096), after=[0]), node(2, COMPUTE, after=[99])]
    second = [node(7, RECEIVE, *receives(0, 4096)), node(8, COMPUTE, micros=2, after=[7])]
    second.append(node(9, SEND, *sends(0, 64, 3), after=[8]))
    file = chakra(tmp_path, [first, second], opener)
    with pytest.raises(AssertionError, match="is not allowed; a message that process 0 receives"):
        imported(file)
    with opener(tmp_path / "trace.0.et", "ab") as stream:
        stream.write(node(3, RECEIVE, *receives(1, 64, 3), after=[1]))
    _, _, printed = imported(file)
    assert rows() == [("1", "5000", "0", "1", "4096", ""), ("2", "7000", "1", "0", "64", "1")]
    assert "left out: one dependence on nodes that are not in their file" in printed
    assert "left out: one computation without duration_micros" in printed
    assert rl.run("made.toml").trace["complete"]


def collective(kind, size, after=()):
    values = (attribute("comm_type", INT64, kind), attribute("comm_size", INT64, size))
    return node(1, COLLECTIVE, *values, after=after)


@pytest.mark.parametrize(
    ("kind", "messages", "size", "deepest"),
    [(0, 24, 1024, 6), (2, 12, 4096, 3), (6, 12, 1024, 1), (7, 12, 1024, 3), (5, 3, 4096, 3), (9, 12, 1, 3)],
    ids=["all-reduce", "all-gather", "all-to-all", "reduce-scatter", "broadcast", "barrier"],
)
def test_collective_operations_go_around_the_ring(tmp_path, imported, refused, kind, messages, size, deepest):
    file = chakra(tmp_path, [[collective(kind, 4096)] for _ in range(4)])
    message = "a collective operation does not say its messages; --collectives says what becomes of such nodes: ring"
    assert message in refused(file)
    imported(file, "--collectives", "ring")
    found = rows()
    assert len(found) == messages
    assert {row[4] for row in found} == {str(size)}
    depth = {}
    for place, _, _, _, _, after in found:
        depth[place] = 1 + max((depth[one] for one in after.split()), default=0)
    assert max(depth.values()) == deepest


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (
            [[collective(0, 8)], []],
            ["--collectives", "ring"],
            "<0 at process 1, 1 at process 0> is not allowed",
        ),
        (
            [[collective(0, 8)], [collective(2, 8)]],
            ["--collectives", "ring"],
            "'comm_type 0 and 2' is not allowed",
        ),
        ([[collective(0, 8)]], ["--collectives", "leave-out"], "<no message> is not allowed; traces of several"),
        ([[node(0, SEND, *sends(5, 8))]], [], "node 0 ('node'), comm_dst: 5 is not allowed; a process from 0 to 0"),
        ([[node(0, SEND)]], [], "node 0 ('node'): <no comm_dst> is not allowed; both, of a message"),
        ([[node(0, COMPUTE), node(0, COMPUTE)]], [], "node 0 ('node'): 0 is not allowed; an id of its own"),
        ([[node(0, COMPUTE)[:-3]]], [], "behind node 0: not a trace of Chakra"),
        ([[struct.pack("<q", -1)]], [], "behind node 0: not a trace of Chakra"),
    ],
)
def test_a_bad_trace_of_chakra_is_refused_with_its_node(tmp_path, refused, files, options, message):
    assert message in refused(chakra(tmp_path, files), *options)


def test_files_of_all_processes_are_needed(tmp_path, refused):
    file = chakra(tmp_path, [[collective(0, 8)] for _ in range(3)])
    (tmp_path / "trace.1.et").unlink()
    assert "<no file of process 1> is not allowed; a file of each process" in refused(file, "--collectives", "ring")
    (tmp_path / "one.et").write_bytes(b"")
    assert "one of the files NAME.0.et, NAME.1.et" in refused(tmp_path / "one.et")
