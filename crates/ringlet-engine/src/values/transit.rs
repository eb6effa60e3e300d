//! What rings of a network tell each other.

use crate::values::packet::Class;

/// A packet between two rings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transit {
    pub(crate) generated: u64,
    pub(crate) started: u64,
    pub(crate) network_flow: u32,
    pub(crate) message: u32,
    pub(crate) end: u16,
    pub(crate) symbols: u16,
    pub(crate) response_symbols: u16,
    pub(crate) priority: u8,
    pub(crate) class: Class,
}

/// A request of another ring's flow has been served here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RemoteDelivery {
    pub(crate) delivered: u64,
    pub(crate) generated: u64,
    pub(crate) started: u64,
    pub(crate) network_flow: u32,
    pub(crate) message: u32,
    pub(crate) symbols: u16,
    pub(crate) has_response: bool,
}
