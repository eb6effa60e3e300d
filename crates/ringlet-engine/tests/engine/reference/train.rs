//! TRAIN: what a train carries, and what a node does with it (section 5 of docs/explanation/realtime-model.md).

use std::collections::VecDeque;

use ringlet_engine::protocols::train::{TrainMode, TrainSpec};

use super::bypass::Bypass;
use super::decider::Choice;
use super::go_level::{GO, GoLevel, STOP};
use super::host::Host;
use super::packet::Class;
use super::records::Records;
use super::reservation::Phase;
use super::symbol::{Idle, Kind, PacketSymbol};
use super::transmit_queue::Head;
use super::watch::Watch;

/// What a train does in this revolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revolution {
    /// It collects tickets.
    Request,
    /// It says which tickets are granted.
    Grant,
    /// Each node may take what it needs.
    Immediate,
    /// From now on every node sends by SCI's rule.
    Release,
}

/// A packet that asks to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) packet: usize,
    pub(crate) source: u32,
    destination: u32,
    class: Class,
    pub(crate) priority: u8,
    /// Symbols of the packet and its idle.
    size: u32,
}

/// One train as it leaves a node.
#[derive(Debug, Clone)]
pub(crate) struct Train {
    pub(crate) revolution: Revolution,
    /// In order of priority, the older ones first.
    pub(crate) tickets: Vec<Ticket>,
    /// *Immediate*: symbols that may still be taken.
    left: u32,
}

impl Train {
    /// Symbols that its tickets ask for.
    fn size(&self) -> u32 {
        self.tickets.iter().map(|ticket| ticket.size).sum()
    }
}

/// The node that has the train.
pub(crate) struct Here<'a> {
    pub(crate) cycle: u64,
    /// The head is being sent by SCI's rule.
    pub(crate) head_is_bound: bool,
    pub(crate) host: &'a mut Host,
    pub(crate) records: &'a mut Records,
}

impl Here<'_> {
    /// The head, if it can be asked for.
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

/// What a node has made of a train.
#[derive(Debug)]
pub(crate) struct Rewriting {
    /// First symbol of the new train; `None`: it has been taken off the ring.
    pub(crate) first: Option<PacketSymbol>,
    /// Tickets deleted for want of a place.
    pub(crate) deleted: u64,
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
pub(crate) struct TrainNode {
    options: TrainSpec,
    index: u32,
    /// In the order of their grants.
    granted: VecDeque<Granted>,
    /// Packets whose tickets are on the way, in the order in which they were issued.
    asked: Vec<Head>,
    /// By class: packets for this node that have been granted and have not arrived.
    pub(crate) on_the_way: [u32; 2],
    /// By class: packets whose tickets have been promised a place.
    reserved: [Vec<usize>; 2],
    /// The head is sent by SCI's rule.
    by_sci: bool,
    /// Go bit of the last idle emitted, and all that goes with it.
    go: GoLevel,
    go_bit_emitted: bool,
    /// The TicketMaster: the request train was filled so little that arbitration ends after the grants.
    ends_arbitration: bool,
    /// The TicketMaster of a ring that sends by SCI's rule.
    watch: Option<Watch>,
}

impl TrainNode {
    pub(crate) fn new(options: TrainSpec, index: u32) -> Self {
        let by_sci = options.mode == TrainMode::Gearshift;
        Self {
            options,
            index,
            granted: VecDeque::new(),
            asked: Vec::new(),
            on_the_way: [0; 2],
            reserved: [Vec::new(), Vec::new()],
            by_sci,
            go: GoLevel::new(),
            go_bit_emitted: false,
            ends_arbitration: false,
            watch: (by_sci && index == options.ticket_master).then(|| Watch::new(0)),
        }
    }

    fn is_master(&self) -> bool {
        self.index == self.options.ticket_master
    }

    /// Symbols that may be granted in a revolution.
    fn train_size(&self) -> u32 {
        self.options.size_symbols.unwrap_or(u32::MAX)
    }

    /// Cycles that a train of this length stays here at least.
    pub(crate) fn delay(&self, incoming: u32) -> u64 {
        if self.is_master() { u64::from(incoming) } else { self.options.delay_cycles }
    }

    // --- Go bits --------------------------------------------------------------------------------------------------

    pub(crate) fn hear(&mut self, idle: Idle) {
        self.go.hear(if idle.go == 0 { STOP } else { GO });
    }

    pub(crate) fn idle(&mut self, is_empty: bool, extended: bool) -> Idle {
        if self.options.mode != TrainMode::Gearshift {
            return Idle::EMPTY;
        }
        if extended {
            self.go.extend();
        }
        let level = if is_empty { self.go.emit_saved() } else { self.go.emit_withholding(STOP) };
        self.go_bit_emitted = level == GO;
        Idle { go: u16::from(self.go_bit_emitted), ..Idle::EMPTY }
    }

    /// Packets that have left the queue and have not been sent.
    pub(crate) fn keeps(&self) -> impl Iterator<Item = usize> {
        self.asked.iter().chain(self.granted.iter().map(|granted| &granted.head)).map(|head| head.packet)
    }

    /// A go bit is here and will be let go.
    pub(crate) fn holds_go_bit(&self) -> bool {
        self.go.saved == GO
    }

    // --- Decision -------------------------------------------------------------------------------------------------

    /// The first symbol of a packet is emitted.
    pub(crate) fn emits(&mut self, cycle: u64, first: PacketSymbol) {
        if first.kind == Kind::Train {
            for granted in self.granted.iter_mut().filter(|granted| granted.train == first.packet) {
                granted.is_free = true;
            }
        }
        if let Some(watch) = &mut self.watch {
            watch.starts(cycle, first.length + 1, self.options.shift_up);
        }
    }

    pub(crate) fn decide(&mut self, cycle: u64, bypass: &Bypass, host: &mut Host, records: &mut Records) -> Choice {
        if self.watch.as_ref().is_some_and(Watch::is_over) {
            self.watch = None;
            return Choice::Inserted(self.make_train(&mut Here { cycle, head_is_bound: false, host, records }));
        }
        if let Some(granted) = self.granted.front()
            && granted.is_free
            && bypass.has_space(records.packets[granted.head.packet].symbols)
        {
            return Choice::Granted(self.granted.pop_front().expect("the first").head);
        }
        match (host.queue.head, bypass.entries.first()) {
            (Some(head), None) if self.by_sci && self.go_bit_emitted => Choice::Head(head),
            (_, Some(entry)) if entry.not_before > cycle + 1 => Choice::Hold,
            (_, Some(_)) => Choice::Bypassed(0),
            (_, None) => Choice::Nothing,
        }
    }

    // --- Trains ---------------------------------------------------------------------------------------------------

    /// This node has a train in its bypass FIFO when the ring starts.
    pub(crate) fn makes_first_train(&self) -> bool {
        self.is_master() && self.options.mode != TrainMode::Gearshift
    }

    /// The TicketMaster's first train: its first symbol.
    pub(crate) fn make_train(&mut self, here: &mut Here) -> PacketSymbol {
        let revolution = match self.options.mode {
            TrainMode::Arbitrated | TrainMode::Gearshift => Revolution::Request,
            TrainMode::Switching => Revolution::Immediate,
        };
        let train = self.start_revolution(revolution, here);
        self.dispatch(train, here.records)
    }

    /// An empty train as the TicketMaster sends it out.
    fn start_revolution(&mut self, revolution: Revolution, here: &mut Here) -> Train {
        let mut train = Train { revolution, tickets: Vec::new(), left: self.train_size() };
        match revolution {
            Revolution::Request => self.ask(&mut train, here),
            Revolution::Immediate => self.take_at_once(&mut train, here),
            Revolution::Release => {}
            Revolution::Grant => panic!("grants follow requests"),
        }
        train
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

    /// The train with this number comes in.
    pub(crate) fn rewrite(&mut self, number: usize, here: &mut Here) -> Rewriting {
        let mut train = here.records.trains[number].clone();
        let mut deleted = 0;
        match (self.is_master(), train.revolution) {
            (false, Revolution::Request) => {
                deleted = self.vet_requests(&mut train, here);
                self.ask(&mut train, here);
            }
            (true, Revolution::Request) => {
                deleted = self.vet_requests(&mut train, here);
                let filled = f64::from(train.size());
                self.ends_arbitration = filled < self.options.shift_down * f64::from(self.train_size());
                self.take_grants(&train, here);
                train.revolution = Revolution::Grant;
            }
            (false, Revolution::Grant) => {
                deleted = self.vet_grants(&mut train, here);
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
            (false, Revolution::Release) => self.by_sci = true,
            (true, Revolution::Release) => {
                self.by_sci = true;
                self.watch = Some(Watch::new(here.cycle));
                return Rewriting { first: None, deleted };
            }
        }
        Rewriting { first: Some(self.dispatch(train, here.records)), deleted }
    }

    // --- At the destination ---------------------------------------------------------------------------------------

    /// Places of each class's input queue that nobody has been promised.
    fn free(&self, here: &Here) -> [i64; 2] {
        Class::BOTH.map(|class| here.host.inputs[class.index()].free(self.on_the_way[class.index()]))
    }

    /// A granted packet arrives.
    pub(crate) fn granted_arrives(&mut self, class: Class) {
        self.on_the_way[class.index()] -= 1;
    }

    /// Deletes the tickets for this node for which there is no place. The others are reserved or, at the TicketMaster,
    /// granted.
    fn vet_requests(&mut self, train: &mut Train, here: &mut Here) -> u64 {
        let mut free = self.free(here);
        let mut deleted = 0;
        for ticket in std::mem::take(&mut train.tickets) {
            let class = ticket.class.index();
            if ticket.destination == self.index {
                if free[class] <= 0 {
                    self.delete(ticket, here);
                    deleted += 1;
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
        deleted
    }

    /// Deletes the tickets for this node that are not reserved and for which there is no place. The others are granted.
    fn vet_grants(&mut self, train: &mut Train, here: &mut Here) -> u64 {
        let reserved = std::mem::take(&mut self.reserved);
        let is_reserved = |ticket: &Ticket| reserved[ticket.class.index()].contains(&ticket.packet);
        // Places for tickets that were inserted behind this node.
        let mut spare = self.free(here);
        for ticket in train.tickets.iter().filter(|ticket| is_reserved(ticket)) {
            spare[ticket.class.index()] -= 1;
        }
        let mut deleted = 0;
        for ticket in std::mem::take(&mut train.tickets) {
            let class = ticket.class.index();
            if ticket.destination == self.index {
                if !is_reserved(&ticket) {
                    if spare[class] <= 0 {
                        self.delete(ticket, here);
                        deleted += 1;
                        continue;
                    }
                    spare[class] -= 1;
                }
                self.on_the_way[class] += 1;
            }
            train.tickets.push(ticket);
        }
        deleted
    }

    /// A ticket for this node is deleted.
    fn delete(&self, ticket: Ticket, here: &mut Here) {
        let input = &mut here.host.inputs[ticket.class.index()];
        if input.holds_below(ticket.priority) {
            here.records.packets[ticket.packet].refused_since.get_or_insert(here.cycle);
        }
        if self.options.inheritance && input.holds_only_below(ticket.priority) {
            input.raise_all(ticket.priority);
            if ticket.class == Class::Request {
                here.host.queue.raise_responses(ticket.priority, here.head_is_bound, here.records);
            }
        }
    }

    // --- At the source --------------------------------------------------------------------------------------------

    /// Inserts own tickets.
    fn ask(&mut self, train: &mut Train, here: &mut Here) {
        self.by_sci = false;
        for _ in 0..self.options.tickets_per_node {
            let Some(head) = here.head() else { return };
            let packet = &here.records.packets[head.packet];
            let ticket = Ticket {
                packet: head.packet,
                source: self.index,
                destination: packet.destination,
                class: head.class,
                priority: head.priority,
                size: packet.symbols + 1,
            };
            let place = train.tickets.partition_point(|other| other.priority >= ticket.priority);
            let before: u32 = train.tickets[..place].iter().map(|other| other.size).sum();
            if before + ticket.size > self.train_size() {
                return;
            }
            train.tickets.insert(place, ticket);
            while train.size() > self.train_size() {
                train.tickets.pop();
            }
            self.asked.push(here.take_head());
        }
    }

    /// Own packets whose tickets are in the train are granted; the others go back.
    fn take_grants(&mut self, train: &Train, here: &mut Here) {
        let mut asked = std::mem::take(&mut self.asked);
        let index = self.index;
        for ticket in train.tickets.iter().filter(|ticket| ticket.source == index) {
            let place = asked.iter().position(|head| head.packet == ticket.packet).expect("a ticket issued here");
            here.records.packets[ticket.packet].granted = true;
            self.grant(asked.remove(place), here);
        }
        for head in asked.into_iter().rev() {
            here.host.queue.take_back(head, here.head_is_bound, here.records);
        }
    }

    /// The packet may be sent as soon as the train, which will have the next number, has begun to be emitted.
    fn grant(&mut self, head: Head, here: &Here) {
        self.granted.push_back(Granted { head, train: here.records.trains.len(), is_free: false });
    }

    /// A node without granted packets is granted its head, if that fits.
    fn take_at_once(&mut self, train: &mut Train, here: &mut Here) {
        let Some(head) = here.head().filter(|_| self.granted.is_empty()) else { return };
        let size = here.records.packets[head.packet].symbols + 1;
        if size <= train.left {
            train.left -= size;
            let head = here.take_head();
            self.grant(head, here);
        }
    }
}
