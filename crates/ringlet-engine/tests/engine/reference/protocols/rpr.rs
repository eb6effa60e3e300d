//! RPR's fairness.

use std::collections::VecDeque;

use proptest::prelude::*;
use ringlet_engine::protocols::rpr::{RprMode, RprSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::random::Frame;
use crate::reference::bypass::Bypass;
use crate::reference::control::{Command, Control};
use crate::reference::decider::Choice;
use crate::reference::node::Transmitter;
use crate::reference::packet::Packet;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::symbol::{Idle, PacketSymbol};

/// In a message: no node is restricted.
const FULL: u64 = 0xFFFF;

#[derive(Debug)]
struct Rpr {
    options: RprSpec,
    index: u32,
    nodes: u32,
    /// In 256ths of a symbol, of what the fairness restricts.
    add: u64,
    add_past: u64,
    forward: u64,
    low_pass_add: u64,
    low_pass_forward: u64,
    /// Amount that may be sent past the congested node, as `add_past` counts it; `reach` is the hops to that node.
    allowed: u64,
    reach: u32,
    /// From downstream: a rate and the congested node.
    received: Option<(u64, u32)>,
    congested: bool,
    conservative: Option<u64>,
    /// Symbols that classes A and B may still send.
    class_a: i64,
    class_b: i64,
    messages: VecDeque<Control>,
}

pub(crate) fn transmitter(spec: &NetworkSpec, options: RprSpec, index: u32) -> Transmitter {
    let rpr = Rpr {
        options,
        index,
        nodes: spec.nodes,
        add: 0,
        add_past: 0,
        forward: 0,
        low_pass_add: 0,
        low_pass_forward: 0,
        allowed: capacity(&options),
        reach: 0,
        received: None,
        congested: false,
        conservative: None,
        class_a: i64::from(options.class_a_symbols),
        class_b: i64::from(options.class_b_symbols),
        messages: VecDeque::new(),
    };
    Transmitter::deciding(index, rpr)
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<RprSpec>> {
    let mode = prop_oneof![Just(RprMode::Aggressive), Just(RprMode::Conservative)];
    let queue = (frame.shortest() + 1..200).prop_flat_map(|bypass| (Just(bypass), 1..=bypass));
    let queue = queue.prop_flat_map(|(bypass, high)| (Just(bypass), Just(high), 0..=high));
    let coefficients = (1..6u32, 1..20u32, 1..20u32);
    let classes = (0..200u32, 0..200u32);
    let lengths = (1..4u32, 0..300u64);
    let any =
        (mode, queue, coefficients, classes, lengths).prop_map(move |(mode, queue, coefficients, classes, lengths)| {
            let (message_symbols, longer) = lengths;
            RprSpec {
                mode,
                bypass_symbols: queue.0,
                high_symbols: queue.1,
                low_symbols: queue.2,
                aging_cycles: 4 * u64::from(frame.nodes * message_symbols) + longer,
                age_coefficient: coefficients.0,
                smoothing_coefficient: coefficients.1,
                ramp_coefficient: coefficients.2,
                class_a_symbols: classes.0,
                class_b_symbols: classes.1,
                message_symbols,
            }
        });
    Some(any.boxed())
}

fn capacity(options: &RprSpec) -> u64 {
    256 * options.aging_cycles * u64::from(options.age_coefficient)
}

impl Rpr {
    fn hops_to(&self, node: u32) -> u32 {
        (node + self.nodes - self.index) % self.nodes
    }

    fn is_restricted(&self, packet: &Packet) -> bool {
        match packet.priority {
            0 => true,
            1 => self.class_b <= 0,
            _ => false,
        }
    }

    /// Returns the fair rate that the node advertises to the nodes before it; `None`: no limit.
    fn fair_rate(&mut self) -> Option<u64> {
        let capacity = capacity(&self.options);
        let floor = capacity / 1024;
        let first = self.low_pass_add.max(floor);
        if self.options.mode == RprMode::Aggressive {
            return self.congested.then_some(first);
        }
        let ramp = u64::from(self.options.ramp_coefficient);
        let has_room = self.low_pass_add + self.low_pass_forward < capacity / 5 * 4;
        self.conservative = match (self.conservative, self.congested) {
            (None, false) => None,
            (None, true) => Some(first),
            (Some(rate), true) => Some((rate - rate / ramp).max(floor)),
            (Some(rate), false) if has_room => {
                let risen = rate + (capacity - rate).div_ceil(ramp);
                (risen < capacity).then_some(risen)
            }
            (rate, false) => rate,
        };
        self.conservative
    }

    fn advertise(&mut self) {
        let capacity = capacity(&self.options);
        let from_here = self.fair_rate().map(|rate| ((rate * FULL / capacity).min(FULL), self.index));
        let from_below = self.received.filter(|&(rate, node)| rate < FULL && node != self.index);
        let advertised = match (from_here, from_below) {
            (Some(own), Some(other)) if other.0 < own.0 => other,
            (Some(own), _) => own,
            (None, Some(other)) if capacity * other.0 / FULL < self.low_pass_forward => other,
            (None, _) => (FULL, self.index),
        };
        if self.nodes > 1 {
            let word = (advertised.0 as u32) << 16 | advertised.1;
            self.messages.push_back(Control { maker: self.index, command: Command::Word(word) });
        }
    }
}

impl Protocol for Rpr {
    fn levels_apart(&self) -> bool {
        true
    }

    fn message_symbols(&self) -> u32 {
        self.options.message_symbols
    }

    fn begin(&mut self, cycle: u64) {
        if cycle == 0 || !cycle.is_multiple_of(self.options.aging_cycles) {
            return;
        }
        let weight = u64::from(self.options.smoothing_coefficient);
        let low_pass = |smooth: u64, rate: u64| (smooth * (weight - 1) + rate) / weight;
        self.low_pass_add = low_pass(self.low_pass_add, self.add);
        self.low_pass_forward = low_pass(self.low_pass_forward, self.forward);
        let age = |rate: u64| rate - rate / u64::from(self.options.age_coefficient);
        (self.add, self.add_past, self.forward) = (age(self.add), age(self.add_past), age(self.forward));
        let (a, b) = (i64::from(self.options.class_a_symbols), i64::from(self.options.class_b_symbols));
        self.class_a = a.min(self.class_a + a);
        self.class_b = b.min(self.class_b + b);
        let capacity = capacity(&self.options);
        match self.received {
            Some((rate, node)) if rate < FULL && node != self.index => {
                self.allowed = capacity * rate / FULL;
                self.reach = self.hops_to(node);
            }
            _ => self.allowed += (capacity - self.allowed).div_ceil(u64::from(self.options.ramp_coefficient)),
        }
        self.advertise();
    }

    fn is_eligible(&self, packet: &Packet) -> bool {
        if packet.priority >= 2 {
            return self.class_a > 0;
        }
        let past = self.hops_to(packet.stripped_at) > self.reach;
        let most = self.conservative.unwrap_or(capacity(&self.options));
        let within = self.add < most && (!past || self.add_past < self.allowed);
        within || !self.is_restricted(packet)
    }

    fn take(&mut self, message: Control, _: &mut Here) {
        let Command::Word(word) = message.command else { panic!("{message:?} is none of RPR") };
        if message.maker == (self.index + 1) % self.nodes {
            self.received = Some((u64::from(word >> 16), word & 0xFFFF));
        } else if message.maker != self.index {
            self.messages.push_back(message);
        }
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        let fill = bypass.occupancy();
        self.congested = fill > self.options.low_symbols as usize;
        if let Some(message) = self.messages.pop_front() {
            return Choice::Control(message);
        }
        let primary = |first: &PacketSymbol| !first.is_send() || first.priority >= 2;
        if let Some(place) = bypass.entries.iter().position(|entry| primary(&entry.first)) {
            return Choice::Bypassed(place);
        }
        match here.host.queue.head {
            Some(head)
                if fill <= self.options.high_symbols as usize
                    && fill + (here.records.packets[head.packet].symbols as usize)
                        < self.options.bypass_symbols as usize =>
            {
                Choice::Head(head)
            }
            _ if bypass.is_empty() => Choice::Nothing,
            _ => Choice::Bypassed(0),
        }
    }

    fn emits(&mut self, _: u64, first: PacketSymbol) {
        if first.is_send() && first.source != self.index && first.priority == 0 {
            self.forward += 256 * u64::from(first.length);
        }
    }

    fn sends(&mut self, packet: &Packet) {
        if self.is_restricted(packet) {
            self.add += 256 * u64::from(packet.symbols);
            if self.hops_to(packet.stripped_at) > self.reach {
                self.add_past += 256 * u64::from(packet.symbols);
            }
        } else if packet.priority >= 2 {
            self.class_a -= i64::from(packet.symbols);
        } else {
            self.class_b -= i64::from(packet.symbols);
        }
    }
}
