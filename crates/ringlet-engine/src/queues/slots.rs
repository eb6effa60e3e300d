//! Transmit slots: what an interface holds until it is accepted (docs/explanation/network-model.md, "Interfaces").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ringlet_engine_derive::Encode;
use smallvec::SmallVec;

use crate::queues::fifo::{Fifo, heap_bytes};
use crate::queues::filler::Filler;
use crate::queues::port::Port;
use crate::spec::{HostSpec, SlotChoice};
use crate::values::{Class, Encode, Encoder};

/// Slots that are taken, as a rule.
const FEW: usize = 4;

/// The transmit side of an interface with slots.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct TransmitSlots {
    choice: SlotChoice,
    /// Slots in the order of their packets' indices: responses that find their ring full may fill thousands.
    slots: SmallVec<[Slot; FEW]>,
    /// Numbers below `numbers` that no slot has; those from there on have never been given.
    free_numbers: BinaryHeap<Reverse<u32>>,
    numbers: u32,
    /// Slots taken so far.
    taken: u64,
    /// The packet of each class beside which no other of it is sent, since it is being refused.
    refused: [Option<u32>; 2],
    /// Packets that will be ready later, in that order.
    coming: Fifo<Coming>,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) enum Kind {
    Port(Port),
    Host(Filler),
}

/// A slot that is taken.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Slot {
    packet: u32,
    /// Lowest number that was free.
    number: u32,
    /// Slots taken before.
    order: u64,
}

/// A packet that will be ready.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Coming {
    #[encode(due)]
    pub(crate) ready: u64,
    #[encode(packet)]
    pub(crate) packet: u32,
    pub(crate) class: Class,
    pub(crate) priority: u8,
}

/// A packet that could be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) packet: u32,
    pub(crate) refused: bool,
    /// Cycle in which it was ready, or refused.
    pub(crate) at: u64,
}

impl TransmitSlots {
    pub(crate) fn of_port(choice: SlotChoice, port: Port) -> Self {
        Self::new(choice, Kind::Port(port))
    }

    pub(crate) fn of_host(choice: SlotChoice, spec: &HostSpec, slots: u32, symbol_ps: u64) -> Self {
        Self::new(choice, Kind::Host(Filler::new(spec, slots, symbol_ps)))
    }

    fn new(choice: SlotChoice, kind: Kind) -> Self {
        Self {
            choice,
            slots: SmallVec::new(),
            free_numbers: BinaryHeap::new(),
            numbers: 0,
            taken: 0,
            refused: [None; 2],
            coming: Fifo::default(),
            kind,
        }
    }

    pub(crate) fn port(&self) -> Option<&Port> {
        match &self.kind {
            Kind::Port(port) => Some(port),
            Kind::Host(_) => None,
        }
    }

    pub(crate) fn port_mut(&mut self) -> Option<&mut Port> {
        match &mut self.kind {
            Kind::Port(port) => Some(port),
            Kind::Host(_) => None,
        }
    }

    pub(crate) fn is_port(&self) -> bool {
        matches!(self.kind, Kind::Port(_))
    }

    /// Does anything wait for a slot, or to be ready?
    pub(crate) fn is_filling(&self) -> bool {
        !self.coming.is_empty() || matches!(&self.kind, Kind::Host(filler) if filler.has_waiting())
    }

    /// Cycle in which the oldest packet was generated that waits for a slot.
    pub(crate) fn oldest_waiting(&self) -> Option<u64> {
        match &self.kind {
            Kind::Host(filler) => filler.oldest(),
            Kind::Port(_) => None,
        }
    }

    pub(crate) fn filler(&mut self) -> Option<&mut Filler> {
        match &mut self.kind {
            Kind::Host(filler) => Some(filler),
            Kind::Port(_) => None,
        }
    }

    /// A packet will be ready in a later cycle.
    pub(crate) fn await_packet(&mut self, coming: Coming) {
        let before = self.coming.iter().rposition(|other| other.ready <= coming.ready);
        self.coming.insert(before.map_or(0, |place| place + 1), coming);
    }

    /// Does a packet hold a slot?
    pub(crate) fn holds(&self, packet: u32) -> bool {
        self.place_of(packet).is_ok()
    }

    /// Packets that hold a slot, in the order of their indices unless the slots were damaged.
    pub(crate) fn held(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().map(|slot| slot.packet)
    }

    /// Packets that will be ready later.
    pub(crate) fn coming(&self) -> impl Iterator<Item = &Coming> {
        self.coming.iter()
    }

    /// Packets that have a slot and for which the bus will be requested.
    pub(crate) fn bus_requests(&self) -> impl Iterator<Item = u32> {
        let filler = match &self.kind {
            Kind::Host(filler) => Some(filler),
            Kind::Port(_) => None,
        };
        filler.into_iter().flat_map(Filler::bus_requests)
    }

    /// The packets beside which no others of their classes are sent.
    pub(crate) fn refused(&self) -> impl Iterator<Item = u32> {
        self.refused.into_iter().flatten()
    }

    /// The packet that is ready first.
    pub(crate) fn take_coming(&mut self) -> Coming {
        self.coming.take_first().expect("an arrival was announced for each")
    }

    /// A packet takes a slot.
    pub(crate) fn take_slot(&mut self, packet: u32) {
        let number = self.free_numbers.pop().map_or(self.numbers, |Reverse(number)| number);
        self.numbers = self.numbers.max(number + 1);
        let place = self.place_of(packet).expect_err("a packet takes one slot");
        self.slots.insert(place, Slot { packet, number, order: self.taken });
        self.taken += 1;
    }

    /// The place of the slot of a packet; as an error, that at which it would stand.
    #[inline]
    fn place_of(&self, packet: u32) -> Result<usize, usize> {
        self.slots.binary_search_by_key(&packet, |slot| slot.packet)
    }

    /// A packet has been refused; returns whether no other of its class may be sent from now on.
    pub(crate) fn refuse(&mut self, packet: u32, class: Class) -> bool {
        let waits = self.choice == SlotChoice::StopAndWait;
        if waits {
            self.refused[class as usize].get_or_insert(packet);
        }
        waits
    }

    /// Could another packet be head in the cycle in which this one of a class is accepted?
    #[inline]
    pub(crate) fn waits_for(&self, packet: u32, class: Class) -> bool {
        self.only(class) == Some(packet) || matches!(&self.kind, Kind::Host(filler) if filler.fills_at_once())
    }

    /// The packet beside which no other of its class is sent.
    pub(crate) fn only(&self, class: Class) -> Option<u32> {
        self.refused[class as usize]
    }

    /// The packet beside which no other of its class was sent has been accepted: `next` is the one refused first of
    /// those that wait to be sent again.
    pub(crate) fn wait_for(&mut self, next: Option<u32>, class: Class) {
        self.refused[class as usize] = next;
    }

    /// A packet of a flow has been accepted in cycle `now`: its slot is free.
    #[inline]
    pub(crate) fn free_slot(&mut self, packet: u32, (class, flow): (Class, u32), now: u64) {
        let place = self.place_of(packet).expect("a packet holds a slot until it is accepted");
        self.free_numbers.push(Reverse(self.slots.remove(place).number));
        match &mut self.kind {
            Kind::Port(port) => port.freed.push((now, class)),
            Kind::Host(filler) if class == Class::Request => filler.free_slot(flow),
            Kind::Host(_) => {}
        }
    }

    /// The emission of a packet begins.
    pub(crate) fn sent(&mut self, again: bool) {
        if let Kind::Port(port) = &mut self.kind {
            port.sent_packets += u64::from(!again);
            port.retries += u64::from(again);
        }
    }

    /// Returns how many packets have to be looked at, from the first one on, of those not yet sent, in the order in
    /// which they became ready. Slots are taken in that order, too, and thousands of responses may wait.
    pub(crate) fn looked_at(&self) -> usize {
        match self.choice {
            SlotChoice::LowestSlot | SlotChoice::NewestFirst => usize::MAX,
            _ => 1,
        }
    }

    /// Chooses which of these packets is sent.
    pub(crate) fn choose(&self, candidates: impl Iterator<Item = Candidate>) -> Option<Candidate> {
        let slot = |packet| &self.slots[self.place_of(packet).expect("it holds a slot")];
        candidates.min_by_key(|&Candidate { packet, refused, at }| {
            let &Slot { number, order, .. } = slot(packet);
            match self.choice {
                SlotChoice::RetriesFirst | SlotChoice::StopAndWait => (u64::from(!refused), at, order),
                SlotChoice::OldestFirst => (order, 0, 0),
                SlotChoice::Requeue => (at, order, 0),
                SlotChoice::NewFirst => (u64::from(refused), at, order),
                SlotChoice::LowestSlot => (u64::from(number), 0, 0),
                SlotChoice::NewestFirst => (u64::MAX - order, 0, 0),
            }
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let kind = match &self.kind {
            Kind::Port(port) => port.heap_bytes(),
            Kind::Host(filler) => filler.heap_bytes(),
        };
        let numbers = self.free_numbers.capacity() * size_of::<u32>();
        heap_bytes(&self.slots) + numbers + self.coming.heap_bytes() + kind
    }
}

impl Encode for TransmitSlots {
    /// Slots stand in the order in which they were taken. Which numbers are free follows from those that are not.
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let mut slots = self.slots.clone();
        slots.sort_unstable_by_key(|slot| slot.order);
        encoder.len(slots.len());
        for &Slot { packet, number, order: _ } in &slots {
            encoder.packet(packet);
            if self.choice == SlotChoice::LowestSlot {
                encoder.put(number);
            }
        }
        for refused in self.refused {
            encoder.put(refused.is_some());
            refused.into_iter().for_each(|packet| encoder.packet(packet));
        }
        self.coming.encode(encoder);
        match &self.kind {
            Kind::Port(port) => port.encode(encoder),
            Kind::Host(filler) => filler.encode(encoder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queues::Buffers;
    use crate::spec::BuffersSpec;

    /// Slots that are freed in any order: each takes the lowest number, and is found, whatever its packet's index.
    #[test]
    fn a_slot_has_the_lowest_free_number() {
        let port =
            Port::new(0, Buffers::new(BuffersSpec { requests: 9, responses: 9, pooled: false }), false, None, false);
        let mut held = TransmitSlots::of_port(SlotChoice::LowestSlot, port);
        let mut expected: Vec<(u32, u32)> = Vec::new();
        let mut seed = 1u32;
        for step in 0..4_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if expected.is_empty() || seed >> 30 != 0 && expected.len() < 60 {
                // Indices of an arena come in any order.
                let packet = step.reverse_bits();
                let number = (0..).find(|number| expected.iter().all(|slot| slot.1 != *number)).expect("one is free");
                expected.push((packet, number));
                held.take_slot(packet);
            } else {
                let (packet, _) = expected.swap_remove(seed as usize % expected.len());
                held.free_slot(packet, (Class::Request, 0), u64::from(step));
            }
            let candidates = expected.iter().map(|&(packet, _)| Candidate { packet, refused: false, at: 0 });
            let chosen = held.choose(candidates).map(|chosen| chosen.packet);
            assert_eq!(chosen, expected.iter().min_by_key(|slot| slot.1).map(|slot| slot.0));
        }
    }
}
