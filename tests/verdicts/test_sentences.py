"""Sentences that are no verdict on deadlines, held to what was counted."""

import json
import re

import pytest

import ringlet as rl
from ringlet.cli.app import main
from ringlet.cli.run import exact_line
from ringlet.cli.verdicts import failure_lines, given_up_lines, sent_again_lines, timed_out_lines
from ringlet.scenario.activities.collective import collective_line

READS = {"transaction": "read64", "arrivals": "periodic", "load": "20 MB/s", "destinations": [1, 0]}


def failing(topology, messages, fails, **run):
    """Lines of a failure, with the record that they tell of."""
    document = rl.run(
        {
            "network": {"nodes": 4, **topology},
            "messages": [{"size": 64, "period": "2 us", **message} for message in messages],
            "errors": {"links": [fails]},
            "run": {"duration": "100 us", "warmup": 0, **run},
        }
    ).document
    return failure_lines(document)[0], document["errors"]["failures"][0]


DUAL = {"topology": "dual-ring"}


def test_a_failure_that_nothing_crosses_loses_nothing():
    line, failure = failing(DUAL, [{"source": 1, "destination": 3}], {"source": "1.1", "fails_at": "20 us"})
    assert failure["lost_sends"] == failure["lost_echoes"] == 0
    assert line.endswith("fails at 20.00 us: nothing was lost")


def test_a_failure_that_no_time_out_has_told_of_is_not_detected():
    fails = {"source": "1.1", "fails_at": "20 us"}
    line, failure = failing(DUAL, [{"source": 1, "destination": 2}], fails, duration="22 us")
    assert failure["lost_sends"] + failure["lost_echoes"] > 0
    assert failure["noticed_ns"] is None
    assert line.endswith("; not detected by the end")


def test_a_copy_that_is_lost_is_said_to_be_one():
    both = {"topology": "dual-attached-ring", "ways": "both", "echoes": False}
    line, failure = failing(both, [{"source": 0, "destination": 2}], {"source": "0.rising", "fails_at": "20 us"})
    assert failure["lost_sends"] > 0
    assert line.endswith("; each is a copy, of which another one takes the other ring")


def gone(**errors):
    """Lines on a station that is bypassed, and on what is sent to it again."""
    document = rl.run(
        {
            "network": {"nodes": 4},
            "messages": [{"source": 0, "destination": 2, "size": 64, "period": "2 us"}],
            "errors": {"nodes": [{"node": 2, "fails_at": 0, "bypass": True}], **errors},
            "run": {"duration": "100 us", "warmup": 0},
        }
    ).document
    return failure_lines(document), sent_again_lines(document), document["errors"]


def test_what_is_for_a_station_that_is_bypassed_is_taken_off_by_its_senders():
    (line,), _, errors = gone()
    assert line == "node 2 fails at 0 us, bypassed: its links work, and senders take off what is for it"
    assert errors["lost_sends"] > 0


def test_how_long_senders_go_on_is_said_where_the_file_does_not():
    _, (line,), errors = gone()
    us = 256 * errors["timeout_ns"] / 1e3
    assert line.startswith(f"{errors['timeouts']} time-outs: a packet is tried for {us:.1f} us, ")
    _, lines, _ = gone(max_timeouts=8)
    assert lines == []
    # What is repaired is waited for.
    _, lines, _ = gone(nodes=[{"node": 2, "fails_at": 0, "repaired_at": "50 us", "bypass": True}])
    assert lines == []


def test_requests_without_a_response_are_counted_with_those_given_up():
    content = {
        "network": {"nodes": 2},
        "traffic": READS,
        "queues": {"response_timeout": "2 ns", "response_repeats": 2},
        "run": {"duration": "100 us", "warmup": 0},
    }
    total = rl.run(content).document["total"]
    (line,) = timed_out_lines(total)
    requests, given_up, late = map(
        int, re.fullmatch(r"(\d+) requests .*, (\d+) of them given up; (\d+) responses came late", line).groups()
    )
    assert requests == total["timed_out_requests"] > given_up == total["unanswered_requests"] > 0
    assert late == total["late_responses"] > 0
    del content["queues"]
    assert timed_out_lines(rl.run(content).document["total"]) == []


def test_a_precision_that_is_not_reached_is_told_with_what_is():
    content = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "60 MB/s"}}
    run = {"precision": 0.001, "duration": "1 ms", "warmup": 0}
    document = rl.run({**content, "run": run}).document
    (line,) = [one for one in document["warnings"] if one.startswith("precision ")]
    said = re.fullmatch(r"precision 0.001 not reached in 500000 cycles: throughput (\S+) %, mean latency (\S+) %", line)
    total = document["total"]
    widths = [total["throughput_ci95_MBps"] / total["throughput_MBps"]]
    widths.append(total["latency_ns"]["ci95"] / total["latency_ns"]["mean"])
    assert [float(one) for one in said.groups()] == pytest.approx([100 * width for width in widths], rel=0.06)
    assert max(widths) > 0.001
    reached = rl.run({**content, "run": {**run, "precision": 0.2}}).document
    assert not [one for one in reached["warnings"] if one.startswith("precision ")]


def test_a_period_told_is_one_that_repeats():
    """Two runs that end a period apart differ by what a period delivers."""

    def delivered(cycles):
        found = rl.run({**content, "run": {"duration": cycles, "warmup": 2000}}).document
        return found, sum(node["delivered_packets"] for node in found["nodes"])

    content = {"network": {"nodes": 6}, "traffic": {"destinations": [3, 4, 5, 0, 1, 2]}}
    document, first = delivered(100_000)
    period, words = map(
        int, re.search(r"period (\d+) cycles, .*; (\d+)/\1 words", exact_line(document["exact"])).groups()
    )
    _, second = delivered(100_000 + period)
    assert (second - first) * 40 == words
    assert document["exact"]["transient_cycles"] < 2000


def test_a_window_limits_a_long_ring_as_the_page_on_trust_says():
    """64 packets of 288 bytes on a round trip of 4.3 ms."""
    network = {"nodes": 4, "hop_delay": "1.075 ms"}
    bound = rl.bound({"network": network, "traffic": {"transaction": "send288"}, "queues": {"outstanding": 64}})
    assert bound["max_min_MBps"].tolist() == pytest.approx([4.3] * 4, rel=0.01)
    assert all("outstanding" in limit for limit in bound["stopped_by"])


def test_what_senders_give_up_is_told_beside_what_they_lost():
    content = {
        "network": {"nodes": 4},
        "traffic": {"load": "100 MB/s"},
        "errors": {"links": [{"source": 0, "fails_at": "5 us"}], "max_timeouts": 0},
        "run": {"duration": "100 us", "warmup": 0},
    }
    total = rl.run(content).document["total"]
    (line,) = given_up_lines(total)
    assert total["given_up_packets"] > 1
    assert line.startswith(f"{total['given_up_packets']} packets given up: ")
    assert line.endswith(" MB/s beside what was lost at senders")
    assert given_up_lines(total | {"given_up_packets": 0}) == []


def test_an_operation_that_is_not_complete_says_how_much_of_it_was_delivered():
    operation = {"operation": "all-reduce", "size": "4 KiB"}
    document = rl.run({"network": {"nodes": 4}, "collective": operation, "run": {"duration": "2 us"}}).document
    found, line = document["collective"], collective_line(document)
    delivered, packets = found["collective_delivered_packets"], found["collective_packets"]
    assert 0 < delivered < packets
    bound = f"bandwidth bound {found['bandwidth_bound_ns'] / 1e3:.4g} us by "
    assert line.startswith(f"all-reduce: not complete, {delivered} of {packets} packets delivered; {bound}")


@pytest.mark.parametrize(
    ("load", "words", "has_interval"),
    [
        (
            "150 MB/s",
            r"batches of the total latency correlate \(lag 1: 0\.[3-9]\d\): .*; the interval was",
            True,
        ),
        ("165 MB/s", "not steady: the mean latency drifts or wanders from batch to batch, and has no interval", False),
    ],
)
def test_batches_that_hang_together_widen_the_interval_or_leave_none(load, words, has_interval):
    traffic = {"arrivals": "poisson", "load": load}
    document = rl.run({"network": {"nodes": 8}, "traffic": traffic, "run": {"duration": "200 us", "seed": 4}}).document
    assert any(re.match(words, line) for line in document["warnings"])
    assert (document["total"]["latency_ns"]["ci95"] is not None) == has_interval


NEAR = "[[messages]]\nsource = {source}\ndestination = 0\nsize = 512\nperiod = 3000\noffset = {offset}\n"


def test_a_search_names_the_phases_that_miss_and_the_protocols_that_cannot_run_a_set(tmp_path, capsys):
    """Four senders to node 0, of which the nearest waits longest; no slot has room on so short a ring."""
    file, out = tmp_path / "set.toml", tmp_path / "out"
    messages = "".join(NEAR.format(source=source, offset=700 * source) for source in range(1, 5))
    file.write_text("[network]\nnodes = 6\nhop_delay = 1\n" + messages, encoding="utf-8")
    words = ["--tolerance", "0.1", "--trials", "20", "--workers", "1"]
    assert main(["breakdown", str(file), *words, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^slotted-ring cannot run this set: network\.hop_delay", printed, flags=re.MULTILINE)
    line = r"^(\S+): (\S+) misses its deadline at 1\.1 times the searched factor in the phases of (\S+)$"
    found = re.findall(line, printed, flags=re.MULTILINE)
    assert found
    for _, message, witness in found:
        assert rl.run(witness).messages.loc[message, "missed"] > 0


def test_a_markov_chain_says_how_many_states_it_has_and_what_they_come_to(tmp_path, capsys):
    file = tmp_path / "ring.toml"
    traffic = {"arrivals": "bernoulli", "load": "100 MB/s", "destinations": [1, 0]}
    ring = {"network": {"nodes": 2}, "traffic": traffic, "queues": {"transmit": 1}}
    sections = (
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
        for name, keys in ring.items()
    )
    file.write_text("".join(sections), encoding="utf-8")
    assert main(["exact", str(file)]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith("exact: ")]
    words = r"exact: a Markov chain of (\d+) states, all there are; total (\S+) MB/s, mean latency (\S+) ns"
    states, total, latency = map(float, re.match(words, line).groups())
    found = rl.exact(ring)
    assert states == found.states
    assert total == pytest.approx(sum(flow.throughput_MBps for flow in found.flows), rel=1e-5)
    assert latency == pytest.approx(found.latency_mean_ns, rel=1e-5)
