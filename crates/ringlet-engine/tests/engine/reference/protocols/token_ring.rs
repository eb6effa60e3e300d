//! The token ring.

use proptest::prelude::*;
use ringlet_engine::protocols::token_ring::{TokenRelease, TokenRingSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::random::Frame;
use crate::reference::bypass::Bypass;
use crate::reference::control::{Command, Control};
use crate::reference::decider::Choice;
use crate::reference::hop_delay;
use crate::reference::node::Transmitter;
use crate::reference::packet::Packet;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::symbol::Idle;

#[derive(Debug)]
struct TokenRing {
    most: u32,
    release: TokenRelease,
    token_symbols: u32,
    /// Cycles once round the ring.
    around: u64,
    /// Packets that the node has sent with the token that is here; `None`: the token is not here.
    token: Option<u32>,
    /// Packets without an echo yet.
    unechoed: u32,
    /// Cycles until the header of the last packet, as long as the token, has come round.
    header_left: u64,
    /// The node waits for that, and sends nothing.
    waits: bool,
}

pub(crate) fn transmitter(spec: &NetworkSpec, options: TokenRingSpec, index: u32) -> Transmitter {
    let TokenRingSpec { packets: most, release, token_symbols } = options;
    let around = (0..spec.nodes).map(|node| hop_delay(spec, node) as u64).sum();
    let token = (index == 0).then_some(0);
    let start = TokenRing { most, release, token_symbols, around, token, unechoed: 0, header_left: 0, waits: false };
    Transmitter::deciding(index, start)
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<TokenRingSpec>> {
    let release = prop_oneof![Just(TokenRelease::Early), Just(TokenRelease::Header), Just(TokenRelease::Returned)];
    let parts = (1..5u32, release, 1..6u32);
    let any = parts.prop_map(|(packets, release, token_symbols)| TokenRingSpec { packets, release, token_symbols });
    Some(any.boxed())
}

impl Protocol for TokenRing {
    fn message_symbols(&self) -> u32 {
        self.token_symbols
    }

    fn begin(&mut self, _: u64) {
        self.header_left = self.header_left.saturating_sub(1);
    }

    fn take(&mut self, _: Control, _: &mut Here) {
        self.token = Some(0);
    }

    /// The monitor makes another token.
    fn missed(&mut self, token: Control, here: &mut Here) {
        self.take(token, here);
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        match (self.token, here.host.queue.head) {
            (None, _) => return Choice::Nothing,
            (Some(sent), Some(head)) if sent < self.most && !self.waits => return Choice::Head(head),
            _ => {}
        }
        if self.release == TokenRelease::Returned && self.unechoed > 0 {
            return Choice::Nothing;
        }
        self.waits = self.release == TokenRelease::Header && self.header_left > 0;
        if self.waits {
            return Choice::Hold;
        }
        self.token = None;
        Choice::Control(Control { maker: 0, command: Command::Word(0) })
    }

    fn sends(&mut self, _: &Packet) {
        *self.token.as_mut().expect("only who holds the token sends") += 1;
        self.unechoed += 1;
        self.header_left = self.around + u64::from(self.token_symbols) - 1;
    }

    fn echoed(&mut self) {
        self.unechoed -= 1;
    }

    /// Its echo will not come any more.
    fn timed_out(&mut self) {
        self.unechoed -= 1;
    }
}
