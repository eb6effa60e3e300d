//! The measured time cut into batches.

use ringlet_engine::Histogram;

use crate::series::Series;
use crate::simulator::{Served, Simulator};
use crate::statistics::{Interval, batch_means, collapse, pairwise_sum};

/// The counts of a batch: words of data served, packets delivered, sum of their latencies in cycles.
const COUNTS: usize = 3;

/// Counts of B successive batches for K series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batches {
    /// Length of each batch, in cycles.
    pub cycles: Vec<f64>,
    /// Values of each batch, for each count and series: series `k` of count `c` is number `c * K + k`.
    columns: Vec<Vec<f64>>,
    /// Latencies of all packets delivered by the end of each batch, in cycles; empty where only the total was recorded.
    delivered_by: Vec<Histogram<u32>>,
}

impl Batches {
    /// No batch of these series.
    pub fn none(series: &Series) -> Self {
        Self { columns: vec![Vec::new(); COUNTS * series.count()], ..Self::default() }
    }

    /// Number of series, K.
    fn series(&self) -> usize {
        self.columns.len() / COUNTS
    }

    /// Words of data that were served, by the source of the requests, of each batch of a series.
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

    /// Words of data per cycle of a series.
    pub fn throughput(&self, series: usize) -> Interval {
        batch_means(self.payload_symbols(series), &self.cycles)
    }

    /// 95 % interval of a quantile of all latencies, in cycles. Its upper end is `None` where the batches do not say
    /// how large it may be. Nothing without two batches.
    ///
    /// A latency can be the quantile if the share of the packets above it can be what it then has to be: that share is
    /// a ratio, with an interval over the batches like any other, measured at this latency and not at the quantile
    /// found, which is too high in just those runs in which few batches vary most. The lower end is the lowest such
    /// latency. The upper end is the highest, or the one that the spread at the quantile found allows, whichever is
    /// higher: far out few batches are left to judge by. (A. M. Law, "Simulation Modeling and Analysis", Section 9.5.3;
    /// P. Heidelberger, P. A. W. Lewis, "Quantile estimation in dependent sequences", Operations Research 32 (1984);
    /// R. S. Woodruff, "Confidence intervals for medians and other position measures", Journal of the American
    /// Statistical Association 47 (1952).)
    pub fn latency_quantile(&self, quantile: f64) -> Option<(u64, Option<u64>)> {
        let all = self.delivered_by.last().filter(|all| !all.is_empty())?;
        let found = all.value_at_quantile(quantile);
        let at_found = self.share_above(found);
        let high = Some(quantile + at_found.symmetric_half_width).filter(|&high| high < 1.0);
        let beyond = 1.0 - quantile;
        let is_too_low = |latency| {
            let share = self.share_above(latency);
            share.mean - share.lower_half_width > beyond
        };
        let is_too_high = |latency| {
            let share = self.share_above(latency);
            share.mean + share.half_width < beyond
        };
        let low = first(all.min(), found, |latency| !is_too_low(latency));
        let highest = |high| {
            let farthest = all.value_at_quantile(high).min(all.max());
            farthest.max(first(found, all.max(), is_too_high))
        };
        at_found.half_width.is_finite().then(|| (low, high.map(highest)))
    }

    /// The share of the packets with a latency above `latency`, in cycles, with its interval.
    fn share_above(&self, latency: u64) -> Interval {
        let of_each = |count: fn(&Histogram<u32>, u64) -> u64| -> Vec<f64> {
            let counts = self.delivered_by.iter().map(|latencies| count(latencies, latency));
            counts.scan(0, |before, now| Some((now - std::mem::replace(before, now)) as f64)).collect()
        };
        let above = of_each(|latencies, latency| latencies.len() - latencies.count_between(0, latency));
        batch_means(&above, &of_each(|latencies, _| latencies.len()))
    }

    /// Mean latency of a series, in cycles.
    pub fn latency(&self, series: usize) -> Interval {
        batch_means(self.latency_cycles(series), self.delivered_packets(series))
    }
}

/// The first value from `low` to `high` for which `holds`, which holds for all above it, too; `high` if it never does.
fn first(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

/// Series whose batches are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All series.
    All,
    /// The total alone.
    Total,
}

/// Merges neighbouring batches of what has been counted by their ends, as [`collapse`] does with those of their own.
fn collapse_cumulative<T>(by_end: &mut Vec<T>, at_most: usize) {
    let together = by_end.len().div_ceil(at_most);
    if together <= 1 {
        return;
    }
    let merged = by_end.len() / together;
    let last = by_end.len() - 1;
    let mut number = 0..;
    // The last batch takes what does not fill one.
    by_end.retain(|_| {
        let k = number.next().expect("it has no end");
        k == last || ((k + 1) % together == 0 && (k + 1) / together < merged)
    });
}

/// Cuts a simulation's counts into batches, from their last reset on.
pub(crate) struct Batcher<'a> {
    series: &'a Series,
    kept: Kept,
    cycle: u64,
    seen: Vec<f64>,
    batches: Batches,
    /// Values of each flow, held so that nothing is allocated for a batch.
    values: [Vec<f64>; COUNTS],
}

impl<'a> Batcher<'a> {
    /// Records from `measured_from` on, the cycle of the last reset.
    pub(crate) fn new(series: &'a Series, kept: Kept, measured_from: u64) -> Self {
        let columns = COUNTS * if kept == Kept::All { series.count() } else { 1 };
        Self {
            series,
            kept,
            cycle: measured_from,
            seen: vec![0.0; columns],
            batches: Batches { columns: vec![Vec::new(); columns], ..Batches::default() },
            values: Default::default(),
        }
    }

    /// Batches recorded.
    pub(crate) fn count(&self) -> usize {
        self.batches.cycles.len()
    }

    /// The end of the last batch.
    pub(crate) fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Makes a batch of what passed since the last one.
    pub(crate) fn close(&mut self, simulator: &impl Simulator) {
        if simulator.cycle() == self.cycle {
            return;
        }
        self.add(simulator.cycle(), simulator.served());
        if self.kept == Kept::All {
            self.batches.delivered_by.push(simulator.latencies());
        }
    }

    /// Makes a batch of what had been served of each flow by its end, cycle `end`.
    pub(crate) fn add(&mut self, end: u64, served: impl Iterator<Item = Served>) {
        self.values.iter_mut().for_each(Vec::clear);
        for (flow, served) in served.enumerate() {
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
        self.batches.cycles.push((end - self.cycle) as f64);
        self.cycle = end;
    }

    /// Merges neighbouring batches until at most `at_most` are left.
    pub(crate) fn collapse(&mut self, at_most: usize) {
        let Batches { cycles, columns, delivered_by } = &mut self.batches;
        columns.iter_mut().chain([cycles]).for_each(|column| *column = collapse(column, at_most));
        collapse_cumulative(delivered_by, at_most);
    }

    /// The batches recorded.
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
