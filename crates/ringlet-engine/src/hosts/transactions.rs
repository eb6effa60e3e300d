//! Response time-outs: the transactions that the nodes of a ring have begun, until they are complete or their time is
//! over (todd2001, Section 2.1: a response waiting queue; docs/explanation/realtime-model.md, "Response time-out").

use std::collections::{BTreeMap, VecDeque};

use crate::spec::{Clock, ResponseTimeoutSpec};
use crate::values::{Encoder, NEVER, Packet};

/// Flow, message, and the packet's number in it.
type Key = (u32, u32, u16);

/// The response waiting queues of a ring's places.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Transactions {
    timeout_cycles: u64,
    max_repeats: u8,
    places: Box<[Place]>,
}

#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct Place {
    begun: BTreeMap<Key, Begun>,
    /// Cycles in which a time is over, in that order: of transactions that are complete by then, too.
    due: VecDeque<(u64, Key)>,
}

/// A transaction that has begun and is not complete.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Begun {
    /// Cycle in which its time is over; [`NEVER`] until its request has been accepted.
    timeout_cycle: u64,
    request: Packet,
}

/// A transaction whose time is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedOut {
    pub(super) cycle: u64,
    pub(super) request: Packet,
    /// Has it been sent again as often as may be?
    pub(super) ends: bool,
}

fn key(packet: &Packet) -> Key {
    (packet.flow, packet.message, packet.part)
}

impl Transactions {
    /// Builds the transactions of a ring with this clock and so many places.
    pub(crate) fn new(spec: ResponseTimeoutSpec, clock: Clock, places: u32) -> Self {
        Self {
            timeout_cycles: clock.symbols(spec.timeout_cycles),
            max_repeats: spec.max_repeats,
            places: vec![Place::default(); places as usize].into(),
        }
    }

    /// A request leaves the transmit queue.
    pub(super) fn begin(&mut self, place: u32, request: Packet) {
        self.places[place as usize].begun.insert(key(&request), Begun { timeout_cycle: NEVER, request });
    }

    /// A request that has left the queue is back there, and was not sent.
    pub(super) fn withdraw(&mut self, place: u32, request: &Packet) {
        self.places[place as usize].begun.remove(&key(request));
    }

    /// A request has been accepted in cycle `now`, or its echo was not waited for any longer. Returns when its time is
    /// over, if it has no response yet.
    pub(super) fn await_response(&mut self, place: u32, request: &Packet, now: u64) -> Option<u64> {
        let Place { begun, due } = &mut self.places[place as usize];
        let begun = begun.get_mut(&key(request)).filter(|begun| begun.request.attempt == request.attempt)?;
        let cycle = now.saturating_add(self.timeout_cycles);
        begun.timeout_cycle = cycle;
        let before = due.partition_point(|other| other.0 <= cycle);
        due.insert(before, (cycle, key(request)));
        Some(cycle)
    }

    /// A response has been served that answers this sending of its request; returns whether it has been waited for.
    pub(crate) fn complete(&mut self, place: u16, (flow, message, part): Key, attempt: u8) -> bool {
        let begun = &mut self.places[usize::from(place)].begun;
        let key = (flow, message, part);
        let is_awaited = begun.get(&key).is_some_and(|begun| begun.request.attempt == attempt);
        if is_awaited {
            begun.remove(&key);
        }
        is_awaited
    }

    /// The first time of all is over; returns the transaction, if it is not complete.
    pub(super) fn take_timed_out(&mut self, place: u32) -> Option<TimedOut> {
        let Place { begun, due } = &mut self.places[place as usize];
        let (cycle, key) = due.pop_front().expect("an arrival was announced for each");
        // A response may have come in time, and the same packet's next sending may wait under
        // its key, with a later time.
        let request = begun.get(&key).filter(|begun| begun.timeout_cycle == cycle)?.request;
        begun.remove(&key);
        Some(TimedOut { cycle, request, ends: request.attempt >= self.max_repeats })
    }

    /// Times of a place that are among its arrivals.
    pub(crate) fn announced(&self, place: u32) -> usize {
        self.places[place as usize].due.len()
    }

    /// Is there a time to come, after which something is sent again or given up?
    pub(crate) fn is_waiting(&self) -> bool {
        self.places.iter().any(|place| place.begun.values().any(|begun| begun.timeout_cycle != NEVER))
    }

    /// Writes, for exploration, the responses that a place waits for.
    pub(super) fn encode(&self, place: u32, encoder: &mut Encoder<'_>) {
        let begun = &self.places[place as usize].begun;
        encoder.len(begun.len());
        for Begun { timeout_cycle, request } in begun.values() {
            encoder.put(request.flow);
            encoder.message(request.network_flow, request.message);
            encoder.put(request.part);
            encoder.put(request.attempt);
            encoder.put(request.end);
            encoder.due(*timeout_cycle);
            encoder.counted(request.started);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let of_place = |place: &Place| {
            place.begun.len() * size_of::<(Key, Begun)>() + place.due.capacity() * size_of::<(u64, Key)>()
        };
        size_of_val(&*self.places) + self.places.iter().map(of_place).sum::<usize>()
    }
}
