//! Properties of packets that a program injects (docs/how-to/co-simulation.md).

mod refusals;

use std::collections::BTreeMap;

use crate::networks::random::any_network;
use crate::networks::topology;
use crate::random;
use crate::rings;
use crate::traces::{Packet, drawn, packet, traced};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::injection::{InjectedPacket, Outcome, PacketEvent};
use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, ErrorsSpec, FlowSpec, GroupSpec, LinkSpec, NetworkSpec};

/// Flow through which a program injects the packets of a node.
pub(crate) fn door(spec: &NetworkSpec, source: u32, groups: GroupSpec) -> FlowSpec {
    let shortest = spec.format.min_send_symbols().max(spec.format.echo_symbols + 1);
    let limits = crate::protocol(spec).limits(spec.shape());
    let priority = (spec.queues.priorities.min(limits.levels) - 1) as u8;
    FlowSpec {
        priority,
        groups,
        ..FlowSpec::new(source, DestinationSpec::Uniform {}, ArrivalSpec::Injected { most_symbols: None }, shortest)
    }
}

/// Two specs of which the first flows have their own arrivals. Those of the others come from a trace in one spec, and
/// are injected in the other.
fn twins(mut spec: NetworkSpec) -> (NetworkSpec, NetworkSpec) {
    let own = spec.flows.len() / 2;
    let others = spec.flows.split_off(own);
    let mut injected = spec.clone();
    for flow in others {
        if injected.flows[own..].iter().all(|door| door.source != flow.source) {
            let door = door(&spec, flow.source, flow.groups.clone());
            injected.flows.push(door);
        }
        spec.flows.push(traced(flow, false, false));
    }
    (spec, injected)
}

/// Packets of the flows from number `first` on that go elsewhere, no two of a node in one cycle of its ring: of those a
/// trace has the lower flow first.
fn packets(spec: &NetworkSpec, first: u32, drawn: &[(u64, u32, u32, Vec<u32>)]) -> Vec<Packet> {
    let (mut cycle, flows) = (0, spec.flows.len() as u32 - first);
    let rings = spec.network.iter().flat_map(|network| &network.rings);
    let least_gap = rings.map(|ring| u64::from(ring.symbol_cycles)).max().unwrap_or(1);
    let elsewhere = |&(gap, flow, destination, _): &(u64, u32, u32, Vec<u32>)| {
        cycle += gap.max(least_gap);
        let flow = first + flow % flows;
        let destination = destination % spec.nodes;
        let stays = destination == spec.flows[flow as usize].source;
        (!stays).then(|| packet(cycle, flow, destination, &[]))
    };
    drawn.iter().filter_map(elsewhere).collect()
}

/// The packet of a flow that could be one of a trace, as it is injected.
fn injected(spec: &NetworkSpec, packet: &Packet) -> InjectedPacket {
    let flow = &spec.flows[packet.flow as usize];
    let group = match &flow.groups {
        GroupSpec::Fixed { group } => Some(*group),
        GroupSpec::ByDestination { groups } => Some(groups[packet.destination as usize]),
        GroupSpec::Schedule { .. } => None,
    };
    InjectedPacket {
        cycle: packet.cycle,
        source: flow.source,
        destination: packet.destination,
        symbols: flow.sizes[0].0,
        response_symbols: flow.response_symbols,
        priority: flow.priority,
        group,
    }
}

/// Node, port and link counters, and the counts of the flows of each node.
fn by_node(simulation: &Simulation, spec: &NetworkSpec) -> String {
    let mut sums: BTreeMap<u32, [u64; 8]> = BTreeMap::new();
    let counters = simulation.flow_counters();
    for (flow, counted) in spec.flows.iter().zip(&counters) {
        let sum = sums.entry(flow.source).or_default();
        let all = [
            counted.generated_packets,
            counted.lost_packets,
            counted.sent_packets,
            counted.retries,
            counted.delivered_packets,
            counted.delivered_symbols,
            counted.latency_sum_cycles,
            counted.host().delivered_responses,
        ];
        sum.iter_mut().zip(all).for_each(|(sum, one)| *sum += one);
    }
    let latencies = simulation.latencies(0..counters.len());
    let latencies: Vec<_> =
        latencies.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_at_value())).collect();
    let (ports, links) = (simulation.port_counters(), simulation.link_counters());
    format!("{sums:?}\n{latencies:?}\n{:?}\n{ports:?}\n{links:?}", simulation.node_counters())
}

/// Injects each packet at the last moment or up to `ahead` cycles before, and advances to cycle `end` by these steps,
/// repeated.
fn inject(
    mut simulation: Simulation,
    packets: &[InjectedPacket],
    steps: &[u64],
    ahead: u64,
    end: u64,
) -> (Simulation, Vec<PacketEvent>) {
    let (mut events, mut steps, mut next) = (Vec::new(), steps.iter().cycle(), 0);
    while simulation.cycle() < end {
        let now = simulation.cycle();
        while next < packets.len() && packets[next].cycle <= now + ahead {
            let number = simulation.inject(&packets[next]).expect("a valid packet");
            assert_eq!(number as usize, next);
            next += 1;
        }
        let until = packets.get(next).map_or(end, |packet| packet.cycle - ahead).min(end);
        simulation.advance((*steps.next().expect("steps are repeated")).min(until - now));
        events.extend(simulation.take_events());
    }
    (simulation, events)
}

/// Any ring with at least two flows, the last of which are injected.
fn ring() -> impl Strategy<Value = NetworkSpec> {
    random::network().prop_filter("few flows", |spec| spec.flows.len() > 1)
}

/// Makes groups that change with time fixed: with them the door equals the flow of a trace only if this flow is alone.
fn with_steady_groups(mut spec: NetworkSpec) -> NetworkSpec {
    for flow in &mut spec.flows {
        if let GroupSpec::Schedule { steps } = &flow.groups {
            flow.groups = GroupSpec::Fixed { group: steps[0].1 };
        }
    }
    spec
}

const CYCLES: u64 = 9_000;

fn replayed(spec: &NetworkSpec, packets: &[Packet]) -> String {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation.advance(CYCLES);
    by_node(&simulation, spec)
}

fn alike(
    spec: NetworkSpec,
    drawn: &[(u64, u32, u32, Vec<u32>)],
    steps: &[u64],
    ahead: u64,
) -> Result<(), TestCaseError> {
    let first = (spec.flows.len() / 2) as u32;
    let (traced, spec) = twins(with_steady_groups(spec));
    let packets = packets(&traced, first, drawn);
    let given: Vec<_> = packets.iter().map(|packet| injected(&traced, packet)).collect();
    let whole = Simulation::new(&spec).expect("a valid spec");
    let (simulation, events) = inject(whole.fork(), &given, &[CYCLES], u64::MAX >> 1, CYCLES);
    prop_assert_eq!(replayed(&traced, &packets), by_node(&simulation, &spec));
    let (stepped, by_steps) = inject(whole.fork(), &given, steps, ahead, CYCLES);
    prop_assert_eq!(by_node(&stepped, &spec), by_node(&simulation, &spec));
    prop_assert_eq!(&by_steps, &events);
    each_ends_once(&given, &events)?;
    // Half way on a copy goes on like the simulation, and so does one that was saved.
    let half = given.partition_point(|packet| packet.cycle < CYCLES / 2);
    let (half_way, early_events) = inject(whole, &given[..half], steps, ahead, CYCLES / 2);
    let mut restored = Simulation::new(&spec).expect("a valid spec");
    restored.restore(&half_way.save()).expect("it was just saved");
    for mut copy in [half_way.fork(), restored] {
        copy.use_threads(3);
        for packet in &given[half..] {
            copy.inject(packet).expect("a valid packet");
        }
        copy.advance(CYCLES - CYCLES / 2);
        prop_assert_eq!(by_node(&copy, &spec), by_node(&simulation, &spec));
        let all: Vec<_> = early_events.iter().copied().chain(copy.take_events()).collect();
        prop_assert_eq!(&all, &events);
    }
    prop_assert_eq!(half_way.cycle(), CYCLES / 2, "the copy leaves it alone");
    Ok(())
}

/// A packet is sent once for the first time and delivered or lost once, and so is its response.
fn each_ends_once(packets: &[InjectedPacket], events: &[PacketEvent]) -> Result<(), TestCaseError> {
    let mut seen: BTreeMap<(u32, bool), Vec<(Outcome, u64)>> = BTreeMap::new();
    for event in events {
        seen.entry((event.packet, event.response)).or_default().push((event.outcome, event.cycle));
    }
    for (&(number, response), events) in &seen {
        let packet = &packets[number as usize];
        let of = |outcome| events.iter().filter(move |event| event.0 == outcome);
        prop_assert!(of(Outcome::Sent).count() <= 1, "{number}: {events:?}");
        prop_assert!(of(Outcome::Delivered).count() + of(Outcome::Lost).count() <= 1, "{number}: {events:?}");
        prop_assert!(!response || packet.response_symbols.is_some());
        prop_assert!(events.iter().all(|event| event.1 >= packet.cycle));
        if let Some(delivered) = of(Outcome::Delivered).next() {
            prop_assert_eq!(of(Outcome::Sent).count(), 1);
            prop_assert!(delivered.1 >= of(Outcome::Sent).next().expect("just counted").1);
        }
        if response {
            let created = of(Outcome::Created).next().expect("a response begins with it").1;
            prop_assert!(events.iter().all(|event| event.1 >= created));
            prop_assert!(seen[&(number, false)].iter().any(|event| event.0 == Outcome::Sent && event.1 < created));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(40))]

    /// Beside a ring's own traffic, with all protocols.
    #[test]
    fn injected_packets_of_a_ring_are_those_of_a_trace(
        spec in ring(), drawn in drawn(), steps in proptest::collection::vec(1..900u64, 1..9), ahead in 0..300u64,
    ) {
        alike(spec, &drawn, &steps, ahead)?;
    }

    #[test]
    fn injected_packets_of_a_network_are_those_of_a_trace(
        spec in any_network(), drawn in drawn(), steps in proptest::collection::vec(1..900u64, 1..9),
        ahead in 0..300u64,
    ) {
        alike(spec, &drawn, &steps, ahead)?;
    }

    /// A network to which nothing is done is the same whether something could be done or not.
    #[test]
    fn doors_change_nothing(
        mut spec in prop_oneof![ring().boxed(), any_network().boxed()],
        cycles in 1..10_000u64,
    ) {
        let run = |spec: &NetworkSpec| {
            let mut simulation = Simulation::new(spec).expect("a valid spec");
            simulation.advance(cycles);
            by_node(&simulation, spec)
        };
        let groups_of = |node| {
            let own = spec.flows.iter().find(|flow| flow.source == node);
            own.map_or(GroupSpec::Fixed { group: 0 }, |flow| flow.groups.clone())
        };
        let groups: Vec<GroupSpec> = (0..spec.nodes).map(groups_of).collect();
        // The group of a door counts where all others share one: that of its node's responses does, too.
        if spec.network.is_none() {
            spec.response_groups = Some(groups.clone());
        }
        let mut with_doors = spec.clone();
        for (node, groups) in (0..).zip(groups) {
            let sends = spec.flows.iter().any(|flow| flow.source == node);
            let network = spec.network.as_ref();
            let in_groups = network.is_some_and(|network| network.rings.iter().any(|ring| ring.groups.is_some()));
            if sends || !in_groups {
                with_doors.flows.push(door(&spec, node, groups));
            }
        }
        let with_doors_found = run(&with_doors);
        let found = run(&spec);
        // Nodes that only their door is counted for have counted nothing.
        let rest = |text: &str| text.split_once('\n').expect("several lines").1.to_owned();
        prop_assert_eq!(rest(&found), rest(&with_doors_found));
    }

    /// A program that rewrites group registers does what a schedule does, in whatever steps.
    #[test]
    fn rewritten_groups_are_scheduled_ones(
        groups in 2..6u8, rewritten in proptest::collection::vec((1..400u64, 0..4u32, 0..6u8), 0..12),
        steps in proptest::collection::vec(1..200u64, 1..5), seed in any::<u64>(),
    ) {
        let control = rings::grouped(Extension::Passing, Release::Unblocked, groups.into());
        let flows = (0..4).map(|source| {
            rings::uniform(rings::flow(source, (source + 1) % 4, 20, ArrivalSpec::Poisson { rate: 0.02 }))
        });
        let mut spec = rings::ring(4, 2, control, flows.collect());
        spec.seed = seed;
        let mut cycle = 0;
        let mut scheduled = vec![vec![(0, 0)]; 4];
        let mut calls = Vec::new();
        for (gap, node, group) in rewritten {
            cycle += gap;
            scheduled[node as usize].push((cycle, group % groups));
            calls.push((cycle, node, group % groups));
        }
        let mut with_schedule = spec.clone();
        for (flow, steps) in with_schedule.flows.iter_mut().zip(scheduled) {
            flow.groups = GroupSpec::Schedule { steps };
        }
        spec.flows.push(door(&spec, 0, GroupSpec::Fixed { group: 0 }));
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        let mut steps = steps.iter().cycle();
        for (cycle, node, group) in calls {
            while simulation.cycle() < cycle {
                simulation.advance((*steps.next().expect("they are repeated")).min(cycle - simulation.cycle()));
            }
            simulation.set_group(node, group).expect("a group that there is");
        }
        simulation.advance(5_000 - simulation.cycle());
        let mut other = Simulation::new(&with_schedule).expect("a valid spec");
        other.advance(5_000);
        prop_assert_eq!(by_node(&other, &with_schedule), by_node(&simulation, &spec));
    }
}

/// Behind an idle, over some hops of two cycles, and then its length.
fn trip(hops: u64, symbols: u64) -> u64 {
    1 + 2 * hops + symbols
}

fn quiet_ring() -> NetworkSpec {
    let mut spec = rings::ring(4, 2, rings::grouped(Extension::Passing, Release::Unblocked, 3), Vec::new());
    spec.queues.priorities = 4;
    for node in 0..4 {
        spec.flows.push(door(&spec, node, GroupSpec::Fixed { group: 0 }));
    }
    spec
}

fn at(cycle: u64, source: u32, destination: u32, symbols: u32) -> InjectedPacket {
    InjectedPacket { cycle, source, destination, symbols, response_symbols: None, priority: 0, group: None }
}

fn run(spec: &NetworkSpec, packets: &[InjectedPacket]) -> Vec<(u64, u32, bool, Outcome)> {
    let simulation = Simulation::new(spec).expect("a valid spec");
    let (_, events) = inject(simulation, packets, &[3_000], u64::MAX >> 1, 3_000);
    events.iter().map(|event| (event.cycle, event.packet, event.response, event.outcome)).collect()
}

#[test]
fn a_packet_and_its_response_take_their_way() {
    let read = InjectedPacket { response_symbols: Some(40), ..at(100, 1, 3, 8) };
    let there = 100 + trip(2, 8);
    assert_eq!(
        run(&quiet_ring(), &[read]),
        [
            (101, 0, false, Outcome::Sent),
            (there, 0, false, Outcome::Delivered),
            (there, 0, true, Outcome::Created),
            (there + 1, 0, true, Outcome::Sent),
            (there + trip(2, 40), 0, true, Outcome::Delivered),
        ]
    );
}

#[test]
fn the_higher_priority_goes_first_and_of_one_cycle_the_one_injected_first() {
    let urgent = InjectedPacket { priority: 3, ..at(100, 0, 1, 8) };
    let sent: Vec<u32> = run(&quiet_ring(), &[at(100, 0, 1, 20), at(100, 0, 1, 12), urgent])
        .into_iter()
        .filter(|event| event.3 == Outcome::Sent)
        .map(|event| event.1)
        .collect();
    assert_eq!(sent, [2, 0, 1]);
}

#[test]
fn what_finds_the_queue_full_is_lost_at_once() {
    let mut spec = quiet_ring();
    spec.queues.limits.common.transmit_capacity = Some(1);
    let lost = run(&spec, &[at(100, 0, 1, 8), at(100, 0, 1, 8)]);
    assert_eq!(lost[0], (100, 1, false, Outcome::Lost));
    assert_eq!(lost.iter().filter(|event| event.3 == Outcome::Delivered).count(), 1);
}

#[test]
fn a_refused_packet_is_sent_again() {
    let mut spec = quiet_ring();
    spec.queues.receive.common.capacity = Some(1);
    spec.queues.receive.common.service_cycles = 40;
    let outcomes = run(&spec, &[at(100, 0, 2, 8), at(100, 1, 2, 8)]);
    assert!(outcomes.iter().filter(|event| event.3 == Outcome::SentAgain).count() > 0, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|event| event.3 == Outcome::Delivered).count(), 2);
}

/// A ring of a quarter of the link rate knows no times within its symbols.
#[test]
fn what_starts_within_a_symbol_of_a_slow_ring_starts_in_the_order_in_which_it_was_injected() {
    let mut spec = crate::networks::network(
        vec![crate::networks::ring((0..2).map(crate::networks::node).collect(), Vec::new())],
        crate::networks::KIND,
        &[],
        Vec::new(),
    );
    topology(&mut spec).rings[0].symbol_cycles = 4;
    spec.flows = vec![door(&spec, 0, GroupSpec::Fixed { group: 0 })];
    let sent = |times: [u64; 2]| {
        let outcomes = run(&spec, &times.map(|time| at(time, 0, 1, 8)));
        let sent = outcomes.into_iter().filter(|event| event.3 == Outcome::Sent);
        sent.map(|event| event.1).collect::<Vec<_>>()
    };
    assert_eq!(sent([100, 97]), [0, 1], "both start with the symbol of cycle 100");
    assert_eq!(sent([101, 97]), [1, 0]);
}

/// A packet that dies with a link has an event of its own.
#[test]
fn what_is_given_up_is_lost() {
    let mut spec = crate::networks::network(
        vec![crate::networks::ring((0..2).map(crate::networks::node).collect(), Vec::new())],
        crate::networks::KIND,
        &[],
        Vec::new(),
    );
    spec.flows = (0..2).map(|node| door(&spec, node, GroupSpec::Fixed { group: 0 })).collect();
    let link = LinkSpec { ring: 0, place: 0, bit_error_rate: None, interruptions: vec![(0, None)] };
    topology(&mut spec).errors = Some(ErrorsSpec {
        bit_error_rate: 0.0,
        links: vec![link],
        timeout_cycles: 1_000,
        max_timeouts: Some(1),
        ..ErrorsSpec::default()
    });
    let outcomes = run(&spec, &[at(100, 0, 1, 8)]);
    assert_eq!(outcomes.last().expect("something").3, Outcome::Lost, "{outcomes:?}");
}
