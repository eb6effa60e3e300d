//! Destinations that do not answer, and are given up until they do (docs/explanation/network-model.md, "Link errors").

use super::TransmitQueue;
use super::choice::{First, Origin};
use crate::hosts::flow::Flow;
use crate::hosts::link_errors::Silent;
use crate::hosts::shared::Hosts;
use crate::queues::Waiting;
use crate::results::ErrorKind;
use crate::values::{Class, Marks, Packet, UNDRAWN};

/// Packets that are dropped in one cycle before a flow that always has one more is put aside.
const MOST_AT_ONCE: u32 = 64;

impl TransmitQueue {
    /// Is this packet's destination given up?
    pub(super) fn is_silent(&self, hosts: &mut Hosts, packet: u32) -> bool {
        let end = hosts.packets[packet].end;
        self.has_silent
            && hosts.errors().is_some_and(|errors| errors.silent(self.node).iter().any(|one| one.end == end))
    }

    /// A packet that no node has received is given up in cycle `now`: so is its destination, which the next packet to
    /// it tries again.
    pub(super) fn give_up_destination(&mut self, hosts: &mut Hosts, packet: u32, now: u64) {
        let end = hosts.packets[packet].end;
        let Some(errors) = hosts.errors() else { return };
        let given_up = errors.silent(self.node);
        self.has_silent = true;
        let Some(silent) = given_up.iter_mut().find(|one| one.end == end) else {
            return given_up.push(Silent { end, probe: None, aside: Vec::new() });
        };
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
        let Some(errors) = hosts.errors() else { return };
        let given_up = errors.silent(self.node);
        let Some(place) = given_up.iter().position(|one| one.end == end) else { return };
        let aside = given_up.remove(place).aside;
        self.has_silent = !given_up.is_empty();
        self.go_on(hosts, &aside, now);
    }

    fn go_on(&mut self, hosts: &mut Hosts, aside: &[u32], now: u64) {
        if aside.is_empty() {
            return;
        }
        self.take_arrivals(hosts, now);
        for &flow in aside {
            match self.slots.as_mut().and_then(|slots| slots.filler()) {
                // It was generated before it was put aside.
                Some(filler) => filler.wait(Waiting { generated: now, flow, packet: UNDRAWN }, false),
                None => self.generate_saturated(hosts, flow, now),
            }
        }
        if self.slots.is_some() {
            self.fill_slots(hosts, now);
        }
        self.choose_again(now);
    }

    /// Drops the head in cycle `now` if its destination is given up and another packet tries it; returns whether it
    /// did. `dropped`: packets that were in this cycle.
    #[cold]
    pub(super) fn drops_head(&mut self, hosts: &mut Hosts, now: u64, dropped: u32) -> bool {
        let is_port = self.is_port();
        // A host's responses have places of their own.
        let may_drop = |head: &First| head.origin == Origin::Fifo && (is_port || head.class == Class::Request);
        let Some(head) = self.head.filter(may_drop) else { return false };
        let Packet { end, flow, symbols, response_symbols, .. } = hosts.packets[head.packet];
        let errors = hosts.context.as_mut().and_then(|network| network.errors.as_mut());
        let given_up = errors.map(|errors| errors.silent(self.node));
        let Some(silent) = given_up.and_then(|given_up| given_up.iter_mut().find(|one| one.end == end)) else {
            return false;
        };
        match silent.probe {
            None => {
                silent.probe = Some(head.packet);
                return false;
            }
            Some(probe) if probe == head.packet => return false,
            Some(_) => {}
        }
        let source = hosts.flows.get(flow as usize).filter(|_| !is_port);
        let goes_on = |source: &Flow| source.is_saturated() && (source.goes_to_one() || dropped >= MOST_AT_ONCE);
        if source.is_some_and(goes_on) {
            // In slots the next one waits already; else it is not made when this one leaves.
            hosts.packets[head.packet].marks.insert(Marks::FOLLOWED);
            if self.slots.as_mut().and_then(|slots| slots.filler()).is_none_or(|filler| filler.withdraw(flow, now)) {
                silent.aside.push(flow);
            }
        }
        let packet = self.leave(hosts, now);
        if response_symbols > 0 && hosts.transactions.is_none() && !is_port {
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
