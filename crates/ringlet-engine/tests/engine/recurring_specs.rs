//! Specs in which nothing is drawn, and their hyperperiods.

use ringlet_engine::protocols::none::NoneSpec;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, NetworkSpec};

fn ring(flows: Vec<FlowSpec>) -> NetworkSpec {
    NetworkSpec::ring(4, NoneSpec {}, flows)
}

fn flow(arrivals: ArrivalSpec) -> FlowSpec {
    FlowSpec::new(0, DestinationSpec::Fixed { node: 1 }, arrivals, 40)
}

fn periodic(period: f64, phase: f64) -> ArrivalSpec {
    ArrivalSpec::Periodic { period, phase }
}

#[test]
fn only_what_draws_nothing_may_recur() {
    assert!(ring(vec![flow(ArrivalSpec::Saturated {}), flow(periodic(100.5, 3.0))]).may_recur());
    assert!(!ring(vec![flow(ArrivalSpec::Bernoulli { rate: 0.01 })]).may_recur());
    assert!(!ring(vec![flow(periodic(100.0 / 3.0, 0.0))]).may_recur());
    let mut anywhere = flow(ArrivalSpec::Saturated {});
    anywhere.destinations = DestinationSpec::Uniform {};
    assert!(!ring(vec![anywhere]).may_recur());
    let mut long_or_short = flow(ArrivalSpec::Saturated {});
    long_or_short.sizes = vec![(40, 0.5), (8, 0.5)];
    assert!(!ring(vec![long_or_short]).may_recur());
}

#[test]
fn a_hyperperiod_is_one_of_all_sources() {
    let spec = ring(vec![flow(periodic(600.0, 7.0)), flow(periodic(100.5, 3.5))]);
    assert_eq!(spec.hyperperiod(), Some((40_200, 7)));
    let mixed = ring(vec![flow(periodic(600.0, 7.0)), flow(ArrivalSpec::Saturated {})]);
    assert_eq!(mixed.hyperperiod(), Some((600, 7)));
    assert_eq!(ring(vec![flow(ArrivalSpec::Saturated {})]).hyperperiod(), None);
}
