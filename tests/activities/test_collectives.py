"""Collective operations on the compiled engine, on rings and networks."""

from pathlib import Path

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

EXAMPLE = Path(__file__).parents[2] / "examples" / "all-reduce.toml"
OPERATIONS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")
RUN = {"duration": "1 ms", "warmup": 0}
REDUCES = {"reduce_time": "50 ns"}


def found(operation="all-reduce", *, network=None, flow_control=None, threads=1, run=RUN, **collective):
    content = {
        "network": network or {"nodes": 8},
        "collective": {"operation": operation, "size": "16 KiB"} | collective,
        "run": run,
    }
    if flow_control is not None:
        content["flow_control"] = flow_control
    return rl.run(content, threads=threads).document["collective"]


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_every_protocol_completes_an_all_reduce(protocol):
    one = found(network={"nodes": 8, "hop_delay": 6}, flow_control={"protocol": protocol})
    # 2 * 7 steps of 8 members, 2 KiB each.
    assert one["collective_packets"] == one["collective_delivered_packets"] == 2 * 7 * 8 * 32
    assert max(one["bandwidth_bound_ns"], one["latency_bound_ns"]) < one["completion_time_ns"]


@pytest.mark.parametrize("nodes", [2, 3, 8])
def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather(nodes):
    network = {"nodes": nodes, "hop_delay": 20, "echoes": False}
    times = {}
    for operation, more in (("all-reduce", REDUCES), ("reduce-scatter", REDUCES), ("all-gather", {})):
        one = found(operation, network=network, flow_control={"protocol": "none"}, size=f"{nodes} KiB", **more)
        times[operation] = one["completion_time_ns"]
        # A part is 16 packets of 40 symbols, 82 ns each; its last packet comes a hop and its own length later.
        steps = (nodes - 1) * (2 if operation == "all-reduce" else 1)
        assert one["collective_packets"] == steps * nodes * 16
    both = times["reduce-scatter"] + times["all-gather"]
    # The gathering begins with the first packet that is combined, and not with the last one.
    part = 16 * 82
    assert both - part < times["all-reduce"] < both


def test_a_reduce_scatter_ends_when_what_came_last_is_combined():
    network = {"nodes": 2, "echoes": False}
    without = found("reduce-scatter", network=network, flow_control={"protocol": "none"})
    reducing = found("reduce-scatter", network=network, flow_control={"protocol": "none"}, **REDUCES)
    assert reducing["completion_time_ns"] == without["completion_time_ns"] + 50


@pytest.mark.parametrize(("channels", "us"), [(1, 80.38), (2, 40.24), (4, 20.17)])
def test_a_channel_of_a_ring_of_accelerators_is_a_ring_with_its_part(channels, us):
    example = rl.Scenario.load(EXAMPLE.with_name("gpu-ring.toml"))
    size = (1 << 20) // channels
    one = rl.run(example.changed(collective=example.collective.changed(size=size))).document["collective"]
    assert round(one["completion_time_ns"] / 1e3, 2) == us
    # Each link carries this many bytes, of which 256 of 280 are data; and the last packet comes a hop later.
    least = 2 * 7 / 8 * size / 25 * 280 / 256
    assert one["completion_time_ns"] == pytest.approx(least + 100, abs=1)
    assert one["bandwidth_bound_ns"] == pytest.approx(least)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_two_channels_on_two_rings_take_as_long_as_one_ring_with_half(operation):
    """The rings share nothing: so four rings would take as long as one with a quarter."""
    example = rl.Scenario.load(EXAMPLE.with_name("gpu-ring.toml"))
    reduces = {"reduce_time": "10 ns"} if operation in ("all-reduce", "reduce-scatter") else {"reduce_time": 0}
    keys = {"operation": operation, "size": 1 << 18, "transaction": "dmove256", "channels": 2, **reduces}
    network = {**example.to_dict()["network"], "topology": "dual-attached-ring"}
    two = rl.Scenario.from_dict({**example.to_dict(), "network": network, "collective": keys})
    with_both = rl.run(two).document["collective"]
    if operation == "all-to-all":
        # Each packet takes the shorter way, so that both rings carry both channels.
        one_channel = two.changed(collective=two.collective.changed(channels=1))
        alone = rl.run(one_channel).document["collective"]
        assert with_both["completion_time_ns"] == pytest.approx(alone["completion_time_ns"], rel=0.05)
        return
    half = example.changed(collective=two.collective.changed(channels=1, size=1 << 17))
    alone = rl.run(half).document["collective"]
    assert with_both["completion_time_ns"] == alone["completion_time_ns"]
    assert with_both["bandwidth_bound_ns"] == pytest.approx(alone["bandwidth_bound_ns"])
    assert with_both["collective_packets"] == 2 * alone["collective_packets"]
    assert with_both["collective_rate_MBps"] == pytest.approx(2 * alone["collective_rate_MBps"])


def accelerators(channels, *, network=None, **collective):
    """The document of the ring of accelerators."""
    content = rl.Scenario.load(EXAMPLE.with_name("gpu-ring.toml")).to_dict()
    content["network"] |= network or {}
    content["collective"] |= {"channels": channels, **collective}
    return rl.run(rl.Scenario.from_dict(content)).document


DUAL = {"topology": "dual-attached-ring"}
SUM = {"operation": "all-reduce", "size": "64 KiB"}


@pytest.mark.parametrize(
    ("network", "channels", "us", "first", "ratio"),
    [
        ({}, 1, 80.38, 80.38, 0.9988),
        ({}, 2, 80.38, 77.51, 0.9988),
        ({}, 4, 80.38, 76.08, 0.9988),
        (DUAL, 1, 80.38, 80.38, 0.9988),
        (DUAL, 2, 40.24, 40.24, 0.9975),
        (DUAL, 4, 40.24, 38.81, 0.9975),
    ],
)
def test_channels_share_the_links_of_the_rings_that_there_are(network, channels, us, first, ratio):
    """As docs/how-to/collectives.md has it."""
    document = accelerators(channels, network=network)
    whole, each = document["collective"], document["channels"]
    assert round(whole["completion_time_ns"] / 1e3, 2) == us
    assert round(min(one["completion_time_ns"] for one in each) / 1e3, 2) == first
    assert round(whole["bandwidth_bound_ratio"], 4) == ratio
    assert [one["name"] for one in each] == [str(number) for number in range(channels)]
    assert sum(one["collective_packets"] for one in each) == whole["collective_packets"]
    # A channel alone has its part of the data to carry; those that share a ring have the sum of that.
    rings = 2 if network and channels > 1 else 1
    for one in each:
        assert one["bandwidth_bound_ns"] == pytest.approx(whole["bandwidth_bound_ns"] * rings / channels)
    sides = {one["bandwidth_bound_limit"].partition(" on ")[2] for one in each}
    assert sides == ({""} if not network else {"ring rising"} if channels == 1 else {"ring rising", "ring falling"})


def rows_of_the_page(head):
    """Cells of a table of docs/how-to/collectives.md that begins so, without its head; empty ones are None."""
    page = (Path(__file__).parents[2] / "docs/how-to/collectives.md").read_text(encoding="utf-8")
    table = page[page.index(head) :].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() or None for cell in row.strip("|").split("|")] for row in table]


def test_the_page_has_the_times_of_one_two_and_four_channels():
    networks = ({}, DUAL, DUAL | {"link_rate": "50 GB/s"})
    rows = rows_of_the_page("| rings | 1 channel | 2 channels | 4 channels |")
    for network, rates, (_, *times, bound, pure, share) in zip(networks, (1, 2, 4), rows, strict=True):
        for channels, us in zip((1, 2, 4), times, strict=True):
            if us is not None:
                last = accelerators(channels, network=network)["collective"]
                assert f"{last['completion_time_ns'] / 1e3:.2f}" == us
        assert f"{last['bandwidth_bound_ns'] / 1e3:.2f}" == bound
        least = 2 * 7 / 8 * (1 << 20) / (25 * rates)
        assert (f"{least / 1e3:.2f}", f"{100 * least / last['completion_time_ns']:.1f} %") == (pure, share)


def test_the_page_has_the_times_of_less_data():
    for data, packets, latency, *times in rows_of_the_page("| data | packets in a part | latency bound |"):
        for us, channels, network in zip(times, (1, 4, 4), ({}, {}, DUAL), strict=True):
            one = accelerators(channels, network=network, size=data)["collective"]
            assert f"{one['completion_time_ns'] / 1e3:.2f}" == us
            assert f"{one['latency_bound_ns'] / 1e3:.2f}" == latency
            if channels == 1:
                assert one["collective_packets"] == 14 * 8 * int(packets)


def test_echoes_count_on_both_of_two_rings():
    """Those that may come after the last delivery are known of either: of the second ring all had been left out."""
    document = rl.run({"network": {**DUAL, "nodes": 8}, "collective": {**SUM, "channels": 2}}).document
    first, second = document["channels"]
    assert first["bandwidth_bound_ns"] == second["bandwidth_bound_ns"]
    assert 0.9 < document["collective"]["bandwidth_bound_ratio"] <= 1


def test_three_channels_on_two_rings_are_as_slow_as_the_ring_with_two():
    whole = accelerators(3, network=DUAL)["collective"]
    alone = accelerators(1, network=DUAL)["collective"]
    assert whole["bandwidth_bound_ns"] == pytest.approx(2 / 3 * alone["bandwidth_bound_ns"], rel=0.01)
    assert whole["bandwidth_bound_ns"] < whole["completion_time_ns"] < whole["bandwidth_bound_ns"] + 200


def test_every_second_channel_takes_the_other_ring_of_a_dual_ring_with_switches():
    network = {"topology": "dual-ring", "nodes": 6}
    channels = rl.run({"network": network, "collective": {"operation": "all-gather", "size": "6 KiB", "channels": 2}})
    orders = rl.Scenario.from_dict(channels.document["scenario"]).resolved.plans
    assert orders[0].members == orders[1].members[::-1]
    assert channels.document["collective"]["collective_delivered_packets"] == 2 * 6 * 5 * 8


def test_an_order_of_its_own_decides_how_far_the_parts_of_a_channel_go():
    near, far = [0, 1, 2, 3, 4, 5, 6, 7], [0, 5, 2, 7, 4, 1, 6, 3]
    found = {
        name: [one["bandwidth_bound_ns"] for one in accelerators(2, orders=orders)["channels"]]
        for name, orders in (("near", [near, near]), ("mixed", [near, far]))
    }
    assert found["near"][0] == found["near"][1] == found["mixed"][0] < found["mixed"][1] / 2


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_latency_bound_is_the_time_of_an_operation_of_one_packet_each(operation):
    """Of those in which a packet waits for the one before: the whole operation is its chain, to the cycle."""
    reduces = {} if operation in ("all-reduce", "reduce-scatter") else {"reduce_time": 0}
    whole = accelerators(1, operation=operation, size=256 if operation == "broadcast" else 8 * 256, **reduces)
    one = whole["collective"]
    if operation == "all-to-all":
        assert one["latency_bound_ns"] < one["completion_time_ns"]
    else:
        assert one["latency_bound_ns"] == pytest.approx(one["completion_time_ns"])


def test_a_long_hop_is_in_the_latency_bound_as_often_as_chains_pass_it():
    hops = {"others": "100 ns", "3": "1 us"}
    keys = {"network": {"hop_delay": hops}, "operation": "all-gather", "reduce_time": 0}
    one = accelerators(1, size=8 * 256, **keys)["collective"]
    # 7 steps of 112 ns, of which one leads over the long link.
    assert one["latency_bound_ns"] == pytest.approx(one["completion_time_ns"]) == pytest.approx(1681, abs=3)


def test_two_copies_of_each_packet_have_no_bound():
    with pytest.raises(rl.RingletError, match="its bandwidth bound takes one way for each packet"):
        found(network={**DUAL, "nodes": 8, "ways": "both"}, channels=2)


def test_a_part_of_one_packet_takes_a_hop_for_each_step():
    example = rl.Scenario.load(EXAMPLE.with_name("gpu-ring.toml"))
    one = rl.run(example.changed(collective=example.collective.changed(size=8 * 256))).document["collective"]
    assert round(one["completion_time_ns"] / 14) == 117


def test_traffic_beside_an_operation_has_no_fair_share():
    """The operation has no rate, and throughputs hold it: of the traffic's share they would be thousands of percent."""
    content = {
        "network": {"nodes": 8},
        "traffic": {"arrivals": "poisson", "load": "5 MB/s"},
        "collective": {"operation": "all-reduce", "size": "16 KiB"},
        "run": RUN,
    }
    document = rl.run(content).document
    assert {node["of_optimum"] for node in document["nodes"]} == {None}
    total = document["total"]
    assert (total["fair_share_MBps"], total["of_optimum"], total["capacity_factor"]) == (None, None, None)
    without = rl.run({key: value for key, value in content.items() if key != "collective"}).document["total"]
    assert without["of_optimum"] == pytest.approx(1, abs=0.05)


NETWORKS = (
    {"nodes": 8},
    {"topology": "switch", "nodes": 8, "memory": "numa"},
    {"topology": "torus", "shape": [2, 4]},
    {"topology": "dual-ring", "nodes": 8},
)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda one: one.get("topology", "ring"))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_network_is_faster_than_its_busiest_link(network, operation):
    one = found(operation, network=network)
    assert one["collective_delivered_packets"] == one["collective_packets"]
    assert 0.05 < one["bandwidth_bound_ratio"] <= 1
    assert 0 < one["latency_bound_ns"] < one["completion_time_ns"]
    assert one["bandwidth_bound_ratio"] == pytest.approx(one["bandwidth_bound_ns"] / one["completion_time_ns"])


@pytest.mark.parametrize("network", NETWORKS, ids=lambda one: one.get("topology", "ring"))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_of_one_packet_each_is_no_faster_than_its_chain(network, operation):
    one = found(operation, network=network, size=64 if operation == "broadcast" else 512)
    # The packets of an all-to-all wait for each other, though none hands another one on.
    assert (0.03 if operation == "all-to-all" else 0.2) < one["latency_bound_ns"] / one["completion_time_ns"] <= 1


def test_the_bound_of_a_ring_by_hand():
    # All-gather on a ring of 4 neighbours: 80 bytes of a dmove64 packet are 40 symbols of 2 ns and an idle, and each
    # link carries 3 steps of 64 packets of one member; beside them 5 symbols of the echo of each packet of the three
    # others, but for those of the 64 packets that each of 4 nodes may have sent without one at the end.
    one = found("all-gather", network={"nodes": 4})
    packets = 3 * 64
    assert one["bandwidth_bound_ns"] == pytest.approx((packets * (41 + 3 * 5) - 4 * 64 * 5) * 2)


def test_a_long_operation_fills_the_links_with_packets_and_echoes():
    one = found("all-gather", network={"nodes": 4}, size="64 KiB")
    assert one["bandwidth_bound_ratio"] > 0.96
    assert one["bandwidth_bound_limit"].startswith("link ")


def test_the_bound_without_echoes_is_of_packets_alone():
    one = found("all-gather", network={"nodes": 4, "echoes": False})
    assert one["bandwidth_bound_ns"] == pytest.approx(3 * 64 * 41 * 2)


def test_the_window_of_long_links_is_what_an_operation_is_bound_by():
    one = found("all-gather", network={"nodes": 8, "hop_delay": "3 us"}, size="64 KiB", run={"warmup": 0})
    assert one["bandwidth_bound_limit"].startswith("queues.outstanding of ")
    assert 0.9 < one["bandwidth_bound_ratio"] <= 1


def test_members_in_an_order_that_leaps_take_longer():
    near, far = (found(members=members) for members in ([0, 1, 2, 3, 4, 5, 6, 7], [0, 5, 2, 7, 4, 1, 6, 3]))
    assert far["bandwidth_bound_ns"] > 2 * near["bandwidth_bound_ns"]
    assert far["completion_time_ns"] > 2 * near["completion_time_ns"]


def test_combining_takes_time_once_for_each_step():
    # A part is one packet, so that nothing overlaps; without the time a packet waits a little for the echoes of others.
    at_once, slow = (found(reduce_time=time, size="512 B") for time in ("0 us", "2 us"))
    assert slow["completion_time_ns"] - at_once["completion_time_ns"] == pytest.approx(7 * 2_000, rel=0.05)


def test_a_later_start_takes_the_same_time():
    assert found(start="100 us")["completion_time_ns"] == found()["completion_time_ns"]


def test_an_operation_that_is_not_over_has_no_completion_time():
    one = found(run={"duration": "10 us", "warmup": 0})
    assert one["completion_time_ns"] is None
    assert one["collective_rate_MBps"] is None
    assert 0 < one["collective_delivered_packets"] < one["collective_packets"]


def test_results_do_not_depend_on_threads_or_a_warm_up():
    network = {"topology": "torus", "shape": [4, 4]}
    assert found(network=network) == found(network=network, threads=4)
    assert found(network=network) == found(network=network, run={"duration": "1 ms", "warmup": "50 us"})


def test_other_traffic_and_events_go_beside_it_and_slow_it_down():
    content = {
        "network": {"nodes": 8},
        "collective": {"operation": "all-reduce", "size": "16 KiB"},
        "events": {"rate": "100 kHz", "trigger": "periodic", "builders": [3], "fragment": "512 B"},
        "traffic": {"load": "20 MB/s", "transaction": "send80"},
        "run": RUN,
    }
    document = rl.run(content).document
    assert document["events"]["triggers"] == 100
    assert document["events"]["built_events"] >= 98
    assert document["collective"]["completion_time_ns"] > 1.1 * found()["completion_time_ns"]


def test_the_operation_is_in_tables_and_sweeps():
    result = rl.run(rl.Scenario.load(EXAMPLE))
    assert result.collective["completion_time_ns"].tolist() == [result.document["collective"]["completion_time_ns"]]
    swept = rl.sweep(
        rl.Scenario.from_dict(
            {"network": {"nodes": 8}, "collective": {"operation": "all-gather", "size": "1 KiB"}, "run": RUN}
        ),
        {"collective.size": ["1 KiB", "8 KiB"]},
    )
    times = swept.summary["completion_time_ns"].tolist()
    assert 0 < times[0] < times[1]
    assert rl.run({"network": {"nodes": 4}, "run": {"duration": "10 us"}}).collective.empty


def test_what_takes_place_once_has_neither_warm_up_nor_batches_nor_their_warnings():
    own = {"network": {"nodes": 8}, "collective": {"operation": "all-reduce", "size": "64 KiB"}}
    beside = {"traffic": {"load": "20 MB/s", "arrivals": "poisson"}}
    for content in (own, own | beside):
        document = rl.run(content | {"run": {"duration": "400 us"}}).document
        assert document["collective"]["completion_time_ns"] > 0
        assert not [line for line in document["warnings"] if "correlate" in line]
        assert document["total"]["throughput_ci95_MBps"] is document["total"]["latency_ns"]["ci95"] is None
    assert rl.run(own | {"run": {"duration": "400 us"}}).document["warmup_cycles"] == 0
