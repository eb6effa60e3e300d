//! Flows whose messages are prompted by what becomes of packets.

use super::{ArrivalSpec, DestinationSpec, FlowSpec, MAX_CYCLES, NetworkSpec, SpecError, check};

/// Most messages of a flow's window.
pub const MAX_WINDOW: u32 = 1 << 16;

/// Most packets of a message that another flow follows: they have so many numbers.
pub const MAX_FOLLOWED_PACKETS: u64 = 1 << 16;

impl FlowSpec {
    /// The flow that it follows.
    pub(crate) fn followed(&self) -> Option<u32> {
        if let ArrivalSpec::After { flow, .. } = self.arrivals { Some(flow) } else { None }
    }

    pub(super) fn validate_prompted(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let at = format!("{at}.arrivals");
        check(self.messages.is_some(), &at, "prompted", "messages with sizes of their own")?;
        match self.arrivals {
            ArrivalSpec::Window { window, think_cycles, .. } => {
                check(
                    (1..=MAX_WINDOW).contains(&window),
                    format!("{at}.window"),
                    window,
                    format!("1 to {MAX_WINDOW}"),
                )?;
                let ok = (0.0..=MAX_CYCLES as f64).contains(&think_cycles);
                check(ok, format!("{at}.think_cycles"), think_cycles, format!("0 to {MAX_CYCLES} cycles"))
            }
            ArrivalSpec::After { flow, delay_cycles } => {
                let allowed = format!("at most {MAX_CYCLES}");
                check(delay_cycles <= MAX_CYCLES, format!("{at}.delay_cycles"), delay_cycles, allowed)?;
                let start = self.messages.as_ref().map_or(0, |messages| messages.start_cycle);
                check(start == 0, &at, "messages with a start", "none: the flow that is followed has one")?;
                self.validate_followed(spec, flow, &format!("{at}.flow"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that what a flow follows comes to its source.
    fn validate_followed(&self, spec: &NetworkSpec, number: u32, path: &str) -> Result<(), SpecError> {
        let followed = spec.flows.get(number as usize);
        check(followed.is_some(), path, number, format!("a flow below {}", spec.flows.len()))?;
        let Some(followed) = followed else { return Ok(()) };
        let ok =
            followed.messages.as_ref().filter(|_| !matches!(followed.arrivals, ArrivalSpec::Saturated {})).is_some_and(
                |messages| messages.size.range().1 <= MAX_FOLLOWED_PACKETS * u64::from(messages.packet_bytes),
            );
        check(ok, path, number, format!("a flow with messages of at most {MAX_FOLLOWED_PACKETS} packets"))?;
        let here = self.source;
        let answered = followed.response_symbols.is_some();
        if followed.source == here {
            return check(answered, path, number, "a flow with responses, if its source is the same");
        }
        let comes = match &followed.destinations {
            DestinationSpec::Uniform {} | DestinationSpec::HotSpot { .. } => true,
            DestinationSpec::Fixed { node } => *node == here,
            &DestinationSpec::Range { first, count, local, .. } => {
                (u64::from(first)..u64::from(first) + u64::from(count)).contains(&here.into()) || local == Some(here)
            }
            DestinationSpec::Weighted { weights } => weights.get(here as usize).is_some_and(|&weight| weight > 0.0),
        };
        check(comes, path, number, format!("a flow whose messages go to node {here}"))?;
        let repeats = answered && spec.queues.response_timeout.is_some();
        let allowed = "a flow whose requests are not sent again, as those without a response in time are";
        check(!repeats, path, number, allowed)
    }
}

impl NetworkSpec {
    /// Checks that no flow follows itself over others: none of them would begin.
    pub(super) fn check_followers(&self) -> Result<(), SpecError> {
        // The flow from which each was come to; one that is come to again from itself is in a circle.
        let mut seen = vec![None; self.flows.len()];
        for from in 0..self.flows.len() {
            let mut at = from;
            while seen[at].is_none() {
                seen[at] = Some(from);
                let Some(next) = self.flows[at].followed() else { break };
                at = next as usize;
                let path = || format!("flows[{from}].arrivals.flow");
                check(seen[at] != Some(from), path(), next, "a flow that does not follow this one itself")?;
            }
        }
        Ok(())
    }
}
