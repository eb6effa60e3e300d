//! Values: times, packets, and the runs of symbols of which streams are made. They refer to no queue, node or ring.

mod inspection;
mod packet;
mod reservation;
mod run;
mod sets;
mod state;
mod time;
mod transit;

pub(crate) use inspection::{Bounds, Inspection};
pub(crate) use packet::{Class, Marks, Packet, Packets, UNDRAWN};
pub(crate) use reservation::{Phase, Reservations};
pub(crate) use run::{ByKind, IdleWord, Kind, Run};
pub(crate) use sets::{GoSet, IdleStates, WideSet};
pub(crate) use state::{Encode, Encoder, Rest};
pub use state::{Moment, State};
pub(crate) use time::NEVER;
pub(crate) use transit::{GivenUp, Release, RemoteDelivery, RemoteInversion, Transit};
