//! SCI's go bit and PPQ's go level, as idles carry them round the ring.

/// Every node may send.
pub(crate) const GO: u16 = 0;
/// No node may send.
pub(crate) const STOP: u16 = 256;

/// Emission and merging: a level of *w* lets packets of priority *w* or more go. The go bit is a level of [`GO`], its
/// absence is [`STOP`].
#[derive(Debug)]
pub(crate) struct GoLevel {
    pub(crate) saved: u16,
    last_emitted: u16,
    /// Go level of the last idle that came in.
    pub(crate) last_received: u16,
}

impl GoLevel {
    pub(crate) fn new() -> Self {
        Self { saved: STOP, last_emitted: GO, last_received: GO }
    }

    /// An idle comes in.
    pub(crate) fn absorb(&mut self, level: u16) {
        self.last_received = level;
        self.saved = self.saved.min(level);
    }

    /// An idle that stripping has made copies the last emitted level.
    pub(crate) fn extend(&mut self) {
        self.saved = self.saved.min(self.last_emitted);
    }

    /// An idle that stripping has made copies the last received level.
    pub(crate) fn extend_received(&mut self) {
        self.saved = self.saved.min(self.last_received);
    }

    /// The level of an idle with which all that was saved is let go.
    pub(crate) fn emit_saved(&mut self) -> u16 {
        self.last_emitted = std::mem::replace(&mut self.saved, STOP);
        self.last_emitted
    }

    /// Returns the saved go level for an idle, which says that no more than the level `most` is stopped.
    pub(crate) fn emit_saved_within(&mut self, most: u16) -> u16 {
        self.last_emitted = std::mem::replace(&mut self.saved, STOP).min(most);
        self.last_emitted
    }

    /// The level of an idle while the bypass FIFO is drained.
    pub(crate) fn emit_withholding(&mut self, level: u16) -> u16 {
        self.last_emitted = level;
        level
    }
}
