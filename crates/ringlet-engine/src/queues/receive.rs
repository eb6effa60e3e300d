//! The input queues: places for requests and for responses, and a server for each (docs/explanation/realtime-model.md,
//! Section 1).

use ringlet_engine_derive::Encode;

use crate::queues::fifo::Fifo;
use crate::queues::offers::Offers;
use crate::results::{PacketView, Population};
use crate::spec::ReceiveQueueSpec;
use crate::values::{Class, Encode, Encoder, NEVER, Phase, Release, Reservations};

/// A packet that has been accepted.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Received {
    /// Index of the packet in the arena. Valid while its source waits for its echo: until service where echoes are
    /// late.
    #[encode(packet, when = encoder.late_echo)]
    pub(crate) packet: u32,
    pub(crate) flow: u32,
    #[encode(with = encoder.message(self.network_flow, self.message))]
    pub(crate) message: u32,
    /// Cycle in which it is complete.
    #[encode(due)]
    pub(crate) complete: u64,
    #[encode(with = encoder.counted(self.generated))]
    pub(crate) generated: u64,
    #[encode(with = encoder.counted(self.started))]
    pub(crate) started: u64,
    #[encode(when = encoder.has_copies)]
    pub(crate) part: u16,
    pub(crate) symbols: u16,
    /// Length of the response that its service creates, or 0.
    pub(crate) response_symbols: u16,
    /// Node that it comes from; at a port the one that it is for.
    pub(crate) source: u16,
    #[encode(when = encoder.is_network)]
    pub(crate) network_flow: u32,
    pub(crate) priority: u8,
    pub(crate) attempt: u8,
    /// Is it the last packet of its message, or the answer to that one?
    #[encode(skip)]
    pub(crate) is_last: bool,
    #[encode(skip)]
    pub(crate) class: Class,
}

impl Received {
    /// The packet at its destination, as an observer sees it.
    pub(crate) fn view(&self, destination: u16) -> PacketView {
        PacketView {
            flow: self.flow,
            message: self.message,
            part: self.part,
            response: self.class == Class::Response,
            source: self.source.into(),
            destination: destination.into(),
            symbols: self.symbols.into(),
            priority: self.priority,
            group: 0,
            generated: self.generated,
        }
    }
}

/// The start or the end of a service.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Service {
    /// The service of this packet started in this cycle.
    Started(Received, u64),
    /// The service of this packet ended in this cycle.
    Ended(Received, u64),
}

impl Service {
    /// Cycle of it.
    pub(crate) fn cycle(&self) -> u64 {
        match *self {
            Self::Started(_, cycle) | Self::Ended(_, cycle) => cycle,
        }
    }
}

/// The moments of a node's servers that it must handle in their cycles, because they can change what it sends. Of the
/// others it need not be visited: they are computed before anything reads what they change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Watched {
    /// No moment: services are computed when their counts are read.
    Nothing,
    /// The ends of the services of requests, which create responses.
    Requests,
    /// The ends of all services.
    Ends,
    /// The starts and the ends of all services.
    All,
}

/// The state of the server of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, serde::Serialize, serde::Deserialize)]
enum ServerState {
    Idle,
    /// The packet to be served next waits for a response place.
    Blocked,
    /// Serves the first packet.
    Busy,
}

/// One class's input queue.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
struct InputQueue {
    /// Accepted packets: the one in service, then the others in the order in which they are complete.
    #[encode(held = "a packet in an input queue")]
    packets: Fifo<Received>,
    server: ServerState,
    /// Cycle in which the service ends, or since which the server is idle, or up to which a blocked one has been tried
    /// with all that is complete.
    #[encode(due)]
    at: u64,
    reservations: Reservations,
}

impl InputQueue {
    fn new() -> Self {
        let reservations = Reservations::default();
        Self { packets: Fifo::default(), server: ServerState::Idle, at: 0, reservations }
    }

    fn is_busy(&self) -> bool {
        self.server == ServerState::Busy
    }

    /// Cycle in which the server has something to do.
    #[inline]
    fn next(&self) -> u64 {
        if self.is_busy() {
            return self.at;
        }
        match self.packets.first() {
            None => NEVER,
            Some(first) if self.server == ServerState::Idle => first.complete.max(self.at),
            // Something better may be complete later, but what needs a response would find no place either.
            Some(_) => {
                let later = self.packets.iter().rev().take_while(|packet| packet.complete > self.at);
                later.filter(|packet| packet.response_symbols == 0).last().map_or(NEVER, |packet| packet.complete)
            }
        }
    }

    /// Cycle in which the next service ends, where the server has something to do in cycle `next`: what is served may
    /// be another packet than the first, but begins when that is complete.
    #[inline]
    fn end_after(&self, next: u64, service_cycles: u64) -> u64 {
        if self.is_busy() { next } else { next.saturating_add(service_cycles) }
    }

    /// Place of what an idle server serves first of that which is complete by `now`: the highest priority, then the
    /// first complete.
    #[inline]
    fn choose(&self, now: u64) -> usize {
        let mut best = 0;
        for place in 1..self.packets.len() {
            let packet = &self.packets[place];
            if packet.complete > now {
                break;
            }
            if packet.priority > self.packets[best].priority {
                best = place;
            }
        }
        best
    }

    /// Cycle in which the packet behind those offered may be offered, at a port.
    fn next_offer(&self, offers: &Offers, class: Class) -> u64 {
        let since = offers.open_since(class);
        let waiting = self.packets.iter().nth(offers.count(class));
        match (since, waiting) {
            (Some(since), Some(first)) => offers.ready(first).max(since),
            _ => NEVER,
        }
    }

    /// The best of what waits and may be offered in cycle `at` comes behind those offered before.
    fn offer(&mut self, offers: &mut Offers, class: Class, at: u64) -> Received {
        let first = offers.count(class);
        let mut best = first;
        for (place, packet) in self.packets.iter().enumerate().skip(first + 1) {
            if offers.ready(packet) > at {
                break;
            }
            if packet.priority > self.packets[best].priority {
                best = place;
            }
        }
        let chosen = self.packets.take(best).expect("the place was just found");
        self.packets.insert(first, chosen);
        offers.offer(class);
        chosen
    }

    /// The server does what is due in cycle `at`, if it can. If it starts a service that ends by cycle `whole_by`, it
    /// ends it, too.
    #[inline]
    fn serve(&mut self, at: u64, service_cycles: u64, place: bool, whole_by: u64) -> Option<Service> {
        if !self.is_busy() {
            let chosen = self.choose(at);
            if self.packets[chosen].response_symbols > 0 && !place {
                (self.server, self.at) = (ServerState::Blocked, at);
                return None;
            }
            if chosen > 0 {
                let received = self.packets.take(chosen).expect("the place was just found");
                // What is in service is first: preemption and inheritance tell it by that from what waits.
                self.packets.push_first(received);
            }
            (self.server, self.at) = (ServerState::Busy, at + service_cycles);
            if self.at > whole_by {
                return Some(Service::Started(self.packets[0], at));
            }
        }
        let end = self.at;
        self.server = ServerState::Idle;
        self.packets.take_first().map(|received| Service::Ended(received, end))
    }
}

/// The server of a receive queue.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Server {
    Host(ReceiveQueueSpec),
    /// A port's switch.
    Switch(Box<Offers>),
}

/// One node's input queues.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct ReceiveQueue {
    #[encode(with = self.encode_offers(encoder))]
    server: Server,
    requests: InputQueue,
    /// Made with the first response; encoded as if it were there.
    #[encode(with = self.responses.as_deref().unwrap_or(&InputQueue::new()).encode(encoder))]
    responses: Option<Box<InputQueue>>,
    /// Cycle in which a server has something to do.
    #[encode(due)]
    pub(crate) next_event: u64,
    /// Cycle in which the node must have handled that, because it does something that is watched.
    #[encode(skip)]
    pub(crate) next_watched: u64,
    #[encode(skip)]
    watched: Watched,
    /// Services that are watched in any case.
    #[encode(skip)]
    least_watched: Watched,
    /// May a response be created? Of several that are free only the last one is looked for.
    #[encode(skip)]
    has_response_place: bool,
    #[encode(skip)]
    pub(crate) population: Population,
}

impl ReceiveQueue {
    /// Builds the receive queue of a host.
    pub(crate) fn new(spec: ReceiveQueueSpec) -> Self {
        Self::served_by(Server::Host(spec))
    }

    /// Builds the receive queue of a port.
    pub(crate) fn of_port(offers: Offers) -> Self {
        Self::served_by(Server::Switch(Box::new(offers)))
    }

    fn served_by(server: Server) -> Self {
        let population = Population::default();
        Self {
            server,
            requests: InputQueue::new(),
            responses: None,
            next_event: NEVER,
            next_watched: NEVER,
            watched: Watched::All,
            least_watched: Watched::Nothing,
            has_response_place: false,
            population,
        }
    }

    /// Lets a port offer no packet to its switch before all of it is there.
    pub(crate) fn offer_complete(&mut self) {
        if let Server::Switch(offers) = &mut self.server {
            offers.cuts_through = false;
        }
    }

    /// Handles at least so much in its cycle, whatever the protocol watches.
    pub(crate) fn watch_at_least(&mut self, least: Watched) {
        self.least_watched = least;
    }

    /// Handles so much in its cycle from now on.
    pub(crate) fn watch(&mut self, watched: Watched) {
        self.watched = watched.max(self.least_watched);
        self.update_next_event();
    }

    /// The packets that a port has offered to its switch.
    #[inline]
    pub(crate) fn offers(&self) -> Option<&Offers> {
        match &self.server {
            Server::Host(_) => None,
            Server::Switch(offers) => Some(offers),
        }
    }

    fn encode_offers(&self, encoder: &mut Encoder<'_>) {
        self.offers().into_iter().for_each(|offers| offers.encode(encoder));
    }

    /// Cycles in which a host serves a packet.
    #[inline]
    pub(crate) fn service_cycles(&self) -> u64 {
        match &self.server {
            Server::Host(spec) => spec.service_cycles,
            Server::Switch(_) => 0,
        }
    }

    /// Packets of a class that are in service, the first of their queue: those that a port has offered to its switch.
    fn in_service(&self, class: Class) -> usize {
        match self.offers() {
            Some(offers) => offers.count(class),
            None => self.queue(class).map_or(0, |queue| usize::from(queue.is_busy())),
        }
    }

    /// The switch has moved packets out of a port.
    pub(crate) fn release(&mut self, releases: impl Iterator<Item = Release>) {
        let Server::Switch(offers) = &mut self.server else { unreachable!("only a port has a switch") };
        offers.releases.extend(releases);
        self.update_next_event();
    }

    /// The next thing that happens to the queue of a port by cycle `now`: a packet has been moved, or is offered.
    fn serve_port(&mut self, now: u64) -> Option<Service> {
        let at = self.next_event;
        if at > now {
            return None;
        }
        let Self { server: Server::Switch(offers), requests, responses, .. } = self else {
            unreachable!("only a port has a switch")
        };
        let mut queues = [Some(requests), responses.as_deref_mut()];
        // What is moved makes room for an offer in the same cycle, so that releases come first.
        let service = if offers.releases.front().is_some_and(|release| release.cycle <= at) {
            let release = offers.releases.pop_front().expect("it was just there");
            let place = offers.release(&release);
            let queue = queues[release.class as usize].as_mut().expect("the packet is in it");
            let moved = queue.packets.take(place).expect("it has been offered");
            self.population.leave(release.cycle);
            Service::Ended(moved, release.cycle)
        } else {
            let mut of_class =
                Class::ALL.into_iter().zip(&mut queues).filter_map(|(class, queue)| Some((class, queue.as_mut()?)));
            let due = of_class.find(|(class, queue)| queue.next_offer(offers, *class) <= at);
            let (class, queue) = due.expect("something happens in this cycle");
            Service::Started(queue.offer(offers, class, at), at)
        };
        self.update_next_event();
        Some(service)
    }

    fn queue(&self, class: Class) -> Option<&InputQueue> {
        match class {
            Class::Request => Some(&self.requests),
            Class::Response => self.responses.as_deref(),
        }
    }

    #[inline]
    fn queue_mut(&mut self, class: Class) -> &mut InputQueue {
        match class {
            Class::Request => &mut self.requests,
            Class::Response => self.responses.get_or_insert_with(|| Box::new(InputQueue::new())),
        }
    }

    fn update_next_event(&mut self) {
        if let Some(offers) = self.offers() {
            let next = |class| self.queue(class).map_or(NEVER, |queue| queue.next_offer(offers, class));
            let moved = offers.releases.front().map_or(NEVER, |release| release.cycle);
            self.next_event = next(Class::Request).min(next(Class::Response)).min(moved);
            self.next_watched = self.next_event;
            return;
        }
        let requests = self.requests.next();
        let responses = self.responses.as_ref().map_or(NEVER, |queue| queue.next());
        self.next_event = requests.min(responses);
        if self.foresees() {
            let service_cycles = self.service_cycles();
            let ended = self.requests.end_after(requests, service_cycles);
            self.next_watched = match &self.responses {
                Some(queue) if self.watched == Watched::Ends => ended.min(queue.end_after(responses, service_cycles)),
                _ => ended,
            };
        } else if self.watched != Watched::Nothing {
            self.next_watched = self.next_event;
        }
    }

    /// Are the ends of services foreseen before these start? A response place that is free now is still free then: no
    /// other service takes it.
    #[inline]
    fn foresees(&self) -> bool {
        matches!(self.watched, Watched::Requests | Watched::Ends) && self.has_response_place
    }

    /// The next thing that a server does by cycle `now`, in order of time, but that the start of a service whose end is
    /// due is not reported unless all is watched. `place`: a response may be created.
    // Inlined, so that what no caller reads of a service is not copied.
    #[inline(always)]
    pub(crate) fn serve(&mut self, now: u64, place: bool) -> Option<Service> {
        let Server::Host(ReceiveQueueSpec { service_cycles, .. }) = self.server else { return self.serve_port(now) };
        self.has_response_place = place;
        let whole_by = if self.watched == Watched::All { 0 } else { now };
        while self.next_event <= now {
            let at = self.next_event;
            let class = if self.requests.next() <= at { Class::Request } else { Class::Response };
            let service = self.queue_mut(class).serve(at, service_cycles, place, whole_by);
            if let Some(Service::Ended(_, end)) = service {
                self.population.leave(end);
            }
            self.update_next_event();
            if service.is_some() {
                return service;
            }
        }
        None
    }

    /// Notes that the response of the service that ended last has got the last response place.
    pub(crate) fn note_no_response_place(&mut self) {
        self.has_response_place = false;
        self.next_watched = self.next_event;
    }

    /// Frees a response place from cycle `now` on.
    pub(crate) fn unblock(&mut self, now: u64) {
        if self.requests.server == ServerState::Blocked {
            (self.requests.server, self.requests.at) = (ServerState::Idle, now);
        }
        self.update_next_event();
    }

    /// All packets: being received, waiting or in service.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Received> {
        Class::ALL.into_iter().filter_map(|class| self.queue(class)).flat_map(|queue| queue.packets.iter())
    }

    /// Packets of a class: being received, waiting or in service.
    pub(crate) fn len(&self, class: Class) -> usize {
        self.queue(class).map_or(0, |queue| queue.packets.len())
    }

    /// Is there a place? Services must have been brought up to now.
    #[inline]
    pub(crate) fn has_place(&self, class: Class) -> bool {
        match &self.server {
            Server::Host(spec) => spec.capacity.is_none_or(|capacity| self.len(class) < capacity as usize),
            Server::Switch(_) => self.room(class) > 0,
        }
    }

    /// Places of a class that are free.
    pub(crate) fn room(&self, class: Class) -> u32 {
        match &self.server {
            Server::Host(spec) => {
                spec.capacity.map_or(u32::MAX, |capacity| capacity.saturating_sub(self.len(class) as u32))
            }
            Server::Switch(offers) => {
                let pool = offers.buffers.index(class);
                let of_pool = Class::ALL.into_iter().filter(|&class| offers.buffers.index(class) == pool);
                offers.buffers.size(class).saturating_sub(of_pool.map(|class| self.len(class) as u32).sum())
            }
        }
    }

    /// Applies the reservations of refused packets to a packet of this phase: `None` lets it in.
    pub(crate) fn reserve(&mut self, class: Class, phase: Phase, has_place: bool) -> Option<Phase> {
        self.queue_mut(class).reservations.arrive(phase, has_place)
    }

    /// Accepts a packet whose first symbol arrives in cycle `head`.
    #[inline(always)]
    pub(crate) fn accept(&mut self, head: u64, packet: Received) {
        self.population.enter(head);
        let queue = self.queue_mut(packet.class);
        queue.packets.push(packet);
        // Only what is complete first moves the server's next moment.
        let next = queue.next();
        let Server::Host(ReceiveQueueSpec { service_cycles, .. }) = self.server else {
            return self.update_next_event();
        };
        self.next_event = self.next_event.min(next);
        if !self.foresees() {
            if self.watched != Watched::Nothing {
                self.next_watched = self.next_watched.min(next);
            }
        } else if packet.class == Class::Request || self.watched == Watched::Ends {
            let ended = self.queue_mut(packet.class).end_after(next, service_cycles);
            self.next_watched = self.next_watched.min(ended);
        }
    }

    /// Takes out a packet that is complete by `now`, waits, and has a priority below `priority`: the lowest, then the
    /// one complete last.
    pub(crate) fn preempt(&mut self, class: Class, priority: u8, now: u64) -> Option<Received> {
        let in_service = self.in_service(class);
        let queue = self.queue_mut(class);
        let waiting = queue.packets.iter().enumerate().skip(in_service);
        let lower = waiting.filter(|(_, packet)| packet.complete <= now && packet.priority < priority);
        // Backwards: of equal ones `min_by_key` takes the first that it sees, here
        // the one complete last (realtime-model.md, 6).
        let (place, _) = lower.rev().min_by_key(|(_, packet)| packet.priority)?;
        let preempted = queue.packets.take(place);
        self.population.leave(now);
        self.update_next_event();
        preempted
    }

    /// The lowest priority of a class that holds a place.
    pub(crate) fn lowest(&self, class: Class) -> Option<u8> {
        self.queue(class)?.packets.iter().map(|packet| packet.priority).min()
    }

    /// Raises the priority of whatever `which` names in a class's queue in cycle `now`; it is called, too, with whether
    /// the packet is in service.
    pub(crate) fn raise(&mut self, class: Class, priority: u8, now: u64, which: impl Fn(&Received, bool) -> bool) {
        let in_service = self.in_service(class);
        let queue = self.queue_mut(class);
        for (place, packet) in queue.packets.iter_mut().enumerate() {
            if which(packet, place < in_service) {
                packet.priority = packet.priority.max(priority);
            }
        }
        if class == Class::Request {
            // Another packet may be first now, which needs no response.
            self.unblock(now + 1);
        }
    }

    /// Says what is wrong with queues that were read from a file, if anything is: a server that has something to do
    /// earlier, or later, than its queue says would never end with it. Those of a simulation that was just `built` are
    /// right.
    pub(crate) fn check(&self, built: &Self) -> Result<(), String> {
        let queues = Class::ALL.into_iter().filter_map(|class| self.queue(class));
        if queues.into_iter().any(|queue| queue.server != ServerState::Idle && queue.packets.is_empty()) {
            return Err("serves a packet that is not there".into());
        }
        if Class::ALL.into_iter().any(|class| self.in_service(class) > self.len(class)) {
            return Err("offers more packets than it holds".into());
        }
        let is_watched = |queue: &Self| queue.watched != Watched::Nothing;
        let mut computed = self.clone();
        computed.update_next_event();
        if is_watched(self) != is_watched(built)
            || self.next_event != computed.next_event
            || self.next_watched < self.next_event
            || (!is_watched(self) && self.offers().is_none() && self.next_watched != NEVER)
        {
            return Err("serves at another time than its queue says".into());
        }
        Ok(())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let held = |queue: &InputQueue| queue.packets.heap_bytes();
        let responses = self.responses.as_ref().map_or(0, |queue| size_of::<InputQueue>() + held(queue));
        let offers = self.offers().map_or(0, |offers| size_of::<Offers>() + offers.heap_bytes());
        held(&self.requests) + responses + offers
    }
}

impl Offers {
    /// Cycle from which on a packet may be offered.
    fn ready(&self, packet: &Received) -> u64 {
        packet.complete - if self.cuts_through { u64::from(packet.symbols) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node would look for ever at a queue from a file that is due before any of its servers is.
    #[test]
    fn what_no_server_does_is_wrong() {
        let built = ReceiveQueue::new(ReceiveQueueSpec { capacity: None, service_cycles: 3 });
        assert_eq!(built.check(&built), Ok(()));
        let is_wrong = |queue: ReceiveQueue| queue.check(&built).is_err();
        assert!(is_wrong(ReceiveQueue { next_event: 5, ..built.clone() }));
        assert!(is_wrong(ReceiveQueue { next_event: 5, next_watched: 4, ..built.clone() }));
        assert!(is_wrong(ReceiveQueue { watched: Watched::Nothing, ..built.clone() }));
        let requests = InputQueue { server: ServerState::Busy, at: 5, ..InputQueue::new() };
        assert!(is_wrong(ReceiveQueue { requests, next_event: 5, next_watched: 5, ..built.clone() }));
    }
}
