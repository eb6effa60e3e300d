//! Packets that a program injects while a simulation runs (docs/how-to/co-simulation.md): checked and numbered, and
//! what becomes of them.

use std::ops::RangeInclusive;

use crate::spec::{MAX_CYCLES, NetworkSpec, SpecError, check};

/// A packet that a program injects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectedPacket {
    /// Cycle in which it is generated: the present one, or a later one.
    pub cycle: u64,
    /// Node that sends it.
    pub source: u32,
    /// Node that it is for.
    pub destination: u32,
    /// Length.
    pub symbols: u32,
    /// Length of the response that its service creates; `None`: none is.
    pub response_symbols: Option<u32>,
    /// Send priority.
    pub priority: u8,
    /// Transmission group; `None`: the one that its node's flow has.
    pub group: Option<u8>,
}

/// Something that has become of an injected packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct PacketEvent {
    /// Cycle in which it has.
    pub cycle: u64,
    /// Number of the packet, from 0 in the order in which they were injected; of a response that of its request.
    pub packet: u32,
    /// Is it the packet's response?
    pub response: bool,
    /// Fate of the packet that the event reports.
    pub outcome: Outcome,
}

/// The fates of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Outcome {
    /// The service of its request has ended and creates it: the first event of a response. Its request may be delivered
    /// later, where hosts take time to store what they receive.
    Created,
    /// The packet's node begins to send it for the first time.
    Sent,
    /// A node or port begins to send it again, since it was refused or timed out.
    SentAgain,
    /// The packet's service has ended at its destination.
    Delivered,
    /// The packet found the transmit queue full, or was given up after time-outs.
    Lost,
}

/// The properties that an injected packet brings with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Own {
    pub(crate) symbols: u16,
    pub(crate) response_symbols: u16,
    pub(crate) priority: u8,
    pub(crate) group: Option<u8>,
}

/// The door through which packets are injected.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Injection {
    /// The flow of each node, by its place in the spec, and its highest priority.
    doors: Box<[Option<(u32, u8)>]>,
    lengths: RangeInclusive<u32>,
    groups: u16,
    /// Packets injected.
    count: u32,
}

impl Injection {
    /// Builds the injection of a validated spec; `None` if nothing is injected.
    pub(crate) fn of(spec: &NetworkSpec) -> Result<Option<Self>, SpecError> {
        let mut doors: Box<[Option<(u32, u8)>]> = vec![None; spec.nodes as usize].into();
        for (flow, door) in (0u32..).zip(&spec.flows).filter(|(_, flow)| flow.is_injected()) {
            doors[door.source as usize] = Some((flow, door.priority));
        }
        if doors.iter().all(Option::is_none) {
            return Ok(None);
        }
        let limits = spec.limits()?;
        let (least, most) = spec.packet_symbols(&limits).into_inner();
        // Time-outs, and the times for which links are quiet before they change, are longer than any packet.
        let known = if spec.network.is_some() { spec.longest_symbols() - 1 } else { most };
        let most = spec.flows.iter().filter_map(|flow| flow.most_injected()).fold(most.min(known), u32::min);
        Ok(Some(Self { doors, lengths: least..=most, groups: limits.groups, count: 0 }))
    }

    /// Checks the next packet at cycle `now`; returns its flow, by its place in the spec, and its own properties.
    pub(crate) fn check(&self, packet: &InjectedPacket, now: u64) -> Result<(u32, Own), SpecError> {
        let &InjectedPacket { cycle, source, destination, symbols, response_symbols, priority, group } = packet;
        let nodes = self.doors.len() as u32;
        check(source < nodes, "source", source, format!("a node below {nodes}"))?;
        let door = self.doors[source as usize];
        check(door.is_some(), "source", source, "a node with a flow of injected packets")?;
        let (flow, top) = door.expect("it was just checked");
        let elsewhere = destination < nodes && (destination != source || nodes == 1);
        let allowed = format!("a node below {nodes} other than the source {source}");
        check(elsewhere, "destination", destination, allowed)?;
        let (least, most) = (self.lengths.start(), self.lengths.end());
        let allowed = format!("{least} to {most} symbols");
        check(self.lengths.contains(&symbols), "symbols", symbols, &allowed)?;
        if let Some(response) = response_symbols {
            check(self.lengths.contains(&response), "response_symbols", response, &allowed)?;
        }
        check(priority <= top, "priority", priority, format!("at most {top}"))?;
        if let Some(group) = group {
            self.check_group(group)?;
        }
        let allowed = format!("the present cycle, {now}, or a later one before {MAX_CYCLES}");
        check((now..MAX_CYCLES).contains(&cycle), "cycle", cycle, allowed)?;
        check(self.count < u32::MAX, "packet", self.count, "at most 2^32 - 1 packets")?;
        let response_symbols = response_symbols.unwrap_or(0) as u16;
        Ok((flow, Own { symbols: symbols as u16, response_symbols, priority, group }))
    }

    pub(crate) fn check_group(&self, group: u8) -> Result<(), SpecError> {
        check(u16::from(group) < self.groups, "group", group, format!("a group below {}", self.groups))
    }

    pub(crate) fn check_node(&self, node: u32) -> Result<(), SpecError> {
        let nodes = self.doors.len();
        check((node as usize) < nodes, "node", node, format!("a node below {nodes}"))
    }

    /// The packet that was checked is injected; returns its number.
    pub(crate) fn count(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.doors)
    }
}
