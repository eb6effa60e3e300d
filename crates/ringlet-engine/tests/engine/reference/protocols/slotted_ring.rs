//! The slotted ring.

use proptest::prelude::*;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::slotted_ring::{SlotRelease, SlottedRingSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::against_reference::{compare, steps};
use crate::random::{self, Frame};
use crate::reference::bypass::Bypass;
use crate::reference::control::{Command, Control};
use crate::reference::decider::Choice;
use crate::reference::hop_delay;
use crate::reference::node::Transmitter;
use crate::reference::packet::Packet;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::symbol::Idle;

const EMPTY: Command = Command::Word(0);
const FULL: Command = Command::Word(1);

#[derive(Debug)]
struct SlottedRing {
    index: u32,
    header_symbols: u32,
    release: SlotRelease,
    header: Option<Control>,
    /// That header is one which this node has made, and which is still to go round.
    made: bool,
    is_filling: bool,
    /// Destination of the packet that is to follow the header, if it empties the slot.
    announced: Option<u32>,
}

pub(crate) fn transmitter(spec: &NetworkSpec, options: SlottedRingSpec, index: u32) -> Transmitter {
    let SlottedRingSpec { slots, header_symbols, room_symbols, release } = options;
    let shortest = (0..spec.nodes).map(|node| hop_delay(spec, node) as u32).min().expect("there is a node");
    let apart = (header_symbols + room_symbols).div_ceil(shortest + 1);
    let slots = slots.unwrap_or(spec.nodes / apart);
    let has_slot = (0..slots).any(|slot| slot * apart == index);
    let header = has_slot.then_some(Control { maker: index, command: EMPTY });
    let ring = SlottedRing { index, header_symbols, release, header, made: false, is_filling: false, announced: None };
    Transmitter::deciding(index, ring)
}

/// Slots of any size that fit on the ring.
pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<SlottedRingSpec>> {
    let (nodes, per_node) = (frame.nodes, frame.hop_delay + 1);
    let least = frame.shortest() + 1;
    let most_room = (nodes * per_node).checked_sub(3).filter(|most| *most >= least)?;
    let any = (1..=3u32, least..=most_room).prop_flat_map(move |(header_symbols, room_symbols)| {
        let most = nodes / (header_symbols + room_symbols).div_ceil(per_node);
        let slots = prop_oneof![1 => Just(None), 3 => (1..=most.max(1)).prop_map(Some)];
        let release = SlotRelease::Source;
        slots.prop_map(move |slots| SlottedRingSpec { slots, header_symbols, room_symbols, release })
    });
    Some(any.boxed())
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// There are no echoes then, so it is no option of any ring.
    #[test]
    fn the_engine_equals_the_reference_where_destinations_empty_slots(
        spec in random::network_with(&["slotted_ring"]).prop_filter("an echo has no slot", |spec| !spec.format.echoes),
        steps in steps(),
    ) {
        let FlowControlSpec::SlottedRing(options) = crate::protocol(&spec) else { unreachable!("no other is drawn") };
        let flow_control = SlottedRingSpec { release: SlotRelease::Destination, ..options }.into();
        compare(&NetworkSpec { flow_control, ..spec }, &steps)?;
    }
}

impl Protocol for SlottedRing {
    fn message_symbols(&self) -> u32 {
        self.header_symbols
    }

    fn take(&mut self, header: Control, _: &mut Here) {
        assert_eq!(self.header, None, "node {}: two headers at once", self.index);
        self.header = Some(header);
    }

    /// There may be a packet in the slot: it goes round as a full one of this node.
    fn spoilt(&mut self) {
        let command = match self.release {
            SlotRelease::Source => FULL,
            SlotRelease::Destination => Command::Word(1 + 2 * self.index),
        };
        self.header = Some(Control { maker: self.index, command });
        self.made = true;
    }

    fn is_eligible(&self, packet: &Packet) -> bool {
        self.announced.is_none_or(|announced| packet.stripped_at == announced)
    }

    fn levels_apart(&self) -> bool {
        true
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        self.announced = None;
        if self.is_filling {
            self.is_filling = false;
            if let Some(head) = here.host.queue.head {
                return Choice::Head(head);
            }
        }
        if !bypass.is_empty() {
            return Choice::Bypassed(0);
        }
        let Some(header) = self.header.take() else { return Choice::Nothing };
        let Command::Word(word) = header.command else { unreachable!("a header is a word") };
        let comes_back = !std::mem::replace(&mut self.made, false);
        let is_emptied_here = comes_back
            && match self.release {
                SlotRelease::Source => header.maker == self.index,
                SlotRelease::Destination => word / 2 == self.index,
            };
        Choice::Control(match (header.command, here.host.queue.head) {
            (EMPTY, Some(head)) => {
                self.is_filling = true;
                let command = match self.release {
                    SlotRelease::Source => FULL,
                    SlotRelease::Destination => {
                        let destination = here.records.packets[head.packet].stripped_at;
                        self.announced = Some(destination);
                        Command::Word(1 + 2 * destination)
                    }
                };
                Control { maker: self.index, command }
            }
            (EMPTY, None) => header,
            _ if is_emptied_here => Control { command: EMPTY, ..header },
            _ => header,
        })
    }
}
