//! Packets and echoes that are lost on a link (docs/explanation/network-model.md, "Link errors").

use super::{Node, Shared};
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::results::{ErrorKind, Observer};
use crate::values::{Marks, Packet, Packets, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// A port times out for what it has lost before cycle `end`, even while something passes it: its switch needs the
    /// slots that it gives up.
    pub(crate) fn announce_losses<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, end: u64) {
        self.transmit.announce_losses(shared.hosts);
        if end > 0 {
            self.update_head(shared, end - 1);
        }
    }

    /// The server goes on if a response was given up and left it a place.
    #[inline(never)]
    pub(super) fn use_given_up_place(&mut self, hosts: &mut Hosts) {
        let errors = hosts.context.as_mut().and_then(|network| network.errors.as_mut());
        if let Some(at) = errors.and_then(|errors| errors.take_response_place(self.id())) {
            self.receive.unblock(at);
        }
    }

    /// Has the front run, a packet whose first symbol arrives in cycle `now`, suffered on the link?
    #[inline(never)]
    pub(super) fn is_lost(&mut self, hosts: &mut Hosts, run: Run, now: u64) -> bool {
        let Some(network) = hosts.context.as_mut() else { return false };
        let Some(errors) = network.errors.as_mut() else { return false };
        let is_lost =
            errors.strikes(self.id(), run.len, now) || (network.joins && self.comes_back(&hosts.packets, run));
        if !is_lost {
            return false;
        }
        if !hosts.echoes {
            self.lose_for_good(hosts, run.value, now);
            return true;
        }
        errors.lose(self.id(), run.kind.is_send(), run.value, hosts.packets[run.value].source, now);
        let error = if run.kind.is_send() { ErrorKind::LostSend } else { ErrorKind::LostEcho };
        hosts.note_error(self.id(), now, run.value, error);
        true
    }

    /// A packet is lost here in cycle `now`, and no echo will say so: nobody sends it again.
    fn lose_for_good(&self, hosts: &mut Hosts, packet: u32, now: u64) {
        let Packet { source, symbols, .. } = hosts.packets[packet];
        if let Some(errors) = hosts.errors() {
            errors.lose_for_good(self.id(), (source, symbols), now);
        }
        hosts.note_error(self.id(), now, packet, ErrorKind::LostSend);
        hosts.give_up_packet(packet, true, now);
        hosts.packets.finish(packet, Marks::RECEIVED);
    }

    /// Has a message of the protocol, whose first symbol arrives in cycle `now`, suffered on the link? Its protocol has
    /// to do without it.
    #[inline(never)]
    pub(super) fn loses_message(&mut self, hosts: &mut Hosts, run: Run, now: u64) -> bool {
        hosts.errors().is_some_and(|errors| errors.strikes(self.id(), run.len, now))
    }

    /// Is the run a packet or echo that this node has sent, and that is still on the ring?
    fn comes_back(&self, packets: &Packets, run: Run) -> bool {
        let packet = &packets[run.value];
        self.id() == if run.kind.is_send() { packet.source } else { packet.destination }
    }
}
