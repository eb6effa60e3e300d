//! The activities of a spec: reading and checking them, and whether they come back.

use serde::Deserialize;

use super::WorkloadSpec;
use crate::spec::{ActivitySpec, ArrivalSpec, FlowSpec, MAX_CYCLES, NetworkSpec, PARTS, SpecError, check, lcm, parts};

impl From<WorkloadSpec> for ActivitySpec {
    fn from(activity: WorkloadSpec) -> Self {
        Self(serde_json::to_value(activity).expect("options are numbers, words and lists"))
    }
}

impl ActivitySpec {
    /// Returns the options as those of their activity.
    ///
    /// # Errors
    /// An activity that is not known, or options that it does not have.
    pub fn options(&self) -> Result<WorkloadSpec, SpecError> {
        WorkloadSpec::deserialize(&self.0).map_err(|error| SpecError {
            path: "workload".into(),
            value: error.to_string(),
            allowed: "an activity with its options".into(),
        })
    }
}

impl NetworkSpec {
    /// May its simulation come back to a state that [`Simulation::moment`](crate::Simulation::moment) recognises? Then
    /// nothing is drawn at random, all packets are made by flows, control loops and event building, no link has errors,
    /// and all rings have one rate.
    pub fn may_recur(&self) -> bool {
        let planned = !self.workload.is_empty();
        let activities = || self.workload.iter().map(|activity| activity.options());
        let loops = activities().all(|options| options.is_ok_and(|options| options.any().is_determined()));
        let of_plan = |flow: &FlowSpec| planned && matches!(flow.arrivals, ArrivalSpec::Trace { .. });
        let one_rate = self.network.as_ref().is_none_or(|network| {
            network.errors.is_none()
                && network.rings.iter().all(|ring| ring.symbol_cycles == network.rings[0].symbol_cycles)
        });
        loops && one_rate && self.flows.iter().all(|flow| flow.is_determined(self.nodes, of_plan(flow)))
    }

    /// Cycles after which all periodic sources stand as before, and the cycle from which on they do; `None` without
    /// one. A simulation in which nothing is drawn can only come back after a multiple of them.
    pub fn hyperperiod(&self) -> Option<(u64, u64)> {
        let of_flows = self.flows.iter().map(|flow| flow.arrivals);
        let of_flows = of_flows.filter(|arrivals| !matches!(arrivals, ArrivalSpec::Trace { .. }));
        let times = |activity: &ActivitySpec| activity.options().ok()?.any().times();
        let of_loops = self.workload.iter().map(|activity| times(activity).unwrap_or(ArrivalSpec::Saturated {}));
        // From one cycle on: what comes again does so after whole cycles.
        let (mut all, mut from) = (PARTS, 0u64);
        let mut any = false;
        for arrivals in of_flows.chain(of_loops) {
            let ArrivalSpec::Periodic { period, phase } = arrivals else { continue };
            all = lcm(all, parts(period)?)?;
            from = from.max(phase.ceil() as u64);
            any = true;
        }
        any.then_some((all / PARTS, from))
    }

    pub(crate) fn check_activities(&self) -> Result<(), SpecError> {
        let mut planned = vec![false; self.flows.len()];
        for (index, activity) in self.workload.iter().enumerate() {
            let at = format!("workload[{index}]");
            let options = activity.options()?;
            let plan = options.any();
            for flow in plan.flows() {
                let place = flow as usize;
                let requests = |flow: &FlowSpec| matches!(flow.arrivals, ArrivalSpec::Trace { responses: false, .. });
                let ok = self.flows.get(place).is_some_and(requests) && !planned[place];
                check(ok, format!("{at}.flow"), flow, "a flow of a trace's requests, once")?;
                planned[place] = true;
            }
            let waits = plan.waits();
            check(!waits || self.dependence_driven(), &at, "packets that wait", "flows that are dependence-driven")?;
            plan.check(self, &at)?;
        }
        let traced = self.flows.iter().map(FlowSpec::is_traced);
        let strays = planned.iter().zip(traced).position(|(&planned, traced)| traced && !planned);
        let at = strays.filter(|_| !self.workload.is_empty());
        at.map_or(Ok(()), |flow| check(false, "workload", format!("no plan for flow {flow}"), "each flow of a trace"))
    }
}

/// Checks when there is a trigger, and returns the mean of the cycles between two.
pub(super) fn mean_gap(arrivals: ArrivalSpec, at: &str) -> Result<f64, SpecError> {
    match arrivals {
        ArrivalSpec::Periodic { period, phase } => {
            let range = 0.0..=MAX_CYCLES as f64;
            let ok = period >= 1.0 && range.contains(&period) && range.contains(&phase);
            check(ok, format!("{at}.period"), period, "at least 1 cycle, from a cycle on")?;
            Ok(period)
        }
        ArrivalSpec::Poisson { rate } | ArrivalSpec::Bernoulli { rate } => {
            check(rate > 0.0 && rate <= 1.0, format!("{at}.rate"), rate, "above 0, at most 1 per cycle")?;
            Ok(1.0 / rate)
        }
        _ => check(false, at, "other arrivals", "periodic, poisson or bernoulli").map(|()| 0.0),
    }
}
