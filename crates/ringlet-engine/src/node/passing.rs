//! Passing symbols that concern the node: packets that the protocol records, its messages, and inversions.

use super::{Node, Passing, Shared, State};
use crate::protocols::{FlowControl, Host, Link, Passage};
use crate::queues::Links;
use crate::results::Observer;
use crate::values::{Kind, NEVER, Packets, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// A packet or echo passes: a send packet that passes a node with a head is recorded.
    #[inline]
    pub(super) fn record<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) {
        if let Some(link) = self.flow_control.link() {
            link.passes();
        }
        if run.kind.is_send() {
            // The head is chosen before a packet that passes is recorded (model.md, steps 2 and 3).
            self.update_head(shared, now);
            if self.transmit.head().is_some()
                && let Some(link) = self.flow_control.link()
            {
                link.record(run.group);
            }
        }
    }

    /// A message of the protocol arrives with its first symbol in cycle `now`. `passes`: the node lets symbols pass.
    pub(super) fn read_message<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        run: Run,
        now: u64,
        passes: bool,
    ) -> Passage {
        if Self::timing(shared).errs && self.loses_message(shared, run, now) {
            links.input.front().expect("a message was just read").kind = Kind::Freed;
            return Passage::Ends;
        }
        // A message is rewritten as if services and arrivals up to this cycle
        // had been handled (realtime-model.md, Section 5).
        self.serve_in_turn(shared, now);
        if Self::timing(shared).errs {
            self.miss_messages(shared, now);
        }
        if self.id() == 0 && self.circles() {
            shared.rounds.note(now);
        }
        let passage = self.flow_control.receive(run, passes, host!(self, shared, now));
        self.show_head(shared, now);
        match passage {
            Passage::Passes | Passage::Kept | Passage::Replaced(_) => {
                links.input.pop();
                self.cycle += u64::from(run.len);
            }
            Passage::Ends => links.input.front().expect("a message was just read").kind = Kind::Freed,
            Passage::Stored(stored) => {
                self.bypass.push(stored, now, run.len);
                self.show_bypassed(shared, &stored, now);
                // A train may be longer than what comes in, and is in the FIFO while the packet before it still leaves.
                let leaving = if self.state == State::Drain { self.until.saturating_sub(now) } else { 0 };
                self.bypass_max_symbols = self.bypass_max_symbols.max((self.bypass.occupancy(now) + leaving) as u32);
                links.input.front().expect("a message was just read").kind = Kind::Freed;
            }
        }
        passage
    }

    /// The priority that counts of a send packet on its way.
    #[inline]
    pub(super) fn priority_of(&mut self, run: &Run, packets: &Packets) -> u8 {
        self.flow_control.link().map_or_else(|| packets[run.value].priority, |link| link.priority(run, packets))
    }

    /// A packet from upstream is emitted from cycle `from` on: a head of higher priority may suffer from it.
    #[inline]
    pub(super) fn note_passing<O>(&mut self, shared: &Shared<'_, P, O>, run: &Run, from: u64) {
        if shared.prioritised && run.kind.is_send() {
            let priority = self.priority_of(run, &shared.hosts.packets);
            self.passing = Passing { idle: from + u64::from(run.len), symbols: run.len, priority };
        }
    }

    /// Counts output inversion (todd2001, Section 2.1), in the idle behind such a packet.
    #[inline]
    pub(super) fn count_passing<O>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        if self.passing.idle > now {
            return;
        }
        let Passing { idle, symbols, priority } = self.passing;
        self.passing.idle = NEVER;
        if let Some(link) = self.flow_control.link() {
            link.passed(priority, &mut self.counts);
        }
        if let Some(head) = self.transmit.head()
            && shared.hosts.packets[head].priority > priority
        {
            // The emission with its idle, from the cycle in which the
            // packet became head (realtime-model.md, Section 7).
            let from = idle - u64::from(symbols);
            let cycles = (idle + 1).saturating_sub(from.max(self.transmit.head_since()));
            shared.hosts.packets[head].hold_up(cycles);
        }
    }
}
