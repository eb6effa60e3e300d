//! The runs on the links of a ring, and the memory that they go through while its nodes are visited.

use crate::values::{Encode, Encoder, Kind, Run};

/// Runs that a node's link holds, as a rule, when its visit ends.
const FEW: usize = 3;

/// No run.
const NONE: Run = Run { len: 0, value: 0, target: 0, kind: Kind::Freed, group: 0 };

/// The runs on one link that its receiving node has not yet consumed, between its visits, if they are few; more stay
/// where they are. In a large network, where nothing is in the cache, memory outside the node would be one thing more
/// to wait for.
#[derive(Debug, Clone)]
pub(crate) struct Unread {
    /// At the end.
    few: [Run; FEW],
    count: u8,
}

impl Unread {
    /// A link full of equal idles.
    pub(crate) fn of_idles(len: u32, word: u32) -> Self {
        Self { few: [NONE, NONE, Run::idles(len, word)], count: 1 }
    }

    /// Oldest first.
    fn iter(&self) -> impl Iterator<Item = &Run> {
        self.few[FEW - usize::from(self.count)..].iter()
    }
}

/// Runs on their way through a node, of which the first may have been consumed. Before them there is room for what is
/// unread.
#[derive(Debug, Default, Clone)]
pub(crate) struct Stream {
    runs: Vec<Run>,
    start: usize,
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

    /// Removes everything.
    #[inline]
    fn clear(&mut self) {
        self.runs.clear();
        self.runs.extend_from_slice(&[NONE; FEW]);
        self.start = FEW;
    }

    /// Between the visits of a node: what it has not read, oldest first.
    pub(crate) fn unread<'a>(&'a self, few: &'a Unread) -> impl Iterator<Item = &'a Run> {
        few.iter().chain(&self.runs)
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}

/// The streams of a ring: its nodes are visited one after the other, so that the memory of a sweep goes on with it.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    /// What the node visited emits, or the one before it has.
    pub(crate) output: Stream,
    spare: Stream,
}

impl Streams {
    pub(crate) fn new() -> Self {
        let mut output = Stream::default();
        output.clear();
        Self { output, spare: Stream::default() }
    }

    /// A node's visit begins: its `input` is what it has not read and what the node before has emitted. Its own memory
    /// is the spare one meanwhile.
    #[inline]
    pub(crate) fn take_up(&mut self, unread: &mut Unread, input: &mut Stream) {
        let Self { output, spare } = self;
        if input.runs.is_empty() {
            output.runs[..FEW].copy_from_slice(&unread.few);
            output.start = FEW - usize::from(unread.count);
            std::mem::swap(input, output);
            std::mem::swap(output, spare);
        } else {
            self.take_up_many(input);
        }
        self.output.clear();
    }

    #[inline(never)]
    fn take_up_many(&mut self, input: &mut Stream) {
        let Self { output, spare } = self;
        spare.runs.clear();
        spare.runs.extend_from_slice(&input.runs);
        spare.runs.extend_from_slice(&output.runs[FEW..]);
        spare.start = 0;
        std::mem::swap(input, spare);
    }

    /// The visit ends.
    #[inline]
    pub(crate) fn put_down(&mut self, unread: &mut Unread, input: &mut Stream) {
        self.spare.runs.clear();
        let left = input.runs.len() - input.start;
        if left <= FEW {
            unread.few.copy_from_slice(&input.runs[input.runs.len() - FEW..]);
            unread.count = left as u8;
        } else {
            unread.count = 0;
            self.put_down_many(&input.runs[input.start..]);
        }
        std::mem::swap(input, &mut self.spare);
    }

    #[inline(never)]
    fn put_down_many(&mut self, left: &[Run]) {
        self.spare.runs.extend_from_slice(left);
        self.spare.start = 0;
    }

    /// A node keeps what the one before has emitted.
    pub(crate) fn keep(&mut self, unread: &mut Unread, input: &mut Stream) {
        self.take_up(unread, input);
        self.put_down(unread, input);
    }

    /// What the node visited last has emitted.
    pub(crate) fn emitted(&self) -> &[Run] {
        &self.output.runs[FEW..]
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.output.heap_bytes() + self.spare.heap_bytes()
    }
}

/// What a node has not read.
pub(crate) fn encode_unread<'a>(unread: impl Iterator<Item = &'a Run>, encoder: &mut Encoder<'_>) {
    let mut runs = unread.copied().peekable();
    while let Some(mut run) = runs.next() {
        // However a stretch of equal idles was put together.
        while run.kind == Kind::Idle
            && let Some(more) = runs.next_if(|next| next.kind == Kind::Idle && next.value == run.value)
        {
            run.len += more.len;
        }
        run.encode(encoder);
    }
    // No run is of this kind.
    encoder.put(u64::MAX);
}
