//! A node's transmit queue: waiting packets of its flows, refused packets, and the head.

use std::cmp::Reverse;
use std::collections::VecDeque;

use ringlet_engine::spec::{ArrivalSpec, GroupSpec, NetworkSpec, RetrySpec, RetryStrategy};
use ringlet_engine::traffic::Source;

/// One send packet, from its generation on.
#[derive(Debug, Clone)]
pub(crate) struct Packet {
    pub(crate) flow: usize,
    pub(crate) source: u32,
    pub(crate) destination: u32,
    pub(crate) symbols: u32,
    pub(crate) priority: u8,
    /// Cycle of generation.
    pub(crate) generated: u64,
    /// Busy echoes so far.
    pub(crate) refusals: u32,
    /// A receive queue has taken it.
    pub(crate) accepted: bool,
    /// The group it was last sent in.
    pub(crate) group: u8,
}

/// Counts of one flow at its source.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FlowCounts {
    pub(crate) generated: u64,
    pub(crate) lost: u64,
    pub(crate) sent: u64,
    pub(crate) retries: u64,
}

#[derive(Debug)]
struct Flow {
    index: usize,
    priority: u8,
    groups: GroupSpec,
    source: Source,
    saturated: bool,
    /// Packet numbers, the oldest first.
    waiting: VecDeque<usize>,
    counts: FlowCounts,
}

/// A packet on the retry list.
#[derive(Debug, Clone, Copy)]
struct Refused {
    packet: usize,
    /// Cycle of its last busy echo's last symbol: no two packets of a node share it.
    at: u64,
    /// First cycle in which it may be sent again.
    ready: u64,
}

/// The packet at the head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) packet: usize,
    pub(crate) group: u8,
    pub(crate) priority: u8,
    /// Where it came from, if it came from the retry list.
    refused: Option<Refused>,
}

impl Head {
    pub(crate) fn is_retry(&self) -> bool {
        self.refused.is_some()
    }
}

/// Who may become head.
#[derive(Debug, Clone, Copy)]
enum Candidate {
    /// Place on the retry list.
    Refused(usize),
    /// Place among the node's flows.
    New(usize),
}

/// A node's transmit queue and retry list.
#[derive(Debug)]
pub(crate) struct TransmitQueue {
    node: u32,
    capacity: Option<u32>,
    outstanding_limit: Option<u32>,
    retry: RetrySpec,
    /// In the order of the spec.
    flows: Vec<Flow>,
    /// In the order of refusal.
    refused: Vec<Refused>,
    pub(crate) head: Option<Head>,
    /// Packets sent and not yet accepted.
    pub(crate) outstanding: u32,
    /// Most packets just after one was taken in.
    pub(crate) max: u64,
}

impl TransmitQueue {
    pub(crate) fn new(spec: &NetworkSpec, node: u32) -> Self {
        let flows = spec.flows.iter().enumerate().filter(|(_, flow)| flow.source == node).map(|(index, flow)| Flow {
            index,
            priority: flow.priority,
            groups: flow.groups.clone(),
            source: Source::new(spec.seed, index, flow, spec.nodes),
            saturated: matches!(flow.arrivals, ArrivalSpec::Saturated {}),
            waiting: VecDeque::new(),
            counts: FlowCounts::default(),
        });
        Self {
            node,
            capacity: spec.transmit_capacity,
            outstanding_limit: spec.outstanding_limit,
            retry: spec.retry,
            flows: flows.collect(),
            refused: Vec::new(),
            head: None,
            outstanding: 0,
            max: 0,
        }
    }

    /// Packets in the queue: a new one at the head and all that wait; refused packets never.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.head.is_some_and(|head| !head.is_retry()))
            + self.flows.iter().map(|flow| flow.waiting.len() as u64).sum::<u64>()
    }

    /// Counts of the flow with this number in the spec.
    pub(crate) fn counts(&self, flow: usize) -> FlowCounts {
        self.flows.iter().find(|of| of.index == flow).expect("a flow of this node").counts
    }

    /// Takes in the arrivals of cycle `cycle`, flow by flow; those that find the queue full are lost.
    pub(crate) fn take_arrivals(&mut self, cycle: u64, packets: &mut Vec<Packet>) {
        for place in 0..self.flows.len() {
            if self.flows[place].saturated {
                if cycle == 0 {
                    self.generate(place, cycle, packets);
                }
                continue;
            }
            while self.flows[place].source.next_arrival().is_some_and(|arrival| arrival <= cycle) {
                let arrival = self.flows[place].source.take_arrival();
                if self.capacity.is_some_and(|capacity| self.len() >= u64::from(capacity)) {
                    self.flows[place].counts.generated += 1;
                    self.flows[place].counts.lost += 1;
                } else {
                    self.generate(place, arrival, packets);
                }
            }
        }
    }

    /// Puts a new packet at the end of a flow.
    fn generate(&mut self, place: usize, cycle: u64, packets: &mut Vec<Packet>) {
        let flow = &mut self.flows[place];
        let (destination, symbols) = flow.source.draw_packet();
        flow.waiting.push_back(packets.len());
        flow.counts.generated += 1;
        packets.push(Packet {
            flow: flow.index,
            source: self.node,
            destination,
            symbols,
            priority: flow.priority,
            generated: cycle,
            refusals: 0,
            accepted: false,
            group: 0,
        });
        self.max = self.max.max(self.len());
    }

    /// The best of the ready refused packets and of each flow's oldest one.
    fn best(&self, cycle: u64, packets: &[Packet]) -> Option<(Candidate, u8)> {
        let refused = self.refused.iter().enumerate().filter(|(_, refused)| refused.ready <= cycle);
        let refused = refused.map(|(place, refused)| {
            let priority = packets[refused.packet].priority;
            ((Reverse(priority), 0, refused.at, 0), (Candidate::Refused(place), priority))
        });
        let may_send_new = self.outstanding_limit.is_none_or(|limit| self.outstanding < limit);
        let new = self.flows.iter().enumerate().filter(|_| may_send_new).filter_map(|(place, flow)| {
            let oldest = &packets[*flow.waiting.front()?];
            Some(((Reverse(flow.priority), 1, oldest.generated, flow.index), (Candidate::New(place), flow.priority)))
        });
        refused.chain(new).min_by_key(|(order, _)| *order).map(|(_, best)| best)
    }

    /// Chooses a head, if there is none and a packet may be sent. Its group is read now.
    pub(crate) fn choose_head(&mut self, cycle: u64, packets: &[Packet]) {
        if self.head.is_some() {
            return;
        }
        let (packet, refused) = match self.best(cycle, packets) {
            None => return,
            Some((Candidate::Refused(place), _)) => {
                let refused = self.refused.remove(place);
                (refused.packet, Some(refused))
            }
            Some((Candidate::New(place), _)) => {
                (self.flows[place].waiting.pop_front().expect("a waiting packet"), None)
            }
        };
        let Packet { flow, destination, priority, .. } = packets[packet];
        let flow = self.flows.iter().find(|of| of.index == flow).expect("a flow of this node");
        let group = match &flow.groups {
            _ if refused.is_some() => packets[packet].group,
            GroupSpec::Fixed { group } => *group,
            GroupSpec::ByDestination { groups } => groups[destination as usize],
            GroupSpec::Schedule { steps } => {
                steps.iter().rfind(|(from, _)| *from <= cycle).expect("a step at cycle 0").1
            }
        };
        self.head = Some(Head { packet, group, priority, refused });
    }

    /// Puts the head back where it was, if a packet of strictly higher priority may be sent.
    pub(crate) fn yield_head(&mut self, cycle: u64, packets: &[Packet]) {
        let Some(head) = self.head else { return };
        if self.best(cycle, packets).is_none_or(|(_, priority)| priority <= head.priority) {
            return;
        }
        self.head = None;
        match head.refused {
            Some(refused) => {
                let place = self.refused.partition_point(|other| other.at < refused.at);
                self.refused.insert(place, refused);
            }
            None => {
                let flow = packets[head.packet].flow;
                let flow = self.flows.iter_mut().find(|of| of.index == flow).expect("a flow of this node");
                flow.waiting.push_front(head.packet);
            }
        }
    }

    /// The head's first symbol is emitted.
    pub(crate) fn start_head(&mut self, packets: &mut [Packet]) {
        let head = self.head.expect("a head");
        packets[head.packet].group = head.group;
        let flow = packets[head.packet].flow;
        let counts = &mut self.flows.iter_mut().find(|of| of.index == flow).expect("a flow of this node").counts;
        if head.is_retry() {
            counts.retries += 1;
        } else {
            counts.sent += 1;
            self.outstanding += 1;
        }
    }

    /// The head has been sent and leaves; if it was new, its flow generates the next packet if it is saturated.
    pub(crate) fn leave_head(&mut self, cycle: u64, packets: &mut Vec<Packet>) {
        let head = self.head.take().expect("a head");
        let flow = packets[head.packet].flow;
        let place = self.flows.iter().position(|of| of.index == flow).expect("a flow of this node");
        if self.flows[place].saturated && !head.is_retry() {
            self.generate(place, cycle, packets);
        }
    }

    /// An echo takes effect.
    pub(crate) fn take_echo(&mut self, cycle: u64, packet: usize, accepted: bool, packets: &mut [Packet]) {
        if accepted {
            self.outstanding -= 1;
            return;
        }
        packets[packet].refusals += 1;
        let refusals = packets[packet].refusals;
        let start = self.retry.delay_cycles;
        let delay = match self.retry.strategy {
            RetryStrategy::Constant => start,
            RetryStrategy::Linear => start.saturating_mul(u64::from(refusals)),
            RetryStrategy::Exponential => start.saturating_mul(2u64.saturating_pow(refusals - 1)),
        };
        self.refused.push(Refused { packet, at: cycle, ready: cycle.saturating_add(delay) });
    }

    /// Every generated packet is lost, waits, is at the head, or has been sent; every packet on the retry list is outstanding.
    pub(crate) fn check(&self, head_is_being_sent: bool) {
        let sum = |count: fn(&Flow) -> u64| self.flows.iter().map(count).sum::<u64>();
        let unsent = self.head.filter(|_| !head_is_being_sent);
        let new_at_head = u64::from(unsent.is_some_and(|head| !head.is_retry()));
        let refused = self.refused.len() as u32 + u32::from(unsent.is_some_and(|head| head.is_retry()));
        assert_eq!(
            sum(|flow| flow.counts.generated),
            sum(|flow| flow.counts.lost + flow.waiting.len() as u64 + flow.counts.sent) + new_at_head,
            "node {}: a generated packet is neither lost nor waiting nor sent",
            self.node
        );
        assert!(refused <= self.outstanding, "node {}: a refused packet is not outstanding", self.node);
        assert!(
            self.outstanding_limit.is_none_or(|limit| self.outstanding <= limit),
            "node {}: {} packets outstanding",
            self.node,
            self.outstanding
        );
    }
}
