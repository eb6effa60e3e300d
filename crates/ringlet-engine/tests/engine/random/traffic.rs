//! Random flows.

use proptest::prelude::*;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec};

use super::{Frame, optional};

/// Limits that flows have to fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    nodes: u32,
    /// Every priority is below it.
    levels: u16,
    groups: u16,
    /// Symbols of the longest send packet.
    longest: u32,
    /// Symbols of a send packet without data.
    shortest: u32,
    /// Symbols of a send packet with 64 bytes of data, if the bypass FIFO has room for it.
    read: u32,
}

impl Shape {
    pub(crate) fn new(frame: Frame, flow_control: &FlowControlSpec) -> Self {
        let longest = frame.symbols(frame.longest_bytes) + frame.echo_symbols - frame.symbols(8);
        let limits = flow_control.limits(frame.longest_shape());
        let longest = limits.bypass_symbols.map_or(longest, |bypass| longest.min(bypass - 1));
        Self {
            nodes: frame.nodes,
            levels: frame.priorities.min(limits.levels),
            groups: limits.groups,
            longest,
            shortest: frame.shortest(),
            read: longest.min(frame.symbols(80)),
        }
    }
}

fn arrivals() -> impl Strategy<Value = ArrivalSpec> {
    prop_oneof![
        3 => Just(ArrivalSpec::Saturated {}),
        2 => (0.0005..0.05f64).prop_map(|rate| ArrivalSpec::Bernoulli { rate }),
        2 => (0.0005..0.05f64).prop_map(|rate| ArrivalSpec::Poisson { rate }),
        1 => (20.0..3000.0f64, 0.0..500.0f64).prop_map(|(period, phase)| ArrivalSpec::Periodic { period, phase }),
    ]
}

fn sizes(shape: Shape) -> impl Strategy<Value = Vec<(u32, f64)>> {
    let Shape { longest, shortest, read, .. } = shape;
    let any = shortest..=longest;
    prop_oneof![
        Just(vec![(read, 1.0)]),
        Just(vec![(read, 0.4), (shortest, 0.6)]),
        any.clone().prop_map(|symbols| vec![(symbols, 1.0)]),
        (any.clone(), any).prop_map(|(a, b)| vec![(a, 0.25), (b, 0.75)]),
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

fn groups(nodes: u32, groups: u16) -> impl Strategy<Value = GroupSpec> {
    let group = move || (0..groups).prop_map(|group| group as u8);
    let by_destination = proptest::collection::vec(group(), nodes as usize);
    let steps = proptest::collection::vec((1..3000u64, group()), 0..3);
    prop_oneof![
        group().prop_map(|group| GroupSpec::Fixed { group }),
        by_destination.prop_map(|groups| GroupSpec::ByDestination { groups }),
        (group(), steps).prop_map(|(first, gaps)| {
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

/// Any flow from this node.
pub(crate) fn flow(shape: Shape, source: u32) -> impl Strategy<Value = FlowSpec> {
    let Shape { nodes, levels, longest, shortest, read, .. } = shape;
    // Priorities close to each other meet more often.
    let priority = prop_oneof![3 => 0..levels.min(4), 1 => 0..levels].prop_map(|priority| priority as u8);
    let response = optional(prop_oneof![Just(read), Just(shortest), shortest..=longest]);
    let message = (prop_oneof![2 => Just(1u32), 1 => 2..5u32], optional(0..2000u64), response);
    let places = (destinations(nodes, source), groups(nodes, shape.groups));
    (priority, arrivals(), sizes(shape), places, message).prop_map(
        move |(priority, arrivals, sizes, (destinations, groups), (burst, deadline_cycles, response_symbols))| {
            let is_saturated = matches!(arrivals, ArrivalSpec::Saturated {});
            FlowSpec {
                source,
                priority,
                arrivals,
                burst: if is_saturated { 1 } else { burst },
                deadline_cycles,
                sizes,
                response_symbols,
                destinations,
                groups,
                messages: None,
            }
        },
    )
}
