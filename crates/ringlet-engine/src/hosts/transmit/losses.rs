//! Packets that were lost on a link, and other things that are due at a node at some time
//! (docs/explanation/network-model.md, "Link errors").

use std::cmp::Reverse;

use super::{Refused, TIMEOUT, TransmitQueue, WAKE};
use crate::hosts::link_errors::Loss;
use crate::hosts::shared::Hosts;
use crate::results::ErrorKind;
use crate::values::{Marks, Packet};

impl TransmitQueue {
    /// Idles that pass are read in this cycle.
    pub(crate) fn wake(&mut self, cycle: u64) {
        self.arrivals.push(Reverse((cycle, WAKE)));
        self.choose_again(cycle);
    }

    /// Time-outs of what was lost since the node was visited last become arrivals; for a message the node wakes.
    pub(crate) fn announce_losses(&mut self, hosts: &mut Hosts) {
        let Some(errors) = hosts.errors() else { return };
        while let Some(timeout_cycle) = errors.announce(self.node as u16) {
            self.arrivals.push(Reverse((timeout_cycle, TIMEOUT)));
            self.choose_again(timeout_cycle);
        }
        while let Some(noticed_cycle) = errors.announce_message(self.node as u16) {
            self.wake(noticed_cycle);
        }
    }

    /// The sender of a lost packet times out: it sends the packet again, or gives it up.
    pub(super) fn time_out(&mut self, hosts: &mut Hosts) {
        let errors = hosts.context.as_mut().and_then(|network| network.errors.as_mut()).expect("a loss is an error");
        let Loss { timeout_cycle, packet } = errors.take_first(self.node as u16, &hosts.packets);
        let &Packet { timeouts, marks, symbols, .. } = &hosts.packets[packet];
        let received = marks.contains(Marks::RECEIVED);
        let is_last = timeouts == errors.max_timeouts;
        let gives_up = is_last || (!received && self.is_silent(hosts, packet));
        let errors = hosts.errors().expect("there was one");
        let gives_up_destination = errors.gives_up_destinations && gives_up && !received;
        let undelivered = (gives_up && !received).then_some(symbols);
        errors.time_out(self.node as u16, gives_up, undelivered, timeout_cycle);
        let error = if gives_up { ErrorKind::GivenUp } else { ErrorKind::TimedOut };
        hosts.note_error(self.node as u16, timeout_cycle, packet, error);
        let lost = &mut hosts.packets[packet];
        if !gives_up {
            lost.timeouts = lost.timeouts.saturating_add(1);
            // What is sent again behind a time-out counts as a retry (network-model.md, Section 5).
            lost.refuse();
            let Packet { class, priority, .. } = *lost;
            let place = self.retries.partition_point(|other| other.at <= timeout_cycle);
            self.retries.insert(place, Refused { packet, class, priority, at: timeout_cycle, ready: timeout_cycle });
            return self.choose_again(timeout_cycle);
        }
        hosts.give_up_packet(packet, !received, timeout_cycle);
        if gives_up_destination {
            self.give_up_destination(hosts, packet, timeout_cycle);
        }
        let has_response_place = self.given_up(hosts, packet, timeout_cycle);
        if has_response_place && let Some(errors) = hosts.context.as_mut().and_then(|network| network.errors.as_mut()) {
            errors.free_response_place(self.node as u16, timeout_cycle);
        }
    }
}
