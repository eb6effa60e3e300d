//! Transmit queues under protocols with arbitration: DFC's candidates, TRAIN's tickets, inherited priorities
//! (docs/explanation/realtime-model.md).

use ringlet_engine_derive::Encode;

use crate::hosts::shared::Hosts;
use crate::hosts::transmit::head::AnyPacket;
use crate::queues::Waiting;
use crate::values::{Class, Marks, Packet};

use super::choice::{First, Origin};
use super::{Refused, TransmitQueue};

/// A packet that has left the queue for a ticket.
#[derive(Debug, Clone, Copy, Encode)]
pub(crate) struct Ticketed {
    #[encode(packet)]
    pub(crate) packet: u32,
    /// Level of its FIFO, and since when it has waited there: on a ring that is explored, since its generation.
    pub(super) level: u8,
    #[encode(skip)]
    pub(super) since: u64,
    /// What it was among the refused packets.
    pub(super) refused: Option<Refused>,
}

impl TransmitQueue {
    /// The highest-priority first packet of a class, if it has this destination and no grant: its index and priority.
    pub(crate) fn candidate(
        &mut self,
        hosts: &mut Hosts,
        class: Class,
        destination: u16,
        now: u64,
    ) -> Option<(u32, u8)> {
        let (may_send_new, mut levels) = self.levels(hosts, class, now);
        while let Some(level) = levels.take_highest() {
            let first = match self.head.filter(|head| (head.class, head.priority) == (class, level)) {
                // It is being sent: it does not wait any more.
                Some(_) if self.head_is_fixed => continue,
                // Even if a retry has become ready since.
                Some(head) => head,
                None => match self.first_of_level(hosts, class, level, now, may_send_new) {
                    Some(first) => first,
                    None => continue,
                },
            };
            let packet = self.draw(hosts, &first);
            let Packet { destination: to, marks, .. } = hosts.packets[packet];
            return (to == destination && !marks.contains(Marks::GRANTED)).then_some((packet, level));
        }
        None
    }

    /// Takes the head out of the queue for a ticket, and chooses the next one.
    pub(crate) fn take_for_ticket(&mut self, hosts: &mut Hosts, now: u64) -> Option<Ticketed> {
        let head = self.head.filter(|_| !self.head_is_fixed)?;
        let refused = (head.origin == Origin::Retry).then(|| {
            *self.retries.iter().find(|refused| refused.packet == head.packet).expect("the head of a retry is one")
        });
        let packet = self.leave(hosts, now);
        self.choose(hosts, now, &AnyPacket);
        Some(Ticketed { packet, level: head.priority, since: head.generated, refused })
    }

    /// A ticket was deleted: its packet goes back to where it was.
    pub(crate) fn put_back(&mut self, hosts: &mut Hosts, ticketed: Ticketed, now: u64) {
        let packet = &hosts.packets[ticketed.packet];
        let class = packet.class as usize;
        if let Some(refused) = ticketed.refused {
            let place = self.retries.partition_point(|other| other.at < refused.at);
            self.retries.insert(place, refused);
        } else {
            self.outstanding[class] -= 1;
            self.population.enter(now);
            if packet.class == Class::Request {
                self.requests += 1;
                self.begun -= u32::from(packet.response_symbols > 0 && !self.is_port());
            }
            let flow = if packet.class == Class::Request && self.slots.is_none() { packet.flow } else { 0 };
            let waiting = Waiting { generated: ticketed.since, flow, packet: ticketed.packet };
            self.classes[class].put_back(ticketed.level, waiting);
        }
        // It is older than a head of its kind, which has to wait for it.
        let level = ticketed.refused.map_or(ticketed.level, |refused| refused.priority);
        let is_younger = |head: &First| (head.class as usize, head.priority) == (class, level);
        if !self.head_is_fixed && self.head.as_ref().is_some_and(is_younger) {
            self.head = None;
        }
        self.choose_again(now);
    }

    /// The responses that wait inherit a priority.
    pub(crate) fn raise_responses(&mut self, hosts: &mut Hosts, priority: u8, now: u64) {
        let levels = &mut self.classes[Class::Response as usize];
        for level in 0..usize::from(priority).min(levels.fifos.len()) {
            while let Some(waiting) = levels.fifos[level].take_first() {
                hosts.packets[waiting.packet].priority = priority;
                levels.push(priority, waiting);
            }
            levels.mark(level as u8);
        }
        for refused in self.retries.iter_mut().filter(|refused| refused.class == Class::Response) {
            refused.priority = refused.priority.max(priority);
            hosts.packets[refused.packet].priority = refused.priority;
        }
        if let Some(head) = self.head.as_mut().filter(|head| head.class == Class::Response) {
            head.priority = head.priority.max(priority);
        }
        self.choose_again(now);
    }

    /// Raises a refused packet that waits to be sent again.
    pub(crate) fn raise_retry(&mut self, packet: u32, priority: u8) {
        for refused in self.retries.iter_mut().filter(|refused| refused.packet == packet) {
            refused.priority = priority;
        }
        if let Some(head) = self.head.as_mut().filter(|head| head.packet == packet) {
            head.priority = priority;
        }
    }

    /// Priority of the packet that would be next if a class's outstanding limit were not reached; `None`: it is not, or
    /// nothing waits.
    pub(crate) fn held_by_limit(&self, hosts: &Hosts, class: Class) -> Option<u8> {
        let is_full = self.outstanding[class as usize] >= hosts.outstanding_limit;
        self.classes[class as usize].set().take_highest().filter(|_| is_full)
    }
}
