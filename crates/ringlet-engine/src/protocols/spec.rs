//! A spec with its protocol: reading and checking it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::FlowControlSpec;
use crate::spec::{Limits, NetworkSpec, ProtocolSpec, SpecError, TopologySpec, check};
use crate::values::IdleWord;

impl From<FlowControlSpec> for ProtocolSpec {
    fn from(flow_control: FlowControlSpec) -> Self {
        Self(serde_json::to_value(flow_control).expect("options are numbers, words and flags"))
    }
}

impl ProtocolSpec {
    /// Returns the options as those of their protocol.
    ///
    /// # Errors
    /// A protocol that is not known, or options that it does not have.
    pub fn options(&self) -> Result<FlowControlSpec, SpecError> {
        FlowControlSpec::deserialize(&self.0).map_err(|error| SpecError {
            path: "flow_control".into(),
            value: error.to_string(),
            allowed: "a protocol with its options".into(),
        })
    }
}

/// A kind of ring that a network has.
struct Kind<'a> {
    /// The first ring that is one.
    first: usize,
    places: u32,
    hop_delays: Option<Vec<u32>>,
    /// Flow control of the rings of this kind; `None`: the network's.
    flow_control: Option<&'a ProtocolSpec>,
    /// Has it nodes with SCI's own flow control?
    has_base_nodes: bool,
}

impl NetworkSpec {
    /// Reads a spec from JSON and validates it.
    ///
    /// # Errors
    /// [`SpecError`] for malformed JSON (path `spec`) or the first rule that [`NetworkSpec::validate`] finds broken.
    pub fn from_json(text: &str) -> Result<Self, SpecError> {
        let spec = Self::parse(text)?;
        spec.validate()?;
        Ok(spec)
    }

    /// Reads a spec that is checked later, as [`Simulation::new`](crate::Simulation::new) does.
    ///
    /// # Errors
    /// [`SpecError`] for malformed JSON (path `spec`).
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        serde_json::from_str(text).map_err(|error| SpecError {
            path: "spec".into(),
            value: error.to_string(),
            allowed: "JSON of a NetworkSpec".into(),
        })
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that the simulator cannot accept.
    pub fn validate(&self) -> Result<(), SpecError> {
        self.check_fields(|| self.limits())?;
        self.check_activities()?;
        self.network.as_ref().map_or(Ok(()), |network| self.check_groups(network))
    }

    /// Go bits of the first 16 groups that are lost before cycle 0.
    pub(crate) fn lost_go_bits(&self) -> IdleWord {
        self.initial_go.map_or(0, |go| IdleWord::from(!go))
    }

    /// Checks the options of each ring's protocol and returns what they leave to the rest, on all rings.
    pub(crate) fn limits(&self) -> Result<Limits, SpecError> {
        let mut limits: Option<Limits> = None;
        let longest_symbols = self.longest_symbols();
        for Kind { first, places, hop_delays, flow_control, has_base_nodes } in self.kinds_of_rings() {
            let ring = self.of_ring(places, hop_delays, Vec::new(), longest_symbols);
            let found = flow_control.unwrap_or(&self.flow_control).options().and_then(|options| {
                options.check(&ring)?;
                let limits = options.limits(ring.shape());
                let ok = limits.takes_base_nodes || !has_base_nodes;
                check(ok, "base_nodes", "nodes", "none with this protocol, which needs every node of its ring")?;
                Ok(limits)
            });
            let of_ring = found.map_err(|error| match flow_control {
                Some(_) => SpecError { path: format!("network.rings[{first}].{}", error.path), ..error },
                None => error,
            })?;
            limits = Some(limits.map_or(of_ring, |limits| limits.and(of_ring)));
        }
        Ok(limits.unwrap_or_default())
    }

    /// The kinds of rings, each once.
    fn kinds_of_rings(&self) -> Vec<Kind<'_>> {
        let Some(network) = &self.network else {
            let hop_delays = self.hop_delay.each.clone();
            let has_base_nodes = !self.base_nodes.is_empty();
            return vec![Kind { first: 0, places: self.nodes, hop_delays, flow_control: None, has_base_nodes }];
        };
        let mut kinds = BTreeMap::new();
        for (number, ring) in network.rings.iter().enumerate() {
            let hop_delays = ring.hop_delays.as_ref().map(|each| network.by_place(ring, each));
            let own = ring.flow_control.as_ref().map(|own| own.0.to_string());
            let has_base_nodes =
                !self.base_nodes.is_empty() && ring.nodes().any(|node| self.base_nodes.contains(&node));
            let places = network.controllers(ring).sum::<usize>() as u32;
            kinds.entry((places, hop_delays, own, has_base_nodes)).or_insert(number);
        }
        let kind = |((places, hop_delays, _, has_base_nodes), first): ((u32, _, _, _), usize)| Kind {
            has_base_nodes,
            first,
            places,
            hop_delays,
            flow_control: network.rings[first].flow_control.as_ref(),
        };
        kinds.into_iter().map(kind).collect()
    }

    /// Checks that each ring has the groups of what is sent on it.
    fn check_groups(&self, network: &TopologySpec) -> Result<(), SpecError> {
        let groups_of = |flow_control: &ProtocolSpec| Ok(flow_control.options()?.limits(self.shape()).groups);
        let of_all = groups_of(&self.flow_control)?;
        let own = network.rings.iter().map(|ring| ring.flow_control.as_ref().map_or(Ok(of_all), groups_of));
        let groups = own.collect::<Result<Vec<u16>, SpecError>>()?;
        network.validate_groups(&groups)?;
        let mut of_node = vec![0; self.nodes as usize];
        for (ring, &groups) in network.rings.iter().zip(&groups) {
            ring.nodes().for_each(|node| of_node[node as usize] = groups);
        }
        for (index, flow) in self.flows.iter().enumerate() {
            let at = format!("flows[{index}].groups");
            flow.groups.validate(self.nodes, of_node[flow.source as usize], &at)?;
        }
        Ok(())
    }
}
