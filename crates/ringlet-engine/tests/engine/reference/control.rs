//! Messages: DFC's control symbols, and those of other protocols.

use super::packet::Class;

/// A packet that a STOP-TO has found waiting for its maker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Collected {
    pub(crate) priority: u8,
    pub(crate) node: u32,
}

/// Content of STOP-TO and INIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StopTo {
    pub(crate) class: Class,
    /// The last grantee.
    pub(crate) named: u32,
    /// The named node may send one packet.
    pub(crate) grant: bool,
    /// True if the named node has found a packet to send.
    pub(crate) taken: bool,
    /// Since when lower priorities have held the place granted.
    pub(crate) held_since: Option<u64>,
    pub(crate) collected: Option<Collected>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Lower priorities than this may not pass the maker; `None`: all may.
    StopThru(Option<u8>),
    /// Packets of the class may be sent to the maker with a grant only. Both INIT and STOP-TO.
    StopTo(StopTo),
    /// Packets of the class may be sent to the maker.
    Release(Class),
    /// Message of another protocol, a word.
    Word(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Control {
    /// Node that made it, which removes it.
    pub(crate) maker: u32,
    pub(crate) command: Command,
}

/// One symbol of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ControlSymbol {
    pub(crate) control: Control,
    /// 0 for the first symbol.
    pub(crate) position: u32,
    /// Symbols of the control symbol.
    pub(crate) length: u32,
}

impl ControlSymbol {
    pub(crate) fn is_first(self) -> bool {
        self.position == 0
    }

    pub(crate) fn is_last(self) -> bool {
        self.position + 1 == self.length
    }
}
