//! A node's receive queue.

use ringlet_engine::spec::ReceiveQueueSpec;

/// Packets being received, waiting or in service, one server.
#[derive(Debug)]
pub(crate) struct ReceiveQueue {
    spec: ReceiveQueueSpec,
    /// End of service of each packet that holds a place.
    ends: Vec<u64>,
    /// End of service of the packet accepted last.
    last_end: u64,
    /// Most packets just after one was accepted.
    pub(crate) max: u64,
}

impl ReceiveQueue {
    pub(crate) fn new(spec: ReceiveQueueSpec) -> Self {
        Self { spec, ends: Vec::new(), last_end: 0, max: 0 }
    }

    /// Offers a packet whose first symbol comes in in cycle `first`: the cycle of its delivery, or `None` if it is refused.
    pub(crate) fn offer(&mut self, first: u64, symbols: u32) -> Option<u64> {
        self.ends.retain(|&end| end > first);
        if self.spec.capacity.is_some_and(|capacity| self.ends.len() >= capacity as usize) {
            return None;
        }
        let complete = first + u64::from(symbols);
        let end = complete.max(self.last_end) + self.spec.service_cycles;
        self.ends.push(end);
        self.last_end = end;
        self.max = self.max.max(self.ends.len() as u64);
        Some(end)
    }

    /// Packets that hold a place in cycle `cycle`: from the cycle of their first symbol up to, and not in, that of their delivery.
    pub(crate) fn len(&self, cycle: u64) -> u64 {
        self.ends.iter().filter(|&&end| end > cycle).count() as u64
    }
}
