//! Checks of a node's state that was read from a file.

use super::{Node, Own, Sent, State};
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::values::{Kind, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Is a packet that waits here on its way, though it is not being sent? `is_on_its_way` says so of a packet.
    pub(crate) fn waits_on_its_way(&self, is_on_its_way: &[bool]) -> bool {
        let mut waiting = self.transmit.waiting().map(|(_, packet)| packet);
        let is_sent = |packet| self.state == State::Send(Sent::Head) && self.transmit.head() == Some(packet);
        waiting.any(|packet| is_on_its_way[packet as usize] && !is_sent(packet))
    }

    /// Runs that have come in and are not emitted.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.unread.iter().chain(self.bypass.iter().map(|entry| &entry.run))
    }

    /// Says what is wrong with the state of a node of a ring that is at cycle `now` and has so many places of nodes, if
    /// anything is.
    ///
    /// `is_free`: the places of the arena that hold no packet.
    pub(crate) fn check(
        &self,
        now: u64,
        most_ahead: u64,
        (hosts, is_free): (&Hosts, &[bool]),
        places: usize,
    ) -> Result<(), String> {
        let id = self.id();
        let is_near = |cycle: u64| (now..=now + most_ahead).contains(&cycle);
        if !is_near(self.cycle) || (self.state != State::Pass && !is_near(self.until)) {
            return Err(format!("node {id} at cycle {} of a ring at {now}", self.cycle));
        }
        self.runs().try_for_each(|run| run.check(is_free.len(), places))?;
        self.bypass.check(now, most_ahead)?;
        let waits = match self.state {
            State::Pass => self.bypass.is_empty(),
            State::Hold => !self.bypass.is_empty(),
            State::Ready(_) | State::Send(_) | State::Drain => true,
        };
        if !waits {
            let filled = if self.bypass.is_empty() { "an empty" } else { "a filled" };
            return Err(format!("node {id} is in state {:?} with {filled} bypass FIFO", self.state));
        }
        // Such an echo changes the limits and queues of the node at which it takes effect:
        // they must have counted its packet.
        let strange = self.runs().find(|run| match run.kind {
            Kind::Acknowledged | Kind::Refused => hosts.packets[run.value].source != id,
            _ => false,
        });
        if let Some(run) = strange {
            return Err(format!("node {id} has the echo {run:?} of another's packet"));
        }
        let sends = match self.state {
            State::Ready(Own::Head) | State::Send(Sent::Head) => self.transmit.head().is_some(),
            State::Ready(Own::Taken) | State::Send(Sent::Taken) => is_free.get(self.taken as usize) == Some(&false),
            _ => true,
        };
        if !sends {
            return Err(format!("node {id} sends a packet that there is not"));
        }
        self.transmit.check(hosts, is_free).map_err(|wrong| format!("node {id} {wrong}"))
    }
}
