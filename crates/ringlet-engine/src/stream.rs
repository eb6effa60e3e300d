//! What travels on a link: a sequence of runs, each a whole packet or a stretch of equal idles.
//!
//! A packet is contiguous on every link (a node sends only between packets, and its bypass FIFO never runs dry inside one), so its head announces
//! all of it and one step handles it.

use crate::observe::Symbols;
use crate::packet::Packets;
use crate::state::{Encode, Encoder};

/// What a run of symbols is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Idles with equal state.
    Idle,
    /// A send packet, first transmission.
    Send,
    /// A send packet sent again after a busy echo.
    Retry,
    /// An echo that says accepted.
    Echo,
    /// An echo that says busy.
    BusyEcho,
    /// Created idles in place of a send packet for this node; its echo follows. Never on a link.
    Stripped,
    /// Created idles in place of an echo for this node that says accepted. Never on a link.
    Acknowledged,
    /// Created idles in place of an echo for this node that says busy. Never on a link.
    Refused,
    /// Created idles in place of a packet that needs no echo. Never on a link.
    Freed,
    /// A DFC control symbol; `value` is what it carries.
    Control,
    /// The train, whose content the ring holds.
    Train,
    /// A PPQ event message; `value` is the packet it names.
    Event,
}

impl Kind {
    /// Is it a send packet?
    #[inline]
    pub(crate) fn is_send(self) -> bool {
        matches!(self, Self::Send | Self::Retry)
    }
}

/// A packet, or a stretch of equal idles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Symbols, the separating idle not included.
    pub(crate) len: u32,
    /// Idles: their state (go bits). Packets: index in the packet arena.
    pub(crate) value: u32,
    /// Packets: node that strips it. Control symbols, trains, events: node that made it.
    pub(crate) target: u16,
    /// What it is.
    pub(crate) kind: Kind,
    /// Send packets: transmission group, or with PPQ the priority that counts in bypass FIFOs. Busy echoes: the phase they give. Events: the priority they give.
    pub(crate) group: u8,
}

impl Run {
    /// `len` idles with this state.
    pub(crate) fn idles(len: u32, word: u32) -> Self {
        Self { len, value: word, target: 0, kind: Kind::Idle, group: 0 }
    }
}

impl Run {
    /// What an observer sees of a run that is on a link.
    pub(crate) fn view(&self, packets: &Packets) -> Symbols {
        let packet = || packets[self.value].view();
        let maker = u32::from(self.target);
        match self.kind {
            Kind::Send => Symbols::Send(packet()),
            Kind::Retry => Symbols::Retry(packet()),
            Kind::Echo => Symbols::Echo(packet(), true),
            Kind::BusyEcho => Symbols::Echo(packet(), false),
            Kind::Control => Symbols::Control { maker, bits: self.value },
            Kind::Train => Symbols::Train,
            Kind::Event => Symbols::Event { maker, packet: packet(), priority: self.group },
            Kind::Idle => Symbols::Idles(self.value),
            Kind::Stripped | Kind::Acknowledged | Kind::Refused | Kind::Freed => Symbols::Idles(0),
        }
    }
}

/// The runs on one link that its receiving node has not yet consumed.
#[derive(Debug, Default, Clone)]
pub(crate) struct Stream {
    runs: Vec<Run>,
    start: usize,
}

impl Stream {
    /// A link full of equal idles.
    pub(crate) fn of_idles(len: u32, word: u32) -> Self {
        Self { runs: vec![Run::idles(len, word)], start: 0 }
    }

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

    /// Moves everything from `newer` behind what is here; `newer` is left empty, but may keep its memory.
    pub(crate) fn append(&mut self, newer: &mut Self) {
        if self.is_empty() {
            self.runs.clear();
            self.start = 0;
            if newer.start == 0 {
                std::mem::swap(self, newer);
                return;
            }
        }
        self.runs.extend_from_slice(&newer.runs[newer.start..]);
        newer.runs.clear();
        newer.start = 0;
    }

    /// Keeps what is not consumed in the memory of `other`, which is empty, and leaves `other` the larger one of the two.
    pub(crate) fn give_up_memory(&mut self, other: &mut Self) {
        if self.runs.capacity() > other.runs.capacity() {
            other.runs.extend_from_slice(&self.runs[self.start..]);
            self.runs.clear();
            self.start = 0;
            std::mem::swap(self, other);
        }
    }

    /// Is everything consumed?
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.runs.len()
    }

    /// Forgets what was consumed.
    pub(crate) fn compact(&mut self) {
        if self.is_empty() {
            self.runs.clear();
        } else {
            self.runs.drain(..self.start);
        }
        self.start = 0;
    }

    /// Runs not yet consumed, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.runs[self.start..].iter()
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}

impl Encode for Run {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let &Self { len, value, target, kind, group } = self;
        encoder.put(kind as u8);
        encoder.put(len);
        match kind {
            Kind::Freed => {}
            Kind::Idle => encoder.put(value),
            Kind::Train => encoder.put(target),
            Kind::Control => {
                encoder.put(target);
                encoder.put(value);
            }
            Kind::Send
            | Kind::Retry
            | Kind::Echo
            | Kind::BusyEcho
            | Kind::Stripped
            | Kind::Acknowledged
            | Kind::Refused
            | Kind::Event => {
                encoder.put(target);
                encoder.put(group);
                encoder.packet(value);
            }
        }
        encoder.held("a control symbol on a link", kind == Kind::Control);
        encoder.held("an event on a link", kind == Kind::Event);
    }
}

impl Encode for Stream {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let Self { runs: _, start: _ } = self;
        let mut runs = self.iter().copied().peekable();
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
}
