//! Collective operations of parallel programs, step by step from member to member.
//!
//! The algorithms are the usual ones for rings, in which no member sends more than it must: a reduce-scatter and an
//! all-gather of `N - 1` steps each (all-reduce), the second of them (all-gather), a pipeline from member to member
//! (broadcast), and an exchange in which member `i` sends to `i + k` in step `k` (all-to-all). A packet waits only for
//! the one of the step before that it hands on.

use crate::results::CollectiveCounters;
use crate::spec::{CollectiveSpec, NetworkSpec, Operation};

use super::{HandIn, Planned, Released};

/// The plan of a collective operation.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Collective {
    #[serde(with = "crate::spec::in_json")]
    spec: CollectiveSpec,
    /// Node of each member.
    nodes: Box<[u32]>,
    is_released: bool,
    pub(super) counters: CollectiveCounters,
}

impl Collective {
    pub(super) fn new(spec: &NetworkSpec, collective: &CollectiveSpec) -> Self {
        let nodes = collective.flows.iter().map(|&flow| spec.flows[flow as usize].source).collect();
        let counters = CollectiveCounters { packets: collective.all_packets(), ..CollectiveCounters::default() };
        Self { spec: collective.clone(), nodes, is_released: false, counters }
    }

    /// Hands in the packets of a step of one member, each of which waits for one of those that came to it before;
    /// returns the number of the first.
    fn send(&self, hand_in: HandIn<'_>, (from, to): (usize, usize), came: Option<u32>, gap: u64) -> Option<u32> {
        let mut first = None;
        for place in 0..self.spec.packets {
            let awaited = came.map(|number| (number + place, gap));
            let number = hand_in(Released {
                cycle: self.spec.start_cycle,
                flow: self.spec.flows[from],
                destination: self.nodes[to],
                part: 0,
                awaited: awaited.as_slice(),
            })?;
            first = first.or(Some(number));
        }
        first
    }
}

impl Planned for Collective {
    fn next(&self) -> Option<u64> {
        (!self.is_released).then_some(self.spec.start_cycle)
    }

    fn release(&mut self, hand_in: HandIn<'_>) {
        self.is_released = true;
        let members = self.nodes.len();
        let reduce = self.spec.reduce_cycles.max(1);
        match self.spec.operation {
            Operation::AllGather {} | Operation::AllReduce {} => {
                let reducing = if self.spec.operation == (Operation::AllReduce {}) { members - 1 } else { 0 };
                // Of each member, the first packet that has come to it in the step before.
                let mut came = vec![None; members];
                for step in 0..reducing + members - 1 {
                    let gap = if (1..=reducing).contains(&step) { reduce } else { 1 };
                    let mut sent = vec![None; members];
                    for (from, &came) in came.iter().enumerate() {
                        let to = (from + 1) % members;
                        sent[to] = self.send(&mut *hand_in, (from, to), came, gap);
                    }
                    came = sent;
                }
            }
            Operation::Broadcast { root } => {
                let mut came = None;
                for hop in 0..members - 1 {
                    let from = (root as usize + hop) % members;
                    came = self.send(&mut *hand_in, (from, (from + 1) % members), came, 1);
                }
            }
            Operation::AllToAll {} => {
                for step in 1..members {
                    for from in 0..members {
                        self.send(&mut *hand_in, (from, (from + step) % members), None, 1);
                    }
                }
            }
        }
    }

    fn deliver(&mut self, _part: u64, now: u64) {
        self.counters.delivered += 1;
        self.counters.last_cycle = self.counters.last_cycle.max(now);
    }

    fn see_until(&mut self, _end: u64) {}

    fn is_over(&self, _part: u64) -> bool {
        false
    }

    /// Keeps all counts: they are of the one operation, from its beginning on.
    fn reset(&mut self, _now: u64) {}

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + self.spec.flows.capacity() * size_of::<u32>()
    }
}
