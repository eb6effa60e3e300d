//! Speed of the engine on the workloads of docs/explanation/performance.md:
//! `cargo bench -p ringlet-bench --bench throughput`.
//!
//! An item is a node-cycle: one node simulated for one cycle, with all measurement on.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringlet_engine::Simulation;

mod workloads;
use workloads::{WORKLOADS, Workload};

fn main() {
    divan::main();
}

#[divan::bench(args = WORKLOADS, sample_count = 10, sample_size = 1)]
fn node_cycles(bencher: Bencher, workload: &Workload) {
    let spec = workload.spec();
    let mut simulation = Simulation::new(&spec).expect("a valid workload");
    // Into the steady state: packets have gone round the ring at least twice.
    simulation.advance((workload.cycles / 4).max(2 * u64::from(spec.nodes)));
    bencher
        .counter(ItemsCount::new(workload.cycles * u64::from(spec.nodes)))
        .bench_local(|| simulation.advance(workload.cycles));
}
