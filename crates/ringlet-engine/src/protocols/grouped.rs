//! SCI's go bits and their extension to transmission groups (picker1994, Sections 2 and 3.1).
//!
//! An idle carries one go bit per group. A node may send behind an idle with a go bit of a group in its block register;
//! while it cannot, it withholds the go bits of those groups and lets all others pass. With a single group this is
//! SCI's own protocol.

use ringlet_engine_derive::Encode;

use serde::{Deserialize, Serialize};

use super::{IdleIn, IdleRules, Messages, Options, Protocol, Scheduler};
use crate::hosts::Head;
use crate::spec::{Limits, NetworkSpec, RingShape, SpecError, check};
use crate::values::{Encoder, IdleWord};

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

/// Go-bit extension: which idles created by stripping a packet copy the go bits of the last emitted idle (picker1994,
/// Section 2, which leaves the states open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extension {
    /// None do.
    None,
    /// Those that pass a node whose bypass FIFO is empty.
    Passing,
    /// Those, and the one absorbed in the idle behind an own packet if the bypass FIFO is empty then.
    AfterSend,
    /// Those, and the one absorbed in the idle behind an own packet in any case.
    Always,
}

/// What the idle behind an own packet carries while the bypass FIFO is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// Saved go bits of groups outside the block register; the others stay saved until the FIFO is empty.
    Unblocked,
    /// All saved go bits.
    All,
}

impl Options for GroupedSpec {
    type Protocol = Grouped;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let groups = self.groups;
        check((1..=MAX_GROUPS).contains(&groups), "flow_control.groups", groups, format!("1 to {MAX_GROUPS}"))
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits { groups: self.groups, survives_losses: true, ..Limits::default() }
    }
}

/// One node's go bits.
#[derive(Debug, Clone, Encode)]
pub(crate) struct Grouped {
    /// Go bits received and not yet sent on.
    #[encode(held = "a withheld go bit")]
    saved: IdleWord,
    /// Groups whose go bits the node withholds and may use.
    block_register: IdleWord,
    /// Go bits of the last emitted idle, for go-bit extension.
    last_emitted: IdleWord,
    /// All ones if created idles that pass are extended, else 0.
    #[encode(skip)]
    extend_passing: IdleWord,
    /// The same for the idle behind an own packet, with the bypass FIFO empty and not.
    #[encode(skip)]
    extend_after_send: [IdleWord; 2],
    #[encode(skip)]
    release: Release,
}

fn mask(condition: bool) -> IdleWord {
    if condition { !0 } else { 0 }
}

impl Protocol for Grouped {
    type Options = GroupedSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &GroupedSpec, _: &NetworkSpec, _: u32, initial: IdleWord) -> Self {
        let &GroupedSpec { extension, release, .. } = options;
        Self {
            saved: 0,
            block_register: 0,
            last_emitted: initial,
            extend_passing: mask(extension != Extension::None),
            extend_after_send: [
                mask(extension == Extension::Always),
                mask(matches!(extension, Extension::AfterSend | Extension::Always)),
            ],
            release,
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.extends = self.extend_after_send != [0; 2];
    }
}

impl IdleRules for Grouped {
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
        debug_assert_eq!(self.saved, 0, "a node that passes symbols withholds nothing");
        if let IdleIn::Received(word) = idle {
            self.last_emitted = word;
        } else {
            self.last_emitted &= self.extend_passing;
        }
        self.last_emitted
    }

    #[inline]
    fn absorb(&mut self, idle: IdleIn) {
        if let IdleIn::Received(word) = idle {
            self.saved |= word;
        }
    }

    #[inline]
    fn sent(&mut self, fifo_empty: bool) {
        if fifo_empty {
            self.block_register = 0;
        }
    }

    #[inline]
    fn idle_after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool) -> IdleWord {
        if last_absorbed_created {
            self.saved |= self.last_emitted & self.extend_after_send[usize::from(fifo_empty)];
        }
        self.emit(fifo_empty || self.release == Release::All)
    }

    #[inline]
    fn separator(&mut self, fifo_empty: bool) -> IdleWord {
        self.emit(fifo_empty)
    }

    #[inline]
    fn permits(&self, emitted: IdleWord) -> bool {
        emitted & self.block_register != 0
    }

    fn saved(&self) -> IdleWord {
        self.saved
    }
}

impl Scheduler for Grouped {}

impl Messages for Grouped {}

impl Grouped {
    /// Keeps all saved go bits, whatever has been recorded.
    pub(super) fn withhold(&mut self) -> IdleWord {
        self.last_emitted = 0;
        0
    }

    /// Sends on all saved go bits, or only those that need not be withheld. None is lost: what is not emitted stays
    /// saved.
    #[inline]
    fn emit(&mut self, all: bool) -> IdleWord {
        let withheld = if all { 0 } else { self.block_register };
        self.last_emitted = self.saved & !withheld;
        self.saved &= withheld;
        self.last_emitted
    }
}
