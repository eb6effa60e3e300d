//! Scatter-gather with a barrier: a root sends a piece to each worker, each works and answers, and the next round
//! begins when all answers are there.

use hdrhistogram::Histogram;

use crate::results::new_histogram;

use super::prelude::*;

/// Most packets of all rounds.
pub const MAX_PACKETS: u64 = 1 << 22;

/// Most waits of the packets of a round for those before: each packet of a piece waits for all answers.
pub const MAX_WAITS: u64 = 1 << 16;

/// Most waits of the packets of all rounds, which are handed in at once.
pub const MAX_ALL_WAITS: u64 = 1 << 25;

/// Scatter-gather of a root and its workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScatterGatherSpec {
    /// The root's flow, and then that of each worker, each at another node.
    pub flows: Vec<u32>,
    /// Rounds, at least 1.
    pub rounds: u32,
    /// Packets that the root sends to each worker in a round.
    pub piece_packets: u32,
    /// Packets of an answer.
    pub answer_packets: u32,
    /// Cycles from the delivery of a piece until its worker answers.
    pub work_cycles: Vec<u64>,
    /// Cycles from the last answer of a round until the root begins the next one.
    pub root_cycles: u64,
    /// Cycle in which the first round begins.
    pub start_cycle: u64,
}

impl ScatterGatherSpec {
    fn workers(&self) -> u64 {
        (self.flows.len() as u64).saturating_sub(1)
    }

    /// Packets of all rounds.
    pub fn all_packets(&self) -> u64 {
        let of_round = self.workers() * (u64::from(self.piece_packets) + u64::from(self.answer_packets));
        of_round.saturating_mul(self.rounds.into())
    }

    /// Waits of the packets of a round: of each answer for a piece, of each piece for all answers.
    fn waits_of_round(&self) -> u64 {
        let (piece, answer) = (u64::from(self.piece_packets), u64::from(self.answer_packets));
        (self.workers() * self.workers() + self.workers()).saturating_mul(piece.saturating_mul(answer))
    }
}

impl Options for ScatterGatherSpec {
    fn flows(&self) -> Vec<u32> {
        self.flows.clone()
    }

    fn check(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let members = self.flows.len();
        check(members >= 2, format!("{at}.flows"), format!("{members} flows"), "a root's and at least one worker's")?;
        let mut nodes: Vec<u32> = self.flows.iter().map(|&flow| spec.flows[flow as usize].source).collect();
        nodes.sort_unstable();
        nodes.dedup();
        check(nodes.len() == members, format!("{at}.flows"), "two flows of a node", "members at different nodes")?;
        for (field, count) in
            [("rounds", self.rounds), ("piece_packets", self.piece_packets), ("answer_packets", self.answer_packets)]
        {
            check(count > 0, format!("{at}.{field}"), count, "at least 1")?;
        }
        let (all, waits) = (self.all_packets(), self.waits_of_round());
        check(all <= MAX_PACKETS, format!("{at}.rounds"), all, format!("at most {MAX_PACKETS} packets of all rounds"))?;
        let allowed = format!("at most {MAX_WAITS} waits of packets for others in a round");
        check(waits <= MAX_WAITS, format!("{at}.piece_packets"), waits, allowed)?;
        let all_waits = waits.saturating_mul(self.rounds.into());
        let allowed = format!("at most {MAX_ALL_WAITS} waits of packets for others in all rounds");
        check(all_waits <= MAX_ALL_WAITS, format!("{at}.rounds"), all_waits, allowed)?;
        let given = self.work_cycles.len();
        check(given == members - 1, format!("{at}.work_cycles"), given, format!("{}, one per worker", members - 1))?;
        let times = self.work_cycles.iter().map(|&cycles| ("work_cycles", cycles));
        for (field, cycles) in times.chain([("root_cycles", self.root_cycles), ("start_cycle", self.start_cycle)]) {
            check(cycles < MAX_CYCLES, format!("{at}.{field}"), cycles, format!("below {MAX_CYCLES}"))?;
        }
        Ok(())
    }
}

impl Begins for ScatterGatherSpec {
    type Plan = ScatterGather;

    fn plan(&self, spec: &NetworkSpec, _index: usize) -> ScatterGather {
        let nodes: Box<[u32]> = self.flows.iter().map(|&flow| spec.flows[flow as usize].source).collect();
        let workers = nodes[1..].iter().map(|&node| WorkerCounters { node, ..WorkerCounters::default() }).collect();
        ScatterGather {
            spec: self.clone(),
            left: vec![self.answer_packets; nodes.len() - 1].into(),
            nodes,
            is_released: false,
            begun: self.start_cycle,
            counters: ScatterGatherCounters {
                packets: self.all_packets(),
                delivered: 0,
                rounds: new_histogram(spec.measurement.latency_digits),
                sum_cycles: 0,
                min_cycles: 0,
                max_cycles: 0,
                workers,
            },
        }
    }
}

/// Counts of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerCounters {
    /// Node of the worker.
    pub node: u32,
    /// Rounds that its answer was in.
    pub answers: u64,
    /// Rounds in which its answer was the last.
    pub last: u64,
    /// Sum of the times from the begin of a round to its answer, in cycles.
    pub sum_cycles: u64,
    /// The largest of them.
    pub max_cycles: u64,
}

/// Counts of scatter-gather, from cycle 0 on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScatterGatherCounters {
    /// Packets of all rounds.
    pub packets: u64,
    /// Packets that are delivered, of all rounds.
    pub delivered: u64,
    /// Cycles of each round that is over: from when the root begins it to the last answer.
    #[serde(with = "crate::results::saved")]
    pub rounds: Histogram<u32>,
    /// Sum of the cycles of these rounds.
    pub sum_cycles: u64,
    /// The least; 0 without one.
    pub min_cycles: u64,
    /// The largest.
    pub max_cycles: u64,
    /// Counts of each worker, in the order of the spec.
    pub workers: Vec<WorkerCounters>,
}

impl ScatterGatherCounters {
    fn end_round(&mut self, cycles: u64, last: usize) {
        self.min_cycles = if self.rounds.is_empty() { cycles } else { self.min_cycles.min(cycles) };
        self.max_cycles = self.max_cycles.max(cycles);
        self.sum_cycles += cycles;
        self.rounds.record(cycles).expect("a growing histogram takes any time");
        self.workers[last].last += 1;
    }
}

impl Counters for ScatterGatherCounters {
    fn table(&self) -> Table {
        let known = !self.rounds.is_empty();
        // A quantile is the upper end of the histogram's interval that holds it, which may lie beyond the largest.
        let quantile = |q| known.then(|| self.rounds.value_at_quantile(q).clamp(self.min_cycles, self.max_cycles));
        let column = |of: fn(&WorkerCounters) -> u64| self.workers.iter().map(of).collect();
        let workers = vec![
            ("node", column(|one| one.node.into())),
            ("answers", column(|one| one.answers)),
            ("last", column(|one| one.last)),
            ("sum_cycles", column(|one| one.sum_cycles)),
            ("max_cycles", column(|one| one.max_cycles)),
        ];
        vec![
            ("packets", self.packets.into()),
            ("delivered", self.delivered.into()),
            ("rounds", self.rounds.len().into()),
            ("sum_cycles", self.sum_cycles.into()),
            ("min_cycles", known.then_some(self.min_cycles).into()),
            ("max_cycles", known.then_some(self.max_cycles).into()),
            ("quantiles", Count::Several(QUANTILES.map(quantile).to_vec())),
            ("workers", Count::Columns(workers)),
        ]
    }
}

/// The plan of scatter-gather.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ScatterGather {
    #[serde(with = "crate::spec::in_json")]
    spec: ScatterGatherSpec,
    /// Node of the root, and then that of each worker.
    nodes: Box<[u32]>,
    is_released: bool,
    /// Cycle in which the round begins that is under way.
    begun: u64,
    /// Packets of each worker's answer that are to come in this round.
    left: Box<[u32]>,
    counters: ScatterGatherCounters,
}

impl ScatterGather {
    /// Hands in some packets between two members, each of which waits for all of `awaited`, and adds their numbers to
    /// `sent`; returns whether there were numbers left.
    fn send(
        &self,
        hand_in: HandIn<'_>,
        (from, to, part): (usize, usize, u64),
        packets: u32,
        awaited: &[(u32, u64)],
        sent: &mut Vec<u32>,
    ) -> bool {
        for _ in 0..packets {
            let cycle = self.spec.start_cycle;
            let (flow, destination) = (self.spec.flows[from], self.nodes[to]);
            let Some(number) = hand_in(Released { cycle, flow, destination, part, awaited }) else { return false };
            sent.push(number);
        }
        true
    }
}

/// Part of the packets of all pieces; that of an answer is the number of its worker, from 1 on.
const PIECE: u64 = 0;

impl Planned for ScatterGather {
    fn next(&self) -> Option<u64> {
        (!self.is_released).then_some(self.spec.start_cycle)
    }

    fn release(&mut self, hand_in: HandIn<'_>) {
        self.is_released = true;
        let waits = |numbers: &[u32], gap: u64| -> Vec<(u32, u64)> {
            // A node sends in the cycle after a delivery at the earliest.
            numbers.iter().map(|&number| (number, gap.max(1))).collect()
        };
        let mut answers: Vec<u32> = Vec::new();
        for _ in 0..self.spec.rounds {
            let barrier = waits(&answers, self.spec.root_cycles);
            let mut pieces = Vec::with_capacity(self.left.len());
            for worker in 1..self.nodes.len() {
                let mut piece = Vec::new();
                if !self.send(hand_in, (0, worker, PIECE), self.spec.piece_packets, &barrier, &mut piece) {
                    return;
                }
                pieces.push(piece);
            }
            answers.clear();
            for (worker, piece) in (1..).zip(&pieces) {
                let awaited = waits(piece, self.spec.work_cycles[worker - 1]);
                let packets = self.spec.answer_packets;
                if !self.send(hand_in, (worker, 0, worker as u64), packets, &awaited, &mut answers) {
                    return;
                }
            }
        }
    }

    fn deliver(&mut self, part: u64, now: u64) {
        self.counters.delivered += 1;
        let Some(worker) = part.checked_sub(1).map(|worker| worker as usize) else { return };
        self.left[worker] -= 1;
        if self.left[worker] > 0 {
            return;
        }
        let cycles = now - self.begun;
        let of_worker = &mut self.counters.workers[worker];
        of_worker.answers += 1;
        of_worker.sum_cycles += cycles;
        of_worker.max_cycles = of_worker.max_cycles.max(cycles);
        // No answer of the next round can be among these: its pieces wait for all answers of this one.
        if self.left.iter().all(|&left| left == 0) {
            self.counters.end_round(cycles, worker);
            self.left.fill(self.spec.answer_packets);
            self.begun = now + self.spec.root_cycles.max(1);
        }
    }

    fn see_until(&mut self, _end: u64) {}

    fn is_over(&self, _part: u64) -> bool {
        false
    }

    /// Keeps all counts: they are of the rounds from the first one on.
    fn reset(&mut self, _now: u64) {}

    fn is_complete(&self) -> Option<bool> {
        Some(self.counters.delivered == self.counters.packets)
    }

    fn holds(&self) -> bool {
        let most = self.spec.answer_packets;
        let is_begun = self.left.iter().any(|&left| left > 0) && self.left.iter().all(|&left| left <= most);
        is_begun && self.counters.delivered <= self.counters.packets
    }

    fn has_released(&self, part: u64) -> bool {
        part <= self.spec.workers()
    }

    fn counters(&self) -> &dyn Counters {
        &self.counters
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.left) + self.spec.flows.capacity() * size_of::<u32>()
    }
}
