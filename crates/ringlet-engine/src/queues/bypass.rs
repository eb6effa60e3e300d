//! The bypass FIFO: packets that arrived while the node was emitting something else.

use crate::queues::fifo::Fifo;
use crate::values::{Encode, Encoder, NEVER, Run};

/// A packet in a bypass FIFO.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) run: Run,
    /// Cycle of its first symbol.
    pub(crate) arrived: u64,
    /// Cycle in which it took the place of what arrived, or [`NEVER`].
    pub(crate) replaced: u64,
}

/// One node's bypass FIFO.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bypass {
    entries: Fifo<Entry>,
    /// Symbols of the entries with one separator each, whether or not all have arrived.
    symbols: u64,
    /// Cycle in which the separator of the newest entry arrives; 0 once that entry has left.
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

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// Takes out the oldest entry.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Entry {
        let entry = self.entries.take_first().expect("the FIFO is not empty");
        self.symbols -= u64::from(entry.run.len) + 1;
        if self.entries.is_empty() {
            self.complete_at = 0;
        }
        entry
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

    /// In cycle `now`, puts another packet in the place of one that has arrived completely.
    pub(crate) fn replace(&mut self, place: usize, run: Run, now: u64) {
        let entry = self.entries.iter_mut().nth(place).expect("an entry is replaced at its place");
        self.symbols = self.symbols + u64::from(run.len) - u64::from(entry.run.len);
        entry.run = run;
        entry.replaced = now;
    }

    /// Has the entry at a place, and its separator, arrived by cycle `now`?
    pub(crate) fn is_complete(&self, place: usize, now: u64) -> bool {
        place + 1 < self.entries.len() || self.complete_at <= now
    }

    /// Symbols and separators that have arrived by cycle `now` and not been emitted.
    #[inline]
    pub(crate) fn occupancy(&self, now: u64) -> u64 {
        // A train that shrinks counts as what it leaves as.
        self.symbols.saturating_sub(self.complete_at.saturating_sub(now))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries.heap_bytes()
    }
}

impl Encode for Bypass {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let Self { entries, symbols: _, complete_at } = self;
        encoder.due(*complete_at);
        encoder.len(entries.len());
        for &Entry { run, arrived, replaced: _ } in entries.iter() {
            run.encode(encoder);
            if encoder.ages {
                encoder.age(arrived);
            }
        }
    }
}
