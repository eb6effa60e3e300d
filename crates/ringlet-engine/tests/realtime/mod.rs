//! One file per section of docs/realtime-model.md.

mod counters;
mod dfc;
mod hazards;
mod hosts;
mod ppq;
mod reservation;
mod train;
