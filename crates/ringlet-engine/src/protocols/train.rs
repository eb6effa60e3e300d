//! TRAIN (todd2001, Section 2.3; docs/explanation/realtime-model.md, Section 5).
//!
//! One train goes round the ring: first to collect tickets, then to say which of them are granted. Only granted packets
//! are sent. What the train carries is kept once for the whole ring ([`Train`]); each node rewrites it when its first
//! symbol arrives.

mod options;

pub use options::{MAX_TICKETS, TrainMode, TrainSpec};

use std::collections::VecDeque;

use super::go_bits::{Extension, GoBits, Release};
use super::prelude::*;
use crate::hosts::Withdrawn;

/// The go bit of base SCI, which TRAIN is in its low gear.
const GO: IdleWord = 1;

/// The phase that the LocalMotive names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Serialize, Deserialize)]
enum Phase {
    /// Tickets are collected.
    #[default]
    Request,
    /// What is in the train is granted.
    Grant,
    /// A node may send at once, if this many symbols are left.
    Immediate(u32),
    /// Back to base SCI.
    Release,
}

/// A request to send one packet.
#[derive(Debug, Clone, Copy, Encode, Serialize, Deserialize)]
struct Ticket {
    #[encode(packet)]
    packet: u32,
    source: u16,
    destination: u16,
    class: Class,
    priority: u8,
    /// Symbols with the idle.
    size: u32,
}

/// The content of a train.
#[derive(Debug, Clone, Default, Encode, Serialize, Deserialize)]
pub(crate) struct Train {
    phase: Phase,
    /// By priority, the highest first, and by age.
    #[encode(held = "a ticket in the train")]
    tickets: Vec<Ticket>,
}

/// Symbols that tickets ask to send.
fn size_of(tickets: &[Ticket]) -> u64 {
    tickets.iter().map(|ticket| u64::from(ticket.size)).sum()
}

type Host<'a> = super::Host<'a, TrainProtocol>;

counts! {
    /// Of TRAIN.
    Deletions {
        /// Tickets deleted where there was no place.
        deleted_tickets,
    }
}

/// One node's flow control.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct TrainProtocol {
    #[encode(skip)]
    options: TrainSpec,
    #[encode(skip)]
    node: u16,
    /// Own packets whose tickets are in the train.
    #[encode(held = "a packet whose ticket is in the train")]
    ticketed: Vec<Withdrawn>,
    /// Own packets that may be sent, in order. The last `bound` of them wait until the train that granted them has
    /// left.
    #[encode(packet, held = "a granted packet")]
    granted: VecDeque<u32>,
    bound: usize,
    /// Cycle from which the train in the bypass FIFO may be emitted.
    #[encode(due)]
    ready: u64,
    /// Packets to this node whose tickets it has let pass in the request phase, per class.
    #[encode(packet, held = "a place reserved for a ticket")]
    reserved: [Vec<u32>; 2],
    /// Packets granted to be sent to this node that have not arrived, per class.
    #[encode(held = "a granted packet to arrive")]
    expected: [u32; 2],
    /// Base SCI, in the low gear of `gearshift`.
    #[encode(when = self.options.mode == TrainMode::Gearshift)]
    go: GoBits<IdleWord>,
    is_low_gear: bool,
    /// TicketMaster: the next revolution arbitrates no more.
    shifts_down: bool,
    /// TicketMaster in low gear: make the first train.
    shifts_up: bool,
    /// TicketMaster in low gear: since when it has measured its output, and how many symbols with their idles that
    /// were.
    #[encode(with = self.encode_load(encoder), when = self.measures_load())]
    measured_since: u64,
    #[encode(skip)]
    measured_symbols: u64,
}

impl TrainProtocol {
    fn is_master(&self) -> bool {
        u32::from(self.node) == self.options.ticket_master
    }

    /// Does it measure its output, to decide when it must arbitrate again?
    fn measures_load(&self) -> bool {
        self.is_low_gear && self.is_master()
    }

    /// Is the output so busy that trains are due, over so many cycles?
    fn is_busy(&self, cycles: u64) -> bool {
        self.measured_symbols as f64 >= self.options.shift_up * cycles as f64
    }

    /// Once it has measured for long enough, an output that is not busy is not until it emits the next packet.
    fn encode_load(&self, encoder: &mut Encoder<'_>) {
        let cycles = encoder.since(self.measured_since);
        let is_settled = cycles >= self.options.load_cycles && !self.is_busy(cycles);
        encoder.put(is_settled);
        if !is_settled {
            encoder.put(cycles);
            encoder.put(self.measured_symbols);
        }
    }

    fn limit(&self) -> u64 {
        self.options.size_symbols.map_or(u64::MAX, u64::from)
    }

    /// The train leaves this node, with so many symbols.
    fn depart(&self, train: Train, host: &mut Host<'_>) -> Run {
        let len = self.options.locomotive_symbols + train.tickets.len() as u32 * self.options.ticket_symbols;
        *host.ring = train;
        Run::message(len, self.node, 0)
    }

    /// Own packets request bandwidth (Figure 3): a ticket goes behind all of its priority or above; what exceeds the
    /// train's size is cut off.
    fn add_tickets(&mut self, train: &mut Train, host: &mut Host<'_>) {
        if host.transmit.head().is_none() {
            return;
        }
        let mut all = size_of(&train.tickets);
        for _ in 0..self.options.tickets_per_node {
            let Some(head) = host.head() else { return };
            let size = head.symbols + 1;
            let place = train.tickets.partition_point(|ticket| ticket.priority >= head.priority);
            let before = all - size_of(&train.tickets[place..]);
            if before + u64::from(size) > self.limit() {
                return;
            }
            let Some(ticketed) = host.transmit.withdraw_head(host.hosts, host.now) else { return };
            self.ticketed.push(ticketed);
            let &Packet { source, destination, class, priority, .. } = &host.hosts.packets[head.packet];
            train.tickets.insert(place, Ticket { packet: head.packet, source, destination, class, priority, size });
            all += u64::from(size);
            while all > self.limit() {
                all -= train.tickets.pop().map_or(0, |last| u64::from(last.size));
            }
        }
    }

    /// Keeps as many tickets to this node as it has places, and reserves these: in the grant phase first for what was
    /// reserved in the request phase, then for tickets that the node sees for the first time. Deletes the others.
    fn vet(&mut self, train: &mut Train, host: &mut Host<'_>) {
        // Of a cascade of link controllers the next one may have a place.
        let next_link = host.transmit.port().and_then(|port| port.next_link);
        for class in Class::ALL {
            let is_here = |ticket: &Ticket| ticket.destination == self.node && ticket.class == class;
            if self.reserved[class as usize].is_empty() && !train.tickets.iter().any(is_here) {
                continue;
            }
            let free = host.room(class).saturating_sub(self.expected[class as usize]) as usize;
            let mut reserved = std::mem::take(&mut self.reserved[class as usize]);
            reserved.retain(|packet| train.tickets.iter().any(|ticket| ticket.packet == *packet));
            let mut place = 0;
            while let Some(distance) = train.tickets[place..].iter().position(is_here) {
                place += distance;
                let ticket = &mut train.tickets[place];
                if reserved.contains(&ticket.packet) {
                    // Its place is kept.
                } else if free > reserved.len() {
                    reserved.push(ticket.packet);
                } else if let Some(next) = next_link {
                    ticket.destination = next;
                    host.hosts.packets[ticket.packet].destination = next;
                } else {
                    let deleted = train.tickets.remove(place);
                    host.counts.deleted_tickets += 1;
                    self.suffer_inversion(&deleted, host);
                    continue;
                }
                place += 1;
            }
            self.reserved[class as usize] = reserved;
        }
    }

    /// Expects the packets whose tickets are reserved: these are granted.
    fn expect_reserved(&mut self) {
        for class in Class::ALL {
            self.expected[class as usize] += self.reserved[class as usize].drain(..).count() as u32;
        }
    }

    /// A ticket is deleted although packets of lower priority hold places: input inversion; they may inherit its
    /// priority.
    fn suffer_inversion(&self, ticket: &Ticket, host: &mut Host<'_>) {
        let &Ticket { class, priority, packet, .. } = ticket;
        if host.receive.lowest(class).is_some_and(|lowest| lowest < priority) {
            let since = &mut host.hosts.packets[packet].inverted_since;
            *since = host.now.min(*since);
        }
        if self.options.inheritance && host.receive.highest(class).is_some_and(|highest| highest < priority) {
            host.receive.raise(class, priority, host.now, |_, _| true);
            if class == Class::Request {
                host.transmit.raise_responses(host.hosts, priority, host.now);
            }
        }
    }

    fn grant(&mut self, packet: u32) {
        self.granted.push_back(packet);
        self.bound += 1;
    }

    /// Own tickets that are still there are granted; the packets of the others go back to their queues.
    fn take_grants(&mut self, train: &Train, host: &mut Host<'_>) {
        let node = self.node;
        for ticket in train.tickets.iter().filter(|ticket| ticket.source == node) {
            if let Some(place) = self.ticketed.iter().position(|ticketed| ticketed.packet == ticket.packet) {
                self.ticketed.remove(place);
                host.hosts.packets[ticket.packet].marks.insert(Marks::GRANTED);
                self.grant(ticket.packet);
            }
        }
        while let Some(missing) = self.ticketed.pop() {
            host.transmit.put_back(host.hosts, missing, host.now);
        }
    }

    /// Immediate mode: a node that has nothing granted takes what its head needs, if that is left.
    fn take_bandwidth(&mut self, train: &mut Train, host: &mut Host<'_>) {
        let Phase::Immediate(left) = train.phase else { return };
        if !self.granted.is_empty() {
            return;
        }
        let fits = |head: &Head| head.symbols < left;
        if let Some(head) = host.head().filter(fits)
            && host.transmit.withdraw_head(host.hosts, host.now).is_some()
        {
            train.phase = Phase::Immediate(left - head.symbols - 1);
            self.grant(head.packet);
        }
    }

    /// The TicketMaster makes a train with this phase.
    fn launch(&mut self, train: &mut Train, phase: Phase, host: &mut Host<'_>) {
        train.phase = phase;
        train.tickets.clear();
        match phase {
            Phase::Request => {
                self.is_low_gear = false;
                self.add_tickets(train, host);
            }
            Phase::Immediate(_) => self.take_bandwidth(train, host),
            Phase::Grant | Phase::Release => {}
        }
    }

    /// The TicketMaster in low gear makes the first train, after which the ring arbitrates again.
    #[cold]
    #[inline(never)]
    fn shift_up(&mut self, host: &mut Host<'_>) -> Run {
        self.shifts_up = false;
        let mut train = Train::default();
        self.launch(&mut train, Phase::Request, host);
        self.bound = 0;
        self.depart(train, host)
    }

    /// The train passes a node other than the TicketMaster.
    fn pass_train(&mut self, train: &mut Train, host: &mut Host<'_>) {
        match train.phase {
            Phase::Request => {
                self.is_low_gear = false;
                self.vet(train, host);
                self.add_tickets(train, host);
            }
            Phase::Grant => {
                self.vet(train, host);
                self.expect_reserved();
                self.take_grants(train, host);
            }
            Phase::Immediate(_) => self.take_bandwidth(train, host),
            Phase::Release => self.is_low_gear = true,
        }
    }

    /// The train is back at the TicketMaster; returns whether it goes round again.
    fn end_revolution(&mut self, train: &mut Train, host: &mut Host<'_>) -> bool {
        let size = self.limit();
        match train.phase {
            Phase::Request => {
                self.vet(train, host);
                self.expect_reserved();
                self.take_grants(train, host);
                train.phase = Phase::Grant;
                self.shifts_down = self.options.mode != TrainMode::Arbitrated
                    && (size_of(&train.tickets) as f64) < self.options.shift_down * size as f64;
            }
            Phase::Grant if self.shifts_down && self.options.mode == TrainMode::Gearshift => {
                self.launch(train, Phase::Release, host);
            }
            Phase::Grant if self.shifts_down => self.launch(train, Phase::Immediate(size as u32), host),
            Phase::Grant => self.launch(train, Phase::Request, host),
            Phase::Immediate(left) => {
                let used = (size - u64::from(left)) as f64;
                let is_full = used > self.options.shift_up * size as f64;
                self.launch(train, if is_full { Phase::Request } else { Phase::Immediate(size as u32) }, host);
            }
            Phase::Release => {
                self.is_low_gear = true;
                self.measured_since = host.now;
                self.measured_symbols = 0;
                return false;
            }
        }
        true
    }
}

impl Protocol for TrainProtocol {
    type Options = TrainSpec;
    type Ring = Train;
    type Counts = Deletions;

    fn new(options: &TrainSpec, _: &NetworkSpec, node: u32, initial: IdleWord) -> Self {
        Self {
            options: *options,
            node: node as u16,
            ticketed: Vec::new(),
            granted: VecDeque::new(),
            bound: 0,
            ready: 0,
            reserved: Default::default(),
            expected: [0; 2],
            // Extension after an own packet, with busy echoes coming back, would let a node send for ever.
            go: GoBits::new(Extension::Passing, Release::Unblocked, initial),
            is_low_gear: options.mode == TrainMode::Gearshift,
            shifts_down: false,
            shifts_up: false,
            measured_since: 0,
            measured_symbols: 0,
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.compares_refusals = true;
        // Responses that inherit a priority join others.
        encoder.compares_ages |= self.options.inheritance;
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        if !self.granted.is_empty() {
            return Some("a granted packet waits for space in the bypass FIFO".into());
        }
        let waits = head.is_some() || !self.ticketed.is_empty();
        let expected = self.expected;
        waits
            .then(|| format!("no ticket granted; {} requests and {} responses are to arrive", expected[0], expected[1]))
    }
}

impl IdleRules for TrainProtocol {
    fn initial_idle(options: &TrainSpec, spec: &NetworkSpec, _: &mut Self::Ring) -> IdleWord {
        IdleWord::from(options.mode == TrainMode::Gearshift) & !spec.lost_go_bits()
    }

    fn pass(&mut self, idle: IdleIn, _: &mut Self::Ring) -> IdleWord {
        self.go.pass(idle, &mut ())
    }

    fn absorb(&mut self, idle: IdleIn, _: u32, _: &Self::Ring) {
        self.go.absorb(idle, &());
    }

    fn separator(&mut self, fifo_empty: bool, _: &mut Self::Ring) -> IdleWord {
        self.go.send_on(fifo_empty, GO, &mut ())
    }

    fn permits(&self, emitted: IdleWord) -> bool {
        self.is_low_gear && emitted & GO != 0
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl Scheduler for TrainProtocol {
    const FOLLOWS_QUEUES: bool = true;

    // Inlined, so that mostly nothing of the host is put together.
    #[inline]
    fn next(&mut self, emitted: IdleWord, mut host: Host<'_>) -> Next {
        if self.shifts_up {
            return Next::Made(self.shift_up(&mut host));
        }
        if self.granted.len() > self.bound
            && let Some(&packet) = self.granted.front()
            && host.has_space(self.options.bypass_symbols, u32::from(host.hosts.packets[packet].symbols))
        {
            return Next::Taken(packet);
        }
        match host.bypass.front() {
            Some(first) if first.run.kind == Kind::Message => {
                // Until then nothing leaves the FIFO, so that there is no more space for a granted packet.
                if self.ready > host.now + 1 {
                    return Next::Hold(self.ready - 1);
                }
                self.bound = 0;
                Next::Bypass(0)
            }
            Some(_) => Next::Bypass(0),
            None if host.transmit.head().is_some() && self.permits(emitted) => Next::Head,
            None => Next::Nothing,
        }
    }

    const DRAINS: bool = true;

    fn drains(&self, _: Option<Head>, packets: &Packets) -> Option<u64> {
        // The load that it measures may end its low gear.
        if self.shifts_up || self.measures_load() {
            return None;
        }
        let granted = self.granted.front().filter(|_| self.granted.len() > self.bound);
        let space =
            |packet: &u32| u64::from(self.options.bypass_symbols).saturating_sub(packets[*packet].symbols.into());
        Some(granted.map_or(0, space))
    }

    fn sends(&mut self, packet: u32, _: Host<'_>) {
        if self.granted.front() == Some(&packet) {
            self.granted.pop_front();
        }
    }

    fn emits(&mut self, run: &Run, cycle: u64) {
        if !self.measures_load() {
            return;
        }
        let measured_cycles = cycle - self.measured_since;
        if measured_cycles >= self.options.load_cycles {
            self.shifts_up |= self.is_busy(measured_cycles);
            self.measured_since = cycle;
            self.measured_symbols = 0;
        }
        self.measured_symbols += u64::from(run.len) + 1;
    }

    fn arrived(&mut self, class: Class, granted: bool, _: bool, _: Host<'_>) {
        if granted {
            self.expected[class as usize] -= 1;
        }
    }
}

impl Messages for TrainProtocol {
    const CIRCLES: bool = true;

    fn shift(&mut self, cycles: u64) {
        self.ready += cycles;
    }

    fn start(&mut self, mut host: Host<'_>) -> Option<Run> {
        if !self.is_master() || self.is_low_gear {
            return None;
        }
        let mut train = Train::default();
        let phase = match self.options.mode {
            TrainMode::Switching => Phase::Immediate(self.limit() as u32),
            _ => Phase::Request,
        };
        self.launch(&mut train, phase, &mut host);
        Some(self.depart(train, &mut host))
    }

    /// The train: each node rewrites it when its first symbol arrives.
    fn receive(&mut self, run: Run, _: bool, mut host: Host<'_>) -> Passage {
        host.bring_head();
        let mut train = std::mem::take(host.ring);
        let (goes_on, delay) = if self.is_master() {
            (self.end_revolution(&mut train, &mut host), u64::from(run.len))
        } else {
            self.pass_train(&mut train, &mut host);
            (true, self.options.delay_cycles)
        };
        self.ready = host.now + delay;
        let leaves_as = self.depart(train, &mut host);
        if goes_on { Passage::Stored(leaves_as) } else { Passage::Ends }
    }

    fn show(_: &Run, _: &dyn Fn(u32) -> PacketView) -> Symbols {
        Symbols::Train
    }

    fn encode_message(run: &Run, encoder: &mut Encoder<'_>) {
        encoder.put(run.target);
    }
}
