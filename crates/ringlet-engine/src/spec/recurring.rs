//! The specs of simulations in which nothing is drawn at random, so that they may come back to a state.

use super::{ArrivalSpec, ChainSpec, DestinationSpec, FlowSpec, NetworkSpec, WorkloadSpec};

/// Parts of a cycle of which the periods of sources may have a whole number: multiples of them are exact in a double.
const PARTS: u64 = 1024;

/// A time in these parts of a cycle, if it has a whole number of them.
fn parts(cycles: f64) -> Option<u64> {
    let parts = cycles * PARTS as f64;
    (parts.fract() == 0.0 && parts < (1u64 << 53) as f64).then_some(parts as u64)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / gcd(a, b)).checked_mul(b)
}

/// The arrivals of a periodic source after which the next ones fall on the same part of a cycle again; `None`: it is
/// not known that they ever do.
pub(crate) fn arrivals_in_turn(period: f64, phase: f64) -> Option<u64> {
    parts(phase)?;
    Some(PARTS / gcd(parts(period)?, PARTS))
}

impl ArrivalSpec {
    /// Do all arrivals follow from what has become of those before?
    fn is_determined(&self) -> bool {
        match *self {
            Self::Saturated {} => true,
            Self::Closed { repeats, .. } => repeats.is_none(),
            Self::Periodic { period, phase } => arrivals_in_turn(period, phase).is_some(),
            Self::Bernoulli { .. }
            | Self::Poisson { .. }
            | Self::Sporadic { .. }
            | Self::OnOff { .. }
            | Self::Listed {}
            | Self::Trace { .. }
            | Self::Injected { .. } => false,
        }
    }
}

impl FlowSpec {
    fn is_determined(&self, nodes: u32, planned: bool) -> bool {
        let one_way = matches!(self.destinations, DestinationSpec::Fixed { .. }) || nodes == 1 || planned;
        one_way && self.sizes.len() == 1 && self.messages.is_none() && (planned || self.arrivals.is_determined())
    }
}

impl ChainSpec {
    fn is_determined(&self) -> bool {
        self.jitter_cycles == 0 && self.release.is_determined()
    }
}

impl NetworkSpec {
    /// May its simulation come back to a state that [`Simulation::moment`](crate::Simulation::moment) recognises? Then
    /// nothing is drawn at random, all packets are made by flows and control loops, no link has errors, and all rings
    /// have one rate.
    pub fn may_recur(&self) -> bool {
        let planned = !self.workload.is_empty();
        let loops = self.workload.iter().all(|plan| match plan {
            WorkloadSpec::Chain(chain) => chain.is_determined(),
            WorkloadSpec::Events(_) | WorkloadSpec::Collective(_) => false,
        });
        let of_plan = |flow: &FlowSpec| planned && matches!(flow.arrivals, ArrivalSpec::Trace { .. });
        let one_rate = self.network.as_ref().is_none_or(|network| {
            network.errors.is_none()
                && network.rings.iter().all(|ring| ring.symbol_cycles == network.rings[0].symbol_cycles)
        });
        loops && one_rate && self.flows.iter().all(|flow| flow.is_determined(self.nodes, of_plan(flow)))
    }

    /// Cycles after which all periodic sources stand as before, and the cycle from which on they do; `None` without
    /// one, or where there are other sources, too.
    pub fn hyperperiod(&self) -> Option<(u64, u64)> {
        let of_flows = self.flows.iter().map(|flow| flow.arrivals);
        let of_flows = of_flows.filter(|arrivals| !matches!(arrivals, ArrivalSpec::Trace { .. }));
        let of_loops = self.workload.iter().map(|plan| match plan {
            WorkloadSpec::Chain(chain) => chain.release,
            _ => ArrivalSpec::Saturated {},
        });
        let (mut all, mut from) = (PARTS, 0u64);
        let mut any = false;
        for arrivals in of_flows.chain(of_loops) {
            let ArrivalSpec::Periodic { period, phase } = arrivals else { return None };
            all = lcm(all, parts(period)?)?;
            from = from.max(phase.ceil() as u64);
            any = true;
        }
        any.then_some((all / PARTS, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_fall_on_the_same_part_of_a_cycle_after_some() {
        assert_eq!(arrivals_in_turn(100.5, 3.25), Some(2));
        assert_eq!(arrivals_in_turn(100.1, 0.0), None);
    }
}
