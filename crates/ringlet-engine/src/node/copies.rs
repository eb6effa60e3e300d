//! Packets with several receivers: each takes a copy as the packet passes (docs/explanation/model.md, "Packets with
//! several receivers").

use super::{Node, Shared};
use crate::protocols::{FlowControl, Stripped};
use crate::queues::{Links, Received};
use crate::results::{Observer, PacketView};
use crate::values::{Kind, Marks, Packet, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The front run is a send packet whose first symbol arrives in cycle `now`. If it has several receivers, this node
    /// takes a copy if it is one, and strips the packet if that ends here; returns whether it does.
    #[inline(never)]
    pub(super) fn takes_last_copy<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        run: Run,
        now: u64,
    ) -> bool {
        let flow = shared.hosts.packets[run.value].flow;
        let Some(receivers) = shared.hosts.receivers().filter(|receivers| receivers.are_several(flow)) else {
            return false;
        };
        // Before it may be stripped: the last receiver takes a copy, too.
        if let Some(taken) = receivers.flow_at(flow, self.id()) {
            self.take_copy(shared, run, taken, now);
        }
        if run.target != self.id() || self.is_bypassed(shared, now) {
            return false;
        }
        let kind = if shared.hosts.echoes {
            // Back at its source, it is its own echo.
            self.strips(Stripped::Echo);
            Kind::Acknowledged
        } else {
            self.strips(Stripped::Packet);
            shared.hosts.packets.finish(run.value, Marks::RECEIVED);
            Kind::Freed
        };
        *links.input.front().expect("a packet was just read") = Run { kind, ..run };
        true
    }

    /// Lets a station that is bypassed nothing in or out.
    pub(super) fn is_bypassed<O>(&self, shared: &Shared<'_, P, O>, now: u64) -> bool {
        shared.timing.errs && self.transmit.limits.bypassed_until(now).is_some()
    }

    /// Takes a copy of a packet, which counts for a flow, if there is a place for it; otherwise this receiver has lost
    /// it.
    fn take_copy<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, run: Run, flow: u32, now: u64) {
        if self.is_bypassed(shared, now) {
            return shared.hosts.lose_copy(run.value, flow);
        }
        if shared.in_time() {
            self.serve_in_turn(shared, now);
        } else {
            self.serve(shared, now);
        }
        let packet = shared.hosts.packets[run.value];
        let Packet { class, message, part, symbols, .. } = packet;
        let priority = self.priority_of(&run, &shared.hosts.packets);
        let accepted = self.receive.has_place(class);
        if O::SEES_SYMBOLS {
            let view = shared.hosts.view_copy(&packet, self.id(), flow);
            shared.observer.received(self.id().into(), now, PacketView { priority, ..view }, accepted);
        }
        if !accepted {
            self.refused_packets += 1;
            return shared.hosts.lose_copy(run.value, flow);
        }
        let complete = now + u64::from(run.len) + self.receive_delay_cycles();
        self.receive.accept(
            now,
            Received {
                packet: run.value,
                flow,
                message,
                complete,
                generated: packet.generated,
                started: packet.started,
                part,
                symbols,
                // Responses to packets with several receivers are refused (spec/multicast.rs).
                response_symbols: 0,
                source: packet.source,
                network_flow: packet.network_flow_of(flow),
                priority,
                attempt: packet.attempt,
                is_last: packet.marks.contains(Marks::LAST),
                class,
            },
        );
        *shared.progress = complete.max(*shared.progress);
        // With echoes the packet itself is accepted when it is back.
        if !shared.hosts.echoes || flow != packet.flow {
            shared.hosts.counters[flow as usize].first_try_packets += 1;
        }
    }
}
