//! The workloads that both benchmarks run.
#![allow(dead_code)] // each benchmark uses its part

use std::fmt;

use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, Extension, FlowControlSpec, FlowSpec, GroupSpec, NetworkSpec, ReceiveQueueSpec,
    Release, RetrySpec, RetryStrategy,
};

/// One benchmark case: a ring under uniform traffic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) nodes: u32,
    pub(crate) protocol: &'static str,
    pub(crate) mixed_sizes: bool,
    /// Packets per cycle and node; `None`: saturated.
    pub(crate) rate: Option<f64>,
    /// Cycles of one sample.
    pub(crate) cycles: u64,
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Packets per cycle and node at saturation: a send and its echo, each with an idle, cross `nodes` links together.
const fn saturation(nodes: u32) -> f64 {
    1.0 / (nodes as f64 / 2.0 * (41.0 + 5.0))
}

const BASE: Workload =
    Workload { name: "saturated_80", nodes: 16, protocol: "sci", mixed_sizes: false, rate: None, cycles: 1_000_000 };

pub(crate) const WORKLOADS: &[Workload] = &[
    BASE,
    Workload { name: "saturated_mixed", mixed_sizes: true, ..BASE },
    Workload { name: "load_10_percent", rate: Some(0.1 * saturation(16)), cycles: 20_000_000, ..BASE },
    Workload { name: "load_50_percent", rate: Some(0.5 * saturation(16)), cycles: 4_000_000, ..BASE },
    Workload { name: "none_saturated_80", protocol: "none", ..BASE },
    Workload { name: "grouped_saturated_80", protocol: "grouped", ..BASE },
    Workload { name: "nodes_4", nodes: 4, cycles: 4_000_000, ..BASE },
    Workload { name: "nodes_1024", nodes: 1024, cycles: 20_000, ..BASE },
    Workload { name: "nodes_65536", nodes: 65_536, cycles: 2_000, ..BASE },
];

impl Workload {
    pub(crate) fn spec(&self) -> NetworkSpec {
        let (extension, release) = (Extension::AfterSend, Release::Unblocked);
        let flow_control = match self.protocol {
            "none" => FlowControlSpec::None {},
            "grouped" => FlowControlSpec::Grouped { extension, release, groups: 16 },
            _ => FlowControlSpec::Sci { extension, release, priorities: 1 },
        };
        let grouped = self.protocol == "grouped";
        let flow = |source: u32| FlowSpec {
            source,
            priority: 0,
            arrivals: self.rate.map_or(ArrivalSpec::Saturated {}, |rate| ArrivalSpec::Poisson { rate }),
            sizes: if self.mixed_sizes { vec![(40, 0.4), (8, 0.6)] } else { vec![(40, 1.0)] },
            destinations: DestinationSpec::Uniform {},
            groups: GroupSpec::Fixed { group: if grouped { source as u8 } else { 0 } },
        };
        NetworkSpec {
            seed: 1,
            nodes: self.nodes,
            hop_delay: 1,
            flow_control,
            receive_queue: ReceiveQueueSpec { capacity: None, service_cycles: 0 },
            transmit_capacity: None,
            outstanding_limit: Some(64),
            retry: RetrySpec { strategy: RetryStrategy::Constant, delay_cycles: 0 },
            flows: (0..self.nodes).map(flow).collect(),
            stall_cycles: 1_000_000,
            latency_digits: 3,
            initial_go: None,
        }
    }
}
