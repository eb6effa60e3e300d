//! The plan of a ring: the parts that it is built from.

use std::sync::Arc;

use super::wiring::Wiring;
use crate::hosts::{
    Flow, Followers, Groups, HostLimits, Hosts, Prompted, Replay, RingContext, Traced, Transactions, TransmitQueue,
};
use crate::node::Timing;
use crate::queues::{ReceiveQueue, TransmitSlots};
use crate::results::FlowCounters;
use crate::spec::{Clock, FlowSpec, NetworkSpec, ReceiveQueueSpec, RetryStrategy};
use crate::values::Packets;

/// The parts of a ring of a network that its spec does not have.
pub(crate) struct Plan {
    /// Nodes and ports on the ring.
    pub(crate) places: u32,
    /// The place to which each one's outgoing link leads, if that may change.
    pub(crate) wiring: Option<Wiring>,
    /// The receive queues at each place that is a node's.
    pub(crate) receive_queues: Vec<ReceiveQueueSpec>,
    /// The limits at each place.
    pub(crate) limits: Vec<HostLimits>,
    pub(crate) flows: Vec<Flow>,
    /// The place at which each starts.
    pub(crate) flow_places: Vec<u32>,
    /// Transmission groups of the responses at each place without a flow; empty: by the network, else 0.
    pub(crate) response_groups: Box<[Groups]>,
    /// The part of each flow whose messages packets prompt; empty if there is none.
    pub(crate) prompted: Vec<Option<Prompted>>,
    /// Flows that follow others, if any does.
    pub(crate) followers: Option<Box<Followers>>,
    pub(crate) traffic: Traffic,
    pub(crate) timing: Timing,
    pub(crate) network: Option<Box<RingContext>>,
    /// Is what the flows deliver counted by the network?
    pub(crate) counts_elsewhere: bool,
    /// Packets of a trace, if there is one.
    pub(crate) replay: Option<Box<Replay>>,
    /// Transmit slots at each place; nothing on a single ring.
    pub(crate) interfaces: Vec<Option<TransmitSlots>>,
}

impl Plan {
    /// A single ring.
    pub(crate) fn of(spec: &NetworkSpec) -> Self {
        Self {
            places: spec.nodes,
            wiring: None,
            limits: (0..spec.nodes).map(|node| HostLimits::of(spec.queues.limits.of(node))).collect(),
            receive_queues: (0..spec.nodes).map(|node| *spec.queues.receive.of(node)).collect(),
            flows: spec.flows.iter().enumerate().map(|(index, flow)| Flow::new(spec, index, flow)).collect(),
            flow_places: spec.flows.iter().map(|flow| flow.source).collect(),
            response_groups: spec.response_groups.iter().flatten().map(Groups::of).collect(),
            prompted: prompted(spec.flows.iter()),
            followers: Followers::of(spec.flows.iter().map(|flow| (flow, flow.source)), |flow| {
                spec.flows[flow as usize].source
            }),
            traffic: Traffic::of(spec),
            timing: Timing::default(),
            network: None,
            counts_elsewhere: false,
            replay: Traced::of(spec, spec.flows.iter())
                .map(|traced| Box::new(Replay::new(&traced, Clock::new(1), spec.nodes))),
            interfaces: Vec::new(),
        }
    }
}

impl Plan {
    /// Takes the queues of each place out of the plan. A port's receive queue is one of its own, if the protocol
    /// follows the queues.
    pub(super) fn queues(&mut self, spec: &NetworkSpec, follows_queues: bool) -> Vec<(TransmitQueue, ReceiveQueue)> {
        let Traffic { levels, responds, .. } = self.traffic;
        let priorities: Vec<u8> = self.flows.iter().map(Flow::priority).collect();
        let has_events = self.timing.errs
            || self.timing.delays_echoes
            || self.replay.is_some()
            || spec.queues.response_timeout.is_some();
        let mut interfaces = std::mem::take(&mut self.interfaces).into_iter();
        let places = (0u32..).zip(self.flows_of_places()).zip(self.shared_limits());
        let queues = places.map(|((id, own), limits)| {
            let mut transmit = TransmitQueue::new((id, limits), own, &priorities, levels, responds);
            let mut receive = ReceiveQueue::new(self.receive_queues[id as usize]);
            if let Some(interface) = interfaces.next().flatten() {
                if follows_queues && let Some(port) = interface.port() {
                    receive = ReceiveQueue::of_port(port.offers());
                }
                transmit = transmit.with_slots(interface, levels, responds);
            }
            if has_events {
                transmit = transmit.with_events();
            }
            (transmit, receive)
        });
        queues.collect()
    }

    /// The flows that start at each place.
    fn flows_of_places(&self) -> Vec<Vec<u32>> {
        let mut flows = vec![Vec::new(); self.places as usize];
        for (index, &place) in (0u32..).zip(&self.flow_places) {
            flows[place as usize].push(index);
        }
        flows
    }

    /// The limits at each place. Equal ones of places side by side are the same in memory.
    fn shared_limits(&self) -> Vec<Arc<HostLimits>> {
        let mut shared: Vec<Arc<HostLimits>> = Vec::with_capacity(self.limits.len());
        for own in &self.limits {
            let before = shared.last().filter(|before| ***before == *own);
            let one = before.map_or_else(|| Arc::new(own.clone()), Arc::clone);
            shared.push(one);
        }
        shared
    }

    /// The state that the hosts of the ring share.
    pub(super) fn hosts(self, spec: &NetworkSpec) -> Hosts {
        // What other rings' flows send here is counted together.
        let counted = self.flows.len() + usize::from(self.network.is_some());
        let clock = self.network.as_ref().map_or_else(|| Clock::new(1), |network| network.clock);
        let transactions = |timeout| Box::new(Transactions::new(timeout, clock, self.places));
        Hosts {
            counters: (0..counted).map(|_| FlowCounters::default()).collect(),
            packets: Packets::default(),
            follows_deliveries: self.replay.is_some()
                || spec.queues.response_timeout.is_some()
                || self.followers.is_some(),
            transactions: spec.queues.response_timeout.map(transactions),
            counts_refusals: self.limits.iter().any(|limits| limits.retry.strategy != RetryStrategy::Constant),
            counted_here: if self.counts_elsewhere { 0 } else { self.flows.len() },
            flows: self.flows,
            prompted: self.prompted,
            followers: self.followers,
            response_groups: self.response_groups,
            echoes: spec.format.echoes,
            order: spec.queues.order,
            replay: self.replay,
            delivered: None,
            reservation: spec.queues.reservation,
            context: self.network,
        }
    }
}

/// The state of flows whose messages packets prompt; nothing if there are none.
pub(crate) fn prompted<'a>(flows: impl Iterator<Item = &'a FlowSpec>) -> Vec<Option<Prompted>> {
    let each: Vec<Option<Prompted>> = flows.map(Prompted::of).collect();
    if each.iter().any(Option::is_some) { each } else { Vec::new() }
}

/// The flows of the whole network, as each ring needs them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic {
    /// Levels of the prioritised FIFOs that flows use.
    pub(super) levels: usize,
    /// Do any need responses, or wait for deliveries, as those do that are handed in or follow others?
    pub(super) responds: bool,
    /// Have they several priorities?
    pub(crate) prioritised: bool,
}

impl Traffic {
    pub(crate) fn of(spec: &NetworkSpec) -> Self {
        let priorities = || spec.flows.iter().map(|flow| flow.priority);
        let (lowest, highest) = (priorities().min(), priorities().max());
        let waits = |flow: &FlowSpec| flow.is_traced() || flow.is_injected() || flow.followed().is_some();
        Self {
            levels: highest.map_or(0, |highest| usize::from(highest) + 1),
            responds: spec.flows.iter().any(|flow| flow.response_symbols.is_some() || waits(flow)),
            // Injected packets may have any priority up to that of their flow.
            prioritised: lowest != highest || spec.flows.iter().any(|flow| flow.is_injected() && flow.priority > 0),
        }
    }
}
