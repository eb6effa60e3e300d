//! The specification of a simulation, fully resolved: cycles, node numbers and probabilities; no names, no units, no
//! defaults.
//!
//! The Python layer writes a [`NetworkSpec`] as JSON; [`NetworkSpec::validate`] checks it again, so that the simulator
//! itself can rely on it. Every quantity is in symbols (16 bits) or cycles (one symbol time).

mod activity;
mod clock;
mod flow_control;
mod flows;
pub(crate) mod in_json;
mod injected;
mod link_errors;
mod messages;
mod prompted;
mod recurring;
mod retry;
mod route_step;
mod routes;
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
pub use link_errors::{EXCHANGE_CYCLES, ErrorsSpec, ExchangeSpec, LinkSpec, RerouteSpec, RetryBy};
pub use messages::{MAX_MESSAGE_PACKETS, MessagesSpec, SizeSpec};
pub use prompted::{MAX_FOLLOWED_PACKETS, MAX_WINDOW};
pub(crate) use recurring::{PARTS, arrivals_in_turn, lcm, parts};
pub use route_step::RouteStep;
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
pub const MAX_HOP_DELAY: u32 = 1_000_000;
/// Longest time anything may be scheduled ahead (2^53 cycles, exact in a double).
pub const MAX_CYCLES: u64 = 1 << 53;

/// One ring, or several joined by switches: flow control, queues and traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// Seed of every pseudo-random stream.
    pub seed: u64,
    /// Nodes, 1 to [`MAX_NODES`]. On a single ring node `i` feeds node `i + 1` modulo this number.
    pub nodes: u32,
    /// Cycles from a node's output to the next node's input (parse, wire, latch), at least 1.
    pub hop_delay: u32,
    /// Hop delay of each node's outgoing link of a single ring, in cycles, in place of `hop_delay`; `None`:
    /// `hop_delay`, everywhere.
    #[serde(default)]
    pub hop_delays: Option<Vec<u32>>,
    /// Bits of a symbol, which links carry at once: 8, 16, 32 or 64. A packet has the same bytes on links of any width,
    /// and an idle is one symbol.
    #[serde(default = "link_width")]
    pub link_width: u32,
    /// Length of an echo, 8 bytes ([`ECHO_SYMBOLS`]) or more: what framing adds to every packet, it adds to echoes,
    /// too.
    pub echo_symbols: u32,
    /// Do destinations send echoes? If not, a packet is accepted for its sender once it has been sent (picker1994,
    /// Section 1.2), which needs destinations that refuse none.
    #[serde(default = "sends_echoes")]
    pub echoes: bool,
    /// Levels of the prioritised FIFOs, 1 to [`MAX_LEVELS`]; every priority is below it.
    pub priorities: u16,
    /// Flow-control protocol of all rings, with its options.
    pub flow_control: ProtocolSpec,
    /// Every node's request queue, and its response queue.
    pub receive_queue: ReceiveQueueSpec,
    /// The queues of each node, in place of `receive_queue`; `None`: that, everywhere.
    #[serde(default)]
    pub receive_queues: Option<Vec<ReceiveQueueSpec>>,
    /// Responses created and not yet accepted with which a node serves no further request; `None`: unlimited.
    pub response_capacity: Option<u32>,
    /// Requests a transmit queue holds, the head included; `None`: unlimited. What arrives at a full queue is lost.
    pub transmit_capacity: Option<u32>,
    /// Packets of each class that a node may have sent and not yet seen accepted; `None`: unlimited.
    pub outstanding_limit: Option<u32>,
    /// Transactions that a node may have begun and not yet completed; `None`: unlimited.
    pub window: Option<u32>,
    /// Class that goes first at equal priority.
    pub order: ClassOrder,
    /// Time that a request waits for its response; `None`: for ever.
    #[serde(default)]
    pub response_timeout: Option<ResponseTimeoutSpec>,
    /// Delay and rule after which a packet refused by a full receive queue is sent again.
    pub retry: RetrySpec,
    /// The limits of each node, in place of the four above and of `retry`'s delay and strategy; `None`: those,
    /// everywhere.
    #[serde(default)]
    pub host_limits: Option<Vec<HostLimitsSpec>>,
    /// Nodes with SCI's own flow control on a ring of another protocol, which has to let them be there.
    #[serde(default)]
    pub base_nodes: Vec<u32>,
    /// Sources of packets; a node may have any number of flows.
    pub flows: Vec<FlowSpec>,
    /// Transmission groups of the responses of each node of a single ring, for nodes without a flow: the others'
    /// responses are in the groups of their first flows. `None`: 0. Interfaces of several rings have their own.
    #[serde(default)]
    pub response_groups: Option<Vec<GroupSpec>>,
    /// A ring on which packets wait and none is sent or received for this many cycles is reported as stalled.
    pub stall_cycles: u64,
    /// Significant decimal digits of the latency histograms, 1 to 4.
    pub latency_digits: u8,
    /// Go bits of every idle on the ring at cycle 0, of the first 16 groups; `None`: all. Anything else models a ring
    /// that lost go bits.
    #[serde(default)]
    pub initial_go: Option<u16>,
    /// The rings and switches of a network; `None`: a single ring of all nodes.
    #[serde(default)]
    pub network: Option<Box<TopologySpec>>,
    /// Plans of packets; with one, each flow of a trace belongs to one, and nothing else is handed in.
    #[serde(default)]
    pub workload: Vec<ActivitySpec>,
}

/// The class of packets that a node sends first at equal priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassOrder {
    /// The one that did not leave last.
    Alternate,
    /// Responses.
    ResponseFirst,
    /// Requests.
    RequestFirst,
    /// The one that has waited longest.
    Oldest,
}

/// A receive queue with one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiveQueueSpec {
    /// Packets being received, waiting or in service; `None`: unlimited.
    pub capacity: Option<u32>,
    /// Cycles to serve one packet, one at a time.
    pub service_cycles: u64,
}

/// The time for which a request waits for its response (todd2001, Section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseTimeoutSpec {
    /// Cycles from the cycle in which the request has been accepted, at least 1.
    pub timeout_cycles: u64,
    /// Times that a request is sent again; after the next time-out it is given up.
    pub max_repeats: u8,
}

/// The limits of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostLimitsSpec {
    /// Limit of the node's responses, as [`NetworkSpec::response_capacity`].
    pub response_capacity: Option<u32>,
    /// Capacity of the node's transmit queue, as [`NetworkSpec::transmit_capacity`].
    pub transmit_capacity: Option<u32>,
    /// Limit of the node's packets of each class, as [`NetworkSpec::outstanding_limit`].
    pub outstanding_limit: Option<u32>,
    /// Limit of the node's transactions, as [`NetworkSpec::window`].
    pub window: Option<u32>,
    /// Retry delay of the node that waits, as [`RetrySpec::delay_cycles`].
    pub retry_delay_cycles: u64,
    /// Retry strategy of the node that waits, as [`RetrySpec::strategy`].
    pub retry_strategy: RetryStrategy,
}

/// Delay before a refused packet is sent again (richter1997, Section 4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrySpec {
    /// Growth of the delay with the number of refusals.
    pub strategy: RetryStrategy,
    /// Cycles from the end of the first busy echo until the packet may be sent again.
    pub delay_cycles: u64,
    /// Do receivers reserve places for refused packets, by A/B ageing?
    pub reservation: bool,
}

/// Delay `d_k` after the `k`-th refusal of one packet, `k` from 1, with `d` the start delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryStrategy {
    /// `d_k = d`.
    Constant,
    /// `d_k = k d`.
    Linear,
    /// `d_k = 2^(k-1) d`.
    Exponential,
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

impl RetrySpec {
    /// Retries from which tests and benches start: at once, without a reservation.
    pub const EXAMPLE: Self = Self { strategy: RetryStrategy::Constant, delay_cycles: 0, reservation: false };
}

impl HostLimitsSpec {
    /// Returns these limits with their times in symbols of a ring with this clock.
    pub(crate) fn of_ring(self, clock: Clock) -> Self {
        Self { retry_delay_cycles: clock.symbols(self.retry_delay_cycles), ..self }
    }
}

impl ReceiveQueueSpec {
    /// Returns this spec with its times in symbols of a ring with this clock.
    pub(crate) fn of_ring(self, clock: Clock) -> Self {
        Self { service_cycles: clock.symbols(self.service_cycles), ..self }
    }

    fn validate(&self, path: &str) -> Result<(), SpecError> {
        check(self.capacity != Some(0), format!("{path}.capacity"), 0, "at least 1 packet")?;
        let service = self.service_cycles;
        check(service <= MAX_CYCLES, format!("{path}.service_cycles"), service, format!("at most {MAX_CYCLES}"))
    }
}

fn link_width() -> u32 {
    LINK_WIDTH
}

fn sends_echoes() -> bool {
    true
}

/// Probabilities sum to 1 but for rounding.
pub(crate) fn is_distribution(probabilities: impl Iterator<Item = f64> + Clone) -> bool {
    probabilities.clone().all(|p| (0.0..=1.0).contains(&p)) && (probabilities.sum::<f64>() - 1.0).abs() < 1e-9
}

/// One hop delay for each place, if they are given.
fn check_hop_delays(each: Option<&[u32]>, places: usize, path: &str) -> Result<(), SpecError> {
    let Some(each) = each else { return Ok(()) };
    check(each.len() == places, path, format!("{} values", each.len()), format!("{places}, one per place"))?;
    for (place, &hop) in each.iter().enumerate() {
        let allowed = format!("1 to {MAX_HOP_DELAY} cycles");
        check((1..=MAX_HOP_DELAY).contains(&hop), format!("{path}[{place}]"), hop, allowed)?;
    }
    Ok(())
}

impl NetworkSpec {
    /// Returns this spec for one ring of a network, with the hop delay of each place's outgoing link, or that of the
    /// network, and the places of nodes with SCI's own flow control. The ring's protocol is read already.
    pub(crate) fn of_ring(&self, places: u32, hop_delays: Option<Vec<u32>>, base_nodes: Vec<u32>) -> Self {
        let flow_control = ProtocolSpec(serde_json::Value::Null);
        Self {
            nodes: places,
            hop_delays,
            flows: Vec::new(),
            network: None,
            flow_control,
            response_groups: None,
            workload: Vec::new(),
            receive_queue: self.least_receive_queue(),
            receive_queues: None,
            outstanding_limit: self.loosest_outstanding_limit(),
            host_limits: None,
            base_nodes,
            ..*self
        }
    }

    /// Cycles of a symbol's way round an idle ring: the sum of its hop delays.
    pub(crate) fn around_cycles(&self) -> u64 {
        let equal = || u64::from(self.nodes) * u64::from(self.hop_delay);
        self.hop_delays.as_ref().map_or_else(equal, |each| each.iter().copied().map(u64::from).sum())
    }

    /// The shortest hop delay of a single ring.
    pub(crate) fn least_hop_delay(&self) -> u32 {
        self.hop_delays.iter().flatten().copied().min().unwrap_or(self.hop_delay)
    }

    /// Hop delay of a node's outgoing link on a single ring.
    pub(crate) fn hop_delay_of(&self, node: u32) -> u32 {
        self.hop_delays.as_ref().map_or(self.hop_delay, |each| each[node as usize])
    }

    /// A single ring of `nodes` with these flows: hops of one cycle, unlimited queues, services that take no time,
    /// refused packets that are sent again at once. What differs is set in the fields.
    pub fn ring(nodes: u32, flow_control: impl Into<ProtocolSpec>, flows: Vec<FlowSpec>) -> Self {
        Self {
            seed: 1,
            nodes,
            hop_delay: 1,
            hop_delays: None,
            link_width: LINK_WIDTH,
            echo_symbols: ECHO_SYMBOLS,
            echoes: true,
            priorities: flows.iter().map(|flow| u16::from(flow.priority) + 1).max().unwrap_or(1),
            flow_control: flow_control.into(),
            receive_queue: ReceiveQueueSpec { capacity: None, service_cycles: 0 },
            receive_queues: None,
            response_capacity: None,
            transmit_capacity: None,
            outstanding_limit: None,
            window: None,
            response_timeout: None,
            order: ClassOrder::Alternate,
            retry: RetrySpec::EXAMPLE,
            host_limits: None,
            base_nodes: Vec::new(),
            flows,
            response_groups: None,
            stall_cycles: 1_000_000,
            latency_digits: 3,
            initial_go: None,
            network: None,
            workload: Vec::new(),
        }
    }

    /// Bytes of a symbol.
    pub fn symbol_bytes(&self) -> u32 {
        self.link_width / 8
    }

    /// Length of an echo without framing, in symbols.
    pub fn bare_echo_symbols(&self) -> u32 {
        ECHO_BYTES / self.symbol_bytes()
    }

    /// Length of the smallest send packet without framing, in symbols: a header with its CRC.
    pub fn min_send_symbols(&self) -> u32 {
        MIN_SEND_BYTES / self.symbol_bytes()
    }

    /// Length of the largest of SCI's send packets without framing, in symbols: header, extended header and 256 bytes
    /// of data.
    pub fn max_send_symbols(&self) -> u32 {
        MAX_SEND_BYTES / self.symbol_bytes()
    }

    /// Symbols before an exchange of links in which nothing comes through.
    pub fn exchange_symbols(&self) -> u64 {
        let bare = self.max_send_symbols().max(self.longest_symbols().saturating_sub(MAX_FRAMING_SYMBOLS + 1));
        EXCHANGE_CYCLES + u64::from(bare) - u64::from(MAX_SEND_SYMBOLS)
    }

    /// Length of the largest of SCI's send packets with any framing, in symbols.
    fn max_symbols(&self) -> u32 {
        self.max_send_symbols() + MAX_FRAMING_SYMBOLS
    }

    /// The shape of a single ring, on which a protocol's options depend.
    pub fn shape(&self) -> RingShape {
        RingShape {
            nodes: self.nodes,
            around_cycles: self.around_cycles(),
            has_outstanding_limit: self.loosest_outstanding_limit().is_some(),
        }
    }

    /// The limits of all nodes that have none of their own.
    pub(crate) fn common_limits(&self) -> HostLimitsSpec {
        HostLimitsSpec {
            response_capacity: self.response_capacity,
            transmit_capacity: self.transmit_capacity,
            outstanding_limit: self.outstanding_limit,
            window: self.window,
            retry_delay_cycles: self.retry.delay_cycles,
            retry_strategy: self.retry.strategy,
        }
    }

    /// The limits of a node.
    pub(crate) fn limits_of(&self, node: u32) -> HostLimitsSpec {
        self.host_limits.as_ref().map_or_else(|| self.common_limits(), |each| each[node as usize])
    }

    /// The loosest outstanding limit of a node or port.
    fn loosest_outstanding_limit(&self) -> Option<u32> {
        let common = self.host_limits.is_none() || self.network.is_some();
        let own = self.host_limits.iter().flatten().map(|limits| limits.outstanding_limit);
        let each = own.chain(common.then_some(self.outstanding_limit));
        each.map(|limit| limit.unwrap_or(u32::MAX)).max().filter(|&loosest| loosest < u32::MAX)
    }

    /// The receive queues of a node.
    pub(crate) fn receive_queue_of(&self, node: u32) -> ReceiveQueueSpec {
        self.receive_queues.as_ref().map_or(self.receive_queue, |each| each[node as usize])
    }

    /// The receive queue with the fewest places.
    fn least_receive_queue(&self) -> ReceiveQueueSpec {
        let least = self.receive_queues.iter().flatten().min_by_key(|queue| queue.capacity.unwrap_or(u32::MAX));
        least.copied().unwrap_or(self.receive_queue)
    }

    /// Checks every field; `limits` checks the protocol's options.
    pub(crate) fn check_fields(&self, limits: impl FnOnce() -> Result<Limits, SpecError>) -> Result<(), SpecError> {
        let n = self.nodes;
        check((1..=MAX_NODES).contains(&n), "nodes", n, format!("1 to {MAX_NODES}"))?;
        let hop = self.hop_delay;
        check((1..=MAX_HOP_DELAY).contains(&hop), "hop_delay", hop, format!("1 to {MAX_HOP_DELAY} cycles"))?;
        let on_single = self.network.is_none() || self.hop_delays.is_none();
        check(on_single, "hop_delays", "given", "none of a network, whose rings have their own")?;
        check_hop_delays(self.hop_delays.as_deref(), n as usize, "hop_delays")?;
        let width = self.link_width;
        check(matches!(width, 8 | 16 | 32 | 64), "link_width", width, "8, 16, 32 or 64 bits")?;
        let (echo, bare) = (self.echo_symbols, self.bare_echo_symbols());
        let most = bare + MAX_FRAMING_SYMBOLS;
        let allowed = format!("{bare} to {most} symbols");
        check((bare..=most).contains(&echo), "echo_symbols", echo, allowed)?;
        let levels = self.priorities;
        check((1..=MAX_LEVELS).contains(&levels), "priorities", levels, format!("1 to {MAX_LEVELS}"))?;
        for (place, &node) in self.base_nodes.iter().enumerate() {
            let ok = node < n && !self.base_nodes[..place].contains(&node);
            check(ok, format!("base_nodes[{place}]"), node, format!("a node below {n}, each once"))?;
        }
        let limits = limits()?;
        self.check_echoes(&limits)?;
        // Where all nodes have their own, these are those of ports.
        let slots = self.network.as_ref().is_some_and(|network| network.host.slots.is_some());
        self.check_limits(&self.common_limits(), slots || self.host_limits.is_some(), "")?;
        if let Some(each) = &self.host_limits {
            let given = each.len();
            check(given == n as usize, "host_limits", format!("{given} values"), format!("{n}, one per node"))?;
            for (node, own) in each.iter().enumerate() {
                let slots = self.network.as_ref().is_some_and(|network| network.host_of(node as u32).slots.is_some());
                self.check_limits(own, slots, &format!("host_limits[{node}]."))?;
            }
        }
        if let Some(ResponseTimeoutSpec { timeout_cycles: cycles, .. }) = self.response_timeout {
            let allowed = format!("1 to {MAX_CYCLES} cycles");
            check((1..=MAX_CYCLES).contains(&cycles), "response_timeout.timeout_cycles", cycles, allowed)?;
        }
        self.receive_queue.validate("receive_queue")?;
        if let Some(each) = &self.receive_queues {
            let given = each.len();
            check(given == n as usize, "receive_queues", format!("{given} values"), format!("{n}, one per node"))?;
            for (node, queue) in each.iter().enumerate() {
                queue.validate(&format!("receive_queues[{node}]"))?;
            }
        }
        let stall = self.stall_cycles;
        check((1..=MAX_CYCLES).contains(&stall), "stall_cycles", stall, format!("1 to {MAX_CYCLES}"))?;
        let digits = self.latency_digits;
        check((1..=4).contains(&digits), "latency_digits", digits, "1 to 4")?;
        for (index, flow) in self.flows.iter().enumerate() {
            flow.validate(self, &limits, &format!("flows[{index}]"))?;
        }
        self.check_followers()?;
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

    /// Checks the limits of a node with slots or without, whose paths begin so.
    fn check_limits(&self, limits: &HostLimitsSpec, slots: bool, at: &str) -> Result<(), SpecError> {
        let not_none =
            |limit: Option<u32>, name: &str, allowed: &str| check(limit != Some(0), format!("{at}{name}"), 0, allowed);
        not_none(limits.response_capacity, "response_capacity", "at least 1 response")?;
        not_none(limits.window, "window", "at least 1 transaction")?;
        not_none(limits.outstanding_limit, "outstanding_limit", "at least 1 packet")?;
        if !slots {
            not_none(limits.transmit_capacity, "transmit_capacity", "at least 1 packet")?;
        }
        let (delay, name) =
            (limits.retry_delay_cycles, if at.is_empty() { "retry.delay_cycles" } else { "retry_delay_cycles" });
        check(delay <= MAX_CYCLES, format!("{at}{name}"), delay, format!("at most {MAX_CYCLES}"))
    }

    /// Checks that nothing waits for echoes where there are none.
    fn check_echoes(&self, limits: &Limits) -> Result<(), SpecError> {
        if self.echoes {
            return Ok(());
        }
        let places = |capacity: Option<u32>| capacity.map_or(String::new(), |places| places.to_string());
        check(!limits.needs_echoes, "echoes", false, "true with this protocol, which decides by echoes")?;
        let has_ports = self.network.as_ref().is_some_and(|network| !network.switches.is_empty());
        check(!has_ports, "network.switches", "given", "none without echoes, which free the buffers of ports")?;
        if limits.acts_on_refusals {
            let least = self.least_receive_queue().capacity;
            let allowed = "unlimited without echoes, with this protocol, which acts on packets that were refused";
            check(least.is_none(), "receive_queue.capacity", places(least), allowed)?;
        }
        let allowed = "false without echoes, which say that a packet was refused";
        check(!self.retry.reservation, "retry.reservation", true, allowed)?;
        for limits in self.host_limits.iter().flatten().copied().chain([self.common_limits()]) {
            for (path, limit) in
                [("outstanding_limit", limits.outstanding_limit), ("response_capacity", limits.response_capacity)]
            {
                check(limit.is_none(), path, places(limit), "unlimited without echoes, which say what was accepted")?;
            }
        }
        Ok(())
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

    /// The longest packet and its idle, in symbols. A program may inject packets of any length that its flow allows.
    pub(crate) fn longest_symbols(&self) -> u32 {
        let of_flow = |flow: &FlowSpec| {
            let sizes = flow.sizes.iter().map(|size| size.0);
            let any = if flow.is_injected() { flow.most_injected().unwrap_or(self.max_symbols()) } else { 0 };
            sizes.chain(flow.response_symbols).max().unwrap_or(0).max(any)
        };
        let longest = self.flows.iter().map(of_flow).max().unwrap_or(self.max_symbols());
        if longest > self.max_symbols() { longest + 1 } else { self.max_symbols().min(longest + 1) }
    }

    /// Returns the longest packet, in symbols, if it is longer than any packet of SCI's.
    pub fn longer_than_sci(&self) -> Option<u32> {
        Some(self.longest_symbols()).filter(|&longest| longest > self.max_symbols())
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
