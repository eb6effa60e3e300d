//! Nodes through which only messages go: the part of their state that comes again, and its place in time.

use super::{Node, State};
use crate::protocols::{Circling, Counts, FlowControl};
use crate::values::{ByKind, Encode, Encoder, NEVER};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Writes the state of a node at which no packet is, but for what happens at its hosts.
    pub(crate) fn encode_circling(&self, encoder: &mut Encoder<'_>) {
        encoder.enter_node(self.id());
        self.flow_control.prepare(encoder);
        self.unread.encode(encoder);
        encoder.due(self.cycle);
        self.state.encode(encoder);
        if self.state != State::Pass {
            encoder.due(self.until);
        }
        encoder.put(self.absorbed_created);
        self.flow_control.encode(encoder);
        self.bypass.encode(encoder);
    }

    /// Does a message of its protocol go round for ever?
    #[inline]
    pub(crate) fn circles(&mut self) -> bool {
        self.flow_control.circling().is_some()
    }

    /// Cycles after which a ring on which only messages go is in the same state again, if the protocol knows them.
    pub(crate) fn period(&mut self, places: usize, revolution: u64) -> Option<u64> {
        self.flow_control.circling()?.period(places, revolution)
    }

    /// Lets so many cycles pass, after which the state is unchanged.
    pub(crate) fn shift(&mut self, cycles: u64) {
        self.cycle += cycles;
        self.until += cycles;
        self.bypass.shift(cycles);
        if let Some(circling) = self.flow_control.circling() {
            circling.shift(cycles);
        }
    }

    /// Counts the symbols emitted between two states so many times more.
    pub(crate) fn emit_again(&mut self, before: &ByKind, now: &ByKind, times: u64) {
        for (sum, (before, now)) in self.link_symbols.iter_mut().zip(before.iter().zip(now)) {
            *sum += times * (now - before);
        }
    }

    /// Symbols of packets and messages emitted, those of the last one to its end.
    pub(crate) fn emitted(&self) -> ByKind {
        self.link_symbols
    }

    /// Counts of the node for its protocol.
    pub(crate) fn protocol_counts(&self) -> Vec<u64> {
        self.counts.values()
    }

    /// Is a packet still to be counted that has passed?
    pub(crate) fn counts_passing(&self) -> bool {
        self.passing.idle != NEVER
    }
}
