//! Go bits, for the protocols whose idles carry them: they are received, kept while a node sends, and sent on
//! (picker1994, Section 2). One bit is SCI's; what several of them are for is up to the protocol.

use super::prelude::*;

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

/// The go bits of the idle behind an own packet while the bypass FIFO is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// Saved go bits that the node need not withhold; the others stay saved until the FIFO is empty.
    Unblocked,
    /// All saved go bits.
    All,
}

/// One node's go bits.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct GoBits<S: GoSet> {
    /// Received and not yet sent on.
    #[encode(held = "a withheld go bit")]
    saved: S,
    /// Those of the last emitted idle, for go-bit extension.
    last_emitted: S,
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

impl<S: GoSet> GoBits<S> {
    /// On a ring full of idles with these go bits.
    pub(super) fn new(extension: Extension, release: Release, initial: S) -> Self {
        Self {
            saved: S::default(),
            last_emitted: initial,
            extend_passing: mask(extension != Extension::None),
            extend_after_send: [
                mask(extension == Extension::Always),
                mask(matches!(extension, Extension::AfterSend | Extension::Always)),
            ],
            release,
        }
    }

    /// For [`Protocol::prepare`].
    pub(super) fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.reads_absorbed = self.extend_after_send != [0; 2];
    }

    /// Those withheld, as an observer sees them.
    pub(super) fn saved(&self) -> IdleWord {
        self.saved.shown()
    }

    /// Has the idle just emitted, with this state, a go bit of these groups?
    #[inline]
    pub(super) fn lets(&self, emitted: IdleWord, groups: S) -> bool {
        self.last_emitted.meets(emitted, groups)
    }

    /// Idles pass; returns what each is emitted as.
    #[inline]
    pub(super) fn pass(&mut self, idle: IdleIn, table: &mut S::Table) -> IdleWord {
        debug_assert_eq!(self.saved, S::default(), "a node that passes symbols withholds nothing");
        if let IdleIn::Received(word) = idle {
            self.last_emitted = S::read(word, table);
            return word;
        }
        self.last_emitted = self.last_emitted.masked(self.extend_passing);
        self.last_emitted.word(table)
    }

    /// The same at a node that withholds these go bits, or some from before.
    pub(super) fn pass_withholding(&mut self, idle: IdleIn, withheld: S, table: &mut S::Table) -> IdleWord {
        self.saved = self.saved.with(match idle {
            IdleIn::Received(word) => S::read(word, table),
            IdleIn::Created => self.last_emitted.masked(self.extend_passing),
        });
        self.send_on(false, withheld, table)
    }

    #[inline]
    pub(super) fn absorb(&mut self, idle: IdleIn, table: &S::Table) {
        if let IdleIn::Received(word) = idle {
            self.saved = self.saved.with(S::read(word, table));
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
            self.saved = self.saved.with(self.last_emitted.masked(self.extend_after_send[usize::from(fifo_empty)]));
        }
        self.send_on(all || (!fifo_empty && self.release == Release::All), withheld, table)
    }

    /// Sends on all saved go bits, or all but those withheld. None is lost: what is not emitted stays saved.
    #[inline]
    pub(super) fn send_on(&mut self, all: bool, withheld: S, table: &mut S::Table) -> IdleWord {
        let withheld = if all { S::default() } else { withheld };
        self.last_emitted = self.saved.without(withheld);
        self.saved = self.saved.without(self.last_emitted);
        self.last_emitted.word(table)
    }
}
