//! What a simulation tells: counts, what an observer can see, and the recorder that keeps it.

pub mod measure;
pub mod observe;
pub mod record;

pub(crate) use measure::{
    ErrorCounters, FlowCounters, LinkCounters, NodeCounters, Population, PortCounters, new_histogram,
};
pub(crate) use observe::{Activity, BypassEntry, Bypassed, Delivery, Emission, Observer, PacketView, Queue, Symbols};
pub(crate) use record::Recorder;
