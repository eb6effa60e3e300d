//! The state that the nodes of a ring share.

use crate::hosts::Hosts;
use crate::protocols::FlowControl;

/// The further behaviour of the interfaces of a network.
#[derive(Debug, Default, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Timing {
    /// Do receivers delay busy echoes?
    pub(crate) delays_echoes: bool,
    /// May links have errors?
    pub(crate) errs: bool,
    /// Have packets several receivers?
    pub(crate) copies: bool,
    /// May routes change?
    pub(crate) reroutes: bool,
    /// Cycles for which a packet that passes waits at most; it leaves earlier when all of it is there.
    pub(crate) pass_wait: u32,
}

impl Timing {
    /// Do interfaces do more with what passes or comes in than take it or let it pass at once?
    #[inline(always)]
    pub(crate) fn acts(&self) -> bool {
        self.errs || self.copies || self.pass_wait > 0 || self.delays_echoes
    }
}

/// References that the nodes of a ring share while one of them is visited.
pub(crate) struct Shared<'a, P: FlowControl, O> {
    pub(crate) hosts: &'a mut Hosts,
    /// State that the nodes share for their protocol.
    pub(crate) protocol: &'a mut P::Ring,
    pub(crate) timing: Timing,
    pub(crate) echo_symbols: u32,
    pub(crate) latency_digits: u8,
    /// Must services be handled in their cycles, because they create responses or the protocol follows them? Else they
    /// may wait until their counts are read.
    pub(crate) in_time: bool,
    /// Are there several priorities, so that there may be inversions?
    pub(crate) prioritised: bool,
    /// Do nodes do more with what passes or comes in than take it or let it pass at once? With several priorities they
    /// look at each packet for an inversion.
    pub(crate) acts: bool,
    /// Cycle up to which the ring is to be simulated.
    pub(crate) end: u64,
    /// Latest end of service of an accepted packet: the ring's progress.
    pub(crate) progress: &'a mut u64,
    pub(crate) observer: &'a mut O,
    pub(crate) rounds: &'a mut Rounds,
}

/// The rounds of a message, seen at the ring's first node.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Rounds {
    /// Cycle in which it came last.
    pub(crate) came: u64,
    /// Cycles between its last visits, the latest first.
    pub(crate) lengths: [u64; 2],
}

impl Rounds {
    /// A message comes to the first node.
    pub(super) fn note(&mut self, now: u64) {
        self.lengths = [now - self.came, self.lengths[0]];
        self.came = now;
    }
}

impl<P: FlowControl, O> Shared<'_, P, O> {
    /// Must services be handled in their cycles? Known at compile time of a protocol that follows its queues.
    #[inline(always)]
    pub(super) fn in_time(&self) -> bool {
        P::FOLLOWS_QUEUES || self.in_time
    }
}
