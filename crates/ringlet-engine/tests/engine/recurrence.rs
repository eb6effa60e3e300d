//! A simulation that comes back to a state does for ever what it has done since.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::activities::{event_invariants, loop_invariants};
use crate::networks::random::any_network;
use crate::random;
use proptest::prelude::*;
use ringlet_engine::activities::WorkloadSpec;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, NetworkSpec};
use ringlet_engine::{Counts, Moment, Simulation};

/// Cycles between the arrivals of slow sources, and twice as many.
const LONG_PERIOD: f64 = 720.0;

/// Cycles between the arrivals of others: 32 of them are 15 of those.
const BROKEN_PERIOD: f64 = 337.5;

/// Returns a spec with nothing drawn at random.
pub(crate) fn determined(mut spec: NetworkSpec) -> NetworkSpec {
    let nodes = spec.nodes;
    for (place, flow) in (1..).zip(&mut spec.flows) {
        flow.arrivals = match flow.arrivals {
            ArrivalSpec::Bernoulli { .. } => ArrivalSpec::Saturated {},
            ArrivalSpec::Closed { pause_cycles, posted, .. } => {
                ArrivalSpec::Closed { pause_cycles, posted, repeats: None }
            }
            ArrivalSpec::Poisson { rate } if rate < 0.005 => {
                ArrivalSpec::Closed { pause_cycles: 1 + (1.0 / rate) as u64 % 90, posted: false, repeats: None }
            }
            ArrivalSpec::Poisson { rate } => ArrivalSpec::Periodic {
                period: LONG_PERIOD * (1.0 + (1e5 * rate) as u64 as f64 % 2.0),
                phase: place as f64,
            },
            ArrivalSpec::Periodic { phase, .. } => {
                ArrivalSpec::Periodic { period: BROKEN_PERIOD, phase: phase.floor() }
            }
            other => other,
        };
        if matches!(flow.arrivals, ArrivalSpec::Saturated {}) {
            flow.burst = 1;
        }
        flow.sizes.truncate(1);
        flow.sizes[0].1 = 1.0;
        if nodes > 1 && !matches!(flow.arrivals, ArrivalSpec::Trace { .. }) {
            flow.destinations = DestinationSpec::Fixed { node: (flow.source + 1 + place % (nodes - 1)) % nodes };
        }
    }
    if let Some(network) = &mut spec.network {
        network.errors = None;
        network.rings.iter_mut().for_each(|ring| ring.symbol_cycles = 1);
        // Less than the switches carry: queues that grow never come back, nor do packets that are refused ever more
        // often.
        for flow in &mut spec.flows {
            flow.arrivals = match flow.arrivals {
                ArrivalSpec::Saturated {} => ArrivalSpec::Closed { pause_cycles: 300, posted: false, repeats: None },
                ArrivalSpec::Periodic { period, phase } => ArrivalSpec::Periodic { period: 4.0 * period, phase },
                other => other,
            };
        }
    }
    spec
}

/// The first moments at which a simulation is in the same state, among those of every `step` of so many cycles.
fn recurrence(spec: &NetworkSpec, step: u64, cycles: u64) -> Option<(u64, u64)> {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    let mut kept: Moment = simulation.moment();
    let mut power = 1;
    for k in 1..=cycles / step {
        if simulation.advance(step).is_some() {
            return None;
        }
        let now = simulation.moment();
        if now.returns_to(&kept) {
            return Some((kept.cycle(), now.cycle()));
        }
        if k == power {
            (kept, power) = (now, 2 * power);
        }
    }
    None
}

/// Counts from cycle `reset` to cycle `end`, simulated directly.
fn direct(spec: &NetworkSpec, reset: u64, end: u64) -> Counts {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.advance(reset);
    simulation.reset_measurement();
    simulation.advance(end - reset);
    simulation.counts()
}

/// Returns the counts of a run whose periods are repeated instead of simulated.
fn repeated(spec: &NetworkSpec, (first, again): (u64, u64), reset: u64, end: u64) -> Counts {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.advance(reset.min(first));
    if reset <= first {
        simulation.reset_measurement();
        simulation.advance(first - reset);
    }
    let period = again - first;
    let leap = |simulation: &mut Simulation, end: u64| {
        let before = simulation.counts();
        if simulation.cycle() + period <= end {
            simulation.advance(period);
        }
        let times = (end - simulation.cycle()) / period;
        if times > 0 {
            let counts = simulation.counts().since(&before);
            simulation.repeat(&counts, period, times);
        }
        simulation.advance(end - simulation.cycle());
        assert_eq!(simulation.cycle(), end);
    };
    if reset > first {
        leap(&mut simulation, reset.max(again));
        // Maxima of before are not counted again: what a period counts is counted anew.
        simulation.reset_measurement();
    }
    leap(&mut simulation, end);
    simulation.counts()
}

pub(crate) fn equals_direct_run(
    spec: &NetworkSpec,
    (step, times, rest, reset): (u64, u64, u64, u64),
    found: &AtomicU32,
) -> Result<(), TestCaseError> {
    prop_assert!(spec.may_recur());
    let Some((first, again)) = recurrence(spec, step, 100_000) else { return Ok(()) };
    found.fetch_add(1, Ordering::Relaxed);
    let period = again - first;
    let end = again + times * period + rest % period;
    let reset = reset % (again + period);
    let reset = if reset > first { reset.max(again) } else { reset };
    let (direct, repeated) = (direct(spec, reset, end), repeated(spec, (first, again), reset, end));
    prop_assert!(
        direct == repeated,
        "period {period} from {first}, reset {reset}, end {end}\n{spec:?}\n{direct:?}\n{repeated:?}"
    );
    Ok(())
}

pub(crate) fn cuts() -> impl Strategy<Value = (u64, u64, u64, u64)> {
    (20..60u64, 1..9u64, any::<u64>(), any::<u64>())
}

/// Any ring, for ever.
#[test]
fn a_ring_that_comes_back_to_a_state_goes_on_as_before() {
    let found = AtomicU32::new(0);
    let config = crate::cases(200);
    let cases = config.cases;
    proptest!(config, |(spec in random::network().prop_map(determined), cuts in cuts())| {
        equals_direct_run(&spec, cuts, &found)?;
    });
    assert!(found.load(Ordering::Relaxed) > cases / 5, "{found:?} of {cases} rings come back");
}

/// Any network, for ever.
#[test]
fn a_network_that_comes_back_to_a_state_goes_on_as_before() {
    let found = AtomicU32::new(0);
    let config = crate::cases(100);
    let cases = config.cases;
    proptest!(config, |(spec in any_network().prop_map(determined), cuts in cuts())| {
        equals_direct_run(&spec, cuts, &found)?;
    });
    assert!(found.load(Ordering::Relaxed) > cases / 10, "{found:?} of {cases} networks come back");
}

/// A ring or network with control loops or event building of which nothing is drawn at random.
fn activity() -> BoxedStrategy<NetworkSpec> {
    let loops = loop_invariants::control_loop().boxed();
    let events = [event_invariants::ring().boxed(), event_invariants::network().boxed()];
    let any = prop_oneof![2 => loops, 1 => events[0].clone(), 1 => events[1].clone()];
    any.boxed()
        .prop_map(|spec| {
            let mut spec = determined(spec);
            // A period so long that what is released ends before the next one, or nearly; and its multiples are few.
            let rarely = |arrivals: &mut ArrivalSpec| {
                let (ArrivalSpec::Periodic { period, .. } | ArrivalSpec::Poisson { rate: period }) = *arrivals else {
                    return;
                };
                let parts = 1.0 + (1e3 * period) as u64 as f64 % 4.0;
                *arrivals = ArrivalSpec::Periodic { period: LONG_PERIOD * parts, phase: parts };
            };
            for activity in &mut spec.workload {
                let mut options = activity.options().expect("drawn valid");
                match &mut options {
                    WorkloadSpec::Chain(options) => rarely(&mut options.release),
                    WorkloadSpec::Events(options) => {
                        if let ArrivalSpec::Listed {} = options.trigger {
                            options.trigger = ArrivalSpec::Periodic { period: 300.0, phase: 0.0 };
                            options.trigger_cycles.clear();
                        }
                        rarely(&mut options.trigger);
                        options.spill = None;
                        options.fragments.iter_mut().for_each(|fragment| fragment.packets = vec![(1, 1.0)]);
                    }
                    _ => unreachable!("only these are drawn"),
                }
                *activity = options.into();
            }
            spec
        })
        .boxed()
}

/// Control loops and event building come back, whatever of them is under way.
#[test]
fn activities_that_come_back_to_a_state_go_on_as_before() {
    let (found, busy) = (AtomicU32::new(0), AtomicU32::new(0));
    let config = crate::cases(150);
    let cases = config.cases;
    let steps = proptest::sample::select(vec![30u64, 45, 60]);
    proptest!(config, |(spec in activity(), step in steps, cuts in cuts())| {
        prop_assume!(spec.validate().is_ok());
        let (_, times, rest, reset) = cuts;
        equals_direct_run(&spec, (step, times, rest, reset), &found)?;
        let in_flight = recurrence(&spec, step, 100_000).is_some_and(|(first, _)| {
            let mut simulation = Simulation::new(&spec).expect("a valid spec");
            simulation.advance(first);
            simulation.packets_held() > 0
        });
        busy.fetch_add(u32::from(in_flight), Ordering::Relaxed);
    });
    assert!(found.load(Ordering::Relaxed) > cases / 5, "{found:?} of {cases} simulations come back");
    assert!(busy.load(Ordering::Relaxed) > 0, "of all that come back something is under way in some");
}
