//! Go bits: SCI's one, and one per transmission group.

use ringlet_engine::protocols::{
    FlowControlSpec,
    go_bits::{Extension, Release},
    grouped::{GroupedSpec, Permit},
    none::NoneSpec,
};
use ringlet_engine::spec::NetworkSpec;

use super::explore::explore;
use super::rings::{
    every_node_passes_one, in_group, moves, one_below_two, reads, ring, sci, sci_with, two_to_one, with_one_response,
    with_places, with_queues, with_reservation,
};

const EXTENSIONS: [Extension; 5] =
    [Extension::Received, Extension::None, Extension::Passing, Extension::AfterSend, Extension::Always];
const RELEASES: [Release; 2] = [Release::Unblocked, Release::All];

/// The one reading of the paper's silent points that does not keep the protocol's promise.
fn keeps_its_promise(extension: Extension, release: Release) -> bool {
    (extension, release) != (Extension::Always, Release::Unblocked)
}

/// Picker1994, Section 1.2: every node with a packet sends it. A lost go bit would be a packet that is never sent.
#[test]
fn every_node_of_an_sci_ring_gets_its_turn() {
    explore("SCI, 2 nodes", ring(2, sci(), vec![moves(0, 1), moves(1, 0)]), 2).comes_to_rest().starves_none();
    for (extension, release) in
        EXTENSIONS.into_iter().flat_map(|extension| RELEASES.map(|release| (extension, release)))
    {
        let flow_control = || sci_with(extension, release);
        let found = explore(&format!("SCI, {extension:?}, {release:?}"), ring(3, flow_control(), one_below_two()), 2);
        found.comes_to_rest();
        if keeps_its_promise(extension, release) {
            found.starves_none();
        }
        let name = format!("SCI, {extension:?}, {release:?}, every node passes one");
        explore(&name, ring(3, flow_control(), every_node_passes_one()), 1).comes_to_rest().starves_none();
    }
}

/// Every assignment of three nodes to two groups, with two packets of a node under way.
fn groups_get_their_turns(permit: Permit, extension: Extension) {
    for groups in [[0, 1, 1], [0, 1, 0], [0, 0, 1]] {
        let release = Release::Unblocked;
        let flow_control = FlowControlSpec::Grouped(GroupedSpec { permit, extension, release, groups: 2 });
        let flows = one_below_two().into_iter().zip(groups).map(|(flow, group)| in_group(group, flow)).collect();
        let found = explore(&format!("grouped {permit:?} {groups:?}"), ring(3, flow_control, flows), 2);
        found.comes_to_rest().starves_none();
    }
}

/// Picker1994, Section 3.1.
#[test]
fn every_node_of_a_grouped_ring_gets_its_turn() {
    groups_get_their_turns(Permit::Any, Extension::Passing);
}

/// Three saved bits of each group make millions of states.
#[test]
#[ignore = "half an hour: claims test it on drawn rings; run with --ignored"]
fn every_node_gets_its_turn_behind_its_own_groups_go_bits() {
    groups_get_their_turns(Permit::Own, Extension::Received);
}

/// Without flow control the bypass FIFO of the node below never empties.
#[test]
fn without_flow_control_the_node_below_starves() {
    let found = explore("no flow control", ring(3, FlowControlSpec::None(NoneSpec {}), one_below_two()), 2);
    found.comes_to_rest().starves(0).serves(1).serves(2);
}

/// Exploration says that a ring which has lost its go bits gets stuck: so it would say of a protocol that loses them.
#[test]
fn a_ring_that_has_lost_its_go_bits_stands_still() {
    let spec = NetworkSpec { initial_go: Some(0), ..ring(3, sci(), two_to_one()) };
    explore("SCI without go bits", spec, 1).gets_stuck();
}

/// Extension behind own packets even into a bypass FIFO that is not empty, with what is blocked kept: the node that
/// sends back to back extends the go bit that it has just used itself.
#[test]
fn extension_always_lets_a_node_send_for_ever() {
    let spec = ring(3, sci_with(Extension::Always, Release::Unblocked), one_below_two());
    explore("SCI, extension always", spec, 2).starves(0);
}

/// A node whose packets are refused turns each busy echo, behind its own packet, into a created idle with the go bit
/// that it has just used: it retries for ever. The receiver, whose only response place is taken, never gets a go bit to
/// free it.
#[test]
fn extension_after_send_with_immediate_retry_keeps_the_go_bit_for_one_node() {
    let transactions = |extension| {
        let flow_control = sci_with(extension, Release::Unblocked);
        let transactions = ring(3, flow_control, vec![reads(1, 2), reads(0, 2)]);
        with_one_response(None, with_places(1, 5, with_queues(3, transactions)))
    };
    explore("SCI, after-send, transactions", transactions(Extension::AfterSend), 3).gets_stuck();
    for extension in [Extension::Received, Extension::Passing] {
        explore(&format!("SCI, {extension:?}, transactions"), transactions(extension), 3).comes_to_rest();
    }

    let reserved = |extension| {
        let moves = ring(3, sci_with(extension, Release::Unblocked), two_to_one());
        with_reservation(with_places(1, 3, moves))
    };
    explore("SCI, after-send, reservation", reserved(Extension::AfterSend), 2).gets_stuck();
    for extension in [Extension::Received, Extension::Passing] {
        explore(&format!("SCI, {extension:?}, reservation"), reserved(extension), 2).comes_to_rest();
    }
}
