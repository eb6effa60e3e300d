//! MetaRing: the SAT and its quotas.

use proptest::prelude::*;
use ringlet_engine::protocols::metaring::MetaringSpec;
use ringlet_engine::spec::NetworkSpec;

use crate::random::Frame;
use crate::reference::bypass::Bypass;
use crate::reference::control::{Command, Control};
use crate::reference::decider::Choice;
use crate::reference::node::Transmitter;
use crate::reference::packet::Packet;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::symbol::Idle;

#[derive(Debug)]
struct Metaring {
    index: u32,
    k: u32,
    l: u32,
    sat_symbols: u32,
    timeout: Option<u64>,
    /// The SAT is here.
    sat: bool,
    /// Packets since it was sent on.
    sent: u32,
    /// The SAT seen last: its number, and its maker.
    last: (u32, u32),
    /// Cycle in which the SAT was here last.
    left: u64,
}

pub(crate) fn transmitter(_: &NetworkSpec, options: MetaringSpec, index: u32) -> Transmitter {
    let MetaringSpec { most_packets: k, least_packets: l, sat_symbols, sat_timeout_cycles: timeout } = options;
    let sat = index == 0;
    Transmitter::deciding(index, Metaring { index, k, l, sat_symbols, timeout, sat, sent: 0, last: (0, 0), left: 0 })
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<MetaringSpec>> {
    let quotas = (1..6u32).prop_flat_map(|k| (Just(k), 1..=k));
    // On an idle ring the SAT is back so soon; where packets hold it up, further ones are made though none is lost.
    let idle = move |sat_symbols: u32| u64::from(frame.nodes * (frame.hop_delay + sat_symbols + 1));
    let longer = proptest::option::of(prop_oneof![0..60u64, 60..3_000u64]);
    let any = (quotas, 1..6u32, longer).prop_map(move |((k, l), sat_symbols, longer)| MetaringSpec {
        most_packets: k,
        least_packets: l,
        sat_symbols,
        sat_timeout_cycles: longer.map(|longer| idle(sat_symbols) + longer),
    });
    Some(any.boxed())
}

impl Protocol for Metaring {
    fn message_symbols(&self) -> u32 {
        self.sat_symbols
    }

    fn begin(&mut self, cycle: u64) {
        if !self.sat && self.timeout.is_some_and(|timeout| cycle >= self.left + timeout) {
            self.last = (self.last.0 + 1, self.index);
            self.sat = true;
        }
    }

    fn take(&mut self, message: Control, _: &mut Here) {
        let Command::Word(word) = message.command else { panic!("{message:?} is no SAT") };
        let made = (word >> 16, word & 0xFFFF);
        if made >= self.last {
            self.last = made;
            self.sat = true;
        }
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        let is_satisfied = here.host.queue.head.is_none() || self.sent >= self.l;
        if self.sat && is_satisfied {
            (self.sat, self.sent, self.left) = (false, 0, here.cycle);
            let word = self.last.0 << 16 | self.last.1;
            return Choice::Control(Control { maker: 0, command: Command::Word(word) });
        }
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        match here.host.queue.head {
            Some(head) if self.sent < self.k => Choice::Head(head),
            _ => Choice::Nothing,
        }
    }

    fn sends(&mut self, _: &Packet) {
        self.sent += 1;
    }
}
