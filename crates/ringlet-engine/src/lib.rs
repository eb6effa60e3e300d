//! Cycle-accurate simulation of register-insertion rings.
//!
//! The engine takes a fully resolved [`spec::NetworkSpec`] (cycles, symbols, node numbers; no units, no names, no defaults) and returns counts and
//! histograms. It does no I/O, reads no clock and has no globals: the same spec gives the same results, bit for bit, in whatever steps it is advanced.
//!
//! ```
//! use ringlet_engine::{Simulation, spec::NetworkSpec};
//!
//! let spec = NetworkSpec::from_json(r#"{
//!     "seed": 1, "nodes": 4, "hop_delay": 1, "echo_symbols": 4, "priorities": 1,
//!     "flow_control": {"protocol": "sci", "extension": "after-send", "release": "unblocked", "priorities": 1},
//!     "receive_queue": {"capacity": null, "service_cycles": 0},
//!     "response_capacity": null, "transmit_capacity": null, "outstanding_limit": 64, "window": null, "order": "alternate",
//!     "retry": {"strategy": "constant", "delay_cycles": 0, "reservation": false},
//!     "flows": [{"source": 0, "priority": 0, "arrivals": {"kind": "saturated"}, "burst": 1, "deadline_cycles": null,
//!                "sizes": [[40, 1.0]], "response_symbols": null,
//!                "destinations": {"kind": "uniform"}, "groups": {"kind": "fixed", "group": 0}}],
//!     "stall_cycles": 1000000, "latency_digits": 3}"#)?;
//! let mut simulation = Simulation::new(&spec)?;
//! assert!(simulation.advance(100_000).is_none(), "no stall");
//! // A lone saturated node sends a packet and its idle in every 41 cycles, and one more idle lets the next one go.
//! assert!(simulation.flow_counters()[0].delivered_packets > 2_300);
//! # Ok::<(), ringlet_engine::spec::SpecError>(())
//! ```
//!
//! # Where things are
//!
//! | module | what |
//! |---|---|
//! | [`spec`] | what to simulate |
//! | [`traffic`] | when packets are generated, their destinations and sizes |
//! | [`replay`], `intake` | packets of a trace, handed in from outside |
//! | `transmit`, `receive`, `bypass`, `fifo` | the queues of a node |
//! | `reservation` | A/B ageing of refused packets |
//! | `stream`, `packet` | what is on a link: runs of symbols |
//! | `node` | strip, services, transmitter |
//! | `protocols` | flow control, one file each |
//! | [`ring`] | nodes in a ring, swept as far as their input is known |
//! | [`measure`] | counts |
//! | [`observe`] | what an observer can see |
//! | [`record`] | the observer that keeps it |
//! | `state` | the whole ring in numbers, for exploration |
//!
//! The rules that it follows are in the project's documentation, `docs/model.md`.

mod bypass;
mod fifo;
mod intake;
pub mod measure;
mod network;
mod node;
pub mod observe;
mod packet;
mod protocols;
mod receive;
pub mod record;
pub mod replay;
mod reservation;
mod retry;
pub mod ring;
mod simulation;
pub mod spec;
mod state;
mod stream;
pub mod traffic;
mod transmit;

pub use hdrhistogram::Histogram;
pub use ring::{BlockedPort, Stall};
pub use simulation::Simulation;
pub use state::State;
