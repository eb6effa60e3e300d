//! A ring as a model: its states are the engine's own, its actions are the arrivals.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use ringlet_check::{Choice, Graph, Step};
use ringlet_engine::spec::NetworkSpec;
use ringlet_engine::{Simulation, State};
use stateright::{Model, Property};

/// A ring whose flows generate packets in whatever cycles they like.
pub(crate) struct Ring {
    pub(crate) spec: NetworkSpec,
    /// Packets, or transactions, that each flow may have begun and not completed.
    pub(crate) under_way: u8,
    /// Symbols that a bypass FIFO may hold.
    pub(crate) bypass_symbols: u64,
    /// Most that one has held.
    pub(crate) bypass_max_symbols: AtomicU64,
    /// May an input queue refuse a packet?
    pub(crate) refuses: bool,
    /// All that the checker has found.
    pub(crate) graph: Mutex<Graph>,
}

/// A ring at one cycle, and what happened in the cycle before.
#[derive(Clone)]
pub(crate) struct Moment {
    simulation: Arc<Simulation>,
    state: Arc<State>,
    /// Fingerprint of the state's code.
    fingerprint: u64,
    /// Packets of each flow that are generated and not delivered.
    under_way: Vec<u8>,
    /// Most symbols in a bypass FIFO.
    bypass_symbols: u64,
    refused_packets: u64,
}

impl Hash for Moment {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fingerprint.hash(hasher);
    }
}

impl PartialEq for Moment {
    fn eq(&self, other: &Self) -> bool {
        self.state.code == other.state.code
    }
}

impl std::fmt::Debug for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cycle {}, under way {:?}, held {:?}", self.simulation.cycle(), self.under_way, self.state.held)
    }
}

impl Moment {
    fn new(mut simulation: Simulation, under_way: Vec<u8>) -> Self {
        let nodes = simulation.node_counters();
        simulation.reset_measurement();
        let state = Arc::new(simulation.state());
        let mut hasher = DefaultHasher::new();
        state.code.hash(&mut hasher);
        Self {
            simulation: Arc::new(simulation),
            state,
            fingerprint: hasher.finish(),
            under_way,
            bypass_symbols: nodes.iter().map(|node| node.bypass_max_symbols).max().unwrap_or(0),
            refused_packets: nodes.iter().map(|node| node.refused_packets).sum(),
        }
    }

    /// Returns the state's number in the graph.
    fn note(&self, graph: &mut Graph) -> u32 {
        let pending = bits(self.under_way.iter().map(|&packets| packets > 0));
        graph.state(self.fingerprint, pending, self.state.held.is_empty())
    }
}

fn bits(flows: impl Iterator<Item = bool>) -> u8 {
    flows.enumerate().fold(0, |bits, (flow, set)| bits | u8::from(set) << flow)
}

/// A packet of each of these flows, a bit each, arrives in the present cycle.
pub(crate) fn generate(simulation: &mut Simulation, flows: u8) {
    (0..8).filter(|flow| flows >> flow & 1 == 1).for_each(|flow| simulation.generate(flow));
}

/// Packets of each flow that are delivered, or transactions that are complete.
pub(crate) fn completed(simulation: &Simulation) -> Vec<u64> {
    simulation.flow_counters().iter().map(|flow| flow.host().completed_messages).collect()
}

impl Model for Ring {
    type State = Moment;
    /// The flows that generate a packet, a bit each.
    type Action = u8;

    fn init_states(&self) -> Vec<Moment> {
        let simulation = Simulation::new(&self.spec).expect("a valid spec");
        let moment = Moment::new(simulation, vec![0; self.spec.flows.len()]);
        moment.note(&mut self.graph.lock().expect("no thread has panicked"));
        vec![moment]
    }

    fn actions(&self, moment: &Moment, actions: &mut Vec<u8>) {
        let may = bits(moment.under_way.iter().map(|&packets| packets < self.under_way));
        actions.extend((0..1u16 << self.spec.flows.len()).map(|flows| flows as u8).filter(|flows| flows & !may == 0));
    }

    fn next_state(&self, moment: &Moment, generated: u8) -> Option<Moment> {
        let mut simulation = moment.simulation.fork();
        generate(&mut simulation, generated);
        if simulation.flow_counters().iter().any(|flow| flow.lost_packets > 0) {
            // The transmit queue was full: as if nothing had arrived.
            return None;
        }
        assert_eq!(simulation.advance(1), None, "the ring is not watched for stalls");
        let completed = completed(&simulation);
        let under_way = moment.under_way.iter().zip(&completed).enumerate();
        let under_way =
            under_way.map(|(flow, (packets, &completed))| packets + (generated >> flow & 1) - completed as u8);
        let next = Moment::new(simulation, under_way.collect());
        self.bypass_max_symbols.fetch_max(next.bypass_symbols, Ordering::Relaxed);
        let mut graph = self.graph.lock().expect("no thread has panicked");
        let (from, to) = (moment.note(&mut graph), next.note(&mut graph));
        let delivered = bits(completed.iter().map(|&packets| packets > 0));
        graph.step(from, Step { to, choice: Choice { generated, damaged: None }, delivered });
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("a bypass FIFO holds no more than it has room for", |ring: &Self, moment: &Moment| {
                moment.bypass_symbols <= ring.bypass_symbols
            }),
            Property::always("a packet is refused only where that is allowed", |ring: &Self, moment: &Moment| {
                ring.refuses || moment.refused_packets == 0
            }),
        ]
    }
}
