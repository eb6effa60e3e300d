//! Messages that a source releases one by one, each with a size, a destination and a lateness of its own, and the fates
//! of those that are under way.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::results::{DestinationCounters, MessageCounters};
use crate::spec::{MAX_CYCLES, MessagesSpec, SizeSpec};

use super::chance::{cumulative, unit};

/// The messages of a source: those that are due before others may be released, and those that have been released and
/// of which packets are still to be drawn.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Messages {
    jitter_cycles: u64,
    start: u64,
    stop: u64,
    /// Messages still to be due.
    left: u64,
    /// Cycle in which the next one is due that is not among those that come.
    due: u64,
    /// Cycles of the release and of the due time of those that come.
    coming: BinaryHeap<Reverse<(u64, u64)>>,
    size: Size,
    packet_bytes: u32,
    /// Messages that are sent from here, if others are sent from the other interface of the node.
    side: Option<Side>,
    /// Messages that have been released and of which not all packets are drawn.
    begun: VecDeque<Begun>,
    /// Number of the next one that is released and not lost.
    number: u32,
}

/// A message that has been released.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Begun {
    number: u32,
    pub(crate) destination: u32,
    /// Cycles from when it was due until it was released.
    late: u64,
    pub(crate) bytes: u64,
    pub(crate) packets: u32,
    drawn: u32,
    /// Is it sent from the other interface of the node?
    pub(crate) elsewhere: bool,
}

/// A packet of a message.
pub(crate) struct Part {
    pub(crate) destination: u32,
    /// Number of its message.
    pub(crate) message: u32,
    /// Place of the packet in its message.
    pub(crate) place: u16,
    /// Cycles from when its message was due until it was released.
    pub(crate) late: u64,
    /// Is it the last one of its message?
    pub(crate) is_last: bool,
}

/// The size of a message, as it is drawn.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) enum Size {
    Weighted(Box<[(u64, f64)]>),
    Uniform(u64, u64),
    LogNormal { mean_log: f64, deviation_log: f64, least: u64, most: u64 },
}

impl Size {
    /// The size of a validated spec.
    pub(super) fn new(spec: &SizeSpec) -> Self {
        match spec {
            SizeSpec::Weighted { sizes } => {
                let steps = cumulative(sizes.iter().map(|size| size.1));
                Self::Weighted(sizes.iter().zip(steps).map(|(size, step)| (size.0, step)).collect())
            }
            &SizeSpec::Uniform { least, most } => Self::Uniform(least, most),
            &SizeSpec::LogNormal { mean_log, deviation_log, least, most } => {
                Self::LogNormal { mean_log, deviation_log, least, most }
            }
        }
    }

    pub(super) fn draw(&self, rng: &mut Pcg64Mcg) -> u64 {
        match self {
            Self::Weighted(sizes) => match &**sizes {
                [(bytes, _)] => *bytes,
                sizes => {
                    let draw = rng.random::<f64>();
                    sizes[sizes.partition_point(|&(_, step)| step <= draw)].0
                }
            },
            &Self::Uniform(least, most) => rng.random_range(least..=most),
            &Self::LogNormal { mean_log, deviation_log, least, most } => {
                // Box and Muller's transform.
                let radius = libm::sqrt(-2.0 * libm::log(unit(rng)));
                let normal = radius * libm::cos(std::f64::consts::TAU * rng.random::<f64>());
                let bytes = libm::ceil(libm::exp(mean_log + deviation_log * normal));
                // A float beyond the integers becomes the largest of them.
                (bytes as u64).clamp(least, most)
            }
        }
    }

    /// Bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        if let Self::Weighted(sizes) = self { size_of_val(&**sizes) } else { 0 }
    }
}

impl Messages {
    /// Builds the messages of a validated spec.
    pub(crate) fn new(spec: &MessagesSpec) -> Self {
        Self {
            jitter_cycles: spec.jitter_cycles,
            start: spec.start_cycle,
            stop: spec.stop_cycle.unwrap_or(MAX_CYCLES).min(MAX_CYCLES),
            left: spec.total.unwrap_or(u64::MAX),
            due: MAX_CYCLES,
            coming: BinaryHeap::new(),
            size: Size::new(&spec.size),
            packet_bytes: spec.packet_bytes,
            side: None,
            begun: VecDeque::new(),
            number: 0,
        }
    }

    /// Cycle in which the first message is due, by the clock of the arrivals.
    pub(crate) fn begin(&mut self, first: u64) {
        self.due = self.start.saturating_add(first);
    }

    /// Cycle of the next release. Whatever may be released before it is among those that come: a message that is due
    /// later may be released earlier. `next`: the arrival that follows one, by the clock of the arrivals.
    pub(crate) fn next_release(&mut self, rng: &mut Pcg64Mcg, mut next: impl FnMut(u64, &mut Pcg64Mcg) -> u64) -> u64 {
        let first = |coming: &BinaryHeap<Reverse<(u64, u64)>>| coming.peek().map(|&Reverse((release, _))| release);
        while self.left > 0 && self.due < self.stop && first(&self.coming).is_none_or(|release| self.due <= release) {
            let late = if self.jitter_cycles == 0 { 0 } else { rng.random_range(0..=self.jitter_cycles) };
            self.coming.push(Reverse((self.due + late, self.due)));
            self.left -= 1;
            self.due = self.start.saturating_add(next(self.due - self.start, rng));
        }
        first(&self.coming).unwrap_or(MAX_CYCLES)
    }

    /// A message is due in a cycle to come, unless there are no more then; returns when it is released.
    pub(crate) fn prompt(&mut self, due: u64, rng: &mut Pcg64Mcg) -> Option<u64> {
        if self.left == 0 || due >= self.stop {
            return None;
        }
        let late = if self.jitter_cycles == 0 { 0 } else { rng.random_range(0..=self.jitter_cycles) };
        self.coming.push(Reverse((due + late, due)));
        self.left -= 1;
        Some(due + late)
    }

    /// Cycles in which the messages are released that come.
    pub(crate) fn coming(&self) -> impl Iterator<Item = u64> + '_ {
        self.coming.iter().map(|&Reverse((release, _))| release)
    }

    /// Cycle from which the times of the arrivals count.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Releases the next message, for a destination.
    pub(crate) fn release(&mut self, destination: u32, rng: &mut Pcg64Mcg) {
        let Some(Reverse((release, due))) = self.coming.pop() else { return };
        let bytes = self.size.draw(rng);
        let packets = bytes.div_ceil(self.packet_bytes.into()) as u32;
        let number = self.number;
        self.number = number.wrapping_add(1);
        let elsewhere = self.side.is_some_and(|side| !side.has(destination));
        self.begun.push_back(Begun { number, destination, late: release - due, bytes, packets, drawn: 0, elsewhere });
    }

    /// The message released last.
    pub(crate) fn last(&self) -> Option<Begun> {
        self.begun.back().copied()
    }

    /// Messages to the nodes of a side are sent from here, and others from the other interface of the node.
    pub(crate) fn sort(&mut self, side: Side) {
        self.side = Some(side);
    }

    /// The message released last is sent from the other interface of the node.
    pub(crate) fn pass_over(&mut self) {
        // Its number stays taken: both interfaces of the node draw the same messages, and number them alike.
        self.begun.pop_back();
    }

    /// Number of the next one that is released, where none is sent from the other interface of the node.
    pub(crate) fn next_number(&self) -> Option<u32> {
        self.side.is_none().then_some(self.number)
    }

    /// Has each message that is kept packets to be drawn, as it must?
    pub(crate) fn have_packets(&self) -> bool {
        self.begun.iter().all(|message| message.drawn < message.packets)
    }

    /// Messages of which not all packets are drawn.
    pub(crate) fn begun(&self) -> usize {
        self.begun.len()
    }

    /// The message released last is lost.
    pub(crate) fn lose(&mut self) {
        self.begun.pop_back();
        self.number = self.number.wrapping_sub(1);
    }

    /// The next packet of what has been released.
    pub(crate) fn draw(&mut self) -> Option<Part> {
        let Begun { number, destination, late, packets, ref mut drawn, .. } = *self.begun.front_mut()?;
        let is_last = *drawn + 1 == packets;
        let part = Part { destination, message: number, place: *drawn as u16, late, is_last };
        *drawn += 1;
        if is_last {
            self.begun.pop_front();
        }
        Some(part)
    }

    /// Has a packet been drawn of a message that has more?
    pub(crate) fn is_within(&self) -> bool {
        self.begun.front().is_some_and(|message| message.drawn > 0)
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.size.heap_bytes()
            + self.coming.capacity() * size_of::<Reverse<(u64, u64)>>()
            + self.begun.capacity() * size_of::<Begun>()
    }
}

/// The destinations to which one of the two interfaces of a node sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Side {
    pub(crate) node: u32,
    pub(crate) nodes: u32,
    /// Nodes behind the source, in the order of their numbers, to which the first interface sends.
    pub(crate) ahead: u32,
    /// Is it the second interface?
    pub(crate) is_second: bool,
}

impl Side {
    fn has(&self, destination: u32) -> bool {
        ((destination + self.nodes - self.node) % self.nodes <= self.ahead) != self.is_second
    }
}

impl Begun {
    /// A message of one packet, which has been drawn.
    pub(crate) fn of_packet(number: u32, destination: u32, bytes: u64) -> Self {
        Self { number, destination, late: 0, bytes, packets: 1, drawn: 1, elsewhere: false }
    }

    /// Cycle in which the message was due that was released in this one.
    pub(crate) fn due(&self, release: u64) -> u64 {
        release - self.late
    }
}

/// The messages of a flow that are under way, and counts of all, in cycles of the network.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Watch {
    deadline_cycles: u64,
    /// Messages under way, from the first one on that is not complete.
    open: VecDeque<Watched>,
    counters: MessageCounters,
    /// Counts of each destination, where they are kept.
    destinations: Option<Box<Destinations>>,
}

/// Counts of the destinations of a flow to which messages have been released, by their numbers.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Destinations {
    /// Precision of the histograms.
    digits: u8,
    each: Vec<DestinationCounters>,
}

impl Destinations {
    fn of(&mut self, destination: u32) -> &mut DestinationCounters {
        let place = self.each.binary_search_by_key(&destination, |one| one.destination);
        let place = place.unwrap_or_else(|place| {
            self.each.insert(place, DestinationCounters::new(destination));
            place
        });
        &mut self.each[place]
    }
}

#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Watched {
    due: u64,
    bytes: u64,
    destination: u32,
    ended: bool,
    /// Has it been counted whether it meets its deadline?
    judged: bool,
}

impl Watch {
    /// The messages of a flow. `digits`: of the histograms of each destination, if they are kept.
    pub(crate) fn new(deadline_cycles: u64, digits: Option<u8>) -> Self {
        let destinations = digits.map(|digits| Box::new(Destinations { digits, each: Vec::new() }));
        Self { deadline_cycles, destinations, ..Self::default() }
    }

    /// Counts in all, and for a destination where that is kept.
    fn count(&mut self, destination: u32, count: impl Fn(&mut MessageCounters)) {
        count(&mut self.counters);
        self.destinations.iter_mut().for_each(|kept| count(&mut kept.of(destination).messages));
    }

    /// A message is released that was due in a cycle.
    pub(crate) fn release(&mut self, due: u64, message: &Begun) {
        let &Begun { bytes, destination, .. } = message;
        self.count(destination, |counters| counters.offer(bytes));
        self.open.push_back(Watched { due, bytes, destination, ended: false, judged: false });
    }

    /// Counts a released message that finds no room and is lost.
    pub(crate) fn lose_at_once(&mut self, message: &Begun) {
        self.count(message.destination, |counters| {
            counters.offer(message.bytes);
            counters.lost += 1;
            counters.judged += 1;
            counters.missed += 1;
        });
    }

    /// All packets of the message at a place are complete, the last one in this cycle, or one has been lost.
    pub(crate) fn end(&mut self, place: usize, at: Option<u64>) {
        let Some(watched) = self.open.get_mut(place) else { return };
        let before = std::mem::replace(watched, Watched { ended: true, judged: true, ..*watched });
        let latency = at.map(|at| at.saturating_sub(before.due));
        let is_late = latency.is_none_or(|cycles| cycles > self.deadline_cycles);
        self.count(before.destination, |counters| {
            match at {
                Some(_) => counters.completed_bytes += before.bytes,
                None => counters.lost += 1,
            }
            if !before.judged {
                counters.judged += 1;
                counters.missed += u64::from(is_late);
            }
        });
        if let Some(kept) = &mut self.destinations
            && let Some(cycles) = latency
        {
            let digits = kept.digits;
            kept.of(before.destination).complete(cycles, digits);
        }
    }

    /// The first message has ended.
    pub(crate) fn drop_first(&mut self) {
        self.open.pop_front();
    }

    fn is_overdue(&self, one: &Watched, now: u64) -> bool {
        !one.ended && !one.judged && one.due.saturating_add(self.deadline_cycles) < now
    }

    /// Starts all counts again from cycle `now`: deadlines that have passed before it are counted no more.
    pub(crate) fn reset(&mut self, now: u64) {
        for place in 0..self.open.len() {
            // A deadline that passed before the reset is no figure of what is measured from now on.
            let overdue = self.is_overdue(&self.open[place], now);
            self.open[place].judged |= overdue;
        }
        self.counters = MessageCounters::default();
        self.destinations.iter_mut().for_each(|kept| kept.each.clear());
    }

    /// The counts since the last reset, seen in cycle `now`.
    pub(crate) fn counters(&self, now: u64) -> MessageCounters {
        let mut counters = self.counters;
        self.open.iter().for_each(|one| self.add_open(one, now, &mut counters));
        counters
    }

    /// The counts of each destination since the last reset, seen in cycle `now`; none where they are not kept.
    pub(crate) fn destination_counters(&self, now: u64) -> Vec<DestinationCounters> {
        let Some(mut kept) = self.destinations.clone() else { return Vec::new() };
        self.open.iter().for_each(|one| self.add_open(one, now, &mut kept.of(one.destination).messages));
        kept.each
    }

    /// Adds a message to counts, if it is under way in cycle `now`.
    fn add_open(&self, one: &Watched, now: u64, counters: &mut MessageCounters) {
        if one.ended {
            return;
        }
        let overdue = u64::from(self.is_overdue(one, now));
        counters.judged += overdue;
        counters.missed += overdue;
        counters.open += 1;
        counters.oldest = Some(counters.oldest.map_or(one.due, |oldest| oldest.min(one.due)));
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let each = |kept: &Destinations| {
            let held = kept.each.iter().map(DestinationCounters::heap_bytes).sum::<usize>();
            size_of::<Destinations>() + kept.each.capacity() * size_of::<DestinationCounters>() + held
        };
        self.open.capacity() * size_of::<Watched>() + self.destinations.as_deref().map_or(0, each)
    }
}
