//! Checks of a state that was read from a file, before a simulation goes on from it: without them wrong ones would end
//! in a panic or never end.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::Ring;
use super::saved::{Damaged, check_count, check_state};
use super::slow_link::SlowLink;
use crate::hosts::{Errors, Hosts};
use crate::protocols::FlowControl;
use crate::results::Observer;
use crate::spec::MAX_CYCLES;
use crate::values::{Bounds, Class, IdleStates, Inspection, Kind, Marks, Run};

/// Cycles by which a node is ahead of its ring at most: the longest message is shorter.
const MOST_AHEAD: u64 = 1 << 33;

impl<P: FlowControl, O: Observer, const NETWORKED: bool> Ring<P, O, NETWORKED> {
    /// Refuses the state if a simulation of the spec of which another one was `built` cannot go on from it. Not every
    /// wrong state is found: some are those of other simulations.
    pub(super) fn check<Q: Observer>(&self, built: &Ring<P, Q, NETWORKED>) -> Result<(), Damaged> {
        let Self { nodes, hosts, cycle, measured_from, wiring, .. } = self;
        check_count(nodes.len(), built.nodes.len(), "nodes")?;
        check_count(hosts.flows.len(), built.hosts.flows.len(), "flows")?;
        check_count(self.slow_links.len(), built.slow_links.len(), "slow links")?;
        check_count(hosts.counters.len(), built.hosts.counters.len(), "counters of flows")?;
        check_count(hosts.prompted.len(), built.hosts.prompted.len(), "flows that packets prompt")?;
        let parts = |hosts: &Hosts| {
            let Hosts { context, replay, transactions, followers, .. } = hosts;
            [context.is_some(), replay.is_some(), transactions.is_some(), followers.is_some()]
        };
        check_state(parts(hosts) == parts(&built.hosts), || "another kind of ring than that of the spec".into())?;
        check_state(wiring.is_some() == built.wiring.is_some(), || "links that may not change do".into())?;
        // Where links may exchange their ends, the way round changes with them.
        let revolution = wiring.is_some() || self.revolution == built.revolution;
        check_state(self.revolution > 0 && revolution && *cycle <= MAX_CYCLES, || format!("a ring at cycle {cycle}"))?;
        check_state(measured_from <= cycle, || format!("counts from cycle {measured_from} at cycle {cycle}"))?;
        let packets = hosts.packets.places();
        let network_flows = hosts.network_flows();
        let bounds = Bounds {
            packets,
            flows: hosts.counters.len(),
            network_flows,
            places: nodes.len(),
            nodes: hosts.context.as_ref().map_or(nodes.len(), |network| network.nodes_of_network()),
            levels: built.nodes.iter().map(|node| node.transmit.most_levels()).max().unwrap_or_default(),
        };
        if let Some(wrong) = Inspection::of(self, bounds).differs_from(&Inspection::of(built, Bounds::ANY)) {
            return Err(Damaged(wrong));
        }
        let strange = hosts.flows.iter().position(|flow| !flow.sends_within(bounds.nodes));
        check_state(strange.is_none(), || format!("packets of flow {strange:?} are to go to no node"))?;
        let is_free = hosts.packets.free_places();
        let is_free = is_free.ok_or_else(|| Damaged("a place for packets is free twice".to_owned()))?;
        self.check_flows(&is_free)?;
        self.check_messages(&is_free)?;
        for (node, built) in nodes.iter().zip(&built.nodes) {
            node.check(*cycle, MOST_AHEAD, (hosts, &is_free), nodes.len()).map_err(Damaged)?;
            node.receive.check(&built.receive).map_err(|wrong| Damaged(format!("node {} {wrong}", node.id())))?;
        }
        if let Some(replay) = &hosts.replay {
            replay.check(nodes.iter().map(|node| node.transmit.request_levels())).map_err(Damaged)?;
        }
        self.check_links(packets)?;
        self.check_idles()?;
        self.check_slots(&is_free)
    }

    /// Idles have words that their protocol can read.
    fn check_idles(&self) -> Result<(), Damaged> {
        let runs = self.nodes.iter().flat_map(|node| node.runs()).chain(self.links.emitted());
        let words = runs.filter(|run| run.kind == Kind::Idle).map(|run| run.value);
        let mut words = words.chain(self.slow_links.iter().flat_map(SlowLink::words));
        let strange = words.find(|&word| !self.protocol.knows(word));
        check_state(strange.is_none(), || format!("idles that the protocol does not know: {strange:?}"))
    }

    /// Packets count for the same flow on the ring and in the network.
    fn check_flows(&self, is_free: &[bool]) -> Result<(), Damaged> {
        let Hosts { packets, context, .. } = &self.hosts;
        let here = |network_flow| context.as_ref().map_or(network_flow, |network| network.local_flow(network_flow));
        let held = (0..).zip(is_free).filter(|(_, is_free)| !**is_free).map(|(place, _)| &packets[place]);
        let strange = held.map(|packet| (packet.flow, packet.network_flow)).find(|&(flow, of)| flow != here(of));
        check_state(strange.is_none(), || format!("a packet of two flows: {strange:?}"))
    }

    /// Packets that no receiver has yet, and those that one has not served, are some that their message awaits.
    fn check_messages(&self, is_free: &[bool]) -> Result<(), Damaged> {
        let hosts = &self.hosts;
        if hosts.crosses() {
            // The other ring draws packets of a flow, too.
            return Ok(());
        }
        let receivers = hosts.receivers();
        let copies = receivers
            .into_iter()
            .flat_map(|receivers| (0..hosts.flows.len() as u32).flat_map(|flow| receivers.copies(flow)));
        let copies: BTreeSet<_> = copies.collect();
        // Flows that count what further receivers take draw no packets.
        for (number, flow) in (0..).zip(&hosts.flows).filter(|(number, _)| !copies.contains(number)) {
            flow.check_messages().map_err(|wrong| Damaged(format!("flow {number} {wrong}")))?;
        }
        if hosts.transactions.is_some() {
            // What is asked for again may come twice.
            return Ok(());
        }
        let held = (0..).zip(is_free).filter(|(_, is_free)| !**is_free).map(|(place, _)| &hosts.packets[place]);
        let under_way = held.filter(|packet| !packet.marks.intersects(Marks::RECEIVED | Marks::DONE));
        // One of several receivers may have such a packet already.
        let under_way =
            under_way.filter(|packet| receivers.is_none_or(|receivers| !receivers.are_several(packet.flow)));
        let received = self.nodes.iter().flat_map(|node| node.receive.iter());
        let under_way = under_way.map(|packet| (packet.flow, packet.message));
        let mut named: Vec<_> = under_way.chain(received.map(|packet| (packet.flow, packet.message))).collect();
        named.retain(|&(flow, _)| (flow as usize) < hosts.counted_here && !copies.contains(&flow));
        named.sort_unstable();
        for packets in named.chunk_by(|one, next| one == next) {
            let (flow, message) = packets[0];
            if hosts.flows[flow as usize].awaited(message).is_some_and(|awaited| packets.len() > awaited as usize) {
                return Err(Damaged(format!("{} packets of message {message} of flow {flow}", packets.len())));
            }
        }
        Ok(())
    }

    /// A packet on its way or lost, or its echo, holds the slot that it is sent from until that echo is back, and is
    /// there once; so is one for which a slot is being filled.
    fn check_slots(&self, is_free: &[bool]) -> Result<(), Damaged> {
        let mut is_seen = vec![false; is_free.len()];
        let mut see = |packet: u32, what: &dyn Debug| {
            let place = packet as usize;
            check_state(!is_free[place], || format!("{what:?} of a packet that there is not"))?;
            check_state(!std::mem::replace(&mut is_seen[place], true), || format!("{what:?} of a packet elsewhere"))
        };
        let has_slot = |packet: u32| {
            let source = self.nodes.get(usize::from(self.hosts.packets[packet].source));
            let slots = source.and_then(|source| source.transmit.slots.as_ref());
            check_state(slots.is_none_or(|slots| slots.holds(packet)), || format!("packet {packet} without a slot"))
        };
        let passing = self.nodes.iter().flat_map(|node| node.runs());
        let on_slow_links = self.slow_links.iter().flat_map(SlowLink::runs);
        let passing = passing.chain(self.links.emitted()).chain(on_slow_links);
        for run in passing.filter(|run| run.kind.has_packet()) {
            see(run.value, run)?;
            has_slot(run.value)?;
            let packet = &self.hosts.packets[run.value];
            let strips = if run.kind.is_send() { packet.destination } else { packet.source };
            check_state(run.target == strips, || format!("a run {run:?} of a packet that {strips} strips"))?;
        }
        let errors = self.hosts.context.as_ref().and_then(|network| network.errors.as_deref());
        for (sender, packet) in errors.into_iter().flat_map(Errors::lost) {
            see(packet, &"a loss")?;
            has_slot(packet)?;
            let source = usize::from(self.hosts.packets[packet].source);
            check_state(source == sender, || format!("a loss of {source}'s packet at {sender}"))?;
        }
        // Of a granted packet that was lost, a message tells the class (`Node::miss_messages`).
        let is_known = |run: &Run| !run.kind.is_send() || (run.value as usize) < Class::ALL.len();
        let strange = errors.into_iter().flat_map(Errors::lost_messages).find(|run| !is_known(run));
        check_state(strange.is_none(), || {
            format!("a message that was lost of a class that there is not: {strange:?}")
        })?;
        for slots in self.nodes.iter().filter_map(|node| node.transmit.slots.as_ref()) {
            let mut filled = slots.coming().map(|coming| coming.packet).chain(slots.bus_requests());
            filled.try_for_each(|packet| see(packet, &"the filling of a slot"))?;
        }
        let twice = self.nodes.iter().find(|node| node.waits_on_its_way(&is_seen));
        twice.map_or(Ok(()), |node| Err(Damaged(format!("node {} will send what is on its way", node.id()))))
    }

    /// A link holds what its sender has emitted and its receiver has not read.
    fn check_links(&self, packets: usize) -> Result<(), Damaged> {
        let places = self.nodes.len();
        for run in self.links.emitted() {
            run.check(packets, places).map_err(Damaged)?;
        }
        for slow in &self.slow_links {
            slow.check(self.nodes[slow.node()].emitted_until(), MOST_AHEAD)?;
            slow.runs().try_for_each(|run| run.check(packets, places)).map_err(Damaged)?;
        }
        if self.wiring.is_some() {
            return Ok(());
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let before = (place + places - 1) % places;
            let hop = self.hop_delays.as_ref().map_or(self.revolution / places as u64, |each| each[before].into());
            let also = if NETWORKED && place == 0 { self.links.emitted() } else { &[] };
            let held: u64 = node.unread.iter().chain(also).map(|run| self.symbols_of(run)).sum();
            let slow = self.slow_links.iter().find(|slow| slow.node() == before);
            let emitted_until = slow.map_or_else(|| self.nodes[before].emitted_until(), SlowLink::known_until);
            let (sent, read) = (emitted_until + hop, node.cycle + held);
            let what = || format!("what place {before} has sent until {sent} is read until {read} at place {place}");
            check_state(sent == read, what)?;
        }
        Ok(())
    }

    /// Symbols of a run on a link: the echo that follows a stripped packet becomes a run of its own once that is read.
    fn symbols_of(&self, run: &Run) -> u64 {
        let is_followed = matches!(run.kind, Kind::Stripped | Kind::StrippedBusy);
        u64::from(run.len) + if is_followed { self.echo_symbols.into() } else { 0 }
    }
}
