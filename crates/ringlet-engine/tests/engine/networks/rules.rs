//! The rules of docs/explanation/network-model.md on networks small enough to be worked out by hand.

use crate::networks::{KIND, buffers, every, flow, network, node, port, ring, step, to, topology};
use ringlet_engine::Simulation;
use ringlet_engine::record::Recorder;
use ringlet_engine::repeats::BadMessages;
use ringlet_engine::spec::{
    ArrivalSpec, BypassSpec, Cascade, ErrorsSpec, FillGroupsSpec, FillSplitSpec, HostSpec, LinkSpec, MAX_CYCLES,
    NetworkSpec, ReceiveQueueSpec, RepeatSpec, RetryBy, RetrySpec, RetryStrategy, SlotChoice, SwitchKindSpec,
};

/// A processor and a memory on rings of their own, with a switch between them.
fn two_rings(kind: SwitchKindSpec, period: f64) -> NetworkSpec {
    let rings = vec![
        ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
        ring(vec![node(1), port(0, 1)], vec![step(0, 1, 0)]),
    ];
    network(rings, kind, &[2], vec![flow(0, to(1), every(period))])
}

/// Sends at 0 and idles around it: its first symbol reaches the port in cycle 1 + 18 and its last 40 cycles later; 58
/// ns, 11 B-Link cycles of 13.3 ns and 82 ns later it is in the transmit buffer, from which it is sent behind an idle.
/// 18 cycles and its length later the memory has it, and serves it for 47.
#[test]
fn a_packet_crosses_a_switch() {
    let mut simulation = Simulation::new(&two_rings(KIND, 10_000.0)).expect("valid");
    simulation.advance(9_000);
    let flows = simulation.flow_counters();
    assert_eq!(flows[0].delivered_packets, 1);
    let received = (1 + 18 + 40) * 4000 + 58_000;
    let ready = (received + 146_667 + 82_000u64).div_ceil(4000);
    assert_eq!(flows[0].latency_sum_cycles, ready + 1 + 18 + 40 + 47);
    let link = simulation.link_counters()[0];
    assert_eq!((link.packets, link.busy_ps), (1, 146_667));
}

/// A link that fails: everything behind it is lost, and the sender times out for it.
#[test]
fn a_failed_link_is_noticed() {
    let mut spec = two_rings(KIND, 1_000.0);
    topology(&mut spec).errors = Some(ErrorsSpec {
        bit_error_rate: 0.0,
        links: vec![LinkSpec { ring: 0, place: 0, bit_error_rate: None, interruptions: vec![(10_000, None)] }],
        timeout_cycles: 2_000,
        max_timeouts: Some(2),
        ..ErrorsSpec::default()
    });
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(50_000);
    let flow = &simulation.flow_counters()[0];
    // Those of cycles 0 to 9,000.
    assert_eq!(flow.delivered_packets, 10);
    let node = simulation.error_counters()[0];
    // The packet of cycle 10,000 is sent behind an idle, and would reach the port 18 cycles later.
    assert_eq!(node.first_timeout_cycle, 10_000 + 1 + 18 + 2_000);
    assert_eq!(flow.host().given_up_packets, node.given_up_packets);
    assert!(node.given_up_packets > 30 && node.timeouts >= 3 * node.given_up_packets, "{node:?}");
    // It is sent again at the time-out, in the cycle after an idle, and lost 18 cycles later; the third
    // time-out gives it up.
    assert!(
        (node.first_timeout_cycle + 2 * 2_018..node.first_timeout_cycle + 2 * 2_100)
            .contains(&node.first_given_up_cycle)
    );
    let port = |simulation: &Simulation| simulation.port_counters()[0].errors.first_failure_cycle;
    assert_eq!(port(&simulation), 10_000 + 1 + 18);
    simulation.reset_measurement();
    assert_eq!(port(&simulation), 10_000 + 1 + 18);
}

/// A port that gives up a packet frees its slot for the switch in that cycle, even while another packet passes the
/// port.
#[test]
fn a_slot_is_free_when_its_packet_is_given_up() {
    let kind = SwitchKindSpec { transmit: buffers(1), ..KIND };
    let mut passing = flow(1, to(2), every(200.0));
    passing.sizes = vec![(144, 1.0)];
    let rings = vec![
        ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
        ring(vec![node(1), port(0, 1), node(2)], vec![step(0, 1, 0)]),
    ];
    let mut spec = network(rings, kind, &[2], vec![flow(0, to(2), every(100.0)), passing]);
    topology(&mut spec).errors = Some(ErrorsSpec {
        bit_error_rate: 0.0,
        links: vec![LinkSpec { ring: 1, place: 1, bit_error_rate: None, interruptions: vec![(0, None)] }],
        timeout_cycles: 2_040,
        max_timeouts: Some(0),
        ..ErrorsSpec::default()
    });
    let moved = |cycles| {
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(cycles);
        (simulation.link_counters()[0].packets, simulation.port_counters()[1].errors.first_given_up_cycle)
    };
    // The first packet waits for one that passes behind an idle in the cycles from 19 to 162, and is lost 18 cycles
    // after the idle behind that.
    let given_up = 163 + 1 + 18 + 2_040;
    // The eleventh after that one passes from cycle 2,219 on. The switch has the slot 58 ns later, and begins to
    // move a packet there.
    let freed = given_up + 58_000 / 4000;
    assert_eq!(moved(freed), (1, given_up));
    assert_eq!(moved(freed + 1), (2, given_up));
}

/// What else is for a destination that a port, or a host with slots, has given up leaves its slot unsent: others need
/// wait for none but the one packet that tries it.
#[test]
fn a_destination_that_is_given_up_takes_one_slot() {
    let delivered = |saturated: bool, slots: Option<u32>, gives_up_destinations: bool| {
        let rings = match slots {
            None => vec![
                ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
                ring(vec![node(1), port(0, 1), node(2)], vec![step(0, 1, 0)]),
            ],
            Some(_) => vec![ring(vec![node(0), node(1), node(2)], Vec::new())],
        };
        let arrivals = if saturated { ArrivalSpec::Saturated {} } else { every(300.0) };
        let flows = vec![flow(0, to(1), arrivals), flow(0, to(2), every(300.0))];
        let ports: &[u16] = if slots.is_some() { &[] } else { &[2] };
        let mut spec = network(rings, SwitchKindSpec { transmit: buffers(2), ..KIND }, ports, flows);
        topology(&mut spec).host.slots = slots;
        topology(&mut spec).host.fill_serial_ps = if slots.is_some() { 4_000 } else { 0 };
        topology(&mut spec).errors = Some(ErrorsSpec {
            timeout_cycles: 3_000,
            max_timeouts: Some(1),
            gives_up_destinations,
            bypasses: vec![BypassSpec { node: 1, from_cycle: 20_500, until_cycle: Some(300_500) }],
            ..ErrorsSpec::default()
        });
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(300_000);
        let during = simulation.flow_counters()[1].delivered_packets;
        simulation.advance(60_000);
        let given_up = simulation.flow_counters()[0].host().given_up_packets;
        (during, given_up, simulation.flow_counters().iter().map(|one| one.delivered_packets).collect::<Vec<_>>())
    };
    for slots in [None, Some(2)] {
        let (held, ..) = delivered(false, slots, false);
        // Both slots are taken by packets to it, for two time-outs each, of most of 1,000 packets to the other one.
        assert!(held < 400, "{slots:?}: {held}");
    }
    for (saturated, slots) in [(false, None), (false, Some(2)), (true, Some(2))] {
        let (free, given_up, behind) = delivered(saturated, slots, true);
        assert!(free >= 970, "{slots:?}, {saturated}: {free}");
        // When it is back it is heard.
        assert!(behind[0] > 200 && behind[1] >= 1_170, "{slots:?}, {saturated}: {behind:?}");
        // A flow that always has a packet does not spend them on a destination that is not there.
        assert!(if saturated { given_up < 300 } else { given_up > 850 }, "{slots:?}, {saturated}: {given_up}");
    }
}

/// Errors cost time, not packets.
#[test]
fn what_is_lost_on_a_link_is_sent_again() {
    let mut spec = two_rings(KIND, 500.0);
    topology(&mut spec).errors = Some(ErrorsSpec {
        bit_error_rate: 1e-4,
        links: Vec::new(),
        timeout_cycles: 2_000,
        max_timeouts: None,
        ..ErrorsSpec::default()
    });
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(1_000_000);
    let ports = simulation.port_counters();
    let lost: u64 =
        simulation.error_counters().iter().chain(ports.iter().map(|port| &port.errors)).map(|c| c.lost_sends).sum();
    // Each packet of 40 symbols crosses two links, and is struck on one with a probability of 6.2 %.
    let expected = 2.0 * 2_000.0 * (1.0 - (1.0f64 - 1e-4).powi(640));
    assert!((lost as f64 / expected - 1.0).abs() < 0.3, "{lost} lost, {expected} expected");
    let flow = &simulation.flow_counters()[0];
    assert!(flow.delivered_packets >= 1_990, "{} delivered", flow.delivered_packets);
    assert!(flow.delivered_packets <= flow.generated_packets);
}

/// A message of which a packet was given up is never complete; the later ones are, and nothing is kept of it.
#[test]
fn a_message_with_a_lost_packet_leaves_nothing_behind() {
    let errors = |ring| ErrorsSpec {
        bit_error_rate: 0.0,
        links: vec![LinkSpec { ring, place: 0, bit_error_rate: Some(1e-4), interruptions: Vec::new() }],
        timeout_cycles: 1_000,
        max_timeouts: Some(0),
        ..ErrorsSpec::default()
    };
    // Node 0 sends on ring 0; on ring 1 node 1 sends echoes and responses, and the port at place 0 of ring 1 requests.
    for (ring_with_errors, first, response) in
        [(0, false, None), (1, true, None), (1, false, Some(8)), (0, false, Some(8))]
    {
        let interfaces = if first { vec![port(0, 1), node(1)] } else { vec![node(1), port(0, 1)] };
        let rings = vec![
            ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
            ring(interfaces, vec![step(0, u32::from(!first), 0)]),
        ];
        let mut spec = network(rings, KIND, &[2], vec![flow(0, to(1), every(2_000.0))]);
        (spec.flows[0].burst, spec.flows[0].response_symbols) = (3, response);
        topology(&mut spec).errors = Some(errors(ring_with_errors));
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(500_000);
        let early = simulation.bytes();
        simulation.advance(10_000_000);
        let flow = &simulation.flow_counters()[0];
        let (begun, complete) = (flow.generated_packets / 3, flow.host().completed_messages);
        assert!(flow.host().given_up_packets > 200, "{} given up", flow.host().given_up_packets);
        assert!((begun / 4..begun - 100).contains(&complete), "{complete} of {begun} messages");
        // A record of every message since the first that was lost would be 80 kB.
        assert!(simulation.bytes() < early + 2_000, "{early} bytes, then {}", simulation.bytes());
    }
}

/// A closed loop: groups of four packets, each begun 1,000 cycles after the echo of the last packet of the one before.
#[test]
fn a_closed_loop_waits_for_its_own_packets() {
    let mut spec = two_rings(KIND, 1.0);
    spec.flows[0].arrivals = ArrivalSpec::Closed { pause_cycles: 1_000, posted: false, repeats: None };
    spec.flows[0].burst = 4;
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(100_000);
    let flow = &simulation.flow_counters()[0];
    // The last of four packets begins in cycle 1 + 3 * 41, and its echo is back when all of it, and two hops, have
    // passed.
    let round = 1 + 3 * 41 + 40 + 2 * 18 - 1 + 1_000;
    assert_eq!(flow.generated_packets, 4 * (1 + 99_999 / round));
    let host = flow.host();
    assert_eq!(host.completed_messages, flow.delivered_packets / 4);
}

/// A host that checks each message: a bad one begins again after the check, without the pause; its data and its latency
/// count once, from its first begin on.
#[test]
fn a_bad_message_is_sent_again_after_its_check() {
    const PAUSE: u64 = 1_000;
    const CHECK: u64 = 300;
    for (burst, response) in [(1, None), (3, None), (3, Some(8))] {
        let run = |repeats: Option<RepeatSpec>, cycles: u64| {
            let mut spec = two_rings(KIND, 1.0);
            spec.flows[0].arrivals = ArrivalSpec::Closed { pause_cycles: PAUSE, posted: false, repeats };
            (spec.flows[0].burst, spec.flows[0].response_symbols) = (burst, response);
            topology(&mut spec).host = HostSpec { slots: Some(4), ..HostSpec::default() };
            let bad = BadMessages::of(spec.seed, 0, &spec.flows[0]);
            let mut simulation = Simulation::new(&spec).expect("valid");
            simulation.advance(cycles);
            (simulation.flow_counters()[0].clone(), bad)
        };
        let (good, none) = run(None, 10_000_000);
        assert!(none.is_none() && good.host().bad_packets == 0 && good.host().repeated_packets == 0);
        let rounds = good.generated_packets / u64::from(burst);
        let latency = good.host().message_latency_sum_cycles / good.host().completed_messages;
        let (counted, bad) = run(Some(RepeatSpec { probability: 0.3, check_cycles: CHECK }), 1_000_000);
        let bad = bad.expect("some are bad");
        // Round and latency of a message alone are the same each time; the pause is part of the round, which is found
        // exactly, since its square is below the cycles.
        let round = 9_999_999 / (rounds - 1);
        assert!(round * round < 10_000_000);
        let (mut begin, mut first, mut message) = (0, 0, 0);
        let (mut complete, mut sum, mut repeated) = (0, 0, 0);
        while begin + latency < 1_000_000 {
            repeated += u64::from(burst) * u64::from(begin > first);
            if bad.contains(message) {
                begin += round - PAUSE + CHECK;
            } else {
                (complete, sum) = (complete + 1, sum + begin + latency - first);
                begin += round;
                first = begin;
            }
            message += 1;
        }
        let host = counted.host();
        assert_eq!(host.completed_messages, complete, "{burst} packets, response {response:?}");
        assert_eq!(host.message_latency_sum_cycles, sum, "{burst} packets, response {response:?}");
        assert!(host.repeated_packets.abs_diff(repeated) <= u64::from(burst));
        let (kinds, packets) = (1 + u64::from(response.is_some()), u64::from(burst));
        assert_eq!(counted.delivered_packets - host.bad_packets, kinds * packets * complete);
        assert_eq!(host.delivered_responses - host.bad_responses, (kinds - 1) * packets * complete);
    }
}

/// A bridge with two write buffers, filled in groups of two: the host goes on as soon as a message stands in them, and
/// waits where they are full.
#[test]
fn a_posted_message_is_done_when_it_stands_in_the_slots() {
    let check = |slots: u32, burst: u32, crowded_ps: u64, round: u64| {
        let mut spec = two_rings(KIND, 1.0);
        spec.flows[0].arrivals = ArrivalSpec::Closed { pause_cycles: 1, posted: true, repeats: None };
        spec.flows[0].burst = burst;
        let groups = FillGroupsSpec { packets: 2, set_up_ps: 400_000, uncrowded: 1, crowded_ps };
        topology(&mut spec).host =
            HostSpec { slots: Some(slots), fill_serial_ps: 40_000, groups: Some(groups), ..HostSpec::default() };
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(1_000_000);
        let generated = simulation.flow_counters()[0].generated_packets;
        assert_eq!(
            generated,
            u64::from(burst) * (1 + 999_999 / round),
            "{slots} slots, {burst} packets, {crowded_ps} ps"
        );
    };
    // 100 cycles of set-up for two packets, 10 for each, and the pause.
    check(4, 2, 0, 100 + 20 + 1);
    check(4, 2, 80_000, 100 + 20 + 20 + 1);
    check(4, 4, 0, 2 * (100 + 20) + 1);
    check(4, 3, 0, 2 * 100 + 30 + 1);
    // One slot: 110 cycles to fill it, a cycle, the packet's 40 and two hops of 18 until its echo is there.
    check(1, 1, 0, 110 + 1 + 40 + 2 * 18 - 1);
}

/// Two masters set up for 100 cycles each, at once; then the bus serves them for 40 cycles each. Behind it a packet is
/// under way for 60. The third request waits for a slot until an echo is there.
#[test]
fn a_recording_has_the_ways_of_packets_into_their_slots() {
    let mut spec = two_rings(KIND, 10_000.0);
    spec.flows = vec![flow(0, to(1), every(10_000.0)); 3];
    let split = Some(FillSplitSpec { set_up_ps: 400_000 });
    topology(&mut spec).host =
        HostSpec { slots: Some(2), fill_serial_ps: 160_000, fill_ps: 240_000, split, ..HostSpec::default() };
    let recorder = Recorder::new(0, 600);
    Simulation::new(&spec).expect("valid").recorded(recorder.clone()).advance(600);
    let recording = recorder.finish();
    let lengths: Vec<_> = recording.slot_lengths.iter().filter(|change| change.node == 0).collect();
    assert_eq!(lengths.iter().map(|change| change.value).collect::<Vec<_>>(), [1, 0]);
    let fills: Vec<_> = recording.fills.iter().map(|fill| (fill.packet, fill.taken, fill.bus_ps, fill.ready)).collect();
    let third = lengths[1].cycle;
    let (start, end) = (4_000 * (third + 100), 4_000 * (third + 140));
    assert_eq!(
        fills,
        [
            (0, Some(0), Some((400_000, 560_000)), Some(200)),
            (1, Some(0), Some((560_000, 720_000)), Some(240)),
            (2, Some(third), Some((start, end)), Some(third + 200)),
        ]
    );
    // Sent at 200, and its echo is there behind 40 symbols and two hops of 18 cycles.
    assert!((200 + 40 + 2 * 18 - 2..200 + 40 + 2 * 18 + 2).contains(&third), "{third}");
    assert!(recording.fills.iter().all(|fill| fill.asked_ps == fill.taken.map(|taken| 4_000 * (taken + 100))));
}

/// The delay of a busy echo holds up the sender as one of its own would, and the ring sees as many retries.
#[test]
fn receivers_may_wait_in_place_of_senders() {
    let refused = |by: RetryBy| {
        let kind = SwitchKindSpec { setup_ps: 2_000_000, receive: buffers(1), ..KIND };
        let mut spec = two_rings(kind, 50.0);
        spec.queues.limits.common.retry.delay_cycles = 400;
        topology(&mut spec).retry_by = by;
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(1_000_000);
        (simulation.flow_counters()[0].delivered_packets, simulation.port_counters()[0].interface.refused_packets)
    };
    let (by_sender, by_receiver) = (refused(RetryBy::Requester), refused(RetryBy::Responder));
    let near = |a: u64, b: u64| (a as f64 / b as f64 - 1.0).abs() < 0.05;
    assert!(near(by_sender.0, by_receiver.0) && near(by_sender.1, by_receiver.1), "{by_sender:?} {by_receiver:?}");
    assert!(by_sender.1 > 10_000, "{by_sender:?}");
}

/// Thousands of refusals: the delay grows as far as time goes, and no further.
#[test]
fn retry_delays_do_not_overflow() {
    for strategy in [RetryStrategy::Constant, RetryStrategy::Linear, RetryStrategy::Exponential] {
        for delay_cycles in [0, 1, 100, MAX_CYCLES] {
            let retry = RetrySpec { strategy, delay_cycles };
            let delays: Vec<u64> = (1..10_000).map(|refusals| retry.delay_after(refusals)).collect();
            assert!(delays.is_sorted() && delays[0] == delay_cycles && delays[9_998] <= MAX_CYCLES, "{retry:?}");
            assert!(retry.delay_after(u32::MAX) <= MAX_CYCLES, "{retry:?}");
        }
    }
    let doubling = RetrySpec { strategy: RetryStrategy::Exponential, delay_cycles: 100 };
    assert_eq!(
        [1, 2, 3, 47, 48, 5_000].map(|k| doubling.delay_after(k)),
        [100, 200, 400, 100 << 46, MAX_CYCLES, MAX_CYCLES]
    );
}

/// Saturated, a B-Link moves a packet in the time that it holds it.
#[test]
fn a_b_link_is_the_bottleneck() {
    let kind = SwitchKindSpec { setup_ps: 216_000, ..KIND };
    let mut simulation = Simulation::new(&two_rings(kind, 42.0)).expect("valid");
    simulation.advance(100_000);
    simulation.reset_measurement();
    simulation.advance(1_000_000);
    let delivered = simulation.flow_counters()[0].delivered_packets as f64;
    let possible = 1e6 * 4000.0 / 362_667.0;
    assert!((delivered / possible - 1.0).abs() < 1e-3, "{delivered} of {possible}");
    let busy = simulation.link_counters()[0].busy_ps as f64 / 4e9;
    assert!(busy > 0.999, "the bus is busy for {busy} of the time");
}

/// At a port where requests and responses wait, the class that did not go last goes first
/// (docs/explanation/network-model.md, Section 3).
#[test]
fn the_classes_take_turns_at_a_port() {
    let kind = SwitchKindSpec { setup_ps: 1_000_000, ..KIND };
    let mut reads = flow(1, to(0), ArrivalSpec::Saturated {});
    reads.response_symbols = Some(40);
    let mut spec = two_rings(kind, 1.0);
    spec.flows = vec![flow(0, to(1), ArrivalSpec::Saturated {}), reads];
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(200_000);
    simulation.reset_measurement();
    simulation.advance(3_000_000);
    let flows = simulation.flow_counters();
    let (moves, responses) = (flows[0].delivered_packets, flows[1].host().delivered_responses);
    assert!(moves > 2_000 && moves.abs_diff(responses) <= 2, "{moves} requests, {responses} responses");
}

/// Every symbol of a packet may be struck, and of an echo: as many bits each as the link is wide.
#[test]
fn errors_strike_every_bit_of_packets_and_echoes() {
    const BIT_ERROR_RATE: f64 = 2e-3;
    let lost = |link_width: u32, place: u32, symbols: u32| {
        let mut spec = two_rings(KIND, 150.0);
        spec.format.link_width = link_width;
        spec.flows[0].sizes = vec![(symbols, 1.0)];
        topology(&mut spec).errors = Some(ErrorsSpec {
            bit_error_rate: 0.0,
            links: vec![LinkSpec { ring: 0, place, bit_error_rate: Some(BIT_ERROR_RATE), interruptions: Vec::new() }],
            timeout_cycles: 2_000,
            max_timeouts: None,
            ..ErrorsSpec::default()
        });
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(3_000_000);
        let (flow, port) = (simulation.flow_counters()[0], simulation.port_counters().swap_remove(0));
        let sent = (flow.sent_packets + flow.retries) as f64;
        let (sends, echoes) = (port.errors.lost_sends as f64, simulation.error_counters()[0].lost_echoes as f64);
        (sent, if place == 0 { sends } else { echoes })
    };
    // The link from the node carries packets, the link back their echoes, of 4 symbols.
    for (bits, place, symbols, struck) in [(16, 0, 8, 8), (16, 0, 9, 9), (16, 1, 8, 4), (32, 0, 6, 6)] {
        let (sent, lost) = lost(bits, place, symbols);
        let wide = bits.cast_signed();
        let expected = 1.0 - (1.0 - BIT_ERROR_RATE).powi(wide * struck);
        let deviation = (expected * (1.0 - expected) / sent).sqrt();
        let share = lost / sent;
        assert!(
            (share - expected).abs() < 4.0 * deviation,
            "{symbols} symbols of {bits} bits: {share} lost, {expected} expected"
        );
        // A symbol more or less would show.
        let shorter = 1.0 - (1.0 - BIT_ERROR_RATE).powi(wide * (struck - 1));
        assert!(expected - shorter > 6.0 * deviation, "too few packets, {sent}");
    }
}

/// The host's delays come before and after the service, each a whole number of cycles.
#[test]
fn a_host_receives_and_stores_before_it_has_a_packet() {
    let latency = |host: HostSpec| {
        let mut spec = two_rings(KIND, 10_000.0);
        topology(&mut spec).host = host;
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(9_000);
        simulation.flow_counters()[0].latency_sum_cycles
    };
    let bare = latency(HostSpec::default());
    // 5 cycles and a part of the sixth, 25 and a part.
    assert_eq!(latency(HostSpec { receive_delay_ps: 20_001, ..HostSpec::default() }), bare + 6);
    assert_eq!(latency(HostSpec { store_ps: 100_001, ..HostSpec::default() }), bare + 26);
    let both = HostSpec { receive_delay_ps: 20_000, store_ps: 100_000, ..HostSpec::default() };
    assert_eq!(latency(both), bare + 30);
}

/// A B-Link that is held for 250 cycles by each packet takes the highest priority that is ready, from whatever port;
/// within a priority the published round robin holds. What had to wait for a transfer of lower priority is counted.
#[test]
fn a_b_link_grants_the_highest_priority_first() {
    let kind = SwitchKindSpec { setup_ps: 1_000_000, receive: buffers(8), transmit: buffers(8), ..KIND };
    let route = |own: u32| (0..3).map(|to| step(to, 1, if to == own { (own + 1) % 3 } else { to } as u16)).collect();
    let rings: Vec<_> = (0..3).map(|number| ring(vec![node(number), port(0, number as u16)], route(number))).collect();
    let with_priority = |source: u32, priority: u8| {
        let mut flow = flow(source, to(2), every(300.0));
        flow.priority = priority;
        flow
    };
    let delivered = |priorities: [u8; 2]| {
        let flows = vec![with_priority(0, priorities[0]), with_priority(1, priorities[1])];
        let mut spec = network(rings.clone(), kind, &[3], flows);
        spec.queues.priorities = 2;
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(50_000);
        simulation.reset_measurement();
        simulation.advance(300_000);
        let flows = simulation.flow_counters();
        let link = simulation.link_counters()[0];
        ([flows[0].delivered_packets, flows[1].delivered_packets], link)
    };
    let (equal, link) = delivered([0, 0]);
    assert!(equal[0].abs_diff(equal[1]) <= 2 && link.inverted_packets == 0, "{equal:?}, {link:?}");
    for (priorities, high) in [([1, 0], 0), ([0, 1], 1)] {
        let (found, link) = delivered(priorities);
        // One of the two offers a packet in each 300 cycles, and the bus moves one in 287.
        assert!(found[high].abs_diff(1_000) <= 2 && found[1 - high] < 100, "{priorities:?}: {found:?}");
        // It waits for what is moved in between, but never for two.
        assert!(link.inverted_packets > 0 && link.inverted_ps <= 1_146_667 * link.inverted_packets, "{link:?}");
    }
}

/// A packet of high priority that finds the port's buffers full of others is counted, at the port and for its flow, on
/// whatever ring it is refused.
#[test]
fn inversions_are_counted_at_ports() {
    let kind = SwitchKindSpec { setup_ps: 2_000_000, receive: buffers(2), transmit: buffers(2), ..KIND };
    let rings = vec![
        // Without flow control the one behind a sender that is refused would starve.
        ring(vec![node(1), node(0), port(0, 0)], vec![step(0, 2, 1)]),
        ring(vec![node(2), port(0, 1)], vec![step(0, 1, 0)]),
    ];
    let mut urgent = flow(1, to(2), every(5_000.0));
    urgent.priority = 3;
    let mut spec = network(rings, kind, &[2], vec![flow(0, to(2), every(100.0)), urgent]);
    spec.queues.priorities = 4;
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(1_000_000);
    let port = simulation.port_counters().swap_remove(0);
    let urgent = simulation.flow_counters()[1].host();
    assert!(port.input_inversions.packets > 100, "{port:?}");
    assert_eq!(urgent.input_inversions, port.input_inversions);
    assert_eq!(simulation.flow_counters()[0].host().input_inversions.packets, 0);
}

/// One packet at a time crosses a switch with three B-Links: the link controllers take turns, whether their buffers are
/// full or not, and where they do not take turns the first one, which is never full, has all of them.
#[test]
fn link_controllers_of_a_cascade_take_turns() {
    let moved = |cascade| {
        let kind = SwitchKindSpec { links: 3, cascade, ..KIND };
        let mut simulation = Simulation::new(&two_rings(kind, 1_000.0)).expect("valid");
        simulation.advance(30_500);
        assert_eq!(simulation.flow_counters()[0].retries, 0);
        simulation.link_counters().iter().map(|link| link.packets).collect::<Vec<_>>()
    };
    assert_eq!(moved(Cascade::FirstFree), [31, 0, 0]);
    assert_eq!(moved(Cascade::RoundRobin), [11, 10, 10]);
}

/// A host with two slots sends to a memory with one place. Behind a refused packet it sends no other before that one is
/// accepted, so that packets are delivered in their order; a sender that does not wait has another one on the way
/// meanwhile, which takes the place.
#[test]
fn a_sender_that_stops_and_waits_sends_nothing_beside_a_refused_packet() {
    let sent = |choice| {
        let mut spec =
            network(vec![ring(vec![node(0), node(1)], vec![])], KIND, &[], vec![flow(0, to(1), every(41.0))]);
        spec.queues.receive.common = ReceiveQueueSpec { capacity: Some(1), service_cycles: 400 };
        topology(&mut spec).switch_kinds.clear();
        topology(&mut spec).host.slots = Some(2);
        topology(&mut spec).slot_choice = choice;
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(40_000);
        let flow = simulation.flow_counters()[0];
        (flow.delivered_packets, flow.retries, flow.first_try_packets)
    };
    let (free, waits) = (sent(SlotChoice::NewFirst), sent(SlotChoice::StopAndWait));
    // The memory is busy all the time either way, and half as many packets are under way.
    assert!(free.0.abs_diff(waits.0) <= 2, "{free:?} {waits:?}");
    assert!(2 * waits.1 < free.1 + free.1 / 2, "{free:?} {waits:?}");
}
