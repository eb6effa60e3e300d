//! A simulation that a program steps: it injects packets, advances, and reads what has become of them
//! (docs/how-to/co-simulation.md). The Python package and the C interface are made of it.

mod document;
mod files;
mod quiet;
mod saved;

use std::collections::{HashMap, VecDeque};

use ringlet_engine::injection::{InjectedPacket, Outcome, PacketEvent};
use ringlet_engine::spec::{NetworkSpec, SpecError};
use ringlet_engine::{Simulation, Stall};

pub use document::Document;
pub use files::write_whole;
pub use quiet::{DAMAGED, Quiet};
pub use saved::{LoadError, Saved, VERSION};

/// A digest of the sources that decide results: those of the engine, of its runs and of this crate.
pub const SOURCE_DIGEST: &str = env!("RINGLET_SOURCE_DIGEST");

/// A packet that has arrived, or is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Delivery {
    /// Number of the packet, from 0 in the order in which packets were injected; of a response that of its request.
    pub packet: u32,
    /// Node that sent it.
    pub source: u32,
    /// Node that it was for.
    pub destination: u32,
    /// Is it the response to the packet injected?
    pub response: bool,
    /// Did it not arrive?
    pub lost: bool,
    /// Times that it was sent again, on all rings of its way.
    pub retries: u32,
    /// Cycle in which it was generated; a response is when its request has been served.
    pub generated: u64,
    /// Cycle in which its node began to send it; `None`: it was lost before.
    pub sent: Option<u64>,
    /// Cycle in which its service ended, or in which it was lost.
    pub ended: u64,
}

/// A packet under way.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Open {
    source: u32,
    destination: u32,
    generated: u64,
    sent: Option<u64>,
    retries: u32,
}

/// A simulation with what is under way of the packets injected.
pub struct Stepping {
    simulation: Simulation,
    /// Checksum by which the spec is known in a file.
    spec_checksum: u64,
    /// Packets under way, by number and whether it is the response.
    open: HashMap<(u32, bool), Open>,
    /// Source and destination of the requests whose responses do not yet exist.
    requests: HashMap<u32, (u32, u32)>,
    /// Deliveries that have not been read.
    arrived: VecDeque<Delivery>,
}

impl Stepping {
    /// Builds the network of a spec at cycle 0. Packets can be injected at the nodes that have a flow of injected
    /// packets.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated.
    pub fn from_json(spec_json: &str) -> Result<Self, SpecError> {
        let simulation = Simulation::new(&NetworkSpec::from_json(spec_json)?)?;
        Ok(Self {
            simulation,
            spec_checksum: saved::checksum(spec_json),
            open: HashMap::new(),
            requests: HashMap::new(),
            arrived: VecDeque::new(),
        })
    }

    /// The simulation, to read its counters.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, to advance it by other means than [`Self::advance`] or to hand a trace in.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Injects a packet; returns its number.
    ///
    /// # Errors
    /// What is wrong with it; it has not been injected.
    pub fn inject(&mut self, packet: &InjectedPacket) -> Result<u32, SpecError> {
        let number = self.simulation.inject(packet)?;
        let &InjectedPacket { cycle, source, destination, response_symbols, .. } = packet;
        let open = Open { source, destination, generated: cycle, sent: None, retries: 0 };
        self.open.insert((number, false), open);
        if response_symbols.is_some() {
            self.requests.insert(number, (source, destination));
        }
        Ok(number)
    }

    /// Simulates `cycles` more cycles; stops early at a stall and says where.
    pub fn advance(&mut self, cycles: u64) -> Option<Stall> {
        self.simulation.advance(cycles)
    }

    /// Injected packets, and responses to them, that arrived or were lost since the last call and before the present
    /// cycle, in order of time.
    pub fn deliveries(&mut self) -> Vec<Delivery> {
        std::iter::from_fn(|| self.next_delivery()).collect()
    }

    /// The next of them.
    pub fn next_delivery(&mut self) -> Option<Delivery> {
        if self.arrived.is_empty() {
            for event in self.simulation.take_events() {
                let delivery = self.follow(event);
                self.arrived.extend(delivery);
            }
        }
        self.arrived.pop_front()
    }

    /// Injected packets under way, requests and responses.
    pub fn under_way(&self) -> usize {
        self.open.len()
    }

    fn follow(&mut self, event: PacketEvent) -> Option<Delivery> {
        let PacketEvent { cycle, packet, response, outcome } = event;
        // Where an echo was lost a packet may be sent again that has arrived: it is not open any more.
        let key = (packet, response);
        match outcome {
            Outcome::Created => {
                let (destination, source) = self.requests.remove(&packet)?;
                self.open.insert(key, Open { source, destination, generated: cycle, sent: None, retries: 0 });
            }
            Outcome::Sent => self.open.get_mut(&key)?.sent = Some(cycle),
            Outcome::SentAgain => self.open.get_mut(&key)?.retries += 1,
            Outcome::Delivered | Outcome::Lost => {
                let Open { source, destination, generated, sent, retries } = self.open.remove(&key)?;
                let lost = outcome == Outcome::Lost;
                if lost {
                    self.requests.remove(&packet);
                }
                let ended = cycle;
                return Some(Delivery { packet, source, destination, response, lost, retries, generated, sent, ended });
            }
        }
        None
    }

    /// A copy that goes its own way from here.
    #[must_use]
    pub fn fork(&self) -> Self {
        let &Self { ref simulation, spec_checksum, ref open, ref requests, ref arrived } = self;
        let (open, requests, arrived) = (open.clone(), requests.clone(), arrived.clone());
        Self { simulation: simulation.fork(), spec_checksum, open, requests, arrived }
    }
}
