//! The head of a transmit queue, and who may be it.

use ringlet_engine_derive::Encode;

use crate::values::Packet;

/// The head of a node's transmit queue, as far as a protocol may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Head {
    /// Index of the packet in the arena.
    #[encode(packet)]
    pub(crate) packet: u32,
    /// Transmission group of the packet.
    pub(crate) group: u8,
    /// Send priority of the packet.
    pub(crate) priority: u8,
    /// Length of the packet, in symbols.
    pub(crate) symbols: u32,
}

/// Says which of the packets that could be head may be it.
pub(crate) trait Eligibility {
    /// Is there a packet that may not be head?
    const SELECTS: bool = true;

    /// May a packet be head while one of a higher priority and its class may not?
    const LEVELS_APART: bool = false;

    /// Does it select with the options of the node? Else every packet may be head, and nothing is asked of any.
    #[inline]
    fn selects(&self) -> bool {
        true
    }

    /// May this packet be head? Asked of each that could be when the head is chosen.
    fn is_eligible(&self, packet: &Packet) -> bool;
}

/// Every packet may be head.
pub(crate) struct AnyPacket;

impl Eligibility for AnyPacket {
    const SELECTS: bool = false;

    fn is_eligible(&self, _: &Packet) -> bool {
        true
    }
}
