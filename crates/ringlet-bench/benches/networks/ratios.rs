//! Ratios of 4,096 rings, and of two threads, to 64 rings on one:
//! `cargo bench -p ringlet-bench --bench network_ratios`.
//!
//! On a machine that others use, too, runs minutes apart differ by a third. So the cases take turns, and each round has
//! ratios of its own.

use std::time::Instant;

use ringlet_engine::Simulation;

mod topologies;

/// A network that goes on by so many cycles in its turn: a few seconds.
struct Case {
    simulation: Simulation,
    cycles: u64,
    interfaces: u64,
}

impl Case {
    fn new(side: u32, threads: usize, warmup: u64, cycles: u64) -> Self {
        let spec = topologies::torus(side, topologies::RATE);
        let mut simulation = Simulation::new(&spec).expect("a valid network");
        simulation.use_threads(threads);
        simulation.advance(warmup);
        let rings = &spec.network.as_ref().expect("a network").rings;
        Self { simulation, cycles, interfaces: rings.iter().map(|ring| ring.interfaces.len() as u64).sum() }
    }

    /// Million node-cycles per second.
    fn rate(&mut self) -> f64 {
        let start = Instant::now();
        self.simulation.advance(self.cycles);
        (self.cycles * self.interfaces) as f64 / start.elapsed().as_secs_f64() / 1e6
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    const ROUNDS: usize = 7;
    const SMALL: (u64, u64) = (20_000, 500_000);
    const LARGE: (u64, u64) = (10_000, 20_000);
    let mut cases = [(8, 1, SMALL), (8, 2, SMALL), (64, 1, LARGE), (64, 2, LARGE)]
        .map(|(side, threads, (warmup, cycles))| Case::new(side, threads, warmup, cycles));
    println!("million node-cycles/s   64 rings  2 threads  (times)  4,096 rings  (part)  2 threads  (times)");
    let print = |name: &str, [one, two, large, large_two]: [f64; 4], [threads, part, large_threads]: [f64; 3]| {
        println!(
            "{name:<22}  {one:8.0}  {two:9.0}  {threads:7.2}  {large:11.0}  {part:6.2}  {large_two:9.0}  \
             {large_threads:7.2}"
        );
    };
    let mut rounds = Vec::new();
    for round in 1..=ROUNDS {
        let rates = cases.each_mut().map(Case::rate);
        let ratios = [rates[1] / rates[0], rates[2] / rates[0], rates[3] / rates[2]];
        print(&format!("round {round}"), rates, ratios);
        rounds.push((rates, ratios));
    }
    let rates = [0, 1, 2, 3].map(|case| median(rounds.iter().map(|round| round.0[case]).collect()));
    let ratios = [0, 1, 2].map(|ratio| median(rounds.iter().map(|round| round.1[ratio]).collect()));
    print("median", rates, ratios);
}
