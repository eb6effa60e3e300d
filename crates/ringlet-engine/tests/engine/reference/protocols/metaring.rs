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
    /// Asynchronous packets since it was sent on.
    sent: u32,
    /// Quota of synchronous packets; `None`: there is one class.
    h: Option<u32>,
    /// Synchronous packets since the SAT was sent on.
    sent_h: u32,
    /// The SAT seen last: its number, and its maker.
    last: (u32, u32),
    /// Cycle in which the SAT was here last.
    left: u64,
}

pub(crate) fn transmitter(_: &NetworkSpec, options: MetaringSpec, index: u32) -> Transmitter {
    let MetaringSpec { most_packets: k, least_packets: l, sat_symbols, sat_timeout_cycles: timeout, .. } = options;
    let quotas = options.synchronous_packets;
    let h = quotas.get(index as usize).or(quotas.first()).copied().filter(|&h| h > 0);
    let sat = index == 0;
    Transmitter::deciding(
        index,
        Metaring { index, k, l, sat_symbols, timeout, sat, sent: 0, h, sent_h: 0, last: (0, 0), left: 0 },
    )
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<MetaringSpec>> {
    let quotas = (1..6u32).prop_flat_map(|k| (Just(k), 1..=k));
    // On an idle ring the SAT is back so soon; where packets hold it up, further ones are made though none is lost.
    let idle = move |sat_symbols: u32| u64::from(frame.nodes * (frame.hop_delay + sat_symbols + 1));
    let longer = proptest::option::of(prop_oneof![0..60u64, 60..3_000u64]);
    let synchronous = prop_oneof![
        2 => Just(Vec::new()),
        1 => (0..4u32).prop_map(|all| vec![all]),
        1 => proptest::collection::vec(0..4u32, frame.nodes as usize),
    ];
    let parts = (quotas, 1..6u32, longer, synchronous);
    let any = parts.prop_map(move |((k, l), sat_symbols, longer, synchronous_packets)| MetaringSpec {
        synchronous_packets,
        most_packets: k,
        least_packets: l,
        sat_symbols,
        sat_timeout_cycles: longer.map(|longer| idle(sat_symbols) + longer),
    });
    Some(any.boxed())
}

impl Metaring {
    fn is_synchronous(&self, priority: u8) -> bool {
        self.h.is_some() && priority > 0
    }
}

impl Protocol for Metaring {
    fn levels_apart(&self) -> bool {
        self.h.is_some()
    }

    fn is_eligible(&self, packet: &Packet) -> bool {
        match self.h {
            None => true,
            Some(h) if packet.priority > 0 => self.sent_h < h,
            Some(_) => self.sent < self.k,
        }
    }

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
        let is_satisfied = match here.host.queue.head {
            None => true,
            Some(head) => !self.is_synchronous(head.priority) && self.sent >= self.l,
        };
        if self.sat && is_satisfied {
            (self.sat, self.sent, self.sent_h, self.left) = (false, 0, 0, here.cycle);
            let word = self.last.0 << 16 | self.last.1;
            return Choice::Control(Control { maker: 0, command: Command::Word(word) });
        }
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        match here.host.queue.head {
            Some(head) if self.is_synchronous(head.priority) || self.sent < self.k => Choice::Head(head),
            _ => Choice::Nothing,
        }
    }

    fn sends(&mut self, packet: &Packet) {
        match self.is_synchronous(packet.priority) {
            true => self.sent_h += 1,
            false => self.sent += 1,
        }
    }
}
