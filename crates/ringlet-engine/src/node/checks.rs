//! Checks of a node's state that was read from a file.

use super::{Node, State};
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::values::Run;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
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
        self.transmit.check(hosts, is_free).map_err(|wrong| format!("node {id} {wrong}"))
    }
}
