//! A spec with its protocol: reading and checking it.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::FlowControlSpec;
use crate::spec::{Limits, NetworkSpec, ProtocolSpec, RingSpec, SpecError};

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

impl NetworkSpec {
    /// Reads a spec from JSON and validates it.
    ///
    /// # Errors
    /// [`SpecError`] for malformed JSON (path `spec`) or the first rule that [`NetworkSpec::validate`] finds broken.
    pub fn from_json(text: &str) -> Result<Self, SpecError> {
        let spec: Self = serde_json::from_str(text).map_err(|error| SpecError {
            path: "spec".into(),
            value: error.to_string(),
            allowed: "JSON of a NetworkSpec".into(),
        })?;
        spec.validate()?;
        Ok(spec)
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that the simulator cannot accept.
    pub fn validate(&self) -> Result<(), SpecError> {
        self.check_fields(|| self.limits())
    }

    /// Checks the protocol's options and returns what they leave to the rest, on all rings.
    pub(crate) fn limits(&self) -> Result<Limits, SpecError> {
        let options = self.flow_control.options()?;
        let mut limits: Option<Limits> = None;
        for (places, hop_delays) in self.kinds_of_rings() {
            let ring = self.of_ring(places, hop_delays);
            options.check(&ring)?;
            let of_ring = options.limits(ring.shape());
            limits = Some(limits.map_or(of_ring, |limits| limits.and(of_ring)));
        }
        Ok(limits.unwrap_or_default())
    }

    /// The numbers of interfaces of rings, and their hop delays: each kind of ring once.
    fn kinds_of_rings(&self) -> BTreeSet<(u32, Option<Vec<u32>>)> {
        let Some(network) = &self.network else { return BTreeSet::from([(self.nodes, self.hop_delays.clone())]) };
        let kind = |ring: &RingSpec| {
            let hop_delays = ring.hop_delays.as_ref().map(|each| network.by_place(ring, each));
            (network.controllers(ring).sum::<usize>() as u32, hop_delays)
        };
        network.rings.iter().map(kind).collect()
    }
}
