//! Interfaces that store what passes: a packet in the bypass FIFO may leave it only when all of it is there
//! (docs/explanation/network-model.md, "Interfaces").

use super::{Node, Shared, State};
use crate::protocols::{FlowControl, IdleIn, Next};
use crate::queues::Links;
use crate::results::Observer;
use crate::values::{Kind, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Cycle in which the first packet of the bypass FIFO may begin to leave.
    fn stored_at(&self) -> Option<u64> {
        self.bypass.front().map(|entry| entry.arrived + u64::from(entry.run.len))
    }

    /// Returns what follows the idle of cycle `now`, of what its protocol says: the first packet of the FIFO may not be
    /// ready.
    pub(super) fn when_stored(&self, next: Next, now: u64) -> Next {
        match (next, self.stored_at()) {
            (Next::Bypass(_), Some(ready)) if ready > now + 1 => {
                if self.transmit.head().is_some() {
                    Next::Head
                } else {
                    Next::Hold
                }
            }
            _ => next,
        }
    }

    /// Emits idles, from cycle `until` on, until a packet may follow: the input of these cycles is consumed first.
    pub(super) fn hold<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links) -> bool {
        while self.until < self.cycle {
            let now = self.until;
            if now >= shared.end {
                return true;
            }
            self.update_head(shared, now);
            let mut next = self.when_stored(Next::Bypass(0), now);
            if NETWORKED && shared.timing.delays_echoes {
                next = self.with_delayed_echo(shared.hosts, next, now);
            }
            if next != Next::Hold {
                self.emit_idles(shared, links, now, 0, 1);
                self.follow(shared, links, next, now);
                return true;
            }
            let ready = self.stored_at().expect("a node holds something") - 1;
            let stop = self.cycle.min(ready).min(self.next_event(shared.in_time())).min(shared.end).max(now + 1);
            self.emit_idles(shared, links, now, 0, (stop - now) as u32);
            self.until = stop;
        }
        self.take_in(shared, links)
    }

    /// Consumes a run, or a part of one that is all that happens; returns false if none is known.
    fn take_in<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links) -> bool {
        let now = self.cycle;
        if now >= shared.end {
            return true;
        }
        let Some(&mut run) = links.input.front() else { return false };
        match run.kind {
            Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                if let Some(run) = self.strip_or_take(shared, links, run, now) {
                    self.bypass.push(run, now, run.len);
                }
            }
            Kind::FreshEcho | Kind::FreshBusyEcho => {
                let run = self.take_fresh(shared, links, run, now);
                self.bypass.push(run, now, run.len);
            }
            kind => {
                // An echo takes effect with its last symbol.
                let takes_effect = matches!(kind, Kind::Acknowledged | Kind::Refused);
                let len = if takes_effect && run.len > 1 { run.len - 1 } else { run.len };
                // No further than to the decision, behind which the node may pass what comes.
                let ready = self.stored_at().expect("a node holds something");
                let count = u64::from(len).min(shared.end - now).min(ready - now) as u32;
                let idle = if kind == Kind::Idle { IdleIn::Received(run.value) } else { IdleIn::Created };
                self.flow_control.absorb(idle);
                self.consume(shared, links, count);
            }
        }
        true
    }

    /// A packet passes a waiting node that stores: it goes into the FIFO.
    pub(super) fn store(&mut self, run: Run, now: u64) {
        self.bypass.push(run, now, run.len);
        self.until = now;
        self.state = State::Hold;
    }
}
