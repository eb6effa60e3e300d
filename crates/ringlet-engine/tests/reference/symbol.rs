//! What passes a link in one cycle.

/// One 16-bit symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    Idle(Idle),
    Packet(PacketSymbol),
}

/// An idle symbol's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Idle {
    /// One go bit per transmission group; with priorities bit 0 is the low and bit 1 the high go bit.
    pub(crate) go: u16,
    /// Estimate of the ring's highest priority, announced; 0 without priorities.
    pub(crate) announced: u8,
    /// The estimate being collected; 0 without priorities.
    pub(crate) collecting: u8,
}

impl Idle {
    /// An idle that carries no go bits: what stripping leaves in place of a packet's symbol.
    pub(crate) const EMPTY: Self = Self { go: 0, announced: 0, collecting: 0 };

    /// The state as one word: bits 0 to 15 go bits, 16 and 17 *announced*, 18 and 19 *collecting*.
    pub(crate) fn word(self) -> u32 {
        u32::from(self.go) | u32::from(self.announced) << 16 | u32::from(self.collecting) << 18
    }
}

/// What kind of packet a symbol belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A send packet's first transmission.
    Send,
    /// A send packet's later transmissions.
    Retry,
    /// An echo: accepted, or else busy.
    Echo { accepted: bool },
}

/// One symbol of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PacketSymbol {
    pub(crate) kind: Kind,
    /// Number of the send packet, in the order of generation; an echo has its send packet's.
    pub(crate) packet: usize,
    /// Node that made the packet.
    pub(crate) source: u32,
    /// Node that strips the packet.
    pub(crate) target: u32,
    /// Transmission group; an echo has its send packet's, which nobody reads.
    pub(crate) group: u8,
    /// 0 for the packet's first symbol.
    pub(crate) position: u32,
    /// Symbols of the packet.
    pub(crate) length: u32,
}

impl PacketSymbol {
    pub(crate) fn is_first(self) -> bool {
        self.position == 0
    }

    pub(crate) fn is_last(self) -> bool {
        self.position + 1 == self.length
    }

    pub(crate) fn is_echo(self) -> bool {
        matches!(self.kind, Kind::Echo { .. })
    }
}
