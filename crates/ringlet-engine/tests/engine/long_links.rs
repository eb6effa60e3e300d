//! Links as long as they may be, of which a way round is more symbols than 32 bits count: times are those of short
//! links, and the longer ways.

use crate::networks;
use crate::rings::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::metaring::MetaringSpec;
use ringlet_engine::protocols::token_ring::{TokenRelease, TokenRingSpec};
use ringlet_engine::record::{Recorder, RunKind};
use ringlet_engine::spec::{MAX_HOP_DELAY, RingSpec};

/// Nodes of a ring whose way round is more than 2^32 cycles, of the longest links.
const NODES: u32 = 16;

/// Cycles of each packet of a ring with links of this delay, from when it was generated until it was delivered.
fn latencies(flow_control: &FlowControlSpec, hop_delay: u32) -> Vec<u64> {
    let flows = [(0, 1), (0, 5), (3, 2), (9, 15)].map(|(source, destination)| once(source, destination, 40, 7));
    let mut spec = ring(NODES, hop_delay, flow_control.clone(), flows.into());
    spec.measurement.stall_cycles = 1 << 50;
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    simulation.keep_deliveries();
    assert_eq!(simulation.advance(20 * u64::from(NODES) * u64::from(hop_delay) + 10_000), None);
    let mut found = simulation.take_deliveries();
    found.sort_by_key(|delivered| delivered.packet.flow);
    found.iter().map(|delivered| delivered.cycle - delivered.packet.generated).collect()
}

#[test]
fn times_grow_by_as_much_for_each_cycle_of_a_hop_however_long_it_is() {
    let releases = [TokenRelease::Early, TokenRelease::Header, TokenRelease::Returned];
    let tokens = releases.map(|release| TokenRingSpec { release, ..TokenRingSpec::EXAMPLE });
    let protocols = tokens.map(FlowControlSpec::TokenRing);
    let metaring = FlowControlSpec::Metaring(MetaringSpec { most_packets: 1, ..MetaringSpec::EXAMPLE });
    for flow_control in protocols.into_iter().chain([NONE, SCI, metaring]) {
        let [short, longer, longest] = [1_000, 2_000, MAX_HOP_DELAY].map(|hop| latencies(&flow_control, hop));
        let expected: Vec<u64> = short
            .iter()
            .zip(&longer)
            .map(|(short, longer)| short + (longer - short) / 1_000 * u64::from(MAX_HOP_DELAY - 1_000))
            .collect();
        assert_eq!(longest.len(), 4, "{flow_control:?}");
        assert_eq!(longest, expected, "{flow_control:?}");
    }
}

#[test]
fn a_recording_holds_each_cycle_of_idles_that_take_longer_than_a_count_of_it() {
    let slow = RingSpec { symbol_cycles: 1_000, ..networks::ring([0, 1].map(networks::node).into(), Vec::new()) };
    let mut spec = networks::network(vec![slow], networks::KIND, &[], Vec::new());
    spec.hop_delay = MAX_HOP_DELAY.into();
    const END: u64 = 1 << 40;
    let recorder = Recorder::new(0, END);
    let mut simulation = Simulation::new(&spec).expect("a valid spec").recorded(recorder.clone());
    assert_eq!(simulation.advance(END), None);
    let runs = recorder.finish().runs;
    for node in [0, 1] {
        let of_node = runs.iter().filter(|run| run.node == node && run.kind == RunKind::Idle);
        let mut reached = 0;
        for run in of_node {
            assert_eq!(run.cycle, reached);
            reached += u64::from(run.count);
        }
        assert_eq!(reached, END);
    }
}
