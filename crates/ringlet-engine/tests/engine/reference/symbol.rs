//! Symbols: each passes a link in one cycle.

use super::control::ControlSymbol;
use super::go::Go;
use super::reservation::Phase;

/// One symbol, of any width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    Idle(Idle),
    Packet(PacketSymbol),
    /// DFC.
    Control(ControlSymbol),
}

/// An idle symbol's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Idle {
    /// One go bit per transmission group; with SCI's priorities bit 0 is the low and bit 1 the high go bit; 0 with PPQ.
    pub(crate) go: Go,
    /// PPQ: packets of this priority or more may be sent; 0 otherwise.
    pub(crate) level: u16,
    /// Estimate of the ring's highest priority, announced; 0 without SCI's priorities.
    pub(crate) announced: u8,
    /// The estimate being collected; 0 without SCI's priorities.
    pub(crate) collecting: u8,
    /// True if the idle is of the low type, of SCI's reserve.
    pub(crate) low: bool,
}

impl Idle {
    /// An idle that carries nothing: what stripping leaves in place of a packet's symbol, and all there is in DFC and
    /// TRAIN.
    pub(crate) const EMPTY: Self = Self { go: Go::NONE, level: 0, announced: 0, collecting: 0, low: false };

    /// The state as one word: go bits or level, with SCI's priorities bit 2 the low type, 16 and 17
    /// *announced*, 18 and 19 *collecting*.
    pub(crate) fn word(self) -> u32 {
        let priorities = u32::from(self.low) << 2 | u32::from(self.announced) << 16 | u32::from(self.collecting) << 18;
        self.go.shown() | u32::from(self.level) | priorities
    }
}

/// Kind of the packet to which a symbol belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A send packet's first transmission.
    Send,
    /// A send packet's later transmissions.
    Retry,
    /// An echo: accepted, or else busy.
    Echo { accepted: bool },
    /// PPQ: the named packet has inherited a priority.
    Event,
    /// TRAIN: a LocalMotive with its tickets.
    Train,
    /// TRAIN in the low gear: a LocalMotive that calls for trains.
    Call,
}

/// One symbol of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PacketSymbol {
    pub(crate) kind: Kind,
    /// Number of the send packet, in the order of generation; an echo or event has that of the packet it is about. A
    /// train has its own number: each rewriting makes a new one.
    pub(crate) packet: usize,
    /// Node that made the packet.
    pub(crate) source: u32,
    /// Node that strips the packet.
    pub(crate) target: u32,
    /// Transmission group; an echo has its send packet's, which is not read.
    pub(crate) group: u8,
    /// Priority with which it was sent; of an event: the one inherited.
    pub(crate) priority: u8,
    /// Progress of the packet in getting a reservation.
    pub(crate) phase: Phase,
    /// True if the packet has been granted a place at its destination (DFC: STOP-TO; TRAIN: ticket).
    pub(crate) granted: bool,
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

    /// Returns whether the symbol belongs to a request or a response.
    pub(crate) fn is_send(self) -> bool {
        matches!(self.kind, Kind::Send | Kind::Retry)
    }

    /// Returns the packet's symbol at another position.
    pub(crate) fn at(self, position: u32) -> Self {
        Self { position, ..self }
    }

    /// The first symbol of the echo of this send packet, made by its destination or by a node that has removed it.
    pub(crate) fn echo(self, maker: u32, accepted: bool, length: u32) -> Self {
        let kind = Kind::Echo { accepted };
        Self { kind, source: maker, target: self.source, granted: false, position: 0, length, ..self }
    }
}

/// The input symbol of a node after stripping.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input {
    pub(crate) symbol: Symbol,
    /// The symbol is an idle that stripping made.
    pub(crate) created: bool,
}

impl Input {
    pub(crate) const CREATED: Self = Self { symbol: Symbol::Idle(Idle::EMPTY), created: true };

    /// Makes the input of a symbol that goes on as it came in.
    pub(crate) fn passed(symbol: Symbol) -> Self {
        Self { symbol, created: false }
    }
}
