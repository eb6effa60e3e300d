//! SCI's go bit, or its two go bits and the priority estimates.

use proptest::prelude::*;
use ringlet_engine::protocols::sci::SciSpec;
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::node::Transmitter;
use crate::reference::states::{GoBits, HIGH, LOW, States};

pub(crate) fn transmitter(spec: &NetworkSpec, options: SciSpec, index: u32) -> Transmitter {
    let SciSpec { extension, release, priorities } = options;
    let priorities = priorities > 1;
    let all = if priorities { LOW | HIGH } else { 1 };
    Transmitter::States(States::new(spec, GoBits { never_blocked: false, priorities, all, extension, release }, index))
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<SciSpec>> {
    let priorities = prop_oneof![3 => Just(1u8), 2 => 2..=4u8];
    let parts = (random::extension(), random::release(), priorities);
    let any = parts.prop_map(|(extension, release, priorities)| SciSpec { extension, release, priorities });
    Some(any.boxed())
}
