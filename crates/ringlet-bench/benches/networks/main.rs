//! Speed of networks of rings on the cases of docs/explanation/performance.md:
//! `cargo bench -p ringlet-bench --bench networks`.
//!
//! An item is a node-cycle: one node or port simulated for one cycle, with all measurement on.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringlet_engine::Simulation;
use ringlet_engine::spec::NetworkSpec;

mod omega;
mod topologies;

use topologies::RATE;

fn main() {
    divan::main();
}

fn advance(bencher: Bencher, spec: &NetworkSpec, threads: usize, warmup: u64, cycles: u64) {
    let rings = &spec.network.as_ref().expect("a network").rings;
    let interfaces: usize = rings.iter().map(|ring| ring.interfaces.len()).sum();
    let mut simulation = Simulation::new(spec).expect("a valid network");
    simulation.use_threads(threads);
    simulation.advance(warmup);
    bencher.counter(ItemsCount::new(cycles * interfaces as u64)).bench_local(|| simulation.advance(cycles));
}

/// 10 ms of the saturated 16 x 16 Omega network of ringlets.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn omega_16_10_ms(bencher: Bencher) {
    advance(bencher, &omega::omega(16), 1, 50_000, 2_500_000);
}

/// 64 rings of 16 nodes.
#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn rings_64(bencher: Bencher, threads: usize) {
    advance(bencher, &topologies::torus(8, RATE), threads, 20_000, 100_000);
}

/// 65,536 nodes on 4,096 rings.
#[divan::bench(args = [1, 2], sample_count = 3, sample_size = 1)]
fn rings_4096(bencher: Bencher, threads: usize) {
    advance(bencher, &topologies::torus(64, RATE), threads, 10_000, 10_000);
}

/// The time to check and build it.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn build_rings_4096(bencher: Bencher) {
    let spec = topologies::torus(64, RATE);
    bencher.bench_local(|| Simulation::new(&spec).expect("a valid network").bytes());
}
