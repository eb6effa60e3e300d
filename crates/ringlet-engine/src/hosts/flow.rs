//! Hosts: where packets come from, and what all of a ring's flows share.

use std::collections::VecDeque;

use ringlet_engine_derive::Encode;

use crate::hosts::injection::Own;
use crate::hosts::messages::{Begun, Side, Watch};
use crate::hosts::repeats::BadMessages;
use crate::hosts::source::{Drawn, Source};
use crate::spec::{ArrivalSpec, FlowSpec, GroupSpec, NetworkSpec};
use crate::values::{Class, Encode, Encoder, Marks, NEVER, Packet, Phase};

/// One flow at its source node.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub(crate) struct Flow {
    pub(super) source: Source,
    #[encode(skip)]
    pub(super) priority: u8,
    #[encode(skip)]
    pub(super) response_symbols: u16,
    /// Class of its packets: responses only in a trace.
    #[encode(skip)]
    pub(super) class: Class,
    #[encode(skip)]
    pub(super) burst: u32,
    /// [`NEVER`]: none.
    #[encode(skip)]
    pub(super) deadline_cycles: u64,
    /// Packets drawn, from which a packet's message follows.
    #[encode(when = self.source.draws() || self.bad().is_some())]
    pub(super) drawn: u64,
    /// Messages that are not yet complete, of a flow with several packets per message or with bad messages.
    #[encode(with = self.encode_open(encoder))]
    pub(super) open: Option<Box<OpenMessages>>,
    #[encode(with = encoder.steps(self.groups.steps()))]
    pub(super) groups: Groups,
}

/// Transmission groups of a flow's packets.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) enum Groups {
    Fixed(u8),
    /// Groups by destination, or groups that change in some cycles.
    Varying(#[serde(with = "crate::spec::in_json")] Box<GroupSpec>),
    /// A program has rewritten them.
    Rewritten(Box<Rewritten>),
}

/// Groups from some cycles on, and what was in force before.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Rewritten {
    before: Groups,
    steps: Vec<(u64, u8)>,
}

impl Groups {
    pub(crate) fn of(spec: &GroupSpec) -> Self {
        match spec {
            GroupSpec::Fixed { group } => Self::Fixed(*group),
            varying => Self::Varying(Box::new(varying.clone())),
        }
    }

    /// The group in force for a destination in a cycle.
    pub(super) fn at(&self, destination: u32, cycle: u64) -> u8 {
        let varying = match self {
            Self::Fixed(group) => return *group,
            Self::Rewritten(rewritten) => return rewritten.at(destination, cycle),
            Self::Varying(varying) => &**varying,
        };
        match varying {
            GroupSpec::Fixed { group } => *group,
            GroupSpec::ByDestination { groups } => groups[destination as usize],
            GroupSpec::Schedule { steps } => steps[steps.partition_point(|step| step.0 <= cycle) - 1].1,
        }
    }

    /// The schedule of a spec; what a program rewrites is not explored.
    pub(super) fn steps(&self) -> &[(u64, u8)] {
        match self {
            Self::Varying(varying) => match &**varying {
                GroupSpec::Schedule { steps } => steps,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// All packets are in this group from a cycle on. Heads of cycles before it may still be chosen.
    pub(crate) fn rewrite(&mut self, group: u8, cycle: u64) {
        if let Self::Rewritten(rewritten) = self {
            return rewritten.steps.push((cycle, group));
        }
        let before = std::mem::replace(self, Self::Fixed(group));
        *self = Self::Rewritten(Box::new(Rewritten { before, steps: vec![(cycle, group)] }));
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let varying = match self {
            Self::Fixed(_) => return 0,
            Self::Varying(varying) => varying,
            Self::Rewritten(rewritten) => {
                let steps = rewritten.steps.capacity() * size_of::<(u64, u8)>();
                return size_of::<Rewritten>() + rewritten.before.heap_bytes() + steps;
            }
        };
        let held = match &**varying {
            GroupSpec::Fixed { .. } => 0,
            GroupSpec::ByDestination { groups } => groups.capacity(),
            GroupSpec::Schedule { steps } => steps.capacity() * size_of::<(u64, u8)>(),
        };
        size_of::<GroupSpec>() + held
    }
}

impl Rewritten {
    fn at(&self, destination: u32, cycle: u64) -> u8 {
        let step = self.steps.partition_point(|step| step.0 <= cycle).checked_sub(1);
        step.map_or_else(|| self.before.at(destination, cycle), |step| self.steps[step].1)
    }
}

impl Flow {
    /// The flow of this number; in a network with its times by the clock of its ring.
    pub(crate) fn new(spec: &NetworkSpec, index: usize, flow: &FlowSpec) -> Self {
        let bad = BadMessages::of(spec.seed, index, flow);
        let deadline_cycles = flow.deadline_cycles.unwrap_or(NEVER);
        let watch = flow.messages.as_ref().map(|messages| {
            let digits = messages.by_destination.then_some(spec.measurement.latency_digits);
            Box::new(Watch::new(deadline_cycles, digits))
        });
        let has_open = flow.burst > 1 || bad.is_some() || watch.is_some();
        Self {
            source: Source::new(spec.seed, index, flow, spec.nodes),
            priority: flow.priority,
            response_symbols: flow.response_symbols.unwrap_or(0) as u16,
            class: match flow.arrivals {
                ArrivalSpec::Trace { responses: true, .. } => Class::Response,
                _ => Class::Request,
            },
            burst: flow.burst,
            deadline_cycles,
            drawn: 0,
            open: has_open.then(|| Box::new(OpenMessages { bad, watch, ..OpenMessages::default() })),
            groups: Groups::of(&flow.groups),
        }
    }

    /// Returns the part of this flow that starts at the second interface of its node: the flow itself counts messages.
    pub(crate) fn into_twin(mut self) -> Self {
        self.open = None;
        self
    }

    /// Messages to the nodes of a side are sent from here, and others from the other interface of the node.
    pub(crate) fn sort(&mut self, side: Side) {
        self.source.sort(side);
    }

    /// Has its source found this message bad, or will it?
    pub(super) fn is_bad(&self, message: u32) -> bool {
        self.bad().is_some_and(|bad| bad.contains(message))
    }

    /// Returns the flow's messages that are found bad, if any may be.
    fn bad(&self) -> Option<BadMessages> {
        self.open.as_ref().and_then(|open| open.bad)
    }

    /// Has the source found the last message that has been drawn bad, or will it?
    pub(super) fn is_last_bad(&self) -> bool {
        self.drawn > 0 && self.is_bad(((self.drawn - 1) / u64::from(self.burst)) as u32)
    }

    /// Is a packet still to be drawn of the message of the last one, which has a size of its own?
    #[inline]
    pub(super) fn is_within_message(&self) -> bool {
        self.source.is_within_message()
    }

    /// Are its packets those of messages that are counted?
    #[inline]
    pub(super) fn has_messages(&self) -> bool {
        self.source.has_messages()
    }

    /// Has it one destination only?
    pub(super) fn goes_to_one(&self) -> bool {
        self.source.goes_to_one()
    }

    pub(super) fn is_saturated(&self) -> bool {
        self.source.next_arrival().is_none()
    }

    /// Are its packets responses, of a trace?
    #[inline]
    pub(crate) fn is_of_responses(&self) -> bool {
        self.class == Class::Response
    }

    pub(crate) fn priority(&self) -> u8 {
        self.priority
    }

    /// Group in force for what is sent to a node from cycle `now` on.
    pub(super) fn group(&self, destination: u32, now: u64) -> u8 {
        self.groups.at(destination, now)
    }

    /// Group in force for a packet that becomes head in cycle `now`.
    pub(super) fn group_of(&self, packet: &Packet, now: u64) -> u8 {
        if packet.marks.contains(Marks::IN_OWN_GROUP) { packet.group } else { self.group(packet.end.into(), now) }
    }

    /// A program rewrites the group register in cycle `now`.
    pub(crate) fn set_group(&mut self, group: u8, now: u64) {
        self.groups.rewrite(group, now);
    }

    /// May some of its packets need responses and others not?
    pub(super) fn is_mixed(&self) -> bool {
        self.source.is_injected()
    }

    #[inline(always)]
    pub(super) fn draw(&mut self, node: u32, index: u32, generated: u64) -> Packet {
        let mut own = None;
        let mut started = generated;
        let mut marks = Marks::empty();
        let only_size = self.source.only_size();
        let (destination, symbols, message, part) = match self.source.take_drawn() {
            Drawn::BySource => {
                let (destination, symbols) = self.source.draw_packet();
                let burst = u64::from(self.burst);
                (destination, symbols, (self.drawn / burst) as u32, (self.drawn % burst) as u16)
            }
            Drawn::Handed(destination, number) => (destination, only_size, number, 0),
            Drawn::Injected(destination, number, said) => {
                own = Some(said);
                (destination, only_size, number, 0)
            }
            Drawn::OfMessage(part) => {
                // The latency of a message counts from when it was due, not from its release.
                started -= part.late;
                marks.set(Marks::LAST, part.is_last);
                (part.destination, only_size, part.message, part.place)
            }
        };
        self.drawn += 1;
        let drawn = Packet {
            generated,
            started,
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
            timeouts: 0,
            attempt: 0,
            messages: 0,
            marks,
        };
        own.map_or(drawn, |own| injected(drawn, own))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let open = self.open.as_ref().map_or(0, |open| size_of::<OpenMessages>() + open.heap_bytes());
        self.groups.heap_bytes() + open + self.source.heap_bytes()
    }

    /// Do the packets that have been handed in, and are not drawn, go to nodes of so many?
    pub(crate) fn sends_within(&self, nodes: usize) -> bool {
        self.source.sends_within(nodes)
    }

    /// Node it starts from.
    pub(crate) fn node(&self) -> u32 {
        self.source.node()
    }

    /// Packets to come of each message from the first on that is not complete, and behind them how many messages from
    /// that one on are drawn, and how many packets of the next one.
    fn packets_to_come(&self) -> Option<Vec<u32>> {
        let open = self.open.as_deref()?;
        let burst = u64::from(self.burst);
        let drawn = [((self.drawn / burst) as u32).wrapping_sub(open.first), (self.drawn % burst) as u32];
        Some(open.left.iter().map(|&(left, _)| left).chain(drawn).collect())
    }

    fn encode_open(&self, encoder: &mut Encoder<'_>) {
        self.packets_to_come().encode(encoder);
        self.open.iter().flat_map(|open| &open.left).for_each(|&(_, latest)| encoder.since_when(latest));
    }

    /// Says what is wrong with messages that were read from a file, if anything is: those that are not complete are
    /// numbered on from the first to what is released or drawn next.
    pub(crate) fn check_messages(&self) -> Result<(), String> {
        if !self.source.have_packets() {
            return Err("has a message all of whose packets are drawn".to_owned());
        }
        let Some(open) = &self.open else { return Ok(()) };
        let begun = open.left.len() as u32;
        let holds = match (self.source.next_message(), &open.watch) {
            (Some(next), Some(_)) => next.wrapping_sub(open.first) == begun,
            (None, None) => {
                let drawn = self.next_message().wrapping_sub(open.first) as i32;
                drawn >= 0 && begun <= drawn as u32 + 1
            }
            _ => true,
        };
        let first = open.first;
        if holds {
            Ok(())
        } else {
            Err(format!("has {begun} messages begun from {first} on, which was never the next"))
        }
    }

    /// Packets of this message that are still to come to their receiver; `None` where nobody counts them.
    pub(crate) fn awaited(&self, message: u32) -> Option<u32> {
        let open = self.open.as_ref()?;
        let place = message.wrapping_sub(open.first);
        let is_behind = (self.next_message().wrapping_sub(message) as i32) < 0;
        let is_next = open.watch.is_none() && (place as i32) >= 0 && !is_behind;
        let begun = open.left.get(place as usize).map(|&(left, _)| left);
        Some(begun.unwrap_or(if is_next { self.burst } else { 0 }))
    }

    /// Number of the message that its next packet to be drawn belongs to.
    pub(crate) fn next_message(&self) -> u32 {
        (self.drawn / u64::from(self.burst)) as u32
    }

    /// Packets drawn.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Number of the first message that is not complete; it is not read for a flow of single packets.
    pub(crate) fn first_open(&self) -> Option<u32> {
        self.open.as_ref().map(|open| open.first)
    }
}

/// A drawn packet as it was injected.
#[inline(never)]
fn injected(drawn: Packet, own: Own) -> Packet {
    let Own { symbols, response_symbols, priority, group } = own;
    let marks = if group.is_some() { Marks::IN_OWN_GROUP } else { Marks::empty() };
    Packet { symbols, response_symbols, priority, group: group.unwrap_or(0), marks, ..drawn }
}

/// Messages of which packets may be under way at a time and none be complete, at most: no memory holds so many packets.
const MOST_OPEN: usize = 1 << 26;

/// Messages of which not all packets are complete.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct OpenMessages {
    /// Packets to come of each message from `first` on, and the latest cycle in which one was complete; [`NEVER`] once
    /// one was lost.
    pub(super) left: VecDeque<(u32, u64)>,
    pub(super) first: u32,
    /// Messages that do not count, since they are sent again.
    pub(super) bad: Option<BadMessages>,
    /// Fates of messages of different sizes, or with a jitter.
    pub(super) watch: Option<Box<Watch>>,
}

impl OpenMessages {
    /// A packet of a message of `burst` packets is complete in cycle `now`; returns the cycle in which all are, once
    /// that is known. Nodes are not visited in the order of time, so the last to be known need not be the latest.
    pub(super) fn complete(&mut self, message: u32, burst: u32, now: u64) -> Option<u64> {
        self.end(message, burst, now)
    }

    /// A packet of a message of `burst` packets is lost: so is the message, of which the other packets still come.
    pub(super) fn lose(&mut self, message: u32, burst: u32) {
        self.end(message, burst, NEVER);
    }

    /// One packet less is to come of a message; returns the cycle in which all were complete, if this was the last.
    fn end(&mut self, message: u32, burst: u32, cycle: u64) -> Option<u64> {
        let place = message.wrapping_sub(self.first) as usize;
        if place >= self.left.len() {
            // A damaged state may name any message, and memory must hold all before it.
            assert!(place < self.left.len() + MOST_OPEN, "a packet of message {message} comes before that begins");
            self.left.resize(place + 1, (burst, 0));
        }
        let (left, latest) = &mut self.left[place];
        *left -= 1;
        *latest = cycle.max(*latest);
        let has_ended = *left == 0;
        let complete = (has_ended && *latest != NEVER).then_some(*latest);
        if has_ended && let Some(watch) = &mut self.watch {
            watch.end(place, complete);
        }
        while self.left.front().is_some_and(|&(left, _)| left == 0) {
            self.left.pop_front();
            self.first = self.first.wrapping_add(1);
            self.watch.iter_mut().for_each(|watch| watch.drop_first());
        }
        complete
    }

    /// A message of a size of its own is released that was due in a cycle of the network.
    pub(super) fn release(&mut self, message: &Begun, due: u64) {
        self.left.push_back((message.packets, 0));
        self.watch.iter_mut().for_each(|watch| watch.release(due, message));
    }

    fn heap_bytes(&self) -> usize {
        let watch = self.watch.as_ref().map_or(0, |watch| size_of::<Watch>() + watch.heap_bytes());
        watch + self.left.capacity() * size_of::<(u32, u64)>()
    }
}
