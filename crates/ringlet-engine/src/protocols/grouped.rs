//! One go bit for each transmission group (picker1994, Section 3.1).
//!
//! A node may send behind an idle with a go bit of a group in its block register; while it cannot, it withholds the go
//! bits of those groups and lets all others pass. With a single group this is SCI's own protocol.

use super::go_bits::{Extension, GoBits, Release};
use super::prelude::*;

/// Most transmission groups: one go bit each in the low half of an idle symbol's state.
pub const MAX_GROUPS: u8 = 16;

/// Options of picker1994's enhanced protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupedSpec {
    /// Which created idles copy the go bits of the last emitted idle.
    pub extension: Extension,
    /// What the idle behind an own packet carries while the bypass FIFO is not empty.
    pub release: Release,
    /// Transmission groups, 1 to [`MAX_GROUPS`].
    pub groups: u8,
}

impl Options for GroupedSpec {
    type Protocol = Grouped;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let groups = self.groups;
        check((1..=MAX_GROUPS).contains(&groups), "flow_control.groups", groups, format!("1 to {MAX_GROUPS}"))
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits { groups: self.groups, survives_losses: true, holds_what_passes: true, ..Limits::default() }
    }
}

/// One node's go bits and block register.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct Grouped {
    go: GoBits,
    /// Groups whose go bits the node withholds and may use.
    block_register: IdleWord,
}

impl Protocol for Grouped {
    type Options = GroupedSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &GroupedSpec, _: &NetworkSpec, _: u32, initial: IdleWord) -> Self {
        Self { go: GoBits::new(options.extension, options.release, initial), block_register: 0 }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        self.go.prepare(encoder);
    }
}

impl IdleRules for Grouped {
    const PASSES_UNCHANGED: bool = true;

    fn initial_idle(options: &GroupedSpec) -> IdleWord {
        (1 << options.groups) - 1
    }

    #[inline]
    fn set_head(&mut self, head: Option<Head>) {
        if let Some(head) = head {
            self.record(head.group);
        }
    }

    #[inline]
    fn record(&mut self, group: u8) {
        self.block_register |= 1 << group;
    }

    #[inline]
    fn pass(&mut self, idle: IdleIn) -> IdleWord {
        self.go.pass(idle)
    }

    #[inline]
    fn absorb(&mut self, idle: IdleIn) {
        self.go.absorb(idle);
    }

    #[inline]
    fn sent(&mut self, fifo_empty: bool) {
        if fifo_empty {
            self.block_register = 0;
        }
    }

    #[inline]
    fn idle_after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool) -> IdleWord {
        self.go.after_send(fifo_empty, last_absorbed_created, self.block_register)
    }

    #[inline]
    fn separator(&mut self, fifo_empty: bool) -> IdleWord {
        self.go.send_on(fifo_empty, self.block_register)
    }

    #[inline]
    fn permits(&self, emitted: IdleWord) -> bool {
        emitted & self.block_register != 0
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl Scheduler for Grouped {
    const FIFO_FIRST: bool = true;
}

impl Messages for Grouped {}
