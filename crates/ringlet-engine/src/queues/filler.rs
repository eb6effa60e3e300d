//! The bus that fills the slots of a host, and the masters on it (docs/explanation/network-model.md, "Hosts").

use crate::queues::fifo::Fifo;
use crate::queues::levels::Waiting;
use crate::results::{Filling, PacketView};
use crate::spec::{FillGroupsSpec, HostSpec};
use crate::values::{Encode, Encoder, UNDRAWN};

/// The bus that fills a host's slots.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Filler {
    /// Requests that wait for a slot.
    waiting: Fifo<Waiting>,
    free: u32,
    /// Picoseconds at which the host's bus is free.
    bus_free_ps: u64,
    serial_ps: u64,
    latency_ps: u64,
    symbol_ps: u64,
    groups: Option<FillGroupsSpec>,
    /// Packets filled of the group at hand.
    filled: u32,
    /// Bus masters among which the slots are split, if they are.
    masters: Option<Box<Masters>>,
    /// Log of what waits for slots and is filled, for an observer only and hence kept outside.
    #[serde(skip)]
    log: Option<Box<Log>>,
}

/// Events that an observer has not read yet.
#[derive(Debug, Clone, Default)]
struct Log {
    /// Cycle and requests that begin to wait for a slot, less those that wait no more.
    waiting: Vec<(u64, i64)>,
    fillings: Vec<Filling>,
    /// Time in which the bus was requested, and given, last.
    granted_ps: (u64, u64),
}

/// Masters on the bus. Each has a request in hand, and its slot until it is accepted.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Masters {
    set_up_ps: u64,
    /// Lines of the flows that generate their requests themselves: what is handed in has a master of its own.
    lines: Vec<Line>,
    /// Bus requests of what is being set up, in their order.
    bus_requests: Fifo<BusRequest>,
}

/// The requests of a flow, which are served one after the other.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Line {
    flow: u32,
    /// Does a master have one in hand, or does one wait for a slot?
    is_served: bool,
    /// The others.
    behind: Fifo<Waiting>,
}

/// A packet that has a slot, and for which its master requests the bus when it is set up.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct BusRequest {
    at_ps: u64,
    packet: u32,
}

/// The times of a slot that the bus fills.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filled {
    /// Cycle in which it may be sent.
    pub(crate) ready: u64,
    /// Cycle from which on the bus is free.
    pub(crate) free_at: u64,
}

impl Filler {
    pub(crate) fn new(spec: &HostSpec, slots: u32, symbol_ps: u64) -> Self {
        Self {
            waiting: Fifo::default(),
            free: slots,
            bus_free_ps: 0,
            serial_ps: spec.fill_serial_ps,
            latency_ps: spec.fill_ps,
            symbol_ps,
            groups: spec.groups,
            filled: 0,
            masters: spec.split.map(|split| {
                Box::new(Masters { set_up_ps: split.set_up_ps, lines: Vec::new(), bus_requests: Fifo::default() })
            }),
            log: None,
        }
    }

    /// Does anything wait for a slot, or for the bus?
    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty() || self.masters.as_ref().is_some_and(|masters| masters.has_waiting())
    }

    /// Is a slot that is free filled in that very cycle, by what waits for one or comes in it?
    #[inline]
    pub(crate) fn fills_at_once(&self) -> bool {
        self.serial_ps == 0 && self.latency_ps == 0
    }

    /// Cycle in which the oldest request was generated that waits for a slot. Those behind others of their flow are
    /// younger than these.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.waiting.iter().map(|waiting| waiting.generated).min()
    }

    /// Requests of a flow that still find room: a free slot, or one of `capacity` places to wait for one.
    #[inline]
    pub(crate) fn room(&self, flow: u32, capacity: u64) -> u64 {
        let (free, behind) = if self.masters.is_some() { self.room_in_line(flow) } else { (self.free, 0) };
        capacity.saturating_add(u64::from(free)).saturating_sub((self.waiting.len() + behind) as u64)
    }

    /// A request waits for a slot; `has_own`: for a master that has no other.
    #[inline]
    pub(crate) fn wait(&mut self, request: Waiting, has_own: bool) {
        self.note_waiting(request.generated, 1);
        if self.masters.is_some() && !has_own {
            return self.wait_in_line(request);
        }
        self.waiting.push(request);
    }

    /// Takes back, in cycle `now`, the request of a flow that always has one waiting; returns whether one did.
    #[cold]
    pub(crate) fn withdraw(&mut self, flow: u32, now: u64) -> bool {
        let lines = self.masters.iter_mut().flat_map(|masters| &mut masters.lines).map(|line| &mut line.behind);
        let withdrawn = lines.chain([&mut self.waiting]).any(|waiting| {
            let place = waiting.iter().position(|one| (one.flow, one.packet) == (flow, UNDRAWN));
            place.and_then(|place| waiting.take(place)).is_some()
        });
        self.note_waiting(now, -i64::from(withdrawn));
        withdrawn
    }

    /// The request that takes a free slot in cycle `now`, if there are both.
    #[inline]
    pub(crate) fn next(&mut self, now: u64) -> Option<Waiting> {
        if self.free == 0 {
            return None;
        }
        let next = self.waiting.take_first()?;
        self.free -= 1;
        self.note_waiting(now, -1);
        Some(next)
    }

    /// A request of a flow has been accepted: its slot is free.
    #[inline]
    pub(crate) fn free_slot(&mut self, flow: u32) {
        self.free += 1;
        if self.masters.is_some() {
            self.go_on_in_line(flow);
        }
    }

    /// Filling begins in cycle `now` at the earliest; returns the cycle in which the packet is ready.
    #[inline]
    pub(crate) fn fill(&mut self, now: u64) -> u64 {
        self.fill_from(now * self.symbol_ps, 0)
    }

    /// Fills a slot for which the bus is requested at a time and held so much longer.
    #[inline]
    fn fill_from(&mut self, asked_ps: u64, besides_ps: u64) -> u64 {
        let start_ps = self.bus_free_ps.max(asked_ps);
        if let Some(log) = &mut self.log {
            log.granted_ps = (asked_ps, start_ps);
        }
        self.bus_free_ps = start_ps + besides_ps + self.serial_ps;
        (self.bus_free_ps + self.latency_ps).div_ceil(self.symbol_ps)
    }

    /// Begins to fill a request in cycle `now` at the earliest; `first`: it is the first of its message. The time that
    /// its group takes besides comes before it. Returns `None` where a master sets it up first.
    #[inline]
    pub(crate) fn fill_request(&mut self, now: u64, first: bool) -> Option<Filled> {
        if self.masters.is_some() {
            return None;
        }
        let mut besides_ps = 0;
        if let Some(groups) = self.groups {
            if first || self.filled == groups.packets {
                self.filled = 0;
            }
            let set_up = if self.filled == 0 { groups.set_up_ps } else { 0 };
            let crowded = if self.filled >= groups.uncrowded { groups.crowded_ps } else { 0 };
            self.filled += 1;
            besides_ps = set_up + crowded;
        }
        let ready = self.fill_from(now * self.symbol_ps, besides_ps);
        Some(Filled { ready, free_at: self.free_at() })
    }

    /// A master has a request, and its slot, in hand from cycle `now` on. Returns the cycle in which it requests
    /// the bus, and the time.
    pub(crate) fn set_up(&mut self, packet: u32, now: u64) -> (u64, u64) {
        let masters = self.masters.as_mut().expect("without masters the bus is there for it");
        // All take as long, so that they request it in the order in which they begin.
        let at_ps = now * self.symbol_ps + masters.set_up_ps;
        masters.bus_requests.push(BusRequest { at_ps, packet });
        (at_ps.div_ceil(self.symbol_ps), at_ps)
    }

    /// The first of the masters that have requested the bus has it as soon as it is free. Returns its packet.
    pub(crate) fn grant_bus(&mut self) -> (u32, Filled) {
        let first = self.masters.as_mut().and_then(|masters| masters.bus_requests.take_first());
        let BusRequest { at_ps, packet } = first.expect("a master has requested it");
        let ready = self.fill_from(at_ps, 0);
        (packet, Filled { ready, free_at: self.free_at() })
    }

    /// Packets for which masters will request the bus.
    pub(crate) fn bus_requests(&self) -> impl Iterator<Item = u32> {
        self.masters.iter().flat_map(|masters| masters.bus_requests.iter().map(|request| request.packet))
    }

    /// The cycle from which on the host's bus is free.
    #[inline]
    fn free_at(&self) -> u64 {
        self.bus_free_ps.div_ceil(self.symbol_ps)
    }

    /// Time that a master takes to set a request up.
    fn set_up_ps(&self) -> u64 {
        self.masters.as_ref().map_or(0, |masters| masters.set_up_ps)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.waiting.heap_bytes() + self.masters.as_ref().map_or(0, |masters| masters.bytes())
    }
}

// The log for an observer.
impl Filler {
    /// Keeps a log from cycle `now` on, or no more.
    pub(crate) fn follow(&mut self, followed: bool, now: u64) {
        self.log = followed.then(|| {
            let behind = self.masters.as_ref().map_or(0, |masters| masters.behind());
            Box::new(Log { waiting: vec![(now, (self.waiting.len() + behind) as i64)], ..Log::default() })
        });
    }

    #[inline]
    pub(crate) fn is_followed(&self) -> bool {
        self.log.is_some()
    }

    #[inline]
    fn note_waiting(&mut self, at: u64, joins: i64) {
        if let Some(log) = &mut self.log {
            log.waiting.push((at, joins));
        }
    }

    /// Notes what a master has begun to set up, for which it requests the bus at a time.
    #[cold]
    pub(crate) fn note_set_up(&mut self, packet: PacketView, asked_ps: u64) {
        let cycle = asked_ps.saturating_sub(self.set_up_ps()) / self.symbol_ps;
        let filling =
            Filling { cycle, packet, taken: Some(cycle), asked_ps: Some(asked_ps), bus_ps: None, ready: None };
        self.log.iter_mut().for_each(|log| log.fillings.push(filling));
    }

    /// Notes what has just been given the bus.
    #[cold]
    pub(crate) fn note_filled(&mut self, packet: PacketView, ready: u64) {
        let set_up_ps = if packet.response { 0 } else { self.set_up_ps() };
        let (symbol_ps, end_ps) = (self.symbol_ps, self.bus_free_ps);
        self.log.iter_mut().for_each(|log| {
            let (asked_ps, start_ps) = log.granted_ps;
            let (cycle, taken) = (asked_ps.div_ceil(symbol_ps), Some(asked_ps.saturating_sub(set_up_ps) / symbol_ps));
            let (asked_ps, bus_ps) = (Some(asked_ps), Some((start_ps, end_ps)));
            log.fillings.push(Filling { cycle, packet, taken, asked_ps, bus_ps, ready: Some(ready) });
        });
    }

    /// Notes what was given the bus before cycle `cycle`, from which on there is a log.
    pub(crate) fn note_coming(&mut self, packet: PacketView, ready: u64, cycle: u64) {
        let filling = Filling { cycle, packet, taken: None, asked_ps: None, bus_ps: None, ready: Some(ready) };
        self.log.iter_mut().for_each(|log| log.fillings.push(filling));
    }

    /// Notes what was given the bus in cycle 0, before there was a log, in that order: packets, and which are the first
    /// of their messages.
    pub(crate) fn note_first(&mut self, filled: impl Iterator<Item = (PacketView, bool)>) {
        let (waiting, log) = (Fifo::default(), self.log.take());
        let mut again = Self { waiting, bus_free_ps: 0, filled: 0, masters: None, log, ..*self };
        for (packet, first) in filled {
            if let Some(Filled { ready, .. }) = again.fill_request(0, first) {
                again.note_filled(packet, ready);
            }
        }
        self.log = again.log;
    }

    /// Requests of the bus, with their times.
    pub(crate) fn bus_requests_ps(&self) -> impl Iterator<Item = (u32, u64)> {
        let requests = self.masters.iter().flat_map(|masters| masters.bus_requests.iter());
        requests.map(|request| (request.packet, request.at_ps))
    }

    /// Takes what has begun and ceased to wait since the last call.
    pub(crate) fn drain_waiting(&mut self) -> impl Iterator<Item = (u64, i64)> {
        self.log.iter_mut().flat_map(|log| log.waiting.drain(..))
    }

    /// Takes what has been filled since the last call.
    pub(crate) fn drain_fillings(&mut self) -> impl Iterator<Item = Filling> {
        self.log.iter_mut().flat_map(|log| log.fillings.drain(..))
    }
}

// Out of the way of hosts without masters.
impl Filler {
    /// Slots that a request of a flow finds free, and requests that wait behind others of their flows.
    #[inline(never)]
    fn room_in_line(&self, flow: u32) -> (u32, usize) {
        let masters = self.masters.as_ref().expect("a line is one of masters");
        (u32::from(self.free > 0 && !masters.serves(flow)), masters.behind())
    }

    #[inline(never)]
    fn wait_in_line(&mut self, request: Waiting) {
        let first = self.masters.as_mut().and_then(|masters| masters.admit(request));
        first.into_iter().for_each(|first| self.waiting.push(first));
    }

    /// The next request of a flow waits for a slot.
    #[inline(never)]
    fn go_on_in_line(&mut self, flow: u32) {
        let next = self.masters.as_mut().and_then(|masters| masters.finish(flow));
        next.into_iter().for_each(|next| self.waiting.push(next));
    }
}

impl Masters {
    fn has_waiting(&self) -> bool {
        !self.bus_requests.is_empty() || self.behind() > 0
    }

    /// Requests that wait behind another one of their flow.
    fn behind(&self) -> usize {
        self.lines.iter().map(|line| line.behind.len()).sum()
    }

    /// Does a flow have a request that is served?
    fn serves(&self, flow: u32) -> bool {
        self.lines.iter().any(|line| line.flow == flow && line.is_served)
    }

    /// A request comes; returns it if none of its flow is before it.
    fn admit(&mut self, request: Waiting) -> Option<Waiting> {
        let place = self.lines.iter().position(|line| line.flow == request.flow).unwrap_or_else(|| {
            self.lines.push(Line { flow: request.flow, is_served: false, behind: Fifo::default() });
            self.lines.len() - 1
        });
        let line = &mut self.lines[place];
        if line.is_served {
            line.behind.push(request);
            return None;
        }
        line.is_served = true;
        Some(request)
    }

    /// A flow's request has been accepted; returns the next one that it is followed by.
    fn finish(&mut self, flow: u32) -> Option<Waiting> {
        let line = self.lines.iter_mut().find(|line| line.flow == flow)?;
        let next = line.behind.take_first();
        line.is_served = next.is_some();
        next
    }

    fn bytes(&self) -> usize {
        let behind: usize = self.lines.iter().map(|line| line.behind.heap_bytes()).sum();
        size_of::<Self>() + self.lines.capacity() * size_of::<Line>() + behind + self.bus_requests.heap_bytes()
    }
}

impl Encode for Filler {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encode_waiting(&self.waiting, encoder);
        encoder.put(self.free);
        encoder.due_ps(self.bus_free_ps, self.symbol_ps);
        encoder.put(self.filled);
        let Some(masters) = &self.masters else { return };
        encoder.len(masters.lines.len());
        for Line { flow, is_served, behind } in &masters.lines {
            encoder.put(*flow);
            encoder.put(*is_served);
            encode_waiting(behind, encoder);
        }
        encoder.len(masters.bus_requests.len());
        for &BusRequest { at_ps, packet } in masters.bus_requests.iter() {
            encoder.due_ps(at_ps, self.symbol_ps);
            encoder.packet(packet);
        }
    }
}

fn encode_waiting(waiting: &Fifo<Waiting>, encoder: &mut Encoder<'_>) {
    encoder.len(waiting.len());
    for waiting in waiting.iter() {
        encoder.put(waiting.flow);
        encoder.counted(waiting.generated);
        if waiting.packet != UNDRAWN {
            encoder.packet(waiting.packet);
        }
    }
}
