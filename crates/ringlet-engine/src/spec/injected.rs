//! Flows of packets that a program injects.

use super::{ArrivalSpec, FlowSpec, NetworkSpec, SpecError, check};

impl FlowSpec {
    /// Does a program inject its packets?
    pub(crate) fn is_injected(&self) -> bool {
        matches!(self.arrivals, ArrivalSpec::Injected {})
    }

    pub(super) fn validate_injected(&self, shortest: u32, at: &str) -> Result<(), SpecError> {
        check(self.burst == 1, format!("{at}.burst"), self.burst, "1 for a flow of injected packets")?;
        let only_shortest = self.sizes == [(shortest, 1.0)];
        let allowed = format!("[[{shortest}, 1.0]] for a flow of injected packets, which say their lengths");
        check(only_shortest, format!("{at}.sizes"), format!("{:?}", self.sizes), allowed)?;
        let answered = self.response_symbols.is_some();
        check(!answered, format!("{at}.response_symbols"), "a length", "none: injected packets say it themselves")
    }
}

impl NetworkSpec {
    /// A node injects in one place.
    pub(super) fn validate_injected_sources(&self) -> Result<(), SpecError> {
        let mut found = vec![false; self.nodes as usize];
        for (index, flow) in self.flows.iter().enumerate().filter(|(_, flow)| flow.is_injected()) {
            let is_second = std::mem::replace(&mut found[flow.source as usize], true);
            let at = format!("flows[{index}].source");
            check(!is_second, at, flow.source, "a node without another flow of injected packets")?;
        }
        Ok(())
    }
}
