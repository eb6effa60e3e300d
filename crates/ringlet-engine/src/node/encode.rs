//! A node's state, for exploration.

use super::{Node, Shared, State};
use crate::hosts::Hosts;
use crate::protocols::FlowControl;
use crate::queues::encode_unread;
use crate::results::Observer;
use crate::values::{Encode, Encoder};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// For exploration: chooses the head as of the cycle before `now`, for which the node has been settled. It would do so later, with the same result.
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
            preempted_packets: _,
            deleted_tickets: _,
        } = self;
        encoder.late_echo = P::LATE_ECHO;
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
            Self::Ready => 1,
            Self::ReadyGranted(_) => 2,
            Self::Send => 3,
            Self::SendGranted => 4,
            Self::Insert => 5,
            Self::Drain => 6,
            Self::Control => 7,
            Self::Hold => 8,
        });
        if let Self::ReadyGranted(packet) = *self {
            encoder.packet(packet);
        }
    }
}
