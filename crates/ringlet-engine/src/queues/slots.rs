//! Transmit slots: what an interface holds until it is accepted, and what fills a host's
//! (docs/explanation/network-model.md, "Interfaces").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ringlet_engine_derive::Encode;
use smallvec::SmallVec;

use crate::queues::fifo::{Fifo, heap_bytes};
use crate::queues::levels::Waiting;
use crate::queues::port::Port;
use crate::spec::{FillGroupsSpec, HostSpec, SlotChoice};
use crate::values::{Class, Encode, Encoder, UNDRAWN};

/// Slots that are taken, as a rule.
const FEW: usize = 4;

/// The transmit side of an interface with slots.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct TransmitSlots {
    choice: SlotChoice,
    /// In the order of their packets' indices: responses that find their ring full may fill thousands.
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

/// The bus that fills a host's slots.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Filler {
    /// Requests that wait for a slot.
    waiting: Fifo<Waiting>,
    free: u32,
    /// Picoseconds at which the host's bus is free.
    bus_free_ps: u64,
    serial_ps: u64,
    latency_ps: u64,
    symbol_ps: u64,
    groups: Option<FillGroupsSpec>,
    /// Packets filled of the group at hand.
    filled: u32,
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
        let filler = Filler {
            waiting: Fifo::default(),
            free: slots,
            bus_free_ps: 0,
            serial_ps: spec.fill_serial_ps,
            latency_ps: spec.fill_ps,
            symbol_ps,
            groups: spec.groups,
            filled: 0,
        };
        Self::new(choice, Kind::Host(filler))
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
        !self.coming.is_empty() || matches!(&self.kind, Kind::Host(filler) if !filler.waiting.is_empty())
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

    /// The packet beside which no other of its class is sent.
    pub(crate) fn only(&self, class: Class) -> Option<u32> {
        self.refused[class as usize]
    }

    /// The packet beside which no other of its class was sent has been accepted: `next` is the one refused first of
    /// those that wait to be sent again.
    pub(crate) fn wait_for(&mut self, next: Option<u32>, class: Class) {
        self.refused[class as usize] = next;
    }

    /// A packet has been accepted in cycle `now`: its slot is free.
    pub(crate) fn free_slot(&mut self, packet: u32, class: Class, now: u64) {
        let place = self.place_of(packet).expect("a packet holds a slot until it is accepted");
        self.free_numbers.push(Reverse(self.slots.remove(place).number));
        match &mut self.kind {
            Kind::Port(port) => port.freed.push((now, class)),
            Kind::Host(filler) => filler.free += u32::from(class == Class::Request),
        }
    }

    /// The emission of a packet begins.
    pub(crate) fn sent(&mut self, again: bool) {
        if let Kind::Port(port) = &mut self.kind {
            port.sent_packets += u64::from(!again);
            port.retries += u64::from(again);
        }
    }

    /// Of the packets that have not been sent, in the order in which they became ready, so many from the first one on
    /// have to be looked at: slots are taken in that order, too, and thousands of responses may wait.
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
            Kind::Host(filler) => filler.waiting.heap_bytes(),
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

impl Encode for Filler {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.len(self.waiting.len());
        for waiting in self.waiting.iter() {
            encoder.put(waiting.flow);
            if waiting.packet != UNDRAWN {
                encoder.packet(waiting.packet);
            }
        }
        encoder.put(self.free);
        encoder.due_ps(self.bus_free_ps, self.symbol_ps);
        encoder.put(self.filled);
    }
}

impl Filler {
    /// Requests that still find room: a free slot, or one of `capacity` places to wait for one.
    pub(crate) fn room(&self, capacity: u64) -> u64 {
        capacity.saturating_add(u64::from(self.free)).saturating_sub(self.waiting.len() as u64)
    }

    pub(crate) fn wait(&mut self, request: Waiting) {
        self.waiting.push(request);
    }

    /// The request that takes a free slot, if there are both.
    pub(crate) fn next(&mut self) -> Option<Waiting> {
        if self.free == 0 {
            return None;
        }
        let next = self.waiting.take_first()?;
        self.free -= 1;
        Some(next)
    }

    /// Filling begins in cycle `now` at the earliest; returns the cycle in which the packet is ready.
    pub(crate) fn fill(&mut self, now: u64) -> u64 {
        let start = self.bus_free_ps.max(now * self.symbol_ps);
        self.bus_free_ps = start + self.serial_ps;
        (self.bus_free_ps + self.latency_ps).div_ceil(self.symbol_ps)
    }

    /// The same for a request, the first of its message or not: what its group takes besides comes before it.
    pub(crate) fn fill_request(&mut self, now: u64, first: bool) -> u64 {
        if let Some(groups) = self.groups {
            if first || self.filled == groups.packets {
                self.filled = 0;
            }
            let set_up = if self.filled == 0 { groups.set_up_ps } else { 0 };
            let crowded = if self.filled >= groups.uncrowded { groups.crowded_ps } else { 0 };
            self.filled += 1;
            self.bus_free_ps = self.bus_free_ps.max(now * self.symbol_ps) + set_up + crowded;
        }
        self.fill(now)
    }

    /// The cycle from which on the host's bus is free.
    pub(crate) fn free_at(&self) -> u64 {
        self.bus_free_ps.div_ceil(self.symbol_ps)
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
                held.free_slot(packet, Class::Request, u64::from(step));
            }
            let candidates = expected.iter().map(|&(packet, _)| Candidate { packet, refused: false, at: 0 });
            let chosen = held.choose(candidates).map(|chosen| chosen.packet);
            assert_eq!(chosen, expected.iter().min_by_key(|slot| slot.1).map(|slot| slot.0));
        }
    }
}
