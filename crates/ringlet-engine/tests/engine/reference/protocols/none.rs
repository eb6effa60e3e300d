//! No flow control: a waiting packet is never blocked.

use proptest::prelude::*;
use ringlet_engine::protocols::{
    go_bits::{Extension, Release},
    grouped::Permit,
    none::NoneSpec,
};
use ringlet_engine::spec::NetworkSpec;

use crate::random::Frame;
use crate::reference::go::Go;
use crate::reference::node::Transmitter;
use crate::reference::states::{GoBits, States};

pub(crate) fn transmitter(spec: &NetworkSpec, _: NoneSpec, index: u32) -> Transmitter {
    let none = GoBits {
        never_blocked: true,
        priorities: false,
        reserve: 0,
        all: Go::NONE,
        permit: Permit::Any,
        most_saved: 1,
        extension: Extension::None,
        release: Release::Unblocked,
    };
    Transmitter::States(Box::new(States::new(spec, none, index)))
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<NoneSpec>> {
    Some(Just(NoneSpec {}).boxed())
}
