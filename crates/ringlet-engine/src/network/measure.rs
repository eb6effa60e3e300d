//! Counts of a network: those of its rings, of the stations on two of them together, and of its B-Links.

use super::{BLink, Member, Network};
use crate::results::{
    DestinationCounters, ErrorCounters, FlowCounters, LinkCounters, MessageCounters, NodeCounters, Observer,
    PortCounters, Times,
};
use crate::ring::Measure;

impl<O: Observer + 'static> Measure for Network<O> {
    fn reset_measurement(&mut self) {
        self.rings.iter_mut().for_each(|member| member.ring.reset());
        for link in &mut self.links {
            link.reset();
        }
    }

    fn node_counters(&self) -> Vec<NodeCounters> {
        let mut counters: Vec<_> = self.nodes.iter().map(|&at| self.counters_at(at)).collect();
        for (sum, at) in counters.iter_mut().zip(self.seconds()) {
            Times::More(1).node(sum, &self.counters_at(at));
        }
        counters
    }

    fn flow(&self, flow: usize) -> Option<&FlowCounters> {
        let &(ring, flow) = self.flows.get(flow)?;
        self.rings[ring as usize].ring.hosts().counters.get(flow as usize)
    }

    fn message_counters(&self, flow: usize) -> Option<MessageCounters> {
        let of_part = |(ring, part): (u32, u32)| {
            self.rings[ring as usize].ring.hosts().message_counters(part as usize, self.cycle)
        };
        let mut counters = of_part(*self.flows.get(flow)?)?;
        self.other_part(flow).and_then(of_part).iter().for_each(|other| counters.add(other));
        Some(counters)
    }

    fn destination_counters(&self, flow: usize) -> Vec<DestinationCounters> {
        let Some(&at) = self.flows.get(flow) else { return Vec::new() };
        let parts = std::iter::once(at).chain(self.other_part(flow));
        let of_part = |(ring, part): (u32, u32)| {
            self.rings[ring as usize].ring.hosts().destination_counters(part as usize, self.cycle)
        };
        let mut counters: Vec<_> = parts.flat_map(of_part).collect();
        // Each interface has destinations of its own.
        counters.sort_by_key(|to| to.destination);
        counters
    }

    fn port_counters(&self) -> Vec<PortCounters> {
        let mut counters: Vec<PortCounters> = Vec::new();
        for link in &self.links {
            for (port, member) in (0u16..).zip(&link.members) {
                let Member { ring, clock, .. } = &self.rings[member.ring as usize];
                let held = ring.transmit(member.place).port().expect("there is a port at this place");
                counters.push(PortCounters {
                    switch: link.switch,
                    port,
                    link: link.link,
                    ring: member.seen_at.0,
                    place: member.seen_at.1,
                    interface: self.counters_at((member.ring, member.place)),
                    errors: self.errors_at((member.ring, member.place)),
                    sent_packets: held.sent_packets,
                    retries: held.retries,
                    accepted_packets: held.accepted_packets,
                    output_inversions: held.output_inversions.in_cycles(*clock),
                    input_inversions: held.input_inversions.in_cycles(*clock),
                });
            }
        }
        counters.sort_by_key(|counter| (counter.switch, counter.port, counter.link));
        counters
    }

    fn error_counters(&self) -> Vec<ErrorCounters> {
        let mut counters: Vec<_> = self.nodes.iter().map(|&at| self.errors_at(at)).collect();
        for (sum, at) in counters.iter_mut().zip(self.seconds()) {
            Times::More(1).interface_errors(sum, &self.errors_at(at));
        }
        counters
    }

    fn link_counters(&self) -> Vec<LinkCounters> {
        let counters = |link: &BLink| LinkCounters {
            switch: link.switch,
            link: link.link,
            packets: link.used().packets,
            busy_ps: link.used().busy_ps,
            inverted_packets: link.used().inverted_packets,
            inverted_ps: link.used().inverted_ps,
        };
        self.links.iter().map(counters).collect()
    }

    fn packets_held(&self) -> usize {
        let on_rings: usize = self.rings.iter().map(|member| member.ring.hosts().packets.held()).sum();
        // What the switches have moved in the last window has not reached the rings yet.
        on_rings + self.links.iter().map(BLink::moved).sum::<usize>()
    }
}
