//! A receive queue that a switch empties: what a port of a protocol that follows its queues holds
//! (docs/explanation/network-model.md, "Protocols that follow queues, on networks").

use std::collections::VecDeque;

use smallvec::SmallVec;

use crate::queues::buffers::Buffers;
use crate::values::{Class, Encode, Encoder, Release};

/// Packets of a class that a port has offered to its B-Link at most: one is moved, and the next one is there when it
/// has been. No other port takes what has been offered.
pub(crate) const OFFERED: usize = 2;

/// The state of a switch as far as it concerns a port's receive queue.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Offers {
    pub(crate) buffers: Buffers,
    /// May a packet be moved before all of it is there?
    pub(crate) cuts_through: bool,
    /// Numbers of the packets of each class that have been offered, which are the first of their queue.
    offered: [SmallVec<[u32; OFFERED]>; 2],
    /// Cycle from which on each class may offer another one.
    since: [u64; 2],
    next_number: u32,
    /// Buffers that the switch frees, in order.
    pub(crate) releases: VecDeque<Release>,
}

impl Offers {
    pub(crate) fn new(buffers: Buffers, cuts_through: bool) -> Self {
        Self {
            buffers,
            cuts_through,
            offered: Default::default(),
            since: [0; 2],
            next_number: 0,
            releases: VecDeque::new(),
        }
    }

    /// Packets of a class that have been offered.
    pub(crate) fn count(&self, class: Class) -> usize {
        self.offered[class as usize].len()
    }

    /// The cycle from which on a class may offer another packet, if it may.
    pub(crate) fn open_since(&self, class: Class) -> Option<u64> {
        (self.count(class) < OFFERED).then_some(self.since[class as usize])
    }

    /// One more packet of a class is offered.
    pub(crate) fn offer(&mut self, class: Class) {
        self.offered[class as usize].push(self.next_number);
        // Only compared with those of the few packets offered at a time, so that numbers may begin again.
        self.next_number = self.next_number.wrapping_add(1);
    }

    /// Number of the packet that was offered last.
    pub(crate) fn last_number(&self) -> u32 {
        self.next_number.wrapping_sub(1)
    }

    /// Are these packets, which its switch is to move, among those of a class that have been offered, each once, beside
    /// those that it has moved?
    pub(crate) fn are_of(&self, class: Class, numbers: impl Iterator<Item = u32>) -> bool {
        let mut left = self.offered[class as usize].clone();
        let moved = self.releases.iter().filter(|release| release.class == class).map(|release| release.number);
        let mut take = |number| left.iter().position(|&other| other == number).map(|place| left.remove(place));
        numbers.chain(moved).all(|number| take(number).is_some())
    }

    /// The switch has moved a packet: its place among those offered.
    pub(crate) fn release(&mut self, release: &Release) -> usize {
        let offered = &mut self.offered[release.class as usize];
        let place = offered.iter().position(|&number| number == release.number);
        let place = place.expect("the switch moves what has been offered");
        offered.remove(place);
        self.since[release.class as usize] = release.cycle;
        place
    }

    /// The number of a packet as it is written in a state: packets offered since.
    pub(crate) fn since_offer(&self, number: u32) -> u32 {
        self.next_number.wrapping_sub(number)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.releases.capacity() * size_of::<Release>()
    }
}

impl Encode for Offers {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        for (offered, &since) in self.offered.iter().zip(&self.since) {
            encoder.len(offered.len());
            offered.iter().for_each(|&number| encoder.put(self.since_offer(number)));
            encoder.due(since);
        }
        encoder.len(self.releases.len());
        for &Release { cycle, class, priority, number } in &self.releases {
            encoder.due(cycle);
            encoder.put(class as u8);
            encoder.put(priority);
            encoder.put(self.since_offer(number));
        }
    }
}
