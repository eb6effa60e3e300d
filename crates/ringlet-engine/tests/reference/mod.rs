//! The symbol-by-symbol reference of docs/model.md, written for clarity alone.
//!
//! Every symbol of every link is looked at in every cycle, in the order of the page's steps; the optimised engine must agree with it
//! bit for bit. The reference shares the engine's [`NetworkSpec`] and its draws ([`Source`](ringlet_engine::traffic::Source)),
//! nothing else. After each cycle it checks its own invariants ([`checks`]) and panics where one is broken.

// Every test file includes this module and uses a part of it.
#![allow(dead_code, unused_imports)]

mod checks;
mod flow_control;
mod node;
mod queue;
mod receive;
mod result;
mod symbol;

use std::collections::VecDeque;

use ringlet_engine::spec::NetworkSpec;

use checks::Checks;
use flow_control::FlowControl;
use node::Node;
pub(crate) use queue::Packet;
pub(crate) use result::{Delivery, FlowResult, LinkSymbols, NodeResult, fold};
pub(crate) use symbol::{Idle, Kind, PacketSymbol, Symbol};

/// One ring, advanced cycle by cycle.
pub(crate) struct Reference {
    cycle: u64,
    nodes: Vec<Node>,
    /// Link `i`, from node `i`: the symbols under way, the oldest first; always `hop_delay` of them between cycles.
    links: Vec<VecDeque<Symbol>>,
    packets: Vec<Packet>,
    /// Every accepted packet, also those whose service ends in the future.
    deliveries: Vec<Delivery>,
    flow_sources: Vec<u32>,
    checks: Checks,
    recorded: Option<Vec<Vec<Symbol>>>,
}

impl Reference {
    /// The ring at cycle 0: idles on every link, every queue and FIFO empty.
    ///
    /// # Panics
    /// If the spec is not valid.
    pub(crate) fn new(spec: &NetworkSpec) -> Self {
        spec.validate().expect("the reference takes valid specs only");
        let flow_control = FlowControl::new(&spec.flow_control);
        let go = spec.initial_go.map_or(flow_control.all, |go| go & flow_control.all);
        let first = Symbol::Idle(Idle { go, announced: 0, collecting: 0 });
        let nodes: Vec<Node> = (0..spec.nodes).map(|index| Node::new(spec, flow_control, index)).collect();
        Self {
            cycle: 0,
            links: vec![VecDeque::from(vec![first; spec.hop_delay as usize]); nodes.len()],
            checks: Checks::new(spec, go),
            nodes,
            packets: Vec::new(),
            deliveries: Vec::new(),
            flow_sources: spec.flows.iter().map(|flow| flow.source).collect(),
            recorded: None,
        }
    }

    /// Keeps every symbol emitted from now on, for [`Reference::emitted`].
    pub(crate) fn record(mut self) -> Self {
        self.recorded = Some(vec![Vec::new(); self.nodes.len()]);
        self
    }

    /// Simulates this many further cycles.
    pub(crate) fn advance(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.advance_one();
        }
    }

    fn advance_one(&mut self) {
        let cycle = self.cycle;
        let inputs: Vec<Symbol> = (0..self.nodes.len())
            .map(|node| {
                let upstream = (node + self.nodes.len() - 1) % self.nodes.len();
                self.links[upstream].pop_front().expect("a link is never empty")
            })
            .collect();
        for (index, input) in inputs.into_iter().enumerate() {
            let node = &mut self.nodes[index];
            let output = node.step(cycle, input, &mut self.packets, &mut self.deliveries);
            self.links[index].push_back(output);
            self.checks.symbols(index, input, output);
            self.checks.node(index, node);
            if let Some(recorded) = &mut self.recorded {
                recorded[index].push(output);
            }
        }
        self.checks.go_bits(&self.nodes);
        self.cycle += 1;
    }

    /// Cycles simulated so far: the first cycle not yet simulated.
    pub(crate) fn cycle(&self) -> u64 {
        self.cycle
    }

    /// What node `node` has emitted since [`Reference::record`], one symbol per cycle.
    pub(crate) fn emitted(&self, node: usize) -> &[Symbol] {
        &self.recorded.as_ref().expect("call record() first")[node]
    }

    /// The packet a [`PacketSymbol`] belongs to.
    pub(crate) fn packet(&self, symbol: PacketSymbol) -> &Packet {
        &self.packets[symbol.packet]
    }

    /// Everything delivered so far, by cycle of delivery, then by destination.
    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        let mut done: Vec<Delivery> = self.deliveries.iter().filter(|d| d.delivered <= self.cycle).copied().collect();
        done.sort_by_key(|delivery| (delivery.delivered, delivery.destination));
        done
    }

    /// Counts of one flow.
    pub(crate) fn flow(&self, flow: usize) -> FlowResult {
        let counts = self.nodes[self.flow_sources[flow] as usize].queue.counts(flow);
        FlowResult::new(counts, self.deliveries().iter().filter(|delivery| delivery.flow == flow))
    }

    /// Counts of every flow.
    pub(crate) fn flows(&self) -> Vec<FlowResult> {
        (0..self.flow_sources.len()).map(|flow| self.flow(flow)).collect()
    }

    /// Counts of one node.
    pub(crate) fn node(&self, node: usize) -> NodeResult {
        self.nodes[node].result
    }

    /// Counts of every node.
    pub(crate) fn nodes(&self) -> Vec<NodeResult> {
        self.nodes.iter().map(|node| node.result).collect()
    }
}
