//! The token ring.

use proptest::prelude::*;
use ringlet_engine::protocols::token_ring::{TokenRelease, TokenRingSpec};
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
struct TokenRing {
    most: u32,
    waits_for_echoes: bool,
    token_symbols: u32,
    /// Packets that the node has sent with the token that is here; `None`: the token is not here.
    token: Option<u32>,
    /// Packets without an echo yet.
    unechoed: u32,
}

pub(crate) fn transmitter(_: &NetworkSpec, options: TokenRingSpec, index: u32) -> Transmitter {
    let TokenRingSpec { packets: most, release, token_symbols } = options;
    let waits_for_echoes = release == TokenRelease::Returned;
    let token = (index == 0).then_some(0);
    Transmitter::deciding(index, TokenRing { most, waits_for_echoes, token_symbols, token, unechoed: 0 })
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<TokenRingSpec>> {
    let release = prop_oneof![Just(TokenRelease::Early), Just(TokenRelease::Returned)];
    let parts = (1..5u32, release, 1..6u32);
    let any = parts.prop_map(|(packets, release, token_symbols)| TokenRingSpec { packets, release, token_symbols });
    Some(any.boxed())
}

impl Protocol for TokenRing {
    fn message_symbols(&self) -> u32 {
        self.token_symbols
    }

    fn take(&mut self, _: Control, _: &mut Here) {
        self.token = Some(0);
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        match (self.token, here.host.queue.head) {
            (None, _) => Choice::Nothing,
            (Some(sent), Some(head)) if sent < self.most => Choice::Head(head),
            _ if self.waits_for_echoes && self.unechoed > 0 => Choice::Nothing,
            _ => {
                self.token = None;
                Choice::Control(Control { maker: 0, command: Command::Word(0) })
            }
        }
    }

    fn sends(&mut self, _: &Packet) {
        *self.token.as_mut().expect("only who holds the token sends") += 1;
        self.unechoed += 1;
    }

    fn echoed(&mut self) {
        self.unechoed -= 1;
    }
}
