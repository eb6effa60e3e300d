//! The parts of flows on each of two rings, and the checks of what takes them.

use super::ways::{MAX_DUAL_ATTACHED, WaysSpec};
use super::{ArrivalSpec, DestinationSpec, FlowSpec, InterfaceSpec, NetworkSpec, SpecError, TopologySpec, check};

/// Numbers of the two rings in a spec.
const SIDES: [usize; 2] = [0, 1];

impl FlowSpec {
    /// Does something that is delivered make its packets start, or do they make others start?
    pub(crate) fn crosses(&self) -> bool {
        self.response_symbols.is_some()
            || self.is_traced()
            || self.is_injected()
            || matches!(self.arrivals, ArrivalSpec::After { .. })
    }

    /// Do both interfaces of a station draw its messages alike, and send those that are their own? Of a saturated flow
    /// each draws its own.
    pub(crate) fn draws_alike(&self) -> bool {
        self.messages.is_some() && !matches!(self.arrivals, ArrivalSpec::Saturated {})
    }
}

impl WaysSpec {
    /// The part of a flow that takes the ring of this number; `None`: nothing does. Messages with sizes of their own
    /// are sorted as they are released. `receivers`: of its packets, if they have several.
    pub(crate) fn part(&self, side: usize, flow: &FlowSpec, receivers: &[u32], nodes: u32) -> Option<FlowSpec> {
        // What is handed in takes the ring of its own destination.
        if matches!(self, Self::Both {}) || flow.is_traced() || flow.is_injected() {
            return Some(flow.clone());
        }
        // A packet with several receivers takes each ring that leads to one of them.
        if !receivers.is_empty() {
            let leads = receivers.iter().any(|&node| self.takes(side, flow.source, node, nodes));
            return leads.then(|| flow.clone());
        }
        let mut weights = weights(flow, nodes);
        let others = (0..nodes).filter(|&node| !self.takes(side, flow.source, node, nodes));
        others.for_each(|node| weights[node as usize] = 0.0);
        let share: f64 = weights.iter().sum();
        if share == 0.0 {
            return None;
        }
        if flow.draws_alike() {
            return Some(flow.clone());
        }
        weights.iter_mut().for_each(|weight| *weight /= share);
        // A part of a Poisson process is one, and one of a Bernoulli process, too.
        let arrivals = match flow.arrivals {
            ArrivalSpec::Poisson { rate } => ArrivalSpec::Poisson { rate: rate * share },
            ArrivalSpec::Bernoulli { rate } => ArrivalSpec::Bernoulli { rate: rate * share },
            other => other,
        };
        let destinations = match &flow.destinations {
            fixed @ DestinationSpec::Fixed { .. } => fixed.clone(),
            _ => DestinationSpec::Weighted { weights },
        };
        Some(FlowSpec { arrivals, destinations, ..flow.clone() })
    }

    /// Checks what a network with these ways is made of.
    pub(super) fn validate(&self, topology: &TopologySpec, spec: &NetworkSpec) -> Result<(), SpecError> {
        let nodes = spec.nodes;
        let ok = (2..=MAX_DUAL_ATTACHED).contains(&nodes);
        check(ok, "nodes", nodes, format!("2 to {MAX_DUAL_ATTACHED} with two interfaces each"))?;
        let given = (topology.rings.len(), topology.switches.len());
        let value = format!("{} rings and {} switches", given.0, given.1);
        check(given == (2, 0), "network.ways", value, "two rings and no switch")?;
        let all_are = |side: usize, is: fn(&InterfaceSpec) -> bool| topology.rings[side].interfaces.iter().all(is);
        let ok = all_are(0, |interface| matches!(interface, InterfaceSpec::Node(_)))
            && all_are(1, |interface| matches!(interface, InterfaceSpec::Second { .. }))
            && topology.rings[1].interfaces.len() == nodes as usize;
        check(ok, "network.rings", "other interfaces", "all nodes on the first ring, second interfaces on the second")?;
        let rates = SIDES.map(|side| topology.rings[side].symbol_cycles);
        check(rates[0] == rates[1], "network.rings[1].symbol_cycles", rates[1], format!("{}, as ring 0", rates[0]))?;
        let reroutes = topology.errors.as_ref().map_or(0, |errors| errors.reroutes.len() + errors.exchanges.len());
        check(reroutes == 0, "network.errors", "reroutes or exchanges", "none with network.ways")?;
        spec.queues.limits.check_all("queues.limits", |limits, path| {
            let given = limits.transmit_capacity.map_or(String::new(), |packets| packets.to_string());
            let allowed = "unlimited with network.ways: both interfaces have to draw the same";
            check(limits.transmit_capacity.is_none(), format!("{path}.transmit_capacity"), given, allowed)?;
            let given = limits.response_capacity.map_or(String::new(), |packets| packets.to_string());
            let allowed = "unlimited with network.ways: a response may leave by the other interface";
            check(limits.response_capacity.is_none(), format!("{path}.response_capacity"), given, allowed)
        })?;
        let timeout = spec.queues.response_timeout.map(|timeout| timeout.timeout_cycles);
        let allowed = "none with network.ways: a response may come by the other interface";
        check(timeout.is_none(), "queues.response_timeout", timeout.unwrap_or(0), allowed)?;
        let slots = topology.hosts.iter().flatten().chain([&topology.host]).any(|host| host.slots.is_some());
        check(!slots, "network.host.slots", "given", "none with network.ways")?;
        if let Self::One { ahead } = self {
            let ok = ahead.len() == nodes as usize && ahead.iter().all(|&count| count < nodes);
            check(ok, "network.ways.ahead", "a list", format!("a number below {nodes} for each node"))?;
        }
        for (index, (flow, receivers)) in spec.flows.iter().zip(spec.receivers()).enumerate() {
            self.validate_flow(flow, &receivers, nodes, &format!("flows[{index}]"))?;
        }
        Ok(())
    }

    fn validate_flow(&self, flow: &FlowSpec, receivers: &[u32], nodes: u32, at: &str) -> Result<(), SpecError> {
        let waits = matches!(
            flow.arrivals,
            ArrivalSpec::Closed { .. } | ArrivalSpec::Window { .. } | ArrivalSpec::After { .. }
        );
        let parts = SIDES.map(|side| self.part(side, flow, receivers, nodes).is_some());
        let is_of_both = matches!(self, Self::Both {}) || (!receivers.is_empty() && parts == [true, true]);
        let allowed = "arrivals that wait for nothing, where a packet takes both rings or a flow takes either";
        check(!waits || parts != [true, true], format!("{at}.arrivals"), "others", allowed)?;
        let allowed = "arrivals other than injected ones, where a packet takes both rings";
        check(!(is_of_both && flow.is_injected()), format!("{at}.arrivals"), "injected", allowed)?;
        let saturated = matches!(flow.arrivals, ArrivalSpec::Saturated {});
        if is_of_both {
            let allowed = "arrivals of a rate where each packet takes both rings";
            return check(!saturated, format!("{at}.arrivals"), "saturated", allowed);
        }
        let splits = saturated || matches!(flow.arrivals, ArrivalSpec::Poisson { .. } | ArrivalSpec::Bernoulli { .. });
        let ok = flow.is_traced()
            || flow.is_injected()
            || flow.messages.is_some()
            || (splits && flow.burst == 1)
            || parts != [true, true];
        let allowed = "one that a single ring leads to, or arrivals of single packets at random";
        check(ok, format!("{at}.destinations"), "nodes on both ways", allowed)
    }
}

/// Probability of each destination of a flow.
fn weights(flow: &FlowSpec, nodes: u32) -> Vec<f64> {
    let mut weights = vec![0.0; nodes as usize];
    let mut share = |among: &[u32], probability: f64| {
        among.iter().for_each(|&node| weights[node as usize] += probability / among.len() as f64);
    };
    let others = |from: u32, to: u32, but: Option<u32>| -> Vec<u32> {
        (from..to).filter(|&node| node != flow.source && Some(node) != but).collect()
    };
    match &flow.destinations {
        DestinationSpec::Uniform {} => share(&others(0, nodes, None), 1.0),
        DestinationSpec::Fixed { node } => share(&[*node], 1.0),
        &DestinationSpec::HotSpot { node, probability } => {
            share(&[node], probability);
            share(&others(0, nodes, Some(node)), 1.0 - probability);
        }
        &DestinationSpec::Range { first, count, local, probability } => {
            local.iter().for_each(|&node| share(&[node], probability));
            share(&others(first, first + count, local), 1.0 - probability);
        }
        DestinationSpec::Weighted { weights } => return weights.clone(),
    }
    weights
}
