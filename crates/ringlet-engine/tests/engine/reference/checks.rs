//! Rules that hold in every cycle whatever the traffic; a broken rule panics.

use ringlet_engine::spec::NetworkSpec;

use super::go::Go;
use super::node::{Node, Transmitter};
use super::slow_link::SlowLink;
use super::symbol::{PacketSymbol, Symbol};

/// Last symbol of a node, which says what the next one may be.
#[derive(Debug, Clone, Copy)]
enum Before {
    /// Anything may begin.
    Idle,
    Packet(PacketSymbol),
    /// So many symbols of a control symbol have been emitted.
    Control(u32),
}

/// Counters beside the ring that see its symbols only from outside the nodes.
#[derive(Debug)]
pub(crate) struct Checks {
    /// The symbol emitted last by each node.
    last: Vec<Before>,
    /// Packet symbols that should be in each node's bypass FIFO: came in, were not stripped and have not been emitted.
    held: Vec<i64>,
    /// None are made or lost in the bypass FIFOs.
    conserves_symbols: bool,
    /// Most symbols and separators that may be in each node's bypass FIFO.
    bounds: Vec<usize>,
    /// The last symbols of a packet, which leave its destination as its echo.
    echo_symbols: u32,
    /// Idles on links that carry each go bit.
    carriers: [u64; 256],
    /// Go bits of the ring at cycle 0.
    go: Go,
}

/// Most symbols and separators that may be in each node's bypass FIFO.
fn bounds(spec: &NetworkSpec, nodes: &[Node]) -> Vec<usize> {
    let mut longest = vec![0; nodes.len()];
    for flow in &spec.flows {
        let of_source = &mut longest[flow.source as usize];
        *of_source = flow.sizes.iter().map(|size| size.0).fold(*of_source, u32::max);
        if let Some(response) = flow.response_symbols {
            longest.iter_mut().for_each(|longest| *longest = (*longest).max(response));
        }
    }
    let longest_of_all = longest.iter().copied().max().unwrap_or(0);
    let bound = |(node, longest): (&Node, u32)| match &node.transmitter {
        // What waits for its time to pass stands there, too.
        Transmitter::States(states) => {
            let own = if states.delayed.is_some() { longest.max(spec.format.echo_symbols) } else { longest };
            (own + 1 + states.wait.min(longest_of_all)) as usize
        }
        Transmitter::Decider(decider) => decider.protocol.most_bypassed(),
    };
    nodes.iter().zip(longest).map(bound).collect()
}

/// Returns whether all symbols that come into the bypass FIFO leave it.
fn conserves_symbols(node: &Node) -> bool {
    match &node.transmitter {
        // An echo that was held back did not come in.
        Transmitter::States(states) => states.delayed.is_none(),
        Transmitter::Decider(decider) => decider.protocol.conserves_symbols(),
    }
}

impl Checks {
    /// `go`: go bits of the idles at cycle 0.
    pub(crate) fn new(spec: &NetworkSpec, nodes: &[Node], go: Go) -> Self {
        let mut carriers = [0; 256];
        for bit in go.groups() {
            carriers[bit] = (0..spec.nodes).map(|node| super::hop_delay(spec, node) as u64).sum();
        }
        Self {
            last: vec![Before::Idle; nodes.len()],
            held: vec![0; nodes.len()],
            conserves_symbols: nodes.iter().all(conserves_symbols),
            bounds: bounds(spec, nodes),
            echo_symbols: if spec.format.echoes { spec.format.echo_symbols } else { 0 },
            carriers,
            go,
        }
    }

    /// Checks the symbols that came into node `node`, spoilt or not, and that it emitted in one cycle.
    pub(crate) fn symbols(&mut self, node: usize, input: Symbol, spoilt: bool, output: Symbol) {
        match input {
            _ if spoilt => {}
            Symbol::Idle(idle) => idle.go.groups().for_each(|bit| self.carriers[bit] -= 1),
            Symbol::Control(_) => {}
            // A send's last symbols leave as an echo, if there are echoes; an echo's do not leave.
            Symbol::Packet(symbol) => {
                let stripped = symbol.target as usize == node;
                let is_back = symbol.source as usize == node && self.last.len() > 1;
                let leaves_echo = symbol.is_send() && !is_back;
                let stays = !stripped || (leaves_echo && symbol.position + self.echo_symbols >= symbol.length);
                self.held[node] += i64::from(stays);
            }
        }
        self.last[node] = match (self.last[node], output) {
            (Before::Packet(last), Symbol::Packet(symbol)) => {
                assert!(!last.is_last(), "node {node}: no idle between two packets");
                assert_eq!(symbol, last.at(last.position + 1), "node {node}: a packet's symbols are out of order");
                Before::Packet(symbol)
            }
            (Before::Control(count), Symbol::Control(symbol)) => {
                assert_eq!(symbol.position, count, "node {node}: a control symbol is cut off");
                if symbol.is_last() { Before::Idle } else { Before::Control(count + 1) }
            }
            (Before::Idle, Symbol::Packet(symbol)) => {
                assert!(symbol.is_first(), "node {node}: a packet without its first symbol");
                Before::Packet(symbol)
            }
            (Before::Idle, Symbol::Control(symbol)) => {
                assert!(symbol.is_first(), "node {node}: a control symbol without its first symbol");
                if symbol.is_last() { Before::Idle } else { Before::Control(1) }
            }
            (Before::Packet(last), Symbol::Idle(_)) => {
                assert!(last.is_last(), "node {node}: an idle inside a packet");
                Before::Idle
            }
            (Before::Idle, Symbol::Idle(_)) => Before::Idle,
            (before, _) => panic!("node {node}: {output:?} after {before:?}"),
        };
        match output {
            Symbol::Idle(idle) => idle.go.groups().for_each(|bit| self.carriers[bit] += 1),
            Symbol::Control(_) => {}
            // What the node sends itself did not come in.
            Symbol::Packet(symbol) => {
                let own = symbol.is_send() && symbol.source as usize == node;
                self.held[node] -= i64::from(!own);
            }
        }
    }

    /// A link has taken the symbol in that its node has emitted, and another one has come out.
    pub(crate) fn converted(&mut self, emitted: Symbol, sent: Symbol) {
        if let Symbol::Idle(idle) = emitted {
            idle.go.groups().for_each(|bit| self.carriers[bit] -= 1);
        }
        if let Symbol::Idle(idle) = sent {
            idle.go.groups().for_each(|bit| self.carriers[bit] += 1);
        }
    }

    /// Node `node` at the end of a cycle.
    pub(crate) fn node(&self, node: usize, state: &Node) {
        let held = state.bypassed().len() as i64;
        if self.conserves_symbols {
            assert_eq!(self.held[node], held, "node {node}: symbols are lost or made in the bypass FIFO");
        }
        let (fill, bound) = match &state.transmitter {
            Transmitter::States(states) => {
                let fill = states.fifo.len();
                let empty = fill == 0 || !states.waits_with_empty_fifo();
                assert!(empty, "node {node}: passes symbols with {fill} in the bypass FIFO");
                (fill, self.bounds[node])
            }
            Transmitter::Decider(decider) => (decider.bypass.occupancy(), self.bounds[node]),
        };
        assert!(fill == 0 || fill <= bound, "node {node}: {fill} symbols in the bypass FIFO");
    }

    /// All nodes at the end of a cycle: go bits are merged and moved, never lost and never made from nothing.
    pub(crate) fn go_bits<'a>(&self, nodes: &[Node], slow_links: impl Iterator<Item = &'a SlowLink>) {
        let on_links = Go::of((0..256).filter(|&bit| self.carriers[bit] > 0));
        let saved = nodes.iter().map(|node| node.saved_go_bits()).chain(slow_links.map(SlowLink::go_bits));
        let somewhere = saved.fold(on_links, |word, saved| word | saved);
        assert_eq!(somewhere, self.go, "go bits of the ring: {somewhere:?} instead of {:?}", self.go);
    }
}

/// At the end of cycle `cycle` every packet that its source has sent and not yet seen accepted is in one place of the
/// ring, or is lost and not yet missed. Without echoes no source waits for one, and no packet is in two places.
pub(crate) fn whereabouts(
    cycle: u64,
    nodes: &[Node],
    on_links: impl Iterator<Item = Symbol>,
    lost: impl Iterator<Item = usize>,
    echoes: bool,
) {
    let mut places: Vec<usize> = lost.collect();
    let on_links = on_links.filter_map(|symbol| match symbol {
        Symbol::Packet(symbol) => Some(symbol),
        Symbol::Idle(_) | Symbol::Control(_) => None,
    });
    let in_bypass = nodes.iter().flat_map(Node::bypassed);
    // A packet on its way, or its echo, is where its last symbol is.
    let last = on_links.chain(in_bypass).filter(|symbol| symbol.is_last());
    places.extend(last.filter(|symbol| symbol.is_send() || symbol.is_echo()).map(|symbol| symbol.packet));
    places.extend(nodes.iter().flat_map(|node| node.keeps(cycle)));
    places.sort_unstable();
    if !echoes {
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "packets are doubled");
        return;
    }
    let mut unaccepted: Vec<usize> = nodes.iter().flat_map(Node::unaccepted).collect();
    unaccepted.sort_unstable();
    assert_eq!(places, unaccepted, "packets are lost or doubled");
}
