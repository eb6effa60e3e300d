//! Links of a single ring that are slower than the ring.

use serde::{Deserialize, Serialize};

use super::{Limits, NetworkSpec, SpecError, check};

/// Most cycles of a slow link's rate, and most symbols that it carries in them.
pub const MAX_RATE_PARTS: u32 = 1_000_000_000;

/// Most cycles that a symbol takes on a slow link.
pub const MAX_SLOWNESS: u32 = 1_000_000;

/// The outgoing link of a node, if it is slower than its ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowLinkSpec {
    /// The node.
    pub node: u32,
    /// Cycles in which the link carries as many symbols as `symbols` says, more than that.
    pub cycles: u32,
    /// Symbols that it carries in so many cycles.
    pub symbols: u32,
}

impl NetworkSpec {
    /// Checks that slow links are on a single ring, in the order of their nodes, with a protocol that takes them.
    pub(super) fn check_slow_links(&self, limits: &Limits) -> Result<(), SpecError> {
        let Some(first) = self.slow_links.first() else { return Ok(()) };
        let what = || format!("that of node {}", first.node);
        check(self.network.is_none(), "slow_links", what(), "none in a network, whose rings have their own rates")?;
        check(limits.takes_slow_links, "slow_links", what(), "none with this protocol")?;
        let mut free = 0;
        for (index, &SlowLinkSpec { node, cycles, symbols }) in self.slow_links.iter().enumerate() {
            let at = |field| format!("slow_links[{index}].{field}");
            let (nodes, allowed) = (self.nodes, format!("{free} to {}, in their order", self.nodes - 1));
            check((free..nodes).contains(&node), at("node"), node, allowed)?;
            free = node + 1;
            let is_rate = (1..MAX_RATE_PARTS).contains(&symbols);
            check(is_rate, at("symbols"), symbols, format!("1 to below {MAX_RATE_PARTS}"))?;
            let most = symbols.saturating_mul(MAX_SLOWNESS).min(MAX_RATE_PARTS);
            check((symbols + 1..=most).contains(&cycles), at("cycles"), cycles, format!("{} to {most}", symbols + 1))?;
        }
        Ok(())
    }
}
