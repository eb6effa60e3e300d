//! The list of protocols: a line each, with the type of its options.

use serde::{Deserialize, Serialize};

use super::{Counts, Options, Protocol, WithProtocol};
use crate::spec::{Limits, NetworkSpec, ProtocolSpec, RingShape, SpecError};

/// Makes from the list the type that holds any protocol's options, and what calls the one that it holds.
macro_rules! protocols {
    ($($name:ident($options:ty),)+) => {
        /// A flow-control protocol and its options. Its name in a spec is the variant's, as in `token-ring`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "protocol", rename_all = "kebab-case")]
        pub enum FlowControlSpec {
            $(
                #[doc = concat!("With [these options](", stringify!($options), ").")]
                $name($options),
            )+
        }

        impl FlowControlSpec {
            /// Checks the options, of which some depend on what else the spec says.
            pub(crate) fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
                match self {
                    $(Self::$name(options) => options.check(spec),)+
                }
            }

            /// What the options leave to the rest of the spec, on such a ring.
            pub fn limits(&self, ring: RingShape) -> Limits {
                match self {
                    $(Self::$name(options) => options.limits(ring),)+
                }
            }

            /// Calls `user` with the protocol.
            pub(crate) fn select<U: WithProtocol>(&self, user: U) -> U::Output {
                match self {
                    $(Self::$name(options) => options.select(user),)+
                }
            }
        }

        $(
            impl From<$options> for ProtocolSpec {
                fn from(options: $options) -> Self {
                    FlowControlSpec::$name(options).into()
                }
            }
        )+

        /// What nodes count for any protocol: names, and what is said of them.
        pub fn counted_by_protocols() -> Vec<(&'static str, &'static str)> {
            let names = [$(<<<$options as Options>::Protocol as Protocol>::Counts as Counts>::NAMES),+].concat();
            let meanings = [$(<<<$options as Options>::Protocol as Protocol>::Counts as Counts>::MEANINGS),+].concat();
            names.into_iter().zip(meanings.into_iter().map(str::trim)).collect()
        }
    };
}

protocols! {
    None(super::none::NoneSpec),
    Sci(super::sci::SciSpec),
    Grouped(super::grouped::GroupedSpec),
    Ppq(super::ppq::PpqSpec),
    Train(super::train::TrainSpec),
    Dfc(super::dfc::DfcSpec),
    Metaring(super::metaring::MetaringSpec),
    TokenRing(super::token_ring::TokenRingSpec),
    SlottedRing(super::slotted_ring::SlottedRingSpec),
    Rpr(super::rpr::RprSpec),
}
