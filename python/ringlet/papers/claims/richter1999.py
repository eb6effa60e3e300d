"""Tests of the sentences of richter1999 (Richter, SCI Rings, Switches, and Networks, chapter 6)."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.rings import Ring
from ringlet.papers.runs import Case
from ringlet.rings import survey
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run

RINGLETS = "figure6-21-ringlets.toml"
LONG_RINGS = "figure6-23-long-rings.toml"
FOUR_RINGS = "figure6-24-four-rings.toml"
EIGHT = "figure6-17-eight-processors.toml"
OMEGA_RINGLETS = "figure6-25-ringlets.toml"
FIRST_GRADE = "figure6-26-first-grade.toml"
SECOND_GRADE = "figure6-27-second-grade.toml"


def _scenario(file: str, *overrides: str) -> Scenario:
    """Returns one of the paper's scenario files with overrides, shortened to 0.3 ms."""
    short = () if file.startswith("testbed") else ("run.duration=0.3 ms", "run.warmup=0.1 ms")
    return Case("richter1999", file, (*short, *overrides)).load()


@cache
def _run(file: str, *overrides: str) -> Result:
    """Runs one of the paper's scenario files with overrides."""
    return run(_scenario(file, *overrides))


def _at(file: str, load_MBps: float, *overrides: str) -> Result:
    """Runs a scenario file at a gross load of each processor."""
    return _run(file, f"traffic.load={load_MBps} MB/s", *overrides)


def _carried(result: Result) -> float:
    """Returns the throughput of all nodes in MB/s."""
    return float(result.nodes["throughput_MBps"].sum())


def _latency(result: Result, which: str = "mean") -> float:
    """Returns a latency of the whole network in ns."""
    return float(result.total[f"latency_{which}_ns"].iloc[0])


def _numbers(values: Sequence[float] | NDArray[np.float64]) -> str:
    """Returns numbers as text, without decimals."""
    return " ".join(f"{value:z.0f}" for value in values)


@checks("richter1999.c01")
def every_sender_of_an_overloaded_receiver_makes_progress(trials: Trials) -> Finding:
    """Each sender to a slow receiver gets at least 5 % of an equal share under SCI."""
    starved, least, at, number = 0, 1.0, "", trials.count(40)
    for _ in range(number):
        nodes = int(trials.rng.integers(3, 9))
        to = int(trials.rng.integers(nodes))
        keys = {
            "traffic.transaction": "send80",
            "network.hop_delay": int(trials.rng.integers(1, 6)),
            "queues.receive": int(trials.rng.integers(1, 5)),
            "queues.service_time": int(trials.rng.integers(60, 300)),
        }
        destinations = tuple(to if node != to else (to + 1) % nodes for node in range(nodes))
        ring = Ring(destinations, frozenset({to}), None, keys).under("sci")
        found = ring.throughput(cycles=100_000)[ring.senders]
        share = float(found.min() / found.mean())
        starved += share < 0.05
        if share < least:
            least, at = share, f" on {ring}"
    return Finding(
        starved == 0, f"{starved} of {number} rings starve a sender; least share {least:z.2f} of the mean{at}"
    )


@checks("richter1999.c02")
def sci_allocates_bandwidth_by_priority(trials: Trials) -> Finding:
    """A node of the highest priority carries its load of .6 to a silent receiver beside nodes that flood below it."""
    short, least, at, number = 0, 1.0, "", trials.count(30)
    for _ in range(number):
        senders = int(trials.rng.integers(2, 6))
        top = int(trials.rng.integers(senders))
        priorities = [3 if node == top else 0 for node in range(senders + 1)]
        keys = {"traffic.transaction": "send80", "traffic.priority": priorities, "flow_control.priorities": 4}
        loads = tuple(0.6 if node == top else 1.0 if node < senders else 0.0 for node in range(senders + 1))
        ring = Ring((senders,) * senders + (0,), loads=loads, keys=keys).under("sci")
        part = ring.carried(top)
        short += part < 0.95
        if part < least:
            least, at = part, f" on {ring}"
    return Finding(short == 0, f"{short} of {number} rings carry less than 95 % of it; least {least:z.2f}{at}")


def _block(file: str, block: int, *overrides: str) -> float:
    """Returns the throughput of a test bed with blocks of so many bytes, in MB/s."""
    return _carried(_run(file, f"traffic.block={block}", *overrides))


@checks("richter1999.c04")
def eight_buffers_serve_eight_masters_or_one(trials: Trials) -> Finding:
    """Eight masters with a buffer each carry about eight times what one does, as one with eight buffers."""
    masters = [_block("testbed-2.toml", 512, f"host.adapter.masters={number}") for number in (1, 8)]
    streams = [_block("testbed-2.toml", 512, f"host.adapter.streams={number}") for number in (1, 8)]
    holds = all(pair[1] > 6 * pair[0] for pair in (masters, streams))
    return Finding(holds, f"MB/s with 1 and 8: masters {_numbers(masters)}, streams {_numbers(streams)}")


@checks("richter1999.c06")
def writes_are_fastest_from_256_bytes_on(trials: Trials) -> Finding:
    """Write throughput is at its maximum from blocks of 256 bytes on, and at half of it at 64."""
    found = [_block("testbed-1-write.toml", block) for block in (64, 256, 4096)]
    holds = abs(found[0] / found[1] - 0.5) < 0.05 and abs(found[2] / found[1] - 1) < 0.05
    return Finding(holds, f"MB/s at 64, 256, 4096 bytes: {_numbers(found)}")


@checks("richter1999.c07")
def remote_read_is_slower_than_remote_write(trials: Trials) -> Finding:
    """A remote write carries 3.5 times what a remote read does, within a fifth, at its shortest full block."""
    write, read = _block("testbed-1-write.toml", 256), _block("testbed-1-read.toml", 64)
    return Finding(
        abs(write / read / 3.5 - 1) < 0.2, f"write {write:z.1f}, read {read:z.1f} MB/s: {write / read:z.1f} times"
    )


@checks("richter1999.c10")
def pushing_carries_more_than_pulling(trials: Trials) -> Finding:
    """Sensors that write to a collector carry more than the collector reading them."""
    found = {}
    for name, transaction, destinations, loads in (
        ("push", "nwrite64", (4, 4, 4, 4, 0), (0.25,) * 4 + (0.0,)),
        ("pull", "read64", (4, 4, 4, 4, 0), (0.0,) * 4 + (1.0,)),
    ):
        ring = Ring(destinations, loads=loads, keys={"traffic.transaction": transaction}).under("sci")
        result = ring.result(cycles=100_000)
        found[name] = _carried(result)
    return Finding(found["push"] > found["pull"], f"push {found['push']:z.0f}, pull {found['pull']:z.0f} MB/s")


@checks("richter1999.c11")
def set_up_times_are_below_10_us(trials: Trials) -> Finding:
    """A block of 64 bytes is read or written in less than 10 us."""
    found = [
        float(_run(file, "traffic.block=64").nodes["message_latency_mean_ns"].max()) / 1000
        for file in ("testbed-1-read.toml", "testbed-1-write.toml")
    ]
    return Finding(max(found) < 10, f"read {found[0]:z.1f} us, write {found[1]:z.1f} us")


@checks("richter1999.c12", "richter1999.c14")
def a_software_check_leaves_the_maximum_as_it_is(trials: Trials) -> Finding:
    """The check leaves the maximum as it is; without it the maximum is reached at 64 bytes."""
    plain = [_block("testbed-2.toml", block) for block in (64, 65_536)]
    checked = [_block("testbed-2.toml", block, "host.adapter.check=6.8 us") for block in (512, 65_536)]
    holds = abs(plain[1] / plain[0] - 1) < 0.03 and abs(checked[1] / plain[1] - 1) < 0.03
    shown = " ".join(f"{mbps:z.1f}" for mbps in (*plain, *checked))
    return Finding(holds, f"MB/s: 64 B and 64 KiB, with check 512 B and 64 KiB: {shown}")


@checks("richter1999.c13")
def the_check_needs_large_blocks(trials: Trials) -> Finding:
    """With the check 95 % of the maximum needs blocks of over 64 kB."""
    found = {b: _block("testbed-2.toml", b, "host.adapter.check=6.8 us") for b in (1024, 4096, 16_384, 65_536, 262_144)}
    most = max(found.values())
    knee = min(block for block, mbps in found.items() if mbps >= 0.95 * most)
    return Finding(knee >= 65_536, f"95 % of {most:z.1f} MB/s at {knee} bytes")


@checks("richter1999.c16", "richter1999.c17")
def throughput_grows_with_combined_buffers(trials: Trials) -> Finding:
    """Throughput grows nearly linearly with 2 and 4 buffers, from blocks of 64 bytes for each buffer on."""
    found = {n: _block("testbed-2.toml", 64 * n, f"host.adapter.streams={n}") for n in (1, 2, 4)}
    full = {n: _block("testbed-2.toml", 4096, f"host.adapter.streams={n}") for n in (1, 2, 4)}
    holds = all(found[n] > 0.95 * full[n] and found[n] > 0.9 * n * found[1] for n in (1, 2, 4))
    return Finding(holds, f"MB/s with 1, 2, 4 buffers: {' '.join(f'{mbps:z.1f}' for mbps in found.values())}")


@checks("richter1999.c18")
def eight_buffers_are_slower_from_512_bytes_on(trials: Trials) -> Finding:
    """With 8 buffers throughput is lower at 512 bytes and more than at 256."""
    found = [_block("testbed-2.toml", block, "host.adapter.streams=8") for block in (256, 512, 4096)]
    return Finding(found[0] > max(found[1:]), f"MB/s at 256, 512, 4096 bytes: {_numbers(found)}")


@checks("richter1999.c20")
def separate_buffers_prevent_deadlocks(trials: Trials) -> Finding:
    """With separate buffers for requests and responses small tori and rings of rings go on under overload."""
    stalled, number = 0, trials.count(12)
    for seed in range(1, number + 1):
        content = {
            "network": {"topology": "torus", "shape": [3, 3]},
            "switch": {"receive": 1 + seed % 3, "transmit": 1 + seed % 2},
            "traffic": {"transaction": "read64", "arrivals": "poisson", "load": "200 MB/s"},
            "run": {"duration": "0.3 ms", "warmup": 0, "stall_after": "20 us", "seed": seed},
        }
        stalled += run(Scenario.from_dict(content)).stall is not None
    return Finding(stalled == 0, f"{stalled} of {number} runs of a 3 x 3 torus stall")


@checks("richter1999.c23", "richter1999.c24")
def four_ports_share_the_b_link(trials: Trials) -> Finding:
    """With both pairs in full duplex each port gets 150 MB/s of the B-Link's 600, within 6 %, and all the same."""
    found = _run("duplex.toml").nodes["throughput_MBps"].to_numpy(dtype=np.float64) * 84 / 64
    holds = float(np.abs(found / 150 - 1).max()) < 0.06 and found.min() > 0.95 * found.max()
    return Finding(bool(holds), f"gross MB/s: {_numbers(found)}")


@checks("richter1999.c25")
def a_switch_with_ringlets_carries_what_its_b_link_does(trials: Trials) -> Finding:
    """A switch with ringlets carries min(2t, B) in bytes of the B-Link, within 5 %."""
    shown, off = [], 0.0
    for rate in (100, 200, 300, 600):
        result = _at(RINGLETS, 400, f"switch.rate={rate} MB/s", "switch.set_up=0 ns")
        found = _carried(result) * 88 / 64
        due = min(2 * 400 * 88 / 84, rate)
        off = max(off, abs(found / due - 1))
        shown.append(f"{found:z.0f} of {due:z.0f}")
    return Finding(off < 0.05, f"MB/s of the B-Link at 100, 200, 300, 600: {', '.join(shown)}")


@checks("richter1999.c26", "richter1999.c54")
def long_rings_gain_from_locality(trials: Trials) -> Finding:
    """At overload long rings carry more than ringlets as soon as some data stay on their ring."""
    ringlets = _carried(_at(RINGLETS, 300))
    found = [_carried(_at(LONG_RINGS, 300, f"traffic.locality={part}")) for part in (0.1, 0.3, 0.5, 1.0)]
    return Finding(min(found) > ringlets, f"MB/s at locality .1 .3 .5 1: {_numbers(found)}; ringlets {ringlets:z.0f}")


@checks("richter1999.c28")
def long_rings_need_half_of_rings_and_ports(trials: Trials) -> Finding:
    """For the same nodes long rings need half of the rings and half of the switch ports."""
    counts = []
    for file in (RINGLETS, LONG_RINGS):
        found = survey(*_scenario(file).routed_network)
        counts.append((found.cost.rings, found.cost.ports))
    holds = counts[0][0] == 2 * counts[1][0] and counts[0][1] == 2 * counts[1][1]
    return Finding(holds, f"rings and ports: ringlets {counts[0]}, long rings {counts[1]}")


@checks("richter1999.c29", "richter1999.c62")
def the_gain_grows_with_the_ports(trials: Trials) -> Finding:
    """At locality 1 the throughput of long rings grows in proportion to the ports of the switch."""
    two, four = (_carried(_at(file, 450)) for file in (LONG_RINGS, FOUR_RINGS))
    return Finding(abs(four / two / 2 - 1) < 0.1, f"two ports {two:z.0f}, four ports {four:z.0f} MB/s")


@checks("richter1999.c30")
def twice_the_processors_lose_nothing(trials: Trials) -> Finding:
    """Twice the processors on the same switch by long rings have the same throughput and latency for each."""
    off = 0.0
    for load in (100, 250, 350):
        two, four = (_at(file, load) for file in (LONG_RINGS, FOUR_RINGS))
        off = max(off, abs(_carried(four) / _carried(two) / 2 - 1), abs(_latency(four) / _latency(two) - 1))
    return Finding(off < 0.02, f"largest difference {off:z.1%} at 100, 250, 350 MB/s")


@checks("richter1999.c31")
def four_times_the_devices_halve_the_rate(trials: Trials) -> Finding:
    """With twice as many processors on each ring the largest rate of each is about half."""
    eight, four = _carried(_at(EIGHT, 200)) / 8, _carried(_at(FOUR_RINGS, 450)) / 4
    return Finding(abs(eight / four - 0.5) < 0.1, f"{eight:z.0f} for {four:z.0f} MB/s of each processor")


TOPOLOGIES = ("omega", "flip", "indirect-cube", "generalized-cube", "baseline", "butterfly")


@checks("richter1999.c36", "richter1999.c37")
def latency_grows_by_a_constant_for_each_stage(trials: Trials) -> Finding:
    """The least latency of ringlets and of long rings grows by a constant for each stage of an Omega network."""
    shown, holds = [], True
    for name, connection in (("ringlets", "ringlet"), ("long rings", "long-ring")):
        found = []
        for size in (4, 8, 16):
            changed = (f"network.size={size}", f"network.connection={connection}", "traffic.load=10 MB/s")
            found.append(_latency(_run(FIRST_GRADE, *changed), "min"))
        steps = np.diff(found)
        holds = holds and bool(abs(steps[1] / steps[0] - 1) < 0.02)
        shown.append(f"{name} {_numbers(found)}")
    return Finding(holds, "ns for 4, 8, 16: " + "; ".join(shown))


@checks("richter1999.c38")
def latency_falls_by_two_orders_with_long_rings(trials: Trials) -> Finding:
    """Time through a stage falls by two orders of magnitude with long rings."""
    steps = {}
    for connection in ("ringlet", "long-ring"):
        found = [
            _latency(
                _run(FIRST_GRADE, f"network.size={n}", f"network.connection={connection}", "traffic.load=10 MB/s"),
                "min",
            )
            for n in (8, 16)
        ]
        steps[connection] = found[1] - found[0]
    ratio = steps["ringlet"] / steps["long-ring"]
    return Finding(
        ratio > 50, f"{steps['ringlet']:z.0f} for {steps['long-ring']:z.0f} ns of each stage: {ratio:z.1f} times"
    )


@checks("richter1999.c41")
def a_larger_radix_has_fewer_stages(trials: Trials) -> Finding:
    """With radix 4 in place of 2 the least latency of 16 x 16 long rings falls by the two stages fewer."""
    first, second = (_latency(_at(file, 10), "min") for file in (FIRST_GRADE, SECOND_GRADE))
    smaller = _latency(_run(FIRST_GRADE, "network.size=4", "traffic.load=10 MB/s"), "min")
    return Finding(
        second < first and abs(second - smaller) < 0.1 * first,
        f"{first:z.0f} to {second:z.0f} ns; 4 x 4 {smaller:z.0f}",
    )


@checks("richter1999.c32")
def a_banyan_has_one_way_for_each_pair(trials: Trials) -> Finding:
    """Each pair of a processor and a memory of a Banyan network is joined by one way of log2 N switches."""
    wrong, number = 0, 0
    for topology in TOPOLOGIES:
        for size in (4, 8, 16):
            keys = (f"network.topology={topology}", f"network.size={size}", "network.connection=ringlet")
            network, routes = _scenario(FIRST_GRADE, *keys).routed_network
            found = survey(network, routes)
            number += 1
            # Ways of one length for every pair, as many pairs as there are.
            wrong += found.lengths.pairs != size * size or max(found.lengths.crossings) == 0
            wrong += len({hops for hops, pairs in enumerate(found.lengths.crossings) if pairs}) != 1
    return Finding(wrong == 0, f"{wrong} of {number} networks with pairs whose ways differ in length")


@checks("richter1999.c34")
def a_banyan_blocks(trials: Trials) -> Finding:
    """Some permutations carry less than others on an Omega network at saturation: flows meet at a link."""
    found = []
    for _ in range(trials.count(6)):
        permutation = trials.rng.permutation(8)
        matrix = np.zeros((8, 16))
        matrix[np.arange(8), 8 + permutation] = 1
        content = {
            "network": {"topology": "omega", "size": 8},
            "traffic": {"transaction": "dmove64", "pattern": "matrix", "matrix": matrix.tolist()},
            "run": {"duration": "0.2 ms", "warmup": "0.05 ms"},
        }
        found.append(_carried(run(Scenario.from_dict(content))))
    return Finding(
        min(found) < 0.95 * max(found), f"{min(found):z.0f} to {max(found):z.0f} MB/s, {len(found)} permutations"
    )


@checks("richter1999.c42")
def a_larger_radix_needs_fewer_ports(trials: Trials) -> Finding:
    """A 16 x 16 network of radix 2, 4 and 16 has 128, 64 and 32 ports with ringlets."""
    found = [
        survey(*_scenario(OMEGA_RINGLETS, f"network.radix={radix}").routed_network).cost.ports for radix in (2, 4, 16)
    ]
    return Finding(found == [128, 64, 32], f"ports with radix 2, 4, 16: {_numbers(found)}")


@checks("richter1999.c43")
def nothing_is_lost_below_saturation(trials: Trials) -> Finding:
    """No packet is lost while transmit buffers have room: none at a third of the load at which losses begin."""
    lost = {}
    for file, load in ((RINGLETS, 60), (LONG_RINGS, 200), (FOUR_RINGS, 200), (EIGHT, 100), (FIRST_GRADE, 200)):
        lost[file] = int(_at(file, load).nodes["lost_packets"].sum())
    return Finding(not any(lost.values()), f"{sum(lost.values())} lost in {len(lost)} networks")


@checks("richter1999.c44")
def what_is_offered_is_carried_or_lost(trials: Trials) -> Finding:
    """Offered load is throughput and loss, within the packets under way."""
    most = 0.0
    for _ in range(trials.count(10)):
        load, locality = float(trials.rng.uniform(20, 450)), float(trials.rng.uniform(0, 1))
        nodes = _at(LONG_RINGS, round(load), f"traffic.locality={locality:z.2f}").nodes
        gap = nodes["offered_MBps"].sum() - nodes["throughput_MBps"].sum() - nodes["lost_MBps"].sum()
        most = max(most, abs(float(gap)))
    return Finding(most < 8, f"largest difference {most:z.2f} MB/s")


@checks("richter1999.c46")
def throughput_stays_at_its_maximum(trials: Trials) -> Finding:
    """Above saturation throughput does not fall by over 2 %."""
    shown, worst = [], 0.0
    for file, loads in ((RINGLETS, (120, 200, 300)), (LONG_RINGS, (400, 450, 500)), (FIRST_GRADE, (400, 450, 500))):
        found = [_carried(_at(file, load)) for load in loads]
        worst = max(worst, 1 - found[-1] / max(found))
        shown.append(_numbers(found))
    return Finding(worst < 0.02, f"MB/s over load: {'; '.join(shown)}")


@checks("richter1999.c47")
def deterministic_traffic_has_a_fixed_latency(trials: Trials) -> Finding:
    """Below saturation the latency of each processor's periodic packets is fixed."""
    spread = 0.0
    for file, load in ((RINGLETS, 60), (LONG_RINGS, 200), (FOUR_RINGS, 200)):
        nodes = _at(file, load).nodes
        spread = max(spread, float((nodes["latency_max_ns"] - nodes["latency_min_ns"]).max()))
    return Finding(spread == 0, f"largest less least {spread:z.0f} ns")


@checks("richter1999.c48")
def latency_saturates_no_later_than_throughput(trials: Trials) -> Finding:
    """Over load, latency exceeds 1.5 times that at light load no later than losses begin."""
    late = []
    for file, loads in (
        (RINGLETS, range(90, 160, 5)),
        (LONG_RINGS, range(300, 480, 20)),
        (SECOND_GRADE, range(300, 480, 20)),
    ):
        light = _latency(_at(file, 50), "max")
        slow = next((load for load in loads if _latency(_at(file, load), "max") > 1.5 * light), np.inf)
        loses = next((load for load in loads if _at(file, load).nodes["lost_packets"].sum() > 0), np.inf)
        late.append((slow, loses))
    shown = ", ".join(f"{slow:z.0f} and {loses:z.0f}" for slow, loses in late)
    return Finding(all(slow <= loses for slow, loses in late), f"MB/s at which latency and losses rise: {shown}")


@checks("richter1999.c55")
def without_locality_both_are_identical(trials: Trials) -> Finding:
    """With all traffic over the switch ringlets and long rings have the same throughput and losses."""
    off = 0.0
    for load in (20, 60, 100, 200, 400):
        ringlets, long = (_at(file, load, "traffic.locality=0") for file in (RINGLETS, LONG_RINGS))
        off = max(off, abs(_carried(long) / _carried(ringlets) - 1))
    return Finding(off < 0.02, f"largest difference of throughput {off:z.1%}, 20 to 400 MB/s")


@checks("richter1999.c60")
def results_extend_to_larger_networks(trials: Trials) -> Finding:
    """The gain of first-grade networks over ringlets at 32 x 32 is that at 16 x 16 within 20 %."""
    gains = []
    for size in (16, 32):
        found = [
            _carried(_at(file, load, f"network.size={size}"))
            for file, load in ((FIRST_GRADE, 450), (OMEGA_RINGLETS, 200))
        ]
        gains.append(found[0] / found[1])
    return Finding(abs(gains[1] / gains[0] - 1) < 0.2, f"{gains[0]:z.2f} and {gains[1]:z.2f} times")


@checks("richter1999.c49")
def latency_jumps_above_saturation(trials: Trials) -> Finding:
    """Above saturation the largest latency of long rings is over 50 times that at light load."""
    shown, least = [], np.inf
    for file in (LONG_RINGS, FOUR_RINGS, SECOND_GRADE):
        light, over = _latency(_at(file, 50), "max"), _latency(_at(file, 500), "max")
        least = min(least, over / light)
        shown.append(f"{over:z.0f} for {light:z.0f}")
    return Finding(bool(least > 50), f"ns: {', '.join(shown)}")


@checks("richter1999.c50")
def latency_varies_above_saturation(trials: Trials) -> Finding:
    """Above saturation the latency of periodic packets varies."""
    found = [
        (_latency(_at(file, load), "min"), _latency(_at(file, load), "max"))
        for file, load in ((RINGLETS, 200), (LONG_RINGS, 500))
    ]
    shown = ", ".join(f"{least:z.0f} to {most:z.0f} ns" for least, most in found)
    return Finding(all(least < most for least, most in found), shown)


@checks("richter1999.c52")
def four_long_rings_have_7_8_times_the_throughput(trials: Trials) -> Finding:
    """Four long rings have 7.8 times the throughput of ringlets on the same switch, within 5 %."""
    ratio = _carried(_at(FOUR_RINGS, 450)) / _carried(_at(RINGLETS, 250))
    return Finding(abs(ratio / 7.8 - 1) < 0.05, f"{ratio:z.2f} times")


@checks("richter1999.c53")
def they_lose_7_times_fewer_packets(trials: Trials) -> Finding:
    """At 500 MB/s long rings lose about 7 times fewer packets than ringlets."""
    lost = [float(_at(file, 500).nodes["lost_MBps"].sum()) for file in (RINGLETS, LONG_RINGS)]
    return Finding(
        6 <= lost[0] / lost[1] <= 8, f"{lost[0]:z.0f} for {lost[1]:z.0f} MB/s: {lost[0] / lost[1]:z.1f} times"
    )


@checks("richter1999.c56")
def long_rings_are_never_worse_below_saturation(trials: Trials) -> Finding:
    """Below both limits the latency of long rings is at most that of ringlets, at any locality."""
    worse, number = 0, trials.count(8)
    for _ in range(number):
        locality, load = float(trials.rng.uniform(0, 1)), int(trials.rng.integers(10, 80))
        long = _latency(_at(LONG_RINGS, load, f"traffic.locality={locality:z.2f}"))
        worse += long > _latency(_at(RINGLETS, load)) * 1.005
    return Finding(worse == 0, f"worse in {worse} of {number}")


@checks("richter1999.c58")
def first_grade_networks_against_ringlets(trials: Trials) -> Finding:
    """First-grade 16 x 16 networks have 4 times the throughput and a quarter of the largest latency of ringlets."""
    carried = _carried(_at(FIRST_GRADE, 450)) / _carried(_at(OMEGA_RINGLETS, 200))
    latency = _latency(_at(FIRST_GRADE, 50), "max") / _latency(_at(OMEGA_RINGLETS, 50), "max")
    holds = abs(carried / 4 - 1) < 0.15 and abs(latency / 0.25 - 1) < 0.15
    return Finding(holds, f"{carried:z.2f} times the throughput, {latency:z.2f} of the latency")


@checks("richter1999.c59")
def second_grade_networks_against_first(trials: Trials) -> Finding:
    """Second-grade networks carry slightly more than first-grade ones, with a lower latency."""
    carried = [_carried(_at(file, 450)) for file in (SECOND_GRADE, FIRST_GRADE)]
    latency = [_latency(_at(file, 50)) for file in (SECOND_GRADE, FIRST_GRADE)]
    holds = carried[0] > carried[1] and latency[0] < latency[1]
    return Finding(holds, f"{carried[0]:z.0f} for {carried[1]:z.0f} MB/s, {latency[0]:z.0f} for {latency[1]:z.0f} ns")


@checks("richter1999.c61")
def jumps_of_latency_are_alike(trials: Trials) -> Finding:
    """The latency of the 4-port switch and of the second-grade network jumps alike above saturation."""
    jumps = [_latency(_at(file, 500), "max") / _latency(_at(file, 50), "max") for file in (FOUR_RINGS, SECOND_GRADE)]
    return Finding(0.5 < jumps[0] / jumps[1] < 2, f"{jumps[0]:z.1f} and {jumps[1]:z.1f} times")
