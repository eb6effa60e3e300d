//! Packets of a trace that are handed in: checked, numbered, and sent to the rings.

use std::collections::VecDeque;

use crate::hosts::replay::{MAX_REACH, TracePacket};
use crate::spec::{ArrivalSpec, MAX_CYCLES, NetworkSpec, SpecError, check};

/// A flow of a trace.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct TracedFlow {
    source: u32,
    responds: bool,
}

/// The earlier packets that later ones may depend on.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Earlier {
    cycle: u64,
    destination: u32,
    flow: TracedFlow,
}

/// A checked packet of a trace, on its way to the rings.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) number: u32,
    pub(crate) cycle: u64,
    /// Number of the packet's flow, in the order of the spec.
    pub(crate) flow: u32,
    pub(crate) source: u32,
    pub(crate) destination: u32,
    /// Does its response concern its source?
    pub(crate) responds: bool,
    /// The packets that it waits for, and how long after each it starts.
    pub(crate) awaited: &'a [(u32, u64)],
}

/// The door through which a trace comes in.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Intake {
    flows: Box<[Option<TracedFlow>]>,
    nodes: u32,
    dependence_driven: bool,
    /// Packets handed in.
    count: u32,
    /// Cycle of the last one.
    last_cycle: u64,
    /// Cycle before which all packets that are handed in are known.
    known: u64,
    /// The last packets.
    earlier: VecDeque<Earlier>,
    awaited: Vec<(u32, u64)>,
}

impl Intake {
    /// Builds the intake of a validated spec; `None` if nothing is handed in.
    pub(crate) fn of(spec: &NetworkSpec) -> Option<Self> {
        let traced = |flow: &crate::spec::FlowSpec| match flow.arrivals {
            ArrivalSpec::Trace { .. } => {
                Some(TracedFlow { source: flow.source, responds: flow.response_symbols.is_some() })
            }
            _ => None,
        };
        let flows: Box<[_]> = spec.flows.iter().map(traced).collect();
        flows.iter().any(Option::is_some).then(|| Self {
            flows,
            nodes: spec.nodes,
            dependence_driven: spec.dependence_driven(),
            count: 0,
            last_cycle: 0,
            known: 0,
            earlier: VecDeque::new(),
            awaited: Vec::new(),
        })
    }

    /// Returns the cycle before which all packets that are handed in are known.
    pub(crate) fn known(&self) -> u64 {
        self.known
    }

    /// Packets handed in.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// All packets before this cycle have been handed in.
    pub(crate) fn extend_to(&mut self, until: u64) -> Result<(), SpecError> {
        let known = self.known;
        check(until >= known, "until", until, format!("at least {known}, which is known already"))?;
        self.known = until;
        Ok(())
    }

    /// Checks the next packet.
    pub(crate) fn check(&mut self, packet: &TracePacket<'_>) -> Result<Checked<'_>, SpecError> {
        let number = self.count;
        let refuse = |field: &str, value: u64, allowed: String| SpecError {
            path: format!("packets[{number}].{field}"),
            value: value.to_string(),
            allowed,
        };
        let least = self.last_cycle.max(self.known);
        if number == u32::MAX {
            return Err(refuse("number", number.into(), "at most 2^32 - 1 packets".into()));
        }
        let Some(flow) = self.flows.get(packet.flow as usize).copied().flatten() else {
            return Err(refuse("flow", packet.flow.into(), "a flow of the trace".into()));
        };
        if !(least..MAX_CYCLES).contains(&packet.cycle) {
            return Err(refuse("cycle", packet.cycle, format!("at least {least}, the end of what is known")));
        }
        if packet.destination >= self.nodes {
            return Err(refuse("destination", packet.destination.into(), format!("a node below {}", self.nodes)));
        }
        self.awaited.clear();
        let first = number - self.earlier.len() as u32;
        for &other in if self.dependence_driven { packet.depends_on } else { &[] } {
            if !(first..number).contains(&other) {
                let allowed = format!("a packet before it, at most {MAX_REACH} back");
                return Err(refuse("depends_on", other.into(), allowed));
            }
            let earlier = &self.earlier[(other - first) as usize];
            let own = earlier.flow.source == flow.source && earlier.flow.responds;
            if earlier.destination != flow.source && !own {
                let node = flow.source;
                let allowed = format!("a packet delivered at node {node}, or a transaction of it with a response");
                return Err(refuse("depends_on", other.into(), allowed));
            }
            self.awaited.push((other, packet.cycle - earlier.cycle));
        }
        if self.dependence_driven {
            if self.earlier.len() == MAX_REACH as usize {
                self.earlier.pop_front();
            }
            self.earlier.push_back(Earlier { cycle: packet.cycle, destination: packet.destination, flow });
        }
        self.count += 1;
        self.last_cycle = packet.cycle;
        Ok(Checked {
            number,
            cycle: packet.cycle,
            flow: packet.flow,
            source: flow.source,
            destination: packet.destination,
            responds: flow.responds,
            awaited: &self.awaited,
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.flows) + self.earlier.capacity() * size_of::<Earlier>()
    }
}
