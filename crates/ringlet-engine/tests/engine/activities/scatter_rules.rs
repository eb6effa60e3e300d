//! Scatter-gather with a barrier, on a ring small enough to be worked out by hand.

use crate::networks;
use crate::networks::{KIND, fingerprint, node, to};
use crate::traces::traced;
use ringlet_engine::Simulation;
use ringlet_engine::activities::WorkloadSpec;
use ringlet_engine::activities::scatter_gather::{ScatterGatherCounters, ScatterGatherSpec};
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec};

/// Behind an idle, over some hops of one cycle, and then its length.
fn trip(hops: u64) -> u64 {
    1 + hops + 8
}

/// Node 0 of four sends a packet of 8 symbols to node 1, and then one to node 2; each works and answers with one.
fn ring(work_cycles: [u64; 2]) -> NetworkSpec {
    let flow = |source| {
        let mut flow = traced(networks::flow(source, to((source + 1) % 4), ArrivalSpec::Saturated {}), false, true);
        flow.sizes = vec![(8, 1.0)];
        flow.response_symbols = None;
        flow
    };
    let rings = vec![networks::ring((0..4).map(node).collect(), Vec::new())];
    let mut spec = networks::network(rings, KIND, &[], (0..3).map(flow).collect());
    spec.network = None;
    spec.hop_delay.common = 1;
    spec.queues.receive.common.service_cycles = 0;
    spec.queues.receive.common.capacity = None;
    spec.queues.limits.common.transmit_capacity = None;
    let rounds = ScatterGatherSpec {
        flows: vec![0, 1, 2],
        rounds: 10,
        piece_packets: 1,
        answer_packets: 1,
        work_cycles: work_cycles.to_vec(),
        root_cycles: 7,
        start_cycle: 0,
    };
    spec.workload = vec![rounds.into()];
    spec
}

fn simulated(spec: &NetworkSpec, steps: &[u64]) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("valid");
    let mut steps = steps.iter().cycle();
    while simulation.cycle() < 20_000 {
        simulation.advance((*steps.next().expect("steps come again")).min(20_000 - simulation.cycle()));
    }
    simulation
}

fn counted(simulation: &Simulation) -> &ScatterGatherCounters {
    simulation.activity_counters::<ScatterGatherCounters>()[0]
}

#[test]
fn a_round_takes_the_way_there_the_work_and_the_way_back() {
    let simulation = simulated(&ring([500, 20]), &[20_000]);
    let counted = counted(&simulation);
    assert_eq!((counted.packets, counted.delivered, counted.rounds.len()), (40, 40, 10));
    // Node 1 works long: the packet for node 2 behind its own is of no account.
    let round = trip(1) + 500 + trip(3);
    assert_eq!((counted.min_cycles, counted.max_cycles, counted.sum_cycles), (round, round, 10 * round));
    assert_eq!(counted.workers.iter().map(|one| one.last).collect::<Vec<_>>(), [10, 0]);
    assert_eq!(counted.workers[0].sum_cycles, 10 * round);
    assert_eq!(simulation.is_complete(), Some(true));
}

#[test]
fn the_piece_that_is_sent_second_comes_a_packet_and_its_idle_later() {
    let simulation = simulated(&ring([20, 500]), &[20_000]);
    let round = 9 + trip(2) + 500 + trip(2);
    assert_eq!(counted(&simulation).max_cycles, round);
    assert_eq!(counted(&simulation).workers[1].last, 10);
}

#[test]
fn steps_do_not_matter() {
    let spec = ring([40, 43]);
    let (whole, parts) = (simulated(&spec, &[20_000]), simulated(&spec, &[1, 7, 300, 2]));
    assert_eq!(counted(&whole), counted(&parts));
    assert_eq!(fingerprint(&whole), fingerprint(&parts));
}

#[test]
fn what_cannot_go_round_is_refused() {
    let refused = |wrong: fn(&mut ScatterGatherSpec)| {
        let mut spec = ring([0, 0]);
        let WorkloadSpec::ScatterGather(mut rounds) = crate::activity(&spec) else { unreachable!("it has one") };
        wrong(&mut rounds);
        spec.flows.truncate(rounds.flows.len());
        spec.workload = vec![rounds.into()];
        spec.validate().expect_err("it is refused").path
    };
    assert_eq!(refused(|rounds| rounds.flows.truncate(1)), "workload[0].flows");
    assert_eq!(refused(|rounds| rounds.rounds = 0), "workload[0].rounds");
    assert_eq!(refused(|rounds| rounds.rounds = 2_000_000), "workload[0].rounds");
    assert_eq!(refused(|rounds| rounds.answer_packets = 0), "workload[0].answer_packets");
    assert_eq!(refused(|rounds| rounds.piece_packets = 20_000), "workload[0].piece_packets");
    assert_eq!(refused(|rounds| rounds.work_cycles.truncate(1)), "workload[0].work_cycles");
    assert_eq!(refused(|rounds| rounds.root_cycles = 1 << 53), "workload[0].root_cycles");
}
