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
pub(super) struct GoBits {
    /// Received and not yet sent on.
    #[encode(held = "a withheld go bit")]
    saved: IdleWord,
    /// Those of the last emitted idle, for go-bit extension.
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

impl GoBits {
    /// On a ring full of idles with these go bits.
    pub(super) fn new(extension: Extension, release: Release, initial: IdleWord) -> Self {
        Self {
            saved: 0,
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

    pub(super) fn saved(&self) -> IdleWord {
        self.saved
    }

    /// Idles pass; returns what each is emitted as.
    #[inline]
    pub(super) fn pass(&mut self, idle: IdleIn) -> IdleWord {
        debug_assert_eq!(self.saved, 0, "a node that passes symbols withholds nothing");
        if let IdleIn::Received(go) = idle {
            self.last_emitted = go;
        } else {
            self.last_emitted &= self.extend_passing;
        }
        self.last_emitted
    }

    #[inline]
    pub(super) fn absorb(&mut self, idle: IdleIn) {
        if let IdleIn::Received(go) = idle {
            self.saved |= go;
        }
    }

    /// The go bits of the idle behind an own packet; `withheld`: those that stay saved while the bypass FIFO is not
    /// empty.
    #[inline]
    pub(super) fn after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool, withheld: IdleWord) -> IdleWord {
        if last_absorbed_created {
            self.saved |= self.last_emitted & self.extend_after_send[usize::from(fifo_empty)];
        }
        self.send_on(fifo_empty || self.release == Release::All, withheld)
    }

    /// Sends on all saved go bits, or all but those withheld. None is lost: what is not emitted stays saved.
    #[inline]
    pub(super) fn send_on(&mut self, all: bool, withheld: IdleWord) -> IdleWord {
        let withheld = if all { 0 } else { withheld };
        self.last_emitted = self.saved & !withheld;
        self.saved &= withheld;
        self.last_emitted
    }
}
