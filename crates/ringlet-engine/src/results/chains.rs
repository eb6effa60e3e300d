//! Counts of control loops.

use hdrhistogram::Histogram;

use super::measure::new_histogram;

/// Counts of a control loop since the last reset.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChainCounters {
    /// Instances released.
    pub released: u64,
    /// Instances whose deadline has passed.
    pub due: u64,
    /// Instances that were not complete by their deadline, of those due.
    pub missed: u64,
    /// Responses: cycles from the release of an instance until it is complete.
    #[serde(with = "super::saved")]
    pub responses: Histogram<u32>,
    /// Sum of the responses, in cycles.
    pub sum_cycles: u64,
    /// The least; 0 without one.
    pub min_cycles: u64,
    /// The largest.
    pub max_cycles: u64,
    /// Instances released, since cycle 0, that are not complete.
    pub open: u64,
    /// Release of the first instance that is not complete.
    pub oldest: Option<u64>,
}

impl ChainCounters {
    pub(crate) fn new(digits: u8) -> Self {
        let responses = new_histogram(digits);
        Self {
            released: 0,
            due: 0,
            missed: 0,
            responses,
            sum_cycles: 0,
            min_cycles: 0,
            max_cycles: 0,
            open: 0,
            oldest: None,
        }
    }

    pub(crate) fn complete(&mut self, cycles: u64) {
        let least = if self.responses.is_empty() { cycles } else { self.min_cycles.min(cycles) };
        self.responses.record(cycles).expect("a growing histogram takes any response");
        self.sum_cycles += cycles;
        self.open -= 1;
        self.min_cycles = least;
        self.max_cycles = self.max_cycles.max(cycles);
    }

    pub(crate) fn reset(&mut self) {
        self.responses.reset();
        (self.released, self.due, self.missed) = (0, 0, 0);
        (self.sum_cycles, self.min_cycles, self.max_cycles) = (0, 0, 0);
    }
}
