"""The examples of todd2001's Figures 3, 5 and 6: what the paper says of each state happens, where the moment says."""

from pathlib import Path

import pytest

from ringlet import Scenario
from ringlet.trace import moments, record
from ringlet.trace.recording import CONTROL, SEND, SENDING, TRAIN

FIGURES = Path(__file__).parents[2] / "examples" / "todd2001"


def recorded(name, stop):
    recording = record(Scenario.load(FIGURES / f"{name}.toml"), stop=stop)
    return recording, {moment.name: moment for moment in moments(recording)}


def starts(recording):
    """Cycle and node at which each packet is sent, by the priority of its message."""
    runs, priority = recording.runs, recording.packets["priority"]
    found = {}
    for cycle, node, packet, kind, activity in zip(
        *(runs[name].tolist() for name in ("cycle", "node", "packet", "kind", "activity")), strict=True
    ):
        if kind == SEND and activity == SENDING:
            found.setdefault(int(priority[packet]), []).append((cycle, node))
    return {level: sorted(sends) for level, sends in found.items()}


def emitted(recording, kind):
    """Cycle, node, symbols and word of each run of a kind, in order of time."""
    runs = recording.runs
    columns = (runs[name].tolist() for name in ("cycle", "node", "symbols", "word", "kind"))
    return sorted(row[:4] for row in zip(*columns, strict=True) if row[4] == kind)


def test_a_ticket_is_put_before_lower_ones_and_the_last_one_has_no_room():
    recording, found = recorded("figure3", 400)
    trains = emitted(recording, TRAIN)
    assert found["first train"].cycle == trains[0][0]
    head, ticket = 4, 2
    # To n4 the train comes with two tickets and leaves it with two, of which one is its own.
    lengths = [symbols for _, _, symbols, _ in trains[:6]]
    assert lengths == [head, head + ticket, *[head + 2 * ticket] * 4]
    sends = starts(recording)
    _, granted, _, granted_next, *_ = [cycle for cycle, node, *_ in trains if node == 0]
    # The lowest waits for the grant of the next train.
    assert granted < sends[202][0][0] < sends[201][0][0] < granted_next < sends[200][0][0]


def test_a_node_announces_its_priority_and_only_lower_ones_that_would_pass_it_wait():
    recording, found = recorded("figure5", 600)
    announced = found["first control symbol"]
    assert (announced.cycle, announced.node) == (42, 0)
    everywhere = max(cycle for cycle, node, *_ in emitted(recording, CONTROL)[:10] if node == 5)
    sends = starts(recording)
    (first_own, _), (second_own, _) = sends[10]
    assert first_own < announced.cycle < second_own
    by_node = {node: cycle for cycle, node in sends[5]}
    # Node 3 sends as soon as it has something; node 5 goes on; node 6 waits for node 1.
    assert by_node[2] == 71
    assert [cycle for cycle, node in sends[20] if everywhere < cycle < second_own]
    assert by_node[5] > second_own


def test_a_blocked_node_grants_the_highest_that_it_has_found_and_then_all():
    recording, found = recorded("figure6", 2500)
    symbols = [cycle for cycle, node, *_ in emitted(recording, CONTROL) if node == 0]
    assert (found["first control symbol"].cycle, found["first control symbol"].node) == (symbols[0], 0)
    sends = starts(recording)
    # Each granted packet leaves behind the STOP-TO that grants it, and before the next one.
    for level, (granted, following) in {10: symbols[1:3], 15: symbols[2:4], 5: symbols[3:5]}.items():
        ((cycle, _),) = sends[level]
        assert granted < cycle < following, level


@pytest.mark.parametrize("path", sorted(FIGURES.glob("*.toml")), ids=lambda path: path.stem)
def test_each_figure_says_at_which_moment_the_player_shows_it(path):
    text = path.read_text(encoding="utf-8")
    named = text.partition('# The moment "')[2].partition('"')[0]
    assert named in {moment.name for moment in moments(record(Scenario.load(path), stop=2500))}
