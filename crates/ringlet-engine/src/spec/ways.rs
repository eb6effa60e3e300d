//! The ways of packets where each node has an interface on each of two rings.

use serde::{Deserialize, Serialize};

/// Most nodes with two interfaces each.
pub const MAX_DUAL_ATTACHED: u32 = 4096;

/// The ring, or rings, that a packet takes from a node with an interface on each of two rings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WaysSpec {
    /// Both rings: a copy of each packet takes each ring, and the destination drops the one that comes second, as in
    /// IEC 62439-3 (HSR) and IEEE 802.1CB.
    Both {},
    /// One ring by the destination: the first ring leads to those nodes whose numbers follow that of the source, as
    /// many as stand here for each source, and the second ring to the others.
    One {
        /// Nodes behind each source, in the order of their numbers, to which the first ring leads.
        ahead: Vec<u32>,
    },
}

impl WaysSpec {
    /// Does a packet of a source to a destination take the ring of this number, of so many nodes?
    pub(crate) fn takes(&self, side: usize, source: u32, destination: u32, nodes: u32) -> bool {
        match self {
            Self::Both {} => true,
            Self::One { ahead } => {
                let distance = (destination + nodes - source) % nodes;
                (distance <= ahead[source as usize]) == (side == 0)
            }
        }
    }
}
