//! Cycle-accurate simulation of register-insertion rings: SCI ringlets (IEEE 1596), other protocols on the same
//! interfaces, and networks of rings.
//!
//! # What is simulated
//!
//! Nodes form a ring of links in one direction. A link carries one symbol of 16 bits in a cycle, and takes a hop delay
//! of its own. In every cycle a node takes in one symbol and emits one:
//!
//! ```text
//!              link                                                            link
//!   node i-1 ------> input stream --> strip --+--------- passes ---------+-----> node i+1
//!                                       |     |                          |
//!                                       |     +--> bypass FIFO ----------+
//!                     packets for this  |          (while the node sends)|
//!                     node, and echoes  v                                |
//!                     of its own   input queues                    transmit queue
//!                                       |                                ^
//!                                       +--> service --> host --> flows -+
//! ```
//!
//! A packet for the node is stripped; its last symbols become an echo that carries back to the sender whether the
//! packet found a place in the input queue. A node sends an own packet from its transmit queue; what arrives meanwhile
//! waits in the bypass FIFO and leaves before the next own packet. When a node may begin is decided by the flow-control
//! protocol, mostly by what the idle symbols between the packets carry. `docs/explanation/model.md` has the rules and
//! their sources.
//!
//! # How it is used
//!
//! There are three things to do. Write a [`spec::NetworkSpec`]: fully resolved, with cycles, symbols and node numbers,
//! without units, names or defaults. Build a [`Simulation`] from it, which validates it again, and advance it. Read
//! counts and histograms ([`measure`]).
//!
//! ```
//! use ringlet_engine::{Simulation, spec::NetworkSpec};
//!
//! let spec = NetworkSpec::from_json(r#"{
//!     "seed": 1, "nodes": 4, "hop_delay": {"common": 1, "each": null}, "format": {"echo_symbols": 4},
//!     "flow_control": {"protocol": "sci", "extension": "received", "release": "unblocked", "priorities": 1},
//!     "queues": {
//!         "priorities": 1, "order": "alternate", "reservation": false,
//!         "receive": {"common": {"capacity": null, "service_cycles": 0}, "each": null},
//!         "limits": {"common": {
//!             "response_capacity": null, "transmit_capacity": null, "outstanding_limit": 64, "window": null,
//!             "retry": {"strategy": "constant", "delay_cycles": 0}}, "each": null}},
//!     "flows": [{"source": 0, "priority": 0, "arrivals": {"kind": "saturated"}, "burst": 1, "deadline_cycles": null,
//!                "sizes": [[40, 1.0]], "response_symbols": null,
//!                "destinations": {"kind": "uniform"}, "groups": {"kind": "fixed", "group": 0}}],
//!     "measurement": {"stall_cycles": 1000000, "latency_digits": 3}}"#)?;
//! let mut simulation = Simulation::new(&spec)?;
//! assert!(simulation.advance(100_000).is_none(), "no stall");
//! // A lone saturated node sends a packet and its idle in every 41 cycles, and one more idle lets the next one go.
//! assert!(simulation.flow_counters()[0].delivered_packets > 2_300);
//! # Ok::<(), ringlet_engine::spec::SpecError>(())
//! ```
//!
//! The engine does no I/O and has no globals: the same spec gives the same results, bit for bit, in whatever steps it
//! is advanced and on however many threads ([`Simulation::use_threads`]). It reads a clock only to choose between one
//! thread and several.
//!
//! Besides:
//!
//! - An [`observe::Observer`] is shown every symbol of a ring while it is simulated; a [`record::Recorder`] is one that
//!   keeps a window of time.
//! - Packets of a trace are handed in while the simulation runs ([`replay`]), and so are those that a program makes
//!   ([`injection`]); [`Simulation::take_events`] returns what has become of the latter, step by step.
//! - An activity ([`activities`]) is a plan by which packets are released, such as the building of events from
//!   fragments.
//! - [`Simulation::save`] writes a simulation, and [`Simulation::restore`] goes on from there.
//! - [`Simulation::fork`] and [`Simulation::state`] are for model checking: they explore what follows from which
//!   arrivals.
//!
//! # How it works
//!
//! A node is a function from its input stream to its output stream, and a stream is a sequence of runs, not of symbols:
//! a run is a packet, or a stretch of equal idles. All rules act where a run begins or ends, so that one step of a node
//! handles one run. A ring visits its nodes one after the other and lets each advance as far as its input is known.
//! Rings of a network advance in windows: what a switch decides reaches a ring only later.
//!
//! The modules lie in layers that import downward only (`tests/engine/layers.rs` checks it):
//!
//! | layer | what |
//! |---|---|
//! | `simulation` | the front door: from a spec to rings of its protocol, and one interface to them |
//! | `network` | rings joined by switches, their B-Links, and which ring goes next |
//! | `ring` | nodes in a ring, visited one after the other; what a switch can see coming |
//! | `node` | one interface: receiver, transmitter, counts |
//! | `protocols` | flow control, one file each; what several of them do with go bits |
//! | [`activities`] | plans of packets, one file each: events, control loops, collective operations |
//! | `hosts` | flows and their sources, transmit queues, traces; a ring's context in a network: routes, link errors |
//! | `queues` | input stream, bypass FIFO, input queues, transmit slots, buffers of ports |
//! | `values` | times, packets, runs of symbols; their encoding for model checking |
//! | `results` | counts ([`measure`]), what an observer is shown ([`observe`]), the recorder ([`record`]) |
//! | [`spec`] | what to simulate |

pub mod activities;
mod hosts;
mod network;
mod node;
pub mod protocols;
mod queues;
mod results;
mod ring;
mod simulation;
pub mod spec;
mod values;

pub use hdrhistogram::Histogram;
pub use hosts::Noise;
pub use hosts::injection;
pub use hosts::repeats;
pub use hosts::replay;
pub use hosts::source as traffic;
pub use protocols::counted_by_protocols;
pub use results::{Counts, DestinationCounters, chains, measure, observe, record};
pub use ring::{BlockedPort, Damaged, Stall};
pub use simulation::Simulation;
pub use values::{Moment, State};
