//! Sources against theory: mean gaps, their spread, and shares of destinations and sizes, so narrowly that a source 1 %
//! slow fails.

use crate::rings::{SCI, ring, saturated};
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec};
use ringlet_engine::traffic::Source;

const DRAWS: usize = 400_000;

/// Standard deviations that a draw may lie off: one of 15,000 lies farther.
const SIGMAS: f64 = 4.0;

fn flow(source: u32, arrivals: ArrivalSpec) -> FlowSpec {
    FlowSpec { arrivals, ..saturated(source, (source + 1) % 8, 40) }
}

/// The source of flow `number`, of a ring of eight nodes.
fn source(number: usize, flow: &FlowSpec) -> Source {
    Source::new(7, number, flow, 8)
}

/// Mean and variance of the gaps between arrivals.
fn gaps(number: usize, arrivals: ArrivalSpec) -> (f64, f64) {
    let mut source = source(number, &flow(number as u32, arrivals));
    let mut last = source.take_arrival();
    let gaps: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let at = source.take_arrival();
            (at - std::mem::replace(&mut last, at)) as f64
        })
        .collect();
    let mean = gaps.iter().sum::<f64>() / DRAWS as f64;
    (mean, gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / DRAWS as f64)
}

/// `found` lies within [`SIGMAS`] standard errors of `expected`; `deviation` is that of a single draw.
fn assert_near(found: f64, expected: f64, deviation: f64, what: &str) {
    let error = (found - expected).abs() / (deviation / (DRAWS as f64).sqrt());
    assert!(error < SIGMAS, "{what}: {found}, {error:.1} standard errors from {expected}");
}

#[test]
fn gaps_of_poisson_arrivals_are_exponential() {
    for number in 0..8 {
        for rate in [1e-4, 0.02] {
            let (mean, variance) = gaps(number, ArrivalSpec::Poisson { rate });
            let expected = 1.0 / rate;
            assert_near(mean, expected, expected, "mean gap");
            // Seen at whole cycles: rounding up adds 1/12 at either end. The square of an exponential draw has a
            // variance of 8 squared means.
            assert_near(variance, expected.powi(2) + 1.0 / 6.0, 8f64.sqrt() * expected.powi(2), "variance");
        }
    }
}

/// More than one packet in a cycle, where they come faster than cycles.
#[test]
fn poisson_arrivals_may_share_a_cycle() {
    let (mean, _) = gaps(0, ArrivalSpec::Poisson { rate: 2.5 });
    assert_near(mean, 0.4, 0.4, "mean gap");
}

#[test]
fn gaps_of_bernoulli_arrivals_are_geometric() {
    for number in 0..8 {
        for rate in [0.001, 0.3] {
            let (mean, variance) = gaps(number, ArrivalSpec::Bernoulli { rate });
            let expected = (1.0 - rate) / (rate * rate);
            assert_near(mean, 1.0 / rate, expected.sqrt(), "mean gap");
            // The fourth central moment of a geometric draw is 9 + p^2 / (1 - p) squared variances.
            let deviation = (8.0 + rate * rate / (1.0 - rate)).sqrt() * expected;
            assert_near(variance, expected, deviation, "variance");
        }
    }
}

#[test]
fn periodic_arrivals_are_those_of_their_formula() {
    let mut source = source(0, &flow(0, ArrivalSpec::Periodic { period: 10.25, phase: 3.5 }));
    let cycles: Vec<u64> = (0..6).map(|_| source.take_arrival()).collect();
    assert_eq!(cycles, [4, 14, 24, 35, 45, 55]);
}

/// Shares of the draws that go to each node.
fn shares(number: usize, destinations: DestinationSpec) -> Vec<f64> {
    let flow = FlowSpec { destinations, ..flow(number as u32, ArrivalSpec::Saturated {}) };
    let mut source = source(number, &flow);
    let mut counts = vec![0u32; 8];
    (0..DRAWS).for_each(|_| counts[source.draw_packet().0 as usize] += 1);
    counts.into_iter().map(|count| f64::from(count) / DRAWS as f64).collect()
}

#[test]
fn destinations_have_their_shares() {
    type Probability = fn(usize, usize) -> f64;
    let weights = [0.0, 0.4, 0.05, 0.15, 0.1, 0.1, 0.2, 0.0];
    let range = |local, probability| DestinationSpec::Range { first: 2, count: 4, local, probability };
    // A node never sends to itself; what is not named is spread evenly.
    let cases: [(DestinationSpec, Probability, &[usize]); 6] = [
        (
            DestinationSpec::Uniform {},
            |source, to| if to == source { 0.0 } else { 1.0 / 7.0 },
            &[0, 1, 2, 3, 4, 5, 6, 7],
        ),
        (
            DestinationSpec::HotSpot { node: 3, probability: 0.4 },
            |source, to| match to {
                3 => 0.4,
                _ if to == source => 0.0,
                _ => 0.6 / 6.0,
            },
            &[0, 2, 4, 7],
        ),
        (range(None, 0.0), |_, to| if (2..6).contains(&to) { 0.25 } else { 0.0 }, &[0, 1, 6]),
        (range(None, 0.0), |source, to| if (2..6).contains(&to) && to != source { 1.0 / 3.0 } else { 0.0 }, &[2, 3, 5]),
        (
            range(Some(4), 0.5),
            |source, to| match to {
                4 => 0.5,
                2 | 3 | 5 if to != source => 0.5 / if (2..6).contains(&source) { 2.0 } else { 3.0 },
                _ => 0.0,
            },
            &[0, 3, 5],
        ),
        (
            DestinationSpec::Weighted { weights: weights.to_vec() },
            |_, to| [0.0, 0.4, 0.05, 0.15, 0.1, 0.1, 0.2, 0.0][to],
            &[0, 7],
        ),
    ];
    for (destinations, probability, sources) in cases {
        for &source in sources {
            for (to, share) in shares(source, destinations.clone()).into_iter().enumerate() {
                let expected = probability(source, to);
                let what = format!("{destinations:?} from node {source} to node {to}");
                match (expected * (1.0 - expected)).sqrt() {
                    0.0 => assert_eq!(share, expected, "{what}"),
                    deviation => assert_near(share, expected, deviation, &what),
                }
            }
        }
    }
}

#[test]
fn sizes_have_their_shares() {
    let sizes = vec![(8, 0.6), (40, 0.3), (144, 0.1)];
    let mut source = source(0, &FlowSpec { sizes: sizes.clone(), ..flow(0, ArrivalSpec::Saturated {}) });
    let drawn: Vec<u32> = (0..DRAWS).map(|_| source.draw_packet().1).collect();
    for (symbols, probability) in sizes {
        let share = drawn.iter().filter(|&&size| size == symbols).count() as f64 / DRAWS as f64;
        assert_near(share, probability, (probability * (1.0 - probability)).sqrt(), &format!("{symbols} symbols"));
    }
}

/// Two flows of one node, and the same flow under two seeds, draw independently: their gaps are not correlated.
#[test]
fn sources_draw_independently() {
    let gaps = |seed: u64, number: usize| -> Vec<f64> {
        let mut source = Source::new(seed, number, &flow(0, ArrivalSpec::Poisson { rate: 1e-3 }), 8);
        let mut last = 0;
        (0..DRAWS)
            .map(|_| {
                let at = source.take_arrival();
                (at - std::mem::replace(&mut last, at)) as f64 - 1e3
            })
            .collect()
    };
    let first = gaps(1, 0);
    for other in [gaps(1, 1), gaps(2, 0), gaps(1, 256)] {
        let correlation = first.iter().zip(&other).map(|(a, b)| a * b / 1e6).sum::<f64>() / DRAWS as f64;
        assert_near(correlation, 0.0, 1.0, "correlation");
    }
}

/// The engine takes what its sources offer: neither a packet lost between source and queue nor one twice.
#[test]
fn every_arrival_of_a_source_is_generated() {
    let arrivals = [ArrivalSpec::Poisson { rate: 0.002 }, ArrivalSpec::Bernoulli { rate: 0.002 }];
    let flows: Vec<FlowSpec> = (0..8).map(|node| flow(node, arrivals[node as usize % 2])).collect();
    let spec = ring(8, 1, SCI, flows);
    let mut simulation = ringlet_engine::Simulation::new(&spec).expect("valid");
    simulation.advance(200_000);
    for (number, counted) in simulation.flow_counters().into_iter().enumerate() {
        let mut source = Source::new(spec.seed, number, &spec.flows[number], spec.nodes);
        let expected = (0..).take_while(|_| source.take_arrival() < 200_000).count() as u64;
        assert_eq!(counted.generated_packets, expected, "flow {number}");
    }
}
