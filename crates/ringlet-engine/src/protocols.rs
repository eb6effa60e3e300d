//! Flow control: what the idles carry, when a node may send, and what a protocol sends of its own. One file for each
//! protocol.
//!
//! The node ([`crate::node`]) strips packets, queues them and keeps the order of symbols. It calls its protocol where
//! docs/explanation/model.md and docs/explanation/realtime-model.md let one decide. A protocol is one node's part of
//! it, in three roles:
//!
//! | role | it decides | by default |
//! |---|---|---|
//! | [`IdleRules`] | what idles carry, and behind which of them the head may be sent | nothing; any |
//! | [`Scheduler`] | what follows an idle, and which packets may be head | the bypass FIFO, then the head |
//! | [`Messages`] | what the protocol sends besides packets and their echoes | nothing |
//!
//! [`Protocol`] says how it begins, what the nodes of a ring share, and what a node counts; [`Options`] what a spec
//! says of it, and what of that is allowed. The list of protocols, below, declares the file of each.
//!
//! # What a protocol that is added must know
//!
//! - All idles of a run are equal and are handled by one call: one that is behind another equal one may not decide
//!   otherwise, unless the protocol counts idles.
//! - Something that a protocol decides may be overruled by a busy echo that was held back. A change of state that goes
//!   with sending a packet belongs into [`Scheduler::sends`], where `host.now` is the cycle of the packet's first
//!   symbol, one behind that in which [`Scheduler::next`] answered.
//! - The content of a message is the protocol's own: 32 bits of `value`, `group`, and `target`, the node that made it.
//!   Several quantities are packed into `value`.
//! - [`Options::limits`] says where the protocol runs; its defaults are those of one ring without losses. A protocol
//!   survives losses if only packets and their echoes carry its state, which no reference tests.
//! - A count of `counts!` reaches the JSON of every run under its name, and is 0 with other protocols.
//! - Every part of the state has serde's derives, for saved simulations, and `Encode`, for model checking, by which two
//!   rings in equal states do the same from then on. A field that is written without need makes exploring slower; one
//!   that is skipped wrongly makes different states equal, which `tests/engine/model_checking/encoding.rs` finds.
//! - The smallest protocols are `none.rs`, `metaring.rs`, `token_ring.rs` and `slotted_ring.rs`; `grouped.rs` shows
//!   rules for idles, `ppq.rs` a scheduler that preempts, `train.rs` a message that is rewritten as it passes.

/// Names what a node counts for its protocol; each name and what is said of it reach the results as they stand here.
/// The last word of a name says what is counted.
macro_rules! counts {
    ($(#[$doc:meta])* $counts:ident { $($(#[doc = $what:literal])+ $count:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
        pub(crate) struct $counts {
            $($(#[doc = $what])+ pub(crate) $count: u64,)+
        }

        impl $crate::protocols::Counts for $counts {
            const NAMES: &'static [&'static str] = &[$(stringify!($count)),+];
            const MEANINGS: &'static [&'static str] = &[$(concat!($($what),+)),+];

            fn values(&self) -> Vec<u64> {
                vec![$(self.$count),+]
            }
        }
    };
}

pub mod go_bits;
mod list;
mod spec;

/// The vocabulary that the file of a protocol imports.
mod prelude {
    pub(super) use ringlet_engine_derive::Encode;
    pub(super) use serde::{Deserialize, Serialize};

    pub(super) use super::go_bits::Stripped;
    pub(super) use super::{
        AtRest, IdleIn, IdleRules, Messages, Next, Options, Passage, Protocol, Scheduler, WithProtocol,
    };
    pub(super) use crate::hosts::{Head, TransmitQueue};
    pub(super) use crate::queues::{Entry, Received, Service, Watched};
    pub(super) use crate::results::{PacketView, Symbols};
    pub(super) use crate::spec::{
        Limits, MAX_CYCLES, NetworkSpec, RingShape, SpecError, check, check_bypass, check_length,
    };
    pub(super) use crate::values::{
        Class, Encoder, GoSet, IdleStates, IdleWord, Kind, Marks, NEVER, Packet, Packets, Rest, Run, WideSet,
    };
}

// A line for each protocol: the name of its variant, its module, which is a file beside this list, and its options.
list::protocols! {
    None(none::NoneSpec),
    Sci(sci::SciSpec),
    Grouped(grouped::GroupedSpec),
    Ppq(ppq::PpqSpec),
    Train(train::TrainSpec),
    Dfc(dfc::DfcSpec),
    Metaring(metaring::MetaringSpec),
    TokenRing(token_ring::TokenRingSpec),
    TimedToken(timed_token::TimedTokenSpec),
    SlottedRing(slotted_ring::SlottedRingSpec),
    Rpr(rpr::RprSpec),
}

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use go_bits::Stripped;

use crate::hosts::{AnyPacket, Eligibility, Head, Hosts, TransmitQueue};
use crate::queues::{Bypass, ReceiveQueue, Service, Watched};
use crate::results::{PacketView, Symbols};
use crate::spec::{Limits, NetworkSpec, ProtocolSpec, RingShape, SpecError};
use crate::values::{Class, Encode, Encoder, IdleStates, IdleWord, NEVER, Packet, Packets, Run};

/// A protocol's options, as a spec has them.
pub(crate) trait Options: Sized {
    /// The protocol that has them.
    type Protocol: FlowControl + Protocol<Options = Self> + 'static;

    /// Checks the options, of which some depend on what else the spec says.
    fn check(&self, _spec: &NetworkSpec) -> Result<(), SpecError> {
        Ok(())
    }

    /// The limits that the options set to the rest of the spec, on such a ring.
    fn limits(&self, _ring: RingShape) -> Limits {
        Limits::default()
    }

    /// Calls `user` with the protocol.
    fn select<U: WithProtocol>(&self, user: U) -> U::Output {
        user.with::<Self::Protocol>(self)
    }
}

/// A use of a protocol by its type.
pub(crate) trait WithProtocol {
    type Output;
    fn with<P: FlowControl + 'static>(self, options: &P::Options) -> Self::Output;
}

/// A flow-control protocol in all its roles.
pub(crate) trait FlowControl: Scheduler + Messages {}

impl<P: Scheduler + Messages> FlowControl for P {}

/// One node's part of a flow-control protocol. All idles of a run are equal and are handled by one call.
pub(crate) trait Protocol: Send + Sync + Sized + Clone + Encode + Serialize + DeserializeOwned {
    /// Options of the protocol, as a spec has them.
    type Options: Sync;

    /// State that the nodes of a ring share; `()`: none.
    type Ring: IdleStates;

    /// The counts of a node for the protocol.
    type Counts: Counts;

    /// State of node `node` at cycle 0, on a ring full of these idles.
    fn new(options: &Self::Options, spec: &NetworkSpec, node: u32, initial: IdleWord) -> Self;

    /// Says, for exploration, on what of the node's state, besides its own, the protocol's future depends.
    fn prepare(&self, _encoder: &mut Encoder<'_>) {}

    /// Says in words which part of its state keeps the node from sending.
    fn blocked_by(&self, _head: Option<&Packet>) -> Option<String> {
        None
    }
}

/// Rules for idles: what they carry, and behind which of them the head may be sent.
pub(crate) trait IdleRules: Protocol {
    /// What nodes with nothing to do make of the idles that pass them.
    const AT_REST: AtRest = AtRest::RepeatsAfter(1);

    /// May equal idles like this one, passing in a row, leave as different ones? Then each is handled by a call of its
    /// own; asked before each run of idles that pass.
    fn counts_idles(&self, _idle: IdleIn, _ring: &Self::Ring) -> bool {
        false
    }

    /// State of every idle of a ring at rest: all go bits, but those that the spec says are lost.
    fn initial_idle(_options: &Self::Options, _spec: &NetworkSpec, _ring: &mut Self::Ring) -> IdleWord {
        0
    }

    /// The head of the transmit queue has changed.
    fn set_head(&mut self, _head: Option<Head>) {}

    /// A send packet of this group passes while the node has a head.
    fn record(&mut self, _group: u8) {}

    /// Created idles will take the place of something that begins to come in.
    fn strips(&mut self, _what: Stripped) {}

    /// Idles pass a node that waits with an empty bypass FIFO; returns what each is emitted as.
    fn pass(&mut self, _idle: IdleIn, _ring: &mut Self::Ring) -> IdleWord {
        0
    }

    /// Absorbs so many idles, at a node that sends or drains.
    fn absorb(&mut self, _idle: IdleIn, _count: u32, _ring: &Self::Ring) {}

    /// An own packet has been sent, with the bypass FIFO empty or not; the next head is not chosen yet.
    fn sent(&mut self, _fifo_empty: bool) {}

    /// The idle behind an own packet. `last_absorbed_created`: the idle absorbed in this cycle was a created one.
    fn idle_after_send(&mut self, fifo_empty: bool, _last_absorbed_created: bool, ring: &mut Self::Ring) -> IdleWord {
        self.separator(fifo_empty, ring)
    }

    /// The idle in place of a separator of the bypass FIFO, which leaves it empty or not.
    fn separator(&mut self, _fifo_empty: bool, _ring: &mut Self::Ring) -> IdleWord {
        0
    }

    /// May the head be sent behind this idle, just emitted with the bypass FIFO empty?
    fn permits(&self, _emitted: IdleWord) -> bool {
        true
    }

    /// Go bits (and other state) that this node withholds from the ring, as an observer sees them.
    fn saved(&self) -> IdleWord {
        0
    }
}

/// Decides what follows an idle. A protocol that decides by the node's queues is called for each of their events.
pub(crate) trait Scheduler: IdleRules {
    /// Does it follow the node's queues? Then services are handled in their cycles, and it may send over packets in the
    /// bypass FIFO. Else what is in the bypass FIFO follows every idle, and [`Self::next`] is not overridden.
    const FOLLOWS_QUEUES: bool = false;

    /// Is there a packet that may not be head?
    const SELECTS: bool = false;

    /// May a packet be head while one of a higher priority and its class waits that may not? Else that one keeps it
    /// back.
    const LEVELS_APART: bool = false;

    /// Returns the fill of the bypass FIFO, in symbols, down to which its packets follow every idle in order, until the
    /// head changes or something is for this node. In that time `next` would change nothing else. `None`: it must be
    /// asked. Called when a node that empties its bypass FIFO has new input.
    #[inline]
    fn drains(&self, _transmit: &TransmitQueue, _packets: &Packets) -> Option<u64> {
        (!Self::FOLLOWS_QUEUES).then_some(0)
    }

    /// Returns the next cycle in which it acts at a time of its own; [`NEVER`]: in none. Asked whenever the node looks
    /// for what happens next at it.
    #[inline]
    fn wakes_at(&self) -> u64 {
        NEVER
    }

    /// Begins the cycle of [`Self::wakes_at`]; the head is chosen again in it.
    fn wake(&mut self, _now: u64) {}

    /// May this packet be head?
    fn is_eligible(&self, _packet: &Packet) -> bool {
        true
    }

    /// The moments of the servers that change what the node sends, because it decides by them in [`Self::served`].
    fn watches(&self) -> Watched {
        Watched::Requests
    }

    /// Do responses always go before requests while the node may create no further response? Else in turn.
    fn prefers_responses(&self) -> bool {
        false
    }

    /// Must every arrival be handled in its cycle, even that of a packet that cannot become head?
    fn follows_arrivals(&self) -> bool {
        false
    }

    /// Decides what follows the idle just emitted, or a bare message.
    #[inline]
    fn next(&mut self, emitted: IdleWord, host: Host<'_, Self>) -> Next {
        if !host.bypass.is_empty() {
            Next::Bypass(0)
        } else if host.transmit.head().is_some() && self.permits(emitted) {
            Next::Head
        } else {
            Next::Nothing
        }
    }

    /// May the head be sent in place of a packet that begins to pass, which goes into the empty bypass FIFO then?
    #[inline]
    fn goes_before_passing(&self, _run: &Run) -> bool {
        false
    }

    /// The value that a send packet carries for the nodes that it passes.
    #[inline]
    fn carried(&self, packet: &Packet) -> u8 {
        packet.group
    }

    /// The priority that counts of a send packet on its way.
    #[inline]
    fn priority(run: &Run, packets: &Packets) -> u8 {
        packets[run.value].priority
    }

    /// The emission of an own packet begins.
    fn sends(&mut self, _packet: u32, _host: Host<'_, Self>) {}

    /// The emission of any packet or message begins.
    fn emits(&mut self, _run: &Run, _cycle: u64) {}

    /// An own packet's echo takes effect: it has been accepted, or refused.
    fn echoed(&mut self, _packet: u32, _accepted: bool) {}

    /// A packet arrives for which its queue has no place; may it take another one's?
    fn make_place(&mut self, _packet: &Packet, _host: Host<'_, Self>) -> bool {
        false
    }

    /// Places of a class's input queue that are kept from a packet that arrives, which has been granted one or not.
    #[inline]
    fn kept_places(&self, _class: Class, _granted: bool) -> u32 {
        0
    }

    /// A send packet of this priority from the bypass FIFO, or straight through, has been emitted, where there are
    /// several priorities.
    #[inline]
    fn passed(&mut self, _priority: u8, _counts: &mut Self::Counts) {}

    /// A packet of a class has been accepted or refused.
    fn arrived(&mut self, _class: Class, _granted: bool, _accepted: bool, _host: Host<'_, Self>) {}

    /// A server has started or ended a service. Of one that starts and ends between two visits of the node only the
    /// end is reported, unless it [watches](Self::watches) all of them.
    fn served(&mut self, _service: &Service, _host: Host<'_, Self>) {}
}

/// The protocol's own traffic, besides packets and their echoes: messages, which are runs of a kind of their own whose
/// content it alone interprets, and echoes that it sends later.
pub(crate) trait Messages: Protocol {
    /// Are accepted packets stripped without an echo, which the protocol sends later?
    const ECHOES_LATE: bool = false;

    /// Does a message go round for ever on a ring on which nothing else is?
    const CIRCLES: bool = false;

    /// Cycles after which such a ring of so many places and cycles around is in the same state again, if that is known
    /// beforehand; if not, it is after a round of the message, or two.
    fn period(&self, _places: usize, _revolution: u64) -> Option<u64> {
        None
    }

    /// Moves the times in the node's state by so many cycles, in which a message goes round, and after which the ring
    /// is in the same state.
    fn shift(&mut self, _cycles: u64) {}

    /// Does this node leave the echo of an accepted packet to its protocol?
    #[inline]
    fn echoes_late(&self) -> bool {
        Self::ECHOES_LATE
    }

    /// The late echo that leaves with the last symbols of a packet which is accepted in cycle `now`.
    fn take_late_echo(&mut self, _now: u64) -> Option<Run> {
        None
    }

    /// The message that the node's bypass FIFO holds at cycle 0.
    fn start(&mut self, _host: Host<'_, Self>) -> Option<Run> {
        None
    }

    /// A message arrives. `passes`: at a node that lets symbols pass.
    fn receive(&mut self, _message: Run, _passes: bool, _host: Host<'_, Self>) -> Passage {
        Passage::Passes
    }

    /// Shows a message to an observer; `view` shows a packet.
    fn show(message: &Run, _view: &dyn Fn(u32) -> PacketView) -> Symbols {
        Symbols::Control { maker: message.target.into(), bits: message.value }
    }

    /// Encodes a message on its way.
    fn encode_message(message: &Run, encoder: &mut Encoder<'_>) {
        encoder.put(message.target);
        encoder.put(message.value);
        encoder.put(message.group);
        encoder.held("a message on a link", true);
    }
}

/// What nodes with an empty bypass FIFO and no head make of the idles that pass them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtRest {
    /// Every idle is emitted as it came in, and of several in a row the node keeps what the last one left; nor does it
    /// do anything when a packet that passes is emitted. So nodes with nothing to do are passed without a look at
    /// single idles.
    Unchanged,
    /// The idles of the ring repeat for ever after so many revolutions on which only idles go round.
    RepeatsAfter(u32),
}

impl AtRest {
    /// Revolutions of undisturbed idles after which the ring's idles repeat for ever.
    pub(crate) const fn revolutions(self) -> u32 {
        match self {
            Self::Unchanged => 1,
            Self::RepeatsAfter(revolutions) => revolutions,
        }
    }
}

/// An idle that the node takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdleIn {
    /// Came from the link, with its state.
    Received(IdleWord),
    /// Made by stripping a packet: it carries nothing.
    Created,
    /// Made in place of a packet that waits in the bypass FIFO: it carries nothing.
    Waiting,
}

/// The next thing that a node emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The symbols that come in.
    Nothing,
    /// The head of the transmit queue.
    Head,
    /// The packet with this index, which has left the queue before.
    Taken(u32),
    /// The packet at this place of the bypass FIFO.
    Bypass(usize),
    /// A packet that the protocol has made, and an idle behind it.
    Made(Run),
    /// A message without an idle behind it.
    Bare(Run),
    /// Idles up to the one of this cycle, although the bypass FIFO is not empty, unless something is for this node.
    Hold(u64),
}

/// The treatment of a message that arrives at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passage {
    /// Ends here: created idles take its place.
    Ends,
    /// Passes like a packet: at once, or through the bypass FIFO.
    Passes,
    /// Goes into the bypass FIFO in any case, as this run. What leaves may be shorter than what arrives, so created
    /// idles take its place.
    Stored(Run),
    /// The protocol keeps it and sends it before all packets.
    Kept,
    /// Goes out at once as this run, without an idle behind it. Only a node that lets symbols pass answers this.
    Replaced(Run),
}

/// One node's queues, as its protocol may see and use them in cycle `now`.
pub(crate) struct Host<'a, P: Protocol> {
    pub(crate) now: u64,
    pub(crate) transmit: &'a mut TransmitQueue,
    pub(crate) receive: &'a mut ReceiveQueue,
    pub(crate) hosts: &'a mut Hosts,
    pub(crate) bypass: &'a mut Bypass,
    /// State that the nodes of the ring share for their protocol.
    pub(crate) ring: &'a mut P::Ring,
    /// Counts of this node for its protocol.
    pub(crate) counts: &'a mut P::Counts,
    /// Busy echoes made here.
    pub(crate) refused_packets: &'a mut u64,
}

impl<P: Protocol> Host<'_, P> {
    /// Places of a class's input queue that are free.
    pub(crate) fn room(&self, class: Class) -> u32 {
        self.receive.room(class)
    }

    pub(crate) fn head(&self) -> Option<Head> {
        self.transmit.head_view(&self.hosts.packets)
    }

    /// Chooses the head as of this cycle, from what has arrived in it.
    pub(crate) fn bring_head(&mut self) {
        self.transmit.take_arrivals(self.hosts, self.now);
        if self.transmit.next_event <= self.now && !self.transmit.is_sending() {
            self.transmit.choose(self.hosts, self.now, &AnyPacket);
        }
    }

    /// Has a bypass FIFO of `symbols` space for a packet of `len` and its idle?
    pub(crate) fn has_space(&self, symbols: u32, len: u32) -> bool {
        u64::from(symbols) > self.bypass.occupancy(self.now) + u64::from(len)
    }
}

/// The counts of a node for its protocol. [`counts!`] makes such a type from the names.
pub(crate) trait Counts: Send + Sync + Clone + Default + Serialize + DeserializeOwned {
    /// Names of the counts in the results.
    const NAMES: &'static [&'static str];

    /// Meanings of the counts, in sentences.
    const MEANINGS: &'static [&'static str];

    /// Returns the counts since the last reset, in the order of their names.
    fn values(&self) -> Vec<u64>;
}

impl Counts for () {
    const NAMES: &'static [&'static str] = &[];
    const MEANINGS: &'static [&'static str] = &[];

    fn values(&self) -> Vec<u64> {
        Vec::new()
    }
}

/// A protocol's say in the choice of the head.
pub(crate) struct Selection<'a, P>(pub(crate) &'a P);

impl<P: Scheduler> Eligibility for Selection<'_, P> {
    const SELECTS: bool = P::SELECTS;
    const LEVELS_APART: bool = P::LEVELS_APART;

    #[inline]
    fn is_eligible(&self, packet: &Packet) -> bool {
        self.0.is_eligible(packet)
    }
}
