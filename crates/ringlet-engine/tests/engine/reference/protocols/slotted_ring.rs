//! The slotted ring.

use proptest::prelude::*;
use ringlet_engine::protocols::slotted_ring::SlottedRingSpec;
use ringlet_engine::spec::NetworkSpec;

use crate::random::Frame;
use crate::reference::bypass::Bypass;
use crate::reference::control::{Command, Control};
use crate::reference::decider::Choice;
use crate::reference::node::Transmitter;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::symbol::Idle;

const EMPTY: Command = Command::Word(0);
const FULL: Command = Command::Word(1);

#[derive(Debug)]
struct SlottedRing {
    index: u32,
    header_symbols: u32,
    header: Option<Control>,
    is_filling: bool,
}

pub(crate) fn transmitter(spec: &NetworkSpec, options: SlottedRingSpec, index: u32) -> Transmitter {
    let SlottedRingSpec { slots, header_symbols, room_symbols } = options;
    let shortest = spec.hop_delays.iter().flatten().copied().min().unwrap_or(spec.hop_delay);
    let apart = (header_symbols + room_symbols).div_ceil(shortest + 1);
    let slots = slots.unwrap_or(spec.nodes / apart);
    let has_slot = (0..slots).any(|slot| slot * apart == index);
    let header = has_slot.then_some(Control { maker: index, command: EMPTY });
    Transmitter::deciding(index, SlottedRing { index, header_symbols, header, is_filling: false })
}

/// Slots of any size that fit on the ring.
pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<SlottedRingSpec>> {
    let (nodes, per_node) = (frame.nodes, frame.hop_delay + 1);
    let least = frame.shortest() + 1;
    let most_room = (nodes * per_node).checked_sub(3).filter(|most| *most >= least)?;
    let any = (1..=3u32, least..=most_room).prop_flat_map(move |(header_symbols, room_symbols)| {
        let most = nodes / (header_symbols + room_symbols).div_ceil(per_node);
        let slots = prop_oneof![1 => Just(None), 3 => (1..=most.max(1)).prop_map(Some)];
        slots.prop_map(move |slots| SlottedRingSpec { slots, header_symbols, room_symbols })
    });
    Some(any.boxed())
}

impl Protocol for SlottedRing {
    fn message_symbols(&self) -> u32 {
        self.header_symbols
    }

    fn take(&mut self, header: Control, _: &mut Here) {
        assert_eq!(self.header, None, "node {}: two headers at once", self.index);
        self.header = Some(header);
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
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
        let is_own = header.maker == self.index;
        Choice::Control(match header.command {
            FULL if is_own => Control { command: EMPTY, ..header },
            EMPTY if here.host.queue.head.is_some() => {
                self.is_filling = true;
                Control { maker: self.index, command: FULL }
            }
            _ => header,
        })
    }
}
