//! A node: a function from its input stream to its output stream (docs/model.md, "A node in one cycle").
//!
//! One step handles one run of input or one item of output. While the bypass FIFO is empty and the node waits, input runs go straight to the output
//! ([`State::Pass`]). Otherwise the output is known for a whole packet ahead: the node's own ([`State::Send`]) or one of the bypass FIFO
//! ([`State::Drain`]). The input of those cycles is absorbed in bulk, and the next decision falls in the idle behind that packet.

use std::collections::VecDeque;

use crate::measure::{Delivery, NodeCounters, Observer};
use crate::protocols::{FlowControl, IdleIn, IdleWord};
use crate::receive::{ReceiveQueue, Received};
use crate::spec::{ECHO_SYMBOLS, ReceiveQueueSpec};
use crate::stream::{Kind, Run, Stream};
use crate::transmit::{Flows, TransmitQueue};

/// The transmitter's state (picker1994, Figure 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Waits with an empty bypass FIFO: symbols pass (the paper's A and D).
    Pass,
    /// Has emitted the idle that lets the head go.
    Ready,
    /// Sends the head (B); the idle behind it is due at `until`.
    Send,
    /// Empties the bypass FIFO (C); the idle behind its oldest packet is due at `until`.
    Drain,
}

/// One node of a ring.
#[derive(Debug)]
pub(crate) struct Node<P> {
    /// Runs that have been sent to the node and not yet consumed; the first begins at `cycle`.
    pub(crate) input: Stream,
    /// Next input cycle to consume.
    pub(crate) cycle: u64,
    /// Cycle of the next decision, in [`State::Send`] and [`State::Drain`].
    until: u64,
    pub(crate) state: State,
    /// The run consumed last was of created idles; of a packet.
    absorbed_created: bool,
    absorbed_packet: bool,
    /// Where the symbols of the last emitted packet were counted.
    last_emitted: Kind,
    id: u16,
    pub(crate) flow_control: P,
    pub(crate) transmit: TransmitQueue,
    receive: ReceiveQueue,
    /// Packets absorbed and not yet emitted.
    bypass: VecDeque<Run>,
    /// Symbols of `bypass` with one separator each.
    bypass_symbols: u64,
    link_send_symbols: u64,
    link_retry_symbols: u64,
    link_echo_symbols: u64,
    bypass_max_symbols: u64,
    refused_packets: u64,
    /// Cycle of the last reset.
    measured_from: u64,
}

/// What the nodes of a ring share while one of them is visited.
pub(crate) struct Shared<'a, O> {
    pub(crate) flows: &'a mut Flows,
    pub(crate) receive_queue: &'a ReceiveQueueSpec,
    pub(crate) latency_digits: u8,
    /// Cycle up to which the ring is to be simulated.
    pub(crate) end: u64,
    /// Latest end of service of an accepted packet: the ring's progress.
    pub(crate) progress: &'a mut u64,
    pub(crate) observer: &'a mut O,
}

impl<P: FlowControl> Node<P> {
    pub(crate) fn new(id: u32, flow_control: P, transmit: TransmitQueue, input: Stream) -> Self {
        Self {
            input,
            cycle: 0,
            until: 0,
            state: State::Pass,
            absorbed_created: false,
            absorbed_packet: false,
            last_emitted: Kind::Idle,
            id: id as u16,
            flow_control,
            transmit,
            receive: ReceiveQueue::default(),
            bypass: VecDeque::new(),
            bypass_symbols: 0,
            link_send_symbols: 0,
            link_retry_symbols: 0,
            link_echo_symbols: 0,
            bypass_max_symbols: 0,
            refused_packets: 0,
            measured_from: 0,
        }
    }

    /// Consumes all input that is known and lies before the end, and appends what it causes to `output`.
    /// Returns whether the node did anything but let idles pass, or has a new head.
    pub(crate) fn visit<O: Observer>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream) -> bool {
        let mut active = false;
        while !self.is_done(shared.end) {
            let went_on = match self.state {
                State::Pass => {
                    let went_on = self.pass(shared, output, &mut active);
                    active |= self.state != State::Pass;
                    went_on
                }
                State::Ready => {
                    active = true;
                    self.start_sending(shared, output);
                    true
                }
                State::Send | State::Drain => {
                    active = true;
                    self.absorb(shared) && self.decide(shared, output)
                }
            };
            if !went_on {
                break;
            }
        }
        active
    }

    /// Is everything before cycle `end` done? Packets carry a node further than that.
    #[inline]
    pub(crate) fn is_done(&self, end: u64) -> bool {
        self.cycle >= end && (matches!(self.state, State::Pass | State::Ready) || self.until >= end)
    }

    /// Lets input runs pass until the node leaves this state or knows no more input.
    #[inline]
    fn pass<O: Observer>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream, active: &mut bool) -> bool {
        while self.cycle < shared.end {
            let now = self.cycle;
            let Some(&mut run) = self.input.front() else { return false };
            match run.kind {
                Kind::Idle => {
                    *active |= self.update_head(shared, now);
                    let count = self.until_event(run.len, shared.end);
                    if self.pass_idles(shared, output, IdleIn::Received(run.value), count) {
                        return true;
                    }
                }
                Kind::Stripped | Kind::Acknowledged | Kind::Refused => {
                    *active = true;
                    let mut len = run.len;
                    // An echo takes effect with its last symbol, which may change the head in that very cycle.
                    let decides = match run.kind {
                        Kind::Acknowledged => self.transmit.is_at_limit(shared.flows),
                        kind => kind == Kind::Refused,
                    };
                    if decides && len > 1 {
                        len -= 1;
                    } else if decides {
                        self.take_effect(shared, now);
                    }
                    self.update_head(shared, now);
                    let count = self.until_event(len, shared.end);
                    if self.pass_idles(shared, output, IdleIn::Created, count) {
                        return true;
                    }
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    *active = true;
                    if let Some(run) = self.strip_or_take(shared, run, now) {
                        self.emit_packet(run, output);
                    }
                }
            }
        }
        true
    }

    /// Cycles of a run of `len` equal idles in which nothing changes the head and the end is not passed.
    #[inline]
    fn until_event(&self, len: u32, end: u64) -> u32 {
        let limit = end.min(self.transmit.next_event) - self.cycle;
        if u64::from(len) < limit { len } else { limit as u32 }
    }

    /// `count` equal idles pass; returns whether the first of them let the head go.
    #[inline]
    fn pass_idles<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, O>,
        output: &mut Stream,
        idle: IdleIn,
        count: u32,
    ) -> bool {
        let word = self.flow_control.pass(idle);
        let goes = self.transmit.head().is_some() && self.flow_control.unblocked(word);
        let count = if goes { 1 } else { count };
        self.emit_idles(shared, output, self.cycle, word, count);
        self.consume(shared, count);
        if goes {
            self.state = State::Ready;
        }
        goes
    }

    #[inline]
    fn emit_idles<O: Observer>(
        &self,
        shared: &mut Shared<'_, O>,
        output: &mut Stream,
        cycle: u64,
        word: IdleWord,
        count: u32,
    ) {
        shared.observer.idles(u32::from(self.id), cycle, word, count);
        output.push_idles(count, word);
    }

    /// Consumes `count` cycles of the front run, which is of idles or created idles.
    #[inline]
    fn consume<O: Observer>(&mut self, shared: &mut Shared<'_, O>, count: u32) {
        let run = self.input.front().expect("idles were just read");
        self.cycle += u64::from(count);
        if count < run.len {
            run.len -= count;
            return;
        }
        match run.kind {
            Kind::Stripped => {
                // The last four symbols of the packet are the echo, back to its source.
                let kind = if run.group == REFUSED { Kind::BusyEcho } else { Kind::Echo };
                *run = Run { len: ECHO_SYMBOLS, kind, group: FRESH_ECHO, ..*run };
                return;
            }
            Kind::Acknowledged | Kind::Refused => self.take_effect(shared, self.cycle - 1),
            _ => {}
        }
        self.input.pop();
    }

    /// The front run is a packet: strips it if it is for this node, else consumes, records and returns it.
    // Not inlined, it costs a seventh of the speed.
    #[inline(always)]
    fn strip_or_take<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) -> Option<Run> {
        // On a ring of one node an echo first goes round.
        if run.target == self.id && run.group != FRESH_ECHO {
            self.strip(shared, now);
            return None;
        }
        let run = Run { group: run.group & !FRESH_ECHO, ..run };
        self.record(shared, run, now);
        self.input.pop();
        self.cycle += u64::from(run.len);
        Some(run)
    }

    /// The front run's echo takes effect in cycle `now`; once.
    fn take_effect<O>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        let run = self.input.front().expect("an echo was just read");
        let (kind, packet) = (run.kind, run.value);
        run.kind = Kind::Idle;
        match kind {
            Kind::Acknowledged => self.transmit.accepted(shared.flows, packet, now),
            Kind::Refused => self.transmit.refused(shared.flows, packet, now),
            _ => {}
        }
    }

    /// Turns the front run, a packet for this node whose first symbol arrives in cycle `now`, into created idles.
    fn strip<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        let run = *self.input.front().expect("a packet was just read");
        let stripped = match run.kind {
            Kind::Echo => Run { kind: Kind::Acknowledged, ..run },
            Kind::BusyEcho => Run { kind: Kind::Refused, ..run },
            _ => {
                let packet = shared.flows.packets[run.value];
                self.complete_services(shared, now);
                let accepted = self.receive.has_place(shared.receive_queue);
                if accepted {
                    let received = Received {
                        completion: 0,
                        generated: packet.generated,
                        flow: packet.flow,
                        symbols: u32::from(packet.symbols),
                    };
                    let completion = self.receive.accept(shared.receive_queue, now, received);
                    *shared.progress = completion.max(*shared.progress);
                } else {
                    self.refused_packets += 1;
                }
                let group = if accepted { 0 } else { REFUSED };
                Run { kind: Kind::Stripped, len: run.len - ECHO_SYMBOLS, target: packet.source, group, ..run }
            }
        };
        *self.input.front().expect("a packet was just read") = stripped;
    }

    /// Delivers the packets whose service has ended by cycle `now`.
    #[inline]
    pub(crate) fn complete_services<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        while let Some(received) = self.receive.complete(now) {
            let latency = received.completion - received.generated;
            let counters = &mut shared.flows.counters[received.flow as usize];
            counters.deliver(u64::from(received.symbols), latency, shared.latency_digits);
            shared.observer.delivered(Delivery {
                delivered: received.completion,
                destination: u32::from(self.id),
                flow: received.flow,
                generated: received.generated,
                symbols: received.symbols,
            });
        }
    }

    /// A send packet that passes a node with a head is recorded.
    #[inline]
    fn record<O>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) {
        self.update_head(shared, now);
        if matches!(run.kind, Kind::Send | Kind::Retry) && self.transmit.head().is_some() {
            self.flow_control.record(run.group);
        }
    }

    /// Chooses the head as of cycle `now`; returns whether it changed.
    #[inline]
    fn update_head<O>(&mut self, shared: &mut Shared<'_, O>, now: u64) -> bool {
        let changed = self.transmit.next_event <= now && self.transmit.catch_up(shared.flows, now);
        if changed {
            self.flow_control.set_head(self.transmit.head_view(&shared.flows.packets));
        }
        changed
    }

    #[inline]
    fn emit_packet(&mut self, run: Run, output: &mut Stream) {
        self.last_emitted = run.kind;
        *self.link_symbols(run.kind) += u64::from(run.len);
        output.push(run);
    }

    #[inline]
    fn link_symbols(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Send => &mut self.link_send_symbols,
            Kind::Retry => &mut self.link_retry_symbols,
            _ => &mut self.link_echo_symbols,
        }
    }

    /// Emits the head's first symbol in this cycle, and all others after it.
    fn start_sending<O>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream) {
        let index = self.transmit.head().expect("a ready node has a head");
        self.transmit.fix_head();
        let packet = &shared.flows.packets[index];
        let counters = &mut shared.flows.counters[packet.flow as usize];
        let kind = if packet.refusals == 0 {
            counters.sent_packets += 1;
            Kind::Send
        } else {
            counters.retries += 1;
            Kind::Retry
        };
        let len = u32::from(packet.symbols);
        let run = Run { len, value: index, target: packet.destination, kind, group: packet.group };
        self.emit_packet(run, output);
        self.until = self.cycle + u64::from(len);
        self.state = State::Send;
    }

    /// Absorbs the input of all cycles up to the next decision's own; returns false if it is not known so far.
    #[inline]
    fn absorb<O: Observer>(&mut self, shared: &mut Shared<'_, O>) -> bool {
        let after = self.until + 1;
        let stop = after.min(shared.end);
        while self.cycle < stop {
            let now = self.cycle;
            let Some(&mut run) = self.input.front() else { return false };
            match run.kind {
                Kind::Idle | Kind::Stripped | Kind::Acknowledged | Kind::Refused => {
                    let left = stop - now;
                    let count = if u64::from(run.len) < left { run.len } else { left as u32 };
                    let idle = if run.kind == Kind::Idle { IdleIn::Received(run.value) } else { IdleIn::Created };
                    self.absorbed_created = idle == IdleIn::Created;
                    self.absorbed_packet = false;
                    self.flow_control.absorb(idle);
                    self.consume(shared, count);
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    if let Some(run) = self.strip_or_take(shared, run, now) {
                        self.bypass.push_back(run);
                        self.bypass_symbols += u64::from(run.len) + 1;
                        self.absorbed_created = false;
                        self.absorbed_packet = true;
                    }
                }
            }
        }
        self.until < shared.end && self.cycle >= after
    }

    /// Emits the idle behind a packet and chooses what follows it.
    #[inline]
    fn decide<O: Observer>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream) -> bool {
        let now = self.until;
        let fifo_empty = self.bypass.is_empty();
        let word = if self.state == State::Send {
            self.note_bypass_fill(now);
            self.flow_control.sent(fifo_empty);
            self.transmit.leave(shared.flows, now);
            self.transmit.choose(shared.flows, now);
            self.flow_control.set_head(self.transmit.head_view(&shared.flows.packets));
            self.flow_control.idle_after_send(fifo_empty, self.absorbed_created)
        } else {
            self.update_head(shared, now);
            self.flow_control.separator(fifo_empty)
        };
        self.emit_idles(shared, output, now, word, 1);
        if let Some(run) = self.bypass.pop_front() {
            self.bypass_symbols -= u64::from(run.len) + 1;
            self.emit_packet(run, output);
            self.until = now + 1 + u64::from(run.len);
            self.state = State::Drain;
        } else if self.transmit.head().is_some() && self.flow_control.unblocked(word) {
            self.state = State::Ready;
        } else {
            self.state = State::Pass;
        }
        true
    }

    /// The bypass FIFO is fullest when the own packet has just left; `now` is the last absorbed cycle.
    fn note_bypass_fill(&mut self, now: u64) {
        // What of the last packet, and its separator, has not yet arrived.
        let outside = if self.absorbed_packet && !self.bypass.is_empty() { self.cycle - now } else { 0 };
        self.bypass_max_symbols = self.bypass_max_symbols.max(self.bypass_symbols - outside);
    }

    /// Brings everything that is counted up to cycle `now`, to which the node has been simulated.
    pub(crate) fn settle<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        self.complete_services(shared, now);
        if self.state == State::Send && now > 0 {
            self.note_bypass_fill(now - 1);
        }
        self.transmit.take_arrivals(shared.flows, now.saturating_sub(1));
    }

    /// Symbols of the last emitted packet that leave in cycle `now` or later.
    fn symbols_ahead(&self, now: u64) -> u64 {
        let emitted_until = match self.state {
            State::Pass | State::Ready => self.cycle,
            State::Send | State::Drain => self.until,
        };
        emitted_until.saturating_sub(now)
    }

    /// Counts from the last reset to cycle `now`, for which the node has been settled.
    pub(crate) fn counters(&self, now: u64) -> NodeCounters {
        let mut counters = NodeCounters {
            link_send_symbols: self.link_send_symbols,
            link_retry_symbols: self.link_retry_symbols,
            link_echo_symbols: self.link_echo_symbols,
            link_idle_symbols: 0,
            transmit_queue_packet_cycles: self.transmit.population.integral(now),
            transmit_queue_max: self.transmit.population.max(),
            receive_queue_packet_cycles: self.receive.population.integral(now),
            receive_queue_max: self.receive.population.max(),
            bypass_max_symbols: self.bypass_max_symbols,
            refused_packets: self.refused_packets,
        };
        let ahead = self.symbols_ahead(now);
        match self.last_emitted {
            Kind::Idle => {}
            Kind::Send => counters.link_send_symbols -= ahead,
            Kind::Retry => counters.link_retry_symbols -= ahead,
            _ => counters.link_echo_symbols -= ahead,
        }
        let packets = counters.link_send_symbols + counters.link_retry_symbols + counters.link_echo_symbols;
        counters.link_idle_symbols = now - self.measured_from - packets;
        counters
    }

    /// Starts all counts again from cycle `now`, for which the node has been settled.
    pub(crate) fn reset(&mut self, now: u64) {
        let ahead = self.symbols_ahead(now);
        (self.link_send_symbols, self.link_retry_symbols, self.link_echo_symbols) = (0, 0, 0);
        if ahead > 0 {
            *self.link_symbols(self.last_emitted) = ahead;
        }
        self.transmit.population.reset(now);
        self.receive.population.reset(now);
        self.bypass_max_symbols = 0;
        self.refused_packets = 0;
        self.measured_from = now;
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.input.heap_bytes()
            + self.transmit.heap_bytes()
            + self.receive.heap_bytes()
            + self.bypass.capacity() * size_of::<Run>()
    }
}

/// Mark, in the unused group of a [`Kind::Stripped`] run, of a refused packet.
const REFUSED: u8 = 1;

/// Mark, in the unused group of an echo, of one that this node has just made.
const FRESH_ECHO: u8 = 0x80;
