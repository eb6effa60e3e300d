//! Packets of a trace: handed in from outside, and held until they may start (docs/explanation/network-model.md,
//! "Traces").
//!
//! The engine does no I/O. The caller hands the packets of a trace in, in the order of their cycles, and says up to
//! which cycle all are known; the simulation goes no further. A packet that depends on others waits at its source until
//! all of them have been delivered, and only what is seen at the source itself counts: what happens at one node never
//! acts on another but through packets.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use crate::hosts::injection::{Outcome, Own, PacketEvent};
use crate::spec::{Clock, FlowSpec, NetworkSpec};
use crate::values::{Encoder, NEVER};

/// Packets by which a dependence may reach back.
pub const MAX_REACH: u32 = 1 << 18;

/// A packet of a trace, as it is handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracePacket<'a> {
    /// Cycle of the packet in the trace: it starts no earlier.
    pub cycle: u64,
    /// Number of the packet's flow, one whose arrivals are [`Trace`](crate::spec::ArrivalSpec::Trace).
    pub flow: u32,
    /// Node of destination. A packet to its own source is delivered in the cycle in which it starts, and is on no ring.
    pub destination: u32,
    /// Packets that it waits for, if the trace is dependence-driven: packets delivered at its source, or transactions
    /// of its source that have a response. They are numbered from 0 in the order in which they are handed in, and lie
    /// at most [`MAX_REACH`] back.
    pub depends_on: &'a [u32],
}

/// The progress of the replay of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replayed {
    /// Packets that have started, those that stay at their node included.
    pub started: u64,
    /// Packets that stay at their node: they were delivered as they started.
    pub local: u64,
    /// Packets that wait for those on which they depend.
    pub waiting: u64,
    /// Packets that will start in a cycle that is known.
    pub due: u64,
    /// Packets and responses that have started and are not delivered, lost or given up.
    pub in_flight: u64,
    /// Cycle in which the first packet started.
    pub first_start: Option<u64>,
    /// Cycle of the latest delivery, of a packet or of a response.
    pub last_delivery: Option<u64>,
}

impl Replayed {
    /// Returns the progress of two rings together.
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            started: self.started + other.started,
            local: self.local + other.local,
            waiting: self.waiting + other.waiting,
            due: self.due + other.due,
            // On one ring more may be delivered than start there.
            in_flight: self.in_flight.wrapping_add(other.in_flight),
            first_start: self.first_start.into_iter().chain(other.first_start).min(),
            last_delivery: self.last_delivery.max(other.last_delivery),
        }
    }
}

/// A packet that has been handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Handed {
    /// Cycle in which it starts, as far as is known.
    pub(crate) cycle: u64,
    pub(crate) number: u32,
    /// Number of the packet's flow on its ring.
    pub(crate) flow: u32,
    pub(crate) destination: u32,
    /// Properties of a packet that a program has injected; `None` for every other.
    pub(crate) own: Option<Own>,
}

/// A packet that waits for others.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Waiting {
    packet: Handed,
    /// Dependences that are not delivered; 0: it has started, or will. Of one that follows another, 1 as long as that
    /// waits.
    left: u32,
    /// True if it starts with the packet before it here: it waits for the same. Deliveries know only of that one; the
    /// packets of a message that wait for all those of another are no more than both together.
    follows: bool,
}

/// A packet whose delivery is seen at the node, and for which others may wait.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Expected {
    number: u32,
    /// Cycle of its delivery, or [`NEVER`].
    delivered: u64,
    /// Numbers of the packets that wait for this one, each with the cycles that it waits after this one's delivery.
    dependants: Vec<(u32, u64)>,
}

/// The packets that will start at a node, in the order of their cycles.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct Due {
    /// Packets handed in behind all others here: mostly all of them, since a trace is in the order of its cycles.
    in_order: VecDeque<Handed>,
    others: BinaryHeap<Reverse<Handed>>,
}

impl Due {
    fn push(&mut self, packet: Handed) {
        if self.in_order.back().is_none_or(|last| *last < packet) {
            self.in_order.push_back(packet);
        } else {
            self.others.push(Reverse(packet));
        }
    }

    fn pop(&mut self) -> Option<Handed> {
        match (self.in_order.front(), self.others.peek()) {
            (Some(first), Some(Reverse(other))) if other < first => self.others.pop().map(|Reverse(packet)| packet),
            (None, _) => self.others.pop().map(|Reverse(packet)| packet),
            _ => self.in_order.pop_front(),
        }
    }

    fn len(&self) -> usize {
        self.in_order.len() + self.others.len()
    }

    fn iter(&self) -> impl Iterator<Item = &Handed> {
        self.in_order.iter().chain(self.others.iter().map(|Reverse(packet)| packet))
    }

    fn capacity(&self) -> usize {
        self.in_order.capacity() + self.others.capacity()
    }
}

/// One node's part of a trace.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct Place {
    due: Due,
    /// Packets that wait for others, in the order of their numbers.
    waiting: VecDeque<Waiting>,
    /// Packets for which others may wait, in the order of their numbers.
    expected: VecDeque<Expected>,
    left: u64,
    /// The last packet handed in that others may follow.
    leader: Leader,
}

/// A packet that others may follow.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct Leader {
    number: u32,
    /// Cycle with which it was handed in, and what it waited for then.
    cycle: u64,
    awaited: Vec<(u32, u64)>,
    /// Cycle in which it starts and dependences that are left, as they were then: nothing of them has been delivered.
    start: u64,
    left: u32,
    /// Number of the last packet that follows it, or its own.
    last: u32,
}

/// Dependences of a packet from which on others may follow it.
const LEAST_AWAITED: usize = 2;

/// The source of the times at which packets of a flow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Giver {
    /// The flow's own source.
    Source,
    /// A trace.
    Trace,
    /// A program, which injects them.
    Program,
}

impl Giver {
    fn of(flow: &FlowSpec) -> Self {
        match () {
            () if flow.is_traced() => Self::Trace,
            () if flow.is_injected() => Self::Program,
            () => Self::Source,
        }
    }
}

/// The part of a trace, and of what a program injects, that the rings of a network share.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Traced {
    dependence_driven: bool,
    /// Giver of the start times of each flow of the network, by its number there.
    flows: Arc<[Giver]>,
}

impl Traced {
    /// `flows` are in the order of their numbers in the network; `None` if nothing is handed in.
    pub(crate) fn of<'a>(spec: &NetworkSpec, flows: impl Iterator<Item = &'a FlowSpec>) -> Option<Self> {
        let flows: Vec<Giver> = flows.map(Giver::of).collect();
        let dependence_driven = spec.dependence_driven();
        let is_handed_in = flows.iter().any(|&giver| giver != Giver::Source);
        is_handed_in.then(|| Self { dependence_driven, flows: flows.into() })
    }
}

/// One ring's part of a trace.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Replay {
    traced: Traced,
    clock: Clock,
    places: Vec<Place>,
    started: u64,
    local: u64,
    /// Wraps: what starts here may be delivered elsewhere.
    in_flight: u64,
    first_start: u64,
    last_delivery: Option<u64>,
    /// Events of injected packets here that have not been taken.
    events: Vec<PacketEvent>,
}

impl Replay {
    /// Builds the replay of a ring with this clock and so many places.
    pub(crate) fn new(traced: &Traced, clock: Clock, places: u32) -> Self {
        Self {
            traced: traced.clone(),
            clock,
            places: vec![Place::default(); places as usize],
            started: 0,
            local: 0,
            in_flight: 0,
            first_start: NEVER,
            last_delivery: None,
            events: Vec::new(),
        }
    }

    /// Flows of the network.
    pub(crate) fn network_flows(&self) -> usize {
        self.traced.flows.len()
    }

    /// Says what is wrong with a replay that was read from a file, if anything is. `levels` are the priorities that
    /// may start at each place.
    pub(crate) fn check(&self, levels: impl Iterator<Item = usize>) -> Result<(), String> {
        for (place, (Place { due, waiting, expected, .. }, levels)) in self.places.iter().zip(levels).enumerate() {
            let mut packets = due.iter().chain(waiting.iter().map(|one| &one.packet));
            if packets.any(|packet| packet.own.is_some_and(|own| usize::from(own.priority) >= levels)) {
                return Err(format!("a packet is to start at place {place} with a priority that is none"));
            }
            let waits = |number: &u32| {
                waiting.binary_search_by_key(number, |one| one.packet.number).is_ok_and(|at| !waiting[at].follows)
            };
            let are_in_order = waiting.iter().is_sorted_by_key(|one| one.packet.number)
                && expected.iter().is_sorted_by_key(|one| one.number);
            if !are_in_order || !expected.iter().flat_map(|one| &one.dependants).all(|(number, _)| waits(number)) {
                return Err(format!("what depends on a delivery at place {place} does not wait"));
            }
            let mut awaited: Vec<u32> =
                expected.iter().flat_map(|one| &one.dependants).map(|&(number, _)| number).collect();
            awaited.sort_unstable();
            let of =
                |number| awaited.partition_point(|&one| one <= number) - awaited.partition_point(|&one| one < number);
            let mut led = None;
            for one in waiting {
                if !one.follows {
                    led = Some(one.left);
                } else if led.is_none_or(|left| left.min(1) != one.left) {
                    return Err(format!("packet {} at place {place} follows none that waits", one.packet.number));
                }
            }
            let is_wrong = |one: &&Waiting| !one.follows && of(one.packet.number) != one.left as usize;
            if let Some(one) = waiting.iter().find(is_wrong) {
                let (number, left) = (one.packet.number, one.left);
                return Err(format!(
                    "packet {number} at place {place} waits for {left} deliveries, of which other ones know"
                ));
            }
        }
        Ok(())
    }

    /// Packets of a place that are among its arrivals.
    pub(crate) fn announced(&self, place: u32) -> usize {
        self.places[place as usize].due.len()
    }

    /// Was a flow's packet handed in?
    pub(crate) fn is_handed_in(&self, network_flow: u32) -> bool {
        self.traced.flows[network_flow as usize] != Giver::Source
    }

    /// Has a program injected a flow's packet?
    pub(crate) fn is_injected(&self, network_flow: u32) -> bool {
        self.traced.flows[network_flow as usize] == Giver::Program
    }

    /// Something becomes of a flow's packet in a cycle of the ring; returns whether a program has injected it.
    pub(crate) fn note(&mut self, network_flow: u32, event: PacketEvent) -> bool {
        let is_injected = self.is_injected(network_flow);
        if is_injected {
            if event.outcome == Outcome::Delivered {
                self.last_delivery = self.last_delivery.max(Some(event.cycle));
            }
            self.events.push(PacketEvent { cycle: self.clock.cycles(event.cycle), ..event });
        }
        is_injected
    }

    /// Moves what has become of injected packets before a cycle of the network, in any order.
    pub(crate) fn take_events(&mut self, end: u64, taken: &mut Vec<PacketEvent>) {
        taken.extend(self.events.extract_if(.., |event| event.cycle < end));
    }

    /// The delivery of a packet will be seen at the node.
    pub(crate) fn expect(&mut self, place: u16, number: u32) {
        if !self.traced.dependence_driven {
            return;
        }
        let expected = &mut self.places[usize::from(place)].expected;
        // Nothing that is still to be handed in may depend on these.
        while expected.front().is_some_and(|first| first.delivered != NEVER && number - first.number > MAX_REACH) {
            expected.pop_front();
        }
        expected.push_back(Expected { number, delivered: NEVER, dependants: Vec::new() });
    }

    /// A packet is handed in at its source, with those for which it waits and the cycles after each; returns when it
    /// starts, if that is known.
    pub(crate) fn hand_in(&mut self, place: u16, mut packet: Handed, awaited: &[(u32, u64)]) -> Option<u64> {
        let Place { due, waiting, expected, left, leader } = &mut self.places[usize::from(place)];
        if (leader.cycle, &*leader.awaited) == (packet.cycle, awaited)
            && waiting.back().is_some_and(|back| back.packet.number == leader.last)
            && let Ok(at) = waiting.binary_search_by_key(&leader.number, |waits| waits.packet.number)
            && (waiting[at].packet.cycle, waiting[at].left) == (leader.start, leader.left)
        {
            packet.cycle = leader.start;
            leader.last = packet.number;
            waiting.push_back(Waiting { packet, left: 1, follows: true });
            *left += 1;
            return None;
        }
        let handed_in = packet.cycle;
        let mut missing = 0;
        for &(number, gap) in awaited {
            let at = expected.binary_search_by_key(&number, |one| one.number).expect("checked when it was handed in");
            let Expected { delivered, dependants, .. } = &mut expected[at];
            if *delivered == NEVER {
                dependants.push((packet.number, gap));
                missing += 1;
            } else {
                packet.cycle = packet.cycle.max(start(*delivered, gap));
            }
        }
        if missing > 0 {
            waiting.push_back(Waiting { packet, left: missing, follows: false });
            *left += 1;
            if awaited.len() >= LEAST_AWAITED {
                let mut kept = std::mem::take(&mut leader.awaited);
                kept.clear();
                kept.extend_from_slice(awaited);
                let (number, start) = (packet.number, packet.cycle);
                *leader = Leader { number, cycle: handed_in, awaited: kept, start, left: missing, last: number };
            }
            return None;
        }
        due.push(packet);
        Some(packet.cycle)
    }

    /// The next packet that starts at a node, which is due.
    pub(crate) fn take_due(&mut self, place: usize) -> Handed {
        let packet = self.places[place].due.pop().expect("an arrival was announced for each");
        self.started += 1;
        self.first_start = self.first_start.min(packet.cycle);
        packet
    }

    /// A packet that has started is under way.
    pub(crate) fn departs(&mut self) {
        self.in_flight = self.in_flight.wrapping_add(1);
    }

    /// A packet that has started stays at its node.
    pub(crate) fn stays(&mut self) {
        self.local += 1;
    }

    /// A packet that has started will not be delivered.
    pub(crate) fn vanishes(&mut self) {
        self.in_flight = self.in_flight.wrapping_sub(1);
    }

    /// A packet's delivery is seen at a node in cycle `now`; `released` is called with the cycle in which what has
    /// waited starts.
    pub(crate) fn deliver(&mut self, place: usize, number: u32, now: u64, mut released: impl FnMut(u64)) {
        self.last_delivery = self.last_delivery.max(Some(now));
        let Place { due, waiting, expected, left, .. } = &mut self.places[place];
        // Deliveries are expected only where packets wait for others, and dropped once they lie too far back for that.
        let Ok(at) = expected.binary_search_by_key(&number, |one| one.number) else { return };
        expected[at].delivered = now;
        for (dependant, gap) in std::mem::take(&mut expected[at].dependants) {
            let at = waiting.binary_search_by_key(&dependant, |one| one.packet.number).expect("it waits");
            let Waiting { packet, left: missing, .. } = &mut waiting[at];
            let cycle = packet.cycle.max(start(now, gap));
            packet.cycle = cycle;
            *missing -= 1;
            if *missing > 0 {
                continue;
            }
            let followers = waiting.range(at + 1..).take_while(|one| one.follows).count();
            for one in waiting.range_mut(at..=at + followers) {
                one.packet.cycle = cycle;
                one.left = 0;
                *left -= 1;
                due.push(one.packet);
                released(cycle);
            }
        }
        while waiting.front().is_some_and(|first| first.left == 0) {
            waiting.pop_front();
        }
    }

    /// Writes what has been handed in and has not started, and which deliveries something waits for.
    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>) {
        let start = |packet: &Handed, encoder: &mut Encoder<'_>| {
            encoder.due(packet.cycle);
            encoder.handed_in(packet.number);
            encoder.put(packet.flow);
            encoder.put(packet.destination);
        };
        for Place { due, waiting, expected, left, .. } in &self.places {
            let mut packets: Vec<_> = due.iter().collect();
            packets.sort_unstable();
            encoder.len(packets.len());
            packets.into_iter().for_each(|packet| start(packet, encoder));
            encoder.put(*left);
            for Waiting { packet, left, follows } in waiting.iter().filter(|one| one.left > 0) {
                start(packet, encoder);
                encoder.put(*left);
                encoder.put(u32::from(*follows));
            }
            // Only packets handed in later wait for what has been delivered; an activity hands in all at once.
            let missing = || expected.iter().filter(|one| one.delivered == NEVER);
            encoder.len(missing().count());
            for Expected { number, dependants, .. } in missing() {
                encoder.handed_in(*number);
                encoder.len(dependants.len());
                for &(number, gap) in dependants {
                    encoder.handed_in(number);
                    encoder.put(gap);
                }
            }
        }
    }

    /// Packets that wait, and that are due, of those of which `stays` says that they stay at their node.
    pub(crate) fn staying(&self, stays: impl Fn(&Handed) -> bool) -> (u64, u64) {
        let wait = |place: &Place| place.waiting.iter().filter(|one| one.left > 0 && stays(&one.packet)).count() as u64;
        let are_due = |place: &Place| place.due.iter().filter(|packet| stays(packet)).count() as u64;
        (self.places.iter().map(wait).sum(), self.places.iter().map(are_due).sum())
    }

    pub(crate) fn replayed(&self) -> Replayed {
        Replayed {
            started: self.started,
            local: self.local,
            waiting: self.places.iter().map(|place| place.left).sum(),
            due: self.places.iter().map(|place| place.due.len() as u64).sum(),
            in_flight: self.in_flight,
            first_start: (self.first_start != NEVER).then(|| self.clock.cycles(self.first_start)),
            last_delivery: self.last_delivery.map(|cycle| self.clock.cycles(cycle)),
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let held = |place: &Place| {
            let dependants: usize = place.expected.iter().map(|one| one.dependants.capacity()).sum();
            place.due.capacity() * size_of::<Handed>()
                + place.waiting.capacity() * size_of::<Waiting>()
                + place.expected.capacity() * size_of::<Expected>()
                + dependants * size_of::<(u32, u64)>()
                + place.leader.awaited.capacity() * size_of::<(u32, u64)>()
        };
        let events = self.events.capacity() * size_of::<PacketEvent>();
        self.places.capacity() * size_of::<Place>() + self.places.iter().map(held).sum::<usize>() + events
    }
}

/// The cycle in which a packet starts that waits for a delivery in cycle `delivered`: so many later, not the same one.
fn start(delivered: u64, gap: u64) -> u64 {
    delivered.saturating_add(gap.max(1))
}
