//! Every state that a small ring can come to, and what may happen for ever.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ringlet_check::{Choice, Graph, Lasso};
use ringlet_engine::Simulation;
use ringlet_engine::protocols::{FlowControlSpec, train::TrainMode};
use ringlet_engine::spec::{MIN_SEND_SYMBOLS, NetworkSpec};
use stateright::{Checker, Model};

use super::model::{Ring, completed, generate};

/// Findings on all reachable states.
pub(crate) struct Findings {
    spec: NetworkSpec,
    name: String,
    states: usize,
    bypass_max_symbols: u64,
    /// Cycles that the ring needs at most, from any state and left alone, to deliver everything and come to rest; or
    /// arrivals after which it never does.
    rest: Result<usize, Lasso>,
    /// Or arrivals after which it leaves its rest by itself.
    rest_lasts: Result<(), Lasso>,
    /// Cycles between two deliveries of each flow at most while one of its packets waits, whatever arrives; or how to
    /// prevent the next for ever.
    waits: Vec<Result<usize, Lasso>>,
}

/// Explores a ring whose flows have up to `under_way` packets each generated and not delivered, which may arrive in any
/// cycle.
pub(crate) fn explore(name: &str, spec: NetworkSpec, under_way: u8) -> Findings {
    let (bypass_symbols, refuses) = match &crate::protocol(&spec) {
        FlowControlSpec::Ppq(options) => (options.bypass_symbols, true),
        // All that two trains grant, and a train between.
        FlowControlSpec::Train(options) => {
            let tickets = spec.nodes * options.tickets_per_node;
            let train = options.locomotive_symbols + tickets * options.ticket_symbols + 1;
            (2 * tickets * (MIN_SEND_SYMBOLS + 1) + train, options.mode != TrainMode::Arbitrated)
        }
        // A control symbol is sent whatever the space; each of the nodes has two under way at most.
        FlowControlSpec::Dfc(options) => (options.bypass_symbols + 2 * spec.nodes * options.control_symbols, true),
        // Where a node sends with an empty bypass FIFO only, what comes in meanwhile fits.
        _ => (MIN_SEND_SYMBOLS + 1, true),
    };
    let started = Instant::now();
    let flows = spec.flows.len();
    let ring = Ring {
        spec: spec.clone(),
        under_way,
        bypass_symbols: bypass_symbols.into(),
        bypass_max_symbols: AtomicU64::new(0),
        refuses,
        graph: Mutex::new(Graph::default()),
    };
    let checker = ring.checker().spawn_bfs().join();
    checker.assert_properties();
    let graph = checker.model().graph.lock().expect("no thread has panicked");
    let findings = Findings {
        spec,
        name: name.into(),
        states: checker.unique_state_count(),
        bypass_max_symbols: checker.model().bypass_max_symbols.load(Ordering::Relaxed),
        rest: graph.longest_way_to_rest(),
        rest_lasts: graph.rest_lasts(),
        waits: (0..flows).map(|flow| graph.longest_wait(flow, 0)).collect(),
    };
    println!("{findings} ({:.1} s)", started.elapsed().as_secs_f64());
    findings
}

impl std::fmt::Display for Findings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |cycles: &Result<usize, Lasso>| match cycles {
            Ok(cycles) => cycles.to_string(),
            Err(_) => "ever".into(),
        };
        let waits: Vec<String> = self.waits.iter().map(show).collect();
        let Self { name, states, bypass_max_symbols, rest, .. } = self;
        let (rest, waits) = (show(rest), waits.join(" "));
        write!(f, "{name}: {states} states, at rest after {rest}, waits {waits}, bypass FIFO {bypass_max_symbols}")
    }
}

impl Findings {
    /// Left alone, the ring delivers everything from every state, and then holds nothing back.
    pub(crate) fn comes_to_rest(&self) -> &Self {
        self.delivers_everything();
        assert!(self.rest_lasts.is_ok(), "{self}: it leaves its rest by itself, {:?}", self.rest_lasts);
        self
    }

    /// From every state the ring, left alone, delivers everything and comes to rest, at least for a while.
    pub(crate) fn delivers_everything(&self) -> &Self {
        assert!(self.rest.is_ok(), "{self}: {:?}", self.rest);
        self
    }

    /// No flow waits for ever, whatever arrives.
    pub(crate) fn starves_none(&self) -> &Self {
        (0..self.waits.len()).for_each(|flow| _ = self.serves(flow));
        self
    }

    /// Asserts that a flow does not wait for ever, whatever arrives.
    pub(crate) fn serves(&self, flow: usize) -> &Self {
        assert!(self.waits[flow].is_ok(), "{self}: flow {flow} starves, {:?}", self.waits[flow]);
        self
    }

    /// There are arrivals with which this flow waits for ever, and the engine shows it: they are repeated a thousand
    /// times.
    pub(crate) fn starves(&self, flow: usize) -> &Self {
        let lasso = self.waits[flow].as_ref().err().unwrap_or_else(|| panic!("{self}: flow {flow} does not starve"));
        let mut ring = Lassoed::new(&self.spec, lasso);
        let delivered = ring.repeat(1_000);
        assert_eq!(delivered[flow], 0, "{self}: flow {flow} is served");
        assert!(delivered.iter().any(|&packets| packets >= 1_000), "{self}: no flow is served, {delivered:?}");
        self
    }

    /// There are arrivals after which the ring, left alone, never delivers everything, and the engine shows it.
    pub(crate) fn gets_stuck(&self) -> &Self {
        let lasso = self.rest.as_ref().err().unwrap_or_else(|| panic!("{self}: it does not get stuck"));
        let mut ring = Lassoed::new(&self.spec, lasso);
        assert!(lasso.cycle.iter().all(|choice| choice.is_none()));
        let delivered = ring.repeat(1_000);
        assert!(delivered.iter().all(|&packets| packets == 0), "{self}: something is delivered, {delivered:?}");
        assert!(!ring.simulation.state().held.is_empty(), "{self}: it is at rest");
        self
    }
}

/// A ring at the beginning of what may be repeated for ever.
struct Lassoed<'a> {
    simulation: Simulation,
    cycle: &'a [Choice],
}

impl<'a> Lassoed<'a> {
    fn new(spec: &NetworkSpec, lasso: &'a Lasso) -> Self {
        let mut simulation = Simulation::new(spec).expect("a valid spec");
        for choice in &lasso.stem {
            generate(&mut simulation, choice.generated);
            simulation.advance(1);
        }
        Self { simulation, cycle: &lasso.cycle }
    }

    /// Goes round so many times, each of which ends in the state in which it began; returns what was delivered of each
    /// flow.
    fn repeat(&mut self, times: usize) -> Vec<u64> {
        self.simulation.reset_measurement();
        let state = self.simulation.state();
        for _ in 0..times {
            for choice in self.cycle {
                generate(&mut self.simulation, choice.generated);
                self.simulation.advance(1);
            }
            assert_eq!(self.simulation.state(), state);
        }
        completed(&self.simulation)
    }
}
