//! Messages that their source finds bad when it checks them, and sends again (richter1999, Section 6.4: "a software
//! error check with optional retry of the last sent block").

use crate::hosts::source::mix;
use crate::spec::{ArrivalSpec, FlowSpec};

/// The purpose of these draws, beside those of a source of packets.
const PURPOSE: u64 = 3;

/// The messages of a flow that are found bad. Each has a random number of its own, keyed by (seed, flow, message), so
/// that whoever is to count a message draws the same, in any order.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BadMessages {
    key: u64,
    probability: f64,
}

impl BadMessages {
    /// Returns the bad messages of flow number `flow_index` of a validated spec; `None` if all of its messages are
    /// good.
    pub fn of(seed: u64, flow_index: usize, flow: &FlowSpec) -> Option<Self> {
        match flow.arrivals {
            ArrivalSpec::Closed { repeats: Some(repeats), .. } => {
                Some(Self { key: mix(seed ^ mix(mix(flow_index as u64) ^ PURPOSE)), probability: repeats.probability })
            }
            _ => None,
        }
    }

    /// Is the message with this number found bad? Each time that a message is sent it has another number.
    pub fn contains(&self, message: u32) -> bool {
        let drawn = mix(self.key ^ mix(message.into())) >> 11;
        (drawn as f64) < self.probability * (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{DestinationSpec, RepeatSpec};

    fn flow(probability: f64) -> FlowSpec {
        let repeats = Some(RepeatSpec { probability, check_cycles: 1 });
        let arrivals = ArrivalSpec::Closed { pause_cycles: 1, posted: false, repeats };
        FlowSpec::new(0, DestinationSpec::Fixed { node: 1 }, arrivals, 40)
    }

    #[test]
    fn the_share_of_bad_messages_is_the_probability_and_each_is_drawn_by_itself() {
        for probability in [0.01, 0.25, 0.9] {
            let bad = BadMessages::of(1, 0, &flow(probability)).expect("some are bad");
            let messages = 100_000;
            let count = |which: &dyn Fn(u32) -> bool| (0..messages).filter(|&message| which(message)).count() as f64;
            let spread = |share: f64| 5.0 * (share * (1.0 - share) * f64::from(messages)).sqrt();
            let one = count(&|message| bad.contains(message));
            assert!((one - probability * f64::from(messages)).abs() < spread(probability), "{one} at {probability}");
            let square = probability * probability;
            let two = count(&|message| bad.contains(message) && bad.contains(message + 1));
            // Neighbouring pairs overlap, so they spread wider than single draws.
            assert!((two - square * f64::from(messages)).abs() < 2.0 * spread(square), "{two} at {probability}");
        }
    }

    #[test]
    fn seeds_and_flows_have_draws_of_their_own() {
        let drawn = |seed, index| {
            let bad = BadMessages::of(seed, index, &flow(0.5)).expect("some are bad");
            (0..64).map(|message| bad.contains(message)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 0), drawn(1, 0));
        assert_ne!(drawn(1, 0), drawn(2, 0));
        assert_ne!(drawn(1, 0), drawn(1, 1));
    }
}
