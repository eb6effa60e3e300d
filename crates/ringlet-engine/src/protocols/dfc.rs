//! Directed Flow Control (todd2001, Section 3; docs/explanation/realtime-model.md, Section 4).
//!
//! A node sends control symbols, which every other node reads as they pass. STOP-THRU keeps low-priority packets from
//! passing a node that cannot send; STOP-TO keeps packets from a node whose input queue is full, and admits them one by
//! one.

use std::collections::{BTreeMap, VecDeque};

use super::prelude::*;
use crate::results::Inverted;
use crate::values::NEVER;

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

impl DfcSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self =
        Self { bypass_symbols: 41, control_symbols: 2, high_water: 1, low_water: 0, stop_thru: true, fair: true };
}

impl Options for DfcSpec {
    type Protocol = Dfc;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        let nodes = spec.nodes;
        check_bypass(self.bypass_symbols, spec)?;
        check(nodes <= MAX_DFC_NODES, "nodes", nodes, format!("at most {MAX_DFC_NODES} with DFC"))?;
        check_length("control_symbols", self.control_symbols)?;
        let (low, high) = (self.low_water, self.high_water);
        let most = spec.queues.receive.common.capacity.unwrap_or(u32::MAX);
        let allowed = format!("1 to {most}, the places of an input queue");
        check((1..=most).contains(&high), "flow_control.high_water", high, allowed)?;
        check(low < high, "flow_control.low_water", low, format!("below high_water = {high}"))
    }

    fn limits(&self, _: RingShape) -> Limits {
        Limits {
            bypass_symbols: Some(self.bypass_symbols),
            acts_on_refusals: true,
            survives_losses: true,
            takes_base_nodes: true,
            ..Limits::default()
        }
    }
}

/// The content of a control symbol's 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ControlSymbol {
    /// Lets only packets of this priority or above pass the originator; `None`: lets all pass.
    StopThru(Option<u8>),
    /// No packet of a class may be sent to the originator without a grant.
    StopTo(StopTo),
    /// Lets all packets of a class be sent without a grant again.
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

impl StopTo {
    fn naming(named: u8, class: Class, grants: bool) -> Self {
        Self { class, named, grants, taken: false, collected: None }
    }
}

impl ControlSymbol {
    /// Bytes: flags, named or announced, collected priority, collected node. Bits of the flags: 0 to 1 kind, 2 class,
    /// 3 grants, 4 taken, 5 collected or announced.
    fn pack(self) -> u32 {
        u32::from_le_bytes(match self {
            Self::StopThru(announced) => [u8::from(announced.is_some()) << 5, announced.unwrap_or(0), 0, 0],
            Self::StopTo(StopTo { class, named, grants, taken, collected }) => {
                let flags = 1 | (class as u8) << 2 | u8::from(grants) << 3 | u8::from(taken) << 4;
                let (priority, node) = collected.unwrap_or_default();
                [flags | u8::from(collected.is_some()) << 5, named, priority, node]
            }
            Self::Release(class) => [2 | (class as u8) << 2, 0, 0, 0],
        })
    }

    fn unpack(bits: u32) -> Self {
        let [flags, named, priority, node] = bits.to_le_bytes();
        let flag = |bit: u8| flags >> bit & 1 == 1;
        let class = Class::ALL[usize::from(flag(2))];
        let collected = flag(5).then_some((priority, node));
        match flags & 3 {
            0 => Self::StopThru(flag(5).then_some(named)),
            1 => Self::StopTo(StopTo { class, named, grants: flag(3), taken: flag(4), collected }),
            _ => Self::Release(class),
        }
    }
}

/// Cycle since which what a node has granted last, for a class, was held up by packets of lower priority.
#[derive(Debug, Default, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct HeldSince(#[encode(with = self.count(encoder))] BTreeMap<(u16, Class), Option<u64>>);

impl IdleStates for HeldSince {}

impl HeldSince {
    fn count(&self, encoder: &mut Encoder<'_>) {
        self.0.values().for_each(|since| encoder.since_when(since.unwrap_or(NEVER)));
    }
}

/// A node's arbitration of what may be sent to it, for one class (Section 3.2).
#[derive(Debug, Clone, Copy, Default, Encode, Serialize, Deserialize)]
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
    /// Cycle since which the arbitration has been held up; a grant takes it along to [`HeldSince`].
    #[encode(with = encoder.since_when(self.held_since.unwrap_or(NEVER)))]
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
        Some(StopTo::naming(self.last_grantee, class, granted.is_some()))
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

    /// A STOP-TO symbol was lost on a link; returns whether another one is to be sent in its place. A grant in it
    /// lapses, whether its node had taken it or not.
    fn missed(&mut self, stop: StopTo) -> bool {
        if self.stale > 0 {
            self.stale -= 1;
            return false;
        }
        self.in_flight = false;
        if stop.grants {
            self.grants = self.grants.saturating_sub(1);
        }
        self.due += u32::from(self.blocked);
        self.blocked
    }

    fn release(&mut self) {
        *self =
            Self { stale: self.stale + u32::from(self.in_flight), last_grantee: self.last_grantee, ..Self::default() };
    }
}

type Host<'a> = super::Host<'a, Dfc>;

/// One node's flow control.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct Dfc {
    #[encode(skip)]
    options: DfcSpec,
    #[encode(skip)]
    node: u16,
    /// Has the node SCI's own flow control? Then it lets control symbols pass and follows none.
    #[encode(skip)]
    is_base: bool,
    /// Control symbols to be emitted: those that pass, and the node's own.
    #[encode(held = "a control symbol to be sent")]
    control: VecDeque<Run>,
    /// Priority that the node has announced last by STOP-THRU; `None`: it lets all pass.
    #[encode(held = "an announcement")]
    announced: Option<u8>,
    arbitrations: [Arbitration; 2],
    /// Priority that each other node has announced last by STOP-THRU; `None`: it lets all pass.
    #[encode(held = "an announcement")]
    thru: Box<[Option<u8>]>,
    /// Number of other nodes that have announced a priority.
    #[encode(skip)]
    announcements: u32,
    /// Is each other node blocked, for each class?
    #[encode(held = "a blocked destination")]
    blocked: Box<[[bool; 2]]>,
}

/// The highest of these announcements.
fn highest(announced: &[Option<u8>]) -> Option<u8> {
    announced.iter().copied().max().flatten()
}

impl Dfc {
    #[inline(never)]
    fn push(&mut self, symbol: ControlSymbol) {
        self.control.push_back(Run::message(self.options.control_symbols, self.node, symbol.pack()));
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
        let (own, to) = (usize::from(self.node), usize::from(destination));
        let (before, behind) = (&self.thru[..to], &self.thru[own + 1..]);
        if own < to {
            highest(&before[own + 1..])
        } else if to < own {
            highest(behind).max(highest(before))
        } else {
            None
        }
    }

    /// STOP-THRU (Section 3.1): a node whose head has no space announces its priority, changes the announcement with
    /// the head, and lifts it without one.
    fn announce(&mut self, head: Option<Head>, has_space: bool) {
        let announced = head.filter(|_| !has_space || self.announced.is_some()).map(|head| head.priority);
        if announced != self.announced && self.options.stop_thru {
            self.announced = announced;
            self.push(ControlSymbol::StopThru(announced));
        }
    }

    /// STOP-TO (Section 3.2): the node sends the next one, if one is to be sent.
    fn issue(&mut self, class: Class, host: &mut Host<'_>) {
        let arbitration = &mut self.arbitrations[class as usize];
        let Some(stop) = arbitration.issue(class, host.room(class)) else { return };
        if stop.grants {
            host.ring.0.insert((self.node, class), arbitration.held_since.take());
        }
        self.push(ControlSymbol::StopTo(stop));
    }

    /// The node's own STOP-TO has come back.
    fn take_back(&mut self, stop: StopTo, host: &mut Host<'_>) {
        let StopTo { class, .. } = stop;
        let arbitration = &mut self.arbitrations[class as usize];
        if !arbitration.returned(stop) {
            return;
        }
        let lowest = host.receive.lowest(class);
        // Input inversion: without room, and with a lower priority in the queue (realtime-model.md, Section 7).
        let is_held =
            arbitration.collected.is_some_and(|(collected, _)| lowest.is_some_and(|lowest| lowest < collected))
                && host.room(class) <= arbitration.grants;
        arbitration.held_since = is_held.then(|| arbitration.held_since.unwrap_or(host.now));
        self.issue(class, host);
    }

    /// Packets of a class to another node may be sent again, or not any more, without a grant.
    fn block(&mut self, node: u16, class: Class, is_blocked: bool, host: &mut Host<'_>) {
        // A STOP-TO goes round for as long as its node is blocked: mostly it says nothing new.
        let before = std::mem::replace(&mut self.blocked[usize::from(node)][class as usize], is_blocked);
        if before != is_blocked {
            host.transmit.choose_again(host.now);
        }
    }

    /// A STOP-TO of another node passes: this node takes the grant for what waits for that one, and bids for the next.
    fn obey(&mut self, originator: u16, mut stop: StopTo, host: &mut Host<'_>) -> StopTo {
        let class = stop.class;
        self.block(originator, class, true, host);
        let waits = |host: &mut Host<'_>| host.transmit.candidate(host.hosts, class, originator, host.now);
        if stop.grants
            && u16::from(stop.named) == self.node
            && !stop.taken
            && let Some((packet, _)) = waits(host)
        {
            stop.taken = true;
            host.hosts.packets[packet].marks.insert(Marks::GRANTED);
            host.transmit.choose_again(host.now);
            if let Some(&Some(since)) = host.ring.0.get(&(originator, class)) {
                let granted = host.hosts.packets[packet];
                host.hosts.invert(&granted, Inverted::Input, host.now - since);
            }
        }
        // Asked again: the packet that has just taken the grant is no candidate any more.
        if let Some((_, priority)) = waits(host) {
            // `(node - named) mod N`, less one: 0 counts as N, so that the last grantee is
            // the last in turn (Section 4).
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

    /// The moments of the servers that matter: while the node is blocked, the end of a service lets it send a control
    /// symbol.
    fn watches(&self) -> Watched {
        let is_blocked = self.arbitrations.iter().any(|arbitration| arbitration.blocked);
        if is_blocked { Watched::Ends } else { Watched::Requests }
    }

    /// Decides what follows an idle at a node with SCI's own flow control: all idles of the ring count as idles with a
    /// go bit.
    #[inline(never)]
    fn next_of_base(&mut self, has_head: bool, fifo_empty: bool) -> Next {
        match self.control.pop_front() {
            Some(symbol) => Next::Bare(symbol),
            None if !fifo_empty => Next::Bypass(0),
            None if has_head => Next::Head,
            None => Next::Nothing,
        }
    }

    /// Decides what follows an idle at a node with a head, an announcement or control symbols.
    #[inline(never)]
    fn next_of_several(&mut self, host: &Host<'_>) -> Next {
        let head = host.head();
        if self.is_base {
            return self.next_of_base(head.is_some(), host.bypass.is_empty());
        }
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

    /// A control symbol of another node passes; returns what it says from here on.
    fn read(&mut self, originator: u16, symbol: ControlSymbol, host: &mut Host<'_>) -> ControlSymbol {
        match symbol {
            ControlSymbol::StopThru(announced) => {
                let before = std::mem::replace(&mut self.thru[usize::from(originator)], announced);
                self.announcements += u32::from(announced.is_some());
                self.announcements -= u32::from(before.is_some());
                host.transmit.choose_again(host.now);
            }
            ControlSymbol::StopTo(stop) => return ControlSymbol::StopTo(self.obey(originator, stop, host)),
            ControlSymbol::Release(class) => self.block(originator, class, false, host),
        }
        symbol
    }
}

impl Protocol for Dfc {
    type Options = DfcSpec;
    type Ring = HeldSince;
    type Counts = ();

    fn new(options: &DfcSpec, spec: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        // At first itself (Section 4), so that the next node downstream is the first in turn.
        let arbitration = Arbitration { last_grantee: node as u8, ..Arbitration::default() };
        Self {
            options: *options,
            node: node as u16,
            is_base: spec.base_nodes.contains(&node),
            control: VecDeque::new(),
            announced: None,
            arbitrations: [arbitration; 2],
            thru: vec![None; spec.nodes as usize].into(),
            announcements: 0,
            blocked: vec![[false; 2]; spec.nodes as usize].into(),
        }
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        if head.is_some() {
            return Some("its head waits for space in the bypass FIFO".into());
        }
        let mut stops = Vec::new();
        for (node, (blocked, announced)) in self.blocked.iter().zip(&self.thru).enumerate() {
            let classes = Class::ALL.into_iter().filter(|class| blocked[*class as usize]);
            stops.extend(classes.map(|class| format!("STOP-TO of node {node} for {class:?}s")));
            stops.extend(announced.map(|priority| format!("STOP-THRU of node {node} below priority {priority}")));
        }
        (!stops.is_empty()).then(|| stops.join(", "))
    }
}

impl IdleRules for Dfc {}

impl Scheduler for Dfc {
    const FOLLOWS_QUEUES: bool = true;

    #[inline]
    fn selection(&self) -> &impl Eligibility {
        self
    }

    #[inline]
    fn queues(&mut self) -> Option<&mut impl Queues<Self>> {
        Some(self)
    }

    // Inlined, so that mostly nothing of the host is put together.
    #[inline]
    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        if self.control.is_empty() && self.announced.is_none() && host.transmit.head().is_none() {
            return if host.bypass.is_empty() { Next::Nothing } else { Next::Bypass(0) };
        }
        self.next_of_several(&host)
    }
}

impl Eligibility for Dfc {
    #[inline]
    fn is_eligible(&self, packet: &Packet) -> bool {
        let blocked = self.blocked[usize::from(packet.destination)][packet.class as usize];
        (!blocked || packet.marks.contains(Marks::GRANTED))
            && self.announced_before(packet.destination).is_none_or(|p| p <= packet.priority)
    }
}

impl Queues<Self> for Dfc {
    fn drains(&self, transmit: &TransmitQueue, packets: &Packets) -> Option<u64> {
        let head = transmit.head_view(packets);
        let is_announced = !self.options.stop_thru || self.announced == head.map(|head| head.priority);
        if !self.control.is_empty() || !(is_announced || self.is_base) {
            return None;
        }
        let head = head.filter(|_| !self.is_base);
        let space = |head: Head| u64::from(self.options.bypass_symbols).saturating_sub(head.symbols.into());
        // Below this fill the head has space, and goes first (realtime-model.md, Section 4, "Decision").
        Some(head.map_or(0, space))
    }

    fn arrived(&mut self, class: Class, granted: bool, accepted: bool, host: Host<'_>) {
        if self.is_base {
            return;
        }
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
            let first = StopTo::naming(arbitration.last_grantee, class, false);
            self.push(ControlSymbol::StopTo(first));
            host.receive.watch(self.watches());
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
            host.receive.watch(self.watches());
        } else {
            arbitration.due += 1;
            self.issue(class, &mut host);
        }
    }
}

impl Messages for Dfc {
    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        Some(self)
    }

    /// A control symbol acts on what waits in this cycle, before the head is chosen. Only one that changes which
    /// packets may be head makes the node choose again: a STOP-TO goes round for as long as its node is blocked.
    fn receive(&mut self, run: Run, passes: bool, mut host: Host<'_>) -> Passage {
        host.transmit.take_arrivals(host.hosts, host.now);
        let symbol = ControlSymbol::unpack(run.value);
        if run.target == self.node {
            if let ControlSymbol::StopTo(stop) = symbol {
                self.take_back(stop, &mut host);
            }
            return Passage::Ends;
        }
        let passed = if self.is_base { symbol } else { self.read(run.target, symbol, &mut host) };
        self.control.push_back(Run { value: passed.pack(), ..run });
        // They keep their order (Section 4): in its place leaves the one that has waited here longest.
        let first = if passes { self.control.pop_front() } else { None };
        first.map_or(Passage::Kept, Passage::Replaced)
    }
}

impl Losses<Self> for Dfc {
    /// The node says again what holds now.
    fn missed(&mut self, run: Run, mut host: Host<'_>) {
        match ControlSymbol::unpack(run.value) {
            ControlSymbol::StopThru(_) => self.push(ControlSymbol::StopThru(self.announced)),
            ControlSymbol::StopTo(stop) => {
                if self.arbitrations[stop.class as usize].missed(stop) {
                    self.issue(stop.class, &mut host);
                }
            }
            ControlSymbol::Release(class) => {
                if !self.arbitrations[class as usize].blocked {
                    self.push(ControlSymbol::Release(class));
                }
            }
        }
    }
}
