//! The runs on the links of a ring, and the memory that they go through while its nodes are visited.

use ringlet_engine_derive::Encode;

use crate::queues::stretch::Stretch;
use crate::values::{Kind, Run};

/// Runs that a node's link holds, as a rule, when its visit ends.
const FEW: usize = 3;

/// Run in a place that holds none.
const NONE: Run = Run { len: 0, value: 0, target: 0, kind: Kind::Freed, group: 0 };

/// The runs on one link that its receiving node has not yet consumed, between its visits. Where they are few, they are
/// held in the node: in a large network, where nothing is in the cache, memory outside would be one thing more to wait
/// for.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "SavedUnread")]
pub(crate) struct Unread {
    /// Runs where they are few, at the end of the array.
    #[encode(with = encoder.runs(self.iter()))]
    few: [Run; FEW],
    #[encode(skip)]
    count: u8,
    /// All, if they are many, as on a link of thousands of cycles; else empty.
    #[encode(skip)]
    many: Stream,
}

/// Unread runs as they were read from a file.
#[derive(serde::Deserialize)]
struct SavedUnread {
    few: [Run; FEW],
    count: u8,
    many: SavedStream,
}

impl TryFrom<SavedUnread> for Unread {
    type Error = &'static str;

    fn try_from(
        SavedUnread { few, count, many: SavedStream { runs, start } }: SavedUnread,
    ) -> Result<Self, Self::Error> {
        let holds = usize::from(count) <= FEW && start <= runs.len() && (count == 0 || runs.is_empty());
        if holds { Ok(Self { few, count, many: Stream { runs, start } }) } else { Err("runs on a link that are none") }
    }
}

/// A stream as it was read from a file.
#[derive(serde::Deserialize)]
struct SavedStream {
    runs: Vec<Run>,
    start: usize,
}

impl TryFrom<SavedStream> for Stream {
    type Error = &'static str;

    fn try_from(SavedStream { runs, start }: SavedStream) -> Result<Self, Self::Error> {
        if runs.len() >= FEW && start <= runs.len() { Ok(Self { runs, start }) } else { Err("a stream of no runs") }
    }
}

impl Unread {
    /// A link full of equal idles.
    pub(crate) fn of_idles(len: u32, word: u32) -> Self {
        Self { few: [NONE, NONE, Run::idles(len, word)], count: 1, many: Stream { runs: Vec::new(), start: 0 } }
    }

    /// Builds the unread symbols from these runs, oldest first.
    fn of(runs: Vec<Run>) -> Self {
        let mut few = [NONE; FEW];
        if runs.len() <= FEW {
            few[FEW - runs.len()..].copy_from_slice(&runs);
            return Self { few, count: runs.len() as u8, many: Stream { runs: Vec::new(), start: 0 } };
        }
        Self { few, count: 0, many: Stream { runs, start: 0 } }
    }

    /// Leaves so many symbols, and returns those behind them. Of a packet that is cut the rest becomes created idles.
    pub(crate) fn cut(&mut self, mut symbols: u64) -> Vec<Run> {
        let (mut kept, mut rest) = (Vec::new(), Vec::new());
        for &run in self.iter() {
            let here = u64::from(run.len).min(symbols) as u32;
            symbols -= u64::from(here);
            if here > 0 {
                kept.push(Run { len: here, ..run });
            }
            if here == 0 {
                rest.push(run);
            } else if here < run.len {
                let kind = if run.kind == Kind::Idle { Kind::Idle } else { Kind::Freed };
                rest.push(Run { len: run.len - here, kind, ..run });
            }
        }
        *self = Self::of(kept);
        rest
    }

    /// More runs come.
    pub(crate) fn extend(&mut self, runs: Vec<Run>) {
        *self = Self::of(self.iter().copied().chain(runs).collect());
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.many.runs.is_empty()
    }

    /// Oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.few[FEW - usize::from(self.count)..].iter().chain(&self.many.runs[self.many.start..])
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.many.runs.capacity() * size_of::<Run>()
    }
}

/// Runs on their way through a node, of which the first may have been consumed. Before them there is room for a few
/// that the next node has not read.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "SavedStream")]
pub(crate) struct Stream {
    runs: Vec<Run>,
    start: usize,
}

impl Default for Stream {
    fn default() -> Self {
        Self { runs: vec![NONE; FEW], start: FEW }
    }
}

impl Stream {
    /// The oldest run.
    #[inline]
    pub(crate) fn front(&mut self) -> Option<&mut Run> {
        self.runs.get_mut(self.start)
    }

    /// Drops the oldest run.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.start += 1;
    }

    /// All runs from the oldest on.
    #[inline]
    pub(crate) fn rest(&mut self) -> &mut [Run] {
        &mut self.runs[self.start..]
    }

    /// Drops so many of the oldest runs.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) {
        self.start += count;
    }

    /// Appends two runs, of which the first is not of idles behind others.
    #[inline]
    pub(crate) fn push_two(&mut self, first: Run, second: Run) {
        self.runs.extend_from_slice(&[first, second]);
    }

    /// Appends a packet.
    #[inline]
    pub(crate) fn push(&mut self, run: Run) {
        self.runs.push(run);
    }

    /// Appends idles, joining them to equal idles before. For streams of which nothing has been consumed.
    #[inline]
    pub(crate) fn push_idles(&mut self, len: u32, word: u32) {
        if let Some(last) = self.runs.last_mut()
            && (last.kind, last.value) == (Kind::Idle, word)
            && let Some(sum) = last.len.checked_add(len)
        {
            last.len = sum;
            return;
        }
        self.runs.push(Run::idles(len, word));
    }

    /// Removes everything from a stream of which nothing has been consumed.
    #[inline]
    fn clear(&mut self) {
        self.runs.truncate(FEW);
        // Idles are not joined to what was here.
        self.runs[FEW - 1] = NONE;
    }
}

/// The links of the node that is visited. The nodes of a ring are visited one after the other, so that the memory of a
/// sweep goes on with it.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Links {
    /// Symbols that the node has not read, and those that the node before it has emitted.
    pub(crate) input: Stream,
    /// Symbols that the node emits. Between two visits: those that the node visited last has emitted.
    pub(crate) output: Stream,
    /// The sum of what the node before has emitted, where it has been computed.
    stretch: Option<Stretch>,
}

impl Links {
    /// A node's visit begins.
    #[inline]
    pub(crate) fn take_up(&mut self, unread: &mut Unread) {
        let Self { input, output, stretch } = self;
        *stretch = None;
        std::mem::swap(&mut input.runs, &mut output.runs);
        if unread.many.runs.is_empty() {
            input.runs[..FEW].copy_from_slice(&unread.few);
            input.start = FEW - usize::from(unread.count);
        } else {
            unread.take_up_many(input);
        }
        output.clear();
    }

    /// The runs that the node before has emitted, where the node has nothing unread: they may leave as its own output.
    #[inline]
    pub(crate) fn coming(&mut self) -> &mut [Run] {
        self.stretch = None;
        &mut self.output.runs[FEW..]
    }

    /// The sum of the runs that the node before has emitted: a node with nothing unread that they pass leaves them as
    /// they are.
    #[inline]
    pub(crate) fn stretch(&mut self) -> &Stretch {
        let Self { output, stretch, .. } = self;
        stretch.get_or_insert_with(|| Stretch::of(&output.runs[FEW..]))
    }

    /// Takes up the runs that the node before has emitted: so many have left, and those behind them are a visit's
    /// input.
    #[inline]
    pub(crate) fn take_up_from(&mut self, place: usize) {
        let Self { input, output, .. } = self;
        std::mem::swap(&mut input.runs, &mut output.runs);
        input.start = FEW + place;
        output.clear();
        output.runs.extend_from_slice(&input.runs[FEW..input.start]);
    }

    /// The visit ends.
    #[inline]
    pub(crate) fn put_down(&mut self, unread: &mut Unread) {
        let Stream { runs, start } = &self.input;
        let left = runs.len() - start;
        if left <= FEW {
            // Always as many, so that the length of the copy is known; those before the
            // `count` last ones have been read.
            unread.few.copy_from_slice(&runs[runs.len() - FEW..]);
            unread.count = left as u8;
        } else {
            unread.put_down_many(&mut self.input);
        }
    }

    /// A node keeps what the one before has emitted.
    pub(crate) fn keep(&mut self, unread: &mut Unread) {
        self.take_up(unread);
        self.put_down(unread);
    }

    /// Lets `emit` say, run by run, what comes in place of what the node visited last has emitted.
    pub(crate) fn replace_emitted(&mut self, mut emit: impl FnMut(Run, &mut Stream)) {
        let Self { input, output, stretch } = self;
        *stretch = None;
        std::mem::swap(&mut input.runs, &mut output.runs);
        output.clear();
        input.runs[FEW..].iter().for_each(|&run| emit(run, output));
        input.clear();
        input.start = FEW;
    }

    /// The runs that the node visited last has emitted.
    pub(crate) fn emitted(&self) -> &[Run] {
        &self.output.runs[FEW..]
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        (self.input.runs.capacity() + self.output.runs.capacity()) * size_of::<Run>()
    }
}

// The many are not copied at each visit: their memory is the input's, and what it held before is the node's meanwhile.
impl Unread {
    /// `input` is what the node before has emitted.
    #[inline(never)]
    fn take_up_many(&mut self, input: &mut Stream) {
        std::mem::swap(input, &mut self.many);
        // Half of it has been read since this was done last.
        if input.start > input.runs.len() / 2 {
            input.runs.drain(..input.start);
            input.start = 0;
        }
        input.runs.extend_from_slice(&self.many.runs[FEW..]);
        self.many.runs.clear();
        self.many.start = 0;
    }

    /// `input` is what the node has left.
    #[inline(never)]
    fn put_down_many(&mut self, input: &mut Stream) {
        std::mem::swap(input, &mut self.many);
        input.runs.resize(FEW, NONE);
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// A ring of one node, which reads as many runs of each visit and emits as many, whatever is on its link.
    #[test]
    fn links_do_what_a_deque_does() {
        proptest!(|(visits in prop::collection::vec((0..8usize, 0..8u32), 0..60))| {
            let (mut links, mut unread) = (Links::default(), Unread::of_idles(1, 0));
            let mut deque = VecDeque::from([Run::idles(1, 0)]);
            let mut emitted = Vec::new();
            for (reads, emits) in visits {
                links.take_up(&mut unread);
                deque.extend(emitted.drain(..));
                for _ in 0..reads.min(deque.len()) {
                    prop_assert_eq!(links.input.front().copied(), deque.pop_front());
                    links.input.pop();
                }
                for len in 0..emits {
                    // Not equal to the idles before, so that they are not joined.
                    links.output.push_idles(len + 1, len);
                    emitted.push(Run::idles(len + 1, len));
                }
                links.put_down(&mut unread);
                prop_assert!(unread.iter().eq(&deque) && links.emitted().iter().eq(&emitted));
                prop_assert_eq!(unread.is_empty(), deque.is_empty());
            }
        });
    }
}
