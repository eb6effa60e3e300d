//! What exploration rests on: a fork is a copy, a generated packet is an arrival, and equal states have equal futures.

use std::collections::HashMap;

use proptest::prelude::*;
use ringlet_engine::measure::NodeCounters;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, MAX_CYCLES, NetworkSpec};
use ringlet_engine::{Simulation, State};

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
        spec.transmit_capacity = Some(capacity.max(spec.flows.iter().map(|flow| flow.burst).max().unwrap_or(1)));
        spec.receive_queue.service_cycles = service_cycles;
        spec
    })
}

/// What a simulation does in its next cycles, without what depends on the past: latencies.
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
    (simulation.node_counters(), simulation.flow_counters().into_iter().map(flow).collect())
}

/// Arrivals at a random ring: each some cycles after the one before, with its flow.
fn walk() -> impl Strategy<Value = (NetworkSpec, Vec<(usize, usize)>)> {
    let gap = prop_oneof![1 => Just(0usize), 2 => 1..25usize, 1 => 25..120usize];
    explorable().prop_flat_map(move |spec| {
        let flows = spec.flows.len().max(1);
        (Just(spec), proptest::collection::vec((gap.clone(), 0..flows), 1..80))
    })
}

/// The flows of which a packet arrives, for each cycle; in the order of the flows, as arrivals of one cycle are taken.
fn by_cycle(spec: &NetworkSpec, walk: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut cycles = vec![Vec::new()];
    for &(gap, flow) in walk.iter().filter(|arrival| arrival.1 < spec.flows.len()) {
        cycles.resize(cycles.len() + gap, Vec::new());
        cycles.last_mut().expect("there is a first").push(flow);
    }
    cycles.resize(cycles.len() + 300, Vec::new());
    cycles.iter_mut().for_each(|flows| flows.sort());
    cycles
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// Whatever the protocol: when a ring is in a state in which it has been before, it does what it did then, if the
    /// same packets arrive.
    #[test]
    fn equal_states_have_equal_futures((spec, walk) in walk()) {
        let choices = by_cycle(&spec, &walk);
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        let mut seen: HashMap<State, Simulation> = HashMap::new();
        for step in 0..choices.len() {
            if let Some(before) = seen.get(&simulation.state()) {
                if step % 5 == 0 {
                    let (mut one, mut other) = (before.fork(), simulation.fork());
                    one.reset_measurement();
                    other.reset_measurement();
                    for flows in &choices[step..choices.len().min(step + 120)] {
                        for &flow in flows {
                            one.generate(flow);
                            other.generate(flow);
                        }
                        let cycles = (before.cycle(), simulation.cycle());
                        prop_assert_eq!(act(&mut one, 1), act(&mut other, 1), "from cycles {:?}", cycles);
                        prop_assert_eq!(one.state(), other.state());
                    }
                }
            } else {
                seen.insert(simulation.state(), simulation.fork());
            }
            choices[step].iter().for_each(|&flow| simulation.generate(flow));
            simulation.advance(1);
        }
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
        spec in random::network(),
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
        spec in random::network(),
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
