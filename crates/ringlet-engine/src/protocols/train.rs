//! TRAIN (todd2001, Section 2.3; docs/explanation/realtime-model.md, Section 5).
//!
//! One train goes round the ring: first to collect tickets, then to say which of them are granted. Only granted packets
//! are sent, directly behind the train. What the train carries is kept once for the whole ring ([`Train`]); each node
//! rewrites it when its first symbol arrives.

mod options;

pub use options::{MAX_TICKETS, TrainMode, TrainSpec};

use std::collections::VecDeque;

use super::go_bits::{Extension, GoBits, Release};
use super::prelude::*;
use crate::hosts::Withdrawn;

/// The go bit of base SCI, which TRAIN is in its low gear.
const GO: IdleWord = 1;

/// Value of a message that calls for trains in the low gear; those of all others are trains.
const CALL: u32 = 1;

/// The phase that the LocalMotive names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Serialize, Deserialize)]
enum Phase {
    /// Tickets are collected.
    #[default]
    Request,
    /// Tickets in the train are granted.
    Grant,
    /// A node may send at once, if this many symbols are left.
    Immediate(u32),
    /// The ring goes back to base SCI.
    Release,
}

/// The way in which packets are sent at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Serialize, Deserialize)]
enum Gear {
    /// Packets are sent by tickets.
    Arbitrated,
    /// Packets are sent at once, within the symbols that the LocalMotive has left.
    Immediate,
    /// Packets are sent by base SCI's rule.
    Low,
}

/// A packet's place among all that ask for bandwidth: by priority, and then by age (todd2001, Section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Serialize, Deserialize)]
struct Rank {
    priority: u8,
    /// Cycle in which the packet was generated.
    #[encode(with = encoder.generated_on_ring(self.generated))]
    generated: u64,
}

impl Rank {
    fn is_above(self, other: Self) -> bool {
        (self.priority, other.generated) > (other.priority, self.generated)
    }
}

/// The highest priority of an own packet for which a train had no bandwidth.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct Cut {
    /// Priority cut off by the last request train.
    asked: Option<u8>,
    /// Priority cut off by the last grant train.
    granted: Option<u8>,
    /// Priority cut off by the last grant train that has left the node: what has been granted before passes before
    /// that.
    left: Option<u8>,
}

/// A request to send one packet.
#[derive(Debug, Clone, Copy, Encode, Serialize, Deserialize)]
struct Ticket {
    #[encode(packet)]
    packet: u32,
    source: u16,
    destination: u16,
    class: Class,
    rank: Rank,
    /// Symbols with the idle.
    size: u32,
}

/// The content of a train.
#[derive(Debug, Clone, Default, Encode, Serialize, Deserialize)]
pub(crate) struct Train {
    phase: Phase,
    /// Tickets by rank, the highest first; of equal ones the first that came.
    #[encode(held = "a ticket in the train")]
    tickets: Vec<Ticket>,
    /// The lowest priority for which a node has asked first.
    lowest: Option<u8>,
    /// The highest priority that was cut off: nothing lower gets on any more.
    cut: Option<u8>,
    /// The last train was lost.
    is_anew: bool,
}

impl IdleStates for Train {}

/// Symbols that tickets ask to send.
fn size_of(tickets: &[Ticket]) -> u64 {
    tickets.iter().map(|ticket| u64::from(ticket.size)).sum()
}

type Host<'a> = super::Host<'a, TrainProtocol>;

counts! {
    /// Counts of TRAIN.
    TrainCounts {
        /// Tickets deleted where there was no place.
        deleted_tickets,
        /// Packets of lower priority that passed, granted by a train that cut off an own packet's ticket.
        inverting_packets,
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
    /// Ranks of the tickets to this node that it deleted last, per class: in the request phase, and in the grant phase.
    turned_away: [[Vec<Rank>; 2]; 2],
    /// The lowest priority for which a node has asked first in the last request train.
    lowest: Option<u8>,
    /// The highest priority of an own packet for which there was no bandwidth.
    #[encode(skip)]
    cut: Cut,
    /// Base SCI, in the low gear of `gearshift`.
    #[encode(when = self.options.mode == TrainMode::Gearshift)]
    go: GoBits<IdleWord>,
    /// Does a packet wait in the transmit queue? Then idles created in place of what is being stripped copy no go bit.
    #[encode(skip)]
    waits: bool,
    gear: Gear,
    /// TicketMaster: the next revolution arbitrates no more.
    shifts_down: bool,
    /// TicketMaster: the last train was lost.
    is_anew: bool,
    /// Is the output so busy, without arbitration, that arbitration is due?
    is_full: bool,
    /// Cycle from which on a train that comes in finds it so: what is emitted in its cycle is measured behind it.
    #[encode(skip)]
    full_from: u64,
    /// Cycle since which the node has measured its output, without arbitration.
    #[encode(with = self.encode_load(encoder), when = self.measures_load())]
    measured_since: u64,
    /// Symbols emitted since then, with their idles.
    #[encode(skip)]
    measured_symbols: u64,
}

impl TrainProtocol {
    fn is_master(&self) -> bool {
        u32::from(self.node) == self.options.ticket_master
    }

    /// Does it measure its output, to know when the ring must arbitrate again?
    fn measures_load(&self) -> bool {
        self.gear != Gear::Arbitrated
    }

    /// Do responses always go before requests while the node may create no further response? Else in turn.
    fn prefers_responses(&self) -> bool {
        self.gear != Gear::Low
    }

    /// Shifts into another gear.
    fn change_gear(&mut self, gear: Gear, host: &mut Host<'_>) {
        if self.gear == gear {
            return;
        }
        self.gear = gear;
        host.transmit.prefer_responses(self.prefers_responses(), host.now);
        self.is_full = false;
        (self.measured_since, self.measured_symbols) = (host.now, 0);
        self.turned_away = Default::default();
        self.cut = Cut::default();
    }

    /// Is the output so busy that arbitration is due, over so many cycles?
    fn is_busy(&self, cycles: u64) -> bool {
        self.measured_symbols as f64 >= self.options.shift_up * cycles as f64
    }

    /// Writes the load. An output that has been measured for long enough and is not busy stays so until it emits the
    /// next packet.
    fn encode_load(&self, encoder: &mut Encoder<'_>) {
        let cycles = encoder.since(self.measured_since);
        let is_settled = cycles >= self.options.load_cycles && !self.is_busy(cycles);
        encoder.put(is_settled);
        if !is_settled {
            encoder.put(cycles);
            encoder.put(self.measured_symbols);
        }
    }

    /// Sees whether a packet waits, where tickets have taken one from the transmit queue or given it back.
    fn note_head(&mut self, host: &Host<'_>) {
        self.waits = host.transmit.head().is_some();
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

    /// Own packets request bandwidth (Figure 3): a ticket goes behind all that do not rank below it; what exceeds the
    /// train's size is cut off, and nothing of lower priority gets on behind a cut.
    fn add_tickets(&mut self, train: &mut Train, host: &mut Host<'_>) {
        // Its emission has begun in the low gear: it cannot be withdrawn for a ticket.
        if host.transmit.is_sending() {
            return;
        }
        for count in 0..self.options.tickets_per_node {
            let Some((packet, rank)) = self.next_to_ask(count == 0, host) else { return };
            if count == 0 {
                train.lowest = Some(train.lowest.map_or(rank.priority, |lowest| lowest.min(rank.priority)));
            // Section 5: so no node's lowest priority holds up another's highest, and of one
            // priority a node has one ticket.
            } else if self.lowest.into_iter().chain(train.lowest).all(|lowest| rank.priority <= lowest) {
                return;
            }
            if !self.add_ticket(packet, rank, train, host) {
                self.cut.asked = self.cut.asked.max(Some(rank.priority));
                return;
            }
        }
    }

    /// The packet that asks for bandwidth next, the head, and its rank. While the node has no place for requests, the
    /// first of its responses asks before a head that ranks no higher than what it has turned away: it frees a place,
    /// and inherits that rank.
    fn next_to_ask(&self, is_first: bool, host: &mut Host<'_>) -> Option<(u32, Rank)> {
        let rank = |packet: &Packet| Rank { priority: packet.priority, generated: packet.generated };
        let packet = host.transmit.head()?;
        let head = &host.hosts.packets[packet];
        let own = rank(head);
        let turned_away = self.turned_away[Class::Request as usize].iter().flatten().copied();
        let highest = turned_away.reduce(|one, other| if other.is_above(one) { other } else { one });
        if let Some(highest) = highest.filter(|_| is_first && self.options.inheritance)
            && (head.class == Class::Response || !own.is_above(highest))
            && let Some(response) = host.transmit.first_response(host.hosts, host.now)
        {
            let own = rank(&host.hosts.packets[response]);
            return Some((response, if own.is_above(highest) { own } else { highest }));
        }
        Some((packet, own))
    }

    /// A packet's ticket gets on, if the train has room for it.
    fn add_ticket(&mut self, packet: u32, rank: Rank, train: &mut Train, host: &mut Host<'_>) -> bool {
        if train.cut.is_some_and(|cut| rank.priority < cut) {
            return false;
        }
        let &Packet { source, destination, class, symbols, .. } = &host.hosts.packets[packet];
        let (size, limit) = (u32::from(symbols) + 1, self.limit());
        let place = train.tickets.partition_point(|ticket| !rank.is_above(ticket.rank));
        // The first one gets on whatever its size (Section 5): longer than a train, it would else never be sent.
        if place > 0 && size_of(&train.tickets[..place]) + u64::from(size) > limit {
            train.cut = train.cut.max(Some(rank.priority));
            return false;
        }
        let Some(ticketed) = host.transmit.withdraw(host.hosts, packet, host.now) else { return false };
        self.ticketed.push(ticketed);
        train.tickets.insert(place, Ticket { packet, source, destination, class, rank, size });
        let mut all = size_of(&train.tickets);
        while all > limit && train.tickets.len() > 1 {
            let last = train.tickets.pop().expect("there are several");
            train.cut = train.cut.max(Some(last.rank.priority));
            all -= u64::from(last.size);
        }
        true
    }

    /// Keeps as many tickets to this node as it has places, and reserves these: in the grant phase first for what was
    /// reserved in the request phase, then for tickets that the node sees for the first time. Keeps a place for each
    /// higher-ranking ticket that it has deleted in the other phase and has yet to see again. Deletes the others.
    fn vet(&mut self, train: &mut Train, host: &mut Host<'_>) {
        // Of a cascade of link controllers the next one may have a place.
        let next_link = host.transmit.port().and_then(|port| port.next_link);
        let phase = usize::from(train.phase == Phase::Grant);
        for class in Class::ALL {
            let is_here = |ticket: &Ticket| ticket.destination == self.node && ticket.class == class;
            self.turned_away[class as usize][phase].clear();
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
                let others = &self.turned_away[class as usize][1 - phase];
                // Those come by in the other phase alone, and would starve behind what
                // takes their places here (Section 5).
                let before = || others.iter().filter(|other| other.is_above(ticket.rank)).count();
                if reserved.contains(&ticket.packet) {
                    // Its place is kept.
                } else if free > reserved.len() + before() {
                    reserved.push(ticket.packet);
                } else if let Some(next) = next_link {
                    ticket.destination = next;
                    host.hosts.packets[ticket.packet].destination = next;
                } else {
                    let deleted = train.tickets.remove(place);
                    host.counts.deleted_tickets += 1;
                    host.hosts.packets[deleted.packet].marks.insert(Marks::TURNED_AWAY);
                    self.turned_away[class as usize][phase].push(deleted.rank);
                    Self::suffer_inversion(&deleted, host);
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

    /// A ticket is deleted although packets of lower priority hold places: input inversion.
    fn suffer_inversion(ticket: &Ticket, host: &mut Host<'_>) {
        let &Ticket { class, rank: Rank { priority, .. }, packet, .. } = ticket;
        if host.receive.lowest(class).is_some_and(|lowest| lowest < priority) {
            let since = &mut host.hosts.packets[packet].inverted_since;
            *since = host.now.min(*since);
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
                let packet = &mut host.hosts.packets[ticket.packet];
                packet.marks.insert(Marks::GRANTED);
                // It keeps what its ticket has inherited (realtime-model.md, Section 5, "Inheritance").
                packet.priority = packet.priority.max(ticket.rank.priority);
                self.grant(ticket.packet);
            }
        }
        // The last one first, so that they stand in their old order again (realtime-model.md, Section 5).
        while let Some(missing) = self.ticketed.pop() {
            let packet = &mut host.hosts.packets[missing.packet];
            if !packet.marks.contains(Marks::TURNED_AWAY) {
                self.cut.asked = self.cut.asked.max(Some(packet.priority));
            }
            packet.marks.remove(Marks::TURNED_AWAY);
            host.transmit.put_back(host.hosts, missing, host.now);
        }
        self.cut.granted = self.cut.asked;
        self.lowest = train.lowest;
    }

    /// The last train was lost: what had a ticket in it goes back to its queue, and no place is kept for what it has
    /// granted, which may come all the same.
    fn forget_train(&mut self, host: &mut Host<'_>) {
        while let Some(missing) = self.ticketed.pop() {
            host.hosts.packets[missing.packet].marks.remove(Marks::TURNED_AWAY);
            host.transmit.put_back(host.hosts, missing, host.now);
        }
        (self.reserved, self.expected, self.turned_away) = Default::default();
    }

    /// Immediate mode: a node whose output is full takes all that is left, which ends that mode. Another one that has
    /// nothing granted takes what its head needs, if that is left.
    fn take_bandwidth(&mut self, train: &mut Train, host: &mut Host<'_>) {
        let Phase::Immediate(left) = train.phase else { return };
        self.change_gear(Gear::Immediate, host);
        if self.is_full && self.full_from <= host.now {
            train.phase = Phase::Immediate(0);
            return;
        }
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
        *train = Train { phase, ..Train::default() };
        match phase {
            Phase::Request => {
                self.change_gear(Gear::Arbitrated, host);
                self.cut.asked = None;
                self.add_tickets(train, host);
            }
            Phase::Immediate(_) => self.take_bandwidth(train, host),
            Phase::Grant | Phase::Release => {}
        }
    }

    /// The low gear ends: the TicketMaster makes the first train, and another node calls for it.
    #[cold]
    #[inline(never)]
    fn shift_up(&mut self, host: &mut Host<'_>) -> Run {
        self.is_full = false;
        if !self.is_master() {
            return Run::message(self.options.locomotive_symbols, self.node, CALL);
        }
        let mut train = Train::default();
        self.launch(&mut train, Phase::Request, host);
        train.is_anew = std::mem::take(&mut self.is_anew);
        self.bound = 0;
        self.depart(train, host)
    }

    /// The train passes a node other than the TicketMaster.
    fn pass_train(&mut self, train: &mut Train, host: &mut Host<'_>) {
        match train.phase {
            Phase::Request => {
                if train.is_anew {
                    self.forget_train(host);
                }
                self.change_gear(Gear::Arbitrated, host);
                self.cut.asked = None;
                self.vet(train, host);
                self.add_tickets(train, host);
            }
            Phase::Grant => {
                self.vet(train, host);
                self.expect_reserved();
                self.take_grants(train, host);
            }
            Phase::Immediate(_) => self.take_bandwidth(train, host),
            Phase::Release => self.change_gear(Gear::Low, host),
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
                (train.phase, train.is_anew) = (Phase::Grant, false);
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
                self.change_gear(Gear::Low, host);
                return false;
            }
        }
        true
    }
}

impl Protocol for TrainProtocol {
    type Options = TrainSpec;
    type Ring = Train;
    type Counts = TrainCounts;

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
            turned_away: Default::default(),
            lowest: None,
            cut: Cut::default(),
            go: GoBits::new(Extension::Received, Release::Unblocked, initial),
            waits: false,
            gear: match options.mode {
                TrainMode::Arbitrated => Gear::Arbitrated,
                TrainMode::Switching => Gear::Immediate,
                TrainMode::Gearshift => Gear::Low,
            },
            shifts_down: false,
            is_anew: false,
            is_full: false,
            full_from: 0,
            measured_since: 0,
            measured_symbols: 0,
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        if self.options.mode == TrainMode::Gearshift {
            self.go.prepare(encoder);
        }
        encoder.compares_refusals = true;
        encoder.compare_ages_on_ring();
        encoder.encode_message = |train, encoder| {
            encoder.put(train.target);
            encoder.put(train.value);
        };
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        if !self.granted.is_empty() {
            return Some("a granted packet waits until the train has left".into());
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

    #[inline]
    fn go_bits(&mut self) -> Option<&mut impl KeepsGoBits<Train>> {
        Some(self)
    }

    #[inline]
    fn pass(&mut self, idle: IdleIn, _: &mut Self::Ring) -> IdleWord {
        self.go.pass(idle, self.waits, &mut ())
    }

    #[inline]
    fn absorb(&mut self, idle: IdleIn, count: u32, _: &Self::Ring) {
        self.go.absorb(idle, count, &());
    }

    #[inline]
    fn idle_behind(&mut self, packet: Behind, fifo_empty: bool, _: &mut Self::Ring) -> IdleWord {
        // In all gears: a node that sends or drains withholds go bits as in SCI (realtime-model.md, Section 5).
        match packet {
            Behind::Own { last_absorbed_created } => {
                self.go.after_send(fifo_empty, last_absorbed_created, fifo_empty, GO, &mut ())
            }
            Behind::Bypassed => self.go.send_on(fifo_empty, GO, &mut ()),
        }
    }

    #[inline]
    fn permits(&self, emitted: IdleWord) -> bool {
        self.gear == Gear::Low && emitted & GO != 0
    }
}

impl KeepsGoBits<Train> for TrainProtocol {
    #[inline]
    fn set_head(&mut self, head: Option<Head>) {
        self.waits = head.is_some();
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

impl Scheduler for TrainProtocol {
    const FOLLOWS_QUEUES: bool = true;

    // Inlined, so that mostly nothing of the host is put together.
    #[inline]
    fn next(&mut self, emitted: IdleWord, mut host: Host<'_>) -> Next {
        if self.is_full && self.gear == Gear::Low {
            let made = self.shift_up(&mut host);
            self.note_head(&host);
            return Next::Made(made);
        }
        // Before all that waits in the bypass FIFO, and without a look at its space: the
        // grant is the permission to send.
        if self.granted.len() > self.bound
            && let Some(&packet) = self.granted.front()
        {
            return Next::Taken(packet);
        }
        match host.bypass.front() {
            Some(first) if first.run.kind == Kind::Message && first.run.value != CALL => {
                // What is behind the train in the FIFO waits for it: all idles of that time are equal, and one step.
                if self.ready > host.now + 1 {
                    return Next::Hold(self.ready - 1);
                }
                self.bound = 0;
                self.cut.left = self.cut.granted;
                Next::Bypass(0)
            }
            Some(_) => Next::Bypass(0),
            None if host.transmit.head().is_some() && self.permits(emitted) => Next::Head,
            None => Next::Nothing,
        }
    }

    #[inline]
    fn queues(&mut self) -> Option<&mut impl Queues<Self>> {
        Some(self)
    }

    #[inline]
    fn link(&mut self) -> Option<&mut impl Link<Self>> {
        Some(self)
    }

    #[inline]
    fn own_packet(&mut self, packet: u32, step: Step, _: Host<'_>) {
        if step == Step::Begins && self.granted.front() == Some(&packet) {
            self.granted.pop_front();
        }
    }
}

impl Queues<Self> for TrainProtocol {
    fn attach(&self, transmit: &mut TransmitQueue, _: &mut ReceiveQueue) {
        transmit.prefers_responses = self.prefers_responses();
    }

    #[inline]
    fn drains(&self, _: &TransmitQueue, _: &Packets) -> Option<u64> {
        // The load that it measures may end its low gear.
        (!self.measures_load() && self.granted.len() == self.bound).then_some(0)
    }

    /// Places are kept for packets whose tickets are reserved or granted.
    #[inline]
    fn admits(&mut self, packet: &Packet, has_place: bool, host: Host<'_>) -> bool {
        let class = packet.class;
        let kept = self.expected[class as usize] + self.reserved[class as usize].len() as u32;
        has_place && (packet.marks.contains(Marks::GRANTED) || kept == 0 || host.room(class) > kept)
    }

    #[inline]
    fn arrived(&mut self, class: Class, granted: bool, _: bool, _: Host<'_>) {
        if granted {
            // None is expected of a train that was lost.
            self.expected[class as usize] = self.expected[class as usize].saturating_sub(1);
        }
    }
}

impl Link<Self> for TrainProtocol {
    #[inline]
    fn emits(&mut self, run: &Run, cycle: u64) {
        if !self.measures_load() {
            return;
        }
        let measured_cycles = cycle - self.measured_since;
        if measured_cycles >= self.options.load_cycles {
            if !self.is_full && self.is_busy(measured_cycles) {
                (self.is_full, self.full_from) = (true, cycle + 1);
            }
            self.measured_since = cycle;
            self.measured_symbols = 0;
        }
        self.measured_symbols += u64::from(run.len) + 1;
    }

    #[inline]
    fn passed(&mut self, priority: u8, counts: &mut TrainCounts) {
        counts.inverting_packets += u64::from(self.cut.left.is_some_and(|cut| cut > priority));
    }
}

impl Messages for TrainProtocol {
    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        Some(self)
    }

    #[inline]
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        Some(self)
    }

    /// The train: each node rewrites it when its first symbol arrives.
    fn receive(&mut self, run: Run, _: bool, mut host: Host<'_>) -> Passage {
        if run.value == CALL {
            // A call that comes when trains go round again says nothing new (Section 5, "A full link").
            self.is_full |= self.is_master() && self.gear == Gear::Low;
            return if self.is_master() { Passage::Ends } else { Passage::Passes };
        }
        host.bring_head();
        let mut train = std::mem::take(host.ring);
        let (goes_on, delay) = if self.is_master() {
            // The TicketMaster sends it on from `t` plus its incoming length on, others
            // a delay later (realtime-model.md, Section 5).
            (self.end_revolution(&mut train, &mut host), u64::from(run.len))
        } else {
            self.pass_train(&mut train, &mut host);
            (true, self.options.delay_cycles)
        };
        self.ready = host.now + delay;
        self.note_head(&host);
        let leaves_as = self.depart(train, &mut host);
        if goes_on { Passage::Stored(leaves_as) } else { Passage::Ends }
    }

    fn show(_: &Run, _: &dyn Fn(u32) -> PacketView) -> Symbols {
        Symbols::Train
    }
}

impl Circling<Self> for TrainProtocol {
    fn start(&mut self, mut host: Host<'_>) -> Option<Run> {
        if !self.is_master() || self.gear == Gear::Low {
            return None;
        }
        let mut train = Train::default();
        let phase = match self.options.mode {
            TrainMode::Switching => Phase::Immediate(self.limit() as u32),
            _ => Phase::Request,
        };
        self.launch(&mut train, phase, &mut host);
        self.note_head(&host);
        Some(self.depart(train, &mut host))
    }

    fn shift(&mut self, cycles: u64) {
        self.ready += cycles;
        self.measured_since += cycles;
    }
}

impl Losses<Self> for TrainProtocol {
    fn maker(&self, _: &Run) -> u16 {
        self.options.ticket_master as u16
    }

    fn spoilt(&mut self, run: &Run, host: Host<'_>) {
        if run.value != CALL {
            *host.ring = Train::default();
        }
    }

    /// The TicketMaster sends out a new train, as from the low gear, which says that the last one was lost. Who has
    /// called for trains does so again if its output is full.
    fn missed(&mut self, run: Run, mut host: Host<'_>) {
        if run.value != CALL {
            self.forget_train(&mut host);
            self.note_head(&host);
            (self.gear, self.is_full, self.is_anew) = (Gear::Low, true, true);
        }
    }

    fn misses_granted(&self) -> bool {
        true
    }

    /// No place is kept for it any more.
    fn missed_granted(&mut self, class: Class) {
        self.expected[class as usize] = self.expected[class as usize].saturating_sub(1);
    }
}
