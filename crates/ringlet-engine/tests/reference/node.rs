//! One node in one cycle: strip, transmit queue, record, transmit.

use std::collections::VecDeque;

use ringlet_engine::spec::{ECHO_SYMBOLS, NetworkSpec, Release};

use super::flow_control::{FlowControl, HIGH, LOW};
use super::queue::{Packet, TransmitQueue};
use super::receive::ReceiveQueue;
use super::result::{Delivery, NodeResult};
use super::symbol::{Idle, Kind, PacketSymbol, Symbol};

/// The transmitter's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waiting, FIFO empty (paper: A, D).
    Pass,
    /// Just let go (A to B).
    Ready,
    /// Sending (B); the position of the next symbol.
    Send { next: u32 },
    /// The idle behind the own packet (B to A or C).
    Post,
    /// Waiting, FIFO not empty (C).
    Drain,
}

/// What the bypass FIFO holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    Packet(PacketSymbol),
    Separator,
}

/// The input symbol after stripping.
#[derive(Debug, Clone, Copy)]
struct Input {
    symbol: Symbol,
    /// The symbol is an idle that stripping made.
    created: bool,
}

/// Stripper, queues, bypass FIFO and transmitter of one node.
#[derive(Debug)]
pub(crate) struct Node {
    index: u32,
    flow_control: FlowControl,
    pub(crate) queue: TransmitQueue,
    receive: ReceiveQueue,
    /// The send packet being stripped was accepted.
    accepting: bool,
    pub(crate) fifo: VecDeque<Held>,
    pub(crate) saved: u16,
    block_register: u16,
    /// Go bits of the last emitted idle.
    last_emitted: u16,
    /// With priorities: both estimates of the last idle received.
    announced: u8,
    collecting: u8,
    /// With priorities: the go bits withheld, in place of the block register.
    mask: u16,
    state: State,
    pub(crate) result: NodeResult,
}

impl Node {
    pub(crate) fn new(spec: &NetworkSpec, flow_control: FlowControl, index: u32) -> Self {
        Self {
            index,
            flow_control,
            queue: TransmitQueue::new(spec, index),
            receive: ReceiveQueue::new(spec.receive_queue),
            accepting: false,
            fifo: VecDeque::new(),
            saved: 0,
            block_register: 0,
            last_emitted: flow_control.all,
            announced: 0,
            collecting: 0,
            mask: 0,
            state: State::Pass,
            result: NodeResult::new(),
        }
    }

    /// The symbol emitted in cycle `cycle`, in which `input` comes in.
    pub(crate) fn step(
        &mut self,
        cycle: u64,
        input: Symbol,
        packets: &mut Vec<Packet>,
        deliveries: &mut Vec<Delivery>,
    ) -> Symbol {
        let x = self.strip(cycle, input, packets, deliveries);
        self.take_in(cycle, packets);
        self.record(x);
        let output = self.transmit(cycle, x, packets);

        self.result.emitted(output);
        self.result.bypass_max_symbols = self.result.bypass_max_symbols.max(self.fifo.len() as u64);
        self.result.transmit_queue_packet_cycles += self.queue.len();
        self.result.transmit_queue_max = self.queue.max;
        self.result.receive_queue_packet_cycles += self.receive.len(cycle);
        self.result.receive_queue_max = self.receive.max;
        output
    }

    /// Step 1.
    fn strip(&mut self, cycle: u64, input: Symbol, packets: &mut [Packet], deliveries: &mut Vec<Delivery>) -> Input {
        let created = Input { symbol: Symbol::Idle(Idle::EMPTY), created: true };
        let passed = Input { symbol: input, created: false };
        match input {
            Symbol::Idle(idle) => {
                (self.announced, self.collecting) = (idle.announced, idle.collecting);
                self.update_mask();
                passed
            }
            Symbol::Packet(symbol) if symbol.target != self.index => passed,
            Symbol::Packet(symbol) => match symbol.kind {
                Kind::Echo { accepted } => {
                    if symbol.is_last() {
                        self.queue.take_echo(cycle, symbol.packet, accepted, packets);
                    }
                    created
                }
                Kind::Send | Kind::Retry => {
                    if symbol.is_first() {
                        self.accepting = self.receive_packet(cycle, symbol, packets, deliveries);
                    }
                    let before_echo = symbol.length - ECHO_SYMBOLS;
                    if symbol.position < before_echo {
                        return created;
                    }
                    let echo = PacketSymbol {
                        kind: Kind::Echo { accepted: self.accepting },
                        source: self.index,
                        target: symbol.source,
                        position: symbol.position - before_echo,
                        length: ECHO_SYMBOLS,
                        ..symbol
                    };
                    Input { symbol: Symbol::Packet(echo), created: false }
                }
            },
        }
    }

    /// Whether the receive queue takes the packet whose first symbol this is.
    fn receive_packet(
        &mut self,
        cycle: u64,
        first: PacketSymbol,
        packets: &mut [Packet],
        deliveries: &mut Vec<Delivery>,
    ) -> bool {
        let packet = &mut packets[first.packet];
        assert!(!packet.accepted, "packet {} is received twice", first.packet);
        match self.receive.offer(cycle, first.length) {
            None => {
                self.result.refused_packets += 1;
                false
            }
            Some(delivered) => {
                packet.accepted = true;
                let Packet { flow, generated, symbols, destination, .. } = *packet;
                deliveries.push(Delivery { flow, generated, delivered, symbols, destination });
                true
            }
        }
    }

    /// Step 2.
    fn take_in(&mut self, cycle: u64, packets: &mut Vec<Packet>) {
        self.queue.take_arrivals(cycle, packets);
        if !self.is_sending() && !matches!(self.state, State::Ready) {
            self.queue.yield_head(cycle, packets);
        }
        self.choose_head(cycle, packets);
    }

    /// Chooses a head if there is none, and records its group.
    fn choose_head(&mut self, cycle: u64, packets: &[Packet]) {
        if self.queue.head.is_none() {
            self.queue.choose_head(cycle, packets);
            if let Some(head) = self.queue.head {
                self.block_register |= 1 << head.group;
            }
            self.update_mask();
        }
    }

    /// Step 3.
    fn record(&mut self, x: Input) {
        if let Symbol::Packet(symbol) = x.symbol
            && symbol.is_first()
            && !symbol.is_echo()
            && self.queue.head.is_some()
        {
            self.block_register |= 1 << symbol.group;
        }
    }

    /// Step 4.
    fn transmit(&mut self, cycle: u64, x: Input, packets: &mut Vec<Packet>) -> Symbol {
        match self.state {
            State::Pass => match x.symbol {
                Symbol::Packet(_) => x.symbol,
                Symbol::Idle(idle) => {
                    self.saved |= idle.go;
                    if x.created && self.flow_control.extends_passing() {
                        self.saved |= self.last_emitted;
                    }
                    self.emit_all_and_decide()
                }
            },
            State::Ready => {
                self.absorb(x);
                self.queue.start_head(packets);
                self.state = State::Send { next: 1 };
                Symbol::Packet(self.own_symbol(0, packets))
            }
            State::Send { next } => {
                self.absorb(x);
                let symbol = self.own_symbol(next, packets);
                self.state = if symbol.is_last() { State::Post } else { State::Send { next: next + 1 } };
                Symbol::Packet(symbol)
            }
            State::Post => {
                self.queue.leave_head(cycle, packets);
                self.absorb(x);
                if self.fifo.is_empty() {
                    self.block_register = 0;
                    self.choose_head(cycle, packets);
                    if x.created && self.flow_control.extends_after_send() {
                        self.saved |= self.last_emitted;
                    }
                    self.emit_all_and_decide()
                } else {
                    self.choose_head(cycle, packets);
                    if x.created && self.flow_control.extends_always() {
                        self.saved |= self.last_emitted;
                    }
                    self.state = State::Drain;
                    match self.flow_control.release {
                        Release::Unblocked => self.emit_unwithheld(),
                        Release::All => self.emit_all(),
                    }
                }
            }
            State::Drain => {
                self.absorb(x);
                match self.fifo.pop_front().expect("a draining FIFO is not empty") {
                    Held::Packet(symbol) => Symbol::Packet(symbol),
                    Held::Separator if self.fifo.is_empty() => self.emit_all_and_decide(),
                    Held::Separator => self.emit_unwithheld(),
                }
            }
        }
    }

    fn absorb(&mut self, x: Input) {
        match x.symbol {
            Symbol::Packet(symbol) => self.fifo.push_back(Held::Packet(symbol)),
            Symbol::Idle(idle) => {
                self.saved |= idle.go;
                if let Some(Held::Packet(last)) = self.fifo.back()
                    && last.is_last()
                {
                    self.fifo.push_back(Held::Separator);
                }
            }
        }
    }

    /// A symbol of the head.
    fn own_symbol(&self, position: u32, packets: &[Packet]) -> PacketSymbol {
        let head = self.queue.head.expect("a head");
        let packet = &packets[head.packet];
        PacketSymbol {
            kind: if head.is_retry() { Kind::Retry } else { Kind::Send },
            packet: head.packet,
            source: self.index,
            target: packet.destination,
            group: head.group,
            position,
            length: packet.symbols,
        }
    }

    /// An idle with every saved go bit; behind it the head follows if it is unblocked, else the node waits with an empty FIFO.
    fn emit_all_and_decide(&mut self) -> Symbol {
        self.state = if self.queue.head.is_some() && self.is_unblocked() { State::Ready } else { State::Pass };
        self.emit_all()
    }

    fn emit_all(&mut self) -> Symbol {
        let go = self.saved;
        self.saved = 0;
        self.emit(go)
    }

    /// An idle with the saved go bits that are not withheld; the rest stays saved.
    fn emit_unwithheld(&mut self) -> Symbol {
        let withheld = if self.flow_control.priorities { self.mask } else { self.block_register };
        let go = self.saved & !withheld;
        self.saved &= withheld;
        self.emit(go)
    }

    fn emit(&mut self, go: u16) -> Symbol {
        self.last_emitted = go;
        if !self.flow_control.priorities {
            return Symbol::Idle(Idle { go, ..Idle::EMPTY });
        }
        let own = self.queue.head.map_or(0, |head| head.priority);
        let (announced, collecting) = match self.index {
            0 => (self.collecting.max(own), own),
            _ => (self.announced, self.collecting.max(own)),
        };
        Symbol::Idle(Idle { go, announced, collecting })
    }

    fn is_unblocked(&self) -> bool {
        let needed = match self.head_is_in_high_class() {
            Some(true) if self.flow_control.priorities => HIGH,
            Some(false) if self.flow_control.priorities => LOW,
            _ => self.block_register,
        };
        self.flow_control.never_blocked || self.saved & needed != 0
    }

    fn head_is_in_high_class(&self) -> Option<bool> {
        self.queue.head.map(|head| head.priority >= self.announced)
    }

    /// With priorities: the mask follows the head's class; without a head it stays.
    fn update_mask(&mut self) {
        match self.head_is_in_high_class() {
            Some(true) => self.mask = HIGH | LOW,
            Some(false) => self.mask = LOW,
            None => {}
        }
    }

    /// The head is being sent: between its first symbol and the idle behind it.
    pub(crate) fn is_sending(&self) -> bool {
        matches!(self.state, State::Send { .. } | State::Post)
    }

    /// The bypass FIFO has to be empty now.
    pub(crate) fn waits_with_empty_fifo(&self) -> bool {
        matches!(self.state, State::Pass | State::Ready)
    }
}
