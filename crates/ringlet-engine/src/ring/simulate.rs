//! The interface of a simulation, whatever its protocol: what a ring and a network do alike, matter by matter.

use super::{Damaged, Stall};
use crate::hosts::{Checked, Handed, PacketEvent, Replayed};
use crate::results::{
    Delivered, DestinationCounters, ErrorCounters, FlowCounters, LinkCounters, MessageCounters, NodeCounters,
    PortCounters, Recorder,
};
use crate::values::{Encode, Moment, State};

/// A ring or a network, which goes on.
pub(crate) trait Simulate: Measure + Supply + Deliver + Duplicate + Explore + Send + Sync {
    /// Simulates until cycle `end`; stops early at a stall.
    fn advance_to(&mut self, end: u64) -> Option<Stall>;
    /// Cycles simulated.
    fn cycle(&self) -> u64;
    /// The cycle before which no packet is anywhere; the present one, if one is.
    fn quiet_until(&self) -> u64;
    /// Advances on so many threads from now on, if there are several rings.
    fn use_threads(&mut self, _threads: usize) {}
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;
}

/// Counts since the last reset.
pub(crate) trait Measure {
    /// Starts all counts again from this cycle.
    fn reset_measurement(&mut self);
    /// Counts of each node.
    fn node_counters(&self) -> Vec<NodeCounters>;
    /// Counts of a flow, if there is such a flow.
    fn flow(&self, flow: usize) -> Option<&FlowCounters>;
    /// Counts of a flow's messages, where it counts more than complete ones.
    fn message_counters(&self, flow: usize) -> Option<MessageCounters>;
    /// Counts of a flow's messages to each destination, where they are kept.
    fn destination_counters(&self, flow: usize) -> Vec<DestinationCounters>;
    /// Counts of each port of a switch, link controller by link controller.
    fn port_counters(&self) -> Vec<PortCounters> {
        Vec::new()
    }
    /// Errors at each node.
    fn error_counters(&self) -> Vec<ErrorCounters> {
        Vec::new()
    }
    /// Counts of each B-Link.
    fn link_counters(&self) -> Vec<LinkCounters> {
        Vec::new()
    }
    /// Packets that are at the head of a queue, on the ring, or wait to be sent again.
    fn packets_held(&self) -> usize;
}

/// Packets that are handed in from outside, besides those that flows generate.
pub(crate) trait Supply {
    /// A checked packet of a trace is handed in.
    fn hand_in(&mut self, packet: &Checked<'_>);
    /// A checked packet is injected at a node; its flow is said as in the spec.
    fn inject(&mut self, node: u32, packet: Handed);
    /// The group register of a node is rewritten in the present cycle.
    fn set_group(&mut self, node: u32, group: u8);
    /// Does the way from one node to another end there?
    fn has_way(&self, _from: u32, _to: u32) -> bool {
        true
    }
    /// The progress of the replay of a trace; all zero without one.
    fn replayed(&self) -> Replayed;
}

/// Reports of single packets, kept until they are taken.
pub(crate) trait Deliver {
    /// Keeps deliveries from now on, to be taken, or no more.
    fn keep_deliveries(&mut self, keep: bool);
    /// Moves those before cycle `end` that have been kept, in any order.
    fn take_deliveries(&mut self, end: u64, taken: &mut Vec<Delivered>);
    /// Moves what has become of injected packets before cycle `end`, in any order.
    fn take_events(&mut self, end: u64, taken: &mut Vec<PacketEvent>);
}

/// Copies of a simulation, in memory and as bytes. They go their own ways.
pub(crate) trait Duplicate {
    /// A copy without an observer.
    fn fork(&self) -> Box<dyn Simulate>;
    /// A copy that a recorder observes from here on.
    fn recorded(&self, recorder: Recorder) -> Box<dyn Simulate>;
    /// The state: all that has become of it since it was built.
    fn save(&self) -> Vec<u8>;
    /// Returns a simulation of the same spec, as it was saved; no observer sees it.
    fn restored(&self, saved: &[u8]) -> Result<Box<dyn Simulate>, Damaged>;
}

/// Steps of an exploration of all states, which decides itself what arrives and what is lost.
pub(crate) trait Explore {
    /// Lets a message of this flow arrive in the present cycle.
    fn generate(&mut self, flow: usize);
    /// Returns how many messages of this flow are complete while a copy is still under way.
    fn trailing(&self, _flow: usize) -> usize {
        0
    }
    /// Loses the next packet or echo that comes in over this link.
    fn damage_next(&mut self, link: usize) {
        panic!("link {link}: a ring without errors loses nothing");
    }
    /// Ends the losses that [`Self::damage_next`] has ordered; returns whether one was still to come.
    fn damage_no_more(&mut self) -> bool {
        false
    }
    /// Returns the links whose symbols may be wrong.
    fn lossy_links(&self) -> Vec<u16> {
        Vec::new()
    }
    /// Returns the state that the future depends on, with that of activities, of whose packets `next` is the number of
    /// the next one.
    fn state(&mut self, next: Option<u32>, activities: &dyn Encode) -> (State, Moment);
}
