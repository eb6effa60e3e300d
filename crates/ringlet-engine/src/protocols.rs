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
//! A role has parts of its own, which most protocols do without: each is a trait of [`parts`], which a method of the
//! role returns. A protocol that does not have it writes nothing.
//!
//! | part | what it is about | of |
//! |---|---|---|
//! | [`KeepsGoBits`] | go bits that a node receives, keeps and sends on | [`IdleRules::go_bits`] |
//! | [`Eligibility`] | packets that may not be head | [`Scheduler::selection`] |
//! | [`Queues`] | places, acceptance and service at the input queues | [`Scheduler::queues`] |
//! | [`Link`] | packets that the node emits, or lets pass | [`Scheduler::link`] |
//! | [`Circling`] | a message that goes round for ever | [`Messages::circling`] |
//! | [`Losses`] | messages that links spoil | [`Messages::losses`] |
//!
//! [`Protocol`] says how it begins, what the nodes of a ring share, and what a node counts; [`Options`] what a spec
//! says of it, and what of that is allowed. The list of protocols, below, declares the file of each.
//!
//! # The order of calls in a cycle
//!
//! What a node emits in cycle `t` it has decided behind the idle of cycle `t - 1`. So the calls of one cycle come in
//! this order, at each node:
//!
//! 1. [`Scheduler::own_packet`] with [`Step::Begins`], and [`Link::emits`]: the first symbol of a packet leaves.
//! 2. [`Messages::receive`], [`Queues::admits`] and [`Scheduler::own_packet`] with the other steps: a message, a packet
//!    or an echo has come in with its first symbol. An idle that comes in while the node emits: [`IdleRules::absorb`].
//! 3. [`IdleRules::idle_behind`] or [`IdleRules::pass`]: an idle leaves. Then [`Scheduler::next`], for cycle `t + 1`.
//!
//! So a message that comes in in the cycle in which a packet's first symbol leaves finds that packet begun. The
//! symbol-by-symbol reference of the tests goes by the pages' steps, input first: `take` is called before `sends`
//! there. Rules that depend on both in one cycle have to say which comes first, in both files.
//!
//! # What a protocol that is added must know
//!
//! - All idles of a run are equal and are handled by one call: one that is behind another equal one may not decide
//!   otherwise, unless the protocol counts idles.
//! - Something that a protocol decides may be overruled by a busy echo that was held back. A change of state that goes
//!   with sending a packet belongs into [`Scheduler::own_packet`], where `host.now` is the cycle of the packet's first
//!   symbol, one behind that in which [`Scheduler::next`] answered.
//! - The content of a message is the protocol's own: 32 bits of `value`, `group`, and `target`, the node that made it.
//!   Several quantities are packed into `value`.
//! - [`Options::limits`] says where the protocol runs; its defaults are those of one ring without losses. A protocol
//!   survives losses if only packets and their echoes carry its state, or if [`Losses`] makes good for a message.
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
mod parts;
mod spec;

/// The vocabulary that the file of a protocol imports.
mod prelude {
    pub(super) use ringlet_engine_derive::Encode;
    pub(super) use serde::{Deserialize, Serialize};

    pub(super) use super::go_bits::Stripped;
    pub(super) use super::parts::{Circling, Echoed, KeepsGoBits, Link, Losses, Queues};
    pub(super) use super::{
        AtRest, Behind, IdleIn, IdleRules, Messages, Next, Options, Passage, Protocol, Scheduler, Step, WithProtocol,
    };
    pub(super) use crate::hosts::{Eligibility, Head, TransmitQueue};
    pub(super) use crate::queues::{Entry, ReceiveQueue, Received, Service, Watched};
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
use parts::Absent;
pub(crate) use parts::{Circling, Echoed, KeepsGoBits, Link, Losses, Queues};

use crate::hosts::{AnyPacket, Eligibility, Head, Hosts, TransmitQueue};
use crate::queues::{Bypass, ReceiveQueue};
use crate::results::{PacketView, Symbols};
use crate::spec::{Limits, NetworkSpec, ProtocolSpec, RingShape, SpecError};
use crate::values::{Class, Encode, Encoder, IdleStates, IdleWord, NEVER, Packet, Run};

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

    /// Returns the state of node `node` at cycle 0, on a ring full of these idles; called for each node of a ring.
    fn new(options: &Self::Options, spec: &NetworkSpec, node: u32, initial: IdleWord) -> Self;

    /// Tells an encoder on what, besides the protocol's own state, its future depends, and how its messages are
    /// written; called before the state of the node is written. By default a ring with a message is not at rest.
    fn prepare(&self, _encoder: &mut Encoder<'_>) {}

    /// Says in words which part of its state keeps the node from sending; called for the report of a ring that stalls.
    fn blocked_by(&self, _head: Option<&Packet>) -> Option<String> {
        None
    }
}

/// Rules for idles: what they carry, and behind which of them the head may be sent.
pub(crate) trait IdleRules: Protocol {
    /// Idles that pass nodes with nothing to do: how they leave.
    const AT_REST: AtRest = AtRest::RepeatsAfter(1);

    /// Returns the part that keeps go bits; `None`: idles carry none.
    #[inline]
    fn go_bits(&mut self) -> Option<&mut impl KeepsGoBits<Self::Ring>> {
        None::<&mut Absent>
    }

    /// Returns the word of every idle at cycle 0: all go bits, but those that the spec says are lost. Called once, when
    /// the ring is built.
    fn initial_idle(_options: &Self::Options, _spec: &NetworkSpec, _ring: &mut Self::Ring) -> IdleWord {
        0
    }

    /// Returns what each of several equal idles is emitted as; called when they pass a node that waits with an empty
    /// bypass FIFO.
    #[inline]
    fn pass(&mut self, _idle: IdleIn, _ring: &mut Self::Ring) -> IdleWord {
        0
    }

    /// Takes in so many equal idles, which are not emitted; called at a node that sends or empties its bypass FIFO.
    #[inline]
    fn absorb(&mut self, _idle: IdleIn, _count: u32, _ring: &Self::Ring) {}

    /// Returns the idle that the node makes behind a packet, which leaves the bypass FIFO empty or not; called behind
    /// each packet that it sends, or emits from that FIFO.
    #[inline]
    fn idle_behind(&mut self, _packet: Behind, _fifo_empty: bool, _ring: &mut Self::Ring) -> IdleWord {
        0
    }

    /// May the head be sent behind this idle? Asked by [`Scheduler::next`], as it is by default, when the bypass FIFO
    /// is empty.
    #[inline]
    fn permits(&self, _emitted: IdleWord) -> bool {
        true
    }
}

/// Decides what follows an idle. A protocol that decides by the node's queues is called for each of their events.
pub(crate) trait Scheduler: IdleRules {
    /// Does it follow the node's queues? Then services are handled in their cycles, and it may send over packets in the
    /// bypass FIFO. Else what is in the bypass FIFO follows every idle, and [`Self::next`] is not overridden.
    const FOLLOWS_QUEUES: bool = false;

    /// Returns who may be head; asked whenever the node chooses it.
    #[inline]
    fn selection(&self) -> &impl Eligibility {
        &AnyPacket
    }

    /// Returns the part that follows the node's queues beyond what [`Self::next`] sees of them; `None`: nothing does.
    #[inline]
    fn queues(&mut self) -> Option<&mut impl Queues<Self>> {
        None::<&mut Absent>
    }

    /// Returns the part that follows what is on the node's links; `None`: nothing does.
    #[inline]
    fn link(&mut self) -> Option<&mut impl Link<Self>> {
        None::<&mut Absent>
    }

    /// Returns the next cycle in which it acts at a time of its own; [`NEVER`]: in none. Asked whenever the node looks
    /// for what happens next at it.
    #[inline]
    fn wakes_at(&self) -> u64 {
        NEVER
    }

    /// Begins the cycle of [`Self::wakes_at`]; called in it, before the head is chosen again.
    #[inline]
    fn wake(&mut self, _now: u64) {}

    /// Decides what follows; called when an idle or a bare message has been emitted, once for a run of equal idles that
    /// pass.
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

    /// Notes how far a packet of this node has come; called when its emission begins, and when its echo takes effect.
    #[inline]
    fn own_packet(&mut self, _packet: u32, _step: Step, _host: Host<'_, Self>) {}
}

/// The protocol's own traffic, besides packets and their echoes: messages, which are runs of a kind of their own whose
/// content it alone interprets.
pub(crate) trait Messages: Protocol {
    /// Returns the part by which a message goes round for ever, also on a ring on which nothing else is; `None`: none
    /// does.
    #[inline]
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        None::<&mut Absent>
    }

    /// Returns the part that makes good for messages that links spoil; `None`: nothing has to.
    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        None::<&mut Absent>
    }

    /// Decides what becomes of a message; called when its first symbol arrives. `passes`: at a node that lets symbols
    /// pass.
    fn receive(&mut self, _message: Run, _passes: bool, _host: Host<'_, Self>) -> Passage {
        Passage::Passes
    }

    /// Returns what a recording shows of a message, for which `view` shows a packet; called for each that is recorded.
    fn show(message: &Run, _view: &dyn Fn(u32) -> PacketView) -> Symbols {
        Symbols::Control { maker: message.target.into(), bits: message.value }
    }
}

/// Idles that pass nodes with an empty bypass FIFO and no head: how they leave.
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

/// The packet behind which a node makes an idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// One that the node has sent. `last_absorbed_created`: the idle absorbed in this cycle was a created one.
    Own { last_absorbed_created: bool },
    /// One from the bypass FIFO, whose separator the idle replaces.
    Bypassed,
}

/// A step of a packet that the node sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The emission begins: `host.now` is the cycle of its first symbol.
    Begins,
    /// An echo says that it has been accepted. On a ring without echoes every packet that has been sent is.
    Accepted,
    /// A busy echo says that it has been refused.
    Refused,
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
