//! Checks of a network of rings: its places, addresses and link errors.

use std::collections::BTreeMap;

use super::routes::Reach;
use super::topology::Places;
use super::{
    BypassSpec, ErrorsSpec, ExchangeSpec, Forwarding, InterfaceSpec, MAX_CYCLES, MAX_DELAY_PS, MAX_INTERFACES,
    MAX_PASS_DELAY, MAX_PORTS, MAX_RINGS, MAX_SYMBOL_CYCLES, NetworkSpec, SpecError, TopologySpec, check,
    check_hop_delays,
};

impl TopologySpec {
    /// Checks everything but the routes that flows need.
    /// `longest_symbols`: no packet with its idle is longer.
    pub(super) fn validate(&self, spec: &NetworkSpec, longest_symbols: u32) -> Result<Reach<'_>, SpecError> {
        let nodes = spec.nodes;
        let symbol = self.symbol_ps;
        let symbol_ok = (1..=MAX_DELAY_PS).contains(&symbol);
        check(symbol_ok, "network.symbol_ps", symbol, format!("1 to {MAX_DELAY_PS} ps"))?;
        let rings = self.rings.len();
        check(
            (1..=MAX_RINGS).contains(&rings),
            "network.rings",
            format!("{rings} rings"),
            format!("1 to {MAX_RINGS}"),
        )?;
        for (index, kind) in self.switch_kinds.iter().enumerate() {
            kind.validate(symbol, &format!("network.switch_kinds[{index}]"))?;
        }
        for (index, switch) in self.switches.iter().enumerate() {
            let (kind, kinds) = (switch.kind, self.switch_kinds.len());
            let at = format!("network.switches[{index}]");
            check((kind as usize) < kinds, format!("{at}.kind"), kind, format!("a kind below {kinds}"))?;
            let ok = (2..=MAX_PORTS).contains(&switch.ports);
            check(ok, format!("{at}.ports"), switch.ports, format!("2 to {MAX_PORTS} ports"))?;
        }
        let (stores, wait) = (self.bypass == Forwarding::StoreAndForward, self.pass_delay);
        let most = if stores { 0 } else { MAX_PASS_DELAY };
        let allowed = if stores {
            "0 where interfaces store what passes".to_owned()
        } else {
            format!("at most {MAX_PASS_DELAY} cycles")
        };
        check(wait <= most, "network.pass_delay", wait, allowed)?;
        self.host.validate("network.host")?;
        if let Some(each) = &self.hosts {
            let (given, allowed) = (format!("{} values", each.len()), format!("{nodes}, one per node"));
            check(each.len() == nodes as usize, "network.hosts", given, allowed)?;
            each.iter().enumerate().try_for_each(|(node, host)| host.validate(&format!("network.hosts[{node}]")))?;
        }
        let places = self.validate_places(nodes)?;
        self.errors.as_ref().map_or(Ok(()), |errors| errors.validate(self, spec, longest_symbols))?;
        self.validate_routes()?;
        self.ways.as_ref().map_or(Ok(()), |ways| ways.validate(self, spec))?;
        Reach::of(self, places)
    }

    /// Every node and every port sits at exactly one place.
    fn validate_places(&self, nodes: u32) -> Result<Places, SpecError> {
        let ports = self.switches.iter().map(|switch| vec![None; usize::from(switch.ports)]).collect();
        let mut seconds: Vec<Option<u32>> = vec![None; nodes as usize];
        let mut places = Places { nodes: vec![None; nodes as usize], ports, addresses: BTreeMap::new() };
        for (number, ring) in (0u32..).zip(&self.rings) {
            let at = format!("network.rings[{number}]");
            let (count, symbol) = (self.controllers(ring).sum::<usize>(), ring.symbol_cycles);
            let allowed = format!("1 to {MAX_SYMBOL_CYCLES} cycles of the network");
            check((1..=MAX_SYMBOL_CYCLES).contains(&symbol), format!("{at}.symbol_cycles"), symbol, allowed)?;
            let allowed = format!("1 to {MAX_INTERFACES} interfaces");
            check((1..=MAX_INTERFACES).contains(&count), format!("{at}.interfaces"), count, allowed)?;
            check_hop_delays(ring.hop_delays.as_deref(), ring.interfaces.len(), &format!("{at}.hop_delays"))?;
            for (place, interface) in (0u32..).zip(&ring.interfaces) {
                let at = format!("{at}.interfaces[{place}]");
                let taken = match *interface {
                    InterfaceSpec::Node(node) => {
                        check(node < nodes, &at, format!("node {node}"), format!("a node below {nodes}"))?;
                        places.nodes[node as usize].replace((number, place)).map(|(ring, _)| ring)
                    }
                    InterfaceSpec::Port(switch, port) => {
                        let known = self.switches.get(switch as usize).is_some_and(|switch| port < switch.ports);
                        check(known, &at, format!("port {port} of switch {switch}"), "a port of a switch that exists")?;
                        places.ports[switch as usize][usize::from(port)].replace(number)
                    }
                    InterfaceSpec::Second { second } => {
                        let value = format!("second interface of node {second}");
                        let allowed = "one of a node below the number of nodes, where network.ways says what it is for";
                        check(second < nodes && self.ways.is_some(), &at, value, allowed)?;
                        seconds[second as usize].replace(number)
                    }
                };
                let what = match interface {
                    InterfaceSpec::Node(node) => format!("node {node}"),
                    InterfaceSpec::Port(switch, port) => format!("port {port} of switch {switch}"),
                    InterfaceSpec::Second { second } => format!("second interface of node {second}"),
                };
                if let Some(other) = taken {
                    check(false, at, what, format!("what is on no other place; it is on ring {other}, too"))?;
                }
            }
        }
        let lost = places.nodes.iter().position(Option::is_none);
        check(
            lost.is_none(),
            "network.rings",
            format!("node {} on no ring", lost.unwrap_or(0)),
            "every node on a ring",
        )?;
        for (switch, ports) in places.ports.iter().enumerate() {
            if let Some(port) = ports.iter().position(Option::is_none) {
                let value = format!("port {port} of switch {switch} on no ring");
                check(false, "network.rings", value, "every port on a ring")?;
            }
        }
        self.validate_addresses(&mut places)?;
        Ok(places)
    }

    /// Every interface of a ring has a group that the ring has, if any has: `groups` are those of each ring.
    pub(crate) fn validate_groups(&self, groups: &[u16]) -> Result<(), SpecError> {
        let given =
            self.rings.iter().enumerate().filter_map(|(number, ring)| Some((number, ring, ring.groups.as_ref()?)));
        for (number, ring, given) in given {
            let at = format!("network.rings[{number}].groups");
            let (count, interfaces) = (given.len(), ring.interfaces.len());
            check(count == interfaces, &at, format!("{count} groups"), format!("{interfaces}, one per interface"))?;
            let most = groups[number];
            for (place, &group) in given.iter().enumerate() {
                check(u16::from(group) < most, format!("{at}[{place}]"), group, format!("a group below {most}"))?;
            }
        }
        Ok(())
    }

    fn validate_addresses(&self, places: &mut Places) -> Result<(), SpecError> {
        let (nodes, known) = (places.nodes.len(), self.addresses.as_ref().map_or(places.nodes.len(), Vec::len));
        check(known == nodes, "network.addresses", format!("{known} addresses"), format!("{nodes}, one per node"))?;
        for node in 0..nodes {
            let ring = places.nodes[node].expect("every node is on a ring").0;
            let address = self.addresses.as_ref().map_or(ring, |addresses| addresses[node]);
            let at = format!("network.addresses[{node}]");
            check((address as usize) < MAX_RINGS, &at, address, format!("below {MAX_RINGS}"))?;
            let other = *places.addresses.entry(address).or_insert(ring);
            let allowed = format!("an address of ring {ring}; nodes on ring {other} have this one");
            check(other == ring, at, address, allowed)?;
        }
        Ok(())
    }
}

impl ErrorsSpec {
    pub(super) fn validate(
        &self,
        topology: &TopologySpec,
        spec: &NetworkSpec,
        longest_symbols: u32,
    ) -> Result<(), SpecError> {
        let hop_delay = spec.hop_delay.common;
        let rate_ok = |rate: f64, at: String| check((0.0..1.0).contains(&rate), at, rate, "0 to below 1");
        rate_ok(self.bit_error_rate, "network.errors.bit_error_rate".into())?;
        for (index, link) in self.links.iter().enumerate() {
            let at = format!("network.errors.links[{index}]");
            let ring = topology.rings.get(link.ring as usize);
            check(ring.is_some(), format!("{at}.ring"), link.ring, format!("below {}", topology.rings.len()))?;
            let places = ring.map_or(0, |ring| ring.interfaces.len());
            let ok = (link.place as usize) < places;
            check(ok, format!("{at}.place"), link.place, format!("a place below {places}"))?;
            link.bit_error_rate.map_or(Ok(()), |rate| rate_ok(rate, format!("{at}.bit_error_rate")))?;
            let bounds: Vec<u64> =
                link.interruptions.iter().flat_map(|&(from, until)| [from, until.unwrap_or(u64::MAX)]).collect();
            let ok = bounds.windows(2).all(|pair| pair[0] < pair[1]);
            check(
                ok,
                format!("{at}.interruptions"),
                "a list",
                "interruptions one behind the other, each with a length",
            )?;
        }
        for (index, bypass) in self.bypasses.iter().enumerate() {
            let at = format!("network.errors.bypasses[{index}]");
            let &BypassSpec { node, from_cycle, until_cycle } = bypass;
            check(node < spec.nodes, format!("{at}.node"), node, format!("a node below {}", spec.nodes))?;
            let ok = until_cycle.is_none_or(|until| from_cycle < until);
            let allowed = format!("above {from_cycle}, where it begins");
            check(ok, format!("{at}.until_cycle"), until_cycle.unwrap_or(u64::MAX), allowed)?;
        }
        self.validate_exchanges(topology, spec)?;
        // A node may be ahead of another by what the links between them hold.
        let ahead = |&ring: &u32| {
            let ring = &topology.rings[ring as usize];
            let held = 2 * u64::from(longest_symbols);
            let ahead =
                topology.around_cycles(ring, hop_delay) + topology.controllers(ring).sum::<usize>() as u64 * held;
            ring.clock().cycles(ahead)
        };
        let joined = topology.joined_rings();
        let least = joined.iter().map(|rings| rings.iter().map(ahead).sum()).max().unwrap_or(0);
        let timeout = self.timeout_cycles;
        let ok = (least..=MAX_CYCLES).contains(&timeout);
        check(
            ok,
            "network.errors.timeout_cycles",
            timeout,
            format!("at least {least} cycles, longer than any way round a ring"),
        )
    }

    /// Links that exchange where they lead are on different rings, and carry nothing around that time.
    fn validate_exchanges(&self, topology: &TopologySpec, network: &NetworkSpec) -> Result<(), SpecError> {
        let mut earliest = 1;
        for (index, exchange) in self.exchanges.iter().enumerate() {
            let at = format!("network.errors.exchanges[{index}]");
            let &ExchangeSpec { at_cycle, links } = exchange;
            let ok = (earliest..=MAX_CYCLES).contains(&at_cycle);
            check(ok, format!("{at}.at_cycle"), at_cycle, format!("{earliest} to {MAX_CYCLES}, in order of time"))?;
            earliest = at_cycle;
            let known = |(ring, place): (u32, u32)| {
                topology.rings.get(ring as usize).is_some_and(|ring| (place as usize) < ring.interfaces.len())
            };
            let ok = links.into_iter().all(known) && links[0].0 != links[1].0;
            check(ok, format!("{at}.links"), "a pair", "links of two rings, each by a ring and a place on it")?;
            let [one, other] = links.map(|(ring, _)| &topology.rings[ring as usize].flow_control);
            check(one == other, format!("{at}.links"), "rings of two protocols", "rings of one protocol")?;
            let [one, other] = links.map(|(ring, _)| topology.rings[ring as usize].symbol_cycles);
            check(
                one == other,
                format!("{at}.links"),
                "rings of two rates",
                "rings of one rate, which a joined ring has",
            )?;
            for (ring, place) in links {
                let spec = &topology.rings[ring as usize];
                let hop = spec.hop_delays.as_ref().map_or(network.hop_delay.common, |each| each[place as usize]);
                let symbols = u64::from(spec.symbol_cycles);
                let (before, behind) = (network.exchange_symbols() * symbols, u64::from(hop) * symbols);
                let of_link = self.links.iter().filter(|link| (link.ring, link.place) == (ring, place));
                let is_interrupted = of_link.flat_map(|link| &link.interruptions).any(|&(from, until)| {
                    from + before <= at_cycle && until.is_none_or(|until| until >= at_cycle + behind)
                });
                let allowed = format!(
                    "one that is interrupted from {before} cycles before it until its {behind} cycles behind it"
                );
                check(is_interrupted, format!("{at}.links"), format!("place {place} of ring {ring}"), allowed)?;
            }
        }
        for rings in topology.joined_rings() {
            let places: usize =
                rings.iter().map(|&ring| topology.controllers(&topology.rings[ring as usize]).sum::<usize>()).sum();
            let allowed = format!("rings of at most {MAX_INTERFACES} interfaces together");
            check(places <= MAX_INTERFACES, "network.errors.exchanges", places, allowed)?;
        }
        Ok(())
    }
}
