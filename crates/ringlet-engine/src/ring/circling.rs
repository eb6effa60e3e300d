//! Messages that go round a ring without packets, such as a token, for ever: a state that comes again after a round
//! comes again after any number of rounds until something happens at a node, and these are not simulated.

use super::Ring;
use crate::hosts::Hosts;
use crate::node::Node;
use crate::protocols::FlowControl;
use crate::results::Observer;
use crate::values::{ByKind, Encode, NEVER};

/// Revolutions of the ring after which it is seen whether nothing but messages goes round.
const REVOLUTIONS_BETWEEN_LOOKS: u64 = 256;

/// Rounds that a leap must save at least: two are simulated for it.
const LEAST_ROUNDS: u64 = 4;

/// A state in which only messages are under way, relative to its cycle, and what is counted in each node.
struct Circling {
    code: Vec<u64>,
    counts: Vec<Vec<u64>>,
    emitted: Vec<ByKind>,
}

impl<P: FlowControl, O: Observer, const NETWORKED: bool> Ring<P, O, NETWORKED> {
    /// Brings every node to cycle `end`. Rounds of messages that repeat are not simulated.
    pub(super) fn circle_to(&mut self, end: u64) {
        if O::SEES_IDLES || O::SEES_SYMBOLS || !self.nodes.first_mut().is_some_and(Node::circles) {
            return self.sweep_to(end);
        }
        let most = REVOLUTIONS_BETWEEN_LOOKS * self.revolution;
        while self.cycle < end {
            self.leap(end);
            self.sweep_on(end.min(self.cycle.saturating_add(most)));
        }
    }

    fn sweep_on(&mut self, end: u64) {
        self.sweep_to(end);
        self.cycle = self.cycle.max(end);
    }

    /// Leaps over rounds before cycle `end` and before anything happens at a node, if they repeat.
    fn leap(&mut self, end: u64) {
        let [last, before] = self.rounds.lengths;
        let (places, revolution) = (self.nodes.len(), self.revolution);
        let known = self.nodes.first_mut().and_then(|node| node.period(places, revolution));
        // A train's state comes again after two rounds, one to request and one to grant; a token's after one.
        for period in known.map_or([last, last + before], |period| [period, period]) {
            let ends_by = |end: u64| period > 0 && self.cycle.saturating_add(LEAST_ROUNDS * period) <= end;
            let end = if ends_by(end) { end.min(self.next_at_hosts()) } else { return };
            if !ends_by(end) {
                return;
            }
            let Some(first) = self.circling() else { return };
            self.sweep_on(self.cycle + period);
            let Some(second) = self.circling() else { return };
            // What a protocol counts is not added up for rounds left out: a round in which that changes is simulated.
            if first.code != second.code || first.counts != second.counts {
                continue;
            }
            let rounds = (end - self.cycle) / period;
            let cycles = rounds * period;
            for (node, (before, now)) in self.nodes.iter_mut().zip(first.emitted.iter().zip(&second.emitted)) {
                node.shift(cycles);
                node.emit_again(before, now, rounds);
            }
            self.rounds.came += cycles;
            self.cycle += cycles;
            return;
        }
    }

    /// The next cycle in which something happens at a node that does not go round.
    fn next_at_hosts(&self) -> u64 {
        let next = self.nodes.iter().map(|node| node.transmit.next_event.min(node.receive.next_event));
        next.min().unwrap_or(NEVER)
    }

    /// The state in the present cycle, up to which all nodes are simulated; `None` if there is more than messages.
    fn circling(&self) -> Option<Circling> {
        let Hosts { packets, transactions, .. } = &self.hosts;
        let awaits = transactions.as_ref().is_some_and(|transactions| transactions.is_waiting());
        let waits = |node: &Node<P, NETWORKED>| node.transmit.has_waiting() || node.counts_passing();
        if packets.held() > 0 || awaits || self.timing.errs || self.nodes.iter().any(waits) {
            return None;
        }
        let mut encoder = self.hosts.encoder(self.cycle, Vec::new());
        encoder.emitted_to_first(self.links.emitted());
        self.nodes.iter().for_each(|node| node.encode_circling(&mut encoder));
        self.protocol.encode(&mut encoder);
        Some(Circling {
            code: encoder.finish().0.code,
            counts: self.nodes.iter().map(Node::protocol_counts).collect(),
            emitted: self.nodes.iter().map(Node::emitted).collect(),
        })
    }
}
