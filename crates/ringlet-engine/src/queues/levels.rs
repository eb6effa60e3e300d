//! Prioritised FIFOs.

use ringlet_engine_derive::Encode;

use crate::queues::fifo::Fifo;

/// A packet that waits in a FIFO, or those packets of a message with a size of its own that are not drawn: behind each
/// that is drawn the others wait together.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Waiting {
    #[encode(with = encoder.generated(self.generated))]
    pub(crate) generated: u64,
    pub(crate) flow: u32,
    /// Index of the packet in the arena, or [`UNDRAWN`](crate::values::UNDRAWN): most packets of an overloaded flow
    /// never get that far.
    #[encode(packet)]
    pub(crate) packet: u32,
}

/// The FIFOs of one class, one per priority.
#[derive(Debug, Default, Clone, Encode, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Parts")]
pub(crate) struct Levels {
    pub(crate) fifos: Box<[Fifo<Waiting>]>,
    /// Bits of the first 64 FIFOs, each set where the FIFO holds packets.
    #[encode(skip)]
    low: u64,
    /// Bits of the other FIFOs, if there are any.
    #[encode(skip)]
    high: Option<Box<[u64; 3]>>,
}

/// The FIFOs of one class as they were read from a file.
#[derive(serde::Deserialize)]
struct Parts {
    fifos: Box<[Fifo<Waiting>]>,
    low: u64,
    high: Option<Box<[u64; 3]>>,
}

impl TryFrom<Parts> for Levels {
    type Error = &'static str;

    fn try_from(Parts { fifos, low, high }: Parts) -> Result<Self, Self::Error> {
        let mut levels = Self { high: (fifos.len() > 64).then(Box::default), low: 0, fifos };
        for level in 0..levels.fifos.len().min(256) {
            levels.mark(level as u8);
        }
        let holds = levels.low == low && levels.high == high && levels.fifos.len() <= 256;
        if holds { Ok(levels) } else { Err("FIFOs that are said to hold what they do not") }
    }
}

/// A set of levels.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct LevelSet {
    low: u64,
    /// Bits of the levels from 64 on; `None`: none is set, so that few levels cost no more than a word.
    high: Option<[u64; 3]>,
}

impl LevelSet {
    #[inline]
    pub(crate) fn insert(&mut self, level: u8) {
        let word = match level / 64 {
            0 => &mut self.low,
            word => &mut self.high.get_or_insert_default()[usize::from(word) - 1],
        };
        *word |= 1 << (level % 64);
    }

    /// Takes out the highest.
    #[inline]
    pub(crate) fn take_highest(&mut self) -> Option<u8> {
        let high = self.high.as_mut().and_then(|words| words.iter_mut().zip(1u8..4).rfind(|(word, _)| **word != 0));
        let (word, place) = high.unwrap_or((&mut self.low, 0));
        let bit = word.checked_ilog2()? as u8;
        *word &= !(1 << bit);
        Some(place * 64 + bit)
    }
}

impl Levels {
    pub(crate) fn new(levels: usize) -> Self {
        Self { fifos: vec![Fifo::default(); levels].into(), low: 0, high: (levels > 64).then(Box::default) }
    }

    #[inline]
    fn mark(&mut self, level: u8) {
        let bit = 1 << (level % 64);
        let word = match &mut self.high {
            Some(words) if level >= 64 => &mut words[usize::from(level) / 64 - 1],
            _ => &mut self.low,
        };
        if self.fifos[usize::from(level)].is_empty() {
            *word &= !bit;
        } else {
            *word |= bit;
        }
    }

    /// Appends a packet: oldest first, of one cycle the lowest flow first.
    #[inline]
    pub(crate) fn push(&mut self, level: u8, waiting: Waiting) {
        let fifo = &mut self.fifos[usize::from(level)];
        if fifo.is_empty() {
            fifo.push(waiting);
            return self.mark(level);
        }
        // From the back: nearly all come in this order, but packets of a trace, and requests that time out, come behind
        // the others of a cycle whatever their flow.
        let mut place = fifo.len();
        while place > 0 && (fifo[place - 1].generated, fifo[place - 1].flow) > (waiting.generated, waiting.flow) {
            place -= 1;
        }
        if place == fifo.len() { fifo.push(waiting) } else { fifo.insert(place, waiting) }
    }

    /// Puts a packet back where it was: before all that are not older. Others may have inherited its priority
    /// meanwhile.
    pub(crate) fn put_back(&mut self, level: u8, waiting: Waiting) {
        let fifo = &mut self.fifos[usize::from(level)];
        let older = |other: &Waiting| (other.generated, other.flow) < (waiting.generated, waiting.flow);
        let before = fifo.iter().rposition(older);
        fifo.insert(before.map_or(0, |place| place + 1), waiting);
        self.mark(level);
    }

    /// Takes out a packet, which is nearly always the first one.
    #[inline]
    pub(crate) fn remove(&mut self, level: u8, packet: u32) {
        let fifo = &mut self.fifos[usize::from(level)];
        if fifo.first().is_some_and(|waiting| waiting.packet == packet) {
            fifo.take_first();
        } else {
            let place = fifo.iter().position(|waiting| waiting.packet == packet);
            fifo.take(place.expect("the head waits in its FIFO"));
        }
        self.mark(level);
    }

    #[inline]
    pub(crate) fn front(&self, level: u8) -> Option<&Waiting> {
        self.fifos[usize::from(level)].first()
    }

    /// The levels that hold packets, a bit each, if there cannot be more than 64.
    #[inline]
    pub(crate) fn few(&self) -> Option<u64> {
        if self.high.is_none() { Some(self.low) } else { None }
    }

    /// The levels that hold packets.
    #[inline]
    pub(crate) fn set(&self) -> LevelSet {
        LevelSet { low: self.low, high: self.high.as_deref().copied() }
    }

    /// Cycle in which the oldest packet was generated.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.fifos.iter().filter_map(|fifo| fifo.first()).map(|waiting| waiting.generated).min()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let held: usize = self.fifos.iter().map(Fifo::heap_bytes).sum();
        let words = self.high.as_ref().map_or(0, |words| size_of_val(&**words));
        held + size_of_val(&*self.fifos) + words
    }
}
