//! Every state that a small ring can come to, breadth first.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use ringlet_engine::spec::{ArrivalSpec, MAX_CYCLES, NetworkSpec, SpecError};
use ringlet_engine::{Simulation, State};

use crate::graph::{Graph, Lasso, Step};
use crate::witness::{Witness, generate};

/// Most flows of a ring that is explored: a step says of which of them messages arrive, a bit each.
pub const MAX_FLOWS: usize = 8;

/// A simulation at the beginning of a step, and its number in the graph.
struct Moment {
    number: u32,
    simulation: Simulation,
    /// Messages of each flow that are generated and not complete.
    under_way: [u8; MAX_FLOWS],
}

/// A ring whose flows generate messages at whatever times they like.
pub struct Exploration {
    spec: NetworkSpec,
    under_way: u8,
    step_cycles: u64,
    bypass_symbols: Option<u64>,
    graph: Graph,
    /// States whose steps are not known yet.
    frontier: VecDeque<Moment>,
    bypass_max_symbols: u64,
    refuses: bool,
    overflow: Option<u32>,
}

impl Exploration {
    /// Begins at the empty ring.
    ///
    /// `under_way`: messages, or transactions, that each flow may have begun and not completed, at least 1.
    /// `step_cycles`: cycles between two times at which messages may arrive, at least 1.
    /// `bypass_symbols`: what a bypass FIFO has room for, if that is to be checked.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated.
    ///
    /// # Panics
    /// There are more than [`MAX_FLOWS`] flows.
    pub fn new(
        spec: &NetworkSpec,
        under_way: u8,
        step_cycles: u64,
        bypass_symbols: Option<u64>,
    ) -> Result<Self, SpecError> {
        assert!(spec.flows.len() <= MAX_FLOWS, "{} flows", spec.flows.len());
        let mut spec = spec.clone();
        // Only the exploration lets messages arrive, and a stall is what it finds itself.
        let never = ArrivalSpec::Periodic { period: 1.0, phase: MAX_CYCLES as f64 };
        spec.flows.iter_mut().for_each(|flow| flow.arrivals = never);
        spec.stall_cycles = MAX_CYCLES;
        spec.latency_digits = 1;
        let mut simulation = Simulation::new(&spec)?;
        let mut graph = Graph::default();
        let number = note(&mut graph, &simulation.state(), [0; MAX_FLOWS]);
        Ok(Self {
            spec,
            under_way,
            step_cycles: step_cycles.max(1),
            bypass_symbols,
            graph,
            frontier: VecDeque::from([Moment { number, simulation, under_way: [0; MAX_FLOWS] }]),
            bypass_max_symbols: 0,
            refuses: false,
            overflow: None,
        })
    }

    /// Explores until so many states have been met, or all; returns whether it was all.
    pub fn explore(&mut self, states: usize) -> bool {
        while self.graph.states() < states {
            let Some(moment) = self.frontier.pop_front() else { break };
            self.expand(&moment);
        }
        self.is_complete()
    }

    /// Has every state been met?
    pub fn is_complete(&self) -> bool {
        self.frontier.is_empty()
    }

    /// The states met so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Most symbols that a bypass FIFO has held.
    pub fn bypass_max_symbols(&self) -> u64 {
        self.bypass_max_symbols
    }

    /// Has an input queue refused a packet?
    pub fn refuses(&self) -> bool {
        self.refuses
    }

    /// Memory that the simulations of the states hold whose steps are not known yet, in bytes, about.
    pub fn frontier_bytes(&self) -> usize {
        self.frontier.front().map_or(0, |moment| moment.simulation.bytes() * self.frontier.len())
    }

    /// Checks that no bypass FIFO has held more than it has room for.
    ///
    /// # Errors
    /// One has, after these arrivals.
    pub fn bypass_holds(&self) -> Result<(), Lasso> {
        self.overflow.map_or(Ok(()), |state| Err(Lasso { stem: self.graph.way_to(state as usize), cycle: vec![0] }))
    }

    /// The ring at the beginning, to be led along a lasso.
    pub fn witness<'a>(&self, lasso: &'a Lasso) -> Witness<'a> {
        let simulation = Simulation::new(&self.spec).expect("the spec has been simulated");
        Witness::new(simulation, self.step_cycles, lasso)
    }

    /// Takes every step from a state.
    fn expand(&mut self, moment: &Moment) {
        let may = bits(moment.under_way.iter().map(|&messages| messages < self.under_way));
        let flows = 1u16 << self.spec.flows.len();
        for generated in (0..flows).map(|flows| flows as u8).filter(|flows| flows & !may == 0) {
            let mut simulation = moment.simulation.fork();
            generate(&mut simulation, generated);
            if simulation.flow_counters().iter().any(|flow| flow.lost_packets > 0) {
                // The transmit queue was full: as if nothing had arrived.
                continue;
            }
            simulation.advance(self.step_cycles);
            let mut under_way = moment.under_way;
            let mut delivered = 0;
            for (flow, counters) in simulation.flow_counters().into_iter().enumerate() {
                let completed = counters.host().completed_messages as u8;
                under_way[flow] = under_way[flow] + (generated >> flow & 1) - completed;
                delivered |= u8::from(completed > 0) << flow;
            }
            let nodes = simulation.node_counters();
            let bypass = nodes.iter().map(|node| node.bypass_max_symbols).max().unwrap_or(0);
            self.bypass_max_symbols = self.bypass_max_symbols.max(bypass);
            self.refuses |= nodes.iter().any(|node| node.refused_packets > 0);
            simulation.reset_measurement();
            let met = self.graph.states();
            let to = note(&mut self.graph, &simulation.state(), under_way);
            self.graph.step(moment.number, Step { to, generated, delivered });
            if self.bypass_symbols.is_some_and(|most| bypass > most) {
                self.overflow = self.overflow.or(Some(to));
            }
            if self.graph.states() > met {
                self.frontier.push_back(Moment { number: to, simulation, under_way });
            }
        }
    }
}

fn bits(flows: impl Iterator<Item = bool>) -> u8 {
    flows.enumerate().fold(0, |bits, (flow, set)| bits | u8::from(set) << flow)
}

/// The number of a state in the graph.
fn note(graph: &mut Graph, state: &State, under_way: [u8; MAX_FLOWS]) -> u32 {
    let mut hasher = DefaultHasher::new();
    state.code.hash(&mut hasher);
    let pending = bits(under_way.iter().map(|&messages| messages > 0));
    graph.state(hasher.finish(), pending, state.held.is_empty())
}
