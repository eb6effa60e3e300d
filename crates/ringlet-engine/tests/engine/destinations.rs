//! Counts of the messages of a flow to each of its destinations: they are those of the flow, and of the reference.

use proptest::prelude::*;
use ringlet_engine::measure::{FlowCounters, MessageCounters};
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, MessagesSpec, NetworkSpec};
use ringlet_engine::{DestinationCounters, Histogram, Simulation};

use crate::against_reference::histogram;
use crate::message_rules::{PACKET, any_messages, sized};
use crate::networks::fingerprint;
use crate::random;
use crate::reference::Reference;
use crate::rings::{NONE, flow, ring, saturated};

fn run(spec: &NetworkSpec, steps: &[u64]) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    for (place, &cycles) in steps.iter().enumerate() {
        if place > 0 {
            simulation.reset_measurement();
        }
        let until = simulation.cycle() + cycles;
        // A stall ends a step, not the simulation.
        while simulation.cycle() < until {
            simulation.advance(until - simulation.cycle());
        }
    }
    simulation
}

pub(crate) fn latencies(each: &[DestinationCounters], digits: u8) -> Histogram<u32> {
    let mut sum = Histogram::new(digits).expect("1 to 4 digits");
    sum.auto(true);
    each.iter().for_each(|to| to.add_latencies(&mut sum));
    sum
}

/// Counts and times of all destinations together, as their flow has them.
pub(crate) fn summed(each: &[DestinationCounters]) -> (MessageCounters, [u64; 4]) {
    let total = |count: fn(&MessageCounters) -> u64| each.iter().map(|to| count(&to.messages)).sum::<u64>();
    let messages = MessageCounters {
        released: total(|c| c.released),
        released_bytes: total(|c| c.released_bytes),
        completed_bytes: total(|c| c.completed_bytes),
        lost: total(|c| c.lost),
        judged: total(|c| c.judged),
        missed: total(|c| c.missed),
        open: total(|c| c.open),
        oldest: each.iter().filter_map(|to| to.messages.oldest).min(),
    };
    let complete = || each.iter().filter(|to| to.completed_messages > 0);
    let times = [
        each.iter().map(|to| to.completed_messages).sum(),
        each.iter().map(|to| to.latency_sum_cycles).sum(),
        complete().map(|to| to.latency_min_cycles).min().unwrap_or(0),
        complete().map(|to| to.latency_max_cycles).max().unwrap_or(0),
    ];
    (messages, times)
}

pub(crate) fn times_of(flow: &FlowCounters) -> [u64; 4] {
    let host = flow.host();
    [
        host.completed_messages,
        host.message_latency_sum_cycles,
        host.message_latency_min_cycles,
        host.message_latency_max_cycles,
    ]
}

#[test]
fn each_destination_has_its_share() {
    let weighted = DestinationSpec::Weighted { weights: vec![0.0, 0.75, 0.0, 0.25] };
    let to_two = FlowSpec {
        destinations: weighted,
        messages: Some(Box::new(MessagesSpec { by_destination: true, ..sized(200) })),
        ..flow(0, 2, 40, ArrivalSpec::Periodic { period: 1_000.0, phase: 0.0 })
    };
    let simulation = run(&ring(4, 1, NONE, vec![to_two]), &[10_000_000]);
    let [near, far] = &simulation.destination_counters(0)[..] else { panic!("there are two") };
    assert_eq!((near.destination, far.destination), (1, 3));
    assert_eq!(near.messages.released + far.messages.released, 10_000);
    assert!((7_300..7_700).contains(&near.messages.released), "{}", near.messages.released);
    assert_eq!(near.messages.completed_bytes, 200 * near.completed_messages);
    // Two links more, and four packets each.
    assert!(far.latency_min_cycles > near.latency_min_cycles);
    assert_eq!(far.latency_min_cycles, far.latency_max_cycles);
    assert_eq!(simulation.destination_counters(1), []);
}

/// A saturated flow has a destination for each packet that it has drawn, and a packet that waits for the next draw.
#[test]
fn each_destination_of_a_saturated_flow_has_its_share() {
    let weighted = DestinationSpec::Weighted { weights: vec![0.0, 0.75, 0.0, 0.25] };
    let to_two = FlowSpec {
        destinations: weighted,
        messages: Some(Box::new(MessagesSpec { by_destination: true, ..sized(64) })),
        ..saturated(0, 2, 40)
    };
    let simulation = run(&ring(4, 1, NONE, vec![to_two]), &[100_000, 1_000_000]);
    let [near, far] = &simulation.destination_counters(0)[..] else { panic!("there are two") };
    let flow = simulation.flow_counters()[0];
    let (delivered, share) = (flow.host().completed_messages, near.messages.released as f64);
    assert_eq!(near.completed_messages + far.completed_messages, delivered);
    assert!((share / (delivered as f64) - 0.75).abs() < 0.02, "{share} of {delivered}");
    assert!((near.messages.released + far.messages.released).abs_diff(flow.generated_packets) <= 1);
    assert!(near.messages.open + far.messages.open > 0);
}

#[test]
fn destinations_are_counted_only_where_they_are_asked_for() {
    let fixed =
        FlowSpec { messages: Some(Box::new(sized(200))), ..flow(0, 2, 40, ArrivalSpec::Poisson { rate: 0.001 }) };
    assert_eq!(run(&ring(4, 1, NONE, vec![fixed]), &[100_000]).destination_counters(0), []);
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn destinations_add_up_to_their_flow(spec in any_messages(), before in 0..3_000u64, cycles in 1..5_000u64) {
        let simulation = run(&spec, &[before, cycles]);
        let messages = simulation.message_counters();
        for (index, counters) in simulation.flow_counters().into_iter().enumerate() {
            let each = simulation.destination_counters(index);
            prop_assert!(each.is_sorted_by_key(|to| to.destination));
            let Some(whole) = messages[index] else {
                prop_assert!(each.is_empty());
                continue;
            };
            prop_assert_eq!(summed(&each), (whole, times_of(counters)), "flow {} of {:?}", index, spec);
            let digits = spec.measurement.latency_digits;
            prop_assert_eq!(latencies(&each, digits), simulation.message_latencies([index]), "flow {}", index);
        }
    }

    /// All other counts are the same whether destinations are counted or not.
    #[test]
    fn counting_destinations_changes_nothing_else(spec in any_messages(), cycles in 1..5_000u64) {
        let mut without = spec.clone();
        for flow in &mut without.flows {
            flow.messages.iter_mut().for_each(|messages| messages.by_destination = false);
        }
        let (counted, plain) = (run(&spec, &[cycles]), run(&without, &[cycles]));
        prop_assert_eq!(fingerprint(&counted), fingerprint(&plain));
        prop_assert_eq!(counted.message_counters(), plain.message_counters());
    }

    /// Messages of one packet, without responses: the reference has a delivery for each.
    #[test]
    fn each_destination_is_as_in_the_reference(mut spec in random::network(), cycles in 1..10_000u64) {
        // A message that finds no room has drawn a destination, and a packet that does has none yet.
        let limits = &mut spec.queues.limits;
        let each = limits.each.iter_mut().flatten();
        std::iter::once(&mut limits.common).chain(each).for_each(|host| host.transmit_capacity = None);
        let mut counted = spec.clone();
        let mut kept = Vec::new();
        for (index, flow) in counted.flows.iter_mut().enumerate() {
            let is_taken = matches!(
                flow.arrivals,
                ArrivalSpec::Bernoulli { .. }
                    | ArrivalSpec::Poisson { .. }
                    | ArrivalSpec::Periodic { .. }
                    | ArrivalSpec::Saturated {}
            );
            if is_taken && flow.sizes.len() == 1 && flow.burst == 1 && flow.response_symbols.is_none() {
                let messages = MessagesSpec { by_destination: true, ..sized(PACKET.into()) };
                flow.messages = Some(Box::new(messages));
                kept.push(index);
            }
        }
        let simulation = run(&counted, &[cycles]);
        let mut reference = Reference::new(&spec);
        reference.advance(cycles);
        let deliveries = reference.deliveries();
        for flow in kept {
            let each = simulation.destination_counters(flow);
            for destination in 0..spec.nodes {
                let expected = deliveries.iter().filter(|one| (one.flow, one.destination) == (flow, destination));
                let expected = histogram(&spec, expected.map(|one| one.latency_cycles()));
                let obtained: Vec<_> = each.iter().filter(|to| to.destination == destination).cloned().collect();
                let obtained = latencies(&obtained, spec.measurement.latency_digits);
                prop_assert_eq!(obtained, expected, "flow {} to {} of {:?}", flow, destination, spec);
            }
        }
    }
}
