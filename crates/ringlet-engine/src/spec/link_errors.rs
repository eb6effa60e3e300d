//! Errors of links, and who waits for a retry delay.

use serde::{Deserialize, Serialize};

/// The side that waits before a refused packet is sent again.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryBy {
    /// Its sender.
    #[default]
    Requester,
    /// Who refuses it, and sends the busy echo so much later.
    Responder,
}

/// Errors on links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
}

/// The link that leaves an interface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Ring of the interface.
    pub ring: u32,
    /// Its place in the ring's list.
    pub place: u32,
    /// Probability that a bit is wrong; `None`: as on every link.
    pub bit_error_rate: Option<f64>,
    /// Cycle from which on nothing but idles comes through; `None`: never.
    pub fails_at_cycle: Option<u64>,
}
