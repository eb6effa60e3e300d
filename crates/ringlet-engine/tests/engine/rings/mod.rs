//! Rings and flows small enough to be worked out by hand, and what can be read off the reference about them.

use ringlet_engine::protocols::{
    FlowControlSpec,
    dfc::DfcSpec,
    go_bits::{Extension, Release},
    grouped::{GroupedSpec, Permit},
    none::NoneSpec,
    ppq::PpqSpec,
    sci::SciSpec,
    train::TrainSpec,
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, HostLimitsSpec, NetworkSpec, QueuesSpec, ReceiveQueueSpec,
};

use crate::reference::{Idle, PacketSymbol, Reference, Symbol};

const NEVER: f64 = 1e12;
pub(crate) const NONE: FlowControlSpec = FlowControlSpec::None(NoneSpec {});
pub(crate) const SCI: FlowControlSpec = sci(Extension::Received, Release::Unblocked, 1);

pub(crate) const fn sci(extension: Extension, release: Release, priorities: u8) -> FlowControlSpec {
    FlowControlSpec::Sci(SciSpec { extension, release, priorities, ..SciSpec::EXAMPLE })
}

/// Groups by the text of picker1994, Section 3.1: any go bit of the block register permits.
pub(crate) const fn grouped(extension: Extension, release: Release, groups: u16) -> FlowControlSpec {
    FlowControlSpec::Grouped(GroupedSpec { permit: Permit::Any, extension, release, groups, ..GroupedSpec::EXAMPLE })
}

/// Groups by the default rules: the own group's go bit permits.
pub(crate) const fn enhanced(groups: u16) -> FlowControlSpec {
    FlowControlSpec::Grouped(GroupedSpec { groups, ..GroupedSpec::EXAMPLE })
}

/// Late echoes at the end of the service, inserted at once; a bypass FIFO for one packet of 80 bytes, no ageing, no
/// inheritance; lower priorities are overtaken alone.
pub(crate) const PPQ: PpqSpec = PpqSpec::EXAMPLE;

/// Arbitration by trains of any size, made by node 0, that stay 4 cycles at each node.
pub(crate) const TRAIN: TrainSpec = TrainSpec::EXAMPLE;

/// Blocked from one packet on, released when none is left.
pub(crate) const DFC: DfcSpec = DfcSpec::EXAMPLE;

/// A ring with unlimited queues, no service time and no retry delay.
pub(crate) fn ring(nodes: u32, hop_delay: u32, flow_control: FlowControlSpec, flows: Vec<FlowSpec>) -> NetworkSpec {
    let spec = NetworkSpec { hop_delay: hop_delay.into(), ..NetworkSpec::ring(nodes, flow_control, flows) };
    with_queues(spec, |queues| queues.priorities = 256)
}

/// The ring with queues that differ.
pub(crate) fn with_queues(mut spec: NetworkSpec, change: impl FnOnce(&mut QueuesSpec)) -> NetworkSpec {
    change(&mut spec.queues);
    spec
}

/// The ring with limits of all nodes that differ.
pub(crate) fn with_limits(spec: NetworkSpec, change: impl FnOnce(&mut HostLimitsSpec)) -> NetworkSpec {
    with_queues(spec, |queues| change(&mut queues.limits.common))
}

pub(crate) fn flow(source: u32, destination: u32, symbols: u32, arrivals: ArrivalSpec) -> FlowSpec {
    FlowSpec::new(source, DestinationSpec::Fixed { node: destination }, arrivals, symbols)
}

pub(crate) fn saturated(source: u32, destination: u32, symbols: u32) -> FlowSpec {
    flow(source, destination, symbols, ArrivalSpec::Saturated {})
}

/// One packet only, generated in this cycle.
pub(crate) fn once(source: u32, destination: u32, symbols: u32, cycle: u64) -> FlowSpec {
    flow(source, destination, symbols, ArrivalSpec::Periodic { period: NEVER, phase: cycle as f64 })
}

pub(crate) fn in_group(flow: FlowSpec, group: u8) -> FlowSpec {
    FlowSpec { groups: GroupSpec::Fixed { group }, ..flow }
}

pub(crate) fn with_priority(flow: FlowSpec, priority: u8) -> FlowSpec {
    FlowSpec { priority, ..flow }
}

/// Every request makes a response of this length.
pub(crate) fn with_response(flow: FlowSpec, symbols: u32) -> FlowSpec {
    FlowSpec { response_symbols: Some(symbols), ..flow }
}

/// Each arrival generates so many packets.
pub(crate) fn in_bursts(flow: FlowSpec, burst: u32) -> FlowSpec {
    FlowSpec { burst, ..flow }
}

pub(crate) fn uniform(flow: FlowSpec) -> FlowSpec {
    FlowSpec { destinations: DestinationSpec::Uniform {}, ..flow }
}

/// Input queues of this size, one service time for both classes.
pub(crate) fn with_input_queues(spec: NetworkSpec, capacity: u32, service_cycles: u64) -> NetworkSpec {
    with_queues(spec, |queues| queues.receive = ReceiveQueueSpec { capacity: Some(capacity), service_cycles }.into())
}

pub(crate) fn simulate(spec: &NetworkSpec, cycles: u64) -> Reference {
    let mut reference = Reference::new(spec).record();
    reference.advance(cycles);
    reference
}

/// Words per cycle that a flow's destination has received.
pub(crate) fn throughput(reference: &Reference, flow: usize) -> f64 {
    reference.flow(flow).delivered_symbols as f64 / reference.cycle() as f64
}

/// Returns the packets that node `node` has emitted: cycle and first symbol of each.
pub(crate) fn packets(reference: &Reference, node: u32) -> Vec<(usize, PacketSymbol)> {
    let symbols = reference.emitted(node as usize).iter().enumerate();
    let packets = symbols.filter_map(|(cycle, symbol)| match symbol {
        Symbol::Packet(symbol) if symbol.is_first() => Some((cycle, *symbol)),
        _ => None,
    });
    packets.collect()
}

/// Packets that start at node `node`, requests and responses: cycle and first symbol.
pub(crate) fn sends(reference: &Reference, node: u32) -> Vec<(usize, PacketSymbol)> {
    packets(reference, node).into_iter().filter(|(_, symbol)| symbol.is_send() && symbol.source == node).collect()
}

/// Cycles in which node `node` emits the first symbol of a packet that starts there.
pub(crate) fn starts(reference: &Reference, node: u32) -> Vec<usize> {
    sends(reference, node).into_iter().map(|(cycle, _)| cycle).collect()
}

/// Flows of the packets that start at node `node`, in the order in which they are sent.
pub(crate) fn flows_sent(reference: &Reference, node: u32) -> Vec<usize> {
    sends(reference, node).into_iter().map(|(_, symbol)| reference.packet(symbol).flow).collect()
}

pub(crate) fn idle(reference: &Reference, node: usize, cycle: usize) -> Idle {
    match reference.emitted(node)[cycle] {
        Symbol::Idle(idle) => idle,
        symbol => panic!("node {node} emits {symbol:?} in cycle {cycle}"),
    }
}
