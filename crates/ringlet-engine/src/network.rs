//! Rings joined by switches (docs/explanation/network-model.md).
//!
//! What a switch decides at a time takes effect on its rings only a while later: at least the time for which its B-Link
//! is held by the smallest packet, and longer if no packet waits. So a ring advances by a window of that length with
//! what its switches have decided before, and a switch decides with what its rings have done, and what it sees coming
//! (`ring/lookahead.rs`). Who goes first, and on which thread, changes nothing (`schedule.rs`).

mod b_link;
mod build;
mod checks;
mod duplicate;
mod explore;
mod measure;
mod pace;
mod schedule;
mod stations;
mod waiting;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Instant;

use rayon::ThreadPool;
use smallvec::SmallVec;

use crate::hosts::{Checked, Crossing, Handed, PacketEvent, Replayed, RingContext, TransmitQueue};
use crate::results::{CopyView, Delivered, ErrorCounters, NodeCounters, Observer};
use crate::ring::{BlockedPort, Deliver, Measure, Networked, Simulate, Stall, Supply};
use crate::spec::Clock;
use crate::values::{Class, GivenUp, NEVER, RemoteDelivery, RemoteInversion};

use b_link::BLink;
use pace::{Pace, Way};
use schedule::{Schedule, Stretch};
use stations::{SECOND, SavedStations, Stations, Twin};

/// A ring of a network and where its ports' switches are.
struct Member {
    ring: Box<dyn Networked>,
    ports: Box<[PortPlace]>,
    clock: Clock,
}

impl Member {
    /// The transmit queues of all places.
    fn queues(&self) -> impl Iterator<Item = &TransmitQueue> {
        // A ring has so many places that their numbers fit.
        (0..self.ring.places()).map(|place| self.ring.transmit(place as u16))
    }
}

/// A link controller on a ring.
#[derive(Debug, Clone, Copy)]
struct PortPlace {
    /// Place of the link controller on the ring.
    place: u16,
    /// Number of its B-Link in the network.
    link: u32,
    /// Number of the link controller at its B-Link, which is its port's.
    port: u16,
}

/// The outgoing links of two places of a ring exchange where they lead.
#[derive(Debug, Clone, Copy)]
struct Exchange {
    ring: u32,
    ends: [u16; 2],
}

/// Rings and the B-Links between them.
pub(crate) struct Network<O> {
    rings: Vec<Member>,
    links: Vec<BLink>,
    /// Ring and place of every node.
    nodes: Vec<(u32, u16)>,
    /// Stations, if the nodes have an interface on each of two rings.
    stations: Option<Stations>,
    /// Ring of every flow and its number there, in the order of the spec.
    flows: Vec<(u32, u32)>,
    /// Ring of every flow and its number there, in the order of the flows' numbers in the network.
    owners: Vec<(u32, u32)>,
    /// Cycles for which rings do not depend on what the switches decide, at least.
    window: u64,
    cycle: u64,
    most_cycles: u64,
    stall_cycles: u64,
    latency_digits: u8,
    /// Cycle before which a lack of deliveries is no stall.
    watched_from: u64,
    /// Cycles to come in which routes or links change.
    changes: VecDeque<(u64, Vec<Exchange>)>,
    schedule: Schedule,
    pool: Option<Threads>,
    /// Observer of what the switches move; observers made from it see the rings.
    observer: O,
}

/// Threads that advance rings, if they are faster than one.
struct Threads {
    pool: ThreadPool,
    pace: Pace,
}

/// Deliveries are handed over to the rings that count them when there may be so many.
const WINDOWS_BETWEEN_ACCOUNTS: u64 = 256;

impl<O: Observer + 'static> Network<O> {
    /// Brings all rings and switches to cycle `end`, and changes routes and links in the cycles in which they change.
    fn go_to(&mut self, end: u64) {
        while self.changes.front().is_some_and(|&(cycle, _)| cycle <= end) {
            let (cycle, exchanges) = self.changes.pop_front().expect("there is a first one");
            self.go_on_to(cycle);
            for Exchange { ring, ends } in exchanges {
                self.rings[ring as usize].ring.exchange(ends);
            }
            self.reroute();
        }
        self.go_on_to(end);
    }

    /// Routes change in the present cycle: for packets that wait in switches, too.
    fn reroute(&mut self) {
        expect_change(&mut self.links, &self.changes);
        let (rings, now) = (&self.rings, self.cycle);
        for link in &mut self.links {
            link.reroute(|member, port, node| {
                let Member { ring, clock, .. } = &rings[member.ring as usize];
                let network = ring.hosts().context.as_ref().expect("it is a ring of a network");
                network.routes_of(member.place).exit_at(node, (member.place, port), clock.symbols(now))
            });
        }
        self.schedule.renew(&self.links);
    }

    fn go_on_to(&mut self, end: u64) {
        if self.crosses() {
            return self.go_on_across(end);
        }
        while self.cycle < end {
            let most = self.window.saturating_mul(WINDOWS_BETWEEN_ACCOUNTS);
            let quiet = self.quiet_until().min(end);
            if quiet > self.cycle.saturating_add(most) {
                // Nothing is under way to a switch: no ring need wait for another.
                self.schedule.leap(self.cycle, quiet, &mut *self.rings, &mut *self.links);
                self.cycle = quiet;
                continue;
            }
            self.cycle = match self.pool.take() {
                None => self.stretch(end.min(self.cycle.saturating_add(most)), None),
                Some(mut threads) => {
                    let (way, windows) = threads.pace.next(WINDOWS_BETWEEN_ACCOUNTS);
                    let stop = end.min(self.cycle.saturating_add(self.window.saturating_mul(windows)));
                    let start = Instant::now();
                    self.stretch(stop, (way == Way::Together).then_some(&threads.pool));
                    threads.pace.took(way, stop - self.cycle, start.elapsed());
                    self.pool = Some(threads);
                    stop
                }
            };
            // `advance_to` settles at the end, and accounts for the rest then.
            if self.cycle < end {
                self.account();
            }
        }
    }

    /// Does what is delivered at a node act on both of its interfaces?
    fn crosses(&self) -> bool {
        self.stations.as_ref().is_some_and(|stations| stations.least_symbols.is_some())
    }

    /// Brings both rings of stations to cycle `end`, and what is delivered from either to the other one in time.
    fn go_on_across(&mut self, end: u64) {
        while self.cycle < end {
            self.cycle = self.stretch(self.next_crossing().min(end), None);
            self.settle();
        }
    }

    /// Cycle before which nothing is delivered that would act on another ring: at most the one behind the next
    /// delivery. A packet that has not been accepted yet is delivered no earlier than it is complete.
    fn next_crossing(&self) -> u64 {
        let (now, quiet) = (self.cycle, self.quiet_until());
        let bound = |member: &Member, least: u64| {
            let Member { ring, clock, .. } = member;
            let delivered = ring.next_service().min(ring.cycle().saturating_add(least));
            clock.cycles(delivered.max(clock.symbols(quiet)).saturating_add(1))
        };
        let stations = self.stations.iter().filter(|stations| stations.pending.is_empty());
        let least = stations.filter_map(|stations| stations.least_symbols);
        let bounds = least.flat_map(|least| self.rings.iter().map(move |member| bound(member, least)));
        bounds.min().unwrap_or(now).max(now + 1)
    }

    /// Brings all rings to cycle `end`, on several threads or on this one; returns it.
    fn stretch(&mut self, end: u64, pool: Option<&ThreadPool>) -> u64 {
        let stretch = Stretch { start: self.cycle, end, window: self.window };
        self.schedule.begin(stretch);
        let (schedule, rings, links) = (&self.schedule, &mut *self.rings, &mut *self.links);
        match pool {
            Some(pool) => {
                let rings: Vec<_> = rings.iter_mut().map(Mutex::new).collect();
                let links: Vec<_> = links.iter_mut().map(Mutex::new).collect();
                pool.broadcast(|worker| schedule.work(stretch, worker.num_threads() as u32, &*rings, &*links));
            }
            None => schedule.work(stretch, 1, rings, links),
        }
        end
    }

    /// Hands over to the rings of flows what was delivered elsewhere. Counts are sums, so the order does not matter,
    /// but among the copies of a packet, of which the first one counts.
    fn account(&mut self) {
        if self.stations.is_some() {
            return self.account_for_stations();
        }
        for index in 0..self.rings.len() {
            let mut deliveries = std::mem::take(&mut self.network_of(index).deliveries);
            deliveries.drain(..).for_each(|delivery| self.deliver(&delivery, None));
            for given_up in std::mem::take(&mut self.network_of(index).given_up) {
                self.give_up(given_up, None);
            }
            // Its memory is used again.
            self.network_of(index).deliveries = deliveries;
            self.hand_over_inversions(index);
        }
    }

    /// Counts what stations have delivered; all rings have been brought to the present cycle.
    fn account_for_stations(&mut self) {
        let mut stations = self.stations.take().expect("the network is one of stations");
        let (mut deliveries, mut given_up) = (Vec::new(), Vec::new());
        for index in 0..self.rings.len() {
            let network = self.network_of(index);
            deliveries.extend(network.deliveries.drain(..).map(|delivery| (index, delivery)));
            given_up.append(&mut network.given_up);
            self.hand_over_inversions(index);
        }
        let flow_of = |network: &Self, number: u32| {
            let context = network.rings[0].ring.hosts().context.as_ref().expect("it is a ring of a network");
            context.flow_place(number)
        };
        // A host that stores a packet for a while has it in a cycle to come, before which the other copy may be there.
        let (now, mut early) = (self.cycle, Vec::new());
        if stations.copies.is_some() {
            deliveries.sort_by_key(|(_, one)| (one.delivered, flow_of(self, one.network_flow), one.message, one.part));
            early = deliveries.split_off(deliveries.partition_point(|(_, one)| one.delivered <= now));
        }
        for (ring, delivery) in deliveries {
            let flow = flow_of(self, delivery.network_flow);
            if stations.copies.as_mut().is_none_or(|copies| copies.deliver(flow, &delivery)) {
                self.deliver(&delivery, self.keeper(delivery.network_flow));
            } else {
                self.drop_copy(ring, &delivery, flow);
            }
        }
        self.cross(&mut stations);
        for one in given_up {
            let flow = flow_of(self, one.network_flow);
            if stations.copies.as_mut().is_none_or(|copies| copies.give_up(flow, &one)) {
                let keeper = self.keeper(one.network_flow);
                self.give_up(one, keeper);
            }
        }
        early.into_iter().for_each(|(ring, delivery)| self.network_of(ring).deliveries.push(delivery));
        for &Twin { of, at, generates, copies } in &stations.twins {
            if stations.copies.is_some() {
                continue;
            }
            let sent = self.rings[at.0 as usize].ring.hosts_mut().counters[at.1 as usize].take_sent();
            let hosts = self.rings[of.0 as usize].ring.hosts_mut();
            let counters = &mut hosts.counters[of.1 as usize];
            if !copies {
                counters.add_sent(&sent, generates);
            } else if !hosts.echoes {
                // The receiver that the flow counts for is on one of the rings.
                counters.first_try_packets += sent.first_try_packets;
            }
        }
        self.stations = Some(stations);
    }

    /// Counts what has been delivered where it acts on both interfaces of its node, and lets act what was delivered
    /// before the present cycle.
    fn cross(&mut self, stations: &mut Stations) {
        let flow_of = |network: &Self, crossing: &Crossing| {
            let context = network.rings[0].ring.hosts().context.as_ref().expect("it is a ring of a network");
            context.flow_place(crossing.received.network_flow)
        };
        let mut come = Vec::new();
        for side in 0..self.rings.len() {
            come.extend(self.network_of(side).crossings.drain(..).map(|crossing| (side as u32, crossing)));
        }
        come.sort_by_key(|(side, one)| {
            let RemoteDelivery { message, part, class, .. } = one.delivery;
            (one.at, flow_of(self, one), message, part, class, *side)
        });
        for (side, crossing) in come {
            let flow = flow_of(self, &crossing);
            if stations.copies.as_mut().is_none_or(|copies| copies.deliver(flow, &crossing.delivery)) {
                self.deliver(&crossing.delivery, self.keeper(crossing.delivery.network_flow));
                stations.pending.push((side, crossing));
            } else {
                self.drop_copy(side as usize, &crossing.delivery, flow);
            }
        }
        let now = self.rings[0].clock.symbols(self.cycle);
        let acting = stations.pending.partition_point(|(_, one)| one.at < now);
        for (side, crossing) in stations.pending.drain(..acting).collect::<Vec<_>>() {
            self.act(stations, side as usize, &crossing, flow_of(self, &crossing));
        }
    }

    /// A packet of a flow of the spec that was delivered on the ring of a side acts on both interfaces of its node, in
    /// the present cycle.
    fn act(&mut self, stations: &Stations, side: usize, crossing: &Crossing, flow: u32) {
        let Crossing { delivery, received, at } = crossing;
        let node = self.network_of(side).nodes[usize::from(delivery.place)];
        let places = [self.nodes[node as usize].1, stations.seconds[node as usize].1];
        for (ring, place) in places.into_iter().enumerate() {
            self.rings[ring].ring.follow_at(place, received, *at, ring == side);
        }
        let parts = stations.parts[flow as usize];
        let owner = self.owners[received.network_flow as usize];
        let is_handed = self.rings[owner.0 as usize].ring.hosts().flows[owner.1 as usize].is_of_responses();
        if received.class == Class::Response && !is_handed {
            // Its ring has counted that it was sent for a flow from elsewhere, or for a copy that does not count.
            let of_request = usize::from(received.network_flow >= self.network_of(0).flows);
            let counted_at = if stations.copies.is_some() { owner.0 as usize } else { side };
            if of_request != counted_at {
                let hosts = self.rings[owner.0 as usize].ring.hosts_mut();
                hosts.counters[owner.1 as usize].sent_packets += 1;
            }
        }
        for (ring, place) in places.into_iter().enumerate() {
            if received.response_symbols > 0 {
                if stations.ways.takes(ring, node, received.source.into(), self.nodes.len() as u32) {
                    self.rings[ring].ring.respond_at(place, received);
                }
            } else if received.class == Class::Response
                && !is_handed
                && let Some(local) = parts[ring]
                // Of a packet that took one ring the flow there names it.
                && (stations.copies.is_some() || self.network_of(ring).local_flow(received.network_flow) == local)
            {
                self.rings[ring].ring.complete_at(place, local, received.message);
            }
        }
    }

    /// A packet of a flow of the spec was delivered on a ring behind its other copy.
    fn drop_copy(&mut self, ring: usize, delivery: &RemoteDelivery, flow: u32) {
        if !O::SEES_SYMBOLS {
            return;
        }
        let &RemoteDelivery { message, part, place, class, .. } = delivery;
        let first = if ring == SECOND { self.nodes.len() as u32 } else { 0 };
        let interface = first + self.network_of(ring).nodes[usize::from(place)];
        self.observer.dropped(interface, CopyView { flow, message, part, response: class == Class::Response });
    }

    /// Second interface of a station, and the flow there that keeps the messages of this flow's packets; `None`: the
    /// flow that counts the packets does. Of a saturated flow each interface draws its own packets, which are messages.
    fn keeper(&self, network_flow: u32) -> Option<(u32, u32)> {
        let local = network_flow.checked_sub(self.network_flow(SECOND as u32) as u32)?;
        let keeps = self.rings[SECOND].ring.hosts().flows[local as usize].first_open().is_some();
        let at = (SECOND as u32, local);
        (keeps && self.owners[network_flow as usize] != at).then_some(at)
    }

    /// Counts at a packet's flow that it has been delivered. `keeper`: the flow that keeps its message, if that is
    /// another one.
    fn deliver(&mut self, delivery: &RemoteDelivery, keeper: Option<(u32, u32)>) {
        let &RemoteDelivery {
            delivered, generated, started, network_flow, message, symbols, has_response, class, ..
        } = delivery;
        let (owner, flow) = self.owners[network_flow as usize];
        let flows = self.rings[owner as usize].ring.hosts_mut();
        let counters = &mut flows.counters[flow as usize];
        counters.deliver(u64::from(symbols), delivered - generated, self.latency_digits);
        let response = class == Class::Response && !flows.flows[flow as usize].is_of_responses();
        if response {
            counters.deliver_response(delivered - generated);
        }
        if has_response {
            flows.deliver_part(flow as usize, message, symbols);
        } else if let Some((ring, kept)) = keeper {
            let complete = self.rings[ring as usize].ring.hosts_mut().end_message(kept as usize, message, delivered);
            let flows = self.rings[owner as usize].ring.hosts_mut();
            flows.count_message(flow as usize, complete, started, self.latency_digits);
        } else {
            let kind = (symbols, response);
            flows.complete_packet(flow as usize, (message, started), kind, delivered, self.latency_digits);
        }
    }

    /// Counts at a packet's flow that it has been given up. `keeper`: the flow that keeps its message, if that is
    /// another one.
    fn give_up(&mut self, given_up: GivenUp, keeper: Option<(u32, u32)>) {
        let GivenUp { network_flow, message, is_lost, .. } = given_up;
        let (owner, flow) = self.owners[network_flow as usize];
        self.rings[owner as usize].ring.hosts_mut().give_up(flow as usize, message, is_lost && keeper.is_none());
        if let Some((ring, kept)) = keeper.filter(|_| is_lost) {
            self.rings[ring as usize].ring.hosts_mut().lose_message(kept as usize, message);
        }
    }

    /// Hands over to the rings of flows how packets were held up on a ring.
    fn hand_over_inversions(&mut self, index: usize) {
        for RemoteInversion { network_flow, at, cycles } in std::mem::take(&mut self.network_of(index).inversions) {
            let (owner, flow) = self.owners[network_flow as usize];
            self.rings[owner as usize].ring.hosts_mut().counters[flow as usize].invert(at, cycles);
        }
    }

    /// A packet is handed in at the interface of its ring, or at both, where packets take both; each knows what has
    /// been delivered at its node. A packet to its own node starts at both, since others may wait for it at both.
    fn hand_in_at_station(&mut self, packet: &Checked<'_>) {
        let &Checked { number, cycle, flow, source, destination, responds, awaited } = packet;
        let nodes = self.nodes.len() as u32;
        let stations = self.stations.as_ref().expect("the network is one of stations");
        let is_local = source == destination;
        for side in [0, SECOND] {
            let at = |node: u32| [self.nodes[node as usize].1, stations.seconds[node as usize].1][side];
            let Member { ring, clock, .. } = &mut self.rings[side];
            ring.expect_at(at(destination), number);
            if responds && !is_local {
                ring.expect_at(at(source), number);
            }
            let takes = is_local || stations.ways.takes(side, source, destination, nodes);
            let Some(flow) = stations.parts[flow as usize][side].filter(|_| takes) else { continue };
            let awaited: SmallVec<[_; 4]> = awaited.iter().map(|&(number, gap)| (number, clock.symbols(gap))).collect();
            let cycle = clock.symbols(cycle);
            ring.hand_in_at(at(source), Handed { cycle, number, flow, destination, own: None }, &awaited);
        }
    }

    /// Shows what the switches have moved.
    fn show_moved(&mut self) {
        if !O::SEES_SYMBOLS {
            return;
        }
        let nodes = self.nodes.len() as u32;
        let Some(network) = self.rings.first().and_then(|member| member.ring.hosts().context.as_deref()) else {
            return;
        };
        for link in &mut self.links {
            link.drain_log(nodes, network, |moved| self.observer.moved(&moved));
        }
    }

    /// Numbers of a ring's interfaces in the network: of nodes their own, behind them those of second interfaces, in
    /// the order of the nodes, and those of ports.
    fn interfaces(&self, ring: usize, member: &Member) -> Box<[u32]> {
        let network = member.ring.hosts().context.as_ref().expect("it is a ring of a network");
        let mut numbers = network.nodes.clone();
        if self.stations.is_some() && ring == SECOND {
            numbers.iter_mut().for_each(|node| *node += self.nodes.len() as u32);
        }
        for &PortPlace { place, link, port } in &member.ports {
            let number = self.links[link as usize].members[usize::from(port)].number;
            numbers[usize::from(place)] = self.nodes.len() as u32 + number;
        }
        numbers
    }

    /// A copy with another observer from here on; `copy` makes that of a ring.
    fn observed_by<Q: Observer>(
        &self,
        observer: Q,
        copy: impl Fn(&dyn Networked, Q) -> Box<dyn Networked>,
    ) -> Network<Q> {
        let &Self {
            ref rings,
            ref links,
            ref nodes,
            ref stations,
            ref flows,
            ref owners,
            window,
            cycle,
            most_cycles,
            stall_cycles,
            latency_digits,
            watched_from,
            ref changes,
            schedule: _,
            pool: _,
            observer: _,
        } = self;
        let observed = |(ring, member): (usize, &Member)| Member {
            ring: copy(&*member.ring, observer.of_ring(&self.interfaces(ring, member), member.clock)),
            ports: member.ports.clone(),
            clock: member.clock,
        };
        let rings: Vec<_> = rings.iter().enumerate().map(observed).collect();
        let mut links = links.clone();
        links.iter_mut().for_each(|link| link.follow(Q::SEES_SYMBOLS));
        Network {
            schedule: Schedule::new(&rings, &links, cycle),
            rings,
            links,
            nodes: nodes.clone(),
            stations: stations.clone(),
            flows: flows.clone(),
            owners: owners.clone(),
            window,
            cycle,
            most_cycles,
            stall_cycles,
            latency_digits,
            watched_from,
            changes: changes.clone(),
            pool: None,
            observer,
        }
    }

    /// Counts of a place of a ring, those of times in cycles of the network.
    fn counters_at(&self, (ring, place): (u32, u16)) -> NodeCounters {
        let Member { ring, clock, .. } = &self.rings[ring as usize];
        ring.counters_at(place).in_cycles(*clock)
    }

    /// Errors at a place of a ring, their times in cycles of the network.
    fn errors_at(&self, (ring, place): (u32, u16)) -> ErrorCounters {
        let Member { ring, clock, .. } = &self.rings[ring as usize];
        ring.errors_at(place).in_cycles(*clock)
    }

    /// Ring and place of the second interface of each node; none if nodes have one.
    fn seconds(&self) -> impl Iterator<Item = (u32, u16)> + '_ {
        self.stations.iter().flat_map(|stations| stations.seconds.iter().copied())
    }

    /// Ring of a flow's part at the second interface of its station, and its number there; `None`: it has no such part.
    fn other_part(&self, flow: usize) -> Option<(u32, u32)> {
        let [_, second] = *self.stations.as_ref()?.parts.get(flow)?;
        second.map(|part| (SECOND as u32, part)).filter(|&at| at != self.flows[flow])
    }

    /// Number in the network of a ring's first flow.
    fn network_flow(&self, ring: u32) -> usize {
        let network = self.rings[ring as usize].ring.hosts().context.as_ref();
        network.expect("it is a ring of a network").first_flow as usize
    }

    fn network_of(&mut self, ring: usize) -> &mut RingContext {
        self.rings[ring].ring.hosts_mut().context.as_mut().expect("it is a ring of a network")
    }

    fn settle(&mut self) {
        for Member { ring, ports, clock } in &mut self.rings {
            // A ring may have gone further than the free buffers of its ports were decided.
            for &PortPlace { link, port, .. } in ports.iter() {
                self.links[link as usize].hand_over(port, &mut **ring, clock.symbols(self.cycle));
            }
            ring.settle();
        }
        self.account();
        self.show_moved();
    }

    /// The latest cycle in which a host has accepted or served anything.
    fn progress(&self) -> u64 {
        self.rings
            .iter()
            .map(|member| member.clock.cycles(member.ring.progress()))
            .max()
            .unwrap_or(0)
            .max(self.watched_from)
    }

    /// Cycle in which the oldest packet was generated of all on the rings, at their nodes and in the switches.
    fn oldest(&self) -> Option<u64> {
        let on_ring = |member: &Member| {
            let queued = member.queues().filter_map(TransmitQueue::oldest_waiting).min();
            let queued = queued.map(|symbol| member.clock.cycles(symbol));
            [queued, member.ring.hosts().packets.oldest()].into_iter().flatten().min()
        };
        let on_rings = self.rings.iter().filter_map(on_ring).min();
        let switched = self.links.iter().filter_map(BLink::oldest).min();
        [on_rings, switched].into_iter().flatten().min()
    }

    fn stall(&self, since_cycle: u64) -> Option<Stall> {
        let delays_retry = |on: &Member| on.queues().any(|queue| queue.has_delayed_retry(on.clock.symbols(self.cycle)));
        let held = self.packets_held();
        let queued: usize = self.links.iter().map(BLink::queued).sum();
        let waits =
            held > 0 || queued > 0 || self.rings.iter().any(|member| member.queues().any(TransmitQueue::has_waiting));
        let awaits = |on: &Member| on.ring.hosts().transactions.as_ref().is_some_and(|held| held.is_waiting());
        // What has a retry delay or a response time-out before it goes on by itself.
        if !waits || self.rings.iter().any(|ring| delays_retry(ring) || awaits(ring)) {
            return None;
        }
        let queue = |&(ring, place): &(u32, u16)| self.rings[ring as usize].ring.transmit(place);
        let waiting_nodes =
            (0u32..).zip(&self.nodes).filter(|(_, at)| queue(at).has_waiting()).map(|(id, _)| id).collect();
        let blocked = self.links.iter().flat_map(|link| {
            link.blocked().map(|(port, class, exit)| BlockedPort {
                switch: link.switch,
                port: port as u16,
                exit,
                is_response: class == Class::Response,
            })
        });
        let detail = format!("{held} packets on the rings or at interfaces, {queued} in switches");
        Some(Stall { since_cycle, waiting_nodes, detail, blocked: blocked.collect() })
    }
}

impl<O: Observer + 'static> Simulate for Network<O> {
    fn advance_to(&mut self, end: u64) -> Option<Stall> {
        let end = end.min(self.most_cycles);
        let mut stall = None;
        while self.cycle < end && stall.is_none() {
            // The stall watch counts deliveries: in a deadlock refused packets keep the rings busy.
            let watch = self.progress().saturating_add(self.stall_cycles).max(self.cycle + 1);
            let step = end.min(watch);
            self.go_to(step);
            if step == watch {
                self.settle();
                // Nobody waits behind the last service for what was not there yet.
                let since = self.oldest().unwrap_or(0).max(self.progress());
                self.watched_from = since;
                if since.saturating_add(self.stall_cycles) <= step {
                    stall = self.stall(since);
                    self.watched_from = step;
                    if stall.is_none() {
                        // Until something arrives no watch would find a stall: they need not be kept one by one.
                        let quiet = self.quiet_until().min(end).saturating_sub(step);
                        self.watched_from += quiet / self.stall_cycles * self.stall_cycles;
                    }
                }
            }
        }
        self.settle();
        stall
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn quiet_until(&self) -> u64 {
        let crosses = self.stations.as_ref().is_some_and(|stations| !stations.pending.is_empty());
        if crosses || self.links.iter().any(|link| link.queued() > 0 || link.moved() > 0) {
            return self.cycle;
        }
        self.rings.iter().map(|member| member.clock.cycles(member.ring.quiet_until())).min().unwrap_or(self.cycle)
    }

    fn use_threads(&mut self, threads: usize) {
        // A ring is one thread's at a time: more threads than rings would have nothing to do.
        let threads = threads.min(self.rings.len());
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        // Without threads to be had the result is the same, only later.
        let pool = if threads > 1 { build().ok() } else { None };
        self.pool = pool.map(|pool| Threads { pool, pace: Pace::default() });
    }

    fn bytes(&self) -> usize {
        let rings: usize = self.rings.iter().map(|member| member.ring.bytes() + size_of_val(&*member.ports)).sum();
        size_of::<Self>()
            + rings
            + self.rings.capacity() * size_of::<Member>()
            + self.links.capacity() * size_of::<BLink>()
            + self.links.iter().map(BLink::heap_bytes).sum::<usize>()
            + self.nodes.capacity() * size_of::<(u32, u16)>()
            + self.stations.as_ref().map_or(0, Stations::heap_bytes)
            + (self.flows.capacity() + self.owners.capacity()) * size_of::<(u32, u32)>()
    }
}

impl<O: Observer + 'static> Supply for Network<O> {
    fn hand_in(&mut self, packet: &Checked<'_>) {
        if self.stations.is_some() {
            return self.hand_in_at_station(packet);
        }
        let &Checked { number, cycle, flow, source, destination, responds, awaited } = packet;
        let (ring, place) = self.nodes[destination as usize];
        self.rings[ring as usize].ring.expect_at(place, number);
        let (ring, place) = self.nodes[source as usize];
        let Member { ring, clock, .. } = &mut self.rings[ring as usize];
        let awaited: SmallVec<[_; 4]> = awaited.iter().map(|&(number, gap)| (number, clock.symbols(gap))).collect();
        if responds && source != destination {
            ring.expect_at(place, number);
        }
        let flow = self.flows[flow as usize].1;
        let cycle = clock.symbols(cycle);
        ring.hand_in_at(place, Handed { cycle, number, flow, destination, own: None }, &awaited);
    }

    fn inject(&mut self, node: u32, packet: Handed) {
        if let Some(stations) = &self.stations {
            let nodes = self.nodes.len() as u32;
            let places = [self.nodes[node as usize].1, stations.seconds[node as usize].1];
            let parts = stations.parts[packet.flow as usize];
            for (side, (place, part)) in places.into_iter().zip(parts).enumerate() {
                if let Some(flow) = part
                    && stations.ways.takes(side, node, packet.destination, nodes)
                {
                    let Member { ring, clock, .. } = &mut self.rings[side];
                    ring.hand_in_at(place, Handed { flow, cycle: clock.symbols(packet.cycle), ..packet }, &[]);
                }
            }
            return;
        }
        let (ring, place) = self.nodes[node as usize];
        let flow = self.flows[packet.flow as usize].1;
        let Member { ring, clock, .. } = &mut self.rings[ring as usize];
        ring.hand_in_at(place, Handed { flow, cycle: clock.symbols(packet.cycle), ..packet }, &[]);
    }

    fn set_group(&mut self, node: u32, group: u8) {
        let second = self.seconds().nth(node as usize);
        for (ring, place) in second.into_iter().chain([self.nodes[node as usize]]) {
            self.rings[ring as usize].ring.set_group_at(place, group);
        }
    }

    fn has_way(&self, from: u32, to: u32) -> bool {
        let (mut ring, mut place) = self.nodes[from as usize];
        // It ends: the checks of a spec refuse routes with loops.
        loop {
            let Member { ring: on, ports, .. } = &self.rings[ring as usize];
            let routes = on.hosts().context.as_ref().expect("it is a ring of a network").routes_of(place);
            if routes.is_here(to as u16) {
                return true;
            }
            let Some(step) = routes.next(to as u16) else { return false };
            let port = ports.iter().find(|port| port.place == step.place).expect("routes name ports of their ring");
            let exit = &self.links[port.link as usize].members[usize::from(step.exit)];
            (ring, place) = (exit.ring, exit.place);
        }
    }

    fn replayed(&self) -> Replayed {
        let all = self.rings.iter().fold(Replayed::default(), |sum, member| sum.with(member.ring.replayed()));
        let Some(stations) = &self.stations else { return all };
        // What stays at its node starts at both of its interfaces, and so does what takes both rings.
        let first = self.rings[0].ring.replayed();
        if stations.copies.is_some() {
            return Replayed {
                started: first.started,
                local: first.local,
                waiting: first.waiting,
                due: first.due,
                ..all
            };
        }
        let hosts = self.rings[SECOND].ring.hosts();
        let stays = |packet: &Handed| hosts.flows[packet.flow as usize].node() == packet.destination;
        let (waiting, due) = hosts.replay.as_ref().map_or((0, 0), |replay| replay.staying(stays));
        Replayed {
            started: all.started - (all.local - first.local),
            local: first.local,
            waiting: all.waiting - waiting,
            due: all.due - due,
            ..all
        }
    }
}

impl<O: Observer + 'static> Deliver for Network<O> {
    fn keep_deliveries(&mut self, keep: bool) {
        self.rings.iter_mut().for_each(|member| member.ring.hosts_mut().keep_deliveries(keep));
    }

    fn take_deliveries(&mut self, end: u64, taken: &mut Vec<Delivered>) {
        self.rings.iter_mut().for_each(|member| member.ring.hosts_mut().take_delivered(end, taken));
    }

    fn take_events(&mut self, end: u64, taken: &mut Vec<PacketEvent>) {
        self.rings.iter_mut().for_each(|member| member.ring.hosts_mut().take_events(end, taken));
    }
}

/// Says to B-Links when routes change next.
fn expect_change(links: &mut [BLink], changes: &VecDeque<(u64, Vec<Exchange>)>) {
    let next = changes.front().map(|&(cycle, _)| cycle);
    links.iter_mut().for_each(|link| link.expect_change(next));
}

/// A window without an end, where nothing joins the rings.
const UNLIMITED: u64 = NEVER;
