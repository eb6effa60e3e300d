//! The smallest rings.

use ringlet_engine::protocols::{
    FlowControlSpec,
    dfc::DfcSpec,
    go_bits::{Extension, Release},
    ppq::PpqSpec,
    sci::SciSpec,
    train::TrainSpec,
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, MAX_CYCLES, MIN_SEND_SYMBOLS, MeasurementSpec, NetworkSpec,
};

use crate::rings;

/// Packets of the smallest size from one node to another. The checker alone generates them.
pub(crate) fn moves(source: u32, destination: u32) -> FlowSpec {
    let silent = ArrivalSpec::Periodic { period: 1.0, phase: MAX_CYCLES as f64 };
    FlowSpec::new(source, DestinationSpec::Fixed { node: destination }, silent, MIN_SEND_SYMBOLS)
}

/// Transactions: requests and responses of the smallest size.
pub(crate) fn reads(source: u32, destination: u32) -> FlowSpec {
    FlowSpec { response_symbols: Some(MIN_SEND_SYMBOLS), ..moves(source, destination) }
}

pub(crate) fn with_priority(priority: u8, flow: FlowSpec) -> FlowSpec {
    FlowSpec { priority, ..flow }
}

pub(crate) fn in_group(group: u8, flow: FlowSpec) -> FlowSpec {
    FlowSpec { groups: GroupSpec::Fixed { group }, ..flow }
}

/// Three nodes, each of which sends to the one before it: every packet passes a node.
pub(crate) fn every_node_passes_one() -> Vec<FlowSpec> {
    vec![moves(0, 2), moves(1, 0), moves(2, 1)]
}

/// Three nodes, of which the second one is below what the first and the last one send.
pub(crate) fn one_below_two() -> Vec<FlowSpec> {
    vec![moves(0, 2), moves(1, 2), moves(2, 1)]
}

/// Two nodes that send to a third.
pub(crate) fn two_to_one() -> Vec<FlowSpec> {
    vec![moves(0, 2), moves(1, 2)]
}

/// A ring of short hops with one packet of each flow in the transmit queues and input queues without limits.
pub(crate) fn ring(nodes: u32, flow_control: FlowControlSpec, flows: Vec<FlowSpec>) -> NetworkSpec {
    let measurement = MeasurementSpec { stall_cycles: MAX_CYCLES, latency_digits: 1 };
    let ring = NetworkSpec { measurement, ..NetworkSpec::ring(nodes, flow_control, flows) };
    with_queues(1, rings::with_queues(ring, |queues| queues.priorities = 2))
}

/// Returns a ring with input queues of so many places.
pub(crate) fn with_places(capacity: u32, service_cycles: u64, ring: NetworkSpec) -> NetworkSpec {
    rings::with_input_queues(ring, capacity, service_cycles)
}

/// Returns a ring with busy retry with reservation.
pub(crate) fn with_reservation(ring: NetworkSpec) -> NetworkSpec {
    rings::with_queues(ring, |queues| queues.reservation = true)
}

/// Returns a ring with transmit queues of so many packets.
pub(crate) fn with_queues(packets: u32, ring: NetworkSpec) -> NetworkSpec {
    rings::with_limits(ring, |limits| limits.transmit_capacity = Some(packets))
}

/// Returns a ring whose nodes have one place for a response, and so many for packets that wait for an echo.
pub(crate) fn with_one_response(outstanding_limit: Option<u32>, ring: NetworkSpec) -> NetworkSpec {
    rings::with_limits(ring, |limits| {
        (limits.response_capacity, limits.outstanding_limit) = (Some(1), outstanding_limit);
    })
}

/// SCI as the reproductions have it.
pub(crate) fn sci() -> FlowControlSpec {
    sci_with(Extension::Passing, Release::Unblocked)
}

pub(crate) fn sci_with(extension: Extension, release: Release) -> FlowControlSpec {
    FlowControlSpec::Sci(SciSpec { extension, release, ..SciSpec::EXAMPLE })
}

/// Room for two of the smallest packets with their idles.
const BYPASS_SYMBOLS: u32 = 2 * (MIN_SEND_SYMBOLS + 1);

/// DFC whose nodes are blocked as soon as their input queue holds `high_water` packets, and released when it is empty.
pub(crate) fn dfc(high_water: u32) -> DfcSpec {
    DfcSpec { bypass_symbols: BYPASS_SYMBOLS, high_water, ..DfcSpec::EXAMPLE }
}

pub(crate) fn train() -> TrainSpec {
    TrainSpec { delay_cycles: 1, shift_up: 0.5, shift_down: 0.5, load_cycles: 16, ..TrainSpec::EXAMPLE }
}

pub(crate) fn ppq() -> PpqSpec {
    PpqSpec { bypass_symbols: BYPASS_SYMBOLS, ..PpqSpec::EXAMPLE }
}
