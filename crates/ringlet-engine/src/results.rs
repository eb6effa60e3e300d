//! The results of a simulation: counts, what an observer can see, and the recorder that keeps it.

pub mod chains;
mod counts;
pub mod events;
pub mod measure;
pub mod observe;
pub mod record;
mod saved;
mod times;

pub(crate) use chains::{ChainCounters, CollectiveCounters};
pub use counts::Counts;
pub(crate) use events::{BuilderCounters, EventCounters};
pub(crate) use measure::{
    ErrorCounters, FlowCounters, Inversions, Inverted, LinkCounters, MessageCounters, NodeCounters, Population,
    PortCounters, RETRY_DIGITS, new_histogram,
};
pub(crate) use observe::{
    Activity, BypassEntry, Bypassed, Delivered, Delivery, Emission, ErrorKind, Moved, Observer, PacketView, Queue,
    Symbols,
};
pub(crate) use record::Recorder;
pub(crate) use times::Times;
