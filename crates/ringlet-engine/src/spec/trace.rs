//! Flows of a trace.

use super::{ArrivalSpec, FlowSpec, NetworkSpec, SpecError, check};

impl NetworkSpec {
    /// Do packets of a trace wait for those on which they depend? As its first flow says.
    pub(crate) fn dependence_driven(&self) -> bool {
        let first = self.flows.iter().find(|flow| flow.is_traced());
        first.is_some_and(|flow| matches!(flow.arrivals, ArrivalSpec::Trace { dependence_driven: true, .. }))
    }
}

impl FlowSpec {
    /// Does the flow belong to a trace?
    pub(crate) fn is_traced(&self) -> bool {
        matches!(self.arrivals, ArrivalSpec::Trace { .. })
    }

    pub(super) fn validate_trace(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let ArrivalSpec::Trace { responses, dependence_driven } = self.arrivals else { return Ok(()) };
        check(self.burst == 1, format!("{at}.burst"), self.burst, "1 for a flow of a trace")?;
        let sizes = self.sizes.len();
        check(sizes == 1, format!("{at}.sizes"), format!("{sizes} sizes"), "one size for a flow of a trace")?;
        let answered = responses && self.response_symbols.is_some();
        check(!answered, format!("{at}.response_symbols"), "a length", "none for a flow of responses")?;
        let same = dependence_driven == spec.dependence_driven();
        check(
            same,
            format!("{at}.arrivals.dependence_driven"),
            dependence_driven,
            "the same for all flows of a trace",
        )?;
        let keeps = !dependence_driven || spec.queues.limits.common.transmit_capacity.is_none();
        let capacity = spec.queues.limits.common.transmit_capacity.unwrap_or_default();
        let path = "queues.limits.common.transmit_capacity";
        check(keeps, path, capacity, "unlimited where packets of a trace wait for others")
    }
}
