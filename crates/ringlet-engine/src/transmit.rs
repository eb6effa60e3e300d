//! The transmit queue: flows, their waiting packets, refused packets, and the choice of the head (docs/model.md, "Transmit queue").

use std::collections::VecDeque;

use crate::measure::{FlowCounters, Population};
use crate::packet::{Packet, Packets};
use crate::protocols::Head;
use crate::spec::{FlowSpec, GroupSpec, NetworkSpec, RetrySpec, RetryStrategy};
use crate::traffic::Source;

/// Never.
pub(crate) const NEVER: u64 = u64::MAX;

/// One flow at its source node.
#[derive(Debug)]
pub(crate) struct Flow {
    source: Source,
    priority: u8,
    groups: GroupSpec,
    /// Generation cycles of the accepted packets that wait, oldest first. A saturated flow has none: its packet is `available_from`.
    waiting: VecDeque<u64>,
    /// A saturated flow's next packet is generated in this cycle.
    saturated_from: u64,
    /// The oldest waiting packet, once it has been head and had to yield.
    drawn: Option<u32>,
}

impl Flow {
    pub(crate) fn new(spec: &NetworkSpec, index: usize) -> Self {
        let flow: &FlowSpec = &spec.flows[index];
        Self {
            source: Source::new(spec.seed, index, flow, spec.nodes),
            priority: flow.priority,
            groups: flow.groups.clone(),
            waiting: VecDeque::new(),
            saturated_from: 0,
            drawn: None,
        }
    }

    fn is_saturated(&self) -> bool {
        self.source.next_arrival().is_none()
    }

    /// Cycle in which the oldest waiting packet was generated, if there is one.
    #[inline]
    fn oldest(&self) -> Option<u64> {
        if self.is_saturated() { Some(self.saturated_from) } else { self.waiting.front().copied() }
    }

    /// Group in force for a packet that becomes head in cycle `now`.
    fn group(&self, destination: u32, now: u64) -> u8 {
        match &self.groups {
            GroupSpec::Fixed { group } => *group,
            GroupSpec::ByDestination { groups } => groups[destination as usize],
            GroupSpec::Schedule { steps } => steps[steps.partition_point(|step| step.0 <= now) - 1].1,
        }
    }

    fn draw(&mut self, node: u32) -> Packet {
        let (destination, symbols) = self.source.draw_packet();
        Packet {
            generated: self.oldest().expect("a flow draws for a waiting packet"),
            flow: 0,
            refusals: 0,
            source: node as u16,
            destination: destination as u16,
            symbols: symbols as u16,
            group: 0,
            priority: self.priority,
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let groups = match &self.groups {
            GroupSpec::Fixed { .. } => 0,
            GroupSpec::ByDestination { groups } => groups.capacity(),
            GroupSpec::Schedule { steps } => steps.capacity() * size_of::<(u64, u8)>(),
        };
        groups + self.waiting.capacity() * size_of::<u64>() + self.source.heap_bytes()
    }
}

/// A packet that waits to be sent again.
#[derive(Debug, Clone, Copy)]
struct Refused {
    packet: u32,
    /// Cycle of its busy echo.
    at: u64,
    /// Cycle from which it may be sent.
    ready: u64,
}

/// What a head is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The oldest waiting packet of its flow.
    Flow,
    /// A refused packet; the cycle of its busy echo.
    Retry(u64),
}

/// The flows of the whole ring and what they share.
#[derive(Debug)]
pub(crate) struct Flows {
    pub(crate) flows: Vec<Flow>,
    pub(crate) counters: Vec<FlowCounters>,
    pub(crate) packets: Packets,
    pub(crate) outstanding_limit: u32,
    pub(crate) transmit_capacity: u64,
    pub(crate) retry: RetrySpec,
}

/// One node's transmit queue.
#[derive(Debug)]
pub(crate) struct TransmitQueue {
    node: u32,
    /// Numbers of the node's flows.
    own: Box<[u32]>,
    head: Option<(u32, Origin)>,
    head_is_fixed: bool,
    /// Packets sent and not yet accepted.
    outstanding: u32,
    /// Refused packets, first refused first.
    retries: VecDeque<Refused>,
    /// Next cycle in which something may change the head: an arrival, a retry getting ready.
    pub(crate) next_event: u64,
    pub(crate) population: Population,
}

impl TransmitQueue {
    pub(crate) fn new(node: u32, own: Vec<u32>) -> Self {
        Self {
            node,
            next_event: if own.is_empty() { NEVER } else { 0 },
            own: own.into(),
            head: None,
            head_is_fixed: false,
            outstanding: 0,
            retries: VecDeque::new(),
            population: Population::default(),
        }
    }

    /// Takes in what is generated at cycle 0, where saturated flows have their first packet.
    pub(crate) fn start(&mut self, all: &mut Flows) {
        for place in 0..self.own.len() {
            let index = self.own[place] as usize;
            if all.flows[index].is_saturated() {
                self.generate_saturated(&mut all.counters[index], 0);
            } else if all.flows[index].source.next_arrival() == Some(0) {
                self.take_arrival(all, index);
            }
        }
    }

    #[inline]
    fn generate_saturated(&mut self, counters: &mut FlowCounters, now: u64) {
        counters.generated_packets += 1;
        self.population.enter(now);
    }

    /// Would the end of one more accepted packet let a new one become head?
    #[inline]
    pub(crate) fn is_at_limit(&self, all: &Flows) -> bool {
        self.outstanding == all.outstanding_limit
    }

    #[inline]
    fn flow_indices(&self) -> impl Iterator<Item = usize> + use<'_> {
        self.own.iter().map(|&flow| flow as usize)
    }

    /// Index of the head in the packet arena.
    #[inline]
    pub(crate) fn head(&self) -> Option<u32> {
        self.head.map(|head| head.0)
    }

    /// Does anything wait to be sent?
    pub(crate) fn has_waiting(&self) -> bool {
        self.head.is_some() || !self.retries.is_empty() || self.population.inside() > 0
    }

    /// Does a refused packet wait for the end of its retry delay?
    pub(crate) fn has_delayed_retry(&self, now: u64) -> bool {
        self.retries.iter().any(|refused| refused.ready > now)
    }

    /// The head is being sent and stays.
    #[inline]
    pub(crate) fn fix_head(&mut self) {
        self.head_is_fixed = true;
        self.next_event = NEVER;
    }

    /// Handles all events up to cycle `now`; returns whether the head changed.
    #[inline]
    pub(crate) fn catch_up(&mut self, all: &mut Flows, now: u64) -> bool {
        let mut changed = false;
        while self.next_event <= now {
            let at = self.next_event;
            self.take_arrivals(all, at);
            changed |= self.choose(all, at);
        }
        changed
    }

    /// Takes in all arrivals up to cycle `now`, in order.
    pub(crate) fn take_arrivals(&mut self, all: &mut Flows, now: u64) {
        loop {
            let mut earliest = (NEVER, 0);
            for index in self.flow_indices() {
                if let Some(at) = all.flows[index].source.next_arrival()
                    && at < earliest.0
                {
                    earliest = (at, index);
                }
            }
            let (at, index) = earliest;
            if at > now {
                return;
            }
            self.take_arrival(all, index);
        }
    }

    /// Takes in the next arrival of flow `index`; a full queue loses it.
    fn take_arrival(&mut self, all: &mut Flows, index: usize) {
        let at = all.flows[index].source.take_arrival();
        all.counters[index].generated_packets += 1;
        if self.population.inside() < all.transmit_capacity {
            all.flows[index].waiting.push_back(at);
            self.population.enter(at);
        } else {
            all.counters[index].lost_packets += 1;
        }
    }

    /// The head has been sent completely in cycle `now`; chooses the next one. Returns the packet that left.
    pub(crate) fn leave(&mut self, all: &mut Flows, now: u64) -> u32 {
        let (packet, origin) = self.head.take().expect("a sent packet is the head");
        self.take_arrivals(all, now);
        if origin == Origin::Flow {
            self.outstanding += 1;
            self.population.leave(now);
            let flow = &mut all.flows[all.packets[packet].flow as usize];
            if flow.is_saturated() {
                flow.saturated_from = now;
                let index = all.packets[packet].flow as usize;
                self.generate_saturated(&mut all.counters[index], now);
            } else {
                flow.waiting.pop_front();
            }
        }
        self.head_is_fixed = false;
        packet
    }

    /// Chooses the head in cycle `now`, for which all arrivals have been taken; returns whether it changed.
    pub(crate) fn choose(&mut self, all: &mut Flows, now: u64) -> bool {
        debug_assert!(!self.head_is_fixed);
        let current = self.head.map(|(packet, _)| all.packets[packet].priority);
        let may_send_new = self.outstanding < all.outstanding_limit;
        // Highest priority first, then retries, then the oldest, then the first flow.
        let mut best: Option<(u8, usize, Origin)> = None;
        for (place, refused) in self.retries.iter().enumerate() {
            let priority = all.packets[refused.packet].priority;
            if refused.ready <= now && best.is_none_or(|best| priority > best.0) {
                best = Some((priority, place, Origin::Retry(refused.at)));
            }
        }
        if may_send_new {
            let mut best_age = NEVER;
            for index in self.flow_indices() {
                let flow = &all.flows[index];
                let Some(generated) = flow.oldest().filter(|&generated| generated <= now) else { continue };
                let better = match best {
                    None => true,
                    Some((priority, _, Origin::Retry(_))) => flow.priority > priority,
                    Some((priority, _, Origin::Flow)) => {
                        flow.priority > priority || (flow.priority == priority && generated < best_age)
                    }
                };
                if better {
                    best_age = generated;
                    best = Some((flow.priority, index, Origin::Flow));
                }
            }
        }
        let changed = match best {
            Some((priority, place, origin)) if current.is_none_or(|current| priority > current) => {
                let packet = self.take(all, place, origin, now);
                self.yield_head(all);
                self.head = Some((packet, origin));
                true
            }
            _ => false,
        };
        self.next_event = self.find_next_event(all, now);
        changed
    }

    /// The head goes back to where it came from.
    fn yield_head(&mut self, all: &mut Flows) {
        match self.head.take() {
            None => {}
            Some((packet, Origin::Flow)) => {
                let flow = all.packets[packet].flow as usize;
                all.flows[flow].drawn = Some(packet);
            }
            Some((packet, Origin::Retry(at))) => {
                let place = self.retries.partition_point(|other| other.at < at);
                self.retries.insert(place, Refused { packet, at, ready: at });
            }
        }
    }

    fn take(&mut self, all: &mut Flows, place: usize, origin: Origin, now: u64) -> u32 {
        let packet = match origin {
            Origin::Retry(_) => self.retries.remove(place).expect("the place was just found").packet,
            Origin::Flow => {
                let flow = &mut all.flows[place];
                match flow.drawn.take() {
                    Some(packet) => packet,
                    None => all.packets.insert(Packet { flow: place as u32, ..flow.draw(self.node) }),
                }
            }
        };
        if origin == Origin::Flow {
            let destination = u32::from(all.packets[packet].destination);
            all.packets[packet].group = all.flows[place].group(destination, now);
        }
        packet
    }

    /// The next cycle in which the head may change: with a head, only something of higher priority can change it.
    fn find_next_event(&self, all: &Flows, now: u64) -> u64 {
        let above = self.head.map(|(packet, _)| all.packets[packet].priority);
        let matters = |priority: u8| above.is_none_or(|above| priority > above);
        let mut next = NEVER;
        for refused in &self.retries {
            if refused.ready > now && matters(all.packets[refused.packet].priority) {
                next = next.min(refused.ready);
            }
        }
        if self.outstanding < all.outstanding_limit {
            for index in self.flow_indices() {
                let flow = &all.flows[index];
                if !matters(flow.priority) {
                    continue;
                }
                // Arrivals may have been taken further than to this cycle.
                let arrival = flow.waiting.front().copied().or_else(|| flow.source.next_arrival());
                if let Some(at) = arrival.filter(|&at| at > now) {
                    next = next.min(at);
                }
            }
        }
        next
    }

    /// What a protocol may see of the head.
    #[inline]
    pub(crate) fn head_view(&self, packets: &Packets) -> Option<Head> {
        self.head.map(|(packet, _)| {
            let packet = &packets[packet];
            Head { group: packet.group, priority: packet.priority }
        })
    }

    /// An echo says accepted: the packet's life at its source is over. Takes effect in cycle `now`.
    #[inline]
    pub(crate) fn accepted(&mut self, all: &mut Flows, packet: u32, now: u64) {
        all.packets.remove(packet);
        let was_full = self.outstanding == all.outstanding_limit;
        self.outstanding -= 1;
        if was_full && !self.head_is_fixed {
            self.next_event = self.next_event.min(now);
        }
    }

    /// An echo says busy: the packet will be sent again. Takes effect in cycle `now`.
    pub(crate) fn refused(&mut self, all: &mut Flows, packet: u32, now: u64) {
        let refusals = all.packets[packet].refusals + 1;
        all.packets[packet].refusals = refusals;
        let ready = now.saturating_add(delay(&all.retry, refusals));
        self.retries.push_back(Refused { packet, at: now, ready });
        if !self.head_is_fixed {
            self.next_event = self.next_event.min(ready);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.retries.capacity() * size_of::<Refused>() + size_of_val(&*self.own)
    }
}

/// Cycles to wait after the `refusals`-th refusal (richter1997, Section 4.6).
fn delay(retry: &RetrySpec, refusals: u32) -> u64 {
    let start = retry.delay_cycles;
    match retry.strategy {
        RetryStrategy::Constant => start,
        RetryStrategy::Linear => start.saturating_mul(u64::from(refusals)),
        RetryStrategy::Exponential => start.saturating_mul(1u64.checked_shl(refusals - 1).unwrap_or(u64::MAX)),
    }
}
