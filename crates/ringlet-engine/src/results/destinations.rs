//! Counts of the messages of a flow to each of its destinations, where it has several.

use hdrhistogram::Histogram;

use super::measure::{Latencies, MessageCounters};

/// Counts of the messages of a flow to one of its destinations.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DestinationCounters {
    /// Node that takes them.
    pub destination: u32,
    /// Fates of the messages.
    pub messages: MessageCounters,
    /// Messages complete.
    pub completed_messages: u64,
    /// Sum of the times from when they were due to that, in cycles.
    pub latency_sum_cycles: u64,
    /// Shortest of them, in cycles; 0 without one.
    pub latency_min_cycles: u64,
    /// Longest of them, in cycles.
    pub latency_max_cycles: u64,
    /// Made with the first of them.
    latencies: Option<Box<Latencies>>,
}

impl DestinationCounters {
    /// Counts of one destination, all of them 0.
    pub(crate) fn new(destination: u32) -> Self {
        Self { destination, ..Self::default() }
    }

    /// Counts a message that is complete. `digits` is the histogram's precision.
    pub(crate) fn complete(&mut self, latency_cycles: u64, digits: u8) {
        let recorded = self.completed_messages;
        let least = if recorded == 0 { latency_cycles } else { self.latency_min_cycles };
        self.latency_min_cycles = least.min(latency_cycles);
        self.latency_max_cycles = self.latency_max_cycles.max(latency_cycles);
        self.latency_sum_cycles += latency_cycles;
        self.completed_messages += 1;
        self.latencies.get_or_insert_default().record(recorded, latency_cycles, digits);
    }

    /// Adds the latencies to a histogram of the same precision.
    pub fn add_latencies(&self, sum: &mut Histogram<u32>) {
        self.latencies.iter().for_each(|held| held.add_to(self.completed_messages, sum));
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.latencies.as_ref().map_or(0, |held| size_of::<Latencies>() + held.heap_bytes())
    }
}
