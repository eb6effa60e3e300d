//! The routes of a ring: the ports through which packets leave it.

use std::sync::Arc;

/// Ring, place and address of every node of a network.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    pub(crate) addresses: Box<[u32]>,
    pub(crate) rings: Box<[u32]>,
    pub(crate) places: Box<[u16]>,
    /// Place of every node's second interface, on the second ring; empty: nodes have one interface.
    pub(crate) seconds: Box<[u16]>,
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

/// Step to an address to which no way leads.
pub(crate) const NOWHERE: Step = Step { first: 0, place: u16::MAX, exit: u16::MAX };

/// One ring's routes.
#[derive(Debug, Default, Clone)]
pub(crate) struct Routes {
    pub(crate) directory: Arc<Directory>,
    pub(crate) ring: u32,
    pub(crate) steps: Box<[Step]>,
    /// Cycles from which other steps are in force, ascending, with those steps.
    pub(crate) later: Box<[(u64, Box<[Step]>)]>,
    /// Distance from the ring's first place to the first place of each place's interface (a cascade has several
    /// places); empty where routes stay.
    pub(crate) firsts: Box<[u16]>,
    /// The ring's first place among those of rings that are simulated together.
    pub(crate) start: u16,
}

impl Routes {
    fn step(&self, node: u16) -> Step {
        self.step_of(&self.steps, node).unwrap_or(NOWHERE)
    }

    fn step_of(&self, steps: &[Step], node: u16) -> Option<Step> {
        let address = self.directory.addresses[usize::from(node)];
        let step = steps.partition_point(|step| step.first <= address).checked_sub(1)?;
        Some(steps[step]).filter(|step| step.place != NOWHERE.place)
    }

    /// Is a node on this ring?
    pub(crate) fn is_here(&self, node: u16) -> bool {
        self.directory.rings[usize::from(node)] == self.ring || !self.directory.seconds.is_empty()
    }

    /// The step to a node on another ring in cycle `now`: by the last routes up to then that have one. A packet may be
    /// on a ring from which only earlier ones led on.
    fn step_at(&self, node: u16, now: u64) -> Step {
        let begun = self.later.iter().rev().filter(|&&(from, _)| from <= now).map(|(_, steps)| steps);
        begun.chain([&self.steps]).find_map(|steps| self.step_of(steps, node)).unwrap_or(NOWHERE)
    }

    /// The place to which a packet for a node that is sent in cycle `now` goes in place of `destination`, if that is no
    /// longer its way.
    pub(crate) fn changed_place(&self, node: u16, destination: u16, now: u64) -> Option<u16> {
        if self.is_here(node) {
            return None;
        }
        let place = self.step_at(node, now).place;
        // By the first routes it may have had no destination here.
        (destination == NOWHERE.place || self.first_of(destination) != place).then_some(place)
    }

    /// Port through which a packet for a node leaves the switch whose port `port` at a place has taken it in cycle
    /// `now`. If its way no longer leads through that switch, it goes back to this ring.
    pub(crate) fn exit_at(&self, node: u16, (place, port): (u16, u16), now: u64) -> u16 {
        if self.later.is_empty() {
            return self.exit(node);
        }
        if self.is_here(node) {
            return port;
        }
        let step = self.step_at(node, now);
        if step.place == self.first_of(place) { step.exit } else { port }
    }

    /// The first place of the interface at a place.
    fn first_of(&self, place: u16) -> u16 {
        self.start + self.firsts[usize::from(place - self.start)]
    }

    /// The step to a node on another ring; `None`: there is no way.
    pub(crate) fn next(&self, node: u16) -> Option<Step> {
        self.step_of(&self.steps, node)
    }

    /// Place on this ring that takes packets for a node.
    pub(crate) fn place(&self, node: u16) -> u16 {
        match self.directory.seconds.get(usize::from(node)) {
            Some(&second) if self.ring == 1 => second,
            _ if self.is_here(node) => self.directory.places[usize::from(node)],
            _ => self.step(node).place,
        }
    }

    /// Port through which they leave the switch there.
    pub(crate) fn exit(&self, node: u16) -> u16 {
        self.step(node).exit
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let later = self.later.iter().map(|(_, steps)| size_of_val(&**steps)).sum::<usize>();
        size_of_val(&*self.steps) + later + size_of_val(&*self.firsts)
    }
}
