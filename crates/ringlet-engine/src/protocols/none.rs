//! No flow control: a node sends whenever its bypass FIFO is empty (picker1994, Section 1.2).

use super::prelude::*;

/// Options of a ring without flow control: there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoneSpec {}

impl Options for NoneSpec {
    type Protocol = NoFlowControl;

    fn limits(&self, _: RingShape) -> Limits {
        Limits {
            survives_losses: true,
            joins: true,
            holds_what_passes: true,
            takes_slow_links: true,
            ..Limits::default()
        }
    }
}

/// Idles carry nothing.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct NoFlowControl;

impl Protocol for NoFlowControl {
    type Options = NoneSpec;
    type Ring = ();
    type Counts = ();

    fn new(_: &NoneSpec, _: &NetworkSpec, _: u32, _: IdleWord) -> Self {
        Self
    }
}

impl IdleRules for NoFlowControl {
    const AT_REST: AtRest = AtRest::Unchanged;
}

impl Scheduler for NoFlowControl {}

impl Messages for NoFlowControl {}
