//! Flow-control protocols and their options.

use serde::{Deserialize, Serialize};

use super::{
    MAX_CYCLES, MAX_DFC_NODES, MAX_GROUPS, MAX_PRIORITIES, MAX_SEND_SYMBOLS, MAX_TICKETS, MIN_SEND_SYMBOLS,
    NetworkSpec, SpecError, check,
};

/// Flow-control protocol and its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FlowControlSpec {
    /// A node sends whenever its bypass FIFO is empty.
    None {},
    /// SCI's go bits.
    Sci {
        /// Which created idles copy the go bits of the last emitted idle.
        extension: Extension,
        /// What the idle behind an own packet carries while the bypass FIFO is not empty.
        release: Release,
        /// 1: one go bit, as picker1994 describes it. 2 to 4: send priorities with a low and a high go bit.
        priorities: u8,
    },
    /// picker1994's enhanced protocol: one go bit per transmission group, selected by the block register.
    Grouped {
        /// Which created idles copy the go bits of the last emitted idle.
        extension: Extension,
        /// What the idle behind an own packet carries while the bypass FIFO is not empty.
        release: Release,
        /// Transmission groups, 1 to [`MAX_GROUPS`].
        groups: u8,
    },
    /// Preemptive Priority Queue (todd2001, Section 2.2).
    Ppq(PpqSpec),
    /// TRAIN (todd2001, Section 2.3).
    Train(TrainSpec),
    /// Directed Flow Control (todd2001, Section 3).
    Dfc(DfcSpec),
}

/// Options of PPQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PpqSpec {
    /// Nominal bypass FIFO: what is sent leaves room for what arrives meanwhile.
    pub bypass_symbols: u32,
    /// When the echo of an accepted packet is made.
    pub late_echo: LateEcho,
    /// The effective priority in a bypass FIFO rises by 1 in so many cycles; `None`: not.
    pub ageing_cycles: Option<u64>,
    /// Do packets that hold a place in a full echo-waiting queue inherit the priority of what waits for it?
    pub inheritance: bool,
    /// Length of the event message that says so.
    pub event_symbols: u32,
}

/// When a PPQ node makes the echo of an accepted packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LateEcho {
    /// When its service starts: from then on it cannot be preempted.
    ServiceStart,
    /// When its service ends.
    ServiceEnd,
}

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
    /// Do packets in an input queue inherit the priority of a ticket deleted because of them?
    pub inheritance: bool,
}

/// When TRAIN arbitrates.
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

/// Options of DFC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DfcSpec {
    /// Nominal bypass FIFO.
    pub bypass_symbols: u32,
    /// Length of a control symbol.
    pub control_symbols: u32,
    /// Packets in an input queue from which on the node is blocked.
    pub high_water: u32,
    /// Packets in a blocked node's input queue at which it is released.
    pub low_water: u32,
    /// Are STOP-THRU symbols sent?
    pub stop_thru: bool,
    /// Are nodes with equal priorities granted in turn?
    pub fair: bool,
}

/// Go-bit extension: which idles created by stripping a packet copy the go bits of the last emitted idle (picker1994,
/// Section 2, which leaves the states open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extension {
    /// None do.
    None,
    /// Those that pass a node whose bypass FIFO is empty.
    Passing,
    /// Those, and the one absorbed in the idle behind an own packet if the bypass FIFO is empty then.
    AfterSend,
    /// Those, and the one absorbed in the idle behind an own packet in any case.
    Always,
}

/// What the idle behind an own packet carries while the bypass FIFO is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// Saved go bits of groups outside the block register; the others stay saved until the FIFO is empty.
    Unblocked,
    /// All saved go bits.
    All,
}

impl FlowControlSpec {
    /// Transmission groups that a packet may name.
    pub fn groups(&self) -> u8 {
        match self {
            Self::Grouped { groups, .. } => *groups,
            _ => 1,
        }
    }

    /// Priorities that a packet may have: SCI's own send priorities restrict the levels of the FIFOs.
    pub fn levels(&self, priorities: u16) -> u16 {
        match self {
            Self::Sci { priorities: own @ 2.., .. } => priorities.min(u16::from(*own)),
            _ => priorities,
        }
    }

    /// Nominal bypass FIFO of the protocols that send with packets in it.
    pub(super) fn bypass_symbols(&self) -> Option<u32> {
        match self {
            Self::None {} | Self::Sci { .. } | Self::Grouped { .. } => None,
            Self::Ppq(options) => Some(options.bypass_symbols),
            Self::Train(options) => Some(options.bypass_symbols),
            Self::Dfc(options) => Some(options.bypass_symbols),
        }
    }

    /// Length of the longest message of the protocol that may go round a ring of `nodes` nodes as one packet.
    pub(crate) fn longest_message_symbols(&self, nodes: u32) -> u64 {
        match self {
            Self::Train(train) => {
                let tickets = u64::from(nodes) * u64::from(train.tickets_per_node);
                u64::from(train.locomotive_symbols) + tickets * u64::from(train.ticket_symbols)
            }
            _ => 0,
        }
    }

    /// Checks the options, of which some depend on what else the spec says.
    pub(super) fn validate(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        match self {
            FlowControlSpec::None {} => {}
            &FlowControlSpec::Sci { priorities, .. } => check(
                (1..=MAX_PRIORITIES).contains(&priorities),
                "flow_control.priorities",
                priorities,
                format!("1 to {MAX_PRIORITIES}"),
            )?,
            &FlowControlSpec::Grouped { groups, .. } => {
                check((1..=MAX_GROUPS).contains(&groups), "flow_control.groups", groups, format!("1 to {MAX_GROUPS}"))?
            }
            FlowControlSpec::Ppq(options) => {
                options.validate()?;
                let reservation = spec.retry.reservation;
                check(!reservation, "retry.reservation", reservation, "false with PPQ, which preempts instead")?;
            }
            FlowControlSpec::Train(options) => options.validate(spec.nodes)?,
            FlowControlSpec::Dfc(options) => options.validate(spec.nodes, spec.receive_queue.capacity)?,
        }
        Ok(())
    }
}

impl PpqSpec {
    fn validate(&self) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols)?;
        check(self.ageing_cycles != Some(0), "flow_control.ageing_cycles", 0, "at least 1 cycle")?;
        check_length("event_symbols", self.event_symbols)?;
        let fits = self.event_symbols < self.bypass_symbols;
        check(fits, "flow_control.event_symbols", self.event_symbols, "less than bypass_symbols")
    }
}

impl TrainSpec {
    fn validate(&self, nodes: u32) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols)?;
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
        Ok(())
    }
}

impl DfcSpec {
    fn validate(&self, nodes: u32, capacity: Option<u32>) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols)?;
        check(nodes <= MAX_DFC_NODES, "nodes", nodes, format!("at most {MAX_DFC_NODES} with DFC"))?;
        check_length("control_symbols", self.control_symbols)?;
        let (low, high) = (self.low_water, self.high_water);
        let most = capacity.unwrap_or(u32::MAX);
        let allowed = format!("1 to {most}, the places of an input queue");
        check((1..=most).contains(&high), "flow_control.high_water", high, allowed)?;
        check(low < high, "flow_control.low_water", low, format!("below high_water = {high}"))
    }
}

/// The bypass FIFO has room for the shortest packet and its idle.
fn check_bypass(symbols: u32) -> Result<(), SpecError> {
    let least = MIN_SEND_SYMBOLS + 1;
    check(symbols >= least, "flow_control.bypass_symbols", symbols, format!("at least {least} symbols"))
}

fn check_length(name: &str, symbols: u32) -> Result<(), SpecError> {
    let ok = (1..=MAX_SEND_SYMBOLS).contains(&symbols);
    check(ok, format!("flow_control.{name}"), symbols, format!("1 to {MAX_SEND_SYMBOLS} symbols"))
}
