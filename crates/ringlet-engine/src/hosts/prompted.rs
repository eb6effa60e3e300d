//! Flows whose messages are prompted by what becomes of packets, and not by a clock.

use std::collections::{BTreeMap, VecDeque};

use crate::queues::Received;
use crate::spec::{ArrivalSpec, FlowSpec};
use crate::values::Class;

/// A flow's part of it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) enum Prompted {
    /// The next message begins when the last one is done.
    Loop(Loop),
    /// A message is due some time after an earlier one is done, of which so many are under way.
    Window(Window),
    /// A message is due some time after one of another flow has been delivered here.
    Follower,
}

impl Prompted {
    pub(crate) fn of(flow: &FlowSpec) -> Option<Self> {
        match flow.arrivals {
            ArrivalSpec::Closed { pause_cycles, posted, repeats } => {
                let check_cycles = repeats.map_or(0, |repeats| repeats.check_cycles);
                Some(Self::Loop(Loop { pause_cycles, posted, left: 0, next: 0, check_cycles, began: 0 }))
            }
            ArrivalSpec::Window { .. } => Some(Self::Window(Window::default())),
            ArrivalSpec::After { .. } => Some(Self::Follower),
            _ => None,
        }
    }

    /// A message of so many packets begins.
    pub(super) fn begin(&mut self, packets: u32) {
        if let Self::Window(window) = self {
            window.left.push_back(packets);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        if let Self::Window(window) = self { window.left.capacity() * size_of::<u32>() } else { 0 }
    }
}

/// A flow whose next message begins when the last one is done.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Loop {
    pub(super) pause_cycles: u64,
    /// Is a packet done when it stands in its slot?
    pub(super) posted: bool,
    /// Packets of the last message that are not done.
    pub(super) left: u32,
    /// Cycle of the next arrival, or of the last one while packets are left.
    pub(super) next: u64,
    /// Cycles from the end of a bad message until it begins again.
    pub(super) check_cycles: u64,
    /// Cycle in which the message of that arrival began the first time.
    pub(super) began: u64,
}

impl Loop {
    /// A message is done in cycle `now`: the next one comes after the pause, a bad one again after the check. Returns
    /// when.
    pub(super) fn go_round(&mut self, is_bad: bool, now: u64) -> u64 {
        self.next = now + if is_bad { self.check_cycles } else { self.pause_cycles };
        if !is_bad {
            self.began = self.next;
        }
        self.next
    }
}

/// The messages of a flow that are under way at its source.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Window {
    /// Packets that are not done of each message from the first on that is not.
    left: VecDeque<u32>,
    /// Number of that one.
    first: u32,
}

impl Window {
    /// A packet of a message is done; returns whether all of them are.
    pub(super) fn is_done(&mut self, message: u32) -> bool {
        let place = message.wrapping_sub(self.first) as usize;
        let Some(left) = self.left.get_mut(place).filter(|left| **left > 0) else { return false };
        *left -= 1;
        let is_done = *left == 0;
        while self.left.front() == Some(&0) {
            self.left.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        is_done
    }
}

/// The flows of a ring that follow others, and what has come of these.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Followers {
    /// Followers in the order of the flows that they follow.
    each: Box<[Follower]>,
    /// Packets that have come of each message that is not whole: its place, flow and number.
    came: BTreeMap<(u16, u32, u32), Came>,
}

/// A flow that follows another one.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Follower {
    /// Place in the spec of the flow that it follows.
    followed: u32,
    /// Place on the ring where both meet.
    place: u16,
    /// Class of the packets that bring what it waits for.
    class: Class,
    /// Number on the ring.
    flow: u32,
    delay_cycles: u64,
}

/// Packets of a message that have come, and how many there are, once the last one has.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Came {
    packets: u32,
    all: Option<u32>,
}

impl Followers {
    /// The followers among the flows of a ring with their places there, if there are any. `source`: of a flow of the
    /// spec.
    pub(crate) fn of<'a>(
        flows: impl Iterator<Item = (&'a FlowSpec, u32)>,
        source: impl Fn(u32) -> u32,
    ) -> Option<Box<Self>> {
        let mut each = Vec::new();
        for ((own, place), number) in flows.zip(0..) {
            if let ArrivalSpec::After { flow: followed, delay_cycles } = own.arrivals {
                // What a node has asked for itself comes with the responses.
                let class = if source(followed) == own.source { Class::Response } else { Class::Request };
                each.push(Follower { followed, place: place as u16, class, flow: number, delay_cycles });
            }
        }
        each.sort_by_key(|one| (one.followed, one.flow));
        (!each.is_empty()).then(|| Box::new(Self { each: each.into(), came: BTreeMap::new() }))
    }

    /// A packet of a flow of the spec is delivered at a place in cycle `now`; returns which flows have a message due
    /// after it, and when: those that follow a message that is whole now.
    pub(crate) fn deliver(&mut self, place: u16, followed: u32, received: &Received, now: u64) -> Vec<(u32, u64)> {
        let &Received { message, part, is_last, class, .. } = received;
        let first = self.each.partition_point(|one| one.followed < followed);
        let all = self.each[first..].iter().take_while(|one| one.followed == followed);
        let due: Vec<(u32, u64)> = all
            .filter(|one| (one.place, one.class) == (place, class))
            // At least a cycle after the delivery, as in a trace (network-model.md, Section 8).
            .map(|one| (one.flow, now.saturating_add(one.delay_cycles.max(1))))
            .collect();
        if due.is_empty() {
            return due;
        }
        let key = (place, followed, message);
        let came = self.came.entry(key).or_default();
        came.packets += 1;
        if is_last {
            came.all = Some(u32::from(part) + 1);
        }
        if came.all != Some(came.packets) {
            return Vec::new();
        }
        self.came.remove(&key);
        due
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.each) + self.came.len() * size_of::<((u16, u32, u32), Came)>()
    }
}
