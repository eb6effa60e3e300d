//! Transmit queues under protocols with arbitration: candidates for a grant, packets withdrawn until they are granted,
//! inherited priorities (docs/explanation/realtime-model.md).

use ringlet_engine_derive::Encode;

use crate::hosts::shared::Hosts;
use crate::hosts::transmit::head::AnyPacket;
use crate::queues::Waiting;
use crate::values::{Class, Marks, Packet};

use super::choice::{First, Origin};
use super::{Refused, TransmitQueue};

/// A packet that has left the queue without having been sent.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Withdrawn {
    #[encode(packet)]
    pub(crate) packet: u32,
    /// Level of its FIFO, and since when it has waited there: on a ring that is explored, since its generation.
    pub(super) level: u8,
    #[encode(skip)]
    pub(super) since: u64,
    /// Entry of the packet among the refused ones, if it was refused.
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
        let (may_send_new, mut levels) = self.levels(class, now);
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

    /// The response that would be head if there were no requests.
    pub(crate) fn first_response(&mut self, hosts: &mut Hosts, now: u64) -> Option<u32> {
        if let Some(head) = self.head.filter(|head| head.class == Class::Response) {
            return Some(head.packet);
        }
        let first = self.first(hosts, Class::Response, now, &AnyPacket)?;
        Some(self.draw(hosts, &first))
    }

    /// Do responses always go before requests from cycle `now` on, while no further response may be created?
    pub(crate) fn prefer_responses(&mut self, prefers: bool, now: u64) {
        self.prefers_responses = prefers;
        self.choose_again(now);
    }

    /// Takes a packet, the head or the first response, out of the queue before it is sent, and chooses the next head.
    pub(crate) fn withdraw(&mut self, hosts: &mut Hosts, packet: u32, now: u64) -> Option<Withdrawn> {
        if !self.head_is_fixed && self.head() != Some(packet) {
            (self.head, self.head_since) = (self.first(hosts, Class::Response, now, &AnyPacket), now);
        }
        self.withdraw_head(hosts, now)
    }

    /// Takes the head out of the queue before it is sent, and chooses the next one.
    pub(crate) fn withdraw_head(&mut self, hosts: &mut Hosts, now: u64) -> Option<Withdrawn> {
        let head = self.head.filter(|_| !self.head_is_fixed)?;
        let refused = (head.origin == Origin::Retry).then(|| {
            *self.retries.iter().find(|refused| refused.packet == head.packet).expect("the head of a retry is one")
        });
        let packet = self.leave(hosts, now);
        self.choose(hosts, now, &AnyPacket);
        Some(Withdrawn { packet, level: head.priority, since: head.generated, refused })
    }

    /// A withdrawn packet goes back to where it was.
    pub(crate) fn put_back(&mut self, hosts: &mut Hosts, withdrawn: Withdrawn, now: u64) {
        let packet = &hosts.packets[withdrawn.packet];
        let class = packet.class as usize;
        if let Some(refused) = withdrawn.refused {
            let place = self.retries.partition_point(|other| other.at < refused.at);
            self.retries.insert(place, refused);
        } else {
            self.outstanding[class] -= 1;
            self.population.enter(now);
            if packet.class == Class::Request {
                self.requests += 1;
                if packet.response_symbols > 0 && !self.is_port() {
                    self.begun -= 1;
                    hosts.transactions.iter_mut().for_each(|transactions| transactions.withdraw(self.node, packet));
                }
            }
            let flow = if packet.class == Class::Request && self.slots.is_none() { packet.flow } else { 0 };
            let waiting = Waiting { generated: withdrawn.since, flow, packet: withdrawn.packet };
            self.classes[class].put_back(withdrawn.level, waiting);
        }
        // It is older than a head of its kind, which has to wait for it.
        let level = withdrawn.refused.map_or(withdrawn.level, |refused| refused.priority);
        let is_younger = |head: &First| (head.class as usize, head.priority) == (class, level);
        if !self.head_is_fixed && self.head.as_ref().is_some_and(is_younger) {
            self.head = None;
        }
        self.choose_again(now);
    }

    /// Raises a packet that has been sent and not accepted; it may wait to be sent again.
    pub(crate) fn raise_sent(&mut self, hosts: &mut Hosts, packet: u32, priority: u8, now: u64) {
        hosts.packets[packet].priority = priority;
        for refused in self.retries.iter_mut().filter(|refused| refused.packet == packet) {
            refused.priority = priority;
        }
        if let Some(head) = self.head.as_mut().filter(|head| head.packet == packet) {
            head.priority = priority;
        }
        self.choose_again(now);
    }

    /// Priority of the packet that would be next if a class's outstanding limit were not reached; `None`: it is not, or
    /// nothing waits.
    pub(crate) fn held_by_limit(&self, class: Class) -> Option<u8> {
        let is_full = self.outstanding[class as usize] >= self.limits.outstanding;
        self.classes[class as usize].set().take_highest().filter(|_| is_full)
    }
}
