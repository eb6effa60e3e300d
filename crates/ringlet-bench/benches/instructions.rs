//! Instructions per workload, counted by Valgrind: the same on a noisy machine, so that a regression shows.
//!
//! `cargo install gungraun-runner --version 0.20.0`, Valgrind, then
//! `cargo bench -p ringlet-bench --bench instructions`.
#![allow(missing_docs)]

use std::hint::black_box;

use gungraun::prelude::*;
use ringlet_engine::Simulation;

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
fn advance((mut simulation, cycles): (Simulation, u64)) -> u64 {
    black_box(simulation.advance(cycles));
    simulation.flow_counters().iter().map(|flow| flow.delivered_packets).sum()
}

library_benchmark_group!(name = engine, benchmarks = advance);
main!(library_benchmark_groups = engine);
