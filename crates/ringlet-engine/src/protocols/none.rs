//! No flow control: a node sends whenever its bypass FIFO is empty (picker1994, Section 1.2).

use super::{FlowControl, Head, IdleIn, IdleWord};
use crate::spec::FlowControlSpec;

/// Idles carry nothing.
#[derive(Debug)]
pub struct NoFlowControl;

impl FlowControl for NoFlowControl {
    fn new(_: &FlowControlSpec, _: u32, _: IdleWord) -> Self {
        Self
    }

    fn initial_idle(_: &FlowControlSpec) -> IdleWord {
        0
    }

    fn set_head(&mut self, _: Option<Head>) {}

    fn record(&mut self, _: u8) {}

    #[inline]
    fn pass(&mut self, _: IdleIn) -> IdleWord {
        0
    }

    fn absorb(&mut self, _: IdleIn) {}

    fn sent(&mut self, _: bool) {}

    fn idle_after_send(&mut self, _: bool, _: bool) -> IdleWord {
        0
    }

    fn separator(&mut self, _: bool) -> IdleWord {
        0
    }

    fn unblocked(&self, _: IdleWord) -> bool {
        true
    }

    fn saved(&self) -> IdleWord {
        0
    }
}
