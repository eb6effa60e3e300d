//! Prioritised FIFOs.

use crate::queues::fifo::Fifo;
use crate::values::{Encode, Encoder};

/// A packet that waits in a FIFO.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) generated: u64,
    pub(crate) flow: u32,
    /// Its index in the arena, or [`UNDRAWN`]: most packets of an overloaded flow never get that far.
    pub(crate) packet: u32,
}

pub(crate) const UNDRAWN: u32 = u32::MAX;

/// The FIFOs of one class, one per priority.
#[derive(Debug, Default, Clone)]
pub(crate) struct Levels {
    pub(crate) fifos: Box<[Fifo<Waiting>]>,
    filled: Filled,
}

/// Which FIFOs hold packets: a bit each.
#[derive(Debug, Clone)]
enum Filled {
    /// Of up to 64.
    Few(u64),
    Many(Box<[u64; 4]>),
}

impl Default for Filled {
    fn default() -> Self {
        Self::Few(0)
    }
}

impl Levels {
    pub(crate) fn new(levels: usize) -> Self {
        Self {
            fifos: vec![Fifo::default(); levels].into(),
            filled: if levels > 64 { Filled::Many(Box::default()) } else { Filled::Few(0) },
        }
    }

    #[inline]
    pub(crate) fn mark(&mut self, level: u8) {
        let bit = 1 << (level % 64);
        let word = match &mut self.filled {
            Filled::Few(word) => word,
            Filled::Many(words) => &mut words[usize::from(level) / 64],
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
        let mut place = fifo.len();
        while place > 0 && (fifo[place - 1].generated, fifo[place - 1].flow) > (waiting.generated, waiting.flow) {
            place -= 1;
        }
        if place == fifo.len() {
            fifo.push(waiting)
        } else {
            fifo.insert(place, waiting)
        }
        self.mark(level);
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
        let place = fifo.iter().position(|waiting| waiting.packet == packet).expect("the head waits in its FIFO");
        fifo.take(place);
        self.mark(level);
    }

    #[inline]
    pub(crate) fn front(&self, level: u8) -> Option<&Waiting> {
        self.fifos[usize::from(level)].first()
    }

    /// The levels that hold packets.
    #[inline]
    pub(crate) fn set(&self) -> [u64; 4] {
        match &self.filled {
            Filled::Few(word) => [*word, 0, 0, 0],
            Filled::Many(words) => **words,
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let held: usize = self.fifos.iter().map(Fifo::heap_bytes).sum();
        let words = if let Filled::Many(words) = &self.filled { size_of_val(&**words) } else { 0 };
        held + size_of_val(&*self.fifos) + words
    }
}

impl Encode for Levels {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let Self { fifos, filled: _ } = self;
        for fifo in fifos {
            encoder.len(fifo.len());
            for &Waiting { generated, flow, packet } in fifo.iter() {
                encoder.generated(generated);
                encoder.put(flow);
                encoder.put(packet == UNDRAWN);
                if packet != UNDRAWN {
                    encoder.packet(packet);
                }
            }
        }
    }
}

/// The highest level in a set.
#[inline]
pub(crate) fn highest(set: &[u64; 4]) -> Option<u8> {
    (0..4).rev().find(|&word| set[word] != 0).map(|word| (word * 64) as u8 + 63 - set[word].leading_zeros() as u8)
}
