//! The receiver of a node, which strips packets for it, which its input queue accepts or refuses, and the echoes of its
//! own; and their service.

use super::{Node, Shared};
use crate::hosts::{Crossing, Hosts};
use crate::protocols::{Echoed, FlowControl, Host, KeepsGoBits, Queues, Step, Stripped};
use crate::queues::{Links, Received, Service};
use crate::results::{Delivery, Inverted, Observer, PacketView};
use crate::values::{Class, Kind, Marks, NEVER, Packet, Phase, RemoteDelivery, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The front run is a packet: strips it if it is for this node, else consumes, records and returns it.
    // Not inlined, it costs a seventh of the speed.
    #[inline(always)]
    pub(super) fn strip_or_read<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        mut run: Run,
        now: u64,
    ) -> Option<Run> {
        // First: the interface at which a spoilt packet comes in removes it, whoever
        // it is for (network-model.md, Section 5).
        if Self::timing(shared).errs && self.is_lost(shared.hosts, run, now) {
            self.strips(Stripped::Lost);
            links.input.front().expect("a packet was just read").kind = Kind::Freed;
            return None;
        }
        // Packets for others, too: receivers take their copies as these pass.
        if Self::timing(shared).copies && run.kind.is_send() && self.takes_last_copy(shared, links, run, now) {
            return None;
        }
        if run.target == self.id() && !(NETWORKED && self.passes_on(shared, &mut run, now)) {
            self.strip(shared, links, now);
            return None;
        }
        self.read_packet(shared, links, run, now);
        Some(run)
    }

    /// The front run is an echo that this node has just made, which is not lost, and on a ring of one node first goes
    /// round: consumes and returns it.
    pub(super) fn read_fresh_echo<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        run: Run,
        now: u64,
    ) -> Run {
        let kind = if run.kind == Kind::FreshEcho { Kind::Echo } else { Kind::BusyEcho };
        self.read_packet(shared, links, run, now);
        Run { kind, ..run }
    }

    /// Tells the protocol that created idles will take the place of something that begins to come in.
    #[inline]
    pub(super) fn strips(&mut self, what: Stripped) {
        if let Some(go) = self.flow_control.go_bits() {
            go.strips(what);
        }
    }

    /// Consumes and records the front run, a packet or echo.
    #[inline(always)]
    fn read_packet<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links, run: Run, now: u64) {
        self.record(shared, run, now);
        links.input.pop();
        self.cycle += u64::from(run.len);
    }

    /// The front run's echo takes effect in cycle `now`; once.
    pub(super) fn apply_echo<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links, now: u64) {
        let run = links.input.front().expect("an echo was just read");
        let (kind, packet) = (run.kind, run.value);
        run.kind = Kind::Freed;
        if kind == Kind::Freed {
            return;
        }
        // Services of this cycle come before what is stripped in it (realtime-model.md, Section 1, steps 0 and 1).
        self.serve_in_turn(shared, now);
        if Self::timing(shared).errs && shared.hosts.transactions.is_some() {
            // What is given up in this cycle waits for its response before what is accepted in it.
            self.transmit.take_arrivals(shared.hosts, now);
        }
        if O::SEES_SYMBOLS {
            let view = shared.hosts.view(packet);
            shared.observer.echoed(self.id().into(), now, view, kind == Kind::Acknowledged);
        }
        let step = if kind == Kind::Acknowledged { Step::Accepted } else { Step::Refused };
        self.flow_control.own_packet(packet, step, host!(self, shared, now));
        if kind == Kind::Refused {
            self.transmit.refused(shared.hosts, packet, now);
            return;
        }
        self.count_output_inversion(shared.hosts, packet);
        // A response place is free: services that have waited for one start in this cycle (realtime-model.md,
        // Section 1, step 1).
        if self.transmit.accepted(shared.hosts, packet, now) {
            self.receive.unblock(now);
            self.serve(shared, now);
        }
    }

    /// Concludes, on a ring without echoes, the waiting for an own packet that has been sent completely in cycle `now`.
    #[cold]
    #[inline(never)]
    pub(super) fn conclude_sent<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, packet: u32, now: u64) {
        self.flow_control.own_packet(packet, Step::Accepted, host!(self, shared, now));
        self.count_output_inversion(shared.hosts, packet);
        self.transmit.let_go(shared.hosts, packet, now);
        shared.hosts.packets.finish(packet, Marks::SENT);
    }

    /// Packets of lower priority held up an own one while it was head.
    #[inline]
    fn count_output_inversion(&mut self, hosts: &mut Hosts, packet: u32) {
        let sent = hosts.packets[packet];
        if sent.output_inversion_cycles > 0 {
            self.invert(hosts, &sent, Inverted::Output, u64::from(sent.output_inversion_cycles));
        }
    }

    /// Turns the front run, a packet for this node whose first symbol arrives in cycle `now`, into created idles.
    pub(super) fn strip<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, links: &mut Links, now: u64) {
        let run = *links.input.front().expect("a packet was just read");
        let is_echo = matches!(run.kind, Kind::Echo | Kind::BusyEcho);
        self.strips(if is_echo { Stripped::Echo } else { Stripped::Packet });
        let stripped = match run.kind {
            Kind::Echo => Run { kind: Kind::Acknowledged, ..run },
            Kind::BusyEcho => Run { kind: Kind::Refused, ..run },
            _ => {
                let source = shared.hosts.packets[run.value].source;
                // Accepted before, and sent again because its echo was lost.
                // Asked first: `receive_packet` sets the mark.
                let comes_again =
                    Self::timing(shared).errs && shared.hosts.packets[run.value].marks.contains(Marks::RECEIVED);
                let accepted = self.receive_packet(shared, run, now);
                if !accepted && Self::timing(shared).delays_echoes {
                    self.delay_echo(shared.hosts, run, shared.echo_symbols, now);
                }
                let len = run.len - shared.echo_symbols;
                if !shared.hosts.echoes {
                    if accepted {
                        // Elsewhere its source counts this, when the echo takes effect.
                        let flow = shared.hosts.packets[run.value].flow;
                        shared.hosts.counters[flow as usize].first_try_packets += 1;
                    } else {
                        // No echo says that there was no place: nobody sends it again.
                        shared.hosts.give_up_packet(run.value, true, now);
                    }
                    shared.hosts.packets.finish(run.value, Marks::RECEIVED);
                    Run { kind: Kind::Freed, ..run }
                } else if !accepted && Self::timing(shared).delays_echoes {
                    Run { kind: Kind::Freed, ..run }
                } else if accepted {
                    // What comes again is answered with its own last symbols, at once: its late
                    // echo was lost (network-model.md, Section 5).
                    let queues = self.flow_control.queues().filter(|_| !comes_again);
                    match queues.map_or(Echoed::Packet, |queues| queues.echo(now)) {
                        Echoed::Packet => Run { kind: Kind::Stripped, len, target: source, group: 0, ..run },
                        Echoed::Earlier(echo) if echo.kind == Kind::Echo => Run { kind: Kind::Stripped, len, ..echo },
                        Echoed::Earlier(echo) => Run { kind: Kind::StrippedBusy, len, ..echo },
                        Echoed::Nothing => Run { kind: Kind::Freed, ..run },
                    }
                } else {
                    Run { kind: Kind::StrippedBusy, len, target: source, group: 0, ..run }
                }
            }
        };
        *links.input.front().expect("a packet was just read") = stripped;
    }

    /// Does the input queue accept this packet, whose first symbol arrives in cycle `now`?
    pub(super) fn receive_packet<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) -> bool {
        let is_port = self.port().is_some();
        if is_port && !P::FOLLOWS_QUEUES {
            return self.receive_at_port(shared, run, now);
        }
        // Packets whose service has ended by now have left their places (model.md, "Strip").
        if shared.in_time() {
            self.serve_in_turn(shared, now);
        } else {
            self.serve(shared, now);
        }
        if Self::timing(shared).errs {
            self.miss_messages(shared, now);
            if shared.hosts.packets[run.value].marks.contains(Marks::RECEIVED) {
                self.note_again(shared, run, now);
                return true;
            }
        }
        let mut packet = shared.hosts.packets[run.value];
        // Inheritance may have raised it on its way (realtime-model.md, Section 6).
        packet.priority = self.priority_of(&run, &shared.hosts.packets);
        let Packet { class, priority, .. } = packet;
        let mut has_place = self.receive.has_place(class);
        if let Some(queues) = self.flow_control.queues() {
            has_place = queues.admits(&packet, has_place, host!(self, shared, now));
        }
        let refused = if shared.hosts.reservation {
            self.receive.reserve(class, packet.phase, has_place)
        } else {
            (!has_place).then_some(Phase::NoTry)
        };
        let accepted = refused.is_none();
        if O::SEES_SYMBOLS {
            let view = PacketView { priority, ..shared.hosts.view(run.value) };
            shared.observer.received(self.id().into(), now, view, accepted);
        }
        let kept = &mut shared.hosts.packets[run.value];
        // A grant is for one arrival, whether that is accepted or refused (realtime-model.md, Sections 4 and 5).
        kept.marks.remove(Marks::GRANTED);
        kept.marks.set(Marks::RECEIVED, accepted);
        if accepted {
            // The destination of a response: on a single ring the node that has sent the request.
            let source = match Self::context(&shared.hosts.context) {
                Some(_) if is_port => packet.end,
                Some(network) => network.flow_node(packet.network_flow),
                None => packet.source,
            };
            let complete = now + u64::from(run.len) + self.receive_delay_cycles();
            self.receive.accept(
                now,
                Received {
                    packet: run.value,
                    flow: packet.flow,
                    message: packet.message,
                    complete,
                    generated: packet.generated,
                    started: packet.started,
                    part: packet.part,
                    symbols: packet.symbols,
                    response_symbols: packet.response_symbols,
                    source,
                    network_flow: packet.network_flow,
                    priority,
                    attempt: packet.attempt,
                    is_last: packet.marks.contains(Marks::LAST),
                    class,
                },
            );
            if is_port {
                self.transmit.port_mut().expect("it is one").accepted_packets += 1;
            } else {
                // Of hosts alone: the stall detection does not count what ports take (network-model.md, Section 9).
                *shared.progress = complete.max(*shared.progress);
            }
            // The protocol may still preempt it, and then it waits anew.
            kept.inverted_since = NEVER;
            if packet.inverted_since != NEVER {
                self.invert(shared.hosts, &packet, Inverted::Input, now - packet.inverted_since);
            }
        } else {
            self.refused_packets += 1;
            kept.phase = refused.unwrap_or(packet.phase);
            if shared.prioritised && self.receive.lowest(class).is_some_and(|lowest| lowest < priority) {
                // From the first such moment on (realtime-model.md, Section 7); NEVER is later than any.
                kept.inverted_since = kept.inverted_since.min(now);
            }
        }
        if let Some(queues) = self.flow_control.queues() {
            queues.arrived(class, packet.marks.contains(Marks::GRANTED), accepted, host!(self, shared, now));
        }
        accepted
    }

    /// A packet arrives again that was accepted, and sent again because its echo was lost. A grant that it has had for
    /// that is used.
    #[cold]
    #[inline(never)]
    fn note_again<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, now: u64) {
        let packet = &mut shared.hosts.packets[run.value];
        let (class, is_granted) = (packet.class, packet.marks.contains(Marks::GRANTED));
        packet.marks.remove(Marks::GRANTED);
        if is_granted && let Some(queues) = self.flow_control.queues() {
            queues.arrived(class, true, false, host!(self, shared, now));
        }
    }

    /// A packet was held up here by packets of lower priority.
    pub(super) fn invert(&mut self, hosts: &mut Hosts, packet: &Packet, at: Inverted, cycles: u64) {
        hosts.invert(packet, at, cycles);
        if let Some(port) = self.port_mut() {
            port.invert(at, cycles);
        }
    }

    /// Brings the services up to cycle `now` after everything that happened at the node before: nothing sees what comes
    /// later.
    #[inline]
    pub(super) fn serve_in_turn<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        if now > 0 {
            self.update_head(shared, now - 1);
        }
        if shared.in_time() {
            self.serve(shared, now);
        }
    }

    /// Brings the services up to cycle `now`: delivers packets, creates responses.
    #[inline(always)]
    pub(crate) fn serve<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        // Mostly none is due.
        if self.receive.next_event <= now {
            self.serve_due(shared, now);
        }
    }

    #[inline(never)]
    fn serve_due<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        while self.receive.next_event <= now {
            // Asked for each: the response of the service before may have taken the last place.
            let place = self.transmit.has_response_place();
            let Some(service) = self.receive.serve(now, place) else { return };
            let is_port = P::FOLLOWS_QUEUES && self.port().is_some();
            match service {
                Service::Started(received, at) if is_port => self.offer(shared.hosts, &received, at),
                Service::Ended(..) if is_port => {}
                Service::Started(_, start) => {
                    *shared.progress = (start + self.receive.service_cycles()).max(*shared.progress);
                }
                Service::Ended(received, end) => {
                    *shared.progress = end.max(*shared.progress);
                    self.deliver(shared, &received, end);
                    if received.response_symbols > 0 && !self.transmit.has_response_place() {
                        self.receive.note_no_response_place();
                    }
                }
            }
            let at = service.cycle();
            if let Some(queues) = self.flow_control.queues() {
                queues.served(&service, host!(self, shared, at));
            }
        }
    }

    #[inline]
    pub(super) fn deliver<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, received: &Received, now: u64) {
        let flow = received.flow as usize;
        let delivered = now + self.store_cycles();
        // What acts on both interfaces of a station is followed by the network, which knows
        // whether this copy is the first.
        let crosses = NETWORKED && shared.hosts.crosses();
        if !crosses && shared.hosts.follows_deliveries && !self.follow_delivered(shared.hosts, received, now, delivered)
        {
            return;
        }
        let context = Self::context(&shared.hosts.context);
        let node = context.map_or(u32::from(self.id()), |network| network.nodes[usize::from(self.id())]);
        shared.observer.delivered(Delivery {
            delivered,
            destination: node,
            flow: received.network_flow,
            generated: received.generated,
            symbols: u32::from(received.symbols),
            response: received.class == Class::Response,
        });
        if O::SEES_SYMBOLS {
            let view = shared.hosts.view_received(received, self.id());
            shared.observer.served(self.id().into(), now, view);
        }
        if NETWORKED && flow >= shared.hosts.counted_here {
            return self.deliver_remote(shared, received, now);
        }
        let delivered =
            Self::context(&shared.hosts.context).map_or(delivered, |network| network.clock.cycles(delivered));
        let latency = delivered - received.generated;
        let counters = &mut shared.hosts.counters[flow];
        counters.deliver(u64::from(received.symbols), latency, shared.latency_digits);
        // Responses of a trace belong to flows of their own.
        let response = received.class == Class::Response && !shared.hosts.flows[flow].is_of_responses();
        if response {
            counters.deliver_response(latency);
            self.transmit.complete(now);
            if !shared.hosts.prompted.is_empty() {
                self.transmit.close_loop(shared.hosts, (received.flow, received.message), now);
            }
        }
        if received.response_symbols > 0 {
            shared.hosts.deliver_part(flow, received.message, received.symbols);
            self.transmit.respond(shared.hosts, received, now);
        } else {
            let message = (received.message, received.started);
            let kind = (received.symbols, response);
            shared.hosts.complete_packet(flow, message, kind, delivered, shared.latency_digits);
        }
    }

    /// A packet has been served that another ring counts.
    pub(super) fn deliver_remote<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, received: &Received, now: u64) {
        let network = shared.hosts.context.as_mut().expect("only networks have flows elsewhere");
        let delivery = RemoteDelivery {
            delivered: network.clock.cycles(now + self.transmit.limits.store_cycles),
            generated: received.generated,
            started: received.started,
            network_flow: received.network_flow,
            message: received.message,
            part: received.part,
            symbols: received.symbols,
            place: self.id(),
            has_response: received.response_symbols > 0,
            class: received.class,
        };
        if network.crosses {
            network.crossings.push(Crossing { delivery, received: *received, at: now });
            if let Some(replay) = &mut shared.hosts.replay
                && replay.is_handed_in(received.network_flow)
            {
                replay.vanishes();
            }
            return;
        }
        network.deliveries.push(delivery);
        if received.response_symbols > 0 {
            self.transmit.respond(shared.hosts, received, now);
        }
    }
}
