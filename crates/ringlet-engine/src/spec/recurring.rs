//! The specs of simulations in which nothing is drawn at random, so that they may come back to a state.

use super::{ArrivalSpec, DestinationSpec, FlowSpec};

/// Parts of a cycle of which the periods of sources may have a whole number: multiples of them are exact in a double.
pub(crate) const PARTS: u64 = 1024;

/// A time in these parts of a cycle, if it has a whole number of them.
pub(crate) fn parts(cycles: f64) -> Option<u64> {
    let parts = cycles * PARTS as f64;
    (parts.fract() == 0.0 && parts < (1u64 << 53) as f64).then_some(parts as u64)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub(crate) fn lcm(a: u64, b: u64) -> Option<u64> {
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
    pub(crate) fn is_determined(&self) -> bool {
        match *self {
            Self::Saturated {} | Self::Copies { .. } => true,
            Self::Closed { repeats, .. } => repeats.is_none(),
            Self::Periodic { period, phase } => arrivals_in_turn(period, phase).is_some(),
            Self::Bernoulli { .. }
            | Self::Poisson { .. }
            | Self::Sporadic { .. }
            | Self::OnOff { .. }
            | Self::Listed {}
            | Self::Window { .. }
            | Self::After { .. }
            | Self::Trace { .. }
            | Self::Injected { .. } => false,
        }
    }
}

impl FlowSpec {
    pub(crate) fn is_determined(&self, nodes: u32, planned: bool) -> bool {
        let one_way = matches!(self.destinations, DestinationSpec::Fixed { .. }) || nodes == 1 || planned;
        one_way && self.sizes.len() == 1 && self.messages.is_none() && (planned || self.arrivals.is_determined())
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
