//! Random networks: a tree or a circle of rings, switches of any options, traffic of any kind.

use proptest::prelude::*;
use ringlet_engine::spec::{
    ArrivalSpec, BuffersSpec, DestinationSpec, ErrorsSpec, Extension, FillGroupsSpec, FlowControlSpec, Forwarding,
    HostSpec, InterfaceSpec, NetworkSpec, Release, RetryBy, RetrySpec, RetryStrategy, RingSpec, RouteStep, SlotChoice,
    SwitchKindSpec,
};

use super::{circle, network, node, port, topology};

fn buffers() -> impl Strategy<Value = BuffersSpec> {
    (1..5u32, 1..5u32, any::<bool>()).prop_map(|(requests, responses, pooled)| BuffersSpec {
        requests,
        responses,
        pooled,
    })
}

fn forwarding() -> impl Strategy<Value = Forwarding> {
    prop_oneof![Just(Forwarding::CutThrough), Just(Forwarding::StoreAndForward)]
}

fn kind() -> impl Strategy<Value = SwitchKindSpec> {
    let delays = (0..400_000u64, 0..200_000u64, 0..200_000u64);
    (1..3u16, 5_000.0..30_000.0f64, delays, forwarding(), buffers(), buffers()).prop_map(
        |(links, cycle_ps, (setup_ps, to_link_ps, from_link_ps), forwarding, receive, transmit)| SwitchKindSpec {
            links,
            cycle_ps,
            encapsulation_bytes: 8,
            setup_ps,
            to_link_ps,
            from_link_ps,
            forwarding,
            receive,
            transmit,
        },
    )
}

fn slot_choice() -> impl Strategy<Value = SlotChoice> {
    prop_oneof![
        Just(SlotChoice::RetriesFirst),
        Just(SlotChoice::OldestFirst),
        Just(SlotChoice::Requeue),
        Just(SlotChoice::NewFirst),
        Just(SlotChoice::LowestSlot),
        Just(SlotChoice::NewestFirst),
    ]
}

fn host() -> impl Strategy<Value = HostSpec> {
    (proptest::option::of((1..6u32, 0..300_000u64, 0..300_000u64)), 0..200_000u64, 0..200_000u64).prop_map(
        |(slots, receive_delay_ps, store_ps)| HostSpec {
            slots: slots.map(|slots| slots.0),
            fill_serial_ps: slots.map_or(0, |slots| slots.1),
            fill_ps: slots.map_or(0, |slots| slots.2),
            receive_delay_ps,
            store_ps,
            groups: slots.filter(|slots| slots.0 > 2).map(|slots| FillGroupsSpec {
                packets: slots.0 - 1,
                set_up_ps: 500_000,
                uncrowded: 1,
                crowded_ps: 70_000,
            }),
        },
    )
}

/// A star: every ring has a port of the one switch.
fn star(rings: u32, nodes: u32) -> (Vec<RingSpec>, Vec<u16>) {
    let route = |number: u32| -> Vec<RouteStep> {
        let other = |to: u32| if to == number { (to + 1) % rings } else { to };
        (0..rings).map(|to| (to, Some(nodes), Some(other(to) as u16))).collect()
    };
    let ring = |number: u32| {
        let mut interfaces: Vec<InterfaceSpec> = (0..nodes).map(|index| node(number * nodes + index)).collect();
        interfaces.push(port(0, number as u16));
        RingSpec { interfaces, hop_delay: None, routes: route(number) }
    };
    ((0..rings).map(ring).collect(), vec![rings as u16])
}

prop_compose! {
    /// Any small network.
    pub(crate) fn any_network()(
        rings in 2..5u32, nodes in 1..4u32, circular in any::<bool>(), seed in any::<u64>(), hop_delay in 1..25u32,
        kind in kind(), host in host(), slot_choice in slot_choice(), stores in any::<bool>(), sci in any::<bool>(),
        capacity in proptest::option::of(1..5u32), service_cycles in 0..80u64, waiting in 1..20u32,
        retry_cycles in prop_oneof![Just(0u64), 1..500u64], reservation in any::<bool>(),
        by_responder in any::<bool>(), errors in proptest::option::of(1e-6..2e-4f64),
        flows in proptest::collection::vec((any::<u32>(), 0..4u8, 1e-4..0.02f64, any::<bool>(), 1..3u32), 1..6),
    ) -> NetworkSpec {
        let (rings, ports) = if circular { (circle(rings, nodes, false), vec![2; rings as usize]) } else { star(rings, nodes) };
        let mut spec = network(rings, kind, &ports, Vec::new());
        let all = spec.nodes;
        spec.flows = flows.into_iter().map(|(source, arrivals, rate, responds, burst)| {
            let arrivals = match arrivals {
                0 => ArrivalSpec::Saturated {},
                1 => ArrivalSpec::Poisson { rate },
                2 => ArrivalSpec::Closed { pause_cycles: (0.1 / rate) as u64 + 1, posted: responds && host.slots.is_some() },
                _ => ArrivalSpec::Periodic { period: 1.0 / rate, phase: 0.0 },
            };
            let burst = if matches!(arrivals, ArrivalSpec::Saturated {}) { 1 } else { burst };
            let mut flow = super::flow(source % all, DestinationSpec::Uniform {}, arrivals);
            flow.sizes = vec![(8, 0.5), (40, 0.5)];
            flow.response_symbols = responds.then_some(40);
            flow.burst = burst;
            flow
        }).collect();
        spec.seed = seed;
        spec.hop_delay = hop_delay;
        spec.receive_queue.capacity = capacity;
        spec.receive_queue.service_cycles = service_cycles;
        spec.transmit_capacity = Some(waiting.max(2));
        spec.retry = RetrySpec { strategy: RetryStrategy::Linear, delay_cycles: retry_cycles, reservation };
        if sci {
            spec.flow_control =
                FlowControlSpec::Sci { extension: Extension::Passing, release: Release::Unblocked, priorities: 1 };
        } else if stores {
            topology(&mut spec).bypass = Forwarding::StoreAndForward;
        }
        topology(&mut spec).host = host;
        topology(&mut spec).slot_choice = slot_choice;
        topology(&mut spec).retry_by = if by_responder { RetryBy::Responder } else { RetryBy::Requester };
        topology(&mut spec).errors = errors.map(|bit_error_rate| ErrorsSpec {
            bit_error_rate,
            links: Vec::new(),
            timeout_cycles: 8_000,
            max_timeouts: None,
        });
        spec
    }
}
