//! A node: a function from its input stream to its output stream (docs/model.md, "A node in one cycle").
//!
//! One step handles one run of input or one item of output. While the bypass FIFO is empty and the node waits, input runs go straight to the output
//! ([`State::Pass`]). Otherwise the output is known for a whole packet ahead: the node's own ([`State::Send`]) or one of the bypass FIFO
//! ([`State::Drain`]). The input of those cycles is absorbed in bulk, and the next decision falls in the idle behind that packet.

mod delayed_echo;
mod hold;
mod loss;
mod port;
mod traced;

pub(crate) use port::{Arrival, Port};

use crate::bypass::{Bypass, Entry};
use crate::measure::NodeCounters;
use crate::network::RemoteDelivery;
use crate::observe::{Activity, BypassEntry, Bypassed, Delivery, Emission, Observer, Queue};
use crate::packet::{Class, Packet};
use crate::protocols::{FlowControl, Host, IdleIn, IdleWord, Next};
use crate::receive::{ReceiveQueue, Received, Service};
use crate::reservation::Phase;
use crate::spec::ReceiveQueueSpec;
use crate::state::{Encode, Encoder};
use crate::stream::{Kind, Run, Stream};
use crate::transmit::{Flows, NEVER, TransmitQueue};

/// The transmitter's state (picker1994, Figure 2; docs/realtime-model.md, Section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Waits with an empty bypass FIFO: symbols pass (the paper's A and D).
    Pass,
    /// Has emitted the idle that lets the head go, which starts at `until`.
    Ready,
    /// Has emitted the idle behind which this packet, which has left the queue before, starts at `until`.
    ReadyGranted(u32),
    /// Sends the head (B); the idle behind it is due at `until`.
    Send,
    /// Sends a packet that has left the queue before; the idle behind it is due at `until`.
    SendGranted,
    /// Sends a packet that the protocol has made; the idle behind it is due at `until`.
    Insert,
    /// Empties the bypass FIFO (C); the idle behind its last packet is due at `until`.
    Drain,
    /// Emits idles while the first packet of the bypass FIFO is not all there; the output is known up to `until`.
    Hold,
    /// Sends a control symbol, of which the last symbol is due at `until`.
    Control,
}

/// A send packet of the bypass FIFO, or straight through, that was emitted last.
#[derive(Debug, Clone, Copy)]
struct Passing {
    /// Cycle of the idle behind it; [`NEVER`]: it has been looked at.
    idle: u64,
    symbols: u32,
    priority: u8,
}

/// One node of a ring.
#[derive(Debug, Clone)]
pub(crate) struct Node<P> {
    /// Runs that have been sent to the node and not yet consumed; the first begins at `cycle`.
    pub(crate) input: Stream,
    /// Next input cycle to consume.
    pub(crate) cycle: u64,
    /// Cycle of the next decision, unless symbols pass.
    until: u64,
    pub(crate) state: State,
    /// The run consumed last was of created idles.
    absorbed_created: bool,
    /// Where the symbols of the last emitted packet were counted.
    last_emitted: Kind,
    id: u16,
    pub(crate) flow_control: P,
    pub(crate) transmit: TransmitQueue,
    pub(crate) receive: ReceiveQueue,
    pub(crate) bypass: Bypass,
    passing: Passing,
    link_send_symbols: u64,
    link_retry_symbols: u64,
    link_echo_symbols: u64,
    link_control_symbols: u64,
    bypass_max_symbols: u32,
    refused_packets: u64,
    preempted_packets: u64,
    deleted_tickets: u64,
}

/// What interfaces of a network do besides.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Timing {
    /// Cycles from a packet's end until its service may start.
    pub(crate) receive_delay_cycles: u64,
    /// Cycles from the end of its service to its delivery.
    pub(crate) store_cycles: u64,
    /// Do receivers delay busy echoes?
    pub(crate) delays_echoes: bool,
    /// May links have errors?
    pub(crate) errs: bool,
    /// Do they store what passes?
    pub(crate) stores: bool,
}

/// What the nodes of a ring share while one of them is visited.
pub(crate) struct Shared<'a, O> {
    pub(crate) flows: &'a mut Flows,
    pub(crate) receive_queue: &'a ReceiveQueueSpec,
    pub(crate) timing: Timing,
    pub(crate) echo_symbols: u32,
    pub(crate) latency_digits: u8,
    /// Do services create responses? Else a server's moments matter to nobody until somebody asks.
    pub(crate) responds: bool,
    /// Are there several priorities, so that there may be inversions?
    pub(crate) prioritised: bool,
    /// Cycle up to which the ring is to be simulated.
    pub(crate) end: u64,
    /// Latest end of service of an accepted packet: the ring's progress.
    pub(crate) progress: &'a mut u64,
    pub(crate) observer: &'a mut O,
}

/// A node's queues, for its protocol in cycle `$now`.
macro_rules! host {
    ($node:expr, $shared:expr, $now:expr) => {
        Host {
            now: $now,
            transmit: &mut $node.transmit,
            receive: &mut $node.receive,
            flows: $shared.flows,
            receive_queue: $shared.receive_queue,
            bypass: &mut $node.bypass,
            deleted_tickets: &mut $node.deleted_tickets,
            preempted_packets: &mut $node.preempted_packets,
        }
    };
}

impl<P: FlowControl> Node<P> {
    pub(crate) fn new(id: u32, flow_control: P, transmit: TransmitQueue, input: Stream) -> Self {
        Self {
            input,
            cycle: 0,
            until: 0,
            state: State::Pass,
            absorbed_created: false,
            last_emitted: Kind::Idle,
            id: id as u16,
            flow_control,
            transmit,
            receive: ReceiveQueue::new(),
            bypass: Bypass::default(),
            passing: Passing { idle: NEVER, symbols: 0, priority: 0 },
            link_send_symbols: 0,
            link_retry_symbols: 0,
            link_echo_symbols: 0,
            link_control_symbols: 0,
            bypass_max_symbols: 0,
            refused_packets: 0,
            preempted_packets: 0,
            deleted_tickets: 0,
        }
    }

    /// Cycle 0 begins: what the protocol has in the bypass FIFO at once is emitted behind the first idle.
    pub(crate) fn start<O: Observer>(&mut self, shared: &mut Shared<'_, O>) {
        if P::REAL_TIME {
            self.update_head(shared, 0);
            if let Some(run) = self.flow_control.start(host!(self, shared, 0)) {
                self.bypass.push(run, 0, 0);
                self.show_bypassed(shared, &run, 0);
                self.state = State::Drain;
            }
        }
    }

    /// Consumes all input that is known and lies before the end, and appends what it causes to `output`.
    /// Returns whether the node did anything but let idles pass, or has a new head.
    pub(crate) fn visit<O: Observer>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream) -> bool {
        let mut active = false;
        if shared.timing.errs {
            self.transmit.hear_of_losses(shared.flows);
        }
        while !self.is_done(shared.end) {
            let went_on = match self.state {
                State::Pass => {
                    let went_on = self.pass(shared, output, &mut active);
                    active |= self.state != State::Pass;
                    went_on
                }
                State::Ready => {
                    active = true;
                    let head = self.transmit.head().expect("a ready node has a head");
                    self.transmit.fix_head();
                    self.start_sending(shared, output, head, State::Send);
                    true
                }
                State::ReadyGranted(packet) => {
                    active = true;
                    self.start_sending(shared, output, packet, State::SendGranted);
                    true
                }
                State::Hold => {
                    active = true;
                    self.hold(shared, output)
                }
                _ => {
                    active = true;
                    self.absorb(shared) && self.decide(shared, output)
                }
            };
            if !went_on {
                break;
            }
        }
        self.show_queues(shared);
        active
    }

    /// Is everything before cycle `end` done? Packets carry a node further than that.
    #[inline]
    pub(crate) fn is_done(&self, end: u64) -> bool {
        self.cycle >= end && (self.state == State::Pass || self.until >= end)
    }

    /// Cycles up to which the node has consumed its input, and decided about its output.
    #[inline]
    pub(crate) fn reached(&self) -> (u64, u64) {
        (self.cycle, self.until)
    }

    /// Next cycle in which something happens at the node itself.
    #[inline]
    pub(crate) fn next_event(&self, responds: bool) -> u64 {
        let served = if P::REAL_TIME || responds { self.receive.next_event } else { NEVER };
        self.transmit.next_event.min(served)
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
                        Kind::Acknowledged => {
                            P::REAL_TIME || shared.responds || self.transmit.waits_for(shared.flows, run.value)
                        }
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
                        if shared.timing.stores {
                            self.store(run, now);
                            return true;
                        }
                        self.note_passing(shared, &run, now);
                        self.emit_packet(shared, run, now, None, output);
                    }
                }
                Kind::Event => {
                    *active = true;
                    if self.take_event(shared, run, now) {
                        self.emit_packet(shared, run, now, None, output);
                    }
                }
                Kind::Train => {
                    *active = true;
                    self.take_train(shared, run, now);
                    if !self.bypass.is_empty() {
                        // It waits in the FIFO, and the idles before it are those of a node that drains.
                        self.until = now;
                        self.state = State::Drain;
                        return true;
                    }
                }
                Kind::Control => {
                    *active = true;
                    if self.take_control(shared, run, now) {
                        let first = self.flow_control.next_control().expect("it was just put there");
                        self.emit_control(shared, first, now, output);
                        return true;
                    }
                }
            }
        }
        true
    }

    /// Cycles of a run of `len` equal idles in which nothing happens at the node and the end is not passed.
    #[inline]
    fn until_event<O>(&self, len: u32, shared: &Shared<'_, O>) -> u32 {
        let limit = shared.end.min(self.next_event(shared.responds)) - self.cycle;
        if u64::from(len) < limit { len } else { limit as u32 }
    }

    /// `count` equal idles pass; returns whether something follows the first of them.
    #[inline(always)]
    fn pass_idles<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, O>,
        output: &mut Stream,
        idle: IdleIn,
        count: u32,
    ) -> bool {
        let now = self.cycle;
        self.look_at_passing(shared, now);
        let word = self.flow_control.pass(idle);
        let mut next = self.flow_control.next(word, host!(self, shared, now));
        if shared.timing.delays_echoes {
            next = self.with_delayed_echo(shared.flows, next, now);
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
    fn follow<O: Observer>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream, next: Next, now: u64) {
        self.until = now + 1;
        match next {
            Next::Nothing => self.state = State::Pass,
            Next::Own => self.state = State::Ready,
            Next::Bypass(place) => {
                let entry = if place == 0 { self.bypass.take_first() } else { self.bypass.take(place) };
                let run = entry.run;
                self.note_passing(shared, &run, now + 1);
                self.state = State::Drain;
                self.emit_packet(shared, run, now + 1, Some(&entry), output);
                self.until += u64::from(run.len);
            }
            Next::Hold if shared.timing.stores => self.state = State::Hold,
            Next::Hold => self.state = State::Drain,
            Next::Granted(packet) => self.state = State::ReadyGranted(packet),
            Next::Insert(run) => {
                self.state = State::Insert;
                self.emit_packet(shared, run, now + 1, None, output);
                self.until += u64::from(run.len);
            }
            Next::Control(run) => self.emit_control(shared, run, now + 1, output),
        }
    }

    fn emit_control<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, cycle: u64, output: &mut Stream) {
        self.state = State::Control;
        self.emit_packet(shared, run, cycle, None, output);
        self.until = cycle + u64::from(run.len) - 1;
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
        if O::TRACES {
            self.show_emitted(shared, &Run::idles(count, word), cycle, None);
        }
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
                // The last symbols of the packet are the echo, back to its source.
                let kind = if run.group == REFUSED { Kind::BusyEcho } else { Kind::Echo };
                *run = Run { len: shared.echo_symbols, kind, group: FRESH_ECHO, ..*run };
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
    fn strip_or_take<O: Observer>(&mut self, shared: &mut Shared<'_, O>, mut run: Run, now: u64) -> Option<Run> {
        // On a ring of one node an echo first goes round.
        let fresh = !run.kind.is_send() && run.group == FRESH_ECHO;
        if shared.timing.errs && !fresh && self.is_lost(shared.flows, run, now) {
            return None;
        }
        if run.target == self.id && !fresh && !self.passes_on(shared.flows, &mut run, now) {
            self.strip(shared, now);
            return None;
        }
        let run = if fresh { Run { group: 0, ..run } } else { run };
        self.record(shared, run, now);
        self.input.pop();
        self.cycle += u64::from(run.len);
        Some(run)
    }

    /// The front run's echo takes effect in cycle `now`; once.
    fn take_effect<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        let run = self.input.front().expect("an echo was just read");
        let (kind, packet) = (run.kind, run.value);
        run.kind = Kind::Freed;
        if kind == Kind::Freed {
            return;
        }
        self.serve_in_turn(shared, now);
        if O::TRACES {
            let view = shared.flows.packets[packet].view();
            shared.observer.echoed(self.id.into(), now, view, kind == Kind::Acknowledged);
        }
        if kind == Kind::Refused {
            self.transmit.refused(shared.flows, packet, now);
            return;
        }
        let Packet { output_inversion_cycles, flow, .. } = shared.flows.packets[packet];
        if output_inversion_cycles > 0 {
            shared.flows.counters[flow as usize].output_inversion(u64::from(output_inversion_cycles));
        }
        self.flow_control.accepted(packet);
        if self.transmit.accepted(shared.flows, packet, now) {
            self.receive.unblock(now);
            self.serve(shared, now);
        }
    }

    /// Turns the front run, a packet for this node whose first symbol arrives in cycle `now`, into created idles.
    fn strip<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        let run = *self.input.front().expect("a packet was just read");
        let stripped = match run.kind {
            Kind::Echo => Run { kind: Kind::Acknowledged, ..run },
            Kind::BusyEcho => Run { kind: Kind::Refused, ..run },
            _ => {
                let source = shared.flows.packets[run.value].source;
                let accepted = self.receive_packet(shared, run, now);
                if !accepted && shared.timing.delays_echoes {
                    self.delay_echo(shared.flows, run, shared.echo_symbols, now);
                }
                let accepted_late = accepted && P::LATE_ECHO;
                if accepted_late || (!accepted && shared.timing.delays_echoes) {
                    Run { kind: Kind::Freed, ..run }
                } else {
                    let group = if accepted { 0 } else { REFUSED };
                    Run { kind: Kind::Stripped, len: run.len - shared.echo_symbols, target: source, group, ..run }
                }
            }
        };
        *self.input.front().expect("a packet was just read") = stripped;
    }

    /// Does the input queue accept this packet, whose first symbol arrives in cycle `now`?
    fn receive_packet<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) -> bool {
        if self.transmit.port().is_some() {
            return self.receive_at_port(shared.flows, run, now);
        }
        if P::REAL_TIME || shared.responds {
            self.serve_in_turn(shared, now);
        } else {
            self.serve(shared, now);
        }
        if shared.timing.errs && std::mem::replace(&mut shared.flows.packets[run.value].received, true) {
            // It was accepted, and sent again because its echo was lost.
            return true;
        }
        let mut packet = shared.flows.packets[run.value];
        if P::LATE_ECHO {
            // The priority that it carries, which an event on its way may have raised.
            packet.priority = run.group;
        }
        let Packet { class, priority, .. } = packet;
        let has_place = self.receive.has_place(shared.receive_queue, class);
        let refused = if shared.flows.retry.reservation {
            self.receive.reserve(class, packet.phase, has_place)
        } else {
            (!has_place).then_some(Phase::NoTry)
        };
        let accepted = refused.is_none() || self.flow_control.make_place(&packet, host!(self, shared, now));
        if O::TRACES {
            shared.observer.received(self.id.into(), now, packet.view(), accepted);
        }
        let kept = &mut shared.flows.packets[run.value];
        kept.granted = false;
        kept.received = accepted;
        if accepted {
            // Where a response goes: on a single ring to who has sent the request.
            let source = match &shared.flows.network {
                None => packet.source,
                Some(network) => network.flow_node(packet.network_flow),
            };
            let complete = now + u64::from(run.len) + shared.timing.receive_delay_cycles;
            self.receive.accept(
                class,
                now,
                Received {
                    packet: run.value,
                    flow: packet.flow,
                    message: packet.message,
                    complete,
                    generated: packet.generated,
                    started: packet.started,
                    part: packet.part,
                    symbols: packet.symbols,
                    response_symbols: packet.response_symbols,
                    source,
                    network_flow: packet.network_flow,
                    priority,
                },
            );
            *shared.progress = complete.max(*shared.progress);
            // PPQ may still take its place away, and then it waits anew.
            kept.inverted_since = NEVER;
            if packet.inverted_since != NEVER {
                shared.flows.counters[packet.flow as usize].input_inversion(now - packet.inverted_since);
            }
        } else {
            self.refused_packets += 1;
            kept.phase = refused.unwrap_or(packet.phase);
            if shared.prioritised && self.receive.lowest(class).is_some_and(|lowest| lowest < priority) {
                kept.inverted_since = kept.inverted_since.min(now);
            }
        }
        if P::REAL_TIME {
            self.flow_control.arrived(class, packet.granted, accepted, host!(self, shared, now));
        }
        accepted
    }

    /// Brings the services up to cycle `now` after everything that happened at the node before: nothing sees what comes later.
    #[inline]
    fn serve_in_turn<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        if now > 0 {
            self.update_head(shared, now - 1);
        }
        if P::REAL_TIME || shared.responds {
            self.serve(shared, now);
        }
    }

    /// Brings the services up to cycle `now`: delivers packets, creates responses.
    #[inline]
    pub(crate) fn serve<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        while self.receive.next_event <= now {
            let place = self.transmit.has_response_place(shared.flows);
            let Some(service) = self.receive.serve(shared.receive_queue, now, place) else { return };
            match service {
                Service::Started(_, start) => {
                    *shared.progress = (start + shared.receive_queue.service_cycles).max(*shared.progress);
                }
                Service::Ended(class, received, end) => self.deliver(shared, class, &received, end),
            }
            if P::REAL_TIME {
                let at = service.cycle();
                self.flow_control.served(&service, host!(self, shared, at));
            }
        }
    }

    #[inline]
    fn deliver<O: Observer>(&mut self, shared: &mut Shared<'_, O>, class: Class, received: &Received, now: u64) {
        let flow = received.flow as usize;
        let delivered = now + shared.timing.store_cycles;
        let node =
            shared.flows.network.as_ref().map_or(u32::from(self.id), |network| network.nodes[usize::from(self.id)]);
        shared.observer.delivered(Delivery {
            delivered,
            destination: node,
            flow: received.network_flow,
            generated: received.generated,
            symbols: u32::from(received.symbols),
            response: class == Class::Response,
        });
        if O::TRACES {
            shared.observer.served(self.id.into(), now, received.view(self.id, class));
        }
        if shared.flows.replay.is_some() {
            self.note_traced(shared.flows, received, class, delivered);
        }
        if flow >= shared.flows.flows.len() {
            return self.deliver_remote(shared, received, now);
        }
        let latency = delivered - received.generated;
        let counters = &mut shared.flows.counters[flow];
        counters.deliver(u64::from(received.symbols), latency, shared.latency_digits);
        // Responses of a trace belong to flows of their own.
        let response = class == Class::Response && !shared.flows.flows[flow].is_of_responses();
        if response {
            counters.deliver_response(latency);
            self.transmit.complete(shared.flows, now);
            if !shared.flows.loops.is_empty() {
                self.transmit.close_loop(shared.flows, received.flow, 1, now);
            }
        }
        if received.response_symbols > 0 {
            shared.flows.counters[flow].deliver_part();
            self.transmit.respond(shared.flows, received, now);
        } else {
            let message = (received.message, received.started);
            shared.flows.complete_packet(flow, message, response, delivered, shared.latency_digits);
        }
    }

    /// A request of another ring's flow has been served: that ring counts it.
    fn deliver_remote<O: Observer>(&mut self, shared: &mut Shared<'_, O>, received: &Received, now: u64) {
        let network = shared.flows.network.as_mut().expect("only networks have flows elsewhere");
        network.deliveries.push(RemoteDelivery {
            delivered: now + shared.timing.store_cycles,
            generated: received.generated,
            started: received.started,
            network_flow: received.network_flow,
            message: received.message,
            symbols: received.symbols,
            has_response: received.response_symbols > 0,
        });
        if received.response_symbols > 0 {
            self.transmit.respond(shared.flows, received, now);
        }
    }

    /// An event message passes, or comes back to its source; returns whether it passes.
    fn take_event<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) -> bool {
        if run.target == self.id {
            shared.flows.packets.end_event(run.value);
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
    fn take_train<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) {
        self.update_head(shared, now);
        // What arrived before found the places that tickets now free, or take again.
        self.transmit.take_arrivals(shared.flows, now);
        let rewritten = self.flow_control.train(run, host!(self, shared, now));
        self.flow_control.set_head(self.transmit.head_view(&shared.flows.packets));
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
    fn take_control<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) -> bool {
        // It acts on what waits in this cycle, before the head is chosen.
        self.serve_in_turn(shared, now);
        self.transmit.take_arrivals(shared.flows, now);
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

    /// A send packet that passes a node with a head is recorded.
    #[inline]
    fn record<O: Observer>(&mut self, shared: &mut Shared<'_, O>, run: Run, now: u64) {
        self.update_head(shared, now);
        if run.kind.is_send() && self.transmit.head().is_some() {
            self.flow_control.record(run.group);
        }
    }

    /// Handles what has happened at the node itself up to cycle `now`, and chooses the head; returns whether the head changed.
    #[inline(always)]
    fn update_head<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) -> bool {
        // Mostly nothing has.
        self.next_event(shared.responds) <= now && self.catch_up(shared, now)
    }

    #[inline(never)]
    fn catch_up<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) -> bool {
        let mut changed = false;
        loop {
            if shared.timing.errs {
                self.use_given_up_place(shared.flows);
            }
            let at = self.next_event(shared.responds);
            if at > now {
                break;
            }
            if P::REAL_TIME || shared.responds {
                self.serve(shared, at);
            }
            if self.transmit.next_event <= at {
                self.transmit.take_arrivals(shared.flows, at);
                if self.transmit.choose(shared.flows, at, &self.flow_control) {
                    changed = true;
                    // Every head counts, even one that soon yields.
                    self.flow_control.set_head(self.transmit.head_view(&shared.flows.packets));
                    self.show_head(shared, at);
                }
            }
        }
        changed
    }

    /// `bypassed`: it comes out of the bypass FIFO.
    #[inline]
    fn emit_packet<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, O>,
        run: Run,
        cycle: u64,
        bypassed: Option<&Entry>,
        output: &mut Stream,
    ) {
        if O::TRACES {
            self.show_emitted(shared, &run, cycle, bypassed);
        }
        self.last_emitted = run.kind;
        *self.link_symbols(run.kind) += u64::from(run.len);
        if P::REAL_TIME {
            self.flow_control.emits(run.len, cycle);
        }
        output.push(run);
    }

    #[inline]
    fn link_symbols(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Send => &mut self.link_send_symbols,
            Kind::Retry => &mut self.link_retry_symbols,
            Kind::Control | Kind::Train | Kind::Event => &mut self.link_control_symbols,
            _ => &mut self.link_echo_symbols,
        }
    }

    /// A packet from upstream is emitted from cycle `from` on: a head of higher priority may suffer from it.
    #[inline]
    fn note_passing<O>(&mut self, shared: &Shared<'_, O>, run: &Run, from: u64) {
        if shared.prioritised && run.kind.is_send() {
            // With PPQ a packet carries its priority: at its source an event may have raised it since.
            let priority = if P::LATE_ECHO { run.group } else { shared.flows.packets[run.value].priority };
            self.passing = Passing { idle: from + u64::from(run.len), symbols: run.len, priority };
        }
    }

    /// In the idle behind such a packet: output inversion (todd2001, Section 2.1).
    #[inline]
    fn look_at_passing<O>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        if self.passing.idle > now {
            return;
        }
        let Passing { idle, symbols, priority } = self.passing;
        self.passing.idle = NEVER;
        if let Some(head) = self.transmit.head()
            && shared.flows.packets[head].priority > priority
        {
            let from = idle - u64::from(symbols);
            let cycles = (idle + 1).saturating_sub(from.max(self.transmit.head_since()));
            shared.flows.packets[head].output_inversion_cycles += cycles as u32;
        }
    }

    /// Emits a packet's first symbol in cycle `until`, and all others after it.
    fn start_sending<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, O>,
        output: &mut Stream,
        index: u32,
        state: State,
    ) {
        let packet = &shared.flows.packets[index];
        let counters = &mut shared.flows.counters[packet.flow as usize];
        let len = u32::from(packet.symbols);
        let kind = if packet.refusals == 0 {
            counters.sent_packets += 1;
            Kind::Send
        } else {
            counters.retries += 1;
            counters.retry_symbols += u64::from(len);
            Kind::Retry
        };
        let group = if P::LATE_ECHO { packet.priority } else { packet.group };
        self.transmit.sends(kind == Kind::Retry);
        let run = Run { len, value: index, target: packet.destination, kind, group };
        let start = self.until;
        self.state = state;
        self.emit_packet(shared, run, start, None, output);
        if P::REAL_TIME {
            self.flow_control.sends(index, host!(self, shared, start));
        }
        self.until = start + u64::from(len);
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
                Kind::Event => {
                    if self.take_event(shared, run, now) {
                        self.bypass.push(run, now, run.len);
                        self.show_bypassed(shared, &run, now);
                        self.absorbed_created = false;
                    }
                }
                Kind::Train => self.take_train(shared, run, now),
                Kind::Control => {
                    self.take_control(shared, run, now);
                    self.absorbed_created = false;
                }
            }
        }
        self.until < shared.end && self.cycle >= after
    }

    /// Emits the idle behind a packet and decides what follows it.
    #[inline]
    fn decide<O: Observer>(&mut self, shared: &mut Shared<'_, O>, output: &mut Stream) -> bool {
        let now = self.until;
        let fifo_empty = self.bypass.is_empty();
        let word = match self.state {
            State::Send | State::SendGranted | State::Insert => {
                // While its head is sent no other is chosen, so that nothing sees when each service ended.
                if self.state == State::Send && (P::REAL_TIME || shared.responds) {
                    self.serve(shared, now);
                }
                self.flow_control.sent(fifo_empty);
                if self.state == State::Send {
                    self.transmit.leave(shared.flows, now);
                    self.transmit.choose(shared.flows, now, &self.flow_control);
                } else {
                    self.update_head(shared, now);
                }
                self.flow_control.set_head(self.transmit.head_view(&shared.flows.packets));
                self.flow_control.idle_after_send(fifo_empty, self.absorbed_created)
            }
            _ => {
                self.update_head(shared, now);
                self.look_at_passing(shared, now);
                if self.state == State::Control { 0 } else { self.flow_control.separator(fifo_empty) }
            }
        };
        self.show_head(shared, now);
        self.show_withheld(shared, now);
        if self.state != State::Control {
            self.emit_idles(shared, output, now, word, 1);
        }
        let sent = self.state == State::Send;
        let mut next = self.flow_control.next(word, host!(self, shared, now));
        if shared.timing.stores {
            next = self.when_stored(next, now);
        }
        if shared.timing.delays_echoes {
            next = self.with_delayed_echo(shared.flows, next, now);
        }
        if sent || P::REAL_TIME {
            self.note_bypass_fill(now);
        }
        self.follow(shared, output, next, now);
        true
    }

    /// The bypass FIFO is fullest when something that is not from it has just left; `now` is the last absorbed cycle.
    fn note_bypass_fill(&mut self, now: u64) {
        self.bypass_max_symbols = self.bypass_max_symbols.max(self.bypass.occupancy(now) as u32);
    }

    /// Brings everything that is counted up to cycle `now`, to which the node has been simulated.
    pub(crate) fn settle<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        if P::REAL_TIME || shared.responds {
            self.serve_in_turn(shared, now);
        } else {
            self.serve(shared, now);
        }
        self.release_buffers(now);
        // A protocol that looks at the fill when it decides is counted then.
        if self.state == State::Send && !P::REAL_TIME && now > 0 {
            self.note_bypass_fill(now - 1);
        }
        self.transmit.take_arrivals(shared.flows, now.saturating_sub(1));
        self.show_queues(shared);
    }

    /// Symbols of the last emitted packet that leave in cycle `now` or later.
    fn symbols_ahead(&self, now: u64) -> u64 {
        let emitted_until = match self.state {
            State::Pass => self.cycle,
            State::Control => self.until + 1,
            _ => self.until,
        };
        emitted_until.saturating_sub(now)
    }

    /// Counts from the last reset, in cycle `from`, to cycle `now`, for which the node has been settled.
    pub(crate) fn counters(&self, from: u64, now: u64) -> NodeCounters {
        let mut counters = NodeCounters {
            link_send_symbols: self.link_send_symbols,
            link_retry_symbols: self.link_retry_symbols,
            link_echo_symbols: self.link_echo_symbols,
            link_control_symbols: self.link_control_symbols,
            link_idle_symbols: 0,
            transmit_queue_packet_cycles: self.transmit.population.integral(now),
            transmit_queue_max: self.transmit.population.max(),
            receive_queue_packet_cycles: self.receive.population.integral(now),
            receive_queue_max: self.receive.population.max(),
            bypass_max_symbols: u64::from(self.bypass_max_symbols),
            refused_packets: self.refused_packets + self.preempted_packets,
            preempted_packets: self.preempted_packets,
            deleted_tickets: self.deleted_tickets,
        };
        let ahead = self.symbols_ahead(now);
        match self.last_emitted {
            Kind::Idle => {}
            Kind::Send => counters.link_send_symbols -= ahead,
            Kind::Retry => counters.link_retry_symbols -= ahead,
            Kind::Control | Kind::Train | Kind::Event => counters.link_control_symbols -= ahead,
            _ => counters.link_echo_symbols -= ahead,
        }
        let packets = counters.link_send_symbols
            + counters.link_retry_symbols
            + counters.link_echo_symbols
            + counters.link_control_symbols;
        counters.link_idle_symbols = now - from - packets;
        counters
    }

    /// Starts all counts again from cycle `now`, for which the node has been settled.
    pub(crate) fn reset(&mut self, now: u64) {
        let ahead = self.symbols_ahead(now);
        for kind in [Kind::Send, Kind::Retry, Kind::Echo, Kind::Control] {
            *self.link_symbols(kind) = 0;
        }
        if ahead > 0 {
            *self.link_symbols(self.last_emitted) = ahead;
        }
        self.transmit.population.reset(now);
        self.receive.population.reset(now);
        self.bypass_max_symbols = 0;
        (self.refused_packets, self.preempted_packets, self.deleted_tickets) = (0, 0, 0);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.input.heap_bytes() + self.transmit.heap_bytes() + self.receive.heap_bytes() + self.bypass.heap_bytes()
    }
}

/// What an observer is shown; without one that traces, nothing.
impl<P: FlowControl> Node<P> {
    /// From cycle `now`, in which the node is, an observer follows it, or none does any more.
    pub(crate) fn show_from<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        self.transmit.population.follow(O::TRACES, now);
        self.receive.population.follow(O::TRACES, now);
        if O::TRACES {
            self.show_head(shared, now);
            self.show_withheld(shared, now);
            for &Entry { run, arrived, replaced } in self.bypass.iter() {
                let mut run = run;
                if replaced != NEVER {
                    let Packet { symbols, refusals, .. } = shared.flows.packets[run.value];
                    run.len = symbols.into();
                    run.kind = if refusals == 0 { Kind::Send } else { Kind::Retry };
                }
                self.show_bypassed(shared, &run, arrived);
            }
            for (class, received) in self.receive.iter() {
                let arrived = received.complete - u64::from(received.symbols);
                shared.observer.received(self.id.into(), arrived, received.view(self.id, class), true);
            }
        }
    }

    #[inline]
    fn show_emitted<O: Observer>(&self, shared: &mut Shared<'_, O>, run: &Run, cycle: u64, bypassed: Option<&Entry>) {
        let activity = match self.state {
            State::Pass => Activity::Pass,
            State::Ready | State::ReadyGranted(_) | State::Send | State::SendGranted => Activity::Send,
            State::Insert => Activity::Insert,
            State::Drain | State::Hold => Activity::Drain,
            State::Control => Activity::Control,
        };
        let bypassed = bypassed.map(|&Entry { arrived, replaced, .. }| Bypassed {
            arrived,
            replaced: (replaced != NEVER).then_some(replaced),
        });
        let symbols = run.view(&shared.flows.packets);
        let node = self.id.into();
        shared.observer.emitted(&Emission { node, cycle, count: run.len, symbols, activity, bypassed });
    }

    #[inline]
    fn show_bypassed<O: Observer>(&self, shared: &mut Shared<'_, O>, run: &Run, cycle: u64) {
        if O::TRACES {
            let symbols = run.view(&shared.flows.packets);
            shared.observer.bypassed(&BypassEntry { node: self.id.into(), cycle, count: run.len, symbols });
        }
    }

    #[inline]
    fn show_head<O: Observer>(&self, shared: &mut Shared<'_, O>, now: u64) {
        if O::TRACES {
            let head = self.transmit.head().map(|slot| shared.flows.packets[slot].view());
            shared.observer.head(self.id.into(), now, head);
        }
    }

    #[inline]
    fn show_withheld<O: Observer>(&self, shared: &mut Shared<'_, O>, now: u64) {
        if O::TRACES {
            shared.observer.withheld(self.id.into(), now, self.flow_control.saved());
        }
    }

    #[inline]
    fn show_queues<O: Observer>(&mut self, shared: &mut Shared<'_, O>) {
        if O::TRACES {
            let node = self.id.into();
            for (cycle, joins) in self.transmit.population.drain_log() {
                shared.observer.queued(node, Queue::Transmit, cycle, joins);
            }
            for (cycle, joins) in self.receive.population.drain_log() {
                shared.observer.queued(node, Queue::Receive, cycle, joins);
            }
        }
    }
}

/// Mark, in the unused group of a [`Kind::Stripped`] run, of a refused packet.
const REFUSED: u8 = 1;

/// Mark, in the unused group of an echo, of one that this node has just made.
const FRESH_ECHO: u8 = 0x80;

impl<P: FlowControl> Node<P> {
    /// For exploration: chooses the head as of the cycle before `now`, for which the node has been settled. It would do so later, with the same result.
    pub(crate) fn bring_head<O: Observer>(&mut self, shared: &mut Shared<'_, O>, now: u64) {
        if now > 0 {
            self.update_head(shared, now - 1);
        }
    }
}

impl<P: FlowControl> Encode for Node<P> {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let Self {
            input,
            cycle,
            until,
            state,
            absorbed_created,
            last_emitted: _,
            id: _,
            flow_control,
            transmit,
            receive,
            bypass,
            passing: _,
            link_send_symbols: _,
            link_retry_symbols: _,
            link_echo_symbols: _,
            link_control_symbols: _,
            bypass_max_symbols: _,
            refused_packets: _,
            preempted_packets: _,
            deleted_tickets: _,
        } = self;
        encoder.late_echo = P::LATE_ECHO;
        flow_control.encode(encoder);
        encoder.due(*cycle);
        state.encode(encoder);
        if *state != State::Pass {
            encoder.due(*until);
        }
        if encoder.extends {
            encoder.put(*absorbed_created);
        }
        transmit.encode(encoder);
        receive.encode(encoder);
        bypass.encode(encoder);
        input.encode(encoder);
    }
}

impl Encode for State {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.put(match self {
            Self::Pass => 0u8,
            Self::Ready => 1,
            Self::ReadyGranted(_) => 2,
            Self::Send => 3,
            Self::SendGranted => 4,
            Self::Insert => 5,
            Self::Drain => 6,
            Self::Control => 7,
            Self::Hold => 8,
        });
        if let Self::ReadyGranted(packet) = *self {
            encoder.packet(packet);
        }
    }
}
