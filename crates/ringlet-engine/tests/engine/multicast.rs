//! Packets with several receivers (docs/explanation/model.md, "Packets with several receivers"): rings equal the
//! symbol-by-symbol reference with every protocol that has a rule for them.

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::FlowCounters;
use ringlet_engine::protocols::{none::NoneSpec, rpr::RprSpec, sci::SciSpec};
use ringlet_engine::spec::{
    ArrivalSpec, BypassSpec, DestinationSpec, ECHO_SYMBOLS, ErrorsSpec, FlowSpec, Forwarding, InterfaceSpec,
    LINK_WIDTH, LinkSpec, MessagesSpec, NetworkSpec, PacketFormatSpec, ReceiveQueueSpec, RetryBy, SizeSpec, StrippedBy,
    TopologySpec, WaysSpec,
};

use crate::against_reference::{compare_flows, compare_nodes, histogram, steps};
use crate::networks::{every, fingerprint, flow, node, ring, to, topology, unconnected};
use crate::passing_packets::in_network;
use crate::random;
use crate::reference::{NodeResult, Reference};

/// Adds, for each further receiver, a flow of the copies that it takes of a flow's packets.
fn with_receivers(spec: &mut NetworkSpec, number: u32, receivers: impl IntoIterator<Item = u32>) {
    let original = spec.flows[number as usize].clone();
    spec.flows.extend(receivers.into_iter().map(|node| FlowSpec {
        arrivals: ArrivalSpec::Copies { flow: number },
        destinations: to(node),
        ..original.clone()
    }));
}

/// The ring with several receivers of the packets of some flows: of each the nodes at these distances, and the last one
/// of them besides.
fn with_random_receivers(spec: NetworkSpec, sets: &[u16], by_source: bool) -> NetworkSpec {
    let mut spec = in_network(spec, (Forwarding::CutThrough, 0), RetryBy::Requester);
    let nodes = spec.nodes;
    spec.queues.reservation = false;
    for (number, set) in (0..spec.flows.len()).zip(sets.iter().cycle()) {
        let flow = &mut spec.flows[number];
        let source = flow.source;
        let mut distances = (1..nodes).filter(|distance| set >> distance & 1 == 1);
        let Some(first) = distances.next() else { continue };
        (flow.destinations, flow.response_symbols) = (to((source + first) % nodes), None);
        let others: Vec<u32> = distances.map(|distance| (source + distance) % nodes).collect();
        with_receivers(&mut spec, number as u32, others);
    }
    let stripped_by = if spec.format.echoes || by_source { StrippedBy::Source } else { StrippedBy::LastReceiver };
    topology(&mut spec).stripped_by = stripped_by;
    spec
}

fn equals_reference(spec: &NetworkSpec, steps: Vec<u64>) -> Result<(), TestCaseError> {
    let mut engine = Simulation::new(spec).expect("a valid spec");
    let mut reference = Reference::new(spec);
    for cycles in steps {
        prop_assert_eq!(engine.advance(cycles), None);
        reference.advance(cycles);
        let at = engine.cycle();
        for (index, (ours, theirs)) in engine.node_counters().iter().zip(reference.nodes()).enumerate() {
            let place = format!("node {index} at cycle {at}");
            compare_nodes(ours, &theirs, &place)?;
            prop_assert_eq!(ours.bypass_max_symbols, theirs.bypass_max_symbols, "bypass FIFO, {}", place);
        }
        for (index, (ours, theirs)) in engine.flow_counters().iter().zip(reference.flows()).enumerate() {
            compare_flows(ours, &theirs, &format!("flow {index} at cycle {at}"))?;
            prop_assert_eq!(engine.latencies([index]), histogram(spec, reference.latencies(index)));
        }
    }
    Ok(())
}

macro_rules! equal_reference {
    ($($protocol:ident,)+) => {
        $(
            proptest! {
                #![proptest_config(crate::cases(40))]

                #[test]
                fn $protocol(
                    spec in random::network_with(&[stringify!($protocol)]), by_source: bool, steps in steps(),
                    sets in proptest::collection::vec(any::<u16>(), 1..6),
                ) {
                    let limits = crate::protocol(&spec).limits(spec.shape());
                    prop_assume!(!limits.needs_echoes && !limits.acts_on_refusals);
                    equals_reference(&with_random_receivers(spec, &sets, by_source), steps)?;
                }
            }
        )+
    };
}

equal_reference! {
    none,
    sci,
    grouped,
    metaring,
    token_ring,
    timed_token,
    slotted_ring,
    rpr,
}

const WITHOUT_ECHOES: PacketFormatSpec =
    PacketFormatSpec { link_width: LINK_WIDTH, echo_symbols: ECHO_SYMBOLS, framing_symbols: None, echoes: false };

/// A ring without echoes as a network, with a flow from node 0 to the first of the receivers, and those besides.
fn multicast(nodes: u32, arrivals: ArrivalSpec, receivers: &[u32]) -> NetworkSpec {
    let flows = vec![flow(0, to(receivers[0]), arrivals)];
    let only = ring((0..nodes).map(node).collect(), Vec::new());
    let mut spec = NetworkSpec {
        format: WITHOUT_ECHOES,
        network: Some(Box::new(unconnected(vec![only]))),
        hop_delay: 4.into(),
        ..NetworkSpec::ring(nodes, NoneSpec {}, flows)
    };
    with_receivers(&mut spec, 0, receivers[1..].iter().copied());
    spec
}

fn simulate(spec: &NetworkSpec, cycles: u64) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.advance(cycles);
    simulation
}

fn delivered(simulation: &Simulation) -> Vec<u64> {
    simulation.flow_counters().iter().map(|flow| flow.delivered_packets).collect()
}

/// Of a packet every 1,000 cycles each receiver gets a copy when it passes: 4 cycles a hop, and 40 symbols.
#[test]
fn each_receiver_gets_the_packet_as_it_passes() {
    for stripped_by in [StrippedBy::LastReceiver, StrippedBy::Source] {
        let mut spec = multicast(8, every(1_000.0), &[3, 1, 6]);
        topology(&mut spec).stripped_by = stripped_by;
        let simulation = simulate(&spec, 9_500);
        assert_eq!(delivered(&simulation), [10, 10, 10]);
        let flows = simulation.flow_counters();
        let latencies = |latency: fn(&FlowCounters) -> u64| flows.iter().map(|flow| latency(flow)).collect::<Vec<_>>();
        let nearest = flows[1].latency_max_cycles;
        let expected = [nearest + 8, nearest, nearest + 20];
        assert_eq!(latencies(FlowCounters::latency_min_cycles), expected);
        assert_eq!(latencies(|flow| flow.latency_max_cycles), expected);
        // What the packets take of the links: six or eight of them, and the source's.
        let sent: Vec<u64> = simulation.node_counters().iter().map(|node| node.link_send_symbols).collect();
        let expected = if stripped_by == StrippedBy::Source { [400; 8] } else { [400, 400, 400, 400, 400, 400, 0, 0] };
        assert_eq!(sent, expected);
    }
}

/// With SCI's echoes the packet comes back to its source as its own echo: no symbols of echoes, and none outstanding.
#[test]
fn a_packet_with_echoes_is_its_own_echo() {
    let mut spec = multicast(6, ArrivalSpec::Saturated {}, &[2, 4]);
    spec.format.echoes = true;
    spec.flow_control = SciSpec::EXAMPLE.into();
    spec.queues.limits.common.outstanding_limit = Some(1);
    topology(&mut spec).stripped_by = StrippedBy::Source;
    let simulation = simulate(&spec, 20_000);
    let found = delivered(&simulation);
    assert!(found[0] > 200 && found[0].abs_diff(found[1]) <= 1, "{found:?}");
    let echoes: u64 = simulation.node_counters().iter().map(|node| node.link_echo_symbols).sum();
    assert_eq!(echoes, 0);
}

/// A receiver without a place loses its copy; the others get theirs, and nothing comes again.
#[test]
fn a_full_receiver_loses_only_its_own_copy() {
    let mut spec = multicast(5, every(60.0), &[4, 2]);
    let place = |service_cycles| ReceiveQueueSpec { capacity: Some(1), service_cycles };
    spec.queues.receive.each = Some(vec![place(0), place(0), place(500), place(0), place(0)]);
    let simulation = simulate(&spec, 60_000);
    let [last, slow] = [0, 1].map(|index| simulation.flow_counters()[index].clone());
    assert!(last.delivered_packets >= 999, "{}", last.delivered_packets);
    assert_eq!(last.host().given_up_packets, 0);
    assert!(slow.delivered_packets < 150, "{}", slow.delivered_packets);
    assert!(slow.delivered_packets + slow.host().given_up_packets >= 998);
    assert_eq!(simulation.node_counters()[2].refused_packets, slow.host().given_up_packets);
}

/// A link fails for ever: receivers before it get everything, and those behind it nothing from then on, which is
/// counted.
#[test]
fn receivers_behind_a_failed_link_lose_their_copies() {
    let mut spec = multicast(6, every(100.0), &[5, 1, 3]);
    let failed = LinkSpec { ring: 0, place: 2, bit_error_rate: None, interruptions: vec![(10_000, None)] };
    let errors = ErrorsSpec { links: vec![failed], timeout_cycles: 1 << 20, ..ErrorsSpec::default() };
    topology(&mut spec).errors = Some(errors);
    let simulation = simulate(&spec, 20_050);
    let lost: Vec<u64> = simulation.flow_counters().iter().map(|flow| flow.host().given_up_packets).collect();
    let found = delivered(&simulation);
    assert!(found[1].abs_diff(200) <= 1 && lost[1] == 0, "{found:?} {lost:?}");
    for index in [0, 2] {
        assert!(found[index].abs_diff(100) <= 1, "{found:?}");
        assert!((found[index] + lost[index]).abs_diff(200) <= 1, "{found:?} {lost:?}");
    }
}

/// The last receiver dies: the packet passes it and is taken off by its source, as what is for nobody.
#[test]
fn a_bypassed_receiver_loses_its_copies_alone() {
    for stripped_by in [StrippedBy::LastReceiver, StrippedBy::Source] {
        let mut spec = multicast(6, every(100.0), &[5, 1, 3]);
        let dies = BypassSpec { node: 5, from_cycle: 10_000, until_cycle: None };
        let errors = ErrorsSpec { bypasses: vec![dies], timeout_cycles: 1 << 20, ..ErrorsSpec::default() };
        topology(&mut spec).errors = Some(errors);
        topology(&mut spec).stripped_by = stripped_by;
        let simulation = simulate(&spec, 20_050);
        let lost: Vec<u64> = simulation.flow_counters().iter().map(|flow| flow.host().given_up_packets).collect();
        let found = delivered(&simulation);
        assert!(found[1].abs_diff(200) <= 1 && found[2].abs_diff(200) <= 1, "{found:?}");
        assert_eq!((lost[1], lost[2]), (0, 0));
        assert!(found[0].abs_diff(100) <= 1 && (found[0] + lost[0]).abs_diff(200) <= 1, "{found:?} {lost:?}");
    }
}

/// Messages of several packets, of sizes that are drawn, are whole at each receiver.
#[test]
fn messages_are_whole_at_each_receiver() {
    let mut spec = multicast(6, ArrivalSpec::Poisson { rate: 1e-3 }, &[4, 2]);
    for flow in &mut spec.flows {
        flow.messages = Some(Box::new(MessagesSpec {
            jitter_cycles: 0,
            start_cycle: 0,
            stop_cycle: Some(90_000),
            total: None,
            times: Vec::new(),
            size: SizeSpec::Uniform { least: 1, most: 300 },
            packet_bytes: 64,
            by_destination: false,
        }));
    }
    let simulation = simulate(&spec, 100_000);
    let counted: Vec<_> = (0..2).map(|flow| simulation.message_counters()[flow].expect("messages")).collect();
    assert!(counted[0].released > 50);
    assert_eq!(counted[0], counted[1]);
    let complete = |index: usize| simulation.flow_counters()[index].host().completed_messages;
    assert_eq!((complete(0), complete(1)), (counted[0].released, counted[0].released));
}

/// Stations on two rings, which send both ways: each receiver gets each message once, whichever link fails.
#[test]
fn stations_drop_the_second_copy_at_each_receiver() {
    for stripped_by in [StrippedBy::LastReceiver, StrippedBy::Source] {
        for failed in 0..6 {
            let mut spec = multicast(6, every(300.0), &[4, 1, 2]);
            let second = (0..6).rev().map(|second| InterfaceSpec::Second { second }).collect();
            let rings = vec![ring((0..6).map(node).collect(), Vec::new()), ring(second, Vec::new())];
            let link = LinkSpec { ring: 0, place: failed, bit_error_rate: None, interruptions: vec![(10_000, None)] };
            let errors = ErrorsSpec { links: vec![link], timeout_cycles: 1 << 20, ..ErrorsSpec::default() };
            spec.network = Some(Box::new(TopologySpec {
                ways: Some(WaysSpec::Both {}),
                errors: Some(errors),
                stripped_by,
                ..unconnected(rings)
            }));
            let simulation = simulate(&spec, 30_200);
            assert_eq!(delivered(&simulation), [101; 3], "link {failed}, {stripped_by:?}");
            let lost: u64 = simulation.flow_counters().iter().map(|flow| flow.host().given_up_packets).sum();
            assert_eq!(lost, 0);
        }
    }
}

/// Stations on two rings, of which each packet takes those that lead to its receivers: the first ring leads to half of
/// the nodes, those that come next.
fn stations(nodes: u32, flows: Vec<FlowSpec>, stripped_by: StrippedBy) -> NetworkSpec {
    let second = (0..nodes).rev().map(|second| InterfaceSpec::Second { second }).collect();
    let rings = vec![ring((0..nodes).map(node).collect(), Vec::new()), ring(second, Vec::new())];
    let ways = Some(WaysSpec::One { ahead: vec![nodes / 2; nodes as usize] });
    let network = TopologySpec { ways, stripped_by, ..unconnected(rings) };
    NetworkSpec { network: Some(Box::new(network)), ..NetworkSpec::ring(nodes, NoneSpec {}, flows) }
}

/// What one of the two rings carries, as a ring alone; and for each receiver on it the flow that counts what it gets.
/// Nothing is sent for receivers on the other one.
fn one_side(spec: &NetworkSpec, side: usize) -> (NetworkSpec, Vec<Option<usize>>) {
    let nodes = spec.nodes;
    let at = |station: u32| if side == 0 { station } else { nodes - 1 - station };
    let destination = |flow: &FlowSpec| match flow.destinations {
        DestinationSpec::Fixed { node } => node,
        _ => unreachable!("flows of this test have one destination each"),
    };
    let leads = |flow: &FlowSpec| ((destination(flow) + nodes - flow.source) % nodes <= nodes / 2) == (side == 0);
    let never = ArrivalSpec::Periodic { period: 1e12, phase: 1e12 };
    let mut counted = vec![None; spec.flows.len()];
    let mut flows: Vec<FlowSpec> = spec.flows.clone();
    for number in 0..flows.len() {
        if matches!(spec.flows[number].arrivals, ArrivalSpec::Copies { .. }) {
            continue;
        }
        let copies = (0..spec.flows.len()).filter(
            |&index| matches!(spec.flows[index].arrivals, ArrivalSpec::Copies { flow } if flow as usize == number),
        );
        let members: Vec<usize> = std::iter::once(number).chain(copies).collect();
        let (own, others): (Vec<usize>, Vec<usize>) = members.iter().partition(|&&index| leads(&spec.flows[index]));
        others.iter().for_each(|&index| flows[index] = FlowSpec { arrivals: never, ..spec.flows[index].clone() });
        let Some(&first) = own.first() else { continue };
        // The first of those on this ring takes the place of the flow that sends.
        if first != number {
            flows[number] =
                FlowSpec { destinations: spec.flows[first].destinations.clone(), ..spec.flows[number].clone() };
            flows[first].arrivals = never;
        }
        own.iter().for_each(|&index| counted[index] = Some(if index == first { number } else { index }));
    }
    for flow in &mut flows {
        let node = destination(flow);
        (flow.source, flow.destinations) = (at(flow.source), to(at(node)));
    }
    let stripped_by = spec.network.as_ref().expect("a network").stripped_by;
    let mut alone = NetworkSpec { network: None, flows, ..spec.clone() };
    alone = in_network(alone, (Forwarding::CutThrough, 0), RetryBy::Requester);
    topology(&mut alone).stripped_by = stripped_by;
    (alone, counted)
}

/// A flow from a source with receivers at these distances, and how it arrives.
fn any_group(nodes: u32) -> impl Strategy<Value = (u32, u16, ArrivalSpec)> {
    let arrivals = prop_oneof![
        (1e-4..4e-3).prop_map(|rate| ArrivalSpec::Poisson { rate }),
        (1e-4..4e-3).prop_map(|rate| ArrivalSpec::Bernoulli { rate }),
        (250.0..3_000.0).prop_map(every),
    ];
    (0..nodes, any::<u16>(), arrivals)
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// A packet takes each of two rings that leads to one of its receivers, and each ring equals the reference of it.
    #[test]
    fn each_of_two_rings_equals_its_reference(
        (nodes, groups) in (3..9u32).prop_flat_map(|n| (Just(n), proptest::collection::vec(any_group(n), 1..5))),
        hop_delay in 1..30u32, by_source: bool, protocol in 0..3, steps in steps(),
    ) {
        let stripped_by = if by_source && protocol != 1 { StrippedBy::Source } else { StrippedBy::LastReceiver };
        let mut spec = stations(nodes, Vec::new(), stripped_by);
        for (source, set, arrivals) in groups {
            let mut distances = (1..nodes).filter(|distance| set >> distance & 1 == 1);
            let Some(first) = distances.next_back() else { continue };
            spec.flows.push(flow(source, to((source + first) % nodes), arrivals));
            let number = spec.flows.len() as u32 - 1;
            let on = |side: usize| (1..nodes).filter(|d| set >> d & 1 == 1 && (*d <= nodes / 2) == (side == 0)).count();
            // A reference does not know of a packet with one receiver that its source strips it.
            prop_assume!(stripped_by == StrippedBy::LastReceiver || (on(0) != 1 && on(1) != 1));
            with_receivers(&mut spec, number, distances.map(|distance| (source + distance) % nodes));
        }
        spec.flow_control = match protocol {
            0 => NoneSpec {}.into(),
            1 => RprSpec::EXAMPLE.into(),
            _ => SciSpec::EXAMPLE.into(),
        };
        spec.format = WITHOUT_ECHOES;
        spec.format.echoes = by_source && protocol == 2;
        spec.hop_delay = hop_delay.into();
        let sides = [0, 1].map(|side| one_side(&spec, side));
        let mut engine = Simulation::new(&spec).expect("a valid spec");
        let mut references = [0, 1].map(|side| Reference::new(&sides[side].0));
        for cycles in steps {
            prop_assert_eq!(engine.advance(cycles), None);
            references.iter_mut().for_each(|reference| reference.advance(cycles));
            // A station's counts are those of both of its interfaces together.
            let of_rings = [references[0].nodes(), references[1].nodes()];
            for (station, ours) in engine.node_counters().iter().enumerate() {
                let theirs = [&of_rings[0][station], &of_rings[1][nodes as usize - 1 - station]];
                let sum = |count: fn(&NodeResult) -> u64| theirs.iter().map(|one| count(one)).sum::<u64>();
                prop_assert_eq!(ours.link_send_symbols, sum(|one| one.link_symbols.send), "station {}", station);
                prop_assert_eq!(ours.link_control_symbols, sum(|one| one.link_symbols.control), "station {}", station);
                prop_assert_eq!(ours.link_idle_symbols, sum(|one| one.link_symbols.idle), "station {}", station);
                prop_assert_eq!(ours.transmit_queue_packet_cycles, sum(|one| one.transmit_queue_packet_cycles));
                prop_assert_eq!(ours.receive_queue_packet_cycles, sum(|one| one.receive_queue_packet_cycles));
            }
            for (side, reference) in references.iter().enumerate() {
                for (index, ours) in engine.flow_counters().into_iter().enumerate() {
                    let Some(at) = sides[side].1[index] else { continue };
                    let theirs = reference.flow(at);
                    prop_assert_eq!(ours.delivered_packets, theirs.latencies.count, "flow {}", index);
                    prop_assert_eq!(ours.delivered_symbols, theirs.delivered_symbols, "flow {}", index);
                    prop_assert_eq!(engine.latencies([index]), histogram(&spec, reference.latencies(at)));
                    if !matches!(spec.flows[index].arrivals, ArrivalSpec::Copies { .. }) {
                        prop_assert_eq!(ours.generated_packets, theirs.generated_packets);
                        // A packet with echoes is accepted where it is back, and each ring brings one back.
                        let same = ours.first_try_packets == theirs.first_try_packets;
                        prop_assert!(same || spec.format.echoes, "flow {}", index);
                    }
                }
            }
        }
    }

    /// Neither steps nor threads nor saving matters to stations either.
    #[test]
    fn copies_on_two_rings_are_the_same_in_any_pieces(
        groups in proptest::collection::vec(any_group(7), 1..5),
        cuts in proptest::collection::vec(1..2_000u64, 1..8),
    ) {
        let mut spec = stations(7, Vec::new(), StrippedBy::LastReceiver);
        spec.format = WITHOUT_ECHOES;
        for (source, set, arrivals) in groups {
            spec.flows.push(flow(source, to((source + 1) % 7), arrivals));
            let others = (2..7).filter(|distance| set >> distance & 1 == 1).map(|distance| (source + distance) % 7);
            let number = spec.flows.len() as u32 - 1;
            with_receivers(&mut spec, number, others);
        }
        let whole = simulate(&spec, cuts.iter().sum());
        let mut pieces = Simulation::new(&spec).expect("a valid spec");
        pieces.use_threads(2);
        for &cycles in &cuts {
            pieces.advance(cycles);
            let saved = pieces.save();
            pieces.restore(&saved).expect("it has just been saved");
        }
        prop_assert_eq!(fingerprint(&whole), fingerprint(&pieces));
    }
}

/// Messages of several packets, of sizes that are drawn, are whole at each receiver of either ring, and count once.
#[test]
fn messages_are_whole_at_receivers_of_either_ring() {
    let mut spec = stations(6, vec![flow(0, to(5), every(500.0))], StrippedBy::LastReceiver);
    spec.format = WITHOUT_ECHOES;
    with_receivers(&mut spec, 0, [1, 2, 4]);
    for flow in &mut spec.flows {
        flow.messages = Some(Box::new(MessagesSpec {
            jitter_cycles: 40,
            start_cycle: 0,
            stop_cycle: None,
            total: None,
            times: Vec::new(),
            size: SizeSpec::Uniform { least: 1, most: 300 },
            packet_bytes: 64,
            by_destination: false,
        }));
    }
    let simulation = simulate(&spec, 100_400);
    let counted: Vec<_> = (0..4).map(|flow| simulation.message_counters()[flow].expect("messages")).collect();
    assert!(counted[0].released > 150);
    counted.iter().for_each(|each| assert_eq!(*each, counted[0]));
    let complete = |index: usize| simulation.flow_counters()[index].host().completed_messages;
    assert_eq!([0, 1, 2, 3].map(complete), [counted[0].released; 4]);
    assert_eq!(counted[0].lost, 0);
}

/// A link of one ring fails: those behind it on that ring lose their copies, and no receiver on the other one does.
#[test]
fn receivers_on_the_other_ring_have_theirs_whatever_fails() {
    let mut spec = stations(6, vec![flow(0, to(4), every(100.0))], StrippedBy::LastReceiver);
    spec.format = WITHOUT_ECHOES;
    with_receivers(&mut spec, 0, [1, 3, 5]);
    let failed = LinkSpec { ring: 0, place: 1, bit_error_rate: None, interruptions: vec![(10_000, None)] };
    let errors = ErrorsSpec { links: vec![failed], timeout_cycles: 1 << 20, ..ErrorsSpec::default() };
    topology(&mut spec).errors = Some(errors);
    let simulation = simulate(&spec, 20_050);
    let lost: Vec<u64> = simulation.flow_counters().iter().map(|flow| flow.host().given_up_packets).collect();
    let found = delivered(&simulation);
    for index in [0, 1, 3] {
        assert!(found[index].abs_diff(200) <= 1 && lost[index] == 0, "{found:?} {lost:?}");
    }
    assert!(found[2].abs_diff(100) <= 1 && (found[2] + lost[2]).abs_diff(200) <= 1, "{found:?} {lost:?}");
}

/// A flow that always has one more cannot send the same packets by both rings, each of which takes its own time.
#[test]
fn what_two_rings_do_not_send_alike_is_refused() {
    let saturated = |receivers: [u32; 2]| {
        let flows = vec![flow(0, to(receivers[0]), ArrivalSpec::Saturated {})];
        let mut spec = stations(6, flows, StrippedBy::LastReceiver);
        spec.format = WITHOUT_ECHOES;
        with_receivers(&mut spec, 0, [receivers[1]]);
        Simulation::new(&spec).err().map(|error| error.path)
    };
    assert_eq!(saturated([1, 3]), None);
    assert_eq!(saturated([5, 4]), None);
    assert_eq!(saturated([1, 5]), Some("flows[0].arrivals".into()));
}

proptest! {
    #![proptest_config(crate::cases(20))]

    /// Neither steps nor saving matters.
    #[test]
    fn copies_are_the_same_in_any_pieces(
        spec in random::network_with(&["none", "rpr", "sci"]), by_source: bool,
        sets in proptest::collection::vec(any::<u16>(), 1..6), cuts in proptest::collection::vec(1..2_000u64, 1..8),
    ) {
        let spec = with_random_receivers(spec, &sets, by_source);
        let whole = simulate(&spec, cuts.iter().sum());
        let mut pieces = Simulation::new(&spec).expect("a valid spec");
        for &cycles in &cuts {
            pieces.advance(cycles);
            let saved = pieces.save();
            pieces.restore(&saved).expect("it has just been saved");
        }
        prop_assert_eq!(fingerprint(&whole), fingerprint(&pieces));
    }
}

/// What a spec with a change is refused for: the path that is named.
fn refused(change: impl FnOnce(&mut NetworkSpec)) -> String {
    let mut spec = multicast(6, every(100.0), &[4, 2]);
    spec.validate().expect("without the change");
    change(&mut spec);
    spec.validate().expect_err("with the change").path
}

#[test]
fn flows_of_copies_are_checked() {
    assert_eq!(refused(|spec| spec.flows[1].arrivals = ArrivalSpec::Copies { flow: 7 }), "flows[1].arrivals.flow");
    assert_eq!(refused(|spec| spec.flows[1].arrivals = ArrivalSpec::Copies { flow: 1 }), "flows[1].arrivals.flow");
    assert_eq!(refused(|spec| spec.flows[1].priority = 1), "flows[1].priority");
    assert_eq!(refused(|spec| spec.flows[1].sizes[0].0 += 1), "flows[1].arrivals.flow");
    assert_eq!(refused(|spec| spec.flows[1].destinations = to(4)), "flows[1].destinations");
    assert_eq!(refused(|spec| spec.flows[1].destinations = to(0)), "flows[1].destinations.node");
    assert_eq!(refused(|spec| spec.flows[1].destinations = DestinationSpec::Uniform {}), "flows[1].destinations");
    assert_eq!(refused(|spec| spec.format.echoes = true), "network.stripped_by");
    assert_eq!(refused(|spec| spec.network = None), "network");
    assert_eq!(
        refused(|spec| spec.flows.iter_mut().for_each(|flow| flow.response_symbols = Some(40))),
        "flows[0].response_symbols"
    );
}
