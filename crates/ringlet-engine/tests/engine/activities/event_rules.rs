//! The rules of docs/how-to/event-building.md, on a ring small enough to be worked out by hand.

use crate::networks;
use crate::networks::{KIND, node, to};
use crate::traces::traced;
use ringlet_engine::Simulation;
use ringlet_engine::activities::WorkloadSpec;
use ringlet_engine::activities::events::{AssignmentSpec, EventCounters, EventsSpec, FragmentSpec, SpillSpec};
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec, ReceiveQueueSpec};

/// Behind an idle, over some hops of one cycle, and then its length.
fn trip(hops: u64) -> u64 {
    1 + hops + 8
}

/// From node 1 over some hops for its own packet and, behind an idle, that of node 0, which waits in its bypass FIFO.
fn both(hops: u64) -> u64 {
    trip(hops) + 1 + 8
}

/// Nodes 0 and 1 send fragments of one packet of 8 symbols every 100 cycles to builders of the nodes 2 and 3.
fn ring(assignment: AssignmentSpec, builders: &[u32]) -> NetworkSpec {
    let flow = |source| {
        let mut flow = traced(networks::flow(source, to(2), ArrivalSpec::Saturated {}), false, false);
        flow.sizes = vec![(8, 1.0)];
        flow.response_symbols = None;
        flow
    };
    let rings = vec![networks::ring((0..4).map(node).collect(), Vec::new())];
    let mut spec = networks::network(rings, KIND, &[], vec![flow(0), flow(1)]);
    spec.network = None;
    spec.hop_delay.common = 1;
    spec.queues.receive.common.service_cycles = 0;
    spec.queues.receive.common.capacity = None;
    spec.queues.limits.common.transmit_capacity = None;
    let events = EventsSpec {
        trigger: ArrivalSpec::Periodic { period: 100.0, phase: 0.0 },
        trigger_cycles: Vec::new(),
        spill: None,
        dead_cycles: 0,
        paralysable: false,
        fragments: (0..2).map(|flow| FragmentSpec { flow, packets: vec![(1, 1.0)] }).collect(),
        builders: builders.to_vec(),
        assignment,
        places: None,
        build_cycles: 0,
        timeout_cycles: None,
    };
    spec.workload = vec![events.into()];
    spec
}

/// Changes the event building of a spec.
fn change(spec: &mut NetworkSpec, change: impl FnOnce(&mut EventsSpec)) {
    let WorkloadSpec::Events(mut events) = crate::activity(spec) else { unreachable!("the spec has events") };
    change(&mut events);
    spec.workload = vec![events.into()];
}

fn built(spec: &NetworkSpec, cycles: u64) -> EventCounters {
    let mut simulation = Simulation::new(spec).expect("valid");
    simulation.advance(cycles);
    simulation.activity_counters::<EventCounters>()[0].clone()
}

/// Cycle after the last service of a window of 1,000 cycles with 10 triggers.
const TEN: u64 = 1_000;

#[test]
fn an_event_is_complete_with_its_last_fragment() {
    let counted = built(&ring(AssignmentSpec::RoundRobin {}, &[2]), TEN);
    let one = counted.builders[0];
    assert_eq!((counted.triggers, one.built, counted.open), (10, 10, 0));
    assert_eq!((one.latency_max_cycles, one.latency_sum_cycles), (both(1), 10 * both(1)));
}

#[test]
fn builders_take_turns() {
    let counted = built(&ring(AssignmentSpec::RoundRobin {}, &[2, 3]), TEN);
    assert_eq!([counted.builders[0].built, counted.builders[1].built], [5, 5]);
    assert_eq!([counted.builders[0].latency_max_cycles, counted.builders[1].latency_max_cycles], [both(1), both(2)]);
}

#[test]
fn of_a_barrel_each_source_sends_to_another_builder_at_each_trigger() {
    // Node 1 sends the fragment of event k at trigger k + 1.
    let counted = built(&ring(AssignmentSpec::Barrel {}, &[2, 3]), TEN);
    let [first, second] = [counted.builders[0], counted.builders[1]];
    assert_eq!([first.latency_max_cycles, second.latency_max_cycles], [100 + trip(1), 100 + trip(2)]);
    // The last event still waits for its second fragment.
    assert_eq!((first.built, second.built, counted.open), (5, 4, 1));
}

#[test]
fn a_fragment_of_the_builder_itself_is_there_at_once() {
    let counted = built(&ring(AssignmentSpec::RoundRobin {}, &[1]), TEN);
    assert_eq!((counted.builders[0].built, counted.builders[0].latency_max_cycles), (10, trip(1)));
    // Its first packet is its own, at the trigger.
    assert_eq!(counted.builders[0].held.sum, 10 * trip(1));
}

#[test]
fn a_trigger_in_the_dead_time_is_lost() {
    let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2]);
    change(&mut spec, |events| events.trigger = ArrivalSpec::Poisson { rate: 0.01 });
    change(&mut spec, |events| events.dead_cycles = 100);
    let counted = built(&spec, 1_000_000);
    assert_eq!(counted.triggers, counted.dead + counted.builders[0].built + counted.open);
    // With a mean gap g and a dead time d behind each accepted trigger 1 of 1 + d/g is accepted.
    let accepted = counted.builders[0].built as f64 / counted.triggers as f64;
    assert!((accepted - 0.5).abs() < 0.02, "{accepted}");
}

#[test]
fn a_lost_trigger_begins_a_paralysable_dead_time_anew() {
    let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2]);
    change(&mut spec, |events| events.trigger = ArrivalSpec::Listed {});
    change(&mut spec, |events| events.trigger_cycles = vec![0, 80, 160, 240, 400]);
    change(&mut spec, |events| events.dead_cycles = 100);
    let counted = built(&spec, 1_000);
    // 80 and 240 are lost.
    assert_eq!((counted.triggers, counted.dead, counted.builders[0].built), (5, 2, 3));
    change(&mut spec, |events| events.paralysable = true);
    let counted = built(&spec, 1_000);
    // Each one from 0 to 240 is too close to the one before.
    assert_eq!((counted.triggers, counted.dead, counted.builders[0].built), (5, 3, 2));
    // Poisson triggers are accepted where no other came in a dead time before.
    change(&mut spec, |events| {
        events.trigger = ArrivalSpec::Poisson { rate: 0.01 };
        events.trigger_cycles.clear();
    });
    let counted = built(&spec, 1_000_000);
    let accepted = counted.builders[0].built as f64 / counted.triggers as f64;
    assert!((accepted - (-1f64).exp()).abs() < 0.02, "{accepted}");
}

#[test]
fn triggers_come_in_spills() {
    let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2]);
    change(&mut spec, |events| events.spill = Some(SpillSpec { on_cycles: 250, off_cycles: 1_000 }));
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.keep_deliveries();
    simulation.advance(4_000);
    let of_first = simulation.take_deliveries().into_iter().filter(|one| one.packet.flow == 0);
    let generated: Vec<u64> = of_first.map(|one| one.packet.generated).collect();
    // Every 100 cycles of the spills, which begin at 0, 1,250, 2,500 and 3,750.
    assert_eq!(generated, [0, 100, 200, 1_300, 1_400, 2_500, 2_600, 2_700, 3_800, 3_900]);
}

#[test]
fn a_full_builder_loses_events() {
    let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2]);
    change(&mut spec, |events| events.places = Some(2));
    change(&mut spec, |events| events.build_cycles = 200);
    let counted = built(&spec, 10_000);
    let one = counted.builders[0];
    // It processes every second one, and holds two.
    assert_eq!((one.built + one.lost, one.held.most), (100, 2));
    assert!((48..=52).contains(&one.built), "{one:?}");
    let busy = one.busy.sum;
    assert!((9_500..=10_000).contains(&busy), "{busy}");
}

#[test]
fn without_a_credit_nothing_is_sent() {
    let mut spec = ring(AssignmentSpec::Credits { delay_cycles: 30 }, &[2]);
    change(&mut spec, |events| events.places = Some(2));
    change(&mut spec, |events| events.build_cycles = 200);
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(10_000);
    let counted = simulation.activity_counters::<EventCounters>()[0];
    let one = counted.builders[0];
    assert_eq!((counted.triggers, one.lost), (100, 0));
    assert_eq!(one.built + counted.refused + counted.open, 100);
    assert!((48..=52).contains(&one.built), "{one:?}");
    let generated: u64 = simulation.flow_counters().iter().map(|flow| flow.generated_packets).sum();
    assert_eq!(generated, 2 * (100 - counted.refused));
}

#[test]
fn a_slow_builder_gets_fewer_events_by_credits() {
    let mut spec = ring(AssignmentSpec::Credits { delay_cycles: 1 }, &[2, 3]);
    change(&mut spec, |events| events.places = Some(1));
    change(&mut spec, |events| events.build_cycles = 120);
    // Packets for node 3 are served so slowly that it has its credit back only after the third trigger.
    let slow = ReceiveQueueSpec { service_cycles: 100, ..spec.queues.receive.common };
    let own = (0..4).map(|node| if node == 3 { slow } else { spec.queues.receive.common });
    spec.queues.receive.each = Some(own.collect());
    let counted = built(&spec, 10_000);
    assert_eq!(
        counted.refused,
        counted.triggers - counted.builders.iter().map(|one| one.built).sum::<u64>() - counted.open
    );
    assert!(counted.builders[0].built > counted.builders[1].built, "{counted:?}");
}

#[test]
fn an_event_that_is_not_complete_in_time_is_given_up() {
    let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2, 3]);
    // In time at node 2, not at node 3.
    change(&mut spec, |events| events.timeout_cycles = Some(both(1)));
    let counted = built(&spec, TEN);
    let [first, second] = [counted.builders[0], counted.builders[1]];
    assert_eq!((first.built, first.incomplete, second.built, second.incomplete), (5, 0, 0, 5));
    assert_eq!((second.held.value, counted.open), (0, 0));
}

#[test]
fn a_reset_counts_again_but_keeps_open_events() {
    let mut simulation = Simulation::new(&ring(AssignmentSpec::RoundRobin {}, &[2])).expect("valid");
    simulation.advance(905);
    simulation.reset_measurement();
    simulation.advance(95);
    let counted = simulation.activity_counters::<EventCounters>()[0];
    // The event of the trigger at 900 is complete after the reset.
    assert_eq!((counted.triggers, counted.builders[0].built), (0, 1));
}

#[test]
fn what_cannot_be_built_is_refused() {
    let refused = |wrong: fn(&mut EventsSpec)| {
        let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2]);
        change(&mut spec, wrong);
        spec.validate().expect_err("it is refused").path
    };
    assert_eq!(refused(|events| events.dead_cycles = 101), "workload[0].dead_cycles");
    assert_eq!(refused(|events| events.trigger_cycles = vec![1]), "workload[0].trigger_cycles");
    assert_eq!(refused(|events| events.trigger = ArrivalSpec::Listed {}), "workload[0].trigger_cycles");
    let stands = refused(|events| events.spill = Some(SpillSpec { on_cycles: 0, off_cycles: 1 }));
    assert_eq!(stands, "workload[0].spill.on_cycles");
    assert_eq!(refused(|events| events.builders = vec![]), "workload[0].builders");
    assert_eq!(refused(|events| events.builders = vec![4]), "workload[0].builders[0]");
    assert_eq!(refused(|events| events.builders = vec![2, 2]), "workload[0].builders[1]");
    assert_eq!(refused(|events| events.fragments[1].flow = 0), "workload[0].flow");
    assert_eq!(refused(|events| events.fragments[0].packets[0].0 = 0), "workload[0].fragments[0].packets");
    assert_eq!(refused(|events| events.places = Some(0)), "workload[0].places");
    assert_eq!(refused(|events| events.trigger = ArrivalSpec::Saturated {}), "workload[0].trigger");
    assert_eq!(refused(|events| events.assignment = AssignmentSpec::Credits { delay_cycles: 1 }), "workload[0].places");
    assert_eq!(refused(|events| events.fragments.truncate(1)), "workload");
}

#[test]
fn what_a_plan_is_going_to_release_is_not_counted() {
    // Nothing is delivered within a cycle, which is taken for a stall; ten triggers are known by then.
    let mut spec = ring(AssignmentSpec::RoundRobin {}, &[2]);
    spec.measurement.stall_cycles = 1;
    let mut simulation = Simulation::new(&spec).expect("valid");
    assert!(simulation.advance(TEN).is_some());
    let replayed = simulation.replayed();
    assert_eq!((replayed.started, replayed.due), (2, 0));
}
