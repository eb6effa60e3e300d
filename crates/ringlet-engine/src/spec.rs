//! What to simulate, fully resolved: cycles, node numbers and probabilities; no names, no units, no defaults.
//!
//! The Python layer writes a [`NetworkSpec`] as JSON; [`NetworkSpec::validate`] checks it again, so that the simulator itself
//! can rely on it. Every quantity is in symbols (16 bits) or cycles (one symbol time).

mod topology;
mod trace;

use serde::{Deserialize, Serialize};

pub(crate) use topology::most_cycles;
pub use topology::{
    BuffersSpec, ErrorsSpec, Forwarding, HostSpec, InterfaceSpec, LinkSpec, MAX_BUFFERS, MAX_DELAY_PS, MAX_INTERFACES,
    MAX_LINKS, MAX_PORTS, MAX_RINGS, RetryBy, RingSpec, RouteStep, SlotChoice, SwitchKindSpec, SwitchSpec,
    TopologySpec,
};

/// Symbols of an echo packet (target, command, source, CRC).
pub const ECHO_SYMBOLS: u32 = 4;
/// Smallest send packet, in symbols: a header with its CRC.
pub const MIN_SEND_SYMBOLS: u32 = 8;
/// Largest send packet, in symbols: header, extended header and 256 bytes of data.
pub const MAX_SEND_SYMBOLS: u32 = 144;
/// Most symbols that framing may add to every packet.
pub const MAX_FRAMING_SYMBOLS: u32 = 64;
/// Most nodes on one ring: an SCI address has 16 bits.
pub const MAX_NODES: u32 = 65_536;
/// Most transmission groups: one go bit each in the low half of an idle symbol's state.
pub const MAX_GROUPS: u8 = 16;
/// Send priorities of SCI.
pub const MAX_PRIORITIES: u8 = 4;
/// Most levels of the prioritised FIFOs.
pub const MAX_LEVELS: u16 = 256;
/// Most nodes on a ring with DFC: its 32-bit control symbols name nodes with 8 bits.
pub const MAX_DFC_NODES: u32 = 256;
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
    /// Length of an echo, [`ECHO_SYMBOLS`] or more: what framing adds to every packet, it adds to echoes, too.
    pub echo_symbols: u32,
    /// Levels of the prioritised FIFOs, 1 to [`MAX_LEVELS`]; every priority is below it.
    pub priorities: u16,
    /// Who may send when.
    pub flow_control: FlowControlSpec,
    /// Every node's request queue, and its response queue.
    pub receive_queue: ReceiveQueueSpec,
    /// Responses created and not yet accepted with which a node serves no further request; `None`: unlimited.
    pub response_capacity: Option<u32>,
    /// Requests a transmit queue holds, the head included; `None`: unlimited. What arrives at a full queue is lost.
    pub transmit_capacity: Option<u32>,
    /// Packets of each class that a node may have sent and not yet seen accepted; `None`: unlimited.
    pub outstanding_limit: Option<u32>,
    /// Transactions that a node may have begun and not yet completed; `None`: unlimited.
    pub window: Option<u32>,
    /// Which class goes first at equal priority.
    pub order: ClassOrder,
    /// When a packet refused by a full receive queue is sent again.
    pub retry: RetrySpec,
    /// Sources of packets; a node may have any number of flows.
    pub flows: Vec<FlowSpec>,
    /// A ring on which packets wait and none is sent or received for this many cycles is reported as stalled.
    pub stall_cycles: u64,
    /// Significant decimal digits of the latency histograms, 1 to 4.
    pub latency_digits: u8,
    /// Go bits of every idle on the ring at cycle 0; `None`: all. Anything else models a ring that lost go bits.
    #[serde(default)]
    pub initial_go: Option<u16>,
    /// The rings and switches of a network; `None`: a single ring of all nodes.
    #[serde(default)]
    pub network: Option<Box<TopologySpec>>,
}

/// Flow-control protocol and its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FlowControlSpec {
    /// A node sends whenever its bypass FIFO is empty.
    None {},
    /// SCI's go bits.
    Sci {
        /// Which created idles copy the go bits of the last emitted idle.
        extension: Extension,
        /// What the idle behind an own packet carries while the bypass FIFO is not empty.
        release: Release,
        /// 1: one go bit, as picker1994 describes it. 2 to 4: send priorities with a low and a high go bit.
        priorities: u8,
    },
    /// picker1994's enhanced protocol: one go bit per transmission group, selected by the block register.
    Grouped {
        /// Which created idles copy the go bits of the last emitted idle.
        extension: Extension,
        /// What the idle behind an own packet carries while the bypass FIFO is not empty.
        release: Release,
        /// Transmission groups, 1 to [`MAX_GROUPS`].
        groups: u8,
    },
    /// Preemptive Priority Queue (todd2001, Section 2.2).
    Ppq(PpqSpec),
    /// TRAIN (todd2001, Section 2.3).
    Train(TrainSpec),
    /// Directed Flow Control (todd2001, Section 3).
    Dfc(DfcSpec),
}

/// Options of PPQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PpqSpec {
    /// Nominal bypass FIFO: what is sent leaves room for what arrives meanwhile.
    pub bypass_symbols: u32,
    /// When the echo of an accepted packet is made.
    pub late_echo: LateEcho,
    /// The effective priority in a bypass FIFO rises by 1 in so many cycles; `None`: not.
    pub ageing_cycles: Option<u64>,
    /// Do packets that hold a place in a full echo-waiting queue inherit the priority of what waits for it?
    pub inheritance: bool,
    /// Length of the event message that says so.
    pub event_symbols: u32,
}

/// When a PPQ node makes the echo of an accepted packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LateEcho {
    /// When its service starts: from then on it cannot be preempted.
    ServiceStart,
    /// When its service ends.
    ServiceEnd,
}

/// Options of TRAIN.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSpec {
    /// The node that makes the train.
    pub ticket_master: u32,
    /// Nominal bypass FIFO.
    pub bypass_symbols: u32,
    /// Length of a LocalMotive.
    pub locomotive_symbols: u32,
    /// Length of a ticket.
    pub ticket_symbols: u32,
    /// Cycles that a node takes to rewrite a train.
    pub delay_cycles: u64,
    /// Tickets that a node adds to a train.
    pub tickets_per_node: u32,
    /// Symbols that a train may grant; `None`: unlimited.
    pub size_symbols: Option<u32>,
    /// When there is arbitration.
    pub mode: TrainMode,
    /// Share of the bandwidth in use at which arbitration begins.
    pub shift_up: f64,
    /// Share of the train's size in a request train below which it ends.
    pub shift_down: f64,
    /// Do packets in an input queue inherit the priority of a ticket deleted because of them?
    pub inheritance: bool,
}

/// When TRAIN arbitrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainMode {
    /// Always.
    Arbitrated,
    /// Above a load; else the LocalMotive carries the bandwidth left.
    Switching,
    /// Above a load; else the ring is base SCI.
    Gearshift,
}

/// Options of DFC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DfcSpec {
    /// Nominal bypass FIFO.
    pub bypass_symbols: u32,
    /// Length of a control symbol.
    pub control_symbols: u32,
    /// Packets in an input queue from which on the node is blocked.
    pub high_water: u32,
    /// Packets in a blocked node's input queue at which it is released.
    pub low_water: u32,
    /// Are STOP-THRU symbols sent?
    pub stop_thru: bool,
    /// Are nodes with equal priorities granted in turn?
    pub fair: bool,
}

/// Which class of packets a node sends first at equal priority.
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

/// Go-bit extension: which idles created by stripping a packet copy the go bits of the last emitted idle (picker1994,
/// Section 2, which leaves the states open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extension {
    /// None do.
    None,
    /// Those that pass a node whose bypass FIFO is empty.
    Passing,
    /// Those, and the one absorbed in the idle behind an own packet if the bypass FIFO is empty then.
    AfterSend,
    /// Those, and the one absorbed in the idle behind an own packet in any case.
    Always,
}

/// What the idle behind an own packet carries while the bypass FIFO is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// Saved go bits of groups outside the block register; the others stay saved until the FIFO is empty.
    Unblocked,
    /// All saved go bits.
    All,
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

/// Delay before a refused packet is sent again (richter1997, Section 4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrySpec {
    /// How the delay grows with the number of refusals.
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

/// A source of packets at one node. Each flow is first in, first out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Node the packets start from.
    pub source: u32,
    /// Send priority, 0 is the lowest.
    pub priority: u8,
    /// When packets are generated.
    pub arrivals: ArrivalSpec,
    /// Packets that one arrival generates, at least 1: a message. A saturated flow has one.
    pub burst: u32,
    /// Cycles from an arrival in which its message is to be complete.
    pub deadline_cycles: Option<u64>,
    /// Send packet lengths in symbols with their probabilities, which sum to 1.
    pub sizes: Vec<(u32, f64)>,
    /// Length of the response that the service of a packet creates; `None`: none is.
    pub response_symbols: Option<u32>,
    /// Where packets go.
    pub destinations: DestinationSpec,
    /// Which transmission group a packet belongs to.
    pub groups: GroupSpec,
}

/// When packets are generated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// Always one packet waiting: the next is generated in the cycle in which the last leaves the transmit queue.
    Saturated {},
    /// In each cycle with this probability.
    Bernoulli {
        /// Packets per cycle, above 0 and at most 1.
        rate: f64,
    },
    /// A Poisson process, seen at whole cycles.
    Poisson {
        /// Packets per cycle, above 0.
        rate: f64,
    },
    /// A message at cycle 0, and each further one so many cycles after the last one is done at its source: its packets accepted, and answered if they ask for responses.
    Closed {
        /// Cycles in between, at least 1.
        pause_cycles: u64,
    },
    /// Packet `k` at `ceil(phase + k * period)`.
    Periodic {
        /// Cycles between packets, at least 1.
        period: f64,
        /// Cycle of the first packet, at least 0.
        phase: f64,
    },
    /// When a trace says: packets are handed in with [`Simulation::hand_in`](crate::Simulation::hand_in), with their destinations.
    Trace {
        /// Are they responses, to requests that other flows of the trace have sent?
        responses: bool,
        /// Do they wait for packets on which they depend? The same for all flows of a trace.
        dependence_driven: bool,
    },
}

/// Where packets go; never to their own source unless the ring has one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DestinationSpec {
    /// Every other node with equal probability.
    Uniform {},
    /// Always this node.
    Fixed {
        /// Destination.
        node: u32,
    },
    /// This node with the given probability, else one of the remaining nodes with equal probability.
    HotSpot {
        /// The hot node.
        node: u32,
        /// Probability of the hot node.
        probability: f64,
    },
    /// A node of a range, other than the source, with equal probability; or a local one.
    Range {
        /// First node of the range.
        first: u32,
        /// Nodes of the range.
        count: u32,
        /// The local node, which is then no part of the range.
        local: Option<u32>,
        /// Probability of the local node; 0 without one.
        probability: f64,
    },
    /// Node `j` with probability `weights[j]`; they sum to 1.
    Weighted {
        /// One probability per node.
        weights: Vec<f64>,
    },
}

/// Which transmission group a packet is assigned when it comes to the head of its transmit queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum GroupSpec {
    /// Always this group.
    Fixed {
        /// Group number.
        group: u8,
    },
    /// The group of the source-destination pair: `groups[destination]`.
    ByDestination {
        /// One group per node.
        groups: Vec<u8>,
    },
    /// Software rewrites the group register: from each step's cycle on, its group. The first step is at cycle 0.
    Schedule {
        /// Pairs of cycle and group, cycles strictly ascending.
        steps: Vec<(u64, u8)>,
    },
}

/// A spec that cannot be simulated: the field, what it holds, what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {value} is not allowed; {allowed}")]
pub struct SpecError {
    /// Path of the field, such as `flows[3].destinations.node`.
    pub path: String,
    /// The value found.
    pub value: String,
    /// What would be accepted.
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
fn is_distribution(probabilities: impl Iterator<Item = f64> + Clone) -> bool {
    probabilities.clone().all(|p| (0.0..=1.0).contains(&p)) && (probabilities.sum::<f64>() - 1.0).abs() < 1e-9
}

impl FlowControlSpec {
    /// Transmission groups that a packet may name.
    pub fn groups(&self) -> u8 {
        match self {
            Self::Grouped { groups, .. } => *groups,
            _ => 1,
        }
    }

    /// Priorities that a packet may have: SCI's own send priorities restrict the levels of the FIFOs.
    pub fn levels(&self, priorities: u16) -> u16 {
        match self {
            Self::Sci { priorities: own @ 2.., .. } => priorities.min(u16::from(*own)),
            _ => priorities,
        }
    }

    /// Nominal bypass FIFO of the protocols that send with packets in it.
    fn bypass_symbols(&self) -> Option<u32> {
        match self {
            Self::None {} | Self::Sci { .. } | Self::Grouped { .. } => None,
            Self::Ppq(options) => Some(options.bypass_symbols),
            Self::Train(options) => Some(options.bypass_symbols),
            Self::Dfc(options) => Some(options.bypass_symbols),
        }
    }
}

/// The bypass FIFO has room for the shortest packet and its idle.
fn check_bypass(symbols: u32) -> Result<(), SpecError> {
    let least = MIN_SEND_SYMBOLS + 1;
    check(symbols >= least, "flow_control.bypass_symbols", symbols, format!("at least {least} symbols"))
}

fn check_length(name: &str, symbols: u32) -> Result<(), SpecError> {
    let ok = (1..=MAX_SEND_SYMBOLS).contains(&symbols);
    check(ok, format!("flow_control.{name}"), symbols, format!("1 to {MAX_SEND_SYMBOLS} symbols"))
}

impl PpqSpec {
    fn validate(&self) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols)?;
        check(self.ageing_cycles != Some(0), "flow_control.ageing_cycles", 0, "at least 1 cycle")?;
        check_length("event_symbols", self.event_symbols)?;
        let fits = self.event_symbols < self.bypass_symbols;
        check(fits, "flow_control.event_symbols", self.event_symbols, "less than bypass_symbols")
    }
}

impl TrainSpec {
    fn validate(&self, nodes: u32) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols)?;
        let master = self.ticket_master;
        check(master < nodes, "flow_control.ticket_master", master, format!("a node below {nodes}"))?;
        check_length("locomotive_symbols", self.locomotive_symbols)?;
        check_length("ticket_symbols", self.ticket_symbols)?;
        let delay = self.delay_cycles;
        check(delay <= MAX_CYCLES, "flow_control.delay_cycles", delay, format!("at most {MAX_CYCLES}"))?;
        check(self.tickets_per_node >= 1, "flow_control.tickets_per_node", self.tickets_per_node, "at least 1")?;
        let size = self.size_symbols;
        check(size != Some(0), "flow_control.size_symbols", 0, "at least 1 symbol")?;
        let sized = size.is_some() || self.mode == TrainMode::Arbitrated;
        check(sized, "flow_control.size_symbols", "none", "a size, without which no mode can shift")?;
        for (name, share) in [("shift_up", self.shift_up), ("shift_down", self.shift_down)] {
            check((0.0..=1.0).contains(&share), format!("flow_control.{name}"), share, "0 to 1")?;
        }
        Ok(())
    }
}

impl DfcSpec {
    fn validate(&self, nodes: u32, capacity: Option<u32>) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols)?;
        check(nodes <= MAX_DFC_NODES, "nodes", nodes, format!("at most {MAX_DFC_NODES} with DFC"))?;
        check_length("control_symbols", self.control_symbols)?;
        let (low, high) = (self.low_water, self.high_water);
        let most = capacity.unwrap_or(u32::MAX);
        let allowed = format!("1 to {most}, the places of an input queue");
        check((1..=most).contains(&high), "flow_control.high_water", high, allowed)?;
        check(low < high, "flow_control.low_water", low, format!("below high_water = {high}"))
    }
}

impl NetworkSpec {
    /// Reads a spec from JSON and validates it.
    ///
    /// # Errors
    /// [`SpecError`] for malformed JSON (path `spec`) or the first rule that [`NetworkSpec::validate`] finds broken.
    pub fn from_json(text: &str) -> Result<Self, SpecError> {
        let spec: Self = serde_json::from_str(text).map_err(|error| SpecError {
            path: "spec".into(),
            value: error.to_string(),
            allowed: "JSON of a NetworkSpec".into(),
        })?;
        spec.validate()?;
        Ok(spec)
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that the simulator cannot accept.
    pub fn validate(&self) -> Result<(), SpecError> {
        let n = self.nodes;
        check((1..=MAX_NODES).contains(&n), "nodes", n, format!("1 to {MAX_NODES}"))?;
        let hop = self.hop_delay;
        check((1..=MAX_HOP_DELAY).contains(&hop), "hop_delay", hop, format!("1 to {MAX_HOP_DELAY} cycles"))?;
        let echo = self.echo_symbols;
        let most = ECHO_SYMBOLS + MAX_FRAMING_SYMBOLS;
        let allowed = format!("{ECHO_SYMBOLS} to {most} symbols");
        check((ECHO_SYMBOLS..=most).contains(&echo), "echo_symbols", echo, allowed)?;
        let levels = self.priorities;
        check((1..=MAX_LEVELS).contains(&levels), "priorities", levels, format!("1 to {MAX_LEVELS}"))?;
        match &self.flow_control {
            FlowControlSpec::None {} => {}
            &FlowControlSpec::Sci { priorities, .. } => check(
                (1..=MAX_PRIORITIES).contains(&priorities),
                "flow_control.priorities",
                priorities,
                format!("1 to {MAX_PRIORITIES}"),
            )?,
            &FlowControlSpec::Grouped { groups, .. } => {
                check((1..=MAX_GROUPS).contains(&groups), "flow_control.groups", groups, format!("1 to {MAX_GROUPS}"))?
            }
            FlowControlSpec::Ppq(options) => {
                options.validate()?;
                let reservation = self.retry.reservation;
                check(!reservation, "retry.reservation", reservation, "false with PPQ, which preempts instead")?;
            }
            FlowControlSpec::Train(options) => options.validate(n)?,
            FlowControlSpec::Dfc(options) => options.validate(n, self.receive_queue.capacity)?,
        }
        check(self.response_capacity != Some(0), "response_capacity", 0, "at least 1 response")?;
        check(self.window != Some(0), "window", 0, "at least 1 transaction")?;
        check(self.receive_queue.capacity != Some(0), "receive_queue.capacity", 0, "at least 1 packet")?;
        let service = self.receive_queue.service_cycles;
        check(service <= MAX_CYCLES, "receive_queue.service_cycles", service, format!("at most {MAX_CYCLES}"))?;
        let has_slots = self.network.as_ref().is_some_and(|network| network.host.slots.is_some());
        check(has_slots || self.transmit_capacity != Some(0), "transmit_capacity", 0, "at least 1 packet")?;
        check(self.outstanding_limit != Some(0), "outstanding_limit", 0, "at least 1 packet")?;
        let delay = self.retry.delay_cycles;
        check(delay <= MAX_CYCLES, "retry.delay_cycles", delay, format!("at most {MAX_CYCLES}"))?;
        let stall = self.stall_cycles;
        check((1..=MAX_CYCLES).contains(&stall), "stall_cycles", stall, format!("1 to {MAX_CYCLES}"))?;
        let digits = self.latency_digits;
        check((1..=4).contains(&digits), "latency_digits", digits, "1 to 4")?;
        for (index, flow) in self.flows.iter().enumerate() {
            flow.validate(self, &format!("flows[{index}]"))?;
        }
        self.network.as_ref().map_or(Ok(()), |network| self.validate_network(network))
    }

    /// What a network needs besides: a protocol that knows no other node of its ring, and routes for all flows.
    fn validate_network(&self, network: &TopologySpec) -> Result<(), SpecError> {
        let reach = network.validate(self.nodes, self.hop_delay)?;
        let stores = network.bypass == Forwarding::StoreAndForward;
        let (ok, allowed) = match self.flow_control {
            FlowControlSpec::None {} => (true, ""),
            FlowControlSpec::Sci { .. } => (!stores, "none where interfaces store what passes"),
            _ => (false, "none or sci in a network of several rings"),
        };
        check(ok, "flow_control.protocol", "this protocol", allowed)?;
        for (index, flow) in self.flows.iter().enumerate() {
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

impl FlowSpec {
    fn validate(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let n = spec.nodes;
        check(self.source < n, format!("{at}.source"), self.source, format!("a node below {n}"))?;
        let levels = spec.flow_control.levels(spec.priorities);
        check(
            u16::from(self.priority) < levels,
            format!("{at}.priority"),
            self.priority,
            format!("below {levels}, the number of priorities"),
        )?;
        let burst_ok = self.burst == 1 || (self.burst > 1 && !matches!(self.arrivals, ArrivalSpec::Saturated {}));
        check(burst_ok, format!("{at}.burst"), self.burst, "at least 1; 1 for a saturated flow")?;
        if let Some(deadline) = self.deadline_cycles {
            check(deadline <= MAX_CYCLES, format!("{at}.deadline_cycles"), deadline, format!("at most {MAX_CYCLES}"))?;
        }
        // Some of a packet must be left when its echo has been made of the rest.
        let shortest = MIN_SEND_SYMBOLS.max(spec.echo_symbols + 1);
        let longest_send = MAX_SEND_SYMBOLS + spec.echo_symbols - ECHO_SYMBOLS;
        let longest = spec.flow_control.bypass_symbols().map_or(longest_send, |bypass| longest_send.min(bypass - 1));
        if let Some(response) = self.response_symbols {
            let ok = (shortest..=longest).contains(&response);
            let allowed = format!("{shortest} to {longest} symbols");
            check(ok, format!("{at}.response_symbols"), response, allowed)?;
        }
        match self.arrivals {
            ArrivalSpec::Saturated {} => {}
            ArrivalSpec::Bernoulli { rate } => {
                check(rate > 0.0 && rate <= 1.0, format!("{at}.arrivals.rate"), rate, "above 0, at most 1 per cycle")?;
            }
            ArrivalSpec::Poisson { rate } => {
                let ok = rate > 0.0 && rate <= 1e3;
                check(ok, format!("{at}.arrivals.rate"), rate, "above 0, at most 1000 per cycle")?;
            }
            ArrivalSpec::Closed { pause_cycles } => {
                let ok = (1..=MAX_CYCLES).contains(&pause_cycles);
                check(ok, format!("{at}.arrivals.pause_cycles"), pause_cycles, format!("1 to {MAX_CYCLES}"))?;
            }
            ArrivalSpec::Trace { .. } => self.validate_trace(spec, at)?,
            ArrivalSpec::Periodic { period, phase } => {
                let range = 0.0..=MAX_CYCLES as f64;
                check(
                    period >= 1.0 && range.contains(&period),
                    format!("{at}.arrivals.period"),
                    period,
                    "at least 1 cycle",
                )?;
                check(range.contains(&phase), format!("{at}.arrivals.phase"), phase, "at least 0 cycles")?;
            }
        }
        check(!self.sizes.is_empty(), format!("{at}.sizes"), "an empty list", "at least one size")?;
        for &(symbols, _) in &self.sizes {
            check(
                (shortest..=longest).contains(&symbols),
                format!("{at}.sizes"),
                symbols,
                format!("{shortest} to {longest} symbols, what the bypass FIFO has room for"),
            )?;
        }
        let sizes_ok = is_distribution(self.sizes.iter().map(|size| size.1));
        check(sizes_ok, format!("{at}.sizes"), "a list of probabilities", "probabilities that sum to 1")?;
        self.validate_destinations(n, &format!("{at}.destinations"))?;
        self.validate_groups(spec, &format!("{at}.groups"))
    }

    fn validate_destinations(&self, n: u32, at: &str) -> Result<(), SpecError> {
        let elsewhere = |node: u32, field: &str| {
            let ok = node < n && (node != self.source || n == 1);
            check(ok, format!("{at}.{field}"), node, format!("a node below {n} other than the source {}", self.source))
        };
        match &self.destinations {
            DestinationSpec::Uniform {} => Ok(()),
            DestinationSpec::Fixed { node } => elsewhere(*node, "node"),
            DestinationSpec::HotSpot { node, probability } => {
                elsewhere(*node, "node")?;
                let ok = (0.0..=1.0).contains(probability);
                check(ok, format!("{at}.probability"), probability, "0 to 1")?;
                let ok = n > 2 || *probability == 1.0;
                check(ok, format!("{at}.probability"), probability, "1 on a ring without further nodes")
            }
            &DestinationSpec::Range { first, count, local, probability } => {
                let end = u64::from(first) + u64::from(count);
                let others =
                    (first..first.saturating_add(count)).filter(|&node| node != self.source && Some(node) != local);
                let ok = end <= u64::from(n) && (others.take(1).count() == 1 || probability == 1.0);
                let allowed = format!("a range of nodes below {n}, with one besides the source and the local node");
                check(ok, format!("{at}.count"), format!("{first} to {end}"), allowed)?;
                local.map_or(Ok(()), |node| elsewhere(node, "local"))?;
                let ok = (0.0..=1.0).contains(&probability) && (local.is_some() || probability == 0.0);
                check(ok, format!("{at}.probability"), probability, "0 to 1; 0 without a local node")
            }
            DestinationSpec::Weighted { weights } => {
                let len = weights.len();
                check(
                    len == n as usize,
                    format!("{at}.weights"),
                    format!("{len} weights"),
                    format!("{n}, one per node"),
                )?;
                let ok = is_distribution(weights.iter().copied());
                check(ok, format!("{at}.weights"), "a row", "probabilities that sum to 1")?;
                let own = weights[self.source as usize];
                let ok = own == 0.0 || n == 1;
                check(ok, format!("{at}.weights[{}]", self.source), own, "0: a node does not send to itself")
            }
        }
    }

    fn validate_groups(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let limit = spec.flow_control.groups();
        let group_ok = |group: u8, path: String| check(group < limit, path, group, format!("a group below {limit}"));
        match &self.groups {
            GroupSpec::Fixed { group } => group_ok(*group, format!("{at}.group")),
            GroupSpec::ByDestination { groups } => {
                let (len, n) = (groups.len(), spec.nodes);
                check(
                    len == n as usize,
                    format!("{at}.groups"),
                    format!("{len} groups"),
                    format!("{n}, one per node"),
                )?;
                groups.iter().enumerate().try_for_each(|(i, &group)| group_ok(group, format!("{at}.groups[{i}]")))
            }
            GroupSpec::Schedule { steps } => {
                let first = steps.first().map(|step| step.0);
                check(first == Some(0), format!("{at}.steps"), format!("{first:?}"), "a first step at cycle 0")?;
                let ascending = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
                check(ascending, format!("{at}.steps"), "a list of cycles", "strictly ascending cycles")?;
                steps.iter().enumerate().try_for_each(|(i, step)| group_ok(step.1, format!("{at}.steps[{i}]")))
            }
        }
    }
}
