//! The lookahead of a port: cycles before which nothing reaches it (docs/explanation/network-model.md, "Windows"): the
//! further its switch sees ahead, the further rings may go.

use super::Ring;
use crate::node::IN_NETWORK;
use crate::protocols::FlowControl;
use crate::results::Observer;
use crate::values::{Class, Kind, Packet, Run};

/// Cycles before which a port does nothing that has not been reported to its switch.
#[derive(Debug, Default, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Lookahead {
    /// Cycle before which no packet is ready there for the switch.
    pub(crate) ready_from: u64,
    /// Cycle before which its acceptance of packets does not depend on buffers that its switch is still to free.
    pub(crate) full_from: u64,
    /// Cycle before which it frees no slot.
    pub(crate) freed_from: u64,
}

/// The future of a port at its switch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outlook {
    /// Length of the shortest packet, in symbols.
    pub(crate) smallest_symbols: u64,
    /// The switch frees no buffer earlier that the port does not have yet.
    pub(crate) released_from: u64,
    /// Is it of interest when a slot is freed?
    pub(crate) awaits_slots: bool,
}

/// Nodes up to the port whose input is looked at.
const NODES_LOOKED_AT: usize = 4;

impl<P: FlowControl, O: Observer> Ring<P, O, IN_NETWORK> {
    /// The future of the port at a place, as far as the symbols on their way to it say. Slots are freed by echoes,
    /// which can be seen some nodes before it, as can the packets that they will be of.
    pub(crate) fn look_ahead(&self, place: u16, outlook: Outlook) -> Lookahead {
        let Outlook { smallest_symbols, released_from, awaits_slots } = outlook;
        let now = self.cycle;
        let held = self.nodes[usize::from(place)].transmit.port().expect("there is a port at this place");
        // A packet is ready when its first symbol is there, or all of it.
        let ready = |head: u64, symbols: u64| if held.cuts_through { head } else { head + symbols };
        // A protocol that follows the queues sends echoes at any time, and losses are detected at any time.
        if P::FOLLOWS_QUEUES || self.timing.errs {
            let ready_from = if P::FOLLOWS_QUEUES { now } else { ready(now, smallest_symbols) };
            return Lookahead { ready_from, full_from: now, freed_from: now };
        }
        let (mut ready_from, mut full_from) = (None, None);
        let mut taken = [0; 2];
        let known_to = self.each_on_link(usize::from(place), |run, head| {
            if !run.kind.is_send() || run.target != place || full_from.is_some() {
                return;
            }
            let Packet { class, symbols, .. } = self.hosts.packets[run.value];
            let pool = held.pool(class);
            if held.places(class, head) > taken[pool] {
                taken[pool] += 1;
            } else if head >= released_from {
                full_from = Some(head);
            } else {
                // It is refused, or at least behind one that is accepted.
                return;
            }
            ready_from.get_or_insert(ready(head, symbols.into()));
        });
        let full_from = full_from.unwrap_or_else(|| {
            let left = |class| held.places(class, known_to).saturating_sub(taken[held.pool(class)]);
            // As many as are left could be filled by the shortest packets, each
            // with its idle (network-model.md, Section 7).
            known_to + u64::from(left(Class::Request).min(left(Class::Response))) * (smallest_symbols + 1)
        });
        Lookahead {
            ready_from: ready_from.unwrap_or_else(|| ready(known_to, smallest_symbols)),
            full_from,
            freed_from: if awaits_slots { self.freed_from(place) } else { now },
        }
    }

    /// The cycle before which the port at a place frees no slot.
    fn freed_from(&self, place: u16) -> u64 {
        let port = usize::from(place);
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
                // At another node it stands for an echo of that node's own packet.
                Kind::Acknowledged => at == port,
                Kind::Echo | Kind::FreshEcho | Kind::Stripped => run.target == place,
                Kind::Send | Kind::Retry => self.hosts.packets[run.value].source == place,
                _ => false,
            };
            // What is in the port's own bypass FIFO has passed it.
            if distance > 0 && self.nodes[at].bypass.iter().any(|entry| frees(&entry.run)) {
                // When it leaves that FIFO is not known: from now on, at the earliest.
                freed_from = freed_from.min(self.cycle + way_cycles);
            }
            let known_to = self.each_on_link(at, |run, cycle| {
                if cycle + way_cycles < freed_from && frees(run) {
                    freed_from = cycle + way_cycles;
                }
            });
            seen_to = known_to + way_cycles;
        }
        // Behind what can be seen anything may come.
        freed_from.min(seen_to)
    }

    /// Calls `see` with each run that comes in at a node, and the cycle of its first symbol; returns the cycle up to
    /// which what comes in is known.
    #[inline]
    fn each_on_link(&self, at: usize, mut see: impl FnMut(&Run, u64)) -> u64 {
        let node = &self.nodes[at];
        let emitted = if at == 0 { self.links.emitted() } else { &[] };
        let mut cycle = node.cycle;
        node.unread.iter().chain(emitted).for_each(|run| {
            see(run, cycle);
            // The echo of a stripped packet is the rest of it.
            let has_echo = matches!(run.kind, Kind::Stripped | Kind::StrippedBusy);
            let echo_symbols = if has_echo { self.echo_symbols } else { 0 };
            cycle += u64::from(run.len + echo_symbols);
        });
        cycle
    }
}
