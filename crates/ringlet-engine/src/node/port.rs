//! A node that is a port: what it accepts for its switch (docs/network-model.md, "Switches").

use super::Node;
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::queues::Arrival;
use crate::values::{Marks, Run, Transit};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Counts buffers taken and freed before cycle `known_to`, up to which all that the switch frees is known.
    pub(crate) fn count_buffers(&mut self, known_to: u64) {
        let Some(port) = self.transmit.port_mut() else { return };
        port.count(known_to, &mut self.receive.population);
    }

    /// Does a packet for this port, with its first symbol in cycle `now`, go on to the next link controller of its
    /// cascade? Then it is from now on for that one.
    #[inline]
    pub(super) fn passes_on(&mut self, hosts: &mut Hosts, run: &mut Run, now: u64) -> bool {
        let next_link = self.transmit.port().and_then(|port| port.next_link);
        next_link.is_some_and(|next| self.passes_on_to(next, hosts, run, now))
    }

    #[inline(never)]
    fn passes_on_to(&mut self, next: u16, hosts: &mut Hosts, run: &mut Run, now: u64) -> bool {
        if !run.kind.is_send() {
            return false;
        }
        let packet = &mut hosts.packets[run.value];
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
    pub(super) fn receive_at_port(&mut self, hosts: &mut Hosts, run: Run, now: u64) -> bool {
        let port = self.transmit.port_mut().expect("the caller looked");
        let packet = &mut hosts.packets[run.value];
        if packet.marks.contains(Marks::RECEIVED) {
            // It was accepted, and sent again because its echo was lost.
            return true;
        }
        let class = packet.class;
        if let Some(phase) = port.refuses(class, packet.phase, hosts.retry.reservation, now) {
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
        let routes = &hosts.context.as_ref().expect("only rings of a network have ports").routes;
        port.accept(Arrival { head: now, exit: routes.exit(transit.end), transit });
        self.transmit.has_news = true;
        true
    }
}
