"""Figures of the page on networks, Sections 5 to 9, are what runs give (docs/explanation/network-model.md)."""

from functools import cache
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

PAGE = Path(__file__).parents[2] / "docs/explanation/network-model.md"
FOUR = {"nodes": 4, "hop_delay": 2}
DUAL = {"topology": "dual-ring", "nodes": 6, "hop_delay": 10}
STATIONS = {"topology": "dual-attached-ring", "nodes": 8, "hop_delay": 40}
BRIDGED = {
    "topology": "rings",
    "hop_delay": 4,
    "rings": [{"name": "a", "members": [0, 1, "s.0"]}, {"name": "b", "members": ["s.1", 2]}],
    "switches": [{"name": "s", "ports": 2}],
}


@cache
def words():
    """The text of the page in one line."""
    return " ".join(PAGE.read_text(encoding="utf-8").split())


def scenario(network=FOUR, **sections):
    """A scenario of a network without background traffic."""
    rest = {"flow_control": {"protocol": "none"}, "traffic": {"arrivals": "none"}}
    return {"network": network, **rest, "run": {"duration": 20_000, "warmup": 0}, **sections}


def found(network=FOUR, **sections):
    """The document of a run."""
    return rl.run(scenario(network, **sections)).to_dict(timing=False)


def message(source, destination, offset, **keys):
    """A packet of 64 bytes, once in a run, from a cycle on."""
    named = {"name": f"{source} to {destination} at {offset}", "source": source, "destination": destination}
    return {**named, "size": 64, "offset": offset, "period": 20_000, **keys}


def cycles(document):
    """The response of each message in cycles; None: it never came."""
    times = [one["worst_response_ns"] for one in document["messages"]]
    return [None if time is None else round(time / document["symbol_time_ns"]) for time in times]


def refusal(call, *arguments, **keys):
    """What is said of a scenario that is refused."""
    with pytest.raises(rl.RingletError) as raised:
        call(*arguments, **keys)
    return str(raised.value)


@pytest.mark.parametrize("delay", [100, 300, 500])
def test_the_echo_of_a_receiver_that_waits_comes_one_idle_after_the_retry_delay(delay):
    assert "inserts the echo behind the first idle that it emits from then on" in words()
    sections = {"queues": {"receive": 1, "service_time": 1100}, "messages": [message(0, 2, 100), message(1, 2, 300)]}
    requester, responder = (found(retry={"by": by, "delay": delay}, **sections) for by in ("requester", "responder"))
    retries = requester["total"]["retries"]
    assert retries == responder["total"]["retries"] > 1
    assert cycles(responder)[1] - cycles(requester)[1] == retries


def test_a_loss_costs_the_time_out_from_the_loss_on_and_one_retry():
    assert "The sender detects the loss by a time-out, `timeout_cycles` after it." in words()
    assert "It then sends the packet again at once, which counts as a retry." in words()
    assert "What is repaired carries packets from then on." in words()
    alone = found(messages=[message(0, 2, 100)])
    # It is sent behind an idle, and comes in at node 1 a hop later.
    comes_in = 100 + 1 + 2
    for timeout in (500, 700):
        for repaired, lost in ((comes_in, 0), (comes_in + 1, 1)):
            link = {"source": 0, "fails_at": 0, "repaired_at": repaired}
            late = found(errors={"links": [link], "timeout": timeout}, messages=[message(0, 2, 100)])
            assert cycles(late)[0] == cycles(alone)[0] + lost * (comes_in - 100 + timeout)
            assert late["total"]["retries"] == late["errors"]["timeouts"] == lost


@pytest.mark.parametrize("most", [0, 1, 3])
def test_what_is_sent_to_a_destination_that_was_given_up_goes_round_once_and_times_out_once(most):
    assert "One packet at a time is then sent to it, and given up with its first time-out" in words()
    assert "A packet or echo to it goes round once, and who has sent it takes it off" in words()
    bypassed = {"nodes": [{"node": 2, "fails_at": 0, "bypass": True}], "timeout": 500, "max_timeouts": most}
    errors = found(errors={**bypassed, "gives_up": "destination"}, messages=[message(0, 2, 100, period=5000)])["errors"]
    packets = 4
    assert errors["given_up_packets"] == packets
    assert errors["lost_sends"] == errors["timeouts"] == most + packets
    around = 4 * 2
    assert errors["first_timeout_ns"] == 2 * (100 + 1 + around + 500)


def test_errors_and_delays_by_the_responder_make_a_ring_a_network_of_one_ring():
    assert "A single ring with errors, or with delays by the responder, is a network of one ring." in words()
    for sections in ({"errors": {"bit_error_rate": 1e-9}}, {"retry": {"by": "responder", "delay": 100}}):
        spec = rl.Scenario.from_dict(scenario(**sections)).network_spec(1)
        assert len(spec["network"]["rings"]) == 1
    assert "network" not in rl.Scenario.from_dict(scenario()).network_spec(1)


LOST = {"links": [{"source": 2, "fails_at": 5000, "repaired_at": 5100}]}
"""For so long a link loses what comes by, some 20 rounds of an empty ring."""


@pytest.mark.parametrize("protocol", [{"protocol": "token-ring"}, {"protocol": "timed-token", "target_rotation": 4000}])
def test_node_0_makes_a_lost_token_again_after_the_time_out(protocol):
    assert "as long after the loss as a sender's time-out, `timeout`" in words()
    assert "node 0 makes another, as if the token came to it" in words()
    ring = {"nodes": 4, "hop_delay": 10, "echoes": True}
    late = {
        timeout: [
            cycles(
                found(
                    ring,
                    flow_control=protocol,
                    errors={**LOST, "timeout": timeout},
                    messages=[message(node, (node + 1) % 4, 5400)],
                )
            )[0]
            for node in range(4)
        ]
        for timeout in (1000, 1500)
    }
    # From node 0 it goes on by a hop and itself to each next one.
    assert [response - late[1000][0] for response in late[1000]] == [0, 11, 22, 33]
    assert [response - 500 for response in late[1500]] == late[1000]


@pytest.mark.parametrize(("release", "waits"), [("returned", True), ("header", False), ("early", False)])
def test_a_sender_keeps_the_token_until_its_time_out_only_where_it_waits_for_the_packet(release, waits):
    assert "its sender keeps the token until its time-out |" in words()

    def responses(timeout, repaired):
        link = {"source": 0, "fails_at": 7999, "repaired_at": repaired}
        late = found(
            flow_control={"protocol": "token-ring", "release": release},
            errors={"links": [link], "timeout": timeout},
            messages=[message(0, 1, 7995), message(2, 3, 8000)],
        )
        assert late["errors"]["lost_sends"] == (repaired > 8006)
        return cycles(late)

    # The packet of node 0 comes in at node 1 in cycle 8006.
    other, longer, whole = responses(500, 8010)[1], responses(700, 8010)[1], responses(500, 8002)[1]
    assert longer - other == (200 if waits else 0)
    assert (other > whole + 400) == waits


def test_a_lost_header_of_a_slot_costs_one_revolution_whatever_the_time_out():
    assert "it goes round once, and the node empties it" in words()
    ring = {"nodes": 8, "hop_delay": 20}

    def response(node, **sections):
        slotted = {"protocol": "slotted-ring", "slots": 1}
        return cycles(found(ring, flow_control=slotted, messages=[message(node, (node + 2) % 8, 5300)], **sections))[0]

    for timeout in (1000, 1500):
        errors = {"links": [{"source": 2, "fails_at": 5168, "repaired_at": 5300}], "timeout": timeout}
        late = [response(node, errors=errors) - response(node) for node in range(8)]
        # Node 3, where it would come in, makes another, which node 4 is the first to find empty.
        assert late == [168, 168, 168, 168, 0, 168, 168, 168]
    assert ring["nodes"] * (ring["hop_delay"] + 1) == 168


def test_a_lost_train_is_asked_for_again_after_the_time_out():
    assert "the TicketMaster sends a request train that says so" in words()
    ring, messages = {"nodes": 4, "hop_delay": 20}, [message(node, (node + 1) % 4, 5000) for node in range(4)]
    for loads in (messages[:1], messages):
        late = [
            cycles(found(ring, flow_control={"protocol": "train"}, errors={**LOST, "timeout": timeout}, messages=loads))
            for timeout in (800, 1500)
        ]
        assert [longer - shorter for shorter, longer in zip(*late, strict=True)] == [700] * len(loads)


def test_a_lost_sat_is_made_again_after_its_own_time_out():
    assert "a node makes another after `sat_timeout`" in words()
    ring, late = {"nodes": 4, "hop_delay": 20}, []
    for timeout in (600, 900):
        quota = {"protocol": "metaring", "most_packets": 1, "sat_timeout": timeout}
        messages = [message(node, (node + 1) % 4, 5200, size=512) for node in range(4)]
        late.append(cycles(found(ring, flow_control=quota, errors=LOST, messages=messages)))
    assert [longer - shorter for shorter, longer in zip(*late, strict=True)] == [300] * 4


def first(low, high, holds):
    """The first whole number above `low`, at which it does not hold, and up to `high` at which it does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


STEERED = {"links": [{"source": "0.1", "fails_at": 5000}], "steers_after": 1000, "max_timeouts": 0, "timeout": 6000}


def test_routes_of_a_packet_in_a_switch_are_those_of_the_time_at_which_its_transfer_begins():
    assert "takes the routes of the time at which its transfer over the B-Link begins" in words()

    def sent(offset):
        return scenario(DUAL, errors=STEERED, messages=[message(0, 1, offset)])

    first_sent = first(5500, 6100, lambda offset: cycles(rl.run(sent(offset)).to_dict(timing=False))[0] is not None)
    # It is sent behind an idle, and has come in a hop and 40 symbols later. From there to the B-Link takes 58 ns.
    starts_ns = [(offset + 1 + 10 + 40) * 4 + 58 for offset in (first_sent - 1, first_sent)]
    assert starts_ns[0] < 4 * (5000 + 1000) <= starts_ns[1]
    # A packet that has the B-Link until cycle 7600 lets others wait.
    behind = [message(0, 5, 5100), message(0, 1, 5300)]
    assert None not in cycles(found(DUAL, errors=STEERED, messages=behind, switch={"set_up": "10 us"}))


@pytest.mark.parametrize("offset", range(5930, 5970, 3))
def test_windows_and_steps_do_not_change_a_result_where_routes_change(offset):
    assert "so windows, steps and threads do not change a result" in words()
    content = scenario(DUAL, errors=STEERED, messages=[message(0, 1, offset), message(2, 1, offset - 20)])
    stepped = rl.Simulation(content)
    stepped.advance(20_000)
    delivered = stepped.counters().nodes["delivered_packets"].tolist()
    assert delivered == [node["delivered_packets"] for node in rl.run(content).to_dict(timing=False)["nodes"]]


@pytest.mark.parametrize("protocol", ["none", "sci", "ppq", "train", "dfc", "rpr", "token-ring"])
def test_packets_sent_after_a_change_of_routes_go_round_the_break_under_any_protocol(protocol):
    assert "A given time after a failure or a repair all routes change at once" in words()
    after = [message(source, 1, 7000 + 500 * source) for source in (0, 2, 3, 4, 5)]
    ways = {"flow_control": {"protocol": protocol}, "errors": STEERED, "messages": after}
    assert None not in cycles(found(DUAL, **ways))


JOINED = {"links": [{"source": "0.1", "fails_at": 5000}], "wraps_after": 1000, "max_timeouts": 0}


@pytest.mark.parametrize("hop", [10, 20])
def test_two_rings_are_joined_to_one_and_each_turn_takes_as_long_as_a_link(hop):
    assert "Both are then one ring of twice as many interfaces" in words()
    assert "Both links of the span between the stations count as broken, even if only one has failed." in words()
    assert "The way through the station takes as long as the link that led to the same interface." in words()
    network = {**DUAL, "hop_delay": hop}
    for one, beyond in ((message(0, 1, 9000), 6), (message(1, 0, 9000), 6), (message(5, 2, 9000), 0)):
        (whole,) = cycles(found(network, messages=[one]))
        for link in ("0.1", "1.2"):
            errors = {**JOINED, "links": [{"source": link, "fails_at": 5000}]}
            # One link, or five the other way round and two turns.
            assert cycles(found(network, messages=[one], errors=errors)) == [whole + beyond * hop]


def test_a_packet_to_a_station_that_is_cut_off_goes_round_the_joined_ring_once():
    assert "A packet whose destination is on no side of the breaks goes round the joined ring once." in words()
    seen_ns = {}
    for hop in (10, 20):
        for timeout in (6000, 7000):
            errors = {**JOINED, "links": [], "switches": [{"switch": 3, "fails_at": 5000}], "timeout": timeout}
            network = {**DUAL, "hop_delay": hop}
            errors = found(network, errors=errors, messages=[message(0, 3, 9000)])["errors"]
            assert errors["lost_sends"] == errors["timeouts"] == errors["undelivered_packets"] == 1
            seen_ns[hop, timeout] = errors["first_timeout_ns"]
    # Behind the hop to the port, five stations have an interface on each ring, of which the joined ring has ten.
    assert seen_ns[20, 6000] - seen_ns[10, 6000] == 4 * 10 * (1 + 2 * 5)
    assert seen_ns[10, 7000] - seen_ns[10, 6000] == 4 * 1000


def test_what_was_emitted_in_so_many_cycles_before_rings_are_joined_is_lost():
    assert "What is on a link of the span by then, and what was emitted in the 256 cycles before" in words()

    def lost(offset):
        return found(DUAL, errors=JOINED, messages=[message(1, 0, offset)])["errors"]["lost_sends"] == 1

    since = first(5500, 5700, lost)
    until = first(since, 5950, lambda offset: not lost(offset))
    assert until - since == 256 + DUAL["hop_delay"]


@pytest.mark.parametrize(("width", "sci"), [(8, 288 + 64), (16, 144 + 64), (32, 72 + 64), (64, 36 + 64)])
def test_rings_are_joined_48_cycles_after_the_longest_packet_of_sci_or_of_the_traffic(width, sci):
    assert "48 more than the longest packet has symbols, of SCI's with any framing or of the traffic" in words()
    for size in (16, 288, 1024, 1500 // 8 * 8):
        least = 48 + max(sci, size * 8 // width)
        errors = {"links": [{"source": "0.1", "fails_at": 900}], "wraps_after": least - 1}
        traffic = {"transaction": f"send{size}", "load": "1 MB/s", "arrivals": "poisson", "largest_packet": 1500}
        content = scenario({**DUAL, "link_width": width}, errors=errors, traffic=traffic)
        assert f"at least {least} cycles" in refusal(rl.Scenario.from_dict, content), size
        rl.Scenario.from_dict({**content, "errors": {**errors, "wraps_after": least}})


@pytest.mark.parametrize(("key", "transaction"), [("outstanding", "dmove64"), ("window", "read64")])
def test_limits_of_a_station_count_for_each_interface(key, transaction):
    assert "`queues.window` and `queues.outstanding` count for each interface." in words()

    def delivered(*destinations):
        flows = [{"source": 0, "destination": one, "size": 64, "arrivals": "saturated"} for one in destinations]
        traffic = {"arrivals": "none", "transaction": transaction}
        return [flow["delivered"] for flow in found(STATIONS, flows=flows, traffic=traffic, queues={key: 1})["flows"]]

    (alone,) = delivered(1)
    # Node 7 is reached by the other ring, node 2 by the same one.
    assert delivered(1, 7) == [alone, alone]
    assert delivered(1, 2) == pytest.approx([alone / 2] * 2, abs=1)


def test_copies_have_echoes_only_where_a_protocol_needs_them():
    assert "With copies there are no echoes unless a protocol needs them." in words()
    network = {**STATIONS, "ways": "both"}
    echoes = {
        protocol: found(network, flow_control={"protocol": protocol}, messages=[message(0, 2, 0)])
        for protocol in PROTOCOLS.listed
    }
    assert [name for name, run in echoes.items() if run["total"]["link"]["echo"] > 0] == ["ppq"]


def test_figures_of_a_station_s_links_are_means_of_both():
    assert "Figures of a node's links are means of both, its queues are both together" in words()
    symbols = 40
    for ways, sent in (("shorter", [1, 1, 0, 0, 0, 0, 0, 0]), ("both", [2, 1, 0, 1, 1, 1, 1, 1])):
        document = found({**STATIONS, "ways": ways}, messages=[message(0, 2, 0)])
        shares = [node["link"]["send"] for node in document["nodes"]]
        assert shares == pytest.approx([links * symbols / 20_000 / 2 for links in sent])


@pytest.mark.parametrize(("ways", "noticed"), [("shorter", True), ("both", False)])
@pytest.mark.parametrize(("source", "behind"), [(0, 1), ("0.falling", 7)])
def test_losses_on_either_ring_are_those_of_the_station_and_of_the_failure(ways, noticed, source, behind):
    """A failure on the ring of falling numbers had lost nothing, and was never noticed."""
    assert "its queues are both together, and so are its errors, of copies as of packets" in words()
    errors = {"links": [{"source": source, "fails_at": 50}], "max_timeouts": 0}
    destination = 2 if behind == 1 else 6
    lossy = found({**STATIONS, "ways": ways}, errors=errors, messages=[message(0, destination, 100)])["errors"]
    assert [(one["name"], one["lost_sends"]) for one in lossy["interfaces"]] == [("N0", 0), (f"N{behind}", 1)]
    (failure,) = lossy["failures"]
    assert (failure["lost_sends"], failure["first_loss_ns"]) == (1, 2 * (100 + 1 + 40 - 50))
    assert failure["noticed_ns"] == (failure["first_loss_ns"] + lossy["timeout_ns"] if noticed else None)


def test_of_two_failures_at_one_station_the_later_one_has_no_loss_before_it():
    links = [{"source": 0, "fails_at": 50}, {"source": "2.falling", "fails_at": 5000}]
    messages = [message(0, 2, 100), message(2, 0, 6000)]
    lossy = found(STATIONS, errors={"links": links, "max_timeouts": 0}, messages=messages)["errors"]
    first, later = (failure["first_loss_ns"] for failure in lossy["failures"])
    assert (first, later) == (2 * (100 + 1 + 40 - 50), None)
    assert lossy["lost_sends"] == 2


def test_what_two_interfaces_take_and_do_not_take():
    assert "`steers_after` and `wraps_after` do not go together with two interfaces" in words()
    assert "The queueing model and `exact` take nodes with one interface" in words()
    assert "a guarantee, a verification and `check` take both, of packets without responses" in words()
    failing = {"links": [{"source": 0, "fails_at": 9}]}
    for key in ("steers_after", "wraps_after"):
        content = scenario(STATIONS, errors={**failing, key: 1000})
        assert refusal(rl.Scenario.from_dict, content).startswith(f"errors.{key}: 1000 is not allowed; none with")
    small = {**STATIONS, "nodes": 3, "hop_delay": 2}
    traffic = {"destinations": [1, 2, 0], "transaction": "send16", "load": "5 MB/s", "arrivals": "poisson"}
    for theory in (rl.model, rl.exact):
        assert "one in which each node has one interface" in refusal(theory, scenario(small, traffic=traffic))
    one_way = scenario(small, messages=[message(0, 1, 0, size=16)])
    assert rl.guarantee(one_way)["guaranteed"].all()
    periodic = {**traffic, "arrivals": "periodic", "destinations": [1, 2, 0], "load": ["10 MB/s", 0, 0]}
    assert rl.check(scenario(small, traffic=periodic)).complete
    answered = {**one_way, "message_transaction": "nwrite64"}
    for asked in (rl.guarantee, rl.check, lambda content: rl.verify(content, workers=1)):
        assert "traffic.transaction: <a response> is not allowed" in refusal(asked, answered)


def test_a_trace_starts_a_packet_at_least_one_cycle_after_what_it_depends_on(tmp_path):
    assert "starts no earlier than `max(t - s, 1)` cycles after that packet has been delivered" in words()
    assert "It starts in the latest of these cycles, which is never before its own cycle" in words()

    def ends(*rows):
        head = "id,cycle,source,destination,transaction,depends_on"
        (tmp_path / "trace.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
        document = found({"nodes": 4}, traffic={"trace": {"file": str(tmp_path / "trace.csv")}})
        return round(document["trace"]["run_time_s"] / 2e-9)

    def way(hops):
        """Cycles from the generation of a packet to its end: behind an idle, over hops of a cycle, and its length."""
        return 1 + hops + 40

    for gap in (0, 1, 2, 5):
        rows = ["1,100,0,2,dmove64,", f"2,{100 + gap},2,3,dmove64,1"]
        assert ends(*rows) == way(2) + max(gap, 1) + way(1)
    # The last one waits for 160 cycles after the first one, and for 60 after the second one, which ends a cycle sooner.
    for hops, others in ((2, 1), (1, 2)):
        rows = [f"1,100,{2 - hops},2,dmove64,", f"2,200,{2 - others},2,dmove64,", "3,260,2,3,dmove64,1 2"]
        assert ends(*rows) == max(way(hops) + 160, 100 + way(others) + 60) + way(1)


def test_a_packet_whose_echo_was_lost_is_sent_again_and_received_once():
    assert "A receiver that has accepted a packet before answers it with an echo and drops it." in words()
    errors = {"links": [{"source": 2, "fails_at": 0, "repaired_at": 5000}], "timeout": 6000}
    late = found(errors=errors, messages=[message(0, 1, 100)])
    assert (late["errors"]["lost_sends"], late["errors"]["lost_echoes"], late["total"]["retries"]) == (0, 1, 1)
    assert late["total"]["delivered_packets"] == 1
    assert cycles(late) == cycles(found(messages=[message(0, 1, 100)]))


def test_what_a_bypassed_host_offers_waits_until_its_repair_and_others_do_not():
    assert "what its host offers waits until it is repaired" in words()
    messages = [message(0, 2, 100), message(3, 1, 500)]
    whole = cycles(found(messages=messages))
    for repaired in (3000, 4000):
        failed = {"nodes": [{"node": 0, "fails_at": 0, "repaired_at": repaired, "bypass": True}]}
        assert cycles(found(errors=failed, messages=messages)) == [repaired - 100 + whole[0], whole[1]]


def test_a_deadlock_is_reported_the_stall_time_after_the_last_packet_of_a_host():
    said = "if no host has accepted or served a packet for the stall time while packets wait, the network is reported"
    assert said in words()
    members = [[ring, f"b{ring}.0", f"b{(ring - 1) % 5}.1"] for ring in range(5)]
    switches = [{"name": f"b{ring}", "ports": 2} for ring in range(5)]
    circle = {"topology": "rings", "rings": [{"members": one} for one in members], "switches": switches}
    since = set()
    for after in (5000, 12_000):
        traffic = {"destinations": [2, 3, 4, 0, 1], "transaction": "dmove64", "arrivals": "poisson", "load": "100 MB/s"}
        content = scenario(circle, traffic=traffic, switch={"receive": 1, "transmit": 1})
        content |= {"flow_control": {"protocol": "sci"}, "run": {"duration": 50_000, "warmup": 0, "stall_after": after}}
        document = rl.run(content).to_dict(timing=False)
        # The same deadlock, however long it is watched.
        assert document["cycles"] == document["stall"]["since_cycle"] + after
        since.add(document["stall"]["since_cycle"])
        assert len(document["stall"]["blocked"]) >= 5
    assert len(since) == 1


def test_a_response_of_a_trace_does_not_wait_for_a_place_but_takes_one(tmp_path):
    assert "It takes a place of `response_capacity` like a response that a service creates" in words()
    assert "but does not wait for a free place" in words()

    def ends(rows, places):
        (tmp_path / "trace.csv").write_text("cycle,source,destination,transaction\n" + rows, encoding="utf-8")
        traffic = {"trace": {"file": str(tmp_path / "trace.csv")}}
        document = found({"nodes": 4, "hop_delay": 40}, traffic=traffic, queues={"responses": places})
        return round(document["trace"]["run_time_s"] / 2e-9)

    alone = 3 * "0,1,0,read64-response\n"
    assert ends(alone, 1) == ends(alone, "unlimited")
    # The only place is taken until the echo of the response of the trace has come.
    beside = "0,1,0,read64-response\n0,0,1,read64\n"
    assert ends(beside, 1) > ends(beside, "unlimited") + 40


def test_a_port_offers_its_b_link_two_packets_which_are_not_preempted():
    assert "the port *offers* the B-Link two packets of each class at a time" in words()
    assert "A packet that has been offered is not preempted any more" in words()

    def port(buffers, low):
        messages = [message(0, 2, 10 + 100 * one, priority=1) for one in range(low)]
        document = found(
            BRIDGED,
            flow_control={"protocol": "ppq"},
            switch={"receive": buffers, "set_up": "4 us"},
            messages=[*messages, message(1, 2, 900, priority=2)],
        )
        (taken,) = (one for one in document["link_controllers"] if one["refused_packets"] or one["accepted_packets"])
        # A packet that was preempted is accepted once more.
        return taken["accepted_packets"] - low - 1, taken["refused_packets"] > 0

    assert port(1, 1) == port(2, 2) == (0, True)
    assert port(3, 3) == port(4, 4) == (1, True)
    assert port(3, 2) == port(4, 3) == (0, False)


@pytest.mark.parametrize(
    ("buffers", "levels", "from_packets"),
    [(6, {"high_water": 3, "low_water": 1}, 3), (6, {"high_water": 4, "low_water": 1}, 4), (2, {}, 2)],
)
def test_a_port_says_that_it_is_full_from_high_water_on(buffers, levels, from_packets):
    assert "a port without a free buffer, or with `high_water` packets in its queue, sends STOP-TO" in words()
    for packets in range(1, 6):
        document = found(
            BRIDGED,
            flow_control={"protocol": "dfc", **levels},
            switch={"receive": buffers, "set_up": "4 us"},
            messages=[message(0, 2, 10 + 100 * one) for one in range(packets)],
        )
        assert (document["nodes"][0]["link"]["control"] > 0) == (packets >= from_packets), packets
