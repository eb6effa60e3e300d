//! Cycle-accurate simulation of register-insertion rings.
//!
//! The engine takes a fully resolved [`spec::NetworkSpec`] (cycles, symbols, node numbers; no units, no names, no defaults) and returns counts and
//! histograms. It does no I/O, reads no clock and has no globals: the same spec gives the same results, bit for bit, in whatever steps it is advanced.
//!
//! ```
//! use ringlet_engine::{Simulation, spec::NetworkSpec};
//!
//! let spec = NetworkSpec::from_json(r#"{
//!     "seed": 1, "nodes": 4, "hop_delay": 1,
//!     "flow_control": {"protocol": "sci", "extension": "after-send", "release": "unblocked", "priorities": 1},
//!     "receive_queue": {"capacity": null, "service_cycles": 0},
//!     "transmit_capacity": null, "outstanding_limit": 64,
//!     "retry": {"strategy": "constant", "delay_cycles": 0},
//!     "flows": [{"source": 0, "priority": 0, "arrivals": {"kind": "saturated"}, "sizes": [[40, 1.0]],
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
//! | `transmit`, `receive` | the queues of a node |
//! | `stream`, `packet` | what is on a link: runs of symbols |
//! | `node` | strip, bypass FIFO, transmitter |
//! | [`protocols`] | flow control, one file each |
//! | [`ring`] | nodes in a ring, swept as far as their input is known |
//! | [`measure`] | counts |
//!
//! The rules that it follows are in the project's documentation, `docs/model.md`.

pub mod measure;
mod node;
mod packet;
pub mod protocols;
mod receive;
pub mod ring;
mod simulation;
pub mod spec;
mod stream;
pub mod traffic;
mod transmit;

pub use ring::Stall;
pub use simulation::Simulation;
