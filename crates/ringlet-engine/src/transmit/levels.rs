//! Prioritised FIFOs.

use std::collections::VecDeque;

use crate::state::Encoder;

/// A packet that waits in a FIFO.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) generated: u64,
    pub(super) flow: u32,
    /// Its index in the arena, or [`UNDRAWN`]: most packets of an overloaded flow never get that far.
    pub(super) packet: u32,
}

pub(super) const UNDRAWN: u32 = u32::MAX;

/// The FIFOs of one class, one per priority.
#[derive(Debug, Default, Clone)]
pub(super) struct Levels {
    pub(super) fifos: Box<[VecDeque<Waiting>]>,
    /// Which of them hold packets: a bit each.
    pub(super) filled: Box<[u64]>,
}

impl Levels {
    pub(super) fn new(levels: usize) -> Self {
        Self { fifos: vec![VecDeque::new(); levels].into(), filled: vec![0; levels.div_ceil(64)].into() }
    }

    #[inline]
    pub(super) fn mark(&mut self, level: u8) {
        let (word, bit) = (usize::from(level) / 64, 1 << (level % 64));
        if self.fifos[usize::from(level)].is_empty() {
            self.filled[word] &= !bit;
        } else {
            self.filled[word] |= bit;
        }
    }

    /// Appends a packet: oldest first, of one cycle the lowest flow first.
    #[inline]
    pub(super) fn push(&mut self, level: u8, waiting: Waiting) {
        let fifo = &mut self.fifos[usize::from(level)];
        let mut place = fifo.len();
        while place > 0 && (fifo[place - 1].generated, fifo[place - 1].flow) > (waiting.generated, waiting.flow) {
            place -= 1;
        }
        if place == fifo.len() {
            fifo.push_back(waiting)
        } else {
            fifo.insert(place, waiting)
        }
        self.mark(level);
    }

    /// Puts a packet back where it was: before all that are not older. Others may have inherited its priority meanwhile.
    pub(super) fn put_back(&mut self, level: u8, waiting: Waiting) {
        let fifo = &mut self.fifos[usize::from(level)];
        let older = |other: &Waiting| (other.generated, other.flow) < (waiting.generated, waiting.flow);
        fifo.insert(fifo.partition_point(older), waiting);
        self.mark(level);
    }

    /// Takes out a packet, which is nearly always the first one.
    #[inline]
    pub(super) fn remove(&mut self, level: u8, packet: u32) {
        let fifo = &mut self.fifos[usize::from(level)];
        let place = fifo.iter().position(|waiting| waiting.packet == packet).expect("the head waits in its FIFO");
        fifo.remove(place);
        self.mark(level);
    }

    #[inline]
    pub(super) fn front(&self, level: u8) -> Option<&Waiting> {
        self.fifos[usize::from(level)].front()
    }

    /// The levels that hold packets.
    #[inline]
    pub(super) fn set(&self) -> [u64; 4] {
        let mut set = [0; 4];
        for (word, &filled) in set.iter_mut().zip(&self.filled) {
            *word = filled;
        }
        set
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let held: usize = self.fifos.iter().map(|fifo| fifo.capacity() * size_of::<Waiting>()).sum();
        held + size_of_val(&*self.fifos) + size_of_val(&*self.filled)
    }
}

impl Levels {
    pub(super) fn encode(&self, node: u32, encoder: &mut Encoder<'_>) {
        let Self { fifos, filled: _ } = self;
        for fifo in fifos {
            encoder.len(fifo.len());
            for &Waiting { generated, flow, packet } in fifo {
                encoder.generated(node, generated);
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
pub(super) fn highest(set: &[u64; 4]) -> Option<u8> {
    (0..4).rev().find(|&word| set[word] != 0).map(|word| (word * 64) as u8 + 63 - set[word].leading_zeros() as u8)
}
