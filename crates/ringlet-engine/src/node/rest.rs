//! Nodes with nothing to do, which all that comes in passes.

use super::{Node, Shared, State};
use crate::protocols::{AtRest, FlowControl, IdleIn};
use crate::queues::Links;
use crate::results::Observer;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Lets everything that comes in pass at once, if nothing is for this node and it has nothing to do meanwhile:
    /// returns whether it did.
    #[inline(always)]
    pub(super) fn rests<O: Observer>(
        &mut self,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
        active: &mut bool,
    ) -> bool {
        let may_rest = matches!(P::AT_REST, AtRest::Unchanged) && !P::FOLLOWS_QUEUES && !O::SEES_SYMBOLS;
        if !may_rest
            || shared.acts
            || !matches!(self.state, State::Pass)
            || !self.unread.is_empty()
            || self.transmit.head().is_some()
        {
            return false;
        }
        let stretch = links.stretch();
        let end = shared.end.min(self.next_event());
        // Only to where the last packet begins: that one goes on whatever happens at the node meanwhile.
        if self.cycle + stretch.decided > end || stretch.may_be_for(self.id()) {
            return false;
        }
        self.cycle += stretch.len;
        // The last idle stands for all: of several in a row a node at rest
        // keeps what that one leaves (`AtRest::Unchanged`).
        if let Some(word) = stretch.last_idle {
            let passed = self.flow_control.pass(IdleIn::Received(word), shared.protocol);
            debug_assert_eq!(passed, word, "a node with nothing to send changes no idle");
        }
        if let Some(kind) = stretch.last_packet {
            *active = true;
            self.last_emitted = kind;
            for (sum, symbols) in self.link_symbols.iter_mut().zip(&stretch.symbols) {
                *sum += symbols;
            }
        }
        true
    }
}
