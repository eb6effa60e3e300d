//! Links that fail in a dual ring, and other routes from a cycle on (docs/explanation/network-model.md, "Failures").

use std::collections::BTreeSet;

use crate::networks::{KIND, every, fingerprint, flow, network, node, port, random, ring, step, to, topology};
use proptest::option;
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::FlowCounters;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::{
    go_bits::{Extension, Release},
    grouped::GroupedSpec,
    none::NoneSpec,
    sci::SciSpec,
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, EXCHANGE_CYCLES, ErrorsSpec, ExchangeSpec, FlowSpec, LinkSpec, NetworkSpec,
    RerouteSpec, RingSpec, RouteStep,
};

/// Ports of a station that lead to the ring of rising numbers, and to the other one.
const RISING: u16 = 1;
const FALLING: u16 = 2;

/// The way round that is shorter.
fn shorter(stations: u32, from: u32, to: u32) -> u16 {
    if (to + stations - from) % stations <= stations / 2 { RISING } else { FALLING }
}

/// Routes of a dual ring, in which a station sends to another one on the ring that `exit` says.
fn routes(stations: u32, exit: impl Fn(u32, u32) -> u16) -> Vec<Vec<RouteStep>> {
    let others = |own: u32| (0..stations).filter(move |&other| other != own);
    let mut routes: Vec<Vec<_>> = (0..stations)
        .map(|own| {
            let mut steps: Vec<_> = others(own).map(|other| step(other, 1, exit(own, other))).collect();
            steps[0].0 = 0;
            steps
        })
        .collect();
    routes.push((0..stations).map(|other| step(other, other, 0)).collect());
    routes.push((0..stations).map(|other| step(other, stations - 1 - other, 0)).collect());
    routes
}

/// A ring of a node and a port for each station, the rising ring, the falling one.
fn dual_ring(stations: u32, routes: Vec<Vec<RouteStep>>, flows: Vec<FlowSpec>) -> NetworkSpec {
    let own = (0..stations).map(|station| vec![node(station), port(station, 0)]);
    let rising = (0..stations).map(|station| port(station, RISING)).collect();
    let falling = (0..stations).rev().map(|station| port(station, FALLING)).collect();
    let rings: Vec<RingSpec> =
        own.chain([rising, falling]).zip(routes).map(|(interfaces, steps)| ring(interfaces, steps)).collect();
    network(rings, KIND, &vec![3; stations as usize], flows)
}

/// The link that leaves a station on one of the rings is interrupted.
fn interrupted(stations: u32, station: u32, exit: u16, from: u64, until: Option<u64>) -> LinkSpec {
    let (ring, place) = if exit == RISING { (stations, station) } else { (stations + 1, stations - 1 - station) };
    LinkSpec { ring, place, bit_error_rate: None, interruptions: vec![(from, until)] }
}

/// The links of both rings from this station to the next one, each by its ring and place.
fn span(stations: u32, station: u32) -> [(u32, u32); 2] {
    [(stations, station), (stations + 1, stations - 1 - (station + 1) % stations)]
}

/// Around the span from a station to the next one the rings are joined in cycle `joins`, and parted in cycle `parts`.
/// Nothing has come through since cycle `fails`.
fn wrap(spec: &mut NetworkSpec, station: u32, fails: u64, joins: u64, parts: Option<u64>) {
    let (stations, hop) = (spec.nodes, u64::from(spec.hop_delay.common));
    let links = span(stations, station);
    let errors = topology(spec).errors.as_mut().expect("the section is there");
    let mut interruptions = vec![(fails, Some(joins + hop))];
    interruptions.extend(parts.map(|parts| (parts - EXCHANGE_CYCLES, Some(parts + hop))));
    errors.links.retain(|link| !links.contains(&(link.ring, link.place)));
    for (ring, place) in links {
        let interruptions = interruptions.clone();
        errors.links.push(LinkSpec { ring, place, bit_error_rate: None, interruptions });
    }
    errors
        .exchanges
        .extend([Some(joins), parts].into_iter().flatten().map(|at_cycle| ExchangeSpec { at_cycle, links }));
    errors.exchanges.sort_by_key(|exchange| exchange.at_cycle);
}

fn errors(links: Vec<LinkSpec>, reroutes: Vec<RerouteSpec>) -> ErrorsSpec {
    ErrorsSpec { links, timeout_cycles: 5_000, max_timeouts: Some(1), reroutes, ..ErrorsSpec::default() }
}

fn simulate(spec: &NetworkSpec, threads: usize, steps: impl IntoIterator<Item = u64>) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.use_threads(threads);
    simulation.keep_deliveries();
    for cycles in steps {
        simulation.advance(cycles);
    }
    simulation
}

/// All that is measured, errors, too.
fn measured(simulation: &Simulation) -> String {
    format!("{}\n{:?}", fingerprint(simulation), simulation.error_counters())
}

/// Packets that had taken a ring when it failed are lost, and those that took it until the routes changed; all others
/// are delivered, by the other ring.
#[test]
fn what_is_sent_after_a_change_of_routes_takes_the_other_ring() {
    const FAILS: u64 = 50_000;
    const CHANGES: u64 = 57_000;
    let flows = vec![flow(0, to(1), every(1_000.0))];
    let mut spec = dual_ring(4, routes(4, |from, to| shorter(4, from, to)), flows);
    let reroutes = vec![RerouteSpec { from_cycle: CHANGES, rings: routes(4, |_, _| FALLING) }];
    topology(&mut spec).errors = Some(errors(vec![interrupted(4, 0, RISING, FAILS, None)], reroutes));
    let mut simulation = simulate(&spec, 1, [200_500]);
    let generated: BTreeSet<u64> =
        simulation.take_deliveries().iter().map(|delivered| delivered.packet.generated).collect();
    // The slots of the port were full of these; what waited before them takes the other ring.
    let lost: Vec<u64> = (0..=200).map(|number| number * 1_000).filter(|at| !generated.contains(at)).collect();
    assert_eq!(lost, [50_000, 51_000, 52_000, 53_000]);
    let flow = simulation.flow_counters()[0];
    assert_eq!((flow.delivered_packets, flow.host().given_up_packets), (197, 4));
    assert_eq!(simulation.packets_held(), 0);
}

/// A ring that only some routes use carries packets on when these have ended.
#[test]
fn a_packet_goes_on_from_a_ring_that_routes_no_longer_use() {
    let rising_only = || {
        let mut steps = routes(2, |_, _| RISING);
        // The ring of falling numbers, which has no routes then.
        steps[3] = vec![(0, None, None)];
        steps
    };
    let mut spec = dual_ring(2, rising_only(), vec![flow(0, to(1), every(500.0))]);
    let reroutes = [(3_000, routes(2, |_, _| FALLING)), (9_000, rising_only())];
    let reroutes = reroutes.map(|(from_cycle, rings)| RerouteSpec { from_cycle, rings });
    // Packets that are lost are sent again behind the second change.
    let link = interrupted(2, 0, FALLING, 8_000, Some(12_000));
    topology(&mut spec).errors = Some(errors(vec![link], reroutes.into()));
    let mut simulation = simulate(&spec, 1, [30_450]);
    let counts = simulation.flow_counters()[0];
    assert_eq!((counts.generated_packets, counts.delivered_packets), (61, 61));
    let retried: u64 = simulation.port_counters().iter().map(|port| port.retries).sum();
    assert!(retried > 0 && simulation.packets_held() == 0);
    assert_eq!(simulation.take_deliveries().len(), 61);
}

/// Joined beside a break, both rings are one, and what has been on its way to the break turns round there.
#[test]
fn packets_turn_round_where_rings_are_joined() {
    let mut spec = dual_ring(4, routes(4, |_, _| RISING), vec![flow(0, to(2), every(1_000.0))]);
    topology(&mut spec).errors = Some(errors(Vec::new(), Vec::new()));
    wrap(&mut spec, 1, 50_000, 51_000, Some(150_000));
    let mut simulation = simulate(&spec, 1, [200_500]);
    let deliveries = simulation.take_deliveries();
    let latency = |generated: u64| {
        let found = deliveries.iter().find(|delivered| delivered.packet.generated == generated)?;
        Some(found.cycle - generated)
    };
    let straight = latency(49_000).expect("it is delivered");
    // To station 1, there to the other ring, over stations 0 and 3 to 2, and there to the first ring: 6 links, not 2.
    assert_eq!(latency(100_000), Some(straight + 4 * 18));
    // Parted again, rings are as before.
    assert_eq!(latency(200_000), Some(straight));
    // What was lost meanwhile has been sent again.
    assert_eq!(simulation.flow_counters()[0].delivered_packets, 201);
    assert_eq!(simulation.flow_counters()[0].host().given_up_packets, 0);
}

/// A packet for a station that is on neither side comes back to its sender, which takes it off the ring.
#[test]
fn a_packet_that_nobody_takes_goes_round_once() {
    let mut spec = dual_ring(4, routes(4, |_, _| RISING), vec![flow(0, to(1), every(10_000.0))]);
    topology(&mut spec).errors = Some(errors(Vec::new(), Vec::new()));
    wrap(&mut spec, 0, 50_000, 51_000, None);
    wrap(&mut spec, 1, 50_000, 51_000, None);
    let mut simulation = simulate(&spec, 1, [209_000]);
    assert_eq!(simulation.take_deliveries().len(), 5);
    let lost: u64 = simulation.flow_counters()[0].host().given_up_packets;
    // Of the last one only the first time-out has been.
    assert_eq!((lost, simulation.packets_held()), (15, 1));
    let port = simulation.port_counters().into_iter().find(|port| (port.switch, port.port) == (0, RISING));
    assert!(port.expect("it is there").errors.lost_sends > 0);
}

#[test]
fn exchanges_that_cannot_be_are_named() {
    let longest = FlowSpec { sizes: vec![(144, 1.0)], ..flow(0, to(1), every(1_000.0)) };
    let refused = |change: fn(&mut ErrorsSpec)| {
        let mut spec = dual_ring(4, routes(4, |_, _| RISING), vec![longest.clone()]);
        topology(&mut spec).errors = Some(errors(Vec::new(), Vec::new()));
        wrap(&mut spec, 1, 50_000, 51_000, None);
        spec.validate().expect("valid as it is");
        change(topology(&mut spec).errors.as_mut().expect("the section is there"));
        spec.validate().expect_err("it is refused").path
    };
    assert_eq!(refused(|errors| errors.exchanges[0].at_cycle = 0), "network.errors.exchanges[0].at_cycle");
    assert_eq!(refused(|errors| errors.exchanges[0].at_cycle = 50_255), "network.errors.exchanges[0].links");
    assert_eq!(refused(|errors| errors.exchanges[0].at_cycle = 51_001), "network.errors.exchanges[0].links");
    assert_eq!(refused(|errors| errors.exchanges[0].links[1].1 = 4), "network.errors.exchanges[0].links");
    assert_eq!(refused(|errors| errors.exchanges[0].links[1].0 = 4), "network.errors.exchanges[0].links");
    // What would do for a ring is too short for both.
    assert_eq!(refused(|errors| errors.timeout_cycles = 2_000), "network.errors.timeout_cycles");
}

/// Without a way left, packets take their old one, and are given up there.
#[test]
fn a_failed_link_that_lives_again_carries_packets() {
    let mut spec = dual_ring(4, routes(4, |_, _| RISING), vec![flow(0, to(1), every(1_000.0))]);
    topology(&mut spec).errors = Some(errors(vec![interrupted(4, 0, RISING, 50_000, Some(80_000))], Vec::new()));
    let mut simulation = simulate(&spec, 1, [200_500]);
    let generated: Vec<u64> = simulation.take_deliveries().iter().map(|delivered| delivered.packet.generated).collect();
    assert!(generated.contains(&49_000) && !generated.contains(&50_000));
    // What waited is sent, and nothing is lost any more.
    assert!((80_000..=200_000).step_by(1_000).all(|at| generated.contains(&at)));
}

#[test]
fn changes_of_routes_that_cannot_be_are_named() {
    let old = || routes(4, |_, _| RISING);
    let refused = |reroutes: Vec<RerouteSpec>| {
        let mut spec = dual_ring(4, old(), Vec::new());
        topology(&mut spec).errors = Some(errors(Vec::new(), reroutes));
        spec.validate().expect_err("it is refused").path
    };
    let at = |from_cycle, rings| RerouteSpec { from_cycle, rings };
    assert_eq!(refused(vec![at(0, old())]), "network.errors.reroutes[0].from_cycle");
    assert_eq!(refused(vec![at(9, old()), at(9, old())]), "network.errors.reroutes[1].from_cycle");
    assert_eq!(refused(vec![at(9, old()[1..].to_vec())]), "network.errors.reroutes[0].rings");
    let changed = |ring: usize, steps: Vec<RouteStep>| {
        let mut rings = old();
        rings[ring] = steps;
        refused(vec![at(9, rings)])
    };
    assert_eq!(changed(0, vec![step(0, 0, 1)]), "network.errors.reroutes[0].rings[0][0]");
    assert_eq!(changed(0, Vec::new()), "network.errors.reroutes[0].rings[0]");
    // From the rising ring to the falling one, and back.
    let mut rings = old();
    rings[4] = (0..4).map(|address| step(address, 0, FALLING)).collect();
    rings[5] = (0..4).map(|address| step(address, 3, RISING)).collect();
    assert!(refused(vec![at(9, rings)]).starts_with("network.errors.reroutes[0].rings["));
}

fn flow_control() -> impl Strategy<Value = FlowControlSpec> {
    let (extension, release) = (Extension::Passing, Release::Unblocked);
    prop_oneof![
        Just(FlowControlSpec::None(NoneSpec {})),
        Just(FlowControlSpec::Sci(SciSpec { extension, release, ..SciSpec::EXAMPLE })),
        Just(FlowControlSpec::Grouped(GroupedSpec { extension, release, ..GroupedSpec::EXAMPLE })),
    ]
}

prop_compose! {
    /// A dual ring in which links fail, some live again, and routes change several times.
    fn failures(flow_control: impl Strategy<Value = FlowControlSpec>)(
        stations in 2..6u32, seed in any::<u64>(), hop_delay in 2..20u32, flow_control in flow_control,
        links in proptest::collection::vec((any::<u32>(), any::<bool>(), 0..6_000u64, option::of(1..6_000u64)), 1..4),
        changes in proptest::collection::btree_map(1..12_000u64, 0..3u8, 0..4),
        sources in proptest::collection::vec((any::<u32>(), any::<bool>(), 1..6u64), 1..6),
        max_timeouts in 0..3u8, service_cycles in 0..200u64,
    ) -> NetworkSpec {
        let flows = sources.into_iter().map(|(source, responds, period)| {
            let arrivals = ArrivalSpec::Periodic { period: period as f64 * 150.0, phase: 0.0 };
            let mut made = flow(source % stations, DestinationSpec::Uniform {}, arrivals);
            made.response_symbols = responds.then_some(40);
            made
        });
        let ways = |kind: u8| routes(stations, move |from, to| match kind {
            0 => RISING,
            1 => FALLING,
            _ => shorter(stations, from, to),
        });
        let mut spec = dual_ring(stations, ways(2), flows.collect());
        let mut taken = BTreeSet::new();
        let links = links.into_iter().filter_map(|(station, rises, from, length)| {
            let (station, exit) = (station % stations, if rises { RISING } else { FALLING });
            let is_new = taken.insert((station, exit));
            is_new.then(|| interrupted(stations, station, exit, from, length.map(|length| from + length)))
        });
        let reroutes = changes.into_iter().map(|(from_cycle, kind)| RerouteSpec { from_cycle, rings: ways(kind) });
        let made = errors(links.collect(), reroutes.collect());
        topology(&mut spec).errors = Some(ErrorsSpec { max_timeouts: Some(max_timeouts), ..made });
        (spec.seed, spec.hop_delay.common) = (seed, hop_delay);
        spec.queues.receive.common.service_cycles = service_cycles;
        spec.flow_control = flow_control.into();
        spec
    }
}

/// Rings that others may be joined to.
fn any_failures() -> impl Strategy<Value = NetworkSpec> {
    failures(flow_control())
}

/// Rings of any protocol that goes round a small one.
fn failures_of_any_protocol() -> impl Strategy<Value = NetworkSpec> {
    let has_slots = |spec: &FlowControlSpec| matches!(spec, FlowControlSpec::SlottedRing(_));
    failures(random::flow_control().prop_filter("no slot fits", move |spec| !has_slots(spec)))
}

prop_compose! {
    /// Networks with failures in which rings are joined at several places, and some parted again.
    fn any_wraps()(
        mut spec in any_failures(),
        wraps in proptest::collection::vec((any::<u32>(), 0..4_000u64, 0..2_000u64, option::of(1..4_000u64)), 1..3),
    ) -> NetworkSpec {
        let mut taken = BTreeSet::new();
        for (station, fails, wait, length) in wraps {
            let station = station % spec.nodes;
            if taken.insert(station) {
                let joins = fails + EXCHANGE_CYCLES + wait;
                let parts = length.map(|length| joins + u64::from(spec.hop_delay.common) + EXCHANGE_CYCLES + length);
                wrap(&mut spec, station, fails, joins, parts);
            }
        }
        spec
    }
}

fn any_network() -> impl Strategy<Value = NetworkSpec> {
    prop_oneof![any_failures(), any_wraps()]
}

proptest! {
    #![proptest_config(crate::cases(40))]

    /// Results do not depend on how far rings and switches have got when routes change.
    #[test]
    fn steps_and_threads_do_not_matter(
        spec in prop_oneof![any_network(), failures_of_any_protocol()],
        cuts in proptest::collection::vec(1..2_000u64, 1..12),
    ) {
        let all: u64 = cuts.iter().sum();
        let whole = measured(&simulate(&spec, 1, [all]));
        prop_assert_eq!(&whole, &measured(&simulate(&spec, 1, cuts)));
        prop_assert_eq!(&whole, &measured(&simulate(&spec, 3, [all])));
        let short = all.min(3_000);
        let by_one = measured(&simulate(&spec, 1, std::iter::repeat_n(1, short as usize)));
        prop_assert_eq!(&measured(&simulate(&spec, 1, [short])), &by_one);
    }

    /// A packet is delivered once, or it is lost: at its source, or given up by a sender. One may be given up although
    /// it has been delivered, because its echo was lost.
    #[test]
    fn packets_are_conserved(mut spec in any_network(), messages in 1..30u32) {
        for flow in &mut spec.flows {
            flow.arrivals = ArrivalSpec::Periodic { period: 1e9, phase: 0.0 };
            flow.burst = messages;
            flow.sizes = vec![(40, 1.0)];
        }
        let mut simulation = simulate(&spec, 1, [400_000]);
        let deliveries = simulation.take_deliveries();
        let seen: BTreeSet<_> =
            deliveries.iter().map(|d| (d.packet.flow, d.packet.message, d.packet.part, d.packet.response)).collect();
        prop_assert_eq!(seen.len(), deliveries.len());
        prop_assert_eq!(simulation.packets_held(), 0);
        let counts = simulation.flow_counters();
        for (index, (count, flow)) in (0u32..).zip(counts.iter().zip(&spec.flows)) {
            let responds = flow.response_symbols.is_some();
            let of_flow = |response| {
                deliveries.iter().filter(|d| d.packet.flow == index && d.packet.response == response).count() as u64
            };
            let (requests, responses) = (of_flow(false), of_flow(true));
            let sent = count.generated_packets - count.lost_packets;
            let given_up = count.host().given_up_packets;
            prop_assert_eq!(count.delivered_packets, requests + responses);
            prop_assert!(requests <= sent && responses <= requests * u64::from(responds));
            let missing = (sent - requests) + if responds { requests - responses } else { 0 };
            prop_assert!(missing <= given_up, "{} missing, {} given up", missing, given_up);
            prop_assert!(missing == 0 || !simulation.error_counters().is_empty());
        }
    }

    /// Traffic that begins behind all failures and changes is that of a network which has been so from the beginning.
    #[test]
    fn what_begins_later_sees_the_last_routes_only(mut spec in any_failures()) {
        const LATER: f64 = 20_000.0;
        for flow in &mut spec.flows {
            if let ArrivalSpec::Periodic { phase, .. } = &mut flow.arrivals {
                *phase = LATER;
            }
        }
        let mut settled = spec.clone();
        let at_last = topology(&mut settled);
        let errors = at_last.errors.as_mut().expect("links fail");
        for link in &mut errors.links {
            let fails_for_good = link.interruptions.last().is_some_and(|&(_, until)| until.is_none());
            link.interruptions = if fails_for_good { vec![(0, None)] } else { Vec::new() };
        }
        if let Some(last) = errors.reroutes.pop() {
            for (ring, steps) in at_last.rings.iter_mut().zip(last.rings) {
                ring.routes = steps;
            }
        }
        errors.reroutes.clear();
        let flows = |spec: &NetworkSpec| measured(&simulate(spec, 1, [60_000])).replace("first_failure_cycle", "");
        prop_assert_eq!(flows(&spec), flows(&settled));
    }

    /// Rings that will be joined are simulated together from the beginning, which changes nothing.
    #[test]
    fn rings_simulated_together_do_what_they_do_apart(spec in any_failures(), station in any::<u32>()) {
        let mut together = spec.clone();
        wrap(&mut together, station % spec.nodes, 1_000_000, 1_001_000, None);
        let errors = topology(&mut together).errors.as_mut().expect("the section is there");
        // The links that are to be interrupted later are what they were.
        for link in &spec.network.as_ref().and_then(|network| network.errors.as_ref()).expect("as before").links {
            let same = errors.links.iter_mut().find(|other| (other.ring, other.place) == (link.ring, link.place));
            let same = same.expect("each is there");
            let later = same.interruptions.last().copied().filter(|&(from, _)| from == 1_000_000);
            let open = link.interruptions.last().is_some_and(|&(_, until)| until.is_none());
            let later = later.filter(|_| !open);
            same.interruptions = link.interruptions.iter().copied().chain(later).collect();
        }
        for link in span(spec.nodes, station % spec.nodes) {
            let same = errors.links.iter_mut().find(|other| (other.ring, other.place) == link);
            let same = same.expect("each is there");
            if same.interruptions.last().is_some_and(|&(_, until)| until.is_none()) {
                same.interruptions.last_mut().expect("it is").1 = Some(1_002_000);
            }
        }
        prop_assert_eq!(measured(&simulate(&spec, 1, [9_000])), measured(&simulate(&together, 1, [9_000])));
    }

    /// Two rings that have been joined are one ring.
    #[test]
    fn joined_rings_are_a_ring(spec in any_failures(), station in any::<u32>(), rises in any::<bool>()) {
        const LATER: f64 = 10_000.0;
        let stations = spec.nodes;
        let (station, exit) = (station % stations, if rises { RISING } else { FALLING });
        let mut joined = spec.clone();
        for flow in &mut joined.flows {
            if let ArrivalSpec::Periodic { phase, .. } = &mut flow.arrivals {
                *phase = LATER;
            }
        }
        let network = topology(&mut joined);
        for (ring, steps) in network.rings.iter_mut().zip(routes(stations, |_, _| exit)) {
            ring.routes = steps;
        }
        network.errors = Some(errors(Vec::new(), Vec::new()));
        let mut one = joined.clone();
        wrap(&mut joined, station, 1_000, 2_000, None);
        // Behind the break: up to the station before it, and back on the other ring.
        let from = (station + 1) % stations;
        let up = (0..stations).map(|distance| (from + distance) % stations);
        let down: Vec<u32> = up.clone().rev().collect();
        let back = down.into_iter().map(|station| port(station, FALLING));
        let places = up.map(|station| port(station, RISING)).chain(back);
        let place = |other: u32| {
            let distance = (other + stations - from) % stations;
            if rises { distance } else { 2 * stations - 1 - distance }
        };
        let network = topology(&mut one);
        network.rings.truncate(stations as usize);
        let steps = (0..stations).map(|other| step(other, place(other), 0)).collect();
        network.rings.push(ring(places.collect(), steps));
        let found = |spec: &NetworkSpec| {
            let mut simulation = simulate(spec, 1, [40_000]);
            let counts = |c: &&FlowCounters| (c.generated_packets, c.lost_packets, c.sent_packets, c.retries);
            let flows: Vec<_> = simulation.flow_counters().iter().map(counts).collect();
            (simulation.take_deliveries(), flows)
        };
        prop_assert_eq!(found(&joined), found(&one));
    }
}
