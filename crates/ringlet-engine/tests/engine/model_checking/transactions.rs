//! Requests and responses around rings of three nodes: larger explorations, left to `cargo test -- --ignored`.

use ringlet_engine::protocols::FlowControlSpec;

use super::explore::explore;
use super::rings::{dfc, ppq, reads, ring, sci, train, with_one_response, with_places};

/// Every node sends requests to the one before it, whose server waits for its only response place.
#[test]
#[ignore = "over a million states, 24 s: the test run has the same with two nodes; run with --ignored"]
fn every_protocol_completes_every_transaction() {
    let protocols = [
        ("SCI", sci()),
        ("PPQ", FlowControlSpec::Ppq(ppq())),
        ("TRAIN", FlowControlSpec::Train(train())),
        ("DFC", FlowControlSpec::Dfc(dfc(1))),
    ];
    for (name, flow_control) in protocols {
        let transactions = ring(3, flow_control, vec![reads(0, 2), reads(1, 0), reads(2, 1)]);
        let spec = with_one_response(Some(1), with_places(1, 1, transactions));
        explore(&format!("{name}, 3 nodes, transactions"), spec, 1).comes_to_rest().starves_none();
    }
}
