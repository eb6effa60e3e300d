//! DFC: control symbols.

use ringlet_engine::protocols::{FlowControlSpec, dfc::DfcSpec};
use ringlet_engine::spec::MIN_SEND_SYMBOLS;

use super::explore::explore;
use super::rings::{
    dfc, every_node_passes_one, moves, reads, ring, two_to_one, with_one_response, with_places, with_priority,
};

/// No announcement, no blocked destination, no grant is left over: what a reordered RELEASE would leave (todd2001,
/// Section 3.2).
#[test]
fn control_symbols_are_all_taken_back() {
    for outstanding_limit in [Some(1), None] {
        let transactions = ring(2, FlowControlSpec::Dfc(dfc(1)), vec![reads(0, 1), reads(1, 0)]);
        let spec = with_one_response(outstanding_limit, with_places(1, 3, transactions));
        let name = format!("DFC, transactions, {outstanding_limit:?} outstanding");
        explore(&name, spec, 2).comes_to_rest().starves_none();
    }
    let spec = with_places(1, 3, ring(3, FlowControlSpec::Dfc(dfc(1)), every_node_passes_one()));
    explore("DFC, every node passes one", spec, 1).comes_to_rest().starves_none();
}

/// Two nodes whose packets wait for a full node are granted in turn.
#[test]
fn stop_to_admits_nodes_of_equal_priority_in_turn() {
    let spec = with_places(2, 20, ring(3, FlowControlSpec::Dfc(dfc(2)), two_to_one()));
    explore("DFC, fair", spec, 2).comes_to_rest().starves_none();
}

/// The last one of three nodes before the full node starves if the first priority collected stays.
#[test]
#[ignore = "2.6 million states, 82 s: the test run has the fair case with two senders; run with --ignored"]
fn without_turns_the_last_of_three_starves() {
    let three = |fair| {
        let flow_control = FlowControlSpec::Dfc(DfcSpec { fair, ..dfc(2) });
        with_places(2, 20, ring(4, flow_control, vec![moves(0, 3), moves(1, 3), moves(2, 3)]))
    };
    explore("DFC, unfair, 3 senders", three(false), 2).comes_to_rest().starves(2);
    explore("DFC, fair, 3 senders", three(true), 2).comes_to_rest().starves_none();
}

/// A bypass FIFO with room for a single packet: nodes without space announce their priority all the time.
#[test]
#[ignore = "247,531 states take 9 s: `make nightly` explores them"]
fn stop_thru_lets_the_high_priority_through() {
    let short = DfcSpec { bypass_symbols: MIN_SEND_SYMBOLS + 1, ..dfc(2) };
    let flows = vec![moves(0, 2), with_priority(1, moves(1, 2)), moves(2, 1)];
    let spec = with_places(2, 3, ring(3, FlowControlSpec::Dfc(short), flows));
    explore("DFC, STOP-THRU", spec, 1).comes_to_rest().serves(1);
}

/// A single place leaves STOP-TO nothing to arbitrate: each RELEASE is a race, which the lower priority may win for
/// ever.
#[test]
fn with_a_single_place_every_release_is_a_race() {
    let flows = vec![moves(0, 2), with_priority(1, moves(1, 2))];
    let spec = with_places(1, 3, ring(3, FlowControlSpec::Dfc(dfc(1)), flows));
    explore("DFC, a single place", spec, 2).comes_to_rest().starves(1);
}
