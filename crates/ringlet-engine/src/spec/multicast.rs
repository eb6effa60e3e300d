//! Packets with several receivers: further flows that count the copies which receivers take as the packets pass.

use super::{ArrivalSpec, DestinationSpec, FlowSpec, Limits, NetworkSpec, SpecError, StrippedBy, TopologySpec, check};

impl FlowSpec {
    /// The flow of whose packets this one counts copies.
    pub(crate) fn copied(&self) -> Option<u32> {
        if let ArrivalSpec::Copies { flow } = self.arrivals { Some(flow) } else { None }
    }

    /// Returns the only destination, if there is one.
    fn only_destination(&self) -> Option<u32> {
        if let DestinationSpec::Fixed { node } = self.destinations { Some(node) } else { None }
    }
}

impl NetworkSpec {
    /// Have packets of any flow several receivers?
    pub(crate) fn copies(&self) -> bool {
        self.flows.iter().any(|flow| flow.copied().is_some())
    }

    /// The receivers of the packets of each flow that has several; of any other flow none.
    pub(crate) fn receivers(&self) -> Vec<Vec<u32>> {
        let mut receivers = vec![Vec::new(); self.flows.len()];
        for flow in &self.flows {
            let Some(number) = flow.copied().map(|number| number as usize) else { continue };
            let Some(original) = self.flows.get(number) else { continue };
            if receivers[number].is_empty() {
                receivers[number].extend(original.only_destination());
            }
            receivers[number].extend(flow.only_destination());
        }
        receivers
    }

    /// Checks the flows of copies, and what they need.
    pub(super) fn check_copies(&self, limits: &Limits) -> Result<(), SpecError> {
        let mut receivers = Vec::new();
        for (index, flow) in self.flows.iter().enumerate() {
            let Some(number) = flow.copied() else { continue };
            let at = format!("flows[{index}]");
            let path = format!("{at}.arrivals.flow");
            let original = self.flows.get(number as usize).filter(|original| original.copied().is_none());
            let allowed = format!("a flow below {} that sends packets of its own", self.flows.len());
            check(original.is_some(), &path, number, allowed)?;
            let Some(original) = original else { continue };
            let own =
                FlowSpec { arrivals: original.arrivals, destinations: original.destinations.clone(), ..flow.clone() };
            check(own == *original, &path, number, "a flow that differs in nothing but arrivals and destination")?;
            original.check_copied(number)?;
            let destination = flow.only_destination().filter(|_| flow.destinations != original.destinations);
            let fresh = destination.is_some_and(|node| !receivers.contains(&(number, node)));
            check(fresh, format!("{at}.destinations"), "others", "one node, which no other flow of copies has")?;
            receivers.extend(destination.map(|node| (number, node)));
        }
        if receivers.is_empty() { Ok(()) } else { self.check_copying(limits) }
    }

    /// Checks that the rings are such that their stations may take copies.
    fn check_copying(&self, limits: &Limits) -> Result<(), SpecError> {
        let allowed = "one ring as a network, or two of stations, where flows are of copies";
        let is_plain = |network: &TopologySpec| {
            let joins = network.errors.as_ref().is_some_and(|errors| !errors.exchanges.is_empty());
            let rings = if network.ways.is_none() { 1 } else { 2 };
            network.rings.len() == rings && network.switches.is_empty() && !joins
        };
        let Some(network) = self.network.as_deref().filter(|network| is_plain(network)) else {
            return check(false, "network", "others", allowed);
        };
        let ok = !limits.needs_echoes && !limits.acts_on_refusals;
        let allowed = "one without rules for packets that one of several receivers refuses";
        check(ok, "flow_control.protocol", "this protocol", allowed)?;
        let allowed = "false where flows are of copies: no copy comes again";
        check(!self.queues.reservation, "queues.reservation", true, allowed)?;
        let slots = network.hosts.iter().flatten().chain([&network.host]).any(|host| host.slots.is_some());
        check(!slots, "network.host.slots", "given", "none where flows are of copies")?;
        if !self.format.echoes {
            return Ok(());
        }
        let allowed = "source with echoes, of which a packet with several receivers has one";
        check(network.stripped_by == StrippedBy::Source, "network.stripped_by", "last-receiver", allowed)?;
        let allowed = "none with echoes where flows are of copies: receivers do not know what comes again";
        check(network.errors.is_none(), "network.errors", "given", allowed)
    }
}

impl FlowSpec {
    /// Checks that packets of this flow may have several receivers.
    fn check_copied(&self, number: u32) -> Result<(), SpecError> {
        let at = format!("flows[{number}]");
        let allowed = "none where another flow is of copies: no receiver answers";
        check(self.response_symbols.is_none(), format!("{at}.response_symbols"), "given", allowed)?;
        let ok = !matches!(self.arrivals, ArrivalSpec::Closed { .. }) && !self.is_traced() && !self.is_injected();
        let allowed = "arrivals with times of their own, where another flow is of copies";
        check(ok, format!("{at}.arrivals"), "others", allowed)?;
        let allowed = "one node, where another flow is of copies";
        check(self.only_destination().is_some(), format!("{at}.destinations"), "others", allowed)
    }
}
