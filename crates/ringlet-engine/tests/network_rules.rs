//! The rules of docs/network-model.md on networks small enough to be worked out by hand.
#![allow(missing_docs)]

mod networks;

use networks::{KIND, every, flow, network, node, port, ring, step, to};
use ringlet_engine::Simulation;
use ringlet_engine::spec::{NetworkSpec, SwitchKindSpec};

/// A processor and a memory on rings of their own, with a switch between them.
fn two_rings(kind: SwitchKindSpec, period: f64) -> NetworkSpec {
    let rings = vec![
        ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
        ring(vec![node(1), port(0, 1)], vec![step(0, 1, 0)]),
    ];
    network(rings, kind, &[2], vec![flow(0, to(1), every(period))])
}

/// Sends at 0 and idles around it: its first symbol reaches the port in cycle 1 + 18 and its last 40 cycles later; 58 ns, 11 B-Link cycles of 13.3 ns
/// and 82 ns later it is in the transmit buffer, from which it is sent behind an idle. 18 cycles and its length later the memory has it, and serves it for 47.
#[test]
fn a_packet_crosses_a_switch() {
    let mut simulation = Simulation::new(&two_rings(KIND, 10_000.0)).expect("valid");
    simulation.advance(9_000);
    let flows = simulation.flow_counters();
    assert_eq!(flows[0].delivered_packets, 1);
    let received = (1 + 18 + 40) * 4000 + 58_000;
    let ready = (received + 146_667 + 82_000u64).div_ceil(4000);
    assert_eq!(flows[0].latency_sum_cycles, ready + 1 + 18 + 40 + 47);
    let link = simulation.link_counters()[0];
    assert_eq!((link.packets, link.busy_ps), (1, 146_667));
}

/// Saturated, a B-Link moves a packet in the time that it holds it.
#[test]
fn a_b_link_is_the_bottleneck() {
    let kind = SwitchKindSpec { setup_ps: 216_000, ..KIND };
    let mut simulation = Simulation::new(&two_rings(kind, 42.0)).expect("valid");
    simulation.advance(100_000);
    simulation.reset_measurement();
    simulation.advance(1_000_000);
    let delivered = simulation.flow_counters()[0].delivered_packets as f64;
    let possible = 1e6 * 4000.0 / 362_667.0;
    assert!((delivered / possible - 1.0).abs() < 1e-3, "{delivered} of {possible}");
    let busy = simulation.link_counters()[0].busy_ps as f64 / 4e9;
    assert!(busy > 0.999, "the bus is busy for {busy} of the time");
}
