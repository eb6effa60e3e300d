//! Send packets, held in an arena from the head of the transmit queue until they are accepted.

use ringlet_engine_derive::Encode;

use crate::results::PacketView;
use crate::values::reservation::Phase;
use crate::values::run::{Kind, Run};

/// The class of a send packet (todd2001, Section 2.1: requests and responses have queues of their own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) enum Class {
    /// Begins a transaction, or is all of it.
    Request = 0,
    /// Answers a request.
    Response = 1,
}

impl Class {
    /// Both classes.
    pub(crate) const ALL: [Self; 2] = [Self::Request, Self::Response];
}

bitflags::bitflags! {
    /// Marks of what has become of a send packet.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub(crate) struct Marks: u8 {
        /// Has been granted a place by its destination.
        const GRANTED = 1;
        /// Has been accepted by its destination.
        const RECEIVED = 2;
        /// Has left the queue before: a saturated flow has made its next packet.
        const FOLLOWED = 4;
        /// Has been accepted, and only messages still name it.
        const DONE = 8;
        /// Was injected with its transmission group.
        const IN_OWN_GROUP = 16;
        /// Has been sent completely, on a ring without echoes.
        const SENT = 32;
        /// TRAIN: its destination has deleted its ticket.
        const TURNED_AWAY = 64;
        /// Is the last packet of a message with a size of its own, or answers that one.
        const LAST = 128;
    }
}

/// The part of a send packet that nodes read: a line of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
#[repr(align(64))]
pub(crate) struct Packet {
    /// Cycle in which it was generated.
    #[encode(with = encoder.generated_at(self.source, self.generated))]
    pub(crate) generated: u64,
    /// Cycle in which its request was generated: the start of its message.
    #[encode(with = encoder.tally(self.started, self.refusals.into()))]
    pub(crate) started: u64,
    /// Cycle since which it is held up at its destination by a packet of lower priority;
    /// [`NEVER`](crate::values::NEVER): it is not.
    #[encode(with = encoder.since_when(self.inverted_since))]
    pub(crate) inverted_since: u64,
    /// Flow it belongs to, or its request does: its number on this ring, or one past the ring's flows if it is from
    /// elsewhere.
    pub(crate) flow: u32,
    /// Number of its message within the flow.
    #[encode(with = encoder.message(self.network_flow, self.message))]
    pub(crate) message: u32,
    /// Times it was refused, at most [`u32::MAX`]: one for which there is never a place gets there.
    #[encode(with = encoder.refusals(self.refusals))]
    pub(crate) refusals: u32,
    /// Cycles for which packets of lower priority passed while it was head, at most [`u32::MAX`].
    #[encode(with = encoder.tally(self.generated, self.output_inversion_cycles.into()))]
    pub(crate) output_inversion_cycles: u32,
    /// Number of its flow in the network; on a single ring that of its flow.
    #[encode(when = encoder.is_network)]
    pub(crate) network_flow: u32,
    /// Place on the ring that sends it, and waits for its echo.
    pub(crate) source: u16,
    /// Place on the ring that takes it.
    pub(crate) destination: u16,
    /// Number of the packet within the message; a response has its request's.
    #[encode(when = encoder.has_copies)]
    pub(crate) part: u16,
    /// Node that it is for; on a single ring its destination.
    #[encode(when = encoder.is_network)]
    pub(crate) end: u16,
    /// Length.
    pub(crate) symbols: u16,
    /// Length of the response that its service creates, or 0.
    pub(crate) response_symbols: u16,
    /// Transmission group.
    pub(crate) group: u8,
    /// Send priority; inheritance may raise it.
    pub(crate) priority: u8,
    /// Request or response.
    pub(crate) class: Class,
    /// Stage in the ageing of refused packets.
    pub(crate) phase: Phase,
    /// Time-outs of it, in a network.
    #[encode(when = encoder.is_network)]
    pub(crate) timeouts: u8,
    /// Times that its transaction has been begun again, since no response came: of a response those of its request.
    pub(crate) attempt: u8,
    /// Messages of the protocol on their way that name it: while there is one, its index is not used again.
    pub(crate) messages: u8,
    #[encode(with = encoder.put(self.marks.difference(Marks::unread(encoder.is_network)).bits()))]
    pub(crate) marks: Marks,
}

impl Marks {
    /// Returns the marks on which nothing depends but a count, or a flow that follows another one, which is not
    /// explored: on a single ring without errors no packet comes again that was accepted.
    fn unread(is_network: bool) -> Self {
        let anywhere = Self::TURNED_AWAY | Self::LAST;
        if is_network { anywhere } else { Self::RECEIVED | anywhere }
    }
}

impl Packet {
    /// Do only messages name it?
    fn is_done(&self) -> bool {
        self.marks.contains(Marks::DONE)
    }

    /// Number in the network of another flow of its ring, by that flow's number on the ring.
    pub(crate) fn network_flow_of(&self, flow: u32) -> u32 {
        self.network_flow - self.flow + flow
    }

    /// Counts one more refusal of the packet; returns how often it has been refused.
    #[inline]
    pub(crate) fn refuse(&mut self) -> u32 {
        // Not 0 again, which a packet has that was never sent.
        self.refusals = self.refusals.saturating_add(1);
        self.refusals
    }

    /// Counts `cycles` for which the packet was held up by one of lower priority.
    #[inline]
    pub(crate) fn hold_up(&mut self, cycles: u64) {
        let cycles = u32::try_from(cycles).unwrap_or(u32::MAX);
        self.output_inversion_cycles = self.output_inversion_cycles.saturating_add(cycles);
    }

    /// The packet, as an observer sees it.
    pub(crate) fn view(&self) -> PacketView {
        PacketView {
            flow: self.flow,
            message: self.message,
            part: self.part,
            response: self.class == Class::Response,
            source: self.source.into(),
            destination: self.destination.into(),
            symbols: self.symbols.into(),
            priority: self.priority,
            group: self.group,
            generated: self.generated,
        }
    }
}

/// An index in place of a packet's that waits and has not been drawn.
pub(crate) const UNDRAWN: u32 = u32::MAX;

/// Packets by index; freed places are used again.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
    /// Places of packets that are done but for the messages that name them.
    named: u32,
}

impl Packets {
    /// Stores a packet and returns its index.
    pub(crate) fn insert(&mut self, packet: Packet) -> u32 {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = packet;
            index
        } else {
            self.slots.push(packet);
            (self.slots.len() - 1) as u32
        }
    }

    /// The packet may be removed, once no message on its way names its place.
    pub(crate) fn remove(&mut self, index: u32) {
        let packet = &mut self[index];
        if packet.messages == 0 {
            self.free.push(index);
        } else {
            packet.marks.insert(Marks::DONE);
            self.named += 1;
        }
    }

    /// Marks a packet, on a ring without echoes, as sent completely or as accepted, whichever this mark says; behind
    /// both it is done. Its destination may accept it before its sender comes to its end.
    #[cold]
    #[inline(never)]
    pub(crate) fn finish(&mut self, index: u32, mark: Marks) {
        let marks = &mut self[index].marks;
        marks.insert(mark);
        if marks.contains(Marks::SENT | Marks::RECEIVED) {
            self.remove(index);
        }
    }

    /// A message that names this packet is back at the node that has made it.
    pub(crate) fn end_message(&mut self, index: u32) {
        let packet = &mut self[index];
        packet.messages -= 1;
        if packet.marks.contains(Marks::DONE) && packet.messages == 0 {
            self.named -= 1;
            self.free.push(index);
        }
    }

    /// The echo of a packet, of so many symbols. It goes to the place on the ring that has sent the packet, which in a
    /// network is not the node that the packet comes from.
    pub(crate) fn echo(&self, index: u32, kind: Kind, symbols: u32) -> Run {
        Run { len: symbols, value: index, target: self[index].source, kind, group: 0 }
    }

    /// Says of each place whether it is free; `None`: one is free twice, as no arena is that was not damaged.
    pub(crate) fn free_places(&self) -> Option<Vec<bool>> {
        let mut is_free = vec![false; self.slots.len()];
        let once = self.free.iter().all(|&index| {
            let place = is_free.get_mut(index as usize);
            place.is_some_and(|place| !std::mem::replace(place, true))
        });
        once.then_some(is_free)
    }

    /// Places of packets, free ones included.
    pub(crate) fn places(&self) -> usize {
        self.slots.len()
    }

    /// Packets held.
    pub(crate) fn held(&self) -> usize {
        self.slots.len() - self.free.len() - self.named as usize
    }

    /// Cycle in which the oldest packet held was generated; in a network, a cycle of the network.
    pub(crate) fn oldest(&self) -> Option<u64> {
        let mut is_held = vec![true; self.slots.len()];
        self.free.iter().for_each(|&index| is_held[index as usize] = false);
        let held = self.slots.iter().zip(is_held).filter(|(packet, is_held)| *is_held && !packet.is_done());
        held.map(|(packet, _)| packet.generated).min()
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Packet>() + self.free.capacity() * size_of::<u32>()
    }
}

impl std::ops::Index<u32> for Packets {
    type Output = Packet;

    #[inline]
    fn index(&self, index: u32) -> &Packet {
        &self.slots[index as usize]
    }
}

impl std::ops::IndexMut<u32> for Packets {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Packet {
        &mut self.slots[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet() -> Packet {
        Packet {
            generated: 0,
            started: 0,
            inverted_since: 0,
            flow: 0,
            message: 0,
            refusals: 0,
            output_inversion_cycles: 0,
            network_flow: 0,
            source: 0,
            destination: 1,
            part: 0,
            end: 1,
            symbols: 40,
            response_symbols: 0,
            group: 0,
            priority: 0,
            class: Class::Request,
            phase: Phase::NoTry,
            timeouts: 0,
            attempt: 0,
            messages: 0,
            marks: Marks::empty(),
        }
    }

    /// A packet refused four billion times, which a simulated hour reaches, would be one that was never sent.
    #[test]
    fn refusals_do_not_begin_again() {
        let mut packet = Packet { refusals: u32::MAX - 1, ..packet() };
        assert_eq!([packet.refuse(), packet.refuse(), packet.refuse()], [u32::MAX; 3]);
    }

    #[test]
    fn the_time_that_a_packet_is_held_up_does_not_begin_again() {
        let mut packet = Packet { output_inversion_cycles: u32::MAX - 41, ..packet() };
        packet.hold_up(41);
        packet.hold_up(41);
        assert_eq!(packet.output_inversion_cycles, u32::MAX);
        packet.hold_up(1 << 40);
        assert_eq!(packet.output_inversion_cycles, u32::MAX);
    }
}
