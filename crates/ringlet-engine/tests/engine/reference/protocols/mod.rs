//! The protocols: a file each, and a line in the list below, which declares its module. Each has
//!
//! - `transmitter(spec, options, index)`: the transmitter of node `index`, which is [`Transmitter::deciding`] for a
//!   [`Protocol`](super::protocol::Protocol);
//! - `any(frame)`: any options that fit rings of a kind, or `None` if none do.

use proptest::prelude::*;
use proptest::strategy::Union;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::spec::NetworkSpec;

use super::node::Transmitter;
use crate::random::{self, Frame};

/// Makes from the list: modules, the transmitter of a spec's protocol, options to try, and a test for each protocol.
macro_rules! protocols {
    ($($name:ident in $module:ident,)+) => {
        $(pub(crate) mod $module;)+

        /// The transmitter of node `index`.
        pub(crate) fn transmitter(spec: &NetworkSpec, index: u32) -> Transmitter {
            match crate::protocol(spec) {
                $(FlowControlSpec::$name(options) => $module::transmitter(spec, options, index),)+
            }
        }

        /// Any of these protocols that fit the frame, with any options.
        pub(crate) fn any_of(names: &[&str], frame: Frame) -> Option<BoxedStrategy<FlowControlSpec>> {
            let mut fitting = Vec::new();
            $(
                if names.contains(&stringify!($module)) {
                    fitting.extend($module::any(frame).map(|any| any.prop_map(FlowControlSpec::$name).boxed()));
                }
            )+
            (!fitting.is_empty()).then(|| Union::new(fitting).boxed())
        }

        /// All protocols, by their modules.
        pub(crate) const ALL: &[&str] = &[$(stringify!($module)),+];

        /// The engine equals the reference with each protocol.
        mod engine_equals_reference {
            use super::*;
            use crate::against_reference::{compare, steps};

            $(
                proptest! {
                    #![proptest_config(crate::cases(60))]

                    #[test]
                    fn $module(
                        mut spec in random::network_with(&[stringify!($module)]),
                        initial_go in any::<Option<u16>>(),
                        steps in steps(),
                    ) {
                        // Only these have go bits that may be lost before cycle 0.
                        spec.initial_go = initial_go.filter(|_| random::WITH_STATES.contains(&stringify!($module)));
                        compare(&spec, &steps)?;
                    }
                }
            )+
        }
    };
}

protocols! {
    None in none,
    Sci in sci,
    Grouped in grouped,
    Ppq in ppq,
    Train in train,
    Dfc in dfc,
    Metaring in metaring,
    TokenRing in token_ring,
    TimedToken in timed_token,
    SlottedRing in slotted_ring,
    Rpr in rpr,
}
