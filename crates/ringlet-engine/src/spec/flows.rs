//! Sources of packets: when, how long, where to, in which group.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::messages::MessagesSpec;
use super::{Limits, MAX_CYCLES, MAX_PACKET_SYMBOLS, NetworkSpec, SpecError, TopologySpec, check, is_distribution};

/// A source of packets at one node. Each flow is first in, first out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Node the packets start from.
    pub source: u32,
    /// Send priority, 0 is the lowest.
    pub priority: u8,
    /// Times at which packets are generated.
    pub arrivals: ArrivalSpec,
    /// Packets that one arrival generates, at least 1: a message. A saturated flow has one.
    pub burst: u32,
    /// Cycles from an arrival in which its message is to be complete.
    pub deadline_cycles: Option<u64>,
    /// Send packet lengths in symbols with their probabilities, which sum to 1.
    pub sizes: Vec<(u32, f64)>,
    /// Length of the response that the service of a packet creates; `None`: none is.
    pub response_symbols: Option<u32>,
    /// Destinations of the packets.
    pub destinations: DestinationSpec,
    /// Transmission groups of the packets.
    pub groups: GroupSpec,
    /// Sizes and times of messages, one with each arrival; `None`: an arrival is `burst` packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Box<MessagesSpec>>,
}

impl FlowSpec {
    /// Send packets of one length from a node, of the lowest priority and in group 0. What differs is set in the
    /// fields.
    pub fn new(source: u32, destinations: DestinationSpec, arrivals: ArrivalSpec, symbols: u32) -> Self {
        Self {
            source,
            priority: 0,
            arrivals,
            burst: 1,
            deadline_cycles: None,
            sizes: vec![(symbols, 1.0)],
            response_symbols: None,
            destinations,
            groups: GroupSpec::Fixed { group: 0 },
            messages: None,
        }
    }
}

/// A check of each message of a closed flow when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatSpec {
    /// Probability that it finds the message bad, above 0 and below 1. It is sent again then.
    pub probability: f64,
    /// Cycles from the end of a bad message until it begins again, at least 1.
    pub check_cycles: u64,
}

/// The times at which packets are generated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// Always one packet waiting: the next is generated in the cycle in which the last leaves the transmit queue.
    Saturated {},
    /// A packet in each cycle, with this probability.
    Bernoulli {
        /// Packets per cycle, above 0 and at most 1.
        rate: f64,
    },
    /// A Poisson process, seen at whole cycles.
    Poisson {
        /// Packets per cycle, above 0.
        rate: f64,
    },
    /// A message at cycle 0, and each further one so many cycles after the last one is done at its source: its packets
    /// accepted, and answered if they need responses.
    Closed {
        /// Cycles in between, at least 1.
        pause_cycles: u64,
        /// Is a message done when all of it stands in transmit slots? Only in a network whose hosts have slots.
        #[serde(default)]
        posted: bool,
        /// Messages that the source finds bad and sends again. Only in a network whose hosts have slots.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeats: Option<RepeatSpec>,
    },
    /// Packet `k` at `ceil(phase + k * period)`.
    Periodic {
        /// Cycles between packets, at least 1.
        period: f64,
        /// Cycle of the first packet, at least 0.
        phase: f64,
    },
    /// The first one at `phase`, each further one after the period and a time that is drawn from an exponential
    /// distribution.
    Sporadic {
        /// Least cycles between packets, at least 1.
        period: f64,
        /// Cycle of the first packet, at least 0.
        phase: f64,
        /// Mean cycles of what is drawn, above 0.
        extra: f64,
    },
    /// Packets at equal distances of the time in which the source is on, which begins so. Times on and off are drawn,
    /// of an exponential distribution or, with a shape, of Pareto's.
    OnOff {
        /// Cycles of the time on between packets, at least 1.
        gap: f64,
        /// Mean cycles on, above 0.
        on: f64,
        /// Mean cycles off, above 0.
        off: f64,
        /// Shape of the Pareto distributions, above 1; `None`: exponential ones.
        #[serde(default)]
        shape: Option<f64>,
    },
    /// Messages at the times that the flow's messages list.
    Listed {},
    /// A window of messages at the start; and as often as one is done at its source, accepted or answered, or lost,
    /// another one after a think time.
    Window {
        /// Most messages that are under way or to come, 1 to [`MAX_WINDOW`].
        window: u32,
        /// Cycles from when one is done until the next one is due, at least 0; it is due a cycle later at the earliest.
        think_cycles: f64,
        /// Is that the mean of an exponential distribution, from which each time is drawn?
        drawn: bool,
    },
    /// A message after each one of another flow that has been delivered whole at the source of this one: its packets,
    /// or, if both have one source, the responses to them.
    After {
        /// The other flow, with messages of at most [`MAX_FOLLOWED_PACKETS`] packets.
        flow: u32,
        /// Cycles from the delivery of its last packet until the message is due; at least 1 counts.
        delay_cycles: u64,
    },
    /// Copies of the packets of another flow, alike but for its destination, which this one's only destination takes as
    /// they pass: this flow sends nothing, and counts what that receiver gets.
    Copies {
        /// The other flow.
        flow: u32,
    },
    /// Packets of a trace, handed in with [`Simulation::hand_in`](crate::Simulation::hand_in), with their destinations.
    Trace {
        /// Are they responses, to requests that other flows of the trace have sent?
        responses: bool,
        /// Do they wait for packets on which they depend? The same for all flows of a trace.
        dependence_driven: bool,
    },
    /// Packets of a program, handed in while the simulation runs with
    /// [`Simulation::inject`](crate::Simulation::inject), each with its destination, length, group and a priority up to
    /// that of the flow. A node has one such flow at most. Its size is the shortest that a packet may have.
    Injected {
        /// Length of the longest packet or response that may be injected; `None`: any that the links carry.
        #[serde(default)]
        most_symbols: Option<u32>,
    },
}

/// The destinations of packets; never their own source unless the ring has one node.
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
    /// A hot node with the given probability, else one of the remaining nodes with equal probability.
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

/// The transmission group that a packet is assigned when it comes to the head of its transmit queue.
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

impl NetworkSpec {
    /// Lengths that a send packet may have, in symbols.
    pub(crate) fn packet_symbols(&self, limits: &Limits) -> RangeInclusive<u32> {
        // Some of a packet must be left when its echo has been made of the rest.
        let shortest = self.format.min_send_symbols().max(self.format.echo_symbols + 1);
        let longest = MAX_PACKET_SYMBOLS + self.format.framing();
        shortest..=limits.bypass_symbols.map_or(longest, |bypass| longest.min(bypass - 1))
    }
}

impl FlowSpec {
    /// Returns the only destination; of several the number of no node.
    pub(crate) fn first_destination(&self) -> u32 {
        if let DestinationSpec::Fixed { node } = self.destinations { node } else { u32::MAX }
    }

    /// Returns this flow with its times in symbols of its ring, but its deadline in cycles of the network.
    pub(crate) fn in_symbols(&self, clock: Clock) -> Self {
        let arrivals = match self.arrivals {
            ArrivalSpec::Bernoulli { rate } => ArrivalSpec::Bernoulli { rate: clock.per_symbol(rate) },
            ArrivalSpec::Poisson { rate } => ArrivalSpec::Poisson { rate: clock.per_symbol(rate) },
            ArrivalSpec::Closed { pause_cycles, posted, repeats } => {
                let in_symbols = |it: RepeatSpec| RepeatSpec { check_cycles: clock.symbols(it.check_cycles), ..it };
                let repeats = repeats.map(in_symbols);
                ArrivalSpec::Closed { pause_cycles: clock.symbols(pause_cycles), posted, repeats }
            }
            ArrivalSpec::Periodic { period, phase } => {
                ArrivalSpec::Periodic { period: clock.exact_symbols(period), phase: clock.exact_symbols(phase) }
            }
            ArrivalSpec::Sporadic { period, phase, extra } => {
                let [period, phase, extra] = [period, phase, extra].map(|cycles| clock.exact_symbols(cycles));
                ArrivalSpec::Sporadic { period, phase, extra }
            }
            ArrivalSpec::OnOff { gap, on, off, shape } => {
                let [gap, on, off] = [gap, on, off].map(|cycles| clock.exact_symbols(cycles));
                ArrivalSpec::OnOff { gap, on, off, shape }
            }
            ArrivalSpec::Window { window, think_cycles, drawn } => {
                ArrivalSpec::Window { window, think_cycles: clock.exact_symbols(think_cycles), drawn }
            }
            ArrivalSpec::After { flow, delay_cycles } => {
                ArrivalSpec::After { flow, delay_cycles: clock.symbols(delay_cycles) }
            }
            other => other,
        };
        let groups = self.groups.in_symbols(clock);
        let messages = self.messages.as_ref().map(|messages| Box::new(messages.in_symbols(clock)));
        Self { arrivals, groups, messages, ..self.clone() }
    }

    pub(super) fn validate(&self, spec: &NetworkSpec, limits: &Limits, at: &str) -> Result<(), SpecError> {
        let n = spec.nodes;
        check(self.source < n, format!("{at}.source"), self.source, format!("a node below {n}"))?;
        let levels = spec.queues.priorities.min(limits.levels);
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
        let lengths = spec.packet_symbols(limits);
        let (shortest, longest) = (lengths.start(), lengths.end());
        if let Some(response) = self.response_symbols {
            let ok = lengths.contains(&response);
            let allowed = format!("{shortest} to {longest} symbols");
            check(ok, format!("{at}.response_symbols"), response, allowed)?;
        }
        match self.arrivals {
            ArrivalSpec::Saturated {} | ArrivalSpec::Copies { .. } => {}
            ArrivalSpec::Bernoulli { rate } => {
                check(rate > 0.0 && rate <= 1.0, format!("{at}.arrivals.rate"), rate, "above 0, at most 1 per cycle")?;
            }
            ArrivalSpec::Poisson { rate } => {
                let ok = rate > 0.0 && rate <= 1e3;
                check(ok, format!("{at}.arrivals.rate"), rate, "above 0, at most 1000 per cycle")?;
            }
            ArrivalSpec::Closed { pause_cycles, posted, repeats } => {
                let ok = (1..=MAX_CYCLES).contains(&pause_cycles);
                check(ok, format!("{at}.arrivals.pause_cycles"), pause_cycles, format!("1 to {MAX_CYCLES}"))?;
                let has_slots = |network: &TopologySpec| network.host_of(self.source).slots.is_some();
                let ok = !posted || spec.network.as_deref().is_some_and(has_slots);
                check(ok, format!("{at}.arrivals.posted"), posted, "false without network.host.slots to fill")?;
                if let Some(RepeatSpec { probability, check_cycles }) = repeats {
                    let at = format!("{at}.arrivals.repeats");
                    let ok = spec.network.as_deref().is_some_and(has_slots);
                    check(ok, at.clone(), "given", "none without network.host.slots to fill")?;
                    let ok = probability > 0.0 && probability < 1.0;
                    check(ok, format!("{at}.probability"), probability, "above 0 and below 1")?;
                    let ok = (1..=MAX_CYCLES).contains(&check_cycles);
                    check(ok, format!("{at}.check_cycles"), check_cycles, format!("1 to {MAX_CYCLES}"))?;
                }
            }
            ArrivalSpec::Trace { .. } => self.validate_trace(spec, at)?,
            ArrivalSpec::Injected { most_symbols } => self.validate_injected(&lengths, most_symbols, at)?,
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
            ArrivalSpec::Sporadic { period, phase, extra } => {
                for (field, cycles, least) in [("period", period, 1.0), ("phase", phase, 0.0), ("extra", extra, 1e-6)] {
                    check_cycles(cycles, least, format!("{at}.arrivals.{field}"))?;
                }
            }
            ArrivalSpec::OnOff { gap, on, off, shape } => {
                for (field, cycles, least) in [("gap", gap, 1e-3), ("on", on, 1e-3), ("off", off, 1e-3)] {
                    check_cycles(cycles, least, format!("{at}.arrivals.{field}"))?;
                }
                let shape = shape.unwrap_or(2.0);
                check(shape > 1.0 && shape <= 1e3, format!("{at}.arrivals.shape"), shape, "above 1, at most 1000")?;
            }
            ArrivalSpec::Listed {} => {
                check(self.messages.is_some(), format!("{at}.arrivals"), "listed", "messages that list their times")?;
            }
            ArrivalSpec::Window { .. } | ArrivalSpec::After { .. } => self.validate_prompted(spec, at)?,
        }
        if let Some(messages) = &self.messages {
            let original = self.copied().and_then(|flow| spec.flows.get(flow as usize)).unwrap_or(self);
            messages.validate(matches!(original.arrivals, ArrivalSpec::Listed {}), at)?;
            let (burst, lengths) = (self.burst, self.sizes.len());
            check(burst == 1, format!("{at}.messages.burst"), burst, "1 where messages have sizes of their own")?;
            check(
                lengths == 1,
                format!("{at}.messages.sizes"),
                lengths,
                "packets of one length, where messages have sizes",
            )?;
            let drawn = matches!(
                self.arrivals,
                ArrivalSpec::Bernoulli { .. }
                    | ArrivalSpec::Poisson { .. }
                    | ArrivalSpec::Periodic { .. }
                    | ArrivalSpec::Sporadic { .. }
                    | ArrivalSpec::OnOff { .. }
                    | ArrivalSpec::Listed {}
                    | ArrivalSpec::Window { .. }
                    | ArrivalSpec::After { .. }
                    | ArrivalSpec::Copies { .. }
                    | ArrivalSpec::Saturated {}
            );
            check(
                drawn,
                format!("{at}.arrivals"),
                "others",
                "arrivals with times of their own, or saturated ones, where they are messages",
            )?;
            if matches!(original.arrivals, ArrivalSpec::Saturated {}) {
                messages.validate_saturated(at)?;
            }
        }
        check(!self.sizes.is_empty(), format!("{at}.sizes"), "an empty list", "at least one size")?;
        for &(symbols, _) in &self.sizes {
            check(
                lengths.contains(&symbols),
                format!("{at}.sizes"),
                symbols,
                format!("{shortest} to {longest} symbols, what the flow control has room for"),
            )?;
        }
        let sizes_ok = is_distribution(self.sizes.iter().map(|size| size.1));
        check(sizes_ok, format!("{at}.sizes"), "a list of probabilities", "probabilities that sum to 1")?;
        self.validate_destinations(n, &format!("{at}.destinations"))?;
        self.groups.validate(spec.nodes, limits.groups, &format!("{at}.groups"))
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
}

impl GroupSpec {
    /// Returns these groups with their steps in symbols of a ring.
    pub(crate) fn in_symbols(&self, clock: Clock) -> Self {
        match self {
            Self::Schedule { steps } => {
                Self::Schedule { steps: steps.iter().map(|&(from, group)| (clock.symbols(from), group)).collect() }
            }
            other => other.clone(),
        }
    }

    /// Checks that all groups are below `limit`, on a network of `n` nodes.
    pub(crate) fn validate(&self, n: u32, limit: u16, at: &str) -> Result<(), SpecError> {
        let group_ok =
            |group: u8, path: String| check(u16::from(group) < limit, path, group, format!("a group below {limit}"));
        match self {
            Self::Fixed { group } => group_ok(*group, format!("{at}.group")),
            Self::ByDestination { groups } => {
                let len = groups.len();
                check(
                    len == n as usize,
                    format!("{at}.groups"),
                    format!("{len} groups"),
                    format!("{n}, one per node"),
                )?;
                groups.iter().enumerate().try_for_each(|(i, &group)| group_ok(group, format!("{at}.groups[{i}]")))
            }
            Self::Schedule { steps } => {
                let first = steps.first().map(|step| step.0);
                check(first == Some(0), format!("{at}.steps"), format!("{first:?}"), "a first step at cycle 0")?;
                let ascending = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
                check(ascending, format!("{at}.steps"), "a list of cycles", "strictly ascending cycles")?;
                steps.iter().enumerate().try_for_each(|(i, step)| group_ok(step.1, format!("{at}.steps[{i}]")))
            }
        }
    }
}

/// A time, in cycles, is a number from `least` on.
fn check_cycles(cycles: f64, least: f64, path: String) -> Result<(), SpecError> {
    let ok = (least..=MAX_CYCLES as f64).contains(&cycles);
    check(ok, path, cycles, format!("{least} to {MAX_CYCLES} cycles"))
}
