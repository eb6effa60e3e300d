//! Hosts: where packets come from, where they wait to be sent, and the context of a ring in its
//! network.

mod chance;
mod flow;
pub mod injection;
mod intake;
mod link_errors;
mod messages;
mod prompted;
mod receivers;
pub mod repeats;
pub mod replay;
mod ring_context;
mod routes;
mod shared;
pub mod source;
mod transactions;
mod transmit;

pub(crate) use flow::{Flow, Groups};
pub(crate) use injection::{InjectedPacket, Injection, Outcome, PacketEvent};
pub(crate) use intake::{Checked, Intake};
pub(crate) use link_errors::Errors;
pub use link_errors::Noise;
pub(crate) use messages::Side;
pub(crate) use prompted::{Followers, Prompted};
pub(crate) use receivers::Receivers;
pub(crate) use replay::{Handed, Replay, Replayed, TracePacket, Traced};
pub(crate) use ring_context::{Crossing, RingContext};
pub(crate) use routes::{Directory, NOWHERE, Routes, Step};
pub(crate) use shared::Hosts;
pub(crate) use transactions::Transactions;
pub(crate) use transmit::{AnyPacket, Eligibility, Head, HostLimits, TransmitQueue, Withdrawn};
