//! What the hosts of a ring share.

use crate::hosts::flow::{Flow, Loop};
use crate::hosts::replay::Replay;
use crate::hosts::ring_context::RingContext;
use crate::results::FlowCounters;
use crate::spec::{ClassOrder, RetrySpec, RetryStrategy};
use crate::values::{Encoder, Packets};

/// The packets of a ring, where they come from, and what limits its hosts.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    pub(crate) flows: Vec<Flow>,
    pub(crate) counters: Vec<FlowCounters>,
    pub(crate) packets: Packets,
    /// Of the flows that wait for their own packets; empty if none does.
    pub(crate) loops: Vec<Option<Loop>>,
    pub(crate) outstanding_limit: u32,
    pub(crate) window: u32,
    pub(crate) response_capacity: u32,
    pub(crate) transmit_capacity: u64,
    pub(crate) order: ClassOrder,
    pub(crate) retry: RetrySpec,
    /// What is around the ring, if it is one of a network.
    pub(crate) context: Option<Box<RingContext>>,
    /// What has been handed in of a trace, if there is one.
    pub(crate) replay: Option<Box<Replay>>,
}

impl Hosts {
    /// Takes down the state of the ring in cycle `now`.
    pub(crate) fn encoder(&self, now: u64) -> Encoder<'_> {
        let first_open = self.flows.iter().map(Flow::first_open).collect();
        // How often a packet was refused counts only where its next delay depends on that.
        let counts_refusals = self.retry.strategy != RetryStrategy::Constant;
        Encoder::new(now, &self.packets, first_open, counts_refusals, self.order == ClassOrder::Oldest)
    }

    /// The service of a packet, of a response or of a request that has none, ends in cycle `now`; the message is the
    /// flow's, begun in cycle `started`.
    #[inline]
    pub(crate) fn complete_packet(
        &mut self,
        index: usize,
        (message, started): (u32, u64),
        response: bool,
        now: u64,
        digits: u8,
    ) {
        let flow = &mut self.flows[index];
        let burst = flow.burst;
        let complete = match &mut flow.open {
            Some(open) => open.complete(message, burst, now),
            None => Some(now),
        };
        let counters = &mut self.counters[index];
        match complete {
            Some(at) => {
                let is_packet = burst == 1 && !response;
                counters.complete(at - started, flow.deadline_cycles, is_packet, digits);
            }
            None => counters.deliver_part(),
        }
    }
}
