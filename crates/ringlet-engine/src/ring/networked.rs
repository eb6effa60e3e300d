//! A ring of a network, whatever its protocol: it is called once for each window and port, not for each symbol.

use super::{Damaged, Lookahead, Outlook, Ring, read, saved};
use crate::hosts::{Handed, Hosts, Replayed, TransmitQueue};
use crate::node::{IN_NETWORK, Shared};
use crate::protocols::FlowControl;
use crate::queues::{Offers, Received};
use crate::results::{ErrorCounters, NodeCounters, Observer, Recorder};
use crate::values::{Encode, Encoder, NEVER, Release, Transit};

/// The interface of a ring to the network around it.
pub(crate) trait Networked: Send + Sync {
    /// Brings every node to cycle `end`, but not what is counted.
    fn go_to(&mut self, end: u64);
    /// Exchanges the ends of the outgoing links of two places in the present cycle.
    fn exchange(&mut self, ends: [u16; 2]);
    /// Brings every node's counts to the present cycle.
    fn settle(&mut self);
    /// Starts all counts again from the present cycle, for which they have been settled.
    fn reset(&mut self);
    /// Cycles simulated.
    fn cycle(&self) -> u64;
    /// The cycle before which no packet is anywhere on the ring or at its nodes; the present one, if one is.
    fn quiet_until(&self) -> u64;
    /// The latest end of service of an accepted packet.
    fn progress(&self) -> u64;
    /// Nodes and link controllers.
    fn places(&self) -> u32;
    /// The transmit queue at a place.
    fn transmit(&self, place: u16) -> &TransmitQueue;
    /// Returns the transmit queue at a place, of which a switch takes the events.
    fn transmit_mut(&mut self, place: u16) -> &mut TransmitQueue;
    /// The state that the places share.
    fn hosts(&self) -> &Hosts;
    /// Returns the state that the places share, to be changed.
    fn hosts_mut(&mut self) -> &mut Hosts;
    /// The future of the port at a place, as far as it can be seen.
    fn look_ahead(&self, place: u16, outlook: Outlook) -> Lookahead;
    /// The switch of the port at a place frees buffers, of which those before cycle `known_to` are all known, and
    /// forwards packets that are ready in these cycles.
    fn hand_over(&mut self, place: u16, releases: &mut Vec<Release>, known_to: u64, forwards: &mut Vec<(u64, Transit)>);
    /// Counts of a place since the last reset.
    fn counters_at(&self, place: u16) -> NodeCounters;
    /// Errors at a place since the last reset.
    fn errors_at(&self, place: u16) -> ErrorCounters;
    /// A packet of a trace will start at this place.
    fn hand_in_at(&mut self, place: u16, packet: Handed, awaited: &[(u32, u64)]);
    /// A lower bound of the cycle of the next service that ends, of packets that have been accepted.
    fn next_service(&self) -> u64;
    /// A packet has been delivered in a cycle at the interface at this place (`here`), or at the other one of its node.
    fn follow_at(&mut self, place: u16, received: &Received, cycle: u64, here: bool);
    /// The response to a message of this flow, which starts at this place, has been delivered: in the present cycle it
    /// takes effect.
    fn complete_at(&mut self, place: u16, flow: u32, message: u32);
    /// The interface at this place sends the response to a request, which is created in the present cycle.
    fn respond_at(&mut self, place: u16, request: &Received);
    /// The delivery of a packet of a trace will be seen at this place.
    fn expect_at(&mut self, place: u16, number: u32);
    /// The group register of the node at this place is rewritten.
    fn set_group_at(&mut self, place: u16, group: u8);
    /// The progress of the replay of a trace.
    fn replayed(&self) -> Replayed;
    /// Lets, for exploration, a message of this flow of the ring, which starts at this place, arrive in the present
    /// cycle.
    fn generate_at(&mut self, place: u16, flow: u32);
    /// Brings, for exploration, all choices up to the present cycle, so that equal rings are written equally.
    fn bring_heads(&mut self);
    /// Writes, for exploration, what the future depends on.
    fn encode<'a>(&'a self, encoder: &mut Encoder<'a>);
    /// The offers of the port at a place to its switch, if its protocol follows its queues.
    fn offers(&self, place: u16) -> Option<&Offers>;
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;
    /// A copy without an observer.
    fn fork(&self) -> Box<dyn Networked>;
    /// A copy that a recorder observes from here on.
    fn recorded(&self, recorder: Recorder) -> Box<dyn Networked>;
    /// The state: all that has become of it since it was built.
    fn save(&self) -> Vec<u8>;
    /// Returns a ring of the same spec, as it was saved; no observer sees it.
    fn restored(&self, saved: &[u8]) -> Result<Box<dyn Networked>, Damaged>;
}

impl<P: FlowControl + 'static, O: Observer + 'static> Networked for Ring<P, O, IN_NETWORK> {
    fn go_to(&mut self, end: u64) {
        if self.wiring.is_some() {
            self.sweep_wired_to(end);
        } else {
            self.circle_to(end);
        }
        self.cycle = end;
        if self.timing.errs || P::FOLLOWS_QUEUES {
            let errs = self.timing.errs;
            let mut shared = shared!(self, end);
            for node in self.nodes.iter_mut().filter(|node| node.transmit.port().is_some()) {
                if errs {
                    node.announce_losses(&mut shared, end);
                }
                if P::FOLLOWS_QUEUES {
                    node.offer_until(&mut shared, end);
                }
            }
        }
    }

    fn exchange(&mut self, ends: [u16; 2]) {
        self.exchange(ends);
    }

    fn settle(&mut self) {
        self.settle();
    }

    fn reset(&mut self) {
        self.reset();
        if let Some(errors) = self.hosts.errors() {
            errors.reset();
        }
        self.nodes.iter_mut().filter_map(|node| node.transmit.port_mut()).for_each(|port| port.reset());
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn quiet_until(&self) -> u64 {
        self.is_quiet_until()
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn places(&self) -> u32 {
        self.nodes.len() as u32
    }

    fn transmit(&self, place: u16) -> &TransmitQueue {
        &self.nodes[usize::from(place)].transmit
    }

    fn transmit_mut(&mut self, place: u16) -> &mut TransmitQueue {
        &mut self.nodes[usize::from(place)].transmit
    }

    fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    fn hosts_mut(&mut self) -> &mut Hosts {
        &mut self.hosts
    }

    fn look_ahead(&self, place: u16, outlook: Outlook) -> Lookahead {
        self.look_ahead(place, outlook)
    }

    fn hand_over(
        &mut self,
        place: u16,
        releases: &mut Vec<Release>,
        known_to: u64,
        forwards: &mut Vec<(u64, Transit)>,
    ) {
        let node = &mut self.nodes[usize::from(place)];
        node.release(releases.drain(..), known_to);
        for (ready, transit) in forwards.drain(..) {
            node.transmit.forward(&mut self.hosts, ready, &transit);
        }
    }

    fn counters_at(&self, place: u16) -> NodeCounters {
        self.nodes[usize::from(place)].counters(self.measured_from, self.cycle)
    }

    fn errors_at(&self, place: u16) -> ErrorCounters {
        let errors = self.hosts.context.as_ref().and_then(|network| network.errors.as_ref());
        errors.map_or_else(ErrorCounters::default, |errors| errors.counters(place))
    }

    fn hand_in_at(&mut self, place: u16, packet: Handed, awaited: &[(u32, u64)]) {
        self.hand_in_at(place, packet, awaited);
    }

    fn next_service(&self) -> u64 {
        self.nodes.iter().map(|node| node.receive.next_event).min().unwrap_or(NEVER)
    }

    fn follow_at(&mut self, place: u16, received: &Received, cycle: u64, here: bool) {
        self.nodes[usize::from(place)].follow_crossing(&mut self.hosts, received, cycle, here);
    }

    fn complete_at(&mut self, place: u16, flow: u32, message: u32) {
        let transmit = &mut self.nodes[usize::from(place)].transmit;
        transmit.complete(self.cycle);
        if !self.hosts.prompted.is_empty() {
            transmit.close_loop(&mut self.hosts, (flow, message), self.cycle);
        }
    }

    fn respond_at(&mut self, place: u16, request: &Received) {
        let network = self.hosts.context.as_ref().expect("it is a ring of a network");
        let flow = network.local_flow(request.network_flow);
        if let Some(replay) = &mut self.hosts.replay
            && replay.is_handed_in(request.network_flow)
        {
            replay.departs();
        }
        let request = Received { flow, ..*request };
        self.nodes[usize::from(place)].transmit.respond(&mut self.hosts, &request, self.cycle);
    }

    fn expect_at(&mut self, place: u16, number: u32) {
        self.expect_at(place, number);
    }

    fn set_group_at(&mut self, place: u16, group: u8) {
        self.set_group_at(place, group);
    }

    fn replayed(&self) -> Replayed {
        self.replayed()
    }

    fn generate_at(&mut self, place: u16, flow: u32) {
        self.nodes[usize::from(place)].transmit.generate(&mut self.hosts, flow, self.cycle);
    }

    fn bring_heads(&mut self) {
        let mut shared = shared!(self, self.cycle);
        for node in &mut self.nodes {
            if shared.timing.errs {
                node.transmit.announce_losses(shared.hosts);
            }
            node.bring_head(&mut shared, self.cycle);
        }
    }

    fn encode<'a>(&'a self, encoder: &mut Encoder<'a>) {
        encoder.emitted_to_first(self.links.emitted());
        self.nodes.iter().for_each(|node| node.encode_with_flows(&self.hosts, encoder));
        self.protocol.encode(encoder);
        self.hosts.context.iter().for_each(|network| network.encode(encoder));
        encoder.held("a packet on the ring", self.hosts.packets.held() > 0);
        encoder.leave_ring();
    }

    fn offers(&self, place: u16) -> Option<&Offers> {
        self.nodes[usize::from(place)].receive.offers()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.heap_bytes()
    }

    fn fork(&self) -> Box<dyn Networked> {
        Box::new(self.observed_by(()))
    }

    fn recorded(&self, recorder: Recorder) -> Box<dyn Networked> {
        Box::new(self.observed_by(recorder))
    }

    fn save(&self) -> Vec<u8> {
        saved(self)
    }

    fn restored(&self, saved: &[u8]) -> Result<Box<dyn Networked>, Damaged> {
        let mut ring: Ring<P, (), IN_NETWORK> = read(saved)?;
        if let (Some(restored), Some(built)) = (&mut ring.hosts.context, &self.hosts.context) {
            // All rings share one directory of nodes.
            restored.routes = built.routes.clone();
            restored.receivers = built.receivers.clone();
        }
        ring.check(self)?;
        Ok(Box::new(ring))
    }
}
