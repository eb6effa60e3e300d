//! Routes are followed from every ring to every address, before anything is simulated.

use super::route_step::RouteStep;
use super::topology::Places;
use super::{InterfaceSpec, MAX_CYCLES, RingSpec, SpecError, TopologySpec, check};

/// Pairs of a ring and an address up to which all ways are followed.
const MOST_PAIRS: usize = 1 << 24;

/// Pairs whose ways are followed where there are more.
const SOME_PAIRS: usize = 1 << 22;

/// The way from a ring to a destination, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Unknown,
    BeingFollowed,
    /// Ends at the destination.
    Ends,
    /// Stops elsewhere.
    Stops,
}

/// The ring to which a ring's route leads, for all addresses below another.
#[derive(Debug, Clone, Copy)]
struct Next {
    ring: Option<u32>,
    until: u64,
}

/// The rings that have ways to all rings with nodes, and from all of these.
struct Ways {
    reaches_all: Vec<bool>,
    reached_by_all: Vec<bool>,
}

impl TopologySpec {
    /// Routes name ports of their ring and others of the same switch.
    pub(super) fn validate_routes(&self) -> Result<(), SpecError> {
        for (number, ring) in self.rings.iter().enumerate() {
            self.validate_steps(&ring.routes, ring, &format!("network.rings[{number}].routes"))?;
        }
        Ok(())
    }

    fn validate_steps(&self, steps: &[RouteStep], ring: &RingSpec, at: &str) -> Result<(), SpecError> {
        let ascending = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let starts = steps.first().is_none_or(|step| step.0 == 0);
        check(ascending && starts, at, "a list of steps", "steps in ascending order of addresses, the first at 0")?;
        for (index, &(_, place, exit)) in steps.iter().enumerate() {
            let at = format!("{at}[{index}]");
            let (Some(place), Some(exit)) = (place, exit) else {
                check(place.is_none() && exit.is_none(), at, "half a route", "a place and an exit, or neither")?;
                continue;
            };
            let Some(&InterfaceSpec::Port(switch, port)) = ring.interfaces.get(place as usize) else {
                check(false, at, format!("place {place}"), "the place of a switch's port")?;
                continue;
            };
            let ports = self.switches[switch as usize].ports;
            let ok = exit < ports && exit != port;
            check(ok, at, format!("exit {exit}"), format!("another port of switch {switch}, below {ports}"))?;
        }
        Ok(())
    }

    /// Checks that later routes are without loops, in ascending order of time, and lead wherever the first ones do.
    fn validate_reroutes(&self, places: &Places) -> Result<(), SpecError> {
        let reroutes = self.errors.iter().flat_map(|errors| &errors.reroutes);
        let mut earliest = 1;
        for (index, reroute) in reroutes.enumerate() {
            let at = format!("network.errors.reroutes[{index}]");
            let from = reroute.from_cycle;
            let allowed = format!("{earliest} to {MAX_CYCLES}, behind the one before");
            check((earliest..=MAX_CYCLES).contains(&from), format!("{at}.from_cycle"), from, allowed)?;
            earliest = from + 1;
            let (rings, given) = (self.rings.len(), reroute.rings.len());
            check(rings == given, format!("{at}.rings"), given, format!("{rings}, one for each ring"))?;
            for (number, (ring, steps)) in self.rings.iter().zip(&reroute.rings).enumerate() {
                let at = format!("{at}.rings[{number}]");
                self.validate_steps(steps, ring, &at)?;
                let had = |&&address: &&u32| step(&ring.routes, address).is_some();
                let lost = places.addresses.keys().filter(had).find(|&&address| step(steps, address).is_none());
                let value = format!("no way to address {}", lost.copied().unwrap_or_default());
                check(lost.is_none(), at, value, "a way wherever there was one")?;
            }
            let routes: Vec<_> = reroute.rings.iter().map(Vec::as_slice).collect();
            self.follow_routes(places, &routes, |ring| format!("{at}.rings[{ring}]"))?;
        }
        Ok(())
    }

    /// Follows the routes from every ring to every address.
    fn follow_routes(
        &self,
        places: &Places,
        routes: &[&[RouteStep]],
        at: impl Fn(u32) -> String,
    ) -> Result<Ways, SpecError> {
        let rings = self.rings.len();
        let mut ways = Ways { reaches_all: vec![true; rings], reached_by_all: vec![true; rings] };
        // No packet starts on the other rings: a network has ways where none begins there.
        let mut has_nodes = vec![false; rings];
        for (ring, _) in places.nodes.iter().flatten() {
            has_nodes[*ring as usize] = true;
        }
        let mut state = vec![Way::Unknown; rings];
        let mut passed: Vec<u32> = Vec::new();
        // Where there are very many pairs, for some addresses only: the program that makes so large a network has
        // checked it.
        let pairs = rings * places.addresses.len();
        let every = if pairs > MOST_PAIRS { pairs.div_ceil(SOME_PAIRS) } else { 1 };
        // Addresses ascend, so that a ring's step holds for all of them up to its next one.
        let mut next = vec![Next { ring: None, until: 0 }; rings];
        for (&address, &destination) in places.addresses.iter().step_by(every) {
            state.fill(Way::Unknown);
            state[destination as usize] = Way::Ends;
            for start in 0..rings as u32 {
                let mut ring = start;
                let end = loop {
                    match state[ring as usize] {
                        Way::Unknown => {}
                        Way::BeingFollowed => {
                            let at = at(ring);
                            let value = format!("a way to address {address} that comes back to ring {ring}");
                            check(false, at, value, "routes without loops")?;
                        }
                        known => break known,
                    }
                    state[ring as usize] = Way::BeingFollowed;
                    passed.push(ring);
                    let known = &mut next[ring as usize];
                    if known.until <= address.into() {
                        *known = self.next_until(places, routes[ring as usize], ring, address);
                    }
                    match known.ring {
                        Some(next) => ring = next,
                        None => break Way::Stops,
                    }
                };
                for ring in passed.drain(..) {
                    state[ring as usize] = end;
                }
                let ends = end == Way::Ends;
                ways.reaches_all[start as usize] &= ends;
                ways.reached_by_all[destination as usize] &= ends || !has_nodes[start as usize];
            }
        }
        Ok(ways)
    }

    fn next_until(&self, places: &Places, routes: &[RouteStep], ring: u32, address: u32) -> Next {
        let behind = routes.partition_point(|step| step.0 <= address);
        let until = routes.get(behind).map_or(u64::MAX, |step| step.0.into());
        Next { ring: self.ring_behind(places, ring, taken(routes, behind)), until }
    }

    fn next_ring(&self, places: &Places, routes: &[RouteStep], ring: u32, address: u32) -> Option<u32> {
        self.ring_behind(places, ring, step(routes, address))
    }

    /// The ring to which a step leads from this one.
    fn ring_behind(&self, places: &Places, ring: u32, step: Option<(u32, u16)>) -> Option<u32> {
        let (place, exit) = step?;
        match self.rings[ring as usize].interfaces[place as usize] {
            InterfaceSpec::Port(switch, _) => places.ports[switch as usize][usize::from(exit)],
            InterfaceSpec::Node(_) | InterfaceSpec::Second { .. } => None,
        }
    }
}

/// The last step at or before an address.
fn step(routes: &[RouteStep], address: u32) -> Option<(u32, u16)> {
    taken(routes, routes.partition_point(|step| step.0 <= address))
}

/// The step before that of this number.
fn taken(routes: &[RouteStep], behind: usize) -> Option<(u32, u16)> {
    let step = behind.checked_sub(1)?;
    routes[step].1.zip(routes[step].2)
}

/// The nodes that can be reached from others, in a network whose routes have no loops.
pub(super) struct Reach<'a> {
    topology: &'a TopologySpec,
    places: Places,
    ways: Ways,
}

impl<'a> Reach<'a> {
    /// Follows all routes.
    pub(super) fn of(topology: &'a TopologySpec, places: Places) -> Result<Self, SpecError> {
        let routes: Vec<_> = topology.rings.iter().map(|ring| ring.routes.as_slice()).collect();
        let ways = topology.follow_routes(&places, &routes, |ring| format!("network.rings[{ring}].routes"))?;
        topology.validate_reroutes(&places)?;
        Ok(Self { topology, places, ways })
    }

    fn ring(&self, node: u32) -> u32 {
        self.places.nodes[node as usize].expect("every node is on a ring").0
    }

    /// Does the way from one node's ring to another's end there?
    pub(super) fn has_way(&self, from: u32, to: u32) -> bool {
        let (mut ring, destination) = (self.ring(from), self.ring(to));
        let address = self.topology.addresses.as_ref().map_or(destination, |addresses| addresses[to as usize]);
        while ring != destination {
            let routes = &self.topology.rings[ring as usize].routes;
            match self.topology.next_ring(&self.places, routes, ring, address) {
                Some(next) => ring = next,
                None => return false,
            }
        }
        true
    }

    /// Are there ways from a node to all others, and back?
    pub(super) fn has_all_ways(&self, node: u32, back: bool) -> bool {
        let ring = self.ring(node) as usize;
        self.ways.reaches_all[ring] && (!back || self.ways.reached_by_all[ring])
    }
}
