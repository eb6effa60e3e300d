"""Tests of the sentences of richter1997 (Richter, Performance Optimization of SCI-Rings, 4.6)."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, words
from ringlet.papers.runs import Case
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run
from ringlet.trace.record import record
from ringlet.trace.recording import RETRY, RETURNED, SENDING

STRATEGIES = ("constant", "linear", "exponential")


@cache
def _run(file: str, *overrides: str) -> Result:
    """Runs one of the paper's scenario files with overrides, shortened to 1 ms."""
    return run(Case("richter1997", file, ("run.duration=1 ms", *overrides)).load())


def _carried(result: Result) -> float:
    """Returns the throughput of all nodes in MB/s."""
    return float(result.nodes["throughput_MBps"].sum())


def _retried(result: Result) -> float:
    """Returns what packets that are sent again take, in MB/s."""
    return float(result.nodes["retry_MBps"].sum())


def _slow_receiver(receive: int, load: float, *, strategy: str = "constant", delay: int = 0) -> Ring:
    """Returns three senders of equal loads, `load` of the receiver's rate in all; a service takes 80 cycles."""
    each = load * 40 / 80 / 3
    keys = {
        "traffic.transaction": "send80",
        "queues.receive": receive,
        "queues.service_time": 80,
        "retry.strategy": strategy,
        "retry.delay": delay,
    }
    return Ring((3, 3, 3, 0), loads=(each, each, each, 0.0), keys=keys).under("sci")


@checks("richter1997.c01")
def an_overloaded_receiver_lowers_the_whole_ring(trials: Trials) -> Finding:
    """Two flows past an overloaded node carry less than without its overload."""
    # Nodes 0 to 2 overload node 4; packets of 3 and 7 to node 5 pass it.
    keys = {"traffic.transaction": "send80", "queues.receive": 2, "queues.service_time": [0, 0, 0, 0, 400, 0, 0, 0]}
    found = {}
    for protocol in ("none", "sci"):
        rings = [
            Ring((4, 4, 4, 5, 0, 0, 0, 5), loads=(over, over, over, 0.3, 0, 0, 0, 0.3), keys=keys)
            for over in (0.0, 0.9)
        ]
        found[protocol] = [float(ring.under(protocol).throughput(cycles=60_000)[[3, 7]].sum()) for ring in rings]
    shown = "; ".join(f"{protocol} {words(pair)}" for protocol, pair in found.items())
    return Finding(all(over < 0.95 * alone for alone, over in found.values()), f"without and with overload: {shown}")


@checks("richter1997.c03")
def input_buffers_balance_short_fluctuations(trials: Trials) -> Finding:
    """With 8 buffers bursts of 0.3 us have a tenth of the retries with one, bursts of 100 us over half.

    The sender is on for a third of the time, at 1.8 times the rate of the receiver.
    """
    retries = {}
    for length_ns in (300, 100_000):
        flow = {"source": 0, "destination": 3, "size": 64, "arrivals": "on-off", "rate": "240 MB/s"}
        flow |= {"on": f"{length_ns} ns", "off": f"{2 * length_ns} ns"}
        for places in (1, 8):
            content: dict[str, Any] = {
                "network": {"nodes": 4, "hop_delay": 3},
                "flow_transaction": "dmove64",
                "flows": [flow],
                "flow_control": {"protocol": "sci"},
                "queues": {"receive": places, "service_time": "160 ns"},
                "run": {"duration": "20 ms", "warmup": "1 ms"},
            }
            retries[length_ns, places] = int(run(Scenario.from_dict(content)).nodes["retries"].sum())
    short, long = (retries[length_ns, 8] / max(retries[length_ns, 1], 1) for length_ns in (300, 100_000))
    shown = "; ".join(f"{length / 1000:g} us, {places} places {number}" for (length, places), number in retries.items())
    return Finding(short < 0.1 and long > 0.5, f"retries: {shown}")


@checks("richter1997.c02")
def full_queues_cause_retries(trials: Trials) -> Finding:
    """Retries come from full input queues: they fall as the queues grow, and end where nothing is ever full."""
    sizes = (1, 2, 3, 4, 8, 64)
    retries = [int(_slow_receiver(size, 0.87).result(cycles=400_000).nodes["retries"].sum()) for size in sizes]
    holds = retries == sorted(retries, reverse=True) and retries[-1] == 0 < retries[0]
    return Finding(holds, f"retries with queues of {' '.join(map(str, sizes))}: {' '.join(map(str, retries))}")


@checks("richter1997.c05", "richter1997.c26", "richter1997.c27")
def a_switch_carries_a_quarter_of_its_rings(trials: Trials) -> Finding:
    """A four-port switch transfers a quarter of what its rings' links carry, 88 bytes on its B-Link for 64 of data."""
    carried = _carried(_run("figure4-9-switch.toml")) * 88 / 80
    return Finding(0.95 < carried / 500 <= 1.0, f"{carried:z.0f} MB/s of 2,000 on the B-Link")


@checks("richter1997.c28")
def switched_rings_gain_from_a_delay(trials: Trials) -> Finding:
    """With a delay of 50 us switched rings carry over 2 % more, with less retry traffic."""
    plain, delayed = (_run("figure4-9-switch.toml", f"retry.delay={delay}") for delay in ("0 ns", "50 us"))
    carried, retried = [_carried(each) for each in (plain, delayed)], [_retried(each) for each in (plain, delayed)]
    shown = f"{carried[0]:z.1f} to {carried[1]:z.1f} MB/s, retries {retried[0]:z.0f} to {retried[1]:z.0f}"
    return Finding(carried[1] > 1.02 * carried[0] and retried[1] < retried[0], shown)


@checks("richter1997.c22")
def new_packets_first_have_fewer_retries(trials: Trials) -> Finding:
    """Sending new packets before refused ones makes fewer retries than the other way round."""
    found = {
        order: _retried(_run("figure4-9-switch.toml", f"host.order={order}"))
        for order in ("new-first", "retries-first")
    }
    shown = ", ".join(f"{order} {mbps:z.0f}" for order, mbps in found.items())
    return Finding(found["new-first"] < 0.95 * found["retries-first"], f"MB/s of retries: {shown}")


@checks("richter1997.c07")
def packets_accepted_at_once_are_not_delayed(trials: Trials) -> Finding:
    """The retry delay changes nothing where nothing is refused."""
    rings = [_slow_receiver(64, 0.5, strategy=strategy, delay=25_000) for strategy in STRATEGIES]
    plain = _slow_receiver(64, 0.5).result().nodes
    same = all(ring.result().nodes["latency_mean_ns"].equals(plain["latency_mean_ns"]) for ring in rings)
    return Finding(bool(same and plain["retries"].sum() == 0), "three strategies with 50 us, latency to the last digit")


@checks("richter1997.c09", "richter1997.c10", "richter1997.c11")
def the_delay_of_the_rth_retry(trials: Trials) -> Finding:
    """The r-th retry of a packet waits the delay (constant), r times (linear) or 2^(r-1) times (exponential)."""
    shown, early = [], 0
    delay = 500
    for strategy in STRATEGIES:
        ring = _slow_receiver(1, 1.5, strategy=strategy, delay=delay)
        recording = Recorded.of(ring, start=0, cycles=100_000).recording
        runs, events = recording.runs, recording.tables["events"]
        checked = 0
        again = (runs["kind"] == RETRY) & (runs["activity"] == SENDING)
        for packet in np.unique(runs["packet"][again]):
            sent = np.sort(runs["cycle"][again & (runs["packet"] == packet)])
            back = np.sort(events["cycle"][(events["fate"] == RETURNED) & (events["packet"] == packet)])
            for place, (start, refused) in enumerate(zip(sent, back, strict=False)):
                factor = {"constant": 1, "linear": place + 1, "exponential": 2**place}[strategy]
                checked, early = checked + 1, early + int(start - refused < delay * factor)
        shown.append(f"{strategy} {checked}")
    return Finding(early == 0, f"{early} earlier than that, of retries: {', '.join(shown)}")


@checks("richter1997.c13")
def retry_traffic_never_rises_with_the_delay(trials: Trials) -> Finding:
    """Retry traffic does not rise when the delay is made longer."""
    rises, steps = 0, 0
    for file in ("figure4-10.toml", "figure4-11.toml"):
        for strategy in STRATEGIES:
            delays = ("0 ns", "2 us", "10 us", "50 us", "200 us")
            found = [_retried(_run(file, f"retry.strategy={strategy}", f"retry.delay={delay}")) for delay in delays]
            steps += len(found) - 1
            rises += sum(later > before * 1.01 for before, later in pairwise(found))
    return Finding(rises == 0, f"{rises} of {steps} steps rise")


@checks("richter1997.c16")
def exponential_is_best(trials: Trials) -> Finding:
    """At each delay retry traffic is least with the exponential strategy, then with the linear one."""
    wrong, shown = 0, []
    for delay in ("2 us", "10 us", "50 us"):
        found = [_retried(_run("figure4-10.toml", f"retry.strategy={s}", f"retry.delay={delay}")) for s in STRATEGIES]
        wrong += not found[0] * 1.01 >= found[1] >= found[2] / 1.01
        shown.append(f"{delay}: " + " ".join(f"{mbps:z.0f}" for mbps in found))
    return Finding(wrong == 0, "MB/s, constant, linear, exponential: " + "; ".join(shown))


@checks("richter1997.c17")
def exponential_needs_the_smallest_delay(trials: Trials) -> Finding:
    """Retry traffic of the switched rings falls by a tenth at the smallest delay with the exponential strategy."""
    least = {}
    for strategy in STRATEGIES:
        delays = (0.0, 2.0, 10.0, 50.0)
        found = [
            _retried(_run("figure4-9-switch.toml", f"retry.strategy={strategy}", f"retry.delay={us} us"))
            for us in delays
        ]
        least[strategy] = next((us for us, mbps in zip(delays, found, strict=True) if mbps < 0.9 * found[0]), np.inf)
    holds = least["exponential"] <= least["linear"] <= least["constant"] and least["exponential"] < np.inf
    return Finding(bool(holds), "us: " + ", ".join(f"{strategy} {us:g}" for strategy, us in least.items()))


@checks("richter1997.c19")
def a_ring_of_ten_keeps_the_throughput_of_four(trials: Trials) -> Finding:
    """With a long delay a ring of ten carries about what a ring of four does."""
    found = [_carried(_run(file, "retry.delay=50 us")) for file in ("figure4-10.toml", "figure4-11.toml")]
    return Finding(abs(found[1] / found[0] - 1) < 0.05, f"{found[0]:z.0f} and {found[1]:z.0f} MB/s at 50 us")


@checks("richter1997.c20")
def a_long_delay_costs_no_throughput(trials: Trials) -> Finding:
    """Throughput does not fall as the delay grows to 50 us."""
    delays = ("0 ns", "2 us", "10 us", "50 us")
    found = [_carried(_run("figure4-10.toml", f"retry.delay={delay}")) for delay in delays]
    holds = all(later >= 0.99 * before for before, later in pairwise(found))
    return Finding(holds, "MB/s at 0, 2, 10, 50 us: " + " ".join(f"{mbps:z.0f}" for mbps in found))


@checks("richter1997.c21")
def a_long_delay_makes_delivery_late(trials: Trials) -> Finding:
    """The largest latency of accepted packets grows with the delay."""
    worst = [
        float(_run("figure4-10.toml", f"retry.delay={delay}").nodes["latency_max_ns"].max()) / 1000
        for delay in ("0 ns", "50 us")
    ]
    return Finding(worst[1] > worst[0], f"largest latency {worst[0]:z.0f} us without, {worst[1]:z.0f} us with 50 us")


@checks("richter1997.c23")
def the_count_of_retries_falls_with_the_delay(trials: Trials) -> Finding:
    """The mean number of retries of a packet falls to below half as the delay grows to 200 us."""
    found = []
    for delay in ("0 ns", "2 us", "50 us", "200 us"):
        nodes = _run("figure4-10.toml", f"retry.delay={delay}").nodes
        found.append(float(nodes["retries"].sum() / nodes["delivered_packets"].sum()))
    shown = " ".join(f"{count:z.2f}" for count in found)
    return Finding(found[-1] < found[0] / 2, f"retries for each packet at 0, 2, 50, 200 us: {shown}")


@checks("richter1997.c08")
def refused_responses_are_sent_again(trials: Trials) -> Finding:
    """Responses that a slow requester refuses are sent again until they are accepted."""
    ring = Ring((1, 2, 3, 0), loads=(0.2,) * 4, keys={"traffic.transaction": "read64", "queues.receive": 1})
    ring = ring.with_keys({"queues.service_time": 150}).under("sci")
    recording = record(ring.scenario(), start=0, stop=40_000)
    packets, events = recording.packets, recording.tables["events"]
    refused = np.unique(events["packet"][events["fate"] == RETURNED])
    responses = refused[packets["response"][refused]]
    sent = recording.runs["packet"][recording.runs["kind"] == RETRY]
    never = int((~np.isin(responses[packets["generated"][responses] < 30_000], sent)).sum())
    return Finding(len(responses) > 0 and never == 0, f"{len(responses)} refused responses, {never} never sent again")
