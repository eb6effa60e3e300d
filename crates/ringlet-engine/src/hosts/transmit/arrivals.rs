//! Packets that are generated.

use std::cmp::Reverse;

use super::{BUS, COMING, RESPONSE_TIMEOUT, TIMEOUT, TRACE, TransmitQueue, WAKE};
use crate::hosts::prompted::{Loop, Prompted};
use crate::hosts::shared::Hosts;
use crate::queues::Waiting;
use crate::values::{Class, Packet, UNDRAWN};

impl TransmitQueue {
    /// Takes in what is generated at cycle 0, where saturated flows have their first packet.
    pub(crate) fn start(&mut self, hosts: &mut Hosts) {
        for &(from, _) in &self.limits.bypassed {
            self.arrivals.push(Reverse((from, WAKE)));
        }
        for place in 0..self.own.len() {
            let flow = self.own[place];
            let source = &hosts.flows[flow as usize].source;
            match source.next_arrival() {
                None => self.generate_saturated(hosts, flow, 0),
                Some(at) => {
                    match source.prompted() {
                        Some(releases) => self.arrivals.extend(releases.map(|release| Reverse((release, flow)))),
                        None => self.arrivals.push(Reverse((at, flow))),
                    }
                    self.take_arrivals(hosts, 0);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn generate_saturated(&mut self, hosts: &mut Hosts, flow: u32, now: u64) {
        hosts.counters[flow as usize].generated_packets += 1;
        if let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler()) {
            filler.wait(Waiting { generated: now, flow, packet: UNDRAWN }, false);
            return self.fill_slots(hosts, now);
        }
        self.enqueue(
            Class::Request,
            hosts.flows[flow as usize].priority,
            Waiting { generated: now, flow, packet: UNDRAWN },
        );
    }

    /// Takes in all arrivals up to cycle `now`, in order.
    #[inline]
    pub(crate) fn take_arrivals(&mut self, hosts: &mut Hosts, now: u64) {
        while let Some(&Reverse((at, flow))) = self.arrivals.peek()
            && at <= now
        {
            self.take_arrival(hosts, flow);
        }
        self.taken = self.taken.max(now);
    }

    /// Takes in what an interface of a network takes in before the services of cycle `now`. Packets of a trace come
    /// behind them: those of this cycle may not have been handed in when a simulation stops before it; and so do
    /// time-outs, since one of the services may be that of the response.
    pub(super) fn take_arrivals_before_services(&mut self, hosts: &mut Hosts, now: u64) {
        let end = (now, if hosts.replay.is_some() { TRACE } else { RESPONSE_TIMEOUT });
        while let Some(&Reverse((at, flow))) = self.arrivals.peek()
            && (at, flow) < end
        {
            self.take_arrival(hosts, flow);
        }
        self.taken = self.taken.max(now);
    }

    /// Takes in the next arrival of a flow; a full queue loses it.
    pub(super) fn take_arrival(&mut self, hosts: &mut Hosts, flow: u32) {
        if flow >= BUS {
            self.arrivals.pop();
            return match flow {
                COMING => self.take_coming(),
                BUS => self.grant_bus(hosts),
                TIMEOUT => self.time_out(hosts),
                TRACE => self.start_traced(hosts),
                RESPONSE_TIMEOUT => self.time_out_response(hosts),
                _ => {}
            };
        }
        let source = &mut hosts.flows[flow as usize];
        if let Some(Some(prompted)) = hosts.prompted.get_mut(flow as usize) {
            self.arrivals.pop();
            let Prompted::Loop(closed) = prompted else {
                let generated = source.source.take_arrival();
                return self.arrive(hosts, flow, generated);
            };
            closed.left = source.burst;
            let generated = closed.next;
            // A message that began before was found bad, and is sent again.
            if closed.began < generated {
                hosts.counters[flow as usize].repeat(source.burst);
            }
            return self.arrive(hosts, flow, generated);
        }
        let generated = source.source.take_arrival();
        let next = source.source.next_arrival().expect("a flow with arrivals has a next one");
        *self.arrivals.peek_mut().expect("its arrival was on top") = Reverse((next, flow));
        self.arrive(hosts, flow, generated);
    }

    /// A packet of a flow's message has been accepted, or answered, in cycle `now`.
    pub(crate) fn close_loop(&mut self, hosts: &mut Hosts, (flow, message): (u32, u32), now: u64) {
        let Some(Some(prompted)) = hosts.prompted.get_mut(flow as usize) else { return };
        let is_done = match prompted {
            Prompted::Loop(Loop { posted, .. }) if !*posted => return self.are_done(hosts, flow, 1, now),
            Prompted::Window(window) => window.is_done(message),
            _ => false,
        };
        if is_done {
            self.think(hosts, flow, now);
        }
    }

    /// A message of a flow with a window is done in cycle `now`: the next one is due after the think time.
    #[inline(never)]
    fn think(&mut self, hosts: &mut Hosts, flow: u32, now: u64) {
        let next = hosts.flows[flow as usize].source.think(now);
        next.into_iter().for_each(|release| self.await_release(flow, release));
    }

    /// A message of this flow that follows another flow's is due in a cycle to come.
    pub(crate) fn prompt(&mut self, hosts: &mut Hosts, flow: u32, due: u64) {
        let next = hosts.flows[flow as usize].source.prompt(due);
        next.into_iter().for_each(|release| self.await_release(flow, release));
    }

    fn await_release(&mut self, flow: u32, release: u64) {
        self.arrivals.push(Reverse((release, flow)));
        self.choose_again(release);
    }

    /// Packets of a flow are done in cycle `now`: with the last of a message a closed loop goes round. A
    /// repeat that finds no room begins again after the check.
    pub(super) fn are_done(&mut self, hosts: &mut Hosts, flow: u32, packets: u32, now: u64) {
        let closed = match hosts.prompted.get_mut(flow as usize) {
            Some(Some(Prompted::Loop(closed))) => closed,
            // All of a message at once, which was lost.
            Some(Some(Prompted::Window(_))) => return self.think(hosts, flow, now),
            _ => return,
        };
        closed.left -= packets;
        if closed.left == 0 {
            let next = closed.go_round(hosts.flows[flow as usize].is_last_bad(), now);
            self.arrivals.push(Reverse((next, flow)));
            self.choose_again(next);
        }
    }

    /// A packet has been accepted, which may be all that its flow waits for.
    #[inline(never)]
    pub(super) fn close_loop_of(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        let Packet { flow, message, class, response_symbols, .. } = hosts.packets[packet];
        if class == Class::Request && response_symbols == 0 && !self.is_port() {
            self.close_loop(hosts, (flow, message), now);
        }
    }

    /// A flow's message arrives in cycle `generated`; a full queue loses it.
    #[inline]
    pub(super) fn arrive(&mut self, hosts: &mut Hosts, flow: u32, generated: u64) {
        let (source, counters) = (&hosts.flows[flow as usize], &mut hosts.counters[flow as usize]);
        let level = source.priority;
        let released = source.source.released();
        let burst = u64::from(released.map_or(source.burst, |message| message.packets));
        counters.generated_packets += burst;
        let room = match self.slots.as_mut().and_then(|slots| slots.filler()) {
            Some(filler) => filler.room(flow, self.limits.transmit.into()),
            None => u64::from(self.limits.transmit).saturating_sub(self.requests.into()),
        };
        if room < burst {
            counters.lost_packets += burst;
            if let Some(message) = released {
                hosts.lose_released(flow, &message);
            }
            return self.are_done(hosts, flow, burst as u32, generated);
        }
        if let Some(message) = released {
            hosts.begin_released(flow, &message, generated);
            if message.elsewhere {
                return hosts.flows[flow as usize].source.pass_over();
            }
        }
        if let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler()) {
            let has_own = hosts.flows[flow as usize].source.is_handed();
            (0..burst).for_each(|_| filler.wait(Waiting { generated, flow, packet: UNDRAWN }, has_own));
            return self.fill_slots(hosts, generated);
        }
        let waiting = Waiting { generated, flow, packet: UNDRAWN };
        if released.is_some() {
            return self.enqueue_message(level, waiting, burst as u32);
        }
        (0..burst).for_each(|_| self.enqueue(Class::Request, level, waiting));
    }
}
