//! Nodes with an interface on each of two rings (docs/explanation/network-model.md, "Stations on two rings"): what
//! their flows send takes one ring or both, and is counted once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hosts::Crossing;
use crate::spec::WaysSpec;
use crate::values::{Class, Encode, Encoder, GivenUp, RemoteDelivery};

/// Number of the ring of second interfaces.
pub(super) const SECOND: usize = 1;

/// A packet, whatever ring its copies take: its flow in the spec, its message, its place there and its class.
type Identity = (u32, u32, u16, Class);

/// The end of the first copy of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum End {
    Delivered,
    Lost,
}

/// The packets of which one copy has ended, and the other is still under way.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Copies {
    ended: BTreeMap<Identity, End>,
}

impl Copies {
    /// A copy of a packet of a flow of the spec has been delivered, in the order of time; is it the first one?
    pub(super) fn deliver(&mut self, flow: u32, delivery: &RemoteDelivery) -> bool {
        let identity = (flow, delivery.message, delivery.part, delivery.class);
        match self.ended.remove(&identity) {
            None => self.ended.insert(identity, End::Delivered).is_none(),
            Some(first) => first == End::Lost,
        }
    }

    /// A copy has been given up; is the packet lost, since the other one is?
    pub(super) fn give_up(&mut self, flow: u32, given_up: &GivenUp) -> bool {
        // A copy that was received, and whose echoes were lost, is delivered, which is noted on its own.
        if !given_up.is_lost {
            return false;
        }
        let identity = (flow, given_up.message, given_up.part, given_up.class);
        match self.ended.remove(&identity) {
            None => self.ended.insert(identity, End::Lost).is_some(),
            Some(first) => first == End::Lost,
        }
    }

    /// Messages of a flow of the spec before message `open` of which a copy is still under way.
    pub(super) fn trailing(&self, flow: u32, open: u32) -> usize {
        let delivered = |end: &End| *end == End::Delivered;
        let ended = self.ended.range((flow, 0, 0, Class::Request)..(flow + 1, 0, 0, Class::Request));
        let mut messages: Vec<u32> = ended
            .filter(|((_, message, ..), end)| delivered(end) && (message.wrapping_sub(open) as i32) < 0)
            .map(|(&(_, message, ..), _)| message)
            .collect();
        messages.dedup();
        messages.len()
    }

    /// Writes which copies have ended; `network_flow` is the number in the network of a flow of the spec.
    pub(super) fn encode(&self, encoder: &mut Encoder<'_>, network_flow: impl Fn(u32) -> u32) {
        encoder.len(self.ended.len());
        for (&(flow, message, part, class), end) in &self.ended {
            encoder.put(flow);
            encoder.message(network_flow(flow), message);
            encoder.put(part);
            class.encode(encoder);
            encoder.put(*end == End::Lost);
        }
        encoder.held("a copy on one of two rings", self.ended.values().any(|end| *end == End::Delivered));
    }

    /// Is every packet of one of so many flows?
    pub(super) fn are_of(&self, flows: usize) -> bool {
        self.ended.keys().all(|&(flow, ..)| (flow as usize) < flows)
    }
}

/// The state of stations, as it is saved.
pub(super) type SavedStations = (Option<Copies>, Vec<(u32, Crossing)>);

/// A flow of which a part, or a copy, starts at the second interface of its node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Twin {
    /// Ring of the flow that counts, and its number there.
    pub(super) of: (u32, u32),
    /// Ring of the part at the second interface, and its number there.
    pub(super) at: (u32, u32),
    /// Does it generate packets of its own? Otherwise the flow that counts has counted them.
    pub(super) generates: bool,
    /// Does it send copies, of which the flow that counts has counted the others?
    pub(super) copies: bool,
}

/// The stations of a network, if its nodes have two interfaces each.
#[derive(Debug, Clone)]
pub(super) struct Stations {
    pub(super) ways: WaysSpec,
    /// Length of the shortest packet, if what is delivered at a node acts on both of its interfaces.
    pub(super) least_symbols: Option<u64>,
    /// Ring and place of the second interface of every node.
    pub(super) seconds: Vec<(u32, u16)>,
    /// Number of each flow of the spec on each of the rings.
    pub(super) parts: Vec<[Option<u32>; 2]>,
    pub(super) twins: Vec<Twin>,
    /// Copies of packets, where each takes both rings.
    pub(super) copies: Option<Copies>,
    /// Packets that have been delivered on a ring in the present cycle, and will act in the next one.
    pub(super) pending: Vec<(u32, Crossing)>,
}

impl Stations {
    /// Takes over the state that was saved of stations of the same spec, of so many flows in the spec, flows in the
    /// network, and nodes; says what is wrong with it, if anything is.
    pub(super) fn restore(
        &mut self,
        (copies, pending): SavedStations,
        (flows, network_flows, nodes): (usize, usize, usize),
    ) -> Result<(), String> {
        let fits = copies.as_ref().is_none_or(|copies| copies.are_of(flows));
        if !fits || copies.is_some() != self.copies.is_some() {
            return Err("copies of packets of other flows".to_owned());
        }
        let fits = |(side, one): &(u32, Crossing)| {
            let Crossing { delivery, received, .. } = one;
            let same = delivery.network_flow == received.network_flow;
            let at = [usize::from(delivery.place), usize::from(received.source)];
            *side <= SECOND as u32
                && same
                && (received.network_flow as usize) < network_flows
                && at.into_iter().all(|node| node < nodes)
        };
        if !pending.iter().all(fits) {
            return Err("a packet that is delivered to no station".to_owned());
        }
        (self.copies, self.pending) = (copies, pending);
        Ok(())
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let copies = self.copies.as_ref().map_or(0, |copies| copies.ended.len() * size_of::<(Identity, End)>());
        copies
            + self.pending.capacity() * size_of::<(u32, Crossing)>()
            + self.parts.capacity() * size_of::<[Option<u32>; 2]>()
            + self.seconds.capacity() * size_of::<(u32, u16)>()
            + self.twins.capacity() * size_of::<Twin>()
    }
}
