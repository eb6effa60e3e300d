//! The flow-control protocol of a spec, and what it leaves to the traffic.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MAX_SEND_SYMBOLS, NetworkSpec, SpecError, check};

/// A flow-control protocol and its options: an object with `protocol` and what that protocol reads besides. The file of
/// each protocol says what that is ([`crate::protocols`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProtocolSpec(pub(crate) Value);

/// The part of a ring that decides what a protocol's options leave to the rest of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RingShape {
    /// Nodes and ports.
    pub nodes: u32,
    /// The sum of its hop delays.
    pub around_cycles: u64,
    /// Is there a limit to the packets that a node may have under way?
    pub has_outstanding_limit: bool,
}

/// The limits that a protocol's options set to the rest of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Transmission groups that a packet may name.
    pub groups: u16,
    /// Most priorities that a packet may have.
    pub levels: u16,
    /// The longest packet and its idle, in symbols.
    pub bypass_symbols: Option<u32>,
    /// The longest message of the protocol that goes round the ring as one packet, in symbols.
    pub longest_message_symbols: u64,
    /// May a receiver send a busy echo later than the packet's end?
    pub delays_echoes: bool,
    /// Does it decide by echoes?
    pub needs_echoes: bool,
    /// Does it act on packets that were refused, which come again?
    pub acts_on_refusals: bool,
    /// Does it go on where packets and echoes are lost?
    pub survives_losses: bool,
    /// May its ring be joined to another one at a failure?
    pub joins: bool,
    /// Does it run where packets that pass an interface wait there?
    pub holds_what_passes: bool,
    /// May nodes with SCI's own flow control be on its ring?
    pub takes_base_nodes: bool,
    /// Does it run where links of a ring are slower than the ring?
    pub takes_slow_links: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            groups: 1,
            levels: u16::MAX,
            bypass_symbols: None,
            longest_message_symbols: 0,
            delays_echoes: true,
            needs_echoes: false,
            acts_on_refusals: false,
            survives_losses: false,
            joins: false,
            holds_what_passes: false,
            takes_base_nodes: false,
            takes_slow_links: false,
        }
    }
}

impl Limits {
    /// The limits that both set, on two rings of a network: a packet has a group on each of them, and a priority that
    /// one of them knows.
    pub(crate) fn and(self, other: Self) -> Self {
        let bypasses = self.bypass_symbols.into_iter().chain(other.bypass_symbols);
        Self {
            // The most: each ring has groups of its own, which `check_groups` compares with
            // those of what is sent there.
            groups: self.groups.max(other.groups),
            // The most, too: a ring takes a priority above its highest for its highest (network-model.md, Section 1).
            levels: self.levels.max(other.levels),
            bypass_symbols: bypasses.min(),
            longest_message_symbols: self.longest_message_symbols.max(other.longest_message_symbols),
            delays_echoes: self.delays_echoes && other.delays_echoes,
            needs_echoes: self.needs_echoes || other.needs_echoes,
            acts_on_refusals: self.acts_on_refusals || other.acts_on_refusals,
            survives_losses: self.survives_losses && other.survives_losses,
            joins: self.joins && other.joins,
            holds_what_passes: self.holds_what_passes && other.holds_what_passes,
            takes_base_nodes: self.takes_base_nodes || other.takes_base_nodes,
            takes_slow_links: self.takes_slow_links && other.takes_slow_links,
        }
    }
}

/// The longest nominal bypass FIFO, in symbols: sums of what is in it and of packets are far below 2^32.
const MAX_BYPASS_SYMBOLS: u32 = 1_000_000;

/// Checks that the bypass FIFO has room for the shortest packet and its idle.
pub(crate) fn check_bypass(symbols: u32, spec: &NetworkSpec) -> Result<(), SpecError> {
    let allowed = spec.format.min_send_symbols() + 1..=MAX_BYPASS_SYMBOLS;
    let said = format!("{} to {} symbols", allowed.start(), allowed.end());
    check(allowed.contains(&symbols), "flow_control.bypass_symbols", symbols, said)
}

/// Checks the length of something that a protocol sends.
pub(crate) fn check_length(name: &str, symbols: u32) -> Result<(), SpecError> {
    let ok = (1..=MAX_SEND_SYMBOLS).contains(&symbols);
    check(ok, format!("flow_control.{name}"), symbols, format!("1 to {MAX_SEND_SYMBOLS} symbols"))
}
