//! A single ring, or the beginning of a network.

use super::slow_link::SlowLink;
use super::{Damaged, Deliver, Duplicate, Explore, Measure, Ring, Simulate, Stall, Supply, read, saved};
use crate::hosts::{Checked, Handed, PacketEvent, Replayed};
use crate::node::{SINGLE, Shared};
use crate::protocols::FlowControl;
use crate::results::{Delivered, DestinationCounters, FlowCounters, MessageCounters, NodeCounters, Observer, Recorder};
use crate::values::{Encode, IdleStates, Kind, Moment, State};

/// Nodes whose protocol state a stall report names.
const MOST_BLOCKED: usize = 8;

impl<P: FlowControl, O: Observer> Ring<P, O, SINGLE> {
    /// Cycle in which the oldest packet was generated of all on the ring and at its nodes.
    fn oldest(&self) -> Option<u64> {
        let queued = self.nodes.iter().filter_map(|node| node.transmit.oldest_waiting()).min();
        [queued, self.hosts.packets.oldest()].into_iter().flatten().min()
    }

    fn stall(&mut self) -> Option<Stall> {
        let waiting_nodes: Vec<u32> =
            (0u32..).zip(&self.nodes).filter(|(_, node)| node.transmit.has_waiting()).map(|(id, _)| id).collect();
        let nothing_waits = waiting_nodes.is_empty() && self.hosts.packets.held() == 0;
        let awaits = self.hosts.transactions.as_ref().is_some_and(|transactions| transactions.is_waiting());
        // What has a time-out or a retry delay before it goes on by itself.
        // What a slow link holds comes out by itself, too.
        let holds = self.slow_links.iter().any(SlowLink::holds_packets);
        if nothing_waits || awaits || holds || self.nodes.iter().any(|node| node.transmit.has_delayed_retry(self.cycle))
        {
            return None;
        }
        let idles = self.nodes.iter().flat_map(|node| node.unread.iter()).filter(|run| run.kind == Kind::Idle);
        let on_links = idles.fold(0, |union, run| union | self.protocol.go_bits(run.value));
        let saved = self.nodes.iter_mut().fold(0, |union, node| union | node.withheld());
        let blocked = self.nodes.iter().enumerate().filter_map(|(id, node)| {
            let head = node.transmit.head().map(|head| &self.hosts.packets[head]);
            node.flow_control.blocked_by(head).map(|why| format!("node {id}: {why}"))
        });
        let mut blocked: Vec<String> = blocked.take(MOST_BLOCKED).collect();
        if blocked.is_empty() {
            blocked.push(format!("go bits on the links {on_links:#b}, withheld by nodes {saved:#b}"));
        }
        Some(Stall {
            since_cycle: self.progress,
            waiting_nodes,
            detail: format!(
                "{}; {} packets on the ring or at the head of a queue",
                blocked.join("; "),
                self.hosts.packets.held()
            ),
            blocked: Vec::new(),
        })
    }
}

impl<P: FlowControl + 'static, O: Observer> Simulate for Ring<P, O, SINGLE> {
    fn advance_to(&mut self, end: u64) -> Option<Stall> {
        let mut stall = None;
        while self.cycle < end && stall.is_none() {
            // An end of its own makes the cycle at which a stall is detected independent of the caller's steps.
            let watch = self.progress.saturating_add(self.stall_cycles).max(self.cycle + 1);
            let step = end.min(watch);
            if self.slow_links.is_empty() {
                self.circle_to(step);
            } else {
                self.sweep_slowed_to(step);
            }
            self.cycle = step;
            if step == watch {
                self.settle();
                // Nobody waits behind the last service for what was not there yet.
                self.progress = self.oldest().unwrap_or(0).max(self.progress);
            }
            if step == watch && self.progress.saturating_add(self.stall_cycles) <= step {
                stall = self.stall();
                self.progress = step;
                if stall.is_none() {
                    // Until something arrives no watch would find a stall: they need not be kept one by one.
                    let quiet = self.is_quiet_until().min(end).saturating_sub(step);
                    self.progress += quiet / self.stall_cycles * self.stall_cycles;
                }
            }
        }
        self.settle();
        stall
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn quiet_until(&self) -> u64 {
        self.is_quiet_until()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.heap_bytes()
    }
}

impl<P: FlowControl + 'static, O: Observer> Measure for Ring<P, O, SINGLE> {
    fn reset_measurement(&mut self) {
        self.reset();
    }

    fn node_counters(&self) -> Vec<NodeCounters> {
        let mut counters: Vec<NodeCounters> =
            self.nodes.iter().map(|node| node.counters(self.measured_from, self.cycle)).collect();
        for slow in &self.slow_links {
            counters[slow.node()].slow_link_max_symbols = slow.most_held_symbols();
        }
        counters
    }

    fn flow(&self, flow: usize) -> Option<&FlowCounters> {
        self.hosts.counters.get(flow)
    }

    fn message_counters(&self, flow: usize) -> Option<MessageCounters> {
        self.hosts.message_counters(flow, self.cycle)
    }

    fn destination_counters(&self, flow: usize) -> Vec<DestinationCounters> {
        self.hosts.destination_counters(flow, self.cycle)
    }

    fn packets_held(&self) -> usize {
        self.hosts.packets.held()
    }
}

impl<P: FlowControl + 'static, O: Observer> Supply for Ring<P, O, SINGLE> {
    fn hand_in(&mut self, packet: &Checked<'_>) {
        let &Checked { number, cycle, flow, source, destination, responds, awaited } = packet;
        self.expect_at(destination as u16, number);
        if responds && source != destination {
            self.expect_at(source as u16, number);
        }
        self.hand_in_at(source as u16, Handed { cycle, number, flow, destination, own: None }, awaited);
    }

    fn inject(&mut self, node: u32, packet: Handed) {
        self.hand_in_at(node as u16, packet, &[]);
    }

    fn set_group(&mut self, node: u32, group: u8) {
        self.set_group_at(node as u16, group);
    }

    fn replayed(&self) -> Replayed {
        self.replayed()
    }
}

impl<P: FlowControl + 'static, O: Observer> Deliver for Ring<P, O, SINGLE> {
    fn keep_deliveries(&mut self, keep: bool) {
        self.hosts.keep_deliveries(keep);
    }

    fn take_deliveries(&mut self, end: u64, taken: &mut Vec<Delivered>) {
        self.hosts.take_delivered(end, taken);
    }

    fn take_events(&mut self, end: u64, taken: &mut Vec<PacketEvent>) {
        self.hosts.take_events(end, taken);
    }
}

impl<P: FlowControl + 'static, O: Observer> Duplicate for Ring<P, O, SINGLE> {
    fn fork(&self) -> Box<dyn Simulate> {
        Box::new(self.observed_by(()))
    }

    fn recorded(&self, recorder: Recorder) -> Box<dyn Simulate> {
        Box::new(self.observed_by(recorder))
    }

    fn save(&self) -> Vec<u8> {
        saved(self)
    }

    fn restored(&self, saved: &[u8]) -> Result<Box<dyn Simulate>, Damaged> {
        let ring: Ring<P, (), SINGLE> = read(saved)?;
        ring.check(self)?;
        Ok(Box::new(ring))
    }
}

impl<P: FlowControl + 'static, O: Observer> Explore for Ring<P, O, SINGLE> {
    fn generate(&mut self, flow: usize) {
        let node = self.hosts.flows[flow].node();
        self.nodes[node as usize].transmit.generate(&mut self.hosts, flow as u32, self.cycle);
    }

    fn state(&mut self, next: Option<u32>, activities: &dyn Encode) -> (State, Moment) {
        let mut shared = shared!(self, self.cycle);
        for node in &mut self.nodes {
            node.bring_head(&mut shared, self.cycle);
        }
        let mut encoder = self.hosts.encoder(self.cycle, self.hosts.first_open(next).collect());
        encoder.number_from(next);
        activities.encode(&mut encoder);
        self.hosts.replay.iter().for_each(|replay| replay.encode(&mut encoder));
        self.nodes.iter().for_each(|node| node.encode_with_flows(&self.hosts, &mut encoder));
        self.slow_links.iter().for_each(|slow| slow.encode(&mut encoder));
        self.protocol.encode(&mut encoder);
        encoder.held("a packet on the ring", self.hosts.packets.held() > 0);
        encoder.leave_ring();
        encoder.finish()
    }
}
