//! The timed token ring.

use proptest::prelude::*;
use ringlet_engine::protocols::timed_token::TimedTokenSpec;
use ringlet_engine::spec::NetworkSpec;

use crate::random::Frame;
use crate::reference::bypass::Bypass;
use crate::reference::control::{Command, Control};
use crate::reference::decider::Choice;
use crate::reference::node::Transmitter;
use crate::reference::packet::Packet;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::symbol::Idle;

/// The class of a packet.
enum Class {
    Synchronous,
    Asynchronous { threshold: u64 },
}

#[derive(Debug)]
struct TimedToken {
    ttrt: u64,
    /// Synchronous symbols for each token.
    share: u64,
    thresholds: Vec<u64>,
    token_symbols: u32,
    /// Cycles until the token rotation timer expires.
    trt: u64,
    /// Times that it has expired since the token was here.
    late_count: u64,
    token: bool,
    /// Cycles left on the token holding timer, which runs while asynchronous packets are sent.
    tht: u64,
    /// Symbols of synchronous packets, and their idles, sent with this token.
    sent: u64,
}

pub(crate) fn transmitter(_: &NetworkSpec, options: TimedTokenSpec, index: u32) -> Transmitter {
    let TimedTokenSpec { target_cycles: ttrt, synchronous_symbols, threshold_cycles: thresholds, token_symbols } =
        options;
    let share = *synchronous_symbols.get(index as usize).unwrap_or(&synchronous_symbols[0]);
    let token = index == 0;
    let tht = if token { ttrt } else { 0 };
    Transmitter::deciding(
        index,
        TimedToken { ttrt, share, thresholds, token_symbols, trt: ttrt, late_count: 0, token, tht, sent: 0 },
    )
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<TimedTokenSpec>> {
    let nodes = frame.nodes as usize;
    // None, less than a packet of 80 bytes, or up to a few of them.
    let share = prop_oneof![1 => Just(0), 3 => 0..=u64::from(frame.symbols(240))];
    let shares = prop_oneof![share.clone().prop_map(|one| vec![one]), proptest::collection::vec(share, nodes)];
    let room = prop_oneof![frame.shortest() + 1..=frame.symbols(320), Just(frame.symbols(9000))];
    let thresholds = proptest::collection::vec(0..60u64, 1..=3);
    let any = (shares, room, thresholds, 1..6u32).prop_map(move |(shares, room, mut thresholds, token_symbols)| {
        thresholds.sort_unstable_by(|a, b| b.cmp(a));
        let synchronous: u64 = if shares.len() == 1 { shares[0] * nodes as u64 } else { shares.iter().sum() };
        // Hops may be longer than in the frame.
        let empty = u64::from(frame.nodes) * u64::from(frame.hop_delay + 60 + 1);
        TimedTokenSpec {
            target_cycles: synchronous + empty + u64::from(room),
            synchronous_symbols: shares,
            threshold_cycles: thresholds,
            token_symbols,
        }
    });
    Some(any.boxed())
}

impl TimedToken {
    fn class(&self, priority: u8, symbols: u32) -> Class {
        match self.thresholds.get(usize::from(priority)) {
            Some(&threshold) => Class::Asynchronous { threshold },
            None if u64::from(symbols) < self.share => Class::Synchronous,
            // The highest of them.
            None => Class::Asynchronous { threshold: *self.thresholds.last().expect("at least one") },
        }
    }
}

impl Protocol for TimedToken {
    fn levels_apart(&self) -> bool {
        true
    }

    fn message_symbols(&self) -> u32 {
        self.token_symbols
    }

    fn begin(&mut self, cycle: u64) {
        self.trt -= u64::from(cycle > 0);
        if self.trt == 0 {
            self.trt = self.ttrt;
            self.late_count += 1;
        }
    }

    fn is_eligible(&self, packet: &Packet) -> bool {
        match self.class(packet.priority, packet.symbols) {
            Class::Synchronous => self.sent + u64::from(packet.symbols) < self.share,
            Class::Asynchronous { .. } => true,
        }
    }

    fn take(&mut self, _: Control, _: &mut Here) {
        self.token = true;
        if self.late_count == 0 {
            (self.tht, self.trt) = (self.trt, self.ttrt);
        } else {
            // The timer runs on.
            (self.tht, self.late_count) = (0, 0);
        }
    }

    /// The monitor makes another token.
    fn missed(&mut self, token: Control, here: &mut Here) {
        self.take(token, here);
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        if !self.token {
            return Choice::Nothing;
        }
        if let Some(head) = here.host.queue.head {
            let goes = match self.class(head.priority, here.records.packets[head.packet].symbols) {
                Class::Synchronous => true,
                Class::Asynchronous { threshold } => self.tht > threshold,
            };
            if goes {
                return Choice::Head(head);
            }
        }
        (self.token, self.tht, self.sent) = (false, 0, 0);
        Choice::Control(Control { maker: 0, command: Command::Word(0) })
    }

    fn sends(&mut self, packet: &Packet) {
        let cycles = u64::from(packet.symbols) + 1;
        match self.class(packet.priority, packet.symbols) {
            Class::Synchronous => self.sent += cycles,
            Class::Asynchronous { .. } => self.tht = self.tht.saturating_sub(cycles),
        }
    }
}
