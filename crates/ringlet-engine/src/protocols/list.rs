//! The list of protocols.

use super::dfc::Dfc;
use super::grouped::Grouped;
use super::none::NoFlowControl;
use super::ppq::Ppq;
use super::sci::SciPriorities;
use super::train::TrainProtocol;
use super::{Counts, FlowControl, Protocol};
use crate::spec::{FlowControlSpec, NetworkSpec};

/// Something that needs to know the protocol's type.
pub(crate) trait WithProtocol {
    type Output;
    fn with<P: FlowControl + 'static>(self) -> Self::Output;
}

macro_rules! protocols {
    ($($spec:pat => $protocol:ty,)+) => {
        /// Calls `user` with the protocol that the spec names.
        pub(crate) fn select<U: WithProtocol>(spec: &NetworkSpec, user: U) -> U::Output {
            match spec.flow_control {
                $($spec => user.with::<$protocol>(),)+
            }
        }

        /// Names of what nodes count for any protocol.
        pub fn counted_by_protocols() -> Vec<&'static str> {
            [$(<<$protocol as Protocol>::Counts as Counts>::NAMES),+].concat()
        }
    };
}

protocols! {
    FlowControlSpec::None {} => NoFlowControl,
    // picker1994, Section 3.1, with one group is SCI's protocol.
    FlowControlSpec::Sci { priorities: 1, .. } | FlowControlSpec::Grouped { .. } => Grouped,
    FlowControlSpec::Sci { .. } => SciPriorities,
    FlowControlSpec::Ppq(_) => Ppq,
    FlowControlSpec::Train(_) => TrainProtocol,
    FlowControlSpec::Dfc(_) => Dfc,
}
