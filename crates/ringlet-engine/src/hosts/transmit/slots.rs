//! Transmit slots of an interface of a network (docs/explanation/network-model.md, "Interfaces").

use std::cmp::Reverse;

use super::choice::{First, Origin};
use super::{BUS, COMING, TransmitQueue};
use crate::hosts::prompted::{Loop, Prompted};
use crate::hosts::shared::Hosts;
use crate::queues::{Candidate, Coming, Filled, Filler, Port, TransmitSlots, Waiting};
use crate::values::{Class, Marks, Packet, Transit, UNDRAWN};

impl TransmitQueue {
    pub(super) fn is_port(&self) -> bool {
        self.slots.as_ref().is_some_and(|slots| slots.is_port())
    }

    /// Returns the port, if the queue is one's.
    #[inline]
    pub(crate) fn port(&self) -> Option<&Port> {
        self.slots.as_ref().and_then(|slots| slots.port())
    }

    #[inline]
    pub(crate) fn port_mut(&mut self) -> Option<&mut Port> {
        self.slots.as_mut().and_then(|slots| slots.port_mut())
    }

    /// A packet comes through the switch and is ready in a later cycle.
    pub(crate) fn forward(&mut self, hosts: &mut Hosts, ready: u64, transit: &Transit) {
        let network = hosts.context.as_ref().expect("only rings of a network have ports");
        let packet = network.packet(transit, self.node as u16);
        let (class, priority) = (packet.class, packet.priority);
        let packet = hosts.packets.insert(packet);
        self.announce(hosts, Coming { ready, packet, class, priority });
    }

    /// The emission of a packet begins.
    #[inline]
    pub(crate) fn sends(&mut self, again: bool) {
        if let Some(slots) = &mut self.slots {
            slots.sent(again);
        }
    }

    pub(super) fn announce(&mut self, hosts: &Hosts, coming: Coming) {
        let slots = self.slots.as_mut().expect("what comes has a slot");
        if let Some(filler) = slots.filler()
            && filler.is_followed()
        {
            filler.note_filled(hosts.view(coming.packet), coming.ready);
        }
        self.arrivals.push(Reverse((coming.ready, COMING)));
        slots.await_packet(coming);
        self.choose_again(coming.ready);
    }

    pub(super) fn take_coming(&mut self) {
        let slots = self.slots.as_mut().expect("what comes has a slot");
        let Coming { ready, packet, class, priority } = slots.take_coming();
        // A host's request has taken its slot already.
        if slots.is_port() || class == Class::Response {
            slots.take_slot(packet);
        }
        self.enqueue(class, priority, Waiting { generated: ready, flow: 0, packet });
    }

    /// Requests that wait take the free slots in cycle `now`.
    pub(super) fn fill_slots(&mut self, hosts: &mut Hosts, now: u64) {
        while let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler())
            && let Some(Waiting { generated, flow, packet }) = filler.next(now)
        {
            if packet != UNDRAWN {
                // Its transaction begins again.
                self.fill_again(hosts, packet, now);
                continue;
            }
            let source = &mut hosts.flows[flow as usize];
            let mut packet = source.draw(self.node, flow, generated);
            let filled = filler.fill_request(now, packet.part == 0);
            packet.group = source.group_of(&packet, now);
            if source.is_saturated() {
                hosts.counters[flow as usize].generated_packets += 1;
                filler.wait(Waiting { generated: now, flow, packet: UNDRAWN }, false);
                if source.has_messages() {
                    hosts.begin_drawn(flow, (packet.message, packet.end), generated);
                }
            }
            if let Some(network) = &hosts.context {
                network.address(&mut packet);
                if let Some(Some(Prompted::Loop(closed))) = hosts.prompted.get(flow as usize) {
                    packet.started = network.clock.cycles(closed.began);
                }
            }
            let priority = packet.priority;
            let packet = hosts.packets.insert(packet);
            self.slots.as_mut().expect("it was just there").take_slot(packet);
            let Some(Filled { ready, free_at }) = filled else {
                self.set_up(hosts, packet, now);
                continue;
            };
            self.announce(hosts, Coming { ready, packet, class: Class::Request, priority });
            self.close_loop_of_posted(hosts, flow, free_at);
        }
    }

    /// A request that has been drawn takes a slot that was free in cycle `now`.
    fn fill_again(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        let slots = self.slots.as_mut().expect("only hosts with slots fill them");
        let filler = slots.filler().expect("only hosts fill slots");
        let request = &mut hosts.packets[packet];
        let filled = filler.fill_request(now, request.part == 0);
        request.group = hosts.flows[request.flow as usize].group_of(request, now);
        let priority = request.priority;
        slots.take_slot(packet);
        match filled {
            Some(Filled { ready, .. }) => {
                self.announce(hosts, Coming { ready, packet, class: Class::Request, priority })
            }
            None => self.set_up(hosts, packet, now),
        }
    }

    /// A master sets up a request that has taken a slot in cycle `now`.
    #[inline(never)]
    fn set_up(&mut self, hosts: &Hosts, packet: u32, now: u64) {
        let filler = self.slots.as_mut().and_then(|slots| slots.filler()).expect("only hosts fill slots");
        let (requests_at, asked_ps) = filler.set_up(packet, now);
        if filler.is_followed() {
            filler.note_set_up(hosts.view(packet), asked_ps);
        }
        self.arrivals.push(Reverse((requests_at, BUS)));
        self.choose_again(requests_at);
    }

    /// A master requests the bus, and has it as soon as it is free.
    pub(super) fn grant_bus(&mut self, hosts: &mut Hosts) {
        let filler = self.slots.as_mut().and_then(|slots| slots.filler());
        let (packet, Filled { ready, free_at }) = filler.expect("only hosts fill slots").grant_bus();
        let Packet { flow, priority, marks, .. } = hosts.packets[packet];
        self.announce(hosts, Coming { ready, packet, class: Class::Request, priority });
        // Its flow has not waited for one that begins again.
        if !marks.contains(Marks::FOLLOWED) {
            self.close_loop_of_posted(hosts, flow, free_at);
        }
    }

    /// A request stands in its slot from cycle `now` on. If it is posted, that is all that its flow waits for.
    #[inline]
    fn close_loop_of_posted(&mut self, hosts: &mut Hosts, flow: u32, now: u64) {
        if let Some(Some(Prompted::Loop(Loop { posted: true, .. }))) = hosts.prompted.get(flow as usize) {
            self.are_done(hosts, flow, 1, now);
        }
    }

    /// A packet has been accepted: its slot is free for what waits.
    pub(super) fn free_slot(&mut self, hosts: &mut Hosts, packet: u32, class: Class, now: u64) {
        // What arrived before found it taken.
        self.take_arrivals(hosts, now);
        let slots = self.slots.as_mut().expect("only interfaces have slots");
        slots.free_slot(packet, (class, hosts.packets[packet].flow), now);
        if slots.only(class) == Some(packet) {
            // Stop-and-wait: the one refused first of those that are left is the next to
            // be sent alone (network-model.md, Section 1).
            let next = self.retries.iter().find(|refused| refused.class == class);
            slots.wait_for(next.map(|refused| refused.packet), class);
            self.choose_again(now);
        }
        self.has_events |= self.is_port();
        self.fill_slots(hosts, now);
    }

    /// Keeps a log of what waits for slots and is filled from cycle `now` on, or no more.
    pub(crate) fn follow_filling(&mut self, hosts: &Hosts, followed: bool, now: u64) {
        let Some(slots) = &mut self.slots else { return };
        let coming = slots.coming().filter(|_| followed).map(|coming| (coming.packet, coming.ready));
        let coming: Vec<(u32, u64)> = coming.collect();
        let Some(filler) = slots.filler() else { return };
        filler.follow(followed, now);
        if followed {
            if now == 0 {
                let first = |packet: u32| hosts.packets[packet].part == 0;
                filler.note_first(coming.iter().map(|&(packet, _)| (hosts.view(packet), first(packet))));
            } else {
                coming.iter().for_each(|&(packet, ready)| filler.note_coming(hosts.view(packet), ready, now));
            }
            let requests: Vec<(u32, u64)> = filler.bus_requests_ps().collect();
            requests.into_iter().for_each(|(packet, asked_ps)| filler.note_set_up(hosts.view(packet), asked_ps));
        }
    }

    /// The filler of a host's slots.
    #[inline]
    pub(crate) fn filler(&mut self) -> Option<&mut Filler> {
        self.slots.as_mut().and_then(|slots| slots.filler())
    }

    /// The packet of a class and level that is sent first.
    pub(super) fn first_in_slots(
        &self,
        slots: &TransmitSlots,
        hosts: &Hosts,
        (class, level): (Class, u8),
        now: u64,
        may_send_new: bool,
    ) -> Option<First> {
        let only = slots.only(class);
        let may_go = |packet| only.is_none_or(|only| only == packet);
        let refused = self
            .retries
            .iter()
            .filter(|refused| (refused.class, refused.priority) == (class, level) && refused.ready <= now)
            .filter(|refused| may_go(refused.packet))
            .map(|refused| Candidate { packet: refused.packet, refused: true, at: refused.at });
        let window_full = class == Class::Request && self.window_is_full();
        let new = self.classes[class as usize].fifos[usize::from(level)]
            .iter()
            .filter(|waiting| may_send_new && only.is_none() && waiting.generated <= now)
            .filter(|waiting| !window_full || hosts.packets[waiting.packet].response_symbols == 0)
            .map(|waiting| Candidate { packet: waiting.packet, refused: false, at: waiting.generated })
            .take(slots.looked_at());
        let Candidate { packet, refused, at } = slots.choose(refused.chain(new))?;
        let origin = if refused { Origin::Retry } else { Origin::Fifo };
        Some(First { class, priority: level, origin, packet, generated: at })
    }
}
