//! Random rings, traffic and options for property tests.
#![allow(dead_code)] // each test crate uses its part

use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, Extension, FlowControlSpec, FlowSpec, GroupSpec, NetworkSpec, ReceiveQueueSpec,
    Release, RetrySpec, RetryStrategy,
};

fn extension() -> impl Strategy<Value = Extension> {
    select(vec![Extension::None, Extension::Passing, Extension::AfterSend, Extension::Always])
}

fn release() -> impl Strategy<Value = Release> {
    select(vec![Release::Unblocked, Release::All])
}

pub(crate) fn flow_control() -> impl Strategy<Value = FlowControlSpec> {
    prop_oneof![
        1 => Just(FlowControlSpec::None {}),
        3 => (extension(), release())
            .prop_map(|(extension, release)| FlowControlSpec::Sci { extension, release, priorities: 1 }),
        2 => (extension(), release(), 2..=4u8)
            .prop_map(|(extension, release, priorities)| FlowControlSpec::Sci { extension, release, priorities }),
        3 => (extension(), release(), 1..=16u8)
            .prop_map(|(extension, release, groups)| FlowControlSpec::Grouped { extension, release, groups }),
    ]
}

fn arrivals() -> impl Strategy<Value = ArrivalSpec> {
    prop_oneof![
        3 => Just(ArrivalSpec::Saturated {}),
        2 => (0.0005..0.05f64).prop_map(|rate| ArrivalSpec::Bernoulli { rate }),
        2 => (0.0005..0.05f64).prop_map(|rate| ArrivalSpec::Poisson { rate }),
        1 => (20.0..3000.0f64, 0.0..500.0f64).prop_map(|(period, phase)| ArrivalSpec::Periodic { period, phase }),
    ]
}

fn sizes() -> impl Strategy<Value = Vec<(u32, f64)>> {
    prop_oneof![
        Just(vec![(40, 1.0)]),
        Just(vec![(40, 0.4), (8, 0.6)]),
        (8..=144u32).prop_map(|symbols| vec![(symbols, 1.0)]),
        (8..=144u32, 8..=144u32).prop_map(|(a, b)| vec![(a, 0.25), (b, 0.75)]),
    ]
}

fn destinations(nodes: u32, source: u32) -> BoxedStrategy<DestinationSpec> {
    if nodes == 1 {
        return Just(DestinationSpec::Uniform {}).boxed();
    }
    let other = (1..nodes).prop_map(move |distance| (source + distance) % nodes);
    let fixed = other.clone().prop_map(|node| DestinationSpec::Fixed { node });
    let weighted = proptest::collection::vec(0.0..1.0f64, nodes as usize).prop_map(move |mut weights| {
        weights[source as usize] = 0.0;
        weights[((source + 1) % nodes) as usize] += 0.1;
        let sum: f64 = weights.iter().sum();
        DestinationSpec::Weighted { weights: weights.iter().map(|weight| weight / sum).collect() }
    });
    let hot = (other, 0.0..=1.0f64).prop_map(move |(node, probability)| DestinationSpec::HotSpot {
        node,
        probability: if nodes == 2 { 1.0 } else { probability },
    });
    prop_oneof![Just(DestinationSpec::Uniform {}), fixed, weighted, hot].boxed()
}

fn groups(nodes: u32, groups: u8) -> impl Strategy<Value = GroupSpec> {
    let by_destination = proptest::collection::vec(0..groups, nodes as usize);
    let steps = proptest::collection::vec((1..3000u64, 0..groups), 0..3);
    prop_oneof![
        (0..groups).prop_map(|group| GroupSpec::Fixed { group }),
        by_destination.prop_map(|groups| GroupSpec::ByDestination { groups }),
        (0..groups, steps).prop_map(|(first, gaps)| {
            let mut cycle = 0;
            let mut steps = vec![(0, first)];
            for (gap, group) in gaps {
                cycle += gap;
                steps.push((cycle, group));
            }
            GroupSpec::Schedule { steps }
        }),
    ]
}

fn flow(nodes: u32, source: u32, priorities: u8, group_count: u8) -> impl Strategy<Value = FlowSpec> {
    let parts = (0..priorities, arrivals(), sizes(), destinations(nodes, source), groups(nodes, group_count));
    parts.prop_map(move |(priority, arrivals, sizes, destinations, groups)| FlowSpec {
        source,
        priority,
        arrivals,
        sizes,
        destinations,
        groups,
    })
}

fn optional<S: Strategy>(value: S) -> impl Strategy<Value = Option<S::Value>>
where
    S::Value: Clone,
{
    prop_oneof![Just(None), value.prop_map(Some)]
}

/// Any ring of up to nine nodes that the spec allows.
pub(crate) fn network() -> impl Strategy<Value = NetworkSpec> {
    (1..=9u32, flow_control()).prop_flat_map(|(nodes, flow_control)| {
        let (priorities, group_count) = (flow_control.priorities(), flow_control.groups());
        let sources = proptest::collection::vec(0..nodes, 0..=(2 * nodes as usize));
        let flows = sources.prop_flat_map(move |sources| {
            sources.into_iter().map(|source| flow(nodes, source, priorities, group_count).boxed()).collect::<Vec<_>>()
        });
        let queues = (optional(1..4u32), 0..300u64, optional(1..5u32), optional(prop_oneof![1..5u32, Just(64)]));
        let strategy = select(vec![RetryStrategy::Constant, RetryStrategy::Linear, RetryStrategy::Exponential]);
        let retry = (strategy, prop_oneof![Just(0u64), 1..200u64]);
        (any::<u64>(), 1..6u32, flows, queues, retry).prop_map(move |(seed, hop_delay, flows, queues, retry)| {
            let (capacity, service_cycles, transmit_capacity, outstanding_limit) = queues;
            NetworkSpec {
                seed,
                nodes,
                hop_delay,
                flow_control: flow_control.clone(),
                receive_queue: ReceiveQueueSpec { capacity, service_cycles },
                transmit_capacity,
                outstanding_limit,
                retry: RetrySpec { strategy: retry.0, delay_cycles: retry.1 },
                flows,
                stall_cycles: 1_000_000,
                latency_digits: 3,
                initial_go: None,
            }
        })
    })
}
