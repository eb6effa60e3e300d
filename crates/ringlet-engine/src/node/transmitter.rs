//! The transmitter of a node, which emits idles and packets that pass, its own packets, what its bypass FIFO holds
//! (picker1994, Figure 2; docs/explanation/model.md, "A node in one cycle").

use super::{Node, Own, Sent, Shared, State};
use crate::protocols::{FlowControl, Host, IdleIn, Next, Passage, Selection};
use crate::queues::{Entry, Stream};
use crate::results::Observer;
use crate::values::{IdleWord, Kind, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Lets input runs pass until the node leaves this state or has no more input.
    #[inline]
    pub(super) fn pass<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        output: &mut Stream,
        active: &mut bool,
    ) -> bool {
        while self.cycle < shared.end {
            let now = self.cycle;
            let Some(&mut run) = self.input.front() else { return false };
            match run.kind {
                Kind::Idle => {
                    *active |= self.update_head(shared, now);
                    let count = self.until_event(run.len, shared);
                    if self.pass_idles(shared, output, IdleIn::Received(run.value), count) {
                        return true;
                    }
                }
                Kind::Stripped | Kind::Acknowledged | Kind::Refused | Kind::Freed => {
                    *active = true;
                    let mut len = run.len;
                    // An echo takes effect with its last symbol, which may change the head in that very cycle.
                    let decides = match run.kind {
                        // A service that ends in that cycle may be what makes the head wait.
                        Kind::Acknowledged => shared.in_time() || self.transmit.waits_for(shared.hosts, run.value),
                        kind => kind == Kind::Refused,
                    };
                    if decides && len > 1 {
                        len -= 1;
                    } else if decides {
                        self.take_effect(shared, now);
                    }
                    self.update_head(shared, now);
                    let count = self.until_event(len, shared);
                    if self.pass_idles(shared, output, IdleIn::Created, count) {
                        return true;
                    }
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    *active = true;
                    if let Some(run) = self.strip_or_take(shared, run, now) {
                        if NETWORKED && shared.timing.stores {
                            self.store(run, now);
                            return true;
                        }
                        self.note_passing(shared, &run, now);
                        self.emit_packet(shared, run, now, None, output);
                    }
                }
                Kind::Message => {
                    *active = true;
                    match self.take_message(shared, run, now, true) {
                        Passage::Passes => self.emit_packet(shared, run, now, None, output),
                        Passage::Replaced(first) => {
                            self.emit_bare(shared, first, now, output);
                            return true;
                        }
                        Passage::Stored(_) => {
                            // It waits in the FIFO, and the idles before it are those of a node that drains.
                            self.until = now;
                            self.state = State::Drain;
                            return true;
                        }
                        Passage::Ends | Passage::Kept => {}
                    }
                }
            }
        }
        true
    }

    /// `count` equal idles pass; returns whether something follows the first of them.
    #[inline(always)]
    pub(super) fn pass_idles<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        output: &mut Stream,
        idle: IdleIn,
        count: u32,
    ) -> bool {
        let now = self.cycle;
        self.count_passing(shared, now);
        let word = self.flow_control.pass(idle);
        let mut next = self.flow_control.next(word, host!(self, shared, now));
        if NETWORKED && shared.timing.delays_echoes {
            next = self.with_delayed_echo(shared.hosts, next, now);
        }
        let count = if next == Next::Nothing { count } else { 1 };
        self.emit_idles(shared, output, now, word, count);
        self.consume(shared, count);
        if next == Next::Nothing {
            return false;
        }
        self.follow(shared, output, next, now);
        true
    }

    /// Emits what follows the last symbol of cycle `now`.
    #[inline(always)]
    pub(super) fn follow<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        output: &mut Stream,
        next: Next,
        now: u64,
    ) {
        self.until = now + 1;
        match next {
            Next::Nothing => self.state = State::Pass,
            Next::Head => self.state = State::Ready(Own::Head),
            Next::Bypass(place) => {
                let entry = if place == 0 { self.bypass.take_first() } else { self.bypass.take(place) };
                let run = entry.run;
                self.note_passing(shared, &run, now + 1);
                self.state = State::Drain;
                self.emit_packet(shared, run, now + 1, Some(&entry), output);
                self.until += u64::from(run.len);
            }
            Next::Hold if NETWORKED && shared.timing.stores => self.state = State::Hold,
            Next::Hold => self.state = State::Drain,
            Next::Taken(packet) => self.state = State::Ready(Own::Taken(packet)),
            Next::Made(run) => {
                self.state = State::Send(Sent::Made);
                self.emit_packet(shared, run, now + 1, None, output);
                self.until += u64::from(run.len);
            }
            Next::Bare(run) => self.emit_bare(shared, run, now + 1, output),
        }
    }

    /// A message, behind which no idle is due.
    pub(super) fn emit_bare<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        run: Run,
        cycle: u64,
        output: &mut Stream,
    ) {
        self.state = State::Send(Sent::Bare);
        self.emit_packet(shared, run, cycle, None, output);
        self.until = cycle + u64::from(run.len) - 1;
    }

    #[inline]
    pub(super) fn emit_idles<O: Observer>(
        &self,
        shared: &mut Shared<'_, P, O>,
        output: &mut Stream,
        cycle: u64,
        word: IdleWord,
        count: u32,
    ) {
        if O::SEES_SYMBOLS {
            self.show_emitted(shared, &Run::idles(count, word), cycle, None);
        }
        output.push_idles(count, word);
    }

    /// `bypassed`: it comes out of the bypass FIFO.
    #[inline]
    pub(super) fn emit_packet<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        run: Run,
        cycle: u64,
        bypassed: Option<&Entry>,
        output: &mut Stream,
    ) {
        if O::SEES_SYMBOLS {
            self.show_emitted(shared, &run, cycle, bypassed);
        }
        self.last_emitted = run.kind;
        *self.link_symbols(run.kind) += u64::from(run.len);
        self.flow_control.emits(&run, cycle);
        output.push(run);
    }

    /// Emits a packet's first symbol in cycle `until`, and all others after it.
    pub(super) fn start_sending<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, output: &mut Stream, own: Own) {
        let index = match own {
            Own::Head => {
                self.transmit.fix_head();
                self.transmit.head().expect("a ready node has a head")
            }
            Own::Taken(packet) => packet,
        };
        let packet = &shared.hosts.packets[index];
        let counters = &mut shared.hosts.counters[packet.flow as usize];
        let len = u32::from(packet.symbols);
        let kind = if packet.refusals == 0 {
            counters.sent_packets += 1;
            Kind::Send
        } else {
            counters.retries += 1;
            counters.retry_symbols += u64::from(len);
            Kind::Retry
        };
        let group = P::carried(packet);
        if NETWORKED {
            self.transmit.sends(kind == Kind::Retry);
        }
        let run = Run { len, value: index, target: packet.destination, kind, group };
        let start = self.until;
        self.state = State::Send(if own == Own::Head { Sent::Head } else { Sent::Taken });
        self.emit_packet(shared, run, start, None, output);
        self.flow_control.sends(index, host!(self, shared, start));
        self.until = start + u64::from(len);
    }

    /// Absorbs the input of all cycles up to the next decision's own; returns false if it is not known so far.
    #[inline]
    pub(super) fn absorb<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>) -> bool {
        let after = self.until + 1;
        let stop = after.min(shared.end);
        while self.cycle < stop {
            let now = self.cycle;
            let Some(&mut run) = self.input.front() else { return false };
            match run.kind {
                Kind::Idle | Kind::Stripped | Kind::Acknowledged | Kind::Refused | Kind::Freed => {
                    let left = stop - now;
                    let count = if u64::from(run.len) < left { run.len } else { left as u32 };
                    let idle = if run.kind == Kind::Idle { IdleIn::Received(run.value) } else { IdleIn::Created };
                    self.absorbed_created = idle == IdleIn::Created;
                    self.flow_control.absorb(idle);
                    self.show_withheld(shared, now);
                    self.consume(shared, count);
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    if let Some(run) = self.strip_or_take(shared, run, now) {
                        self.bypass.push(run, now, run.len);
                        self.show_bypassed(shared, &run, now);
                        self.absorbed_created = false;
                    }
                }
                Kind::Message => match self.take_message(shared, run, now, false) {
                    Passage::Passes => {
                        self.bypass.push(run, now, run.len);
                        self.show_bypassed(shared, &run, now);
                        self.absorbed_created = false;
                    }
                    Passage::Kept | Passage::Replaced(_) => self.absorbed_created = false,
                    Passage::Stored(_) | Passage::Ends => {}
                },
            }
        }
        self.until < shared.end && self.cycle >= after
    }

    /// Emits the idle behind a packet and decides what follows it.
    #[inline]
    pub(super) fn decide<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, output: &mut Stream) -> bool {
        let now = self.until;
        let fifo_empty = self.bypass.is_empty();
        let bare = self.state == State::Send(Sent::Bare);
        let word = match self.state {
            State::Send(sent) if sent != Sent::Bare => {
                // While its head is sent no other is chosen, so that nothing sees when each service ended, unless
                // arrivals act on services.
                if sent == Sent::Head && shared.in_time() {
                    if self.transmit.next_event < now {
                        self.catch_up(shared, now - 1);
                    }
                    self.serve(shared, now);
                }
                self.wake(now);
                self.flow_control.sent(fifo_empty);
                if sent == Sent::Head {
                    self.transmit.leave(shared.hosts, now);
                    self.transmit.choose(shared.hosts, now, &Selection(&self.flow_control));
                } else {
                    self.update_head(shared, now);
                }
                self.flow_control.set_head(self.transmit.head_view(&shared.hosts.packets));
                self.flow_control.idle_after_send(fifo_empty, self.absorbed_created)
            }
            _ => {
                self.update_head(shared, now);
                self.count_passing(shared, now);
                if bare { 0 } else { self.flow_control.separator(fifo_empty) }
            }
        };
        self.show_head(shared, now);
        self.show_withheld(shared, now);
        if !bare {
            self.emit_idles(shared, output, now, word, 1);
        }
        let sent_head = self.state == State::Send(Sent::Head);
        let mut next = self.flow_control.next(word, host!(self, shared, now));
        if NETWORKED && shared.timing.stores {
            next = self.when_stored(next, now);
        }
        if NETWORKED && shared.timing.delays_echoes {
            next = self.with_delayed_echo(shared.hosts, next, now);
        }
        if sent_head || P::FOLLOWS_QUEUES {
            self.note_bypass_fill(now);
        }
        self.follow(shared, output, next, now);
        true
    }
}
