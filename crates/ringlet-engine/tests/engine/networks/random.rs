//! Random networks: a tree or a circle of rings, switches of any options, traffic of any kind.

use proptest::prelude::*;
use ringlet_engine::protocols::{
    FlowControlSpec,
    go_bits::{Extension, Release},
    grouped::{GroupedSpec, MAX_GROUPS, Permit},
    none::NoneSpec,
    sci::SciSpec,
};
use ringlet_engine::spec::{
    ArrivalSpec, BuffersSpec, Cascade, DestinationSpec, ErrorsSpec, FillGroupsSpec, FillSplitSpec, FlowSpec,
    Forwarding, GroupSpec, HostSpec, InterfaceSpec, NetworkSpec, ReceiveQueueSpec, RepeatSpec, RetryBy, RetrySpec,
    RetryStrategy, RingSpec, RouteStep, SlotChoice, SwitchKindSpec,
};

use super::{circle, network, node, port, topology};
use crate::random::{self, Frame, WITH_STATES};
use crate::reference::protocols;

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
    let cascade = (1..4u16, any::<bool>());
    (cascade, 5_000.0..30_000.0f64, delays, forwarding(), buffers(), buffers()).prop_map(
        |((links, in_turn), cycle_ps, (setup_ps, to_link_ps, from_link_ps), forwarding, receive, transmit)| {
            SwitchKindSpec {
                links,
                cycle_ps,
                encapsulation_bytes: 8,
                setup_ps,
                to_link_ps,
                from_link_ps,
                forwarding,
                cascade: if in_turn { Cascade::RoundRobin } else { Cascade::FirstFree },
                receive,
                transmit,
            }
        },
    )
}

/// When a packet that passes an interface may leave it: how it is stored, and for how many cycles it waits.
pub(crate) fn passing() -> impl Strategy<Value = (Forwarding, u32)> {
    prop_oneof![
        Just((Forwarding::CutThrough, 0)),
        Just((Forwarding::StoreAndForward, 0)),
        (1..60u32).prop_map(|cycles| (Forwarding::CutThrough, cycles)),
    ]
}

fn slot_choice() -> impl Strategy<Value = SlotChoice> {
    prop_oneof![
        Just(SlotChoice::RetriesFirst),
        Just(SlotChoice::OldestFirst),
        Just(SlotChoice::Requeue),
        Just(SlotChoice::NewFirst),
        Just(SlotChoice::LowestSlot),
        Just(SlotChoice::NewestFirst),
        Just(SlotChoice::StopAndWait),
    ]
}

fn host() -> impl Strategy<Value = HostSpec> {
    // A slot may be filled at once.
    let time = || (0..300_000u64).prop_map(|time| if time < 75_000 { 0 } else { time });
    let slots = proptest::option::of((1..6u32, time(), time()));
    let split = proptest::option::of((0..600_000u64).prop_map(|set_up_ps| FillSplitSpec { set_up_ps }));
    (slots, split, 0..200_000u64, 0..200_000u64).prop_map(|(slots, split, receive_delay_ps, store_ps)| HostSpec {
        slots: slots.map(|slots| slots.0),
        fill_serial_ps: slots.map_or(0, |slots| slots.1),
        fill_ps: slots.map_or(0, |slots| slots.2),
        receive_delay_ps,
        store_ps,
        split: split.filter(|_| slots.is_some()),
        groups: slots.filter(|slots| slots.0 > 2 && split.is_none()).map(|slots| FillGroupsSpec {
            packets: slots.0 - 1,
            set_up_ps: 500_000,
            uncrowded: 1,
            crowded_ps: 70_000,
        }),
    })
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
        RingSpec { interfaces, routes: route(number), ..RingSpec::default() }
    };
    ((0..rings).map(ring).collect(), vec![rings as u16])
}

/// Any protocol, with options that fit rings of 2 to 12 nodes.
pub(crate) fn flow_control() -> impl Strategy<Value = FlowControlSpec> {
    prop_oneof![2 => states(), 3 => real_time(), 2 => access()]
}

/// The protocols of the real-time pages.
const REAL_TIME: &[&str] = &["ppq", "train", "dfc"];

/// The frame of the ring that options have to fit.
fn largest(nodes: u32, hop_delay: u32, priorities: u16) -> Frame {
    let (link_width, echo_symbols, longest_bytes, capacity) = (16, 4, 288, Some(1));
    Frame { nodes, hop_delay, link_width, echo_symbols, priorities, longest_bytes, capacity }
}

/// All but those with states and those of the real-time pages.
fn access() -> impl Strategy<Value = FlowControlSpec> {
    // Of the largest ring, which has the most messages.
    let frame = largest(12, 10, 3);
    let is_other = |name: &&str| !WITH_STATES.contains(name) && !REAL_TIME.contains(name);
    let names: Vec<&str> = protocols::ALL.iter().copied().filter(is_other).collect();
    protocols::any_of(&names, frame).expect("a protocol fits").prop_map(|mut spec| {
        match &mut spec {
            FlowControlSpec::SlottedRing(options) => {
                options.slots = None;
                options.room_symbols = options.room_symbols.max(41);
            }
            // Rings have different numbers of places.
            FlowControlSpec::Metaring(options) => options.synchronous_packets.truncate(1),
            FlowControlSpec::TimedToken(options) => {
                options.synchronous_symbols.truncate(1);
                options.target_cycles = options.target_cycles.max(12 * (options.synchronous_symbols[0] + 71) + 41);
            }
            FlowControlSpec::Rpr(options) => options.bypass_symbols = options.bypass_symbols.max(41),
            _ => {}
        }
        spec
    })
}

fn real_time() -> impl Strategy<Value = FlowControlSpec> {
    // Of the smallest network, with the fewest places.
    let frame = largest(2, 1, 4);
    protocols::any_of(REAL_TIME, frame).expect("they fit").prop_map(|mut spec| {
        // The longest packets and their idles have to fit.
        match &mut spec {
            FlowControlSpec::Ppq(options) => options.bypass_symbols = options.bypass_symbols.max(41),
            FlowControlSpec::Dfc(options) => options.bypass_symbols = options.bypass_symbols.max(41),
            _ => {}
        }
        spec
    })
}

fn states() -> impl Strategy<Value = FlowControlSpec> {
    let (extension, release) = (Extension::Received, Release::Unblocked);
    let sci = move |priorities| FlowControlSpec::Sci(SciSpec { extension, release, priorities, ..SciSpec::EXAMPLE });
    prop_oneof![
        2 => Just(FlowControlSpec::None(NoneSpec {})),
        2 => Just(sci(1)),
        1 => (2..=4u8).prop_map(sci),
        2 => (any::<bool>(), prop_oneof![2 => 1..=16u16, 1 => 33..=MAX_GROUPS]).prop_map(move |(own, groups)| {
            let permit = if own { Permit::Own } else { Permit::Any };
            FlowControlSpec::Grouped(GroupedSpec { permit, extension, release, groups })
        }),
    ]
}

prop_compose! {
    /// Any small network.
    pub(crate) fn any_network()(
        rings in 2..5u32, nodes in 1..4u32, circular in any::<bool>(), seed in any::<u64>(), hop_delay in 1..25u32,
        kind in kind(), (host, own_host) in (host(), proptest::option::of(host())), slot_choice in slot_choice(),
        passing in passing(),
        flow_control in flow_control(),
        own in prop_oneof![
            2 => Just(vec![None; 4]),
            1 => proptest::collection::vec(proptest::option::of(flow_control()), 4),
        ],
        (levels, longer, response_timeout) in
            (1..4u8, proptest::option::of(proptest::collection::vec(0..20u32, 1..8)), random::response_timeout()),
        groups in proptest::collection::vec(any::<u8>(), 8),
        capacity in proptest::option::of(1..5u32), service_cycles in 0..80u64, waiting in 1..20u32,
        slow in proptest::option::of(0..300u64),
        retry_cycles in prop_oneof![Just(0u64), 1..500u64], reservation in any::<bool>(),
        rates in prop_oneof![2 => Just(vec![1; 4]), 1 => proptest::collection::vec(1..5u32, 4)],
        by_responder in any::<bool>(), errors in proptest::option::of(1e-6..2e-4f64),
        flows in
            proptest::collection::vec((any::<u32>(), 0..4u8, 1e-4..0.02f64, any::<bool>(), 1..3u32, 0..4u8), 1..6),
    ) -> NetworkSpec {
        let (rings, ports) = match circular {
            true => (circle(rings, nodes, false), vec![2; rings as usize]),
            false => star(rings, nodes),
        };
        let mut spec = network(rings, kind, &ports, Vec::new());
        let all = spec.nodes;
        spec.flows = flows.into_iter().map(|(source, arrivals, rate, responds, burst, priority)| {
            let arrivals = match arrivals {
                0 => ArrivalSpec::Saturated {},
                1 => ArrivalSpec::Poisson { rate },
                2 => {
                    let of_source = own_host.filter(|_| source % all == 0).unwrap_or(host);
                    let posted = responds && of_source.slots.is_some();
                    let repeats = (of_source.slots.is_some() && source % 3 == 0)
                        .then_some(RepeatSpec { probability: 0.3, check_cycles: 50 });
                    ArrivalSpec::Closed { pause_cycles: (0.1 / rate) as u64 + 1, posted, repeats }
                }
                _ => ArrivalSpec::Periodic { period: 1.0 / rate, phase: 0.0 },
            };
            let burst = if matches!(arrivals, ArrivalSpec::Saturated {}) { 1 } else { burst };
            let mut flow = super::flow(source % all, DestinationSpec::Uniform {}, arrivals);
            flow.sizes = vec![(8, 0.5), (40, 0.5)];
            flow.response_symbols = responds.then_some(40);
            flow.burst = burst;
            flow.priority = priority % levels;
            flow
        }).collect();
        spec.seed = seed;
        spec.hop_delay.common = hop_delay;
        spec.queues.receive.common.capacity = capacity;
        spec.queues.receive.common.service_cycles = service_cycles;
        // One node is slow, and has more places than the others; the protocol's options fit those.
        spec.queues.receive.each = slow.map(|slow| {
            let own = ReceiveQueueSpec { capacity: capacity.map(|places| places + 2), service_cycles: slow };
            (0..all).map(|node| if node == 0 { own } else { spec.queues.receive.common }).collect()
        });
        spec.queues.limits.common.transmit_capacity = Some(waiting.max(2));
        spec.queues.response_timeout = response_timeout;
        spec.queues.limits.common.retry = RetrySpec { strategy: RetryStrategy::Linear, delay_cycles: retry_cycles };
        spec.queues.reservation = reservation;
        spec.queues.priorities = 4;
        let own = &own[..topology(&mut spec).rings.len()];
        let protocols: Vec<&FlowControlSpec> = own.iter().map(|own| own.as_ref().unwrap_or(&flow_control)).collect();
        let mut groups = groups.into_iter().cycle();
        for (ring, protocol) in protocols.iter().enumerate() {
            match protocol {
                FlowControlSpec::Grouped(GroupedSpec { groups: count, .. }) => {
                    let mut groups = groups.by_ref().map(|group| (u16::from(group) % count) as u8);
                    let on_ring = |flow: &&mut FlowSpec| flow.source / nodes == ring as u32;
                    for flow in spec.flows.iter_mut().filter(on_ring) {
                        flow.groups = GroupSpec::Fixed { group: groups.next().expect("they go round") };
                    }
                    let ring = &mut topology(&mut spec).rings[ring];
                    ring.groups = Some(groups.take(ring.interfaces.len()).collect());
                }
                FlowControlSpec::Ppq(_) => spec.queues.reservation = false,
                // A ring with room for a slot, however few interfaces it has.
                FlowControlSpec::SlottedRing(options) => {
                    spec.hop_delay.common = spec.hop_delay.common.max(options.header_symbols + options.room_symbols);
                }
                _ => {}
            }
        }
        if let Some(longer) = longer {
            let hop_delay = spec.hop_delay.common;
            let mut each = longer.iter().map(|longer| hop_delay + longer).cycle();
            for ring in &mut topology(&mut spec).rings {
                ring.hop_delays = Some(each.by_ref().take(ring.interfaces.len()).collect());
            }
        }
        let limits: Vec<_> = protocols.iter().map(|protocol| protocol.limits(spec.shape())).collect();
        let levels = limits.iter().map(|limits| limits.levels).max().expect("there are rings");
        spec.flows.iter_mut().for_each(|flow| flow.priority %= levels.min(4) as u8);
        let loses = limits.iter().all(|limits| limits.survives_losses);
        let by_responder = by_responder && limits.iter().all(|limits| limits.delays_echoes);
        if limits.iter().all(|limits| limits.holds_what_passes) {
            (topology(&mut spec).bypass, topology(&mut spec).pass_delay) = passing;
        }
        for ((ring, own), rate) in topology(&mut spec).rings.iter_mut().zip(own).zip(rates) {
            ring.flow_control = own.clone().map(Into::into);
            ring.symbol_cycles = rate;
        }
        spec.flow_control = flow_control.into();
        topology(&mut spec).host = host;
        // One node has an interface of its own.
        topology(&mut spec).hosts =
            own_host.map(|own| (0..all).map(|node| if node == 0 { own } else { host }).collect());
        topology(&mut spec).slot_choice = slot_choice;
        topology(&mut spec).retry_by = if by_responder { RetryBy::Responder } else { RetryBy::Requester };
        topology(&mut spec).errors = errors.filter(|_| loses).map(|bit_error_rate| ErrorsSpec {
            bit_error_rate,
            links: Vec::new(),
            timeout_cycles: 32_000,
            max_timeouts: None,
            ..ErrorsSpec::default()
        });
        spec
    }
}
