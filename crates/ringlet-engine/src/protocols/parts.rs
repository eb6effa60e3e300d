//! Parts of a protocol that most protocols do without. Each is a trait, and a method of a role returns what implements
//! it: mostly the protocol itself.

use super::{Host, IdleIn, Protocol, Stripped};
use crate::hosts::{Head, TransmitQueue};
use crate::queues::{ReceiveQueue, Service};
use crate::values::{Class, IdleWord, Packet, Packets, Run};

/// Stands for a part that a protocol does not have: there is none of this type.
pub(crate) enum Absent {}

/// Go bits that a node receives, keeps and sends on, of a protocol with this state of its ring.
pub(crate) trait KeepsGoBits<R> {
    /// Notes the head of the transmit queue; called when it changes, and behind each packet that the node has sent.
    #[inline]
    fn set_head(&mut self, _head: Option<Head>) {}

    /// May equal idles like this one, passing in a row, leave as different ones? Then each is handled by a call of its
    /// own; asked before each run of idles that pass.
    #[inline]
    fn counts_idles(&self, _idle: IdleIn, _ring: &R) -> bool {
        false
    }

    /// Notes that created idles will take the place of something; called when its first symbol arrives.
    #[inline]
    fn strips(&mut self, _what: Stripped) {}

    /// Notes that an own packet has been sent, with the bypass FIFO empty or not; called in the cycle of the idle
    /// behind it, before the next head is chosen.
    #[inline]
    fn sent(&mut self, _fifo_empty: bool) {}

    /// Returns what the node keeps, as a recording shows it; called whenever that may have changed.
    fn saved(&self) -> IdleWord;
}

impl<R> KeepsGoBits<R> for Absent {
    fn saved(&self) -> IdleWord {
        match *self {}
    }
}

/// The node's queues, beyond what [`super::Scheduler::next`] sees of them.
pub(crate) trait Queues<P: Protocol> {
    /// Says what of the node's queues is handled in its cycle, and how the head is chosen; called once, when the node
    /// is built.
    fn attach(&self, _transmit: &mut TransmitQueue, _receive: &mut ReceiveQueue) {}

    /// Returns the fill of the bypass FIFO, in symbols, down to which its packets follow every idle in order, until the
    /// head changes or something is for this node. In that time `next` would change nothing else. `None`: it must be
    /// asked. Called when a node that empties its bypass FIFO has new input.
    #[inline]
    fn drains(&self, _transmit: &TransmitQueue, _packets: &Packets) -> Option<u64> {
        None
    }

    /// Is a packet accepted, for which its input queue has a place or not? Asked when its first symbol arrives.
    #[inline]
    fn admits(&mut self, _packet: &Packet, has_place: bool, _host: Host<'_, P>) -> bool {
        has_place
    }

    /// Notes that a packet of a class has been accepted or refused, and whether it had been granted a place; called
    /// right after that.
    #[inline]
    fn arrived(&mut self, _class: Class, _granted: bool, _accepted: bool, _host: Host<'_, P>) {}

    /// Returns the echo that leaves with the last symbols of a packet that has been accepted in cycle `now`; called
    /// right after that.
    #[inline]
    fn echo(&mut self, _now: u64) -> Echoed {
        Echoed::Packet
    }

    /// Notes that a server has started or ended a service; called in that cycle. Of one that starts and ends between
    /// two visits of the node only the end is reported, unless [`Self::attach`] has all of them watched.
    #[inline]
    fn served(&mut self, _service: &Service, _host: Host<'_, P>) {}
}

impl<P: Protocol> Queues<P> for Absent {}

/// The echo in place of the last symbols of a packet that has been accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echoed {
    /// Echo of the packet itself.
    Packet,
    /// Echo of an earlier packet.
    Earlier(Run),
    /// No echo leaves with this packet.
    Nothing,
}

/// Packets on the node's links: those that it emits, and those that pass it.
pub(crate) trait Link<P: Protocol> {
    /// Returns the value that a packet of this node carries for the nodes that it passes; called when its emission
    /// begins.
    #[inline]
    fn carried(&self, packet: &Packet) -> u8 {
        packet.group
    }

    /// Returns the priority that counts of a packet on its way; called when it arrives, or passes, where there are
    /// several priorities.
    #[inline]
    fn priority(&self, run: &Run, packets: &Packets) -> u8 {
        packets[run.value].priority
    }

    /// Notes the value that a packet carries; called when it passes a node with a head.
    #[inline]
    fn record(&mut self, _carried: u8) {}

    /// Notes that a packet or echo of another node has come in, which passes or goes into the bypass FIFO; called for
    /// any of them, behind the idles before it.
    #[inline]
    fn passes(&mut self) {}

    /// May the head be sent in place of an echo that begins to pass, and goes into the empty bypass FIFO then? Asked
    /// when its first symbol arrives, of a protocol that follows its queues.
    #[inline]
    fn goes_before_passing(&self, _echo: &Run) -> bool {
        false
    }

    /// Notes that the emission of a packet or message begins; called for any of them.
    #[inline]
    fn emits(&mut self, _run: &Run, _cycle: u64) {}

    /// Notes that a packet of this priority has passed; called in the idle behind it, where there are several
    /// priorities.
    #[inline]
    fn passed(&mut self, _priority: u8, _counts: &mut P::Counts) {}
}

impl<P: Protocol> Link<P> for Absent {}

/// A message that goes round for ever, also on a ring on which nothing else is. Its rounds there are counted, not
/// simulated, once the state of the ring comes again.
pub(crate) trait Circling<P: Protocol> {
    /// Returns the message that the node's bypass FIFO holds at cycle 0; called once, in that cycle.
    fn start(&mut self, _host: Host<'_, P>) -> Option<Run> {
        None
    }

    /// Returns the cycles after which a ring of so many places and cycles around is in the same state again, if they
    /// are known beforehand; if not, it is after a round of the message, or two. Asked before rounds are left out.
    fn period(&self, _places: usize, _revolution: u64) -> Option<u64> {
        None
    }

    /// Moves the times in the node's state by so many cycles; called when the rounds of these cycles are left out.
    fn shift(&mut self, _cycles: u64) {}
}

impl<P: Protocol> Circling<P> for Absent {}

/// Messages that links spoil. A protocol without this part does without them.
pub(crate) trait Losses<P: Protocol> {
    /// Does without a message of any node that comes in spoilt; called when its first symbol arrives.
    fn spoilt(&mut self, _message: &Run, _host: Host<'_, P>) {}

    /// Returns the node that misses a message.
    fn maker(&self, message: &Run) -> u16 {
        message.target
    }

    /// Does the destination of a packet that has been granted a place miss it where a link spoils it, so that it loses
    /// its grant? Else it keeps that.
    fn misses_granted(&self) -> bool {
        false
    }

    /// Notes that a granted packet of a class to this node has been missed; called as [`Self::missed`] is.
    fn missed_granted(&mut self, _class: Class) {}

    /// Notes that a message that this node has made, as it was where a link spoilt it, does not come back; called a
    /// time-out after its loss, before the head is chosen again.
    fn missed(&mut self, _message: Run, _host: Host<'_, P>) {}
}

impl<P: Protocol> Losses<P> for Absent {}
