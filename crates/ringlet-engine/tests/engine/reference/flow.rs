//! A flow at its source.

use ringlet_engine::spec::{ArrivalSpec, FlowSpec, GroupSpec, NetworkSpec};
use ringlet_engine::traffic::Source;

use super::multicast::Receivers;
use super::packet::{Class, Packet};
use super::reservation::Phase;

#[derive(Debug)]
pub(crate) struct Flow {
    /// Number of the flow in the spec.
    pub(crate) index: usize,
    pub(crate) saturated: bool,
    /// Packets per arrival.
    pub(crate) burst: u32,
    source: Source,
    /// Node that takes its packets off the ring, if they have several receivers.
    stripped_at: Option<u32>,
    pub(super) spec: FlowSpec,
}

impl Flow {
    pub(crate) fn new(spec: &NetworkSpec, index: usize, flow: &FlowSpec) -> Self {
        Self {
            index,
            saturated: matches!(flow.arrivals, ArrivalSpec::Saturated {}),
            burst: flow.burst,
            source: Source::new(spec.seed, index, flow, spec.nodes),
            stripped_at: Receivers::of_flows(spec)[index].as_ref().map(|receivers| receivers.stripped_at),
            spec: flow.clone(),
        }
    }

    /// The next arrival, if it is due. A saturated flow's first one is due at cycle 0; its others come when a packet
    /// leaves.
    pub(crate) fn take_arrivals(&mut self, cycle: u64) -> Vec<u64> {
        let mut arrivals = Vec::new();
        if self.saturated && cycle == 0 {
            arrivals.push(0);
        }
        while self.source.next_arrival().is_some_and(|arrival| arrival <= cycle) {
            arrivals.push(self.source.take_arrival());
        }
        arrivals
    }

    /// The flow's next packet.
    pub(crate) fn draw(&mut self, message: usize, cycle: u64) -> Packet {
        let (destination, symbols) = self.source.draw_packet();
        Packet {
            class: Class::Request,
            flow: self.index,
            message,
            source: self.spec.source,
            destination,
            stripped_at: self.stripped_at.unwrap_or(destination),
            symbols,
            response_symbols: self.spec.response_symbols,
            priority: self.spec.priority,
            generated: cycle,
            queued: cycle,
            refusals: 0,
            timeouts: 0,
            accepted: false,
            group: 0,
            phase: Phase::NoTry,
            granted: false,
            turned_away: false,
            has_left: false,
            output_inversion: 0,
            repeats: 0,
            first: None,
            open: false,
            answers: None,
            refused_since: None,
        }
    }

    pub(crate) fn priority(&self) -> u8 {
        self.spec.priority
    }

    /// The transmission group of a packet for this node that is made (or comes to the head) in this cycle.
    pub(crate) fn group(&self, destination: u32, cycle: u64) -> u8 {
        group_in_force(&self.spec.groups, destination, cycle)
    }
}

/// The group in force for packets to a node in a cycle.
pub(crate) fn group_in_force(groups: &GroupSpec, destination: u32, cycle: u64) -> u8 {
    match groups {
        GroupSpec::Fixed { group } => *group,
        GroupSpec::ByDestination { groups } => groups[destination as usize],
        GroupSpec::Schedule { steps } => steps.iter().rfind(|(from, _)| *from <= cycle).expect("a step at cycle 0").1,
    }
}
