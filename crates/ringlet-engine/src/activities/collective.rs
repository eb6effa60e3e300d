//! Collective operations of parallel programs, step by step from member to member.
//!
//! The algorithms are the usual ones for rings, in which no member sends more than it must: a reduce-scatter and an
//! all-gather of `N - 1` steps each (all-reduce), one of the two (reduce-scatter, all-gather), a pipeline from member
//! to member (broadcast), and an exchange in which member `i` sends to `i + k` in step `k` (all-to-all). A packet waits
//! only for the one of the step before that it hands on.

use super::prelude::*;

/// One collective operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectiveSpec {
    /// Kind of the operation.
    pub operation: Operation,
    /// The flow of each member, in their order; each at another node.
    pub flows: Vec<u32>,
    /// Packets that a member sends in a step.
    pub packets: u32,
    /// Cycle in which it begins.
    pub start_cycle: u64,
    /// Cycles in which a member combines a packet that it has received with its own.
    pub reduce_cycles: u64,
}

/// A collective operation of `N` members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// `N - 1` steps in which parts are combined and `N - 1` in which they are handed on, each to the next member.
    AllReduce {},
    /// `N - 1` steps in which each member hands on what it has received.
    AllGather {},
    /// `N - 1` steps in which parts are combined, each to the next member.
    ReduceScatter {},
    /// Packets that are handed on from one member to the next.
    Broadcast {
        /// The member that begins.
        root: u32,
    },
    /// Packets of member `i` to member `i + k` in step `k`.
    AllToAll {},
}

/// Most packets of a collective operation.
pub const MAX_COLLECTIVE_PACKETS: u64 = 1 << 22;

impl CollectiveSpec {
    /// Packets of all steps.
    pub fn all_packets(&self) -> u64 {
        let members = self.flows.len() as u64;
        let steps = members.saturating_sub(1);
        let sends = match self.operation {
            Operation::AllReduce {} => 2 * steps * members,
            Operation::AllGather {} | Operation::ReduceScatter {} | Operation::AllToAll {} => steps * members,
            Operation::Broadcast { .. } => steps,
        };
        sends.saturating_mul(self.packets.into())
    }
}

/// Counts of a collective operation, from cycle 0 on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveCounters {
    /// Packets of all steps.
    pub packets: u64,
    /// Packets that are delivered, of all steps.
    pub delivered: u64,
    /// Cycle of the last delivery.
    pub last_cycle: u64,
}

impl Counters for CollectiveCounters {
    fn table(&self) -> Table {
        vec![
            ("packets", self.packets.into()),
            ("delivered", self.delivered.into()),
            ("last_cycle", self.last_cycle.into()),
        ]
    }
}

impl Options for CollectiveSpec {
    fn flows(&self) -> Vec<u32> {
        self.flows.clone()
    }

    fn check(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let members = self.flows.len();
        check(members >= 2, format!("{at}.flows"), format!("{members} members"), "at least two")?;
        let mut nodes: Vec<u32> = self.flows.iter().map(|&flow| spec.flows[flow as usize].source).collect();
        nodes.sort_unstable();
        nodes.dedup();
        check(nodes.len() == members, format!("{at}.flows"), "two flows of a node", "members at different nodes")?;
        if let Operation::Broadcast { root } = self.operation {
            let allowed = format!("a member below {members}");
            check((root as usize) < members, format!("{at}.operation.root"), root, allowed)?;
        }
        check(self.packets > 0, format!("{at}.packets"), 0, "at least 1")?;
        let all = self.all_packets();
        let allowed = format!("at most {MAX_COLLECTIVE_PACKETS} packets of all steps");
        check(all <= MAX_COLLECTIVE_PACKETS, format!("{at}.packets"), all, allowed)?;
        for (field, cycles) in [("start_cycle", self.start_cycle), ("reduce_cycles", self.reduce_cycles)] {
            check(cycles < MAX_CYCLES, format!("{at}.{field}"), cycles, format!("below {MAX_CYCLES}"))?;
        }
        Ok(())
    }
}

impl Begins for CollectiveSpec {
    type Plan = Collective;

    fn plan(&self, spec: &NetworkSpec, index: usize) -> Collective {
        Collective::new(spec, index, self)
    }
}


/// The plan of a collective operation.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Collective {
    #[serde(with = "crate::spec::in_json")]
    spec: CollectiveSpec,
    /// Node of each member.
    nodes: Box<[u32]>,
    is_released: bool,
    counters: CollectiveCounters,
}

impl Collective {
    fn new(spec: &NetworkSpec, _index: usize, collective: &CollectiveSpec) -> Self {
        let nodes = collective.flows.iter().map(|&flow| spec.flows[flow as usize].source).collect();
        let counters = CollectiveCounters { packets: collective.all_packets(), ..CollectiveCounters::default() };
        Self { spec: collective.clone(), nodes, is_released: false, counters }
    }

    /// Hands in the packets of a step of one member, each of which waits for one of those that came to it before;
    /// returns the number of the first.
    fn send(&self, hand_in: HandIn<'_>, (from, to): (usize, usize), came: Option<u32>, gap: u64) -> Option<u32> {
        let mut first = None;
        for place in 0..self.spec.packets {
            // A release hands in all packets of a step in a row, so their numbers follow each other.
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
        // A node sends in the cycle after a delivery at the earliest.
        let reduce = self.spec.reduce_cycles.max(1);
        match self.spec.operation {
            Operation::AllGather {} | Operation::AllReduce {} | Operation::ReduceScatter {} => {
                let (reducing, gathering) = match self.spec.operation {
                    Operation::AllGather {} => (0, members - 1),
                    Operation::ReduceScatter {} => (members - 1, 0),
                    _ => (members - 1, members - 1),
                };
                // Of each member, the first packet that has come to it in the step before.
                let mut came = vec![None; members];
                for step in 0..reducing + gathering {
                    // The last reduction comes before the first packet that is only handed on, hence `..=`.
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

    fn is_complete(&self) -> Option<bool> {
        Some(self.counters.delivered == self.counters.packets)
    }

    fn counters(&self) -> &dyn Counters {
        &self.counters
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + self.spec.flows.capacity() * size_of::<u32>()
    }
}
