//! Errors of links, and who waits for a retry delay.

use serde::{Deserialize, Serialize};

use super::route_step::RouteStep;

/// The side that waits before a refused packet is sent again.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryBy {
    /// The packet's sender.
    #[default]
    Requester,
    /// The receiver that refuses the packet: it sends the busy echo later by the retry delay.
    Responder,
}

/// Symbols of 16 bits before an exchange in which nothing comes through: more than any packet has, so that none is cut
/// that has begun to arrive. [`NetworkSpec::exchange_symbols`](super::NetworkSpec::exchange_symbols) has those of other
/// widths.
pub const EXCHANGE_CYCLES: u64 = 256;

/// Errors on links.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorsSpec {
    /// Probability that a bit is wrong, 0 to below 1, of every link.
    pub bit_error_rate: f64,
    /// Links that are different.
    #[serde(default)]
    pub links: Vec<LinkSpec>,
    /// Cycles from a loss to the sender's time-out.
    pub timeout_cycles: u64,
    /// Time-outs after which, at the next one, a packet is given up; `None`: 255.
    pub max_timeouts: Option<u8>,
    /// Is a destination given up with a packet to it, until it answers? What else is for it is dropped then, but for
    /// one packet at a time.
    #[serde(default)]
    pub gives_up_destinations: bool,
    /// Nodes that are bypassed, by an optical switch.
    #[serde(default)]
    pub bypasses: Vec<BypassSpec>,
    /// Routes that are in force from later cycles on, in ascending order.
    #[serde(default)]
    pub reroutes: Vec<RerouteSpec>,
    /// Links that exchange where they lead, in the order of time.
    #[serde(default)]
    pub exchanges: Vec<ExchangeSpec>,
}

/// The exchange of the ends of two links of different rings, in a cycle. Of links in opposite directions, beside each
/// other, this joins two rings to one, or parts them again. From [`EXCHANGE_CYCLES`] before it, where symbols have 16
/// bits, until it has arrived at the other ends nothing comes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeSpec {
    /// The cycle: what is emitted from then on takes the other way.
    pub at_cycle: u64,
    /// Rings and places of the interfaces that they leave.
    pub links: [(u32, u32); 2],
}

/// The routes of all rings from a cycle on. Whatever had a way has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerouteSpec {
    /// The cycle.
    pub from_cycle: u64,
    /// Routes of each ring, as [`RingSpec::routes`](crate::spec::RingSpec::routes).
    pub rings: Vec<Vec<RouteStep>>,
}

/// A node that is bypassed: its interfaces let everything pass, and it sends nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BypassSpec {
    /// The node.
    pub node: u32,
    /// First cycle in which it is.
    pub from_cycle: u64,
    /// Cycle from which on it is not; `None`: it stays so.
    pub until_cycle: Option<u64>,
}

/// The link that leaves an interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Ring of the interface.
    pub ring: u32,
    /// Place of the interface in the ring's list.
    pub place: u32,
    /// Probability that a bit is wrong; `None`: as on every link.
    pub bit_error_rate: Option<f64>,
    /// Cycles from which on, and before which, nothing but idles comes through; `None`: it stays so.
    #[serde(default)]
    pub interruptions: Vec<(u64, Option<u64>)>,
}
