//! A bare loop over cycles, nodes and symbols of one register-insertion ring, beside which the engine is timed.
//!
//! It follows the rules of the engine's model for a ring without flow control (pass, ready, send, post, drain), under
//! uniform Poisson traffic of one packet size, with receive queues that are never full. It measures nothing but the
//! number of delivered packets and the sum of their latencies, so that it is as fast as a loop over symbols can be
//! while it stays as plain as one would write it.

use std::collections::VecDeque;

/// Symbols of an echo, the last of the packet that it takes the place of.
const ECHO: u16 = 4;

/// A symbol of a packet or echo; `left` symbols of it follow.
#[derive(Clone, Copy)]
struct Symbol {
    source: u16,
    target: u16,
    left: u16,
    is_send: bool,
    generated: u64,
}

/// The content of a link in a cycle, or of a place of a bypass FIFO: `None` is an idle.
type Slot = Option<Symbol>;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Pass,
    Ready,
    Send(u16),
    Post,
    Drain,
}

struct Node {
    state: State,
    bypass: VecDeque<Slot>,
    waiting: VecDeque<(u16, u64)>,
    next_arrival: f64,
    random: u64,
    /// Symbols on the link to the next node, as many as its hop delay.
    link: VecDeque<Slot>,
}

/// A ring of nodes without flow control under uniform Poisson traffic.
pub struct Ring {
    nodes: Vec<Node>,
    symbols: u16,
    mean_gap: f64,
    cycle: u64,
    /// Packets that have come to their targets.
    pub delivered: u64,
    /// The sum of their latencies, in cycles.
    pub latency: u64,
}

impl Ring {
    /// Returns a ring of `nodes` nodes, each of which generates a packet of `symbols` symbols every `mean_gap` cycles
    /// on average.
    #[must_use]
    pub fn new(nodes: u16, hop_delay: usize, symbols: u16, mean_gap: f64, seed: u64) -> Self {
        let node = |number: u16| {
            let mut node = Node {
                state: State::Pass,
                bypass: VecDeque::new(),
                waiting: VecDeque::new(),
                next_arrival: 0.0,
                random: seed ^ (u64::from(number) << 40),
                link: VecDeque::from(vec![None; hop_delay]),
            };
            node.next_arrival = node.gap(mean_gap);
            node
        };
        Self { nodes: (0..nodes).map(node).collect(), symbols, mean_gap, cycle: 0, delivered: 0, latency: 0 }
    }

    /// Simulates `cycles` cycles.
    pub fn advance(&mut self, cycles: u64) {
        let count = self.nodes.len();
        for _ in 0..cycles {
            let mut input = self.nodes[count - 1].link.pop_front().expect("a link holds its hop delay");
            for number in 0..count {
                let output = self.step(number, input);
                let node = &mut self.nodes[number];
                // The last node's input of this cycle was taken before its output came.
                input =
                    if number + 1 < count { node.link.pop_front().expect("a link holds its hop delay") } else { None };
                node.link.push_back(output);
            }
            self.cycle += 1;
        }
    }

    fn step(&mut self, number: usize, input: Slot) -> Slot {
        let input = self.strip(number, input);
        let count = self.nodes.len() as u64;
        let node = &mut self.nodes[number];
        while node.next_arrival <= self.cycle as f64 {
            let target = (number as u64 + 1 + node.draw() % (count - 1)) % count;
            node.waiting.push_back((target as u16, self.cycle));
            node.next_arrival += node.gap(self.mean_gap);
        }
        match node.state {
            State::Pass => {
                if input.is_none() && !node.waiting.is_empty() {
                    node.state = State::Ready;
                }
                input
            }
            State::Ready => {
                node.absorb(input);
                node.state = State::Send(self.symbols - 1);
                Some(node.head(number, self.symbols - 1))
            }
            State::Send(left) => {
                node.absorb(input);
                node.state = if left == 1 { State::Post } else { State::Send(left - 1) };
                Some(node.head(number, left - 1))
            }
            State::Post => {
                node.waiting.pop_front();
                node.absorb(input);
                node.state = if !node.bypass.is_empty() { State::Drain } else { node.rest() };
                None
            }
            State::Drain => {
                node.absorb(input);
                let output = node.bypass.pop_front().expect("the bypass FIFO is not empty in drain");
                if output.is_none() && node.bypass.is_empty() {
                    node.state = node.rest();
                }
                output
            }
        }
    }
    /// Turns a packet for this node into idles and its echo, and an echo for it into idles.
    fn strip(&mut self, number: usize, input: Slot) -> Slot {
        let symbol = input.filter(|symbol| usize::from(symbol.target) != number);
        match input {
            Some(own) if symbol.is_none() && own.is_send => {
                if own.left == 0 {
                    self.delivered += 1;
                    self.latency += self.cycle + 1 - own.generated;
                }
                let echo = Symbol { source: own.target, target: own.source, is_send: false, ..own };
                (own.left < ECHO).then_some(echo)
            }
            _ => symbol,
        }
    }
}

impl Node {
    /// Puts a symbol of a packet, and one idle after each, into the bypass FIFO.
    fn absorb(&mut self, input: Slot) {
        let ends_packet = matches!(self.bypass.back(), Some(Some(Symbol { left: 0, .. })));
        if input.is_some() || ends_packet {
            self.bypass.push_back(input);
        }
    }

    fn head(&self, number: usize, left: u16) -> Symbol {
        let (target, generated) = self.waiting[0];
        Symbol { source: number as u16, target, left, is_send: true, generated }
    }

    /// Returns the state after an idle with an empty bypass FIFO.
    fn rest(&self) -> State {
        if self.waiting.is_empty() { State::Pass } else { State::Ready }
    }

    fn gap(&mut self, mean: f64) -> f64 {
        // In (0, 1]: 53 bits, as many as a double holds.
        let uniform = ((self.draw() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        -mean * uniform.ln()
    }

    /// SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn a_packet_alone_takes_its_way_and_its_length() {
        let mut ring = Ring::new(2, 3, 40, 1e5, 1);
        ring.advance(4_000_000);
        assert!(ring.delivered > 50, "{}", ring.delivered);
        // A cycle from the arrival to the first symbol, 3 cycles of hop delay, 40 symbols; two rarely meet.
        let mean = ring.latency as f64 / ring.delivered as f64;
        assert!((44.0..44.1).contains(&mean), "{mean}");
    }

    #[test]
    fn links_carry_what_nodes_offer_below_saturation() {
        let mut ring = Ring::new(8, 1, 40, 400.0, 2);
        ring.advance(1_000_000);
        let offered = 8.0 * 1e6 / 400.0;
        assert!((ring.delivered as f64 / offered - 1.0).abs() < 0.02, "{} of {offered}", ring.delivered);
    }
}
