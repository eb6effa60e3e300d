//! The specification of a simulation, fully resolved: cycles, node numbers and probabilities; no names, no units, no
//! defaults.
//!
//! The Python layer writes a [`NetworkSpec`] as JSON; [`NetworkSpec::validate`] checks it again, so that the simulator
//! itself can rely on it. Every quantity is in symbols (of 16 bits, unless the format says another width) or cycles
//! (one symbol time).

mod activity;
mod clock;
mod differences;
mod flow_control;
mod flows;
pub(crate) mod in_json;
mod injected;
mod link_errors;
mod measurement;
mod messages;
mod multicast;
mod packet_format;
mod per_node;
mod prompted;
mod queues;
mod recurring;
mod route_step;
mod routes;
mod slow_links;
mod stripped_by;
mod switches;
mod topology;
mod topology_checks;
mod trace;
mod way_parts;
mod ways;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use activity::ActivitySpec;
pub use clock::Clock;
pub use flow_control::{Limits, ProtocolSpec, RingShape};
pub(crate) use flow_control::{check_bypass, check_length};
pub use flows::{ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, RepeatSpec};
pub use link_errors::{BypassSpec, EXCHANGE_CYCLES, ErrorsSpec, ExchangeSpec, LinkSpec, RerouteSpec, RetryBy};
pub use measurement::MeasurementSpec;
pub use messages::{MAX_MESSAGE_PACKETS, MessagesSpec, SizeSpec};
pub use packet_format::PacketFormatSpec;
pub use per_node::PerNode;
pub use prompted::{MAX_FOLLOWED_PACKETS, MAX_WINDOW};
pub use queues::{
    ClassOrder, HostLimitsSpec, QueuesSpec, ReceiveQueueSpec, ResponseTimeoutSpec, RetrySpec, RetryStrategy,
};
pub(crate) use recurring::{PARTS, arrivals_in_turn, lcm, parts};
pub use route_step::RouteStep;
pub use slow_links::{MAX_RATE_PARTS, MAX_SLOWNESS, SlowLinkSpec};
pub use stripped_by::StrippedBy;
pub use switches::{
    BuffersSpec, Cascade, FillGroupsSpec, FillSplitSpec, Forwarding, HostSpec, MAX_BUFFERS, MAX_DELAY_PS, MAX_LINKS,
    MAX_PORTS, SlotChoice, SwitchKindSpec, SwitchSpec,
};
pub(crate) use topology::most_cycles;
pub use topology::{
    InterfaceSpec, MAX_INTERFACES, MAX_PASS_DELAY, MAX_RINGS, MAX_SYMBOL_CYCLES, RingSpec, TopologySpec,
};
pub use ways::{MAX_DUAL_ATTACHED, WaysSpec};

/// Bits of SCI's symbols.
pub const LINK_WIDTH: u32 = 16;
/// Symbols of an echo packet (target, command, source, CRC) on links of [`LINK_WIDTH`].
pub const ECHO_SYMBOLS: u32 = ECHO_BYTES / 2;
/// Smallest send packet on them, in symbols: a header with its CRC.
pub const MIN_SEND_SYMBOLS: u32 = MIN_SEND_BYTES / 2;
/// Largest of SCI's send packets on them, in symbols: header, extended header and 256 bytes of data.
pub const MAX_SEND_SYMBOLS: u32 = MAX_SEND_BYTES / 2;
/// Longest send packet on links of any width, in symbols: with any framing its length has 16 bits.
pub const MAX_PACKET_SYMBOLS: u32 = 65_408;
const ECHO_BYTES: u32 = 8;
const MIN_SEND_BYTES: u32 = 16;
const MAX_SEND_BYTES: u32 = 288;
/// Most symbols that framing may add to every packet.
pub const MAX_FRAMING_SYMBOLS: u32 = 64;
/// Most nodes on one ring: an SCI address has 16 bits.
pub const MAX_NODES: u32 = 65_536;
/// Most levels of the prioritised FIFOs.
pub const MAX_LEVELS: u16 = 256;
/// Longest hop delay, link included, in cycles.
pub const MAX_HOP_DELAY: u32 = 1_000_000_000;
/// Longest time anything may be scheduled ahead (2^53 cycles, exact in a double).
pub const MAX_CYCLES: u64 = 1 << 53;

/// One ring, or several joined by switches: flow control, queues and traffic. Its `Debug` form shows only the fields
/// that differ from [`NetworkSpec::ring`].
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// Seed of every pseudo-random stream.
    pub seed: u64,
    /// Nodes, 1 to [`MAX_NODES`]. On a single ring node `i` feeds node `i + 1` modulo this number.
    pub nodes: u32,
    /// Cycles from a node's output to the next node's input (parse, wire, latch), at least 1. On a single ring each
    /// node's outgoing link may have its own; a ring of a network says that itself.
    pub hop_delay: PerNode<u32>,
    /// Outgoing links of a single ring that are slower than the ring, in the order of their nodes.
    #[serde(default)]
    pub slow_links: Vec<SlowLinkSpec>,
    /// Symbols and echoes.
    pub format: PacketFormatSpec,
    /// Flow-control protocol of all rings, with its options.
    pub flow_control: ProtocolSpec,
    /// Nodes with SCI's own flow control on a ring of another protocol, which has to let them be there.
    #[serde(default)]
    pub base_nodes: Vec<u32>,
    /// Go bits of every idle on the ring at cycle 0, of the first 16 groups; `None`: all. Anything else models a ring
    /// that lost go bits.
    #[serde(default)]
    pub initial_go: Option<u16>,
    /// Queues of the nodes, their limits, and retries.
    pub queues: QueuesSpec,
    /// Sources of packets; a node may have any number of flows.
    pub flows: Vec<FlowSpec>,
    /// Transmission groups of the responses of each node of a single ring, for nodes without a flow: the others'
    /// responses are in the groups of their first flows. `None`: 0. Interfaces of several rings have their own.
    #[serde(default)]
    pub response_groups: Option<Vec<GroupSpec>>,
    /// Plans of packets; with one, each flow of a trace belongs to one, and nothing else is handed in.
    #[serde(default)]
    pub workload: Vec<ActivitySpec>,
    /// Precision of latencies, and when a run is stalled.
    pub measurement: MeasurementSpec,
    /// The rings and switches of a network; `None`: a single ring of all nodes.
    #[serde(default)]
    pub network: Option<Box<TopologySpec>>,
    /// The longest packet of a network and its idle, in symbols, for one ring of it, which has no flows of its own
    /// here; not part of a written spec.
    #[serde(skip)]
    pub longest_of_network: Option<u32>,
}

/// A spec that cannot be simulated: the field, what it holds, what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {value} is not allowed; {allowed}")]
pub struct SpecError {
    /// Path of the field, such as `flows[3].destinations.node`.
    pub path: String,
    /// The value found.
    pub value: String,
    /// Values that would be accepted, in words.
    pub allowed: String,
}

pub(crate) fn check(
    ok: bool,
    path: impl Into<String>,
    value: impl std::fmt::Display,
    allowed: impl Into<String>,
) -> Result<(), SpecError> {
    if ok { Ok(()) } else { Err(SpecError { path: path.into(), value: value.to_string(), allowed: allowed.into() }) }
}

/// Probabilities sum to 1 but for rounding.
pub(crate) fn is_distribution(probabilities: impl Iterator<Item = f64> + Clone) -> bool {
    probabilities.clone().all(|p| (0.0..=1.0).contains(&p)) && (probabilities.sum::<f64>() - 1.0).abs() < 1e-9
}

/// One hop delay for each place, if they are given.
fn check_hop_delays(each: Option<&[u32]>, places: usize, path: &str) -> Result<(), SpecError> {
    let Some(each) = each else { return Ok(()) };
    check(each.len() == places, path, format!("{} values", each.len()), format!("{places}, one per place"))?;
    each.iter().enumerate().try_for_each(|(place, &hop)| check_hop_delay(hop, &format!("{path}[{place}]")))
}

fn check_hop_delay(cycles: u32, path: &str) -> Result<(), SpecError> {
    check((1..=MAX_HOP_DELAY).contains(&cycles), path, cycles, format!("1 to {MAX_HOP_DELAY} cycles"))
}

impl NetworkSpec {
    /// Returns this spec for one ring of a network, with the hop delay of each place's outgoing link, or that of the
    /// network, and the places of nodes with SCI's own flow control. The ring's protocol is read already.
    pub(crate) fn of_ring(
        &self,
        places: u32,
        hop_delays: Option<Vec<u32>>,
        base_nodes: Vec<u32>,
        longest_symbols: u32,
    ) -> Self {
        Self {
            nodes: places,
            hop_delay: PerNode { common: self.hop_delay.common, each: hop_delays },
            flow_control: ProtocolSpec(serde_json::Value::Null),
            base_nodes,
            slow_links: Vec::new(),
            queues: self.queues.of_ring(self.network.is_some()),
            flows: Vec::new(),
            response_groups: None,
            workload: Vec::new(),
            network: None,
            longest_of_network: Some(longest_symbols),
            ..*self
        }
    }

    /// A single ring of `nodes` with these flows: hops of one cycle, and the defaults of everything else. What differs
    /// is set in the fields.
    pub fn ring(nodes: u32, flow_control: impl Into<ProtocolSpec>, flows: Vec<FlowSpec>) -> Self {
        let priorities = flows.iter().map(|flow| u16::from(flow.priority) + 1).max().unwrap_or(1);
        Self {
            seed: 1,
            nodes,
            hop_delay: 1.into(),
            slow_links: Vec::new(),
            format: PacketFormatSpec::default(),
            flow_control: flow_control.into(),
            base_nodes: Vec::new(),
            initial_go: None,
            queues: QueuesSpec { priorities, ..QueuesSpec::default() },
            flows,
            response_groups: None,
            workload: Vec::new(),
            measurement: MeasurementSpec::default(),
            network: None,
            longest_of_network: None,
        }
    }

    /// Cycles of a symbol's way round an idle ring: the sum of its hop delays.
    pub(crate) fn around_cycles(&self) -> u64 {
        let PerNode { common, each } = &self.hop_delay;
        let equal = || u64::from(self.nodes) * u64::from(*common);
        each.as_ref().map_or_else(equal, |each| each.iter().copied().map(u64::from).sum())
    }

    /// Cycles of a symbol's way round each idle ring.
    pub fn ways_round(&self) -> impl Iterator<Item = u64> {
        let alone = self.network.is_none().then(|| self.around_cycles());
        let of_rings = |network: &'_ TopologySpec| -> Vec<u64> {
            let around = |ring| network.around_cycles(ring, self.hop_delay.common);
            network.rings.iter().map(|ring| around(ring) * u64::from(ring.symbol_cycles)).collect()
        };
        alone.into_iter().chain(self.network.iter().flat_map(move |network| of_rings(network)))
    }

    /// Interfaces: of nodes, and the link controllers of switches at rings.
    pub fn interfaces(&self) -> u64 {
        let of_rings = |network: &TopologySpec| {
            network.rings.iter().map(|ring| network.controllers(ring).sum::<usize>() as u64).sum()
        };
        self.network.as_deref().map_or(self.nodes.into(), of_rings)
    }

    /// The shortest hop delay of a single ring.
    pub(crate) fn least_hop_delay(&self) -> u32 {
        *self.hop_delay.least_by_key(|&cycles| cycles)
    }

    /// Symbols before an exchange of links in which nothing comes through.
    pub fn exchange_symbols(&self) -> u64 {
        let bare = self.format.max_send_symbols().max(self.longest_symbols().saturating_sub(MAX_FRAMING_SYMBOLS + 1));
        // As much more, or less, than on SCI's links as the longest
        // packet has symbols (network-model.md, "Failures: wrapping").
        EXCHANGE_CYCLES + u64::from(bare) - u64::from(MAX_SEND_SYMBOLS)
    }

    /// The shape of a single ring, on which a protocol's options depend.
    pub fn shape(&self) -> RingShape {
        RingShape {
            nodes: self.nodes,
            around_cycles: self.around_cycles(),
            has_outstanding_limit: self.queues.loosest_outstanding_limit(self.network.is_some()).is_some(),
        }
    }

    /// Checks every field; `limits` checks the protocol's options.
    pub(crate) fn check_fields(&self, limits: impl FnOnce() -> Result<Limits, SpecError>) -> Result<(), SpecError> {
        let n = self.nodes;
        check((1..=MAX_NODES).contains(&n), "nodes", n, format!("1 to {MAX_NODES}"))?;
        check_hop_delay(self.hop_delay.common, "hop_delay.common")?;
        let on_single = self.network.is_none() || self.hop_delay.each.is_none();
        check(on_single, "hop_delay.each", "given", "none of a network, whose rings have their own")?;
        check_hop_delays(self.hop_delay.each.as_deref(), n as usize, "hop_delay.each")?;
        self.format.validate()?;
        self.queues.check_priorities()?;
        for (place, &node) in self.base_nodes.iter().enumerate() {
            let ok = node < n && !self.base_nodes[..place].contains(&node);
            check(ok, format!("base_nodes[{place}]"), node, format!("a node below {n}, each once"))?;
        }
        let limits = limits()?;
        self.check_slow_links(&limits)?;
        self.check_echoes(&limits)?;
        self.queues.validate(n, |node| {
            let host = |network: &TopologySpec| node.map_or(network.host, |node| *network.host_of(node));
            self.network.as_ref().is_some_and(|network| host(network).slots.is_some())
        })?;
        self.measurement.validate()?;
        for (index, flow) in self.flows.iter().enumerate() {
            flow.validate(self, &limits, &format!("flows[{index}]"))?;
        }
        self.check_followers()?;
        self.check_copies(&limits)?;
        self.check_response_groups(&limits)?;
        self.validate_injected_sources()?;
        self.network.as_ref().map_or(Ok(()), |network| self.validate_network(network, &limits))
    }

    /// Checks that each node of a single ring has groups of its responses, which the ring has, if any has.
    fn check_response_groups(&self, limits: &Limits) -> Result<(), SpecError> {
        let Some(each) = &self.response_groups else { return Ok(()) };
        let on_single = self.network.as_ref().is_none_or(|network| network.rings.len() == 1);
        check(on_single, "response_groups", "given", "none of several rings, whose interfaces have their own")?;
        let (given, n) = (each.len(), self.nodes);
        check(given == n as usize, "response_groups", format!("{given} values"), format!("{n}, one per node"))?;
        let mut each = each.iter().enumerate();
        each.try_for_each(|(node, groups)| groups.validate(n, limits.groups, &format!("response_groups[{node}]")))
    }

    /// Checks that nothing waits for echoes where there are none.
    fn check_echoes(&self, limits: &Limits) -> Result<(), SpecError> {
        if self.format.echoes {
            return Ok(());
        }
        let places = |capacity: Option<u32>| capacity.map_or(String::new(), |places| places.to_string());
        check(!limits.needs_echoes, "format.echoes", false, "true with this protocol, which decides by echoes")?;
        let has_ports = self.network.as_ref().is_some_and(|network| !network.switches.is_empty());
        check(!has_ports, "network.switches", "given", "none without echoes, which free the buffers of ports")?;
        if limits.acts_on_refusals {
            let least = self.queues.least_receive_queue().capacity;
            let allowed = "unlimited without echoes, with this protocol, which acts on packets that were refused";
            check(least.is_none(), "queues.receive.capacity", places(least), allowed)?;
        }
        let allowed = "false without echoes, which say that a packet was refused";
        check(!self.queues.reservation, "queues.reservation", true, allowed)?;
        self.queues.limits.check_all("queues.limits", |limits, path| {
            let each =
                [("outstanding_limit", limits.outstanding_limit), ("response_capacity", limits.response_capacity)];
            each.into_iter().try_for_each(|(name, limit)| {
                let allowed = "unlimited without echoes, which say what was accepted";
                check(limit.is_none(), format!("{path}.{name}"), places(limit), allowed)
            })
        })
    }

    /// Checks that no flow has more than one packet in each symbol of its ring, if it has at most one in each cycle.
    fn check_rates(&self, network: &TopologySpec) -> Result<(), SpecError> {
        for ring in network.rings.iter().filter(|ring| ring.symbol_cycles > 1) {
            let nodes: BTreeSet<u32> = ring.nodes().collect();
            for (index, flow) in self.flows.iter().enumerate().filter(|(_, flow)| nodes.contains(&flow.source)) {
                if let ArrivalSpec::Bernoulli { rate } = flow.arrivals {
                    let allowed = format!("at most 1 per {} cycles, a symbol of its ring", ring.symbol_cycles);
                    let ok = ring.clock().per_symbol(rate) <= 1.0;
                    check(ok, format!("flows[{index}].arrivals.rate"), rate, allowed)?;
                }
            }
        }
        Ok(())
    }

    /// The longest packet and its idle, in symbols; without flows the shortest that there may be. A program may inject
    /// packets of any length that its flow allows.
    pub(crate) fn longest_symbols(&self) -> u32 {
        if let Some(longest) = self.longest_of_network {
            return longest;
        }
        let of_flow = |flow: &FlowSpec| {
            let sizes = flow.sizes.iter().map(|size| size.0);
            let any = if flow.is_injected() { flow.most_injected().unwrap_or(self.format.max_symbols()) } else { 0 };
            sizes.chain(flow.response_symbols).max().unwrap_or(0).max(any)
        };
        let longest = self.flows.iter().map(of_flow).max().unwrap_or(self.format.min_send_symbols());
        if longest > self.format.max_symbols() { longest + 1 } else { self.format.max_symbols().min(longest + 1) }
    }

    /// Returns the longest packet, in symbols, if it is longer than any packet of SCI's.
    pub fn longer_than_sci(&self) -> Option<u32> {
        Some(self.longest_symbols()).filter(|&longest| longest > self.format.max_symbols())
    }

    /// Checks what a network needs besides: a protocol that goes with what its interfaces do, and routes for all flows.
    fn validate_network(&self, network: &TopologySpec, limits: &Limits) -> Result<(), SpecError> {
        let reach = network.validate(self, self.longest_symbols())?;
        let waits = network.pass_wait() > 0;
        let ok = limits.delays_echoes || network.retry_by != RetryBy::Responder;
        check(ok, "network.retry_by", "responder", "requester with slots, in which a later echo has no place")?;
        let ok = limits.survives_losses || network.errors.is_none();
        check(ok, "flow_control.protocol", "this protocol", "one that survives losses where links have errors")?;
        let ok = limits.joins || network.errors.iter().all(|errors| errors.exchanges.is_empty());
        check(ok, "flow_control.protocol", "this protocol", "none, sci, grouped or metaring where rings are joined")?;
        let ok = limits.holds_what_passes || !waits;
        let allowed = "none, sci or grouped where what passes an interface waits there";
        check(ok, "flow_control.protocol", "this protocol", allowed)?;
        self.check_rates(network)?;
        for (index, flow) in self.flows.iter().enumerate() {
            if flow.is_injected() {
                // Each of its packets is checked.
                continue;
            }
            let back = flow.response_symbols.is_some();
            if reach.has_all_ways(flow.source, back) {
                continue;
            }
            let way = |&node: &u32| {
                node == flow.source || (reach.has_way(flow.source, node) && (!back || reach.has_way(node, flow.source)))
            };
            let missing = match &flow.destinations {
                DestinationSpec::Fixed { node } => Some(*node).filter(|node| !way(node)),
                DestinationSpec::HotSpot { node, probability: 1.0 } => Some(*node).filter(|node| !way(node)),
                DestinationSpec::Weighted { weights } => {
                    (0..self.nodes).filter(|&node| weights[node as usize] > 0.0).find(|node| !way(node))
                }
                &DestinationSpec::Range { first, count, local, .. } => {
                    (first..first + count).chain(local).find(|node| !way(node))
                }
                _ => (0..self.nodes).find(|node| !way(node)),
            };
            if let Some(node) = missing {
                let ways = if back { "a route there, and one back for its responses" } else { "a route there" };
                check(false, format!("flows[{index}].destinations"), format!("node {node}"), ways)?;
            }
        }
        Ok(())
    }
}
