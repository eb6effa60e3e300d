//! A network as a model checker sees it: packets that it generates, what it damages, and the state behind them.

use super::{Member, Network};
use crate::results::Observer;
use crate::ring::Explore;
use crate::values::{Encode, Moment, State};

impl<O: Observer + 'static> Explore for Network<O> {
    fn generate(&mut self, flow: usize) {
        let (ring, local) = self.flows[flow];
        let node = self.rings[ring as usize].ring.hosts().flows[local as usize].node() as usize;
        let Some(stations) = &self.stations else {
            return self.rings[ring as usize].ring.generate_at(self.nodes[node].1, local);
        };
        // A part at each interface, or a copy; of a flow with one destination on one ring there is one part.
        let places = [self.nodes[node], stations.seconds[node]];
        for ((ring, place), part) in places.into_iter().zip(stations.parts[flow]) {
            part.into_iter().for_each(|local| self.rings[ring as usize].ring.generate_at(place, local));
        }
    }

    fn trailing(&self, flow: usize) -> usize {
        let copies = self.stations.as_ref().and_then(|stations| stations.copies.as_ref());
        let (ring, local) = self.flows[flow];
        let owner = &self.rings[ring as usize].ring.hosts().flows[local as usize];
        copies.map_or(0, |copies| copies.trailing(flow as u32, owner.first_open().unwrap_or(owner.next_message())))
    }

    fn damage_next(&mut self, link: usize) {
        let mut before = 0;
        for Member { ring, .. } in &mut self.rings {
            let places = ring.places() as usize;
            if let Some(place) = link.checked_sub(before).filter(|&place| place < places)
                && let Some(errors) = ring.hosts_mut().errors()
            {
                return errors.damage_next(place as u16);
            }
            before += places;
        }
        panic!("link {link}: the network has none that may lose anything");
    }

    fn damage_no_more(&mut self) -> bool {
        let rings = self.rings.iter_mut().filter_map(|member| member.ring.hosts_mut().errors());
        rings.fold(false, |was, errors| was | errors.damage_no_more())
    }

    fn lossy_links(&self) -> Vec<u16> {
        let errors = self.rings.iter().filter_map(|member| member.ring.hosts().context.as_ref()?.errors.as_ref());
        let lossy = errors.flat_map(|errors| errors.lossy());
        (0..).zip(lossy).filter_map(|(link, lossy)| lossy.then_some(link)).collect()
    }

    fn state(&mut self, next: Option<u32>, activities: &dyn Encode) -> (State, Moment) {
        self.rings.iter_mut().for_each(|member| member.ring.bring_heads());
        let hosts = || self.rings.iter().map(|member| member.ring.hosts());
        let first = hosts().next().expect("a network has a ring");
        let mut first_open: Vec<Option<u32>> = hosts().flat_map(|hosts| hosts.first_open(next)).collect();
        let at = |(ring, flow): (u32, u32)| self.network_flow(ring) + flow as usize;
        let flow = |(ring, flow): (u32, u32)| &self.rings[ring as usize].ring.hosts().flows[flow as usize];
        let copies = self.stations.as_ref().and_then(|stations| stations.copies.as_ref());
        if let Some(stations) = &self.stations {
            for twin in &stations.twins {
                if copies.is_some() {
                    first_open[at(twin.of)].get_or_insert(flow(twin.of).next_message());
                }
                // A part that keeps messages numbers its own.
                if flow(twin.at).first_open().is_none() {
                    first_open[at(twin.at)] = first_open[at(twin.of)];
                }
            }
        }
        let mut encoder = first.encoder(self.cycle, first_open).of_network();
        encoder.number_from(next);
        activities.encode(&mut encoder);
        if let (Some(stations), Some(copies)) = (&self.stations, copies) {
            encoder.has_copies = true;
            for twin in &stations.twins {
                encoder.put(flow(twin.at).drawn().wrapping_sub(flow(twin.of).drawn()));
            }
            copies.encode(&mut encoder, |number| at(self.flows[number as usize]) as u32);
            for early in self.rings.iter().filter_map(|member| member.ring.hosts().context.as_ref()) {
                encoder.len(early.deliveries.len());
                early.deliveries.iter().for_each(|delivery| delivery.encode(&mut encoder));
            }
            // What a copy was counted for is not written: no run is found to repeat itself.
            encoder.lacks_something();
        }
        if self.stations.as_ref().is_some_and(|stations| !stations.pending.is_empty()) {
            encoder.lacks_something();
        }
        encoder.counts_refusals = hosts().any(|hosts| hosts.counts_refusals);
        let mut first_node = 0;
        for Member { ring, .. } in &self.rings {
            encoder.enter_ring(&ring.hosts().packets, first_node);
            ring.encode(&mut encoder);
            ring.hosts().replay.iter().for_each(|replay| replay.encode(&mut encoder));
            first_node += ring.places();
        }
        for link in &self.links {
            link.encode(&mut encoder, |member, number| {
                let offers = self.rings[member.ring as usize].ring.offers(member.place);
                offers.map_or(0, |offers| offers.since_offer(number))
            });
        }
        for (cycle, exchanges) in &self.changes {
            encoder.due(*cycle);
            encoder.len(exchanges.len());
        }
        encoder.finish()
    }
}
