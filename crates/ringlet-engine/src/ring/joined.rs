//! Rings that become one, and several again (docs/explanation/network-model.md, "Failures: wrapping"). They are
//! simulated together, and visited loop by loop.

use super::{Ring, clear_states, skip_idle_revolutions};
use crate::node::{Node, Shared};
use crate::protocols::FlowControl;
use crate::results::Observer;
use crate::values::NEVER;

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
        for (place, runs) in receivers.into_iter().rev().zip(rest) {
            self.nodes[usize::from(place)].unread.extend(runs);
        }
    }

    /// Brings every node to cycle `end`.
    pub(super) fn sweep_wired_to(&mut self, end: u64) {
        let (nodes, links) = (&mut self.nodes, &mut self.links);
        let wiring = self.wiring.as_ref().expect("its links may exchange where they lead");
        let mut shared = shared!(self, end);
        let (mut settled_sweeps, mut before_sweep) = (0, NEVER);
        loop {
            let (mut done, mut active, mut least_progress) = (true, false, NEVER);
            for places in &wiring.loops {
                for &place in places {
                    let node = &mut nodes[usize::from(place)];
                    let before = node.cycle;
                    active |= node.visit(&mut shared, links);
                    least_progress = least_progress.min(node.cycle - before);
                    done &= node.is_done(end);
                }
                // What the last one has emitted is the first one's.
                links.keep(&mut nodes[usize::from(places[0])].unread);
            }
            if done {
                return;
            }
            if P::NAMES_STATES {
                clear_states::<P, NETWORKED>(nodes, links, shared.protocol);
            }
            if least_progress == 0 {
                let reached = nodes.iter().map(Node::reached).fold(0u64, u64::wrapping_add);
                assert!(reached != before_sweep, "the rings stand still at cycle {}", nodes[0].cycle);
                before_sweep = reached;
            }
            if active || least_progress < self.revolution {
                settled_sweeps = 0;
            } else {
                settled_sweeps += 1;
                if settled_sweeps >= P::SETTLED_AFTER && !O::SEES_IDLES {
                    skip_idle_revolutions(nodes, self.revolution, end, self.in_time);
                }
            }
        }
    }
}
