//! The flow-control protocols as one table of what they differ in.

use ringlet_engine::protocols::{
    FlowControlSpec,
    grouped::{Extension, GroupedSpec, Release},
    none::NoneSpec,
    sci::SciSpec,
};

/// With priorities: the low go bit.
pub(crate) const LOW: u16 = 0b01;
/// With priorities: the high go bit.
pub(crate) const HIGH: u16 = 0b10;

/// What the protocols differ in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowControl {
    /// *none*: a waiting packet is never blocked, and go bits do not exist.
    pub(crate) never_blocked: bool,
    /// Two go bits and the priority estimates.
    pub(crate) priorities: bool,
    /// All go bits that exist.
    pub(crate) all: u16,
    pub(crate) extension: Extension,
    pub(crate) release: Release,
}

impl FlowControl {
    pub(crate) fn new(spec: &FlowControlSpec) -> Self {
        match *spec {
            FlowControlSpec::None(NoneSpec {}) => Self {
                never_blocked: true,
                priorities: false,
                all: 0,
                extension: Extension::None,
                release: Release::Unblocked,
            },
            FlowControlSpec::Sci(SciSpec { extension, release, priorities }) => {
                let all = if priorities > 1 { LOW | HIGH } else { 1 };
                Self { never_blocked: false, priorities: priorities > 1, all, extension, release }
            }
            FlowControlSpec::Grouped(GroupedSpec { extension, release, groups }) => {
                let all = (0..groups).fold(0, |all, group| all | 1 << group);
                Self { never_blocked: false, priorities: false, all, extension, release }
            }
            _ => panic!("{spec:?} has no states"),
        }
    }

    /// Extension covers created idles that pass a node whose bypass FIFO is empty.
    pub(crate) fn extends_passing(&self) -> bool {
        matches!(self.extension, Extension::Passing | Extension::AfterSend | Extension::Always)
    }

    /// Extension covers a created idle absorbed in *post*, the bypass FIFO being empty.
    pub(crate) fn extends_after_send(&self) -> bool {
        matches!(self.extension, Extension::AfterSend | Extension::Always)
    }

    /// Extension covers a created idle absorbed in *post*, the bypass FIFO not being empty.
    pub(crate) fn extends_always(&self) -> bool {
        matches!(self.extension, Extension::Always)
    }
}
