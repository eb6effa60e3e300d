//! Random rings, traffic and options for property tests.

mod traffic;

use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::spec::{
    ClassOrder, HostLimitsSpec, Limits, NetworkSpec, PacketFormatSpec, PerNode, QueuesSpec, ReceiveQueueSpec,
    ResponseTimeoutSpec, RetrySpec, RetryStrategy, RingShape,
};

use crate::reference::protocols;

pub(crate) fn optional<S: Strategy>(value: S) -> impl Strategy<Value = Option<S::Value>>
where
    S::Value: Clone,
{
    prop_oneof![Just(None), value.prop_map(Some)]
}

pub(crate) fn extension() -> impl Strategy<Value = Extension> {
    select(vec![Extension::Received, Extension::None, Extension::Passing, Extension::AfterSend, Extension::Always])
}

pub(crate) fn release() -> impl Strategy<Value = Release> {
    select(vec![Release::Unblocked, Release::All])
}

/// A bypass FIFO for one short packet, for one of 80 bytes, or more.
pub(crate) fn bypass_symbols(frame: Frame) -> impl Strategy<Value = u32> {
    let framing = frame.echo_symbols - frame.symbols(8);
    let (least, twice) = (frame.shortest() + 1, frame.symbols(40) + framing);
    prop_oneof![1 => least..twice, 2 => Just(frame.symbols(80) + framing + 2), 2 => twice..=frame.symbols(320)]
}

/// Properties of a ring that are drawn before the flow control, which has to fit them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) nodes: u32,
    pub(crate) hop_delay: u32,
    pub(crate) link_width: u32,
    pub(crate) echo_symbols: u32,
    pub(crate) priorities: u16,
    /// Bytes of the longest packet, framing apart.
    pub(crate) longest_bytes: u32,
    /// Places of an input queue.
    pub(crate) capacity: Option<u32>,
}

impl Frame {
    /// Symbols of so many bytes.
    pub(crate) fn symbols(self, bytes: u32) -> u32 {
        bytes * 8 / self.link_width
    }

    /// Symbols of a packet without data, of which some are left when its echo has been made of the rest.
    pub(crate) fn shortest(self) -> u32 {
        self.symbols(16).max(self.echo_symbols + 1)
    }

    /// The ring, before it is known how many packets a node may have under way.
    pub(crate) fn shape(self) -> RingShape {
        let around_cycles = u64::from(self.nodes) * u64::from(self.hop_delay);
        RingShape { nodes: self.nodes, around_cycles, has_outstanding_limit: false }
    }

    /// The ring if all its hops are as long as any may be, which leaves packets the least room.
    pub(crate) fn longest_shape(self) -> RingShape {
        let longer = u64::from(self.nodes) * u64::from(LONGER_HOP);
        RingShape { around_cycles: self.shape().around_cycles + longer, ..self.shape() }
    }
}

fn frame() -> impl Strategy<Value = Frame> {
    let framing = prop_oneof![3 => Just(0u32), 1 => 1..=3u32];
    let priorities = prop_oneof![2 => Just(1u16), 2 => 2..=4u16, 1 => Just(256u16)];
    let hop_delay = prop_oneof![12 => 1..6u32, 3 => 6..30u32, 1 => 30..1000u32];
    let link_width = prop_oneof![4 => Just(16u32), 1 => Just(8u32), 1 => Just(32u32), 1 => Just(64u32)];
    // SCI's, and frames of Ethernet.
    let longest_bytes = prop_oneof![7 => Just(288u32), 1 => Just(9000u32)];
    let parts = (1..=9u32, hop_delay, link_width, framing, priorities, longest_bytes, optional(1..5u32));
    parts.prop_map(|(nodes, hop_delay, link_width, framing, priorities, longest_bytes, capacity)| Frame {
        nodes,
        hop_delay,
        link_width,
        echo_symbols: 8 * 8 / link_width + framing,
        priorities,
        longest_bytes,
        capacity,
    })
}

fn order() -> impl Strategy<Value = ClassOrder> {
    select(vec![ClassOrder::Alternate, ClassOrder::ResponseFirst, ClassOrder::RequestFirst, ClassOrder::Oldest])
}

/// Times of which some are over before any response comes.
pub(crate) fn response_timeout() -> impl Strategy<Value = Option<ResponseTimeoutSpec>> {
    let timeout = (prop_oneof![1..400u64, 1..4000u64], 0..3u8);
    let timeout = timeout.prop_map(|(timeout_cycles, max_repeats)| ResponseTimeoutSpec { timeout_cycles, max_repeats });
    prop_oneof![2 => Just(None), 1 => timeout.prop_map(Some)]
}

fn strategy() -> impl Strategy<Value = RetryStrategy> {
    select(vec![RetryStrategy::Constant, RetryStrategy::Linear, RetryStrategy::Exponential])
}

/// A retry delay, and whether receivers reserve places, which not every protocol lets them do.
fn retry(reservations: bool) -> impl Strategy<Value = (RetrySpec, bool)> {
    (strategy(), prop_oneof![Just(0u64), 1..200u64], any::<bool>()).prop_map(
        move |(strategy, delay_cycles, reservation)| {
            (RetrySpec { strategy, delay_cycles }, reservation && reservations)
        },
    )
}

/// No hop is longer than that of the frame by so many cycles.
const LONGER_HOP: u32 = 60;

/// Links of one hop delay, or each with its own: none shorter than the one that the protocol's options fit.
fn hop_delays(frame: Frame) -> impl Strategy<Value = Option<Vec<u32>>> {
    let longer = prop_oneof![2 => Just(0u32), 4 => 0..6u32, 1 => 0..LONGER_HOP];
    let hop_delay = longer.prop_map(move |longer| frame.hop_delay + longer);
    optional(proptest::collection::vec(hop_delay, frame.nodes as usize))
}

/// Any ring with this flow control.
fn ring(frame: Frame, flow_control: FlowControlSpec) -> impl Strategy<Value = NetworkSpec> {
    let shape = traffic::Shape::new(frame, &flow_control);
    let sources = proptest::collection::vec(0..frame.nodes, 0..=(2 * frame.nodes as usize));
    let flows = sources.prop_flat_map(move |sources| {
        sources.into_iter().map(|source| traffic::flow(shape, source).boxed()).collect::<Vec<_>>()
    });
    let queues = (0..300u64, optional(1..5u32), optional(prop_oneof![1..5u32, Just(64)]));
    let hosts = (optional(1..4u32), optional(1..5u32), order(), response_timeout());
    let retry = retry(!matches!(flow_control, FlowControlSpec::Ppq(_)));
    let limits = flow_control.limits(frame.shape());
    let without_echoes = proptest::bool::weighted(if limits.needs_echoes { 0.0 } else { 0.25 });
    let differing = (host_limits(), base_nodes(frame, limits.takes_base_nodes));
    let parts =
        (any::<u64>(), flows, queues, hosts, retry, optional(0..300u64), hop_delays(frame), without_echoes, differing);
    parts.prop_map(move |(seed, flows, queues, hosts, retry, slow, hop_delays, without_echoes, differing)| {
        let (service, transmit_capacity, outstanding_limit) = queues;
        let receive_queue = ReceiveQueueSpec { capacity: frame.capacity, service_cycles: service };
        // One node is slow, and has other places; not fewer than the protocol's options fit.
        let receive_queues = slow.map(|slow| {
            let own = ReceiveQueueSpec { capacity: Some(frame.capacity.unwrap_or(4) + 2), service_cycles: slow };
            (0..frame.nodes).map(|node| if node == 0 { own } else { receive_queue }).collect()
        });
        let (response_capacity, window, order, response_timeout) = hosts;
        let (limits_of_first, base_nodes) = differing;
        let (retry, reservation) = retry;
        let limits_of_others =
            HostLimitsSpec { response_capacity, transmit_capacity, outstanding_limit, window, retry };
        let spec = NetworkSpec {
            seed,
            hop_delay: PerNode { common: frame.hop_delay, each: hop_delays },
            format: PacketFormatSpec {
                link_width: frame.link_width,
                echo_symbols: frame.echo_symbols,
                framing_symbols: None,
                echoes: true,
            },
            base_nodes,
            queues: QueuesSpec {
                priorities: frame.priorities,
                order,
                receive: PerNode { common: receive_queue, each: receive_queues },
                limits: limits_of_others.into(),
                response_timeout,
                reservation,
            },
            ..NetworkSpec::ring(frame.nodes, flow_control.clone(), flows)
        };
        let spec = with_limits_of_first(spec, limits_of_first);
        if without_echoes { free_of_echoes(spec, limits) } else { spec }
    })
}

/// The limits of a node that differs from the others.
fn host_limits() -> impl Strategy<Value = Option<HostLimitsSpec>> {
    let places = (optional(1..5u32), optional(1..4u32), optional(1..3u32), optional(1..5u32));
    let any = (places, 0..300u64, strategy());
    optional(any.prop_map(|(places, delay_cycles, strategy)| {
        let (response_capacity, transmit_capacity, outstanding_limit, window) = places;
        let retry = RetrySpec { strategy, delay_cycles };
        HostLimitsSpec { response_capacity, transmit_capacity, outstanding_limit, window, retry }
    }))
}

/// Node 0 has limits of its own.
fn with_limits_of_first(mut spec: NetworkSpec, first: Option<HostLimitsSpec>) -> NetworkSpec {
    let Some(mut first) = first else { return spec };
    // A train that has no tickets of its own, because all nodes have a limit, fits a shorter bypass FIFO.
    if spec.queues.limits.common.outstanding_limit.is_some() && first.outstanding_limit.is_none() {
        first.outstanding_limit = Some(2);
    }
    let others = spec.queues.limits.common;
    spec.queues.limits.each = Some((0..spec.nodes).map(|node| if node == 0 { first } else { others }).collect());
    spec
}

/// Nodes with SCI's own flow control, where the protocol lets them be there.
fn base_nodes(frame: Frame, taken: bool) -> BoxedStrategy<Vec<u32>> {
    if !taken {
        return Just(Vec::new()).boxed();
    }
    let each = proptest::collection::vec(any::<bool>(), frame.nodes as usize);
    let some = each.prop_map(|each| (0..).zip(each).filter_map(|(node, is_base)| is_base.then_some(node)).collect());
    prop_oneof![Just(Vec::new()), some].boxed()
}

/// Returns a spec without echoes, and without what they are needed for.
fn free_of_echoes(mut spec: NetworkSpec, limits: Limits) -> NetworkSpec {
    spec.format.echoes = false;
    spec.queues.reservation = false;
    if limits.acts_on_refusals {
        spec.queues.receive.all_mut().for_each(|queue| queue.capacity = None);
    }
    for limits in spec.queues.limits.all_mut() {
        (limits.outstanding_limit, limits.response_capacity) = (None, None);
    }
    spec
}

/// The protocols with five states, whose idles carry go bits or nothing.
pub(crate) const WITH_STATES: &[&str] = &["none", "sci", "grouped"];

/// Any ring of up to nine nodes with one of these protocols that fits it.
pub(crate) fn network_with(protocols: &'static [&'static str]) -> impl Strategy<Value = NetworkSpec> {
    let fitting = move |frame: Frame| protocols::any_of(protocols, frame).map(|any| (frame, any));
    let framed = frame().prop_filter_map("no protocol fits", fitting);
    framed.prop_flat_map(|(frame, any)| any.prop_flat_map(move |flow_control| ring(frame, flow_control)))
}

/// Any ring of up to nine nodes that the spec allows.
pub(crate) fn network() -> impl Strategy<Value = NetworkSpec> {
    network_with(protocols::ALL)
}

/// Rings of one frame, each with any of these protocols that fits it and traffic of its own. What hosts share is that
/// of the first one, with which all of them can do.
pub(crate) fn alike(count: usize) -> impl Strategy<Value = Vec<NetworkSpec>> {
    let fitting = |frame: Frame| protocols::any_of(protocols::ALL, frame).map(|any| (frame, any));
    let framed = frame().prop_filter_map("no protocol fits", fitting);
    let rings = framed.prop_flat_map(move |(frame, any)| {
        proptest::collection::vec(any.prop_flat_map(move |flow_control| ring(frame, flow_control)), count)
    });
    rings.prop_map(|mut rings| {
        let shared = rings.iter().find(|ring| !ring.queues.reservation).unwrap_or(&rings[0]).clone();
        let limits = |ring: &NetworkSpec| crate::protocol(ring).limits(ring.shape()).bypass_symbols;
        let longest = rings.iter().filter_map(limits).min().map_or(u32::MAX, |bypass| bypass - 1);
        for ring in &mut rings {
            (ring.seed, ring.format.echoes) = (shared.seed, true);
            ring.queues = QueuesSpec {
                priorities: ring.queues.priorities,
                receive: PerNode { common: shared.queues.receive.common, each: ring.queues.receive.each.take() },
                limits: shared.queues.limits.common.into(),
                ..shared.queues
            };
            for flow in &mut ring.flows {
                flow.sizes.iter_mut().for_each(|size| size.0 = size.0.min(longest));
                flow.response_symbols = flow.response_symbols.map(|symbols| symbols.min(longest));
            }
        }
        rings
    })
}
