//! Packets with several receivers.

use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, NetworkSpec, StrippedBy};

/// The receivers of a flow's packets.
#[derive(Debug, Clone)]
pub(crate) struct Receivers {
    /// Node that takes the packets off the ring.
    pub(crate) stripped_at: u32,
    /// Each receiver, and the flow that counts what it gets.
    flows: Vec<(u32, usize)>,
}

impl Receivers {
    /// The receivers of each flow of a spec whose packets have several.
    pub(crate) fn of_flows(spec: &NetworkSpec) -> Vec<Option<Self>> {
        let of = |flow: usize| {
            let copies = |index: &usize| match spec.flows[*index].arrivals {
                ArrivalSpec::Copies { flow: of } => of as usize == flow,
                _ => false,
            };
            let members: Vec<usize> = (0..spec.flows.len()).filter(copies).collect();
            if members.is_empty() {
                return None;
            }
            let node = |index: usize| match spec.flows[index].destinations {
                DestinationSpec::Fixed { node } => node,
                _ => panic!("flow {index} has several receivers, and several destinations"),
            };
            let flows: Vec<(u32, usize)> = [flow].into_iter().chain(members).map(|one| (node(one), one)).collect();
            let source = spec.flows[flow].source;
            let distance = |node: u32| (node + spec.nodes - source) % spec.nodes;
            let last = flows.iter().map(|&(node, _)| node).max_by_key(|&node| distance(node)).expect("several");
            let stripped_by = spec.network.as_ref().map_or(StrippedBy::LastReceiver, |network| network.stripped_by);
            let stripped_at = if stripped_by == StrippedBy::Source { source } else { last };
            Some(Self { stripped_at, flows })
        };
        (0..spec.flows.len()).map(of).collect()
    }

    /// The flow that counts what a node gets, if it is a receiver.
    pub(crate) fn flow_at(&self, node: u32) -> Option<usize> {
        self.flows.iter().find(|&&(receiver, _)| receiver == node).map(|&(_, flow)| flow)
    }
}
