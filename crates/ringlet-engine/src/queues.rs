//! The queues of a node: its input link, bypass FIFO and input queues, and in a network its transmit slots and the
//! buffers of a port.

mod buffers;
mod bypass;
mod fifo;
mod filler;
mod levels;
mod offers;
mod port;
mod receive;
mod slots;
mod stream;
mod stretch;

pub(crate) use buffers::Buffers;
pub(crate) use bypass::{Bypass, Entry};
pub(crate) use fifo::heap_bytes;
pub(crate) use filler::{Filled, Filler};
pub(crate) use levels::{LevelSet, Levels, Waiting};
pub(crate) use offers::Offers;
pub(crate) use port::{Arrival, Port};
pub(crate) use receive::{ReceiveQueue, Received, Service, Watched};
pub(crate) use slots::{Candidate, Coming, TransmitSlots};
pub(crate) use stream::{Links, Stream, Unread};
