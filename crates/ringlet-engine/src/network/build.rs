//! A network from its spec.

use std::sync::Arc;

use super::b_link::{BLink, Member as LinkMember};
use super::schedule::Schedule;
use super::{Member, Network, PortPlace, UNLIMITED};
use crate::hosts::{Directory, Errors, Flow, Replay, RingContext, Routes, Step, Traced};
use crate::node::{IN_NETWORK, Timing};
use crate::protocols::{FlowControl, FlowControlSpec, WithProtocol};
use crate::queues::{Buffers, Port, TransmitSlots};
use crate::ring::{Plan, Ring, Traffic, loops};
use crate::spec::{
    Forwarding, InterfaceSpec, MIN_SEND_SYMBOLS, NetworkSpec, ProtocolSpec, RetryBy, RingSpec, SpecError,
    SwitchKindSpec, TopologySpec, most_cycles,
};

/// A network being built.
struct Builder<'a> {
    spec: &'a NetworkSpec,
    topology: &'a TopologySpec,
    traffic: Traffic,
    traced: Option<Traced>,
    directory: Arc<Directory>,
    /// Hosts of each ring, in the order of the spec.
    flows_of: Vec<Vec<u32>>,
    /// First B-Link of each switch.
    first_links: Vec<u32>,
    links: Vec<BLink>,
    /// Link controllers so far.
    ports: u32,
    /// Ring and place of every node.
    nodes: Vec<(u32, u16)>,
}

impl<'a> Builder<'a> {
    fn new(spec: &'a NetworkSpec, topology: &'a TopologySpec) -> Self {
        let mut builder = Self {
            spec,
            topology,
            traffic: Traffic::of(spec),
            traced: None,
            directory: Arc::default(),
            flows_of: vec![Vec::new(); topology.rings.len()],
            first_links: Vec::new(),
            links: Vec::new(),
            ports: 0,
            nodes: vec![(0, 0); spec.nodes as usize],
        };
        builder.place_nodes();
        for (index, flow) in (0u32..).zip(&spec.flows) {
            builder.flows_of[builder.nodes[flow.source as usize].0 as usize].push(index);
        }
        let flows = builder.flows_of.iter().flatten().map(|&flow| &spec.flows[flow as usize]);
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
            InterfaceSpec::Node(_) => 1,
            InterfaceSpec::Port(switch, _) => self.kind(switch).links,
        }
    }

    fn place_nodes(&mut self) {
        for (ring, spec) in (0u32..).zip(&self.topology.rings) {
            let mut place = 0;
            for interface in &spec.interfaces {
                if let InterfaceSpec::Node(node) = *interface {
                    self.nodes[node as usize] = (ring, place);
                }
                place += self.controllers(interface);
            }
        }
    }

    fn directory(&self) -> Directory {
        let rings: Box<[u32]> = self.nodes.iter().map(|node| node.0).collect();
        let addresses = self.topology.addresses.as_ref();
        let flows = self.flows_of.iter().flatten();
        Directory {
            addresses: addresses.map_or_else(|| rings.clone(), |given| given.as_slice().into()),
            rings,
            places: self.nodes.iter().map(|node| node.1).collect(),
            flow_places: flows.clone().copied().collect(),
            flow_nodes: flows.map(|&flow| self.spec.flows[flow as usize].source as u16).collect(),
        }
    }

    fn make_links(&mut self) {
        let smallest_symbols = self.smallest_symbols();
        for (number, switch) in (0u32..).zip(&self.topology.switches) {
            let kind = self.kind(number);
            self.first_links.push(self.links.len() as u32);
            for link in 0..kind.links {
                let mut made = BLink::new(
                    (number, link),
                    *kind,
                    self.topology.symbol_ps,
                    smallest_symbols,
                    self.traffic.prioritised,
                );
                // Where they are is known when their rings are made.
                made.members = vec![LinkMember::new(Buffers::new(kind.transmit)); usize::from(switch.ports)];
                self.links.push(made);
            }
        }
    }

    fn cycles(&self, ps: u64) -> u64 {
        ps.div_ceil(self.topology.symbol_ps)
    }

    /// The ring of this number; its first flow has this number in the network.
    fn ring<P: FlowControl + 'static>(&mut self, options: &P::Options, number: u32, first_flow: u32) -> Member {
        let topology = self.topology;
        let spec = &topology.rings[number as usize];
        let mut interfaces = Vec::new();
        let mut receive_queues = Vec::new();
        let mut limits = Vec::new();
        let mut base_nodes = Vec::new();
        let mut ports = Vec::new();
        let mut firsts = Vec::new();
        let mut nodes = Vec::new();
        for interface in &spec.interfaces {
            let place = interfaces.len() as u16;
            firsts.push(place);
            match *interface {
                InterfaceSpec::Node(node) => {
                    let slots = topology.host.slots.map(|slots| {
                        TransmitSlots::of_host(topology.slot_choice, &topology.host, slots, topology.symbol_ps)
                    });
                    interfaces.push(slots);
                    receive_queues.push(self.spec.receive_queue_of(node));
                    limits.push(self.spec.limits_of(node));
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
                            Buffers::new(kind.receive),
                            kind.forwarding == Forwarding::CutThrough,
                            next,
                            self.traffic.prioritised,
                        );
                        interfaces.push(Some(TransmitSlots::of_port(topology.slot_choice, held)));
                        receive_queues.push(self.spec.receive_queue);
                        limits.push(self.spec.common_limits());
                        nodes.push(u32::MAX);
                        let link = self.first_links[switch as usize] + u32::from(link);
                        self.links[link as usize].place(port, self.ports, (number, place), P::FOLLOWS_QUEUES);
                        self.ports += 1;
                        ports.push(PortPlace { place, link, port });
                    }
                }
            }
        }
        let (flows, flow_places) = self.flows(number);
        let network = RingContext {
            routes: self.routes(number, spec, &firsts),
            first_flow,
            flows: flows.len() as u32,
            nodes: nodes.into(),
            deliveries: Vec::new(),
            given_up: Vec::new(),
            inversions: Vec::new(),
            groups: spec.groups.as_ref().map_or_else(Box::default, |groups| topology.by_place(spec, groups).into()),
            held_echoes: if topology.retry_by == RetryBy::Responder {
                vec![Vec::new(); interfaces.len()].into()
            } else {
                Box::default()
            },
            errors: topology
                .errors
                .as_ref()
                .map(|errors| Box::new(Errors::new(errors, self.spec.seed, number, &firsts, interfaces.len() as u16))),
        };
        let plan = Plan {
            places: interfaces.len() as u32,
            receive_queues,
            limits,
            flows,
            flow_places,
            loops: loops(self.flows_of[number as usize].iter().map(|&flow| &self.spec.flows[flow as usize])),
            traffic: self.traffic,
            timing: Timing {
                receive_delay_cycles: self.cycles(topology.host.receive_delay_ps),
                store_cycles: self.cycles(topology.host.store_ps),
                delays_echoes: topology.retry_by == RetryBy::Responder,
                errs: topology.errors.is_some(),
                stores: topology.bypass == Forwarding::StoreAndForward,
            },
            network: Some(Box::new(network)),
            replay: self.traced.as_ref().map(|traced| Box::new(Replay::new(traced, interfaces.len() as u32))),
            interfaces,
        };
        // On the ring its own interfaces are all the nodes that there are.
        let hop_delays = spec.hop_delays.as_ref().map(|each| topology.by_place(spec, each));
        let spec = self.spec.of_ring(plan.places, hop_delays, base_nodes);
        Member { ring: Box::new(Ring::<P, (), IN_NETWORK>::new(&spec, options, plan, ())), ports: ports.into() }
    }

    /// A ring's flows and the places at which they start.
    fn flows(&self, ring: u32) -> (Vec<Flow>, Vec<u32>) {
        let own = || self.flows_of[ring as usize].iter().map(|&index| index as usize);
        let place = |index: usize| u32::from(self.nodes[self.spec.flows[index].source as usize].1);
        (own().map(|index| Flow::new(self.spec, index)).collect(), own().map(place).collect())
    }

    /// `firsts`: the place of each interface, of a cascade the first.
    fn routes(&self, ring: u32, spec: &RingSpec, firsts: &[u16]) -> Routes {
        let steps = spec.routes.iter().map(|&(first, place, exit)| Step {
            first,
            place: place.map_or(u16::MAX, |place| firsts[place as usize]),
            exit: exit.unwrap_or(u16::MAX),
        });
        Routes { directory: Arc::clone(&self.directory), ring, steps: steps.collect() }
    }

    /// Length of the shortest packet that there may be.
    fn smallest_symbols(&self) -> u32 {
        let requests = self.spec.flows.iter().flat_map(|flow| flow.sizes.iter().map(|size| size.0));
        let smallest = requests.chain(self.spec.flows.iter().filter_map(|flow| flow.response_symbols)).min();
        smallest.unwrap_or(MIN_SEND_SYMBOLS)
    }
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
        let mut flows = vec![(0, 0); spec.flows.len()];
        let mut rings = Vec::with_capacity(topology.rings.len());
        for (number, ring) in (0u32..).zip(&topology.rings) {
            let own = ring.flow_control.as_ref().map(ProtocolSpec::options).transpose()?;
            let make = MakeRing(&mut builder, number, owners.len() as u32);
            rings.push(own.as_ref().unwrap_or(flow_control).select(make));
            for (local, &index) in (0u32..).zip(&builder.flows_of[number as usize]) {
                flows[index as usize] = (number, local);
                owners.push((number, local));
            }
        }
        Ok(Self {
            schedule: Schedule::new(&rings, &builder.links, 0),
            rings,
            window: builder.links.iter().map(BLink::least_lookahead).min().unwrap_or(UNLIMITED),
            links: builder.links,
            nodes: builder.nodes,
            flows,
            owners,
            cycle: 0,
            most_cycles: most_cycles(topology.symbol_ps),
            stall_cycles: spec.stall_cycles,
            latency_digits: spec.latency_digits,
            watched_from: 0,
            pool: None,
            observer: (),
        })
    }
}
