//! Stations on two rings (docs/explanation/network-model.md, "Stations on two rings").

use std::collections::BTreeMap;

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::{none::NoneSpec, rpr::RprSpec, sci::SciSpec};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, ECHO_SYMBOLS, ErrorsSpec, FlowSpec, InterfaceSpec, LINK_WIDTH, LinkSpec,
    MessagesSpec, NetworkSpec, PacketFormatSpec, SizeSpec, WaysSpec,
};

use super::{every, fingerprint, flow, node, ring, to, topology, unconnected};

/// Stations on a ring in the order of their numbers, and on another one in the opposite direction.
const WITHOUT_ECHOES: PacketFormatSpec =
    PacketFormatSpec { link_width: LINK_WIDTH, echo_symbols: ECHO_SYMBOLS, echoes: false };

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
    (far, 0..4, 1e-4..4e-3, any::<bool>()).prop_map(move |((source, one), kind, rate, uniform)| {
        let destinations = if uniform { DestinationSpec::Uniform {} } else { one.clone() };
        match kind {
            0 => flow(source, destinations, ArrivalSpec::Poisson { rate }),
            1 => flow(source, one, every(1.0 / rate)),
            2 => FlowSpec { burst: 3, ..flow(source, one, every(3.0 / rate)) },
            _ => messages(source, destinations, rate / 2.0),
        }
    })
}

fn any_stations() -> impl Strategy<Value = NetworkSpec> {
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
            prop_assert!(broken.delivered_packets + 4 >= whole.delivered_packets, "flow {}", index);
            prop_assert_eq!(broken.host().given_up_packets, 0);
        }
        prop_assert!(broken.message_counters().iter().flatten().all(|counted| counted.lost == 0));
    }
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
    let answered = vec![FlowSpec { response_symbols: Some(40), ..flow(0, to(1), every(1e3)) }];
    assert_eq!(refused(&stations(4, shorter(4), answered)), Some("flows[0].response_symbols".into()));
    let mut lacking = stations(4, shorter(4), saturated());
    topology(&mut lacking).rings[1].interfaces.pop();
    assert_eq!(refused(&lacking), Some("network.rings".into()));
    let both_ways = vec![flow(0, DestinationSpec::Uniform {}, every(1e3))];
    assert_eq!(refused(&stations(4, shorter(4), both_ways)), Some("flows[0].destinations".into()));
}
