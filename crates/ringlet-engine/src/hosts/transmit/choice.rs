//! The choice of the head (docs/explanation/realtime-model.md, "Head").

use std::cmp::Reverse;

use ringlet_engine_derive::Encode;

use super::{Refused, TransmitQueue};
use crate::hosts::shared::Hosts;
use crate::hosts::transmit::head::{Eligibility, Head};
use crate::queues::{LevelSet, Waiting};
use crate::spec::ClassOrder;
use crate::values::{Class, NEVER, Packets, UNDRAWN};

/// Packets that are dropped in one cycle at most. A flow that is posted, on a bus that takes no time, has one more
/// with each that is dropped.
const MOST_IN_CYCLE: u32 = 4096;

/// The origin of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
pub(super) enum Origin {
    /// The first of its FIFO.
    Fifo,
    /// A refused packet.
    Retry,
}

/// A packet that is the first of its class and priority.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(super) struct First {
    pub(super) class: Class,
    /// Level of its FIFO; inheritance may have raised the packet itself.
    pub(super) priority: u8,
    pub(super) origin: Origin,
    /// Index of the packet in the arena, or [`UNDRAWN`].
    #[encode(packet)]
    pub(super) packet: u32,
    #[encode(skip)]
    pub(super) generated: u64,
}

impl TransmitQueue {
    /// May new packets of a class be sent, and which levels may have a first packet?
    #[inline]
    pub(super) fn levels(&self, class: Class, now: u64) -> (bool, LevelSet) {
        let may_send_new = self.outstanding[class as usize] < self.limits.outstanding;
        let mut levels = if may_send_new { self.classes[class as usize].set() } else { LevelSet::default() };
        for refused in self.retries.iter().filter(|refused| refused.class == class && refused.ready <= now) {
            levels.insert(refused.priority);
        }
        (may_send_new, levels)
    }

    /// The best first packet of a class that the protocol lets be head.
    #[inline]
    pub(super) fn first<P: Eligibility>(
        &mut self,
        hosts: &mut Hosts,
        class: Class,
        now: u64,
        protocol: &P,
    ) -> Option<First> {
        if P::LEVELS_APART && protocol.selects() {
            return self.first_eligible(hosts, class, now, protocol);
        }
        let mut first = match self.classes[class as usize].few() {
            Some(0) if self.retries.is_empty() => None,
            Some(levels) if self.retries.is_empty() && self.slots.is_none() => {
                self.first_waiting(hosts, class, levels, now)
            }
            _ => self.first_of_all(hosts, class, now),
        }?;
        // Of a class the highest priority counts, even if it may not be sent (todd2001, Section 2.1).
        if P::SELECTS && protocol.selects() {
            first.packet = self.draw(hosts, &first);
            return Some(first).filter(|first| protocol.is_eligible(&hosts.packets[first.packet]));
        }
        Some(first)
    }

    /// The first packet of the highest level of a class of which the protocol lets the first one be head.
    fn first_eligible<P: Eligibility>(
        &mut self,
        hosts: &mut Hosts,
        class: Class,
        now: u64,
        protocol: &P,
    ) -> Option<First> {
        let (may_send_new, mut levels) = self.levels(class, now);
        while let Some(level) = levels.take_highest() {
            if let Some(mut first) = self.first_of_level(hosts, class, level, now, may_send_new) {
                first.packet = self.draw(hosts, &first);
                if protocol.is_eligible(&hosts.packets[first.packet]) {
                    return Some(first);
                }
            }
        }
        None
    }

    /// The best first packet of a class, where nothing waits but in FIFOs of these levels, a bit each.
    #[inline]
    fn first_waiting(&self, hosts: &Hosts, class: Class, mut levels: u64, now: u64) -> Option<First> {
        if self.outstanding[class as usize] >= self.limits.outstanding {
            return None;
        }
        while let Some(level) = levels.checked_ilog2() {
            levels &= !(1 << level);
            if let Some(first) = self.first_of_fifo(hosts, class, level as u8, now) {
                return Some(first);
            }
        }
        None
    }

    /// The best first packet of a class, among the refused ones, too, and in slots.
    #[inline(never)]
    fn first_of_all(&self, hosts: &Hosts, class: Class, now: u64) -> Option<First> {
        let (may_send_new, mut levels) = self.levels(class, now);
        while let Some(level) = levels.take_highest() {
            if let Some(first) = self.first_of_level(hosts, class, level, now, may_send_new) {
                return Some(first);
            }
        }
        None
    }

    /// The first packet of a FIFO, if it may be sent in cycle `now`.
    #[inline]
    fn first_of_fifo(&self, hosts: &Hosts, class: Class, level: u8, now: u64) -> Option<First> {
        let &Waiting { generated, flow, packet } = self.classes[class as usize].front(level)?;
        // Arrivals may have been taken further than to this cycle.
        let waits =
            generated > now || (class == Class::Request && self.window_is_full() && hosts.needs_response(flow, packet));
        (!waits).then_some(First { class, priority: level, origin: Origin::Fifo, packet, generated })
    }

    #[inline]
    pub(super) fn first_of_level(
        &self,
        hosts: &Hosts,
        class: Class,
        level: u8,
        now: u64,
        may_send_new: bool,
    ) -> Option<First> {
        if let Some(slots) = &self.slots {
            return self.first_in_slots(slots, hosts, (class, level), now, may_send_new);
        }
        let ready = |refused: &&Refused| refused.class == class && refused.priority == level && refused.ready <= now;
        if let Some(refused) = self.retries.iter().find(ready) {
            let generated = hosts.packets[refused.packet].generated;
            let generated = hosts.context.as_ref().map_or(generated, |network| network.clock.symbols(generated));
            return Some(First { class, priority: level, origin: Origin::Retry, packet: refused.packet, generated });
        }
        if may_send_new { self.first_of_fifo(hosts, class, level, now) } else { None }
    }

    /// Index of a first packet, which is drawn if it has not been.
    #[inline]
    pub(super) fn draw(&mut self, hosts: &mut Hosts, first: &First) -> u32 {
        if first.packet == UNDRAWN { self.draw_waiting(hosts, first) } else { first.packet }
    }

    #[inline(never)]
    fn draw_waiting(&mut self, hosts: &mut Hosts, first: &First) -> u32 {
        let fifo = &mut self.classes[first.class as usize].fifos[usize::from(first.priority)];
        let waiting = fifo.first_mut().expect("the first packet of its FIFO waits there");
        let others = *waiting;
        let flow = &mut hosts.flows[waiting.flow as usize];
        let mut packet = flow.draw(self.node, waiting.flow, waiting.generated);
        if let Some(network) = &hosts.context {
            network.address(&mut packet);
        }
        let drawn = (packet.message, packet.end);
        let number = hosts.packets.insert(packet);
        waiting.packet = number;
        if flow.has_messages() {
            if flow.is_within_message() {
                fifo.insert_second(others);
            }
            hosts.begin_drawn(others.flow, drawn, others.generated);
        }
        number
    }

    /// Chooses the head in cycle `now`, for which all arrivals have been taken; returns whether it changed.
    pub(crate) fn choose<P: Eligibility>(&mut self, hosts: &mut Hosts, now: u64, protocol: &P) -> bool {
        if let Some(until) = self.limits.bypassed_until(now) {
            // Its host still offers its load, which waits until the node is repaired (network-model.md, Section 5).
            let first = self.arrivals.peek().map_or(NEVER, |&Reverse((at, _))| at);
            self.next_event = until.min(first.max(now + 1));
            return self.head.take().is_some();
        }
        let before = self.head();
        let changed = self.choose_any(hosts, now, protocol);
        if !self.has_silent {
            return changed;
        }
        let mut dropped = 0;
        while self.drops_head(hosts, now, dropped) {
            dropped += 1;
            self.choose_any(hosts, now, protocol);
            if dropped == MOST_IN_CYCLE {
                self.head = None;
                self.next_event = now + 1;
                break;
            }
        }
        self.head() != before
    }

    /// Chooses the head, whatever its destination.
    #[inline(always)]
    fn choose_any<P: Eligibility>(&mut self, hosts: &mut Hosts, now: u64, protocol: &P) -> bool {
        debug_assert!(!self.head_is_fixed);
        let before = self.head();
        if P::SELECTS
            && protocol.selects()
            && before.is_some_and(|packet| !protocol.is_eligible(&hosts.packets[packet]))
        {
            self.head = None;
        }
        if self.slots.is_some() {
            // Whatever is ready now may be a better choice.
            self.head = None;
        }
        // Else responses of low priority starve, and the ring livelocks (realtime-model.md, Section 1, "Head").
        let responses_first =
            self.responses >= self.limits.responses && (self.last_left == Class::Request || self.prefers_responses);
        let rank = |first: &First| (responses_first && first.class == Class::Response, first.priority);
        if let Some(head) = self.head
            && !responses_first
            && self.retries.iter().all(|refused| !P::SELECTS && refused.priority <= head.priority)
            && self.classes.iter().all(|levels| levels.fifos.len() <= usize::from(head.priority) + 1)
        {
            // Nothing ranks above it.
            self.next_event = self.find_next_event(now);
            return self.head() != before;
        }
        let request = self.first(hosts, Class::Request, now, protocol);
        // A port has no responses of its own.
        let responds = self.responses > 0 || self.slots.is_some();
        let response = if responds { self.first(hosts, Class::Response, now, protocol) } else { None };
        let best = match (request, response) {
            (Some(request), Some(response)) => {
                let by_order = || match hosts.order {
                    ClassOrder::Alternate => self.last_left == Class::Request,
                    ClassOrder::ResponseFirst => true,
                    ClassOrder::RequestFirst => false,
                    ClassOrder::Oldest => response.generated < request.generated,
                };
                let response_wins = rank(&response).cmp(&rank(&request));
                if response_wins.is_gt() || (response_wins.is_eq() && by_order()) {
                    Some(response)
                } else {
                    Some(request)
                }
            }
            (one, other) => one.or(other),
        };
        // A head yields to a better rank alone, not by the order of the classes (realtime-model.md, Section 1, "Head").
        if let Some(mut best) = best
            && self.head.is_none_or(|head| rank(&best) > rank(&head))
        {
            best.packet = self.draw(hosts, &best);
            if best.origin == Origin::Fifo && best.class == Class::Request && self.slots.is_none() {
                let packet = &mut hosts.packets[best.packet];
                // The group register is read when a packet becomes head; one that was refused
                // keeps its group (model.md, step 2).
                packet.group = hosts.flows[packet.flow as usize].group_of(packet, now);
            }
            self.head = Some(best);
            self.head_since = now;
        }
        self.next_event = self.find_next_event(now);
        self.head() != before
    }

    /// The next cycle in which the head may change: with a head, only something better can change it. Nothing happens
    /// in a cycle too many.
    #[inline(always)]
    pub(super) fn find_next_event(&self, now: u64) -> u64 {
        let above = self.head.map(|head| head.priority);
        let matters = |priority: u8| self.slots.is_some() || above.is_none_or(|above| priority > above);
        let mut next = NEVER;
        for refused in self.retries.iter().filter(|refused| refused.ready > now) {
            let overrides = refused.class == Class::Response && self.responses >= self.limits.responses;
            if overrides || matters(refused.priority) {
                next = next.min(refused.ready);
            }
        }
        let may_be_head = matters(self.top) && self.outstanding[Class::Request as usize] < self.limits.outstanding;
        if (may_be_head || self.follows_arrivals)
            && let Some(&Reverse((at, _))) = self.arrivals.peek()
        {
            next = next.min(at);
        }
        if self.taken > now {
            // Arrivals have been taken further than to this cycle.
            // Of a FIFO the first counts; with slots any may be chosen.
            let looked_at = if self.slots.is_some() { usize::MAX } else { 1 };
            let fifos = self.classes.iter().flat_map(|levels| levels.fifos.iter());
            let ahead = fifos.flat_map(|fifo| fifo.iter().take(looked_at)).map(|waiting| waiting.generated);
            next = ahead.filter(|&at| at > now).fold(next, u64::min);
        }
        next
    }

    /// The head, as a protocol may see it.
    #[inline]
    pub(crate) fn head_view(&self, packets: &Packets) -> Option<Head> {
        self.head.map(|head| {
            let packet = &packets[head.packet];
            Head {
                packet: head.packet,
                group: packet.group,
                priority: packet.priority,
                symbols: u32::from(packet.symbols),
            }
        })
    }
}
