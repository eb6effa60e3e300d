//! The queues of nodes: their capacities, their limits, and when a packet is sent again.

use serde::{Deserialize, Serialize};

use super::{Clock, MAX_CYCLES, MAX_LEVELS, PerNode, SpecError, check};

/// The queues of all nodes and ports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuesSpec {
    /// Levels of the prioritised FIFOs, 1 to [`MAX_LEVELS`]; every priority is below it.
    pub priorities: u16,
    /// Class that goes first at equal priority.
    pub order: ClassOrder,
    /// A node's request queue, and its response queue.
    pub receive: PerNode<ReceiveQueueSpec>,
    /// Limits of a node; the common ones are those of ports, too.
    pub limits: PerNode<HostLimitsSpec>,
    /// Time that a request waits for its response; `None`: for ever.
    #[serde(default)]
    pub response_timeout: Option<ResponseTimeoutSpec>,
    /// Do receivers reserve places for refused packets, by A/B ageing?
    pub reservation: bool,
}

/// The class of packets that a node sends first at equal priority.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassOrder {
    /// The one that did not leave last.
    #[default]
    Alternate,
    /// Responses.
    ResponseFirst,
    /// Requests.
    RequestFirst,
    /// The one that has waited longest.
    Oldest,
}

/// A receive queue with one server; by default unlimited, with a service that takes no time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// The limits of one node; by default none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostLimitsSpec {
    /// Responses created and not yet accepted with which a node serves no further request; `None`: unlimited.
    pub response_capacity: Option<u32>,
    /// Requests a transmit queue holds, the head included; `None`: unlimited. What arrives at a full queue is lost.
    pub transmit_capacity: Option<u32>,
    /// Packets of each class that a node may have sent and not yet seen accepted; `None`: unlimited.
    pub outstanding_limit: Option<u32>,
    /// Transactions that a node may have begun and not yet completed; `None`: unlimited.
    pub window: Option<u32>,
    /// Delay after which the node sends a packet again that a full receive queue has refused, or, where receivers
    /// wait, lets it be sent again.
    pub retry: RetrySpec,
}

/// Delay before a refused packet is sent again (richter1997, Section 4.6); by default none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrySpec {
    /// Growth of the delay with the number of refusals.
    pub strategy: RetryStrategy,
    /// Cycles from the end of the first busy echo until the packet may be sent again.
    pub delay_cycles: u64,
}

/// Delay `d_k` after the `k`-th refusal of one packet, `k` from 1, with `d` the start delay.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryStrategy {
    /// `d_k = d`.
    #[default]
    Constant,
    /// `d_k = k d`.
    Linear,
    /// `d_k = 2^(k-1) d`.
    Exponential,
}

impl Default for QueuesSpec {
    /// Queues of one priority without limits, services that take no time, refused packets that are sent again at once.
    fn default() -> Self {
        Self {
            priorities: 1,
            order: ClassOrder::default(),
            receive: PerNode::default(),
            limits: PerNode::default(),
            response_timeout: None,
            reservation: false,
        }
    }
}

impl QueuesSpec {
    /// Returns the queues that one ring of a network has, as far as a protocol's options depend on them: the shortest
    /// receive queue and the loosest outstanding limit, at each place.
    pub(super) fn of_ring(&self, has_ports: bool) -> Self {
        let outstanding_limit = self.loosest_outstanding_limit(has_ports);
        Self {
            receive: self.least_receive_queue().into(),
            limits: HostLimitsSpec { outstanding_limit, ..self.limits.common }.into(),
            ..*self
        }
    }

    /// The loosest outstanding limit of a node or port.
    pub(super) fn loosest_outstanding_limit(&self, has_ports: bool) -> Option<u32> {
        let common = (self.limits.each.is_none() || has_ports).then_some(&self.limits.common);
        let each = self.limits.own().chain(common).map(|limits| limits.outstanding_limit.unwrap_or(u32::MAX));
        each.max().filter(|&loosest| loosest < u32::MAX)
    }

    /// The receive queue with the fewest places.
    pub(super) fn least_receive_queue(&self) -> ReceiveQueueSpec {
        *self.receive.least_by_key(|queue| queue.capacity.unwrap_or(u32::MAX))
    }

    pub(super) fn check_priorities(&self) -> Result<(), SpecError> {
        let levels = self.priorities;
        check((1..=MAX_LEVELS).contains(&levels), "queues.priorities", levels, format!("1 to {MAX_LEVELS}"))
    }

    /// Checks the queues of a ring of so many nodes; `has_slots` says of a node, or of ports (`None`), whether it sends
    /// from slots, which may hold nothing.
    pub(super) fn validate(&self, nodes: u32, has_slots: impl Fn(Option<u32>) -> bool) -> Result<(), SpecError> {
        // Where all nodes have their own, these are those of ports.
        self.limits.common.validate(self.limits.each.is_some() || has_slots(None), "queues.limits.common")?;
        self.limits.check_count(nodes as usize, "queues.limits", "node")?;
        for (node, own) in (0..).zip(self.limits.own()) {
            own.validate(has_slots(Some(node)), &format!("queues.limits.each[{node}]"))?;
        }
        if let Some(ResponseTimeoutSpec { timeout_cycles: cycles, .. }) = self.response_timeout {
            let allowed = format!("1 to {MAX_CYCLES} cycles");
            check((1..=MAX_CYCLES).contains(&cycles), "queues.response_timeout.timeout_cycles", cycles, allowed)?;
        }
        self.receive.check_count(nodes as usize, "queues.receive", "node")?;
        self.receive.check_all("queues.receive", ReceiveQueueSpec::validate)
    }
}

impl HostLimitsSpec {
    /// Returns these limits with their times in symbols of a ring with this clock.
    pub(crate) fn of_ring(self, clock: Clock) -> Self {
        let delay_cycles = clock.symbols(self.retry.delay_cycles);
        Self { retry: RetrySpec { delay_cycles, ..self.retry }, ..self }
    }

    /// Checks the limits of a node with slots or without.
    fn validate(&self, slots: bool, path: &str) -> Result<(), SpecError> {
        let not_none = |limit: Option<u32>, name: &str, allowed: &str| {
            check(limit != Some(0), format!("{path}.{name}"), 0, allowed)
        };
        not_none(self.response_capacity, "response_capacity", "at least 1 response")?;
        not_none(self.window, "window", "at least 1 transaction")?;
        not_none(self.outstanding_limit, "outstanding_limit", "at least 1 packet")?;
        if !slots {
            not_none(self.transmit_capacity, "transmit_capacity", "at least 1 packet")?;
        }
        let delay = self.retry.delay_cycles;
        check(delay <= MAX_CYCLES, format!("{path}.retry.delay_cycles"), delay, format!("at most {MAX_CYCLES}"))
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

impl RetrySpec {
    /// Cycles to wait after the `refusals`-th refusal of a packet, from 1 (richter1997, Section 4.6;
    /// docs/explanation/model.md, "Strip"); no more than [`MAX_CYCLES`], however often it is refused.
    pub fn delay_after(&self, refusals: u32) -> u64 {
        let start = self.delay_cycles;
        let delay = match self.strategy {
            RetryStrategy::Constant => start,
            RetryStrategy::Linear => start.saturating_mul(refusals.into()),
            RetryStrategy::Exponential => {
                start.saturating_mul(1u64.checked_shl(refusals.saturating_sub(1)).unwrap_or(u64::MAX))
            }
        };
        delay.min(MAX_CYCLES)
    }
}
