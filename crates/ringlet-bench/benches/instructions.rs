//! Instructions per workload, counted by Valgrind: the same on a noisy machine, so that a regression shows.
//!
//! `cargo install gungraun-runner --version 0.20.0`, Valgrind, then
//! `cargo bench -p ringlet-bench --bench instructions`, or `make instructions`, which fails on a rise.
#![allow(missing_docs)]

use std::hint::black_box;

use gungraun::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::sci::SciSpec;
use ringlet_engine::replay::TracePacket;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, NetworkSpec};

#[path = "networks/topologies.rs"]
mod topologies;
mod workloads;
use workloads::WORKLOADS;

/// Cycles times nodes of one count, small because Valgrind runs some 50 times slower than the machine.
const NODE_CYCLES: u64 = 1_600_000;

fn warmed_up(index: usize) -> (Simulation, u64) {
    let workload = &WORKLOADS[index];
    let cycles = NODE_CYCLES / u64::from(workload.nodes);
    let mut simulation = Simulation::new(&workload.spec()).expect("a valid workload");
    simulation.advance(cycles);
    (simulation, cycles)
}

/// 64 rings of 16 nodes and 4 ports. They have more node-cycles, since a way round such a ring takes 360 cycles.
fn rings_64() -> (Simulation, u64) {
    const CYCLES: u64 = 5_000;
    let mut simulation = Simulation::new(&topologies::torus(8, topologies::RATE)).expect("a valid network");
    simulation.advance(CYCLES);
    (simulation, CYCLES)
}

/// A ring of 64 nodes at half of saturation whose packets come from a trace, any node to any other.
fn trace_64() -> (Simulation, u64) {
    const NODES: u32 = 64;
    const CYCLES: u64 = 100_000;
    /// Cycles between packets: sends of 41 and echoes of 5 symbols go round once, on links half full.
    const APART: u64 = 46;
    let arrivals = ArrivalSpec::Trace { responses: false, dependence_driven: false };
    let flow = |source| FlowSpec::new(source, DestinationSpec::Uniform {}, arrivals, 40);
    let spec = NetworkSpec::ring(NODES, SciSpec::EXAMPLE, (0..NODES).map(flow).collect());
    let mut simulation = Simulation::new(&spec).expect("a valid ring");
    let packets = (0..2 * CYCLES / APART).map(|number| {
        // Knuth's multiplicative hash: the upper bits look random.
        let random = (number as u32).wrapping_mul(2_654_435_761);
        let (source, hops) = (random >> 26, 1 + (random >> 8 & 0xffff) % (NODES - 1));
        TracePacket { cycle: number * APART, flow: source, destination: (source + hops) % NODES, depends_on: &[] }
    });
    simulation.hand_in(packets, 2 * CYCLES).expect("valid packets");
    simulation.advance(CYCLES);
    (simulation, CYCLES)
}

/// The spec of a torus of rings of 16 nodes, as many each way. What is asked of all flows for each ring shows between
/// two sizes: 16 times as many rings may take 16 times as much.
fn torus_of(side: u32) -> NetworkSpec {
    topologies::torus(side, topologies::RATE)
}

#[library_benchmark]
#[bench::rings_64(args = (8,), setup = torus_of)]
#[bench::rings_1024(args = (32,), setup = torus_of)]
fn build(spec: NetworkSpec) -> Simulation {
    Simulation::new(black_box(&spec)).expect("a valid network")
}

#[library_benchmark]
#[bench::saturated_80(args = (0,), setup = warmed_up)]
#[bench::saturated_mixed(args = (1,), setup = warmed_up)]
#[bench::load_10_percent(args = (2,), setup = warmed_up)]
#[bench::load_50_percent(args = (3,), setup = warmed_up)]
#[bench::none_saturated_80(args = (4,), setup = warmed_up)]
#[bench::grouped_saturated_80(args = (5,), setup = warmed_up)]
#[bench::read64_sci(args = (9,), setup = warmed_up)]
#[bench::read64_ppq(args = (10,), setup = warmed_up)]
#[bench::read64_train(args = (11,), setup = warmed_up)]
#[bench::read64_dfc(args = (12,), setup = warmed_up)]
#[bench::rings_64(setup = rings_64)]
#[bench::trace_64(setup = trace_64)]
fn advance((mut simulation, cycles): (Simulation, u64)) -> u64 {
    black_box(simulation.advance(cycles));
    simulation.flow_counters().iter().map(|flow| flow.delivered_packets).sum()
}

library_benchmark_group!(name = engine, benchmarks = [advance, build]);
main!(library_benchmark_groups = engine);
