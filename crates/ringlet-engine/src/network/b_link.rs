//! A B-Link: the bus between the link controllers of a switch (docs/explanation/network-model.md, "Switches").

mod arbitration;
mod checks;

use std::collections::VecDeque;

use crate::hosts::RingContext;
use crate::queues::{Arrival, Buffers, Port};
use crate::results::Moved;
use crate::ring::{Lookahead, Networked, Outlook};
use crate::spec::{Forwarding, SwitchKindSpec};
use crate::values::{Class, Encode, Encoder, Release, Transit};

/// One B-Link with its link controllers.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct BLink {
    pub(crate) switch: u32,
    pub(crate) link: u16,
    design: Design,
    pub(crate) members: Vec<Member>,
    /// Packets received and not yet moved.
    queued: usize,
    bus: Bus,
    known: Known,
    counts: BusCounts,
    /// Log of transfers, for an observer only.
    #[serde(skip)]
    log: Option<Vec<Logged>>,
}

/// The design of a B-Link, as the spec says it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Design {
    kind: SwitchKindSpec,
    /// Picoseconds of a cycle of the network.
    cycle_ps: u64,
    symbol_bytes: u32,
    /// Length of the shortest packet, in symbols.
    smallest_symbols: u32,
    /// Shortest time from a grant until a buffer is free, for the smallest packets.
    released_ps: u64,
    /// Shortest time from a grant until a packet is ready in a ring, for the smallest packets.
    forwarded_ps: u64,
    /// May a packet leave through the port that has received it?
    returns: bool,
    /// Are there several priorities? Then the highest one is granted first.
    prioritised: bool,
}

/// The bus between grants.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct Bus {
    /// The bus is free from then on.
    free_at_ps: u64,
    /// The port served last.
    last: usize,
}

/// Times up to which a B-Link knows what happens: each ring tells it only so far ahead.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct Known {
    /// Time before which every grant has been decided.
    decided_ps: u64,
    /// Time before which no packet can be granted that is still to be taken over from the ports.
    settled_ps: u64,
    /// Time up to which all ports have been read.
    read_ps: u64,
    /// Earliest time at which a packet that a port has not reported can be ready there.
    ready_from_ps: u64,
    /// A packet waits for a slot, so that its next grant depends on when one is freed.
    waits: bool,
    /// Time at which routes change next: a grant from then on is decided behind the change. It follows from the spec.
    #[serde(skip)]
    changes_ps: Option<u64>,
}

/// Counts of a bus.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct BusCounts {
    /// Transfers that ended, and the time that they took.
    ended: Use,
    /// Transfers since.
    transfers: VecDeque<Transfer>,
    /// Counts at the last reset.
    before_reset: Use,
}

/// A packet's time on the bus, as an observer is to see it.
#[derive(Debug, Clone, Copy)]
struct Logged {
    ready_ps: u64,
    start_ps: u64,
    end_ps: u64,
    entry: usize,
    exit: u16,
    transit: Transit,
}

/// Use of a bus.
#[derive(Debug, Default, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Use {
    pub(crate) packets: u64,
    pub(crate) busy_ps: u64,
    pub(crate) inverted_packets: u64,
    pub(crate) inverted_ps: u64,
}

/// A packet's time on the bus.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Transfer {
    start_ps: u64,
    end_ps: u64,
    priority: u8,
    /// Time for which it had been ready while the bus carried packets of lower priority.
    inverted_ps: u64,
}

/// One link controller, as its B-Link sees it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Member {
    pub(crate) ring: u32,
    pub(crate) place: u16,
    /// Picoseconds of a symbol on its ring, whose symbols its cycles count.
    symbol_ps: u64,
    /// Ring and place in the spec, where rings that are simulated together are apart.
    pub(crate) seen_at: (u32, u16),
    /// Number of the link controller among all ports.
    pub(crate) number: u32,
    /// Packets that wait and leave through it.
    coming: u32,
    /// Cycle up to which the link controller has been read.
    read_cycle: u64,
    /// Cycles, as of then, before which the port does nothing that it has not reported.
    lookahead: Lookahead,
    received: [VecDeque<Queued>; 2],
    last_class: Class,
    transmit: Buffers,
    /// Transmit slots that are neither taken nor reserved.
    free: [u32; 2],
    /// Slots that will have been free from these times on.
    freed: VecDeque<(u64, Class)>,
    /// Packets that go to the ring next, with the cycles in which they are ready.
    pub(crate) forwards: Vec<(u64, Transit)>,
    /// Buffers that are released next, with the cycles in which they are free.
    pub(crate) releases: Vec<Release>,
}

/// A packet that waits for the bus.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Queued {
    /// Time from which the packet may be granted.
    ready_ps: u64,
    /// Time at which all of the packet is there.
    complete_ps: u64,
    /// The time that its symbols take on the bus.
    hold_ps: u64,
    /// Picoseconds for which the packet has been ready while the bus carried packets of lower priority.
    inverted_ps: u64,
    exit: u16,
    number: u32,
    transit: Transit,
}

impl Member {
    /// Builds a link controller whose place is still to be said.
    pub(crate) fn new(transmit: Buffers) -> Self {
        Self {
            ring: 0,
            place: 0,
            symbol_ps: 1,
            seen_at: (0, 0),
            number: 0,
            coming: 0,
            read_cycle: 0,
            lookahead: Lookahead::default(),
            received: Default::default(),
            last_class: Class::Response,
            free: [Class::Request, Class::Response].map(|class| transmit.size(class)),
            transmit,
            freed: VecDeque::new(),
            forwards: Vec::new(),
            releases: Vec::new(),
        }
    }

    /// Time of a cycle of its ring.
    fn ps(&self, cycle: u64) -> u64 {
        cycle * self.symbol_ps
    }

    /// The first cycle of its ring from a time on.
    fn cycle(&self, ps: u64) -> u64 {
        ps.div_ceil(self.symbol_ps)
    }

    /// Returns the time before which no packet is ready there that its port has not reported.
    fn ready_from_ps(&self) -> u64 {
        self.ps(self.lookahead.ready_from)
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

impl Use {
    /// A packet has been granted; its time on the bus counts up to a time.
    fn add(&mut self, transfer: &Transfer, counted_ps: u64) {
        self.packets += 1;
        self.busy_ps += transfer.end_ps.min(counted_ps) - transfer.start_ps;
        self.inverted_packets += u64::from(transfer.inverted_ps > 0);
        self.inverted_ps += transfer.inverted_ps;
    }
}

impl BusCounts {
    /// Use up to a time since the last reset.
    fn used(&self, counted_ps: u64) -> Use {
        let (total, before) = (self.total(counted_ps), self.before_reset);
        Use {
            packets: total.packets - before.packets,
            busy_ps: total.busy_ps - before.busy_ps,
            inverted_packets: total.inverted_packets - before.inverted_packets,
            inverted_ps: total.inverted_ps - before.inverted_ps,
        }
    }

    /// Use up to a time since cycle 0.
    fn total(&self, counted_ps: u64) -> Use {
        let begun = self.transfers.iter().take_while(|transfer| transfer.start_ps < counted_ps);
        let mut sum = self.ended;
        begun.for_each(|transfer| sum.add(transfer, counted_ps));
        sum
    }

    /// Adds up the transfers that have ended by then.
    fn end_transfers(&mut self, counted_ps: u64) {
        while let Some(&transfer) = self.transfers.front()
            && transfer.end_ps <= counted_ps
        {
            self.transfers.pop_front();
            self.ended.add(&transfer, counted_ps);
        }
    }
}

impl BLink {
    /// `smallest_symbols`: no packet is shorter. `returns`: one may leave where it has come in. `prioritised`: there
    /// are several priorities.
    pub(crate) fn new(
        (switch, link): (u32, u16),
        kind: SwitchKindSpec,
        cycle_ps: u64,
        symbol_bytes: u32,
        smallest_symbols: u32,
        returns: bool,
        prioritised: bool,
    ) -> Self {
        let released_ps = kind.hold_ps(symbol_bytes * smallest_symbols);
        let forwarded_ps = match kind.forwarding {
            Forwarding::StoreAndForward => released_ps + kind.from_link_ps,
            Forwarding::CutThrough => first_out_ps(&kind),
        };
        let design =
            Design { kind, cycle_ps, symbol_bytes, smallest_symbols, released_ps, forwarded_ps, returns, prioritised };
        // Nothing of cycle 0 reaches the bus earlier.
        let known = Known { decided_ps: kind.to_link_ps, settled_ps: kind.to_link_ps, ..Known::default() };
        Self {
            switch,
            link,
            design,
            members: Vec::new(),
            queued: 0,
            bus: Bus::default(),
            known,
            counts: BusCounts::default(),
            log: None,
        }
    }

    /// The link controller of a port is this one among all, at this place of this ring, whose symbols are so long.
    pub(crate) fn place(&mut self, port: u16, number: u32, (ring, place): (u32, u16), symbol_cycles: u32) {
        let member = &mut self.members[usize::from(port)];
        let symbol_ps = self.design.cycle_ps * u64::from(symbol_cycles);
        *member = Member { ring, place, symbol_ps, number, ..member.clone() };
    }

    /// Calls `say` with each port's number among all and the cycle up to which nothing further can act on its ring,
    /// once that has what has been decided.
    pub(crate) fn horizons(&self, mut say: impl FnMut(u32, u64)) {
        // The earliest packet that is still to come in, and the earliest elsewhere: through its own port none leaves.
        // And the earliest time at which one of those that wait has been moved: one behind others is granted later.
        let (mut least_ps, mut second_ps, mut first) = (u64::MAX, u64::MAX, 0);
        let mut moved_ps = u64::MAX;
        for (index, member) in self.members.iter().enumerate() {
            let ready_ps = member.ready_from_ps();
            if ready_ps < least_ps {
                (least_ps, second_ps, first) = (ready_ps, least_ps, index);
            } else {
                second_ps = second_ps.min(ready_ps);
            }
            for waiting in member.received.iter().filter_map(VecDeque::front) {
                moved_ps = moved_ps.min(self.next_released_ps(waiting));
            }
        }
        let waiting_ps = match self.design.kind.forwarding {
            Forwarding::StoreAndForward => moved_ps.saturating_add(self.design.kind.from_link_ps),
            // Cut through, it may go on before it has been moved: the end of its transfer is no bound.
            Forwarding::CutThrough => self.known.decided_ps.max(self.bus.free_at_ps) + self.design.forwarded_ps,
        };
        for (index, member) in self.members.iter().enumerate() {
            let ready_ps = if index == first && !self.design.returns { second_ps } else { least_ps };
            let coming_ps = self.next_grant_ps(ready_ps).saturating_add(self.design.forwarded_ps);
            let forwarded_ps = if member.coming > 0 { coming_ps.min(waiting_ps) } else { coming_ps };
            // Buffers that are free again matter to a port that may have none.
            let full_ps = member.ps(member.lookahead.full_from);
            let horizon_ps = if full_ps < forwarded_ps {
                forwarded_ps.min(full_ps.max(self.next_release_ps(member)))
            } else {
                forwarded_ps
            };
            say(member.number, member.cycle(horizon_ps));
        }
    }

    /// Cycle up to which it is known which buffers of a member are free.
    fn releases_known_to(&self, member: &Member) -> u64 {
        member.cycle(self.next_release_ps(member))
    }

    /// The earliest time at which a buffer of a member is freed that is not known to be.
    fn next_release_ps(&self, member: &Member) -> u64 {
        let coming_ps = self.next_grant_ps(member.ready_from_ps()) + self.design.released_ps;
        let [requests, responses] = &member.received;
        let of_queue = |queue: &VecDeque<Queued>| queue.front().map_or(coming_ps, |first| self.next_released_ps(first));
        of_queue(requests).min(of_queue(responses))
    }

    /// The earliest grant of a packet that is still to come, and not ready at its port before `ready_ps`.
    fn next_grant_ps(&self, ready_ps: u64) -> u64 {
        ready_ps.saturating_add(self.design.kind.to_link_ps).max(self.known.settled_ps).max(self.bus.free_at_ps)
    }

    /// The earliest time at which a packet that waits first, or one that is granted before it, has been moved.
    fn next_released_ps(&self, first: &Queued) -> u64 {
        let start_ps = self.known.decided_ps.max(self.bus.free_at_ps);
        // A packet of a higher priority may be granted before it: the shortest that there may be is the bound.
        if self.design.prioritised {
            start_ps + self.design.released_ps
        } else {
            start_ps.max(first.ready_ps) + first.hold_ps
        }
    }

    /// The least that the horizon is ahead of its rings, in cycles of the network.
    pub(crate) fn least_lookahead(&self) -> u64 {
        (self.design.kind.to_link_ps + self.design.released_ps.min(self.design.forwarded_ps))
            .div_ceil(self.design.cycle_ps)
    }

    /// Hands over to a port of a ring that is at `cycle` what was decided since the last time.
    pub(crate) fn hand_over(&mut self, port: u16, ring: &mut dyn Networked, cycle: u64) {
        let member = &self.members[usize::from(port)];
        if member.releases.is_empty() && member.forwards.is_empty() {
            return;
        }
        let known_to = self.releases_known_to(member);
        let Member { place, forwards, releases, .. } = &mut self.members[usize::from(port)];
        // What is free later is not free yet.
        ring.hand_over(*place, releases, known_to.min(cycle), forwards);
    }

    /// Takes over what has happened at a port of a ring that has gone to cycle `end`, and decides what that settles.
    pub(crate) fn take_over(&mut self, port: u16, ring: &mut dyn Networked, end: u64) {
        let place = self.members[usize::from(port)].place;
        let transmit = ring.transmit_mut(place);
        // Mostly there are none, and a large network need not wait for what would say so.
        if std::mem::take(&mut transmit.has_events) {
            self.take_events(port, transmit.port_mut().expect("there is a port at this place"));
        }
        let member = &self.members[usize::from(port)];
        let not_handed_over = member.releases.first().map_or(u64::MAX, |release| release.cycle);
        let outlook = Outlook {
            smallest_symbols: self.design.smallest_symbols.into(),
            released_from: not_handed_over.min(self.releases_known_to(member)),
            // With a slot for each packet that will leave through it, none waits for one to be freed.
            awaits_slots: member.free.iter().any(|&free| free <= member.coming),
        };
        let lookahead = ring.look_ahead(place, outlook);
        let member = &mut self.members[usize::from(port)];
        (member.read_cycle, member.lookahead) = (end, lookahead);
        let (mut ready_from_ps, mut read_ps) = (u64::MAX, u64::MAX);
        for member in &self.members {
            ready_from_ps = ready_from_ps.min(member.ready_from_ps());
            read_ps = read_ps.min(member.ps(member.read_cycle));
        }
        self.known.read_ps = read_ps;
        // Nothing else lets it decide further than the last time.
        if ready_from_ps > self.known.ready_from_ps || self.known.waits {
            self.known.ready_from_ps = ready_from_ps;
            self.decide();
        }
    }

    /// Routes change next in a cycle of the network, or do not any more.
    pub(crate) fn expect_change(&mut self, cycle: Option<u64>) {
        self.known.changes_ps = cycle.map(|cycle| cycle * self.design.cycle_ps);
    }

    /// Routes change in the cycle that all rings have reached: packets that wait leave through the port that `exit`
    /// says, by the port that has received them and their destination.
    pub(crate) fn reroute(&mut self, exit: impl Fn(&Member, u16, u16) -> u16) {
        for port in 0..self.members.len() {
            for class in Class::ALL {
                for place in 0..self.members[port].received[class as usize].len() {
                    let member = &self.members[port];
                    let Queued { exit: before, transit, .. } = member.received[class as usize][place];
                    let exit = exit(member, port as u16, transit.end);
                    self.members[port].received[class as usize][place].exit = exit;
                    self.members[usize::from(before)].coming -= 1;
                    self.members[usize::from(exit)].coming += 1;
                }
            }
        }
        // What waited for the change need not wait for a ring, too: perhaps nothing comes any more.
        self.decide();
    }

    /// Takes what a port has accepted, and the slots that it has freed.
    fn take_events(&mut self, port: u16, held: &mut Port) {
        for arrival in held.arrivals.drain(..) {
            self.receive(port, &arrival);
        }
        let member = &mut self.members[usize::from(port)];
        for (cycle, class) in held.freed.drain(..) {
            member.freed.push_back((member.ps(cycle) + self.design.kind.to_link_ps, class));
        }
    }

    /// A link controller has accepted a packet.
    fn receive(&mut self, port: u16, arrival: &Arrival) {
        let Arrival { ready, complete, exit, number, transit } = *arrival;
        let member = &self.members[usize::from(port)];
        let (ready_ps, complete_ps) = (self.at_link_ps(member, ready), self.at_link_ps(member, complete));
        // Only the last transfer may still go on when it is ready.
        let behind = self.counts.transfers.back().filter(|last| last.priority < transit.priority);
        let inverted_ps = behind.map_or(0, |last| last.end_ps.saturating_sub(ready_ps.max(last.start_ps)));
        let queue = &mut self.members[usize::from(port)].received[transit.class as usize];
        let hold_ps = self.design.kind.hold_ps(self.design.symbol_bytes * u32::from(transit.symbols));
        queue.push_back(Queued { ready_ps, complete_ps, hold_ps, inverted_ps, exit, number, transit });
        self.queued += 1;
        self.members[usize::from(exit)].coming += 1;
    }

    /// Time on the bus of what happens at a port in a cycle of its ring.
    fn at_link_ps(&self, member: &Member, cycle: u64) -> u64 {
        member.ps(cycle) + self.design.kind.to_link_ps
    }

    /// Packets granted and time for which the bus has been held since the last reset.
    pub(crate) fn used(&self) -> Use {
        self.counts.used(self.known.read_ps)
    }

    /// Keeps a log of what is moved, or no more.
    pub(crate) fn follow(&mut self, followed: bool) {
        self.log = followed.then(Vec::new);
    }

    /// Calls `log` with what has been moved since the last call, with the numbers of interfaces in a network of `nodes`
    /// nodes.
    pub(crate) fn drain_log(&mut self, nodes: u32, network: &RingContext, mut log: impl FnMut(Moved)) {
        let number = |member: usize| nodes + self.members[member].number;
        for Logged { ready_ps, start_ps, end_ps, entry, exit, transit } in
            self.log.iter_mut().flat_map(|log| log.drain(..))
        {
            log(Moved {
                switch: self.switch,
                link: self.link,
                entry: number(entry),
                exit: number(exit.into()),
                packet: network.view_transit(&transit),
                ready_ps,
                start_ps,
                end_ps,
                cycles: (start_ps / self.design.cycle_ps, end_ps.div_ceil(self.design.cycle_ps)),
            });
        }
    }

    /// Starts the counts again.
    pub(crate) fn reset(&mut self) {
        self.counts.before_reset = self.counts.total(self.known.read_ps);
    }

    /// Packets that wait, or that are moved and on no ring yet.
    pub(crate) fn transits(&self) -> impl Iterator<Item = &Transit> {
        let waiting = self.members.iter().flat_map(|member| member.received.iter().flatten());
        let moved = self.members.iter().flat_map(|member| &member.forwards);
        waiting.map(|queued| &queued.transit).chain(moved.map(|(_, transit)| transit))
    }

    /// Packets moved that have not been handed over to the rings.
    pub(crate) fn moved(&self) -> usize {
        self.members.iter().map(|member| member.forwards.len()).sum()
    }

    /// Packets received and not yet moved.
    pub(crate) fn queued(&self) -> usize {
        self.queued
    }

    /// Cycle of the network in which the oldest packet was generated that waits, or is moved and on no ring yet.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.transits().map(|transit| transit.generated).min()
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

    /// Writes, for exploration, what waits, what moves, and what the ports do not have yet. The time up to which grants
    /// have been decided is not written: it follows from what the rings are going to do. `since_offer`: packets that a
    /// port has offered since the one of this number.
    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>, since_offer: impl Fn(&Member, u32) -> u32) {
        encoder.due_ps(self.bus.free_at_ps, self.design.cycle_ps);
        encoder.len(self.bus.last);
        for member in &self.members {
            for queue in &member.received {
                encoder.len(queue.len());
                for &Queued { ready_ps, complete_ps, hold_ps: _, inverted_ps, exit, number, ref transit } in queue {
                    encoder.tally(transit.generated, inverted_ps);
                    encoder.due_ps(ready_ps, self.design.cycle_ps);
                    encoder.due_ps(complete_ps, self.design.cycle_ps);
                    encoder.put(exit);
                    encoder.put(since_offer(member, number));
                    transit.encode(encoder);
                }
            }
            encoder.put(member.last_class as u8);
            member.free.encode(encoder);
            encoder.len(member.freed.len());
            for &(at, class) in &member.freed {
                encoder.due_ps(at, self.design.cycle_ps);
                encoder.put(class as u8);
            }
            encoder.len(member.forwards.len());
            for (ready, transit) in &member.forwards {
                encoder.due(*ready);
                transit.encode(encoder);
            }
            encoder.len(member.releases.len());
            for release in &member.releases {
                encoder.due(release.cycle);
                encoder.put(release.class as u8);
                encoder.put(release.priority);
                encoder.put(since_offer(member, release.number));
            }
        }
        encoder.held("a packet in a switch", self.queued > 0 || self.moved() > 0);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let member = |member: &Member| {
            member.received.iter().map(|queue| queue.capacity() * size_of::<Queued>()).sum::<usize>()
                + member.freed.capacity() * size_of::<(u64, Class)>()
                + member.forwards.capacity() * size_of::<(u64, Transit)>()
                + member.releases.capacity() * size_of::<Release>()
        };
        self.members.capacity() * size_of::<Member>() + self.members.iter().map(member).sum::<usize>()
    }
}

/// The time from a grant until the first symbols are in the transmit buffer.
fn first_out_ps(kind: &SwitchKindSpec) -> u64 {
    kind.setup_ps + kind.cycle_ps as u64 + kind.from_link_ps
}
