//! The plans of all activities of a simulation: their packets are handed in, and their deliveries come back to them.

use std::collections::VecDeque;

use crate::activities::{Counters, MOST_AHEAD, Plan};
use crate::hosts::Checked;
use crate::results::Delivered;
use crate::ring::{Deliver, Supply};
use crate::spec::NetworkSpec;
use crate::values::{Encode, Encoder};

/// All plans of a simulation.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Workload {
    plans: Vec<Plan>,
    /// Source and plan of each flow in the order of the spec; the plan of others is [`NO_PLAN`].
    flows: Box<[(u32, u32)]>,
    packets: Packets,
    /// Cycle before which everything has been released.
    known: u64,
    /// Cycle before which everything has been seen.
    seen: u64,
    lookahead: u64,
    /// Deliveries for a program that takes them, if there is one.
    kept: Option<Vec<Delivered>>,
}

const NO_PLAN: u32 = u32::MAX;

/// Packets that are under way, by number.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Packets {
    first: u32,
    /// The plan of each and what of it it belongs to; [`NO_PLAN`] once it is delivered.
    parts: VecDeque<(u32, u64)>,
}

impl Packets {
    /// Number of the next packet; `None` once all have been given.
    fn next(&self) -> Option<u32> {
        self.first.checked_add(self.parts.len() as u32)
    }

    /// The packet is delivered; returns what it belongs to.
    fn take(&mut self, number: u32) -> Option<(u32, u64)> {
        let place = number.checked_sub(self.first)? as usize;
        let (plan, part) = self.parts.get_mut(place).filter(|(plan, _)| *plan != NO_PLAN)?;
        Some((std::mem::replace(plan, NO_PLAN), *part))
    }

    /// Drops the first packets, as far as they are delivered or nothing depends on them.
    fn drop_first(&mut self, is_over: impl Fn(u32, u64) -> bool) {
        while self.parts.front().is_some_and(|&(plan, part)| plan == NO_PLAN || is_over(plan, part)) {
            self.parts.pop_front();
            self.first += 1;
        }
    }
}

impl Encode for Workload {
    /// Writes what the future of the plans depends on; of what is released ahead it does not tell.
    fn encode(&self, encoder: &mut Encoder<'_>) {
        if !encoder.has_come(self.known) {
            encoder.lacks_something();
        }
        for plan in &self.plans {
            plan.any().encode(encoder);
        }
        for (number, &(plan, part)) in (self.packets.first..).zip(&self.packets.parts) {
            if plan != NO_PLAN && !self.plans[plan as usize].any().is_over(part) {
                encoder.handed_in(number);
                encoder.put(plan);
                encoder.put(self.plans[plan as usize].any().relative(part));
            }
        }
        // No packet is of this number.
        encoder.put(u64::MAX);
    }
}

impl Workload {
    /// Builds the workload of a validated spec; `None` without plans.
    pub(crate) fn of(spec: &NetworkSpec) -> Option<Self> {
        let mut flows: Box<[_]> = spec.flows.iter().map(|flow| (flow.source, NO_PLAN)).collect();
        let mut plans = Vec::with_capacity(spec.workload.len());
        for (index, activity) in spec.workload.iter().enumerate() {
            let options = activity.options().expect("a validated spec");
            options.any().flows().iter().for_each(|&flow| flows[flow as usize].1 = index as u32);
            plans.push(options.plan(spec, index));
        }
        let lookahead = plans.iter().map(|plan: &Plan| plan.any().lookahead()).min()?.min(MOST_AHEAD);
        Some(Self { plans, flows, packets: Packets::default(), known: 0, seen: 0, lookahead, kept: None })
    }

    /// Says what is wrong with plans that were read from a file, of a simulation at cycle `now`, if anything is.
    pub(crate) fn check(&self, now: u64) -> Result<(), String> {
        let Self { known, seen, lookahead, plans, packets, .. } = self;
        if *seen > now || *known > now.saturating_add(*lookahead) {
            return Err(format!("plans known until cycle {known} and seen until {seen} at {now}"));
        }
        if let Some(place) = plans.iter().position(|plan| !plan.any().holds()) {
            return Err(format!("plan {place} is none that the spec's can become"));
        }
        let has_released = |plan: u32, part| plans.get(plan as usize).is_some_and(|plan| plan.any().has_released(part));
        match packets.parts.iter().find(|&&(plan, part)| plan != NO_PLAN && !has_released(plan, part)) {
            Some((plan, part)) => Err(format!("a packet of part {part} of plan {plan}, which has not released it")),
            None => Ok(()),
        }
    }

    /// Keeps each delivery from now on until it is taken, or no more.
    pub(crate) fn keep_deliveries(&mut self, keep: bool) {
        self.kept = keep.then(Vec::new);
    }

    /// The deliveries kept since the last call.
    pub(crate) fn take_deliveries(&mut self) -> Vec<Delivered> {
        self.kept.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Releases what may be known in the ring's cycle, `now`, up to which deliveries have been seen; returns the cycle
    /// before which all is released, at most `end`.
    pub(crate) fn release(&mut self, now: u64, ring: &mut dyn Supply, end: u64) -> u64 {
        let until = now.saturating_add(self.lookahead).min(end).max(self.known);
        loop {
            // Plans take turns by their cycles, so that numbers do not depend on the steps.
            let next = |(index, plan): (usize, &Plan)| plan.any().next().map(|cycle| (cycle, index));
            let Some((_, index)) = self.plans.iter().enumerate().filter_map(next).min().filter(|one| one.0 < until)
            else {
                break;
            };
            let Self { packets, flows, plans, .. } = self;
            plans[index].any_mut().release(&mut |released| {
                let number = packets.next()?;
                packets.parts.push_back((index as u32, released.part));
                ring.hand_in(&Checked {
                    number,
                    cycle: released.cycle,
                    flow: released.flow,
                    source: flows[released.flow as usize].0,
                    destination: released.destination,
                    // Plans only wait for requests: `see` passes responses over.
                    responds: false,
                    awaited: released.awaited,
                });
                Some(number)
            });
        }
        self.known = until;
        until
    }

    /// Sees what has been delivered before the ring's cycle, `now`.
    pub(crate) fn see(&mut self, now: u64, ring: &mut dyn Deliver) {
        if now == self.seen {
            return;
        }
        let mut taken = Vec::new();
        ring.take_deliveries(now, &mut taken);
        Delivered::sort(&mut taken);
        for &Delivered { cycle, packet } in &taken {
            if self.flows[packet.flow as usize].1 != NO_PLAN
                && !packet.response
                && let Some((plan, part)) = self.packets.take(packet.message)
            {
                self.plans[plan as usize].any_mut().deliver(part, cycle);
            }
        }
        let Self { plans, packets, .. } = self;
        plans.iter_mut().for_each(|plan| plan.any_mut().see_until(now));
        packets.drop_first(|plan, part| plans[plan as usize].any().is_over(part));
        self.kept.iter_mut().for_each(|kept| kept.append(&mut taken));
        self.seen = now;
    }

    /// Number of the next packet; `None` once all have been given.
    pub(crate) fn next_number(&self) -> Option<u32> {
        self.packets.next()
    }

    /// Starts all counts again from this cycle.
    pub(crate) fn reset(&mut self, now: u64) {
        self.plans.iter_mut().for_each(|plan| plan.any_mut().reset(now));
    }

    /// Counts of each activity, in the order of the spec.
    pub(crate) fn all_counters(&self) -> impl Iterator<Item = &dyn Counters> {
        self.plans.iter().map(|plan| plan.any().counters())
    }

    /// Kinds of the activities, in the order of the spec.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.plans.iter().map(Plan::kind)
    }

    /// Is everything over that takes place once? `None` where nothing does.
    pub(crate) fn is_complete(&self) -> Option<bool> {
        self.plans.iter().filter_map(|plan| plan.any().is_complete()).reduce(|all, one| all && one)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.flows)
            + self.packets.parts.capacity() * size_of::<(u32, u64)>()
            + self.plans.iter().map(|plan| plan.any().heap_bytes()).sum::<usize>()
    }
}
