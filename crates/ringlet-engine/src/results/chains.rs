//! Counts of control loops.

use hdrhistogram::Histogram;

use super::measure::new_histogram;
use super::times::Times;

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

    /// Adds so many times what the same loop has counted at another time; `open` and `oldest` stay.
    pub(crate) fn add(&mut self, other: &Self, times: Times) {
        times.sum(&mut self.released, other.released);
        times.sum(&mut self.due, other.due);
        times.sum(&mut self.missed, other.missed);
        times.sum(&mut self.sum_cycles, other.sum_cycles);
        if self.responses.is_empty() {
            self.min_cycles = other.min_cycles;
        } else if !other.responses.is_empty() {
            self.min_cycles = self.min_cycles.min(other.min_cycles);
        }
        times.max(&mut self.max_cycles, other.max_cycles);
        times.histogram(&mut self.responses, &other.responses);
    }

    pub(crate) fn reset(&mut self) {
        self.responses.reset();
        (self.released, self.due, self.missed) = (0, 0, 0);
        (self.sum_cycles, self.min_cycles, self.max_cycles) = (0, 0, 0);
    }
}
