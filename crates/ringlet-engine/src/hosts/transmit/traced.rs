//! Packets of a trace in the transmit queue (docs/explanation/network-model.md, "Traces").

use std::cmp::Reverse;

use super::{TRACE, TransmitQueue};
use crate::hosts::injection::{Outcome, Own, PacketEvent};
use crate::hosts::replay::Handed;
use crate::hosts::shared::Hosts;
use crate::queues::{Coming, Waiting};
use crate::values::{Class, UNDRAWN};

impl TransmitQueue {
    /// A packet of the trace starts in a later cycle.
    pub(crate) fn announce_traced(&mut self, cycle: u64) {
        self.arrivals.push(Reverse((cycle, TRACE)));
        self.choose_again(cycle);
    }

    /// A packet of the trace has been delivered, as far as this node is concerned: what has waited for it will start.
    pub(crate) fn deliver_traced(&mut self, hosts: &mut Hosts, number: u32, now: u64) {
        let replay = hosts.replay.as_mut().expect("only what has been handed in is delivered");
        let arrivals = &mut self.arrivals;
        let mut next = u64::MAX;
        replay.deliver(self.node as usize, number, now, |cycle| {
            arrivals.push(Reverse((cycle, TRACE)));
            next = next.min(cycle);
        });
        if next < u64::MAX {
            self.choose_again(next);
        }
    }

    /// The packet of the trace that is due starts.
    pub(super) fn start_traced(&mut self, hosts: &mut Hosts) {
        let replay = hosts.replay.as_mut().expect("it was handed in");
        let handed = replay.take_due(self.node as usize);
        let Handed { cycle, number, flow, destination, own } = handed;
        if let Some(own) = own {
            return self.start_injected(hosts, &handed, own);
        }
        let source = &mut hosts.flows[flow as usize];
        if source.node() == destination {
            replay.stays();
            return self.deliver_traced(hosts, number, cycle);
        }
        source.source.hand(destination, number);
        if source.class == Class::Response {
            replay.departs();
            return self.start_response(hosts, flow, cycle);
        }
        let lost = hosts.counters[flow as usize].lost_packets;
        self.arrive(hosts, flow, cycle);
        if hosts.counters[flow as usize].lost_packets > lost {
            hosts.flows[flow as usize].source.lose();
        } else {
            hosts.replay.as_mut().expect("it was just there").departs();
        }
    }

    /// A packet starts that a program has injected; a full queue loses it.
    fn start_injected(&mut self, hosts: &mut Hosts, handed: &Handed, own: Own) {
        let &Handed { cycle, number, flow: index, destination, .. } = handed;
        let has_room = match self.slots.as_mut().and_then(|slots| slots.filler()) {
            Some(filler) => filler.room(index, self.limits.transmit.into()) > 0,
            None => self.requests < self.limits.transmit,
        };
        let (flow, counters) = (&mut hosts.flows[index as usize], &mut hosts.counters[index as usize]);
        counters.generated_packets += 1;
        let replay = hosts.replay.as_mut().expect("it was handed in");
        if !has_room {
            counters.lost_packets += 1;
            let first_flow = hosts.context.as_ref().map_or(0, |network| network.first_flow);
            let event = PacketEvent { cycle, packet: number, response: false, outcome: Outcome::Lost };
            replay.note(first_flow + index, event);
            return;
        }
        replay.departs();
        flow.source.inject(destination, number, own);
        if let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler()) {
            filler.wait(Waiting { generated: cycle, flow: index, packet: UNDRAWN }, true);
            return self.fill_slots(hosts, cycle);
        }
        // Its own properties stand in the packet: it is drawn now.
        let mut packet = flow.draw(self.node, index, cycle);
        if let Some(network) = &hosts.context {
            network.address(&mut packet);
        }
        let waiting = Waiting { generated: cycle, flow: index, packet: hosts.packets.insert(packet) };
        self.enqueue(Class::Request, own.priority, waiting);
    }

    /// A response of the trace takes a place of the response queue, like one that a service has created; there is one
    /// for it in any case.
    fn start_response(&mut self, hosts: &mut Hosts, flow: u32, now: u64) {
        hosts.counters[flow as usize].generated_packets += 1;
        let source = &mut hosts.flows[flow as usize];
        let mut packet = source.draw(self.node, flow, now);
        packet.group = source.group(u32::from(packet.end), now);
        if let Some(network) = &hosts.context {
            network.address(&mut packet);
        }
        let priority = packet.priority;
        let packet = hosts.packets.insert(packet);
        self.responses += 1;
        if let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler()) {
            let ready = filler.fill(now);
            return self.announce(hosts, Coming { ready, packet, class: Class::Response, priority });
        }
        // Responses stand in the order of their creation, whatever their flows.
        self.enqueue(Class::Response, priority, Waiting { generated: now, flow: 0, packet });
    }
}
