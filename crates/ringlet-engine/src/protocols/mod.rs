//! Flow-control protocols: what the idles carry and when a node may send. One file each.
//!
//! A protocol is one node's state behind [`FlowControl`]. The node ([`crate::node`]) strips, queues and keeps the order of symbols; it asks the protocol at
//! the four points at which docs/model.md lets it decide: an idle passes, an idle is absorbed, a packet is recorded, an idle is emitted
//! behind an own packet or a separator.

mod grouped;
mod none;
mod sci;

pub use grouped::Grouped;
pub use none::NoFlowControl;
pub use sci::SciPriorities;

use crate::spec::{FlowControlSpec, NetworkSpec};

/// State of an idle symbol: bits 0 to 15 go bits; the rest is the protocol's.
pub type IdleWord = u32;

/// The head of a node's transmit queue, as far as a protocol may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Its transmission group.
    pub group: u8,
    /// Its send priority.
    pub priority: u8,
}

/// An idle that the node takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleIn {
    /// From the link, with its state.
    Received(IdleWord),
    /// Made by stripping a packet: it carries nothing.
    Created,
}

/// One node's flow control. All idles of a run are equal and are handled by one call.
pub trait FlowControl: Send + Sync + Sized {
    /// Revolutions of undisturbed idles after which the ring's idles repeat for ever.
    const SETTLED_AFTER: u32 = 1;

    /// State of node `node` at cycle 0, on a ring full of these idles.
    fn new(spec: &FlowControlSpec, node: u32, initial: IdleWord) -> Self;

    /// State of every idle of a ring at rest: all go bits.
    fn initial_idle(spec: &FlowControlSpec) -> IdleWord;

    /// The head of the transmit queue has changed.
    fn set_head(&mut self, head: Option<Head>);

    /// A send packet of this group passes while the node has a head.
    fn record(&mut self, group: u8);

    /// Idles pass a node that waits with an empty bypass FIFO; returns what each is emitted as.
    fn pass(&mut self, idle: IdleIn) -> IdleWord;

    /// Idles are absorbed by a node that sends or drains.
    fn absorb(&mut self, idle: IdleIn);

    /// The own packet has been sent, with the bypass FIFO empty or not; the next head is not chosen yet.
    fn sent(&mut self, fifo_empty: bool);

    /// The idle behind the own packet. `last_absorbed_created`: the idle absorbed in this cycle was a created one.
    fn idle_after_send(&mut self, fifo_empty: bool, last_absorbed_created: bool) -> IdleWord;

    /// The idle in place of a separator of the bypass FIFO, which leaves it empty or not.
    fn separator(&mut self, fifo_empty: bool) -> IdleWord;

    /// May the head be sent behind this idle, just emitted with the bypass FIFO empty?
    fn unblocked(&self, emitted: IdleWord) -> bool;

    /// Go bits (and other state) that this node withholds from the ring.
    fn saved(&self) -> IdleWord;
}

/// Something that needs to know the protocol's type: the one place where protocols are listed.
pub(crate) trait WithProtocol {
    type Output;
    fn with<P: FlowControl + 'static>(self) -> Self::Output;
}

/// Calls `user` with the protocol that the spec names. A new protocol is its file and its line here.
pub(crate) fn select<U: WithProtocol>(spec: &NetworkSpec, user: U) -> U::Output {
    match spec.flow_control {
        FlowControlSpec::None {} => user.with::<NoFlowControl>(),
        // picker1994, Section 3.1, with one group is SCI's protocol.
        FlowControlSpec::Sci { priorities: 1, .. } | FlowControlSpec::Grouped { .. } => user.with::<Grouped>(),
        FlowControlSpec::Sci { .. } => user.with::<SciPriorities>(),
    }
}
