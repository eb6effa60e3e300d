//! Control loops: a message goes from node to node, and each sends it on when all of it has come and some time is over.

use std::any::Any;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::hosts::source::Source;
use crate::results::ChainCounters;
use crate::values::{Encode, Encoder};

use super::prelude::*;

/// A control loop: a message goes along its stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSpec {
    /// Times at which instances are released: `Poisson`, `Bernoulli` or `Periodic`.
    pub release: ArrivalSpec,
    /// Most cycles by which an instance starts after its release, drawn for each.
    pub jitter_cycles: u64,
    /// Cycles from its release in which an instance is to be complete.
    pub deadline_cycles: u64,
    /// Messages of the loop, which are sent one after the other.
    pub stages: Vec<StageSpec>,
    /// Cycles from the last delivery until the instance is complete: the last node's own work.
    pub end_cycles: u64,
}

/// One message of a control loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageSpec {
    /// Number of the message's flow, which belongs to nothing else.
    pub flow: u32,
    /// Node of destination: that of the next stage's flow.
    pub destination: u32,
    /// Packets of it, 1 to [`MAX_STAGE_PACKETS`].
    pub packets: u32,
    /// Cycles from the release, or from the delivery of the stage before (then at least 1), until it is sent.
    pub after_cycles: u64,
}

/// Most packets of a stage: each waits for all of the stage before.
pub const MAX_STAGE_PACKETS: u32 = 1 << 12;

impl Options for ChainSpec {
    fn flows(&self) -> Vec<u32> {
        self.stages.iter().map(|stage| stage.flow).collect()
    }

    fn times(&self) -> Option<ArrivalSpec> {
        Some(self.release)
    }

    fn is_determined(&self) -> bool {
        self.jitter_cycles == 0 && self.release.is_determined()
    }

    fn check(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        mean_gap(self.release, &format!("{at}.release"))?;
        for (field, cycles) in [
            ("jitter_cycles", self.jitter_cycles),
            ("deadline_cycles", self.deadline_cycles),
            ("end_cycles", self.end_cycles),
        ] {
            check(cycles <= MAX_CYCLES, format!("{at}.{field}"), cycles, format!("at most {MAX_CYCLES}"))?;
        }
        check(!self.stages.is_empty(), format!("{at}.stages"), "none", "at least one")?;
        let mut here = None;
        for (k, stage) in self.stages.iter().enumerate() {
            let at = format!("{at}.stages[{k}]");
            let source = spec.flows[stage.flow as usize].source;
            let ok = here.is_none_or(|here| here == source);
            check(ok, format!("{at}.flow"), stage.flow, "a flow of the node to which the stage before goes")?;
            let ok = stage.destination < spec.nodes && stage.destination != source;
            check(ok, format!("{at}.destination"), stage.destination, format!("another node below {}", spec.nodes))?;
            let ok = (1..=MAX_STAGE_PACKETS).contains(&stage.packets);
            check(ok, format!("{at}.packets"), stage.packets, format!("1 to {MAX_STAGE_PACKETS}"))?;
            let after = stage.after_cycles;
            check(after <= MAX_CYCLES, format!("{at}.after_cycles"), after, format!("at most {MAX_CYCLES}"))?;
            here = Some(stage.destination);
        }
        Ok(())
    }
}

impl Begins for ChainSpec {
    type Plan = Chain;

    fn plan(&self, spec: &NetworkSpec, index: usize) -> Chain {
        Chain::new(spec, index, self)
    }
}

impl Counters for ChainCounters {
    fn table(&self) -> Table {
        vec![
            ("released", self.released.into()),
            ("completed", self.responses.len().into()),
            ("due", self.due.into()),
            ("missed", self.missed.into()),
            ("open", self.open.into()),
            ("oldest", self.oldest.into()),
            ("sum_cycles", self.sum_cycles.into()),
            ("min_cycles", self.min_cycles.into()),
            ("max_cycles", self.max_cycles.into()),
            // The upper end of the histogram's interval that holds it may lie beyond the largest.
            ("p99_cycles", self.responses.value_at_quantile(QUANTILES[2]).min(self.max_cycles).into()),
        ]
    }

    /// `open` and `oldest` stay.
    fn add(&mut self, other: &dyn Any, times: Times) {
        let Some(other) = other.downcast_ref::<Self>() else { return };
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

    fn postpone(&mut self, cycles: u64) {
        self.oldest = self.oldest.map(|oldest| oldest + cycles);
    }
}

/// The plan of a control loop.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Chain {
    release: Source,
    jitter_cycles: u64,
    deadline_cycles: u64,
    /// Cycles from the last delivery to the end of the last node's own work.
    end_cycles: u64,
    stages: Box<[Stage]>,
    /// Packets of the last stage, whose deliveries end an instance.
    last_packets: u32,
    /// Instances released.
    released: u64,
    /// Number of the first instance of `open`.
    first: u64,
    open: VecDeque<Instance>,
    /// Cycles in which an instance is released, and those after which its deadline has passed.
    agenda: BinaryHeap<Reverse<(u64, Occurrence)>>,
    counters: ChainCounters,
}

#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Stage {
    flow: u32,
    destination: u32,
    packets: u32,
    after_cycles: u64,
}

/// An instance on its way.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Instance {
    released: u64,
    /// Packets of the last stage to come; 0: it is complete.
    left: u32,
    /// The latest end so far.
    end: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
enum Occurrence {
    Released,
    Due(u64),
}

impl Chain {
    fn new(spec: &NetworkSpec, index: usize, chain: &ChainSpec) -> Self {
        let stage = |stage: &StageSpec| Stage {
            flow: stage.flow,
            destination: stage.destination,
            packets: stage.packets,
            after_cycles: stage.after_cycles,
        };
        let stages: Box<[Stage]> = chain.stages.iter().map(stage).collect();
        Self {
            release: Source::of_times(spec.seed, spec.first_free_key() + index, chain.release),
            jitter_cycles: chain.jitter_cycles,
            deadline_cycles: chain.deadline_cycles,
            end_cycles: chain.end_cycles,
            last_packets: stages.last().map_or(0, |last| last.packets),
            stages,
            released: 0,
            first: 0,
            open: VecDeque::new(),
            agenda: BinaryHeap::new(),
            counters: ChainCounters::new(spec.measurement.latency_digits),
        }
    }

    fn occur_until(&mut self, end: u64) {
        while let Some(&Reverse((now, occurrence))) = self.agenda.peek()
            && now < end
        {
            self.agenda.pop();
            match occurrence {
                Occurrence::Released => {
                    self.counters.released += 1;
                    self.counters.open += 1;
                }
                Occurrence::Due(number) => {
                    self.counters.due += 1;
                    let late = |instance: &Instance| {
                        instance.left > 0 || instance.end - instance.released > self.deadline_cycles
                    };
                    let open = number.checked_sub(self.first).and_then(|place| self.open.get(place as usize));
                    self.counters.missed += u64::from(open.is_some_and(late));
                    self.drop_first(now);
                }
            }
        }
    }

    /// Drops the first instances that are complete and whose deadlines have passed before cycle `now`.
    fn drop_first(&mut self, now: u64) {
        let is_over = |one: &Instance| one.left == 0 && one.released.saturating_add(self.deadline_cycles) < now;
        while self.open.front().is_some_and(is_over) {
            self.open.pop_front();
            self.first += 1;
        }
    }
}

impl Planned for Chain {
    fn next(&self) -> Option<u64> {
        self.release.next_arrival()
    }

    fn release(&mut self, hand_in: HandIn<'_>) {
        let now = self.release.take_arrival();
        let number = self.released;
        self.released += 1;
        self.open.push_back(Instance { released: now, left: self.last_packets, end: now });
        self.agenda.push(Reverse((now, Occurrence::Released)));
        self.agenda
            // One more: a delivery in the cycle of the deadline is in time.
            .push(Reverse((now.saturating_add(self.deadline_cycles).saturating_add(1), Occurrence::Due(number))));
        let start = now.saturating_add(self.release.draw_cycles(self.jitter_cycles));
        let last = self.stages.len() - 1;
        let mut awaited: Vec<(u32, u64)> = Vec::new();
        for (place, stage) in self.stages.iter().enumerate() {
            // The lowest bit says whether the packet's delivery ends the instance.
            let part = number << 1 | u64::from(place == last);
            // The first one waits for nothing but the clock.
            let cycle = if place == 0 { start.saturating_add(stage.after_cycles) } else { now };
            // A node sends in the cycle after a delivery at the earliest.
            awaited.iter_mut().for_each(|one| one.1 = stage.after_cycles.max(1));
            let mut sent = Vec::with_capacity(stage.packets as usize);
            for _ in 0..stage.packets {
                let packet =
                    Released { cycle, flow: stage.flow, destination: stage.destination, part, awaited: &awaited };
                let Some(number) = hand_in(packet) else { return };
                sent.push((number, 0));
            }
            awaited = sent;
        }
    }

    fn deliver(&mut self, part: u64, now: u64) {
        self.occur_until(now + 1);
        let (number, is_last) = (part >> 1, part & 1 == 1);
        let Some(place) = number.checked_sub(self.first).filter(|_| is_last) else { return };
        let instance = &mut self.open[place as usize];
        instance.left -= 1;
        instance.end = instance.end.max(now + self.end_cycles);
        if instance.left == 0 {
            self.counters.complete(instance.end - instance.released);
            self.drop_first(now);
        }
    }

    fn see_until(&mut self, end: u64) {
        self.occur_until(end);
        // Instances that are still to come have been released ahead; a stall may end the simulation before them.
        let mut so_far = self.open.iter().take_while(|one| one.released < end);
        self.counters.oldest = so_far.find(|one| one.left > 0).map(|one| one.released);
    }

    fn is_over(&self, part: u64) -> bool {
        part >> 1 < self.first
    }

    fn reset(&mut self, _now: u64) {
        self.counters.reset();
    }

    fn encode(&self, encoder: &mut Encoder<'_>) {
        self.release.encode(encoder);
        encoder.len(self.open.len());
        for one in &self.open {
            encoder.put(one.left);
            // One that stands still for ever is missed once, and not in each period.
            encoder.due(one.released.saturating_add(self.deadline_cycles).saturating_add(1));
            encoder.tally(one.released, one.end - one.released);
        }
    }

    fn relative(&self, part: u64) -> u64 {
        (self.released - (part >> 1)) << 1 | part & 1
    }

    fn holds(&self) -> bool {
        self.first.checked_add(self.open.len() as u64) == Some(self.released)
    }

    fn has_released(&self, part: u64) -> bool {
        part >> 1 < self.released
    }

    fn counters(&self) -> &dyn Counters {
        &self.counters
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.stages)
            + self.open.capacity() * size_of::<Instance>()
            + self.agenda.capacity() * size_of::<(u64, Occurrence)>()
    }
}
