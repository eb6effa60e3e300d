//! The routes of a ring: the ports through which packets leave it.

use std::sync::Arc;

/// Ring, place and address of every node of a network.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    pub(crate) addresses: Box<[u32]>,
    pub(crate) rings: Box<[u32]>,
    pub(crate) places: Box<[u16]>,
    /// Node at which each flow starts, by its number in the network.
    pub(crate) flow_nodes: Box<[u16]>,
    /// Place of each flow in the spec, by its number in the network.
    pub(crate) flow_places: Box<[u32]>,
}

/// Packets for addresses from `first` on leave at this place, through this port of its switch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) first: u32,
    pub(crate) place: u16,
    pub(crate) exit: u16,
}

/// One ring's routes.
#[derive(Debug, Clone)]
pub(crate) struct Routes {
    pub(crate) directory: Arc<Directory>,
    pub(crate) ring: u32,
    pub(crate) steps: Box<[Step]>,
}

impl Routes {
    fn step(&self, node: u16) -> Step {
        let address = self.directory.addresses[usize::from(node)];
        self.steps[self.steps.partition_point(|step| step.first <= address) - 1]
    }

    /// The step to a node on another ring; `None`: there is no way.
    pub(crate) fn next(&self, node: u16) -> Option<Step> {
        let address = self.directory.addresses[usize::from(node)];
        let step = self.steps.partition_point(|step| step.first <= address).checked_sub(1)?;
        Some(self.steps[step]).filter(|step| step.place != u16::MAX)
    }

    /// Place on this ring that takes packets for a node.
    pub(crate) fn place(&self, node: u16) -> u16 {
        let ring = self.directory.rings[usize::from(node)];
        if ring == self.ring { self.directory.places[usize::from(node)] } else { self.step(node).place }
    }

    /// Port through which they leave the switch there.
    pub(crate) fn exit(&self, node: u16) -> u16 {
        self.step(node).exit
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.steps)
    }
}
