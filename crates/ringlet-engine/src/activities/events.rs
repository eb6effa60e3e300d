//! Event building: on a trigger all sources send a fragment, in as many packets as it takes, to one builder.

mod counters;
mod spec;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::hosts::source::Source;
use crate::values::{Encode, Encoder, NEVER};

use super::prelude::*;
pub use counters::{BuilderCounters, EventCounters, Level};
pub use spec::{AssignmentSpec, EventsSpec, FragmentSpec, MAX_FRAGMENT_PACKETS, SpillSpec};

/// One source of fragments.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct FragmentSource {
    flow: u32,
    node: u32,
    /// Triggers after an event's own at which it sends.
    skew: u64,
    sizes: Source,
}

/// An event that is neither complete nor given up.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Event {
    trigger: u64,
    builder: u32,
    /// Does it have a place at its builder?
    placed: bool,
    /// Packets to come.
    left: u64,
}

/// An event whose trigger has come, as its sources see it: they do not see what becomes of it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Triggered {
    builder: u32,
    /// Packets of each source.
    packets: Box<[u32]>,
}

/// Something that happens at a cycle without a packet, in the order of cases within one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
enum Occurrence {
    /// A builder has processed an event.
    Built(u32),
    /// A trigger is accepted.
    Triggered,
    /// A trigger comes in the dead time of another.
    Dead,
    /// A trigger finds no credit.
    Refused,
    /// A fragment of an event that stays at its node, of so many packets.
    Stays(u64, u32),
    /// An event is to be complete.
    Due(u64),
}

/// The plan of event building.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Events {
    trigger: Source,
    spill: Option<SpillSpec>,
    dead_cycles: u64,
    paralysable: bool,
    sources: Box<[FragmentSource]>,
    /// The largest skew of a source.
    most_skew: u64,
    builders: Box<[u32]>,
    places: u64,
    build_cycles: u64,
    timeout_cycles: u64,
    /// Cycles until a credit is known; `None`: there are none.
    credit_cycles: Option<u64>,
    /// The dead time is over in this cycle.
    alive_from: u64,
    /// Events released.
    released: u64,
    /// The last of them, of which not all sources have sent.
    unsent: VecDeque<Triggered>,
    credits: Box<[u32]>,
    /// Credits by the cycle in which they are known, with their builders.
    coming: BinaryHeap<Reverse<(u64, u32)>>,
    /// Builder that comes first among those with equally many credits.
    turn: usize,
    /// Number of the first event of `open`.
    first: u64,
    open: VecDeque<Option<Event>>,
    agenda: BinaryHeap<Reverse<(u64, Occurrence)>>,
    /// Cycle in which each builder will have processed all that is complete.
    free_from: Box<[u64]>,
    counters: EventCounters,
}

impl Events {
    fn new(spec: &NetworkSpec, index: usize, events: &EventsSpec) -> Self {
        let builders = events.builders.len();
        let barrel = events.assignment == AssignmentSpec::Barrel {};
        let source = |(i, fragment): (usize, &FragmentSpec)| FragmentSource {
            flow: fragment.flow,
            node: spec.flows[fragment.flow as usize].source,
            skew: if barrel { ((builders - i % builders) % builders) as u64 } else { 0 },
            sizes: Source::of_sizes(spec.seed, fragment.flow as usize, &fragment.packets),
        };
        let credit_cycles = match events.assignment {
            AssignmentSpec::Credits { delay_cycles } => Some(delay_cycles),
            _ => None,
        };
        let sources: Box<[_]> = events.fragments.iter().enumerate().map(source).collect();
        Self {
            trigger: match events.trigger {
                ArrivalSpec::Listed {} => Source::of_list(&events.trigger_cycles),
                drawn => Source::of_times(spec.seed, spec.first_free_key() + index, drawn),
            },
            spill: events.spill,
            dead_cycles: events.dead_cycles,
            paralysable: events.paralysable,
            most_skew: sources.iter().map(|source| source.skew).max().unwrap_or(0),
            sources,
            builders: events.builders.clone().into(),
            places: events.places.map_or(u64::MAX, u64::from),
            build_cycles: events.build_cycles,
            timeout_cycles: events.timeout_cycles.unwrap_or(NEVER),
            credit_cycles,
            alive_from: 0,
            released: 0,
            unsent: VecDeque::new(),
            credits: vec![events.places.unwrap_or(0); builders].into(),
            coming: BinaryHeap::new(),
            turn: 0,
            first: 0,
            open: VecDeque::new(),
            agenda: BinaryHeap::new(),
            free_from: vec![0; builders].into(),
            counters: EventCounters::new(&events.builders, spec.measurement.latency_digits),
        }
    }

    /// The cycle in which the clock of the triggers has gone on for so long.
    fn cycle(&self, gone: u64) -> u64 {
        self.spill.map_or(gone, |spill| spill.cycle(gone))
    }

    /// The builder of the next event; `None` without a credit.
    fn assign(&mut self, now: u64) -> Option<usize> {
        let builders = self.builders.len();
        if self.credit_cycles.is_none() {
            return Some((self.released % builders as u64) as usize);
        }
        while let Some(&Reverse((cycle, builder))) = self.coming.peek()
            && cycle <= now
        {
            self.coming.pop();
            self.credits[builder as usize] += 1;
        }
        let after = |&builder: &usize| (builder + builders - self.turn) % builders;
        let chosen = (0..builders).min_by_key(|builder| (Reverse(self.credits[*builder]), after(builder)))?;
        self.credits[chosen] = self.credits[chosen].checked_sub(1)?;
        self.turn = (chosen + 1) % builders;
        Some(chosen)
    }

    /// Lets happen what is due before a cycle.
    fn occur_until(&mut self, end: u64) {
        while let Some(&Reverse((now, occurrence))) = self.agenda.peek()
            && now < end
        {
            self.agenda.pop();
            match occurrence {
                Occurrence::Built(builder) => {
                    let BuilderCounters { busy, .. } = &mut self.counters.builders[builder as usize];
                    let more = self.free_from[builder as usize] > now;
                    busy.set(more.into(), now);
                    self.free_place(builder, now);
                }
                Occurrence::Triggered => {
                    self.counters.triggers += 1;
                    self.counters.open += 1;
                }
                Occurrence::Dead => {
                    self.counters.triggers += 1;
                    self.counters.dead += 1;
                }
                Occurrence::Refused => {
                    self.counters.triggers += 1;
                    self.counters.refused += 1;
                }
                Occurrence::Stays(event, packets) => self.come(event, packets, now),
                Occurrence::Due(event) => self.time_out(event, now),
            }
        }
    }

    /// A place of a builder is free again.
    fn free_place(&mut self, builder: u32, now: u64) {
        let held = &mut self.counters.builders[builder as usize].held;
        held.set(held.value - 1, now);
        self.give_credit(builder, now);
    }

    fn give_credit(&mut self, builder: u32, now: u64) {
        if let Some(cycles) = self.credit_cycles {
            self.coming.push(Reverse((now.saturating_add(cycles), builder)));
        }
    }

    /// Packets of an event come to its builder.
    fn come(&mut self, number: u64, packets: u32, now: u64) {
        // Of one that is lost or given up the rest still comes.
        let Some(place) = number.checked_sub(self.first) else { return };
        let Some(event) = &mut self.open[place as usize] else { return };
        let builder = event.builder as usize;
        let counters = &mut self.counters.builders[builder];
        if !event.placed {
            if counters.held.value >= self.places {
                counters.lost += 1;
                return self.close(number);
            }
            event.placed = true;
            counters.held.set(counters.held.value + 1, now);
        }
        event.left -= u64::from(packets);
        if event.left > 0 {
            return;
        }
        let latency = now - event.trigger;
        counters.built += 1;
        counters.latency_sum_cycles += latency;
        counters.latency_max_cycles = counters.latency_max_cycles.max(latency);
        self.counters.latencies.record(latency).expect("a growing histogram takes any latency");
        let end = now.max(self.free_from[builder]).saturating_add(self.build_cycles);
        self.free_from[builder] = end;
        if end > now {
            self.counters.builders[builder].busy.set(1, now);
            self.agenda.push(Reverse((end, Occurrence::Built(builder as u32))));
        } else {
            self.free_place(builder as u32, now);
        }
        self.close(number);
    }

    /// An event that is not complete by now is given up.
    fn time_out(&mut self, number: u64, now: u64) {
        let Some(place) = number.checked_sub(self.first) else { return };
        let Some(Event { builder, placed, .. }) = self.open[place as usize] else { return };
        self.counters.builders[builder as usize].incomplete += 1;
        if placed {
            self.free_place(builder, now);
        } else {
            self.give_credit(builder, now);
        }
        self.close(number);
    }

    /// Nothing more becomes of an event.
    fn close(&mut self, number: u64) {
        self.open[(number - self.first) as usize] = None;
        self.counters.open -= 1;
        while let Some(None) = self.open.front() {
            self.open.pop_front();
            self.first += 1;
        }
    }
}

impl Planned for Events {
    fn lookahead(&self) -> u64 {
        self.credit_cycles.unwrap_or(NEVER)
    }

    fn next(&self) -> Option<u64> {
        self.trigger.next_arrival().map(|gone| self.cycle(gone))
    }

    fn release(&mut self, hand_in: HandIn<'_>) {
        let gone = self.trigger.take_arrival();
        let now = self.cycle(gone);
        if now < self.alive_from {
            if self.paralysable {
                self.alive_from = now.saturating_add(self.dead_cycles);
            }
            return self.agenda.push(Reverse((now, Occurrence::Dead)));
        }
        // Before the dead time: a trigger without a credit has none (event-building.md, "When triggers come").
        let Some(builder) = self.assign(now) else {
            return self.agenda.push(Reverse((now, Occurrence::Refused)));
        };
        self.alive_from = now.saturating_add(self.dead_cycles);
        let packets: Box<[u32]> = self.sources.iter_mut().map(|source| source.sizes.draw_packet().1).collect();
        let left = packets.iter().map(|&packets| u64::from(packets)).sum();
        let event = self.released;
        self.released += 1;
        self.open.push_back(Some(Event { trigger: now, builder: builder as u32, placed: false, left }));
        self.unsent.push_back(Triggered { builder: builder as u32, packets });
        self.agenda.push(Reverse((now, Occurrence::Triggered)));
        let due = now.saturating_add(self.timeout_cycles);
        if due < NEVER {
            // One more: a delivery in the cycle of the time-out is in time.
            self.agenda.push(Reverse((due + 1, Occurrence::Due(event))));
        }
        let first = self.released - self.unsent.len() as u64;
        for (i, source) in self.sources.iter().enumerate() {
            let Some(event) = event.checked_sub(source.skew) else { continue };
            let Triggered { builder, packets } = &self.unsent[(event - first) as usize];
            let destination = self.builders[*builder as usize];
            if destination == source.node {
                self.agenda.push(Reverse((now, Occurrence::Stays(event, packets[i]))));
                continue;
            }
            for _ in 0..packets[i] {
                hand_in(Released { cycle: now, flow: source.flow, destination, part: event, awaited: &[] });
            }
        }
        if self.unsent.len() as u64 > self.most_skew {
            // Even the source that sends last has sent its fragment of this one now.
            self.unsent.pop_front();
        }
    }

    fn deliver(&mut self, event: u64, now: u64) {
        self.occur_until(now + 1);
        self.come(event, 1, now);
    }

    fn see_until(&mut self, end: u64) {
        self.occur_until(end);
        self.counters.settle(end);
    }

    fn encode(&self, encoder: &mut Encoder<'_>) {
        let builders = self.builders.len() as u64;
        self.trigger.encode(encoder);
        encoder.due(self.alive_from);
        // The next builder, in turn or among those with equally many credits.
        encoder.put(self.released % builders);
        encoder.len(self.turn);
        self.credits.encode(encoder);
        let sorted = |coming: &BinaryHeap<Reverse<(u64, u32)>>| coming.clone().into_sorted_vec();
        let coming = sorted(&self.coming);
        encoder.len(coming.len());
        for Reverse((cycle, builder)) in coming {
            encoder.due(cycle);
            encoder.put(builder);
        }
        for Triggered { builder, packets } in &self.unsent {
            encoder.put(*builder);
            packets.encode(encoder);
        }
        encoder.len(self.open.len());
        for event in &self.open {
            encoder.put(event.is_some());
            if let Some(Event { trigger, builder, placed, left }) = event {
                encoder.counted(*trigger);
                encoder.put(*builder);
                encoder.put(*placed);
                encoder.put(*left);
            }
        }
        let agenda = self.agenda.clone().into_sorted_vec();
        encoder.len(agenda.len());
        for Reverse((cycle, occurrence)) in agenda {
            encoder.due(cycle);
            let (kind, of) = match occurrence {
                Occurrence::Built(builder) => (0u8, builder.into()),
                Occurrence::Triggered => (1, 0),
                Occurrence::Dead => (2, 0),
                Occurrence::Refused => (3, 0),
                Occurrence::Stays(event, packets) => (4, self.relative(event) << 16 | u64::from(packets)),
                Occurrence::Due(event) => (5, self.relative(event)),
            };
            encoder.put(kind);
            encoder.put(of);
        }
        self.free_from.iter().for_each(|&cycle| encoder.due(cycle));
        for builder in &self.counters.builders {
            encoder.put(builder.held.value);
            encoder.put(builder.busy.value);
        }
    }

    fn relative(&self, event: u64) -> u64 {
        self.released - event
    }

    fn is_over(&self, event: u64) -> bool {
        event < self.first
    }

    fn reset(&mut self, now: u64) {
        self.counters.reset(now);
    }

    fn holds(&self) -> bool {
        let builders = self.builders.len();
        let is_builder = |builder: u32| (builder as usize) < builders;
        let is_released = |number: u64| number < self.released;
        let happens = |occurrence: Occurrence| match occurrence {
            Occurrence::Built(builder) => is_builder(builder),
            Occurrence::Stays(number, _) | Occurrence::Due(number) => is_released(number),
            Occurrence::Triggered | Occurrence::Dead | Occurrence::Refused => true,
        };
        let sources = self.sources.len();
        self.first.checked_add(self.open.len() as u64) == Some(self.released)
            && self.turn < builders
            && self.open.iter().flatten().all(|event| is_builder(event.builder))
            && self.unsent.len() as u64 == self.released.min(self.most_skew)
            && self.unsent.iter().all(|one| is_builder(one.builder) && one.packets.len() == sources)
            && self.coming.iter().all(|Reverse((_, builder))| is_builder(*builder))
            && self.agenda.iter().all(|Reverse((_, occurrence))| happens(*occurrence))
    }

    fn has_released(&self, event: u64) -> bool {
        event < self.released
    }

    fn counters(&self) -> &dyn Counters {
        &self.counters
    }

    fn heap_bytes(&self) -> usize {
        let sizes: usize = self.sources.iter().map(|source| source.sizes.heap_bytes()).sum();
        let packets = size_of::<Triggered>() + self.sources.len() * size_of::<u32>();
        size_of_val(&*self.sources)
            + sizes
            + self.unsent.capacity() * packets
            + self.open.capacity() * size_of::<Option<Event>>()
            + self.agenda.capacity() * size_of::<(u64, Occurrence)>()
    }
}
