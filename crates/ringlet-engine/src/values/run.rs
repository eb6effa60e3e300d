//! The symbols on a link: a sequence of runs, each a whole packet or a stretch of equal idles.
//!
//! A packet is contiguous on every link (a node sends only between packets, and its bypass FIFO never runs dry inside
//! one), so its head announces all of it and one step handles it.

use ringlet_engine_derive::Encode;

use crate::results::{PacketView, Symbols};

/// State of an idle symbol, which its protocol interprets: go bits, the name of a set of them, or a go level.
pub(crate) type IdleWord = u32;

/// The kinds of runs of symbols. Their order is such that an echo is counted with the others, whatever it says
/// ([`Kind::place`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) enum Kind {
    /// A send packet, first transmission.
    Send,
    /// A send packet sent again after a busy echo.
    Retry,
    /// An echo that says accepted.
    Echo,
    /// A message of the flow-control protocol, which alone interprets its content.
    Message,
    /// An echo that says accepted, at the node that has just made it.
    FreshEcho,
    /// An echo that says busy, at the node that has just made it.
    FreshBusyEcho,
    /// An echo that says busy.
    BusyEcho,
    /// Idles with equal state.
    Idle,
    /// Created idles in place of a send packet for this node; an echo follows that says accepted. Never on a link.
    Stripped,
    /// Created idles in place of a send packet for this node; an echo follows that says busy. Never on a link.
    StrippedBusy,
    /// Created idles in place of an echo for this node that says accepted. Never on a link.
    Acknowledged,
    /// Created idles in place of an echo for this node that says busy. Never on a link.
    Refused,
    /// Created idles in place of a packet that needs no echo. Never on a link.
    Freed,
}

/// Sums by the kind of what is emitted: send packets, those sent again, echoes, messages.
pub(crate) type ByKind = [u64; 4];

impl Kind {
    /// Is it a send packet?
    #[inline]
    pub(crate) fn is_send(self) -> bool {
        matches!(self, Self::Send | Self::Retry)
    }

    /// Is it of a packet or echo on a link?
    #[inline]
    pub(crate) fn is_passing_packet(self) -> bool {
        matches!(self, Self::Send | Self::Retry | Self::Echo | Self::BusyEcho)
    }

    /// Is it of a packet, or of an echo, which names its packet?
    pub(crate) fn has_packet(self) -> bool {
        !matches!(self, Self::Idle | Self::Message | Self::Freed)
    }

    /// Place of a packet or message on a link in sums [`ByKind`]. By a mask, so that no index is checked.
    #[inline]
    pub(crate) fn place(self) -> usize {
        self as usize & 3
    }
}

/// A packet, or a stretch of equal idles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Run {
    /// Kind of the packet, or idles.
    pub(crate) kind: Kind,
    /// Symbols, the separating idle not included.
    pub(crate) len: u32,
    /// Idles: their state (go bits). Packets: index in the packet arena.
    #[encode(with = encoder.content(self))]
    pub(crate) value: u32,
    /// Packets: node that strips it. Messages: node that made it.
    #[encode(when = self.kind.has_packet())]
    pub(crate) target: u16,
    /// Send packets: transmission group, or what else the protocol has them carry.
    #[encode(when = self.kind.has_packet())]
    pub(crate) group: u8,
}

impl Run {
    /// `len` idles with this state.
    pub(crate) fn idles(len: u32, word: u32) -> Self {
        Self { len, value: word, target: 0, kind: Kind::Idle, group: 0 }
    }

    /// A protocol's message of `len` symbols, which node `maker` has made.
    pub(crate) fn message(len: u32, maker: u16, value: u32) -> Self {
        Self { len, value, target: maker, kind: Kind::Message, group: 0 }
    }

    /// Says what is wrong with a run that was read from a file, where there are so many places for packets and of
    /// nodes, if anything is.
    pub(crate) fn check(&self, packets: usize, places: usize) -> Result<(), String> {
        let named = !self.kind.has_packet() || (self.value as usize) < packets && usize::from(self.target) < places;
        if self.len > 0 && named { Ok(()) } else { Err(format!("a run {self:?} among {packets} packets")) }
    }

    /// Shows a run that is on a link and no message to an observer; `view` shows a packet.
    pub(crate) fn view(&self, view: impl Fn(u32) -> PacketView) -> Symbols {
        let packet = || view(self.value);
        match self.kind {
            Kind::Send => Symbols::Send(packet()),
            Kind::Retry => Symbols::Retry(packet()),
            Kind::Echo | Kind::FreshEcho => Symbols::Echo(packet(), true),
            Kind::BusyEcho | Kind::FreshBusyEcho => Symbols::Echo(packet(), false),
            Kind::Message => unreachable!("only its protocol interprets a message"),
            Kind::Idle => Symbols::Idles(self.value),
            Kind::Stripped | Kind::StrippedBusy | Kind::Acknowledged | Kind::Refused | Kind::Freed => Symbols::Idles(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn an_echo_is_counted_with_the_others_and_nothing_else_is() {
        assert_eq!(Kind::Echo.place(), Kind::BusyEcho.place());
        let mut places = [Kind::Send, Kind::Retry, Kind::Message, Kind::Echo].map(Kind::place);
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3]);
    }
}
