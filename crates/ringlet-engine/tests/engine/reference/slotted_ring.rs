//! The slotted ring.

use proptest::prelude::*;
use ringlet_engine::protocols::slotted_ring::SlottedRingSpec;
use ringlet_engine::spec::NetworkSpec;

use super::access::Access;
use super::bypass::Bypass;
use super::control::{Command, Control};
use super::decider::Choice;
use super::host::Host;
use super::records::Records;
use crate::random::Frame;

const EMPTY: Command = Command::Word(0);
const FULL: Command = Command::Word(1);

#[derive(Debug)]
struct SlottedRing {
    index: u32,
    header: Option<Control>,
    is_filling: bool,
}

pub(crate) fn rule(spec: &NetworkSpec, options: SlottedRingSpec, index: u32) -> (Box<dyn Access>, u32) {
    let SlottedRingSpec { slots, header_symbols, room_symbols } = options;
    let apart = (header_symbols + room_symbols).div_ceil(spec.hop_delay + 1);
    let slots = slots.unwrap_or(spec.nodes / apart);
    let has_slot = (0..slots).any(|slot| slot * apart == index);
    let header = has_slot.then_some(Control { maker: index, command: EMPTY });
    (Box::new(SlottedRing { index, header, is_filling: false }), header_symbols)
}

/// Slots of any size that fit on the ring.
pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<SlottedRingSpec>> {
    let (nodes, per_node) = (frame.nodes, frame.hop_delay + 1);
    let most_room = (nodes * per_node).checked_sub(3).filter(|most| *most >= 9)?;
    let any = (1..=3u32, 9..=most_room).prop_flat_map(move |(header_symbols, room_symbols)| {
        let most = nodes / (header_symbols + room_symbols).div_ceil(per_node);
        let slots = prop_oneof![1 => Just(None), 3 => (1..=most.max(1)).prop_map(Some)];
        slots.prop_map(move |slots| SlottedRingSpec { slots, header_symbols, room_symbols })
    });
    Some(any.boxed())
}

impl Access for SlottedRing {
    fn take(&mut self, header: Control) {
        assert_eq!(self.header, None, "node {}: two headers at once", self.index);
        self.header = Some(header);
    }

    fn decide(&mut self, _: u64, bypass: &Bypass, host: &Host, _: &Records) -> Choice {
        if self.is_filling {
            self.is_filling = false;
            if let Some(head) = host.queue.head {
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
            EMPTY if host.queue.head.is_some() => {
                self.is_filling = true;
                Control { maker: self.index, command: FULL }
            }
            _ => header,
        })
    }
}
