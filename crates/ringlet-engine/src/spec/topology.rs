//! Networks of rings: which interfaces sit on which ring, the switches between them, the routes (docs/network-model.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::link_errors::{ErrorsSpec, RetryBy};
use super::routes::Reach;
use super::switches::{Forwarding, HostSpec, MAX_DELAY_PS, MAX_PORTS, SlotChoice, SwitchKindSpec, SwitchSpec};
use super::{MAX_CYCLES, MAX_HOP_DELAY, SpecError, check};

/// Most rings of a network.
pub const MAX_RINGS: usize = 1 << 20;
/// Most interfaces on a ring, link controllers of cascades counted one by one.
pub const MAX_INTERFACES: usize = 65_536;

/// Rings joined by switches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologySpec {
    /// Picoseconds of one symbol on every ring.
    pub symbol_ps: u64,
    /// When a packet that passes an interface may leave it.
    pub bypass: Forwarding,
    /// The rings.
    pub rings: Vec<RingSpec>,
    /// The switches.
    pub switches: Vec<SwitchSpec>,
    /// What kinds of switches there are.
    pub switch_kinds: Vec<SwitchKindSpec>,
    /// Address of every node, by which it is routed: nodes of one address are on one ring. `None`: the number of its ring.
    #[serde(default)]
    pub addresses: Option<Vec<u32>>,
    /// What lies between every host and its ring.
    #[serde(default)]
    pub host: HostSpec,
    /// Which of the transmit slots that are ready is sent.
    #[serde(default)]
    pub slot_choice: SlotChoice,
    /// Who waits for a retry delay.
    #[serde(default)]
    pub retry_by: RetryBy,
    /// Errors of links; `None`: none.
    #[serde(default)]
    pub errors: Option<ErrorsSpec>,
}

/// One ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingSpec {
    /// What sits on the ring, in the direction of its links.
    pub interfaces: Vec<InterfaceSpec>,
    /// Hop delay of this ring; `None`: the network's.
    #[serde(default)]
    pub hop_delay: Option<u32>,
    /// Where packets leave the ring: steps of destination addresses, ascending, the first at address 0.
    #[serde(default)]
    pub routes: Vec<RouteStep>,
}

/// What sits at one place of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InterfaceSpec {
    /// A node, by its number.
    Node(u32),
    /// A switch's port: the numbers of both.
    Port(u32, u16),
}

/// Packets for addresses from this one on (to that of the next step) leave at the interface of this place, and leave its switch through the port
/// of that number; `None`: there is no route.
pub type RouteStep = (u32, Option<u32>, Option<u16>);

/// Where nodes and ports are, found while they are checked.
pub(super) struct Places {
    /// Ring and place of every node.
    pub(super) nodes: Vec<Option<(u32, u32)>>,
    /// Ring of every port of every switch.
    pub(super) ports: Vec<Vec<Option<u32>>>,
    /// Ring of every address that nodes have.
    pub(super) addresses: BTreeMap<u32, u32>,
}

impl TopologySpec {
    /// Checks everything but the routes that flows need.
    pub(super) fn validate(&self, nodes: u32, hop_delay: u32) -> Result<Reach<'_>, SpecError> {
        let symbol = self.symbol_ps;
        let symbol_ok = (1..=MAX_DELAY_PS).contains(&symbol);
        check(symbol_ok, "network.symbol_ps", symbol, format!("1 to {MAX_DELAY_PS} ps"))?;
        let rings = self.rings.len();
        check(
            (1..=MAX_RINGS).contains(&rings),
            "network.rings",
            format!("{rings} rings"),
            format!("1 to {MAX_RINGS}"),
        )?;
        for (index, kind) in self.switch_kinds.iter().enumerate() {
            kind.validate(symbol, &format!("network.switch_kinds[{index}]"))?;
        }
        for (index, switch) in self.switches.iter().enumerate() {
            let (kind, kinds) = (switch.kind, self.switch_kinds.len());
            let at = format!("network.switches[{index}]");
            check((kind as usize) < kinds, format!("{at}.kind"), kind, format!("a kind below {kinds}"))?;
            let ok = (2..=MAX_PORTS).contains(&switch.ports);
            check(ok, format!("{at}.ports"), switch.ports, format!("2 to {MAX_PORTS} ports"))?;
        }
        self.host.validate()?;
        let places = self.validate_places(nodes)?;
        self.errors.as_ref().map_or(Ok(()), |errors| errors.validate(self, hop_delay))?;
        self.validate_routes()?;
        Reach::of(self, places)
    }

    /// Every node and every port sits at exactly one place.
    fn validate_places(&self, nodes: u32) -> Result<Places, SpecError> {
        let ports = self.switches.iter().map(|switch| vec![None; usize::from(switch.ports)]).collect();
        let mut places = Places { nodes: vec![None; nodes as usize], ports, addresses: BTreeMap::new() };
        for (number, ring) in (0u32..).zip(&self.rings) {
            let at = format!("network.rings[{number}]");
            let count = self.controllers(ring).sum::<usize>();
            let allowed = format!("1 to {MAX_INTERFACES} interfaces");
            check((1..=MAX_INTERFACES).contains(&count), format!("{at}.interfaces"), count, allowed)?;
            let hop = ring.hop_delay.unwrap_or(1);
            let allowed = format!("1 to {MAX_HOP_DELAY} cycles");
            check((1..=MAX_HOP_DELAY).contains(&hop), format!("{at}.hop_delay"), hop, allowed)?;
            for (place, interface) in (0u32..).zip(&ring.interfaces) {
                let at = format!("{at}.interfaces[{place}]");
                let taken = match *interface {
                    InterfaceSpec::Node(node) => {
                        check(node < nodes, &at, format!("node {node}"), format!("a node below {nodes}"))?;
                        places.nodes[node as usize].replace((number, place)).map(|(ring, _)| ring)
                    }
                    InterfaceSpec::Port(switch, port) => {
                        let known = self.switches.get(switch as usize).is_some_and(|switch| port < switch.ports);
                        check(known, &at, format!("port {port} of switch {switch}"), "a port of a switch that exists")?;
                        places.ports[switch as usize][usize::from(port)].replace(number)
                    }
                };
                let what = match interface {
                    InterfaceSpec::Node(node) => format!("node {node}"),
                    InterfaceSpec::Port(switch, port) => format!("port {port} of switch {switch}"),
                };
                if let Some(other) = taken {
                    check(false, at, what, format!("what is on no other place; it is on ring {other}, too"))?;
                }
            }
        }
        let lost = places.nodes.iter().position(Option::is_none);
        check(
            lost.is_none(),
            "network.rings",
            format!("node {} on no ring", lost.unwrap_or(0)),
            "every node on a ring",
        )?;
        for (switch, ports) in places.ports.iter().enumerate() {
            if let Some(port) = ports.iter().position(Option::is_none) {
                let value = format!("port {port} of switch {switch} on no ring");
                check(false, "network.rings", value, "every port on a ring")?;
            }
        }
        self.validate_addresses(&mut places)?;
        Ok(places)
    }

    fn validate_addresses(&self, places: &mut Places) -> Result<(), SpecError> {
        let (nodes, known) = (places.nodes.len(), self.addresses.as_ref().map_or(places.nodes.len(), Vec::len));
        check(known == nodes, "network.addresses", format!("{known} addresses"), format!("{nodes}, one per node"))?;
        for node in 0..nodes {
            let ring = places.nodes[node].expect("every node is on a ring").0;
            let address = self.addresses.as_ref().map_or(ring, |addresses| addresses[node]);
            let at = format!("network.addresses[{node}]");
            check((address as usize) < MAX_RINGS, &at, address, format!("below {MAX_RINGS}"))?;
            let other = *places.addresses.entry(address).or_insert(ring);
            let allowed = format!("an address of ring {ring}; nodes on ring {other} have this one");
            check(other == ring, at, address, allowed)?;
        }
        Ok(())
    }

    /// Link controllers at each interface of a ring.
    pub(super) fn controllers<'a>(&'a self, ring: &'a RingSpec) -> impl Iterator<Item = usize> + 'a {
        ring.interfaces.iter().map(|interface| match *interface {
            InterfaceSpec::Node(_) => 1,
            InterfaceSpec::Port(switch, _) => self.links(switch),
        })
    }

    /// B-Links of a switch; 1 if there is no such switch.
    fn links(&self, switch: u32) -> usize {
        self.switches
            .get(switch as usize)
            .map_or(1, |switch| usize::from(self.switch_kinds[switch.kind as usize].links))
    }
}

/// A cycle in picoseconds, beyond which no network is simulated.
pub(crate) fn most_cycles(symbol_ps: u64) -> u64 {
    MAX_CYCLES.min((1 << 62) / symbol_ps)
}
