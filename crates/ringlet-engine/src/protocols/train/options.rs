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
    /// Nominal bypass FIFO.
    pub bypass_symbols: u32,
    /// Length of a LocalMotive.
    pub locomotive_symbols: u32,
    /// Length of a ticket.
    pub ticket_symbols: u32,
    /// Cycles that a node takes to rewrite a train.
    pub delay_cycles: u64,
    /// Tickets that a node adds to a train.
    pub tickets_per_node: u32,
    /// Symbols that a train may grant; `None`: unlimited.
    pub size_symbols: Option<u32>,
    /// When there is arbitration.
    pub mode: TrainMode,
    /// Share of the bandwidth in use at which arbitration begins.
    pub shift_up: f64,
    /// Share of the train's size in a request train below which it ends.
    pub shift_down: f64,
    /// Cycles for which the TicketMaster measures its output in the low gear before it judges the load.
    pub load_cycles: u64,
    /// Do packets in an input queue inherit the priority of a ticket deleted because of them?
    pub inheritance: bool,
}

/// The load from which on TRAIN arbitrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainMode {
    /// Always.
    Arbitrated,
    /// Above a load; else the LocalMotive carries the bandwidth left.
    Switching,
    /// Above a load; else the ring is base SCI.
    Gearshift,
}

impl TrainSpec {
    /// Symbols of the train that are back in the TicketMaster's bypass FIFO when it has sent the train: what it may
    /// send behind the train has to fit in besides (docs/explanation/realtime-model.md, Section 5).
    fn overlap(&self, ring: RingShape) -> u32 {
        // Without a limit the TicketMaster requests bandwidth for ever, so that its own tickets are always in the
        // train.
        let tickets = if ring.has_outstanding_limit { 0 } else { self.tickets_per_node * self.ticket_symbols };
        let train = self.locomotive_symbols + tickets;
        let around = ring.around_cycles + u64::from(ring.nodes - 1) * self.delay_cycles.max(1);
        (u64::from(train) + 1).saturating_sub(around) as u32
    }
}

impl Options for TrainSpec {
    type Protocol = TrainProtocol;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        let nodes = spec.nodes;
        check_bypass(self.bypass_symbols, spec)?;
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
        let (bypass, least) = (self.bypass_symbols, spec.min_send_symbols() + 1 + self.overlap(spec.shape()));
        let allowed = format!(
            "at least {least} symbols: the ring is so short that its TicketMaster still sends the train when that \
             comes back; more hop_delay makes it longer"
        );
        check(bypass >= least, "flow_control.bypass_symbols", bypass, allowed)
    }

    fn limits(&self, ring: RingShape) -> Limits {
        let most_tickets = u64::from(ring.nodes) * u64::from(self.tickets_per_node);
        Limits {
            bypass_symbols: Some(self.bypass_symbols - self.overlap(ring)),
            longest_message_symbols: u64::from(self.locomotive_symbols) + most_tickets * u64::from(self.ticket_symbols),
            ..Limits::default()
        }
    }
}
