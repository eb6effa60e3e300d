//! One go bit for each transmission group (picker1994, Section 3.1).
//!
//! A node may send behind an idle with a go bit of a group in its block register; while it cannot, it withholds the go
//! bits of those groups and lets all others pass. With a single group this is SCI's own protocol.

use super::go_bits::{Extension, GoBits, Release};
use super::prelude::*;

/// Most transmission groups: a packet names one in 8 bits.
pub const MAX_GROUPS: u16 = 256;

/// Most of which an idle's state has the go bits themselves; with more it names a set of them.
const MAX_IN_A_WORD: u16 = IdleWord::BITS as u16;

/// Options of picker1994's enhanced protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupedSpec {
    /// Which created idles copy the go bits of the last emitted idle.
    pub extension: Extension,
    /// What the idle behind an own packet carries while the bypass FIFO is not empty.
    pub release: Release,
    /// Transmission groups, 1 to [`MAX_GROUPS`].
    pub groups: u16,
}

impl Options for GroupedSpec {
    type Protocol = Grouped<IdleWord>;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let groups = self.groups;
        check((1..=MAX_GROUPS).contains(&groups), "flow_control.groups", groups, format!("1 to {MAX_GROUPS}"))
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits { groups: self.groups, survives_losses: true, holds_what_passes: true, ..Limits::default() }
    }

    fn select<U: WithProtocol>(&self, user: U) -> U::Output {
        if self.groups > MAX_IN_A_WORD {
            return user.with::<Grouped<WideSet>>(self);
        }
        user.with::<Grouped<IdleWord>>(self)
    }
}

/// One node's go bits and block register.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Grouped<S: GoSet> {
    go: GoBits<S>,
    /// Groups whose go bits the node withholds and may use.
    block_register: S,
}

/// The go bits of the idles at cycle 0. Only those of the first groups can be lost before.
fn initial<S: GoSet>(options: &GroupedSpec, spec: &NetworkSpec) -> S {
    let lost = (0..16).filter(|group| spec.lost_go_bits() >> group & 1 == 1);
    lost.fold(S::first(options.groups), |set, group| set.without(S::of(group)))
}

impl<S: GoSet> Protocol for Grouped<S> {
    type Options = GroupedSpec;
    type Ring = S::Table;
    type Counts = ();

    fn new(options: &GroupedSpec, spec: &NetworkSpec, _: u32, _: IdleWord) -> Self {
        let go = GoBits::new(options.extension, options.release, initial(options, spec));
        Self { go, block_register: S::default() }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        self.go.prepare(encoder);
    }
}

impl<S: GoSet> IdleRules for Grouped<S> {
    const PASSES_UNCHANGED: bool = true;
    const GO_BITS: IdleWord = IdleWord::MAX;
    const NAMES_STATES: bool = S::IS_NAMED;

    fn initial_idle(options: &GroupedSpec, spec: &NetworkSpec, ring: &mut S::Table) -> IdleWord {
        initial::<S>(options, spec).word(ring)
    }

    fn shown(word: IdleWord, ring: &S::Table) -> IdleWord {
        S::read(word, ring).shown()
    }

    fn is_full(ring: &S::Table) -> bool {
        S::is_full(ring)
    }

    fn keep_only(ring: &mut S::Table, used: &mut dyn Iterator<Item = IdleWord>) {
        S::keep_only(ring, used);
    }

    #[inline]
    fn set_head(&mut self, head: Option<Head>) {
        if let Some(head) = head {
            self.record(head.group);
        }
    }

    #[inline]
    fn record(&mut self, group: u8) {
        self.block_register = self.block_register.with(S::of(group));
    }

    #[inline]
    fn pass(&mut self, idle: IdleIn, ring: &mut S::Table) -> IdleWord {
        self.go.pass(idle, ring)
    }

    #[inline]
    fn absorb(&mut self, idle: IdleIn, _: u32, ring: &S::Table) {
        self.go.absorb(idle, ring);
    }

    #[inline]
    fn sent(&mut self, fifo_empty: bool) {
        if fifo_empty {
            self.block_register = S::default();
        }
    }

    #[inline]
    fn idle_after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool, ring: &mut S::Table) -> IdleWord {
        self.go.after_send(fifo_empty, last_absorbed_created, fifo_empty, self.block_register, ring)
    }

    #[inline]
    fn separator(&mut self, fifo_empty: bool, ring: &mut S::Table) -> IdleWord {
        self.go.send_on(fifo_empty, self.block_register, ring)
    }

    #[inline]
    fn permits(&self, emitted: IdleWord) -> bool {
        self.go.lets(emitted, self.block_register)
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl<S: GoSet> Scheduler for Grouped<S> {
    const FIFO_FIRST: bool = true;
}

impl<S: GoSet> Messages for Grouped<S> {}
