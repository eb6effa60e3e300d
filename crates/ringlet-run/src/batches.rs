//! The measured time cut into batches.

use crate::series::Series;
use crate::simulator::{Served, Simulator};
use crate::statistics::{Interval, batch_means, collapse, pairwise_sum};

/// What is counted in each batch: 16-bit words of data served, packets delivered, sum of their latencies in cycles.
const COUNTS: usize = 3;

/// Counts of B successive batches for K series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batches {
    /// Length of each batch, in cycles.
    pub cycles: Vec<f64>,
    /// For each count and series, of each batch: series `k` of count `c` is number `c * K + k`.
    columns: Vec<Vec<f64>>,
}

impl Batches {
    /// Number of series, K.
    fn series(&self) -> usize {
        self.columns.len() / COUNTS
    }

    /// 16-bit words of data that were served, by the source of the requests, of each batch of a series.
    pub fn payload_symbols(&self, series: usize) -> &[f64] {
        &self.columns[series]
    }

    /// Send packets delivered, requests and responses.
    pub fn delivered_packets(&self, series: usize) -> &[f64] {
        &self.columns[self.series() + series]
    }

    /// Sum of their latencies, in cycles.
    pub fn latency_cycles(&self, series: usize) -> &[f64] {
        &self.columns[2 * self.series() + series]
    }

    /// 16-bit words of data per cycle of a series.
    pub fn throughput(&self, series: usize) -> Interval {
        batch_means(self.payload_symbols(series), &self.cycles)
    }

    /// Mean latency of a series, in cycles.
    pub fn latency(&self, series: usize) -> Interval {
        batch_means(self.latency_cycles(series), self.delivered_packets(series))
    }
}

/// Whose batches are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All series.
    All,
    /// Only the total.
    Total,
}

/// Cuts a simulation's counts into batches, from their last reset on.
pub(crate) struct Recorder<'a> {
    series: &'a Series,
    kept: Kept,
    cycle: u64,
    seen: Vec<f64>,
    batches: Batches,
    /// Of each flow, so that nothing is allocated for a batch.
    values: [Vec<f64>; COUNTS],
}

impl<'a> Recorder<'a> {
    /// Records from `measured_from` on, the cycle of the last reset.
    pub(crate) fn new(series: &'a Series, kept: Kept, measured_from: u64) -> Self {
        let columns = COUNTS * if kept == Kept::All { series.count() } else { 1 };
        Self {
            series,
            kept,
            cycle: measured_from,
            seen: vec![0.0; columns],
            batches: Batches { cycles: Vec::new(), columns: vec![Vec::new(); columns] },
            values: Default::default(),
        }
    }

    /// Batches recorded.
    pub(crate) fn count(&self) -> usize {
        self.batches.cycles.len()
    }

    /// Makes a batch of what passed since the last one.
    pub(crate) fn close(&mut self, simulator: &impl Simulator) {
        let passed = simulator.cycle() - self.cycle;
        if passed == 0 {
            return;
        }
        self.values.iter_mut().for_each(Vec::clear);
        for (flow, served) in simulator.served().enumerate() {
            let Served { packets, latency_cycles, .. } = served;
            let values = [self.series.payload_symbols(flow, &served), packets as f64, latency_cycles as f64];
            self.values.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
        }
        let series = self.series;
        let now = self.values.iter().flat_map(|values| match self.kept {
            Kept::All => series.sums(values),
            Kept::Total => vec![pairwise_sum(values)],
        });
        for ((column, seen), now) in self.batches.columns.iter_mut().zip(&mut self.seen).zip(now) {
            column.push(now - *seen);
            *seen = now;
        }
        self.batches.cycles.push(passed as f64);
        self.cycle = simulator.cycle();
    }

    /// Merges neighbouring batches until at most `at_most` are left.
    pub(crate) fn collapse(&mut self, at_most: usize) {
        let Batches { cycles, columns } = &mut self.batches;
        columns.iter_mut().chain([cycles]).for_each(|column| *column = collapse(column, at_most));
    }

    /// What was recorded.
    pub(crate) fn batches(&self) -> &Batches {
        &self.batches
    }

    /// The number of the total among the series recorded.
    pub(crate) fn total(&self) -> usize {
        self.batches.series() - 1
    }

    pub(crate) fn into_batches(self) -> Batches {
        self.batches
    }
}
