//! The transmit queue: flows, their waiting packets, refused packets, and the choice of the head (docs/model.md, "Transmit queue";
//! docs/realtime-model.md, "Head").

mod traced;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::measure::{FlowCounters, Population};
use crate::network::{Candidate, Coming, Interface, Loss, Surroundings, Transit};
use crate::node::Port;
use crate::packet::{Class, Packet, Packets};
use crate::protocols::{FlowControl, Head, NoFlowControl, Train};
use crate::receive::Received;
use crate::replay::Replay;
use crate::reservation::Phase;
use crate::spec::{ArrivalSpec, ClassOrder, FlowSpec, GroupSpec, NetworkSpec, RetrySpec, RetryStrategy};
use crate::state::{Encode, Encoder};
use crate::traffic::Source;

/// Never.
pub(crate) const NEVER: u64 = u64::MAX;

/// One flow at its source node.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    source: Source,
    priority: u8,
    response_symbols: u16,
    /// Class of its packets: responses only in a trace.
    class: Class,
    burst: u32,
    /// [`NEVER`]: none.
    deadline_cycles: u64,
    /// Packets drawn, from which a packet's message follows.
    drawn: u64,
    /// Of a flow with several packets per message: what is not yet complete.
    open: Option<Box<OpenMessages>>,
    groups: GroupSpec,
}

impl Flow {
    pub(crate) fn new(spec: &NetworkSpec, index: usize) -> Self {
        let flow: &FlowSpec = &spec.flows[index];
        Self {
            source: Source::new(spec.seed, index, flow, spec.nodes),
            priority: flow.priority,
            response_symbols: flow.response_symbols.unwrap_or(0) as u16,
            class: match flow.arrivals {
                ArrivalSpec::Trace { responses: true, .. } => Class::Response,
                _ => Class::Request,
            },
            burst: flow.burst,
            deadline_cycles: flow.deadline_cycles.unwrap_or(NEVER),
            drawn: 0,
            open: (flow.burst > 1).then(Box::default),
            groups: flow.groups.clone(),
        }
    }

    fn is_saturated(&self) -> bool {
        self.source.next_arrival().is_none()
    }

    pub(crate) fn priority(&self) -> u8 {
        self.priority
    }

    /// Group in force for a packet that becomes head in cycle `now`.
    fn group(&self, destination: u32, now: u64) -> u8 {
        match &self.groups {
            GroupSpec::Fixed { group } => *group,
            GroupSpec::ByDestination { groups } => groups[destination as usize],
            GroupSpec::Schedule { steps } => steps[steps.partition_point(|step| step.0 <= now) - 1].1,
        }
    }

    fn draw(&mut self, node: u32, index: u32, generated: u64) -> Packet {
        let (destination, symbols, message) = match self.source.take_handed() {
            Some((destination, number)) => (destination, self.source.only_size(), number),
            None => {
                let (destination, symbols) = self.source.draw_packet();
                (destination, symbols, (self.drawn / u64::from(self.burst)) as u32)
            }
        };
        let part = (self.drawn % u64::from(self.burst)) as u16;
        self.drawn += 1;
        Packet {
            generated,
            started: generated,
            inverted_since: NEVER,
            flow: index,
            message,
            refusals: 0,
            output_inversion_cycles: 0,
            network_flow: index,
            source: node as u16,
            destination: destination as u16,
            part,
            end: destination as u16,
            symbols: symbols as u16,
            response_symbols: self.response_symbols,
            group: 0,
            priority: self.priority,
            class: self.class,
            phase: Phase::NoTry,
            granted: false,
            timeouts: 0,
            received: false,
            followed: false,
            events: 0,
            done: false,
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let groups = match &self.groups {
            GroupSpec::Fixed { .. } => 0,
            GroupSpec::ByDestination { groups } => groups.capacity(),
            GroupSpec::Schedule { steps } => steps.capacity() * size_of::<(u64, u8)>(),
        };
        let open = self
            .open
            .as_ref()
            .map_or(0, |open| size_of::<OpenMessages>() + open.left.capacity() * size_of::<(u32, u64)>());
        groups + open + self.source.heap_bytes()
    }
}

/// A flow whose next message begins when the last one is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loop {
    pause_cycles: u64,
    /// Packets of the last message that are not done.
    left: u32,
    /// Cycle of the next arrival, or of the last one while packets are left.
    next: u64,
}

impl Loop {
    pub(crate) fn of(flow: &FlowSpec) -> Option<Self> {
        match flow.arrivals {
            ArrivalSpec::Closed { pause_cycles } => Some(Self { pause_cycles, left: 0, next: 0 }),
            _ => None,
        }
    }
}

/// Messages of which not all packets are complete.
#[derive(Debug, Default, Clone)]
struct OpenMessages {
    /// Packets to come of each message from `first` on, and the latest cycle in which one was complete.
    left: VecDeque<(u32, u64)>,
    first: u32,
}

impl OpenMessages {
    /// A packet of a message of `burst` packets is complete in cycle `now`; returns the cycle in which all are, once that is known.
    /// Nodes are not visited in the order of time, so the last to be known need not be the latest.
    fn complete(&mut self, message: u32, burst: u32, now: u64) -> Option<u64> {
        let place = message.wrapping_sub(self.first) as usize;
        if place >= self.left.len() {
            self.left.resize(place + 1, (burst, 0));
        }
        let (left, latest) = &mut self.left[place];
        *left -= 1;
        *latest = now.max(*latest);
        let complete = (*left == 0).then_some(*latest);
        while self.left.front().is_some_and(|&(left, _)| left == 0) {
            self.left.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        complete
    }
}

/// The flows of the whole ring and what they share.
#[derive(Debug, Clone)]
pub(crate) struct Flows {
    pub(crate) flows: Vec<Flow>,
    pub(crate) counters: Vec<FlowCounters>,
    pub(crate) packets: Packets,
    /// Of the flows that wait for their own packets; empty if none does.
    pub(crate) loops: Vec<Option<Loop>>,
    pub(crate) outstanding_limit: u32,
    pub(crate) window: u32,
    pub(crate) response_capacity: u32,
    pub(crate) transmit_capacity: u64,
    pub(crate) order: ClassOrder,
    pub(crate) retry: RetrySpec,
    /// What the train carries, if there is one.
    pub(crate) train: Train,
    /// What is around the ring, if it is one of a network.
    pub(crate) network: Option<Box<Surroundings>>,
    /// What has been handed in of a trace, if there is one.
    pub(crate) replay: Option<Box<Replay>>,
    /// DFC: for each node and class, the cycle since which what it has granted last was held up by packets of lower priority, or [`NEVER`].
    pub(crate) held_since: Vec<[u64; 2]>,
}

impl Flows {
    /// The service of a packet, of a response or of a request that has none, ends in cycle `now`; the message is the flow's, begun in cycle `started`.
    #[inline]
    pub(crate) fn complete_packet(
        &mut self,
        index: usize,
        (message, started): (u32, u64),
        response: bool,
        now: u64,
        digits: u8,
    ) {
        let flow = &mut self.flows[index];
        let burst = flow.burst;
        let complete = match &mut flow.open {
            Some(open) => open.complete(message, burst, now),
            None => Some(now),
        };
        let counters = &mut self.counters[index];
        match complete {
            Some(at) => {
                let is_packet = burst == 1 && !response;
                counters.complete(at - started, flow.deadline_cycles, is_packet, digits);
            }
            None => counters.deliver_part(),
        }
    }
}

/// A packet that waits in a FIFO.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    generated: u64,
    flow: u32,
    /// Its index in the arena, or [`UNDRAWN`]: most packets of an overloaded flow never get that far.
    packet: u32,
}

const UNDRAWN: u32 = u32::MAX;

/// In place of a flow's number: an arrival of what an interface has coming.
const COMING: u32 = u32::MAX;

/// The same: a time-out of what has been lost.
const TIMEOUT: u32 = u32::MAX - 1;

/// The same: the node has something else to do.
const WAKE: u32 = u32::MAX - 2;

/// The same: a packet of a trace starts.
const TRACE: u32 = u32::MAX - 3;

/// The FIFOs of one class, one per priority.
#[derive(Debug, Default, Clone)]
struct Levels {
    fifos: Box<[VecDeque<Waiting>]>,
    /// Which of them hold packets: a bit each.
    filled: Box<[u64]>,
}

impl Levels {
    fn new(levels: usize) -> Self {
        Self { fifos: vec![VecDeque::new(); levels].into(), filled: vec![0; levels.div_ceil(64)].into() }
    }

    #[inline]
    fn mark(&mut self, level: u8) {
        let (word, bit) = (usize::from(level) / 64, 1 << (level % 64));
        if self.fifos[usize::from(level)].is_empty() {
            self.filled[word] &= !bit;
        } else {
            self.filled[word] |= bit;
        }
    }

    /// Appends a packet: oldest first, of one cycle the lowest flow first.
    #[inline]
    fn push(&mut self, level: u8, waiting: Waiting) {
        let fifo = &mut self.fifos[usize::from(level)];
        let mut place = fifo.len();
        while place > 0 && (fifo[place - 1].generated, fifo[place - 1].flow) > (waiting.generated, waiting.flow) {
            place -= 1;
        }
        if place == fifo.len() {
            fifo.push_back(waiting)
        } else {
            fifo.insert(place, waiting)
        }
        self.mark(level);
    }

    /// Puts a packet back where it was: before all that are not older. Others may have inherited its priority meanwhile.
    fn put_back(&mut self, level: u8, waiting: Waiting) {
        let fifo = &mut self.fifos[usize::from(level)];
        let older = |other: &Waiting| (other.generated, other.flow) < (waiting.generated, waiting.flow);
        fifo.insert(fifo.partition_point(older), waiting);
        self.mark(level);
    }

    /// Takes out a packet, which is nearly always the first one.
    #[inline]
    fn remove(&mut self, level: u8, packet: u32) {
        let fifo = &mut self.fifos[usize::from(level)];
        let place = fifo.iter().position(|waiting| waiting.packet == packet).expect("the head waits in its FIFO");
        fifo.remove(place);
        self.mark(level);
    }

    #[inline]
    fn front(&self, level: u8) -> Option<&Waiting> {
        self.fifos[usize::from(level)].front()
    }

    /// The levels that hold packets.
    #[inline]
    fn set(&self) -> [u64; 4] {
        let mut set = [0; 4];
        for (word, &filled) in set.iter_mut().zip(&self.filled) {
            *word = filled;
        }
        set
    }

    fn heap_bytes(&self) -> usize {
        let held: usize = self.fifos.iter().map(|fifo| fifo.capacity() * size_of::<Waiting>()).sum();
        held + size_of_val(&*self.fifos) + size_of_val(&*self.filled)
    }
}

/// The highest level in a set.
#[inline]
fn highest(set: &[u64; 4]) -> Option<u8> {
    (0..4).rev().find(|&word| set[word] != 0).map(|word| (word * 64) as u8 + 63 - set[word].leading_zeros() as u8)
}

/// A packet that waits to be sent again.
#[derive(Debug, Clone, Copy)]
struct Refused {
    packet: u32,
    class: Class,
    priority: u8,
    /// Cycle of its busy echo.
    at: u64,
    /// Cycle from which it may be sent.
    ready: u64,
}

/// What a head is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The first of its FIFO.
    Fifo,
    /// A refused packet.
    Retry,
}

/// A packet that is the first of its class and priority.
#[derive(Debug, Clone, Copy)]
struct First {
    class: Class,
    /// Level of its FIFO; inheritance may have raised the packet itself.
    priority: u8,
    origin: Origin,
    /// In the arena, or [`UNDRAWN`].
    packet: u32,
    generated: u64,
}

/// A packet that has left the queue for a ticket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticketed {
    pub(crate) packet: u32,
    /// Level of its FIFO.
    level: u8,
    /// What it was among the refused packets.
    refused: Option<Refused>,
}

/// One node's transmit queue.
#[derive(Debug, Clone)]
pub(crate) struct TransmitQueue {
    node: u32,
    /// Numbers of the node's flows.
    own: Box<[u32]>,
    /// The highest priority that a head may have.
    top: u8,
    /// Next arrival of each flow that is not saturated, with its number.
    arrivals: BinaryHeap<Reverse<(u64, u32)>>,
    /// Cycle up to which arrivals and responses have been taken.
    taken: u64,
    classes: [Levels; 2],
    head: Option<First>,
    head_is_fixed: bool,
    /// Cycle since which the head has been head.
    head_since: u64,
    /// Packets of each class sent and not yet accepted.
    outstanding: [u32; 2],
    /// Responses created and not yet accepted.
    responses: u32,
    /// Transactions begun and not yet complete.
    begun: u32,
    /// Class of the packet that left last.
    last_left: Class,
    /// Refused packets, first refused first.
    retries: VecDeque<Refused>,
    /// Next cycle in which something may change the head: an arrival, a retry getting ready.
    pub(crate) next_event: u64,
    /// Does every arrival count, even one that cannot become head (PPQ's inheritance)?
    pub(crate) every_arrival_counts: bool,
    /// Requests that wait, head included.
    requests: u64,
    pub(crate) population: Population,
    /// Slots that hold what is sent until it is accepted, in a network.
    pub(crate) interface: Option<Box<Interface>>,
}

impl TransmitQueue {
    /// `levels`: of the priorities of all flows of the network.
    pub(crate) fn new(node: u32, own: Vec<u32>, priorities: &[u8], levels: usize, responds: bool) -> Self {
        let top = own.iter().map(|&flow| priorities[flow as usize]).max().unwrap_or(0);
        let requests = if own.is_empty() { 0 } else { usize::from(top) + 1 };
        Self {
            node,
            next_event: if own.is_empty() { NEVER } else { 0 },
            own: own.into(),
            top,
            arrivals: BinaryHeap::new(),
            taken: 0,
            classes: [Levels::new(requests), Levels::new(if responds { levels } else { 0 })],
            head: None,
            head_is_fixed: false,
            every_arrival_counts: false,
            head_since: 0,
            outstanding: [0; 2],
            responses: 0,
            begun: 0,
            last_left: Class::Response,
            retries: VecDeque::new(),
            requests: 0,
            population: Population::default(),
            interface: None,
        }
    }

    /// The same for an interface with slots.
    pub(crate) fn with_slots(mut self, interface: Interface, levels: usize, responds: bool) -> Self {
        self.classes = [Levels::new(levels), Levels::new(if responds { levels } else { 0 })];
        self.top = levels.saturating_sub(1) as u8;
        self.every_arrival_counts = true;
        self.next_event = 0;
        self.interface = Some(Box::new(interface));
        self
    }

    /// The same on a ring whose links have errors, or where busy echoes are held back.
    pub(crate) fn with_events(mut self) -> Self {
        self.every_arrival_counts = true;
        self
    }

    /// Takes in what is generated at cycle 0, where saturated flows have their first packet.
    pub(crate) fn start(&mut self, all: &mut Flows) {
        for place in 0..self.own.len() {
            let flow = self.own[place];
            match all.flows[flow as usize].source.next_arrival() {
                None => self.generate_saturated(all, flow, 0),
                Some(at) => {
                    self.arrivals.push(Reverse((at, flow)));
                    self.take_arrivals(all, 0);
                }
            }
        }
    }

    #[inline]
    fn generate_saturated(&mut self, all: &mut Flows, flow: u32, now: u64) {
        all.counters[flow as usize].generated_packets += 1;
        if let Some(filler) = self.interface.as_mut().and_then(|interface| interface.filler()) {
            filler.wait(now, flow);
            return self.fill_slots(all, now);
        }
        self.enqueue(
            Class::Request,
            all.flows[flow as usize].priority,
            Waiting { generated: now, flow, packet: UNDRAWN },
        );
    }

    #[inline]
    fn enqueue(&mut self, class: Class, level: u8, waiting: Waiting) {
        self.population.enter(waiting.generated);
        self.requests += u64::from(class == Class::Request);
        self.classes[class as usize].push(level, waiting);
    }

    /// Could the head change in the cycle in which this packet is accepted?
    #[inline]
    pub(crate) fn waits_for(&self, all: &Flows, packet: u32) -> bool {
        let class = all.packets[packet].class;
        self.outstanding[class as usize] == all.outstanding_limit
            || (class == Class::Response && self.responses == all.response_capacity)
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
        let filling = self.interface.as_ref().is_some_and(|interface| interface.is_filling());
        self.head.is_some() || !self.retries.is_empty() || self.population.inside() > 0 || filling
    }

    /// Does a refused packet wait for the end of its retry delay?
    pub(crate) fn has_delayed_retry(&self, now: u64) -> bool {
        self.retries.iter().any(|refused| refused.ready > now)
    }

    /// May a response be created?
    #[inline]
    pub(crate) fn has_response_place(&self, all: &Flows) -> bool {
        self.responses < all.response_capacity
    }

    /// The head is being sent and stays.
    #[inline]
    pub(crate) fn fix_head(&mut self) {
        self.head_is_fixed = true;
        self.next_event = NEVER;
    }

    /// What is known at cycle `now` may be a better head.
    #[inline]
    pub(crate) fn choose_again(&mut self, now: u64) {
        if !self.head_is_fixed {
            self.next_event = self.next_event.min(now);
        }
    }

    /// Takes in all arrivals up to cycle `now`, in order.
    #[inline]
    pub(crate) fn take_arrivals(&mut self, all: &mut Flows, now: u64) {
        while let Some(&Reverse((at, flow))) = self.arrivals.peek()
            && at <= now
        {
            self.take_arrival(all, flow);
        }
        self.taken = self.taken.max(now);
    }

    /// Takes in the next arrival of a flow; a full queue loses it.
    fn take_arrival(&mut self, all: &mut Flows, flow: u32) {
        if flow >= TRACE {
            self.arrivals.pop();
            return match flow {
                COMING => self.take_coming(),
                TIMEOUT => self.time_out(all),
                TRACE => self.start_traced(all),
                _ => {}
            };
        }
        let source = &mut all.flows[flow as usize];
        if let Some(Some(closed)) = all.loops.get_mut(flow as usize) {
            self.arrivals.pop();
            closed.left = source.burst;
            let generated = closed.next;
            return self.arrive(all, flow, generated);
        }
        let generated = source.source.take_arrival();
        let next = source.source.next_arrival().expect("a flow with arrivals has a next one");
        *self.arrivals.peek_mut().expect("its arrival was on top") = Reverse((next, flow));
        self.arrive(all, flow, generated);
    }

    /// Packets of a flow are done in cycle `now`: with the last of a message a closed loop goes round.
    pub(crate) fn close_loop(&mut self, all: &mut Flows, flow: u32, packets: u32, now: u64) {
        let Some(Some(closed)) = all.loops.get_mut(flow as usize) else { return };
        closed.left -= packets;
        if closed.left == 0 {
            closed.next = now + closed.pause_cycles;
            self.arrivals.push(Reverse((closed.next, flow)));
            self.choose_again(closed.next);
        }
    }

    /// A flow's message arrives in cycle `generated`; a full queue loses it.
    #[inline]
    fn arrive(&mut self, all: &mut Flows, flow: u32, generated: u64) {
        let (source, counters) = (&all.flows[flow as usize], &mut all.counters[flow as usize]);
        let (burst, level) = (u64::from(source.burst), source.priority);
        counters.generated_packets += burst;
        if let Some(filler) = self.interface.as_mut().and_then(|interface| interface.filler()) {
            if filler.room(all.transmit_capacity) < burst {
                counters.lost_packets += burst;
                return self.close_loop(all, flow, burst as u32, generated);
            }
            (0..burst).for_each(|_| filler.wait(generated, flow));
            return self.fill_slots(all, generated);
        }
        if self.requests + burst > all.transmit_capacity {
            counters.lost_packets += burst;
            return self.close_loop(all, flow, burst as u32, generated);
        }
        for _ in 0..burst {
            self.enqueue(Class::Request, level, Waiting { generated, flow, packet: UNDRAWN });
        }
    }

    /// The service of a request that ended in cycle `now` creates its response.
    pub(crate) fn respond(&mut self, all: &mut Flows, request: &Received, now: u64) {
        if self.interface.is_some() {
            // They share the bus on which slots are filled.
            self.take_arrivals(all, now);
        }
        let destination = u32::from(request.source);
        let place = all.network.as_ref().map_or(request.source, |network| network.routes.place(request.source));
        // A response belongs to the group of the node that sends it.
        let group = self.own.first().map_or(0, |&flow| all.flows[flow as usize].group(destination, now));
        let packet = all.packets.insert(Packet {
            generated: now,
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
            granted: false,
            timeouts: 0,
            received: false,
            followed: false,
            events: 0,
            done: false,
        });
        self.responses += 1;
        if let Some(filler) = self.interface.as_mut().and_then(|interface| interface.filler()) {
            let ready = filler.fill(now);
            return self.announce(Coming { ready, packet, class: Class::Response, priority: request.priority });
        }
        self.taken = self.taken.max(now);
        // Responses stand in the order of their creation, whatever their flows.
        self.enqueue(Class::Response, request.priority, Waiting { generated: now, flow: 0, packet });
        self.choose_again(now);
    }

    /// A transaction of this node is complete.
    pub(crate) fn complete(&mut self, all: &Flows, now: u64) {
        let was_full = self.begun == all.window;
        self.begun -= 1;
        if was_full {
            self.choose_again(now);
        }
    }

    /// Takes the head, which has been sent completely in cycle `now`, out of the queue.
    pub(crate) fn leave(&mut self, all: &mut Flows, now: u64) -> u32 {
        let head = self.head.take().expect("a sent packet is the head");
        self.take_arrivals(all, now);
        self.head_is_fixed = false;
        self.last_left = head.class;
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
            let packet = &mut all.packets[head.packet];
            let flow = packet.flow;
            self.begun += u32::from(packet.response_symbols > 0);
            // A packet whose ticket is deleted comes back and leaves again.
            let followed = std::mem::replace(&mut packet.followed, true) || self.interface.is_some();
            if !followed && all.flows[flow as usize].is_saturated() {
                self.generate_saturated(all, flow, now);
            }
        }
        head.packet
    }

    fn remove_retry(&mut self, packet: u32) -> Refused {
        let place = self.retries.iter().position(|refused| refused.packet == packet);
        place.and_then(|place| self.retries.remove(place)).expect("a head that was refused is among the retries")
    }

    /// May new packets of a class be sent, and which levels may have a first packet?
    #[inline]
    fn levels(&self, all: &Flows, class: Class, now: u64) -> (bool, [u64; 4]) {
        let may_send_new = self.outstanding[class as usize] < all.outstanding_limit;
        let mut levels = if may_send_new { self.classes[class as usize].set() } else { [0; 4] };
        for refused in self.retries.iter().filter(|refused| refused.class == class && refused.ready <= now) {
            levels[usize::from(refused.priority) / 64] |= 1 << (refused.priority % 64);
        }
        (may_send_new, levels)
    }

    /// The best first packet of a class that the protocol lets be head.
    #[inline]
    fn first<P: FlowControl>(&mut self, all: &mut Flows, class: Class, now: u64, protocol: &P) -> Option<First> {
        let (may_send_new, mut levels) = self.levels(all, class, now);
        while let Some(level) = highest(&levels) {
            levels[usize::from(level) / 64] &= !(1 << (level % 64));
            let Some(mut first) = self.first_of_level(all, class, level, now, may_send_new) else { continue };
            // Of a class the highest priority counts, even if it may not be sent (todd2001, Section 2.1).
            if P::SELECTS {
                first.packet = self.draw(all, &first);
                return Some(first).filter(|first| protocol.is_eligible(&all.packets[first.packet]));
            }
            return Some(first);
        }
        None
    }

    #[inline]
    fn first_of_level(&self, all: &Flows, class: Class, level: u8, now: u64, may_send_new: bool) -> Option<First> {
        if let Some(interface) = &self.interface {
            return self.first_in_slots(interface, all, (class, level), now, may_send_new);
        }
        let ready = |refused: &&Refused| refused.class == class && refused.priority == level && refused.ready <= now;
        if let Some(refused) = self.retries.iter().find(ready) {
            let generated = all.packets[refused.packet].generated;
            return Some(First { class, priority: level, origin: Origin::Retry, packet: refused.packet, generated });
        }
        let &Waiting { generated, flow, packet } =
            self.classes[class as usize].front(level).filter(|_| may_send_new)?;
        // Arrivals may have been taken further than to this cycle.
        let waits = generated > now
            || (class == Class::Request && self.begun >= all.window && all.flows[flow as usize].response_symbols > 0);
        (!waits).then_some(First { class, priority: level, origin: Origin::Fifo, packet, generated })
    }

    /// Index of a first packet, which is drawn if it has not been.
    #[inline]
    fn draw(&mut self, all: &mut Flows, first: &First) -> u32 {
        if first.packet != UNDRAWN {
            return first.packet;
        }
        let waiting = &mut self.classes[first.class as usize].fifos[usize::from(first.priority)][0];
        let flow = &mut all.flows[waiting.flow as usize];
        let mut packet = flow.draw(self.node, waiting.flow, waiting.generated);
        if let Some(network) = &all.network {
            network.address(&mut packet);
        }
        waiting.packet = all.packets.insert(packet);
        waiting.packet
    }

    /// Chooses the head in cycle `now`, for which all arrivals have been taken; returns whether it changed.
    pub(crate) fn choose<P: FlowControl>(&mut self, all: &mut Flows, now: u64, protocol: &P) -> bool {
        debug_assert!(!self.head_is_fixed);
        let before = self.head();
        if P::SELECTS && before.is_some_and(|packet| !protocol.is_eligible(&all.packets[packet])) {
            self.head = None;
        }
        if self.interface.is_some() {
            // Whatever is ready now may be a better choice.
            self.head = None;
        }
        let responses_first = self.responses >= all.response_capacity && self.last_left == Class::Request;
        let rank = |first: &First| (responses_first && first.class == Class::Response, first.priority);
        let request = self.first(all, Class::Request, now, protocol);
        let response = self.first(all, Class::Response, now, protocol);
        let best = match (request, response) {
            (Some(request), Some(response)) => {
                let by_order = || match all.order {
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
        if let Some(mut best) = best
            && self.head.is_none_or(|head| rank(&best) > rank(&head))
        {
            best.packet = self.draw(all, &best);
            if best.origin == Origin::Fifo && best.class == Class::Request && self.interface.is_none() {
                let packet = &mut all.packets[best.packet];
                packet.group = all.flows[packet.flow as usize].group(u32::from(packet.end), now);
            }
            self.head = Some(best);
            self.head_since = now;
        }
        self.next_event = self.find_next_event(all, now);
        self.head() != before
    }

    /// The next cycle in which the head may change: with a head, only something better can change it. Nothing happens in a cycle too many.
    fn find_next_event(&self, all: &Flows, now: u64) -> u64 {
        let above = self.head.map(|head| head.priority);
        let matters = |priority: u8| self.interface.is_some() || above.is_none_or(|above| priority > above);
        let mut next = NEVER;
        for refused in self.retries.iter().filter(|refused| refused.ready > now) {
            let overrides = refused.class == Class::Response && self.responses >= all.response_capacity;
            if overrides || matters(refused.priority) {
                next = next.min(refused.ready);
            }
        }
        let may_be_head = matters(self.top) && self.outstanding[Class::Request as usize] < all.outstanding_limit;
        if (may_be_head || self.every_arrival_counts)
            && let Some(&Reverse((at, _))) = self.arrivals.peek()
        {
            next = next.min(at);
        }
        if self.taken > now {
            // Arrivals have been taken further than to this cycle.
            // Of a FIFO the first counts; with slots any may be chosen.
            let looked_at = if self.interface.is_some() { usize::MAX } else { 1 };
            let fifos = self.classes.iter().flat_map(|levels| levels.fifos.iter());
            let ahead = fifos.flat_map(|fifo| fifo.iter().take(looked_at)).map(|waiting| waiting.generated);
            next = ahead.filter(|&at| at > now).fold(next, u64::min);
        }
        next
    }

    /// What a protocol may see of the head.
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

    /// An echo says accepted: the packet's life at its source is over. Takes effect in cycle `now`. Returns whether a response place is free again.
    #[inline]
    pub(crate) fn accepted(&mut self, all: &mut Flows, packet: u32, now: u64) -> bool {
        let class = all.packets[packet].class;
        if !all.loops.is_empty() {
            self.close_loop_of(all, packet, now);
        }
        if self.interface.is_some() {
            self.free_slot(all, packet, class, now);
        }
        all.packets.remove(packet);
        let was_full = self.outstanding[class as usize] == all.outstanding_limit;
        self.outstanding[class as usize] -= 1;
        if was_full {
            self.choose_again(now);
        }
        if class == Class::Request || self.is_port() {
            return false;
        }
        self.responses -= 1;
        let is_free_again = self.responses + 1 == all.response_capacity;
        if is_free_again {
            // Responses no longer go first.
            self.choose_again(now);
        }
        is_free_again
    }

    /// A packet has been accepted, which may be all that its flow waits for.
    #[inline(never)]
    fn close_loop_of(&mut self, all: &mut Flows, packet: u32, now: u64) {
        let Packet { flow, class, response_symbols, .. } = all.packets[packet];
        if class == Class::Request && response_symbols == 0 && !self.is_port() {
            self.close_loop(all, flow, 1, now);
        }
    }

    /// An echo says busy: the packet will be sent again. Takes effect in cycle `now`.
    pub(crate) fn refused(&mut self, all: &mut Flows, packet: u32, now: u64) {
        let Packet { class, priority, refusals, .. } = all.packets[packet];
        all.packets[packet].refusals = refusals + 1;
        // The receiver may have waited already.
        let waits = all.network.as_ref().is_none_or(|network| network.held_echoes.is_empty());
        let ready = if waits { now.saturating_add(delay(&all.retry, refusals + 1)) } else { now };
        // Time-outs of later cycles, and of this one, may have been noticed.
        let place = self.retries.iter().rposition(|other| other.at < now).map_or(0, |place| place + 1);
        self.retries.insert(place, Refused { packet, class, priority, at: now, ready });
        self.choose_again(ready);
    }

    /// The highest-priority first packet of a class, if it has this destination and no grant: its index and priority.
    pub(crate) fn candidate(&mut self, all: &mut Flows, class: Class, destination: u16, now: u64) -> Option<(u32, u8)> {
        let (may_send_new, mut levels) = self.levels(all, class, now);
        while let Some(level) = highest(&levels) {
            levels[usize::from(level) / 64] &= !(1 << (level % 64));
            let first = match self.head.filter(|head| (head.class, head.priority) == (class, level)) {
                // It is being sent: it does not wait any more.
                Some(_) if self.head_is_fixed => continue,
                // Even if a retry has become ready since.
                Some(head) => head,
                None => match self.first_of_level(all, class, level, now, may_send_new) {
                    Some(first) => first,
                    None => continue,
                },
            };
            let packet = self.draw(all, &first);
            let Packet { destination: to, granted, .. } = all.packets[packet];
            return (to == destination && !granted).then_some((packet, level));
        }
        None
    }

    /// Takes the head out of the queue for a ticket, and chooses the next one.
    pub(crate) fn take_for_ticket(&mut self, all: &mut Flows, now: u64) -> Option<Ticketed> {
        let head = self.head.filter(|_| !self.head_is_fixed)?;
        let refused = (head.origin == Origin::Retry).then(|| {
            *self.retries.iter().find(|refused| refused.packet == head.packet).expect("the head of a retry is one")
        });
        let packet = self.leave(all, now);
        self.choose(all, now, &NoFlowControl);
        Some(Ticketed { packet, level: head.priority, refused })
    }

    /// A ticket was deleted: its packet goes back to where it was.
    pub(crate) fn put_back(&mut self, all: &mut Flows, ticketed: Ticketed, now: u64) {
        let packet = &all.packets[ticketed.packet];
        let class = packet.class as usize;
        if let Some(refused) = ticketed.refused {
            let place = self.retries.partition_point(|other| other.at < refused.at);
            self.retries.insert(place, refused);
        } else {
            self.outstanding[class] -= 1;
            self.population.enter(now);
            if packet.class == Class::Request {
                self.requests += 1;
                self.begun -= u32::from(packet.response_symbols > 0);
            }
            let flow = if packet.class == Class::Request { packet.flow } else { 0 };
            let waiting = Waiting { generated: packet.generated, flow, packet: ticketed.packet };
            self.classes[class].put_back(ticketed.level, waiting);
        }
        // It is older than a head of its kind, which has to wait for it.
        let level = ticketed.refused.map_or(ticketed.level, |refused| refused.priority);
        let is_younger = |head: &First| (head.class as usize, head.priority) == (class, level);
        if !self.head_is_fixed && self.head.as_ref().is_some_and(is_younger) {
            self.head = None;
        }
        self.choose_again(now);
    }

    /// The responses that wait inherit a priority.
    pub(crate) fn raise_responses(&mut self, all: &mut Flows, priority: u8, now: u64) {
        let levels = &mut self.classes[Class::Response as usize];
        for level in 0..usize::from(priority).min(levels.fifos.len()) {
            for waiting in std::mem::take(&mut levels.fifos[level]) {
                all.packets[waiting.packet].priority = priority;
                levels.push(priority, waiting);
            }
            levels.mark(level as u8);
        }
        for refused in self.retries.iter_mut().filter(|refused| refused.class == Class::Response) {
            refused.priority = refused.priority.max(priority);
            all.packets[refused.packet].priority = refused.priority;
        }
        if let Some(head) = self.head.as_mut().filter(|head| head.class == Class::Response) {
            head.priority = head.priority.max(priority);
        }
        self.choose_again(now);
    }

    /// Raises a refused packet that waits to be sent again.
    pub(crate) fn raise_retry(&mut self, packet: u32, priority: u8) {
        for refused in self.retries.iter_mut().filter(|refused| refused.packet == packet) {
            refused.priority = priority;
        }
        if let Some(head) = self.head.as_mut().filter(|head| head.packet == packet) {
            head.priority = priority;
        }
    }

    /// Priority of the packet that would be next if a class's outstanding limit were not reached; `None`: it is not, or nothing waits.
    pub(crate) fn held_by_limit(&self, all: &Flows, class: Class) -> Option<u8> {
        let is_full = self.outstanding[class as usize] >= all.outstanding_limit;
        highest(&self.classes[class as usize].set()).filter(|_| is_full)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let retries = self.retries.capacity() * size_of::<Refused>();
        let classes: usize = self.classes.iter().map(Levels::heap_bytes).sum();
        let interface = self.interface.as_ref().map_or(0, |held| size_of::<Interface>() + held.heap_bytes());
        interface
            + retries
            + classes
            + self.arrivals.capacity() * size_of::<Reverse<(u64, u32)>>()
            + size_of_val(&*self.own)
    }
}

/// With slots.
impl TransmitQueue {
    fn is_port(&self) -> bool {
        self.interface.as_ref().is_some_and(|interface| interface.is_port())
    }

    /// The port that it is.
    #[inline]
    pub(crate) fn port(&self) -> Option<&Port> {
        self.interface.as_ref().and_then(|interface| interface.port())
    }

    #[inline]
    pub(crate) fn port_mut(&mut self) -> Option<&mut Port> {
        self.interface.as_mut().and_then(|interface| interface.port_mut())
    }

    /// A packet comes through the switch and is ready in a later cycle.
    pub(crate) fn forward(&mut self, all: &mut Flows, ready: u64, transit: &Transit) {
        let network = all.network.as_ref().expect("only rings of a network have ports");
        let packet = network.packet(transit, self.node as u16);
        let (class, priority) = (packet.class, packet.priority);
        self.announce(Coming { ready, packet: all.packets.insert(packet), class, priority });
    }

    /// The emission of a packet begins.
    #[inline]
    pub(crate) fn sends(&mut self, again: bool) {
        if let Some(interface) = &mut self.interface {
            interface.sent(again);
        }
    }

    /// Idles that pass are looked at in this cycle.
    pub(crate) fn wake(&mut self, cycle: u64) {
        self.arrivals.push(Reverse((cycle, WAKE)));
        self.choose_again(cycle);
    }

    fn announce(&mut self, coming: Coming) {
        let interface = self.interface.as_mut().expect("what comes has a slot");
        self.arrivals.push(Reverse((coming.ready, COMING)));
        interface.await_packet(coming);
        self.choose_again(coming.ready);
    }

    fn take_coming(&mut self) {
        let interface = self.interface.as_mut().expect("what comes has a slot");
        let Coming { ready, packet, class, priority } = interface.take_coming();
        // A host's request has taken its slot already.
        if interface.is_port() || class == Class::Response {
            interface.take_slot(packet);
        }
        self.enqueue(class, priority, Waiting { generated: ready, flow: 0, packet });
    }

    /// Requests that wait take the free slots in cycle `now`.
    fn fill_slots(&mut self, all: &mut Flows, now: u64) {
        while let Some(filler) = self.interface.as_mut().and_then(|interface| interface.filler())
            && let Some((generated, flow)) = filler.next()
        {
            let ready = filler.fill(now);
            let source = &mut all.flows[flow as usize];
            let mut packet = source.draw(self.node, flow, generated);
            packet.group = source.group(u32::from(packet.end), now);
            if source.is_saturated() {
                all.counters[flow as usize].generated_packets += 1;
                filler.wait(now, flow);
            }
            if let Some(network) = &all.network {
                network.address(&mut packet);
            }
            let priority = packet.priority;
            let packet = all.packets.insert(packet);
            self.interface.as_mut().expect("it was just there").take_slot(packet);
            self.announce(Coming { ready, packet, class: Class::Request, priority });
        }
    }

    /// A packet has been accepted: its slot is free for what waits.
    fn free_slot(&mut self, all: &mut Flows, packet: u32, class: Class, now: u64) {
        // What arrived before found it taken.
        self.take_arrivals(all, now);
        self.interface.as_mut().expect("only interfaces have slots").free_slot(packet, class, now);
        self.fill_slots(all, now);
    }

    /// What was lost since the node was visited last will be noticed.
    pub(crate) fn hear_of_losses(&mut self, all: &mut Flows) {
        let Some(errors) = all.network.as_mut().and_then(|network| network.errors.as_mut()) else { return };
        while let Some(noticed) = errors.hear(self.node as u16) {
            self.arrivals.push(Reverse((noticed, TIMEOUT)));
            self.choose_again(noticed);
        }
    }

    /// The sender of a lost packet notices it: it sends the packet again, or gives it up.
    fn time_out(&mut self, all: &mut Flows) {
        let errors = all.network.as_mut().and_then(|network| network.errors.as_mut()).expect("a loss is an error");
        let Loss { noticed, packet } = errors.take_first(self.node as u16, &all.packets);
        let lost = &mut all.packets[packet];
        let gives_up = lost.timeouts == errors.max_timeouts;
        errors.time_out(self.node as u16, gives_up, noticed);
        if !gives_up {
            lost.timeouts = lost.timeouts.saturating_add(1);
            lost.refusals += 1;
            let Packet { class, priority, .. } = *lost;
            let place = self.retries.partition_point(|other| other.at <= noticed);
            self.retries.insert(place, Refused { packet, class, priority, at: noticed, ready: noticed });
            return self.choose_again(noticed);
        }
        let number = lost.network_flow;
        let is_received = lost.received;
        if let Some(replay) = &mut all.replay
            && replay.is_traced(number)
            && !is_received
        {
            replay.vanishes();
        }
        let local = lost.flow as usize;
        if local < all.flows.len() {
            all.counters[local].give_up();
        } else if let Some(network) = &mut all.network {
            network.given_up.push(number);
        }
        let has_response_place = self.accepted(all, packet, noticed);
        if has_response_place && let Some(errors) = all.network.as_mut().and_then(|network| network.errors.as_mut()) {
            errors.free_response_place(self.node as u16, noticed);
        }
    }

    /// The packet of a class and level that is sent first.
    fn first_in_slots(
        &self,
        interface: &Interface,
        all: &Flows,
        (class, level): (Class, u8),
        now: u64,
        may_send_new: bool,
    ) -> Option<First> {
        let refused = self
            .retries
            .iter()
            .filter(|refused| (refused.class, refused.priority) == (class, level) && refused.ready <= now)
            .map(|refused| Candidate { packet: refused.packet, refused: true, at: refused.at });
        let window_full = class == Class::Request && self.begun >= all.window;
        let new = self.classes[class as usize].fifos[usize::from(level)]
            .iter()
            .filter(|waiting| may_send_new && waiting.generated <= now)
            .filter(|waiting| !window_full || all.packets[waiting.packet].response_symbols == 0)
            .map(|waiting| Candidate { packet: waiting.packet, refused: false, at: waiting.generated });
        let Candidate { packet, refused, at } = interface.choose(refused.chain(new))?;
        let origin = if refused { Origin::Retry } else { Origin::Fifo };
        Some(First { class, priority: level, origin, packet, generated: at })
    }
}

/// Cycles to wait after the `refusals`-th refusal (richter1997, Section 4.6).
pub(crate) fn delay(retry: &RetrySpec, refusals: u32) -> u64 {
    let start = retry.delay_cycles;
    match retry.strategy {
        RetryStrategy::Constant => start,
        RetryStrategy::Linear => start.saturating_mul(u64::from(refusals)),
        RetryStrategy::Exponential => start.saturating_mul(1u64.checked_shl(refusals - 1).unwrap_or(u64::MAX)),
    }
}

impl TransmitQueue {
    /// For exploration: a flow's message arrives in cycle `now`, although its source has not said so.
    pub(crate) fn generate(&mut self, all: &mut Flows, flow: u32, now: u64) {
        self.arrive(all, flow, now);
        self.taken = self.taken.max(now);
        self.choose_again(now);
    }

    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>) {
        let Self {
            node,
            own,
            top: _,
            every_arrival_counts: _,
            arrivals: _,
            taken,
            classes,
            head,
            head_is_fixed,
            head_since: _,
            outstanding,
            responses,
            begun,
            last_left,
            retries,
            next_event,
            requests,
            population: _,
            // Networks are not explored.
            interface: _,
        } = self;
        for &flow in own {
            encoder.flows.flows[flow as usize].encode(encoder);
            if let Some(&Some(Loop { pause_cycles: _, left, next })) = encoder.flows.loops.get(flow as usize) {
                encoder.put(left);
                encoder.due(next);
            }
        }
        encoder.due(*taken);
        for levels in classes {
            levels.encode(*node, encoder);
        }
        encoder.put(head.is_some());
        if let Some(First { class, priority, origin, packet, generated: _ }) = *head {
            encoder.put(class as u8);
            encoder.put(priority);
            encoder.put(origin == Origin::Retry);
            encoder.packet(packet);
        }
        encoder.put(*head_is_fixed);
        outstanding.iter().for_each(|&sent| encoder.put(sent));
        encoder.put(*responses);
        encoder.put(*begun);
        encoder.put(*last_left as u8);
        encoder.len(retries.len());
        retries.iter().for_each(|refused| refused.encode(*node, encoder));
        encoder.due(*next_event);
        encoder.held("a packet that waits to be sent", *requests > 0 || *responses > 0 || !retries.is_empty());
        encoder.held("a packet that waits for its echo", outstanding.iter().any(|&sent| sent > 0));
        encoder.held("a transaction", *begun > 0);
    }
}

impl Levels {
    fn encode(&self, node: u32, encoder: &mut Encoder<'_>) {
        let Self { fifos, filled: _ } = self;
        for fifo in fifos {
            encoder.len(fifo.len());
            for &Waiting { generated, flow, packet } in fifo {
                encoder.generated(node, generated);
                encoder.put(flow);
                encoder.put(packet == UNDRAWN);
                if packet != UNDRAWN {
                    encoder.packet(packet);
                }
            }
        }
    }
}

impl Refused {
    fn encode(&self, node: u32, encoder: &mut Encoder<'_>) {
        let &Self { packet, class, priority, at, ready } = self;
        encoder.packet(packet);
        encoder.put(class as u8);
        encoder.put(priority);
        if encoder.compares_refusals {
            encoder.order(node, 1, at);
        }
        encoder.due(ready);
    }
}

impl Ticketed {
    pub(crate) fn encode(&self, node: u32, encoder: &mut Encoder<'_>) {
        let Self { packet, level, refused } = self;
        encoder.packet(*packet);
        encoder.put(*level);
        encoder.put(refused.is_some());
        if let Some(refused) = refused {
            refused.encode(node, encoder);
        }
    }
}

impl Flow {
    /// Node it starts from.
    pub(crate) fn node(&self) -> u32 {
        self.source.node()
    }

    /// A message's number among those that are not complete; 0 for a flow of single packets.
    pub(crate) fn relative(&self, message: u32) -> u32 {
        self.open.as_ref().map_or(0, |open| message.wrapping_sub(open.first))
    }
}

impl Encode for Flow {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        let Self { source, priority: _, response_symbols: _, class: _, burst, deadline_cycles: _, drawn, open, groups } =
            self;
        source.encode(encoder);
        if source.draws() {
            encoder.put(*drawn);
        }
        if let Some(open) = open {
            let OpenMessages { left, first } = &**open;
            let begun = drawn / u64::from(*burst);
            encoder.put((begun as u32).wrapping_sub(*first));
            encoder.put(drawn % u64::from(*burst));
            encoder.len(left.len());
            left.iter().for_each(|&(left, _)| encoder.put(left));
        }
        if let GroupSpec::Schedule { steps } = groups {
            let later = encoder.to_come(steps);
            encoder.len(later.len());
            later.iter().for_each(|step| encoder.due(step.0));
        }
    }
}
