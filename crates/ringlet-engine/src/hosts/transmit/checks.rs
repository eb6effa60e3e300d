//! Checks of a transmit queue that was read from a file.

use std::cmp::Reverse;

use super::choice::Origin;
use super::{BUS, COMING, RESPONSE_TIMEOUT, TIMEOUT, TRACE, TransmitQueue, WAKE};
use crate::hosts::shared::Hosts;
use crate::queues::TransmitSlots;
use crate::values::{Class, UNDRAWN};

impl TransmitQueue {
    /// Priorities of requests that may wait here.
    pub(crate) fn request_levels(&self) -> usize {
        self.classes[0].fifos.len()
    }

    /// Priorities of requests or responses that may wait here.
    pub(crate) fn most_levels(&self) -> usize {
        self.classes.iter().map(|levels| levels.fifos.len()).max().unwrap_or_default()
    }

    /// Says what is wrong with the queue, if anything is: its head waits where it is said to, what waits is sent from
    /// here, what arrives has something that it arrives at, and packets hold the slots that they must. `is_free`: the
    /// places of the arena that hold no packet.
    pub(crate) fn check(&self, hosts: &Hosts, is_free: &[bool]) -> Result<(), String> {
        let Self { head, retries, classes, .. } = self;
        let waits = head.is_none_or(|head| match head.origin {
            Origin::Retry => retries.iter().any(|refused| refused.packet == head.packet),
            Origin::Fifo => {
                let fifo = classes[head.class as usize].fifos.get(usize::from(head.priority));
                fifo.is_some_and(|fifo| fifo.iter().any(|waiting| waiting.packet == head.packet))
            }
        });
        if !waits {
            return Err(format!("has a head that does not wait: {head:?}"));
        }
        let is_own = |(class, packet): &(Class, u32)| self.is_sent_here(hosts, is_free, *class, *packet);
        if let Some(strange) = self.waiting().find(|packet| !is_own(packet)) {
            return Err(format!("has a packet to send that is another's: {strange:?}"));
        }
        if let Some(Reverse((_, flow))) = self.arrivals.iter().find(|Reverse((_, flow))| !self.takes(*flow, hosts)) {
            return Err(format!("awaits an arrival of {flow}, which is no flow of its own"));
        }
        self.slots.as_ref().map_or(Ok(()), |slots| self.check_slots(slots, hosts, is_free))
    }

    /// Is there a packet of this class at this place of the arena, and is it sent from here?
    fn is_sent_here(&self, hosts: &Hosts, is_free: &[bool], class: Class, packet: u32) -> bool {
        is_free.get(packet as usize) == Some(&false) && {
            let held = &hosts.packets[packet];
            held.class == class && u32::from(held.source) == self.node
        }
    }

    /// Packets that wait to be sent for the first time or again, and are drawn, with their classes.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (Class, u32)> {
        let new = Class::ALL.into_iter().flat_map(|class| {
            let fifos = &self.classes[class as usize].fifos;
            fifos.iter().flat_map(|fifo| fifo.iter()).map(move |waiting| (class, waiting.packet))
        });
        let drawn = new.filter(|&(_, packet)| packet != UNDRAWN);
        drawn.chain(self.retries.iter().map(|refused| (refused.class, refused.packet)))
    }

    /// Is there something at which an arrival of this number arrives?
    fn takes(&self, number: u32, hosts: &Hosts) -> bool {
        match number {
            COMING | BUS => self.slots.is_some(),
            TRACE => hosts.replay.is_some(),
            RESPONSE_TIMEOUT => hosts.transactions.is_some(),
            TIMEOUT | WAKE => true,
            flow => self.own.contains(&flow),
        }
    }

    fn check_slots(&self, slots: &TransmitSlots, hosts: &Hosts, is_free: &[bool]) -> Result<(), String> {
        let held: Vec<u32> = slots.held().collect();
        if !held.is_sorted_by(|one, next| one < next) {
            return Err("has slots out of order".to_owned());
        }
        let is_own = |packet| Class::ALL.into_iter().any(|class| self.is_sent_here(hosts, is_free, class, packet));
        if let Some(strange) = held.into_iter().find(|&packet| !is_own(packet)) {
            return Err(format!("has a slot for another's packet {strange}"));
        }
        if let Some((_, without)) = self.waiting().find(|&(_, packet)| !slots.holds(packet)) {
            return Err(format!("has packet {without} without a slot"));
        }
        // A host's request has its slot before it is ready; what comes through a switch or answers takes it then.
        let has_slot = |class| !slots.is_port() && class == Class::Request;
        let fits = slots.coming().all(|coming| {
            slots.holds(coming.packet) == has_slot(coming.class)
                && self.is_sent_here(hosts, is_free, coming.class, coming.packet)
        });
        let mut coming: Vec<u32> = slots.coming().map(|coming| coming.packet).collect();
        let announced = self.arrivals.iter().filter(|Reverse((_, flow))| *flow == COMING).count();
        coming.sort_unstable();
        let once = coming.is_sorted_by(|one, next| one < next);
        if fits && once && announced == coming.len() {
            return Ok(());
        }
        Err(format!("has coming packets {coming:?}, of which {announced} are announced"))
    }
}
