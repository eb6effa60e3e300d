//! TRAIN: what a train carries, and what a node does with it (section 5 of docs/explanation/realtime-model.md).

use std::collections::VecDeque;

use proptest::bool;
use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::protocols::train::{TrainMode, TrainSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::bypass::Bypass;
use crate::reference::decider::Choice;
use crate::reference::go::Go;
use crate::reference::go_level::{GO, GoLevel, STOP};
use crate::reference::host::{Host, Reception};
use crate::reference::node::Transmitter;
use crate::reference::packet::{Class, Packet};
use crate::reference::protocol::{Behind, Here, Protocol};
use crate::reference::records::Records;
use crate::reference::reservation::Phase;
use crate::reference::symbol::{Idle, Kind, PacketSymbol};
use crate::reference::transmit_queue::Head;

/// Purpose of a train in this revolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revolution {
    /// The train collects tickets.
    Request,
    /// The train says which tickets are granted.
    Grant,
    /// Each node may take what it needs.
    Immediate,
    /// From now on every node sends by SCI's rule.
    Release,
}

/// A packet's place among all that request to be sent: by priority, then by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rank {
    pub(crate) priority: u8,
    /// Cycle of generation.
    pub(crate) generated: u64,
}

impl Rank {
    fn is_above(self, other: Self) -> bool {
        self.priority > other.priority || (self.priority == other.priority && self.generated < other.generated)
    }
}

/// A packet that requests to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) packet: usize,
    pub(crate) source: u32,
    destination: u32,
    class: Class,
    pub(crate) rank: Rank,
    /// Symbols of the packet and its idle.
    size: u32,
}

/// One train as it leaves a node.
#[derive(Debug, Clone)]
pub(crate) struct Train {
    pub(crate) revolution: Revolution,
    /// In order of rank, of equal ones the first that came first.
    pub(crate) tickets: Vec<Ticket>,
    /// The lowest priority among the first requests of the nodes.
    lowest: Option<u8>,
    /// The highest priority of what has been cut off.
    cut: Option<u8>,
    /// *Immediate*: symbols that may still be taken.
    left: u32,
    /// The last train was lost.
    is_anew: bool,
}

impl Train {
    /// Symbols that its tickets request.
    fn size(&self) -> u32 {
        self.tickets.iter().map(|ticket| ticket.size).sum()
    }

    /// A ticket gets on, if there is room for it behind those above it; what does not fit then is cut off from the end.
    fn add(&mut self, ticket: Ticket, most: u32) -> bool {
        if self.cut.is_some_and(|cut| ticket.rank.priority < cut) {
            return false;
        }
        let place = self.tickets.iter().filter(|other| !ticket.rank.is_above(other.rank)).count();
        let before: u32 = self.tickets[..place].iter().map(|other| other.size).sum();
        if place > 0 && before + ticket.size > most {
            self.cut = self.cut.max(Some(ticket.rank.priority));
            return false;
        }
        self.tickets.insert(place, ticket);
        while self.size() > most && self.tickets.len() > 1 {
            let last = self.tickets.pop().expect("there are several");
            self.cut = self.cut.max(Some(last.rank.priority));
        }
        true
    }
}

/// Way in which packets are sent at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gear {
    Arbitrated,
    Immediate,
    /// By SCI's rule.
    Low,
}

impl Here<'_> {
    /// The head, if it can be requested.
    fn head(&self) -> Option<Head> {
        self.host.queue.head.filter(|_| !self.head_is_bound)
    }

    /// Takes the head out of the queue; the next one is chosen.
    fn take_head(&mut self) -> Head {
        let head = self.host.queue.leave_head(self.cycle, self.records);
        self.host.choose_head(self.cycle, &|_| true, self.records);
        head
    }
}

/// A packet that may be sent.
#[derive(Debug)]
struct Granted {
    head: Head,
    /// The train that granted it, as it leaves this node.
    train: usize,
    /// That train has begun to be emitted.
    is_free: bool,
}

/// A node's part in it.
#[derive(Debug)]
struct TrainNode {
    options: TrainSpec,
    index: u32,
    /// In the order of their grants.
    granted: VecDeque<Granted>,
    /// Packets whose tickets are on the way, in the order in which they were issued.
    requested: Vec<Head>,
    /// By class: packets for this node that have been granted and have not arrived.
    on_the_way: [u32; 2],
    /// By class: packets whose tickets have been promised a place.
    reserved: [Vec<usize>; 2],
    /// By class: tickets for this node that it deleted when it last saw a request train, and a grant train.
    deleted_requests: [Vec<Rank>; 2],
    deleted_grants: [Vec<Rank>; 2],
    /// The lowest priority among the first requests of all nodes, as the last grant train said.
    lowest: Option<u8>,
    /// The highest priority of own packets that the last request train had no room for.
    cut: Option<u8>,
    /// `cut` as of the last grant train that has left this node; `cut_from` has it until that train, with its number,
    /// has left.
    inverted: Option<u8>,
    cut_from: Option<(usize, Option<u8>)>,
    gear: Gear,
    /// Go bit of the last idle emitted, and all that goes with it.
    go: GoLevel,
    go_bit_emitted: bool,
    /// The node has sent since it last began to strip a send packet.
    has_sent: bool,
    /// True if a packet that is being stripped leaves go bits, if nothing waits here.
    extends_stripped: bool,
    /// The TicketMaster: the request train was filled so little that arbitration ends after the grants.
    ends_arbitration: bool,
    /// Load of the output of a node that sends without arbitration.
    load: Option<Load>,
    /// The TicketMaster is called for trains.
    is_called: bool,
    /// The TicketMaster misses the last train.
    is_anew: bool,
    /// Tickets deleted where there was no place.
    deleted: u64,
    /// Lower priorities passed that were granted by a train from which an own packet was cut off.
    inverting: u64,
}

pub(crate) fn transmitter(_: &NetworkSpec, options: TrainSpec, index: u32) -> Transmitter {
    let gear = match options.mode {
        TrainMode::Arbitrated => Gear::Arbitrated,
        TrainMode::Switching => Gear::Immediate,
        TrainMode::Gearshift => Gear::Low,
    };
    let train = TrainNode {
        options,
        index,
        granted: VecDeque::new(),
        requested: Vec::new(),
        on_the_way: [0; 2],
        reserved: [Vec::new(), Vec::new()],
        deleted_requests: [Vec::new(), Vec::new()],
        deleted_grants: [Vec::new(), Vec::new()],
        lowest: None,
        cut: None,
        inverted: None,
        cut_from: None,
        gear,
        go: GoLevel::new(),
        go_bit_emitted: false,
        has_sent: false,
        extends_stripped: false,
        ends_arbitration: false,
        load: (gear != Gear::Arbitrated).then(|| Load::new(0)),
        is_called: false,
        is_anew: false,
        deleted: 0,
        inverting: 0,
    };
    Transmitter::deciding(index, train)
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<TrainSpec>> {
    let mode = select(vec![TrainMode::Arbitrated, TrainMode::Switching, TrainMode::Gearshift]);
    let lengths = (1..8u32, 1..4u32, random::optional(9..300u32));
    let shifts = (mode, 0.0..0.9f64, 0.0..=1.0f64, select(vec![1, 30, 300, 1024]));
    let others = (0..frame.nodes, 0..20u64, 1..4u32, bool::ANY);
    let any = (lengths, shifts, others).prop_map(move |(lengths, shifts, others)| {
        let (locomotive_symbols, ticket_symbols, size) = lengths;
        let (mode, shift_up, shift_down, load_cycles) = shifts;
        let (ticket_master, delay_cycles, tickets_per_node, inheritance) = others;
        TrainSpec {
            ticket_master,
            locomotive_symbols,
            ticket_symbols,
            delay_cycles,
            tickets_per_node,
            size_symbols: if mode == TrainMode::Arbitrated { size } else { Some(size.unwrap_or(200)) },
            mode,
            shift_up,
            shift_down,
            load_cycles,
            inheritance,
        }
    });
    Some(any.boxed())
}

impl Protocol for TrainNode {
    /// A train is rewritten in the bypass FIFO.
    fn conserves_symbols(&self) -> bool {
        false
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("deleted_tickets", self.deleted), ("inverting_packets", self.inverting)]
    }

    // --- Go bits --------------------------------------------------------------------------------------------------

    fn first_idle(&self, initial_go: Option<u16>) -> Idle {
        let all = u16::from(self.options.mode == TrainMode::Gearshift);
        Idle { go: initial_go.map_or(all, |go| go & all).into(), ..Idle::EMPTY }
    }

    fn absorb(&mut self, idle: Idle) {
        self.go.absorb(if idle.go.is_empty() { STOP } else { GO });
    }

    fn strip_packet(&mut self) {
        self.extends_stripped = std::mem::take(&mut self.has_sent);
    }

    fn strip_echo(&mut self) {
        self.extends_stripped = true;
    }

    fn strip_lost(&mut self) {
        self.extends_stripped = false;
    }

    fn has_sent(&mut self) {
        self.has_sent = true;
    }

    /// Returns an idle as SCI's with the extension `received`.
    fn idle(&mut self, is_empty: bool, extended: bool, host: &Host) -> Idle {
        if extended && self.extends_stripped && host.queue.head.is_none() {
            self.go.extend_received();
        }
        self.next_idle(is_empty)
    }

    fn idle_behind(&mut self, behind: Behind, is_empty: bool, _: &Host) -> Idle {
        if is_empty && matches!(behind, Behind::Own { created: true }) {
            self.go.extend_received();
        }
        self.next_idle(is_empty)
    }

    fn saved_go_bits(&self) -> Go {
        u16::from(self.go.saved == GO).into()
    }

    // --- Decision -------------------------------------------------------------------------------------------------

    /// Packets that have left the queue and have not been sent.
    fn keeps(&self, _: u64, _: &Host) -> Vec<usize> {
        self.requested.iter().chain(self.granted.iter().map(|granted| &granted.head)).map(|head| head.packet).collect()
    }

    fn emits(&mut self, cycle: u64, first: PacketSymbol) {
        if first.kind == Kind::Train {
            if let Some((_, cut)) = self.cut_from.take_if(|(train, _)| *train <= first.packet) {
                self.inverted = cut;
            }
            for granted in self.granted.iter_mut().filter(|granted| granted.train == first.packet) {
                granted.is_free = true;
            }
        }
        if let Some(load) = &mut self.load {
            load.starts(cycle, first.length + 1, &self.options);
        }
    }

    fn received(&mut self, first: PacketSymbol, _: Reception, here: &Here) {
        if first.granted {
            self.missed_granted(here.records.packets[first.packet].class);
        }
    }

    fn received_again(&mut self, class: Class) {
        self.missed_granted(class);
    }

    fn missed_granted(&mut self, class: Class) {
        let on_the_way = &mut self.on_the_way[class.index()];
        *on_the_way = on_the_way.saturating_sub(1);
    }

    fn missed_train(&mut self, here: &mut Here) {
        self.forget_train(here);
        self.is_anew = true;
    }

    fn kept_places(&self, class: Class, granted: bool) -> u32 {
        let reserved = self.reserved[class.index()].len() as u32;
        if granted { 0 } else { self.on_the_way[class.index()] + reserved }
    }

    fn prefers_responses(&self) -> bool {
        self.gear != Gear::Low
    }

    fn passed(&mut self, priority: u8) {
        self.inverting += u64::from(self.inverted.is_some_and(|cut| cut > priority));
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        if std::mem::take(&mut self.is_anew) {
            // As from the low gear.
            self.gear = Gear::Low;
            let train = self.start_revolution(Revolution::Request, here);
            return Choice::Inserted(self.dispatch(Train { is_anew: true, ..train }, here.records));
        }
        if self.gear == Gear::Low && (self.is_full() || self.is_called) {
            self.load.as_mut().expect("it measures").is_over = false;
            self.is_called = false;
            return Choice::Inserted(if self.is_master() { self.make_train(here) } else { self.call() });
        }
        if self.granted.front().is_some_and(|granted| granted.is_free) {
            return Choice::Granted(self.granted.pop_front().expect("the first").head);
        }
        match (here.host.queue.head, bypass.entries.first()) {
            (Some(head), None) if self.gear == Gear::Low && self.go_bit_emitted => Choice::Head(head),
            (_, Some(entry)) if entry.not_before > here.cycle + 1 => Choice::Hold,
            (_, Some(_)) => Choice::Bypassed(0),
            (_, None) => Choice::Nothing,
        }
    }

    // --- Trains ---------------------------------------------------------------------------------------------------

    /// The TicketMaster has a train to begin with.
    fn first_train(&mut self, here: &mut Here) -> Option<PacketSymbol> {
        (self.is_master() && self.options.mode != TrainMode::Gearshift).then(|| self.make_train(here))
    }

    fn called(&mut self) {
        self.is_called = self.gear == Gear::Low;
    }

    fn rewrite(&mut self, train: PacketSymbol, here: &mut Here) -> Option<(PacketSymbol, u64)> {
        let rewritten = self.rewritten(here.records.trains[train.packet].clone(), here)?;
        // The TicketMaster takes the whole train in before it sends another one.
        let delay = if self.is_master() { u64::from(train.length) } else { self.options.delay_cycles };
        Some((self.dispatch(rewritten, here.records), here.cycle + delay))
    }
}

impl TrainNode {
    fn is_master(&self) -> bool {
        self.index == self.options.ticket_master
    }

    /// The next idle, with a go bit if one is saved and the node is not draining.
    fn next_idle(&mut self, is_empty: bool) -> Idle {
        if self.options.mode != TrainMode::Gearshift {
            return Idle::EMPTY;
        }
        let level = if is_empty { self.go.emit_saved() } else { self.go.emit_withholding(STOP) };
        self.go_bit_emitted = level == GO;
        Idle { go: u16::from(self.go_bit_emitted).into(), ..Idle::EMPTY }
    }

    /// Symbols that may be granted in a revolution.
    fn train_size(&self) -> u32 {
        self.options.size_symbols.unwrap_or(u32::MAX)
    }

    /// The TicketMaster's first train: its first symbol.
    fn make_train(&mut self, here: &mut Here) -> PacketSymbol {
        let revolution = match self.options.mode {
            TrainMode::Arbitrated | TrainMode::Gearshift => Revolution::Request,
            TrainMode::Switching => Revolution::Immediate,
        };
        let train = self.start_revolution(revolution, here);
        self.dispatch(train, here.records)
    }

    /// An empty train as the TicketMaster sends it out.
    fn start_revolution(&mut self, revolution: Revolution, here: &mut Here) -> Train {
        let left = self.train_size();
        let mut train = Train { revolution, tickets: Vec::new(), lowest: None, cut: None, left, is_anew: false };
        match revolution {
            Revolution::Request => self.request(&mut train, here),
            Revolution::Immediate => self.take_at_once(&mut train, here),
            Revolution::Release => {}
            Revolution::Grant => panic!("grants follow requests"),
        }
        train
    }

    /// The first symbol of a call for trains.
    fn call(&self) -> PacketSymbol {
        PacketSymbol {
            kind: Kind::Call,
            packet: 0,
            source: self.index,
            target: self.options.ticket_master,
            group: 0,
            priority: 0,
            phase: Phase::NoTry,
            granted: false,
            position: 0,
            length: self.options.locomotive_symbols,
        }
    }

    /// Returns whether this node's output has been so busy that arbitration is due.
    fn is_full(&self) -> bool {
        self.load.as_ref().is_some_and(|load| load.is_over)
    }

    fn shift(&mut self, gear: Gear, here: &mut Here) {
        if self.gear == gear {
            return;
        }
        self.gear = gear;
        here.host.queue.prefers_responses = gear != Gear::Low;
        self.load = (gear != Gear::Arbitrated).then(|| Load::new(here.cycle));
        self.deleted_requests = [Vec::new(), Vec::new()];
        self.deleted_grants = [Vec::new(), Vec::new()];
        (self.cut, self.inverted, self.cut_from) = (None, None, None);
        self.is_called = false;
    }

    /// The first symbol of this train as it leaves this node.
    fn dispatch(&self, train: Train, records: &mut Records) -> PacketSymbol {
        let length = self.options.locomotive_symbols + self.options.ticket_symbols * train.tickets.len() as u32;
        PacketSymbol {
            kind: Kind::Train,
            packet: records.add_train(train),
            source: self.index,
            target: u32::MAX,
            group: 0,
            priority: 0,
            phase: Phase::NoTry,
            granted: false,
            position: 0,
            length,
        }
    }

    /// Returns what this node makes of a train that comes in; `None`: it takes the train off the ring.
    fn rewritten(&mut self, mut train: Train, here: &mut Here) -> Option<Train> {
        match (self.is_master(), train.revolution) {
            (false, Revolution::Request) => {
                if train.is_anew {
                    self.forget_train(here);
                }
                self.shift(Gear::Arbitrated, here);
                self.vet_requests(&mut train, here);
                self.request(&mut train, here);
            }
            (true, Revolution::Request) => {
                self.vet_requests(&mut train, here);
                let filled = f64::from(train.size());
                self.ends_arbitration = filled < self.options.shift_down * f64::from(self.train_size());
                self.take_grants(&train, here);
                (train.revolution, train.is_anew) = (Revolution::Grant, false);
            }
            (false, Revolution::Grant) => {
                self.vet_grants(&mut train, here);
                self.take_grants(&train, here);
            }
            (true, Revolution::Grant) => {
                let revolution = match self.options.mode {
                    TrainMode::Switching if self.ends_arbitration => Revolution::Immediate,
                    TrainMode::Gearshift if self.ends_arbitration => Revolution::Release,
                    _ => Revolution::Request,
                };
                train = self.start_revolution(revolution, here);
            }
            (false, Revolution::Immediate) => self.take_at_once(&mut train, here),
            (true, Revolution::Immediate) => {
                let used = f64::from(self.train_size() - train.left);
                let is_much = used > self.options.shift_up * f64::from(self.train_size());
                train = self.start_revolution(if is_much { Revolution::Request } else { Revolution::Immediate }, here);
            }
            (false, Revolution::Release) => self.shift(Gear::Low, here),
            (true, Revolution::Release) => {
                self.shift(Gear::Low, here);
                return None;
            }
        }
        Some(train)
    }

    // --- At the destination ---------------------------------------------------------------------------------------

    /// Places of each class's input queue that have not been promised.
    fn free(&self, here: &Here) -> [i64; 2] {
        Class::BOTH.map(|class| here.host.inputs[class.index()].free(self.on_the_way[class.index()]))
    }

    /// Deletes the tickets for this node for which there is no place beside those for higher-ranking ones that the last
    /// grant train lost here. The others are reserved or, at the TicketMaster, granted.
    fn vet_requests(&mut self, train: &mut Train, here: &mut Here) {
        let mut free = self.free(here);
        self.deleted_requests = [Vec::new(), Vec::new()];
        for ticket in std::mem::take(&mut train.tickets) {
            let class = ticket.class.index();
            if ticket.destination == self.index {
                let before = self.deleted_grants[class].iter().filter(|other| other.is_above(ticket.rank)).count();
                if free[class] <= before as i64 {
                    self.deleted_requests[class].push(ticket.rank);
                    self.delete(ticket, here);
                    continue;
                }
                free[class] -= 1;
                match self.is_master() {
                    true => self.on_the_way[class] += 1,
                    false => self.reserved[class].push(ticket.packet),
                }
            }
            train.tickets.push(ticket);
        }
    }

    /// Deletes the tickets for this node that are not reserved and for which there is no place beside those for
    /// higher-ranking ones that the request train lost here. The others are granted.
    fn vet_grants(&mut self, train: &mut Train, here: &mut Here) {
        let reserved = std::mem::take(&mut self.reserved);
        let is_reserved = |ticket: &Ticket| reserved[ticket.class.index()].contains(&ticket.packet);
        self.deleted_grants = [Vec::new(), Vec::new()];
        // Places for tickets that were inserted behind this node.
        let mut spare = self.free(here);
        for ticket in train.tickets.iter().filter(|ticket| is_reserved(ticket)) {
            spare[ticket.class.index()] -= 1;
        }
        for ticket in std::mem::take(&mut train.tickets) {
            let class = ticket.class.index();
            if ticket.destination == self.index {
                if !is_reserved(&ticket) {
                    let before =
                        self.deleted_requests[class].iter().filter(|other| other.is_above(ticket.rank)).count();
                    if spare[class] <= before as i64 {
                        self.deleted_grants[class].push(ticket.rank);
                        self.delete(ticket, here);
                        continue;
                    }
                    spare[class] -= 1;
                }
                self.on_the_way[class] += 1;
            }
            train.tickets.push(ticket);
        }
    }

    /// A ticket for this node is deleted.
    fn delete(&mut self, ticket: Ticket, here: &mut Here) {
        self.deleted += 1;
        here.records.packets[ticket.packet].turned_away = true;
        if here.host.inputs[ticket.class.index()].holds_below(ticket.rank.priority) {
            here.records.packets[ticket.packet].refused_since.get_or_insert(here.cycle);
        }
    }

    // --- At the source --------------------------------------------------------------------------------------------

    /// Inserts own tickets: the first one in any case, others for priorities above the lowest requested.
    fn request(&mut self, train: &mut Train, here: &mut Here) {
        self.shift(Gear::Arbitrated, here);
        self.cut = None;
        for count in 0..self.options.tickets_per_node {
            let Some((packet, rank)) = self.next_to_ask(count == 0, here) else { return };
            if count == 0 {
                train.lowest = [train.lowest, Some(rank.priority)].into_iter().flatten().min();
            } else if [self.lowest, train.lowest].into_iter().flatten().min() >= Some(rank.priority) {
                return;
            }
            let Packet { destination, class, symbols, .. } = here.records.packets[packet];
            let ticket = Ticket { packet, source: self.index, destination, class, rank, size: symbols + 1 };
            if !train.add(ticket, self.train_size()) {
                self.cut = self.cut.max(Some(rank.priority));
                return;
            }
            if here.head().is_some_and(|head| head.packet != packet) {
                here.host.queue.prefer_response(here.cycle, here.records);
            }
            self.requested.push(here.take_head());
        }
    }

    /// The packet that requests next, and its rank: the head; or, if the node has deleted tickets of requests that rank
    /// no lower, its first response, which inherits the highest of these ranks.
    fn next_to_ask(&self, is_first: bool, here: &Here) -> Option<(usize, Rank)> {
        let rank = |packet: usize| {
            let Packet { priority, generated, .. } = here.records.packets[packet];
            Rank { priority, generated }
        };
        let head = here.head()?;
        let own = rank(head.packet);
        let requests = Class::Request.index();
        let mut deleted = self.deleted_requests[requests].iter().chain(&self.deleted_grants[requests]);
        let mut highest = deleted.next().copied();
        for &other in deleted {
            highest = highest.map(|highest| if other.is_above(highest) { other } else { highest });
        }
        match (highest, here.host.queue.first_response(here.cycle, here.records)) {
            (Some(highest), Some(response))
                if is_first
                    && self.options.inheritance
                    && (head.class == Class::Response || !own.is_above(highest)) =>
            {
                let own = rank(response);
                Some((response, if own.is_above(highest) { own } else { highest }))
            }
            _ => Some((head.packet, own)),
        }
    }

    /// Own packets whose tickets are in the train are granted; the others go back.
    fn take_grants(&mut self, train: &Train, here: &mut Here) {
        let mut requested = std::mem::take(&mut self.requested);
        let index = self.index;
        for ticket in train.tickets.iter().filter(|ticket| ticket.source == index) {
            let place = requested.iter().position(|head| head.packet == ticket.packet).expect("a ticket issued here");
            let packet = &mut here.records.packets[ticket.packet];
            packet.granted = true;
            packet.priority = packet.priority.max(ticket.rank.priority);
            self.grant(requested.remove(place), here);
        }
        for head in requested.into_iter().rev() {
            let packet = &mut here.records.packets[head.packet];
            if !std::mem::take(&mut packet.turned_away) {
                self.cut = self.cut.max(Some(packet.priority));
            }
            here.host.queue.take_back(head, here.head_is_bound, here.records);
        }
        self.note_cut(train, here);
    }

    /// The last train was lost: nothing is known any more of what it has requested or granted.
    fn forget_train(&mut self, here: &mut Here) {
        for head in std::mem::take(&mut self.requested).into_iter().rev() {
            here.records.packets[head.packet].turned_away = false;
            here.host.queue.take_back(head, here.head_is_bound, here.records);
        }
        self.on_the_way = [0; 2];
        for tickets in [&mut self.deleted_requests, &mut self.deleted_grants] {
            *tickets = [Vec::new(), Vec::new()];
        }
        self.reserved = [Vec::new(), Vec::new()];
    }

    /// Which own packets the train leaves behind counts once it has left this node.
    fn note_cut(&mut self, train: &Train, here: &Here) {
        self.lowest = train.lowest;
        self.cut_from = Some((here.records.trains.len(), self.cut));
    }

    /// The packet may be sent as soon as the train, which will have the next number, has begun to be emitted.
    fn grant(&mut self, head: Head, here: &Here) {
        self.granted.push_back(Granted { head, train: here.records.trains.len(), is_free: false });
    }

    /// A node whose output is full takes all that is left. Another one without granted packets is granted its head, if
    /// that fits.
    fn take_at_once(&mut self, train: &mut Train, here: &mut Here) {
        self.shift(Gear::Immediate, here);
        if self.is_full() {
            train.left = 0;
            return;
        }
        let Some(head) = here.head().filter(|_| self.granted.is_empty()) else { return };
        let size = here.records.packets[head.packet].symbols + 1;
        if size <= train.left {
            train.left -= size;
            let head = here.take_head();
            self.grant(head, here);
        }
    }
}

/// A node that sends without arbitration measures how busy its output is.
#[derive(Debug)]
struct Load {
    /// First cycle of the measurement.
    since: u64,
    /// Symbols of the packets that have begun since, with their idles.
    filled: u64,
    is_over: bool,
}

impl Load {
    fn new(cycle: u64) -> Self {
        Self { since: cycle, filled: 0, is_over: false }
    }

    /// A packet that with its idle has so many symbols begins to be emitted.
    fn starts(&mut self, cycle: u64, symbols: u32, options: &TrainSpec) {
        let cycles = cycle - self.since;
        // What begins in the cycle in which the release comes in was decided before.
        if cycles == 0 {
            return;
        }
        if cycles >= options.load_cycles {
            self.is_over |= self.filled as f64 >= options.shift_up * cycles as f64;
            (self.since, self.filled) = (cycle, 0);
        }
        self.filled += u64::from(symbols);
    }
}
