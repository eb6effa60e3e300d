//! One class's input queue of a node, with its server.

use std::cmp::Reverse;

use ringlet_engine::spec::NetworkSpec;

use super::reservation::{Phase, Reservation};
use super::symbol::PacketSymbol;

/// A packet that holds a place.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// First symbol of the entry's packet, with the priority that it has now.
    first: PacketSymbol,
    /// Cycle from which on it may be served.
    complete: u64,
    /// Cycle in which its service ends, once it has started.
    end: Option<u64>,
}

/// Packets being received, waiting or in service, one server.
#[derive(Debug)]
pub(crate) struct InputQueue {
    capacity: Option<u32>,
    service_cycles: u64,
    /// In the order of acceptance.
    held: Vec<Held>,
    reservation: Option<Reservation>,
}

impl InputQueue {
    pub(crate) fn new(spec: &NetworkSpec, node: usize) -> Self {
        let own = spec.queues.receive.of(node as u32);
        Self {
            capacity: own.capacity,
            service_cycles: own.service_cycles,
            held: Vec::new(),
            reservation: spec.queues.reservation.then(Reservation::new),
        }
    }

    /// Places taken.
    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    /// Places free, less those promised to others; may be negative. Unlimited queues always have one.
    pub(crate) fn free(&self, promised: u32) -> i64 {
        let capacity = self.capacity.map_or(i64::MAX / 2, i64::from);
        capacity - self.held.len() as i64 - i64::from(promised)
    }

    /// A packet in this phase is accepted if there is a place.
    pub(crate) fn admits(&self, phase: Phase) -> bool {
        self.reservation.as_ref().is_none_or(|reservation| reservation.admits(phase))
    }

    /// Takes the packet whose first symbol comes in in cycle `cycle`.
    pub(crate) fn accept(&mut self, first: PacketSymbol, cycle: u64) {
        assert!(self.free(0) > 0, "no place for packet {}", first.packet);
        if let Some(reservation) = &mut self.reservation {
            reservation.accepted();
        }
        let complete = cycle + u64::from(first.length);
        self.held.push(Held { first, complete, end: None });
    }

    /// Refuses a packet in this phase; its phase from now on.
    pub(crate) fn refuse(&mut self, phase: Phase) -> Phase {
        self.reservation.as_mut().map_or(phase, |reservation| reservation.refused(phase))
    }

    /// A packet of lower priority holds a place.
    pub(crate) fn holds_below(&self, priority: u8) -> bool {
        self.held.iter().any(|held| held.first.priority < priority)
    }

    /// The packet that the server takes next, if it is idle.
    pub(crate) fn next(&self, cycle: u64) -> Option<usize> {
        if self.held.iter().any(|held| held.end.is_some()) {
            return None;
        }
        let complete = self.held.iter().filter(|held| held.complete <= cycle);
        complete.min_by_key(|held| (Reverse(held.first.priority), held.complete)).map(|held| held.first.packet)
    }

    /// The service of this packet starts. Its first symbol.
    pub(crate) fn start(&mut self, packet: usize, cycle: u64) -> PacketSymbol {
        let held = self.held.iter_mut().find(|held| held.first.packet == packet).expect("a packet that waits");
        held.end = Some(cycle + self.service_cycles);
        held.first
    }

    /// Ends a service that is over by this cycle: the packet's first symbol.
    pub(crate) fn end(&mut self, cycle: u64) -> Option<PacketSymbol> {
        let place = self.held.iter().position(|held| held.end.is_some_and(|end| end <= cycle))?;
        Some(self.held.remove(place).first)
    }

    /// PPQ: makes room for a packet of this priority by giving up a complete packet of lower priority that waits.
    pub(crate) fn preempt(&mut self, priority: u8, cycle: u64) -> Option<PacketSymbol> {
        let waiting = self.held.iter().enumerate().filter(|(_, held)| held.end.is_none() && held.complete <= cycle);
        let lower = waiting.filter(|(_, held)| held.first.priority < priority);
        let (place, _) = lower.min_by_key(|(_, held)| (held.first.priority, Reverse(held.complete)))?;
        Some(self.held.remove(place).first)
    }

    /// PPQ: a packet, if it is here, inherits a priority; in service only with `in_service`.
    pub(crate) fn raise(&mut self, packet: usize, priority: u8, in_service: bool) {
        let is_named = |held: &&mut Held| held.first.packet == packet && (in_service || held.end.is_none());
        for held in self.held.iter_mut().filter(is_named) {
            held.first.priority = held.first.priority.max(priority);
        }
    }

    /// Packets complete by this cycle, but for the one in service unless `in_service`.
    pub(crate) fn complete(&self, cycle: u64, but_in_service: bool) -> Vec<usize> {
        let complete = self.held.iter().filter(|held| held.complete <= cycle);
        complete.filter(|held| !(but_in_service && held.end.is_some())).map(|held| held.first.packet).collect()
    }
}
