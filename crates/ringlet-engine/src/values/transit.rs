//! Messages between the rings of a network.

use ringlet_engine_derive::Encode;

use crate::results::Inverted;
use crate::values::packet::Class;

/// A packet between two rings.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Transit {
    #[encode(with = encoder.counted(self.generated))]
    pub(crate) generated: u64,
    #[encode(with = encoder.counted(self.started))]
    pub(crate) started: u64,
    pub(crate) network_flow: u32,
    #[encode(with = encoder.message(self.network_flow, self.message))]
    pub(crate) message: u32,
    /// Number of the packet within the message.
    #[encode(skip)]
    pub(crate) part: u16,
    pub(crate) end: u16,
    pub(crate) symbols: u16,
    pub(crate) response_symbols: u16,
    pub(crate) priority: u8,
    pub(crate) attempt: u8,
    /// Is it the last packet of its message, or the answer to that one?
    #[encode(skip)]
    pub(crate) is_last: bool,
    pub(crate) class: Class,
}

/// A switch has moved a packet out of a port's receive buffer.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Release {
    /// Cycle from which on the buffer is free.
    pub(crate) cycle: u64,
    pub(crate) class: Class,
    pub(crate) priority: u8,
    /// Number that the port has given the packet.
    pub(crate) number: u32,
}

/// A packet of another ring's flow was held up here by packets of lower priority.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct RemoteInversion {
    pub(crate) network_flow: u32,
    pub(crate) at: Inverted,
    pub(crate) cycles: u64,
}

/// A packet that another ring counts has been served here.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct RemoteDelivery {
    #[encode(due)]
    pub(crate) delivered: u64,
    #[encode(with = encoder.counted(self.generated))]
    pub(crate) generated: u64,
    #[encode(with = encoder.counted(self.started))]
    pub(crate) started: u64,
    pub(crate) network_flow: u32,
    #[encode(with = encoder.message(self.network_flow, self.message))]
    pub(crate) message: u32,
    /// Place of the packet in its message.
    pub(crate) part: u16,
    pub(crate) symbols: u16,
    /// Place on the ring at which it was served.
    pub(crate) place: u16,
    pub(crate) has_response: bool,
    pub(crate) class: Class,
}

/// A packet of another ring's flow was given up here.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct GivenUp {
    pub(crate) network_flow: u32,
    pub(crate) message: u32,
    /// Place of the packet in its message.
    pub(crate) part: u16,
    pub(crate) class: Class,
    /// Has no node received it? A sender also gives up a packet of which it gets no echo.
    pub(crate) is_lost: bool,
}
