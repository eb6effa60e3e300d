"""What a recording holds. The engine's tests compare its symbols with the symbol-by-symbol reference."""

import numpy as np
import pytest
from recordings import CYCLES, FLOW_CONTROL, by_cycle, changing, recording, scenario

from ringlet.errors import RingletError
from ringlet.trace import MAX_NODE_CYCLES, record
from ringlet.trace.recording import DRAIN, ECHO, IDLE, RETRY, SEND, SENDING

PROTOCOLS = list(FLOW_CONTROL)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_link_has_a_symbol_in_every_cycle(protocol):
    assert (by_cycle(recording(protocol), "kind") >= 0).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_leaves_a_node_that_passes_has_come_in_a_hop_delay_before(protocol):
    made = recording(protocol)
    packet, activity = by_cycle(made, "packet"), by_cycle(made, "activity")
    came = np.roll(packet, 1, axis=0)[:, : -made.layout.rings[0].hop_cycles[0]]
    left, passes = (
        packet[:, made.layout.rings[0].hop_cycles[0] :],
        activity[:, made.layout.rings[0].hop_cycles[0] :] == 0,
    )
    differs = passes & (left >= 0) & (left != came)
    if protocol == "ppq":
        # An echo that waited for the acceptance of its packet leaves in the place of a later packet to the same node.
        node = np.arange(made.nodes)[:, np.newaxis]
        destination = made.packets["destination"]
        late = by_cycle(made, "kind")[:, made.layout.rings[0].hop_cycles[0] :] == ECHO
        late &= (destination[left] == node) & (destination[came] == node) & (came > left)
        assert (differs & late).any()
        differs &= ~late
    assert not differs.any()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_node_sends_its_head_and_nothing_else(protocol):
    made = recording(protocol)
    head = changing(made, made.tables["heads"])
    sends = (by_cycle(made, "activity") == SENDING) & np.isin(by_cycle(made, "kind"), (SEND, RETRY))
    assert sends.any()
    source = made.packets["source"][by_cycle(made, "packet")]
    assert (source[sends] == np.nonzero(sends)[0]).all()
    if protocol != "train":
        # There a granted packet has left the queue.
        assert (head[sends] == by_cycle(made, "packet")[sends]).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_bypass_fifo_is_never_emptier_than_empty(protocol):
    # From the beginning: a transit queue of RPR on a full ring is never empty again.
    made = recording(protocol, 0)
    fill = changing(made, made.bypass_fill)
    assert fill.min() == 0
    drains = (by_cycle(made, "activity") == DRAIN) & (by_cycle(made, "kind") != IDLE)
    # Its idle is still inside.
    assert (fill[drains] > 0).all()


def test_a_window_is_a_part_of_a_longer_one():
    whole, part = recording("sci", 400), record(scenario("sci"), start=900, stop=1200)
    for column in ("kind", "activity", "word"):
        assert np.array_equal(by_cycle(part, column), by_cycle(whole, column)[:, 500:800])
    for name in ("transmit_lengths", "receive_lengths", "withheld"):
        assert np.array_equal(changing(part, part.tables[name]), changing(whole, whole.tables[name])[:, 500:800])
    assert np.array_equal(changing(part, part.bypass_fill), changing(whole, whole.bypass_fill)[:, 500:800])


def test_the_seed_decides():
    one, other = (record(scenario("sci"), stop=CYCLES, seed=seed) for seed in (1, 2))
    assert not np.array_equal(by_cycle(one, "kind"), by_cycle(other, "kind"))
    again = record(scenario("sci"), stop=CYCLES, seed=1)
    assert np.array_equal(by_cycle(one, "kind"), by_cycle(again, "kind"))


@pytest.mark.parametrize(
    ("start", "stop", "named"),
    [
        (-1, 10, "start: -1"),
        (10, 10, "stop: 10"),
        (0, 2**53 + 1, "stop: "),
        (0, MAX_NODE_CYCLES // 4 + 1, "stop: "),
    ],
)
def test_a_bad_window_is_refused(start, stop, named):
    with pytest.raises(RingletError, match="is not allowed") as refused:
        record(scenario("sci"), start=start, stop=stop)
    assert str(refused.value).startswith(named)


def test_tables_are_data_frames():
    runs = recording("sci").frame("runs")
    assert list(runs.columns) == ["node", "cycle", "symbols", "kind", "activity", "word", "packet", "maker", "to"]
    assert set(runs["kind"]) <= {"idle", "send", "retry", "echo", "busy-echo"}
    assert runs["symbols"].sum() >= 4 * CYCLES
