//! Slotted ring: slots of one size go round, and a node sends in one that is empty (hopper1988;
//! docs/explanation/access-protocols.md, "slotted-ring").
//!
//! A slot begins with a header that says whether it is full. A node that sends a packet in an empty slot marks it as
//! its own. The node that empties it, when it comes back or at the packet's destination, lets it go on to the next one.

use super::prelude::*;

/// The bit of a full slot in the value of its header. Above it stands the destination, where that empties slots.
const FULL: u32 = 1;

/// Options of a slotted ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlottedRingSpec {
    /// Slots on the ring; `None`: as many as fit on it. Each begins at a node, and the next one as many nodes further
    /// as it takes symbols.
    pub slots: Option<u32>,
    /// Length of a header.
    pub header_symbols: u32,
    /// Symbols for which a slot has room behind its header: a packet and its idle.
    pub room_symbols: u32,
    /// The node that empties a slot.
    #[serde(default)]
    pub release: SlotRelease,
}

/// The node that empties a full slot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotRelease {
    /// The one that has filled it, a revolution later, as in the Cambridge Ring.
    #[default]
    Source,
    /// The destination of its packet, as in Orwell. No echo comes back in it.
    Destination,
}

impl SlottedRingSpec {
    /// Nodes from the beginning of a slot to the next one, with hops as short as the shortest: a header stays one cycle
    /// at each node.
    fn nodes_per_slot(&self, spec: &NetworkSpec) -> u32 {
        (self.header_symbols + self.room_symbols).div_ceil(spec.least_hop_delay() + 1)
    }

    /// Slots for which the ring has room.
    fn most_slots(&self, spec: &NetworkSpec) -> u32 {
        spec.nodes / self.nodes_per_slot(spec)
    }
}

impl SlottedRingSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self = Self { slots: None, header_symbols: 2, room_symbols: 41, release: SlotRelease::Source };
}

impl Options for SlottedRingSpec {
    type Protocol = SlottedRing;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        check_bypass(self.room_symbols, spec)?;
        check_length("header_symbols", self.header_symbols)?;
        let ok = self.release == SlotRelease::Source || !spec.format.echoes;
        check(ok, "flow_control.release", "destination", "source with echoes, which come back in the slot")?;
        let most = self.most_slots(spec);
        let slots = self.slots.unwrap_or(most);
        let allowed = format!("1 to {most}, the slots that fit on the ring; more hop_delay makes it longer");
        check((1..=most).contains(&slots), "flow_control.slots", slots, allowed)
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits {
            bypass_symbols: Some(self.room_symbols),
            delays_echoes: false,
            survives_losses: true,
            ..Limits::default()
        }
    }
}

type Host<'a> = super::Host<'a, SlottedRing>;

/// One node's part.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct SlottedRing {
    #[encode(skip)]
    header_symbols: u32,
    #[encode(skip)]
    node: u16,
    #[encode(skip)]
    release: SlotRelease,
    /// The slot whose header is here: the node that has marked it last, and its value.
    slot: Option<(u16, u32)>,
    /// The node has made that header in place of one that was lost: it empties the slot when it comes back.
    is_anew: bool,
    /// The head goes into the slot whose header is being sent.
    fills: bool,
    /// Destination that this header names: no packet for another one may be head.
    named: Option<u16>,
}

impl SlottedRing {
    /// Does this node empty a full slot with this header?
    fn empties(&self, marked_by: u16, value: u32) -> bool {
        match self.release {
            SlotRelease::Source => marked_by == self.node,
            SlotRelease::Destination => value >> 1 == u32::from(self.node),
        }
    }
}

/// Slots always go round; in a ring at rest all are empty, and the node that has marked one last does not count.
fn encode_header(header: &Run, encoder: &mut Encoder<'_>) {
    encoder.put(header.value);
    if header.value & FULL != 0 {
        encoder.put(header.target);
        encoder.held("a full slot", true);
    }
}

impl Protocol for SlottedRing {
    type Options = SlottedRingSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &SlottedRingSpec, spec: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        let apart = options.nodes_per_slot(spec);
        let begins_here =
            node.is_multiple_of(apart) && node / apart < options.slots.unwrap_or(options.most_slots(spec));
        let node = node as u16;
        let slot = begins_here.then_some((node, 0));
        let &SlottedRingSpec { header_symbols, release, .. } = options;
        Self { header_symbols, node, release, slot, fills: false, named: None, is_anew: false }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.encode_message = encode_header;
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        head.map(|_| "its head waits for an empty slot".into())
    }
}

impl IdleRules for SlottedRing {}

impl Scheduler for SlottedRing {
    const FOLLOWS_QUEUES: bool = true;

    #[inline]
    fn selection(&self) -> &impl Eligibility {
        self
    }

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        let head = host.transmit.head();
        self.named = None;
        if std::mem::take(&mut self.fills) && head.is_some() {
            return Next::Head;
        }
        if !host.bypass.is_empty() {
            return Next::Bypass(0);
        }
        let Some((mut marked_by, mut value)) = self.slot.take() else { return Next::Nothing };
        let is_anew = std::mem::take(&mut self.is_anew);
        if value & FULL != 0 {
            if self.empties(marked_by, value) && !is_anew {
                // And goes on empty: the node does not fill it itself, so that no node keeps a slot (hopper1988).
                value = 0;
            }
        } else if let Some(head) = head {
            (marked_by, value) = (self.node, FULL);
            self.fills = true;
            if self.release == SlotRelease::Destination {
                let destination = host.hosts.packets[head].destination;
                value |= u32::from(destination) << 1;
                self.named = Some(destination);
            }
        }
        Next::Bare(Run::message(self.header_symbols, marked_by, value))
    }
}

impl Eligibility for SlottedRing {
    const LEVELS_APART: bool = true;

    fn is_eligible(&self, packet: &Packet) -> bool {
        self.named.is_none_or(|named| packet.destination == named)
    }
}

impl Messages for SlottedRing {
    #[inline]
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        Some(self)
    }

    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        Some(self)
    }

    /// A header is taken in, and goes on behind an idle.
    fn receive(&mut self, header: Run, _: bool, _: Host<'_>) -> Passage {
        self.slot = Some((header.target, header.value));
        Passage::Ends
    }
}

impl Circling<Self> for SlottedRing {
    /// A header stays one cycle at each node.
    fn period(&self, places: usize, revolution: u64) -> Option<u64> {
        Some(revolution + places as u64)
    }
}

impl Losses<Self> for SlottedRing {
    /// The node knows when a header comes, and makes another one in its place: that of a full slot of its own, which
    /// goes round once before anyone uses it, since there may be a packet in it.
    fn spoilt(&mut self, _: &Run, _: Host<'_>) {
        let named = if self.release == SlotRelease::Destination { u32::from(self.node) << 1 } else { 0 };
        self.slot = Some((self.node, FULL | named));
        self.is_anew = true;
    }
}
