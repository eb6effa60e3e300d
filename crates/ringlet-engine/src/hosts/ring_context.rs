//! What a ring knows of the network around it.

use crate::hosts::link_errors::Errors;
use crate::hosts::routes::Routes;
use crate::values::{Marks, NEVER, Packet, Phase, RemoteDelivery, Run, Transit};

/// What one ring is told of the network around it.
#[derive(Debug, Clone)]
pub(crate) struct RingContext {
    pub(crate) routes: Routes,
    /// Number in the network of the ring's first flow, and flows of the ring.
    pub(crate) first_flow: u32,
    pub(crate) flows: u32,
    /// Node at each place, of those that are nodes.
    pub(crate) nodes: Box<[u32]>,
    pub(crate) deliveries: Vec<RemoteDelivery>,
    /// Packets of other rings' flows, given up here.
    pub(crate) given_up: Vec<u32>,
    /// Busy echoes that are held back at each place, by the cycles in which they are due; empty if none ever are.
    pub(crate) held_echoes: Box<[Vec<(u64, Run)>]>,
    pub(crate) errors: Option<Box<Errors>>,
}

impl RingContext {
    /// Node at which a flow starts.
    pub(crate) fn flow_node(&self, network_flow: u32) -> u16 {
        self.routes.directory.flow_nodes[network_flow as usize]
    }

    /// What a packet just drawn is called in the network, and where it goes first.
    pub(crate) fn address(&self, packet: &mut Packet) {
        packet.network_flow += self.first_flow;
        packet.destination = self.routes.place(packet.end);
    }

    /// What a packet that has come through a switch is on this ring, sent from `place`.
    pub(crate) fn packet(&self, transit: &Transit, place: u16) -> Packet {
        let &Transit { generated, started, network_flow, message, end, symbols, response_symbols, priority, class } =
            transit;
        Packet {
            generated,
            started,
            inverted_since: NEVER,
            flow: network_flow.wrapping_sub(self.first_flow).min(self.flows),
            message,
            refusals: 0,
            output_inversion_cycles: 0,
            network_flow,
            source: place,
            destination: self.routes.place(end),
            end,
            // Only a recording of a single ring asks for it.
            part: 0,
            symbols,
            response_symbols,
            group: 0,
            priority,
            class,
            phase: Phase::NoTry,
            events: 0,
            marks: Marks::empty(),
            timeouts: 0,
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.routes.heap_bytes()
            + size_of_val(&*self.nodes)
            + self.errors.as_ref().map_or(0, |errors| size_of::<Errors>() + errors.heap_bytes())
            + self.deliveries.capacity() * size_of::<RemoteDelivery>()
    }
}
