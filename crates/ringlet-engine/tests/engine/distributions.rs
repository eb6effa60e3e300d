//! Distributions hold every latency that is counted, however many there are, and nothing else.

use crate::networks::{DMOVE64, KIND, every, flow, network, node, port, ring, step, to};
use ringlet_engine::Simulation;
use ringlet_engine::spec::NetworkSpec;

/// A sender and a receiver on rings of their own; a message has `burst` packets.
fn messages(burst: u32) -> NetworkSpec {
    let rings = vec![
        ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
        ring(vec![node(1), port(0, 1)], vec![step(0, 1, 0)]),
    ];
    let mut sender = flow(0, to(1), every(250.0 * f64::from(burst)));
    (sender.burst, sender.response_symbols) = (burst, Some(DMOVE64));
    network(rings, KIND, &[2], vec![sender])
}

/// The last latencies are kept apart from the histogram of the earlier ones: none may be lost between the two.
#[test]
fn none_of_the_latencies_is_lost() {
    for burst in [1, 3] {
        let mut simulation = Simulation::new(&messages(burst)).expect("valid");
        for pass in 0..2 {
            let mut most = 0;
            while most < 200 {
                simulation.advance(100);
                let counted = simulation.flow_counters()[0];
                let (packets, host) = (simulation.latencies([0]), counted.host());
                let messages = simulation.message_latencies([0]);
                assert_eq!(packets.len(), counted.delivered_packets, "packets, pass {pass}");
                assert_eq!(messages.len(), host.completed_messages, "messages of {burst}, pass {pass}");
                let near =
                    |mean: f64, sum: u64, count: u64| (mean * count as f64 / sum.max(1) as f64 - 1.0).abs() < 1e-3;
                let found = packets.mean();
                assert!(packets.is_empty() || near(found, counted.latency_sum_cycles, packets.len()), "{found}");
                let found = messages.mean();
                assert!(messages.is_empty() || near(found, host.message_latency_sum_cycles, messages.len()), "{found}");
                most = messages.len();
            }
            // What is counted begins anew.
            simulation.reset_measurement();
            assert_eq!(simulation.latencies([0]).len() + simulation.message_latencies([0]).len(), 0);
        }
    }
}

/// Flows that are named together are summed; those that do not exist are empty.
#[test]
fn distributions_of_flows_add_up() {
    let mut spec = messages(1);
    spec.flows.push(flow(1, to(0), every(400.0)));
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(60_000);
    let (first, second) = (simulation.latencies([0]), simulation.latencies([1]));
    assert!(first.len() > 64 && second.len() > 64 && first != second);
    let mut sum = first;
    sum.add(second).expect("of the same precision");
    assert_eq!(simulation.latencies(0..9), sum);
}
