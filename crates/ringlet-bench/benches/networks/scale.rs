//! Memory and time that a network takes, from 1,024 to 65,536 nodes:
//! `cargo bench -p ringlet-bench --bench network_scale`.
//!
//! Each size has a process of its own, whose memory is read from /proc (Linux). `-- 8 64` measures tori of 8 x 8 and
//! 64 x 64 rings only.

use std::env;
use std::fs;
use std::process::Command;
use std::time::Instant;

use ringlet_engine::Simulation;

mod topologies;

/// Rings along a side of the torus.
const SIDES: [&str; 4] = ["8", "16", "32", "64"];

/// Marks the process that measures one size.
const MEASURES: &str = "RINGLET_NETWORK_SCALE";

fn main() {
    let asked: Vec<String> = env::args().skip(1).filter(|word| word.parse::<u32>().is_ok()).collect();
    if env::var_os(MEASURES).is_some() {
        asked.iter().for_each(|side| measure(side.parse().expect("a number")));
        return;
    }
    println!("    nodes  interfaces  spec s  build s  first 10,000 cycles s  million node-cycles/s  memory GB");
    let sides = if asked.is_empty() { SIDES.map(String::from).to_vec() } else { asked };
    for side in sides {
        let program = env::current_exe().expect("a program has a path");
        let done = Command::new(program).arg(&side).env(MEASURES, "").status().expect("the program starts");
        assert!(done.success(), "side {side}: {done}");
    }
}

fn measure(side: u32) {
    let start = Instant::now();
    let spec = topologies::torus(side, topologies::RATE);
    let made = start.elapsed().as_secs_f64();
    let network = spec.network.as_ref().expect("a network");
    let interfaces: u64 = network.rings.iter().map(|ring| ring.interfaces.len() as u64).sum();
    let start = Instant::now();
    let mut simulation = Simulation::new(&spec).expect("a valid network");
    let built = start.elapsed().as_secs_f64();
    let nodes = spec.nodes;
    drop(spec);
    let start = Instant::now();
    simulation.advance(10_000);
    let filled = start.elapsed().as_secs_f64();
    // As many cycles as let a small network run for a second, too.
    let cycles = (200_000_000 / interfaces).max(2_000);
    let start = Instant::now();
    simulation.advance(cycles);
    let rate = (cycles * interfaces) as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!(
        "{nodes:9}  {interfaces:10}  {made:6.1}  {built:7.1}  {filled:21.1}  {rate:21.0}  {:9.2}",
        resident_bytes().map_or(f64::NAN, |bytes| bytes / 1e9)
    );
}

fn resident_bytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kibibytes| kibibytes * 1024.0)
}
