//! Protocols that send when the bypass FIFO is empty and a rule of access permits: a file each, and a line in the list
//! below. What they send besides packets are messages, which a node takes in and sends on behind an idle.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::strategy::Union;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::spec::NetworkSpec;

use super::bypass::Bypass;
use super::control::Control;
use super::decider::Choice;
use super::host::Host;
use super::packet::Packet;
use super::records::Records;
use super::symbol::PacketSymbol;
use crate::random::Frame;

/// One node's rule.
pub(crate) trait Access: Debug {
    /// A message comes in with its first symbol. It does not pass.
    fn take(&mut self, message: Control);

    /// What follows an idle or a message.
    fn decide(&mut self, cycle: u64, bypass: &Bypass, host: &Host, records: &Records) -> Choice;

    /// A cycle begins.
    fn begin(&mut self, _cycle: u64) {}

    /// A packet of this node may be head.
    fn is_eligible(&self, _packet: &Packet) -> bool {
        true
    }

    /// The first symbol of any packet is emitted.
    fn emits(&mut self, _first: PacketSymbol) {}

    /// The head's first symbol is emitted.
    fn sends(&mut self, _packet: &Packet) {}

    /// The echo of an own packet takes effect.
    fn echoed(&mut self) {}
}

/// Makes from the list: the rule of a spec's protocol with the length of its messages, and rings to try it on.
macro_rules! protocols {
    ($($name:ident in $module:ident,)+) => {
        /// The rule of node `index`, and the length of its messages; `None`: the protocol is no such one.
        pub(crate) fn rule(spec: &NetworkSpec, index: u32) -> Option<(Box<dyn Access>, u32)> {
            match crate::protocol(spec) {
                $(FlowControlSpec::$name(options) => Some(super::$module::rule(spec, options, index)),)+
                _ => None,
            }
        }

        /// Any of these protocols that fit the frame, with any options.
        pub(crate) fn any(frame: Frame) -> BoxedStrategy<FlowControlSpec> {
            let fitting = [$(super::$module::any(frame).map(|any| any.prop_map(FlowControlSpec::$name).boxed())),+];
            Union::new(fitting.into_iter().flatten()).boxed()
        }
    };
}

protocols! {
    Metaring in metaring,
    TokenRing in token_ring,
    SlottedRing in slotted_ring,
    Rpr in rpr,
}
