"""A livelock that exploration has found can be watched in the ring player."""

import sys
from pathlib import Path

import ringlet as rl
from ringlet.player import page
from ringlet.trace import moments

sys.path.insert(0, str(Path(__file__).parents[1] / "exploration"))

from two_rings import ping_pong

SENT = """(since) => {
    const { recording } = ringlet, { first, cycle, packet } = recording.runs, sent = {};
    for (let run = first[0]; run < first[recording.nodes]; run++) {
        if (cycle[run] < since || recording.kind(run) < 1 || recording.kind(run) > 4) continue;
        const kind = ["idle", "packet", "packet", "echo", "busy echo"][recording.kind(run)];
        sent[kind] ??= {};
        sent[kind][packet[run]] = (sent[kind][packet[run]] ?? 0) + 1;
    }
    return sent;
}"""
"""How often each packet, and its echo, was seen on a link of the opened ring, by kind."""


def test_the_ping_pong_of_ppq_can_be_watched(show):
    recording = rl.check(ping_pong(1)).counterexample
    stall = next(one for one in moments(recording) if one.name == "first stall")
    shown = show(page(recording), f"#cycle={stall.cycle}")
    assert shown.evaluate("ringlet.view.cycle") == stall.cycle
    assert "first stall" in shown.inner_text("#moments")
    sent = shown.evaluate(SENT, stall.cycle)
    # Nothing is accepted any more: the same packets go out again and again, and busy echoes come back.
    assert set(sent) == {"packet", "busy echo"}
    assert set(sent["packet"]) == set(sent["busy echo"])
    assert min(sent["packet"].values()) > 10
