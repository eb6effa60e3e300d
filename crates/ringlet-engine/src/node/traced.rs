//! Deliveries of packets of a trace (docs/network-model.md, "Traces").

use super::Node;
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::queues::Received;
use crate::values::Class;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
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
        self.transmit.hear_of(hosts, received.message, now);
    }
}
