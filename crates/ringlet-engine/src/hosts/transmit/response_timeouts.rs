//! Requests whose responses do not come in time (docs/explanation/realtime-model.md, "Response time-out").

use std::cmp::Reverse;

use super::{RESPONSE_TIMEOUT, TransmitQueue};
use crate::hosts::shared::Hosts;
use crate::hosts::transactions::TimedOut;
use crate::queues::Waiting;
use crate::values::{Class, Marks, NEVER, Packet, Phase};

impl TransmitQueue {
    /// A request leaves the queue. Its response, if it needs one, is waited for if those of its flow are.
    #[inline(never)]
    pub(super) fn begin_transaction(&self, hosts: &mut Hosts, packet: u32) {
        let request = hosts.packets[packet];
        if request.response_symbols > 0
            && hosts.times_out(request.network_flow)
            && let Some(transactions) = &mut hosts.transactions
        {
            transactions.begin(self.node, request);
        }
    }

    /// Nothing waits for a packet's echo from cycle `now` on; if it is a request that needs a response, it waits for
    /// that one now.
    #[inline(never)]
    pub(super) fn await_response(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        let request = &hosts.packets[packet];
        if request.class == Class::Response || request.response_symbols == 0 || self.is_port() {
            return;
        }
        let Some(transactions) = &mut hosts.transactions else { return };
        if let Some(cycle) = transactions.await_response(self.node, request, now) {
            self.arrivals.push(Reverse((cycle, RESPONSE_TIMEOUT)));
            self.choose_again(cycle);
        }
    }

    /// The first of all times for a response is over. If there was none, the request is sent again, or given up.
    pub(super) fn time_out_response(&mut self, hosts: &mut Hosts) {
        let transactions = hosts.transactions.as_mut().expect("what times out has been begun");
        let Some(TimedOut { cycle, request, ends }) = transactions.take_timed_out(self.node) else { return };
        self.complete(cycle);
        hosts.counters[request.flow as usize].time_out(ends);
        if ends { self.end_transaction(hosts, &request, cycle) } else { self.begin_again(hosts, request, cycle) }
    }

    /// A transaction is given up.
    fn end_transaction(&mut self, hosts: &mut Hosts, request: &Packet, now: u64) {
        hosts.lose_message(request.flow as usize, request.message);
        self.close_loop(hosts, (request.flow, request.message), now);
    }

    /// A request waits behind all others in cycle `now`, to be sent again.
    fn begin_again(&mut self, hosts: &mut Hosts, request: Packet, now: u64) {
        let place = hosts.context.as_ref();
        let destination =
            place.map_or(request.destination, |network| network.routes_of(self.node as u16).place(request.end));
        let request = Packet {
            destination,
            inverted_since: NEVER,
            refusals: 0,
            output_inversion_cycles: 0,
            phase: Phase::NoTry,
            timeouts: 0,
            attempt: request.attempt + 1,
            messages: 0,
            // Followed: a saturated flow made its next packet when this one left the first time.
            marks: Marks::FOLLOWED | (request.marks & (Marks::IN_OWN_GROUP | Marks::LAST)),
            ..request
        };
        let Packet { flow, priority, .. } = request;
        let waiting = Waiting { generated: now, flow, packet: hosts.packets.insert(request) };
        if let Some(filler) = self.slots.as_mut().and_then(|slots| slots.filler()) {
            filler.wait(waiting, hosts.flows[flow as usize].source.is_handed());
            return self.fill_slots(hosts, now);
        }
        self.enqueue(Class::Request, priority, waiting);
        self.choose_again(now);
    }
}
