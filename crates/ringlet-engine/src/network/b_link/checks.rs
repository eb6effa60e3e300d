//! Checks of a B-Link that was read from a file.

use super::{BLink, Member};
use crate::ring::Networked;
use crate::values::Class;

impl BLink {
    /// Says what is wrong with the B-Link, if anything is: its packets leave through ports that it has, and are counted
    /// there. `ring` shows a ring of the network, which has been checked itself.
    pub(crate) fn check<'a>(&self, ring: impl Fn(u32) -> &'a dyn Networked) -> Result<(), String> {
        let Self { members, bus, queued, switch, link, .. } = self;
        let what = |wrong: String| format!("B-Link {link} of switch {switch} {wrong}");
        if bus.last >= members.len() {
            return Err(what(format!("has served port {} of {}", bus.last, members.len())));
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
        let counted = members.iter().map(|member| member.coming);
        if *queued != coming.iter().sum::<u32>() as usize || !coming.iter().copied().eq(counted) {
            return Err(what(format!("counts {queued} packets, where {coming:?} leave")));
        }
        members.iter().try_for_each(|member| self.check_port(member, ring(member.ring)).map_err(what))
    }

    /// Says what is wrong with what a port and its link controller have of each other.
    fn check_port(&self, member: &Member, ring: &dyn Networked) -> Result<(), String> {
        let port = ring.transmit(member.place).port();
        let port = port.ok_or_else(|| format!("has no port at place {}", member.place))?;
        if let Some(arrival) = port.arrivals.iter().find(|arrival| usize::from(arrival.exit) >= self.members.len()) {
            return Err(format!("takes over a packet {arrival:?}"));
        }
        for class in Class::ALL {
            let (free, size) = (member.free[member.transmit.index(class)], member.transmit.size(class));
            if free > size {
                return Err(format!("has {free} of {size} slots free"));
            }
            let received = member.received[class as usize].iter().map(|packet| packet.number);
            let accepted = port.arrivals.iter().filter(|arrival| arrival.transit.class == class);
            let released = member.releases.iter().filter(|release| release.class == class);
            let known = accepted.map(|arrival| arrival.number).chain(released.map(|release| release.number));
            if ring.offers(member.place).is_some_and(|offers| !offers.are_of(class, received.chain(known))) {
                return Err(format!("moves what port {} has not offered", member.number));
            }
        }
        Ok(())
    }
}
