//! Packets and echoes that are lost on a link (docs/network-model.md, "Link errors").

use super::{Node, Shared};
use crate::observe::Observer;
use crate::protocols::FlowControl;
use crate::stream::{Kind, Run};
use crate::transmit::Flows;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// A port notices what it has lost before cycle `end`, even while something passes it: its switch is to hear of the slots that it gives up.
    pub(crate) fn notice_losses<O: Observer>(&mut self, shared: &mut Shared<'_, O>, end: u64) {
        self.transmit.hear_of_losses(shared.flows);
        if end > 0 {
            self.update_head(shared, end - 1);
        }
    }

    /// The server goes on if a response was given up and left it a place.
    #[inline(never)]
    pub(super) fn use_given_up_place(&mut self, flows: &mut Flows) {
        let errors = flows.network.as_mut().and_then(|network| network.errors.as_mut());
        if let Some(at) = errors.and_then(|errors| errors.take_response_place(self.id)) {
            self.receive.unblock(at);
        }
    }

    /// Has the front run, a packet whose first symbol arrives in cycle `now`, suffered on the link? Then its symbols are created idles.
    #[inline(never)]
    pub(super) fn is_lost(&mut self, flows: &mut Flows, run: Run, now: u64) -> bool {
        let Some(errors) = flows.network.as_mut().and_then(|network| network.errors.as_mut()) else { return false };
        if !errors.strikes(self.id, run.len, now) {
            return false;
        }
        errors.lose(self.id, run.kind.is_send(), run.value, flows.packets[run.value].source, now);
        self.input.front().expect("a packet was just read").kind = Kind::Freed;
        true
    }
}
