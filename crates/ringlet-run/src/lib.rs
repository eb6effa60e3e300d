//! One run of a simulation: warm-up, measurement batch by batch, and what was measured.
//!
//! The engine advances and counts; this crate decides how far it goes. It does no I/O and reads no clock. What has to
//! happen while a run goes on (packets of a trace handed in, a check for a stop) is done by the [`Simulator`]
//! that it is given.
//!
//! | module | what |
//! |---|---|
//! | [`plan`] | how long to warm up and to measure |
//! | [`drive`] | the run itself |
//! | [`recurrence`] | the state to which a run without chance comes back, from where on all is known |
//! | [`batches`] | the measured time in batches |
//! | [`series`] | whose counts are added up: nodes, priorities, total |
//! | [`service`] | what is delivered when, where parts fail |
//! | [`figures`] | what the engine counted, for each series |
//! | [`statistics`] | MSER-5 and batch means |

pub mod batches;
pub mod drive;
pub mod figures;
pub mod plan;
pub mod recurrence;
pub mod series;
pub mod service;
pub mod simulator;
pub mod statistics;

pub use batches::Batches;
pub use drive::{Driven, drive};
pub use figures::Figures;
pub use plan::{Extent, Goal, Plan};
pub use recurrence::{Recurrence, Recurs};
pub use series::{Payload, Series};
pub use service::Service;
pub use simulator::{Bad, Completed, Requests, Served, Simulator};
