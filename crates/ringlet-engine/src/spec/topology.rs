//! Networks of rings: which interfaces sit on which ring, the switches between them, the routes (docs/network-model.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{MAX_CYCLES, MAX_HOP_DELAY, SpecError, check};

/// Longest time in picoseconds that any delay of a switch or host may have: 1 ms.
pub const MAX_DELAY_PS: u64 = 1_000_000_000;
/// Most rings of a network.
pub const MAX_RINGS: usize = 1 << 20;
/// Most interfaces on a ring, link controllers of cascades counted one by one.
pub const MAX_INTERFACES: usize = 65_536;
/// Most ports of a switch.
pub const MAX_PORTS: u16 = 256;
/// Most B-Links of a switch.
pub const MAX_LINKS: u16 = 16;
/// Most packets of one class that an interface's transmit or receive buffers hold.
pub const MAX_BUFFERS: u32 = 1024;

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

/// One switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchSpec {
    /// Its kind, by number.
    pub kind: u32,
    /// Ports, 2 to [`MAX_PORTS`].
    pub ports: u16,
}

/// A kind of switch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchKindSpec {
    /// B-Links, 1 to [`MAX_LINKS`]; with several every port is a cascade of link controllers, one on each.
    pub links: u16,
    /// Picoseconds of one 8-byte cycle of a B-Link.
    pub cycle_ps: f64,
    /// Bytes that a B-Link carries with each packet besides.
    pub encapsulation_bytes: u32,
    /// Picoseconds for which a B-Link is held with each packet besides.
    pub setup_ps: u64,
    /// Picoseconds from the ring to the B-Link, from the cycle on in which a symbol would pass the interface.
    pub to_link_ps: u64,
    /// Picoseconds from the B-Link to the transmit buffer.
    pub from_link_ps: u64,
    /// When a packet may go on within the switch.
    pub forwarding: Forwarding,
    /// Buffers for what a link controller has received.
    pub receive: BuffersSpec,
    /// Buffers for what a link controller is to send, each held until its packet is accepted.
    pub transmit: BuffersSpec,
}

/// Buffers for requests and for responses, in packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuffersSpec {
    /// For requests.
    pub requests: u32,
    /// For responses.
    pub responses: u32,
    /// Both are one pool for both.
    pub pooled: bool,
}

/// When a packet may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarding {
    /// When its first symbols are there.
    CutThrough,
    /// When all of it is.
    StoreAndForward,
}

/// What lies between a host and its ring.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSpec {
    /// Requests that hold a transmit slot, from when it begins to be filled until its packet is accepted; `None`: unlimited, and filled at once.
    pub slots: Option<u32>,
    /// Picoseconds to fill a slot, one after the other.
    pub fill_serial_ps: u64,
    /// Picoseconds that it takes besides.
    pub fill_ps: u64,
    /// Picoseconds from the end of a received packet until its service may start.
    pub receive_delay_ps: u64,
    /// Picoseconds from the end of its service to its delivery.
    pub store_ps: u64,
    /// What filling the requests of a message takes besides; `None`: nothing.
    #[serde(default)]
    pub groups: Option<FillGroupsSpec>,
}

/// Slots that are filled in groups: what a bridge needs that combines its write buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillGroupsSpec {
    /// Packets of a group, at least 1; the last group of a message may have fewer.
    pub packets: u32,
    /// Picoseconds before the first packet of a group.
    pub set_up_ps: u64,
    /// Packets of a group that take no longer, at least 1.
    pub uncrowded: u32,
    /// Picoseconds more for each further one.
    pub crowded_ps: u64,
}

/// Who waits before a refused packet is sent again.
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
    /// Cycles after a loss in which the sender notices that no echo comes.
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

/// Which of the transmit slots that are ready is sent first, of those with the highest priority.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotChoice {
    /// The packet refused first, else the one ready first.
    #[default]
    RetriesFirst,
    /// The slot taken first.
    OldestFirst,
    /// A refused packet goes behind all others.
    Requeue,
    /// The packet ready first that has not been sent, else the one refused first.
    NewFirst,
    /// The slot with the lowest number.
    LowestSlot,
    /// The slot taken last.
    NewestFirst,
}

impl BuffersSpec {
    fn validate(&self, at: &str) -> Result<(), SpecError> {
        for (name, packets) in [("requests", self.requests), ("responses", self.responses)] {
            let ok = (1..=MAX_BUFFERS).contains(&packets);
            check(ok, format!("{at}.{name}"), packets, format!("1 to {MAX_BUFFERS} packets"))?;
        }
        Ok(())
    }
}

fn check_delay(path: String, ps: u64) -> Result<(), SpecError> {
    check(ps <= MAX_DELAY_PS, path, ps, format!("at most {MAX_DELAY_PS} ps"))
}

impl SwitchKindSpec {
    fn validate(&self, symbol_ps: u64, at: &str) -> Result<(), SpecError> {
        let links = self.links;
        check((1..=MAX_LINKS).contains(&links), format!("{at}.links"), links, format!("1 to {MAX_LINKS} B-Links"))?;
        let cycle = self.cycle_ps;
        let cycle_ok = cycle > 0.0 && cycle <= MAX_DELAY_PS as f64;
        check(cycle_ok, format!("{at}.cycle_ps"), cycle, format!("above 0, at most {MAX_DELAY_PS} ps"))?;
        let bytes = self.encapsulation_bytes;
        check(bytes <= 1024, format!("{at}.encapsulation_bytes"), bytes, "at most 1024 bytes")?;
        for (name, ps) in
            [("setup_ps", self.setup_ps), ("to_link_ps", self.to_link_ps), ("from_link_ps", self.from_link_ps)]
        {
            check_delay(format!("{at}.{name}"), ps)?;
        }
        let least = self.hold_ps(super::MIN_SEND_SYMBOLS).min(self.setup_ps + self.from_link_ps + cycle as u64);
        check(
            least >= symbol_ps,
            format!("{at}.cycle_ps"),
            cycle,
            format!("long enough for a packet to take at least a symbol time of {symbol_ps} ps through the switch"),
        )?;
        self.receive.validate(&format!("{at}.receive"))?;
        self.transmit.validate(&format!("{at}.transmit"))
    }

    /// Picoseconds for which a packet of `symbols` holds a B-Link.
    pub fn hold_ps(&self, symbols: u32) -> u64 {
        let cycles = (2 * symbols + self.encapsulation_bytes).div_ceil(8);
        self.setup_ps + (f64::from(cycles) * self.cycle_ps).round() as u64
    }
}

impl HostSpec {
    fn validate(&self) -> Result<(), SpecError> {
        let slots = self.slots;
        let slots_ok = slots.is_none_or(|slots| (1..=MAX_BUFFERS).contains(&slots));
        check(slots_ok, "network.host.slots", slots.unwrap_or(0), format!("1 to {MAX_BUFFERS} packets"))?;
        for (name, ps) in [
            ("fill_serial_ps", self.fill_serial_ps),
            ("fill_ps", self.fill_ps),
            ("receive_delay_ps", self.receive_delay_ps),
            ("store_ps", self.store_ps),
        ] {
            check_delay(format!("network.host.{name}"), ps)?;
        }
        let idle = slots.is_some() || (self.fill_serial_ps, self.fill_ps) == (0, 0);
        check(idle, "network.host.fill_ps", self.fill_ps.max(self.fill_serial_ps), "0 without slots to fill")?;
        self.groups.map_or(Ok(()), |groups| groups.validate(slots))
    }
}

impl FillGroupsSpec {
    fn validate(&self, slots: Option<u32>) -> Result<(), SpecError> {
        check(slots.is_some(), "network.host.groups", "groups", "none without slots to fill")?;
        for (name, packets) in [("packets", self.packets), ("uncrowded", self.uncrowded)] {
            let ok = (1..=MAX_BUFFERS).contains(&packets);
            check(ok, format!("network.host.groups.{name}"), packets, format!("1 to {MAX_BUFFERS} packets"))?;
        }
        check_delay("network.host.groups.set_up_ps".into(), self.set_up_ps)?;
        check_delay("network.host.groups.crowded_ps".into(), self.crowded_ps)
    }
}

impl ErrorsSpec {
    fn validate(&self, topology: &TopologySpec, hop_delay: u32) -> Result<(), SpecError> {
        let rate_ok = |rate: f64, at: String| check((0.0..1.0).contains(&rate), at, rate, "0 to below 1");
        rate_ok(self.bit_error_rate, "network.errors.bit_error_rate".into())?;
        for (index, link) in self.links.iter().enumerate() {
            let at = format!("network.errors.links[{index}]");
            let ring = topology.rings.get(link.ring as usize);
            check(ring.is_some(), format!("{at}.ring"), link.ring, format!("below {}", topology.rings.len()))?;
            let places = ring.map_or(0, |ring| ring.interfaces.len());
            let ok = (link.place as usize) < places;
            check(ok, format!("{at}.place"), link.place, format!("a place below {places}"))?;
            link.bit_error_rate.map_or(Ok(()), |rate| rate_ok(rate, format!("{at}.bit_error_rate")))?;
        }
        // A node may be ahead of another by what the links between them hold.
        let ahead = |ring: &RingSpec| {
            let hop = u64::from(ring.hop_delay.unwrap_or(hop_delay))
                + 2 * u64::from(super::MAX_SEND_SYMBOLS + super::MAX_FRAMING_SYMBOLS);
            topology.controllers(ring).sum::<usize>() as u64 * hop
        };
        let least = topology.rings.iter().map(ahead).max().unwrap_or(0);
        let timeout = self.timeout_cycles;
        let ok = (least..=MAX_CYCLES).contains(&timeout);
        check(
            ok,
            "network.errors.timeout_cycles",
            timeout,
            format!("at least {least} cycles, longer than any way round a ring"),
        )
    }
}

/// Where nodes and ports are, found while they are checked.
struct Places {
    /// Ring and place of every node.
    nodes: Vec<Option<(u32, u32)>>,
    /// Ring of every port of every switch.
    ports: Vec<Vec<Option<u32>>>,
    /// Ring of every address that nodes have.
    addresses: BTreeMap<u32, u32>,
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
        let ways = self.follow_routes(&places)?;
        Ok(Reach { topology: self, places, ways })
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
    fn controllers<'a>(&'a self, ring: &'a RingSpec) -> impl Iterator<Item = usize> + 'a {
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

    /// Routes name ports of their ring and others of the same switch.
    fn validate_routes(&self) -> Result<(), SpecError> {
        for (number, ring) in self.rings.iter().enumerate() {
            let at = format!("network.rings[{number}].routes");
            let ascending = ring.routes.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let starts = ring.routes.first().is_none_or(|step| step.0 == 0);
            check(
                ascending && starts,
                &at,
                "a list of steps",
                "steps in ascending order of addresses, the first at 0",
            )?;
            for (index, &(_, place, exit)) in ring.routes.iter().enumerate() {
                let at = format!("{at}[{index}]");
                let (Some(place), Some(exit)) = (place, exit) else {
                    check(place.is_none() && exit.is_none(), at, "half a route", "a place and an exit, or neither")?;
                    continue;
                };
                let Some(&InterfaceSpec::Port(switch, port)) = ring.interfaces.get(place as usize) else {
                    check(false, at, format!("place {place}"), "the place of a switch's port")?;
                    continue;
                };
                let ports = self.switches[switch as usize].ports;
                let ok = exit < ports && exit != port;
                check(ok, at, format!("exit {exit}"), format!("another port of switch {switch}, below {ports}"))?;
            }
        }
        Ok(())
    }

    /// Follows the routes from every ring to every address.
    fn follow_routes(&self, places: &Places) -> Result<Ways, SpecError> {
        let rings = self.rings.len();
        let mut ways = Ways { reaches_all: vec![true; rings], reached_by_all: vec![true; rings] };
        let mut state = vec![Way::Unknown; rings];
        let mut passed: Vec<u32> = Vec::new();
        // Where there are very many pairs, for some addresses only: who makes so large a network has checked it.
        let every = (rings * places.addresses.len()).div_ceil(MOST_PAIRS);
        for (&address, &destination) in places.addresses.iter().step_by(every.max(1)) {
            state.fill(Way::Unknown);
            state[destination as usize] = Way::Ends;
            for start in 0..rings as u32 {
                let mut ring = start;
                let end = loop {
                    match state[ring as usize] {
                        Way::Unknown => {}
                        Way::BeingFollowed => {
                            let at = format!("network.rings[{ring}].routes");
                            let value = format!("a way to address {address} that comes back to ring {ring}");
                            check(false, at, value, "routes without loops")?;
                        }
                        known => break known,
                    }
                    state[ring as usize] = Way::BeingFollowed;
                    passed.push(ring);
                    match self.next_ring(places, ring, address) {
                        Some(next) => ring = next,
                        None => break Way::Stops,
                    }
                };
                for ring in passed.drain(..) {
                    state[ring as usize] = end;
                }
                let ends = end == Way::Ends;
                ways.reaches_all[start as usize] &= ends;
                ways.reached_by_all[destination as usize] &= ends;
            }
        }
        Ok(ways)
    }

    /// The last step at or before an address.
    fn step(&self, ring: u32, address: u32) -> Option<(u32, u16)> {
        let routes = &self.rings[ring as usize].routes;
        let step = routes.partition_point(|step| step.0 <= address).checked_sub(1)?;
        routes[step].1.zip(routes[step].2)
    }

    fn next_ring(&self, places: &Places, ring: u32, address: u32) -> Option<u32> {
        let (place, exit) = self.step(ring, address)?;
        match self.rings[ring as usize].interfaces[place as usize] {
            InterfaceSpec::Port(switch, _) => places.ports[switch as usize][usize::from(exit)],
            InterfaceSpec::Node(_) => None,
        }
    }
}

/// Pairs of a ring and an address of which the way is followed.
const MOST_PAIRS: usize = 1 << 26;

/// What is known of the way from a ring to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Unknown,
    BeingFollowed,
    /// It ends at the destination.
    Ends,
    /// It stops elsewhere.
    Stops,
}

/// Which rings have ways to all rings with nodes, and from all rings.
struct Ways {
    reaches_all: Vec<bool>,
    reached_by_all: Vec<bool>,
}

/// Which nodes can be reached from which, in a network whose routes have no loops.
pub(super) struct Reach<'a> {
    topology: &'a TopologySpec,
    places: Places,
    ways: Ways,
}

impl Reach<'_> {
    fn ring(&self, node: u32) -> u32 {
        self.places.nodes[node as usize].expect("every node is on a ring").0
    }

    /// Does the way from one node's ring to another's end there?
    pub(super) fn has_way(&self, from: u32, to: u32) -> bool {
        let (mut ring, destination) = (self.ring(from), self.ring(to));
        let address = self.topology.addresses.as_ref().map_or(destination, |addresses| addresses[to as usize]);
        while ring != destination {
            match self.topology.next_ring(&self.places, ring, address) {
                Some(next) => ring = next,
                None => return false,
            }
        }
        true
    }

    /// Are there ways from a node to all others, and back?
    pub(super) fn has_all_ways(&self, node: u32, back: bool) -> bool {
        let ring = self.ring(node) as usize;
        self.ways.reaches_all[ring] && (!back || self.ways.reached_by_all[ring])
    }
}

/// A cycle in picoseconds, beyond which no network is simulated.
pub(crate) fn most_cycles(symbol_ps: u64) -> u64 {
    MAX_CYCLES.min((1 << 62) / symbol_ps)
}
