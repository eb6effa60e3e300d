//! No flow control: a node sends whenever its bypass FIFO is empty (picker1994, Section 1.2).

use super::FlowControl;
use crate::hosts::Eligibility;
use crate::spec::{FlowControlSpec, NetworkSpec};
use crate::values::{Encode, Encoder, IdleWord};

/// Idles carry nothing.
#[derive(Debug, Clone)]
pub(crate) struct NoFlowControl;

impl Eligibility for NoFlowControl {}

impl FlowControl for NoFlowControl {
    type Ring = ();

    fn new(_: &NetworkSpec, _: u32, _: IdleWord) -> Self {
        Self
    }

    fn initial_idle(_: &FlowControlSpec) -> IdleWord {
        0
    }
}

impl Encode for NoFlowControl {
    fn encode(&self, _: &mut Encoder<'_>) {}
}
