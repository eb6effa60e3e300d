//! The lookahead of a port: cycles before which nothing reaches it (docs/explanation/network-model.md, "Windows"): the
//! further its switch sees ahead, the further rings may go.

use super::Ring;
use crate::node::IN_NETWORK;
use crate::protocols::FlowControl;
use crate::results::Observer;
use crate::values::{Kind, Run};

/// Cycles before which a port does nothing that has not been reported to its switch.
#[derive(Debug, Default, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Lookahead {
    /// No packet for it has its first symbol earlier.
    pub(crate) arrivals_from: u64,
    /// It frees no slot earlier.
    pub(crate) freed_from: u64,
    /// So many packets find a place from then on.
    pub(crate) places: u32,
}

/// Nodes up to the port whose input is looked at.
const NODES_LOOKED_AT: usize = 4;

impl<P: FlowControl, O: Observer> Ring<P, O, IN_NETWORK> {
    /// The future of the port at a place, as far as the symbols on their way to it say. Slots are freed by echoes,
    /// which can be seen some nodes before it, as can the packets that they will be of.
    pub(crate) fn look_ahead(&self, place: u16) -> Lookahead {
        // A protocol that follows the queues sends echoes at any time, and losses are detected at any time.
        if P::FOLLOWS_QUEUES || self.timing.errs {
            return Lookahead { arrivals_from: self.cycle, freed_from: self.cycle, places: 0 };
        }
        let port = usize::from(place);
        let (arrival, known_to) = self.first_on_link(port, |run| run.kind.is_send() && run.target == place);
        let (mut freed_from, mut seen_to) = (u64::MAX, 0);
        let count = self.nodes.len();
        let equal = self.revolution / count as u64;
        let mut way_cycles = 0;
        for distance in 0..NODES_LOOKED_AT.min(count) {
            let at = (port + count - distance) % count;
            if distance > 0 {
                way_cycles += self.hop_delays.as_ref().map_or(equal, |each| u64::from(each[at]));
            }
            let frees = |run: &Run| match run.kind {
                Kind::Acknowledged => at == port,
                Kind::Echo | Kind::FreshEcho | Kind::Stripped => run.target == place,
                Kind::Send | Kind::Retry => self.hosts.packets[run.value].source == place,
                _ => false,
            };
            // What is in the port's own bypass FIFO has passed it.
            let bypassed = distance > 0 && self.nodes[at].bypass.iter().any(|entry| frees(&entry.run));
            let (on_link, known_to) = self.first_on_link(at, frees);
            let first = if bypassed { Some(self.cycle) } else { on_link };
            freed_from = first.map_or(freed_from, |cycle| freed_from.min(cycle + way_cycles));
            seen_to = known_to + way_cycles;
        }
        let arrivals_from = arrival.unwrap_or(known_to);
        let places = self.nodes[port].transmit.port().map_or(0, |port| port.least_places(arrivals_from));
        Lookahead { arrivals_from, places, freed_from: freed_from.min(seen_to) }
    }

    /// Cycle in which the first run of a kind comes in at a node, if it is on the link, and the cycle up to which what
    /// comes in is known.
    fn first_on_link(&self, at: usize, is_it: impl Fn(&Run) -> bool) -> (Option<u64>, u64) {
        let node = &self.nodes[at];
        let emitted = if at == 0 { self.links.emitted() } else { &[] };
        let (mut first, mut cycle) = (None, node.cycle);
        for run in node.unread.iter().chain(emitted) {
            if first.is_none() && is_it(run) {
                first = Some(cycle);
            }
            cycle += u64::from(run.len);
        }
        (first, cycle)
    }
}
