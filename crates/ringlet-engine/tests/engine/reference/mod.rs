//! The symbol-by-symbol reference of docs/explanation/model.md and docs/explanation/realtime-model.md, written for
//! clarity alone.
//!
//! Every symbol of every link is handled in every cycle, in the order of the pages' steps; the optimised engine must
//! agree with it bit for bit. The reference shares the engine's [`NetworkSpec`] and its draws
//! ([`Source`](ringlet_engine::traffic::Source)), nothing else. After each cycle it checks its own invariants
//! ([`checks`]) and panics where one is broken.

mod bypass;
mod checks;
mod control;
mod decider;
mod faults;
mod flow;
mod go;
mod go_level;
mod host;
mod input_queue;
mod multicast;
mod node;
mod packet;
mod protocol;
pub(crate) mod protocols;
mod records;
mod reservation;
mod reserve;
mod result;
mod slow_link;
mod states;
mod symbol;
mod transmit_queue;

use std::collections::{BTreeMap, VecDeque};

use ringlet_engine::spec::NetworkSpec;

use checks::Checks;
pub(crate) use control::{Command, Control, StopTo};
use faults::Faults;
pub(crate) use faults::Losses;
use node::Node;
pub(crate) use packet::{Class, Packet};
pub(crate) use protocols::train::{Revolution, Train};
pub(crate) use records::Happened;
use records::Records;
pub(crate) use reservation::{Letter, Phase, Reservation};
pub(crate) use result::{Delivery, FlowResult, Inversions, Latencies, NodeResult};
use slow_link::SlowLink;
pub(crate) use symbol::{Idle, Kind, PacketSymbol, Symbol};

/// One ring, advanced cycle by cycle.
pub(crate) struct Reference {
    cycle: u64,
    nodes: Vec<Node>,
    /// Link `i`, from node `i`: the symbols under way, the oldest first; always as many between cycles as its
    /// hop delay.
    links: Vec<VecDeque<Symbol>>,
    /// Links slower than the ring, between their node and its link.
    slow_links: BTreeMap<usize, SlowLink>,
    records: Records,
    echoes: bool,
    flow_sources: Vec<u32>,
    checks: Checks,
    faults: Option<Faults>,
    recorded: Option<Vec<Vec<Symbol>>>,
}

/// Hop delay of the link from a node.
fn hop_delay(spec: &NetworkSpec, node: u32) -> usize {
    let of_ring = spec.network.as_ref().and_then(|network| network.rings[0].hop_delays.as_ref());
    spec.hop_delay.each.as_ref().or(of_ring).map_or(spec.hop_delay.common, |each| each[node as usize]) as usize
}

impl Reference {
    /// The ring at cycle 0: idles on every link, every queue and FIFO empty.
    ///
    /// # Panics
    /// If the spec is not valid.
    pub(crate) fn new(spec: &NetworkSpec) -> Self {
        spec.validate().expect("the reference takes valid specs only");
        let nodes: Vec<Node> = (0..spec.nodes).map(|index| Node::new(spec, index)).collect();
        let first = nodes[0].first_idle(spec.initial_go);
        Self {
            cycle: 0,
            links: (0..spec.nodes).map(|node| vec![Symbol::Idle(first); hop_delay(spec, node)].into()).collect(),
            slow_links: spec.slow_links.iter().map(|link| (link.node as usize, SlowLink::new(*link, first))).collect(),
            checks: Checks::new(spec, &nodes, first.go),
            nodes,
            records: Records::new(spec),
            echoes: spec.format.echoes,
            faults: Faults::new(spec),
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
            let spoilt = self.faults.as_mut().is_some_and(|faults| faults.spoils(index, input, cycle, &self.records));
            let output = node.step(cycle, input, spoilt, self.faults.as_mut(), &mut self.records);
            let sent = self.slow_links.get_mut(&index).map_or(output, |link| link.step(output));
            self.links[index].push_back(sent);
            self.checks.symbols(index, input, spoilt, output);
            self.checks.converted(output, sent);
            self.checks.node(index, node);
            node.host.queue.check(&self.records);
            if let Some(recorded) = &mut self.recorded {
                recorded[index].push(output);
            }
        }
        self.checks.go_bits(&self.nodes, self.slow_links.values());
        if cycle.is_multiple_of(8) {
            let on_links = self.links.iter().flatten().copied();
            let on_links = on_links.chain(self.slow_links.values().flat_map(SlowLink::held));
            let lost = self.faults.iter().flat_map(|faults| faults.lost(cycle));
            checks::whereabouts(cycle, &self.nodes, on_links, lost, self.echoes);
        }
        self.cycle += 1;
    }

    /// Cycles simulated so far: the first cycle not yet simulated.
    pub(crate) fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Returns the symbols that node `node` has emitted since [`Reference::record`], one per cycle.
    pub(crate) fn emitted(&self, node: usize) -> &[Symbol] {
        &self.recorded.as_ref().expect("call record() first")[node]
    }

    /// The packet a [`PacketSymbol`] belongs to.
    pub(crate) fn packet(&self, symbol: PacketSymbol) -> &Packet {
        &self.records.packets[symbol.packet]
    }

    /// A packet by its number.
    pub(crate) fn packet_numbered(&self, number: usize) -> &Packet {
        &self.records.packets[number]
    }

    /// All packets, in the order in which they were made.
    pub(crate) fn packets(&self) -> &[Packet] {
        &self.records.packets
    }

    /// Returns the train to which a symbol belongs.
    pub(crate) fn train(&self, symbol: PacketSymbol) -> &Train {
        &self.records.trains[symbol.packet]
    }

    /// Returns what has happened to packets so far, at sources and destinations.
    pub(crate) fn happened(&self) -> &[Happened] {
        &self.records.happened
    }

    /// Returns the packets in the transmit queue of node `node`, and in its input queues, at the end of each cycle.
    pub(crate) fn lengths(&self, node: u32) -> &[Vec<u64>; 2] {
        &self.nodes[node as usize].lengths
    }

    /// Returns all deliveries so far, by cycle of delivery, then by destination.
    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        let mut done = self.records.deliveries.clone();
        done.sort_by_key(|delivery| (delivery.delivered, delivery.destination));
        done
    }

    /// Most busy echoes of a packet of one flow.
    pub(crate) fn most_refusals(&self, flow: usize) -> u32 {
        let packets = self.records.packets.iter().filter(|packet| packet.flow == flow);
        packets.map(|packet| packet.refusals).max().unwrap_or(0)
    }

    /// Counts of one flow.
    pub(crate) fn flow(&self, flow: usize) -> FlowResult {
        let deliveries: Vec<Delivery> =
            self.records.deliveries.iter().filter(|delivery| delivery.flow == flow).copied().collect();
        let completions: Vec<_> =
            self.records.completions.iter().filter(|completion| completion.flow == flow).copied().collect();
        FlowResult::new(self.records.counts[flow], &deliveries, &completions)
    }

    /// Latencies of the packets of one flow, responses included.
    pub(crate) fn latencies(&self, flow: usize) -> impl Iterator<Item = u64> {
        let of_flow = self.records.deliveries.iter().filter(move |delivery| delivery.flow == flow);
        of_flow.map(Delivery::latency_cycles)
    }

    /// Latencies of the messages of one flow.
    pub(crate) fn message_latencies(&self, flow: usize) -> impl Iterator<Item = u64> {
        let of_flow = self.records.completions.iter().filter(move |completion| completion.flow == flow);
        of_flow.map(|completion| completion.latency_cycles)
    }

    /// Counts of every flow.
    pub(crate) fn flows(&self) -> Vec<FlowResult> {
        (0..self.flow_sources.len()).map(|flow| self.flow(flow)).collect()
    }

    /// What has been lost at every node, and what it has missed.
    pub(crate) fn losses(&self) -> &[Losses] {
        self.faults.as_ref().map_or(&[], |faults| &faults.counts)
    }

    /// Counts of one node.
    pub(crate) fn node(&self, node: usize) -> NodeResult {
        let mut result = self.nodes[node].result();
        result.slow_link_max_symbols = self.slow_links.get(&node).map_or(0, |link| link.most);
        result
    }

    /// Counts of every node.
    pub(crate) fn nodes(&self) -> Vec<NodeResult> {
        (0..self.nodes.len()).map(|node| self.node(node)).collect()
    }
}
