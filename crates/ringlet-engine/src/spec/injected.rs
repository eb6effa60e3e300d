//! Flows of packets that a program injects.

use std::ops::RangeInclusive;

use super::{ArrivalSpec, FlowSpec, MAX_FRAMING_SYMBOLS, MAX_PACKET_SYMBOLS, NetworkSpec, SpecError, check};

impl FlowSpec {
    /// Does a program inject its packets?
    pub(crate) fn is_injected(&self) -> bool {
        matches!(self.arrivals, ArrivalSpec::Injected { .. })
    }

    /// Length of the longest packet that a program may inject, if the flow says it.
    pub(crate) fn most_injected(&self) -> Option<u32> {
        if let ArrivalSpec::Injected { most_symbols } = self.arrivals { most_symbols } else { None }
    }

    pub(super) fn validate_injected(
        &self,
        lengths: &RangeInclusive<u32>,
        most: Option<u32>,
        at: &str,
    ) -> Result<(), SpecError> {
        let (shortest, longest) = (*lengths.start(), MAX_PACKET_SYMBOLS + MAX_FRAMING_SYMBOLS);
        if let Some(most) = most {
            // It may be more than the protocol has room for: what is injected is held against both.
            let allowed = format!("{shortest} to {longest} symbols");
            check((shortest..=longest).contains(&most), format!("{at}.arrivals.most_symbols"), most, allowed)?;
        }
        check(self.burst == 1, format!("{at}.burst"), self.burst, "1 for a flow of injected packets")?;
        let only_shortest = self.sizes == [(shortest, 1.0)];
        let allowed = format!("[[{shortest}, 1.0]] for a flow of injected packets, which say their lengths");
        check(only_shortest, format!("{at}.sizes"), format!("{:?}", self.sizes), allowed)?;
        let answered = self.response_symbols.is_some();
        check(!answered, format!("{at}.response_symbols"), "a length", "none: injected packets say it themselves")
    }
}

impl NetworkSpec {
    /// Keys of streams of random numbers from here on belong to no flow. Flows of injected packets draw nothing, so
    /// that those behind the others change no stream.
    pub(crate) fn first_free_key(&self) -> usize {
        self.flows.iter().rposition(|flow| !flow.is_injected()).map_or(0, |last| last + 1)
    }

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
