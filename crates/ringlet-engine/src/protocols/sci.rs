//! SCI with send priorities: a low and a high go bit, and an estimate of the ring's highest waiting priority.
//!
//! A reading of public protocol facts, not of the standard's text; docs/explanation/model.md, "Priorities in `sci`",
//! says which part is which.

use super::go_bits::{Extension, GoBits, Release};
use super::grouped::{Grouped, GroupedSpec};
use super::prelude::*;

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
        Limits { levels, survives_losses: true, holds_what_passes: true, ..Limits::default() }
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
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct SciPriorities {
    go: GoBits,
    /// The last received idle: its estimates.
    received: IdleWord,
    head: Option<Head>,
    /// Go bits withheld; stays when there is no head.
    withheld: IdleWord,
    #[encode(skip)]
    is_scrubber: bool,
    #[encode(skip)]
    highest: u8,
}

impl SciPriorities {
    /// The go bit that lets a head be sent: the class that holds the ring's highest priority needs the high one.
    fn needed(&self, head: Head) -> IdleWord {
        if head.priority >= announced(self.received) { HIGH_GO } else { LOW_GO }
    }

    fn update_withheld(&mut self) {
        if let Some(head) = self.head {
            self.withheld = self.needed(head) | LOW_GO;
        }
    }

    /// Takes the estimates out of an idle that comes in and leaves its go bits.
    fn estimate(&mut self, idle: IdleIn) -> IdleIn {
        let IdleIn::Received(word) = idle else { return idle };
        self.received = word;
        self.update_withheld();
        IdleIn::Received(word & GO_BITS)
    }

    /// The idle with these go bits and the estimates to be sent on.
    fn with_estimates(&self, go: IdleWord) -> IdleWord {
        let own = self.head.map_or(0, |head| head.priority);
        let (estimate, count) = (announced(self.received), collecting(self.received));
        // Node 0 ends one collection and starts the next.
        let (announced, collecting) = if self.is_scrubber { (count.max(own), own) } else { (estimate, count.max(own)) };
        go | IdleWord::from(announced) << ANNOUNCED_SHIFT | IdleWord::from(collecting) << COLLECTING_SHIFT
    }
}

impl Protocol for SciPriorities {
    type Options = SciSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &SciSpec, _: &NetworkSpec, node: u32, initial: IdleWord) -> Self {
        let go = GoBits::new(options.extension, options.release, initial & GO_BITS);
        Self { go, received: initial, head: None, withheld: 0, is_scrubber: node == 0, highest: options.priorities - 1 }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        self.go.prepare(encoder);
    }
}

impl IdleRules for SciPriorities {
    // One revolution to collect that no node waits, one to announce it, one in which nothing changes.
    const SETTLED_AFTER: u32 = 3;

    fn initial_idle(_: &SciSpec) -> IdleWord {
        GO_BITS
    }

    fn set_head(&mut self, head: Option<Head>) {
        // A packet may come from a ring with more priorities.
        self.head = head.map(|head| Head { priority: head.priority.min(self.highest), ..head });
        self.update_withheld();
    }

    fn pass(&mut self, idle: IdleIn) -> IdleWord {
        let idle = self.estimate(idle);
        let go = self.go.pass(idle);
        self.with_estimates(go)
    }

    fn absorb(&mut self, idle: IdleIn) {
        let idle = self.estimate(idle);
        self.go.absorb(idle);
    }

    fn idle_after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool) -> IdleWord {
        let go = self.go.after_send(fifo_empty, last_absorbed_created, self.withheld);
        self.with_estimates(go)
    }

    fn separator(&mut self, fifo_empty: bool) -> IdleWord {
        let go = self.go.send_on(fifo_empty, self.withheld);
        self.with_estimates(go)
    }

    fn permits(&self, emitted: IdleWord) -> bool {
        self.head.is_some_and(|head| emitted & self.needed(head) != 0)
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl Scheduler for SciPriorities {
    const FIFO_FIRST: bool = true;
}

impl Messages for SciPriorities {}
