//! Builds rings of the spec's protocol.

use crate::network::Network;
use crate::node::SINGLE;
use crate::protocols::{FlowControl, FlowControlSpec, WithProtocol};
use crate::results::Observer;
use crate::ring::{Plan, Ring, Simulate};
use crate::spec::{NetworkSpec, SpecError};

/// Builds the ring or the network that a validated spec describes.
pub(crate) fn build<O: Observer + 'static>(
    spec: &NetworkSpec,
    flow_control: &FlowControlSpec,
    observer: O,
) -> Result<Box<dyn Simulate>, SpecError> {
    struct Build<'a, O>(&'a NetworkSpec, O);
    impl<O: Observer + 'static> WithProtocol for Build<'_, O> {
        type Output = Box<dyn Simulate>;
        fn with<P: FlowControl + 'static>(self, options: &P::Options) -> Self::Output {
            Box::new(Ring::<P, O, SINGLE>::new(self.0, options, Plan::of(self.0), self.1))
        }
    }
    match &spec.network {
        None => Ok(flow_control.select(Build(spec, observer))),
        Some(topology) => Ok(Box::new(Network::new(spec, flow_control, topology)?)),
    }
}
