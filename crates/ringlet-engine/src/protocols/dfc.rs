//! Directed Flow Control (todd2001, Section 3; docs/explanation/realtime-model.md, Section 4).
//!
//! A node that is in trouble says so in a control symbol, which every other node reads as it passes. STOP-THRU keeps
//! low-priority packets from passing a node that cannot send; STOP-TO keeps packets from a node whose input queue is
//! full, and admits them one by one.

use std::collections::VecDeque;

use ringlet_engine_derive::Encode;

use serde::{Deserialize, Serialize};

use super::{IdleRules, Messages, Next, Options, Passage, Protocol, Scheduler};
use crate::hosts::Head;
use crate::queues::{Received, Service};
use crate::results::Inverted;
use crate::spec::{Limits, NetworkSpec, RingShape, SpecError, check, check_bypass, check_length};
use crate::values::{Class, IdleWord, Kind, Marks, NEVER, Packet, Run};

/// Most nodes on a ring with DFC: its 32-bit control symbols name nodes with 8 bits.
pub const MAX_DFC_NODES: u32 = 256;

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

impl Options for DfcSpec {
    type Protocol = Dfc;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        let nodes = spec.nodes;
        check_bypass(self.bypass_symbols)?;
        check(nodes <= MAX_DFC_NODES, "nodes", nodes, format!("at most {MAX_DFC_NODES} with DFC"))?;
        check_length("control_symbols", self.control_symbols)?;
        let (low, high) = (self.low_water, self.high_water);
        let most = spec.receive_queue.capacity.unwrap_or(u32::MAX);
        let allowed = format!("1 to {most}, the places of an input queue");
        check((1..=most).contains(&high), "flow_control.high_water", high, allowed)?;
        check(low < high, "flow_control.low_water", low, format!("below high_water = {high}"))
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits { bypass_symbols: Some(self.bypass_symbols), ..Limits::default() }
    }
}

/// What the 32 bits of a control symbol say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ControlSymbol {
    /// Only packets of this priority or above may pass the originator; `None`: all may.
    StopThru(Option<u8>),
    /// No packet of a class may be sent to the originator without a grant.
    StopTo(StopTo),
    /// All may, again.
    Release(Class),
}

/// The content of a STOP-TO symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StopTo {
    class: Class,
    /// The node that is granted, or was last.
    named: u8,
    grants: bool,
    /// The named node has used the grant.
    taken: bool,
    /// The highest priority that waits for the originator, and where.
    collected: Option<(u8, u8)>,
}

impl ControlSymbol {
    /// Bits: 0 to 1 kind, 2 class, 3 grants, 4 taken, 5 collected or announced, then 8 each: named or priority,
    /// collected priority, collected node.
    fn pack(self) -> u32 {
        match self {
            Self::StopThru(announced) => announced.map_or(0, |priority| 1 << 5 | u32::from(priority) << 8),
            Self::StopTo(stop) => {
                let collected =
                    stop.collected.map_or(0, |(p, node)| 1 << 5 | u32::from(p) << 16 | u32::from(node) << 24);
                let flags = (stop.class as u32) << 2 | u32::from(stop.grants) << 3 | u32::from(stop.taken) << 4;
                1 | flags | u32::from(stop.named) << 8 | collected
            }
            Self::Release(class) => 2 | (class as u32) << 2,
        }
    }

    fn unpack(bits: u32) -> Self {
        let flag = |bit: u32| bits >> bit & 1 == 1;
        let byte = |place: u32| (bits >> place) as u8;
        let class = Class::ALL[usize::from(flag(2))];
        match bits & 3 {
            0 => Self::StopThru(flag(5).then_some(byte(8))),
            1 => Self::StopTo(StopTo {
                class,
                named: byte(8),
                grants: flag(3),
                taken: flag(4),
                collected: flag(5).then_some((byte(16), byte(24))),
            }),
            _ => Self::Release(class),
        }
    }
}

/// For each node and class, the cycle since which what it has granted last was held up by packets of lower priority, or
/// [`NEVER`].
#[derive(Debug, Default, Clone, Encode)]
pub(crate) struct HeldSince(#[encode(skip)] Vec<[u64; 2]>);

impl HeldSince {
    fn at(&mut self, node: u16, class: Class) -> &mut u64 {
        let nodes = self.0.len().max(usize::from(node) + 1);
        self.0.resize(nodes, [NEVER; 2]);
        &mut self.0[usize::from(node)][class as usize]
    }
}

/// A node's arbitration of what may be sent to it, for one class (Section 3.2).
#[derive(Debug, Clone, Copy, Default, Encode)]
struct Arbitration {
    #[encode(held = "a node that blocks packets to it")]
    blocked: bool,
    /// Grants whose packets have not arrived.
    #[encode(held = "a grant")]
    grants: u32,
    #[encode(held = "a node that has collected a priority")]
    collected: Option<(u8, u8)>,
    /// STOP-TO symbols to be sent because places became free.
    #[encode(held = "a STOP-TO to be sent")]
    due: u32,
    #[encode(held = "a STOP-TO in flight")]
    in_flight: bool,
    /// Symbols in flight from before the last release.
    #[encode(held = "a STOP-TO in flight")]
    stale: u32,
    last_grantee: u8,
    /// See [`HeldSince`].
    #[encode(skip)]
    held_since: Option<u64>,
}

impl Arbitration {
    /// The next STOP-TO symbol, if one is to be sent; `room`: free places.
    fn issue(&mut self, class: Class, room: u32) -> Option<StopTo> {
        if !self.blocked || self.in_flight {
            return None;
        }
        let granted = self.collected.filter(|_| room > self.grants);
        if self.due == 0 && granted.is_none() {
            return None;
        }
        self.in_flight = true;
        self.due = self.due.saturating_sub(1);
        if let Some((_, node)) = granted {
            self.collected = None;
            self.grants += 1;
            self.last_grantee = node;
        }
        Some(StopTo { class, named: self.last_grantee, grants: granted.is_some(), taken: false, collected: None })
    }

    /// A STOP-TO symbol has come back; returns whether it still counts.
    fn returned(&mut self, stop: StopTo) -> bool {
        if self.stale > 0 {
            self.stale -= 1;
            return false;
        }
        self.in_flight = false;
        if stop.grants && !stop.taken {
            self.grants = self.grants.saturating_sub(1);
        }
        if self.blocked {
            self.collected = stop.collected;
        }
        self.blocked
    }

    fn release(&mut self) {
        *self =
            Self { stale: self.stale + u32::from(self.in_flight), last_grantee: self.last_grantee, ..Self::default() };
    }
}

type Host<'a> = super::Host<'a, Dfc>;

/// One node's flow control.
#[derive(Debug, Clone, Encode)]
pub(crate) struct Dfc {
    #[encode(skip)]
    options: DfcSpec,
    #[encode(skip)]
    node: u16,
    /// Control symbols to be emitted: those that pass, and the node's own.
    #[encode(held = "a control symbol to be sent")]
    control: VecDeque<Run>,
    /// What the node has announced last by STOP-THRU.
    #[encode(held = "an announcement")]
    announced: Option<u8>,
    arbitrations: [Arbitration; 2],
    /// What each other node has announced last, and how many of them have something announced.
    #[encode(held = "an announcement")]
    thru: Box<[Option<u8>]>,
    #[encode(skip)]
    announcements: u32,
    /// Is each other node blocked, for each class?
    #[encode(held = "a blocked destination")]
    blocked: Box<[[bool; 2]]>,
}

impl Dfc {
    fn push(&mut self, symbol: ControlSymbol) {
        let run = Run {
            len: self.options.control_symbols,
            value: symbol.pack(),
            target: self.node,
            kind: Kind::Message,
            group: 0,
        };
        self.control.push_back(run);
    }

    fn distance(&self, from: u16, to: u16) -> usize {
        let nodes = self.thru.len();
        (usize::from(to) + nodes - usize::from(from)) % nodes
    }

    /// The highest priority announced by a node strictly between this one and `destination`.
    fn announced_before(&self, destination: u16) -> Option<u8> {
        if self.announcements == 0 {
            return None;
        }
        let between = 1..self.distance(self.node, destination);
        between.filter_map(|hop| self.thru[(usize::from(self.node) + hop) % self.thru.len()]).max()
    }

    /// STOP-THRU (Section 3.1): a node whose head has no space announces its priority, changes the announcement with
    /// the head, and lifts it without one.
    fn announce(&mut self, head: Option<Head>, has_space: bool) {
        let announced = match (self.announced, head) {
            (None, Some(head)) if !has_space => Some(head.priority),
            (None, _) | (Some(_), None) => None,
            (Some(_), Some(head)) => Some(head.priority),
        };
        if announced != self.announced && self.options.stop_thru {
            self.announced = announced;
            self.push(ControlSymbol::StopThru(announced));
        }
    }

    fn issue(&mut self, class: Class, host: &mut Host<'_>) {
        let arbitration = &mut self.arbitrations[class as usize];
        if let Some(stop) = arbitration.issue(class, host.room(class)) {
            if stop.grants {
                *host.ring.at(self.node, class) = arbitration.held_since.take().unwrap_or(NEVER);
            }
            self.push(ControlSymbol::StopTo(stop));
        }
    }

    /// A STOP-TO symbol of another node passes.
    fn obey(&mut self, originator: u16, mut stop: StopTo, host: &mut Host<'_>) -> StopTo {
        let class = stop.class;
        self.blocked[usize::from(originator)][class as usize] = true;
        let waits = |host: &mut Host<'_>| host.transmit.candidate(host.hosts, class, originator, host.now);
        if stop.grants
            && u16::from(stop.named) == self.node
            && !stop.taken
            && let Some((packet, _)) = waits(host)
        {
            stop.taken = true;
            host.hosts.packets[packet].marks.insert(Marks::GRANTED);
            let since = *host.ring.at(originator, class);
            if since != NEVER {
                let granted = host.hosts.packets[packet];
                host.hosts.invert(&granted, Inverted::Input, host.now - since);
            }
        }
        if let Some((_, priority)) = waits(host) {
            // In turn behind the node that was granted last.
            let turn = |node: u16| (self.distance(stop.named.into(), node) + self.thru.len() - 1) % self.thru.len();
            let better = stop.collected.is_none_or(|(collected, node)| {
                let nearer = self.options.fair && turn(self.node) < turn(node.into());
                priority > collected || (priority == collected && nearer)
            });
            if better {
                stop.collected = Some((priority, self.node as u8));
            }
        }
        stop
    }
}

impl Protocol for Dfc {
    type Options = DfcSpec;
    type Ring = HeldSince;
    type Counts = ();

    fn new(options: &DfcSpec, spec: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        let arbitration = Arbitration { last_grantee: node as u8, ..Arbitration::default() };
        Self {
            options: *options,
            node: node as u16,
            control: VecDeque::new(),
            announced: None,
            arbitrations: [arbitration; 2],
            thru: vec![None; spec.nodes as usize].into(),
            announcements: 0,
            blocked: vec![[false; 2]; spec.nodes as usize].into(),
        }
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        let blocked = |node: usize, class: Class| self.blocked[node][class as usize];
        let stops: Vec<String> = (0..self.blocked.len())
            .flat_map(|node| Class::ALL.map(|class| (node, class)))
            .filter(|&(node, class)| blocked(node, class))
            .map(|(node, class)| format!("STOP-TO of node {node} for {class:?}s"))
            .chain(self.thru.iter().enumerate().filter_map(|(node, announced)| {
                announced.map(|priority| format!("STOP-THRU of node {node} below priority {priority}"))
            }))
            .collect();
        match head {
            Some(_) => Some("its head waits for space in the bypass FIFO".into()),
            None => (!stops.is_empty()).then(|| stops.join(", ")),
        }
    }
}

impl IdleRules for Dfc {}

impl Scheduler for Dfc {
    const FOLLOWS_QUEUES: bool = true;
    const SELECTS: bool = true;

    #[inline]
    fn is_eligible(&self, packet: &Packet) -> bool {
        let blocked = self.blocked[usize::from(packet.destination)][packet.class as usize];
        (!blocked || packet.marks.contains(Marks::GRANTED))
            && self.announced_before(packet.destination).is_none_or(|p| p <= packet.priority)
    }

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        let head = host.head();
        let has_space = head.is_some_and(|head| host.has_space(self.options.bypass_symbols, head.symbols));
        self.announce(head, has_space);
        if let Some(symbol) = self.control.pop_front() {
            Next::Bare(symbol)
        } else if has_space {
            Next::Head
        } else if !host.bypass.is_empty() {
            Next::Bypass(0)
        } else {
            Next::Nothing
        }
    }

    fn arrived(&mut self, class: Class, granted: bool, accepted: bool, host: Host<'_>) {
        let arbitration = &mut self.arbitrations[class as usize];
        if granted {
            arbitration.grants = arbitration.grants.saturating_sub(1);
        }
        // A port has its own number of buffers, and of a cascade only the last link controller refuses anything.
        let is_full = host.receive.len(class) >= self.options.high_water as usize || host.receive.room(class) == 0;
        let refuses = host.transmit.port().is_none_or(|port| port.next_link.is_none());
        if accepted && !arbitration.blocked && is_full && refuses {
            arbitration.blocked = true;
            arbitration.in_flight = true;
            let named = arbitration.last_grantee;
            let init = StopTo { class, named, grants: false, taken: false, collected: None };
            self.push(ControlSymbol::StopTo(init));
        }
    }

    fn served(&mut self, service: &Service, mut host: Host<'_>) {
        let &Service::Ended(Received { class, .. }, _) = service else { return };
        let arbitration = &mut self.arbitrations[class as usize];
        if !arbitration.blocked {
            return;
        }
        if host.receive.len(class) <= self.options.low_water as usize {
            arbitration.release();
            self.push(ControlSymbol::Release(class));
        } else {
            arbitration.due += 1;
            self.issue(class, &mut host);
        }
    }
}

impl Messages for Dfc {
    /// A control symbol acts on what waits in this cycle, before the head is chosen.
    fn receive(&mut self, run: Run, passes: bool, mut host: Host<'_>) -> Passage {
        host.transmit.take_arrivals(host.hosts, host.now);
        host.transmit.choose_again(host.now);
        let symbol = ControlSymbol::unpack(run.value);
        if run.target == self.node {
            if let ControlSymbol::StopTo(stop) = symbol {
                let class = stop.class;
                let arbitration = &mut self.arbitrations[class as usize];
                if arbitration.returned(stop) {
                    let room = host.room(class);
                    let lowest = host.receive.lowest(class);
                    let is_held = arbitration.collected.is_some_and(|(p, _)| lowest.is_some_and(|lowest| lowest < p))
                        && room <= arbitration.grants;
                    arbitration.held_since = is_held.then(|| arbitration.held_since.unwrap_or(host.now));
                    self.issue(class, &mut host);
                }
            }
            return Passage::Ends;
        }
        let originator = usize::from(run.target);
        let passed = match symbol {
            ControlSymbol::StopThru(announced) => {
                self.announcements -= u32::from(self.thru[originator].is_some());
                self.announcements += u32::from(announced.is_some());
                self.thru[originator] = announced;
                symbol
            }
            ControlSymbol::StopTo(stop) => ControlSymbol::StopTo(self.obey(run.target, stop, &mut host)),
            ControlSymbol::Release(class) => {
                self.blocked[originator][class as usize] = false;
                symbol
            }
        };
        self.control.push_back(Run { value: passed.pack(), ..run });
        match if passes { self.control.pop_front() } else { None } {
            Some(first) => Passage::Replaced(first),
            None => Passage::Kept,
        }
    }
}
