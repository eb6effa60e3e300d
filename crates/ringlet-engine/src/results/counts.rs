//! All counts of a simulation at one time, which add up: those of a period that comes again are counted so often.

use super::counters::Counters;
use super::measure::{ErrorCounters, FlowCounters, Inversions, LinkCounters, NodeCounters, PortCounters};
use super::times::Times;

/// The counts of a simulation since its last reset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    pub(crate) flows: Vec<FlowCounters>,
    pub(crate) nodes: Vec<NodeCounters>,
    pub(crate) ports: Vec<PortCounters>,
    pub(crate) errors: Vec<ErrorCounters>,
    pub(crate) links: Vec<LinkCounters>,
    /// Counts of each activity, in the order of the spec.
    pub(crate) activities: Vec<Box<dyn Counters>>,
}

impl Times {
    /// Adds so many times other inversions.
    pub(crate) fn inversions(self, sum: &mut Inversions, other: Inversions) {
        self.sum(&mut sum.packets, other.packets);
        self.sum(&mut sum.cycles, other.cycles);
        self.max(&mut sum.max_cycles, other.max_cycles);
    }

    /// Adds the counts of another interface.
    pub(crate) fn node(self, sum: &mut NodeCounters, other: &NodeCounters) {
        self.sum(&mut sum.link_send_symbols, other.link_send_symbols);
        self.sum(&mut sum.link_retry_symbols, other.link_retry_symbols);
        self.sum(&mut sum.link_echo_symbols, other.link_echo_symbols);
        self.sum(&mut sum.link_control_symbols, other.link_control_symbols);
        self.sum(&mut sum.link_idle_symbols, other.link_idle_symbols);
        self.sum(&mut sum.transmit_queue_packet_cycles, other.transmit_queue_packet_cycles);
        self.max(&mut sum.transmit_queue_max, other.transmit_queue_max);
        self.sum(&mut sum.receive_queue_packet_cycles, other.receive_queue_packet_cycles);
        self.max(&mut sum.receive_queue_max, other.receive_queue_max);
        self.max(&mut sum.bypass_max_symbols, other.bypass_max_symbols);
        self.max(&mut sum.slow_link_max_symbols, other.slow_link_max_symbols);
        self.sum(&mut sum.refused_packets, other.refused_packets);
        for ((_, sum), (_, other)) in sum.protocol.iter_mut().zip(&other.protocol) {
            self.sum(sum, *other);
        }
    }

    fn port(self, sum: &mut PortCounters, other: &PortCounters) {
        self.node(&mut sum.interface, &other.interface);
        self.error(&mut sum.errors, &other.errors);
        self.sum(&mut sum.sent_packets, other.sent_packets);
        self.sum(&mut sum.retries, other.retries);
        self.sum(&mut sum.accepted_packets, other.accepted_packets);
        self.inversions(&mut sum.output_inversions, other.output_inversions);
        self.inversions(&mut sum.input_inversions, other.input_inversions);
    }

    /// Counts of errors; the cycles of the first ones stay.
    fn error(self, sum: &mut ErrorCounters, other: &ErrorCounters) {
        self.sum(&mut sum.lost_sends, other.lost_sends);
        self.sum(&mut sum.lost_echoes, other.lost_echoes);
        self.sum(&mut sum.timeouts, other.timeouts);
        self.sum(&mut sum.given_up_packets, other.given_up_packets);
        self.sum(&mut sum.undelivered_packets, other.undelivered_packets);
        self.sum(&mut sum.undelivered_symbols, other.undelivered_symbols);
    }

    /// Adds the errors at another interface of a node; of each first cycle the earlier one stays.
    pub(crate) fn interface_errors(self, sum: &mut ErrorCounters, other: &ErrorCounters) {
        self.error(sum, other);
        for (sum, other) in [
            (&mut sum.first_failure_cycle, other.first_failure_cycle),
            (&mut sum.first_timeout_cycle, other.first_timeout_cycle),
            (&mut sum.first_given_up_cycle, other.first_given_up_cycle),
        ] {
            // 0: there was none.
            *sum = if *sum == 0 || other == 0 { (*sum).max(other) } else { (*sum).min(other) };
        }
    }

    fn link(self, sum: &mut LinkCounters, other: &LinkCounters) {
        self.sum(&mut sum.packets, other.packets);
        self.sum(&mut sum.busy_ps, other.busy_ps);
        self.sum(&mut sum.inverted_packets, other.inverted_packets);
        self.sum(&mut sum.inverted_ps, other.inverted_ps);
    }
}

impl Counts {
    /// Adds so many times other counts of the same simulation.
    pub(crate) fn add(&mut self, other: &Self, times: Times) {
        self.flows.iter_mut().zip(&other.flows).for_each(|(sum, other)| sum.add(other, times));
        self.nodes.iter_mut().zip(&other.nodes).for_each(|(sum, other)| times.node(sum, other));
        self.ports.iter_mut().zip(&other.ports).for_each(|(sum, other)| times.port(sum, other));
        self.errors.iter_mut().zip(&other.errors).for_each(|(sum, other)| times.error(sum, other));
        self.links.iter_mut().zip(&other.links).for_each(|(sum, other)| times.link(sum, other));
        self.activities.iter_mut().zip(&other.activities).for_each(|(sum, other)| sum.add(&**other, times));
    }

    /// Counts since an earlier time. Maxima and minima stay those of all the time.
    pub fn since(mut self, earlier: &Self) -> Self {
        self.add(earlier, Times::Less);
        self
    }

    /// Are there none, not even of nodes?
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Packets delivered.
    pub fn delivered_packets(&self) -> u64 {
        self.flows.iter().map(|flow| flow.delivered_packets).sum()
    }
}
