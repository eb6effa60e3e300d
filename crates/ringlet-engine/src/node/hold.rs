//! Interfaces where what passes waits: a packet in the bypass FIFO may leave it when it has been there for some cycles,
//! or all of it is there (docs/explanation/network-model.md, "Interfaces").

use super::{Node, Shared, State};
use crate::protocols::{FlowControl, Host, IdleIn, Next};
use crate::queues::Links;
use crate::results::Observer;
use crate::values::{IdleWord, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Cycle in which the first packet of the bypass FIFO may begin to leave.
    fn ready_at<O>(&self, shared: &Shared<'_, P, O>) -> Option<u64> {
        // `t + min(p, L)` of network-model.md, Section 1.
        self.bypass.front().map(|entry| entry.arrived + u64::from(entry.run.len.min(shared.timing.pass_wait)))
    }

    /// Is nothing in the bypass FIFO that could follow the idle of cycle `now`? A packet that passes and has not waited
    /// long enough does not keep the node from sending.
    #[inline(always)]
    pub(super) fn fifo_is_clear<O>(&self, shared: &Shared<'_, P, O>, now: u64) -> bool {
        self.bypass.is_empty()
            // What follows the idle of `now` begins in `now + 1`.
            || (Self::timing(shared).pass_wait > 0 && self.ready_at(shared).is_some_and(|ready| ready > now + 1))
    }

    /// Returns what follows the idle of cycle `now`, emitted with `word`, of what its protocol says: the first packet
    /// of the FIFO may not be ready.
    pub(super) fn when_ready<O>(&self, shared: &Shared<'_, P, O>, next: Next, word: IdleWord, now: u64) -> Next {
        match next {
            Next::Bypass(_) if self.fifo_is_clear(shared, now) => {
                // Such a FIFO counts as empty, also for an own packet (network-model.md, Section 1).
                if self.transmit.head().is_some() && self.flow_control.permits(word) {
                    Next::Head
                } else {
                    Next::Hold(now + 1)
                }
            }
            _ => next,
        }
    }

    /// Emits idles, from cycle `until` on, until a packet may follow. What comes in meanwhile has been consumed: it is
    /// the rest of the first packet of the FIFO. In its place pass created idles.
    pub(super) fn hold<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links) -> bool {
        let ready = self.ready_at(shared).expect("a node holds something");
        debug_assert!(ready <= self.cycle, "a packet waits no longer than until all of it is there");
        while self.until < shared.end {
            let now = self.until;
            self.update_head(shared, now);
            self.count_passing(shared, now);
            let counts = self.counts_idles(IdleIn::Waiting, shared);
            let word = self.flow_control.pass(IdleIn::Waiting, shared.protocol);
            self.show_withheld(shared, now);
            let next = self.flow_control.next(word, host!(self, shared, now));
            let mut next = self.when_ready(shared, next, word, now);
            if Self::timing(shared).delays_echoes {
                next = self.with_delayed_echo(shared.hosts, next, now);
            }
            self.emit_idles(shared, links, now, word, 1);
            if !matches!(next, Next::Hold(_)) {
                self.note_bypass_fill(now);
                self.follow(shared, links, next, now);
                return true;
            }
            self.until = now + 1;
            // The idle of `ready - 1` is one to decide in: the packet may leave behind it.
            let stop = (ready - 1).min(self.next_event()).min(shared.end);
            if stop > self.until && !counts {
                self.emit_idles(shared, links, self.until, word, (stop - self.until) as u32);
                self.until = stop;
            }
        }
        true
    }

    /// A packet that would pass a waiting node goes into the FIFO.
    pub(super) fn hold_packet<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) {
        self.bypass.push(run, now, run.len);
        self.show_bypassed(shared, &run, now);
        // All of it is consumed: an own packet that is sent meanwhile absorbs nothing else.
        self.absorbed_created = false;
        self.until = now;
        self.state = State::Hold;
    }
}
