//! No flow control: a node sends whenever its bypass FIFO is empty (picker1994, Section 1.2).

use ringlet_engine_derive::Encode;

use super::{IdleRules, Messages, Protocol, Scheduler};
use crate::spec::NetworkSpec;
use crate::values::IdleWord;

/// Idles carry nothing.
#[derive(Debug, Clone, Encode)]
pub(crate) struct NoFlowControl;

impl Protocol for NoFlowControl {
    type Ring = ();
    type Counts = ();

    fn new(_: &NetworkSpec, _: u32, _: IdleWord) -> Self {
        Self
    }
}

impl IdleRules for NoFlowControl {}

impl Scheduler for NoFlowControl {}

impl Messages for NoFlowControl {}
