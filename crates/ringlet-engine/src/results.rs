//! The results of a simulation: counts, what an observer can see, and the recorder that keeps it.

pub mod chains;
mod counters;
mod counts;
mod destinations;
pub mod measure;
pub mod observe;
pub mod record;
pub(crate) mod saved;
mod times;

pub(crate) use chains::ChainCounters;
pub(crate) use counters::Copied;
pub use counters::{Count, Counters, Table};
pub use counts::Counts;
pub use destinations::DestinationCounters;
pub(crate) use measure::{
    ErrorCounters, FlowCounters, Inversions, Inverted, LinkCounters, MessageCounters, NodeCounters, Population,
    PortCounters, QUANTILES, RETRY_DIGITS, new_histogram,
};
pub(crate) use observe::{
    Activity, BypassEntry, Bypassed, CopyView, Delivered, Delivery, Emission, ErrorKind, Filling, Moved, Observer,
    PacketView, Queue, Symbols,
};
pub(crate) use record::Recorder;
pub(crate) use times::Times;
