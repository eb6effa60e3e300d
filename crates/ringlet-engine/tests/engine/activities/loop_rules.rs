//! Control loops and collective operations on a ring small enough to be worked out by hand.

use crate::networks;
use crate::networks::{KIND, node, to};
use crate::traces::traced;
use ringlet_engine::Simulation;
use ringlet_engine::activities::WorkloadSpec;
use ringlet_engine::activities::chain::{ChainSpec, StageSpec};
use ringlet_engine::activities::collective::{CollectiveCounters, CollectiveSpec, Operation};
use ringlet_engine::chains::ChainCounters;
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec};

/// Behind an idle, over some hops of one cycle, and then its length.
fn trip(hops: u64) -> u64 {
    1 + hops + 8
}

/// A ring of four nodes, each with a flow of packets of 8 symbols that follow a plan.
fn ring(plan: WorkloadSpec) -> NetworkSpec {
    let flow = |source| {
        let mut flow = traced(networks::flow(source, to((source + 1) % 4), ArrivalSpec::Saturated {}), false, true);
        flow.sizes = vec![(8, 1.0)];
        flow.response_symbols = None;
        flow
    };
    let rings = vec![networks::ring((0..4).map(node).collect(), Vec::new())];
    let mut spec = networks::network(rings, KIND, &[], (0..4).map(flow).collect());
    spec.network = None;
    spec.hop_delay.common = 1;
    spec.queues.receive.common.service_cycles = 0;
    spec.queues.receive.common.capacity = None;
    spec.queues.limits.common.transmit_capacity = None;
    if let WorkloadSpec::Chain(chain) = &plan {
        spec.flows.truncate(chain.stages.len());
    }
    spec.workload = vec![plan.into()];
    spec
}

/// Node 0 sends to node 1 after 20 cycles, which sends to node 3 after 30 more; that one works for 5.
fn chain(deadline_cycles: u64) -> NetworkSpec {
    let stage = |flow, destination, after_cycles| StageSpec { flow, destination, packets: 1, after_cycles };
    ring(WorkloadSpec::Chain(ChainSpec {
        release: ArrivalSpec::Periodic { period: 500.0, phase: 0.0 },
        jitter_cycles: 0,
        deadline_cycles,
        stages: vec![stage(0, 1, 20), stage(1, 3, 30)],
        end_cycles: 5,
    }))
}

const RESPONSE: u64 = 20 + 10 + 30 + 11 + 5;

#[test]
fn a_loop_takes_the_time_of_its_messages_and_of_its_nodes() {
    assert_eq!(RESPONSE, 20 + trip(1) + 30 + trip(2) + 5);
    let mut simulation = Simulation::new(&chain(RESPONSE)).expect("valid");
    simulation.advance(5_000);
    let counted = simulation.activity_counters::<ChainCounters>()[0];
    assert_eq!((counted.released, counted.due, counted.missed), (10, 10, 0));
    assert_eq!((counted.min_cycles, counted.max_cycles, counted.sum_cycles), (RESPONSE, RESPONSE, 10 * RESPONSE));
    assert_eq!((counted.open, counted.oldest), (0, None));
}

#[test]
fn an_instance_that_is_still_to_come_is_not_the_oldest_one() {
    let mut spec = chain(RESPONSE);
    let WorkloadSpec::Chain(one) = crate::activity(&spec) else { unreachable!("it has one") };
    let release = ArrivalSpec::Periodic { period: 500.0, phase: 10.0 };
    spec.workload = vec![ChainSpec { release, ..one }.into()];
    // Instances are released ahead of the ring, which stalls before the first one.
    spec.measurement.stall_cycles = 1;
    spec.flows.push(networks::flow(2, to(3), ArrivalSpec::Saturated {}));
    let mut simulation = Simulation::new(&spec).expect("valid");
    assert!(simulation.advance(100).is_some());
    let counted = simulation.activity_counters::<ChainCounters>()[0];
    assert!(simulation.cycle() < 10);
    assert_eq!((counted.released, counted.oldest), (0, None));
}

#[test]
fn jitter_makes_the_start_late_and_counts_in_the_response() {
    let mut spec = chain(RESPONSE + 50);
    let WorkloadSpec::Chain(one) = crate::activity(&spec) else { unreachable!("it has one") };
    spec.workload = vec![ChainSpec { jitter_cycles: 100, ..one }.into()];
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(500 * 1_000);
    let counted = simulation.activity_counters::<ChainCounters>()[0];
    assert_eq!((counted.released, counted.due, counted.open), (1_000, 1_000, 0));
    assert_eq!((counted.min_cycles, counted.max_cycles), (RESPONSE, RESPONSE + 100));
    // 50 of the 101 delays are too long.
    assert!((450..540).contains(&counted.missed), "{}", counted.missed);
}

#[test]
fn an_instance_under_way_at_a_reset_is_counted_when_it_is_complete() {
    let mut simulation = Simulation::new(&chain(RESPONSE)).expect("valid");
    simulation.advance(30);
    assert_eq!(simulation.activity_counters::<ChainCounters>()[0].open, 1);
    simulation.reset_measurement();
    simulation.advance(400);
    let counted = simulation.activity_counters::<ChainCounters>()[0];
    assert_eq!((counted.released, counted.responses.len(), counted.open), (0, 1, 0));
}

#[test]
fn a_loop_that_takes_longer_than_its_deadline_misses_it_each_time() {
    let mut simulation = Simulation::new(&chain(RESPONSE - 1)).expect("valid");
    simulation.advance(5_000);
    let counted = simulation.activity_counters::<ChainCounters>()[0];
    assert_eq!((counted.due, counted.missed), (10, 10));
}

fn collective(operation: Operation, packets: u32) -> NetworkSpec {
    let flows = vec![0, 1, 2, 3];
    ring(WorkloadSpec::Collective(CollectiveSpec { operation, flows, packets, start_cycle: 0, reduce_cycles: 7 }))
}

fn end(operation: Operation, packets: u32) -> (u64, u64, u64) {
    let mut simulation = Simulation::new(&collective(operation, packets)).expect("valid");
    simulation.advance(100_000);
    let counted = simulation.activity_counters::<CollectiveCounters>()[0];
    (counted.packets, counted.delivered, counted.last_cycle)
}

#[test]
fn a_broadcast_goes_from_member_to_member() {
    // Each hands its packet on in the cycle after it came.
    assert_eq!(end(Operation::Broadcast { root: 2 }, 1), (3, 3, 3 * trip(1) + 2));
}

#[test]
fn an_all_reduce_sends_twice_as_often_as_an_all_gather() {
    assert_eq!(end(Operation::AllGather {}, 5).0, 3 * 4 * 5);
    assert_eq!(end(Operation::ReduceScatter {}, 5).0, 3 * 4 * 5);
    assert_eq!(end(Operation::AllReduce {}, 5).0, 2 * 3 * 4 * 5);
}

#[test]
fn all_packets_of_a_collective_are_delivered() {
    for operation in [
        Operation::AllGather {},
        Operation::AllReduce {},
        Operation::ReduceScatter {},
        Operation::AllToAll {},
        Operation::Broadcast { root: 0 },
    ] {
        let (packets, delivered, last) = end(operation, 20);
        assert_eq!(packets, delivered, "{operation:?}");
        assert!(last > 20 * 8, "{operation:?}");
    }
}

#[test]
fn a_collective_needs_two_members() {
    let mut spec = collective(Operation::AllGather {}, 1);
    spec.flows.truncate(1);
    let WorkloadSpec::Collective(one) = crate::activity(&spec) else { unreachable!("it has one") };
    spec.workload = vec![CollectiveSpec { flows: vec![0], ..one }.into()];
    assert_eq!(spec.validate().expect_err("it is refused").path, "workload[0].flows");
}
