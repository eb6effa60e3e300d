//! Deliveries that are more than counted: of packets of a trace (docs/explanation/network-model.md, "Traces"), of those
//! that a program injects, and of responses that are waited for (docs/explanation/realtime-model.md, "Response
//! time-out").

use super::Node;
use crate::hosts::{Hosts, Outcome, PacketEvent};
use crate::protocols::FlowControl;
use crate::queues::Received;
use crate::results::Delivered;
use crate::values::{Class, Kind};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The service of a packet has ended here in cycle `served`, and in cycle `now` it has been delivered. Returns
    /// false if it is dropped.
    #[inline(never)]
    pub(super) fn follow_delivered(&mut self, hosts: &mut Hosts, received: &Received, served: u64, now: u64) -> bool {
        if self.is_late(hosts, received) {
            return false;
        }
        self.keep_delivered(hosts, received, now);
        self.prompt_followers(hosts, received, now);
        self.note_handed_in(hosts, received, served, now);
        true
    }

    /// A packet has been delivered in cycle `now` at this interface of its node (`here`), or at the other one.
    pub(crate) fn follow_crossing(&mut self, hosts: &mut Hosts, received: &Received, now: u64, here: bool) {
        if here {
            self.keep_delivered(hosts, received, now);
        }
        self.prompt_followers(hosts, received, now);
        let Some(replay) = &mut hosts.replay else { return };
        let &Received { network_flow, message, class, response_symbols, .. } = received;
        if !replay.is_handed_in(network_flow) {
            return;
        }
        if !replay.is_injected(network_flow) {
            return self.transmit.deliver_traced(hosts, message, now);
        }
        if here {
            let response = class == Class::Response;
            let event = PacketEvent { cycle: now, packet: message, response, outcome: Outcome::Delivered };
            replay.note(network_flow, event);
            if response_symbols > 0 {
                replay.note(network_flow, PacketEvent { response: true, outcome: Outcome::Created, ..event });
            }
        }
    }

    /// Is it a response that comes when the time of its transaction is over?
    fn is_late(&self, hosts: &mut Hosts, received: &Received) -> bool {
        let &Received { flow, network_flow, message, part, attempt, class, .. } = received;
        if class == Class::Request || !hosts.times_out(network_flow) {
            return false;
        }
        let Some(transactions) = &mut hosts.transactions else { return false };
        let is_late = !transactions.complete(self.id(), (flow, message, part), attempt);
        if is_late {
            hosts.counters[flow as usize].drop_late();
        }
        is_late
    }

    /// A packet delivered in cycle `cycle` is kept, if a program takes deliveries.
    fn keep_delivered(&self, hosts: &mut Hosts, received: &Received, cycle: u64) {
        if hosts.delivered.is_none() {
            return;
        }
        let packet = hosts.view_received(received, self.id());
        let cycle = hosts.cycles(cycle);
        hosts.delivered.iter_mut().for_each(|kept| kept.push(Delivered { cycle, packet }));
    }

    /// A packet is delivered in cycle `now`: flows of this node may follow the message that it makes whole.
    fn prompt_followers(&mut self, hosts: &mut Hosts, received: &Received, now: u64) {
        let Some(followers) = &mut hosts.followers else { return };
        let network_flow = received.network_flow;
        let followed = hosts.context.as_ref().map_or(network_flow, |network| network.flow_place(network_flow));
        for (flow, due) in followers.deliver(self.id(), followed, received, now) {
            self.transmit.prompt(hosts, flow, due);
        }
    }

    /// The node begins to send a packet in cycle `now`.
    #[inline(never)]
    pub(super) fn note_sent(&self, hosts: &mut Hosts, packet: u32, kind: Kind, now: u64) {
        if kind == Kind::Retry {
            hosts.note_outcome(packet, Outcome::SentAgain, now);
        } else if self.transmit.port().is_none() {
            hosts.note_outcome(packet, Outcome::Sent, now);
        }
    }

    /// The service of a packet has ended here in cycle `served`, and in cycle `now` it has been delivered; if it is one
    /// of a trace, others may have waited for it.
    fn note_handed_in(&mut self, hosts: &mut Hosts, received: &Received, served: u64, now: u64) {
        let Some(replay) = &mut hosts.replay else { return };
        let &Received { network_flow, message, class, .. } = received;
        if !replay.is_handed_in(network_flow) {
            return;
        }
        let response = class == Class::Response;
        // A request that creates a response leaves as many under way as before.
        if response || received.response_symbols == 0 {
            replay.vanishes();
        }
        let event = PacketEvent { cycle: now, packet: message, response, outcome: Outcome::Delivered };
        if replay.note(network_flow, event) {
            if received.response_symbols > 0 {
                let (response, outcome) = (true, Outcome::Created);
                replay.note(network_flow, PacketEvent { cycle: served, response, outcome, ..event });
            }
            return;
        }
        self.transmit.deliver_traced(hosts, received.message, now);
    }
}
