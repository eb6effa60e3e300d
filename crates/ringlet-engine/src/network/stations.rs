//! Nodes with an interface on each of two rings (docs/explanation/network-model.md, "Stations on two rings"): what
//! their flows send takes one ring or both, and is counted once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::values::{GivenUp, RemoteDelivery};

/// A packet, whatever ring its copies take: its flow in the spec, its message and its place there.
type Identity = (u32, u32, u16);

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
        let identity = (flow, delivery.message, delivery.part);
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
        let identity = (flow, given_up.message, given_up.part);
        match self.ended.remove(&identity) {
            None => self.ended.insert(identity, End::Lost).is_some(),
            Some(first) => first == End::Lost,
        }
    }

    /// Is every packet of one of so many flows?
    pub(super) fn are_of(&self, flows: usize) -> bool {
        self.ended.keys().all(|&(flow, ..)| (flow as usize) < flows)
    }
}

/// A flow of which a part, or a copy, starts at the second interface of its node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Twin {
    /// Ring of the flow that counts, and its number there.
    pub(super) of: (u32, u32),
    /// Ring of the part at the second interface, and its number there.
    pub(super) at: (u32, u32),
    /// Does it generate packets of its own? Otherwise the flow that counts has counted them.
    pub(super) generates: bool,
}

/// The stations of a network, if its nodes have two interfaces each.
#[derive(Debug, Clone)]
pub(super) struct Stations {
    /// Ring and place of the second interface of every node.
    pub(super) seconds: Vec<(u32, u16)>,
    pub(super) twins: Vec<Twin>,
    /// Copies of packets, where each takes both rings.
    pub(super) copies: Option<Copies>,
}

impl Stations {
    pub(super) fn heap_bytes(&self) -> usize {
        let copies = self.copies.as_ref().map_or(0, |copies| copies.ended.len() * size_of::<(Identity, End)>());
        copies + self.seconds.capacity() * size_of::<(u32, u16)>() + self.twins.capacity() * size_of::<Twin>()
    }
}
