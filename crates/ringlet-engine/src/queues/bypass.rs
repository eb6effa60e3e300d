//! The bypass FIFO: packets that arrived while the node was emitting something else.

use ringlet_engine_derive::Encode;

use crate::queues::fifo::Fifo;
use crate::values::{NEVER, Run};

/// A packet in a bypass FIFO.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Entry {
    pub(crate) run: Run,
    /// Cycle of its first symbol.
    #[encode(age, when = encoder.ages)]
    pub(crate) arrived: u64,
    /// Cycle in which it took the place of what arrived, or [`NEVER`].
    #[encode(skip)]
    pub(crate) replaced: u64,
}

/// One node's bypass FIFO.
#[derive(Debug, Default, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Bypass {
    entries: Fifo<Entry>,
    /// Symbols of the entries with one separator each, whether or not all have arrived.
    #[encode(skip)]
    symbols: u64,
    /// Cycle in which the separator of the newest entry arrives; 0 once that entry has left.
    #[encode(due)]
    complete_at: u64,
}

impl Bypass {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A packet of `symbols` incoming symbols arrives with its first symbol in cycle `arrived`; `run` is what it leaves
    /// as.
    #[inline]
    pub(crate) fn push(&mut self, run: Run, arrived: u64, symbols: u32) {
        self.symbols += u64::from(run.len) + 1;
        // By the symbols that come in: what is rewritten may leave as more or as fewer.
        self.complete_at = arrived + u64::from(symbols);
        self.entries.push(Entry { run, arrived, replaced: NEVER });
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&Entry> {
        self.entries.first()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Entry> + DoubleEndedIterator {
        self.entries.iter()
    }

    /// A send packet of which each carries its priority gets at least this one.
    pub(crate) fn raise(&mut self, packet: u32, priority: u8) {
        for Entry { run, .. } in self.entries.iter_mut() {
            if run.kind.is_send() && run.value == packet {
                run.group = run.group.max(priority);
            }
        }
    }

    /// Takes out the oldest entry.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Entry {
        let entry = *self.entries.first().expect("the FIFO is not empty");
        self.drop_first(entry.run.len);
        entry
    }

    /// Drops the oldest entry, of so many symbols.
    #[inline]
    pub(crate) fn drop_first(&mut self, symbols: u32) {
        if !self.entries.has_others() {
            self.complete_at = 0;
        }
        self.symbols -= u64::from(symbols) + 1;
        self.entries.drop_first();
    }

    /// Takes out the entry at a place.
    pub(crate) fn take(&mut self, place: usize) -> Entry {
        if place + 1 == self.entries.len() {
            self.complete_at = 0;
        }
        let entry = self.entries.take(place).expect("an entry is taken from its place");
        self.symbols -= u64::from(entry.run.len) + 1;
        entry
    }

    /// Puts another packet, in cycle `now`, in the place of one. Of one that is still arriving the rest is dropped.
    pub(crate) fn replace(&mut self, place: usize, run: Run, now: u64) {
        if place + 1 == self.entries.len() && self.complete_at > now {
            self.complete_at = now;
        }
        let entry = self.entries.iter_mut().nth(place).expect("an entry is replaced at its place");
        self.symbols = self.symbols + u64::from(run.len) - u64::from(entry.run.len);
        entry.run = run;
        entry.replaced = now;
    }

    /// Has the entry at a place, and its separator, arrived by cycle `by`?
    pub(crate) fn is_complete(&self, place: usize, by: u64) -> bool {
        place + 1 < self.entries.len() || self.complete_at <= by
    }

    /// Symbols of the entry at a place, its separator one of them, that have arrived by cycle `now`.
    pub(crate) fn arrived(&self, place: usize, now: u64) -> u64 {
        let is_newest = place + 1 == self.entries.len();
        let to_come = if is_newest { self.complete_at.saturating_sub(now) } else { 0 };
        self.entries.iter().nth(place).map_or(0, |entry| u64::from(entry.run.len) + 1 - to_come)
    }

    /// Symbols and separators that have arrived by cycle `now` and not been emitted.
    #[inline]
    pub(crate) fn occupancy(&self, now: u64) -> u64 {
        // Not below 0: of a train that is rewritten as a shorter one more may be to come in than it leaves as.
        self.symbols.saturating_sub(self.complete_at.saturating_sub(now))
    }

    /// Says what is wrong with the FIFO of a node at cycle `now` that was read from a file, if anything is.
    pub(crate) fn check(&self, now: u64, most_ahead: u64) -> Result<(), String> {
        let symbols: u64 = self.entries.iter().map(|entry| u64::from(entry.run.len) + 1).sum();
        let is_past = |cycle: u64| cycle <= now + most_ahead;
        if symbols == self.symbols && is_past(self.complete_at) && self.entries.iter().all(|one| is_past(one.arrived)) {
            return Ok(());
        }
        Err(format!("a bypass FIFO of {symbols} symbols in place of {}", self.symbols))
    }

    /// Lets so many cycles pass in which nothing changes but time.
    pub(crate) fn shift(&mut self, cycles: u64) {
        for Entry { arrived, replaced, .. } in self.entries.iter_mut() {
            *arrived += cycles;
            *replaced = replaced.saturating_add(cycles);
        }
        if self.complete_at > 0 {
            self.complete_at += cycles;
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries.heap_bytes()
    }
}
