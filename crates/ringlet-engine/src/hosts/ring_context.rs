//! The context of a ring in its network.

use crate::hosts::link_errors::Errors;
use crate::hosts::receivers::Receivers;
use crate::hosts::routes::Routes;
use crate::queues::Received;
use crate::results::PacketView;
use crate::results::observe::UNKNOWN;
use crate::spec::Clock;
use crate::values::{
    Class, Encode, Encoder, GivenUp, Marks, NEVER, Packet, Phase, RemoteDelivery, RemoteInversion, Run, Transit,
};

/// A packet that has been delivered at one of the two interfaces of a node, and acts on both.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Crossing {
    pub(crate) delivery: RemoteDelivery,
    pub(crate) received: Received,
    /// Cycle of the ring in which it was delivered.
    pub(crate) at: u64,
}

/// The part of the network around a ring that concerns it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct RingContext {
    /// Clock of the ring. Packets say in cycles of the network when they were generated.
    pub(crate) clock: Clock,
    /// First place and routes of each ring of the spec that is simulated with others.
    #[serde(skip)]
    pub(crate) routes: Box<[(u16, Routes)]>,
    /// Receivers of packets that have several, if any has.
    #[serde(skip)]
    pub(crate) receivers: Option<Box<Receivers>>,
    /// Is it one of several rings that may be joined? Then packets may be on it whose end is not.
    pub(crate) joins: bool,
    /// Number in the network of the ring's first flow, and flows of the ring.
    pub(crate) first_flow: u32,
    pub(crate) flows: u32,
    /// Number of the network's first flow at second interfaces, where each interface counts the messages of its part of
    /// a flow for itself; the largest number where none does.
    pub(crate) second_flow: u32,
    /// Node at each place, of those that are nodes.
    pub(crate) nodes: Box<[u32]>,
    pub(crate) deliveries: Vec<RemoteDelivery>,
    /// Does what is delivered at a node act on both of its interfaces?
    pub(crate) crosses: bool,
    /// Packets that have been delivered, and have not acted yet, if they do.
    pub(crate) crossings: Vec<Crossing>,
    /// Packets of other rings' flows, given up here.
    pub(crate) given_up: Vec<GivenUp>,
    /// Packets of other rings' flows that packets of lower priority held up here.
    pub(crate) inversions: Vec<RemoteInversion>,
    /// Transmission group of what each place sends, of ports and of responses; empty: 0.
    pub(crate) groups: Box<[u8]>,
    /// Busy echoes that are held back at each place, by the cycles in which they are due; empty if none ever are.
    pub(crate) held_echoes: Box<[Vec<(u64, Run)>]>,
    pub(crate) errors: Option<Box<Errors>>,
}

impl RingContext {
    /// The routes of the ring on which a place is.
    #[inline]
    pub(crate) fn routes_of(&self, place: u16) -> &Routes {
        match &*self.routes {
            [(_, only)] => only,
            several => &several[several.partition_point(|&(first, _)| first <= place) - 1].1,
        }
    }

    /// Flows of the network.
    pub(crate) fn network_flows(&self) -> usize {
        self.routes[0].1.directory.flow_nodes.len()
    }

    /// Nodes of the network.
    pub(crate) fn nodes_of_network(&self) -> usize {
        self.routes[0].1.directory.addresses.len()
    }

    /// Node at which a flow starts.
    pub(crate) fn flow_node(&self, network_flow: u32) -> u16 {
        self.routes[0].1.directory.flow_nodes[network_flow as usize]
    }

    /// Place of a flow in the spec.
    pub(crate) fn flow_place(&self, network_flow: u32) -> u32 {
        self.routes[0].1.directory.flow_places[network_flow as usize]
    }

    /// Number on this ring of a flow of the network; of one from elsewhere the number behind the ring's own.
    pub(crate) fn local_flow(&self, network_flow: u32) -> u32 {
        network_flow.wrapping_sub(self.first_flow).min(self.flows)
    }

    /// Gives a packet just drawn its number in the network, its first destination and the time of its generation there.
    pub(crate) fn address(&self, packet: &mut Packet) {
        packet.generated = self.clock.cycles(packet.generated);
        packet.started = self.clock.cycles(packet.started);
        packet.network_flow += self.first_flow;
        packet.destination = self.routes_of(packet.source).place(packet.end);
        self.receivers.iter().for_each(|receivers| receivers.address(packet));
    }

    /// Transmission group of what a place sends besides its flows' packets.
    pub(crate) fn group(&self, place: u16) -> u8 {
        self.groups.get(usize::from(place)).copied().unwrap_or(0)
    }

    /// The packet of this ring, sent from `place`, for one that has come through a switch.
    pub(crate) fn packet(&self, transit: &Transit, place: u16) -> Packet {
        let &Transit {
            generated,
            started,
            network_flow,
            message,
            part,
            end,
            symbols,
            response_symbols,
            priority,
            attempt,
            is_last,
            class,
        } = transit;
        Packet {
            generated,
            started,
            inverted_since: NEVER,
            flow: self.local_flow(network_flow),
            message,
            refusals: 0,
            output_inversion_cycles: 0,
            network_flow,
            source: place,
            destination: self.routes_of(place).place(end),
            end,
            part,
            symbols,
            response_symbols,
            group: self.group(place),
            priority,
            class,
            phase: Phase::NoTry,
            messages: 0,
            marks: if is_last { Marks::LAST } else { Marks::empty() },
            timeouts: 0,
            attempt,
        }
    }

    /// A packet of this ring as an observer sees it: it begins and ends at nodes of the network.
    pub(crate) fn view(&self, packet: &Packet) -> PacketView {
        let source = match packet.class {
            Class::Request => self.flow_node(packet.network_flow).into(),
            // A response that has come through a switch does not name the node that has sent it.
            Class::Response => self.nodes[usize::from(packet.source)],
        };
        let flow = self.flow_place(packet.network_flow);
        PacketView { flow, source, destination: packet.end.into(), ..packet.view() }
    }

    /// Returns a packet that a place has received, as an observer sees it.
    pub(crate) fn view_received(&self, received: &Received, place: u16) -> PacketView {
        let source = match received.class {
            Class::Request => self.flow_node(received.network_flow).into(),
            Class::Response => UNKNOWN,
        };
        // At a port it is the node that it is for.
        let node = self.nodes[usize::from(place)];
        let destination = if node == UNKNOWN { received.source.into() } else { node };
        let flow = self.flow_place(received.network_flow);
        PacketView { flow, source, destination, ..received.view(place) }
    }

    /// Returns a packet between two rings, as an observer sees it.
    pub(crate) fn view_transit(&self, transit: &Transit) -> PacketView {
        let &Transit { generated, network_flow, message, part, end, symbols, priority, class, .. } = transit;
        let source = if class == Class::Request { self.flow_node(network_flow).into() } else { UNKNOWN };
        PacketView {
            flow: self.flow_place(network_flow),
            message,
            part,
            response: class == Class::Response,
            source,
            destination: end.into(),
            symbols: symbols.into(),
            priority,
            group: 0,
            generated,
        }
    }

    /// Writes, for exploration, what is held back or lost at the ring's places. Packets for other rings have been
    /// handed over before, so that none is left to be written.
    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>) {
        for held in &self.held_echoes {
            encoder.len(held.len());
            for (due, echo) in held {
                encoder.due(*due);
                echo.encode(encoder);
            }
        }
        self.errors.iter().for_each(|errors| errors.encode(encoder));
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.routes.iter().map(|(_, routes)| size_of::<(u16, Routes)>() + routes.heap_bytes()).sum::<usize>()
            + self.receivers.as_ref().map_or(0, |receivers| receivers.heap_bytes())
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.groups)
            + self.errors.as_ref().map_or(0, |errors| size_of::<Errors>() + errors.heap_bytes())
            + self.deliveries.capacity() * size_of::<RemoteDelivery>()
            + self.crossings.capacity() * size_of::<Crossing>()
            + self.given_up.capacity() * size_of::<GivenUp>()
    }
}
