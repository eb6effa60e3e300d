//! A node's state, for exploration.

use super::{Node, Own, Sent, Shared, State};
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::queues::encode_unread;
use crate::results::Observer;
use crate::values::{Encode, Encoder};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// For exploration: chooses the head as of the cycle before `now`, for which the node has been settled. It would do
    /// so later, with the same result.
    pub(crate) fn bring_head<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        if now > 0 {
            self.update_head(shared, now - 1);
        }
    }
}

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    pub(crate) fn encode(&self, hosts: &Hosts, encoder: &mut Encoder<'_>) {
        let Self {
            input,
            unread,
            cycle,
            until,
            state,
            absorbed_created,
            last_emitted: _,
            id: _,
            flow_control,
            transmit,
            receive,
            bypass,
            passing: _,
            link_send_symbols: _,
            link_retry_symbols: _,
            link_echo_symbols: _,
            link_control_symbols: _,
            bypass_max_symbols: _,
            refused_packets: _,
            counts: _,
        } = self;
        encoder.late_echo = P::ECHOES_LATE;
        encoder.encode_message = P::encode_message;
        flow_control.prepare(encoder);
        flow_control.encode(encoder);
        encoder.due(*cycle);
        state.encode(encoder);
        if *state != State::Pass {
            encoder.due(*until);
        }
        if encoder.extends {
            encoder.put(*absorbed_created);
        }
        transmit.encode(hosts, encoder);
        receive.encode(encoder);
        bypass.encode(encoder);
        encode_unread(input.unread(unread), encoder);
    }
}

impl Encode for State {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.put(match self {
            Self::Pass => 0u8,
            Self::Ready(Own::Head) => 1,
            Self::Ready(Own::Taken(_)) => 2,
            Self::Send(Sent::Head) => 3,
            Self::Send(Sent::Taken) => 4,
            Self::Send(Sent::Made) => 5,
            Self::Drain => 6,
            Self::Send(Sent::Bare) => 7,
            Self::Hold => 8,
        });
        if let Self::Ready(Own::Taken(packet)) = *self {
            encoder.packet(packet);
        }
    }
}
