//! The transmitter of all other protocols: behind every idle it decides what comes next (section 3 of
//! docs/explanation/realtime-model.md).

use ringlet_engine::spec::NetworkSpec;

use super::access::{self, Access};
use super::bypass::Bypass;
use super::control::{Control, ControlSymbol};
use super::dfc::Dfc;
use super::host::Host;
use super::packet::Packet;
use super::ppq::Ppq;
use super::records::Records;
use super::symbol::{Idle, Input, Kind, PacketSymbol, Symbol};
use super::train::{Here, TrainNode};
use super::transmit_queue::{Head, TransmitQueue};

/// What the protocols differ in.
#[derive(Debug)]
pub(crate) enum Rules {
    Ppq(Ppq),
    Train(TrainNode),
    Dfc(Dfc),
    Access(Box<dyn Access>),
}

/// What is decided to be emitted from the next cycle on.
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
    /// DFC.
    Control(Control),
    /// One idle.
    Hold,
    Nothing,
}

/// What is emitted in this cycle.
#[derive(Debug, Clone, Copy)]
enum Output {
    /// Whatever comes in.
    Nothing,
    /// A symbol of an own packet; `queued`: it is the head.
    Own { head: Head, queued: bool, next: u32 },
    /// The idle behind it.
    OwnIdle { queued: bool },
    /// A symbol from the bypass FIFO.
    Bypassed,
    /// The idle behind it.
    Separator,
    /// A symbol of a late echo, an event or a new train.
    Inserted { first: PacketSymbol, next: u32 },
    /// The idle behind it.
    InsertedIdle,
    /// A symbol of a control symbol.
    Control { control: Control, next: u32 },
    /// An idle because nothing may be emitted.
    Hold,
}

#[derive(Debug)]
pub(crate) struct Decider {
    index: u32,
    control_symbols: u32,
    pub(crate) bypass: Bypass,
    output: Output,
    pub(crate) rules: Rules,
}

impl Decider {
    pub(crate) fn new(index: u32, bypass_symbols: u32, control_symbols: u32, rules: Rules) -> Self {
        Self { index, control_symbols, bypass: Bypass::new(bypass_symbols), output: Output::Nothing, rules }
    }

    /// Cycle 0: the node that makes the first train has it in its bypass FIFO and emits an idle.
    pub(crate) fn start(&mut self, cycle: u64, host: &mut Host, records: &mut Records) {
        if let Rules::Train(train) = &mut self.rules
            && train.makes_first_train()
        {
            let first = train.make_train(&mut Here { cycle, head_is_bound: false, host, records });
            self.bypass.hold_train(first);
            self.output = Output::Hold;
        }
    }

    /// Step 2.
    pub(crate) fn take_in(&mut self, cycle: u64, host: &mut Host, records: &Records) {
        let eligible = |packet: &Packet| self.is_eligible(packet);
        if !self.head_is_bound() {
            host.yield_head(cycle, &eligible, records);
        }
        host.choose_head(cycle, &eligible, records);
    }

    /// PPQ: packets in service have no echo yet.
    pub(crate) fn echoes_at_service_end(&self) -> bool {
        matches!(&self.rules, Rules::Ppq(ppq) if ppq.echoes_at_service_end())
    }

    /// The packet may be head.
    fn is_eligible(&self, packet: &Packet) -> bool {
        match &self.rules {
            Rules::Dfc(dfc) => dfc.is_eligible(packet),
            Rules::Access(access) => access.is_eligible(packet),
            Rules::Ppq(_) | Rules::Train(_) => true,
        }
    }

    /// The head is decided to be sent or being sent: up to and with the idle behind it.
    pub(crate) fn head_is_bound(&self) -> bool {
        matches!(self.output, Output::Own { queued: true, .. } | Output::OwnIdle { queued: true })
    }

    /// The head's first symbol has been emitted; its last one has still to be?
    pub(crate) fn head_is_being_sent(&self) -> Option<bool> {
        match self.output {
            Output::Own { queued: true, next: 1.., .. } => Some(true),
            Output::OwnIdle { queued: true } => Some(false),
            _ => None,
        }
    }

    /// Packets out of the queue, and echoes, whose last symbol is still to be emitted and that are not in the bypass
    /// FIFO.
    pub(crate) fn keeps(&self) -> Vec<usize> {
        let emitted = match self.output {
            Output::Own { head, queued: false, .. } => Some(head.packet),
            Output::Inserted { first, .. } if first.is_echo() => Some(first.packet),
            _ => None,
        };
        let waiting: Vec<usize> = match &self.rules {
            Rules::Ppq(ppq) => ppq.late.iter().filter(|first| first.is_echo()).map(|first| first.packet).collect(),
            Rules::Train(train) => train.keeps().collect(),
            Rules::Dfc(_) | Rules::Access(_) => Vec::new(),
        };
        waiting.into_iter().chain(emitted).collect()
    }

    /// Step 1: a train's symbol comes in.
    pub(crate) fn take_train(
        &mut self,
        cycle: u64,
        symbol: PacketSymbol,
        host: &mut Host,
        records: &mut Records,
    ) -> (Input, u64) {
        let head_is_bound = self.head_is_bound();
        if !symbol.is_first() {
            self.bypass.push_further_of_train();
            return (Input::CREATED, 0);
        }
        let Rules::Train(train) = &mut self.rules else { panic!("{symbol:?} without TRAIN") };
        let rewriting = train.rewrite(symbol.packet, &mut Here { cycle, head_is_bound, host, records });
        let Some(first) = rewriting.first else { return (Input::CREATED, rewriting.deleted) };
        let not_before = cycle + train.delay(symbol.length);
        self.bypass.push_train(first, symbol.length, cycle, not_before);
        (Input::passed(Symbol::Packet(first)), rewriting.deleted)
    }

    /// Step 4.
    pub(crate) fn transmit(&mut self, cycle: u64, x: Input, host: &mut Host, records: &mut Records) -> Symbol {
        self.absorb(cycle, x);
        match self.output {
            Output::Nothing => self.pass(cycle, x, host, records),
            Output::Hold => self.idle(cycle, false, host, records),
            Output::Own { head, queued, next } => {
                let symbol = head.symbol(self.index, next, records);
                if next == 0 {
                    TransmitQueue::start(head, records);
                    if let Rules::Access(access) = &mut self.rules {
                        access.sends(&records.packets[head.packet]);
                    }
                }
                self.output = if symbol.is_last() {
                    records.packets[head.packet].granted = false;
                    Output::OwnIdle { queued }
                } else {
                    Output::Own { head, queued, next: next + 1 }
                };
                self.started(cycle, symbol);
                Symbol::Packet(symbol)
            }
            Output::OwnIdle { queued } => {
                if queued {
                    host.queue.leave_head(cycle, records);
                    host.choose_head(cycle, &|packet| self.is_eligible(packet), records);
                }
                self.idle(cycle, false, host, records)
            }
            Output::Bypassed => {
                let symbol = self.bypass.emit();
                self.output = if symbol.is_last() { Output::Separator } else { Output::Bypassed };
                self.started(cycle, symbol);
                Symbol::Packet(symbol)
            }
            Output::Separator => {
                self.bypass.emit_separator();
                self.idle(cycle, false, host, records)
            }
            Output::Inserted { first, next } => {
                let symbol = first.at(next);
                self.started(cycle, symbol);
                self.output =
                    if symbol.is_last() { Output::InsertedIdle } else { Output::Inserted { first, next: next + 1 } };
                Symbol::Packet(symbol)
            }
            Output::InsertedIdle => self.idle(cycle, false, host, records),
            Output::Control { control, next } => self.emit_control(cycle, control, next, host, records),
        }
    }

    /// What came in before step 4 is saved: packets in the bypass FIFO (unless they go straight through), go levels of
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
                match &mut self.rules {
                    Rules::Ppq(ppq) => ppq.go.hear(idle.level),
                    Rules::Train(train) => train.hear(idle),
                    Rules::Dfc(_) | Rules::Access(_) => {}
                }
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
                self.started(cycle, symbol);
                x.symbol
            }
            Symbol::Control(_) => {
                let Rules::Dfc(dfc) = &mut self.rules else { panic!("{x:?} without DFC") };
                let control = dfc.control.pop_front().expect("the control symbol that comes in");
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
        let symbol = ControlSymbol { control, position: next, length: self.control_symbols };
        if symbol.is_last() {
            self.decide(cycle, 0, host, records);
        } else {
            self.output = Output::Control { control, next: next + 1 };
        }
        Symbol::Control(symbol)
    }

    /// A packet's symbol is emitted.
    fn started(&mut self, cycle: u64, symbol: PacketSymbol) {
        match &mut self.rules {
            Rules::Train(train) if symbol.is_first() => train.emits(cycle, symbol),
            Rules::Access(access) if symbol.is_first() => access.emits(symbol),
            _ => {}
        }
    }

    /// Emits an idle and decides. `extended`: stripping has made the idle, and it passes.
    fn idle(&mut self, cycle: u64, extended: bool, host: &mut Host, records: &mut Records) -> Symbol {
        let is_empty = self.bypass.is_empty();
        let idle = match &mut self.rules {
            Rules::Ppq(ppq) => ppq.idle(is_empty, extended, host),
            Rules::Train(train) => train.idle(is_empty, extended),
            Rules::Dfc(_) | Rules::Access(_) => Idle::EMPTY,
        };
        self.decide(cycle, idle.level, host, records);
        Symbol::Idle(idle)
    }

    fn decide(&mut self, cycle: u64, level: u16, host: &mut Host, records: &mut Records) {
        let choice = match &mut self.rules {
            Rules::Ppq(ppq) => ppq.decide(cycle, level, &mut self.bypass, host, records),
            Rules::Train(train) => train.decide(cycle, &self.bypass, host, records),
            Rules::Dfc(dfc) => dfc.decide(&self.bypass, host, records),
            Rules::Access(access) => access.decide(cycle, &self.bypass, host, records),
        };
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

impl Rules {
    pub(crate) fn new(spec: &NetworkSpec, index: u32) -> Option<(Self, u32, u32)> {
        use ringlet_engine::protocols::FlowControlSpec::{Dfc as DfcSpec, Ppq as PpqSpec, Train as TrainSpec};
        match crate::protocol(spec) {
            PpqSpec(options) => Some((Self::Ppq(Ppq::new(spec, options, index)), options.bypass_symbols, 0)),
            TrainSpec(options) => Some((Self::Train(TrainNode::new(options, index)), options.bypass_symbols, 0)),
            DfcSpec(options) => {
                Some((Self::Dfc(Dfc::new(spec, options, index)), options.bypass_symbols, options.control_symbols))
            }
            _ => access::rule(spec, index).map(|(rule, message)| (Self::Access(rule), u32::MAX, message)),
        }
    }
}
