//! Rings that become one, and several again (docs/explanation/network-model.md, "Failures: wrapping"). They are
//! simulated together, and visited loop by loop.

use super::{Ring, Sweep, Sweeps};
use crate::node::Shared;
use crate::protocols::FlowControl;
use crate::results::Observer;

impl<P: FlowControl, O: Observer, const NETWORKED: bool> Ring<P, O, NETWORKED> {
    /// Exchanges the ends of the outgoing links of two places in the present cycle. What is on its way stays on it:
    /// what is emitted from now on arrives at the other end. Idles go on with what they carry; of a packet that is cut,
    /// what comes behind is created idles.
    pub(crate) fn exchange(&mut self, ends: [u16; 2]) {
        let wiring = self.wiring.as_mut().expect("its links may exchange where they lead");
        let receivers = wiring.exchange(ends);
        self.revolution = wiring.revolution();
        let rest = receivers.map(|place| {
            let arrives = self.cycle + wiring.delay(place);
            let node = &mut self.nodes[usize::from(place)];
            // While its link is interrupted, a node reads it symbol by symbol.
            assert!(node.cycle <= arrives, "node {place} has read on to cycle {}", node.cycle);
            node.unread.cut(arrives - node.cycle)
        });
        // Each has emitted for cycles to come, to the end of a packet: what leaves from now
        // on arrives at the other end.
        for (place, runs) in receivers.into_iter().rev().zip(rest) {
            self.nodes[usize::from(place)].unread.extend(runs);
        }
    }

    /// Brings every node to cycle `end`.
    pub(super) fn sweep_wired_to(&mut self, end: u64) {
        let (nodes, links) = (&mut self.nodes, &mut self.links);
        let wiring = self.wiring.as_ref().expect("its links may exchange where they lead");
        let mut shared = shared!(self, end);
        let mut sweeps = Sweeps::default();
        loop {
            let mut sweep = Sweep::BEGUN;
            for places in &wiring.loops {
                for &place in places {
                    sweep.visit(&mut nodes[usize::from(place)], &mut shared, links);
                }
                // What the last one has emitted is the first one's.
                links.keep(&mut nodes[usize::from(places[0])].unread);
            }
            if sweep.done {
                return;
            }
            sweeps.end(&sweep, nodes, links, &mut shared, self.revolution);
        }
    }
}
