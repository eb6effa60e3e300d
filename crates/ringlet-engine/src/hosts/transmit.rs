//! The transmit queue: flows, their waiting packets, refused packets, and the choice of the head
//! (docs/explanation/model.md, "Transmit queue"; docs/explanation/realtime-model.md, "Head").

mod arbitration;
mod arrivals;
mod checks;
mod choice;
mod head;
mod losses;
mod response_timeouts;
mod silence;
mod slots;
mod traced;

pub(crate) use arbitration::Withdrawn;
pub(crate) use head::{AnyPacket, Eligibility, Head};

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use ringlet_engine_derive::Encode;

use crate::hosts::prompted::{Loop, Prompted};
use crate::hosts::shared::Hosts;
use crate::queues::{Coming, Levels, Received, TransmitSlots, Waiting};
use crate::results::Population;
use crate::spec::{HostLimitsSpec, HostSpec, RetrySpec};
use crate::values::{Class, Encode, Encoder, Marks, NEVER, Packet, Phase};

use choice::{First, Origin};

// The heap of arrivals is in order of cycle and number, so that these numbers order what happens in one cycle: flows,
// then BUS, TRACE, WAKE, TIMEOUT, COMING, RESPONSE_TIMEOUT.
/// A number in place of a flow's: the time for a response is over. It is the last of its cycle.
const RESPONSE_TIMEOUT: u32 = u32::MAX;

/// A number in place of a flow's: something that an interface has coming arrives.
const COMING: u32 = u32::MAX - 1;

/// A number in place of a flow's: the time-out of something that was lost.
const TIMEOUT: u32 = u32::MAX - 2;

/// A number in place of a flow's: the node has something else to do.
const WAKE: u32 = u32::MAX - 3;

/// A number in place of a flow's: a packet of a trace starts.
const TRACE: u32 = u32::MAX - 4;

/// A number in place of a flow's: a master requests the bus.
const BUS: u32 = u32::MAX - 5;

/// A packet that waits to be sent again.
#[derive(Debug, Clone, Copy, Encode, serde::Serialize, serde::Deserialize)]
struct Refused {
    #[encode(packet)]
    packet: u32,
    class: Class,
    priority: u8,
    /// Cycle of its busy echo.
    #[encode(refused, when = encoder.compares_refusals || encoder.is_network)]
    at: u64,
    /// Cycle from which it may be sent.
    #[encode(due)]
    ready: u64,
}

/// One node's transmit queue. Its flows are encoded for themselves ([`TransmitQueue::encode_flows`]).
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct TransmitQueue {
    #[encode(skip)]
    node: u32,
    /// Numbers of the node's flows.
    #[encode(skip)]
    own: Box<[u32]>,
    #[encode(skip)]
    pub(crate) limits: Arc<HostLimits>,
    /// The highest priority that a head may have.
    #[encode(skip)]
    top: u8,
    /// Next arrival of each flow that is not saturated, with its number.
    #[encode(skip)]
    arrivals: BinaryHeap<Reverse<(u64, u32)>>,
    /// Cycle up to which arrivals and responses have been taken.
    #[encode(due)]
    taken: u64,
    classes: [Levels; 2],
    head: Option<First>,
    head_is_fixed: bool,
    /// Cycle since which the head has been head.
    #[encode(with = encoder.counted(self.head_since))]
    head_since: u64,
    /// Packets of each class sent and not yet accepted.
    #[encode(held = "a packet that waits for its echo")]
    outstanding: [u32; 2],
    /// Responses created and not yet accepted.
    #[encode(held = "a packet that waits to be sent")]
    responses: u32,
    /// Transactions begun and not yet complete, less the requests that wait here and are answered, since a copy of
    /// each has left by another interface.
    #[encode(held = "a transaction")]
    begun: i32,
    /// Class of the packet that left last.
    last_left: Class,
    /// Refused packets, first refused first.
    #[encode(held = "a packet that waits to be sent")]
    retries: Vec<Refused>,
    /// Has a destination been given up that has not answered since? What is known of it stands beside the links, so
    /// that the queues of large networks stay small.
    #[encode(skip)]
    has_silent: bool,
    /// Next cycle in which something may change the head: an arrival, a retry getting ready.
    #[encode(with = encoder.next_event(self.next_event))]
    pub(crate) next_event: u64,
    /// Is every arrival handled in its cycle, even that of a packet that cannot become head?
    #[encode(skip)]
    pub(crate) follows_arrivals: bool,
    /// Do responses always go before requests while no further response may be created?
    #[encode(skip)]
    pub(crate) prefers_responses: bool,
    /// Requests that wait, head included.
    #[encode(held = "a packet that waits to be sent")]
    requests: u32,
    #[encode(skip)]
    pub(crate) population: Population,
    /// Has the port at this place accepted something, or freed a slot, that has not been reported to its switch?
    #[encode(skip)]
    pub(crate) has_events: bool,
    /// Slots that hold what is sent until it is accepted, in a network.
    #[encode(when = encoder.is_network)]
    pub(crate) slots: Option<Box<TransmitSlots>>,
}

/// The limits of a node's host, the largest number where there is none, and its times. Nodes with the same ones share
/// them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct HostLimits {
    outstanding: u32,
    window: u32,
    responses: u32,
    transmit: u32,
    pub(crate) retry: RetrySpec,
    /// Cycles from a packet's end until its service may start.
    pub(crate) receive_delay_cycles: u64,
    /// Cycles from the end of its service to its delivery.
    pub(crate) store_cycles: u64,
    /// Cycles from which on, and before which, the node is bypassed, in order.
    bypassed: Box<[(u64, u64)]>,
}

impl HostLimits {
    /// Returns the limits of a host that takes no time to receive and to store.
    pub(crate) fn of(spec: &HostLimitsSpec) -> Self {
        Self {
            outstanding: spec.outstanding_limit.unwrap_or(u32::MAX),
            window: spec.window.unwrap_or(u32::MAX),
            responses: spec.response_capacity.unwrap_or(u32::MAX),
            transmit: spec.transmit_capacity.unwrap_or(u32::MAX),
            retry: spec.retry,
            receive_delay_cycles: 0,
            store_cycles: 0,
            bypassed: Box::default(),
        }
    }

    /// Returns these limits with the times of a host on a ring whose symbols take so many picoseconds.
    pub(crate) fn with_times(self, host: &HostSpec, symbol_ps: u64) -> Self {
        Self {
            receive_delay_cycles: host.receive_delay_ps.div_ceil(symbol_ps),
            store_cycles: host.store_ps.div_ceil(symbol_ps),
            ..self
        }
    }

    /// Returns these limits with the times in which the node is bypassed.
    pub(crate) fn with_bypasses(self, bypassed: Box<[(u64, u64)]>) -> Self {
        Self { bypassed, ..self }
    }

    /// The cycle before which the node is bypassed, if it is in cycle `now`.
    #[inline]
    pub(crate) fn bypassed_until(&self, now: u64) -> Option<u64> {
        self.bypassed.iter().find(|&&(from, until)| (from..until).contains(&now)).map(|&(_, until)| until)
    }
}

impl TransmitQueue {
    /// `levels`: of the priorities of all flows of the network.
    pub(crate) fn new(
        (node, limits): (u32, Arc<HostLimits>),
        own: Vec<u32>,
        priorities: &[u8],
        levels: usize,
        responds: bool,
    ) -> Self {
        let top = own.iter().map(|&flow| priorities[flow as usize]).max().unwrap_or(0);
        let requests = if own.is_empty() { 0 } else { usize::from(top) + 1 };
        Self {
            node,
            next_event: if own.is_empty() { NEVER } else { 0 },
            own: own.into(),
            limits,
            top,
            arrivals: BinaryHeap::new(),
            taken: 0,
            classes: [Levels::new(requests), Levels::new(if responds { levels } else { 0 })],
            head: None,
            head_is_fixed: false,
            follows_arrivals: false,
            prefers_responses: false,
            head_since: 0,
            outstanding: [0; 2],
            responses: 0,
            begun: 0,
            // As if a response had left: where classes take turns, a request is first (realtime-model.md, Section 1).
            last_left: Class::Response,
            retries: Vec::new(),
            has_silent: false,
            requests: 0,
            population: Population::default(),
            has_events: false,
            slots: None,
        }
    }

    /// Lets, for exploration, a flow's message arrive in cycle `now`, although its source has not generated it.
    pub(crate) fn generate(&mut self, hosts: &mut Hosts, flow: u32, now: u64) {
        self.arrive(hosts, flow, now);
        self.taken = self.taken.max(now);
        self.choose_again(now);
    }

    /// Numbers of the node's flows.
    pub(crate) fn flows(&self) -> &[u32] {
        &self.own
    }

    /// Writes, for exploration, the state of the node's flows.
    pub(crate) fn encode_flows(&self, hosts: &Hosts, encoder: &mut Encoder<'_>) {
        for &flow in &self.own {
            hosts.flows[flow as usize].encode(encoder);
            if let Some(&Some(Prompted::Loop(Loop { left, next, began, .. }))) = hosts.prompted.get(flow as usize) {
                encoder.put(left);
                encoder.due(next);
                encoder.counted(began);
            }
        }
        if self.own.is_empty()
            && let Some(groups) = hosts.response_groups.get(self.node as usize)
        {
            encoder.steps(groups.steps());
        }
        hosts.transactions.iter().for_each(|transactions| transactions.encode(self.node, encoder));
    }

    /// Returns this queue as that of an interface with slots.
    pub(crate) fn with_slots(mut self, slots: TransmitSlots, levels: usize, responds: bool) -> Self {
        self.classes = [Levels::new(levels), Levels::new(if responds { levels } else { 0 })];
        self.top = levels.saturating_sub(1) as u8;
        self.follows_arrivals = true;
        self.next_event = 0;
        self.slots = Some(Box::new(slots));
        self
    }

    /// Returns this queue as one on a ring whose links have errors, or where busy echoes are held back.
    pub(crate) fn with_events(mut self) -> Self {
        self.follows_arrivals = true;
        self
    }

    #[inline]
    fn enqueue(&mut self, class: Class, level: u8, waiting: Waiting) {
        self.population.enter(waiting.generated);
        self.requests += u32::from(class == Class::Request);
        self.classes[class as usize].push(level, waiting);
    }

    /// The packets of a message that has been released wait, held as one.
    fn enqueue_message(&mut self, level: u8, waiting: Waiting, packets: u32) {
        self.population.enter_together(waiting.generated, packets);
        self.requests += packets;
        self.classes[Class::Request as usize].push(level, waiting);
    }

    /// Could the head change in the cycle in which this packet is accepted?
    #[inline]
    pub(crate) fn waits_for(&self, hosts: &Hosts, packet: u32) -> bool {
        // Only what brings a limit down from its full value lets a packet be head that could not be before.
        let class = hosts.packets[packet].class;
        self.outstanding[class as usize] == self.limits.outstanding
            || (class == Class::Response && self.responses == self.limits.responses)
            || self.slots.as_ref().is_some_and(|slots| slots.waits_for(packet, class))
    }

    /// The node it is of: its place on the ring.
    #[inline]
    pub(crate) fn node(&self) -> u32 {
        self.node
    }

    /// Index of the head in the packet arena.
    #[inline]
    pub(crate) fn head(&self) -> Option<u32> {
        self.head.map(|head| head.packet)
    }

    /// Cycle since which the head has been head.
    #[inline]
    pub(crate) fn head_since(&self) -> u64 {
        self.head_since
    }

    /// Does anything wait to be sent?
    pub(crate) fn has_waiting(&self) -> bool {
        let filling = self.slots.as_ref().is_some_and(|slots| slots.is_filling());
        self.head.is_some() || !self.retries.is_empty() || self.population.inside() > 0 || filling
    }

    /// Cycle in which the oldest packet was generated that waits outside the arena.
    pub(crate) fn oldest_waiting(&self) -> Option<u64> {
        let queued = self.classes.iter().filter_map(Levels::oldest).min();
        let filling = self.slots.as_ref().and_then(|slots| slots.oldest_waiting());
        [queued, filling, self.head.map(|head| head.generated)].into_iter().flatten().min()
    }

    /// Is a packet under way whose echo has not come back, and which has not timed out?
    pub(crate) fn awaits_echoes(&self) -> bool {
        let [requests, responses] = self.outstanding;
        requests + responses > self.retries.len() as u32
    }

    /// Does a refused packet wait for the end of its retry delay?
    pub(crate) fn has_delayed_retry(&self, now: u64) -> bool {
        self.retries.iter().any(|refused| refused.ready > now)
    }

    /// Do the transactions that are not complete keep others from being begun?
    pub(crate) fn limits_begun(&self) -> bool {
        self.limits.window < u32::MAX
    }

    /// May a response be created?
    #[inline]
    pub(crate) fn has_response_place(&self) -> bool {
        self.responses < self.limits.responses
    }

    /// The head is being sent and stays.
    #[inline]
    pub(crate) fn fix_head(&mut self) {
        self.head_is_fixed = true;
        self.next_event = NEVER;
        if self.follows_arrivals {
            self.await_arrival();
        }
    }

    /// Is the head being sent?
    #[inline]
    pub(crate) fn is_sending(&self) -> bool {
        self.head_is_fixed
    }

    /// Awaits the next arrival while the head is sent: no other is chosen, but arrivals may act on the services after
    /// them.
    #[inline]
    pub(crate) fn await_arrival(&mut self) {
        self.next_event = self.arrivals.peek().map_or(NEVER, |&Reverse((at, _))| at);
    }

    /// Chooses the head again in cycle `now`, in which something may be a better one.
    #[inline]
    pub(crate) fn choose_again(&mut self, now: u64) {
        if !self.head_is_fixed || self.follows_arrivals {
            self.next_event = self.next_event.min(now);
        }
    }

    /// The service of a request that ended in cycle `now` creates its response.
    pub(crate) fn respond(&mut self, hosts: &mut Hosts, request: &Received, now: u64) {
        if self.slots.is_some() {
            // They share the bus on which slots are filled.
            self.take_arrivals_before_services(hosts, now);
        }
        let destination = u32::from(request.source);
        let place = hosts.context.as_ref();
        let place = place.map_or(request.source, |network| network.routes_of(self.node as u16).place(request.source));
        // A response belongs to the group of the node that sends it.
        let group = self.own.first().map_or_else(
            || hosts.response_group(self.node, destination, now),
            |&flow| hosts.flows[flow as usize].group(destination, now),
        );
        let packet = hosts.packets.insert(Packet {
            generated: hosts.cycles(now),
            started: request.started,
            inverted_since: NEVER,
            flow: request.flow,
            message: request.message,
            refusals: 0,
            output_inversion_cycles: 0,
            network_flow: request.network_flow,
            source: self.node as u16,
            destination: place,
            end: request.source,
            part: request.part,
            symbols: request.response_symbols,
            response_symbols: 0,
            group,
            priority: request.priority,
            class: Class::Response,
            phase: Phase::NoTry,
            timeouts: 0,
            attempt: request.attempt,
            messages: 0,
            marks: if request.is_last { Marks::LAST } else { Marks::empty() },
        });
        self.responses += 1;
        if let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler()) {
            let ready = filler.fill(now);
            return self.announce(hosts, Coming { ready, packet, class: Class::Response, priority: request.priority });
        }
        self.taken = self.taken.max(now);
        // Responses stand in the order of their creation, whatever their flows.
        self.enqueue(Class::Response, request.priority, Waiting { generated: now, flow: 0, packet });
        // A head yields to a higher rank only.
        let yields = self.head.is_none_or(|head| head.priority < request.priority);
        if yields || self.responses >= self.limits.responses || self.slots.is_some() {
            self.choose_again(now);
        }
    }

    /// Are as many transactions begun as may be?
    pub(super) fn window_is_full(&self) -> bool {
        // Wider than either: `begun` may lie below 0, and a window without a limit beyond `i32`.
        i64::from(self.begun) >= i64::from(self.limits.window)
    }

    /// A transaction of this node is complete.
    pub(crate) fn complete(&mut self, now: u64) {
        let was_full = i64::from(self.begun) == i64::from(self.limits.window);
        self.begun -= 1;
        if was_full {
            self.choose_again(now);
        }
    }

    /// Takes the head, which has been sent completely in cycle `now`, out of the queue.
    pub(crate) fn leave(&mut self, hosts: &mut Hosts, now: u64) -> u32 {
        let head = self.head.take().expect("a sent packet is the head");
        self.take_arrivals(hosts, now);
        self.head_is_fixed = false;
        self.last_left = head.class;
        // It left the queue, and has counted as outstanding, when it was sent the first time.
        if head.origin == Origin::Retry {
            self.remove_retry(head.packet);
            return head.packet;
        }
        self.classes[head.class as usize].remove(head.priority, head.packet);
        self.population.leave(now);
        self.outstanding[head.class as usize] += 1;
        if head.class == Class::Request {
            self.requests -= 1;
            if self.is_port() {
                return head.packet;
            }
            let packet = &mut hosts.packets[head.packet];
            let flow = packet.flow;
            self.begun += i32::from(packet.response_symbols > 0);
            // A packet that was withdrawn and put back leaves again.
            let followed = packet.marks.contains(Marks::FOLLOWED) || self.slots.is_some();
            packet.marks.insert(Marks::FOLLOWED);
            if !followed && hosts.flows[flow as usize].is_saturated() {
                // A saturated flow makes its next packet in the cycle in which the last one
                // leaves the head (model.md, step 2).
                self.generate_saturated(hosts, flow, now);
            }
            if hosts.transactions.is_some() {
                self.begin_transaction(hosts, head.packet);
            }
        }
        head.packet
    }

    fn remove_retry(&mut self, packet: u32) -> Refused {
        let place = self.retries.iter().position(|refused| refused.packet == packet);
        self.retries.remove(place.expect("a head that was refused is among the retries"))
    }

    /// An echo says accepted: the packet's source removes it. Takes effect in cycle `now`. Returns whether a
    /// response place is free again.
    #[inline]
    pub(crate) fn accepted(&mut self, hosts: &mut Hosts, packet: u32, now: u64) -> bool {
        if self.has_silent {
            self.hear(hosts, packet, now);
        }
        let is_free_again = self.conclude(hosts, packet, now);
        hosts.packets.remove(packet);
        is_free_again
    }

    /// A packet is given up: its source removes it. Takes effect in cycle `now`. Returns whether a response place is
    /// free again.
    pub(super) fn given_up(&mut self, hosts: &mut Hosts, packet: u32, now: u64) -> bool {
        let is_free_again = self.let_go(hosts, packet, now);
        hosts.packets.remove(packet);
        is_free_again
    }

    /// A sent packet counts as accepted from cycle `now` on. Returns whether a response place is free again.
    #[inline(always)]
    fn conclude(&mut self, hosts: &mut Hosts, packet: u32, now: u64) -> bool {
        let Packet { flow, refusals, .. } = hosts.packets[packet];
        let counters = &mut hosts.counters[flow as usize];
        if refusals == 0 {
            counters.first_try_packets += 1;
        } else {
            counters.accept_again(refusals);
        }
        self.let_go(hosts, packet, now)
    }

    /// Nothing waits for a packet's echo any more. Returns whether a response place is free again.
    #[inline(always)]
    pub(crate) fn let_go(&mut self, hosts: &mut Hosts, packet: u32, now: u64) -> bool {
        let class = hosts.packets[packet].class;
        if hosts.transactions.is_some() {
            self.await_response(hosts, packet, now);
        }
        if !hosts.prompted.is_empty() {
            self.close_loop_of(hosts, packet, now);
        }
        if self.slots.is_some() {
            self.free_slot(hosts, packet, class, now);
        }
        let was_full = self.outstanding[class as usize] == self.limits.outstanding;
        self.outstanding[class as usize] -= 1;
        if was_full {
            self.choose_again(now);
        }
        if class == Class::Request || self.is_port() {
            return false;
        }
        self.responses -= 1;
        let is_free_again = self.responses + 1 == self.limits.responses;
        if is_free_again {
            // Responses no longer go first.
            self.choose_again(now);
        }
        is_free_again
    }

    /// An echo says busy: the packet will be sent again. Takes effect in cycle `now`.
    pub(crate) fn refused(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        if self.has_silent {
            self.hear(hosts, packet, now);
        }
        let refusals = hosts.packets[packet].refuse();
        let Packet { class, priority, .. } = hosts.packets[packet];
        // The receiver may have waited already.
        let waits = hosts.context.as_ref().is_none_or(|network| network.held_echoes.is_empty());
        let ready = if waits { now.saturating_add(self.limits.retry.delay_after(refusals)) } else { now };
        // Time-outs of later cycles, and of this one, may be over.
        let place = self.retries.iter().rposition(|other| other.at < now).map_or(0, |place| place + 1);
        self.retries.insert(place, Refused { packet, class, priority, at: now, ready });
        let waits = self.slots.as_mut().is_some_and(|slots| slots.refuse(packet, class));
        self.choose_again(if waits { now } else { ready });
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let retries = self.retries.capacity() * size_of::<Refused>();
        let classes: usize = self.classes.iter().map(Levels::heap_bytes).sum();
        let slots = self.slots.as_ref().map_or(0, |held| size_of::<TransmitSlots>() + held.heap_bytes());
        slots
            + retries
            + classes
            + self.arrivals.capacity() * size_of::<Reverse<(u64, u32)>>()
            + size_of_val(&*self.own)
    }
}
