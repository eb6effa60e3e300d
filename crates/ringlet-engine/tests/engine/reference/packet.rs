//! Send packets, and the messages that they make up.

use super::reservation::Phase;

/// Requests and responses have queues of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Request,
    Response,
}

impl Class {
    pub(crate) const BOTH: [Self; 2] = [Self::Request, Self::Response];

    /// Place of the class in an array by class.
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// One send packet, from its generation on, as it is at its source.
#[derive(Debug, Clone)]
pub(crate) struct Packet {
    pub(crate) class: Class,
    /// A response has its request's.
    pub(crate) flow: usize,
    /// A response has its request's.
    pub(crate) message: usize,
    pub(crate) source: u32,
    pub(crate) destination: u32,
    /// Node that takes it off the ring: its destination, unless it has several receivers.
    pub(crate) stripped_at: u32,
    pub(crate) symbols: u32,
    /// Length of the response that its service creates.
    pub(crate) response_symbols: Option<u32>,
    /// Inheritance may raise it.
    pub(crate) priority: u8,
    /// Cycle of generation.
    pub(crate) generated: u64,
    /// Cycle in which it entered the transmit queue.
    pub(crate) queued: u64,
    /// Busy echoes so far, and time-outs for what was lost.
    pub(crate) refusals: u32,
    /// Time-outs for what was lost.
    pub(crate) timeouts: u8,
    /// An input queue has taken it (and has not been made to give it up).
    pub(crate) accepted: bool,
    /// The group it was last sent in; a response's at once.
    pub(crate) group: u8,
    pub(crate) phase: Phase,
    /// True if the packet has been granted a place and has not been sent since.
    pub(crate) granted: bool,
    /// TRAIN: its destination has deleted its ticket.
    pub(crate) turned_away: bool,
    /// True if the packet has been at the head and left: a saturated flow has generated the next one.
    pub(crate) has_left: bool,
    /// Cycles for which lower priorities were let through while it was at the head.
    pub(crate) output_inversion: u64,
    /// Times that its transaction has been begun before, and the packet that began it first.
    pub(crate) repeats: u8,
    pub(crate) first: Option<usize>,
    /// A request: its transaction has begun, and is neither complete nor timed out.
    pub(crate) open: bool,
    /// A response: its request.
    pub(crate) answers: Option<usize>,
    /// Since when lower priorities have held a place that it was refused.
    pub(crate) refused_since: Option<u64>,
}

impl Packet {
    /// Returns whether the packet begins a transaction that a response ends.
    pub(crate) fn needs_response(&self) -> bool {
        self.response_symbols.is_some()
    }
}

/// The packets of one arrival.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    /// Cycle of the arrival.
    pub(crate) arrival: u64,
    pub(crate) packets: u32,
    /// Transactions not yet complete.
    pub(crate) incomplete: u32,
}
