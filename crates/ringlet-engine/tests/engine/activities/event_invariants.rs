//! Properties of any event building.

use crate::networks::fingerprint;
use crate::networks::random::any_network;
use crate::random;
use crate::traces::traced;
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::activities::WorkloadSpec;
use ringlet_engine::activities::events::{AssignmentSpec, EventCounters, EventsSpec, FragmentSpec, SpillSpec};
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec};

fn assignment() -> impl Strategy<Value = AssignmentSpec> {
    prop_oneof![
        Just(AssignmentSpec::RoundRobin {}),
        Just(AssignmentSpec::Barrel {}),
        (1..500u64).prop_map(|delay_cycles| AssignmentSpec::Credits { delay_cycles }),
    ]
}

/// Event building from the flows of a spec to some of its nodes.
fn events(spec: NetworkSpec) -> impl Strategy<Value = NetworkSpec> {
    let nodes: Vec<u32> = (0..spec.nodes).collect();
    let most = nodes.len().min(4);
    let builders = proptest::sample::subsequence(nodes, 1..=most);
    let trigger = prop_oneof![
        (50.0..900.0f64, 0.0..300.0f64).prop_map(|(period, phase)| ArrivalSpec::Periodic { period, phase }),
        (50.0..900.0f64).prop_map(|gap| ArrivalSpec::Poisson { rate: 1.0 / gap }),
        Just(ArrivalSpec::Listed {}),
    ];
    let spill = (1..2_000u64, 1..2_000u64).prop_map(|(on_cycles, off_cycles)| SpillSpec { on_cycles, off_cycles });
    let clock = (proptest::option::of(spill), any::<bool>(), proptest::collection::vec(0..20_000u64, 1..40));
    let timeout = proptest::option::of(1..3_000u64);
    let limits = (1..5u32, 0..400u64, 0..50u64, timeout, 1..4u32);
    (builders, (trigger, clock), assignment(), limits).prop_map(
        move |(builders, (trigger, clock), assignment, limits)| {
            let (places, build_cycles, dead_cycles, timeout_cycles, packets) = limits;
            let (spill, paralysable, mut trigger_cycles) = clock;
            let is_listed = matches!(trigger, ArrivalSpec::Listed {});
            trigger_cycles.truncate(if is_listed { trigger_cycles.len() } else { 0 });
            trigger_cycles.sort_unstable();
            let mut spec = spec.clone();
            spec.flows = std::mem::take(&mut spec.flows).into_iter().map(|flow| traced(flow, false, false)).collect();
            let fragment = |flow| FragmentSpec { flow, packets: vec![(1, 0.5), (packets + 1, 0.5)] };
            let fragments = (0..spec.flows.len() as u32).map(fragment).collect();
            let events = EventsSpec {
                trigger,
                trigger_cycles,
                spill: spill.filter(|_| !is_listed),
                dead_cycles,
                paralysable,
                fragments,
                builders,
                assignment,
                places: Some(places),
                build_cycles,
                timeout_cycles,
            };
            spec.workload = vec![events.into()];
            spec
        },
    )
}

pub(crate) fn ring() -> impl Strategy<Value = NetworkSpec> {
    random::network().prop_filter("no flows", |spec| !spec.flows.is_empty()).prop_flat_map(events)
}

pub(crate) fn network() -> impl Strategy<Value = NetworkSpec> {
    any_network().prop_filter("no flows", |spec| !spec.flows.is_empty()).prop_flat_map(events)
}

const END: u64 = 20_000;

/// All that is measured, as text.
fn found(spec: &NetworkSpec, threads: usize, steps: &[u64]) -> String {
    let simulation = simulate(spec, threads, steps);
    format!("{:?}\n{}", simulation.activity_counters::<EventCounters>(), fingerprint(&simulation))
}

fn simulate(spec: &NetworkSpec, threads: usize, steps: &[u64]) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.use_threads(threads);
    let mut steps = steps.iter().cycle();
    while simulation.cycle() < END {
        let step = *steps.next().expect("steps are repeated");
        simulation.advance(step.min(END - simulation.cycle()));
    }
    simulation
}

/// Each trigger is lost, or its event is built, lost, given up or open, and what is sent comes, waits or is lost.
fn check_conservation(spec: &NetworkSpec, simulation: &Simulation) -> Result<(), TestCaseError> {
    let WorkloadSpec::Events(events) = crate::activity(spec) else { unreachable!("the spec has events") };
    let counted = simulation.activity_counters::<EventCounters>()[0];
    let ended: u64 = counted.builders.iter().map(|one| one.built + one.lost + one.incomplete).sum();
    prop_assert_eq!(counted.triggers, counted.dead + counted.refused + ended + counted.open);
    let built: u64 = counted.builders.iter().map(|one| one.built).sum();
    prop_assert_eq!(counted.latencies.len(), built);
    let places = u64::from(events.places.expect("it was set"));
    for one in &counted.builders {
        prop_assert!(one.held.most <= places, "{:?}", one);
        prop_assert!(one.busy.sum <= END && one.held.sum <= END * places);
        prop_assert!(events.timeout_cycles.is_none_or(|most| one.latency_max_cycles <= most));
        // What it holds is on its way to be complete, or processed.
        prop_assert!(one.held.value <= counted.open + places);
    }
    let replayed = simulation.replayed();
    let flows = simulation.flow_counters();
    let sent: u64 = flows.iter().map(|flow| flow.generated_packets).sum();
    prop_assert_eq!(replayed.started, sent);
    prop_assert_eq!((replayed.waiting, replayed.local), (0, 0));
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(40))]

    #[test]
    fn steps_do_not_matter_on_a_ring(
        spec in ring(), steps in proptest::collection::vec(1..900u64, 1..12),
    ) {
        let whole = found(&spec, 1, &[END]);
        prop_assert_eq!(&whole, &found(&spec, 1, &steps));
    }

    #[test]
    fn steps_and_threads_do_not_matter_in_a_network(
        spec in network(), steps in proptest::collection::vec(1..2_000u64, 1..12),
    ) {
        let whole = found(&spec, 1, &[END]);
        prop_assert_eq!(&whole, &found(&spec, 1, &steps));
        prop_assert_eq!(&whole, &found(&spec, 3, &steps));
    }

    #[test]
    fn every_event_and_packet_is_counted_on_a_ring(spec in ring()) {
        check_conservation(&spec, &simulate(&spec, 1, &[END]))?;
    }

    #[test]
    fn every_event_and_packet_is_counted_in_a_network(spec in network()) {
        check_conservation(&spec, &simulate(&spec, 1, &[END]))?;
    }
}
