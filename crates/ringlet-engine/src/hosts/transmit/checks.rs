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
        self.check_arrivals(hosts)?;
        self.check_undrawn(hosts)?;
        self.slots.as_ref().map_or(Ok(()), |slots| self.check_slots(slots, hosts, is_free))
    }

    /// Is there a packet of this class at this place of the arena, and is it sent from here?
    fn is_sent_here(&self, hosts: &Hosts, is_free: &[bool], class: Class, packet: u32) -> bool {
        is_free.get(packet as usize) == Some(&false) && {
            let held = &hosts.packets[packet];
            // The flow of a request that passes a switch is one of another ring.
            let has_flow = class != Class::Request || self.is_port() || (held.flow as usize) < hosts.flows.len();
            held.class == class && u32::from(held.source) == self.node && has_flow
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

    /// Messages with sizes of their own wait where they are released, and each once.
    fn check_undrawn(&self, hosts: &Hosts) -> Result<(), String> {
        let waiting = self.classes.iter().flat_map(|levels| &levels.fifos).flat_map(|fifo| fifo.iter());
        let mut flows: Vec<u32> =
            waiting.filter(|waiting| waiting.packet == UNDRAWN).map(|waiting| waiting.flow).collect();
        flows.sort_unstable();
        let strange = flows.chunk_by(|one, next| one == next).find(|messages| {
            let number = messages[0];
            let has_more = |begun| messages.len() > begun || !self.own.contains(&number);
            hosts.flows.get(number as usize).is_none_or(|flow| flow.source.begun().is_some_and(has_more))
        });
        match strange {
            Some(messages) => Err(format!("has {} messages of flow {} to send", messages.len(), messages[0])),
            None => Ok(()),
        }
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

    fn check_arrivals(&self, hosts: &Hosts) -> Result<(), String> {
        let numbers = || self.arrivals.iter().map(|&Reverse((_, number))| number);
        if let Some(strange) = numbers().find(|&number| !self.takes(number, hosts)) {
            return Err(format!("awaits an arrival of {strange}, which is no flow of its own"));
        }
        let errors = hosts.context.as_ref().and_then(|network| network.errors.as_deref());
        let announced = [
            (TIMEOUT, errors.map_or(0, |errors| errors.announced(self.node))),
            (RESPONSE_TIMEOUT, hosts.transactions.as_ref().map_or(0, |begun| begun.announced(self.node))),
            (TRACE, hosts.replay.as_ref().map_or(0, |replay| replay.announced(self.node))),
            (BUS, self.slots.as_ref().map_or(0, |slots| slots.bus_requests().count())),
        ];
        for (number, count) in announced {
            let found = numbers().filter(|&other| other == number).count();
            if found != count {
                return Err(format!("awaits {found} arrivals of {number}, of which {count} are announced"));
            }
        }
        // What follows something else is prompted by it, and may be several times.
        let by_itself = |flow: u32| matches!(hosts.prompted.get(flow as usize), None | Some(None));
        let next = |flow: u32| hosts.flows.get(flow as usize).and_then(|flow| flow.source.next_arrival());
        let mut own: Vec<(u32, u64)> = self.arrivals.iter().map(|&Reverse((at, number))| (number, at)).collect();
        own.retain(|&(number, _)| number < BUS && by_itself(number));
        own.sort_unstable();
        let once = own.is_sorted_by(|one, other| one.0 < other.0);
        match own.iter().find(|&&(flow, at)| !once || next(flow) != Some(at)) {
            Some((flow, at)) => Err(format!("awaits an arrival of flow {flow} in cycle {at}, which has none then")),
            None => Ok(()),
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
        let mut named = slots.bus_requests().chain(slots.refused());
        if let Some(without) = named.find(|&packet| !slots.holds(packet)) {
            return Err(format!("has a request for packet {without}, which has no slot"));
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
