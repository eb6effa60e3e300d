//! Interface of a protocol to a node that decides behind every idle what it emits next ([`super::decider`]).

use std::fmt::Debug;

use super::bypass::Bypass;
use super::control::Control;
use super::decider::Choice;
use super::go::Go;
use super::host::{Host, Reception, Service};
use super::packet::{Class, Packet};
use super::records::Records;
use super::symbol::{Idle, PacketSymbol};
use super::transmit_queue::Head;

/// The node in this cycle.
pub(crate) struct Here<'a> {
    pub(crate) cycle: u64,
    /// The head is decided to be sent, or being sent.
    pub(crate) head_is_bound: bool,
    pub(crate) host: &'a mut Host,
    pub(crate) records: &'a mut Records,
}

/// The packet behind which an idle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// One that the node has sent or inserted; an idle that stripping made comes in, or not.
    Own { created: bool },
    /// One of the bypass FIFO.
    Bypassed,
}

/// One node's part of a protocol.
///
/// In one cycle its methods are called in the order of the pages' steps: [`Protocol::begin`]; what comes in, such as
/// [`Protocol::take`], [`Protocol::received`] and [`Protocol::echoed`]; the choice of the head; what leaves, such as
/// [`Protocol::sends`]; and [`Protocol::decide`], where that is an idle. The engine has a packet begin before it looks
/// at the input of that cycle: there `receive` of a message comes behind what is `sends` here.
pub(crate) trait Protocol: Debug {
    /// Returns what follows an idle, which is `emitted`, or a message.
    fn decide(&mut self, emitted: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice;

    /// A cycle begins.
    fn begin(&mut self, _cycle: u64) {}

    /// A packet of this node may be head.
    fn is_eligible(&self, _packet: &Packet) -> bool {
        true
    }

    /// A packet of a lower priority may be head where one of a higher priority may not.
    fn levels_apart(&self) -> bool {
        false
    }

    /// The first symbol of any packet is emitted.
    fn emits(&mut self, _cycle: u64, _first: PacketSymbol) {}

    /// The head's first symbol is emitted.
    fn sends(&mut self, _packet: &Packet) {}

    /// The echo of an own packet takes effect.
    fn echoed(&mut self) {}

    /// The packet whose first symbol this is comes in, and an input queue takes it or not.
    fn received(&mut self, _first: PacketSymbol, _reception: Reception, _here: &Here) {}

    /// Places of an input queue that are kept from a packet that comes in, which has been granted one or not.
    fn kept_places(&self, _class: Class, _granted: bool) -> u32 {
        0
    }

    /// While as many responses as may be are pending, responses always go before requests.
    fn prefers_responses(&self) -> bool {
        false
    }

    /// A send packet of this priority from another node has been emitted: the idle behind it is.
    fn passed(&mut self, _priority: u8) {}

    /// A server of this node has started or ended a service.
    fn served(&mut self, _service: Service, _here: &Here) {}

    /// The head is sent in place of the packet that begins to pass and has this first symbol.
    fn goes_before_passing(&mut self, _first: PacketSymbol, _head: Head, _records: &Records) -> bool {
        false
    }

    // --- Idles ----------------------------------------------------------------------------------------------------

    /// The first symbol of a send packet for this node comes in.
    fn strip_packet(&mut self) {}

    /// The first symbol of an echo for this node comes in.
    fn strip_echo(&mut self) {}

    /// An own packet, or a late echo that was inserted, has been emitted.
    fn has_sent(&mut self) {}

    /// An idle that carries something comes in.
    fn absorb(&mut self, _idle: Idle) {}

    /// The idle to be emitted. `extended`: stripping has made it, and it passes.
    fn idle(&mut self, _is_empty: bool, _extended: bool, _host: &Host) -> Idle {
        Idle::EMPTY
    }

    /// The idle behind a packet that the node has emitted.
    fn idle_behind(&mut self, _behind: Behind, is_empty: bool, host: &Host) -> Idle {
        self.idle(is_empty, false, host)
    }

    /// Returns what every idle of the ring carries at cycle 0. `initial_go`: the go bits that are not lost before.
    fn first_idle(&self, _initial_go: Option<u16>) -> Idle {
        Idle::EMPTY
    }

    /// Go bits that came in and have not been let go.
    fn saved_go_bits(&self) -> Go {
        Go::NONE
    }

    /// The first symbol of a packet or echo that a link has spoilt comes in.
    fn strip_lost(&mut self) {}

    // --- Messages -------------------------------------------------------------------------------------------------

    /// Symbols of a message.
    fn message_symbols(&self) -> u32 {
        panic!("{self:?} has no messages")
    }

    /// A message comes in with its first symbol.
    fn take(&mut self, message: Control, _here: &mut Here) {
        panic!("{message:?} comes in at {self:?}")
    }

    /// The message goes on to the next node at once, if nothing else is being emitted.
    fn passes(&self, _message: Control) -> bool {
        false
    }

    /// Returns the message that is emitted where a message that passes comes in.
    fn passing(&mut self) -> Control {
        panic!("{self:?} lets no message pass")
    }

    /// A message that a link has spoilt comes in with its first symbol.
    fn spoilt(&mut self) {}

    /// The train is missed, which this node makes.
    fn missed_train(&mut self, _here: &mut Here) {}

    /// A packet to this node is missed that had been granted a place.
    fn missed_granted(&mut self, _class: Class) {}

    /// A packet that had been accepted before, and has been granted a place for its next transmission, comes in again.
    fn received_again(&mut self, _class: Class) {}

    /// A packet of this node, or its echo, is missed.
    fn timed_out(&mut self) {}

    /// A message of this node, which was lost with this content, is missed.
    fn missed(&mut self, _message: Control, _here: &mut Here) {}

    // --- Packets of its own ---------------------------------------------------------------------------------------

    /// The first symbol of the train that the bypass FIFO holds at cycle 0.
    fn first_train(&mut self, _here: &mut Here) -> Option<PacketSymbol> {
        None
    }

    /// A train comes in. Returns the first symbol of what goes on in its place, if anything does, and the cycle before
    /// which that does not happen.
    fn rewrite(&mut self, train: PacketSymbol, _here: &mut Here) -> Option<(PacketSymbol, u64)> {
        panic!("{train:?} comes in at {self:?}")
    }

    /// A call for trains ends here.
    fn called(&mut self) {
        panic!("{self:?} is called")
    }

    /// An event comes in that does not end here: the packet that it names inherits a priority.
    fn raise(&mut self, event: PacketSymbol, _bypass: &mut Bypass, _host: &mut Host) {
        panic!("{event:?} comes in at {self:?}")
    }

    /// Accepted packets are stripped without an echo, and packets in the input queue make room for others.
    fn preempts(&self) -> bool {
        false
    }

    /// The late echo that leaves in place of that of a packet, which is accepted with its first symbol in this cycle.
    fn take_late_echo(&mut self) -> Option<PacketSymbol> {
        None
    }

    /// Packets, their own or as echoes, that are neither in a queue nor in the bypass FIFO and are still to be emitted.
    fn keeps(&self, _cycle: u64, _host: &Host) -> Vec<usize> {
        Vec::new()
    }

    // --- Bounds and counts ----------------------------------------------------------------------------------------

    /// Nominal length of the bypass FIFO.
    fn bypass_symbols(&self) -> u32 {
        u32::MAX
    }

    /// Most symbols and separators that the bypass FIFO may hold; none where messages come without asking for space.
    fn most_bypassed(&self) -> usize {
        usize::MAX
    }

    /// Returns whether all symbols that come into the bypass FIFO leave it.
    fn conserves_symbols(&self) -> bool {
        true
    }

    /// Returns the protocol's counts at this node, by the names in the engine's results.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Busy echoes that the protocol has made.
    fn refused_packets(&self) -> u64 {
        0
    }
}
