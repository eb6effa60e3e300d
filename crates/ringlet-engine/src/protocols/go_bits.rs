//! Go bits, for the protocols whose idles carry them: they are received, kept while a node sends, and sent on
//! (picker1994, Section 2). One bit is SCI's; what several of them are for is up to the protocol.

use super::prelude::*;
use crate::values::{Encode, Rest};

/// Go-bit extension: which idles created by stripping a packet copy go bits (picker1994, Section 2, which leaves the
/// states open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extension {
    /// No created idles.
    None,
    /// The idle behind an own packet, if the bypass FIFO is empty then, and, at a node without a waiting packet, those
    /// in place of echoes and of the first packet stripped since it has sent. They copy the last idle received.
    Received,
    /// Created idles that pass a node whose bypass FIFO is empty. They copy the last idle emitted.
    Passing,
    /// Created idles as with `Passing`, and the one absorbed in the idle behind an own packet if the bypass FIFO is
    /// empty then.
    AfterSend,
    /// Created idles as with `Passing`, and the one absorbed in the idle behind an own packet in any case.
    Always,
}

/// The go bits of the idle behind an own packet while the bypass FIFO is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// Saved go bits that the node need not withhold; the others stay saved until the FIFO is empty.
    Unblocked,
    /// All saved go bits.
    All,
}

/// Go bits that a node keeps.
pub(crate) trait Kept<S: GoSet>:
    std::fmt::Debug + Default + Clone + Send + Sync + Encode + Rest + Serialize + serde::de::DeserializeOwned
{
    /// May several of one group be kept, so that idles that pass in a row may leave with different go bits?
    const COUNTS: bool;

    /// Merges all go bits of a group from now on.
    fn merge(&mut self) {}

    /// Keeps what `count` idles bring, each of them this.
    fn keep(&mut self, go: S, count: u32);

    /// The groups of which it keeps at least one.
    fn groups(&self) -> S;

    /// Lets go one of each group that it keeps, or of each but those withheld; returns these groups.
    fn let_go(&mut self, all: bool, withheld: S) -> S;
}

/// Several go bits of a group merged into one.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Merged<S: GoSet>(S);

impl<S: GoSet> Default for Merged<S> {
    fn default() -> Self {
        Self(S::default())
    }
}

impl<S: GoSet> Rest for Merged<S> {
    fn is_held(&self) -> bool {
        self.0.is_held()
    }
}

impl<S: GoSet> Kept<S> for Merged<S> {
    const COUNTS: bool = false;

    #[inline]
    fn keep(&mut self, go: S, _: u32) {
        self.0 = self.0.with(go);
    }

    #[inline]
    fn groups(&self) -> S {
        self.0
    }

    #[inline]
    fn let_go(&mut self, all: bool, withheld: S) -> S {
        self.0.let_go(all, withheld)
    }
}

/// Go bits of one group that are kept at most (docs/reproductions/picker1994.md, "Three saved bits").
const MOST_KEPT: usize = 3;

/// Go bits of each group, up to [`MOST_KEPT`].
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Counted<S: GoSet> {
    /// Groups of which more go bits are kept than the place in this array says.
    more_than: [S; MOST_KEPT],
    /// Go bits of one group that are kept at most.
    #[encode(skip)]
    #[serde(deserialize_with = "read_most_kept")]
    most: usize,
}

/// Reads how many go bits of one group are kept at most.
fn read_most_kept<'de, D: serde::Deserializer<'de>>(saved: D) -> Result<usize, D::Error> {
    let most = usize::deserialize(saved)?;
    let holds = (1..=MOST_KEPT).contains(&most);
    if holds { Ok(most) } else { Err(serde::de::Error::custom("more go bits of a group than are kept, or none")) }
}

impl<S: GoSet> Default for Counted<S> {
    fn default() -> Self {
        Self { more_than: [S::default(); MOST_KEPT], most: MOST_KEPT }
    }
}

impl<S: GoSet> Rest for Counted<S> {
    // A node that lets idles pass may keep some where all idles have go bits: it withholds none.
    fn is_held(&self) -> bool {
        false
    }
}

impl<S: GoSet> Kept<S> for Counted<S> {
    const COUNTS: bool = true;

    fn merge(&mut self) {
        self.most = 1;
    }

    #[inline]
    fn keep(&mut self, go: S, count: u32) {
        // More idles than that bring no more: of each group no more go bits are kept.
        for _ in 0..count.min(MOST_KEPT as u32) {
            // A unary counter of each group, of all groups at once: those that are in one set
            // already go on to the next.
            let mut more = go;
            for kept in &mut self.more_than[..self.most] {
                (*kept, more) = (kept.with(more), kept.both(more));
            }
        }
    }

    #[inline]
    fn groups(&self) -> S {
        self.more_than[0]
    }

    #[inline]
    fn let_go(&mut self, all: bool, withheld: S) -> S {
        let groups = self.groups().without(if all { S::default() } else { withheld });
        for place in 0..MOST_KEPT {
            // A group leaves the last set that it is in.
            let left = self.more_than.get(place + 1).copied().unwrap_or_default();
            self.more_than[place] = self.more_than[place].without(groups.without(left));
        }
        groups
    }
}

/// A packet or echo in whose place a node lets created idles pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stripped {
    /// A send packet for this node.
    Packet,
    /// An echo for this node.
    Echo,
    /// A packet or echo that a link has lost.
    Lost,
}

/// One node's go bits.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct GoBits<S: GoSet, K: Kept<S> = Merged<S>> {
    /// Received and not yet sent on.
    #[encode(held = "a withheld go bit")]
    saved: K,
    /// Go bits of the last emitted idle, for go-bit extension.
    #[encode(when = !self.copies_received())]
    last_emitted: S,
    /// Go bits of the last received idle, for go-bit extension.
    #[encode(when = self.copies_received())]
    last_received: S,
    /// Do created idles in place of what is being stripped copy the last received one, at a node without a waiting
    /// packet? Until they have passed no other is received.
    #[encode(when = self.copies_received())]
    extends_stripped: bool,
    /// Has the node sent since it last stripped a packet?
    #[encode(when = self.copies_received())]
    has_sent: bool,
    /// Do created idles copy the last received one?
    #[encode(skip)]
    extend_received: bool,
    /// Do created idles that pass copy the last emitted one?
    #[encode(skip)]
    extend_passing: bool,
    /// Does the idle behind an own packet, with the bypass FIFO not empty and empty?
    #[encode(skip)]
    extend_after_send: [bool; 2],
    #[encode(skip)]
    release: Release,
}

/// Returns a mask of ones if the condition holds, else 0.
#[inline]
fn mask(condition: bool) -> IdleWord {
    IdleWord::from(condition).wrapping_neg()
}

impl<S: GoSet, K: Kept<S>> GoBits<S, K> {
    /// Builds the go bits of a node on a ring full of idles with these go bits.
    pub(super) fn new(extension: Extension, release: Release, initial: S) -> Self {
        use Extension::{AfterSend, Always, Passing, Received};
        Self {
            saved: K::default(),
            last_emitted: initial,
            last_received: initial,
            extends_stripped: false,
            has_sent: false,
            extend_received: extension == Received,
            extend_passing: matches!(extension, Passing | AfterSend | Always),
            extend_after_send: [extension == Always, matches!(extension, AfterSend | Always)],
            release,
        }
    }

    /// Merges all go bits of a group.
    pub(super) fn merging(mut self) -> Self {
        self.saved.merge();
        self
    }

    fn copies_received(&self) -> bool {
        self.extend_received
    }

    /// Says, for [`Protocol::prepare`], whether the future depends on the run that was absorbed last.
    pub(super) fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.reads_absorbed = self.copies_received() || self.extend_after_send != [false; 2];
    }

    /// Returns the withheld go bits, as an observer sees them.
    pub(super) fn saved(&self) -> IdleWord {
        self.saved.groups().shown()
    }

    /// Has the idle just emitted, with this state, a go bit of these groups?
    #[inline]
    pub(super) fn lets(&self, emitted: IdleWord, groups: S) -> bool {
        self.last_emitted.meets(emitted, groups)
    }

    /// Created idles will take the place of something that begins to come in.
    #[inline]
    pub(super) fn strips(&mut self, what: Stripped) {
        let copies = match what {
            // Once for each time that it sends: a silent node would make go bits without
            // end for those behind it (model.md).
            Stripped::Packet => std::mem::take(&mut self.has_sent),
            Stripped::Echo => true,
            Stripped::Lost => false,
        };
        self.extends_stripped = copies & self.extend_received;
    }

    /// One more go bit of these groups is kept.
    pub(super) fn save(&mut self, groups: S) {
        self.saved.keep(groups, 1);
    }

    /// An own packet has been sent.
    #[inline]
    pub(super) fn sent(&mut self) {
        self.has_sent = true;
    }

    /// The go bits of an idle that passes a node with a waiting packet or without.
    #[inline]
    fn brought(&self, idle: IdleIn, waits: bool, table: &S::Table) -> S {
        match idle {
            IdleIn::Received(word) => S::read(word, table),
            IdleIn::Created => {
                // A node with a waiting packet leaves go bits alone, so that saturated
                // rings see nothing of it (protocols.md).
                let received = self.last_received.masked(mask(self.extends_stripped & !waits));
                self.last_emitted.masked(mask(self.extend_passing)).with(received)
            }
            IdleIn::Waiting => self.last_emitted.masked(mask(self.extend_passing)),
        }
    }

    /// Would idles like this one, passing in a row, leave with different go bits?
    #[inline]
    pub(super) fn counts(&self, idle: IdleIn, waits: bool, table: &S::Table) -> bool {
        K::COUNTS && self.saved.groups().without(self.brought(idle, waits, table)).is_held()
    }

    /// Idles pass; returns what each is emitted as.
    #[inline]
    pub(super) fn pass(&mut self, idle: IdleIn, waits: bool, table: &mut S::Table) -> IdleWord {
        if K::COUNTS && self.saved.groups().is_held() {
            return self.pass_withholding(idle, waits, S::default(), table);
        }
        debug_assert!(!self.saved.groups().is_held(), "a node that passes symbols withholds nothing");
        self.last_emitted = self.brought(idle, waits, table);
        if let IdleIn::Received(word) = idle {
            self.last_received = self.last_emitted;
            return word;
        }
        self.last_emitted.word(table)
    }

    /// Idles pass at a node that withholds these go bits, or some from before; returns what each is emitted as.
    pub(super) fn pass_withholding(
        &mut self,
        idle: IdleIn,
        waits: bool,
        withheld: S,
        table: &mut S::Table,
    ) -> IdleWord {
        let brought = self.brought(idle, waits, table);
        if matches!(idle, IdleIn::Received(_)) {
            self.last_received = brought;
        }
        self.saved.keep(brought, 1);
        self.send_on(false, withheld, table)
    }

    /// `count` idles are absorbed.
    #[inline]
    pub(super) fn absorb(&mut self, idle: IdleIn, count: u32, table: &S::Table) {
        if let IdleIn::Received(word) = idle {
            self.last_received = S::read(word, table);
            self.saved.keep(self.last_received, count);
        }
    }

    /// The go bits of the idle behind an own packet; `withheld`: those that stay saved unless `all` leave.
    #[inline]
    pub(super) fn after_send(
        &mut self,
        fifo_empty: bool,
        last_absorbed_created: bool,
        all: bool,
        withheld: S,
        table: &mut S::Table,
    ) -> IdleWord {
        if last_absorbed_created {
            let emitted = self.last_emitted.masked(mask(self.extend_after_send[usize::from(fifo_empty)]));
            let received = self.last_received.masked(mask(self.extend_received & fifo_empty));
            self.saved.keep(emitted.with(received), 1);
        }
        self.send_on(all || (!fifo_empty && self.release == Release::All), withheld, table)
    }

    /// Sends on one saved go bit of each group, or of each but those withheld. None is lost: what is not emitted stays
    /// saved.
    #[inline]
    pub(super) fn send_on(&mut self, all: bool, withheld: S, table: &mut S::Table) -> IdleWord {
        self.last_emitted = self.saved.let_go(all, withheld);
        self.last_emitted.word(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_node_is_read_that_keeps_more_go_bits_of_a_group_than_it_can() {
        let mut kept = Counted::<IdleWord>::default();
        let read = |kept: &Counted<IdleWord>| {
            let saved = serde_json::to_string(kept).expect("numbers");
            serde_json::from_str::<Counted<IdleWord>>(&saved)
        };
        for (most, holds) in [(0, false), (1, true), (MOST_KEPT, true), (MOST_KEPT + 1, false)] {
            kept.most = most;
            assert_eq!(read(&kept).is_ok(), holds, "{most}");
        }
    }
}
