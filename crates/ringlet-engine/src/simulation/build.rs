//! Builds rings of the spec's protocol.

use crate::network::Network;
use crate::node::SINGLE;
use crate::protocols::{FlowControl, FlowControlSpec, WithProtocol};
use crate::results::Observer;
use crate::ring::{Plan, Ring, Simulate};
use crate::spec::NetworkSpec;

/// Builds the ring that a validated spec describes.
pub(crate) fn build<O: Observer + 'static>(
    spec: &NetworkSpec,
    flow_control: &FlowControlSpec,
    observer: O,
) -> Box<dyn Simulate> {
    struct Build<'a, O>(&'a NetworkSpec, O);
    impl<O: Observer + 'static> WithProtocol for Build<'_, O> {
        type Output = Box<dyn Simulate>;
        fn with<P: FlowControl + 'static>(self, options: &P::Options) -> Self::Output {
            match &self.0.network {
                None => Box::new(Ring::<P, O, SINGLE>::new(self.0, options, Plan::of(self.0), self.1)),
                Some(topology) => Box::new(Network::<P, ()>::new(self.0, options, topology)),
            }
        }
    }
    flow_control.select(Build(spec, observer))
}
