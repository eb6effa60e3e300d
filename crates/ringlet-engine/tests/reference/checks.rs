//! What must hold in every cycle whatever the traffic; a broken rule panics.

use ringlet_engine::spec::NetworkSpec;

use super::node::{Held, Node};
use super::symbol::{PacketSymbol, Symbol};

/// Counters beside the ring that see its symbols only from outside the nodes.
#[derive(Debug)]
pub(crate) struct Checks {
    /// The packet symbol emitted last by each node; `None` if the last symbol was an idle.
    last: Vec<Option<PacketSymbol>>,
    /// Packet symbols that should be in each node's bypass FIFO: came in, were not stripped and have not been emitted.
    held: Vec<i64>,
    /// Longest packet that each node may send.
    longest: Vec<usize>,
    /// Idles on links that carry each go bit.
    carriers: [u64; 16],
    /// Go bits of the ring at cycle 0.
    go: u16,
}

fn bits(word: u16) -> impl Iterator<Item = usize> {
    (0..16).filter(move |bit| word >> bit & 1 == 1)
}

impl Checks {
    pub(crate) fn new(spec: &NetworkSpec, go: u16) -> Self {
        let nodes = spec.nodes as usize;
        let mut longest = vec![0; nodes];
        for flow in &spec.flows {
            let longest = &mut longest[flow.source as usize];
            *longest = flow.sizes.iter().map(|size| size.0 as usize).fold(*longest, usize::max);
        }
        let mut carriers = [0; 16];
        for bit in bits(go) {
            carriers[bit] = u64::from(spec.nodes) * u64::from(spec.hop_delay);
        }
        Self { last: vec![None; nodes], held: vec![0; nodes], longest, carriers, go }
    }

    /// What came into node `node` and what it emitted in one cycle.
    pub(crate) fn symbols(&mut self, node: usize, input: Symbol, output: Symbol) {
        match input {
            Symbol::Idle(idle) => bits(idle.go).for_each(|bit| self.carriers[bit] -= 1),
            // A send's last symbols leave as an echo; an echo's do not leave.
            Symbol::Packet(symbol) => {
                let stripped = symbol.target as usize == node;
                let stays = !stripped || (!symbol.is_echo() && symbol.position + 4 >= symbol.length);
                self.held[node] += i64::from(stays);
            }
        }
        match output {
            Symbol::Idle(idle) => {
                bits(idle.go).for_each(|bit| self.carriers[bit] += 1);
                assert!(self.last[node].is_none_or(PacketSymbol::is_last), "node {node}: an idle inside a packet");
                self.last[node] = None;
            }
            Symbol::Packet(symbol) => {
                match self.last[node] {
                    None => assert!(symbol.is_first(), "node {node}: a packet without its first symbol"),
                    Some(last) => {
                        assert!(!last.is_last(), "node {node}: no idle between two packets");
                        let next = PacketSymbol { position: last.position + 1, ..last };
                        assert_eq!(symbol, next, "node {node}: a packet's symbols are out of order");
                    }
                }
                self.last[node] = Some(symbol);
                // What the node sends itself did not come in.
                let own = !symbol.is_echo() && symbol.source as usize == node;
                self.held[node] -= i64::from(!own);
            }
        }
    }

    /// Node `node` at the end of a cycle.
    pub(crate) fn node(&self, node: usize, state: &Node) {
        let held = state.fifo.iter().filter(|held| matches!(held, Held::Packet(_))).count();
        assert_eq!(self.held[node], held as i64, "node {node}: symbols are lost or made in the bypass FIFO");
        let (fill, longest) = (state.fifo.len(), self.longest[node]);
        assert!(fill == 0 || fill <= longest + 1, "node {node}: {fill} symbols in the bypass FIFO");
        assert!(
            fill == 0 || !state.waits_with_empty_fifo(),
            "node {node}: passes symbols with {fill} in the bypass FIFO"
        );
        state.queue.check(state.is_sending());
    }

    /// All nodes at the end of a cycle: go bits are merged and moved, never lost and never made from nothing.
    pub(crate) fn go_bits(&self, nodes: &[Node]) {
        let on_links = (0..16).filter(|&bit| self.carriers[bit] > 0).fold(0, |word, bit| word | 1 << bit);
        let somewhere = nodes.iter().fold(on_links, |word, node| word | node.saved);
        assert_eq!(somewhere, self.go, "go bits of the ring: {somewhere:#b} instead of {:#b}", self.go);
    }
}
