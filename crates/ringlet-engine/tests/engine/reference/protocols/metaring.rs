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
    k: u32,
    l: u32,
    sat_symbols: u32,
    /// The SAT is here.
    sat: bool,
    /// Packets since it was sent on.
    sent: u32,
}

pub(crate) fn transmitter(_: &NetworkSpec, options: MetaringSpec, index: u32) -> Transmitter {
    let MetaringSpec { most_packets: k, least_packets: l, sat_symbols } = options;
    Transmitter::deciding(index, Metaring { k, l, sat_symbols, sat: index == 0, sent: 0 })
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<MetaringSpec>> {
    let quotas = (1..6u32).prop_flat_map(|k| (Just(k), 1..=k));
    let any = (quotas, 1..6u32).prop_map(|((k, l), sat_symbols)| MetaringSpec {
        most_packets: k,
        least_packets: l,
        sat_symbols,
    });
    Some(any.boxed())
}

impl Protocol for Metaring {
    fn message_symbols(&self) -> u32 {
        self.sat_symbols
    }

    fn take(&mut self, _: Control, _: &mut Here) {
        self.sat = true;
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        let is_satisfied = here.host.queue.head.is_none() || self.sent >= self.l;
        if self.sat && is_satisfied {
            (self.sat, self.sent) = (false, 0);
            return Choice::Control(Control { maker: 0, command: Command::Word(0) });
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
