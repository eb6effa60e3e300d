"""Tests of Sections 6.1 to 6.4: access, bridges, and the test beds."""

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.richter1999.systems import as_text, carried_MBps, run_file
from ringlet.papers.claims.rings import Ring


@checks("richter1999.c01")
def every_sender_of_an_overloaded_receiver_makes_progress(trials: Trials) -> Finding:
    """Each sender to a slow receiver gets at least 5 % of an equal share under SCI."""
    starved, least, at, number = 0, 1.0, "", trials.count(40)
    reserved = []
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
        share = _least_share(ring)
        starved += share < 0.05
        if share < least:
            least, at = share, f" on {ring}"
        reserved.append(_least_share(ring.with_keys({"retry.reservation": True})))
    return Finding(
        starved == 0,
        f"{starved} of {number} rings starve a sender; least share {least:z.2f} of the mean{at}; with A/B ageing "
        f"{sum(share < 0.05 for share in reserved)} of {number}, least {min(reserved):z.2f}",
    )


def _least_share(ring: Ring) -> float:
    """Returns the least throughput of a sender as a part of their mean."""
    found = ring.throughput(cycles=100_000)[ring.senders]
    return float(found.min() / found.mean())


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
    return carried_MBps(run_file(file, f"traffic.block={block}", *overrides))


@checks("richter1999.c04")
def eight_buffers_serve_eight_masters_or_one(trials: Trials) -> Finding:
    """Eight masters with a buffer each carry about eight times what one does, as one with eight buffers."""
    masters = [_block("testbed-2.toml", 512, f"host.adapter.masters={number}") for number in (1, 8)]
    streams = [_block("testbed-2.toml", 512, f"host.adapter.streams={number}") for number in (1, 8)]
    holds = all(pair[1] > 6 * pair[0] for pair in (masters, streams))
    return Finding(holds, f"MB/s with 1 and 8: masters {as_text(masters)}, streams {as_text(streams)}")


@checks("richter1999.c06")
def writes_are_fastest_from_256_bytes_on(trials: Trials) -> Finding:
    """Write throughput is at its maximum from blocks of 256 bytes on, and at half of it at 64."""
    found = [_block("testbed-1-write.toml", block) for block in (64, 256, 4096)]
    holds = abs(found[0] / found[1] - 0.5) < 0.05 and abs(found[2] / found[1] - 1) < 0.05
    return Finding(holds, f"MB/s at 64, 256, 4096 bytes: {as_text(found)}")


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
        found[name] = carried_MBps(result)
    return Finding(found["push"] > found["pull"], f"push {found['push']:z.0f}, pull {found['pull']:z.0f} MB/s")


@checks("richter1999.c11")
def set_up_times_are_below_10_us(trials: Trials) -> Finding:
    """A block of 64 bytes is read or written in less than 10 us."""
    found = [
        float(run_file(file, "traffic.block=64").nodes["message_latency_mean_ns"].max()) / 1000
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
    return Finding(found[0] > max(found[1:]), f"MB/s at 256, 512, 4096 bytes: {as_text(found)}")


@checks("richter1999.c05")
def buffers_are_combined_for_whole_groups_only(trials: Trials) -> Finding:
    """With 4 combined buffers a block that fills no whole group of 256 bytes is slower than one that does."""
    found = {block: _block("testbed-2.toml", block, "host.adapter.streams=4") for block in (64, 128, 256, 320, 512)}
    holds = found[64] < found[128] < found[256] and found[320] < min(found[256], found[512])
    shown = as_text(list(found.values()))
    return Finding(holds, f"MB/s at 64, 128, 256, 320, 512 bytes: {shown}")


@checks("richter1999.c08")
def a_write_is_done_in_the_bridge(trials: Trials) -> Finding:
    """A requester that writes block after block carries as much to a far destination as to a near one."""
    delays = ("20 ns", "200 ns", "1 us")
    found = [_block("testbed-1-write.toml", 64, f"network.hop_delay={delay}") for delay in delays]
    return Finding(max(found) < 1.01 * min(found), f"MB/s at hops of 20 ns, 200 ns, 1 us: {as_text(found)}")
