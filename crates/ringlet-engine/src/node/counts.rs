//! The counts of a node.

use super::{Node, Sent, Shared, State};
use crate::protocols::{Counts, FlowControl};
use crate::results::{NodeCounters, Observer};
use crate::values::{ByKind, Kind};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The bypass FIFO is fullest when something that is not from it has just left; `now` is the last absorbed cycle.
    pub(super) fn note_bypass_fill(&mut self, now: u64) {
        self.bypass_max_symbols = self.bypass_max_symbols.max(self.bypass.occupancy(now) as u32);
    }

    /// Brings everything that is counted up to cycle `now`, to which the node has been simulated.
    pub(crate) fn settle<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        // A delivery of cycle `now` counts (model.md, "Strip"); an arrival of it, below, does not:
        // that cycle is still to come.
        if shared.in_time() {
            self.serve_in_turn(shared, now);
        } else {
            self.serve(shared, now);
        }
        if NETWORKED {
            self.count_buffers(now + 1);
        }
        // Of a protocol that reads the fill when it decides, the fill is counted then, and here what has come since.
        if (self.fills() || P::FOLLOWS_QUEUES) && now > 0 {
            self.note_bypass_fill(now - 1);
        }
        self.transmit.take_arrivals(shared.hosts, now.saturating_sub(1));
        self.show_queues(shared);
    }

    /// Does it emit something that is not from its bypass FIFO: a packet of its own, an echo that was held back, or
    /// idles while it holds a packet?
    fn fills(&self) -> bool {
        matches!(self.state, State::Send(Sent::Head | Sent::Made) | State::Hold)
    }

    /// Symbols of the last emitted packet that leave in cycle `now` or later.
    pub(super) fn symbols_ahead(&self, now: u64) -> u64 {
        self.emitted_until().saturating_sub(now)
    }

    /// Cycle before which all that the node emits is known.
    pub(crate) fn emitted_until(&self) -> u64 {
        match self.state {
            State::Pass => self.cycle,
            State::Send(Sent::Bare) => self.until + 1,
            _ => self.until,
        }
    }

    /// Counts from the last reset, in cycle `from`, to cycle `now`, for which the node has been settled.
    pub(crate) fn counters(&self, from: u64, now: u64) -> NodeCounters {
        let emitted = self.counted_link_symbols(now);
        let of = |kind: Kind| emitted[kind.place()];
        NodeCounters {
            link_send_symbols: of(Kind::Send),
            link_retry_symbols: of(Kind::Retry),
            link_echo_symbols: of(Kind::Echo),
            link_control_symbols: of(Kind::Message),
            link_idle_symbols: now - from - emitted.iter().sum::<u64>(),
            transmit_queue_packet_cycles: self.transmit.population.integral(now),
            transmit_queue_max: self.transmit.population.max(),
            receive_queue_packet_cycles: self.receive.population.integral(now),
            receive_queue_max: self.receive.population.max(),
            bypass_max_symbols: u64::from(self.bypass_max_symbols),
            slow_link_max_symbols: 0,
            refused_packets: self.refused_packets,
            protocol: P::Counts::NAMES.iter().copied().zip(self.counts.values()).collect(),
        }
    }

    /// Symbols of packets and messages that have left before cycle `now`.
    fn counted_link_symbols(&self, now: u64) -> ByKind {
        let mut emitted = self.link_symbols;
        // A packet is counted to its end when its emission begins, and may end beyond `now`.
        emitted[self.last_emitted.place()] -= self.symbols_ahead(now);
        emitted
    }

    /// Starts all counts again from cycle `now`, for which the node has been settled.
    pub(crate) fn reset(&mut self, now: u64) {
        self.link_symbols = ByKind::default();
        self.link_symbols[self.last_emitted.place()] = self.symbols_ahead(now);
        self.transmit.population.reset(now);
        self.receive.population.reset(now);
        self.bypass_max_symbols = 0;
        self.refused_packets = 0;
        self.counts = P::Counts::default();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.unread.heap_bytes() + self.transmit.heap_bytes() + self.receive.heap_bytes() + self.bypass.heap_bytes()
    }
}
