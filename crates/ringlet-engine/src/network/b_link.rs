//! A B-Link: the bus between the link controllers of a switch (docs/network-model.md, "Switches").

use std::collections::VecDeque;

use super::{Buffers, Transit};
use crate::node::{Arrival, IN_NETWORK, Node, Port};
use crate::packet::Class;
use crate::spec::{Forwarding, SwitchKindSpec};
use crate::transmit::Flows;

/// One B-Link with its link controllers.
#[derive(Debug, Clone)]
pub(crate) struct BLink {
    pub(crate) switch: u32,
    pub(crate) link: u16,
    kind: SwitchKindSpec,
    symbol_ps: u64,
    pub(crate) members: Vec<Member>,
    /// Ports heard of whose rings have gone through the next window.
    heard: usize,
    /// Packets received and not yet moved.
    queued: usize,
    /// The bus is free from then on.
    free_at_ps: u64,
    /// Everything before has been decided.
    decided_ps: u64,
    /// Up to here the rings have been simulated.
    counted_ps: u64,
    /// The port served last.
    last: usize,
    /// Transfers that ended, the time that they took, and the transfers since.
    ended: Use,
    transfers: VecDeque<(u64, u64)>,
    /// What had been counted at the last reset.
    before_reset: Use,
}

/// Use of a bus.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) packets: u64,
    pub(crate) busy_ps: u64,
}

/// One link controller, as its B-Link sees it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) ring: u32,
    pub(crate) place: u16,
    received: [VecDeque<Queued>; 2],
    last_class: Class,
    transmit: Buffers,
    /// Transmit slots that are neither taken nor reserved.
    free: [u32; 2],
    /// Slots that will have been free from these times on.
    freed: VecDeque<(u64, Class)>,
    /// What the ring is to hear: packets with the cycles in which they are ready, and buffers with the cycles in which they are free.
    pub(crate) forwards: Vec<(u64, Transit)>,
    pub(crate) releases: Vec<(u64, Class)>,
}

/// A packet that waits for the bus.
#[derive(Debug, Clone, Copy)]
struct Queued {
    /// When it may be granted.
    ready_ps: u64,
    /// When all of it is there.
    complete_ps: u64,
    exit: u16,
    transit: Transit,
}

impl Member {
    pub(crate) fn new(ring: u32, place: u16, transmit: Buffers) -> Self {
        Self {
            ring,
            place,
            received: Default::default(),
            last_class: Class::Response,
            free: [Class::Request, Class::Response].map(|class| transmit.size(class)),
            transmit,
            freed: VecDeque::new(),
            forwards: Vec::new(),
            releases: Vec::new(),
        }
    }

    fn has_slot(&self, class: Class) -> bool {
        self.free[self.transmit.index(class)] > 0
    }

    /// Classes in the order in which they may go.
    fn classes(&self) -> [Class; 2] {
        match self.last_class {
            Class::Request => [Class::Response, Class::Request],
            Class::Response => [Class::Request, Class::Response],
        }
    }
}

impl BLink {
    pub(crate) fn new(switch: u32, link: u16, kind: SwitchKindSpec, symbol_ps: u64) -> Self {
        Self {
            switch,
            link,
            kind,
            symbol_ps,
            members: Vec::new(),
            heard: 0,
            queued: 0,
            free_at_ps: 0,
            decided_ps: 0,
            counted_ps: 0,
            last: 0,
            ended: Use::default(),
            transfers: VecDeque::new(),
            before_reset: Use::default(),
        }
    }

    /// Shortest time from what happens on a ring to what a ring hears of it, for packets of at least `symbols`.
    pub(crate) fn lookahead_ps(&self, symbols: u32) -> u64 {
        self.kind.to_link_ps + self.decision_ps(symbols)
    }

    /// The same from a decision on.
    fn decision_ps(&self, symbols: u32) -> u64 {
        let release = self.kind.hold_ps(symbols);
        match self.kind.forwarding {
            Forwarding::StoreAndForward => release,
            Forwarding::CutThrough => release.min(self.first_out_ps()),
        }
    }

    /// From the grant until the first symbols are in the transmit buffer.
    fn first_out_ps(&self) -> u64 {
        self.kind.setup_ps + self.kind.cycle_ps as u64 + self.kind.from_link_ps
    }

    /// A port of a ring hears what was decided in the last window.
    pub(crate) fn tell<P>(&mut self, port: u16, node: &mut Node<P, IN_NETWORK>, flows: &mut Flows) {
        let Member { forwards, releases, .. } = &mut self.members[usize::from(port)];
        if releases.is_empty() && forwards.is_empty() {
            return;
        }
        node.transmit.port_mut().expect("there is a port at this place").releases.extend(releases.drain(..));
        for (ready, transit) in forwards.drain(..) {
            node.transmit.forward(flows, ready, &transit);
        }
    }

    /// Hears from a port of a ring that has gone to cycle `end`; returns whether it was the last one, so that what is to be decided before that has been.
    pub(crate) fn hear<P>(&mut self, port: u16, node: &mut Node<P, IN_NETWORK>, end: u64) -> bool {
        // Mostly there are none, and a large network need not wait for what would say so.
        if std::mem::take(&mut node.transmit.has_news) {
            self.take_news(port, node.transmit.port_mut().expect("there is a port at this place"));
        }
        self.heard += 1;
        if self.heard < self.members.len() {
            return false;
        }
        self.heard = 0;
        self.decide_until(end);
        true
    }

    /// What a port has accepted, and the slots that it has freed.
    fn take_news(&mut self, port: u16, held: &mut Port) {
        for arrival in held.arrivals.drain(..) {
            self.receive(port, &arrival);
        }
        let member = &mut self.members[usize::from(port)];
        for (cycle, class) in held.freed.drain(..) {
            member.freed.push_back((cycle * self.symbol_ps + self.kind.to_link_ps, class));
        }
    }

    /// A link controller has accepted a packet.
    fn receive(&mut self, port: u16, arrival: &Arrival) {
        let Arrival { head, exit, transit } = *arrival;
        let delay = self.kind.to_link_ps;
        let head_ps = head * self.symbol_ps + delay;
        let complete_ps = head_ps + u64::from(transit.symbols) * self.symbol_ps;
        let ready_ps = if self.kind.forwarding == Forwarding::CutThrough { head_ps } else { complete_ps };
        let queue = &mut self.members[usize::from(port)].received[transit.class as usize];
        queue.push_back(Queued { ready_ps, complete_ps, exit, transit });
        self.queued += 1;
    }

    /// Decides everything that nothing from cycle `end` on can change.
    fn decide_until(&mut self, end: u64) {
        let end_ps = end * self.symbol_ps + self.kind.to_link_ps;
        while let Some(&(start, stop)) = self.transfers.front()
            && stop <= self.counted_ps
        {
            self.transfers.pop_front();
            self.ended.packets += 1;
            self.ended.busy_ps += stop - start;
        }
        self.counted_ps = end * self.symbol_ps;
        if self.queued > 0 {
            let mut now = self.decided_ps.max(self.free_at_ps);
            while now < end_ps && self.queued > 0 {
                self.take_freed(now);
                if let Some((member, class)) = self.next_grant(now) {
                    self.grant(member, class, now);
                    now = self.free_at_ps;
                } else {
                    now = self.next_change(now);
                }
            }
        }
        self.decided_ps = end_ps;
    }

    fn take_freed(&mut self, now: u64) {
        for member in &mut self.members {
            while let Some(&(at, class)) = member.freed.front()
                && at <= now
            {
                member.freed.pop_front();
                member.free[member.transmit.index(class)] += 1;
            }
        }
    }

    /// Round robin over the ports; at a port the classes take turns; a head whose slot is not free blocks its queue.
    fn next_grant(&self, now: u64) -> Option<(usize, Class)> {
        let count = self.members.len();
        (1..=count).map(|step| (self.last + step) % count).find_map(|index| {
            let member = &self.members[index];
            let class = member.classes().into_iter().find(|&class| {
                member.received[class as usize]
                    .front()
                    .is_some_and(|head| head.ready_ps <= now && self.members[usize::from(head.exit)].has_slot(class))
            })?;
            Some((index, class))
        })
    }

    /// The next time at which something that is known changes.
    fn next_change(&self, now: u64) -> u64 {
        let heads = self.members.iter().flat_map(|member| &member.received).filter_map(|queue| queue.front());
        let ready = heads.map(|head| head.ready_ps);
        let freed = self.members.iter().filter_map(|member| member.freed.front()).map(|freed| freed.0);
        ready.chain(freed).filter(|&at| at > now).min().unwrap_or(u64::MAX)
    }

    fn grant(&mut self, index: usize, class: Class, now: u64) {
        let member = &mut self.members[index];
        let head = member.received[class as usize].pop_front().expect("a granted packet waits");
        let symbols = u32::from(head.transit.symbols);
        // Cut through, the bus waits for what still arrives.
        let end = (now + self.kind.hold_ps(symbols)).max(head.complete_ps);
        member.last_class = class;
        member.releases.push((end.div_ceil(self.symbol_ps), class));
        let stored = end + self.kind.from_link_ps;
        let out = match self.kind.forwarding {
            Forwarding::StoreAndForward => stored,
            // Not so early that the ring would have to wait for the bus within a packet.
            Forwarding::CutThrough => {
                (now + self.first_out_ps()).max(stored.saturating_sub(u64::from(symbols) * self.symbol_ps))
            }
        };
        let exit = &mut self.members[usize::from(head.exit)];
        exit.free[exit.transmit.index(class)] -= 1;
        exit.forwards.push((out.div_ceil(self.symbol_ps), head.transit));
        self.queued -= 1;
        self.free_at_ps = end;
        self.last = index;
        self.transfers.push_back((now, end));
    }

    /// Packets granted and time for which the bus has been held since the last reset.
    pub(crate) fn used(&self) -> Use {
        let total = self.total();
        Use { packets: total.packets - self.before_reset.packets, busy_ps: total.busy_ps - self.before_reset.busy_ps }
    }

    fn total(&self) -> Use {
        let begun = self.transfers.iter().take_while(|transfer| transfer.0 < self.counted_ps);
        begun.fold(self.ended, |sum, &(start, stop)| Use {
            packets: sum.packets + 1,
            busy_ps: sum.busy_ps + stop.min(self.counted_ps) - start,
        })
    }

    /// Starts the counts again.
    pub(crate) fn reset(&mut self) {
        self.before_reset = self.total();
    }

    /// Packets moved of which the rings have not heard.
    pub(crate) fn moved(&self) -> usize {
        self.members.iter().map(|member| member.forwards.len()).sum()
    }

    /// Packets received and not yet moved.
    pub(crate) fn queued(&self) -> usize {
        self.queued
    }

    /// Ports whose first request or response waits for a slot at another: what keeps the packets from moving.
    pub(crate) fn blocked(&self) -> impl Iterator<Item = (usize, Class, u16)> + '_ {
        self.members.iter().enumerate().flat_map(move |(index, member)| {
            [Class::Request, Class::Response].into_iter().filter_map(move |class| {
                let head = member.received[class as usize].front()?;
                let exit = &self.members[usize::from(head.exit)];
                (!exit.has_slot(class)).then_some((index, class, head.exit))
            })
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let member = |member: &Member| {
            member.received.iter().map(|queue| queue.capacity() * size_of::<Queued>()).sum::<usize>()
                + member.freed.capacity() * size_of::<(u64, Class)>()
                + member.forwards.capacity() * size_of::<(u64, Transit)>()
                + member.releases.capacity() * size_of::<(u64, Class)>()
        };
        self.members.capacity() * size_of::<Member>() + self.members.iter().map(member).sum::<usize>()
    }
}
