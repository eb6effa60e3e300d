//! MetaRing: the SAT and its quotas.

use proptest::prelude::*;
use ringlet_engine::protocols::metaring::MetaringSpec;
use ringlet_engine::spec::NetworkSpec;

use super::access::Access;
use super::bypass::Bypass;
use super::control::{Command, Control};
use super::decider::Choice;
use super::host::Host;
use super::packet::Packet;
use super::records::Records;
use crate::random::Frame;

#[derive(Debug)]
struct Metaring {
    k: u32,
    l: u32,
    /// The SAT is here.
    sat: bool,
    /// Packets since it was sent on.
    sent: u32,
}

pub(crate) fn rule(_: &NetworkSpec, options: MetaringSpec, index: u32) -> (Box<dyn Access>, u32) {
    let MetaringSpec { most_packets: k, least_packets: l, sat_symbols } = options;
    (Box::new(Metaring { k, l, sat: index == 0, sent: 0 }), sat_symbols)
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

impl Access for Metaring {
    fn take(&mut self, _: Control) {
        self.sat = true;
    }

    fn decide(&mut self, _: u64, bypass: &Bypass, host: &Host, _: &Records) -> Choice {
        let is_satisfied = host.queue.head.is_none() || self.sent >= self.l;
        if self.sat && is_satisfied {
            (self.sat, self.sent) = (false, 0);
            return Choice::Control(Control { maker: 0, command: Command::Word(0) });
        }
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        match host.queue.head {
            Some(head) if self.sent < self.k => Choice::Head(head),
            _ => Choice::Nothing,
        }
    }

    fn sends(&mut self, _: &Packet) {
        self.sent += 1;
    }
}
