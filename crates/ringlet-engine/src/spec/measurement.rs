//! Measurement of a run: its precision, and the time after which a run counts as stalled.

use serde::{Deserialize, Serialize};

use super::{MAX_CYCLES, SpecError, check};

/// The precision of what is measured, and the time after which a ring counts as stalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasurementSpec {
    /// A ring on which packets wait and none is sent or received for this many cycles is reported as stalled.
    pub stall_cycles: u64,
    /// Significant decimal digits of the latency histograms, 1 to 4.
    pub latency_digits: u8,
}

impl Default for MeasurementSpec {
    fn default() -> Self {
        Self { stall_cycles: 1_000_000, latency_digits: 3 }
    }
}

impl MeasurementSpec {
    pub(super) fn validate(&self) -> Result<(), SpecError> {
        let stall = self.stall_cycles;
        let allowed = format!("1 to {MAX_CYCLES}");
        check((1..=MAX_CYCLES).contains(&stall), "measurement.stall_cycles", stall, allowed)?;
        let digits = self.latency_digits;
        check((1..=4).contains(&digits), "measurement.latency_digits", digits, "1 to 4")
    }
}
