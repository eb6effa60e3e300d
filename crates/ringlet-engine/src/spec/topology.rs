//! Networks of rings: which interfaces sit on which ring, the switches between them, the routes
//! (docs/explanation/network-model.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::link_errors::{ErrorsSpec, RetryBy};
use super::route_step::RouteStep;
use super::stripped_by::StrippedBy;
use super::switches::{Forwarding, HostSpec, SlotChoice, SwitchKindSpec, SwitchSpec};
use super::ways::WaysSpec;
use super::{MAX_CYCLES, ProtocolSpec};

/// Most rings of a network.
pub const MAX_RINGS: usize = 1 << 20;
/// Most interfaces on a ring, link controllers of cascades counted one by one.
pub const MAX_INTERFACES: usize = 65_536;

/// Most cycles of a network that a symbol takes on one of its rings.
pub const MAX_SYMBOL_CYCLES: u32 = 1000;

/// Longest wait of a packet that passes an interface, in cycles.
pub const MAX_PASS_DELAY: u32 = 1_000_000;

/// Rings joined by switches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologySpec {
    /// Picoseconds of a cycle of the network: of one symbol on its fastest rings.
    pub symbol_ps: u64,
    /// Time from which a packet that passes an interface may leave it.
    pub bypass: Forwarding,
    /// Cycles for which a packet that passes an interface waits there besides, but at most until all of it is there;
    /// what is stripped does not wait. 0 where interfaces store what passes.
    #[serde(default)]
    pub pass_delay: u32,
    /// The rings.
    pub rings: Vec<RingSpec>,
    /// The switches.
    pub switches: Vec<SwitchSpec>,
    /// Kinds of switches.
    pub switch_kinds: Vec<SwitchKindSpec>,
    /// Address of every node, by which it is routed: nodes of one address are on one ring. `None`: the number of its
    /// ring.
    #[serde(default)]
    pub addresses: Option<Vec<u32>>,
    /// Interface between every host and its ring.
    #[serde(default)]
    pub host: HostSpec,
    /// Interface between each host and its ring, in place of `host`; `None`: `host`, everywhere.
    #[serde(default)]
    pub hosts: Option<Vec<HostSpec>>,
    /// Rule by which one of the transmit slots that are ready is sent.
    #[serde(default)]
    pub slot_choice: SlotChoice,
    /// Side that waits for a retry delay.
    #[serde(default)]
    pub retry_by: RetryBy,
    /// Errors of links; `None`: none.
    #[serde(default)]
    pub errors: Option<ErrorsSpec>,
    /// Ways of packets where each node has an interface on each of two rings; `None`: nodes have one interface.
    #[serde(default)]
    pub ways: Option<WaysSpec>,
    /// Station that takes packets with several receivers off their ring.
    #[serde(default)]
    pub stripped_by: StrippedBy,
}

/// One ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingSpec {
    /// Interfaces on the ring, in the direction of its links.
    pub interfaces: Vec<InterfaceSpec>,
    /// Cycles of the network that a symbol takes on this ring's links. The ring's hop delays, and the times among its
    /// protocol's options, count symbols; all other times of a spec count cycles of the network, and end for a ring
    /// with the next symbol.
    #[serde(default = "one_cycle")]
    pub symbol_cycles: u32,
    /// Hop delay of each interface's outgoing link; that of a port's last link controller, and between its others.
    /// `None`: the network's, everywhere.
    #[serde(default)]
    pub hop_delays: Option<Vec<u32>>,
    /// Flow control on this ring; `None`: the network's.
    #[serde(default)]
    pub flow_control: Option<ProtocolSpec>,
    /// Transmission group of what each interface sends besides its flows' packets: of a port, and of responses.
    /// `None`: 0.
    #[serde(default)]
    pub groups: Option<Vec<u8>>,
    /// Places where packets leave the ring: steps of destination addresses, ascending, the first at address 0.
    #[serde(default)]
    pub routes: Vec<RouteStep>,
}

fn one_cycle() -> u32 {
    1
}

impl Default for RingSpec {
    /// Returns a ring without interfaces, at the network's own rate.
    fn default() -> Self {
        Self {
            interfaces: Vec::new(),
            symbol_cycles: one_cycle(),
            hop_delays: None,
            flow_control: None,
            groups: None,
            routes: Vec::new(),
        }
    }
}

impl RingSpec {
    /// Returns the clock of the ring.
    pub(crate) fn clock(&self) -> Clock {
        Clock::new(self.symbol_cycles)
    }

    /// The nodes on it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.interfaces.iter().filter_map(|interface| match *interface {
            InterfaceSpec::Node(node) => Some(node),
            InterfaceSpec::Port(..) | InterfaceSpec::Second { .. } => None,
        })
    }
}

/// The interface at one place of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InterfaceSpec {
    /// A node, by its number.
    Node(u32),
    /// A switch's port: the numbers of both.
    Port(u32, u16),
    /// The second interface of a node.
    Second {
        /// The node, by its number.
        second: u32,
    },
}

/// The places of nodes and ports, found while they are checked.
pub(super) struct Places {
    /// Ring and place of every node.
    pub(super) nodes: Vec<Option<(u32, u32)>>,
    /// Ring of every port of every switch.
    pub(super) ports: Vec<Vec<Option<u32>>>,
    /// Ring of every address that nodes have.
    pub(super) addresses: BTreeMap<u32, u32>,
}

impl TopologySpec {
    /// Rings that are simulated together, because links of them exchange where they lead: mostly each by itself.
    pub(crate) fn joined_rings(&self) -> Vec<Vec<u32>> {
        let mut together: Vec<u32> = (0..self.rings.len() as u32).collect();
        for exchange in self.errors.iter().flat_map(|errors| &errors.exchanges) {
            let [one, other] = exchange.links.map(|(ring, _)| together[ring as usize]);
            together.iter_mut().filter(|ring| **ring == one.max(other)).for_each(|ring| *ring = one.min(other));
        }
        let mut joined: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (ring, &first) in (0u32..).zip(&together) {
            joined.entry(first).or_default().push(ring);
        }
        joined.into_values().collect()
    }

    /// Cycles for which a packet that passes an interface waits there at most; it leaves earlier when all of it is
    /// there.
    pub(crate) fn pass_wait(&self) -> u32 {
        match self.bypass {
            Forwarding::StoreAndForward => u32::MAX,
            Forwarding::CutThrough => self.pass_delay,
        }
    }

    /// The interface between a host and its ring.
    pub(crate) fn host_of(&self, node: u32) -> &HostSpec {
        self.hosts.as_ref().and_then(|each| each.get(node as usize)).unwrap_or(&self.host)
    }

    /// Link controllers at each interface of a ring.
    pub(crate) fn controllers<'a>(&'a self, ring: &'a RingSpec) -> impl Iterator<Item = usize> + 'a {
        ring.interfaces.iter().map(|interface| match *interface {
            InterfaceSpec::Node(_) | InterfaceSpec::Second { .. } => 1,
            InterfaceSpec::Port(switch, _) => self.links(switch),
        })
    }

    /// Repeats what is said of each interface of a ring for each of its places: link controllers of a cascade are
    /// alike.
    pub(crate) fn by_place<T: Copy>(&self, ring: &RingSpec, each: &[T]) -> Vec<T> {
        self.controllers(ring).zip(each).flat_map(|(count, &one)| std::iter::repeat_n(one, count)).collect()
    }

    /// Cycles of a symbol's way round an idle ring, where links have this delay unless it says another one.
    pub(super) fn around_cycles(&self, ring: &RingSpec, hop_delay: u32) -> u64 {
        let hops = ring.hop_delays.iter().flatten().copied().chain(std::iter::repeat(hop_delay));
        self.controllers(ring).zip(hops).map(|(count, hop)| count as u64 * u64::from(hop)).sum()
    }

    /// B-Links of a switch; 1 if there is no such switch.
    fn links(&self, switch: u32) -> usize {
        let switch = self.switches.get(switch as usize);
        let kind = switch.and_then(|switch| self.switch_kinds.get(switch.kind as usize));
        kind.map_or(1, |kind| usize::from(kind.links))
    }
}

/// A cycle in picoseconds, beyond which no network is simulated.
pub(crate) fn most_cycles(symbol_ps: u64) -> u64 {
    // Picoseconds have 64 bits, with room left for what is added to a time.
    MAX_CYCLES.min((1 << 62) / symbol_ps)
}
