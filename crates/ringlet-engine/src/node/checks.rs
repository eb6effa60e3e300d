//! Checks of a node's state that was read from a file.

use super::{Node, State};
use crate::protocols::FlowControl;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Says what is wrong with the state of a node of a ring that is at cycle `now`, with so many places for packets
    /// and of nodes, if anything is.
    pub(crate) fn check(&self, now: u64, most_ahead: u64, packets: usize, places: usize) -> Result<(), String> {
        let id = self.id();
        let is_near = |cycle: u64| (now..=now + most_ahead).contains(&cycle);
        if !is_near(self.cycle) || (self.state != State::Pass && !is_near(self.until)) {
            return Err(format!("node {id} at cycle {} of a ring at {now}", self.cycle));
        }
        let runs = self.unread.iter().chain(self.bypass.iter().map(|entry| &entry.run));
        runs.into_iter().try_for_each(|run| run.check(packets, places))?;
        self.bypass.check(now, most_ahead)?;
        self.transmit.check().map_err(|wrong| format!("node {id} {wrong}"))
    }
}
