//! A switch port on its ring: buffers that its switch empties, and what each hears of the other (docs/network-model.md, "Switches").

use std::collections::VecDeque;

use super::Node;
use crate::network::{Buffers, Transit};
use crate::packet::{Class, Marks};
use crate::protocols::FlowControl;
use crate::reservation::{Phase, Reservations};
use crate::stream::Run;
use crate::transmit::Flows;

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

    /// Buffers of a class that are free in cycle `now`, as far as is known: the switch may have freed more.
    fn places(&self, class: Class, now: u64) -> u32 {
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

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Counts buffers taken and freed before cycle `known_to`, up to which all that the switch frees is known.
    pub(crate) fn count_buffers(&mut self, known_to: u64) {
        let Some(port) = self.transmit.port_mut() else { return };
        loop {
            let entry = port.entries.front().copied().unwrap_or(u64::MAX);
            if let Some(&(at, class)) = port.releases.front()
                && at <= entry
                && at < known_to
            {
                port.releases.pop_front();
                port.used[port.capacity.index(class)] -= 1;
                self.receive.population.leave(at);
            } else if entry < known_to {
                port.entries.pop_front();
                self.receive.population.enter(entry);
            } else {
                return;
            }
        }
    }

    /// Does a packet for this port, with its first symbol in cycle `now`, go on to the next link controller of its cascade? Then it is from now on for that one.
    #[inline]
    pub(super) fn passes_on(&mut self, flows: &mut Flows, run: &mut Run, now: u64) -> bool {
        let next_link = self.transmit.port().and_then(|port| port.next_link);
        next_link.is_some_and(|next| self.passes_on_to(next, flows, run, now))
    }

    #[inline(never)]
    fn passes_on_to(&mut self, next: u16, flows: &mut Flows, run: &mut Run, now: u64) -> bool {
        if !run.kind.is_send() {
            return false;
        }
        let packet = &mut flows.packets[run.value];
        if packet.marks.contains(Marks::RECEIVED)
            || self.transmit.port().is_some_and(|port| port.places(packet.class, now) > 0)
        {
            return false;
        }
        // If that one says busy, the packet comes back to it.
        packet.destination = next;
        run.target = next;
        true
    }

    /// Does the port accept this packet, whose first symbol arrives in cycle `now`?
    pub(super) fn receive_at_port(&mut self, flows: &mut Flows, run: Run, now: u64) -> bool {
        let port = self.transmit.port_mut().expect("the caller looked");
        let packet = &mut flows.packets[run.value];
        if packet.marks.contains(Marks::RECEIVED) {
            // It was accepted, and sent again because its echo was lost.
            return true;
        }
        let class = packet.class;
        let has_place = port.places(class, now) > 0;
        let refused = if flows.retry.reservation {
            port.reservations[class as usize].arrive(packet.phase, has_place)
        } else {
            (!has_place).then_some(Phase::NoTry)
        };
        if let Some(phase) = refused {
            packet.phase = phase;
            self.refused_packets += 1;
            return false;
        }
        packet.marks.insert(Marks::RECEIVED);
        let transit = Transit {
            generated: packet.generated,
            started: packet.started,
            network_flow: packet.network_flow,
            message: packet.message,
            end: packet.end,
            symbols: packet.symbols,
            response_symbols: packet.response_symbols,
            priority: packet.priority,
            class,
        };
        let routes = &flows.network.as_ref().expect("only rings of a network have ports").routes;
        port.arrivals.push(Arrival { head: now, exit: routes.exit(transit.end), transit });
        port.used[port.capacity.index(class)] += 1;
        port.accepted_packets += 1;
        port.entries.push_back(now);
        self.transmit.has_news = true;
        true
    }
}
