//! The state that the hosts of a ring share.

use crate::hosts::flow::{Flow, Groups};
use crate::hosts::injection::{Outcome, PacketEvent};
use crate::hosts::link_errors::Errors;
use crate::hosts::messages::Begun;
use crate::hosts::prompted::{Followers, Prompted};
use crate::hosts::receivers::Receivers;
use crate::hosts::replay::Replay;
use crate::hosts::ring_context::RingContext;
use crate::hosts::transactions::Transactions;
use crate::queues::Received;
use crate::results::{Delivered, DestinationCounters, ErrorKind, FlowCounters, Inverted, MessageCounters, PacketView};
use crate::spec::ClassOrder;
use crate::values::{Class, Encoder, GivenUp, Marks, Packet, Packets, Phase, RemoteInversion, UNDRAWN};

/// The packets of a ring, where they come from, and what limits its hosts.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Hosts {
    pub(crate) flows: Vec<Flow>,
    /// Flows whose deliveries this ring counts: its own ones, or none where packets take either of two rings.
    pub(crate) counted_here: usize,
    pub(crate) counters: Vec<FlowCounters>,
    pub(crate) packets: Packets,
    /// The part of each flow whose messages packets prompt; empty if there is none.
    pub(crate) prompted: Vec<Option<Prompted>>,
    /// Flows that follow others, if any does.
    pub(crate) followers: Option<Box<Followers>>,
    /// Transmission groups of the responses at each place, for places without a flow; empty: by the context, else 0.
    pub(crate) response_groups: Box<[Groups]>,
    /// Do destinations send echoes?
    pub(crate) echoes: bool,
    pub(crate) order: ClassOrder,
    /// Do receivers reserve places for refused packets?
    pub(crate) reservation: bool,
    /// Does a retry delay depend on how often a packet was refused?
    pub(crate) counts_refusals: bool,
    /// Surroundings of the ring, if it is one of a network.
    pub(crate) context: Option<Box<RingContext>>,
    /// Packets that have been handed in, of a trace or otherwise, if any may be.
    pub(crate) replay: Option<Box<Replay>>,
    /// Transactions that nodes have begun and whose responses they await, if they do so for a limited time.
    pub(crate) transactions: Option<Box<Transactions>>,
    /// Packets delivered here and not yet taken, if a program takes them.
    pub(crate) delivered: Option<Vec<Delivered>>,
    /// Does one of these, or a flow that follows others, concern packets that are delivered?
    pub(crate) follows_deliveries: bool,
}

impl Hosts {
    /// Packets that are delivered from now on are kept until they are taken, or are not.
    pub(crate) fn keep_deliveries(&mut self, keep: bool) {
        self.delivered = keep.then(Vec::new);
        let others = self.transactions.is_some() || self.followers.is_some();
        self.follows_deliveries = keep || self.replay.is_some() || others;
    }

    /// Does what is delivered act on both interfaces of its node?
    #[inline]
    pub(crate) fn crosses(&self) -> bool {
        self.context.as_ref().is_some_and(|network| network.crosses)
    }

    /// Transmission group of a response that the node at a place without a flow makes in cycle `now`.
    pub(super) fn response_group(&self, place: u32, destination: u32, now: u64) -> u8 {
        let given = self.response_groups.get(place as usize).map(|groups| groups.at(destination, now));
        let of_interface = || self.context.as_ref().map_or(0, |network| network.group(place as u16));
        given.unwrap_or_else(of_interface)
    }

    /// Flows that packets of the ring may be of, in the numbers of the network.
    pub(crate) fn network_flows(&self) -> usize {
        let traced = self.replay.as_ref().map_or(usize::MAX, |replay| replay.network_flows());
        self.context.as_ref().map_or(traced, |network| network.network_flows().min(traced))
    }

    /// Cycles of the network, if the ring is one of one, at a time of the ring.
    #[inline]
    pub(crate) fn cycles(&self, time: u64) -> u64 {
        self.context.as_ref().map_or(time, |network| network.clock.cycles(time))
    }

    /// The errors of the ring's links, if they have any.
    pub(crate) fn errors(&mut self) -> Option<&mut Errors> {
        self.context.as_mut().and_then(|network| network.errors.as_deref_mut())
    }

    /// A packet is sent in cycle `now`, by the routes of that cycle. One that was accepted before, whose echo was lost,
    /// goes where it was accepted.
    #[inline(never)]
    pub(crate) fn readdress(&mut self, packet: u32, now: u64) {
        let packet = &mut self.packets[packet];
        let Some(network) = self.context.as_ref().filter(|_| !packet.marks.contains(Marks::RECEIVED)) else { return };
        if let Some(place) = network.routes_of(packet.source).changed_place(packet.end, packet.destination, now) {
            (packet.destination, packet.phase) = (place, Phase::NoTry);
        }
    }

    /// Does a waiting packet of a flow, which may not have been drawn, need a response?
    pub(crate) fn needs_response(&self, flow: u32, packet: u32) -> bool {
        if packet == UNDRAWN {
            return self.flows[flow as usize].response_symbols > 0;
        }
        self.packets[packet].response_symbols > 0
    }

    /// Notes an error at a place in cycle `now`, for an observer.
    pub(crate) fn note_error(&mut self, place: u16, now: u64, packet: u32, error: ErrorKind) {
        let view = self.view(packet);
        if let Some(errors) = self.errors() {
            errors.note(place, now, view, error);
        }
    }

    /// A packet, as an observer sees it.
    pub(crate) fn view(&self, packet: u32) -> PacketView {
        let packet = &self.packets[packet];
        let Some(network) = &self.context else { return packet.view() };
        self.apart(network, packet.network_flow, network.view(packet))
    }

    /// A packet with another number of its message than one that the other interface of its node has sent.
    fn apart(&self, network: &RingContext, network_flow: u32, view: PacketView) -> PacketView {
        let is_second = network_flow >= network.second_flow;
        if network.second_flow == u32::MAX || self.replay.as_ref().is_some_and(|it| it.is_handed_in(network_flow)) {
            return view;
        }
        // Each interface numbers its own messages from 0: an observer would take two packets for one.
        PacketView { message: view.message.wrapping_mul(2) + u32::from(is_second), ..view }
    }

    /// A packet that a place has received, as an observer sees it.
    pub(crate) fn view_received(&self, received: &Received, place: u16) -> PacketView {
        let Some(network) = &self.context else { return received.view(place) };
        self.apart(network, received.network_flow, network.view_received(received, place))
    }

    /// Moves the packets delivered before cycle `end` from where they are kept.
    pub(crate) fn take_delivered(&mut self, end: u64, taken: &mut Vec<Delivered>) {
        taken.extend(self.delivered.iter_mut().flat_map(|kept| kept.extract_if(.., |delivered| delivered.cycle < end)));
    }

    /// Something becomes of a packet in cycle `now`, which counts if it was handed in; returns whether a program has
    /// injected it.
    #[inline(never)]
    pub(crate) fn note_outcome(&mut self, packet: u32, outcome: Outcome, cycle: u64) -> bool {
        let Packet { network_flow, message, class, .. } = self.packets[packet];
        let event = PacketEvent { cycle, packet: message, response: class == Class::Response, outcome };
        self.replay.as_mut().is_some_and(|replay| replay.note(network_flow, event))
    }

    /// Moves what has become of injected packets before cycle `end` from where it is kept.
    pub(crate) fn take_events(&mut self, end: u64, taken: &mut Vec<PacketEvent>) {
        self.replay.iter_mut().for_each(|replay| replay.take_events(end, taken));
    }

    /// Returns for each flow with several packets in a message the first message that is not complete. Where activities
    /// hand packets in, the next one with the number `next`, it is that one for their flows.
    pub(crate) fn first_open(&self, next: Option<u32>) -> impl Iterator<Item = Option<u32>> + '_ {
        self.flows.iter().map(move |flow| next.filter(|_| flow.source.is_handed()).or_else(|| flow.first_open()))
    }

    /// Takes down the state of the ring in cycle `now`; `first_open` is of all flows of the network.
    pub(crate) fn encoder(&self, now: u64, first_open: Vec<Option<u32>>) -> Encoder<'_> {
        let compares_ages = self.order == ClassOrder::Oldest;
        let mut encoder = Encoder::new(now, &self.packets, first_open, self.counts_refusals, compares_ages);
        encoder.times_out = self.transactions.is_some();
        encoder
    }

    /// A packet will not be sent again; `is_lost`: no node has received it. Takes effect in cycle `now`.
    pub(crate) fn give_up_packet(&mut self, packet: u32, is_lost: bool, now: u64) {
        let given_up = self.packets[packet];
        let Packet { network_flow, message, part, flow, class, .. } = given_up;
        // If its source waits for a response, that one sees to it.
        let is_lost = is_lost && !self.is_awaited(&given_up);
        if let Some(replay) = &mut self.replay
            && replay.is_handed_in(network_flow)
            && is_lost
        {
            replay.vanishes();
            self.note_outcome(packet, Outcome::Lost, now);
        }
        let local = flow as usize;
        if local < self.counted_here {
            self.give_up(local, message, is_lost);
        } else if let Some(network) = &mut self.context {
            network.given_up.push(GivenUp { network_flow, message, part, class, is_lost });
        }
    }

    /// Receivers of packets that have several, if any has.
    #[inline]
    pub(crate) fn receivers(&self) -> Option<&Receivers> {
        self.context.as_ref()?.receivers.as_deref()
    }

    /// One of the receivers of a packet, whose copies count for a flow, will not have it.
    pub(crate) fn lose_copy(&mut self, packet: u32, flow: u32) {
        let lost = &self.packets[packet];
        let Packet { message, part, class, .. } = *lost;
        let network_flow = lost.network_flow_of(flow);
        if (flow as usize) < self.counted_here {
            self.give_up(flow as usize, message, true);
        } else if let Some(network) = &mut self.context {
            network.given_up.push(GivenUp { network_flow, message, part, class, is_lost: true });
        }
    }

    /// A packet is lost on the link to a place; so it is for those of its receivers that are there or behind it.
    pub(crate) fn lose_packet(&mut self, packet: u32, place: u16, now: u64) {
        let flow = self.packets[packet].flow;
        let Some(receivers) = self.receivers().filter(|receivers| receivers.are_several(flow)) else {
            return self.give_up_packet(packet, true, now);
        };
        let lost: Vec<u32> = receivers.beyond(flow, place).collect();
        lost.into_iter().for_each(|flow| self.lose_copy(packet, flow));
    }

    /// A copy of a packet, which counts for a flow, as an observer sees it where a receiver takes it.
    pub(crate) fn view_copy(&self, packet: &Packet, place: u16, flow: u32) -> PacketView {
        let network_flow = packet.network_flow_of(flow);
        let Some(network) = &self.context else { return packet.view() };
        let copy = Packet { flow, network_flow, end: network.nodes[usize::from(place)] as u16, ..*packet };
        self.apart(network, network_flow, network.view(&copy))
    }

    /// A packet of a flow's message is given up; `is_lost`: no node has received it.
    pub(crate) fn give_up(&mut self, index: usize, message: u32, is_lost: bool) {
        self.counters[index].give_up();
        if is_lost {
            self.lose_message(index, message);
        }
    }

    /// A packet of a flow's message will not be complete.
    pub(crate) fn lose_message(&mut self, index: usize, message: u32) {
        let Flow { open, burst, .. } = &mut self.flows[index];
        if let Some(open) = open {
            open.lose(message, *burst);
        }
    }

    /// A message that a flow has just released in cycle `now` finds room.
    #[inline(never)]
    pub(super) fn begin_released(&mut self, flow: u32, message: &Begun, now: u64) {
        let due = self.cycles(message.due(now));
        let Flow { open, .. } = &mut self.flows[flow as usize];
        open.iter_mut().for_each(|open| open.release(message, due));
        let receivers = self.context.as_ref().and_then(|network| network.receivers.as_deref());
        for copies in receivers.into_iter().flat_map(|receivers| receivers.copies(flow)) {
            self.flows[copies as usize].open.iter_mut().for_each(|open| open.release(message, due));
        }
        if let Some(Some(prompted)) = self.prompted.get_mut(flow as usize) {
            prompted.begin(message.packets);
        }
    }

    /// A saturated flow has drawn a packet for a node, which was due in cycle `due`: it is a message, if the flow
    /// counts them.
    #[inline(never)]
    pub(super) fn begin_drawn(&mut self, flow: u32, (message, destination): (u32, u16), due: u64) {
        if let Some(bytes) = self.flows[flow as usize].source.draw_bytes() {
            self.begin_released(flow, &Begun::of_packet(message, destination.into(), bytes), due);
        }
    }

    /// A message that a flow has just released finds no room, and is lost.
    #[inline(never)]
    pub(super) fn lose_released(&mut self, flow: u32, message: &Begun) {
        let Flow { open, source, .. } = &mut self.flows[flow as usize];
        source.lose();
        let watches = open.iter_mut().filter_map(|open| open.watch.as_mut());
        watches.for_each(|watch| watch.lose_at_once(message));
        let receivers = self.context.as_ref().and_then(|network| network.receivers.as_deref());
        for copies in receivers.into_iter().flat_map(|receivers| receivers.copies(flow)) {
            let watch = self.flows[copies as usize].open.iter_mut().filter_map(|open| open.watch.as_mut());
            watch.for_each(|watch| watch.lose_at_once(message));
        }
    }

    /// Bytes held for flows whose messages packets prompt.
    pub(crate) fn prompted_bytes(&self) -> usize {
        let each = self.prompted.iter().map(|one| if let Some(one) = one { one.heap_bytes() } else { 0 });
        let followers = self.followers.as_ref().map_or(0, |held| size_of::<Followers>() + held.heap_bytes());
        self.prompted.capacity() * size_of::<Option<Prompted>>() + each.sum::<usize>() + followers
    }

    /// Counts of a flow's messages since the last reset, seen in cycle `now` of the network; `None` where it counts
    /// none but complete ones.
    pub(crate) fn message_counters(&self, flow: usize, now: u64) -> Option<MessageCounters> {
        let open = self.flows.get(flow)?.open.as_ref()?;
        open.watch.as_ref().map(|watch| watch.counters(now))
    }

    /// Counts of a flow's messages to each destination since the last reset, seen in cycle `now` of the network; none
    /// where they are not kept.
    pub(crate) fn destination_counters(&self, flow: usize, now: u64) -> Vec<DestinationCounters> {
        let open = self.flows.get(flow).and_then(|flow| flow.open.as_ref());
        let watch = open.and_then(|open| open.watch.as_ref());
        watch.map_or_else(Vec::new, |watch| watch.destination_counters(now))
    }

    /// Starts these counts, and all others of flows, again from cycle `now` of the ring.
    pub(crate) fn reset_counters(&mut self, now: u64) {
        self.counters.fill_with(FlowCounters::default);
        let now = self.cycles(now);
        let watches = self.flows.iter_mut().filter_map(|flow| flow.open.as_mut()?.watch.as_mut());
        watches.for_each(|watch| watch.reset(now));
    }

    /// Will the source of a packet's transaction see that no response comes?
    pub(crate) fn is_awaited(&self, packet: &Packet) -> bool {
        let has_response = packet.response_symbols > 0 || packet.class == Class::Response;
        has_response && self.times_out(packet.network_flow)
    }

    /// Do the requests of a flow wait for their responses for a limited time? Those that are handed in do not: others
    /// may depend on each of them, as it is.
    #[inline]
    pub(crate) fn times_out(&self, network_flow: u32) -> bool {
        self.transactions.is_some() && self.replay.as_ref().is_none_or(|replay| !replay.is_handed_in(network_flow))
    }

    /// A packet has been held up by packets of lower priority: its flow counts it, on whatever ring that is.
    pub(crate) fn invert(&mut self, packet: &Packet, at: Inverted, time: u64) {
        let cycles = self.cycles(time);
        match &mut self.context {
            Some(network) if packet.flow as usize >= self.counted_here => {
                network.inversions.push(RemoteInversion { network_flow: packet.network_flow, at, cycles });
            }
            _ => self.counters[packet.flow as usize].invert(at, cycles),
        }
    }

    /// The service of a request ends that is not all of its message, since it has a response.
    #[inline]
    pub(crate) fn deliver_part(&mut self, index: usize, message: u32, symbols: u16) {
        if self.flows[index].is_bad(message) {
            self.counters[index].deliver_bad(symbols.into(), false);
        }
        self.counters[index].deliver_part();
    }

    /// The service of a packet, of a response or of a request that has none, ends in cycle `now`; the message is the
    /// flow's, begun in cycle `started`.
    #[inline(always)]
    pub(crate) fn complete_packet(
        &mut self,
        index: usize,
        (message, started): (u32, u64),
        (symbols, response): (u16, bool),
        now: u64,
        digits: u8,
    ) {
        let flow = &mut self.flows[index];
        let burst = flow.burst;
        let is_packet = flow.open.is_none() && !response && !flow.is_mixed();
        let counters = &mut self.counters[index];
        let complete = match &mut flow.open {
            Some(open) => {
                let is_bad = open.bad.is_some_and(|bad| bad.contains(message));
                if is_bad {
                    counters.deliver_bad(symbols.into(), response);
                }
                open.complete(message, burst, now).filter(|_| !is_bad)
            }
            None => Some(now),
        };
        match complete {
            Some(at) => {
                counters.complete(at - started, flow.deadline_cycles, is_packet, digits);
            }
            None => counters.deliver_part(),
        }
    }

    /// A packet of a message is complete in cycle `now`; returns the cycle in which all of the message are, once that
    /// is known.
    pub(crate) fn end_message(&mut self, index: usize, message: u32, now: u64) -> Option<u64> {
        let Flow { open, burst, .. } = &mut self.flows[index];
        open.as_mut().and_then(|open| open.complete(message, *burst, now))
    }

    /// Counts a packet at its flow, and its message, begun in cycle `started`, if that was complete in a cycle.
    pub(crate) fn count_message(&mut self, index: usize, complete: Option<u64>, started: u64, digits: u8) {
        let deadline_cycles = self.flows[index].deadline_cycles;
        let counters = &mut self.counters[index];
        match complete {
            Some(at) => counters.complete(at - started, deadline_cycles, false, digits),
            None => counters.deliver_part(),
        }
    }
}
