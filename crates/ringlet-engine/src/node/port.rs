//! A node that is a port: what it accepts for its switch (docs/explanation/network-model.md, "Switches").

use super::{Node, Shared};
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::queues::{Arrival, Port, Received};
use crate::results::{Inverted, Observer};
use crate::values::{Class, Marks, NEVER, Release, Run, Transit};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The switch frees buffers; those that it frees before cycle `known_to` are all known.
    pub(crate) fn release(&mut self, releases: impl Iterator<Item = Release>, known_to: u64) {
        if P::FOLLOWS_QUEUES {
            // The receive buffers are the protocol's input queue there, and the
            // B-Link its server (network-model.md, Section 9).
            return self.receive.release(releases);
        }
        self.transmit.port_mut().expect("there is a port at this place").releases.extend(releases);
        self.count_buffers(known_to);
    }

    /// All that is offered before cycle `end` is to be reported to the port's switch, even while something passes the
    /// port.
    pub(crate) fn offer_until<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, end: u64) {
        self.serve_in_turn(shared, end);
    }

    /// A packet of the receive queue is offered to the switch in cycle `now`.
    pub(super) fn offer(&mut self, hosts: &Hosts, received: &Received, now: u64) {
        let transit = Transit {
            generated: received.generated,
            started: received.started,
            network_flow: received.network_flow,
            message: received.message,
            part: received.part,
            end: received.source,
            symbols: received.symbols,
            response_symbols: received.response_symbols,
            priority: received.priority,
            attempt: received.attempt,
            is_last: received.is_last,
            class: received.class,
        };
        let network = hosts.context.as_ref().expect("only rings of a network have ports");
        let id = self.id();
        let number = self.receive.offers().map_or(0, |offers| offers.last_number());
        let port = self.transmit.port_mut().expect("checked by the caller");
        let exit = network.routes_of(id).exit_at(transit.end, (id, port.number), now);
        port.arrivals.push(Arrival { ready: now, complete: received.complete, exit, number, transit });
        self.transmit.has_events = true;
    }

    /// Counts buffers taken and freed before cycle `known_to`, up to which all that the switch frees is known.
    pub(crate) fn count_buffers(&mut self, known_to: u64) {
        let Some(port) = self.transmit.port_mut() else { return };
        port.count(known_to, &mut self.receive.population);
    }

    /// Does a packet for this port, with its first symbol in cycle `now`, go on to the next link controller of its
    /// cascade? Then it is from now on for that one.
    #[inline]
    pub(super) fn passes_on<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: &mut Run, now: u64) -> bool {
        // An optical switch leads past the station: the packet goes round to its sender (network-model.md, Section 5).
        if self.is_bypassed(shared, now) {
            return true;
        }
        let next_link = self.transmit.port().and_then(|port| port.next_link);
        let Some(next) = next_link else { return false };
        if P::FOLLOWS_QUEUES {
            self.serve_in_turn(shared, now);
        }
        self.passes_on_to(next, shared.hosts, run, now)
    }

    /// Has a port a buffer free for a class in cycle `now`?
    fn has_buffer(&self, class: Class, now: u64) -> bool {
        if P::FOLLOWS_QUEUES {
            return self.receive.room(class) > 0;
        }
        self.transmit.port().is_some_and(|port| port.places(class, now) > 0)
    }

    #[inline(never)]
    fn passes_on_to(&mut self, next: u16, hosts: &mut Hosts, run: &mut Run, now: u64) -> bool {
        // An echo for this link controller is of a packet that this one has sent.
        if !run.kind.is_send() {
            return false;
        }
        let packet = &mut hosts.packets[run.value];
        // This member keeps a place for what it has granted, and knows what it has accepted before.
        if packet.marks.intersects(Marks::RECEIVED | Marks::GRANTED) {
            return false;
        }
        let ahead = self.transmit.port_mut().map_or(0, Port::take_turn);
        if ahead == 0 && self.has_buffer(packet.class, now) {
            return false;
        }
        // The packet, too: once refused, it is addressed to the member
        // that refused it (network-model.md, "Several B-Links").
        let next = if ahead > 0 { self.id() + ahead } else { next };
        packet.destination = next;
        run.target = next;
        true
    }

    /// Does the port accept this packet, whose first symbol arrives in cycle `now`?
    pub(super) fn receive_at_port<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) -> bool {
        let hosts = &mut *shared.hosts;
        let id = self.id();
        let port = self.transmit.port_mut().expect("checked by the caller");
        let packet = &mut hosts.packets[run.value];
        if packet.marks.contains(Marks::RECEIVED) {
            // It was accepted, and sent again because its echo was lost.
            return true;
        }
        let class = packet.class;
        if let Some(phase) = port.refuses(class, packet.phase, hosts.reservation, now) {
            packet.phase = phase;
            if shared.prioritised && port.lowest(class, now).is_some_and(|lowest| lowest < packet.priority) {
                packet.inverted_since = packet.inverted_since.min(now);
            }
            self.refused_packets += 1;
            if O::SEES_SYMBOLS {
                shared.observer.received(self.id().into(), now, hosts.view(run.value), false);
            }
            return false;
        }
        packet.marks.insert(Marks::RECEIVED);
        let inverted_since = std::mem::replace(&mut packet.inverted_since, NEVER);
        let transit = Transit {
            generated: packet.generated,
            started: packet.started,
            network_flow: packet.network_flow,
            message: packet.message,
            part: packet.part,
            end: packet.end,
            symbols: packet.symbols,
            response_symbols: packet.response_symbols,
            priority: packet.priority,
            attempt: packet.attempt,
            is_last: packet.marks.contains(Marks::LAST),
            class,
        };
        let network = hosts.context.as_ref().expect("only rings of a network have ports");
        let complete = now + u64::from(transit.symbols);
        let ready = if port.cuts_through { now } else { complete };
        let exit = network.routes_of(id).exit_at(transit.end, (id, port.number), now);
        port.accept(now, Arrival { ready, complete, exit, number: 0, transit });
        self.transmit.has_events = true;
        if O::SEES_SYMBOLS {
            shared.observer.received(self.id().into(), now, hosts.view(run.value), true);
        }
        if inverted_since != NEVER {
            let packet = hosts.packets[run.value];
            self.invert(hosts, &packet, Inverted::Input, now - inverted_since);
        }
        true
    }
}
