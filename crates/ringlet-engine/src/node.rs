//! A node: a function from its input stream to its output stream (docs/explanation/model.md, "A node in one cycle").
//!
//! One step handles one run of input or one item of output. While the bypass FIFO is empty and the node waits, input
//! runs go straight to the output ([`State::Pass`]). Otherwise the output is known for a whole packet ahead: the node's
//! own ([`State::Send`]) or one of the bypass FIFO ([`State::Drain`]). The input of those cycles is absorbed in bulk,
//! and the next decision falls in the idle behind that packet.

/// A node's queues, for its protocol in cycle `$now`.
macro_rules! host {
    ($node:expr, $shared:expr, $now:expr) => {
        Host {
            now: $now,
            transmit: &mut $node.transmit,
            receive: &mut $node.receive,
            hosts: $shared.hosts,
            bypass: &mut $node.bypass,
            ring: $shared.protocol,
            counts: &mut $node.counts,
            refused_packets: &mut $node.refused_packets,
        }
    };
}

mod checks;
mod circling;
mod copies;
mod counts;
mod delayed_echo;
mod drain;
mod hold;
mod loss;
mod network;
mod passing;
mod port;
mod receiver;
mod rest;
mod shared;
mod show;
mod traced;
mod transmitter;

pub(crate) use shared::{Rounds, Shared, Timing};

use ringlet_engine_derive::Encode;

use crate::hosts::{Hosts, TransmitQueue};
use crate::protocols::{Circling, FlowControl, Host, IdleIn, KeepsGoBits};
use crate::queues::{Bypass, Links, ReceiveQueue, Unread};
use crate::results::Observer;
use crate::values::{ByKind, Encode, Encoder, Kind, NEVER, Run, UNDRAWN};

/// Is a node's ring the only one, or one of a network?
pub(crate) const SINGLE: bool = false;
pub(crate) const IN_NETWORK: bool = true;

/// The transmitter's state (picker1994, Figure 2; docs/explanation/realtime-model.md, Section 3).
// With a tag of its own, which needs no arithmetic: every step begins with a jump by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
#[repr(u8)]
pub(crate) enum State {
    /// Waits with an empty bypass FIFO: symbols pass (the paper's A and D).
    Pass,
    /// Has emitted the idle behind which this packet starts at `until`.
    Ready(Own),
    /// Sends (B). The idle behind it is due at `until`; of a bare message, its last symbol.
    Send(Sent),
    /// Empties the bypass FIFO (C); the idle behind its last packet is due at `until`.
    Drain,
    /// Emits idles while the first packet of the bypass FIFO is not all there; the output is known up to `until`.
    Hold,
}

/// A packet that is about to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) enum Own {
    /// The head of the transmit queue.
    Head,
    /// The packet that the node has taken, which has left the queue before.
    Taken,
}

/// The kinds of packets and messages that a node sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) enum Sent {
    /// The head of the transmit queue.
    Head,
    /// A packet that has left the queue before.
    Taken,
    /// A packet that the protocol has made.
    Made,
    /// A message without an idle behind it.
    Bare,
}

/// A send packet of the bypass FIFO, or straight through, that was emitted last.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Passing {
    /// Cycle of the idle behind it; [`NEVER`]: it has been counted.
    idle: u64,
    symbols: u32,
    priority: u8,
}

impl Passing {
    fn count(&self, encoder: &mut Encoder<'_>) {
        encoder.since_when(self.idle);
        if self.idle != NEVER {
            encoder.tally(self.idle, u64::from(self.symbols) << 8 | u64::from(self.priority));
        }
    }
}

/// One node of a ring: of a single one, or of a network. What only networks need is compiled into the nodes of networks
/// alone.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
#[serde(bound = "")]
pub(crate) struct Node<P: FlowControl, const NETWORKED: bool> {
    /// Runs that have been sent to the node and not yet consumed, between its visits; the first begins at `cycle`.
    pub(crate) unread: Unread,
    /// Next input cycle to consume.
    #[encode(due)]
    pub(crate) cycle: u64,
    /// Cycle of the next decision, unless symbols pass.
    #[encode(due, when = self.state != State::Pass)]
    until: u64,
    pub(crate) state: State,
    /// The packet that has been taken, about to be sent or being sent.
    #[encode(packet, when = matches!(self.state, State::Ready(Own::Taken) | State::Send(Sent::Taken)))]
    taken: u32,
    /// The run consumed last was of created idles.
    #[encode(when = encoder.reads_absorbed)]
    absorbed_created: bool,
    /// Kind as which the symbols of the last emitted packet were counted.
    #[encode(skip)]
    last_emitted: Kind,
    pub(crate) flow_control: P,
    pub(crate) transmit: TransmitQueue,
    pub(crate) receive: ReceiveQueue,
    pub(crate) bypass: Bypass,
    #[encode(with = self.passing.count(encoder))]
    passing: Passing,
    /// Symbols of packets and messages emitted, those of the last one to its end.
    #[encode(skip)]
    link_symbols: ByKind,
    #[encode(skip)]
    bypass_max_symbols: u32,
    #[encode(skip)]
    refused_packets: u64,
    /// Counts of the node for its protocol.
    #[encode(skip)]
    counts: P::Counts,
}

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Chooses, for exploration, the head as of the cycle before `now`, for which the node has been settled. Without
    /// this call the node would choose later, with an equal result.
    pub(crate) fn bring_head<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        if now > 0 {
            self.update_head(shared, now - 1);
        }
    }

    /// Writes, for exploration, the state of the node and of its flows.
    pub(crate) fn encode_with_flows(&self, hosts: &Hosts, encoder: &mut Encoder<'_>) {
        encoder.enter_node(self.id());
        self.flow_control.prepare(encoder);
        self.transmit.encode_flows(hosts, encoder);
        self.encode(encoder);
    }

    /// Returns the node's place on the ring.
    #[inline]
    pub(crate) fn id(&self) -> u16 {
        self.transmit.node() as u16
    }

    pub(crate) fn new(flow_control: P, (transmit, receive): (TransmitQueue, ReceiveQueue), unread: Unread) -> Self {
        Self {
            unread,
            cycle: 0,
            until: 0,
            state: State::Pass,
            taken: UNDRAWN,
            absorbed_created: false,
            last_emitted: Kind::Idle,
            flow_control,
            transmit,
            receive,
            bypass: Bypass::default(),
            passing: Passing { idle: NEVER, symbols: 0, priority: 0 },
            link_symbols: ByKind::default(),
            bypass_max_symbols: 0,
            refused_packets: 0,
            counts: P::Counts::default(),
        }
    }

    /// Cycle 0 begins: what the protocol has in the bypass FIFO at once is emitted behind the first idle.
    pub(crate) fn start<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>) {
        // TRAIN's first train has the TicketMaster's own tickets as of cycle 0 (realtime-model.md,
        // Section 5): its head is needed.
        if P::FOLLOWS_QUEUES {
            self.update_head(shared, 0);
        }
        let started = self.flow_control.circling().and_then(|circling| circling.start(host!(self, shared, 0)));
        if let Some(run) = started {
            self.bypass.push(run, 0, 0);
            self.show_bypassed(shared, &run, 0);
            self.state = State::Drain;
        }
    }

    /// Consumes all input that is known and lies before the end, and emits what it causes.
    /// Returns whether the node did anything but let idles pass, or has a new head.
    pub(crate) fn visit<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links) -> bool {
        let mut active = false;
        // Before the shortcuts: they go as far as the node's next event, and a time-out that
        // a link has announced is one.
        if Self::timing(shared).errs {
            self.transmit.announce_losses(shared.hosts);
        }
        // Neither takes the input up: it stands in the buffer that goes on to the next
        // node, and nothing is left unread.
        if self.rests(shared, links, &mut active) || self.passes_all(shared, links, &mut active) {
            return active;
        }
        loop {
            let went_on = match self.state {
                State::Pass => {
                    let went_on = self.pass(shared, links, &mut active);
                    active |= !matches!(self.state, State::Pass);
                    went_on
                }
                State::Drain | State::Send(_) => {
                    active = true;
                    // Written out: as a function of its own, or as an `Option`, it costs registers of the visit.
                    (!matches!(self.state, State::Drain)
                        || self.until >= shared.end
                        // A message may have to wait, as a train does (realtime-model.md, Section 5, "hold").
                        || (P::FOLLOWS_QUEUES && self.bypass.front().is_none_or(|it| it.run.kind == Kind::Message))
                        || self.drain(shared, links))
                        && self.absorb(shared, links)
                        && if let State::Send(sent) = self.state {
                            self.decide(shared, links, Some(sent))
                        } else {
                            self.decide(shared, links, None)
                        }
                }
                State::Ready(own) => {
                    let goes_on = !self.is_done(shared.end);
                    if goes_on {
                        active = true;
                        self.start_sending(shared, links, own);
                    }
                    goes_on
                }
                State::Hold => {
                    let goes_on = !self.is_done(shared.end);
                    active |= goes_on;
                    goes_on && self.hold(shared, links)
                }
            };
            if !went_on {
                break;
            }
        }
        self.show_queues(shared);
        links.put_down(&mut self.unread);
        active
    }

    /// Is everything before cycle `end` done? Packets carry a node further than that.
    #[inline]
    pub(crate) fn is_done(&self, end: u64) -> bool {
        self.cycle >= end && (matches!(self.state, State::Pass) || self.until >= end)
    }

    /// Sum of the cycles up to which the node has consumed its input, and decided about its output.
    pub(crate) fn reached(&self) -> u64 {
        self.cycle.wrapping_add(self.until)
    }

    /// Next cycle in which something happens at the node itself. What happens in its input queues and changes nothing
    /// that it sends is not among it.
    #[inline]
    pub(crate) fn next_event(&self) -> u64 {
        self.transmit.next_event.min(self.receive.next_watched).min(self.flow_control.wakes_at())
    }

    /// Cycles of a run of `len` equal idles in which nothing happens at the node and the end is not passed.
    #[inline]
    fn until_event<O: Observer>(&self, len: u32, shared: &Shared<'_, P, O>) -> u32 {
        // Never below 0: the callers have handled what happens by this cycle, which lies before the end.
        let limit = shared.end.min(self.next_event()) - self.cycle;
        if u64::from(len) < limit { len } else { limit as u32 }
    }

    /// Consumes `count` cycles of the front run, which is of idles or created idles.
    #[inline]
    fn consume<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links, count: u32) {
        let run = links.input.front().expect("idles were just read");
        self.cycle += u64::from(count);
        if count < run.len {
            run.len -= count;
            return;
        }
        match run.kind {
            Kind::Stripped | Kind::StrippedBusy => {
                // The last symbols of the packet are the echo, back to its source.
                let kind = if run.kind == Kind::StrippedBusy { Kind::FreshBusyEcho } else { Kind::FreshEcho };
                *run = Run { len: shared.echo_symbols, kind, ..*run };
                return;
            }
            // With its last symbol (model.md, "Strip"). Where that may decide about the
            // head, `pass` has applied it before.
            Kind::Acknowledged | Kind::Refused => self.apply_echo(shared, links, self.cycle - 1),
            _ => {}
        }
        links.input.pop();
    }

    /// Handles what has happened at the node itself up to cycle `now`, and chooses the head; returns whether the head
    /// changed.
    #[inline(always)]
    fn update_head<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) -> bool {
        // Inlined everywhere, it is one comparison: in most cycles nothing has happened.
        self.next_event() <= now && self.catch_up(shared, now)
    }

    /// Tells the protocol which packet is head.
    #[inline]
    fn tell_head<O: Observer>(&mut self, shared: &Shared<'_, P, O>) {
        if let Some(go) = self.flow_control.go_bits() {
            go.set_head(self.transmit.head_view(&shared.hosts.packets));
        }
    }

    /// Do equal idles like this one, passing in a row, leave as different ones?
    #[inline]
    fn counts_idles<O: Observer>(&mut self, idle: IdleIn, shared: &Shared<'_, P, O>) -> bool {
        self.flow_control.go_bits().is_some_and(|go| go.counts_idles(idle, shared.protocol))
    }

    /// The protocol acts at its own times up to cycle `now`.
    #[inline]
    fn wake(&mut self, now: u64) {
        loop {
            let at = self.flow_control.wakes_at();
            // `wakes_at` of a protocol that never wakes is the constant NEVER: the whole loop is compiled away.
            if at == NEVER || at > now {
                return;
            }
            self.flow_control.wake(at);
            self.transmit.choose_again(at);
        }
    }

    #[inline(never)]
    fn catch_up<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) -> bool {
        let mut changed = false;
        loop {
            if Self::timing(shared).errs {
                self.use_given_up_place(shared.hosts);
            }
            let at = self.next_event();
            if at > now {
                break;
            }
            // The order of a cycle: services, then arrivals, then the head (realtime-model.md, Section 1).
            self.wake(at);
            if shared.in_time() {
                self.serve(shared, at);
            }
            if Self::timing(shared).errs {
                self.miss_messages(shared, at);
            }
            if self.transmit.next_event <= at {
                self.transmit.take_arrivals(shared.hosts, at);
                if self.transmit.is_sending() {
                    self.transmit.await_arrival();
                } else if self.transmit.choose(shared.hosts, at, self.flow_control.selection()) {
                    changed = true;
                    // Every head counts, even one that soon yields.
                    self.tell_head(shared);
                    self.show_head(shared, at);
                }
            }
        }
        changed
    }
}
