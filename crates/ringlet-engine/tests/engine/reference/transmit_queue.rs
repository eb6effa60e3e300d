//! A node's transmit queue: what its flows have generated, the responses it owes, refused packets, and the head.

use std::cmp::Reverse;

use ringlet_engine::spec::{
    ClassOrder, GroupSpec, NetworkSpec, ResponseTimeoutSpec, RetryBy, RetrySpec, RetryStrategy,
};

use super::flow::{Flow, group_in_force};
use super::packet::{Class, Packet};
use super::records::Records;
use super::reservation::Phase;
use super::symbol::{Kind, PacketSymbol};

/// A packet on the retry list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refused {
    packet: usize,
    /// Cycle of its last busy echo's last symbol, which no two packets of a node share, or in which it was missed.
    at: u64,
    /// First cycle in which it may be sent again.
    ready: u64,
}

/// A packet at the head, or taken from there to be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) packet: usize,
    pub(crate) class: Class,
    pub(crate) priority: u8,
    pub(crate) group: u8,
    /// Cycle in which it became head.
    pub(crate) since: u64,
    /// Where it came from, if it came from the retry list.
    refused: Option<Refused>,
}

impl Head {
    pub(crate) fn is_retry(&self) -> bool {
        self.refused.is_some()
    }

    /// A symbol of the packet as this node sends it.
    pub(crate) fn symbol(&self, node: u32, position: u32, records: &Records) -> PacketSymbol {
        let packet = &records.packets[self.packet];
        PacketSymbol {
            kind: if self.is_retry() { Kind::Retry } else { Kind::Send },
            packet: self.packet,
            source: node,
            target: packet.stripped_at,
            group: self.group,
            priority: packet.priority,
            phase: packet.phase,
            granted: packet.granted,
            position,
            length: packet.symbols,
        }
    }
}

/// The first packet of a class and priority.
#[derive(Debug, Clone, Copy)]
struct First {
    packet: usize,
    class: Class,
    priority: u8,
    generated: u64,
    refused: Option<Refused>,
}

/// A node's transmit queue and retry list.
#[derive(Debug)]
pub(crate) struct TransmitQueue {
    node: u32,
    capacity: Option<u32>,
    outstanding_limit: Option<u32>,
    window: Option<u32>,
    order: ClassOrder,
    response_timeout: Option<ResponseTimeoutSpec>,
    retry: RetrySpec,
    /// The receiver waits for the retry delay, not this node.
    receiver_waits: bool,
    /// In the order of the spec.
    flows: Vec<Flow>,
    /// Groups of its responses, if it has no flow and they are given.
    response_groups: Option<GroupSpec>,
    /// New packets that wait, in the order in which they were made.
    waiting: Vec<usize>,
    /// In the order of refusal.
    refused: Vec<Refused>,
    pub(crate) head: Option<Head>,
    /// By class: packets sent and not yet accepted, in the order of their first transmissions.
    pub(crate) unaccepted: [Vec<usize>; 2],
    /// Transactions with a response begun and not complete.
    begun: u32,
    /// Accepted requests, and the cycles in which the times for their responses are over.
    awaited: Vec<(u64, usize)>,
    /// Class of the packet that left last.
    last_left: Class,
    /// While as many responses as may be are pending, they always go before requests, and not in turn.
    pub(crate) prefers_responses: bool,
    /// A packet of a lower priority may be head where one of a higher priority may not.
    pub(crate) levels_apart: bool,
    /// Most packets just after one was taken in.
    pub(crate) max: u64,
}

impl TransmitQueue {
    pub(crate) fn new(spec: &NetworkSpec, node: u32) -> Self {
        let flows = spec.flows.iter().enumerate().filter(|(_, flow)| flow.source == node);
        let own = spec.queues.limits.of(node);
        Self {
            node,
            capacity: own.transmit_capacity,
            outstanding_limit: own.outstanding_limit,
            window: own.window,
            order: spec.queues.order,
            response_timeout: spec.queues.response_timeout,
            retry: own.retry,
            receiver_waits: spec.network.as_ref().is_some_and(|network| network.retry_by == RetryBy::Responder),
            flows: flows.map(|(index, flow)| Flow::new(spec, index, flow)).collect(),
            response_groups: spec.response_groups.as_ref().map(|each| each[node as usize].clone()),
            waiting: Vec::new(),
            refused: Vec::new(),
            head: None,
            unaccepted: [Vec::new(), Vec::new()],
            begun: 0,
            awaited: Vec::new(),
            last_left: Class::Response,
            prefers_responses: false,
            levels_apart: false,
            max: 0,
        }
    }

    /// New packets at the head and waiting; refused packets never.
    fn new_packets(&self) -> impl Iterator<Item = usize> {
        let head = self.head.filter(|head| !head.is_retry()).map(|head| head.packet);
        self.waiting.iter().copied().chain(head)
    }

    /// Packets in the queue, responses included, refused packets never.
    pub(crate) fn len(&self) -> u64 {
        self.new_packets().count() as u64
    }

    // --- What comes in --------------------------------------------------------------------------------------------

    /// Takes in the arrivals of cycle `cycle`, flow by flow; those that do not find room for all their packets are lost
    /// (a saturated flow loses none).
    pub(crate) fn take_arrivals(&mut self, cycle: u64, records: &mut Records) {
        for place in 0..self.flows.len() {
            for arrival in self.flows[place].take_arrivals(cycle) {
                let burst = self.flows[place].burst;
                let requests = self.new_packets().filter(|&packet| records.packets[packet].class == Class::Request);
                let after = requests.count() as u64 + u64::from(burst);
                if !self.flows[place].saturated && self.capacity.is_some_and(|capacity| after > u64::from(capacity)) {
                    let counts = &mut records.counts[self.flows[place].index];
                    counts.generated += u64::from(burst);
                    counts.lost += u64::from(burst);
                } else {
                    self.generate(place, arrival, records);
                }
            }
        }
    }

    /// An arrival of a flow.
    fn generate(&mut self, place: usize, cycle: u64, records: &mut Records) {
        let flow = &mut self.flows[place];
        records.counts[flow.index].generated += u64::from(flow.burst);
        let message = records.add_message(cycle, flow.burst);
        for _ in 0..self.flows[place].burst {
            let packet = self.flows[place].draw(message, cycle);
            self.enter(records.add_packet(packet));
        }
    }

    fn enter(&mut self, packet: usize) {
        self.waiting.push(packet);
        self.max = self.max.max(self.len());
    }

    /// Creates the response to a request, which now has this priority.
    pub(crate) fn respond(&mut self, request: usize, priority: u8, cycle: u64, records: &mut Records) {
        let Packet { flow, message, source, response_symbols, .. } = records.packets[request];
        let groups = self.flows.first().map(|flow| &flow.spec.groups).or(self.response_groups.as_ref());
        let response = Packet {
            class: Class::Response,
            flow,
            message,
            source: self.node,
            destination: source,
            stripped_at: source,
            symbols: response_symbols.expect("a request that needs a response"),
            response_symbols: None,
            priority,
            generated: cycle,
            queued: cycle,
            refusals: 0,
            timeouts: 0,
            accepted: false,
            group: groups.map_or(0, |groups| group_in_force(groups, source, cycle)),
            phase: Phase::NoTry,
            granted: false,
            turned_away: false,
            has_left: false,
            output_inversion: 0,
            repeats: 0,
            first: None,
            open: false,
            answers: Some(request),
            refused_since: None,
        };
        self.enter(records.add_packet(response));
    }

    /// An echo takes effect.
    pub(crate) fn take_echo(&mut self, cycle: u64, packet: usize, accepted: bool, phase: Phase, records: &mut Records) {
        if accepted {
            records.count_accepted(packet);
            return self.let_go(cycle, packet, records);
        }
        let number = packet;
        let packet = &mut records.packets[packet];
        packet.phase = phase;
        packet.refusals += 1;
        let delay = if self.receiver_waits { 0 } else { self.retry_delay(packet.refusals) };
        // Before what is missed in this cycle.
        let place = self.refused.partition_point(|other| other.at < cycle);
        self.refused.insert(place, Refused { packet: number, at: cycle, ready: cycle.saturating_add(delay) });
    }

    /// A packet was lost, or its echo was, which this node misses now: it sends the packet again, or gives it up once
    /// it has missed it more than so many times. Returns whether it does.
    pub(crate) fn miss(&mut self, cycle: u64, packet: usize, max_timeouts: u8, records: &mut Records) -> bool {
        let lost = &mut records.packets[packet];
        if lost.timeouts < max_timeouts {
            lost.timeouts = lost.timeouts.saturating_add(1);
            lost.refusals += 1;
            self.refused.push(Refused { packet, at: cycle, ready: cycle });
            return false;
        }
        records.counts[lost.flow].dropped += 1;
        self.forget(cycle, packet, records);
        true
    }

    /// Nothing waits for a packet's echo any more.
    pub(crate) fn let_go(&mut self, cycle: u64, packet: usize, records: &mut Records) {
        records.conclude(packet);
        self.forget(cycle, packet, records);
    }

    fn forget(&mut self, cycle: u64, packet: usize, records: &mut Records) {
        let class = records.packets[packet].class;
        self.unaccepted[class.index()].retain(|&other| other != packet);
        if let Some(ResponseTimeoutSpec { timeout_cycles, .. }) = self.response_timeout
            && records.packets[packet].open
        {
            self.awaited.push((cycle + timeout_cycles, packet));
        }
    }

    /// Cycles from the busy echo of a packet, its so many-th one, until it may be sent again.
    pub(crate) fn retry_delay(&self, refusals: u32) -> u64 {
        let start = self.retry.delay_cycles;
        match self.retry.strategy {
            RetryStrategy::Constant => start,
            RetryStrategy::Linear => start.saturating_mul(u64::from(refusals)),
            RetryStrategy::Exponential => start.saturating_mul(2u64.saturating_pow(refusals - 1)),
        }
    }

    /// A response for this node has been served; returns whether it has come in time.
    pub(crate) fn complete_transaction(&mut self, response: usize, records: &mut Records) -> bool {
        let request = records.packets[response].answers.expect("it answers a request");
        let in_time = std::mem::replace(&mut records.packets[request].open, false);
        if in_time {
            self.begun -= 1;
        } else {
            records.counts[records.packets[request].flow].late += 1;
        }
        in_time
    }

    /// Requests whose time for a response is over in this cycle are sent again, behind all others, or given up.
    pub(crate) fn time_out(&mut self, cycle: u64, records: &mut Records) {
        let Some(ResponseTimeoutSpec { max_repeats, .. }) = self.response_timeout else { return };
        let over: Vec<usize> = self.awaited.extract_if(.., |awaited| awaited.0 <= cycle).map(|over| over.1).collect();
        for number in over {
            if !std::mem::replace(&mut records.packets[number].open, false) {
                continue;
            }
            self.begun -= 1;
            let request = &records.packets[number];
            let (flow, repeats) = (request.flow, request.repeats);
            records.counts[flow].timed_out += 1;
            if repeats == max_repeats {
                records.counts[flow].unanswered += 1;
                continue;
            }
            let own = self.flows.iter().find(|own| own.index == flow).expect("a flow of this node");
            let again = Packet {
                queued: cycle,
                priority: own.priority(),
                refusals: 0,
                timeouts: 0,
                accepted: false,
                phase: Phase::NoTry,
                granted: false,
                output_inversion: 0,
                repeats: repeats + 1,
                first: Some(request.first.unwrap_or(number)),
                refused_since: None,
                ..request.clone()
            };
            self.enter(records.add_packet(again));
        }
    }

    // --- The head -------------------------------------------------------------------------------------------------

    /// The outstanding limit and the window allow this new packet.
    fn may_begin(&self, packet: &Packet) -> bool {
        let unaccepted = self.unaccepted[packet.class.index()].len();
        self.outstanding_limit.is_none_or(|limit| unaccepted < limit as usize)
            && (!packet.needs_response() || self.window.is_none_or(|window| self.begun < window))
    }

    /// Returns for each class and priority the ready retry that was refused first, else the oldest waiting packet, if
    /// it may be sent.
    fn firsts(&self, cycle: u64, records: &Records) -> Vec<First> {
        let kind = |packet: usize| (records.packets[packet].class, records.packets[packet].priority);
        let ready: Vec<Refused> = self.refused.iter().filter(|refused| refused.ready <= cycle).copied().collect();
        let all = self.waiting.iter().copied().chain(ready.iter().map(|refused| refused.packet));
        let mut kinds: Vec<(Class, u8)> = all.map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let first_of = |of: (Class, u8)| {
            let (class, priority) = of;
            let refused = ready.iter().filter(|refused| kind(refused.packet) == of).min_by_key(|refused| refused.at);
            if let Some(&refused) = refused {
                let (packet, generated) = (refused.packet, records.packets[refused.packet].generated);
                return Some(First { packet, class, priority, generated, refused: Some(refused) });
            }
            let age = |packet: &usize| match class {
                Class::Request => (records.packets[*packet].queued, records.packets[*packet].flow, *packet),
                Class::Response => (0, 0, *packet),
            };
            let oldest = self.waiting.iter().copied().filter(|&packet| kind(packet) == of).min_by_key(age)?;
            let packet = &records.packets[oldest];
            let first = First { packet: oldest, class, priority, generated: packet.queued, refused: None };
            self.may_begin(packet).then_some(first)
        };
        kinds.into_iter().filter_map(first_of).collect()
    }

    /// By how much a packet is better than another for reasons that make a head yield: smaller is better.
    fn rank(&self, class: Class, priority: u8, responses_first: bool) -> (bool, Reverse<u8>) {
        (responses_first && class == Class::Request, Reverse(priority))
    }

    /// Which class goes first at equal rank: smaller is better.
    fn turn(&self, class: Class, generated: u64) -> (u64, bool) {
        match self.order {
            ClassOrder::Alternate => (0, class == self.last_left),
            ClassOrder::ResponseFirst => (0, class == Class::Request),
            ClassOrder::RequestFirst => (0, class == Class::Response),
            ClassOrder::Oldest => (generated, class == Class::Response),
        }
    }

    /// Responses go before requests.
    fn responses_first(&self, pressed: bool) -> bool {
        pressed && (self.last_left == Class::Request || self.prefers_responses)
    }

    /// The response that would be head if there were no requests.
    pub(crate) fn first_response(&self, cycle: u64, records: &Records) -> Option<usize> {
        let head = self.head.filter(|head| head.class == Class::Response).map(|head| head.packet);
        let top = || self.tops(cycle, records).into_iter().find(|first| first.class == Class::Response);
        head.or_else(|| top().map(|first| first.packet))
    }

    /// That response takes the place of a request that is head.
    pub(crate) fn prefer_response(&mut self, cycle: u64, records: &Records) {
        if let Some(request) = self.head.take_if(|head| head.class == Class::Request) {
            self.put_back(request);
            self.choose_head(cycle, true, &|packet| packet.class == Class::Response, records);
        }
    }

    /// Returns for each class the first packet of the highest priority that has one.
    fn tops(&self, cycle: u64, records: &Records) -> Vec<First> {
        let firsts = self.firsts(cycle, records);
        let of_class = |class| firsts.iter().copied().filter(move |first| first.class == class);
        Class::BOTH.into_iter().filter_map(|class| of_class(class).max_by_key(|first| first.priority)).collect()
    }

    /// The best first among those that `eligible` allows.
    fn best(
        &self,
        cycle: u64,
        pressed: bool,
        eligible: &dyn Fn(&Packet) -> bool,
        records: &Records,
    ) -> Option<(First, (bool, Reverse<u8>))> {
        let responses_first = self.responses_first(pressed);
        let looked_at = if self.levels_apart { self.firsts(cycle, records) } else { self.tops(cycle, records) };
        let firsts = looked_at.into_iter().filter(|first| eligible(&records.packets[first.packet]));
        let ranked = firsts.map(|first| (first, self.rank(first.class, first.priority, responses_first)));
        ranked.min_by_key(|(first, rank)| (*rank, self.turn(first.class, first.generated)))
    }

    /// Chooses a head, if there is none and a packet may be sent. Its group is read now. `pressed`: as many responses
    /// as the node may have are pending.
    pub(crate) fn choose_head(
        &mut self,
        cycle: u64,
        pressed: bool,
        eligible: &dyn Fn(&Packet) -> bool,
        records: &Records,
    ) {
        if self.head.is_some() {
            return;
        }
        let Some((first, _)) = self.best(cycle, pressed, eligible, records) else { return };
        self.waiting.retain(|&packet| packet != first.packet);
        self.refused.retain(|refused| refused.packet != first.packet);
        let packet = &records.packets[first.packet];
        let flow = self.flows.iter().find(|flow| flow.index == packet.flow && packet.class == Class::Request);
        let group = match flow {
            Some(flow) if first.refused.is_none() => flow.group(packet.destination, cycle),
            _ => packet.group,
        };
        let First { class, priority, refused, .. } = first;
        self.head = Some(Head { packet: first.packet, class, priority, group, since: cycle, refused });
    }

    /// A head that is not eligible, or that a better packet could replace, goes back to where it was.
    pub(crate) fn yield_head(
        &mut self,
        cycle: u64,
        pressed: bool,
        eligible: &dyn Fn(&Packet) -> bool,
        records: &Records,
    ) {
        let Some(head) = self.head else { return };
        let own = self.rank(head.class, head.priority, self.responses_first(pressed));
        let better = self.best(cycle, pressed, eligible, records).is_some_and(|(_, rank)| rank < own);
        if better || !eligible(&records.packets[head.packet]) {
            self.head = None;
            self.put_back(head);
        }
    }

    fn put_back(&mut self, head: Head) {
        match head.refused {
            Some(refused) => {
                let place = self.refused.partition_point(|other| other.at < refused.at);
                self.refused.insert(place, refused);
            }
            None => self.waiting.push(head.packet),
        }
    }

    /// TRAIN: the ticket of a packet that had left is gone; it goes back to where it was, and with it a head of its
    /// class and priority that is not being sent: that is younger.
    pub(crate) fn take_back(&mut self, returned: Head, head_is_bound: bool, records: &mut Records) {
        if !returned.is_retry() {
            self.unaccepted[returned.class.index()].retain(|&packet| packet != returned.packet);
            self.begun -= u32::from(records.packets[returned.packet].needs_response());
            records.packets[returned.packet].open = false;
        }
        self.put_back(returned);
        let is_behind = |head: &mut Head| (head.class, head.priority) == (returned.class, returned.priority);
        if let Some(head) = self.head.take_if(|head| !head_is_bound && is_behind(head)) {
            self.put_back(head);
        }
        self.max = self.max.max(self.len());
    }

    // --- What goes out --------------------------------------------------------------------------------------------

    /// The first symbol of a packet, the head or one taken from there, is emitted.
    pub(crate) fn start(head: Head, records: &mut Records) {
        let packet = &mut records.packets[head.packet];
        packet.group = head.group;
        let counts = &mut records.counts[packet.flow];
        if head.is_retry() {
            counts.retries += 1;
            counts.retry_symbols += u64::from(packet.symbols);
        } else {
            counts.sent += 1;
        }
    }

    /// The head leaves: it has been sent or, in TRAIN, a ticket has taken it. It is outstanding from now on; its flow,
    /// if saturated, generates the next packet.
    pub(crate) fn leave_head(&mut self, cycle: u64, records: &mut Records) -> Head {
        let head = self.head.take().expect("a head");
        self.last_left = head.class;
        let packet = &mut records.packets[head.packet];
        if !head.is_retry() {
            self.unaccepted[head.class.index()].push(head.packet);
            self.begun += u32::from(packet.needs_response());
            packet.open = packet.needs_response();
        }
        let flow = packet.flow;
        if packet.class == Class::Request && !packet.has_left {
            packet.has_left = true;
            let place = self.flows.iter().position(|of| of.index == flow).expect("a flow of this node");
            if self.flows[place].saturated {
                self.generate(place, cycle, records);
            }
        }
        head
    }

    // --- Priorities -----------------------------------------------------------------------------------------------

    /// The first of the highest priority of a class that has one. The head is the first of its class and priority,
    /// unless it is being sent, which leaves these without.
    pub(crate) fn candidate(&self, cycle: u64, class: Class, head_is_bound: bool, records: &Records) -> Option<usize> {
        let head = self.head.filter(|head| head.class == class);
        let others = self
            .firsts(cycle, records)
            .into_iter()
            .filter(|first| first.class == class && head.is_none_or(|head| head.priority != first.priority));
        let others = others.map(|first| (first.priority, first.packet));
        let head = head.filter(|_| !head_is_bound).map(|head| (head.priority, head.packet));
        others.chain(head).max().map(|(_, packet)| packet)
    }

    /// The highest priority among the new packets of a class.
    pub(crate) fn highest_waiting(&self, class: Class, records: &Records) -> Option<u8> {
        let packets = self.waiting.iter().map(|&packet| &records.packets[packet]);
        packets.filter(|packet| packet.class == class).map(|packet| packet.priority).max()
    }

    /// Returns whether as many packets of a class as may be are sent and not yet accepted.
    pub(crate) fn is_at_limit(&self, class: Class) -> bool {
        self.outstanding_limit.is_some_and(|limit| self.unaccepted[class.index()].len() >= limit as usize)
    }

    /// A packet of this node, wherever it is, inherits a priority.
    pub(crate) fn raise(&mut self, packet: usize, priority: u8, records: &mut Records) {
        let own = &mut records.packets[packet].priority;
        *own = (*own).max(priority);
        if let Some(head) = self.head.as_mut().filter(|head| head.packet == packet) {
            head.priority = head.priority.max(priority);
        }
    }

    // --- Invariants -----------------------------------------------------------------------------------------------

    /// Every refused packet is outstanding, and no limit is exceeded.
    pub(crate) fn check(&self, records: &Records) {
        let head = self.head.filter(Head::is_retry).map(|head| head.packet);
        for packet in self.refused.iter().map(|refused| refused.packet).chain(head) {
            let unaccepted = &self.unaccepted[records.packets[packet].class.index()];
            assert!(unaccepted.contains(&packet), "node {}: refused packet {packet} is not outstanding", self.node);
        }
        for unaccepted in &self.unaccepted {
            let count = unaccepted.len();
            let allowed = self.outstanding_limit.is_none_or(|limit| count <= limit as usize);
            assert!(allowed, "node {}: {count} packets outstanding", self.node);
        }
        let allowed = self.window.is_none_or(|window| self.begun <= window);
        assert!(allowed, "node {}: {} transactions begun", self.node, self.begun);
    }

    /// Packets on the retry list.
    pub(crate) fn refused(&self) -> impl Iterator<Item = usize> {
        self.refused.iter().map(|refused| refused.packet)
    }
}
