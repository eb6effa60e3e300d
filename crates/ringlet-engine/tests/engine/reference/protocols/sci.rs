//! SCI's go bit, or its two go bits, the priority estimates and the reserve.

use proptest::prelude::*;
use ringlet_engine::protocols::grouped::Permit;
use ringlet_engine::protocols::sci::{MAX_RESERVE_PERMILLE, SciSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::go::Go;
use crate::reference::node::Transmitter;
use crate::reference::states::{GoBits, HIGH, LOW, States};

pub(crate) fn transmitter(spec: &NetworkSpec, options: SciSpec, index: u32) -> Transmitter {
    let SciSpec { extension, release, priorities, reserve_permille: reserve } = options;
    let priorities = priorities > 1;
    let all = if priorities { Go::of([LOW, HIGH]) } else { Go::of([0]) };
    let (permit, most_saved) = (Permit::Any, 1);
    let go_bits = GoBits { never_blocked: false, priorities, reserve, all, permit, most_saved, extension, release };
    Transmitter::States(Box::new(States::new(spec, go_bits, index)))
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<SciSpec>> {
    let priorities = prop_oneof![3 => Just(1u8), 2 => 2..=4u8];
    let reserve = prop_oneof![1 => Just(0u16), 1 => Just(100u16), 2 => 1..=MAX_RESERVE_PERMILLE];
    let parts = (random::extension(), random::release(), priorities, reserve);
    let any = parts.prop_map(|(extension, release, priorities, reserve)| {
        let reserve_permille = if priorities > 1 { reserve } else { 0 };
        SciSpec { extension, release, priorities, reserve_permille }
    });
    Some(any.boxed())
}
