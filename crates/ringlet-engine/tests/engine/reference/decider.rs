//! The transmitter of all other protocols: behind every idle it decides what comes next (section 3 of
//! docs/explanation/realtime-model.md).

use super::bypass::Bypass;
use super::control::{Control, ControlSymbol};
use super::host::Host;
use super::packet::Packet;
use super::protocol::{Behind, Here, Protocol};
use super::records::Records;
use super::symbol::{Idle, Input, Kind, PacketSymbol, Symbol};
use super::transmit_queue::{Head, TransmitQueue};

/// Decision on what is emitted from the next cycle on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice {
    /// The head.
    Head(Head),
    /// TRAIN: a packet that has left the queue already.
    Granted(Head),
    /// The entry of the bypass FIFO at this place.
    Bypassed(usize),
    /// A late echo, an event or a new train; its first symbol.
    Inserted(PacketSymbol),
    /// A message.
    Control(Control),
    /// One idle.
    Hold,
    Nothing,
}

/// Symbol that is emitted in this cycle.
#[derive(Debug, Clone, Copy)]
enum Output {
    /// Whatever comes in.
    Nothing,
    /// A symbol of an own packet; `queued`: it is the head.
    Own { head: Head, queued: bool, next: u32 },
    /// The idle behind it.
    OwnIdle { packet: usize, queued: bool },
    /// A symbol from the bypass FIFO.
    Bypassed,
    /// The idle behind it.
    Separator,
    /// A symbol of a late echo, an event or a new train.
    Inserted { first: PacketSymbol, next: u32 },
    /// The idle behind it.
    InsertedIdle,
    /// A symbol of a message.
    Control { control: Control, next: u32 },
    /// An idle because nothing may be emitted.
    Hold,
}

#[derive(Debug)]
pub(crate) struct Decider {
    index: u32,
    pub(crate) bypass: Bypass,
    output: Output,
    pub(crate) protocol: Box<dyn Protocol>,
}

impl Decider {
    pub(crate) fn new(index: u32, protocol: impl Protocol + 'static) -> Self {
        let bypass = Bypass::new(protocol.bypass_symbols());
        Self { index, bypass, output: Output::Nothing, protocol: Box::new(protocol) }
    }

    /// Cycle 0: the node that makes the first train has it in its bypass FIFO and emits an idle.
    pub(crate) fn start(&mut self, cycle: u64, host: &mut Host, records: &mut Records) {
        if let Some(first) = self.protocol.first_train(&mut Here { cycle, head_is_bound: false, host, records }) {
            self.bypass.hold_train(first);
            self.output = Output::Hold;
        }
    }

    /// Step 2.
    pub(crate) fn take_in(&mut self, cycle: u64, host: &mut Host, records: &Records) {
        let eligible = |packet: &Packet| self.protocol.is_eligible(packet);
        if !self.head_is_bound() {
            host.yield_head(cycle, &eligible, records);
        }
        host.choose_head(cycle, &eligible, records);
    }

    /// The head is decided to be sent or being sent: up to and with the idle behind it.
    pub(crate) fn head_is_bound(&self) -> bool {
        matches!(self.output, Output::Own { queued: true, .. } | Output::OwnIdle { queued: true, .. })
    }

    /// The head's first symbol has been emitted; its last one has still to be?
    pub(crate) fn head_is_being_sent(&self) -> Option<bool> {
        match self.output {
            Output::Own { queued: true, next: 1.., .. } => Some(true),
            Output::OwnIdle { queued: true, .. } => Some(false),
            _ => None,
        }
    }

    /// Packets out of the queue, and echoes, whose last symbol is still to be emitted and that are not in the bypass
    /// FIFO.
    pub(crate) fn keeps(&self, cycle: u64, host: &Host) -> Vec<usize> {
        let emitted = match self.output {
            Output::Own { head, queued: false, .. } => Some(head.packet),
            Output::Inserted { first, .. } if first.is_echo() => Some(first.packet),
            _ => None,
        };
        self.protocol.keeps(cycle, host).into_iter().chain(emitted).collect()
    }

    /// Step 1: the first symbol of a message comes in.
    pub(crate) fn take(&mut self, cycle: u64, message: Control, host: &mut Host, records: &mut Records) {
        let head_is_bound = self.head_is_bound();
        self.protocol.take(message, &mut Here { cycle, head_is_bound, host, records });
    }

    /// Step 1: a train's symbol comes in.
    pub(crate) fn take_train(
        &mut self,
        cycle: u64,
        symbol: PacketSymbol,
        host: &mut Host,
        records: &mut Records,
    ) -> Input {
        let head_is_bound = self.head_is_bound();
        if !symbol.is_first() {
            self.bypass.push_further_of_train();
            return Input::CREATED;
        }
        let rewritten = self.protocol.rewrite(symbol, &mut Here { cycle, head_is_bound, host, records });
        let Some((first, not_before)) = rewritten else { return Input::CREATED };
        self.bypass.push_train(first, symbol.length, cycle, not_before);
        Input::passed(Symbol::Packet(first))
    }

    /// Step 4.
    pub(crate) fn transmit(&mut self, cycle: u64, x: Input, host: &mut Host, records: &mut Records) -> Symbol {
        let x = if self.bypass.drops(x.symbol) { Input::CREATED } else { x };
        self.absorb(cycle, x);
        match self.output {
            Output::Nothing => self.pass(cycle, x, host, records),
            Output::Hold => self.idle(cycle, false, host, records),
            Output::Own { head, queued, next } => self.send(cycle, head, queued, next, records),
            Output::OwnIdle { packet, queued } => {
                self.protocol.has_sent();
                if queued {
                    host.queue.leave_head(cycle, records);
                }
                if host.has_sent(cycle, packet, records) {
                    self.protocol.echoed();
                }
                if queued {
                    host.choose_head(cycle, &|packet| self.protocol.is_eligible(packet), records);
                }
                self.idle_behind(cycle, Behind::Own { created: x.created }, host, records)
            }
            Output::Bypassed => {
                let symbol = self.bypass.emit();
                self.output = if symbol.is_last() { Output::Separator } else { Output::Bypassed };
                self.started(cycle, symbol);
                Symbol::Packet(symbol)
            }
            Output::Separator => {
                self.bypass.emit_separator();
                self.idle_behind(cycle, Behind::Bypassed, host, records)
            }
            Output::Inserted { first, next } => {
                let symbol = first.at(next);
                self.started(cycle, symbol);
                self.output =
                    if symbol.is_last() { Output::InsertedIdle } else { Output::Inserted { first, next: next + 1 } };
                Symbol::Packet(symbol)
            }
            Output::InsertedIdle => {
                self.protocol.has_sent();
                self.idle_behind(cycle, Behind::Own { created: x.created }, host, records)
            }
            Output::Control { control, next } => self.emit_control(cycle, control, next, host, records),
        }
    }

    /// Emits a symbol of an own packet.
    fn send(&mut self, cycle: u64, head: Head, queued: bool, next: u32, records: &mut Records) -> Symbol {
        let symbol = head.symbol(self.index, next, records);
        if next == 0 {
            TransmitQueue::start(head, records);
            self.protocol.sends(&records.packets[head.packet]);
        }
        self.output = if symbol.is_last() {
            records.packets[head.packet].granted = false;
            Output::OwnIdle { packet: head.packet, queued }
        } else {
            Output::Own { head, queued, next: next + 1 }
        };
        self.started(cycle, symbol);
        Symbol::Packet(symbol)
    }

    /// Saves what came in before step 4: packets in the bypass FIFO (unless they go straight through), go levels of
    /// idles.
    fn absorb(&mut self, cycle: u64, x: Input) {
        let passes = matches!(self.output, Output::Nothing);
        match x.symbol {
            Symbol::Packet(symbol) if symbol.kind != Kind::Train && !passes => self.bypass.push(symbol, cycle),
            Symbol::Packet(_) | Symbol::Control(_) => {}
            // What stripping leaves is no separator and carries nothing.
            Symbol::Idle(_) if x.created => {}
            Symbol::Idle(idle) => {
                if !passes {
                    self.bypass.push_idle();
                }
                self.protocol.absorb(idle);
            }
        }
    }

    /// After *nothing* the input decides.
    fn pass(&mut self, cycle: u64, x: Input, host: &mut Host, records: &mut Records) -> Symbol {
        match x.symbol {
            Symbol::Idle(_) => self.idle(cycle, x.created, host, records),
            // It has been taken in.
            Symbol::Packet(symbol) if symbol.kind == Kind::Train => self.idle(cycle, false, host, records),
            Symbol::Packet(symbol) => {
                if symbol.is_first()
                    && let Some(head) = host.queue.head
                    && self.protocol.goes_before_passing(symbol, head, records)
                {
                    self.bypass.push(symbol, cycle);
                    return self.send(cycle, head, true, 0, records);
                }
                self.started(cycle, symbol);
                x.symbol
            }
            Symbol::Control(_) => {
                let control = self.protocol.passing();
                self.emit_control(cycle, control, 0, host, records)
            }
        }
    }

    fn emit_control(
        &mut self,
        cycle: u64,
        control: Control,
        next: u32,
        host: &mut Host,
        records: &mut Records,
    ) -> Symbol {
        let symbol = ControlSymbol { control, position: next, length: self.protocol.message_symbols() };
        if symbol.is_last() {
            self.decide(cycle, Idle::EMPTY, host, records);
        } else {
            self.output = Output::Control { control, next: next + 1 };
        }
        Symbol::Control(symbol)
    }

    /// A packet's symbol is emitted.
    fn started(&mut self, cycle: u64, symbol: PacketSymbol) {
        if symbol.is_first() {
            self.protocol.emits(cycle, symbol);
        }
    }

    /// Emits an idle and decides. `extended`: stripping has made the idle, and it passes.
    fn idle(&mut self, cycle: u64, extended: bool, host: &mut Host, records: &mut Records) -> Symbol {
        let is_empty = self.bypass.is_empty();
        let idle = self.protocol.idle(is_empty, extended, host);
        self.decide(cycle, idle, host, records);
        Symbol::Idle(idle)
    }

    /// Emits the idle behind a packet, and decides.
    fn idle_behind(&mut self, cycle: u64, behind: Behind, host: &mut Host, records: &mut Records) -> Symbol {
        let idle = self.protocol.idle_behind(behind, self.bypass.is_empty(), host);
        self.decide(cycle, idle, host, records);
        Symbol::Idle(idle)
    }

    fn decide(&mut self, cycle: u64, emitted: Idle, host: &mut Host, records: &mut Records) {
        let mut here = Here { cycle, head_is_bound: false, host, records };
        let choice = self.protocol.decide(emitted, &mut self.bypass, &mut here);
        self.output = match choice {
            Choice::Head(head) => Output::Own { head, queued: true, next: 0 },
            Choice::Granted(head) => Output::Own { head, queued: false, next: 0 },
            Choice::Bypassed(place) => {
                self.bypass.start(place);
                Output::Bypassed
            }
            Choice::Inserted(first) => Output::Inserted { first, next: 0 },
            Choice::Control(control) => Output::Control { control, next: 0 },
            Choice::Hold => Output::Hold,
            Choice::Nothing => {
                assert!(self.bypass.is_empty(), "node {}: nothing, with packets in the bypass FIFO", self.index);
                Output::Nothing
            }
        };
    }
}
