//! The transmitter of *none*, *sci* and *grouped*: five states (step 3 and 4 of docs/explanation/model.md).

use std::collections::VecDeque;

use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::protocols::grouped::Permit;
use ringlet_engine::spec::{Forwarding, NetworkSpec, RetryBy};

use super::go::Go;
use super::host::Host;
use super::packet::Packet;
use super::records::Records;
use super::reserve::Reserve;
use super::symbol::{Idle, Input, PacketSymbol, Symbol};
use super::transmit_queue::TransmitQueue;

/// With priorities: the low go bit.
pub(crate) const LOW: usize = 0;
/// With priorities: the high go bit.
pub(crate) const HIGH: usize = 1;

/// Options in which the protocols differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GoBits {
    /// *none*: a waiting packet is never blocked, and go bits do not exist.
    pub(crate) never_blocked: bool,
    /// Two go bits and the priority estimates.
    pub(crate) priorities: bool,
    /// With priorities: the reserve of the low class, in thousandths.
    pub(crate) reserve: u16,
    /// All go bits that exist.
    pub(crate) all: Go,
    /// The go bits behind which a node may send: its packet's group's, or any of the block register.
    pub(crate) permit: Permit,
    /// Go bits of one group that a node saves at most.
    pub(crate) most_saved: u32,
    pub(crate) extension: Extension,
    pub(crate) release: Release,
}

impl GoBits {
    /// Created idles copy the last idle received, not the last one emitted.
    fn copies_received(&self) -> bool {
        self.extension == Extension::Received
    }

    /// Extension covers created idles that pass a node whose bypass FIFO is empty.
    fn extends_passing(&self) -> bool {
        matches!(self.extension, Extension::Passing | Extension::AfterSend | Extension::Always)
    }

    /// Extension covers a created idle absorbed in *post*, the bypass FIFO being empty.
    fn extends_after_send(&self) -> bool {
        matches!(self.extension, Extension::Received | Extension::AfterSend | Extension::Always)
    }

    /// Extension covers a created idle absorbed in *post*, the bypass FIFO not being empty.
    fn extends_always(&self) -> bool {
        matches!(self.extension, Extension::Always)
    }
}

/// Go bits that came in and have not been sent on: so many of each group.
#[derive(Debug)]
pub(crate) struct Saved {
    counts: [u32; 256],
    /// Groups of which there is at least one.
    go: Go,
    most: u32,
}

impl Saved {
    fn new(most: u32) -> Self {
        Self { counts: [0; 256], go: Go::NONE, most }
    }

    /// One more of each of these, up to the most.
    fn save(&mut self, go: Go) {
        go.groups().for_each(|group| self.counts[group] = self.most.min(self.counts[group] + 1));
        self.go |= go;
    }

    /// Lets one of each of these go.
    fn release(&mut self, go: Go) {
        for group in go.groups() {
            self.counts[group] -= 1;
            if self.counts[group] == 0 {
                self.go = self.go & !Go::of([group]);
            }
        }
    }

    /// Groups of which there is at least one.
    pub(crate) fn go(&self) -> Go {
        self.go
    }
}

/// The transmitter's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waiting, FIFO empty (paper: A, D).
    Pass,
    /// Just let go (A to B), or about to insert an echo.
    Ready,
    /// Sending (B), or inserting; the position of the next symbol.
    Send { next: u32 },
    /// The idle behind the own packet, or behind an inserted echo (B to A or C).
    Post,
    /// Waiting, FIFO not empty (C).
    Drain,
}

/// A busy echo that is held back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Delayed {
    /// First symbol of the delayed echo.
    echo: PacketSymbol,
    /// Cycle from which on it may be inserted.
    due: u64,
    /// Cycle in which the last symbol of its packet is stripped: it stands for the packet from then on.
    stripped: u64,
}

/// Entry of the bypass FIFO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    Packet(PacketSymbol),
    Separator,
}

#[derive(Debug)]
pub(crate) struct States {
    index: u32,
    go_bits: GoBits,
    /// Cycles for which a packet that passes waits at most.
    pub(crate) wait: u32,
    pub(crate) fifo: VecDeque<Held>,
    /// Cycle in which each packet of the FIFO may begin to leave, of those that have not.
    ready: VecDeque<u64>,
    pub(crate) saved: Saved,
    block_register: Go,
    /// Go bits of the last emitted idle.
    last_emitted: Go,
    /// Go bits of the last received idle.
    last_received: Go,
    /// The node has sent since it last began to strip a send packet.
    has_sent: bool,
    /// True if a packet that is being stripped leaves go bits, if nothing waits here.
    extends_stripped: bool,
    /// With priorities: only idles have come in since the last one with a high go bit, that one included.
    only_idles: bool,
    /// With priorities: both estimates of the last idle received.
    announced: u8,
    collecting: u8,
    /// With priorities: the go bits withheld, in place of the block register.
    mask: Go,
    /// With priorities: the types of idles.
    reserve: Reserve,
    /// The receiver holds busy echoes back: those that it holds, in the order in which they are due.
    pub(crate) delayed: Option<Vec<Delayed>>,
    /// The echo that is inserted, in place of an own packet.
    inserted: Option<Delayed>,
    state: State,
}

/// An idle to be emitted: which one it is.
#[derive(Debug, Clone, Copy)]
enum Emitted {
    /// An idle that passes; `low`: it came in with the low type.
    Passing { low: bool },
    /// Behind an own packet.
    BehindOwn,
    /// In place of a separator of the bypass FIFO.
    Separator,
}

/// Every packet may be head.
fn any(_: &Packet) -> bool {
    true
}

impl States {
    pub(crate) fn new(spec: &NetworkSpec, go_bits: GoBits, index: u32) -> Self {
        let wait = spec.network.as_ref().map_or(0, |network| match network.bypass {
            Forwarding::StoreAndForward => u32::MAX,
            Forwarding::CutThrough => network.pass_delay,
        });
        let delays = spec.network.as_ref().is_some_and(|network| network.retry_by == RetryBy::Responder);
        Self {
            index,
            go_bits,
            wait,
            fifo: VecDeque::new(),
            ready: VecDeque::new(),
            saved: Saved::new(go_bits.most_saved),
            block_register: Go::NONE,
            last_emitted: go_bits.all,
            last_received: go_bits.all,
            has_sent: false,
            extends_stripped: false,
            only_idles: false,
            announced: 0,
            collecting: 0,
            mask: Go::NONE,
            reserve: Reserve::new(go_bits.reserve, index, spec),
            delayed: delays.then(Vec::new),
            inserted: None,
            state: State::Pass,
        }
    }

    /// The busy echo with this first symbol, of a packet whose first symbol comes in in cycle `cycle`, will be inserted
    /// when it could have left at once, and so many cycles have passed then.
    pub(crate) fn hold_back(&mut self, echo: PacketSymbol, symbols: u32, cycle: u64, delay: u64) {
        let due = (cycle + u64::from(symbols - echo.length)).saturating_add(delay);
        let delayed = self.delayed.as_mut().expect("only receivers that delay echoes hold them back");
        let place = delayed.partition_point(|other| other.due <= due);
        delayed.insert(place, Delayed { echo, due, stripped: cycle + u64::from(symbols) - 1 });
    }

    /// Packets that were stripped up to this cycle, and whose echoes are held back, or inserted and not gone.
    pub(crate) fn keeps(&self, cycle: u64) -> impl Iterator<Item = usize> {
        let inserted = self.inserted.iter().filter(|_| matches!(self.state, State::Ready | State::Send { .. }));
        let held = self.delayed.iter().flatten().chain(inserted);
        held.filter(move |held| held.stripped <= cycle).map(|held| held.echo.packet)
    }

    /// Returns what every idle of the ring carries at cycle 0. `initial_go`: the go bits that are not lost before.
    pub(crate) fn first_idle(&self, initial_go: Option<u16>) -> Idle {
        let lost = initial_go.map_or(Go::NONE, |go| Go::from(!go));
        Idle { go: self.go_bits.all & !lost, ..Idle::EMPTY }
    }

    /// An idle comes in.
    pub(crate) fn receive(&mut self, idle: Idle, host: &Host) {
        (self.announced, self.collecting) = (idle.announced, idle.collecting);
        self.last_received = idle.go;
        self.only_idles |= !(idle.go & Go::of([HIGH])).is_empty();
        self.update_mask(host);
    }

    /// The first symbol of a send packet for this node comes in.
    pub(crate) fn strip_packet(&mut self) {
        self.extends_stripped = std::mem::take(&mut self.has_sent);
        self.only_idles = false;
    }

    /// The first symbol of something that the link has lost comes in.
    pub(crate) fn strip_lost(&mut self) {
        self.extends_stripped = false;
        self.only_idles = false;
    }

    /// The first symbol of an echo for this node comes in. A high go bit that has been right before it for a whole
    /// round was used by nobody: there is room for one more.
    pub(crate) fn strip_echo(&mut self) {
        self.extends_stripped = true;
        let unused = std::mem::take(&mut self.only_idles);
        if self.go_bits.priorities && unused && self.announced > 0 {
            self.saved.save(Go::of([HIGH]));
        }
    }

    /// The go bits that a created idle copies where extension covers it.
    fn copied(&self) -> Go {
        if self.go_bits.copies_received() { self.last_received } else { self.last_emitted }
    }

    /// Step 2.
    pub(crate) fn take_in(&mut self, cycle: u64, host: &mut Host, records: &Records) {
        if !self.head_is_bound() {
            host.yield_head(cycle, &any, records);
        }
        self.choose_head(cycle, host, records);
    }

    /// Chooses a head if there is none, and records its group.
    fn choose_head(&mut self, cycle: u64, host: &mut Host, records: &Records) {
        if host.queue.head.is_none() {
            host.choose_head(cycle, &any, records);
            if let Some(head) = host.queue.head {
                self.block_register |= Go::of([head.group.into()]);
            }
            self.update_mask(host);
        }
    }

    /// Step 3.
    pub(crate) fn record(&mut self, x: Input, host: &Host) {
        if matches!(x.symbol, Symbol::Packet(symbol) if symbol.is_first()) {
            self.only_idles = false;
        }
        if let Symbol::Packet(symbol) = x.symbol
            && symbol.is_first()
            && !symbol.is_echo()
            && host.queue.head.is_some()
        {
            self.block_register |= Go::of([symbol.group.into()]);
        }
    }

    /// Step 4.
    pub(crate) fn transmit(&mut self, cycle: u64, x: Input, host: &mut Host, records: &mut Records) -> Symbol {
        let output = self.output(cycle, x, host, records);
        if let Symbol::Packet(symbol) = output
            && symbol.is_first()
        {
            self.reserve.emit_packet(symbol.length);
        }
        output
    }

    fn output(&mut self, cycle: u64, x: Input, host: &mut Host, records: &mut Records) -> Symbol {
        if self.wait > 0 && self.state == State::Pass && matches!(x.symbol, Symbol::Packet(_)) {
            self.state = State::Drain;
        }
        match self.state {
            State::Pass => match x.symbol {
                Symbol::Packet(_) | Symbol::Control(_) => x.symbol,
                Symbol::Idle(idle) => {
                    let mut go = idle.go;
                    let extends_received =
                        self.go_bits.copies_received() && self.extends_stripped && host.queue.head.is_none();
                    if x.created && (self.go_bits.extends_passing() || extends_received) {
                        go |= self.copied();
                    }
                    self.saved.save(go);
                    self.emit_all_and_decide(Emitted::Passing { low: idle.low }, cycle, host)
                }
            },
            State::Ready => {
                self.absorb(cycle, x);
                if self.inserted.is_none() {
                    TransmitQueue::start(host.queue.head.expect("a head"), records);
                }
                let symbol = self.own_symbol(0, host, records);
                // On wide links an echo may be one symbol.
                self.state = if symbol.is_last() { State::Post } else { State::Send { next: 1 } };
                Symbol::Packet(symbol)
            }
            State::Send { next } => {
                self.absorb(cycle, x);
                let symbol = self.own_symbol(next, host, records);
                self.state = if symbol.is_last() { State::Post } else { State::Send { next: next + 1 } };
                Symbol::Packet(symbol)
            }
            State::Post => {
                if self.inserted.take().is_none() {
                    let sent = host.queue.leave_head(cycle, records);
                    host.has_sent(cycle, sent.packet, records);
                }
                self.has_sent = true;
                self.absorb(cycle, x);
                if self.is_clear(cycle) {
                    // Behind an inserted echo there may be a head.
                    self.block_register = host.queue.head.map_or(Go::NONE, |head| Go::of([head.group.into()]));
                    self.choose_head(cycle, host, records);
                    if x.created && self.go_bits.extends_after_send() {
                        self.saved.save(self.copied());
                    }
                    self.emit_all_and_decide(Emitted::BehindOwn, cycle, host)
                } else {
                    self.choose_head(cycle, host, records);
                    if x.created && self.go_bits.extends_always() {
                        self.saved.save(self.copied());
                    }
                    self.state = State::Drain;
                    match self.go_bits.release {
                        Release::Unblocked => self.emit_unwithheld(Emitted::BehindOwn, host),
                        Release::All => self.emit_all(Emitted::BehindOwn, host),
                    }
                }
            }
            State::Drain => {
                self.absorb(cycle, x);
                if self.waits_until().is_some_and(|ready| ready > cycle) {
                    // In place of the packet's symbols pass created idles.
                    if self.go_bits.extends_passing() {
                        self.saved.save(self.copied());
                    }
                    let created = Emitted::Passing { low: false };
                    let clear = self.is_clear(cycle);
                    return if clear {
                        self.emit_all_and_decide(created, cycle, host)
                    } else {
                        self.emit_paid(created, host).0
                    };
                }
                match self.fifo.pop_front().expect("a draining FIFO is not empty") {
                    Held::Packet(symbol) => {
                        if symbol.is_first() {
                            self.ready.pop_front();
                        }
                        Symbol::Packet(symbol)
                    }
                    Held::Separator if self.is_clear(cycle) => {
                        self.emit_all_and_decide(Emitted::Separator, cycle, host)
                    }
                    Held::Separator => self.emit_unwithheld(Emitted::Separator, host),
                }
            }
        }
    }

    /// The cycle in which the packet that is first in the FIFO may begin to leave, if it has not begun.
    fn waits_until(&self) -> Option<u64> {
        match self.fifo.front() {
            Some(Held::Packet(symbol)) if symbol.is_first() => self.ready.front().copied(),
            _ => None,
        }
    }

    /// Nothing in the FIFO could follow this cycle's idle.
    fn is_clear(&self, cycle: u64) -> bool {
        self.fifo.is_empty() || self.waits_until().is_some_and(|ready| ready > cycle + 1)
    }

    fn absorb(&mut self, cycle: u64, x: Input) {
        match x.symbol {
            Symbol::Packet(symbol) => {
                if symbol.is_first() {
                    self.ready.push_back(cycle + u64::from(symbol.length.min(self.wait)));
                }
                self.fifo.push_back(Held::Packet(symbol));
            }
            Symbol::Control(control) => panic!("{control:?} without DFC"),
            Symbol::Idle(idle) => {
                self.saved.save(idle.go);
                self.reserve.absorb(idle.low);
                if let Some(Held::Packet(last)) = self.fifo.back()
                    && last.is_last()
                {
                    self.fifo.push_back(Held::Separator);
                }
            }
        }
    }

    /// A symbol of what the node emits of its own.
    fn own_symbol(&self, position: u32, host: &Host, records: &Records) -> PacketSymbol {
        self.inserted.map_or_else(|| host.own_symbol(self.index, position, records), |held| held.echo.at(position))
    }

    /// An idle with every saved go bit; behind it an echo follows that is due, or the head if it is unblocked, else the
    /// node waits with an empty FIFO. A node that owes withholds as one whose FIFO is not empty.
    fn emit_all_and_decide(&mut self, emitted: Emitted, cycle: u64, host: &Host) -> Symbol {
        let due = self.delayed.as_mut().and_then(|delayed| {
            let is_due = delayed.first().is_some_and(|held| held.due <= cycle);
            is_due.then(|| delayed.remove(0))
        });
        self.inserted = due;
        let is_unblocked = host.queue.head.is_some() && self.is_unblocked(host);
        let (idle, owes) = self.emit_paid(emitted, host);
        self.state = if due.is_some() {
            State::Ready
        } else if is_unblocked && !owes {
            self.reserve.sends(self.head_is_in_high_class(host).unwrap_or(true));
            State::Ready
        } else if self.fifo.is_empty() {
            State::Pass
        } else {
            State::Drain
        };
        idle
    }

    /// An idle with every saved go bit, if nothing is owed; returns whether something is.
    fn emit_paid(&mut self, emitted: Emitted, host: &Host) -> (Symbol, bool) {
        let idle = self.without_go(emitted, host);
        let owes = self.head_is_in_high_class(host).is_some_and(|high| !self.reserve.permits(high));
        let saved = self.saved.go();
        let go = if owes {
            saved & !self.mask
        } else if self.keeps_low(host) {
            saved & !Go::of([LOW])
        } else {
            saved
        };
        (self.emit(go, idle), owes)
    }

    /// With priorities and no reserve: a packet of the high class waits, above the lowest priority.
    fn keeps_low(&self, host: &Host) -> bool {
        let is_above = host.queue.head.is_some_and(|head| head.priority > 0);
        self.go_bits.priorities
            && self.go_bits.reserve == 0
            && is_above
            && self.head_is_in_high_class(host) == Some(true)
    }

    fn emit_all(&mut self, emitted: Emitted, host: &Host) -> Symbol {
        let idle = self.without_go(emitted, host);
        self.emit(self.saved.go(), idle)
    }

    /// An idle with the saved go bits that are not withheld.
    fn emit_unwithheld(&mut self, emitted: Emitted, host: &Host) -> Symbol {
        let withheld = if self.go_bits.priorities { self.mask } else { self.block_register };
        let idle = self.without_go(emitted, host);
        self.emit(self.saved.go() & !withheld, idle)
    }

    /// An idle with these of the saved go bits; the rest stays saved.
    fn emit(&mut self, go: Go, idle: Idle) -> Symbol {
        self.last_emitted = go;
        self.saved.release(go);
        Symbol::Idle(Idle { go, ..idle })
    }

    /// An idle, but for its go bits.
    fn without_go(&mut self, emitted: Emitted, host: &Host) -> Idle {
        if !self.go_bits.priorities {
            return Idle::EMPTY;
        }
        let own = host.queue.head.map_or(0, |head| head.priority);
        let (announced, collecting) = match self.index {
            0 => (self.collecting.max(own), own),
            _ => (self.announced, self.collecting.max(own)),
        };
        let low = match emitted {
            Emitted::Passing { low } => self.reserve.pass(low, announced),
            Emitted::BehindOwn => self.reserve.behind_own(announced),
            Emitted::Separator => self.reserve.separator(announced),
        };
        Idle { announced, collecting, low, ..Idle::EMPTY }
    }

    fn is_unblocked(&self, host: &Host) -> bool {
        let needed = match self.head_is_in_high_class(host) {
            Some(true) if self.go_bits.priorities => Go::of([HIGH]),
            Some(false) if self.go_bits.priorities => Go::of([LOW]),
            _ if self.go_bits.permit == Permit::Own => Go::of(host.queue.head.map(|head| head.group.into())),
            _ => self.block_register,
        };
        self.go_bits.never_blocked || !(self.saved.go() & needed).is_empty()
    }

    fn head_is_in_high_class(&self, host: &Host) -> Option<bool> {
        host.queue.head.map(|head| head.priority >= self.announced)
    }

    /// With priorities: the mask follows the head's class; without a head it stays.
    fn update_mask(&mut self, host: &Host) {
        match self.head_is_in_high_class(host) {
            Some(true) => self.mask = Go::of([HIGH, LOW]),
            Some(false) => self.mask = Go::of([LOW]),
            None => {}
        }
    }

    /// The head is let go or being sent: up to and with the idle behind it.
    pub(crate) fn head_is_bound(&self) -> bool {
        self.inserted.is_none() && matches!(self.state, State::Ready | State::Send { .. } | State::Post)
    }

    /// The head's first symbol has been emitted; its last one has still to be?
    pub(crate) fn head_is_being_sent(&self) -> Option<bool> {
        match self.state {
            _ if self.inserted.is_some() => None,
            State::Send { .. } => Some(true),
            State::Post => Some(false),
            State::Pass | State::Ready | State::Drain => None,
        }
    }

    /// The bypass FIFO has to be empty now.
    pub(crate) fn waits_with_empty_fifo(&self) -> bool {
        self.state == State::Pass || (self.state == State::Ready && self.wait == 0)
    }
}
