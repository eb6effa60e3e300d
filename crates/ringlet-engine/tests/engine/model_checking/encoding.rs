//! Properties on which exploration rests: a fork is a copy, a generated packet is an arrival, and equal states have
//! equal futures.

use std::collections::HashMap;

use proptest::prelude::*;
use ringlet_engine::measure::NodeCounters;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, ErrorsSpec, HostSpec, MAX_CYCLES, NetworkSpec};
use ringlet_engine::{Simulation, State};

use crate::networks::random::any_network;
use crate::networks::stations::any_stations;
use crate::networks::topology;
use crate::random;

/// A flow whose packets come from the test alone.
const SILENT: ArrivalSpec = ArrivalSpec::Periodic { period: 1.0, phase: MAX_CYCLES as f64 };

fn silence(mut spec: NetworkSpec) -> NetworkSpec {
    spec.flows.iter_mut().for_each(|flow| flow.arrivals = SILENT);
    spec
}

/// No packet of this network is drawn at random.
fn fix_draws(mut spec: NetworkSpec) -> NetworkSpec {
    for flow in &mut spec.flows {
        flow.sizes.truncate(1);
        flow.sizes[0].1 = 1.0;
        if spec.nodes > 1 {
            flow.destinations = DestinationSpec::Fixed {
                node: (flow.source + 1 + flow.priority as u32 % (spec.nodes - 1)) % spec.nodes,
            };
        }
    }
    spec
}

/// A random ring that is left to the test: without randomness, with short queues, so that it comes back to states it
/// has been in.
fn explorable() -> impl Strategy<Value = NetworkSpec> {
    (random::network(), 1..3u32, 0..40u64).prop_map(|(spec, capacity, service_cycles)| {
        let mut spec = fix_draws(silence(spec));
        spec.flows.truncate(5);
        spec.queues.limits.common.transmit_capacity =
            Some(capacity.max(spec.flows.iter().map(|flow| flow.burst).max().unwrap_or(1)));
        spec.queues.receive.common.service_cycles = service_cycles;
        spec
    })
}

/// Networks of rings that can be explored, of one link rate. Links lose what the test says and nothing else.
fn explorable_network() -> impl Strategy<Value = NetworkSpec> {
    any_network().prop_map(|spec| {
        let mut spec = fix_draws(silence(spec));
        spec.flows.truncate(3);
        topology(&mut spec).rings.iter_mut().for_each(|ring| ring.symbol_cycles = 1);
        if let Some(errors) = &mut topology(&mut spec).errors {
            errors.bit_error_rate = 0.0;
            errors.links.clear();
        }
        spec
    })
}

/// Stations on two rings, of which some send a copy round each. Links lose what the test says and nothing else.
fn explorable_stations() -> impl Strategy<Value = NetworkSpec> {
    any_stations().prop_map(|spec| {
        let mut spec = fix_draws(silence(spec));
        spec.flows.truncate(3);
        for flow in &mut spec.flows {
            (flow.messages, flow.response_symbols) = (None, None);
            flow.sizes = vec![(8, 1.0)];
        }
        if spec.nodes.is_multiple_of(2) {
            // A message of several packets of which one is lost for good is not explored.
            spec.flows.iter_mut().for_each(|flow| flow.burst = 1);
            let errors = ErrorsSpec { timeout_cycles: 100_000, ..ErrorsSpec::default() };
            topology(&mut spec).errors = Some(errors);
        }
        spec
    })
}

/// A network whose hosts share no bus between what they generate and what they answer: there an arrival comes behind
/// the services of its cycle if it is generated from outside.
fn without_slots() -> impl Strategy<Value = NetworkSpec> {
    any_network().prop_map(|mut spec| {
        topology(&mut spec).host = HostSpec::default();
        topology(&mut spec).hosts = None;
        topology(&mut spec).rings.iter_mut().for_each(|ring| ring.symbol_cycles = 1);
        spec
    })
}

/// Returns the counts of a simulation after its next cycles, without latencies, which depend on the past.
fn act(simulation: &mut Simulation, cycles: u64) -> (Vec<NodeCounters>, Vec<[u64; 6]>) {
    simulation.advance(cycles);
    let flow = |c: &ringlet_engine::measure::FlowCounters| {
        [
            c.generated_packets,
            c.lost_packets,
            c.sent_packets,
            c.retries,
            c.delivered_packets,
            c.host().completed_messages,
        ]
    };
    let ports = simulation.port_counters().into_iter().map(|port| port.interface);
    let interfaces = simulation.node_counters().into_iter().chain(ports).collect();
    (interfaces, simulation.flow_counters().into_iter().map(flow).collect())
}

/// Arrivals, each some cycles after the one before: the number of its flow, and of a link that then loses something,
/// or of none.
type Walk = Vec<(usize, usize, Option<usize>)>;

fn walk(specs: impl Strategy<Value = NetworkSpec>) -> impl Strategy<Value = (NetworkSpec, Walk)> {
    let gap = prop_oneof![1 => Just(0usize), 2 => 1..25usize, 1 => 25..120usize];
    let lost = proptest::option::weighted(0.2, 0..100usize);
    specs.prop_flat_map(move |spec| {
        let flows = spec.flows.len().max(1);
        (Just(spec), proptest::collection::vec((gap.clone(), 0..flows, lost.clone()), 1..80))
    })
}

/// Changes that a test makes to a simulation in one cycle.
#[derive(Debug, Clone, Default)]
struct Choice {
    /// Flows of which a packet arrives, in their order, as arrivals of one cycle are taken.
    flows: Vec<usize>,
    /// Links of which the next packet is lost.
    links: Vec<usize>,
}

impl Choice {
    fn make(&self, simulation: &mut Simulation) {
        self.flows.iter().for_each(|&flow| simulation.generate(flow));
        self.links.iter().for_each(|&link| simulation.damage_next(link));
    }
}

/// The choices of each cycle.
fn by_cycle(spec: &NetworkSpec, walk: &Walk) -> Vec<Choice> {
    let simulation = Simulation::new(spec).expect("a valid spec");
    let links = simulation.node_counters().len() + simulation.port_counters().len();
    let errs = spec.network.as_ref().is_some_and(|network| network.errors.is_some());
    let mut cycles = vec![Choice::default()];
    for &(gap, flow, lost) in walk.iter().filter(|arrival| arrival.1 < spec.flows.len()) {
        cycles.resize(cycles.len() + gap, Choice::default());
        let choice = cycles.last_mut().expect("there is a first");
        choice.flows.push(flow);
        choice.links.extend(lost.filter(|_| errs).map(|lost| lost % links));
    }
    cycles.resize(cycles.len() + 300, Choice::default());
    cycles.iter_mut().for_each(|choice| choice.flows.sort());
    cycles
}

/// When a simulation is in a state in which it has been before, it does what it did then, if the same packets arrive
/// and the same links lose something.
fn does_the_same(spec: &NetworkSpec, walk: &Walk) -> Result<(), TestCaseError> {
    let choices = by_cycle(spec, walk);
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    let mut seen: HashMap<State, Simulation> = HashMap::new();
    for step in 0..choices.len() {
        if let Some(before) = seen.get(&simulation.state()) {
            if step % 5 == 0 {
                let (mut one, mut other) = (before.fork(), simulation.fork());
                one.reset_measurement();
                other.reset_measurement();
                for choice in &choices[step..choices.len().min(step + 120)] {
                    choice.make(&mut one);
                    choice.make(&mut other);
                    let cycles = (before.cycle(), simulation.cycle());
                    prop_assert_eq!(act(&mut one, 1), act(&mut other, 1), "from cycles {:?}", cycles);
                    prop_assert_eq!(one.state(), other.state());
                }
            }
        } else {
            seen.insert(simulation.state(), simulation.fork());
        }
        choices[step].make(&mut simulation);
        simulation.advance(1);
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// Whatever the protocol.
    #[test]
    fn equal_states_have_equal_futures((spec, walk) in walk(explorable())) {
        does_the_same(&spec, &walk)?;
    }

    /// Equal states have equal futures in a network of rings, whose links lose packets and echoes.
    #[test]
    fn equal_states_of_networks_have_equal_futures((spec, walk) in walk(explorable_network())) {
        does_the_same(&spec, &walk)?;
    }

    /// Nodes with two interfaces, one copy of a packet or two.
    #[test]
    fn equal_states_of_stations_have_equal_futures((spec, walk) in walk(explorable_stations())) {
        does_the_same(&spec, &walk)?;
    }

    /// A fork does what the simulation does, and neither disturbs the other.
    #[test]
    fn forks_are_equal(
        spec in random::network(),
        before in 0..3_000u64,
        steps in proptest::collection::vec(1..300u64, 1..8),
    ) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.advance(before);
        let mut fork = simulation.fork();
        let of_fork: Vec<_> = steps.iter().map(|&cycles| act(&mut fork, cycles)).collect();
        let of_simulation: Vec<_> = steps.iter().map(|&cycles| act(&mut simulation, cycles)).collect();
        prop_assert_eq!(of_fork, of_simulation);
    }

    /// Asking for the state changes nothing.
    #[test]
    fn reading_the_state_changes_nothing(
        spec in prop_oneof![random::network(), any_network()],
        steps in proptest::collection::vec(1..60u64, 1..30),
    ) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        let mut looked_at = simulation.fork();
        for cycles in steps {
            looked_at.state();
            prop_assert_eq!(act(&mut looked_at, cycles), act(&mut simulation, cycles));
        }
    }

    /// Packets generated from outside are handled like those of a periodic flow that arrive in the same cycles.
    #[test]
    fn a_generated_packet_is_an_arrival(
        spec in prop_oneof![random::network(), without_slots()],
        clocks in proptest::collection::vec((1..90u64, 7..80u64), 20),
    ) {
        let mut spec = spec;
        let clocks = &clocks[..spec.flows.len()];
        for (flow, &(phase, period)) in spec.flows.iter_mut().zip(clocks) {
            flow.arrivals = ArrivalSpec::Periodic { period: period as f64, phase: phase as f64 };
        }
        let mut periodic = Simulation::new(&spec).expect("a valid spec");
        let mut silent = Simulation::new(&silence(spec)).expect("a valid spec");
        for cycle in 0..1_000u64 {
            for (flow, &(phase, period)) in clocks.iter().enumerate() {
                if cycle >= phase && (cycle - phase) % period == 0 {
                    silent.generate(flow);
                }
            }
            prop_assert_eq!(act(&mut periodic, 1), act(&mut silent, 1), "in cycle {}", cycle);
        }
    }
}
