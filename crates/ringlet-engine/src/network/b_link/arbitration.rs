//! Arbitration of a B-Link: which packet is granted next, and when.

use super::{BLink, Logged, Member, Queued, Transfer, first_out_ps};
use crate::spec::Forwarding;
use crate::values::{Class, Release};

/// The next grant of a B-Link.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Grant {
    member: usize,
    class: Class,
    /// Place of the packet among those of its class that wait there.
    place: usize,
    priority: u8,
}

impl BLink {
    /// Decides everything that cannot change any more: what is still to come in must be there first, a slot that is
    /// still to be freed matters only to a packet that waits for it, and routes that change must have changed.
    pub(super) fn decide(&mut self) {
        self.counts.end_transfers(self.known.read_ps);
        let known_ps = self.known.ready_from_ps + self.design.kind.to_link_ps;
        self.known.settled_ps = self.known.changes_ps.map_or(known_ps, |changes_ps| known_ps.min(changes_ps));
        let mut now = self.known.decided_ps.max(self.bus.free_at_ps);
        self.known.waits = false;
        while now < self.known.settled_ps && self.queued > 0 {
            self.take_freed(now);
            let freed_ps = self.next_unread_slot(now);
            // Whether the slot is free at this time is known only when its port has been read further.
            if freed_ps <= now {
                self.known.waits = true;
                self.known.decided_ps = now;
                return;
            }
            if let Some(next) = self.next_grant(now) {
                self.grant(next, now);
                now = self.bus.free_at_ps;
            } else {
                now = self.next_change(now).min(freed_ps);
            }
        }
        self.known.decided_ps = self.known.settled_ps;
    }

    /// The earliest time at which a slot for which a packet waits may be freed, if that has not been taken over yet.
    fn next_unread_slot(&self, now: u64) -> u64 {
        let mut least_ps = u64::MAX;
        for member in &self.members {
            for class in Class::ALL {
                self.each_first(member, class, now, |_, first| {
                    let exit = &self.members[usize::from(first.exit)];
                    if !exit.has_slot(class) {
                        least_ps = least_ps.min(self.at_link_ps(exit, exit.lookahead.freed_from));
                    }
                });
            }
        }
        least_ps
    }

    /// Calls `see` with the ready packets of a class that others of their priority wait behind, and their places:
    /// without priorities with the first one.
    #[inline]
    fn each_first(&self, member: &Member, class: Class, now: u64, mut see: impl FnMut(usize, &Queued)) {
        let queue = &member.received[class as usize];
        // They become ready in the order in which they came in.
        let Some(first) = queue.front().filter(|first| first.ready_ps <= now) else { return };
        see(0, first);
        if !self.design.prioritised {
            return;
        }
        let mut seen = [0u64; 4];
        for (place, packet) in queue.iter().enumerate().take_while(|(_, packet)| packet.ready_ps <= now) {
            let priority = usize::from(packet.transit.priority);
            let bit = 1 << (priority % 64);
            if place > 0 && seen[priority / 64] & bit == 0 {
                see(place, packet);
            }
            seen[priority / 64] |= bit;
        }
    }

    fn take_freed(&mut self, now: u64) {
        for member in &mut self.members {
            while let Some(&(at, class)) = member.freed.front()
                && at <= now
            {
                member.freed.pop_front();
                member.free[member.transmit.index(class)] += 1;
            }
        }
    }

    /// The highest priority first; of one priority round robin over the ports, and at a port the classes take turns. A
    /// packet whose slot is not free blocks those of its class and priority behind it.
    fn next_grant(&self, now: u64) -> Option<Grant> {
        let count = self.members.len();
        let mut best: Option<Grant> = None;
        for index in (1..=count).map(|step| (self.bus.last + step) % count) {
            let member = &self.members[index];
            for class in member.classes() {
                self.each_first(member, class, now, |place, first| {
                    let priority = first.transit.priority;
                    let may_go = self.members[usize::from(first.exit)].has_slot(class);
                    if may_go && best.is_none_or(|best| priority > best.priority) {
                        best = Some(Grant { member: index, class, place, priority });
                    }
                });
                if !self.design.prioritised && best.is_some() {
                    return best;
                }
            }
        }
        best
    }

    /// The next time at which something that is known changes.
    fn next_change(&self, now: u64) -> u64 {
        let looked_at = if self.design.prioritised { usize::MAX } else { 1 };
        let mut next = u64::MAX;
        for member in &self.members {
            let ready = member.received.iter().flat_map(|queue| queue.iter().take(looked_at));
            let freed = member.freed.front().map(|freed| freed.0);
            for at in ready.map(|packet| packet.ready_ps).chain(freed) {
                if at > now {
                    next = next.min(at);
                }
            }
        }
        next
    }

    fn grant(&mut self, next: Grant, now: u64) {
        let Grant { member: index, class, place, priority } = next;
        let member = &mut self.members[index];
        let head = member.received[class as usize].remove(place).expect("a granted packet waits");
        let symbols = u32::from(head.transit.symbols);
        // Cut through, the bus waits for what still arrives.
        let end = (now + head.hold_ps).max(head.complete_ps);
        member.last_class = class;
        member.releases.push(Release { cycle: member.cycle(end), class, priority, number: head.number });
        let stored = end + self.design.kind.from_link_ps;
        let exit = &mut self.members[usize::from(head.exit)];
        let out = match self.design.kind.forwarding {
            Forwarding::StoreAndForward => stored,
            // Not so early that the ring would have to wait for the bus within a packet.
            Forwarding::CutThrough => {
                (now + first_out_ps(&self.design.kind)).max(stored.saturating_sub(exit.ps(symbols.into())))
            }
        };
        exit.free[exit.transmit.index(class)] -= 1;
        exit.coming -= 1;
        exit.forwards.push((exit.cycle(out), head.transit));
        if let Some(log) = &mut self.log {
            let Queued { ready_ps, exit, transit, .. } = head;
            log.push(Logged { ready_ps, start_ps: now, end_ps: end, entry: index, exit, transit });
        }
        self.queued -= 1;
        self.bus.free_at_ps = end;
        self.bus.last = index;
        self.counts.transfers.push_back(Transfer {
            start_ps: now,
            end_ps: end,
            priority,
            inverted_ps: head.inverted_ps,
        });
        if self.design.prioritised {
            self.hold_up(priority, now, end);
        }
    }

    /// Counts the wait of what is of higher priority and ready before the bus is free again, for a packet of lower
    /// priority.
    fn hold_up(&mut self, priority: u8, from: u64, end: u64) {
        let queued = self.members.iter_mut().flat_map(|member| &mut member.received).flatten();
        for packet in queued.filter(|packet| packet.transit.priority > priority) {
            packet.inverted_ps += end.saturating_sub(packet.ready_ps.max(from));
        }
    }
}
