//! Preemptive Priority Queue (todd2001, Section 2.2; docs/explanation/realtime-model.md, Section 6).
//!
//! Each node decides for itself. Its input queues and its bypass FIFO serve the highest priority first, and give a
//! place taken by a packet of lower priority to one of higher priority: the preempted packet becomes a busy echo. A
//! packet can be preempted until it is served, so its echo is made only then. Within a priority its flow control is
//! SCI's: idles carry a go level where SCI's carry a go bit, by the rules of [`GoBits`].

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::go_bits::{Extension, GoBits, Release};
use super::prelude::*;

/// Options of PPQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PpqSpec {
    /// Created idles that copy a go level, as SCI's copy the go bit.
    pub extension: Extension,
    /// The go level of the idle behind an own packet while the bypass FIFO is not empty, as with SCI's go bit.
    pub release: Release,
    /// Nominal bypass FIFO: what is sent leaves room for what arrives meanwhile.
    pub bypass_symbols: u32,
    /// Moment at which the echo of an accepted packet is made.
    pub late_echo: LateEcho,
    /// Cycles for which a late echo waits for a packet in whose place it can leave, before it is inserted.
    pub echo_wait_cycles: u64,
    /// The effective priority in a bypass FIFO rises by 1 in so many cycles; `None`: not.
    pub ageing_cycles: Option<u64>,
    /// Do packets that hold a place in a full echo-waiting queue inherit the priority of what waits for it?
    pub inheritance: bool,
    /// Contents of the bypass FIFO over which an own packet may be sent.
    pub overtakes: Overtakes,
    /// Length of the event message that says so.
    pub event_symbols: u32,
}

/// The moment at which a PPQ node makes the echo of an accepted packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LateEcho {
    /// Made with the packet's last symbols, as in SCI: what has been accepted cannot be preempted.
    None,
    /// Made when the packet's service starts: from then on it cannot be preempted.
    ServiceStart,
    /// Made when the packet's service ends.
    ServiceEnd,
}

/// The contents of a bypass FIFO over which an own packet may be sent, behind any idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overtakes {
    /// Send packets of lower priority, and what is among them, by a packet that has not been refused.
    Lower,
    /// Contents as with `Lower`, and busy echoes alone, by any packet: in the FIFO, or where one begins to pass.
    BusyEchoes,
}

impl PpqSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self = Self {
        extension: Extension::Passing,
        release: Release::Unblocked,
        bypass_symbols: 41,
        late_echo: LateEcho::ServiceEnd,
        echo_wait_cycles: 0,
        ageing_cycles: None,
        inheritance: false,
        overtakes: Overtakes::Lower,
        event_symbols: 8,
    };
}

impl Options for PpqSpec {
    type Protocol = Ppq;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols, spec)?;
        check(self.ageing_cycles != Some(0), "flow_control.ageing_cycles", 0, "at least 1 cycle")?;
        check_length("event_symbols", self.event_symbols)?;
        let fits = self.event_symbols < self.bypass_symbols;
        check(fits, "flow_control.event_symbols", self.event_symbols, "less than bypass_symbols")?;
        let reservation = spec.queues.reservation;
        check(!reservation, "retry.reservation", reservation, "false with PPQ, which preempts instead")
    }

    fn limits(&self, _: RingShape) -> Limits {
        // An accepted packet may still be preempted, which its late echo says.
        Limits {
            bypass_symbols: Some(self.bypass_symbols),
            needs_echoes: true,
            survives_losses: true,
            takes_base_nodes: true,
            ..Limits::default()
        }
    }
}

/// A go level: *w* lets packets of priority *w* or more be sent. Merging takes the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Serialize, Deserialize)]
struct GoLevel(IdleWord);

impl GoLevel {
    /// Every node may send: SCI's go bit.
    const GO: Self = Self(0);
    /// No node may send.
    const STOP: Self = Self(256);

    /// The level above a priority.
    fn above(priority: u8) -> Self {
        Self(IdleWord::from(priority) + 1)
    }
}

impl Default for GoLevel {
    fn default() -> Self {
        Self::STOP
    }
}

impl Rest for GoLevel {
    fn is_held(&self) -> bool {
        *self < Self::STOP
    }
}

impl GoSet for GoLevel {
    type Table = ();

    fn first(_: u16) -> Self {
        Self::GO
    }

    #[inline]
    fn of(priority: u8) -> Self {
        Self(priority.into())
    }

    #[inline]
    fn read(word: IdleWord, (): &()) -> Self {
        Self(word)
    }

    #[inline]
    fn word(self, (): &mut ()) -> IdleWord {
        self.0
    }

    #[inline]
    fn meets(self, emitted: IdleWord, others: Self) -> bool {
        emitted <= others.0
    }

    #[inline]
    // A level is the set of the priorities from it on: a union is the lower level, an intersection the higher one.
    fn with(self, others: Self) -> Self {
        self.min(others)
    }

    #[inline]
    fn without(self, others: Self) -> Self {
        self.max(others)
    }

    #[inline]
    fn both(self, others: Self) -> Self {
        self.max(others)
    }

    /// The priorities from the level withheld on may go, whatever has been received: a node stops none above its own.
    #[inline]
    fn let_go(&mut self, all: bool, withheld: Self) -> Self {
        if all { std::mem::take(self).min(withheld) } else { withheld }
    }

    #[inline]
    fn masked(self, mask: IdleWord) -> Self {
        if mask == 0 { Self::STOP } else { self }
    }

    fn shown(self) -> IdleWord {
        // As a go bit: does it let a node send?
        IdleWord::from(self.is_held())
    }
}

/// A late echo to be sent.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
struct Late {
    echo: Run,
    /// Priority of the echo's packet, which counts for recovery.
    priority: u8,
    /// Cycle from which on it may be inserted.
    #[encode(due)]
    inserted_from: u64,
}

type Host<'a> = super::Host<'a, Ppq>;

counts! {
    /// Counts of PPQ.
    Preemptions {
        /// Packets taken out of an input queue or a bypass FIFO. Their busy echoes count as refusals, too.
        preempted_packets,
    }
}

/// One node's flow control.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct Ppq {
    #[encode(skip)]
    options: PpqSpec,
    #[encode(skip)]
    node: u16,
    /// Has the node SCI's own flow control? Then it knows the go bit, which is level 0, and preempts nothing.
    #[encode(skip)]
    is_base: bool,
    #[encode(skip)]
    echo_symbols: u32,
    go: GoBits<GoLevel>,
    last_received: GoLevel,
    head: Option<Head>,
    /// Priority of the packet sent last.
    sent_priority: u8,
    /// Late echoes, the one to be sent first first.
    #[encode(held = "a late echo to be sent")]
    late: VecDeque<Late>,
    /// Has an own packet gone before the first of them although it might have been inserted?
    has_yielded: bool,
    /// Cycle in which the first of them may be inserted, until that has come.
    #[encode(due)]
    wakes_at: u64,
    #[encode(held = "an event to be sent")]
    events: VecDeque<Run>,
    /// Packets sent and not yet accepted, the one sent first first; kept for inheritance only.
    #[encode(packet)]
    waiting_for_echo: Vec<u32>,
}

impl Ppq {
    /// Level of an idle that a node makes without letting go what it keeps: above its own priority, and no lower than
    /// what it has received.
    fn withheld(&self) -> GoLevel {
        if self.is_base {
            return GoLevel::STOP;
        }
        let reference = self.head.map_or(0, |head| head.priority).max(self.sent_priority);
        self.last_received.max(GoLevel::above(reference))
    }

    /// The late echo of a packet is due in cycle `now`.
    fn owe_echo(&mut self, received: &Received, kind: Kind, packets: &Packets, now: u64) {
        let echo = packets.echo(received.packet, kind, self.echo_symbols);
        let inserted_from = now.saturating_add(self.options.echo_wait_cycles);
        self.late.push_back(Late { echo, priority: received.priority, inserted_from });
        self.wake_for_late(now);
    }

    /// The late echo to be sent first leaves in cycle `now`.
    fn take_late(&mut self, now: u64) -> Option<(Run, u8)> {
        let Late { echo, priority, .. } = self.late.pop_front()?;
        self.has_yielded = false;
        self.wake_for_late(now);
        Some((echo, priority))
    }

    /// Wakes the node when the first late echo may be inserted, if it may not yet.
    fn wake_for_late(&mut self, now: u64) {
        let inserted_from = self.late.front().map(|late| late.inserted_from);
        self.wakes_at = inserted_from.filter(|&from| from > now).unwrap_or(NEVER);
    }

    /// Priority of a send packet in the bypass FIFO, with ageing.
    fn effective(&self, entry: &Entry, now: u64) -> u64 {
        let age = self.options.ageing_cycles.map_or(0, |cycles| now.saturating_sub(entry.arrived) / cycles);
        u64::from(entry.run.group) + age
    }

    /// May the head be sent over what is in the bypass FIFO?
    fn goes_before(&self, head: Head, host: &Host<'_>) -> bool {
        let mut sends = host.bypass.iter().filter(|entry| entry.run.kind.is_send()).peekable();
        if sends.peek().is_some() {
            // Requests that are refused and sent again at once would preempt for ever the responses
            // that empty the queues (Section 6).
            let is_refused = host.hosts.packets[head.packet].refusals > 0;
            return !is_refused && sends.all(|entry| self.effective(entry, host.now) < u64::from(head.priority));
        }
        self.passes_over(head) && host.bypass.iter().all(|entry| entry.run.kind == Kind::BusyEcho)
    }

    /// Preempts packets of the bypass FIFO, all of lower priority than the head, until there is space for it: the
    /// lowest first, then those that make most, or none if that does not suffice. One that is still arriving makes as
    /// much as has arrived; its end comes in before the head has been sent, and so before its echo leaves.
    fn make_space(&self, head: Head, host: &mut Host<'_>) -> bool {
        let mut space = u64::from(self.options.bypass_symbols).saturating_sub(host.bypass.occupancy(host.now));
        if space > u64::from(head.symbols) {
            return true;
        }
        // The busy echo with its idle, which stays in the packet's place.
        let left = u64::from(self.echo_symbols) + 1;
        let sent_by = host.now + u64::from(head.symbols) + 1;
        let sends = host.bypass.iter().enumerate().filter(|(_, entry)| entry.run.kind.is_send());
        let mut lower: Vec<_> = sends
            .filter(|(place, _)| host.bypass.is_complete(*place, sent_by))
            .map(|(place, entry)| {
                let made = host.bypass.arrived(place, host.now).saturating_sub(left);
                (self.effective(entry, host.now), Reverse(made), place, entry.run.value)
            })
            .filter(|(_, Reverse(made), ..)| *made > 0)
            .collect();
        lower.sort_unstable_by_key(|&(priority, made, place, _)| (priority, made, place));
        lower.retain(|(_, Reverse(made), ..)| {
            let is_needed = space <= u64::from(head.symbols);
            space += if is_needed { *made } else { 0 };
            is_needed
        });
        let suffices = space > u64::from(head.symbols);
        for (_, _, place, packet) in lower.into_iter().filter(|_| suffices) {
            let busy = host.hosts.packets.echo(packet, Kind::BusyEcho, self.echo_symbols);
            host.bypass.replace(place, busy, host.now);
            host.count_preemption();
        }
        suffices
    }

    /// A packet that holds a place which one of higher priority needs inherits that priority; an event message carries
    /// it round the ring.
    fn inherit(&mut self, host: &mut Host<'_>) {
        for class in Class::ALL {
            let Some(priority) = host.transmit.held_by_limit(class) else { continue };
            let packets = &mut host.hosts.packets;
            let of_class = self.waiting_for_echo.iter().filter(|packet| packets[**packet].class == class);
            let lowest = of_class.copied().min_by_key(|packet| packets[*packet].priority);
            let Some(packet) = lowest.filter(|lowest| packets[*lowest].priority < priority) else { continue };
            packets[packet].messages += 1;
            host.transmit.raise_sent(host.hosts, packet, priority, host.now);
            if let Some(head) = self.head.as_mut().filter(|head| head.packet == packet) {
                head.priority = priority;
            }
            let event = Run::message(self.options.event_symbols, self.node, packet);
            self.events.push_back(Run { group: priority, ..event });
        }
    }
}

impl Host<'_> {
    fn count_preemption(&mut self) {
        self.counts.preempted_packets += 1;
        *self.refused_packets += 1;
    }
}

impl Protocol for Ppq {
    type Options = PpqSpec;
    type Ring = ();
    type Counts = Preemptions;

    fn new(options: &PpqSpec, spec: &NetworkSpec, node: u32, initial: IdleWord) -> Self {
        Self {
            options: *options,
            node: node as u16,
            is_base: spec.base_nodes.contains(&node),
            echo_symbols: spec.format.echo_symbols,
            go: GoBits::new(options.extension, options.release, GoLevel(initial)),
            last_received: GoLevel(initial),
            head: None,
            sent_priority: 0,
            late: VecDeque::new(),
            has_yielded: false,
            wakes_at: NEVER,
            events: VecDeque::new(),
            waiting_for_echo: Vec::new(),
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.ages = self.options.ageing_cycles.is_some();
        encoder.late_echo = self.echoes_late();
        encoder.encode_message = |event, encoder| {
            encoder.put(event.target);
            encoder.put(event.group);
            encoder.packet(event.value);
            encoder.held("an event on a link", true);
        };
        self.go.prepare(encoder);
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        if !self.late.is_empty() {
            return Some(format!(
                "{} late echoes wait for a packet to leave with, or for space in the bypass FIFO",
                self.late.len()
            ));
        }
        let head = head?;
        let of_base = if self.is_base { ", as a node of base SCI" } else { "" };
        let level = if self.is_base { 0 } else { head.priority };
        Some(format!("its head of priority {} waits for an idle of level {level} or below{of_base}", head.priority))
    }
}

impl Ppq {
    /// Decides what follows an idle at a node with SCI's own flow control.
    #[inline(never)]
    fn next_of_base(&self, emitted: IdleWord, fifo_empty: bool) -> Next {
        if !fifo_empty {
            Next::Bypass(0)
        } else if self.permits(emitted) {
            Next::Head
        } else {
            Next::Nothing
        }
    }

    /// The event or late echo that follows an idle, if there is one and space for it.
    fn insert(&mut self, host: &Host<'_>) -> Option<(Run, u8)> {
        let bypass_symbols = self.options.bypass_symbols;
        if let Some(&event) = self.events.front() {
            if !host.has_space(bypass_symbols, event.len) {
                return None;
            }
            self.events.pop_front();
            return Some((event, event.group));
        }
        if self.may_insert_late(host.now) && host.has_space(bypass_symbols, self.echo_symbols) {
            self.take_late(host.now)
        } else {
            None
        }
    }

    /// May the first late echo be inserted in cycle `now`?
    fn may_insert_late(&self, now: u64) -> bool {
        self.late.front().is_some_and(|late| late.inserted_from <= now)
    }

    /// Does the first late echo let one own packet go before it, which the idle `emitted` permits? Where it took that
    /// idle each time, its node would never send.
    fn yields(&self, emitted: IdleWord, host: &Host<'_>) -> bool {
        let is_next = self.events.is_empty() && self.may_insert_late(host.now);
        is_next && !self.has_yielded && host.bypass.is_empty() && self.permits(emitted)
    }

    /// Decides what follows an idle, where an echo is due or the bypass FIFO holds packets.
    #[inline(never)]
    fn next_of_several(&mut self, emitted: IdleWord, mut host: Host<'_>) -> Next {
        if self.options.inheritance {
            self.inherit(&mut host);
        }
        if self.yields(emitted, &host) {
            self.has_yielded = true;
            return Next::Head;
        }
        if let Some((made, priority)) = self.insert(&host) {
            self.sent_priority = priority;
            return Next::Made(made);
        }
        if host.bypass.is_empty() {
            return if self.permits(emitted) { Next::Head } else { Next::Nothing };
        }
        if let Some(head) = self.head
            && self.goes_before(head, &host)
            && self.make_space(head, &mut host)
        {
            return Next::Head;
        }
        Next::Bypass(self.first_to_leave(&host))
    }

    /// Place of what leaves the bypass FIFO next: an event, else the oldest of the echoes and of the send packets of
    /// the highest effective priority.
    fn first_to_leave(&self, host: &Host<'_>) -> usize {
        let entries = || host.bypass.iter();
        if entries().len() == 1 {
            return 0;
        }
        if let Some(event) = entries().position(|entry| entry.run.kind == Kind::Message) {
            return event;
        }
        let highest =
            entries().filter(|entry| entry.run.kind.is_send()).map(|entry| self.effective(entry, host.now)).max();
        let leaves = |entry: &Entry| !entry.run.kind.is_send() || Some(self.effective(entry, host.now)) == highest;
        entries().position(leaves).expect("the FIFO is not empty")
    }

    /// Is the echo of an accepted packet made later? A packet can be preempted until it is served.
    fn echoes_late(&self) -> bool {
        !self.is_base && self.options.late_echo != LateEcho::None
    }

    /// May the head be sent over busy echoes?
    fn passes_over(&self, head: Head) -> bool {
        !self.is_base
            && self.options.overtakes == Overtakes::BusyEchoes
            && self.last_received <= GoLevel::above(head.priority)
    }
}

impl IdleRules for Ppq {
    #[inline]
    fn go_bits(&mut self) -> Option<&mut impl KeepsGoBits<()>> {
        Some(self)
    }

    #[inline]
    fn pass(&mut self, idle: IdleIn, (): &mut ()) -> IdleWord {
        if let IdleIn::Received(level) = idle {
            self.last_received = GoLevel(level);
        }
        self.go.pass(idle, self.head.is_some(), &mut ())
    }

    #[inline]
    fn absorb(&mut self, idle: IdleIn, count: u32, (): &()) {
        if let IdleIn::Received(level) = idle {
            self.last_received = GoLevel(level);
        }
        self.go.absorb(idle, count, &());
    }

    #[inline]
    fn idle_behind(&mut self, packet: Behind, fifo_empty: bool, (): &mut ()) -> IdleWord {
        match packet {
            Behind::Own { last_absorbed_created } => {
                self.go.after_send(fifo_empty, last_absorbed_created, fifo_empty, self.withheld(), &mut ())
            }
            Behind::Bypassed => self.go.send_on(fifo_empty, self.withheld(), &mut ()),
        }
    }

    #[inline]
    fn permits(&self, emitted: IdleWord) -> bool {
        let needed = self.head.map(|head| if self.is_base { GoLevel::GO } else { GoLevel::of(head.priority) });
        needed.is_some_and(|needed| self.go.lets(emitted, needed))
    }
}

impl KeepsGoBits<()> for Ppq {
    #[inline]
    fn set_head(&mut self, head: Option<Head>) {
        self.head = head;
    }

    #[inline]
    fn strips(&mut self, what: Stripped) {
        self.go.strips(what);
    }

    #[inline]
    fn sent(&mut self, _: bool) {
        self.go.sent();
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl Scheduler for Ppq {
    const FOLLOWS_QUEUES: bool = true;

    #[inline]
    fn queues(&mut self) -> Option<&mut impl Queues<Self>> {
        Some(self)
    }

    #[inline]
    fn link(&mut self) -> Option<&mut impl Link<Self>> {
        Some(self)
    }

    #[inline]
    fn wakes_at(&self) -> u64 {
        self.wakes_at
    }

    #[inline]
    fn wake(&mut self, _: u64) {
        self.wakes_at = NEVER;
    }

    // Inlined, so that mostly nothing of the host is put together.
    #[inline]
    fn next(&mut self, emitted: IdleWord, host: Host<'_>) -> Next {
        if host.bypass.is_empty() && self.late.is_empty() && self.events.is_empty() && !self.options.inheritance {
            return if self.permits(emitted) { Next::Head } else { Next::Nothing };
        }
        if self.is_base {
            return self.next_of_base(emitted, host.bypass.is_empty());
        }
        self.next_of_several(emitted, host)
    }

    #[inline]
    fn own_packet(&mut self, packet: u32, step: Step, host: Host<'_>) {
        match step {
            Step::Begins => {
                let &Packet { priority, refusals, .. } = &host.hosts.packets[packet];
                self.sent_priority = priority;
                if self.options.inheritance && refusals == 0 && !self.is_base {
                    self.waiting_for_echo.push(packet);
                }
            }
            Step::Accepted => self.waiting_for_echo.retain(|other| *other != packet),
            Step::Refused => {}
        }
    }
}

impl Link<Self> for Ppq {
    #[inline]
    fn goes_before_passing(&self, run: &Run) -> bool {
        // Space as elsewhere, with the echo's first symbol in the FIFO by then.
        let fits = |head: Head| self.options.bypass_symbols > head.symbols + 1;
        run.kind == Kind::BusyEcho && self.head.is_some_and(|head| self.passes_over(head) && fits(head))
    }

    /// A packet carries its priority: at its source an event may have raised it since.
    #[inline]
    fn carried(&self, packet: &Packet) -> u8 {
        packet.priority
    }

    #[inline]
    fn priority(&self, run: &Run, _: &Packets) -> u8 {
        run.group
    }
}

impl Queues<Self> for Ppq {
    fn attach(&self, transmit: &mut TransmitQueue, receive: &mut ReceiveQueue) {
        // A late echo says that all of the packet has come in.
        receive.offer_complete();
        if self.echoes_late() {
            receive.watch(Watched::All);
        }
        // A packet that cannot become head, since a limit is reached, may still give its priority to one that was sent.
        transmit.follows_arrivals |= self.options.inheritance && !self.is_base;
    }

    #[inline]
    fn echo(&mut self, now: u64) -> Echoed {
        if !self.echoes_late() {
            return Echoed::Packet;
        }
        // In room that a packet has freed, as in SCI: inserted, late echoes would starve
        // nodes that SCI serves (Section 6).
        self.take_late(now).map_or(Echoed::Nothing, |(echo, _)| Echoed::Earlier(echo))
    }

    #[inline]
    fn admits(&mut self, packet: &Packet, has_place: bool, mut host: Host<'_>) -> bool {
        if has_place || !self.echoes_late() {
            return has_place;
        }
        let Some(preempted) = host.receive.preempt(packet.class, packet.priority, host.now) else { return false };
        self.owe_echo(&preempted, Kind::BusyEcho, &host.hosts.packets, host.now);
        // It comes again, and must not be taken for one that was accepted and whose echo was lost.
        host.hosts.packets[preempted.packet].marks.remove(Marks::RECEIVED);
        host.count_preemption();
        true
    }

    #[inline]
    fn served(&mut self, service: &Service, host: Host<'_>) {
        if self.is_base {
            return;
        }
        if let (Service::Started(received, _), LateEcho::ServiceStart)
        | (Service::Ended(received, _), LateEcho::ServiceEnd) = (service, self.options.late_echo)
        {
            self.owe_echo(received, Kind::Echo, &host.hosts.packets, host.now);
        }
    }
}

impl Messages for Ppq {
    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        Some(self)
    }

    /// An event message: the node that holds the packet that it names raises its priority.
    fn receive(&mut self, run: Run, _: bool, host: Host<'_>) -> Passage {
        if run.target == self.node {
            host.hosts.packets.end_message(run.value);
            return Passage::Ends;
        }
        if self.is_base {
            return Passage::Passes;
        }
        host.bypass.raise(run.value, run.group);
        // A packet whose echo has been made is in no queue any more.
        let in_service_has_echo = self.options.late_echo != LateEcho::ServiceEnd;
        for class in Class::ALL {
            host.receive.raise(class, run.group, host.now, |received, in_service| {
                received.packet == run.value && !(in_service && in_service_has_echo)
            });
        }
        Passage::Passes
    }

    fn show(run: &Run, view: &dyn Fn(u32) -> PacketView) -> Symbols {
        Symbols::Event { maker: run.target.into(), packet: view(run.value), priority: run.group }
    }
}

impl Losses<Self> for Ppq {
    /// The packet that an event names inherits nothing where it does not come.
    fn spoilt(&mut self, event: &Run, host: Host<'_>) {
        host.hosts.packets.end_message(event.value);
    }
}
