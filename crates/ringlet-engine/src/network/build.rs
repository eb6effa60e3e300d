//! A network from its spec.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::b_link::{BLink, Member as LinkMember};
use super::schedule::Schedule;
use super::stations::{Copies, Stations, Twin};
use super::{Exchange, Member, Network, PortPlace, UNLIMITED, expect_change};
use crate::hosts::{
    Directory, Errors, Flow, Followers, Groups, HostLimits, NOWHERE, Receivers, Replay, RingContext, Routes, Side,
    Step, Traced,
};
use crate::node::{IN_NETWORK, Timing};
use crate::protocols::{FlowControl, FlowControlSpec, WithProtocol};
use crate::queues::{Buffers, Port, TransmitSlots};
use crate::ring::{Plan, Ring, Traffic, Wiring, prompted};
use crate::spec::{
    Cascade, Clock, FlowSpec, Forwarding, InterfaceSpec, NetworkSpec, ProtocolSpec, RetryBy, RingSpec, RouteStep,
    SpecError, SwitchKindSpec, TopologySpec, WaysSpec, most_cycles,
};
use crate::values::NEVER;

/// A network being built.
struct Builder<'a> {
    spec: &'a NetworkSpec,
    topology: &'a TopologySpec,
    /// Flows that draw. Those of traces and of injected packets do not, and the latter are there only while a program
    /// steps.
    drawing_flows: usize,
    traffic: Traffic,
    traced: Option<Traced>,
    directory: Arc<Directory>,
    /// Rings that are simulated together.
    joined: Vec<Vec<u32>>,
    /// The number among these of each ring of the spec, and its first place there.
    firsts: Vec<(u32, u16)>,
    /// Flows of each of these, in the order of the spec, and the interface of their node at which they start: 0 or 1.
    flows_of: Vec<Vec<(u32, usize)>>,
    /// First B-Link of each switch.
    first_links: Vec<u32>,
    links: Vec<BLink>,
    /// Link controllers so far.
    ports: u32,
    /// Ring and place of every node.
    nodes: Vec<(u32, u16)>,
    /// Ring and place of the second interface of every node; empty if they have one.
    seconds: Vec<(u32, u16)>,
    /// Ring in the spec of every node.
    node_rings: Vec<u32>,
    /// The receivers of the packets of each flow that has several.
    receivers: Vec<Vec<u32>>,
    /// Have packets of any flow several receivers?
    copies: bool,
    /// Does what is delivered at a station act on both of its interfaces?
    crosses: bool,
    /// Length of the shortest packet that there may be.
    smallest_symbols: u32,
    /// The longest packet and its idle, in symbols.
    longest_symbols: u32,
}

impl<'a> Builder<'a> {
    fn new(spec: &'a NetworkSpec, topology: &'a TopologySpec) -> Self {
        let joined = topology.joined_rings();
        let mut builder = Self {
            spec,
            topology,
            drawing_flows: spec.flows.iter().filter(|flow| !flow.is_injected() && !flow.is_traced()).count(),
            traffic: Traffic::of(spec),
            traced: None,
            directory: Arc::default(),
            flows_of: vec![Vec::new(); joined.len()],
            joined,
            firsts: vec![(0, 0); topology.rings.len()],
            first_links: Vec::new(),
            links: Vec::new(),
            ports: 0,
            nodes: vec![(0, 0); spec.nodes as usize],
            seconds: vec![(0, 0); if topology.ways.is_some() { spec.nodes as usize } else { 0 }],
            node_rings: vec![0; spec.nodes as usize],
            receivers: spec.receivers(),
            // Asked for by every ring and switch, and found out once: a torus has more rings than nodes.
            copies: spec.copies(),
            crosses: topology.ways.is_some() && spec.flows.iter().any(FlowSpec::crosses),
            smallest_symbols: smallest_symbols(spec),
            longest_symbols: spec.longest_symbols(),
        };
        builder.place_nodes();
        for (index, flow) in (0u32..).zip(&spec.flows) {
            for (side, of) in [&builder.nodes, &builder.seconds].into_iter().enumerate() {
                let Some(&(ring, _)) = of.get(flow.source as usize) else { continue };
                let ways = topology.ways.as_ref();
                let receivers = &builder.receivers[index as usize];
                if ways.is_none_or(|ways| ways.part(side, flow, receivers, spec.nodes).is_some()) {
                    builder.flows_of[ring as usize].push((index, side));
                }
            }
        }
        let flows = builder.flows_of.iter().flatten().map(|&(flow, _)| &spec.flows[flow as usize]);
        builder.traced = Traced::of(spec, flows);
        builder.directory = Arc::new(builder.directory());
        builder.make_links();
        builder
    }

    fn kind(&self, switch: u32) -> &'a SwitchKindSpec {
        &self.topology.switch_kinds[self.topology.switches[switch as usize].kind as usize]
    }

    /// Link controllers at an interface.
    fn controllers(&self, interface: &InterfaceSpec) -> u16 {
        match *interface {
            InterfaceSpec::Node(_) | InterfaceSpec::Second { .. } => 1,
            InterfaceSpec::Port(switch, _) => self.kind(switch).links,
        }
    }

    fn place_nodes(&mut self) {
        for (number, rings) in (0u32..).zip(&self.joined) {
            let mut place = 0;
            for &ring in rings {
                self.firsts[ring as usize] = (number, place);
                for interface in &self.topology.rings[ring as usize].interfaces {
                    match *interface {
                        InterfaceSpec::Node(node) => {
                            self.nodes[node as usize] = (number, place);
                            self.node_rings[node as usize] = ring;
                        }
                        InterfaceSpec::Second { second } => self.seconds[second as usize] = (number, place),
                        InterfaceSpec::Port(..) => {}
                    }
                    place += self.controllers(interface);
                }
            }
        }
    }

    fn directory(&self) -> Directory {
        let rings: Box<[u32]> = self.node_rings.as_slice().into();
        let addresses = self.topology.addresses.as_ref();
        let flows = self.flows_of.iter().flatten();
        Directory {
            addresses: addresses.map_or_else(|| rings.clone(), |given| given.as_slice().into()),
            rings,
            places: self.nodes.iter().map(|node| node.1).collect(),
            seconds: self.seconds.iter().map(|node| node.1).collect(),
            flow_places: flows.clone().map(|&(flow, _)| flow).collect(),
            flow_nodes: flows.map(|&(flow, _)| self.spec.flows[flow as usize].source as u16).collect(),
        }
    }

    fn make_links(&mut self) {
        // Where routes change, a packet may go back through the port that has received it.
        let returns = self.topology.errors.as_ref().is_some_and(|errors| !errors.reroutes.is_empty());
        for (number, switch) in (0u32..).zip(&self.topology.switches) {
            let kind = self.kind(number);
            self.first_links.push(self.links.len() as u32);
            for link in 0..kind.links {
                let mut made = BLink::new(
                    (number, link),
                    *kind,
                    self.topology.symbol_ps,
                    self.spec.format.symbol_bytes(),
                    self.smallest_symbols,
                    returns,
                    self.traffic.prioritised,
                );
                // Where they are is known when their rings are made.
                made.members = vec![LinkMember::new(Buffers::new(kind.transmit)); usize::from(switch.ports)];
                self.links.push(made);
            }
        }
    }

    /// The rings that are simulated together under this number; their first flow has this number in the network.
    fn ring<P: FlowControl + 'static>(&mut self, options: &P::Options, number: u32, first_flow: u32) -> Member {
        let topology = self.topology;
        let rings = self.joined[number as usize].clone();
        // Rings that are simulated together have one rate.
        let symbol_cycles = topology.rings[rings[0] as usize].symbol_cycles;
        let (clock, symbol_ps) = (Clock::new(symbol_cycles), topology.symbol_ps * u64::from(symbol_cycles));
        let mut interfaces = Vec::new();
        let mut receive_queues = Vec::new();
        let mut limits = Vec::new();
        let mut base_nodes = Vec::new();
        let mut ports = Vec::new();
        let mut firsts: Vec<Vec<u16>> = Vec::new();
        let mut lengths: Vec<u16> = Vec::new();
        let mut nodes = Vec::new();
        let all = rings.iter().flat_map(|&ring| {
            let numbered = topology.rings[ring as usize].interfaces.iter().enumerate();
            numbered.map(move |(index, interface)| (ring, index, interface))
        });
        let mut start = 0;
        for (ring, index, interface) in all {
            let place = interfaces.len() as u16;
            if index == 0 {
                start = place;
                firsts.push(Vec::new());
                lengths.push(0);
            }
            let of_ring = firsts.len() - 1;
            firsts[of_ring].push(place - start);
            lengths[of_ring] += self.controllers(interface);
            match *interface {
                InterfaceSpec::Node(node) | InterfaceSpec::Second { second: node } => {
                    let host = topology.host_of(node);
                    let slots =
                        host.slots.map(|slots| TransmitSlots::of_host(topology.slot_choice, host, slots, symbol_ps));
                    interfaces.push(slots);
                    receive_queues.push(self.spec.queues.receive.of(node).of_ring(clock));
                    let own = self.spec.queues.limits.of(node).of_ring(clock);
                    let host_limits = HostLimits::of(&own).with_times(host, symbol_ps);
                    limits.push(host_limits.with_bypasses(self.bypasses(node, clock)));
                    if self.spec.base_nodes.contains(&node) {
                        base_nodes.push(place.into());
                    }
                    nodes.push(node);
                }
                InterfaceSpec::Port(switch, port) => {
                    let kind = self.kind(switch);
                    for link in 0..kind.links {
                        let place = place + link;
                        let next = (link + 1 < kind.links).then_some(place + 1);
                        let held = Port::new(
                            port,
                            Buffers::new(kind.receive),
                            kind.forwarding == Forwarding::CutThrough,
                            next,
                            self.traffic.prioritised,
                        );
                        let held = if link == 0 && kind.cascade == Cascade::RoundRobin {
                            held.in_turn(kind.links)
                        } else {
                            held
                        };
                        interfaces.push(Some(TransmitSlots::of_port(topology.slot_choice, held)));
                        receive_queues.push(self.spec.queues.receive.common.of_ring(clock));
                        limits.push(HostLimits::of(&self.spec.queues.limits.common.of_ring(clock)));
                        // No node is there, which observers see as `UNKNOWN`.
                        nodes.push(u32::MAX);
                        let link = self.first_links[switch as usize] + u32::from(link);
                        let made = &mut self.links[link as usize];
                        made.place(port, self.ports, (number, place), symbol_cycles);
                        made.members[usize::from(port)].seen_at = (ring, place - start);
                        self.ports += 1;
                        ports.push(PortPlace { place, link, port });
                    }
                }
            }
        }
        let (specs, flows, flow_places) = self.flows(number, clock);
        let followers =
            Followers::of(specs.iter().zip(flow_places.iter().copied()), |flow| self.spec.flows[flow as usize].source);
        let network = RingContext {
            clock,
            routes: rings
                .iter()
                .zip(&firsts)
                .map(|(&ring, firsts)| (self.firsts[ring as usize].1, self.routes(ring, firsts)))
                .collect(),
            receivers: self.receivers(number, interfaces.len()),
            joins: rings.len() > 1,
            first_flow,
            flows: flows.len() as u32,
            second_flow: match topology.ways {
                Some(WaysSpec::One { .. }) => self.flows_of[0].len() as u32,
                _ => u32::MAX,
            },
            nodes: nodes.into(),
            deliveries: Vec::new(),
            crosses: self.crosses,
            crossings: Vec::new(),
            given_up: Vec::new(),
            inversions: Vec::new(),
            groups: self.by_place(&rings, |ring| ring.groups.as_deref(), 0).map_or_else(Box::default, Into::into),
            held_echoes: if topology.retry_by == RetryBy::Responder {
                vec![Vec::new(); interfaces.len()].into()
            } else {
                Box::default()
            },
            errors: topology.errors.as_ref().map(|errors| {
                let each = rings.iter().zip(&firsts).zip(&lengths);
                let each = each.map(|((&ring, firsts), &places)| (ring, firsts.as_slice(), places));
                Box::new(Errors::new(errors, (self.spec.seed, self.spec.format.link_width), clock, each))
            }),
        };
        let hop_delays = self.by_place(&rings, |ring| ring.hop_delays.as_deref(), self.spec.hop_delay.common);
        let hop_delay =
            |place: u32| hop_delays.as_ref().map_or(self.spec.hop_delay.common, |each| each[place as usize]);
        let plan = Plan {
            places: interfaces.len() as u32,
            wiring: (rings.len() > 1).then(|| Wiring::of(&lengths, hop_delay)),
            receive_queues,
            limits,
            flows,
            flow_places,
            response_groups: {
                let each = self.spec.response_groups.iter().flatten();
                each.map(|groups| Groups::of(&groups.in_symbols(clock))).collect()
            },
            prompted: prompted(specs.iter()),
            followers,
            traffic: self.traffic,
            timing: Timing {
                delays_echoes: topology.retry_by == RetryBy::Responder,
                errs: topology.errors.is_some(),
                copies: self.copies,
                reroutes: topology.errors.as_ref().is_some_and(|errors| !errors.reroutes.is_empty()),
                pass_wait: match topology.pass_wait() {
                    // Store-and-forward: until all of the packet is there, whatever the clock
                    // of the ring (network-model.md, Section 1).
                    u32::MAX => u32::MAX,
                    wait => clock.symbols(wait.into()) as u32,
                },
            },
            network: Some(Box::new(network)),
            counts_elsewhere: topology.ways.is_some(),
            replay: self.traced.as_ref().map(|traced| Box::new(Replay::new(traced, clock, interfaces.len() as u32))),
            interfaces,
        };
        // On the ring its own interfaces are all the nodes that there are.
        let spec = self.spec.of_ring(plan.places, hop_delays, base_nodes, self.longest_symbols);
        Member { ring: Box::new(Ring::<P, (), IN_NETWORK>::new(&spec, options, plan, ())), ports: ports.into(), clock }
    }

    /// The receivers on a ring of so many places of packets that have several.
    fn receivers(&self, ring: u32, places: usize) -> Option<Box<Receivers>> {
        if !self.copies {
            return None;
        }
        let own = &self.flows_of[ring as usize];
        let side = own.first().map_or(0, |&(_, side)| side);
        let own: Vec<_> = own.iter().map(|&(flow, _)| flow).collect();
        let leads = |source, node| {
            let ways = self.topology.ways.as_ref();
            ways.is_none_or(|ways| ways.takes(side, source, node, self.spec.nodes))
        };
        let nodes = if side == 1 { &self.seconds } else { &self.nodes };
        let place = |node: u32| nodes[node as usize].1;
        Receivers::of(&self.spec.flows, &own, places, leads, place, self.topology.stripped_by)
    }

    /// A ring's flows, with their times by its clock, and the places at which they start.
    fn flows(&self, ring: u32, clock: Clock) -> (Vec<FlowSpec>, Vec<Flow>, Vec<u32>) {
        let own = || self.flows_of[ring as usize].iter().map(|&(index, side)| (index as usize, side));
        let place = |(index, side): (usize, usize)| {
            let of = if side == 0 { &self.nodes } else { &self.seconds };
            u32::from(of[self.spec.flows[index].source as usize].1)
        };
        let ways = self.topology.ways.as_ref();
        let specs: Vec<_> = own()
            .map(|(index, side)| {
                let flow = &self.spec.flows[index];
                let part = ways.and_then(|ways| ways.part(side, flow, &self.receivers[index], self.spec.nodes));
                part.as_ref().unwrap_or(flow).in_symbols(clock)
            })
            .collect();
        let flow = |((index, side), flow): ((usize, usize), &FlowSpec)| match ways {
            None => Flow::new(self.spec, index, flow),
            Some(ways) => self.of_station((index, side), flow, ways),
        };
        let flows = own().zip(&specs).map(flow).collect();
        (specs, flows, own().map(place).collect())
    }

    /// A flow, or the part of one, at an interface of a station.
    fn of_station(&self, (index, side): (usize, usize), part: &FlowSpec, ways: &WaysSpec) -> Flow {
        let (whole, nodes) = (&self.spec.flows[index], self.spec.nodes);
        let receivers = &self.receivers[index];
        let is_twin = side == 1 && ways.part(0, whole, receivers, nodes).is_some();
        let are_copies = matches!(ways, WaysSpec::Both {}) || !receivers.is_empty();
        // Copies, and messages of which each interface sends a part, are drawn alike; other parts are independent.
        let alike = whole.draws_alike() || are_copies;
        // Behind the streams of all flows that draw: a second interface changes no draw of another flow.
        let stream = if is_twin && !alike { index + self.drawing_flows } else { index };
        let mut flow = Flow::new(self.spec, stream, part);
        let source = whole.source;
        if let WaysSpec::One { ahead } = ways
            && !are_copies
        {
            flow.sort(Side { node: source, nodes, ahead: ahead[source as usize], is_second: side == 1 });
        }
        // Messages are kept where they are drawn.
        let keeps = whole.messages.is_some() && !alike;
        if is_twin && !keeps { flow.into_twin() } else { flow }
    }

    /// Repeats what is said of each interface for each place of rings that are simulated together; `None`: nothing is
    /// said of any of them.
    fn by_place<T: Copy>(&self, rings: &[u32], said: impl Fn(&RingSpec) -> Option<&[T]>, else_: T) -> Option<Vec<T>> {
        let specs = || rings.iter().map(|&ring| &self.topology.rings[ring as usize]);
        specs().any(|ring| said(ring).is_some()).then(|| {
            let each = |ring| match said(ring) {
                Some(each) => self.topology.by_place(ring, each),
                None => vec![else_; self.topology.controllers(ring).sum()],
            };
            specs().flat_map(each).collect()
        })
    }

    /// The place of an interface of a ring of the spec, of a cascade the last one, which its outgoing link leaves.
    fn last_place(&self, (ring, interface): (u32, u32)) -> u16 {
        let spec = &self.topology.rings[ring as usize];
        let before: usize = self.topology.controllers(spec).take(interface as usize + 1).sum();
        self.firsts[ring as usize].1 + before as u16 - 1
    }

    /// The cycles in which routes or links change, in order, with the links that do.
    fn changes(&self) -> VecDeque<(u64, Vec<Exchange>)> {
        let mut changes: BTreeMap<u64, Vec<Exchange>> = BTreeMap::new();
        if let Some(errors) = &self.topology.errors {
            for reroute in &errors.reroutes {
                changes.entry(reroute.from_cycle).or_default();
            }
            for exchange in &errors.exchanges {
                let ring = self.firsts[exchange.links[0].0 as usize].0;
                let ends = exchange.links.map(|link| self.last_place(link));
                changes.entry(exchange.at_cycle).or_default().push(Exchange { ring, ends });
            }
        }
        changes.into_iter().collect()
    }

    /// `firsts`: the place of each interface on its ring, of a cascade the first.
    fn routes(&self, ring: u32, firsts: &[u16]) -> Routes {
        let spec = &self.topology.rings[ring as usize];
        let start = self.firsts[ring as usize].1;
        let step = |&(first, place, exit): &RouteStep| Step {
            first,
            place: place.map_or(NOWHERE.place, |place| start + firsts[place as usize]),
            exit: exit.unwrap_or(NOWHERE.exit),
        };
        let reroutes = self.topology.errors.iter().flat_map(|errors| &errors.reroutes);
        let later: Box<[_]> = reroutes
            .map(|reroute| (spec.clock().symbols(reroute.from_cycle), &reroute.rings[ring as usize]))
            .map(|(from, steps)| (from, steps.iter().map(step).collect()))
            .collect();
        let counts = self.topology.controllers(spec);
        let by_place = firsts.iter().zip(counts).flat_map(|(&first, count)| std::iter::repeat_n(first, count));
        Routes {
            directory: Arc::clone(&self.directory),
            ring,
            steps: spec.routes.iter().map(step).collect(),
            firsts: if later.is_empty() { Box::default() } else { by_place.collect() },
            start,
            later,
        }
    }

    /// The times of a ring in which a node is bypassed.
    fn bypasses(&self, node: u32, clock: Clock) -> Box<[(u64, u64)]> {
        let all = self.topology.errors.iter().flat_map(|errors| &errors.bypasses);
        let end = |until: Option<u64>| until.map_or(NEVER, |until| clock.symbols(until));
        let mut own: Vec<_> = all
            .filter(|bypass| bypass.node == node)
            .map(|bypass| (clock.symbols(bypass.from_cycle), end(bypass.until_cycle)))
            .collect();
        own.sort_unstable();
        own.into()
    }
}

/// Length of the shortest packet that there may be.
fn smallest_symbols(spec: &NetworkSpec) -> u32 {
    let requests = spec.flows.iter().flat_map(|flow| flow.sizes.iter().map(|size| size.0));
    let smallest = requests.chain(spec.flows.iter().filter_map(|flow| flow.response_symbols)).min();
    smallest.unwrap_or(spec.format.min_send_symbols())
}

/// A use of the builder: the ring of this number, whose first flow has this number in the network.
struct MakeRing<'a, 'b>(&'b mut Builder<'a>, u32, u32);

impl WithProtocol for MakeRing<'_, '_> {
    type Output = Member;
    fn with<P: FlowControl + 'static>(self, options: &P::Options) -> Member {
        self.0.ring::<P>(options, self.1, self.2)
    }
}

impl Network<()> {
    /// The network of a validated spec at cycle 0; its rings have this protocol where they do not name their own.
    pub(crate) fn new(
        spec: &NetworkSpec,
        flow_control: &FlowControlSpec,
        topology: &TopologySpec,
    ) -> Result<Self, SpecError> {
        let mut builder = Builder::new(spec, topology);
        let mut owners = Vec::with_capacity(spec.flows.len());
        let mut flows: Vec<Option<(u32, u32)>> = vec![None; spec.flows.len()];
        let mut twins = Vec::new();
        let mut parts = vec![[None; 2]; if topology.ways.is_some() { spec.flows.len() } else { 0 }];
        let mut rings = Vec::with_capacity(builder.joined.len());
        for number in 0..builder.joined.len() as u32 {
            // Rings that are simulated together have one protocol.
            let ring = &topology.rings[builder.joined[number as usize][0] as usize];
            let own = ring.flow_control.as_ref().map(ProtocolSpec::options).transpose()?;
            let make = MakeRing(&mut builder, number, owners.len() as u32);
            rings.push(own.as_ref().unwrap_or(flow_control).select(make));
            for (local, &(index, side)) in (0u32..).zip(&builder.flows_of[number as usize]) {
                if let Some(of_sides) = parts.get_mut(index as usize) {
                    of_sides[side] = Some(local);
                }
                let of = *flows[index as usize].get_or_insert((number, local));
                owners.push(of);
                if of != (number, local) {
                    let flow = &spec.flows[index as usize];
                    let alike = flow.draws_alike();
                    let copies = matches!(topology.ways, Some(WaysSpec::Both {}));
                    let copies = copies || !builder.receivers[index as usize].is_empty();
                    twins.push(Twin { of, at: (number, local), generates: !alike && !copies, copies });
                }
            }
        }
        let changes = builder.changes();
        expect_change(&mut builder.links, &changes);
        let stations = topology.ways.as_ref().map(|ways| Stations {
            ways: ways.clone(),
            least_symbols: builder.crosses.then(|| builder.smallest_symbols.into()),
            seconds: std::mem::take(&mut builder.seconds),
            parts,
            twins,
            copies: matches!(ways, WaysSpec::Both {}).then(Copies::default),
            pending: Vec::new(),
        });
        Ok(Self {
            schedule: Schedule::new(&rings, &builder.links, 0),
            rings,
            window: builder.links.iter().map(BLink::least_lookahead).min().unwrap_or(UNLIMITED),
            links: builder.links,
            nodes: builder.nodes,
            stations,
            flows: flows.into_iter().map(|at| at.expect("every flow starts somewhere")).collect(),
            owners,
            cycle: 0,
            most_cycles: most_cycles(topology.symbol_ps),
            stall_cycles: spec.measurement.stall_cycles,
            latency_digits: spec.measurement.latency_digits,
            watched_from: 0,
            changes,
            pool: None,
            observer: (),
        })
    }
}
