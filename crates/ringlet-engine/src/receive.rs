//! The receive queue: places for packets, and one server (docs/model.md, "Strip").

use std::collections::VecDeque;

use crate::measure::Population;
use crate::spec::ReceiveQueueSpec;

/// A packet that has been accepted and whose service ends at a known cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Received {
    pub(crate) completion: u64,
    pub(crate) generated: u64,
    pub(crate) flow: u32,
    pub(crate) symbols: u32,
}

/// One node's receive queue.
#[derive(Debug, Default)]
pub(crate) struct ReceiveQueue {
    accepted: VecDeque<Received>,
    /// End of the last accepted packet's service.
    busy_until: u64,
    pub(crate) population: Population,
}

impl ReceiveQueue {
    /// Takes out the oldest packet if its service has ended by `now`.
    #[inline]
    pub(crate) fn complete(&mut self, now: u64) -> Option<Received> {
        let completion = self.accepted.front()?.completion;
        if completion > now {
            return None;
        }
        self.population.leave(completion);
        self.accepted.pop_front()
    }

    /// Is there a place? Completed packets must have been taken out.
    #[inline]
    pub(crate) fn has_place(&self, spec: &ReceiveQueueSpec) -> bool {
        spec.capacity.is_none_or(|capacity| self.accepted.len() < capacity as usize)
    }

    /// Accepts a packet whose first symbol arrives in cycle `head`; returns the end of its service.
    #[inline]
    pub(crate) fn accept(&mut self, spec: &ReceiveQueueSpec, head: u64, packet: Received) -> u64 {
        let complete = head + u64::from(packet.symbols);
        let completion = complete.max(self.busy_until) + spec.service_cycles;
        self.busy_until = completion;
        self.population.enter(head);
        self.accepted.push_back(Received { completion, ..packet });
        completion
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.accepted.capacity() * size_of::<Received>()
    }
}
