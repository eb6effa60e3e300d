//! TRAIN's options and their checks.

use super::TrainProtocol;
use crate::protocols::prelude::*;

/// Tickets that a node adds to a train at most: the work on them grows with the square of their number.
pub const MAX_TICKETS: u32 = 1024;

/// Options of TRAIN.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSpec {
    /// The node that makes the train.
    pub ticket_master: u32,
    /// Length of a LocalMotive.
    pub locomotive_symbols: u32,
    /// Length of a ticket.
    pub ticket_symbols: u32,
    /// Cycles that a node takes to rewrite a train.
    pub delay_cycles: u64,
    /// Tickets that a node adds to a train at most: more than one only for priorities above the lowest that is asked
    /// for.
    pub tickets_per_node: u32,
    /// Symbols that a train may grant; `None`: unlimited.
    pub size_symbols: Option<u32>,
    /// Load from which on there is arbitration.
    pub mode: TrainMode,
    /// Share of the bandwidth in use, on the whole or on one link, at which arbitration begins.
    pub shift_up: f64,
    /// Share of the train's size in a request train below which it ends.
    pub shift_down: f64,
    /// Cycles for which a node measures its output without arbitration before it judges the load.
    pub load_cycles: u64,
    /// Does a response inherit the rank of a request's ticket that its node has deleted for want of a place?
    pub inheritance: bool,
}

/// The load from which on TRAIN arbitrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainMode {
    /// Arbitrates always.
    Arbitrated,
    /// Arbitrates above a load; else the LocalMotive carries the bandwidth left.
    Switching,
    /// Arbitrates above a load; else the ring is base SCI.
    Gearshift,
}

impl TrainSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self = Self {
        ticket_master: 0,
        locomotive_symbols: 4,
        ticket_symbols: 2,
        delay_cycles: 4,
        tickets_per_node: 1,
        size_symbols: None,
        mode: TrainMode::Arbitrated,
        shift_up: 0.7,
        shift_down: 0.3,
        load_cycles: 1024,
        inheritance: false,
    };
}

impl Options for TrainSpec {
    type Protocol = TrainProtocol;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        let nodes = spec.nodes;
        let master = self.ticket_master;
        check(master < nodes, "flow_control.ticket_master", master, format!("a node below {nodes}"))?;
        check_length("locomotive_symbols", self.locomotive_symbols)?;
        check_length("ticket_symbols", self.ticket_symbols)?;
        let delay = self.delay_cycles;
        check(delay <= MAX_CYCLES, "flow_control.delay_cycles", delay, format!("at most {MAX_CYCLES}"))?;
        let tickets = self.tickets_per_node;
        let ok = (1..=MAX_TICKETS).contains(&tickets);
        check(ok, "flow_control.tickets_per_node", tickets, format!("1 to {MAX_TICKETS}"))?;
        let size = self.size_symbols;
        check(size != Some(0), "flow_control.size_symbols", 0, "at least 1 symbol")?;
        let sized = size.is_some() || self.mode == TrainMode::Arbitrated;
        check(sized, "flow_control.size_symbols", "none", "a size, without which no mode can shift")?;
        for (name, share) in [("shift_up", self.shift_up), ("shift_down", self.shift_down)] {
            check((0.0..=1.0).contains(&share), format!("flow_control.{name}"), share, "0 to 1")?;
        }
        let window = self.load_cycles;
        let ok = (1..=MAX_CYCLES).contains(&window);
        check(ok, "flow_control.load_cycles", window, format!("1 to {MAX_CYCLES}"))?;
        Ok(())
    }

    fn limits(&self, ring: RingShape) -> Limits {
        let most_tickets = u64::from(ring.nodes) * u64::from(self.tickets_per_node);
        Limits {
            longest_message_symbols: u64::from(self.locomotive_symbols) + most_tickets * u64::from(self.ticket_symbols),
            acts_on_refusals: true,
            survives_losses: true,
            ..Limits::default()
        }
    }
}
