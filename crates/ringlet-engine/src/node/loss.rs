//! Packets and echoes that are lost on a link (docs/explanation/network-model.md, "Link errors").

use super::{Node, Shared};
use crate::hosts::Hosts;
use crate::protocols::{FlowControl, Host, Losses};
use crate::results::{ErrorKind, Observer};
use crate::values::{Class, Marks, Packet, Packets, Run};

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
        let is_lost = errors.strikes(self.id(), run.len, now)
            // What finds no destination there comes round once, and its sender
            // takes it off (network-model.md, Section 5).
            || ((network.joins || errors.bypasses)
                && self.comes_back(&hosts.packets, run)
                && !self.takes_back(run, now));
        if !is_lost {
            return false;
        }
        let packet = &mut hosts.packets[run.value];
        let (source, destination, class) = (packet.source, packet.destination, packet.class);
        // TRAIN: its destination keeps no place for it any more, and it has to ask for a ticket again (Section 5).
        if run.kind.is_send()
            && packet.marks.contains(Marks::GRANTED)
            && self.flow_control.losses().is_some_and(|losses| losses.misses_granted())
        {
            packet.marks.remove(Marks::GRANTED);
            // The packet may be given up before: its class is all that is read.
            errors.lose_message(self.id(), Run { value: class as u32, ..run }, destination, now);
        }
        // A missing echo is how a sender detects a loss: without echoes nobody does.
        if !hosts.echoes {
            self.lose_for_good(hosts, run.value, now);
            return true;
        }
        errors.lose(self.id(), run.kind.is_send(), run.value, source, now);
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
        hosts.lose_packet(packet, self.id(), now);
        hosts.packets.finish(packet, Marks::RECEIVED);
    }

    /// Has a message of the protocol, whose first symbol arrives in cycle `now`, suffered on the link? Its protocol has
    /// to do without it.
    #[inline(never)]
    pub(super) fn loses_message<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) -> bool {
        let place = self.id();
        let Some(errors) = shared.hosts.errors() else { return false };
        if !errors.strikes(place, run.len, now) {
            return false;
        }
        if let Some(losses) = self.flow_control.losses() {
            errors.lose_message(place, run, losses.maker(&run), now);
            losses.spoilt(&run, host!(self, shared, now));
        }
        true
    }

    /// Tells the protocol of its own messages that were lost and are missed by cycle `now`.
    #[inline(never)]
    pub(super) fn miss_messages<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        while let Some(message) = shared.hosts.errors().and_then(|errors| errors.take_message(self.id(), now)) {
            if let Some(losses) = self.flow_control.losses() {
                // The run of a granted packet that was lost, whose value is its class (`is_lost`).
                if message.kind.is_send() {
                    losses.missed_granted(Class::ALL[message.value as usize]);
                } else {
                    losses.missed(message, host!(self, shared, now));
                }
            }
        }
    }

    /// Does this node, which has sent the run, take it off the ring, as its source?
    fn takes_back(&self, run: Run, now: u64) -> bool {
        run.target == self.id() && self.transmit.limits.bypassed_until(now).is_none()
    }

    /// Is the run a packet or echo that this node has sent, and that is still on the ring?
    fn comes_back(&self, packets: &Packets, run: Run) -> bool {
        let packet = &packets[run.value];
        self.id() == if run.kind.is_send() { packet.source } else { packet.destination }
    }
}
