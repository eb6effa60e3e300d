//! Deliveries of packets of a trace (docs/explanation/network-model.md, "Traces"), and those that a program takes.

use super::Node;
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::queues::Received;
use crate::results::Delivered;
use crate::values::Class;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// A packet delivered in cycle `cycle` is kept for who takes deliveries.
    #[inline(never)]
    pub(super) fn keep_delivered(&self, hosts: &mut Hosts, received: &Received, cycle: u64) {
        let packet = hosts.view_received(received, self.id);
        hosts.delivered.iter_mut().for_each(|kept| kept.push(Delivered { cycle, packet }));
    }

    /// A packet has been delivered here in cycle `now`; if it is one of a trace, others may have waited for it.
    #[inline(never)]
    pub(super) fn note_traced(&mut self, hosts: &mut Hosts, received: &Received, now: u64) {
        let Some(replay) = &mut hosts.replay else { return };
        if !replay.is_traced(received.network_flow) {
            return;
        }
        // A request that creates a response leaves as many under way as before.
        if received.class == Class::Response || received.response_symbols == 0 {
            replay.vanishes();
        }
        self.transmit.deliver_traced(hosts, received.message, now);
    }
}
