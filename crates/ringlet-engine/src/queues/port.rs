//! A switch port on its ring: buffers that its switch empties, and what each is told of the other
//! (docs/network-model.md, "Switches").

use std::collections::VecDeque;

use crate::queues::buffers::Buffers;
use crate::results::Population;
use crate::values::{Class, Phase, Reservations, Transit};

/// What a node that is a port holds besides its transmit slots.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    capacity: Buffers,
    /// Buffers taken, less those whose release has been counted.
    used: [u32; 2],
    reservations: [Reservations; 2],
    /// The next link controller of the cascade: its place.
    pub(crate) next_link: Option<u16>,
    /// What was accepted since the switch has last looked.
    pub(crate) arrivals: Vec<Arrival>,
    /// Cycles in which the switch frees a buffer, and in which one was taken, in order: of those not yet counted.
    pub(crate) releases: VecDeque<(u64, Class)>,
    entries: VecDeque<u64>,
    pub(crate) accepted_packets: u64,
    /// Transmit slots that became free since the switch has last looked: cycle and class.
    pub(crate) freed: Vec<(u64, Class)>,
    pub(crate) sent_packets: u64,
    pub(crate) retries: u64,
}

/// A packet accepted by a port.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// Cycle of its first symbol.
    pub(crate) head: u64,
    /// Port of the switch through which it leaves.
    pub(crate) exit: u16,
    pub(crate) transit: Transit,
}

impl Port {
    pub(crate) fn new(capacity: Buffers, next_link: Option<u16>) -> Self {
        Self {
            capacity,
            used: [0; 2],
            reservations: [Reservations::default(); 2],
            next_link,
            arrivals: Vec::new(),
            releases: VecDeque::new(),
            entries: VecDeque::new(),
            accepted_packets: 0,
            freed: Vec::new(),
            sent_packets: 0,
            retries: 0,
        }
    }

    /// Starts the counts again.
    pub(crate) fn reset(&mut self) {
        (self.accepted_packets, self.sent_packets, self.retries) = (0, 0, 0);
    }

    /// Counts buffers taken and freed before cycle `known_to`, up to which all that the switch frees is known.
    pub(crate) fn count(&mut self, known_to: u64, population: &mut Population) {
        loop {
            let entry = self.entries.front().copied().unwrap_or(u64::MAX);
            if let Some(&(at, class)) = self.releases.front()
                && at <= entry
                && at < known_to
            {
                self.releases.pop_front();
                self.used[self.capacity.index(class)] -= 1;
                population.leave(at);
            } else if entry < known_to {
                self.entries.pop_front();
                population.enter(entry);
            } else {
                return;
            }
        }
    }

    /// The phase that a busy echo gives a packet of this class and phase which arrives in cycle `now`; `None`: it has a
    /// place.
    pub(crate) fn refuses(&mut self, class: Class, phase: Phase, reserves: bool, now: u64) -> Option<Phase> {
        let has_place = self.places(class, now) > 0;
        if reserves {
            self.reservations[class as usize].arrive(phase, has_place)
        } else {
            (!has_place).then_some(Phase::NoTry)
        }
    }

    /// Takes a packet into a buffer.
    pub(crate) fn accept(&mut self, arrival: Arrival) {
        self.used[self.capacity.index(arrival.transit.class)] += 1;
        self.accepted_packets += 1;
        self.entries.push_back(arrival.head);
        self.arrivals.push(arrival);
    }

    /// Buffers of a class that are free in cycle `now`, as far as is known: the switch may have freed more.
    pub(crate) fn places(&self, class: Class, now: u64) -> u32 {
        let pool = self.capacity.index(class);
        let is_free = |&&(at, of): &&(u64, Class)| at <= now && self.capacity.index(of) == pool;
        let freed = self.releases.iter().take_while(|release| release.0 <= now).filter(is_free).count() as u32;
        self.capacity.size(class) + freed - self.used[pool]
    }

    /// Packets that find a place from cycle `now` on, whatever their classes and whatever the switch does.
    pub(crate) fn least_places(&self, now: u64) -> u32 {
        Class::ALL.map(|class| self.places(class, now)).into_iter().min().unwrap_or(0)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let buffers = self.releases.capacity() + self.freed.capacity();
        let entries = self.entries.capacity() * size_of::<u64>();
        self.arrivals.capacity() * size_of::<Arrival>() + buffers * size_of::<(u64, Class)>() + entries
    }
}
