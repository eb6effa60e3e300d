//! A switch port on its ring: buffers that its switch empties, and the messages between both
//! (docs/explanation/network-model.md, "Switches").

use std::collections::VecDeque;

use crate::queues::buffers::Buffers;
use crate::queues::offers::Offers;
use crate::results::{Inversions, Inverted, Population};
use crate::values::{Class, Encode, Encoder, Phase, Release, Reservations, Transit};

/// The state of a node that is a port, besides its transmit slots.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Port {
    /// Number of the port at its switch.
    pub(crate) number: u16,
    capacity: Buffers,
    /// Buffers taken, less those whose release has been counted.
    used: [u32; 2],
    /// Priorities of the packets in them, of each class, where there are several.
    priorities: Option<Box<[Vec<u8>; 2]>>,
    reservations: [Reservations; 2],
    /// May a packet be moved before all of it is there?
    pub(crate) cuts_through: bool,
    /// The next link controller of the cascade: its place.
    pub(crate) next_link: Option<u16>,
    /// Link controllers of a cascade in which each has its turn, and whose turn it is, at the first of them.
    turns: Option<(u16, u16)>,
    /// Packets accepted since the switch last took them over.
    pub(crate) arrivals: Vec<Arrival>,
    /// Cycles in which the switch frees a buffer, and in which one was taken, in order: of those not yet counted.
    pub(crate) releases: VecDeque<Release>,
    entries: VecDeque<u64>,
    pub(crate) accepted_packets: u64,
    /// Transmit slots that became free since the switch last took it over: cycle and class.
    pub(crate) freed: Vec<(u64, Class)>,
    pub(crate) sent_packets: u64,
    pub(crate) retries: u64,
    /// Priority inversions of the packets that the port sends.
    pub(crate) output_inversions: Inversions,
    /// Priority inversions of the packets that the port takes.
    pub(crate) input_inversions: Inversions,
}

/// A packet accepted by a port.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Arrival {
    /// Cycle from which on it may be moved, and in which all of it is there.
    pub(crate) ready: u64,
    pub(crate) complete: u64,
    /// Number that says which packet is moved.
    pub(crate) number: u32,
    /// Port of the switch through which it leaves.
    pub(crate) exit: u16,
    pub(crate) transit: Transit,
}

impl Port {
    /// `prioritised`: packets have several priorities.
    pub(crate) fn new(
        number: u16,
        capacity: Buffers,
        cuts_through: bool,
        next_link: Option<u16>,
        prioritised: bool,
    ) -> Self {
        Self {
            number,
            capacity,
            used: [0; 2],
            priorities: prioritised.then(Box::default),
            reservations: [Reservations::default(); 2],
            cuts_through,
            next_link,
            turns: None,
            arrivals: Vec::new(),
            releases: VecDeque::new(),
            entries: VecDeque::new(),
            accepted_packets: 0,
            freed: Vec::new(),
            sent_packets: 0,
            retries: 0,
            output_inversions: Inversions::default(),
            input_inversions: Inversions::default(),
        }
    }

    /// Returns the port as the first link controller of a cascade of `links`, in which each has its turn.
    pub(crate) fn in_turn(self, links: u16) -> Self {
        Self { turns: Some((links, 0)), ..self }
    }

    /// A packet comes that has not been refused here: how far behind this link controller that one is whose turn it is.
    pub(crate) fn take_turn(&mut self) -> u16 {
        let Some((links, turn)) = &mut self.turns else { return 0 };
        let taken = *turn;
        *turn = (taken + 1) % *links;
        taken
    }

    /// Returns the port's buffers for a receive queue that offers its packets; `complete`: only when all of them is
    /// there.
    pub(crate) fn offers(&self) -> Offers {
        Offers::new(self.capacity, self.cuts_through)
    }

    /// Starts the counts again.
    pub(crate) fn reset(&mut self) {
        (self.accepted_packets, self.sent_packets, self.retries) = (0, 0, 0);
        (self.output_inversions, self.input_inversions) = (Inversions::default(), Inversions::default());
    }

    /// A packet was held up here by packets of lower priority.
    pub(crate) fn invert(&mut self, at: Inverted, cycles: u64) {
        match at {
            Inverted::Output => self.output_inversions.add(cycles),
            Inverted::Input => self.input_inversions.add(cycles),
        }
    }

    /// Counts buffers taken and freed before cycle `known_to`, up to which all that the switch frees is known.
    pub(crate) fn count(&mut self, known_to: u64, population: &mut Population) {
        loop {
            let entry = self.entries.front().copied().unwrap_or(u64::MAX);
            if let Some(&Release { cycle, class, priority, .. }) = self.releases.front()
                // In one cycle what is freed comes first: a buffer that is free in a packet's cycle
                // is one for it (Section 3).
                && cycle <= entry
                && cycle < known_to
            {
                self.releases.pop_front();
                self.used[self.capacity.index(class)] -= 1;
                if let Some(held) = &mut self.priorities {
                    take_one(&mut held[class as usize], priority);
                }
                population.leave(cycle);
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

    /// Takes a packet, whose first symbol arrives in cycle `head`, into a buffer.
    pub(crate) fn accept(&mut self, head: u64, arrival: Arrival) {
        self.used[self.capacity.index(arrival.transit.class)] += 1;
        if let Some(held) = &mut self.priorities {
            held[arrival.transit.class as usize].push(arrival.transit.priority);
        }
        self.accepted_packets += 1;
        self.entries.push_back(head);
        self.arrivals.push(arrival);
    }

    /// Buffers of a class that are free in cycle `now`, as far as is known: the switch may have freed more.
    pub(crate) fn places(&self, class: Class, now: u64) -> u32 {
        let pool = self.pool(class);
        let taken = self.used[pool];
        let is_free = |release: &Release| release.cycle <= now;
        if !self.releases.front().is_some_and(is_free) {
            return self.capacity.size(class) - taken;
        }
        let freed = self.releases.iter().take_while(|release| is_free(release));
        let freed = freed.filter(|release| self.pool(release.class) == pool).count() as u32;
        self.capacity.size(class) + freed - taken
    }

    /// The buffers that a class uses: its own, or those of both.
    pub(crate) fn pool(&self, class: Class) -> usize {
        self.capacity.index(class)
    }

    /// The lowest priority among the packets that hold a buffer which this class could use in cycle `now`.
    pub(crate) fn lowest(&self, class: Class, now: u64) -> Option<u8> {
        let held = self.priorities.as_ref()?;
        let pool = self.capacity.index(class);
        let of_pool = Class::ALL.into_iter().filter(|&class| self.capacity.index(class) == pool);
        let lowest = of_pool.filter_map(|class| {
            let mut left = held[class as usize].clone();
            let freed = self.releases.iter().take_while(|release| release.cycle <= now);
            freed.filter(|release| release.class == class).for_each(|release| take_one(&mut left, release.priority));
            left.into_iter().min()
        });
        lowest.min()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<u64>();
        let priorities = self.priorities.as_ref().map_or(0, |held| held.iter().map(Vec::capacity).sum());
        self.arrivals.capacity() * size_of::<Arrival>()
            + self.releases.capacity() * size_of::<Release>()
            + self.freed.capacity() * size_of::<(u64, Class)>()
            + entries
            + priorities
    }
}

impl Encode for Port {
    /// Buffers that the switch has freed by now count as free, and what has been counted is left out. A number in what
    /// was accepted says nothing that the receive queue does not.
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let past = self.releases.iter().take_while(|release| encoder.has_come(release.cycle)).count();
        let freed = |class| self.releases.iter().take(past).filter(move |release| release.class == class);
        for class in Class::ALL {
            let pool = self.capacity.index(class);
            let of_pool = Class::ALL.into_iter().filter(|&other| self.capacity.index(other) == pool);
            encoder.put(self.used[pool] - of_pool.map(|other| freed(other).count() as u32).sum::<u32>());
            if let Some(held) = &self.priorities {
                let mut left = held[class as usize].clone();
                freed(class).for_each(|release| take_one(&mut left, release.priority));
                left.sort_unstable();
                left.encode(encoder);
            }
        }
        encoder.len(self.releases.len() - past);
        for &Release { cycle, class, priority, number: _ } in self.releases.iter().skip(past) {
            encoder.due(cycle);
            encoder.put(class as u8);
            encoder.put(priority);
        }
        self.reservations.encode(encoder);
        encoder.put(self.turns.map_or(0, |(_, turn)| turn));
        encoder.len(self.arrivals.len());
        for &Arrival { ready, complete, number: _, exit, ref transit } in &self.arrivals {
            encoder.due(ready);
            encoder.due(complete);
            encoder.put(exit);
            transit.encode(encoder);
        }
        encoder.len(self.freed.len());
        for &(cycle, class) in &self.freed {
            encoder.due(cycle);
            encoder.put(class as u8);
        }
    }
}

/// Takes one of these priorities out.
fn take_one(held: &mut Vec<u8>, priority: u8) {
    let place = held.iter().position(|&other| other == priority);
    held.swap_remove(place.expect("a packet in a buffer has its priority"));
}
