//! The token ring.

use proptest::prelude::*;
use ringlet_engine::protocols::token_ring::{TokenRelease, TokenRingSpec};
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
struct TokenRing {
    most: u32,
    waits_for_echoes: bool,
    /// How many packets the node has sent with the token that is here.
    token: Option<u32>,
    /// Packets without an echo yet.
    unechoed: u32,
}

pub(crate) fn rule(_: &NetworkSpec, options: TokenRingSpec, index: u32) -> (Box<dyn Access>, u32) {
    let TokenRingSpec { packets: most, release, token_symbols } = options;
    let waits_for_echoes = release == TokenRelease::Returned;
    let token = (index == 0).then_some(0);
    (Box::new(TokenRing { most, waits_for_echoes, token, unechoed: 0 }), token_symbols)
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<TokenRingSpec>> {
    let release = prop_oneof![Just(TokenRelease::Early), Just(TokenRelease::Returned)];
    let parts = (1..5u32, release, 1..6u32);
    let any = parts.prop_map(|(packets, release, token_symbols)| TokenRingSpec { packets, release, token_symbols });
    Some(any.boxed())
}

impl Access for TokenRing {
    fn take(&mut self, _: Control) {
        self.token = Some(0);
    }

    fn decide(&mut self, _: u64, bypass: &Bypass, host: &Host, _: &Records) -> Choice {
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        match (self.token, host.queue.head) {
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
