//! One go bit for each transmission group (picker1994, Section 3.1).
//!
//! A node may send behind an idle with its own group's go bit; while its bypass FIFO is not empty it withholds the go
//! bits of the groups in its block register and lets all others pass. With a single group this is SCI's own protocol.

use super::go_bits::{Counted, Extension, GoBits, Kept, Merged, Release};
use super::prelude::*;
use crate::spec::GroupSpec;

/// Most transmission groups: a packet names one in 8 bits.
pub const MAX_GROUPS: u16 = 256;

/// Most of which an idle's state has the go bits themselves; with more it names a set of them.
const MAX_IN_A_WORD: u16 = IdleWord::BITS as u16;

/// The go bits behind which a node may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permit {
    /// Go bits of its packet's group. Up to three of each group are saved, and each leaves with an idle of its own; one
    /// where all packets of a single ring are in one group, which is SCI's protocol.
    Own,
    /// Go bits of any group in its block register. Several of one group are merged into one.
    Any,
}

/// Options of picker1994's enhanced protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupedSpec {
    /// The go bits behind which a node may send.
    pub permit: Permit,
    /// Created idles that copy go bits.
    pub extension: Extension,
    /// Go bits of the idle behind an own packet while the bypass FIFO is not empty.
    pub release: Release,
    /// Transmission groups, 1 to [`MAX_GROUPS`].
    pub groups: u16,
}

impl GroupedSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self =
        Self { permit: Permit::Own, extension: Extension::Received, release: Release::Unblocked, groups: 2 };
}

impl Options for GroupedSpec {
    type Protocol = Grouped<IdleWord>;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let groups = self.groups;
        check((1..=MAX_GROUPS).contains(&groups), "flow_control.groups", groups, format!("1 to {MAX_GROUPS}"))
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits {
            groups: self.groups,
            survives_losses: true,
            joins: true,
            holds_what_passes: true,
            // Of more groups an idle names a set, which no link can join to another one.
            takes_slow_links: self.groups <= MAX_IN_A_WORD,
            ..Limits::default()
        }
    }

    fn select<U: WithProtocol>(&self, user: U) -> U::Output {
        match (self.permit, self.groups > MAX_IN_A_WORD) {
            // With one group a go bit of the own group is one of any: both permits are the same, and SCI's merges.
            (Permit::Own, false) if self.groups > 1 => user.with::<Grouped<IdleWord, Counted<IdleWord>>>(self),
            (_, false) => user.with::<Grouped<IdleWord>>(self),
            (Permit::Own, true) => user.with::<Grouped<WideSet, Counted<WideSet>>>(self),
            (Permit::Any, true) => user.with::<Grouped<WideSet>>(self),
        }
    }
}

/// One node's go bits and block register: a node that keeps several go bits of a group sends behind its own.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Grouped<S: GoSet, K: Kept<S> = Merged<S>> {
    go: GoBits<S, K>,
    /// Groups whose go bits the node withholds.
    block_register: S,
    /// Group of the head; stays when there is none.
    #[encode(skip)]
    own: u8,
    /// Is there a head?
    #[encode(skip)]
    waits: bool,
}

impl<S: GoSet, K: Kept<S>> Grouped<S, K> {
    /// Withholds the go bits of a group from now on, as the block register says.
    #[inline]
    fn block(&mut self, group: u8) {
        self.block_register = self.block_register.with(S::of(group));
    }
}

/// The go bits of the idles at cycle 0. Only those of the first groups can be lost before.
fn initial<S: GoSet>(options: &GroupedSpec, spec: &NetworkSpec) -> S {
    let lost = (0..16).filter(|group| spec.lost_go_bits() >> group & 1 == 1);
    lost.fold(S::first(options.groups), |set, group| set.without(S::of(group)))
}

/// Do all flows and responses of a single ring name one group?
fn names_one_group(spec: &NetworkSpec) -> bool {
    let each = spec.flows.iter().map(|flow| &flow.groups).chain(spec.response_groups.iter().flatten());
    let mut named = each.flat_map(|groups| match groups {
        GroupSpec::Fixed { group } => vec![*group],
        GroupSpec::ByDestination { groups } => groups.clone(),
        GroupSpec::Schedule { steps } => steps.iter().map(|step| step.1).collect(),
    });
    let first = named.next();
    spec.network.is_none() && first.is_some_and(|first| named.all(|group| group == first))
}

impl<S: GoSet, K: Kept<S>> Protocol for Grouped<S, K> {
    type Options = GroupedSpec;
    type Ring = S::Table;
    type Counts = ();

    fn new(options: &GroupedSpec, spec: &NetworkSpec, _: u32, _: IdleWord) -> Self {
        let go = GoBits::new(options.extension, options.release, initial(options, spec));
        let go = if K::COUNTS && names_one_group(spec) { go.merging() } else { go };
        Self { go, block_register: S::default(), own: 0, waits: false }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        self.go.prepare(encoder);
    }
}

impl<S: GoSet, K: Kept<S>> IdleRules for Grouped<S, K> {
    // A node that keeps several go bits of a group sends one on with an idle that came
    // without: idles change as they pass.
    const AT_REST: AtRest = if K::COUNTS { AtRest::RepeatsAfter(1) } else { AtRest::Unchanged };

    fn initial_idle(options: &GroupedSpec, spec: &NetworkSpec, ring: &mut S::Table) -> IdleWord {
        initial::<S>(options, spec).word(ring)
    }

    #[inline]
    fn go_bits(&mut self) -> Option<&mut impl KeepsGoBits<S::Table>> {
        Some(self)
    }

    #[inline]
    fn pass(&mut self, idle: IdleIn, ring: &mut S::Table) -> IdleWord {
        self.go.pass(idle, self.waits, ring)
    }

    #[inline]
    fn absorb(&mut self, idle: IdleIn, count: u32, ring: &S::Table) {
        self.go.absorb(idle, count, ring);
    }

    #[inline]
    fn idle_behind(&mut self, packet: Behind, fifo_empty: bool, ring: &mut S::Table) -> IdleWord {
        match packet {
            Behind::Own { last_absorbed_created } => {
                self.go.after_send(fifo_empty, last_absorbed_created, fifo_empty, self.block_register, ring)
            }
            Behind::Bypassed => self.go.send_on(fifo_empty, self.block_register, ring),
        }
    }

    #[inline]
    fn permits(&self, emitted: IdleWord) -> bool {
        self.go.lets(emitted, if K::COUNTS { S::of(self.own) } else { self.block_register })
    }
}

impl<S: GoSet, K: Kept<S>> KeepsGoBits<S::Table> for Grouped<S, K> {
    #[inline]
    fn set_head(&mut self, head: Option<Head>) {
        self.waits = head.is_some();
        if let Some(head) = head {
            self.own = head.group;
            self.block(head.group);
        }
    }

    #[inline]
    fn counts_idles(&self, idle: IdleIn, ring: &S::Table) -> bool {
        self.go.counts(idle, self.waits, ring)
    }

    #[inline]
    fn strips(&mut self, what: Stripped) {
        self.go.strips(what);
    }

    #[inline]
    fn sent(&mut self, fifo_empty: bool) {
        self.go.sent();
        if fifo_empty {
            self.block_register = S::default();
        }
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl<S: GoSet, K: Kept<S>> Scheduler for Grouped<S, K> {
    #[inline]
    fn link(&mut self) -> Option<&mut impl Link<Self>> {
        Some(self)
    }
}

impl<S: GoSet, K: Kept<S>> Link<Self> for Grouped<S, K> {
    #[inline]
    fn record(&mut self, group: u8) {
        self.block(group);
    }
}

impl<S: GoSet, K: Kept<S>> Messages for Grouped<S, K> {}
