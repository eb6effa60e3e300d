//! SCI with send priorities: a low and a high go bit, and an estimate of the ring's highest waiting priority.
//!
//! A reading of public protocol facts, not of the standard's text; docs/explanation/model.md, "Priorities in `sci`",
//! says which part is which.

use ringlet_engine_derive::Encode;

use serde::{Deserialize, Serialize};

use super::grouped::{Extension, Grouped, GroupedSpec, Release};
use super::{IdleIn, IdleRules, Messages, Options, Protocol, Scheduler, WithProtocol};
use crate::hosts::Head;
use crate::spec::{Limits, NetworkSpec, RingShape, SpecError, check};
use crate::values::{Encoder, IdleWord};

/// Send priorities of SCI.
pub const MAX_PRIORITIES: u8 = 4;

/// Options of SCI's go bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SciSpec {
    /// Which created idles copy the go bits of the last emitted idle.
    pub extension: Extension,
    /// What the idle behind an own packet carries while the bypass FIFO is not empty.
    pub release: Release,
    /// 1: one go bit, as picker1994 describes it. 2 to 4: send priorities with a low and a high go bit.
    pub priorities: u8,
}

impl Options for SciSpec {
    type Protocol = SciPriorities;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let priorities = self.priorities;
        let allowed = format!("1 to {MAX_PRIORITIES}");
        check((1..=MAX_PRIORITIES).contains(&priorities), "flow_control.priorities", priorities, allowed)
    }

    fn limits(&self, _: RingShape) -> Limits {
        // Its own send priorities restrict the levels of the FIFOs.
        let levels = if self.priorities > 1 { u16::from(self.priorities) } else { u16::MAX };
        Limits { levels, survives_losses: true, ..Limits::default() }
    }

    fn select<U: WithProtocol>(&self, user: U) -> U::Output {
        let &Self { extension, release, priorities } = self;
        if priorities > 1 {
            return user.with::<SciPriorities>(self);
        }
        // picker1994, Section 3.1, with one group is SCI's protocol.
        user.with::<Grouped>(&GroupedSpec { extension, release, groups: 1 })
    }
}

const LOW_GO: IdleWord = 1;
const HIGH_GO: IdleWord = 2;
const GO_BITS: IdleWord = LOW_GO | HIGH_GO;
const ANNOUNCED_SHIFT: u32 = 16;
const COLLECTING_SHIFT: u32 = 18;

fn announced(word: IdleWord) -> u8 {
    (word >> ANNOUNCED_SHIFT & 3) as u8
}

fn collecting(word: IdleWord) -> u8 {
    (word >> COLLECTING_SHIFT & 3) as u8
}

/// One node's go bits and priority estimates.
#[derive(Debug, Clone, Encode)]
pub(crate) struct SciPriorities {
    #[encode(held = "a withheld go bit")]
    saved_go: IdleWord,
    last_emitted_go: IdleWord,
    /// The last received idle: its estimates.
    received: IdleWord,
    head: Option<Head>,
    /// Go bits withheld; stays when there is no head.
    withheld: IdleWord,
    #[encode(skip)]
    extension: Extension,
    #[encode(skip)]
    release: Release,
    #[encode(skip)]
    is_scrubber: bool,
}

impl SciPriorities {
    /// The high class holds the ring's highest priority and needs the high go bit.
    fn in_high_class(&self, head: Head) -> bool {
        head.priority >= announced(self.received)
    }

    fn receive(&mut self, word: IdleWord) {
        self.received = word;
        self.update_withheld();
    }

    fn update_withheld(&mut self) {
        if let Some(head) = self.head {
            self.withheld = if self.in_high_class(head) { GO_BITS } else { LOW_GO };
        }
    }

    fn idle(&mut self, go: IdleWord) -> IdleWord {
        self.last_emitted_go = go;
        let own = self.head.map_or(0, |head| head.priority);
        let (estimate, count) = (announced(self.received), collecting(self.received));
        // Node 0 ends one collection and starts the next.
        let (announced, collecting) = if self.is_scrubber { (count.max(own), own) } else { (estimate, count.max(own)) };
        go | IdleWord::from(announced) << ANNOUNCED_SHIFT | IdleWord::from(collecting) << COLLECTING_SHIFT
    }

    fn emit(&mut self, all: bool) -> IdleWord {
        let withheld = if all { 0 } else { self.withheld };
        let go = self.saved_go & !withheld;
        self.saved_go &= withheld;
        self.idle(go)
    }
}

impl Protocol for SciPriorities {
    type Options = SciSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &SciSpec, _: &NetworkSpec, node: u32, initial: IdleWord) -> Self {
        let &SciSpec { extension, release, .. } = options;
        Self {
            saved_go: 0,
            last_emitted_go: initial & GO_BITS,
            received: initial,
            head: None,
            withheld: 0,
            extension,
            release,
            is_scrubber: node == 0,
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.extends = matches!(self.extension, Extension::AfterSend | Extension::Always);
    }
}

impl IdleRules for SciPriorities {
    // One revolution to collect that no node waits, one to announce it, one in which nothing changes.
    const SETTLED_AFTER: u32 = 3;

    fn initial_idle(_: &SciSpec) -> IdleWord {
        GO_BITS
    }

    fn set_head(&mut self, head: Option<Head>) {
        self.head = head;
        self.update_withheld();
    }

    fn pass(&mut self, idle: IdleIn) -> IdleWord {
        let go = match idle {
            IdleIn::Received(word) => {
                self.receive(word);
                word & GO_BITS
            }
            IdleIn::Created if self.extension == Extension::None => 0,
            IdleIn::Created => self.last_emitted_go,
        };
        self.idle(go)
    }

    fn absorb(&mut self, idle: IdleIn) {
        if let IdleIn::Received(word) = idle {
            self.receive(word);
            self.saved_go |= word & GO_BITS;
        }
    }

    fn idle_after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool) -> IdleWord {
        let extended = match self.extension {
            Extension::None | Extension::Passing => false,
            Extension::AfterSend => fifo_empty,
            Extension::Always => true,
        };
        if last_absorbed_created && extended {
            self.saved_go |= self.last_emitted_go;
        }
        self.emit(fifo_empty || self.release == Release::All)
    }

    fn separator(&mut self, fifo_empty: bool) -> IdleWord {
        self.emit(fifo_empty)
    }

    fn permits(&self, emitted: IdleWord) -> bool {
        let Some(head) = self.head else { return false };
        emitted & if self.in_high_class(head) { HIGH_GO } else { LOW_GO } != 0
    }

    fn saved(&self) -> IdleWord {
        self.saved_go
    }
}

impl Scheduler for SciPriorities {}

impl Messages for SciPriorities {}
