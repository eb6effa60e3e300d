//! Matters that a node has only on a ring of a network. On a single ring there is none of them, which is known at
//! compile time: a condition on one costs nothing there.

use super::{Node, Shared, Timing};
use crate::hosts::RingContext;
use crate::protocols::FlowControl;
use crate::queues::Port;

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The further behaviour of the interfaces.
    #[inline(always)]
    pub(super) fn timing<O>(shared: &Shared<'_, P, O>) -> Timing {
        if NETWORKED { shared.timing } else { Timing::default() }
    }

    /// The network around the ring.
    #[inline(always)]
    pub(super) fn context(context: &Option<Box<RingContext>>) -> Option<&RingContext> {
        if NETWORKED { context.as_deref() } else { None }
    }

    /// The port of a switch that the interface is.
    #[inline(always)]
    pub(super) fn port(&self) -> Option<&Port> {
        if NETWORKED { self.transmit.port() } else { None }
    }

    /// The port of a switch that the interface is, to be changed.
    #[inline(always)]
    pub(super) fn port_mut(&mut self) -> Option<&mut Port> {
        if NETWORKED { self.transmit.port_mut() } else { None }
    }

    /// Cycles between the last symbol of a packet and its place in the receive queue; none at a port.
    #[inline(always)]
    pub(super) fn receive_delay_cycles(&self) -> u64 {
        if NETWORKED { self.transmit.limits.receive_delay_cycles } else { 0 }
    }

    /// Cycles between the end of a service and the packet's delivery.
    #[inline(always)]
    pub(super) fn store_cycles(&self) -> u64 {
        if NETWORKED { self.transmit.limits.store_cycles } else { 0 }
    }
}
