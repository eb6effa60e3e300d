//! Every state that a small ring or network can come to, breadth first.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use ringlet_engine::spec::{ArrivalSpec, MAX_CYCLES, NetworkSpec, SpecError};
use ringlet_engine::{Simulation, State};

use crate::graph::{Choice, Graph, Lasso, Step};
use crate::witness::{Witness, choose};

/// Most flows of a ring that is explored: a step says of which of them messages arrive, a bit each.
pub const MAX_FLOWS: usize = 8;

/// A simulation at the beginning of a step, and its number in the graph.
struct Moment {
    number: u32,
    simulation: Simulation,
    /// Messages of each flow that are generated and not complete.
    under_way: [u8; MAX_FLOWS],
    /// Packets and echoes that may still be lost.
    losses: u8,
}

/// The extent of an exploration.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Messages, or transactions, that each flow may have begun and not completed, at least 1.
    pub under_way: u8,
    /// Packets and echoes that are lost altogether, at most.
    pub losses: u8,
    /// Cycles between two times at which messages may arrive, or something be lost, at least 1.
    pub step_cycles: u64,
    /// Symbols that a bypass FIFO has room for, if that is to be checked.
    pub bypass_symbols: Option<u64>,
}

/// A ring or network whose flows generate messages at whatever times they like.
pub struct Exploration {
    spec: NetworkSpec,
    bounds: Bounds,
    /// Links over which something may be lost.
    lossy: Vec<u16>,
    graph: Graph,
    /// States whose steps are not known yet.
    frontier: VecDeque<Moment>,
    bypass_max_symbols: u64,
    refuses: bool,
    overflow: Option<u32>,
}

impl Exploration {
    /// Begins with nothing under way. Packets are given up after more time-outs than there are losses.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated.
    ///
    /// # Panics
    /// There are more than [`MAX_FLOWS`] flows.
    pub fn new(spec: &NetworkSpec, bounds: Bounds) -> Result<Self, SpecError> {
        assert!(spec.flows.len() <= MAX_FLOWS, "{} flows", spec.flows.len());
        let mut spec = spec.clone();
        // Only the exploration lets messages arrive, and a stall is what it finds itself.
        let never = ArrivalSpec::Periodic { period: 1.0, phase: MAX_CYCLES as f64 };
        spec.flows.iter_mut().for_each(|flow| flow.arrivals = never);
        spec.measurement.stall_cycles = MAX_CYCLES;
        // The coarsest histogram: nothing reads it here, and every state that is open has a copy.
        spec.measurement.latency_digits = 1;
        let lossy = Simulation::new(&spec)?.lossy_links();
        // Only the exploration loses anything.
        if let Some(errors) = spec.network.as_mut().and_then(|network| network.errors.as_mut()) {
            errors.bit_error_rate = 0.0;
            errors.links.iter_mut().for_each(|link| link.bit_error_rate = None);
        }
        let mut simulation = Simulation::new(&spec)?;
        let mut graph = Graph::default();
        let mut first =
            Moment { number: 0, losses: bounds.losses, under_way: [0; MAX_FLOWS], simulation: simulation.fork() };
        first.number = note(&mut graph, &simulation.state(), &first);
        Ok(Self {
            spec,
            bounds: Bounds { step_cycles: bounds.step_cycles.max(1), ..bounds },
            lossy,
            graph,
            frontier: VecDeque::from([first]),
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
    /// One has, after these choices.
    pub fn bypass_holds(&self) -> Result<(), Lasso> {
        self.overflow.map_or(Ok(()), |state| {
            Err(Lasso { stem: self.graph.way_to(state as usize), cycle: vec![Choice::default()] })
        })
    }

    /// The ring at the beginning, to be led along a lasso.
    pub fn witness<'a>(&self, lasso: &'a Lasso) -> Witness<'a> {
        let simulation = Simulation::new(&self.spec).expect("the spec has been simulated");
        Witness::new(simulation, self.bounds.step_cycles, lasso)
    }

    /// Takes every step from a state.
    fn expand(&mut self, moment: &Moment) {
        let trailing = |flow| moment.simulation.trailing(flow) as u8;
        let of_each = moment.under_way.iter().take(self.spec.flows.len()).enumerate();
        let may = bits(of_each.map(|(flow, &messages)| messages + trailing(flow) < self.bounds.under_way));
        let flows = 1u16 << self.spec.flows.len();
        let links = if moment.losses > 0 { self.lossy.len() } else { 0 };
        for generated in (0..flows).map(|flows| flows as u8).filter(|flows| flows & !may == 0) {
            self.take(moment, Choice { generated, damaged: None });
            for link in 0..links {
                self.take(moment, Choice { generated, damaged: Some(self.lossy[link]) });
            }
        }
    }

    /// Takes a step, if it is one.
    fn take(&mut self, moment: &Moment, choice: Choice) {
        let mut simulation = moment.simulation.fork();
        choose(&mut simulation, choice);
        if simulation.flow_counters().iter().any(|flow| flow.lost_packets > 0) {
            // The transmit queue was full: as if nothing had arrived.
            return;
        }
        simulation.advance(self.bounds.step_cycles);
        if simulation.damage_no_more() {
            // Nothing came: as if nothing were damaged.
            return;
        }
        let mut under_way = moment.under_way;
        let mut delivered = 0;
        for (flow, counters) in simulation.flow_counters().into_iter().enumerate() {
            let completed = counters.host().completed_messages as u8;
            under_way[flow] = under_way[flow] + (choice.generated >> flow & 1) - completed;
            delivered |= u8::from(completed > 0) << flow;
        }
        let ports = simulation.port_counters().into_iter().map(|port| port.interface);
        let mut bypass = 0;
        for one in simulation.node_counters().into_iter().chain(ports) {
            bypass = one.bypass_max_symbols.max(bypass);
            self.refuses |= one.refused_packets > 0;
        }
        self.bypass_max_symbols = self.bypass_max_symbols.max(bypass);
        simulation.reset_measurement();
        let met = self.graph.states();
        let state = simulation.state();
        let losses = moment.losses - u8::from(choice.damaged.is_some());
        let mut next = Moment { number: 0, simulation, under_way, losses };
        next.number = note(&mut self.graph, &state, &next);
        self.graph.step(moment.number, Step { to: next.number, choice, delivered });
        if self.bounds.bypass_symbols.is_some_and(|most| bypass > most) {
            self.overflow = self.overflow.or(Some(next.number));
        }
        if self.graph.states() > met {
            self.frontier.push_back(next);
        }
    }
}

fn bits(flows: impl Iterator<Item = bool>) -> u8 {
    flows.enumerate().fold(0, |bits, (flow, set)| bits | u8::from(set) << flow)
}

/// The number of a moment's state in the graph.
fn note(graph: &mut Graph, state: &State, moment: &Moment) -> u32 {
    let mut hasher = DefaultHasher::new();
    state.code.hash(&mut hasher);
    moment.losses.hash(&mut hasher);
    let pending = bits(moment.under_way.iter().map(|&messages| messages > 0));
    graph.state(hasher.finish(), pending, state.held.is_empty())
}
