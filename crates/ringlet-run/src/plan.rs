//! The plan of a run: the lengths of warm-up and measurement, in cycles.

use ringlet_engine::spec::NetworkSpec;

use crate::recurrence::Recurs;

/// Batches of a run of given duration.
pub const BATCHES: u64 = 30;

/// Cycles times nodes after which a run that has a precision, but no duration, gives up; the automatic warm-up may take
/// as many before. Each is 4 to 20 s of one core at 200 to 1,000 million node-cycles/s.
pub const NODE_CYCLES_CAP: u64 = 4_000_000_000;

/// Bins of the automatic warm-up whenever it is judged: 40 averages of five for MSER-5.
pub const WARM_UP_BINS: u64 = 200;

/// Times that a packet and its echo could have been round the ring in the shortest warm-up.
const WARM_UP_ROUND_TRIPS: u64 = 4;

/// Length of the first batches of a run that stops at a precision.
pub const SHORTEST_BATCH_CYCLES: u64 = 1000;

/// The beginning of a run that is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// Discards so many cycles.
    Cycles(u64),
    /// Discards until MSER-5 finds the transient over.
    Auto {
        /// Length of a bin of the shortest warm-up, in cycles.
        bin: u64,
        /// Cycles after which it gives up.
        limit: u64,
    },
}

/// The plan of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Warm-up, which is discarded.
    pub warm_up: WarmUp,
    /// Cycles to measure; with a precision, the most.
    pub measured: u64,
    /// Relative half width of the 95 % intervals at which to stop.
    pub precision: Option<f64>,
    /// Does the run go on until what takes place once is over: a trace, a collective operation?
    pub until_over: bool,
    /// Cycles measured after which a run ends that goes on until something is over.
    pub most: u64,
    /// Does nothing say how long to measure? Then the run may end where queues grow: more of it would say no more.
    pub open_ended: bool,
    /// Extent of a simulation that may come back to a state, which is searched for; `None`: it may not.
    pub recurs: Option<Recurs>,
}

/// The goal of a run, as a scenario has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Cycles to discard; `None`: until MSER-5 finds the transient over.
    pub warm_up: Option<u64>,
    /// Cycles to measure; `None`: until the precision is reached, or the trace delivered.
    pub measured: Option<u64>,
    /// Relative half width at which to stop.
    pub precision: Option<f64>,
    /// Own cycle of the last packet of a trace, if there is one.
    pub last_cycle: Option<u64>,
    /// Does the run go on, without `measured`, until a collective operation is complete?
    pub until_over: bool,
    /// Most cycles to measure without `measured`; `None`: [`NODE_CYCLES_CAP`] divided by the nodes. A trace has no cap.
    pub most: Option<u64>,
}

/// The extent of a network, on which a plan depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Nodes.
    nodes: u64,
    /// Interfaces: of nodes, and link controllers of switches at rings.
    interfaces: u64,
    /// Cycles after which idles have come round on every ring at once.
    revolution: u64,
    /// Cycles of the shortest automatic warm-up.
    shortest_warm_up: u64,
    /// Is nothing drawn at random?
    may_recur: bool,
    /// Cycles after which all of its periodic sources stand as before, and the cycle from which on they do.
    hyperperiod: Option<(u64, u64)>,
}

impl Extent {
    /// Returns the extent of a network.
    pub fn of(spec: &NetworkSpec) -> Self {
        let around = spec.ways_round().max().unwrap_or(0) + longest_packet(spec);
        Self {
            nodes: spec.nodes.into(),
            interfaces: spec.interfaces(),
            revolution: spec.ways_round().fold(1, lcm),
            shortest_warm_up: WARM_UP_ROUND_TRIPS * around,
            may_recur: spec.may_recur(),
            hyperperiod: spec.hyperperiod(),
        }
    }
}

impl Plan {
    /// The plan for a network.
    ///
    /// The automatic warm-up begins with a tenth of the duration, at least four round trips of the longest ring and 200
    /// cycles, and doubles up to the duration. Without a duration, the goal or [`NODE_CYCLES_CAP`] gives the most to
    /// measure; of a trace all is measured.
    pub fn new(network: Extent, goal: Goal) -> Self {
        let trace = goal.last_cycle.filter(|_| goal.measured.is_none());
        let traced = trace.map(|last| (last + 1).saturating_sub(goal.warm_up.unwrap_or(0)).max(1));
        let once = goal.until_over && goal.measured.is_none() && trace.is_none();
        let least = network.shortest_warm_up;
        let cap = goal.most.unwrap_or(NODE_CYCLES_CAP / network.nodes.max(1)).max(least);
        let (measured, first) = match goal.measured.or(traced).or(once.then_some(BATCHES)) {
            Some(measured) => (measured, least.max(measured / 10)),
            None => (cap, least.max(WARM_UP_BINS * SHORTEST_BATCH_CYCLES / 5)),
        };
        let bin = first.div_ceil(WARM_UP_BINS);
        let auto = WarmUp::Auto { bin, limit: measured.max(WARM_UP_BINS * bin) };
        let to_measure = if goal.precision.is_none() { measured } else { 0 };
        let Extent { interfaces, revolution, hyperperiod, .. } = network;
        let planned = to_measure.saturating_add(goal.warm_up.unwrap_or(WARM_UP_BINS * bin));
        Self {
            warm_up: goal.warm_up.map_or(auto, WarmUp::Cycles),
            measured,
            precision: goal.precision,
            until_over: trace.is_some() || once,
            most: if once { cap } else { u64::MAX },
            open_ended: goal.measured.is_none(),
            recurs: network.may_recur.then_some(Recurs { interfaces, revolution, hyperperiod, planned }),
        }
    }
}

fn longest_packet(spec: &NetworkSpec) -> u64 {
    let requests = spec.flows.iter().flat_map(|flow| flow.sizes.iter().map(|&(symbols, _)| symbols));
    let responses = spec.flows.iter().filter_map(|flow| flow.response_symbols);
    requests.chain(responses).max().unwrap_or(0).into()
}

/// The least common multiple of two numbers of cycles, or the most cycles that there are.
fn lcm(one: u64, other: u64) -> u64 {
    let (mut divisor, mut rest) = (one, other);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (one / divisor.max(1)).saturating_mul(other)
}
