//! The workloads that both benchmarks run.
#![allow(dead_code)] // each benchmark uses its part

use std::fmt;

use ringlet_engine::protocols::{
    FlowControlSpec, dfc::DfcSpec, go_bits::Extension, grouped::GroupedSpec, none::NoneSpec, ppq::PpqSpec,
    sci::SciSpec, train::TrainSpec,
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, HostLimitsSpec, NetworkSpec, QueuesSpec, ReceiveQueueSpec,
};

/// One benchmark case: a ring under uniform traffic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) nodes: u32,
    pub(crate) protocol: &'static str,
    pub(crate) mixed_sizes: bool,
    /// read64 between the hosts of todd2001: input queues of 5 packets, 0.1 us of service, 5 responses; else bare send
    /// packets.
    pub(crate) read64: bool,
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

const BASE: Workload = Workload {
    name: "saturated_80",
    nodes: 16,
    protocol: "sci",
    mixed_sizes: false,
    read64: false,
    rate: None,
    cycles: 1_000_000,
};

const READ64: Workload = Workload { name: "read64_sci", nodes: 8, read64: true, ..BASE };

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
    READ64,
    Workload { name: "read64_ppq", protocol: "ppq", ..READ64 },
    Workload { name: "read64_train", protocol: "train", ..READ64 },
    Workload { name: "read64_dfc", protocol: "dfc", ..READ64 },
];

impl Workload {
    fn flow_control(&self) -> FlowControlSpec {
        let bypass_symbols = READ64_SYMBOLS.1 + 1;
        match self.protocol {
            "none" => FlowControlSpec::None(NoneSpec {}),
            "grouped" => FlowControlSpec::Grouped(GroupedSpec { groups: 16, ..GroupedSpec::EXAMPLE }),
            "ppq" => FlowControlSpec::Ppq(PpqSpec {
                extension: Extension::Received,
                bypass_symbols,
                echo_wait_cycles: 400,
                ..PpqSpec::EXAMPLE
            }),
            "train" => FlowControlSpec::Train(TrainSpec {
                tickets_per_node: 8,
                size_symbols: Some(self.nodes * (READ64_SYMBOLS.1 + 1)),
                shift_up: 0.8,
                inheritance: true,
                ..TrainSpec::EXAMPLE
            }),
            "dfc" => FlowControlSpec::Dfc(DfcSpec { bypass_symbols, high_water: 5, low_water: 1, ..DfcSpec::EXAMPLE }),
            _ => FlowControlSpec::Sci(SciSpec::EXAMPLE),
        }
    }

    pub(crate) fn spec(&self) -> NetworkSpec {
        let grouped = self.protocol == "grouped";
        let sizes = match (self.read64, self.mixed_sizes) {
            (true, _) => vec![(READ64_SYMBOLS.0, 1.0)],
            (false, true) => vec![(40, 0.4), (8, 0.6)],
            (false, false) => vec![(40, 1.0)],
        };
        let arrivals = self.rate.map_or(ArrivalSpec::Saturated {}, |rate| ArrivalSpec::Poisson { rate });
        let flow = |source: u32| FlowSpec {
            sizes: sizes.clone(),
            response_symbols: self.read64.then_some(READ64_SYMBOLS.1),
            groups: GroupSpec::Fixed { group: if grouped { source as u8 } else { 0 } },
            ..FlowSpec::new(source, DestinationSpec::Uniform {}, arrivals, 1)
        };
        let receive_queue = match self.read64 {
            true => ReceiveQueueSpec { capacity: Some(5), service_cycles: 50 },
            false => ReceiveQueueSpec::default(),
        };
        let limits = HostLimitsSpec {
            response_capacity: self.read64.then_some(5),
            outstanding_limit: Some(64),
            ..HostLimitsSpec::default()
        };
        NetworkSpec {
            queues: QueuesSpec { receive: receive_queue.into(), limits: limits.into(), ..QueuesSpec::default() },
            ..NetworkSpec::ring(self.nodes, self.flow_control(), (0..self.nodes).map(flow).collect())
        }
    }
}

/// Symbols of a read64's request and of its response.
const READ64_SYMBOLS: (u32, u32) = (8, 40);
