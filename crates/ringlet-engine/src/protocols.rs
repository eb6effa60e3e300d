//! Flow-control protocols: what the idles carry and when a node may send. One file each.
//!
//! A protocol is one node's state behind [`FlowControl`]. The node ([`crate::node`]) strips, queues and keeps the order
//! of symbols; it asks the protocol at the points at which docs/model.md and docs/realtime-model.md let it decide: an
//! idle passes, an idle is absorbed, a packet is recorded, an idle is emitted behind an own packet or a separator,
//! something is to follow an idle. The real-time protocols also hear of what happens in the node's queues.

mod dfc;
mod grouped;
mod none;
mod ppq;
mod sci;
mod train;

use crate::hosts::{Eligibility, Head, Hosts, TransmitQueue};
use crate::queues::{Bypass, ReceiveQueue, Received, Service};
use crate::spec::{FlowControlSpec, NetworkSpec, ReceiveQueueSpec};
use crate::values::{Class, Encode, IdleWord, Kind, Packet, Run};

use dfc::Dfc;
use grouped::Grouped;
use none::NoFlowControl;
use ppq::Ppq;
use sci::SciPriorities;
use train::TrainProtocol;

/// An idle that the node takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdleIn {
    /// From the link, with its state.
    Received(IdleWord),
    /// Made by stripping a packet: it carries nothing.
    Created,
}

/// What a node emits next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// What comes in.
    Nothing,
    /// The head of the transmit queue.
    Own,
    /// This packet, which has left the queue before.
    Granted(u32),
    /// The packet at this place of the bypass FIFO.
    Bypass(usize),
    /// A packet that the protocol has made: a late echo, an event.
    Insert(Run),
    /// A control symbol, without an idle behind it.
    Control(Run),
    /// An idle, although the bypass FIFO is not empty.
    Hold,
}

/// One node's queues, as a protocol may see and use them in cycle `now`.
pub(crate) struct Host<'a, R> {
    pub(crate) now: u64,
    pub(crate) transmit: &'a mut TransmitQueue,
    pub(crate) receive: &'a mut ReceiveQueue,
    pub(crate) hosts: &'a mut Hosts,
    pub(crate) receive_queue: &'a ReceiveQueueSpec,
    pub(crate) bypass: &'a mut Bypass,
    /// What the nodes of the ring share for their protocol.
    pub(crate) ring: &'a mut R,
    /// Tickets deleted for want of a place.
    pub(crate) deleted_tickets: &'a mut u64,
    /// Packets taken out of an input queue or a bypass FIFO.
    pub(crate) preempted_packets: &'a mut u64,
}

impl<R> Host<'_, R> {
    /// Places of a class's input queue that are free.
    pub(crate) fn room(&self, class: Class) -> u32 {
        let held = self.receive.len(class) as u32;
        self.receive_queue.capacity.map_or(u32::MAX, |capacity| capacity.saturating_sub(held))
    }

    pub(crate) fn head(&self) -> Option<Head> {
        self.transmit.head_view(&self.hosts.packets)
    }

    /// Has a bypass FIFO of `symbols` space for a packet of `len` and its idle?
    pub(crate) fn has_space(&self, symbols: u32, len: u32) -> bool {
        u64::from(symbols) > self.bypass.occupancy(self.now) + u64::from(len)
    }
}

/// One node's flow control. All idles of a run are equal and are handled by one call.
pub(crate) trait FlowControl: Eligibility + Send + Sync + Sized + Clone + Encode {
    /// What the nodes of a ring share.
    type Ring: Send + Sync + Clone + Default + Encode;

    /// Revolutions of undisturbed idles after which the ring's idles repeat for ever.
    const SETTLED_AFTER: u32 = 1;
    /// Does it follow what happens in the node's queues?
    const REAL_TIME: bool = false;
    /// Are accepted packets stripped without an echo? The protocol makes it later.
    const LATE_ECHO: bool = false;

    /// State of node `node` at cycle 0, on a ring full of these idles.
    fn new(spec: &NetworkSpec, node: u32, initial: IdleWord) -> Self;

    /// State of every idle of a ring at rest: all go bits.
    fn initial_idle(spec: &FlowControlSpec) -> IdleWord;

    /// Must every arrival be taken in its cycle, even one that cannot become head?
    fn follows_arrivals(&self) -> bool {
        false
    }

    /// What the node's bypass FIFO holds at cycle 0.
    fn start(&mut self, _host: Host<'_, Self::Ring>) -> Option<Run> {
        None
    }

    /// The head of the transmit queue has changed.
    fn set_head(&mut self, _head: Option<Head>) {}

    /// A send packet of this group passes while the node has a head.
    fn record(&mut self, _group: u8) {}

    /// Idles pass a node that waits with an empty bypass FIFO; returns what each is emitted as.
    fn pass(&mut self, _idle: IdleIn) -> IdleWord {
        0
    }

    /// Idles are absorbed by a node that sends or drains.
    fn absorb(&mut self, _idle: IdleIn) {}

    /// An own packet has been sent, with the bypass FIFO empty or not; the next head is not chosen yet.
    fn sent(&mut self, _fifo_empty: bool) {}

    /// The idle behind an own packet. `last_absorbed_created`: the idle absorbed in this cycle was a created one.
    fn idle_after_send(&mut self, _fifo_empty: bool, _last_absorbed_created: bool) -> IdleWord {
        0
    }

    /// The idle in place of a separator of the bypass FIFO, which leaves it empty or not.
    fn separator(&mut self, _fifo_empty: bool) -> IdleWord {
        0
    }

    /// May the head be sent behind this idle, just emitted with the bypass FIFO empty?
    fn unblocked(&self, _emitted: IdleWord) -> bool {
        true
    }

    /// Decides what follows the idle just emitted, or a control symbol.
    #[inline]
    fn next(&mut self, emitted: IdleWord, host: Host<'_, Self::Ring>) -> Next {
        if !host.bypass.is_empty() {
            Next::Bypass(0)
        } else if host.transmit.head().is_some() && self.unblocked(emitted) {
            Next::Own
        } else {
            Next::Nothing
        }
    }

    /// The emission of an own packet begins.
    fn sends(&mut self, _packet: u32, _host: Host<'_, Self::Ring>) {}

    /// The emission of any packet or control symbol begins.
    fn emits(&mut self, _symbols: u32, _cycle: u64) {}

    /// An own packet's echo says accepted.
    fn accepted(&mut self, _packet: u32) {}

    /// A packet arrives for which its queue has no place; may it take another one's?
    fn make_place(&mut self, _packet: &Packet, _host: Host<'_, Self::Ring>) -> bool {
        false
    }

    /// A packet of a class has been accepted or refused.
    fn arrived(&mut self, _class: Class, _granted: bool, _accepted: bool, _host: Host<'_, Self::Ring>) {}

    /// A server has started or ended a service.
    fn served(&mut self, _service: &Service, _host: Host<'_, Self::Ring>) {}

    /// A control symbol arrives; returns whether it was the node's own, and has come back.
    fn control(&mut self, _run: Run, _host: Host<'_, Self::Ring>) -> bool {
        unreachable!("only DFC has control symbols")
    }

    /// The control symbol that is to be emitted first.
    fn next_control(&mut self) -> Option<Run> {
        None
    }

    /// The train arrives; returns what it leaves as, if it does.
    fn train(&mut self, _run: Run, _host: Host<'_, Self::Ring>) -> Option<Run> {
        unreachable!("only TRAIN has a train")
    }

    /// An event message passes.
    fn event(&mut self, _run: Run, _host: Host<'_, Self::Ring>) {}

    /// Go bits (and other state) that this node withholds from the ring.
    fn saved(&self) -> IdleWord {
        0
    }

    /// What of its state keeps the node from sending, in words.
    fn blocked_by(&self, _head: Option<&Packet>) -> Option<String> {
        None
    }
}

/// The busy echo or the echo of a received packet, as a run of its own.
pub(crate) fn echo(received: &Received, kind: Kind, symbols: u32) -> Run {
    Run { len: symbols, value: received.packet, target: received.source, kind, group: 0 }
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
        FlowControlSpec::Ppq(_) => user.with::<Ppq>(),
        FlowControlSpec::Train(_) => user.with::<TrainProtocol>(),
        FlowControlSpec::Dfc(_) => user.with::<Dfc>(),
    }
}
