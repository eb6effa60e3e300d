//! Small networks of rings, what they measure, and their tests.

mod invariants;
mod mixed;
pub(crate) mod random;
mod recordings;
mod rules;
pub(crate) mod stations;
mod switch_reference;

use ringlet_engine::Simulation;
use ringlet_engine::measure::PortCounters;
use ringlet_engine::protocols::none::NoneSpec;
use ringlet_engine::spec::{
    ArrivalSpec, BuffersSpec, DestinationSpec, FlowSpec, Forwarding, HostLimitsSpec, HostSpec, InterfaceSpec,
    NetworkSpec, QueuesSpec, ReceiveQueueSpec, RetryBy, RingSpec, RouteStep, SlotChoice, StrippedBy, SwitchKindSpec,
    SwitchSpec, TopologySpec,
};

pub(crate) const SYMBOL_PS: u64 = 4000;
pub(crate) const DMOVE64: u32 = 40;

/// Switches whose B-Link has cycles of a whole number of femtoseconds.
pub(crate) const KIND: SwitchKindSpec = SwitchKindSpec { cycle_ps: 13_333.333, ..SwitchKindSpec::EXAMPLE };

pub(crate) const fn buffers(packets: u32) -> BuffersSpec {
    BuffersSpec { requests: packets, responses: packets, pooled: false }
}

pub(crate) fn node(node: u32) -> InterfaceSpec {
    InterfaceSpec::Node(node)
}

pub(crate) fn port(switch: u32, port: u16) -> InterfaceSpec {
    InterfaceSpec::Port(switch, port)
}

pub(crate) fn step(first: u32, place: u32, exit: u16) -> RouteStep {
    (first, Some(place), Some(exit))
}

pub(crate) fn ring(interfaces: Vec<InterfaceSpec>, routes: Vec<RouteStep>) -> RingSpec {
    RingSpec { interfaces, routes, ..RingSpec::default() }
}

/// Rings without switches, past whose interfaces packets go at once.
pub(crate) fn unconnected(rings: Vec<RingSpec>) -> TopologySpec {
    TopologySpec {
        symbol_ps: SYMBOL_PS,
        bypass: Forwarding::CutThrough,
        pass_delay: 0,
        rings,
        switches: Vec::new(),
        switch_kinds: Vec::new(),
        addresses: None,
        host: HostSpec::default(),
        hosts: None,
        slot_choice: SlotChoice::RetriesFirst,
        retry_by: RetryBy::Requester,
        errors: None,
        ways: None,
        stripped_by: StrippedBy::default(),
    }
}

/// Rings, switches of one kind with these numbers of ports, and flows; a hop takes 18 cycles.
pub(crate) fn network(rings: Vec<RingSpec>, kind: SwitchKindSpec, ports: &[u16], flows: Vec<FlowSpec>) -> NetworkSpec {
    let interfaces = rings.iter().flat_map(|ring| &ring.interfaces);
    let nodes = interfaces.filter(|interface| matches!(interface, InterfaceSpec::Node(_))).count() as u32;
    let topology = TopologySpec {
        switches: ports.iter().map(|&ports| SwitchSpec { kind: 0, ports }).collect(),
        switch_kinds: vec![kind],
        ..unconnected(rings)
    };
    NetworkSpec {
        hop_delay: 18.into(),
        queues: QueuesSpec {
            receive: ReceiveQueueSpec { capacity: Some(4), service_cycles: 47 }.into(),
            limits: HostLimitsSpec {
                response_capacity: Some(4),
                transmit_capacity: Some(1000),
                outstanding_limit: Some(64),
                ..HostLimitsSpec::default()
            }
            .into(),
            ..QueuesSpec::default()
        },
        network: Some(Box::new(topology)),
        ..NetworkSpec::ring(nodes, NoneSpec {}, flows)
    }
}

pub(crate) fn topology(spec: &mut NetworkSpec) -> &mut TopologySpec {
    spec.network.as_mut().expect("a network")
}

/// Bare dmove64 from one node to others.
pub(crate) fn flow(source: u32, destinations: DestinationSpec, arrivals: ArrivalSpec) -> FlowSpec {
    FlowSpec::new(source, destinations, arrivals, DMOVE64)
}

pub(crate) fn to(node: u32) -> DestinationSpec {
    DestinationSpec::Fixed { node }
}

pub(crate) fn every(period: f64) -> ArrivalSpec {
    ArrivalSpec::Periodic { period, phase: 0.0 }
}

/// `switches` rings and as many 2-port switches: ring `k` has `nodes` nodes, then port 1 of switch `k - 1` and port 0
/// of switch `k`. Packets go forward round the circle, the shortest way, or all the same way if `one_way`.
pub(crate) fn circle(rings: u32, nodes: u32, one_way: bool) -> Vec<RingSpec> {
    let before = |ring: u32| (ring + rings - 1) % rings;
    (0..rings)
        .map(|number| {
            let mut interfaces: Vec<_> = (0..nodes).map(|index| node(number * nodes + index)).collect();
            interfaces.push(port(before(number), 1));
            interfaces.push(port(number, 0));
            let routes = (0..rings).map(|to| {
                let ahead = (to + rings - number) % rings;
                if one_way || ahead <= rings / 2 { step(to, nodes + 1, 1) } else { step(to, nodes, 0) }
            });
            ring(interfaces, routes.collect())
        })
        .collect()
}

/// A multiple of the cycles that a symbol takes on any ring of a random network: then no ring is within a symbol.
pub(crate) const WHOLE_SYMBOLS: u64 = 12;

/// Cycles of a symbol on the rings of nodes, and on those of ports, in their order.
pub(crate) fn symbol_cycles(spec: &NetworkSpec, ports: &[PortCounters]) -> Vec<u64> {
    let rings = &spec.network.as_ref().expect("a network").rings;
    let ring_of = |node: u32| rings.iter().find(|ring| ring.interfaces.contains(&InterfaceSpec::Node(node)));
    let of_nodes = (0..spec.nodes).map(|node| ring_of(node).expect("each node is on a ring").symbol_cycles);
    of_nodes.chain(ports.iter().map(|port| rings[port.ring as usize].symbol_cycles)).map(u64::from).collect()
}

/// All that is measured, as text.
pub(crate) fn fingerprint(simulation: &Simulation) -> String {
    let flows: Vec<_> = simulation
        .flow_counters()
        .iter()
        .map(|c| {
            let host = c.host();
            let sent = (c.generated_packets, c.lost_packets, c.sent_packets, c.retries);
            let delivered = (c.delivered_packets, c.delivered_symbols, c.latency_sum_cycles, c.latency_max_cycles);
            let responses = (host.delivered_responses, host.timed_out_requests, host.late_responses);
            (sent, delivered, responses, host.completed_messages, host.message_latency_sum_cycles)
        })
        .collect();
    let (ports, links) = (simulation.port_counters(), simulation.link_counters());
    format!("{flows:?}\n{:?}\n{ports:?}\n{links:?}", simulation.node_counters())
}
