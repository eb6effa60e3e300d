//! Preemptive Priority Queue (todd2001, Section 2.2; docs/explanation/realtime-model.md, Section 6).
//!
//! Each node decides for itself. Its input queues and its bypass FIFO serve the highest priority first, and give a
//! place taken by a packet of lower priority to one of higher priority: the preempted packet becomes a busy echo. A
//! packet can be preempted until it is served, so its echo is made only then.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::prelude::*;

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
    /// May a packet be sent, behind any idle, while the bypass FIFO holds echoes alone?
    pub overtakes_echoes: bool,
    /// Length of the event message that says so.
    pub event_symbols: u32,
}

/// The moment at which a PPQ node makes the echo of an accepted packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LateEcho {
    /// When its service starts: from then on it cannot be preempted.
    ServiceStart,
    /// When its service ends.
    ServiceEnd,
}

impl Options for PpqSpec {
    type Protocol = Ppq;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols, spec)?;
        check(self.ageing_cycles != Some(0), "flow_control.ageing_cycles", 0, "at least 1 cycle")?;
        check_length("event_symbols", self.event_symbols)?;
        let fits = self.event_symbols < self.bypass_symbols;
        check(fits, "flow_control.event_symbols", self.event_symbols, "less than bypass_symbols")?;
        let reservation = spec.retry.reservation;
        check(!reservation, "retry.reservation", reservation, "false with PPQ, which preempts instead")
    }

    fn limits(&self, _: RingShape) -> Limits {
        // An accepted packet may still be preempted, which its late echo says.
        Limits {
            bypass_symbols: Some(self.bypass_symbols),
            needs_echoes: true,
            takes_base_nodes: true,
            ..Limits::default()
        }
    }
}

/// The go level at which no node may send. Level `w` lets packets of priority `w` or more be sent.
const STOP: IdleWord = 256;

type Host<'a> = super::Host<'a, Ppq>;

counts! {
    /// Of PPQ.
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
    /// It has SCI's own flow control: it knows the go bit, which is level 0, and preempts nothing.
    #[encode(skip)]
    is_base: bool,
    #[encode(skip)]
    echo_symbols: u32,
    /// The lowest level received and not yet sent on.
    saved: IdleWord,
    last_emitted: IdleWord,
    last_received: IdleWord,
    head: Option<Head>,
    /// Priority of the packet sent last.
    sent_priority: u8,
    /// Late echoes and events to be sent, each with the priority that counts for recovery.
    #[encode(held = "a late echo or event to be sent")]
    due: VecDeque<(Run, u8)>,
    /// Packets sent and not yet accepted, the one sent first first; kept for inheritance only.
    #[encode(packet)]
    waiting_for_echo: Vec<u32>,
}

impl Ppq {
    /// Level of the idles of a node that drains: above its own priority, and above what it has received.
    fn stop(&self) -> IdleWord {
        if self.is_base {
            return STOP;
        }
        let reference = self.head.map_or(0, |head| head.priority).max(self.sent_priority);
        self.last_received.max(IdleWord::from(reference) + 1)
    }

    /// The late echo of a packet; its priority counts for recovery.
    fn echo(&mut self, received: &Received, kind: Kind, packets: &Packets) {
        self.due.push_back((packets.echo(received.packet, kind, self.echo_symbols), received.priority));
    }

    /// Priority in the bypass FIFO, with ageing. Echoes and events come before all send packets.
    fn effective(&self, entry: &Entry, now: u64) -> u64 {
        if !entry.run.kind.is_send() {
            return u64::MAX;
        }
        let age = self.options.ageing_cycles.map_or(0, |cycles| now.saturating_sub(entry.arrived) / cycles);
        u64::from(entry.run.group) + age
    }

    /// May a head of this priority be sent over the packets of the bypass FIFO? Echoes alone let it by an option.
    fn goes_before(&self, priority: u8, host: &Host<'_>) -> bool {
        let mut sends = host.bypass.iter().filter(|entry| entry.run.kind.is_send()).peekable();
        (self.options.overtakes_echoes || sends.peek().is_some())
            && sends.all(|entry| self.effective(entry, host.now) < u64::from(priority))
    }

    /// Preempts packets of the bypass FIFO, all of lower priority than the head, until there is space for it: the
    /// lowest and longest first, or none if that does not suffice.
    fn make_space(&self, head: Head, host: &mut Host<'_>) -> bool {
        let complete = host.bypass.iter().enumerate().filter(|(place, _)| host.bypass.is_complete(*place, host.now));
        let mut lower: Vec<_> = complete
            .filter(|(_, entry)| entry.run.kind.is_send())
            .map(|(place, entry)| (self.effective(entry, host.now), Reverse(entry.run.len), place, entry.run.value))
            .collect();
        lower.sort_unstable();
        let mut space = u64::from(self.options.bypass_symbols).saturating_sub(host.bypass.occupancy(host.now));
        lower.retain(|(_, Reverse(len), ..)| {
            let is_needed = space <= u64::from(head.symbols);
            space += if is_needed { u64::from(len - self.echo_symbols) } else { 0 };
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
            self.due.push_back((Run { group: priority, ..event }, priority));
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
            echo_symbols: spec.echo_symbols,
            saved: STOP,
            last_emitted: initial,
            last_received: initial,
            head: None,
            sent_priority: 0,
            due: VecDeque::new(),
            waiting_for_echo: Vec::new(),
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.ages = self.options.ageing_cycles.is_some();
        encoder.held("a withheld go level", self.saved != STOP);
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        if !self.due.is_empty() {
            return Some(format!("{} late echoes wait for space in the bypass FIFO", self.due.len()));
        }
        let head = head?;
        Some(format!("its head of priority {} waits for an idle of level {} or below", head.priority, head.priority))
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

    /// Decides what follows an idle, where an echo is due or the bypass FIFO holds packets.
    #[inline(never)]
    fn next_of_several(&mut self, emitted: IdleWord, mut host: Host<'_>) -> Next {
        if self.options.inheritance {
            self.inherit(&mut host);
        }
        if let Some(&(run, priority)) = self.due.front()
            && host.has_space(self.options.bypass_symbols, run.len)
        {
            self.due.pop_front();
            self.sent_priority = priority;
            return Next::Made(run);
        }
        if host.bypass.is_empty() {
            return if self.permits(emitted) { Next::Head } else { Next::Nothing };
        }
        if let Some(head) = self.head
            && self.goes_before(head.priority, &host)
            && self.make_space(head, &mut host)
        {
            return Next::Head;
        }
        let waiting = host.bypass.iter().enumerate().rev();
        if waiting.len() == 1 {
            return Next::Bypass(0);
        }
        let best = waiting.max_by_key(|(_, entry)| self.effective(entry, host.now));
        Next::Bypass(best.expect("the FIFO is not empty").0)
    }
}

impl IdleRules for Ppq {
    fn set_head(&mut self, head: Option<Head>) {
        self.head = head;
    }

    fn pass(&mut self, idle: IdleIn, _: &mut Self::Ring) -> IdleWord {
        if let IdleIn::Received(level) = idle {
            self.last_received = level;
            self.last_emitted = level;
        }
        self.last_emitted
    }

    fn absorb(&mut self, idle: IdleIn, _: u32, _: &Self::Ring) {
        if let IdleIn::Received(level) = idle {
            self.last_received = level;
            self.saved = self.saved.min(level);
        }
    }

    fn separator(&mut self, fifo_empty: bool, _: &mut Self::Ring) -> IdleWord {
        self.last_emitted = if fifo_empty { std::mem::replace(&mut self.saved, STOP) } else { self.stop() };
        self.last_emitted
    }

    fn permits(&self, emitted: IdleWord) -> bool {
        self.head.is_some_and(|head| IdleWord::from(head.priority) >= emitted && (emitted == 0 || !self.is_base))
    }

    fn saved(&self) -> IdleWord {
        // As a go bit: has it kept a level that lets a node send?
        IdleWord::from(self.saved < STOP)
    }
}

impl Scheduler for Ppq {
    const FOLLOWS_QUEUES: bool = true;

    fn watches(&self) -> Watched {
        if self.is_base { Watched::Requests } else { Watched::All }
    }

    fn follows_arrivals(&self) -> bool {
        self.options.inheritance && !self.is_base
    }

    // Inlined, so that mostly nothing of the host is put together.
    #[inline]
    fn next(&mut self, emitted: IdleWord, host: Host<'_>) -> Next {
        if host.bypass.is_empty() && self.due.is_empty() && !self.options.inheritance {
            return if self.permits(emitted) { Next::Head } else { Next::Nothing };
        }
        if self.is_base {
            return self.next_of_base(emitted, host.bypass.is_empty());
        }
        self.next_of_several(emitted, host)
    }

    /// A packet carries its priority: at its source an event may have raised it since.
    fn carried(&self, packet: &Packet) -> u8 {
        packet.priority
    }

    fn priority(run: &Run, _: &Packets) -> u8 {
        run.group
    }

    fn sends(&mut self, packet: u32, host: Host<'_>) {
        let &Packet { priority, refusals, .. } = &host.hosts.packets[packet];
        self.sent_priority = priority;
        if self.options.inheritance && refusals == 0 && !self.is_base {
            self.waiting_for_echo.push(packet);
        }
    }

    fn echoed(&mut self, packet: u32, accepted: bool) {
        if accepted {
            self.waiting_for_echo.retain(|other| *other != packet);
        }
    }

    fn make_place(&mut self, packet: &Packet, mut host: Host<'_>) -> bool {
        if self.is_base {
            return false;
        }
        let Some(preempted) = host.receive.preempt(packet.class, packet.priority, host.now) else { return false };
        self.echo(&preempted, Kind::BusyEcho, &host.hosts.packets);
        host.count_preemption();
        true
    }

    fn served(&mut self, service: &Service, host: Host<'_>) {
        if self.is_base {
            return;
        }
        if let (Service::Started(received, _), LateEcho::ServiceStart)
        | (Service::Ended(received, _), LateEcho::ServiceEnd) = (service, self.options.late_echo)
        {
            self.echo(received, Kind::Echo, &host.hosts.packets);
        }
    }
}

impl Messages for Ppq {
    // A packet can be preempted until it is served.
    const ECHOES_LATE: bool = true;

    fn echoes_late(&self) -> bool {
        !self.is_base
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
        let in_service_has_echo = self.options.late_echo == LateEcho::ServiceStart;
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

    fn encode_message(run: &Run, encoder: &mut Encoder<'_>) {
        encoder.put(run.target);
        encoder.put(run.group);
        encoder.packet(run.value);
        encoder.held("an event on a link", true);
    }
}
