//! Destinations that do not answer, and are given up until they do (docs/explanation/network-model.md, "Link errors").

use ringlet_engine_derive::Encode;

use super::TransmitQueue;
use super::choice::Origin;
use crate::hosts::shared::Hosts;
use crate::results::ErrorKind;
use crate::values::{Class, Encoder, Marks, Packet};

/// Packets that are dropped in one cycle at most: behind them a flow that always has one more is put aside.
const MOST_AT_ONCE: u32 = 64;

/// A node that has not answered a packet as often as that was sent.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub(super) struct Silent {
    end: u16,
    /// The one packet that is sent to it nevertheless, to see whether it answers.
    #[encode(with = self.encode_probe(encoder))]
    probe: Option<u32>,
    /// Flows with no other destination that always have a packet: they make the next one when the probe has ended.
    aside: Vec<u32>,
}

impl Silent {
    fn encode_probe(&self, encoder: &mut Encoder<'_>) {
        encoder.put(self.probe.is_some());
        self.probe.iter().for_each(|&packet| encoder.packet(packet));
    }
}

impl TransmitQueue {
    /// Is this packet's destination given up?
    pub(super) fn is_silent(&self, packet: &Packet) -> bool {
        self.silent.iter().any(|one| one.end == packet.end)
    }

    /// A packet that no node has received is given up in cycle `now`: so is its destination, which the next packet to
    /// it tries again.
    pub(super) fn give_up_destination(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        let end = hosts.packets[packet].end;
        let Some(place) = self.silent.iter().position(|one| one.end == end) else {
            self.silent.push(Silent { end, probe: None, aside: Vec::new() });
            return;
        };
        let silent = &mut self.silent[place];
        if silent.probe == Some(packet) {
            silent.probe = None;
            let aside = std::mem::take(&mut silent.aside);
            self.go_on(hosts, &aside, now);
        }
    }

    /// A destination has answered a packet in cycle `now`: it is there.
    #[cold]
    pub(super) fn hear(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        let end = hosts.packets[packet].end;
        if let Some(place) = self.silent.iter().position(|one| one.end == end) {
            let aside = self.silent.remove(place).aside;
            self.go_on(hosts, &aside, now);
        }
    }

    fn go_on(&mut self, hosts: &mut Hosts, aside: &[u32], now: u64) {
        if aside.is_empty() {
            return;
        }
        self.take_arrivals(hosts, now);
        aside.iter().for_each(|&flow| self.generate_saturated(hosts, flow, now));
        self.choose_again(now);
    }

    /// Drops the head in cycle `now` if its destination is given up and another packet tries it; returns whether it
    /// did. `dropped`: packets that were in this cycle.
    #[cold]
    pub(super) fn drops_head(&mut self, hosts: &mut Hosts, now: u64, dropped: u32) -> bool {
        let head = self.head.filter(|head| (head.origin, head.class) == (Origin::Fifo, Class::Request));
        let Some(head) = head else { return false };
        let packet = &mut hosts.packets[head.packet];
        let &mut Packet { end, flow, symbols, response_symbols, .. } = packet;
        let Some(silent) = self.silent.iter_mut().find(|one| one.end == end) else { return false };
        match silent.probe {
            None => {
                silent.probe = Some(head.packet);
                return false;
            }
            Some(probe) if probe == head.packet => return false,
            Some(_) => {}
        }
        let flow_of = &hosts.flows[flow as usize];
        if flow_of.is_saturated() && (flow_of.goes_to_one() || dropped >= MOST_AT_ONCE) {
            // It does not make its next packet when this one leaves.
            packet.marks.insert(Marks::FOLLOWED);
            silent.aside.push(flow);
        }
        let packet = self.leave(hosts, now);
        if response_symbols > 0 && hosts.transactions.is_none() {
            self.complete(now);
        }
        if let Some(errors) = hosts.errors() {
            errors.give_up_unsent(self.node as u16, symbols, now);
        }
        hosts.note_error(self.node as u16, now, packet, ErrorKind::GivenUp);
        hosts.give_up_packet(packet, true, now);
        self.given_up(hosts, packet, now);
        true
    }
}
