//! The transmitter of a node, which emits idles and packets that pass, its own packets, what its bypass FIFO holds
//! (picker1994, Figure 2; docs/explanation/model.md, "A node in one cycle").

use super::{Node, Own, Sent, Shared, State, Timing};
use crate::protocols::{Behind, FlowControl, Host, IdleIn, KeepsGoBits, Link, Next, Passage, Step};
use crate::queues::{Entry, Links};
use crate::results::Observer;
use crate::values::{IdleWord, Kind, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Lets input runs pass; returns whether the node has left this state before the end and while there was input.
    #[inline]
    pub(super) fn pass<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        active: &mut bool,
    ) -> bool {
        while self.cycle < shared.end {
            let now = self.cycle;
            let Some(&mut run) = links.input.front() else { return false };
            match run.kind {
                Kind::Idle => {
                    *active |= self.update_head(shared, now);
                    let mut count = self.until_event(run.len, shared);
                    // Each takes one of the go bits that are kept of a group, so that the next
                    // one may leave as another one.
                    if self.counts_idles(IdleIn::Received(run.value), shared) {
                        *active = true;
                        count = 1;
                    }
                    if self.pass_idles(shared, links, IdleIn::Received(run.value), count) {
                        return true;
                    }
                }
                Kind::Stripped | Kind::StrippedBusy | Kind::Acknowledged | Kind::Refused | Kind::Freed => {
                    *active = true;
                    let mut len = run.len;
                    // An echo takes effect with its last symbol, which may change the head in that very cycle.
                    let decides = match run.kind {
                        // A service that ends in that cycle may be what makes the head wait.
                        Kind::Acknowledged => shared.in_time() || self.transmit.waits_for(shared.hosts, run.value),
                        kind => kind == Kind::Refused,
                    };
                    // The symbols before the last one first: the echo takes effect with that one.
                    if decides && len > 1 {
                        len -= 1;
                    } else if decides {
                        self.apply_echo(shared, links, now);
                    }
                    self.update_head(shared, now);
                    let mut count = self.until_event(len, shared);
                    if self.counts_idles(IdleIn::Created, shared) {
                        count = 1;
                    }
                    if self.pass_idles(shared, links, IdleIn::Created, count) {
                        return true;
                    }
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    *active = true;
                    if let Some(run) = self.strip_or_read(shared, links, run, now)
                        && self.pass_packet(shared, links, run, now)
                    {
                        return true;
                    }
                }
                Kind::FreshEcho | Kind::FreshBusyEcho => {
                    *active = true;
                    let run = self.read_fresh_echo(shared, links, run, now);
                    if self.pass_packet(shared, links, run, now) {
                        return true;
                    }
                }
                Kind::Message => {
                    *active = true;
                    match self.read_message(shared, links, run, now, true) {
                        Passage::Passes => self.emit_packet(shared, run, now, None, links),
                        Passage::Replaced(first) => {
                            self.emit_bare(shared, first, now, links);
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
        false
    }

    /// A packet passes; returns whether it waits first.
    #[inline(always)]
    fn pass_packet<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        run: Run,
        now: u64,
    ) -> bool {
        if Self::timing(shared).pass_wait > 0 {
            self.hold_packet(shared, run, now);
            return true;
        }
        if P::FOLLOWS_QUEUES && !run.kind.is_send() {
            self.update_head(shared, now);
            // PPQ's `overtakes = "busy-echoes"` (realtime-model.md, "Two readings of the ping-pong").
            if self.goes_before_passing(&run) {
                self.bypass_packet(shared, run, now);
                self.until = now;
                self.state = State::Ready(Own::Head);
                return true;
            }
        }
        self.note_passing(shared, &run, now);
        self.emit_packet(shared, run, now, None, links);
        false
    }

    /// May the head be sent in place of an echo that begins to pass?
    #[inline]
    fn goes_before_passing(&mut self, echo: &Run) -> bool {
        self.flow_control.link().is_some_and(|link| link.goes_before_passing(echo))
    }

    /// Lets pass what comes in where it stands, as far as nothing happens at the node: returns whether that is all.
    /// Else the rest is the input.
    #[inline(always)]
    pub(super) fn passes_all<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        active: &mut bool,
    ) -> bool {
        // What the node has left unread comes before what stands in the buffer, which therefore could not leave there.
        if !matches!(self.state, State::Pass) || !self.unread.is_empty() || O::SEES_SYMBOLS {
            links.take_up(&mut self.unread);
            return false;
        }
        let Timing { errs, copies, pass_wait, .. } = Self::timing(shared);
        let changes_packets = errs || copies || pass_wait > 0;
        let mut stopped = None;
        let (mut now, mut end) = (self.cycle, shared.end.min(self.next_event()));
        for (place, run) in links.coming().iter_mut().enumerate() {
            match run.kind {
                // Whole runs only: one that the end or an event cuts is taken up.
                Kind::Idle
                    if now + u64::from(run.len) <= end && !self.counts_idles(IdleIn::Received(run.value), shared) =>
                {
                    let (word, next) = self.pass_idle(shared, IdleIn::Received(run.value), now);
                    if !matches!(next, Next::Nothing) {
                        stopped = Some((place, Some((word, next))));
                        break;
                    }
                    run.value = word;
                    if P::FOLLOWS_QUEUES {
                        // Its decision may have changed the queues.
                        end = shared.end.min(self.next_event());
                    }
                }
                // It may end behind the end or an event: what has begun to pass goes on, whatever happens at the node.
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho
                    if run.target != self.id()
                        && now < end
                        && !changes_packets
                        && !(P::FOLLOWS_QUEUES && self.goes_before_passing(run)) =>
                {
                    *active = true;
                    let has_head = self.transmit.head().is_some();
                    if let Some(link) = self.flow_control.link() {
                        link.passes();
                        if has_head && run.kind.is_send() {
                            link.record(run.group);
                        }
                    }
                    self.note_passing(shared, run, now);
                    self.count_emitted(run, now);
                }
                _ => {
                    stopped = Some((place, None));
                    break;
                }
            }
            now += u64::from(run.len);
        }
        self.cycle = now;
        let Some((place, decided)) = stopped else { return true };
        links.take_up_from(place);
        // The protocol has answered for the first idle of this run, and must not be asked for it again.
        if let Some((word, next)) = decided {
            *active = true;
            self.emit_idles(shared, links, now, word, 1);
            self.consume(shared, links, 1);
            self.follow(shared, links, next, now);
        }
        false
    }

    /// An idle comes in at a node that lets symbols pass: what it leaves as, and what follows it.
    #[inline(always)]
    fn pass_idle<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, idle: IdleIn, now: u64) -> (IdleWord, Next) {
        self.count_passing(shared, now);
        let word = self.flow_control.pass(idle, shared.protocol);
        // A passing idle takes some of several go bits that are kept.
        self.show_withheld(shared, now);
        let next = self.flow_control.next(word, host!(self, shared, now));
        if Self::timing(shared).delays_echoes {
            return (word, self.with_delayed_echo(shared.hosts, next, now));
        }
        (word, next)
    }

    /// `count` equal idles pass; returns whether something follows the first of them.
    #[inline(always)]
    pub(super) fn pass_idles<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        idle: IdleIn,
        count: u32,
    ) -> bool {
        let now = self.cycle;
        let (word, next) = self.pass_idle(shared, idle, now);
        let passes = matches!(next, Next::Nothing);
        // The others come in while what follows the first one is emitted.
        let count = if passes { count } else { 1 };
        self.emit_idles(shared, links, now, word, count);
        self.consume(shared, links, count);
        if passes {
            return false;
        }
        self.follow(shared, links, next, now);
        true
    }

    /// Emits what follows the last symbol of cycle `now`.
    #[inline(always)]
    pub(super) fn follow<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
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
                self.emit_packet(shared, run, now + 1, Some(&entry), links);
                self.until += u64::from(run.len);
            }
            Next::Hold(_) if Self::timing(shared).pass_wait > 0 => self.state = State::Hold,
            Next::Hold(_) => self.state = State::Drain,
            Next::Taken(packet) => {
                self.taken = packet;
                self.state = State::Ready(Own::Taken);
            }
            Next::Made(run) => {
                self.state = State::Send(Sent::Made);
                self.emit_packet(shared, run, now + 1, None, links);
                self.until += u64::from(run.len);
            }
            Next::Bare(run) => self.emit_bare(shared, run, now + 1, links),
        }
    }

    /// A message, behind which no idle is due.
    pub(super) fn emit_bare<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        run: Run,
        cycle: u64,
        links: &mut Links,
    ) {
        self.state = State::Send(Sent::Bare);
        self.emit_packet(shared, run, cycle, None, links);
        // No idle is due behind it: the node decides in its last symbol (realtime-model.md, Section 3).
        self.until = cycle + u64::from(run.len) - 1;
    }

    #[inline]
    pub(super) fn emit_idles<O: Observer>(
        &self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        cycle: u64,
        word: IdleWord,
        count: u32,
    ) {
        if O::SEES_SYMBOLS {
            self.show_emitted(shared, &Run::idles(count, word), cycle, None);
        }
        links.output.push_idles(count, word);
    }

    /// `bypassed`: it comes out of the bypass FIFO.
    #[inline]
    pub(super) fn emit_packet<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        run: Run,
        cycle: u64,
        bypassed: Option<&Entry>,
        links: &mut Links,
    ) {
        if O::SEES_SYMBOLS {
            self.show_emitted(shared, &run, cycle, bypassed);
        }
        self.count_emitted(&run, cycle);
        links.output.push(run);
    }

    /// A packet or message is emitted from cycle `cycle` on.
    #[inline(always)]
    pub(super) fn count_emitted(&mut self, run: &Run, cycle: u64) {
        self.last_emitted = run.kind;
        self.link_symbols[run.kind.place()] += u64::from(run.len);
        if let Some(link) = self.flow_control.link() {
            link.emits(run, cycle);
        }
    }

    /// Emits a packet's first symbol in cycle `until`, and all others after it.
    pub(super) fn start_sending<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links, own: Own) {
        let index = match own {
            Own::Head => {
                self.transmit.fix_head();
                self.transmit.head().expect("a ready node has a head")
            }
            Own::Taken => self.taken,
        };
        // A packet takes the routes of the cycle in which its first symbol is
        // sent, each time (network-model.md, Section 5).
        if Self::timing(shared).reroutes {
            shared.hosts.readdress(index, self.until);
        }
        let packet = &shared.hosts.packets[index];
        let counters = &mut shared.hosts.counters[packet.flow as usize];
        let len = u32::from(packet.symbols);
        // A time-out counts as a refusal: what is sent again behind one is a retry, too.
        let kind = if packet.refusals == 0 {
            counters.sent_packets += 1;
            Kind::Send
        } else {
            counters.retries += 1;
            counters.retry_symbols += u64::from(len);
            Kind::Retry
        };
        let group = self.flow_control.link().map_or(packet.group, |link| link.carried(packet));
        if NETWORKED {
            self.transmit.sends(kind == Kind::Retry);
        }
        let run = Run { len, value: index, target: packet.destination, kind, group };
        let start = self.until;
        if shared.hosts.replay.is_some() {
            self.note_sent(shared.hosts, index, kind, start);
        }
        self.state = State::Send(match own {
            Own::Head => Sent::Head,
            Own::Taken => Sent::Taken,
        });
        self.emit_packet(shared, run, start, None, links);
        self.flow_control.own_packet(index, Step::Begins, host!(self, shared, start));
        self.until = start + u64::from(len);
    }

    /// Absorbs the input of all cycles up to the next decision's own; returns false if it is not known so far.
    #[inline]
    pub(super) fn absorb<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links) -> bool {
        let after = self.until + 1;
        // With the decision's own cycle: it is made with that input, too (realtime-model.md, Section 3).
        let stop = after.min(shared.end);
        while self.cycle < stop {
            let now = self.cycle;
            let Some(&mut run) = links.input.front() else { return false };
            // Before the jump: it is the most frequent one.
            if matches!(run.kind, Kind::Idle) {
                self.absorbed_created = false;
                let left = stop - now;
                let count = u64::from(run.len).min(left) as u32;
                self.flow_control.absorb(IdleIn::Received(run.value), count, shared.protocol);
                self.show_withheld(shared, now);
                if u64::from(run.len) <= left {
                    links.input.pop();
                    self.cycle += u64::from(run.len);
                } else {
                    links.input.front().expect("idles were just read").len -= left as u32;
                    self.cycle = stop;
                }
                continue;
            }
            match run.kind {
                Kind::Idle => {}
                Kind::Stripped | Kind::StrippedBusy | Kind::Acknowledged | Kind::Refused | Kind::Freed => {
                    let left = stop - now;
                    let count = if u64::from(run.len) < left { run.len } else { left as u32 };
                    self.absorbed_created = true;
                    self.flow_control.absorb(IdleIn::Created, count, shared.protocol);
                    self.show_withheld(shared, now);
                    self.consume(shared, links, count);
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    if let Some(run) = self.strip_or_read(shared, links, run, now) {
                        self.bypass_packet(shared, run, now);
                    }
                }
                Kind::FreshEcho | Kind::FreshBusyEcho => {
                    let run = self.read_fresh_echo(shared, links, run, now);
                    self.bypass_packet(shared, run, now);
                }
                Kind::Message => match self.read_message(shared, links, run, now, false) {
                    Passage::Passes => self.bypass_packet(shared, run, now),
                    Passage::Kept | Passage::Replaced(_) => self.absorbed_created = false,
                    Passage::Stored(_) | Passage::Ends => {}
                },
            }
        }
        self.until < shared.end && self.cycle >= after
    }

    /// A packet goes into the bypass FIFO.
    #[inline(always)]
    fn bypass_packet<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) {
        self.bypass.push(run, now, run.len);
        self.show_bypassed(shared, &run, now);
        self.absorbed_created = false;
    }

    /// Emits the idle behind a packet, which is of the node's own if it was `sent`, and decides what follows it.
    // Inlined for each state: for a FIFO that drains, the part of own packets is not compiled.
    #[inline(always)]
    pub(super) fn decide<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        sent: Option<Sent>,
    ) -> bool {
        let now = self.until;
        let fifo_empty = self.fifo_is_clear(shared, now);
        let bare = matches!(sent, Some(Sent::Bare));
        let word = match sent {
            Some(sent) if !bare => {
                // While its head is sent no other is chosen, so that nothing sees when each service ended, unless
                // arrivals act on services.
                let is_head = matches!(sent, Sent::Head);
                if is_head && shared.in_time() {
                    if self.transmit.next_event < now {
                        self.catch_up(shared, now - 1);
                    }
                    self.serve(shared, now);
                }
                self.wake(now);
                if Self::timing(shared).errs {
                    self.miss_messages(shared, now);
                }
                if let Some(go) = self.flow_control.go_bits() {
                    // Before the next head is chosen, whose group goes into the block
                    // register that this clears (model.md, "post").
                    go.sent(fifo_empty);
                }
                if is_head {
                    let packet = self.transmit.leave(shared.hosts, now);
                    if !shared.hosts.echoes {
                        self.conclude_sent(shared, packet, now);
                    }
                    if Self::timing(shared).errs {
                        // It may have timed out for a response in this cycle.
                        self.use_given_up_place(shared.hosts);
                        if shared.in_time() {
                            self.serve(shared, now);
                        }
                    }
                    self.transmit.choose(shared.hosts, now, self.flow_control.selection());
                } else {
                    if !shared.hosts.echoes && matches!(sent, Sent::Taken) {
                        self.conclude_sent(shared, self.taken, now);
                    }
                    self.update_head(shared, now);
                }
                self.tell_head(shared);
                let own = Behind::Own { last_absorbed_created: self.absorbed_created };
                self.flow_control.idle_behind(own, fifo_empty, shared.protocol)
            }
            _ => {
                self.update_head(shared, now);
                self.count_passing(shared, now);
                if bare { 0 } else { self.flow_control.idle_behind(Behind::Bypassed, fifo_empty, shared.protocol) }
            }
        };
        self.show_head(shared, now);
        self.show_withheld(shared, now);
        if !bare {
            self.emit_idles(shared, links, now, word, 1);
        }
        if P::FOLLOWS_QUEUES && now > 0 {
            // The protocol may take something out of the FIFO now.
            self.note_bypass_fill(now - 1);
        }
        let mut next = self.flow_control.next(word, host!(self, shared, now));
        if Self::timing(shared).pass_wait > 0 {
            next = self.when_ready(shared, next, word, now);
        }
        if Self::timing(shared).delays_echoes {
            next = self.with_delayed_echo(shared.hosts, next, now);
        }
        if matches!(sent, Some(Sent::Head | Sent::Made)) || P::FOLLOWS_QUEUES {
            self.note_bypass_fill(now);
        }
        self.follow(shared, links, next, now);
        if !NETWORKED
            && sent.is_none()
            && let Next::Hold(last) = next
        {
            self.hold_to(shared, links, last, word);
        }
        true
    }

    /// Emits the idles before that of cycle `last`, behind which the node decides again: the bypass FIFO is not empty,
    /// so that they are equal.
    fn hold_to<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links, last: u64, word: IdleWord) {
        let last = last.min(shared.end);
        // A way round a long ring may take more symbols than a run has.
        while last > self.until {
            let count = (last - self.until).min(u32::MAX.into()) as u32;
            self.emit_idles(shared, links, self.until, word, count);
            self.until += u64::from(count);
        }
    }
}
