//! Copies of a network: one that goes its own way, one that is recorded, and one in a file.

use super::checks::check_messages;
use super::{BLink, Network, SavedStations, Schedule, expect_change};
use crate::hosts::TransmitQueue;
use crate::results::{Observer, Recorder};
use crate::ring::{Damaged, Duplicate, Simulate, check_count, check_state, read, saved};
use crate::spec::MAX_CYCLES;
use crate::values::{Bounds, Inspection};

impl<O: Observer + 'static> Duplicate for Network<O> {
    fn fork(&self) -> Box<dyn Simulate> {
        Box::new(self.observed_by((), |ring, ()| ring.fork()))
    }

    fn recorded(&self, recorder: Recorder) -> Box<dyn Simulate> {
        Box::new(self.observed_by(recorder, |ring, recorder| ring.recorded(recorder)))
    }

    fn save(&self) -> Vec<u8> {
        let rings: Vec<_> = self.rings.iter().map(|member| member.ring.save()).collect();
        let stations = self.stations.as_ref().map(|stations| (&stations.copies, &stations.pending));
        // Only how many changes are to come: which ones follows from the spec.
        saved(&(rings, &self.links, self.cycle, self.watched_from, self.changes.len(), stations))
    }

    fn restored(&self, saved: &[u8]) -> Result<Box<dyn Simulate>, Damaged> {
        type Saved = (Vec<Vec<u8>>, Vec<BLink>, u64, u64, usize, Option<SavedStations>);
        let (rings, mut links, cycle, watched_from, to_come, stations) = read::<Saved>(saved)?;
        check_count(rings.len(), self.rings.len(), "rings")?;
        check_count(links.len(), self.links.len(), "B-Links")?;
        let levels = self.rings.iter().flat_map(|member| member.queues()).map(TransmitQueue::most_levels).max();
        let bounds = Bounds {
            network_flows: self.owners.len(),
            nodes: self.nodes.len(),
            levels: levels.unwrap_or_default(),
            ..Bounds::ANY
        };
        let look = |links: &Vec<BLink>| Inspection::of(links, bounds);
        look(&links).differs_from(&look(&self.links)).map_or(Ok(()), |wrong| Err(Damaged(wrong)))?;
        check_state(cycle <= MAX_CYCLES && watched_from <= MAX_CYCLES, || format!("a network at cycle {cycle}"))?;
        let mut network = self.observed_by((), |ring, ()| ring.fork());
        for (member, ring) in network.rings.iter_mut().zip(&rings) {
            member.ring = member.ring.restored(ring)?;
            let (at, expected) = (member.ring.cycle(), member.clock.symbols(cycle));
            check_state(at == expected, || format!("a ring at cycle {at} in place of {expected}"))?;
        }
        for link in &links {
            link.check(|ring| &*network.rings[ring as usize].ring).map_err(Damaged)?;
        }
        check_state(stations.is_some() == self.stations.is_some(), || "stations of another network".to_owned())?;
        if let (Some(restored), Some(saved)) = (&mut network.stations, stations) {
            let counts = (self.flows.len(), self.owners.len(), self.nodes.len());
            restored.restore(saved, counts).map_err(Damaged)?;
        }
        if network.stations.is_none() {
            check_messages(&network.rings, &links, &network.owners).map_err(Damaged)?;
        }
        let changed = network.changes.len().saturating_sub(to_come);
        network.changes.drain(..changed);
        expect_change(&mut links, &network.changes);
        let schedule = Schedule::new(&network.rings, &links, cycle);
        Ok(Box::new(Network { links, cycle, watched_from, schedule, ..network }))
    }
}
