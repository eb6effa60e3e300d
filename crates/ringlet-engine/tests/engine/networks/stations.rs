//! Stations on two rings (docs/explanation/network-model.md, "Stations on two rings").

use std::collections::BTreeMap;

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::activities::chain::{ChainSpec, StageSpec};
use ringlet_engine::chains::ChainCounters;
use ringlet_engine::protocols::{none::NoneSpec, rpr::RprSpec, sci::SciSpec};
use ringlet_engine::record::{Fate, Recorder, RunKind};
use ringlet_engine::spec::{
    ArrivalSpec, BypassSpec, DestinationSpec, ECHO_SYMBOLS, ErrorsSpec, FlowSpec, InterfaceSpec, LINK_WIDTH, LinkSpec,
    MessagesSpec, NetworkSpec, PacketFormatSpec, SizeSpec, WaysSpec,
};

use super::{every, fingerprint, flow, node, ring, to, topology, unconnected};
use crate::against_reference::histogram;
use crate::destinations::{latencies as latencies_of, summed, times_of};
use crate::message_rules::{PACKET, sized};
use crate::reference::{Delivery, Reference};

/// Stations on a ring in the order of their numbers, and on another one in the opposite direction.
const WITHOUT_ECHOES: PacketFormatSpec =
    PacketFormatSpec { link_width: LINK_WIDTH, echo_symbols: ECHO_SYMBOLS, framing_symbols: None, echoes: false };

fn stations(nodes: u32, ways: WaysSpec, flows: Vec<FlowSpec>) -> NetworkSpec {
    let first = (0..nodes).map(node).collect();
    let second = (0..nodes).rev().map(|second| InterfaceSpec::Second { second }).collect();
    let rings = vec![ring(first, Vec::new()), ring(second, Vec::new())];
    NetworkSpec {
        format: WITHOUT_ECHOES,
        network: Some(Box::new(ringlet_engine::spec::TopologySpec { ways: Some(ways), ..unconnected(rings) })),
        ..NetworkSpec::ring(nodes, NoneSpec {}, flows)
    }
}

/// Stations whose senders wait for echoes, of so many packets at most.
fn with_echoes(spec: NetworkSpec, outstanding: u32) -> NetworkSpec {
    let mut spec = NetworkSpec { format: PacketFormatSpec { echoes: true, ..WITHOUT_ECHOES }, ..spec };
    spec.queues.limits.common.outstanding_limit = Some(outstanding);
    spec
}

/// To the nodes of the shorter way, to the first ring those half of the way round.
fn shorter(nodes: u32) -> WaysSpec {
    WaysSpec::One { ahead: vec![nodes / 2; nodes as usize] }
}

fn simulate(spec: &NetworkSpec, cycles: u64) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.advance(cycles);
    simulation
}

/// Messages of one to three packets at random times, up to 40 cycles late.
fn messages(source: u32, destinations: DestinationSpec, rate: f64) -> FlowSpec {
    FlowSpec {
        messages: Some(Box::new(MessagesSpec {
            jitter_cycles: 40,
            size: SizeSpec::Uniform { least: 1, most: 190 },
            packet_bytes: 64,
            by_destination: false,
            start_cycle: 0,
            stop_cycle: None,
            total: None,
            times: Vec::new(),
        })),
        ..flow(source, destinations, ArrivalSpec::Poisson { rate })
    }
}

fn any_flow(nodes: u32) -> impl Strategy<Value = FlowSpec> {
    let far = (0..nodes, 1..nodes).prop_map(move |(source, distance)| (source, to((source + distance) % nodes)));
    let responds = proptest::option::weighted(0.4, 8..60u32);
    (far, 0..4, 1e-4..4e-3, any::<bool>(), responds).prop_map(move |((source, one), kind, rate, uniform, response)| {
        let destinations = if uniform { DestinationSpec::Uniform {} } else { one.clone() };
        let requests = match kind {
            0 => flow(source, destinations, ArrivalSpec::Poisson { rate }),
            1 => flow(source, one, every(1.0 / rate)),
            2 => FlowSpec { burst: 3, ..flow(source, one, every(3.0 / rate)) },
            _ => messages(source, destinations, rate / 2.0),
        };
        FlowSpec { response_symbols: response, ..requests }
    })
}

/// A loop that goes from node to node and comes back, as often as there are stages.
fn any_loop(nodes: u32) -> impl Strategy<Value = (Vec<u32>, u64, u64)> {
    (proptest::collection::vec(1..nodes, 1..6), 1..200u64, 1_000..4_000u64)
}

/// Adds a loop with these steps along the ring, so long a wait at each node and this period.
fn with_loop(mut spec: NetworkSpec, (steps, wait, period): &(Vec<u32>, u64, u64)) -> NetworkSpec {
    let mut here = 0;
    let mut stages = Vec::new();
    for step in steps {
        let destination = (here + step) % spec.nodes;
        stages.push(StageSpec { flow: spec.flows.len() as u32, destination, packets: 2, after_cycles: *wait });
        let arrivals = ArrivalSpec::Trace { responses: false, dependence_driven: true };
        spec.flows.push(flow(here, DestinationSpec::Uniform {}, arrivals));
        here = destination;
    }
    let release = every(*period as f64);
    spec.workload =
        vec![ChainSpec { release, jitter_cycles: 0, deadline_cycles: *period, stages, end_cycles: 7 }.into()];
    spec
}

pub(crate) fn any_stations() -> impl Strategy<Value = NetworkSpec> {
    (2..9u32).prop_flat_map(|nodes| {
        let flows = proptest::collection::vec(any_flow(nodes), 1..6);
        (flows, any::<bool>(), 1..30u32, 0..3).prop_map(move |(flows, both, hop_delay, protocol)| {
            let ways = if both { WaysSpec::Both {} } else { shorter(nodes) };
            let flow_control = match protocol {
                0 => NoneSpec {}.into(),
                1 => SciSpec::EXAMPLE.into(),
                _ => RprSpec::EXAMPLE.into(),
            };
            let format = PacketFormatSpec { echoes: protocol == 1, ..WITHOUT_ECHOES };
            NetworkSpec { hop_delay: hop_delay.into(), flow_control, format, ..stations(nodes, ways, flows) }
        })
    })
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// Neither steps nor threads nor saving matters.
    #[test]
    fn stations_give_the_same_in_any_pieces(
        spec in any_stations(), cuts in proptest::collection::vec(1..4_000u64, 1..12)
    ) {
        let whole = fingerprint(&simulate(&spec, cuts.iter().sum()));
        let mut pieces = Simulation::new(&spec).expect("a valid spec");
        pieces.use_threads(2);
        for &cycles in &cuts {
            pieces.advance(cycles);
            let saved = pieces.save();
            pieces.restore(&saved).expect("it has just been saved");
        }
        prop_assert_eq!(whole, fingerprint(&pieces));
    }

    /// So it is with loops, whose messages come in by either ring and go on by either.
    #[test]
    fn loops_of_stations_give_the_same_in_any_pieces(
        (spec, one) in any_stations().prop_flat_map(|spec| { let nodes = spec.nodes; (Just(spec), any_loop(nodes)) }),
        cuts in proptest::collection::vec(1..4_000u64, 1..8),
    ) {
        let spec = with_loop(spec, &one);
        let whole = simulate(&spec, cuts.iter().sum());
        let mut pieces = Simulation::new(&spec).expect("a valid spec");
        for &cycles in &cuts {
            pieces.advance(cycles);
            let saved = pieces.save();
            pieces.restore(&saved).expect("it has just been saved");
        }
        prop_assert_eq!(fingerprint(&whole), fingerprint(&pieces));
        let counted = |simulation: &Simulation| {
            let one = simulation.activity_counters::<ChainCounters>()[0];
            // A histogram that was saved knows its largest value to three digits only.
            (one.released, one.responses.len(), one.due, one.missed, one.sum_cycles, one.min_cycles, one.max_cycles)
        };
        prop_assert_eq!(counted(&whole), counted(&pieces));
    }

    /// A recording sees each interface apart, and every copy that is dropped.
    #[test]
    fn a_recording_counts_what_stations_count(spec in any_stations(), cycles in 1..4_000u64) {
        let recorder = Recorder::new(0, cycles);
        let mut simulation = Simulation::new(&spec).expect("a valid spec").recorded(recorder.clone());
        simulation.advance(cycles);
        let recording = recorder.finish();
        for (node, counted) in (0..).zip(simulation.node_counters()) {
            let runs = recording.runs.iter().filter(|run| [node, node + spec.nodes].contains(&run.node));
            let sent = runs.filter(|run| run.kind == RunKind::Send);
            let symbols: u64 = sent.map(|run| (run.cycle + u64::from(run.count)).min(cycles) - run.cycle).sum();
            prop_assert_eq!(symbols, counted.link_send_symbols);
        }
        prop_assert!(recording.runs.iter().all(|run| run.node < 2 * spec.nodes));
        let count = |fate: Fate| recording.events.iter().filter(|event| event.fate == fate).count() as u64;
        let delivered: u64 = simulation.flow_counters().iter().map(|flow| flow.delivered_packets).sum();
        prop_assert!(count(Fate::Delivered).abs_diff(delivered) <= u64::from(spec.nodes));
        // Parts of a flow at both interfaces are told apart: each packet starts at one node, at one time.
        for event in recording.events.iter().filter(|event| event.fate == Fate::Delivered) {
            let packet = recording.packets[event.packet as usize];
            prop_assert!(packet.generated < event.cycle && packet.destination == event.node % spec.nodes);
        }
        let mut once: Vec<_> = recording.events.iter().filter(|event| event.fate == Fate::Delivered).collect();
        once.sort_by_key(|event| event.packet);
        once.dedup_by_key(|event| event.packet);
        // What is delivered in the last cycle has not been compared yet.
        prop_assert!(count(Fate::Delivered) - once.len() as u64 <= u64::from(spec.nodes));
        if !matches!(spec.network.and_then(|network| network.ways), Some(WaysSpec::Both {})) {
            prop_assert_eq!(count(Fate::Dropped), 0);
        }
    }

    /// Each ring is as if it were alone, and of both copies of a packet the earlier one counts.
    #[test]
    fn the_first_copy_of_a_packet_counts(
        nodes in 2..9u32, hop_delay in 1..30u32, rates in proptest::collection::vec(1e-4..6e-3, 1..6)
    ) {
        let numbered = || (0u32..).zip(&rates);
        let to_next = |place: u32, step: u32| (place + step) % nodes;
        let flows_of = |mirrored: bool| -> Vec<FlowSpec> {
            let place = |station: u32| if mirrored { nodes - 1 - station } else { station };
            let flow_of = |(number, &rate): (u32, &f64)| {
                let (source, step) = (number % nodes, 1 + number % (nodes - 1).max(1));
                let destination = to(place(to_next(source, step % nodes)));
                messages(place(source), destination, rate / 2.0)
            };
            numbered().map(flow_of).collect()
        };
        let spec = NetworkSpec { hop_delay: hop_delay.into(), ..stations(nodes, WaysSpec::Both {}, flows_of(false)) };
        let found = simulate(&spec, 60_000);
        let mut first = BTreeMap::new();
        for mirrored in [false, true] {
            let alone = NetworkSpec {
                hop_delay: hop_delay.into(),
                format: WITHOUT_ECHOES,
                ..NetworkSpec::ring(nodes, NoneSpec {}, flows_of(mirrored))
            };
            let mut alone = Simulation::new(&alone).expect("a valid spec");
            alone.keep_deliveries();
            alone.advance(60_000);
            for delivered in alone.take_deliveries() {
                let packet = delivered.packet;
                let latency = delivered.cycle - packet.generated;
                let earliest = first.entry((packet.flow, packet.message, packet.part)).or_insert(latency);
                *earliest = latency.min(*earliest);
            }
        }
        for (index, counters) in (0u32..).zip(found.flow_counters()) {
            let own = || first.iter().filter(|((flow, ..), _)| *flow == index).map(|(_, latency)| *latency);
            // A copy that ends in the last cycle may stand in one list only.
            prop_assert!(counters.delivered_packets.abs_diff(own().count() as u64) <= 1);
            if counters.delivered_packets == own().count() as u64 {
                prop_assert_eq!(counters.latency_sum_cycles, own().sum::<u64>());
                prop_assert_eq!(counters.latency_max_cycles, own().max().unwrap_or(0));
            }
        }
    }

    /// Any one link that breaks, of either ring, at any time and for any time, costs no packet (IEC 62439-3).
    #[test]
    fn no_single_failure_loses_a_packet(
        spec in any_stations(), (ring, place) in (0..2u32, 0..9u32), (from, lasts) in (1..20_000u64, 1..20_000u64),
    ) {
        let mut spec = NetworkSpec { format: WITHOUT_ECHOES, flow_control: NoneSpec {}.into(), ..spec };
        let place = place % spec.nodes;
        topology(&mut spec).ways = Some(WaysSpec::Both {});
        let whole = simulate(&spec, 200_000);
        let interruptions = vec![(from, Some(from + lasts))];
        let links = vec![LinkSpec { ring, place, bit_error_rate: None, interruptions }];
        topology(&mut spec).errors = Some(ErrorsSpec { links, timeout_cycles: 100_000, ..ErrorsSpec::default() });
        let broken = simulate(&spec, 200_000);
        let each = whole.flow_counters().into_iter().zip(broken.flow_counters());
        for (index, (whole, broken)) in each.enumerate() {
            prop_assert_eq!(whole.generated_packets, broken.generated_packets);
            // What is under way at the end may be late.
            prop_assert!(broken.delivered_packets + 8 >= whole.delivered_packets, "flow {}", index);
            prop_assert_eq!(broken.host().given_up_packets, 0);
        }
        prop_assert!(broken.message_counters().iter().flatten().all(|counted| counted.lost == 0));
    }
}

/// Every place and every cycle is tried, since nothing is drawn: no link and no station of an HSR ring that fails,
/// in any cycle of a hyperperiod, costs a message of stations that live, nor time beyond that of the copy that is left.
#[test]
fn no_failure_at_any_place_in_any_cycle_loses_a_message() {
    const NODES: u32 = 5;
    const HYPERPERIOD: u64 = 240;
    let flows = vec![
        flow(0, to(2), every(120.0)),
        flow(3, to(1), every(240.0)),
        FlowSpec { burst: 2, ..flow(4, to(0), ArrivalSpec::Periodic { period: 240.0, phase: 31.0 }) },
    ];
    let spec = NetworkSpec { hop_delay: 7.into(), ..stations(NODES, WaysSpec::Both {}, flows) };
    let counted = |simulation: &Simulation| -> Vec<(u64, u64)> {
        simulation.flow_counters().iter().map(|flow| (flow.generated_packets, flow.delivered_packets)).collect()
    };
    // All is as it was a hyperperiod before, so that one of them holds every instant.
    let ends = [4, 5].map(|periods| counted(&simulate(&spec, periods * HYPERPERIOD)));
    for ((before, after), each) in ends[0].iter().zip(&ends[1]).zip([2, 1, 2]) {
        assert_eq!((after.0 - before.0, after.1 - before.1), (each, each));
    }
    let whole = simulate(&spec, 12 * HYPERPERIOD);
    let slowest: Vec<u64> = (0..NODES)
        .map(|cut| {
            // Without one link of each ring for good, from the start.
            let worst = [(0, cut), (1, cut)].map(|link| {
                let alone = simulate(&failing(&spec, &[link], 1), 12 * HYPERPERIOD);
                alone.flow_counters().iter().map(|flow| flow.latency_max_cycles).max().unwrap_or(0)
            });
            worst.into_iter().max().unwrap_or(0)
        })
        .collect();
    let slowest = slowest.into_iter().max().expect("a link");
    let mut failures: Vec<_> =
        (0..2).flat_map(|ring| (0..NODES).map(move |place| (vec![(ring, place)], None))).collect();
    for station in 0..NODES {
        let mirrored = NODES - 1 - station;
        let before = |place: u32| (place + NODES - 1) % NODES;
        let links = vec![(0, station), (0, before(station)), (1, mirrored), (1, before(mirrored))];
        failures.push((links, Some(station)));
    }
    for (links, station) in failures {
        for from in 5 * HYPERPERIOD..6 * HYPERPERIOD {
            let broken = simulate(&failing(&spec, &links, from), 12 * HYPERPERIOD);
            let each = whole.flow_counters().into_iter().zip(broken.flow_counters());
            for (index, (whole, broken)) in each.enumerate() {
                let ends = [spec.flows[index].source, destination_of(&spec.flows[index])];
                if station.is_some_and(|station| ends.contains(&station)) {
                    continue;
                }
                let place = format!("flow {index}, links {links:?} from cycle {from}");
                assert_eq!(whole.delivered_packets, broken.delivered_packets, "{place}");
                assert_eq!(broken.host().given_up_packets, 0, "{place}");
                assert!(broken.latency_max_cycles <= slowest, "{place}");
            }
        }
    }
}

fn destination_of(flow: &FlowSpec) -> u32 {
    if let DestinationSpec::Fixed { node } = flow.destinations { node } else { unreachable!("one destination each") }
}

/// The stations with links that fail for good from a cycle on.
fn failing(spec: &NetworkSpec, links: &[(u32, u32)], from: u64) -> NetworkSpec {
    let mut spec = spec.clone();
    let interruptions = vec![(from, None)];
    let links = links.iter().map(|&(ring, place)| LinkSpec {
        ring,
        place,
        bit_error_rate: None,
        interruptions: interruptions.clone(),
    });
    topology(&mut spec).errors =
        Some(ErrorsSpec { links: links.collect(), timeout_cycles: 100_000, ..ErrorsSpec::default() });
    spec
}

/// A packet that loses both copies is lost, and one that loses one is not.
#[test]
fn a_packet_is_lost_if_both_copies_are() {
    let mut spec = stations(4, WaysSpec::Both {}, vec![flow(0, to(2), every(1_000.0))]);
    let broken = |ring, place, from, until| LinkSpec {
        ring,
        place,
        bit_error_rate: None,
        interruptions: vec![(from, Some(until))],
    };
    // Of ring 1 the link that leaves node 0 is that of the last place.
    let links = vec![broken(0, 0, 1, 50_500), broken(1, 3, 40_500, 90_500)];
    topology(&mut spec).errors = Some(ErrorsSpec { links, timeout_cycles: 10_000, ..ErrorsSpec::default() });
    let simulation = simulate(&spec, 100_500);
    let counters = simulation.flow_counters()[0];
    let lost: u64 = simulation.error_counters().iter().map(|errors| errors.lost_sends).sum();
    assert_eq!(
        (counters.generated_packets, counters.delivered_packets, counters.host().given_up_packets),
        (101, 91, 10)
    );
    // What has left by then is lost at the next node: on ring 0 the packets of cycles 0 to 50,000.
    assert_eq!(lost, 101);
}

/// At light load a packet takes the shorter way, whatever says where it goes.
#[test]
fn a_packet_takes_the_ring_that_is_shorter() {
    let direct =
        |distance: u64| simulate(&stations(8, shorter(8), vec![flow(0, to(distance as u32), every(5e3))]), 9_999);
    let latencies: Vec<u64> = (1..8).map(|distance| direct(distance).flow_counters()[0].latency_max_cycles).collect();
    let hop = latencies[1] - latencies[0];
    let expected: Vec<u64> = [1, 2, 3, 4, 3, 2, 1].map(|hops: u64| latencies[0] + (hops - 1) * hop).into();
    assert_eq!(latencies, expected);
    let anywhere = [
        flow(0, DestinationSpec::Uniform {}, ArrivalSpec::Poisson { rate: 1e-4 }),
        messages(0, DestinationSpec::Uniform {}, 1e-5),
    ];
    for one in anywhere {
        let simulation = simulate(&stations(8, shorter(8), vec![one]), 20_000_000);
        let counters = simulation.flow_counters()[0];
        assert!(counters.delivered_packets > 300 && counters.generated_packets < counters.delivered_packets + 4);
    }
}

/// A response takes the shorter way back, which starts a symbol after the service of its request; of two copies of a
/// request only the first one is answered.
#[test]
fn a_response_takes_the_ring_that_is_shorter() {
    let plain = |symbols: u32, source: u32, destination: u32| {
        let one = FlowSpec { sizes: vec![(symbols, 1.0)], ..flow(source, to(destination), every(5e3)) };
        simulate(&stations(8, shorter(8), vec![one]), 50_000).flow_counters()[0].latency_max_cycles
    };
    for ways in [shorter(8), WaysSpec::Both {}] {
        for destination in 1..8 {
            let read =
                FlowSpec { sizes: vec![(8, 1.0)], response_symbols: Some(40), ..flow(0, to(destination), every(5e3)) };
            let simulation = simulate(&stations(8, ways.clone(), vec![read]), 50_000);
            let counted = simulation.flow_counters()[0].clone();
            let (there, back) = (plain(8, 0, destination), plain(40, destination, 0));
            let host = counted.host();
            assert_eq!((counted.delivered_packets, host.delivered_responses), (20, 10), "{ways:?} to {destination}");
            assert_eq!(counted.latency_sum_cycles, 10 * (there + back));
            assert_eq!(host.response_latency_sum_cycles, 10 * back);
            assert_eq!(host.message_latency_sum_cycles, 10 * (there + 1 + back));
        }
    }
}

/// A node sends no more requests than its window says until responses come back, by whatever ring.
#[test]
fn a_window_opens_with_a_response_of_the_other_ring() {
    let reads = vec![FlowSpec { response_symbols: Some(40), ..flow(0, to(2), every(10.0)) }];
    let mut spec = stations(8, shorter(8), reads);
    spec.queues.limits.common.window = Some(1);
    let counted = simulate(&spec, 20_000).flow_counters()[0].clone();
    let alone = FlowSpec { response_symbols: Some(40), ..flow(0, to(2), every(5e3)) };
    let once = simulate(&stations(8, shorter(8), vec![alone]), 4_999).flow_counters()[0].clone();
    let round_trip = once.host().message_latency_sum_cycles;
    let most = 20_000 / round_trip;
    assert!((most - most / 8..=most).contains(&counted.host().delivered_responses), "{round_trip} cycles, {counted:?}");
}

/// A loop there and back takes both ways and the waits, whichever rings they are on.
#[test]
fn a_loop_goes_by_both_rings() {
    let plain = |source: u32, destination: u32| {
        let one = FlowSpec { burst: 2, ..flow(source, to(destination), every(5e3)) };
        simulate(&stations(8, shorter(8), vec![one]), 50_000).flow_counters()[0].latency_max_cycles
    };
    let hops = [(0, 3), (3, 1), (1, 0)];
    let steps: Vec<u32> = hops.iter().map(|&(from, to)| (to + 8 - from) % 8).collect();
    for ways in [shorter(8), WaysSpec::Both {}] {
        let spec = with_loop(stations(8, ways, Vec::new()), &(steps.clone(), 90, 5_000));
        let simulation = simulate(&spec, 51_000);
        let counted = simulation.activity_counters::<ChainCounters>()[0];
        let expected = hops.iter().map(|&(from, to)| plain(from, to) + 90).sum::<u64>() + 7;
        assert_eq!((counted.min_cycles, counted.max_cycles), (expected, expected));
        assert_eq!(counted.missed, 0);
    }
}

/// A station that is bypassed: all that is for it goes round, and its sender takes it off; the others' packets do not
/// notice, and what it has to send waits until it is back.
#[test]
fn a_bypassed_station_is_no_break() {
    for ways in [shorter(8), WaysSpec::Both {}] {
        let flows = vec![flow(0, to(3), every(1e3)), flow(0, to(2), every(1e3)), flow(2, to(4), every(1e3))];
        let mut spec = stations(8, ways, flows);
        let whole =
            simulate(&spec, 60_900).flow_counters().iter().map(|one| one.latency_max_cycles).collect::<Vec<_>>();
        let bypasses = vec![BypassSpec { node: 2, from_cycle: 20_500, until_cycle: Some(40_500) }];
        topology(&mut spec).errors = Some(ErrorsSpec { timeout_cycles: 20_000, bypasses, ..ErrorsSpec::default() });
        let simulation = simulate(&spec, 60_900);
        let counters = simulation.flow_counters();
        let (passing, lost, waiting) = (&counters[0], &counters[1], &counters[2]);
        assert_eq!(passing.delivered_packets, 61);
        // Later what has waited at the station goes before it.
        assert_eq!(simulate(&spec, 40_500).flow_counters()[0].latency_max_cycles, whole[0]);
        assert_eq!((lost.delivered_packets, lost.host().given_up_packets, lost.latency_max_cycles), (41, 20, whole[1]));
        assert_eq!((waiting.delivered_packets, waiting.host().given_up_packets), (61, 0));
        // The packet of cycle 21,000 waits for 19,500 cycles.
        assert!((19_500..20_000).contains(&(waiting.latency_max_cycles - whole[2])));
    }
}

/// Packets to a station that is gone hold no packet to others back, once it is given up; when it is back, it is heard.
#[test]
fn a_destination_that_is_given_up_holds_nobody_back() {
    let delivered = |gives_up_destinations: bool| {
        let flows = vec![flow(0, to(2), every(200.0)), flow(0, to(3), every(200.0))];
        let mut spec = with_echoes(stations(8, shorter(8), flows), 4);
        let bypasses = vec![BypassSpec { node: 2, from_cycle: 10_500, until_cycle: Some(210_500) }];
        topology(&mut spec).errors = Some(ErrorsSpec {
            timeout_cycles: 5_000,
            max_timeouts: Some(1),
            gives_up_destinations,
            bypasses,
            ..ErrorsSpec::default()
        });
        let mut simulation = simulate(&spec, 200_000);
        let during = simulation.flow_counters().iter().map(|one| one.delivered_packets).collect::<Vec<_>>();
        simulation.advance(100_000);
        let behind = simulation.flow_counters().iter().map(|one| one.delivered_packets).collect::<Vec<_>>();
        (during, behind)
    };
    let (held, _) = delivered(false);
    let (free, after) = delivered(true);
    // All four places are taken until the first two time-outs are over, and one afterwards.
    assert!(held[1] < 300, "{held:?}");
    assert!(free[1] >= 995, "{free:?}");
    assert_eq!(free[0], held[0]);
    assert!(after[0] - free[0] > 400, "{after:?}");
    assert!(after[1] >= 1495, "{after:?}");
}

/// A flow that always has a packet for a station that is given up does not take the turns of the others.
#[test]
fn a_saturated_flow_to_a_silent_station_steps_aside() {
    let saturated = |destination: u32| flow(0, to(destination), ArrivalSpec::Saturated {});
    let mut spec = with_echoes(stations(8, shorter(8), vec![saturated(2), saturated(3)]), 4);
    let alone = with_echoes(stations(8, shorter(8), vec![saturated(3)]), 3);
    let bypasses = vec![BypassSpec { node: 2, from_cycle: 1, until_cycle: None }];
    topology(&mut spec).errors = Some(ErrorsSpec {
        timeout_cycles: 5_000,
        max_timeouts: Some(0),
        gives_up_destinations: true,
        bypasses,
        ..ErrorsSpec::default()
    });
    let counters = simulate(&spec, 200_000).flow_counters().into_iter().cloned().collect::<Vec<_>>();
    let most = simulate(&alone, 200_000).flow_counters()[0].delivered_packets;
    assert!(counters[1].delivered_packets > most * 9 / 10, "{} of {most}", counters[1].delivered_packets);
    assert!(counters[0].host().given_up_packets < 100);
}

/// The ring of a side by itself, with the parts of these saturated flows that take it.
fn alone(spec: &NetworkSpec, side: usize, weights: &[Vec<f64>]) -> NetworkSpec {
    let (nodes, count) = (spec.nodes, spec.flows.len());
    let of_side = |source: u32, to: u32| ((to + nodes - source) % nodes <= nodes / 2) == (side == 0);
    // A flow that never sends: what stands behind it draws as the parts at second interfaces do.
    let silent = flow(0, to(1), ArrivalSpec::Periodic { period: 1e12, phase: 1e11 });
    let mut flows = vec![silent; 2 * count];
    for (index, (whole, weights)) in spec.flows.iter().zip(weights).enumerate() {
        let source = whole.source;
        let parts = [true, false].map(|first| {
            let own = |(to, weight): (u32, &f64)| if of_side(source, to) == first { *weight } else { 0.0 };
            (0..).zip(weights).map(own).collect::<Vec<_>>()
        });
        let share: f64 = parts[0].iter().sum();
        if share > 0.0 {
            let is_twin = side == 1 && parts[1].iter().any(|&weight| weight > 0.0);
            let weights = parts[0].iter().map(|weight| weight / share).collect();
            let destinations = DestinationSpec::Weighted { weights };
            flows[index + if is_twin { count } else { 0 }] = FlowSpec { destinations, ..whole.clone() };
        }
    }
    let mut places: Vec<_> = (0..nodes).map(node).collect();
    if side == 1 {
        places.reverse();
    }
    let network = Some(Box::new(unconnected(vec![ring(places, Vec::new())])));
    NetworkSpec { network, flows, ..spec.clone() }
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// Saturated flows to several nodes are counted for each of them, whichever ring leads there, as on each ring
    /// alone; the first one is that of the reference.
    #[test]
    fn destinations_of_saturated_flows_are_those_of_each_ring_alone(
        nodes in 3..9u32,
        hop_delay in 1..30u32,
        protocol in 0..3,
        counts in proptest::collection::vec((0..9u32, proptest::collection::vec(0..4u32, 9)), 1..6),
        steps in proptest::collection::vec(1..4_000u64, 1..4),
    ) {
        let mut weights = Vec::new();
        let mut flows = Vec::new();
        for (number, each) in counts {
            let source = number % nodes;
            let mut each: Vec<u32> = each[..nodes as usize].to_vec();
            each[source as usize] = 0;
            each[((source + 1) % nodes) as usize] += 1;
            let sum = f64::from(each.iter().sum::<u32>());
            weights.push(each.iter().map(|&one| f64::from(one) / sum).collect::<Vec<_>>());
            let destinations = DestinationSpec::Weighted { weights: weights[weights.len() - 1].clone() };
            let messages = MessagesSpec { by_destination: true, ..sized(PACKET.into()) };
            flows.push(FlowSpec {
                messages: Some(Box::new(messages)),
                deadline_cycles: Some(400),
                ..flow(source, destinations, ArrivalSpec::Saturated {})
            });
        }
        let flow_control = match protocol {
            0 => NoneSpec {}.into(),
            1 => SciSpec::EXAMPLE.into(),
            _ => RprSpec::EXAMPLE.into(),
        };
        let format = PacketFormatSpec { echoes: protocol == 1, ..WITHOUT_ECHOES };
        let count = flows.len();
        let spec =
            NetworkSpec { hop_delay: hop_delay.into(), flow_control, format, ..stations(nodes, shorter(nodes), flows) };
        let sides = [0, 1].map(|side| alone(&spec, side, &weights));
        let mut whole = Simulation::new(&spec).expect("a valid spec");
        let mut rings = [0, 1].map(|side: usize| Simulation::new(&sides[side]).expect("a valid spec"));
        for &cycles in &steps {
            whole.advance(cycles);
            let saved = whole.save();
            whole.restore(&saved).expect("it has just been saved");
            rings.iter_mut().for_each(|ring| assert_eq!(ring.advance(cycles), None));
        }
        let mut reference = Reference::new(&NetworkSpec { network: None, ..sides[0].clone() });
        reference.advance(steps.iter().sum());
        let deliveries = reference.deliveries();
        let digits = spec.measurement.latency_digits;
        let messages = whole.message_counters();
        for (index, messages) in messages.into_iter().enumerate() {
            let found = whole.destination_counters(index);
            let mut expected = Vec::new();
            for (side, ring) in rings.iter().enumerate() {
                for place in [index, index + count] {
                    let of_ring = ring.destination_counters(place);
                    if side == 0 {
                        for to in &of_ring {
                            let one = |one: &&Delivery| (one.flow, one.destination) == (place, to.destination);
                            let latencies = deliveries.iter().filter(one).map(Delivery::latency_cycles);
                            let of_reference = histogram(&spec, latencies);
                            prop_assert_eq!(latencies_of(std::slice::from_ref(to), digits), of_reference);
                        }
                    }
                    expected.extend(of_ring);
                }
            }
            expected.sort_by_key(|to| to.destination);
            prop_assert_eq!(&found, &expected, "flow {}", index);
            let counters = whole.flow_counters()[index];
            prop_assert_eq!(summed(&found), (messages.expect("it has messages"), times_of(counters)));
            prop_assert_eq!(latencies_of(&found, digits), whole.message_latencies([index]));
            prop_assert_eq!(found.iter().map(|to| to.completed_messages).sum::<u64>(), counters.delivered_packets);
        }
    }
}

/// Both rings of saturated stations carry what one ring does, each to half of the destinations.
#[test]
fn two_rings_carry_more_than_twice_as_much_as_one() {
    let flows = || (0..8).map(|source| flow(source, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {})).collect();
    let delivered = |spec: &NetworkSpec| -> u64 {
        simulate(spec, 200_000).flow_counters().iter().map(|counters| counters.delivered_packets).sum()
    };
    let one = delivered(&NetworkSpec { format: WITHOUT_ECHOES, ..NetworkSpec::ring(8, RprSpec::EXAMPLE, flows()) });
    let mut spec = stations(8, shorter(8), flows());
    spec.flow_control = RprSpec::EXAMPLE.into();
    let both = delivered(&spec);
    assert!(both > 3 * one, "{both} beside {one}");
}

/// What cannot be sent by two rings is refused, with its place.
#[test]
fn what_two_rings_cannot_send_is_refused() {
    let refused = |spec: &NetworkSpec| Simulation::new(spec).err().map(|error| error.path);
    let saturated = || vec![flow(0, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {})];
    assert_eq!(refused(&stations(4, WaysSpec::Both {}, saturated())), Some("flows[0].arrivals".into()));
    assert_eq!(refused(&stations(4, shorter(4), saturated())), None);
    let answered = || vec![FlowSpec { response_symbols: Some(40), ..flow(0, to(1), every(1e3)) }];
    assert_eq!(refused(&stations(4, shorter(4), answered())), None);
    let mut few = stations(4, shorter(4), answered());
    few.queues.limits.common.response_capacity = Some(4);
    assert_eq!(refused(&few), Some("queues.limits.common.response_capacity".into()));
    let injected = || {
        let arrivals = ArrivalSpec::Injected { most_symbols: None };
        vec![FlowSpec { sizes: vec![(8, 1.0)], ..flow(0, DestinationSpec::Uniform {}, arrivals) }]
    };
    assert_eq!(refused(&stations(4, WaysSpec::Both {}, injected())), Some("flows[0].arrivals".into()));
    let mut lacking = stations(4, shorter(4), saturated());
    topology(&mut lacking).rings[1].interfaces.pop();
    assert_eq!(refused(&lacking), Some("network.rings".into()));
    let both_ways = vec![flow(0, DestinationSpec::Uniform {}, every(1e3))];
    assert_eq!(refused(&stations(4, shorter(4), both_ways)), Some("flows[0].destinations".into()));
}
