//! The events that an observer of a simulation is shown.
//!
//! Nodes advance one after the other, in runs that may reach beyond the present cycle, so events come ordered by time
//! only for each node and each kind; every event says its cycle. The recorder ([`super::record`]) is an observer that
//! puts them in order.

use crate::spec::Clock;

/// Sees what happens; the default sees nothing and costs nothing.
pub trait Observer: Clone + Send + Sync {
    /// Must it see every idle? Else revolutions in which only idles circulate are skipped.
    const SEES_IDLES: bool = false;
    /// Does it see anything but deliveries? Else nothing of that is put together.
    const SEES_SYMBOLS: bool = false;

    /// Returns the observer for one ring of a network, with this clock, whose interfaces have these numbers there.
    #[must_use]
    fn of_ring(&self, _interfaces: &[u32], _clock: Clock) -> Self {
        self.clone()
    }

    /// A packet, a control symbol or a stretch of equal idles is emitted.
    fn emitted(&mut self, _emission: &Emission) {}

    /// A packet comes into a node's bypass FIFO.
    fn bypassed(&mut self, _entry: &BypassEntry) {}

    /// A node's transmit queue has this head from `cycle` on. Said again whenever it may have changed.
    fn head(&mut self, _node: u32, _cycle: u64, _head: Option<PacketView>) {}

    /// A packet comes into (`joins`) or leaves a queue of a node in `cycle`.
    fn queued(&mut self, _node: u32, _queue: Queue, _cycle: u64, _joins: i64) {}

    /// A node withholds these go bits from `cycle` on. Said again whenever they may have changed.
    fn withheld(&mut self, _node: u32, _cycle: u64, _word: u32) {}

    /// A packet's first symbol arrives at its destination, whose input queue accepts or refuses it.
    fn received(&mut self, _node: u32, _cycle: u64, _packet: PacketView, _accepted: bool) {}

    /// A packet's echo takes effect at its source.
    fn echoed(&mut self, _node: u32, _cycle: u64, _packet: PacketView, _accepted: bool) {}

    /// A packet's service ends.
    fn served(&mut self, _node: u32, _cycle: u64, _packet: PacketView) {}

    /// The packet whose service has ended at this interface is a copy of one that was delivered before, and is dropped.
    fn dropped(&mut self, _node: u32, _packet: CopyView) {}

    /// A packet or its echo is lost on the link to `node`, or `node`, which has sent the packet, times out.
    fn erred(&mut self, _node: u32, _cycle: u64, _packet: PacketView, _error: ErrorKind) {}

    /// A packet comes into a transmit slot of a host. Said again when more of its way is known.
    fn filled(&mut self, _node: u32, _filling: &Filling) {}

    /// A switch moves a packet.
    fn moved(&mut self, _moved: &Moved) {}

    /// A packet is delivered: for observers that see nothing else.
    fn delivered(&mut self, _delivery: Delivery) {}
}

/// The observer that sees nothing.
impl Observer for () {}

/// The node is not known.
pub const UNKNOWN: u32 = u32::MAX;

/// A copy of a packet, where each takes two rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyView {
    /// Flow of the packet.
    pub flow: u32,
    /// Number of its message within the flow.
    pub message: u32,
    /// Number within the message.
    pub part: u16,
    /// Is it a response?
    pub response: bool,
}

/// A send packet. Flow, message, part and class say which, on whatever ring it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PacketView {
    /// Flow of the packet; of a response that of its request.
    pub flow: u32,
    /// Number of its message within the flow.
    pub message: u32,
    /// Number within the message, modulo 65,536.
    pub part: u16,
    /// Is it a response?
    pub response: bool,
    /// Node it starts from; [`UNKNOWN`] of a response that has come through a switch, which no observer has seen
    /// before.
    pub source: u32,
    /// Node it goes to.
    pub destination: u32,
    /// Length of the packet, in symbols.
    pub symbols: u32,
    /// Send priority of the packet; inheritance may raise it.
    pub priority: u8,
    /// Transmission group of the packet.
    pub group: u8,
    /// Cycle in which it was generated.
    pub generated: u64,
}

/// The kinds and contents of runs of symbols on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbols {
    /// Equal idles with this state.
    Idles(u32),
    /// A send packet, first transmission.
    Send(PacketView),
    /// A send packet sent again.
    Retry(PacketView),
    /// The echo of this packet, with the answer whether it was accepted.
    Echo(PacketView, bool),
    /// A message of the protocol that says 32 bits.
    Control {
        /// Node that made it.
        maker: u32,
        /// Content of the message.
        bits: u32,
    },
    /// A message of the protocol that goes round and is rewritten at each node.
    Train,
    /// A message of the protocol: this packet has inherited a priority.
    Event {
        /// Node that made it.
        maker: u32,
        /// The packet.
        packet: PacketView,
        /// The priority inherited.
        priority: u8,
    },
}

/// The activity of a node while it emits something (picker1994, Figure 2; docs/explanation/realtime-model.md,
/// Section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Activity {
    /// Lets out what comes in: nothing to send, or blocked without a go bit (the paper's A and D).
    Pass = 0,
    /// Sends an own packet, or the idle behind it (B).
    Send = 1,
    /// Empties its bypass FIFO, or emits an idle behind one of its packets (C).
    Drain = 2,
    /// Sends a packet that the protocol has made, or the idle behind it.
    Insert = 3,
    /// Sends a control symbol.
    Control = 4,
}

/// A run of symbols that a node emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emission {
    /// The node.
    pub node: u32,
    /// Cycle of the first symbol.
    pub cycle: u64,
    /// Symbols.
    pub count: u32,
    /// Kind and content of the symbols.
    pub symbols: Symbols,
    /// Interface of this ring that takes the symbols off it, of packets and echoes.
    pub target: Option<u32>,
    /// Activity of the node.
    pub activity: Activity,
    /// Time in the bypass FIFO, if the symbols come out of it.
    pub bypassed: Option<Bypassed>,
}

/// The time at which something came into the bypass FIFO that it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bypassed {
    /// Cycle of the first symbol that came in.
    pub arrived: u64,
    /// Cycle in which a busy echo took the place of what came in, if it was preempted.
    pub replaced: Option<u64>,
}

/// A packet that comes into a bypass FIFO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BypassEntry {
    /// The node.
    pub node: u32,
    /// Cycle in which its first symbol comes in.
    pub cycle: u64,
    /// Symbols, as it is to leave: a message may be rewritten when its first symbol comes in.
    pub count: u32,
    /// Kind and content of the symbols.
    pub symbols: Symbols,
}

/// A queue of a node's host, requests and responses together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Queue {
    /// Packets that have not been sent, the head included.
    Transmit = 0,
    /// Packets being received, waiting or in service.
    Receive = 1,
    /// Requests that wait for a transmit slot, where hosts have any.
    Slot = 2,
}

/// A packet's way over its host's bus into a transmit slot. What was before the observer saw it, or is to come, is
/// `None`; times are in picoseconds from the start of the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filling {
    /// Cycle in which this is known.
    pub cycle: u64,
    /// The packet.
    pub packet: PacketView,
    /// Cycle in which a request took its slot, or in which a response was made.
    pub taken: Option<u64>,
    /// Time in which the bus is requested: a master has set the packet up before.
    pub asked_ps: Option<u64>,
    /// Time from which on the bus is the packet's, and from which on it is free again.
    pub bus_ps: Option<(u64, u64)>,
    /// Cycle from which on the packet may be sent.
    pub ready: Option<u64>,
}

/// An error of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A packet is lost on its way.
    LostSend,
    /// A packet's echo is lost on its way.
    LostEcho,
    /// The sender of the packet times out, and sends it again.
    TimedOut,
    /// The sender of the packet times out, and gives it up.
    GivenUp,
}

/// A packet's way over a B-Link, in picoseconds from the start of the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The switch.
    pub switch: u32,
    /// Number of the B-Link at the switch.
    pub link: u16,
    /// Interface whose receive buffer it leaves.
    pub entry: u32,
    /// Interface from which it goes on.
    pub exit: u32,
    /// The packet.
    pub packet: PacketView,
    /// Time from which on it might have been moved.
    pub ready_ps: u64,
    /// Time in which the B-Link is granted.
    pub start_ps: u64,
    /// Time in which the B-Link, and the receive buffer, are free again.
    pub end_ps: u64,
    /// Cycles of the network of start and end, rounded down and up.
    pub cycles: (u64, u64),
}

/// A packet that has been delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Delivered {
    /// Cycle of its delivery.
    pub cycle: u64,
    /// The packet.
    pub packet: PacketView,
}

impl Delivered {
    /// Puts deliveries in order of time, and those of one cycle in one that does not depend on where they were kept.
    pub(crate) fn sort(deliveries: &mut [Self]) {
        deliveries.sort_by_key(|&Self { cycle, packet }| {
            (cycle, packet.destination, packet.flow, packet.message, packet.part, packet.response)
        });
    }
}

/// A packet delivered, for an observer that sees nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delivery {
    /// Cycle of its delivery.
    pub delivered: u64,
    /// Node that received it.
    pub destination: u32,
    /// Flow of the packet.
    pub flow: u32,
    /// Cycle in which it was generated.
    pub generated: u64,
    /// Length of the packet, in symbols.
    pub symbols: u32,
    /// Is it a response?
    pub response: bool,
}
