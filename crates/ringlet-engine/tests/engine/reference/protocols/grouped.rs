//! Transmission groups: a go bit for each.

use proptest::prelude::*;
use ringlet_engine::protocols::grouped::GroupedSpec;
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::node::Transmitter;
use crate::reference::states::{GoBits, States};

pub(crate) fn transmitter(spec: &NetworkSpec, options: GroupedSpec, index: u32) -> Transmitter {
    let GroupedSpec { extension, release, groups } = options;
    let all = (0..groups).fold(0, |all, group| all | 1 << group);
    let go_bits = GoBits { never_blocked: false, priorities: false, all, extension, release };
    Transmitter::States(States::new(spec, go_bits, index))
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<GroupedSpec>> {
    let parts = (random::extension(), random::release(), 1..=16u8);
    let any = parts.prop_map(|(extension, release, groups)| GroupedSpec { extension, release, groups });
    Some(any.boxed())
}
