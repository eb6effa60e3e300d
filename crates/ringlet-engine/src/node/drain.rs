//! Nodes that empty their bypass FIFOs while nothing but idles and packets for others comes in.

use super::{Node, Shared, State};
use crate::protocols::{Behind, FlowControl, IdleIn, Link, Queues};
use crate::queues::{Entry, Links};
use crate::results::Observer;
use crate::values::{Kind, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Returns the fill of the bypass FIFO down to which [`Self::drain`] may empty it; `None`: not at all.
    #[inline(always)]
    fn drains_to<O: Observer>(&mut self, shared: &Shared<'_, P, O>) -> Option<u64> {
        // The loop shows nothing, counts no inversions, and neither loses nor copies nor holds anything.
        if O::SEES_SYMBOLS || shared.acts {
            return None;
        }
        match self.flow_control.queues() {
            Some(queues) => queues.drains(&self.transmit, &shared.hosts.packets),
            None => (!P::FOLLOWS_QUEUES).then_some(0),
        }
    }

    /// Absorbs what comes in and emits what is in the bypass FIFO, up to where anything else happens: the FIFO is
    /// empty, there is no more input, something comes in that is for this node, or its head may change. It does what
    /// [`Self::absorb`] and [`Self::decide`] would do, which go on from there; returns false if there is no more input.
    /// A first packet of the FIFO that is no message is required of a protocol that follows its queues.
    // The inner loop of a saturated ring: a function of its own, so that what it needs stays in registers.
    #[inline(never)]
    pub(super) fn drain<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links) -> bool {
        debug_assert!(self.state == State::Drain);
        let Some(least) = self.drains_to(shared) else { return true };
        // Constant in the loop: what is absorbed and what leaves the FIFO changes no queue of the host.
        let limit = shared.end.min(self.next_event());
        let has_head = self.transmit.head().is_some();
        let Links { input, output, .. } = links;
        let (begin, mut cycle, mut until) = (self.cycle, self.cycle, self.until);
        let coming = input.rest();
        let (mut read, mut goes_on) = (0, true);
        'drain: while until < limit {
            // Inclusive: a node decides with the input of the cycle in which it decides (realtime-model.md, Section 3).
            while cycle <= until {
                let Some(run) = coming.get_mut(read) else {
                    goes_on = false;
                    break 'drain;
                };
                if matches!(run.kind, Kind::Idle) {
                    let left = until + 1 - cycle;
                    let count = u64::from(run.len).min(left) as u32;
                    self.flow_control.absorb(IdleIn::Received(run.value), count, shared.protocol);
                    if u64::from(run.len) > left {
                        run.len -= left as u32;
                        cycle += left;
                        break;
                    }
                } else if run.kind.is_passing_packet() && run.target != self.id() {
                    if let Some(link) = self.flow_control.link() {
                        link.passes();
                        if has_head && run.kind.is_send() {
                            link.record(run.group);
                        }
                    }
                    self.bypass.push(*run, cycle, run.len);
                } else {
                    break 'drain;
                }
                read += 1;
                cycle += u64::from(run.len);
            }
            let Some(&Entry { run, .. }) = self.bypass.front() else { break };
            if P::FOLLOWS_QUEUES {
                let fill = self.bypass.occupancy(until);
                if fill < least || matches!(run.kind, Kind::Message) {
                    break;
                }
                // Only here: under other protocols the FIFO is fullest when an own packet has
                // left, and empties from then on.
                self.bypass_max_symbols = self.bypass_max_symbols.max(fill as u32);
            }
            // Not empty: `run`, which follows this idle, is still in the FIFO.
            let word = self.flow_control.idle_behind(Behind::Bypassed, false, shared.protocol);
            output.push_two(Run::idles(1, word), run);
            self.bypass.drop_first(run.len);
            self.count_emitted(&run, until + 1);
            until += 1 + u64::from(run.len);
        }
        input.skip(read);
        // The loop ends before created idles, so that what it has absorbed last was none.
        if cycle > begin {
            self.absorbed_created = false;
        }
        (self.cycle, self.until) = (cycle, until);
        goes_on
    }
}
