//! Counts of event building.

use std::any::Any;

use hdrhistogram::Histogram;

use super::super::prelude::*;
use crate::results::new_histogram;

/// A quantity that changes by steps: its integral over time and its maximum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Present value of the quantity.
    pub value: u64,
    /// The largest since the last reset.
    pub most: u64,
    /// Sum over all cycles from the last reset to `since`.
    pub sum: u64,
    /// Cycle of the last change.
    pub since: u64,
}

impl Level {
    /// Has another value from cycle `now` on.
    pub(super) fn set(&mut self, value: u64, now: u64) {
        self.sum += self.value * (now - self.since);
        self.since = now;
        self.value = value;
        self.most = self.most.max(value);
    }

    pub(super) fn reset(&mut self, now: u64) {
        *self = Self { value: self.value, most: self.value, sum: 0, since: now };
    }
}

/// Counts of a builder since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuilderCounters {
    /// Node of the builder.
    pub node: u32,
    /// Events whose last packet has come.
    pub built: u64,
    /// Events that found no place.
    pub lost: u64,
    /// Events given up after their time-out.
    pub incomplete: u64,
    /// Sum of the latencies of the events built, from trigger to last packet, in cycles.
    pub latency_sum_cycles: u64,
    /// The largest of them.
    pub latency_max_cycles: u64,
    /// Events that it holds.
    pub held: Level,
    /// Is it processing one? 0 or 1.
    pub busy: Level,
}

/// Counts of event building since the last reset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventCounters {
    /// Triggers, those that were lost included.
    pub triggers: u64,
    /// Triggers in the dead time of another one.
    pub dead: u64,
    /// Triggers for which no builder had a credit.
    pub refused: u64,
    /// Events whose trigger has come and that are neither built nor lost.
    pub open: u64,
    /// Latencies of events built, from trigger to last packet, in cycles.
    #[serde(with = "crate::results::saved")]
    pub latencies: Histogram<u32>,
    /// Counts of each builder, in the order of the spec.
    pub builders: Vec<BuilderCounters>,
}

impl EventCounters {
    pub(super) fn new(builders: &[u32], digits: u8) -> Self {
        let builders = builders.iter().map(|&node| BuilderCounters { node, ..Default::default() }).collect();
        Self { triggers: 0, dead: 0, refused: 0, open: 0, latencies: new_histogram(digits), builders }
    }

    pub(super) fn reset(&mut self, now: u64) {
        (self.triggers, self.dead, self.refused) = (0, 0, 0);
        self.latencies.reset();
        for builder in &mut self.builders {
            let (mut held, mut busy) = (builder.held, builder.busy);
            held.reset(now);
            busy.reset(now);
            *builder = BuilderCounters { node: builder.node, held, busy, ..Default::default() };
        }
    }

    /// Counts levels up to cycle `now`.
    pub(super) fn settle(&mut self, now: u64) {
        for builder in &mut self.builders {
            builder.held.set(builder.held.value, now);
            builder.busy.set(builder.busy.value, now);
        }
    }
}

impl Counters for EventCounters {
    fn table(&self) -> Table {
        let latencies = &self.latencies;
        let most = self.builders.iter().map(|one| one.latency_max_cycles).max().unwrap_or(0);
        let known = !latencies.is_empty();
        // A quantile is the upper end of the histogram's interval that holds it, which may lie beyond the largest.
        let quantiles = QUANTILES.map(|q| known.then(|| latencies.value_at_quantile(q).min(most)));
        let column = |of: fn(&BuilderCounters) -> u64| self.builders.iter().map(of).collect();
        let builders = vec![
            ("node", column(|one| one.node.into())),
            ("built", column(|one| one.built)),
            ("lost", column(|one| one.lost)),
            ("incomplete", column(|one| one.incomplete)),
            ("latency_sum_cycles", column(|one| one.latency_sum_cycles)),
            ("latency_max_cycles", column(|one| one.latency_max_cycles)),
            ("held_event_cycles", column(|one| one.held.sum)),
            ("held_max", column(|one| one.held.most)),
            ("busy_cycles", column(|one| one.busy.sum)),
        ];
        vec![
            ("triggers", self.triggers.into()),
            ("dead", self.dead.into()),
            ("refused", self.refused.into()),
            ("open", self.open.into()),
            ("latency_quantiles", Count::Several(quantiles.to_vec())),
            ("latency_min", known.then(|| latencies.min().min(most)).into()),
            ("builders", Count::Columns(builders)),
        ]
    }

    /// The numbers of events that are open, held and processed now stay.
    fn add(&mut self, other: &dyn Any, times: Times) {
        let Some(other) = other.downcast_ref::<Self>() else { return };
        times.sum(&mut self.triggers, other.triggers);
        times.sum(&mut self.dead, other.dead);
        times.sum(&mut self.refused, other.refused);
        times.histogram(&mut self.latencies, &other.latencies);
        for (sum, other) in self.builders.iter_mut().zip(&other.builders) {
            times.sum(&mut sum.built, other.built);
            times.sum(&mut sum.lost, other.lost);
            times.sum(&mut sum.incomplete, other.incomplete);
            times.sum(&mut sum.latency_sum_cycles, other.latency_sum_cycles);
            times.max(&mut sum.latency_max_cycles, other.latency_max_cycles);
            for (sum, other) in [(&mut sum.held, other.held), (&mut sum.busy, other.busy)] {
                times.sum(&mut sum.sum, other.sum);
                times.max(&mut sum.most, other.most);
            }
        }
    }

    fn postpone(&mut self, cycles: u64) {
        for builder in &mut self.builders {
            builder.held.since += cycles;
            builder.busy.since += cycles;
        }
    }
}
