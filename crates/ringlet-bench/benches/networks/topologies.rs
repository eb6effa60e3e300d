//! The torus that the benchmarks run, and what their networks share.

use ringlet_engine::protocols::{FlowControlSpec, sci::SciSpec};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, Forwarding, HostLimitsSpec, HostSpec, InterfaceSpec, MeasurementSpec,
    NetworkSpec, QueuesSpec, ReceiveQueueSpec, RetryBy, RingSpec, RouteStep, SlotChoice, StrippedBy, SwitchKindSpec,
    SwitchSpec, TopologySpec,
};

/// Packets per cycle and node of a torus: half of what the rings carry.
pub(crate) const RATE: f64 = 0.002;

/// Dolphin's LC-2 at 500 MB/s, where a symbol takes 4 ns: 1 + 20 + 48 ns a hop, 106 and 82 ns to and from a B-Link of
/// 600 MB/s.
const LC2: SwitchKindSpec = SwitchKindSpec::EXAMPLE;

/// dmove64 between hosts with 8 slots.
pub(crate) fn network(
    rings: Vec<RingSpec>,
    switches: usize,
    ports: u16,
    flow_control: FlowControlSpec,
    flows: Vec<FlowSpec>,
) -> NetworkSpec {
    let interfaces = rings.iter().flat_map(|ring| &ring.interfaces);
    let nodes = interfaces.filter(|interface| matches!(interface, InterfaceSpec::Node(_))).count() as u32;
    let topology = TopologySpec {
        symbol_ps: 4000,
        bypass: Forwarding::CutThrough,
        pass_delay: 0,
        rings,
        switches: vec![SwitchSpec { kind: 0, ports }; switches],
        switch_kinds: vec![LC2],
        addresses: None,
        host: HostSpec {
            slots: Some(8),
            fill_serial_ps: 146_667,
            fill_ps: 188_000,
            receive_delay_ps: 58_000,
            store_ps: 82_000,
            groups: None,
            split: None,
        },
        hosts: None,
        slot_choice: SlotChoice::RetriesFirst,
        retry_by: RetryBy::Requester,
        errors: None,
        ways: None,
        stripped_by: StrippedBy::default(),
    };
    NetworkSpec {
        hop_delay: 18.into(),
        queues: QueuesSpec {
            receive: ReceiveQueueSpec { capacity: Some(4), service_cycles: 47 }.into(),
            limits: HostLimitsSpec {
                response_capacity: Some(4),
                transmit_capacity: Some(1),
                outstanding_limit: Some(64),
                ..HostLimitsSpec::default()
            }
            .into(),
            ..QueuesSpec::default()
        },
        measurement: MeasurementSpec { stall_cycles: 10_000_000, ..MeasurementSpec::default() },
        network: Some(Box::new(topology)),
        ..NetworkSpec::ring(nodes, flow_control, flows)
    }
}

pub(crate) fn flow(source: u32, destinations: DestinationSpec, arrivals: ArrivalSpec) -> FlowSpec {
    FlowSpec::new(source, destinations, arrivals, 40)
}

/// `side` x `side` rings of 16 nodes and 4 ports, each joined with its four neighbours by 2-port switches; Poisson
/// traffic, mostly on the own ring.
pub(crate) fn torus(side: u32, rate: f64) -> NetworkSpec {
    let count = side * side;
    let at = |x: u32, y: u32| y % side * side + x % side;
    // Switches 0 to count - 1 lead from a ring to its right neighbour, the others to the one below; port 0 is on the
    // ring itself.
    let ring = |number: u32| {
        let (x, y) = (number % side, number / side);
        let mut interfaces: Vec<_> = (0..16).map(|index| InterfaceSpec::Node(number * 16 + index)).collect();
        let (left, up) = (at(x + side - 1, y), count + at(x, y + side - 1));
        interfaces
            .extend([(number, 0), (left, 1), (count + number, 0), (up, 1)].map(|(s, p)| InterfaceSpec::Port(s, p)));
        let mut routes: Vec<RouteStep> = Vec::new();
        for to in 0..count {
            let ahead = |from: u32, to: u32| (to + side - from) % side;
            // First along the column, then along the row, the shorter way.
            let step = match (ahead(x, to % side), ahead(y, to / side)) {
                (0, 0) => continue,
                (along, 0) if along <= side / 2 => (Some(16), Some(1)),
                (_, 0) => (Some(17), Some(0)),
                (_, down) if down <= side / 2 => (Some(18), Some(1)),
                _ => (Some(19), Some(0)),
            };
            if routes.last().is_none_or(|last| (last.1, last.2) != step) {
                routes.push((if routes.is_empty() { 0 } else { to }, step.0, step.1));
            }
        }
        RingSpec { interfaces, routes, ..RingSpec::default() }
    };
    let arrivals = ArrivalSpec::Poisson { rate };
    let flows = (0..16 * count).map(|source| {
        // Three quarters go to the next node of the ring, the others to any of the right neighbour, so that rings have
        // as much to do in a torus of any size.
        let next = source / 16 * 16 + (source + 1) % 16;
        let right = source / 16 / side * side + (source / 16 + 1) % side;
        flow(
            source,
            DestinationSpec::Range { first: 16 * right, count: 16, local: Some(next), probability: 0.75 },
            arrivals,
        )
    });
    let sci = FlowControlSpec::Sci(SciSpec::EXAMPLE);
    network((0..count).map(ring).collect(), 2 * count as usize, 2, sci, flows.collect())
}
