//! Checks of a B-Link that was read from a file.

use super::BLink;
use crate::hosts::TransmitQueue;
use crate::values::Class;

impl BLink {
    /// Says what is wrong with the B-Link, if anything is: its packets leave through ports that it has, and are counted
    /// there. `queue` shows the transmit queue at a place of a ring of the network, which fits the spec.
    pub(crate) fn check<'a>(&self, queue: impl Fn(u32, u16) -> &'a TransmitQueue) -> Result<(), String> {
        let Self { members, last, queued, switch, link, .. } = self;
        let what = |wrong: String| format!("B-Link {link} of switch {switch} {wrong}");
        if *last >= members.len() {
            return Err(what(format!("has served port {last} of {}", members.len())));
        }
        let mut coming = vec![0u32; members.len()];
        for member in members {
            for (class, packets) in Class::ALL.into_iter().zip(&member.received) {
                for packet in packets {
                    let exit = coming.get_mut(usize::from(packet.exit)).filter(|_| packet.transit.class == class);
                    *exit.ok_or_else(|| what(format!("has a packet {packet:?}")))? += 1;
                }
            }
        }
        if *queued != coming.iter().sum::<u32>() as usize
            || !coming.iter().copied().eq(members.iter().map(|member| member.coming))
        {
            return Err(what(format!("counts {queued} packets, where {coming:?} leave")));
        }
        for member in members {
            let port = queue(member.ring, member.place).port();
            let port = port.ok_or_else(|| what(format!("has no port at place {}", member.place)))?;
            if let Some(arrival) = port.arrivals.iter().find(|arrival| usize::from(arrival.exit) >= members.len()) {
                return Err(what(format!("takes over a packet {arrival:?}")));
            }
            for class in Class::ALL {
                let (free, size) = (member.free[member.transmit.index(class)], member.transmit.size(class));
                if free > size {
                    return Err(what(format!("has {free} of {size} slots free")));
                }
            }
        }
        Ok(())
    }
}
