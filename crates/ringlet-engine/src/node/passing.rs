//! What passes a node and is more to it than symbols: packets that the protocol records, events, the train, control symbols, and inversions.

use super::{Node, Passing, Shared, State};
use crate::protocols::{FlowControl, Host};
use crate::results::Observer;
use crate::values::{Kind, NEVER, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// A send packet that passes a node with a head is recorded.
    #[inline]
    pub(super) fn record<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) {
        self.update_head(shared, now);
        if run.kind.is_send() && self.transmit.head().is_some() {
            self.flow_control.record(run.group);
        }
    }

    /// An event message passes, or comes back to its source; returns whether it passes.
    pub(super) fn take_event<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) -> bool {
        if run.target == self.id {
            shared.hosts.packets.end_event(run.value);
            self.input.front().expect("an event was just read").kind = Kind::Freed;
            return false;
        }
        self.serve_in_turn(shared, now);
        self.flow_control.event(run, host!(self, shared, now));
        self.input.pop();
        self.cycle += u64::from(run.len);
        true
    }

    /// The train arrives with its first symbol in cycle `now`, and goes into the bypass FIFO unless it is at its end.
    pub(super) fn take_train<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) {
        self.update_head(shared, now);
        // What arrived before found the places that tickets now free, or take again.
        self.transmit.take_arrivals(shared.hosts, now);
        let rewritten = self.flow_control.train(run, host!(self, shared, now));
        self.flow_control.set_head(self.transmit.head_view(&shared.hosts.packets));
        self.show_head(shared, now);
        if let Some(rewritten) = rewritten {
            self.bypass.push(rewritten, now, run.len);
            self.show_bypassed(shared, &rewritten, now);
            // It may grow while the packet before it still leaves.
            let leaving = if self.state == State::Drain { self.until.saturating_sub(now) } else { 0 };
            self.bypass_max_symbols = self.bypass_max_symbols.max((self.bypass.occupancy(now) + leaving) as u32);
        }
        // What leaves may be shorter than what arrives, so that idles are emitted while it still does.
        self.input.front().expect("a train was just read").kind = Kind::Freed;
    }

    /// A control symbol acts in cycle `now`; returns whether it goes on.
    pub(super) fn take_control<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) -> bool {
        // It acts on what waits in this cycle, before the head is chosen.
        self.serve_in_turn(shared, now);
        self.transmit.take_arrivals(shared.hosts, now);
        let own = self.flow_control.control(run, host!(self, shared, now));
        self.transmit.choose_again(now);
        if own {
            self.input.front().expect("a control symbol was just read").kind = Kind::Freed;
            return false;
        }
        self.input.pop();
        self.cycle += u64::from(run.len);
        true
    }

    /// A packet from upstream is emitted from cycle `from` on: a head of higher priority may suffer from it.
    #[inline]
    pub(super) fn note_passing<O>(&mut self, shared: &Shared<'_, P, O>, run: &Run, from: u64) {
        if shared.prioritised && run.kind.is_send() {
            // With PPQ a packet carries its priority: at its source an event may have raised it since.
            let priority = if P::LATE_ECHO { run.group } else { shared.hosts.packets[run.value].priority };
            self.passing = Passing { idle: from + u64::from(run.len), symbols: run.len, priority };
        }
    }

    /// In the idle behind such a packet: output inversion (todd2001, Section 2.1).
    #[inline]
    pub(super) fn look_at_passing<O>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        if self.passing.idle > now {
            return;
        }
        let Passing { idle, symbols, priority } = self.passing;
        self.passing.idle = NEVER;
        if let Some(head) = self.transmit.head()
            && shared.hosts.packets[head].priority > priority
        {
            let from = idle - u64::from(symbols);
            let cycles = (idle + 1).saturating_sub(from.max(self.transmit.head_since()));
            shared.hosts.packets[head].output_inversion_cycles += cycles as u32;
        }
    }
}
