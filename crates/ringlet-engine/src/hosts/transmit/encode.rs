//! A transmit queue in exploration.

use crate::hosts::flow::Loop;
use crate::hosts::shared::Hosts;
use crate::values::{Encode, Encoder};

use super::choice::{First, Origin};
use super::{Refused, TransmitQueue};

impl TransmitQueue {
    /// For exploration: a flow's message arrives in cycle `now`, although its source has not said so.
    pub(crate) fn generate(&mut self, hosts: &mut Hosts, flow: u32, now: u64) {
        self.arrive(hosts, flow, now);
        self.taken = self.taken.max(now);
        self.choose_again(now);
    }

    pub(crate) fn encode(&self, hosts: &Hosts, encoder: &mut Encoder<'_>) {
        let Self {
            node,
            own,
            top: _,
            every_arrival_counts: _,
            arrivals: _,
            taken,
            classes,
            head,
            head_is_fixed,
            head_since: _,
            outstanding,
            responses,
            begun,
            last_left,
            retries,
            next_event,
            requests,
            population: _,
            // Networks are not explored.
            has_events: _,
            slots: _,
        } = self;
        for &flow in own {
            hosts.flows[flow as usize].encode(encoder);
            if let Some(&Some(Loop { pause_cycles: _, posted: _, left, next })) = hosts.loops.get(flow as usize) {
                encoder.put(left);
                encoder.due(next);
            }
        }
        encoder.due(*taken);
        for levels in classes {
            levels.encode(*node, encoder);
        }
        encoder.put(head.is_some());
        if let Some(First { class, priority, origin, packet, generated: _ }) = *head {
            encoder.put(class as u8);
            encoder.put(priority);
            encoder.put(origin == Origin::Retry);
            encoder.packet(packet);
        }
        encoder.put(*head_is_fixed);
        outstanding.iter().for_each(|&sent| encoder.put(sent));
        encoder.put(*responses);
        encoder.put(*begun);
        encoder.put(*last_left as u8);
        encoder.len(retries.len());
        retries.iter().for_each(|refused| refused.encode(*node, encoder));
        encoder.due(*next_event);
        encoder.held("a packet that waits to be sent", *requests > 0 || *responses > 0 || !retries.is_empty());
        encoder.held("a packet that waits for its echo", outstanding.iter().any(|&sent| sent > 0));
        encoder.held("a transaction", *begun > 0);
    }
}

impl Refused {
    pub(super) fn encode(&self, node: u32, encoder: &mut Encoder<'_>) {
        let &Self { packet, class, priority, at, ready } = self;
        encoder.packet(packet);
        encoder.put(class as u8);
        encoder.put(priority);
        if encoder.compares_refusals {
            encoder.order(node, 1, at);
        }
        encoder.due(ready);
    }
}
