//! Traces, and their tests.

mod invariants;
mod rules;

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::replay::TracePacket;
use ringlet_engine::spec::{ArrivalSpec, FlowSpec, NetworkSpec};

/// A packet with what it depends on.
#[derive(Debug, Clone)]
pub(crate) struct Packet {
    pub(crate) cycle: u64,
    pub(crate) flow: u32,
    pub(crate) destination: u32,
    pub(crate) depends_on: Vec<u32>,
}

impl Packet {
    pub(crate) fn handed(&self) -> TracePacket<'_> {
        let &Self { cycle, flow, destination, ref depends_on } = self;
        TracePacket { cycle, flow, destination, depends_on }
    }
}

pub(crate) fn packet(cycle: u64, flow: u32, destination: u32, depends_on: &[u32]) -> Packet {
    Packet { cycle, flow, destination, depends_on: depends_on.to_vec() }
}

/// The flow's packets come from a trace.
pub(crate) fn traced(mut flow: FlowSpec, responses: bool, dependence_driven: bool) -> FlowSpec {
    flow.arrivals = ArrivalSpec::Trace { responses, dependence_driven };
    flow.burst = 1;
    flow.sizes = vec![(flow.sizes[0].0, 1.0)];
    if responses {
        flow.response_symbols = None;
    }
    flow
}

/// Makes all flows of a spec those of a trace; those whose numbers are odd are of responses.
pub(crate) fn all_traced(mut spec: NetworkSpec, dependence_driven: bool) -> NetworkSpec {
    let flows = std::mem::take(&mut spec.flows).into_iter().enumerate();
    spec.flows = flows.map(|(index, flow)| traced(flow, index % 2 == 1, dependence_driven)).collect();
    if dependence_driven {
        spec.queues.limits.common.transmit_capacity = None;
    }
    spec
}

/// Drawn numbers: gap to the packet before, flow, destination, how far back its dependences lie.
pub(crate) type Drawn = Vec<(u64, u32, u32, Vec<u32>)>;

pub(crate) fn drawn() -> impl Strategy<Value = Drawn> {
    let gap = prop_oneof![2 => Just(0u64), 3 => 1..60u64, 1 => 60..2_000u64];
    let back = proptest::collection::vec(1..12u32, 0..7);
    proptest::collection::vec((gap, any::<u32>(), any::<u32>(), back), 1..80)
}

/// The trace that drawn numbers make for a spec; of the dependences those whose deliveries its nodes can see. Some of
/// the packets that start with the one before them wait for the same, as those of one message do.
pub(crate) fn trace(spec: &NetworkSpec, drawn: &Drawn) -> Vec<Packet> {
    let mut packets: Vec<Packet> = Vec::new();
    let mut cycle = 0;
    for (number, (gap, flow, destination, back)) in (0u32..).zip(drawn) {
        cycle += gap;
        if let Some(before) = packets.last()
            && *gap == 0
            && back.len() > 1
        {
            packets.push(Packet { destination: destination % spec.nodes, ..before.clone() });
            continue;
        }
        let flow = flow % spec.flows.len() as u32;
        let source = spec.flows[flow as usize].source;
        let sees = |&other: &u32| {
            let earlier = &packets[other as usize];
            let by = &spec.flows[earlier.flow as usize];
            earlier.destination == source || (by.source == source && by.response_symbols.is_some())
        };
        let depends_on = back.iter().filter_map(|back| number.checked_sub(*back)).filter(sees).collect();
        packets.push(Packet { cycle, flow, destination: destination % spec.nodes, depends_on });
    }
    packets
}

/// Hands a trace in, so many packets at a time, and advances to cycle `end` by these steps, repeated.
pub(crate) fn replay(
    spec: &NetworkSpec,
    packets: &[Packet],
    at_a_time: usize,
    threads: usize,
    steps: &[u64],
    end: u64,
) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.use_threads(threads);
    let mut pieces = packets.chunks(at_a_time).peekable();
    let mut steps = steps.iter().cycle();
    while simulation.cycle() < end {
        if simulation.cycle() == simulation.known_until() {
            let piece = pieces.next().expect("all is known after the last piece");
            let until = pieces.peek().map_or(u64::MAX, |next| next[0].cycle);
            simulation.hand_in(piece.iter().map(Packet::handed), until).expect("a valid trace");
            continue;
        }
        let step = *steps.next().expect("steps are repeated");
        simulation.advance(step.min(end - simulation.cycle()));
    }
    simulation.hand_in(pieces.flatten().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation
}
