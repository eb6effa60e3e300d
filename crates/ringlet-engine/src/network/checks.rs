//! Checks of a network that was read from a file: of what no ring can check alone.

use super::b_link::BLink;
use super::{Member, PortPlace};
use crate::values::Marks;

/// Says what is wrong with the messages of packets outside the ring of their flow, if anything is: each has begun, or
/// is the next one, and is not complete. `owners`: ring of every flow and its number there, by its number in the
/// network. Where packets are asked for again, or copied, a complete one may come, too.
pub(super) fn check_messages(rings: &[Member], links: &[BLink], owners: &[(u32, u32)]) -> Result<(), String> {
    let hosts = |ring: u32| rings[ring as usize].ring.hosts();
    let repeats = |member: &Member| {
        let hosts = member.ring.hosts();
        hosts.transactions.is_some() || hosts.receivers().is_some()
    };
    if rings.iter().any(repeats) {
        return Ok(());
    }
    let may_come = |network_flow: u32, message: u32| {
        let (ring, flow) = owners[network_flow as usize];
        hosts(ring).flows[flow as usize].awaited(message) != Some(0)
    };
    let in_links = links.iter().flat_map(BLink::transits);
    let in_ports = rings.iter().flat_map(|member| {
        let ports = member.ports.iter().filter_map(|&PortPlace { place, .. }| member.ring.transmit(place).port());
        ports.flat_map(|port| port.arrivals.iter().map(|arrival| &arrival.transit))
    });
    let moved = in_links.chain(in_ports).map(|transit| (transit.network_flow, transit.message));
    let on_rings = rings.iter().flat_map(|member| {
        let packets = &member.ring.hosts().packets;
        let is_free = packets.free_places().unwrap_or_default();
        let held = (0..).zip(is_free).filter(|(_, is_free)| !is_free).map(|(place, _)| &packets[place]);
        let under_way = held.filter(|packet| !packet.marks.intersects(Marks::RECEIVED | Marks::DONE));
        under_way.map(|packet| (packet.network_flow, packet.message))
    });
    match moved.chain(on_rings).find(|&(network_flow, message)| !may_come(network_flow, message)) {
        Some((flow, message)) => Err(format!("a packet of message {message} of flow {flow}, which awaits none of it")),
        None => Ok(()),
    }
}
