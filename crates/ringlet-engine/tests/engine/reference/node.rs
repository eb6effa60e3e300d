//! One node in one cycle: services and arrivals, strip, head, transmit.

use ringlet_engine::spec::NetworkSpec;

use super::decider::Decider;
use super::faults::{Faults, Missed};
use super::go::Go;
use super::host::Host;
use super::protocol::{Here, Protocol};
use super::protocols;
use super::records::Records;
use super::result::NodeResult;
use super::states::{Held, States};
use super::symbol::{Idle, Input, Kind, PacketSymbol, Symbol};
use super::transmit_queue::Head;

/// Part of a node that decides what is emitted.
#[derive(Debug)]
pub(crate) enum Transmitter {
    /// *none*, *sci*, *grouped*.
    States(Box<States>),
    /// All others.
    Decider(Decider),
}

impl Transmitter {
    /// The transmitter of a protocol that decides behind every idle.
    pub(crate) fn deciding(index: u32, protocol: impl Protocol + 'static) -> Self {
        Self::Decider(Decider::new(index, protocol))
    }

    /// The protocol, if it decides behind every idle.
    fn protocol(&self) -> Option<&dyn Protocol> {
        match self {
            Self::States(_) => None,
            Self::Decider(decider) => Some(&*decider.protocol),
        }
    }

    fn protocol_mut(&mut self) -> Option<&mut (dyn Protocol + 'static)> {
        match self {
            Self::States(_) => None,
            Self::Decider(decider) => Some(&mut *decider.protocol),
        }
    }

    fn decider(&mut self) -> &mut Decider {
        match self {
            Self::States(states) => panic!("{states:?} has neither messages nor packets of its own"),
            Self::Decider(decider) => decider,
        }
    }

    /// The head's first symbol has been emitted; its last one has still to be?
    fn head_is_being_sent(&self) -> Option<bool> {
        match self {
            Self::States(states) => states.head_is_being_sent(),
            Self::Decider(decider) => decider.head_is_being_sent(),
        }
    }
}

/// The send packet being stripped.
#[derive(Debug, Clone, Copy)]
struct Stripping {
    first: PacketSymbol,
    accepted: bool,
    /// The first symbol of the late echo that its last symbols become.
    late_echo: Option<PacketSymbol>,
    /// It has been accepted before, and its echo was lost.
    again: bool,
}

/// A send packet of another node that is being emitted.
#[derive(Debug, Clone, Copy)]
struct Passing {
    priority: u8,
    /// Cycle of its first symbol.
    since: u64,
}

/// Stripper, host and transmitter of one node.
#[derive(Debug)]
pub(crate) struct Node {
    index: u32,
    echo_symbols: u32,
    echoes: bool,
    pub(crate) host: Host,
    pub(crate) transmitter: Transmitter,
    stripping: Option<Stripping>,
    passing: Option<Passing>,
    result: NodeResult,
    /// Packets in the transmit queue, and in both input queues, at the end of each cycle.
    pub(crate) lengths: [Vec<u64>; 2],
}

impl Node {
    pub(crate) fn new(spec: &NetworkSpec, index: u32) -> Self {
        let transmitter = protocols::transmitter(spec, index);
        let mut host = Host::new(spec, index);
        host.queue.prefers_responses = transmitter.protocol().is_some_and(|protocol| protocol.prefers_responses());
        host.queue.levels_apart = transmitter.protocol().is_some_and(|protocol| protocol.levels_apart());
        Self {
            index,
            echo_symbols: spec.format.echo_symbols,
            echoes: spec.format.echoes,
            host,
            transmitter,
            stripping: None,
            passing: None,
            result: NodeResult::new(),
            lengths: [Vec::new(), Vec::new()],
        }
    }

    /// The symbol emitted in cycle `cycle`, in which `input` comes in, spoilt or not.
    pub(crate) fn step(
        &mut self,
        cycle: u64,
        input: Symbol,
        spoilt: bool,
        faults: Option<&mut Faults>,
        records: &mut Records,
    ) -> Symbol {
        // The services up to this cycle have been handled at the end of the last one.
        if let Some(protocol) = self.transmitter.protocol_mut() {
            protocol.begin(cycle);
        }
        self.host.queue.take_arrivals(cycle, records);
        if let Some(faults) = faults {
            self.miss(cycle, faults, records);
        }
        self.host.queue.time_out(cycle, records);
        self.start(cycle, records);
        let x = if spoilt { self.strip_spoilt(input) } else { self.strip(cycle, input, records) };
        self.take_in(cycle, records);
        // As of now: a ticket may take it.
        let head = self.host.queue.head;
        let output = match &mut self.transmitter {
            Transmitter::States(states) => {
                states.record(x, &self.host);
                states.transmit(cycle, x, &mut self.host, records)
            }
            Transmitter::Decider(decider) => decider.transmit(cycle, x, &mut self.host, records),
        };
        self.count(output);
        self.count_inversion(cycle, output, head, records);
        // What ends at `cycle + 1` counts if this is the last cycle.
        self.serve(cycle + 1, records);
        output
    }

    /// The TicketMaster has a train to begin with.
    fn start(&mut self, cycle: u64, records: &mut Records) {
        if cycle == 0 {
            self.take_in(cycle, records);
            if let Transmitter::Decider(decider) = &mut self.transmitter {
                decider.start(cycle, &mut self.host, records);
            }
        }
    }

    // --- Link errors ----------------------------------------------------------------------------------------------

    /// The node misses what was lost a time-out ago.
    fn miss(&mut self, cycle: u64, faults: &mut Faults, records: &mut Records) {
        for missed in faults.take_missed(self.index, cycle, records) {
            match missed {
                Missed::Packet { number: packet, granted, phase } => {
                    let lost = &mut records.packets[packet];
                    (lost.granted, lost.phase) = (lost.granted | granted, phase);
                    let undelivered = !records.packets[packet].accepted;
                    let gives_up = self.host.miss(cycle, packet, faults.max_timeouts, records);
                    if let Some(protocol) = self.transmitter.protocol_mut() {
                        protocol.timed_out();
                    }
                    let counts = &mut faults.counts[self.index as usize];
                    counts.timeouts += 1;
                    counts.given_up += u64::from(gives_up);
                    counts.undelivered += u64::from(gives_up && undelivered);
                }
                Missed::Granted(class) => self.transmitter.decider().protocol.missed_granted(class),
                Missed::Message(_) | Missed::Train => {
                    let decider = self.transmitter.decider();
                    let head_is_bound = decider.head_is_bound();
                    let here = &mut Here { cycle, head_is_bound, host: &mut self.host, records };
                    match missed {
                        Missed::Message(message) => decider.protocol.missed(message, here),
                        _ => decider.protocol.missed_train(here),
                    }
                }
            }
        }
        // A response that was given up has left its place.
        self.serve(cycle, records);
    }

    /// A symbol comes in of something that the link has spoilt.
    fn strip_spoilt(&mut self, input: Symbol) -> Input {
        match (input, &mut self.transmitter) {
            (Symbol::Packet(symbol), Transmitter::Decider(decider))
                if symbol.kind == Kind::Event && symbol.is_first() =>
            {
                decider.protocol.spoilt();
            }
            (Symbol::Packet(symbol), Transmitter::States(states)) if symbol.is_first() => states.strip_lost(),
            (Symbol::Packet(symbol), Transmitter::Decider(decider)) if symbol.is_first() => {
                decider.protocol.strip_lost();
            }
            (Symbol::Control(symbol), Transmitter::Decider(decider)) if symbol.is_first() => decider.protocol.spoilt(),
            _ => {}
        }
        Input::CREATED
    }

    // --- Step 0: services -----------------------------------------------------------------------------------------

    /// Lets the servers work up to this cycle.
    fn serve(&mut self, cycle: u64, records: &mut Records) {
        while let Some(service) = self.host.serve(cycle, records) {
            if let Some(protocol) = self.transmitter.protocol_mut() {
                let here = Here { cycle, head_is_bound: false, host: &mut self.host, records };
                protocol.served(service, &here);
            }
        }
    }

    // --- Step 1: strip --------------------------------------------------------------------------------------------

    fn strip(&mut self, cycle: u64, input: Symbol, records: &mut Records) -> Input {
        match input {
            Symbol::Idle(idle) => {
                if let Transmitter::States(states) = &mut self.transmitter {
                    states.receive(idle, &self.host);
                }
                Input::passed(input)
            }
            Symbol::Control(symbol) => {
                let decider = self.transmitter.decider();
                if symbol.is_first() {
                    decider.take(cycle, symbol.control, &mut self.host, records);
                }
                if decider.protocol.passes(symbol.control) { Input::passed(input) } else { Input::CREATED }
            }
            Symbol::Packet(symbol) => match symbol.kind {
                Kind::Train => self.strip_train(cycle, symbol, records),
                Kind::Call => {
                    if symbol.target != self.index {
                        return Input::passed(input);
                    }
                    if symbol.is_first() {
                        self.transmitter.decider().protocol.called();
                    }
                    Input::CREATED
                }
                Kind::Event => {
                    if symbol.target == self.index {
                        return Input::CREATED;
                    }
                    if symbol.is_first() {
                        let decider = self.transmitter.decider();
                        decider.protocol.raise(symbol, &mut decider.bypass, &mut self.host);
                    }
                    Input::passed(input)
                }
                Kind::Send | Kind::Retry if records.receivers(symbol.packet).is_some() => {
                    self.strip_multicast(cycle, symbol, records)
                }
                _ if symbol.target != self.index => Input::passed(input),
                Kind::Echo { accepted } => {
                    if symbol.is_first() {
                        match &mut self.transmitter {
                            Transmitter::States(states) => states.strip_echo(),
                            Transmitter::Decider(decider) => decider.protocol.strip_echo(),
                        }
                    }
                    if symbol.is_last() {
                        self.host.take_echo(cycle, symbol, accepted, records);
                        if let Some(protocol) = self.transmitter.protocol_mut() {
                            protocol.echoed();
                        }
                        self.serve(cycle, records);
                    }
                    Input::CREATED
                }
                Kind::Send | Kind::Retry => self.strip_send(cycle, symbol, records),
            },
        }
    }

    /// A symbol of a packet with several receivers: each takes a copy as the packet passes. With echoes the packet is
    /// its own echo when it is back at its source.
    fn strip_multicast(&mut self, cycle: u64, symbol: PacketSymbol, records: &mut Records) -> Input {
        let receivers = records.receivers(symbol.packet).expect("it has several");
        if symbol.is_first()
            && let Some(flow) = receivers.flow_at(self.index)
        {
            let packet = records.copy(symbol.packet, flow, self.index);
            let mut first = PacketSymbol { packet, ..symbol };
            let accepted = self.host.receive(cycle, &mut first, false, 0, records).accepted;
            self.result.refused_packets += u64::from(!accepted);
            if !accepted {
                records.drop(packet);
            } else if !self.echoes || packet != symbol.packet {
                records.count_accepted(packet);
            }
        }
        if symbol.target != self.index {
            return Input::passed(Symbol::Packet(symbol));
        }
        if symbol.is_first() {
            match (&mut self.transmitter, self.echoes) {
                (Transmitter::States(states), true) => states.strip_echo(),
                (Transmitter::States(states), false) => states.strip_packet(),
                (Transmitter::Decider(decider), true) => decider.protocol.strip_echo(),
                (Transmitter::Decider(decider), false) => decider.protocol.strip_packet(),
            }
        }
        if symbol.is_last() && self.echoes {
            self.host.take_echo(cycle, symbol, true, records);
            if let Some(protocol) = self.transmitter.protocol_mut() {
                protocol.echoed();
            }
            self.serve(cycle, records);
        }
        Input::CREATED
    }

    fn strip_send(&mut self, cycle: u64, symbol: PacketSymbol, records: &mut Records) -> Input {
        if symbol.is_first() {
            self.stripping = Some(self.receive(cycle, symbol, records));
            match &mut self.transmitter {
                Transmitter::States(states) => states.strip_packet(),
                Transmitter::Decider(decider) => decider.protocol.strip_packet(),
            }
        }
        let Stripping { first, accepted, late_echo, again } = self.stripping.expect("a packet has a first symbol");
        if symbol.is_last() {
            self.stripping = None;
        }
        if !self.echoes {
            if symbol.is_first() {
                if accepted { records.count_accepted(first.packet) } else { records.drop(first.packet) }
            }
            return Input::CREATED;
        }
        let before_echo = symbol.length - self.echo_symbols;
        if symbol.position < before_echo || (!accepted && self.delays_echoes()) {
            return Input::CREATED;
        }
        let echo = match late_echo {
            None if accepted && self.preempts() && !again => return Input::CREATED,
            None => first.echo(self.index, accepted, self.echo_symbols),
            Some(late) => late,
        };
        Input::passed(Symbol::Packet(echo.at(symbol.position - before_echo)))
    }

    fn preempts(&self) -> bool {
        self.transmitter.protocol().is_some_and(|protocol| protocol.preempts())
    }

    /// Busy echoes are held back for the retry delay.
    fn delays_echoes(&self) -> bool {
        matches!(&self.transmitter, Transmitter::States(states) if states.delayed.is_some())
    }

    /// Hands a packet, by its first symbol, to its input queue, which takes or refuses it.
    fn receive(&mut self, cycle: u64, mut first: PacketSymbol, records: &mut Records) -> Stripping {
        if records.packets[first.packet].accepted {
            if let Some(protocol) = self.transmitter.protocol_mut()
                && first.granted
            {
                protocol.received_again(records.packets[first.packet].class);
            }
            return Stripping { first, accepted: true, late_echo: None, again: true };
        }
        let preempts = self.preempts();
        let class = records.packets[first.packet].class;
        let kept = self.transmitter.protocol().map_or(0, |protocol| protocol.kept_places(class, first.granted));
        let reception = self.host.receive(cycle, &mut first, preempts, kept, records);
        self.result.refused_packets += u64::from(!reception.accepted);
        if let Some(protocol) = self.transmitter.protocol_mut() {
            let here = Here { cycle, head_is_bound: false, host: &mut self.host, records };
            protocol.received(first, reception, &here);
        }
        if let Transmitter::States(states) = &mut self.transmitter
            && states.delayed.is_some()
            && !reception.accepted
        {
            let delay = self.host.queue.retry_delay(records.packets[first.packet].refusals + 1);
            let echo = first.echo(self.index, false, self.echo_symbols);
            states.hold_back(echo, first.length, cycle, delay);
        }
        let late_echo = match self.transmitter.protocol_mut() {
            Some(protocol) if reception.accepted => protocol.take_late_echo(),
            _ => None,
        };
        Stripping { first, accepted: reception.accepted, late_echo, again: false }
    }

    fn strip_train(&mut self, cycle: u64, symbol: PacketSymbol, records: &mut Records) -> Input {
        if symbol.is_first() {
            self.take_in(cycle, records);
        }
        self.transmitter.decider().take_train(cycle, symbol, &mut self.host, records)
    }

    // --- Step 2: head ---------------------------------------------------------------------------------------------

    fn take_in(&mut self, cycle: u64, records: &Records) {
        match &mut self.transmitter {
            Transmitter::States(states) => states.take_in(cycle, &mut self.host, records),
            Transmitter::Decider(decider) => decider.take_in(cycle, &mut self.host, records),
        }
    }

    // --- What is counted ------------------------------------------------------------------------------------------

    fn count(&mut self, output: Symbol) {
        let fill = match &self.transmitter {
            Transmitter::States(states) => states.fifo.len(),
            Transmitter::Decider(decider) => decider.bypass.occupancy(),
        };
        self.result.emitted(output);
        self.result.bypass_max_symbols = self.result.bypass_max_symbols.max(fill as u64);
        self.result.transmit_queue_packet_cycles += self.host.queue.len();
        self.result.receive_queue_packet_cycles += self.host.held();
        self.lengths[0].push(self.host.queue.len());
        self.lengths[1].push(self.host.held());
    }

    /// The head has waited for a packet of lower priority, of which this was the idle.
    fn count_inversion(&mut self, cycle: u64, output: Symbol, head: Option<Head>, records: &mut Records) {
        match output {
            Symbol::Packet(symbol) if symbol.is_first() => {
                let passes = symbol.is_send() && symbol.source != self.index;
                self.passing = passes.then_some(Passing { priority: symbol.priority, since: cycle });
            }
            Symbol::Idle(_) => {
                let passed = self.passing.take();
                if let (Some(passed), Some(protocol)) = (passed, self.transmitter.protocol_mut()) {
                    protocol.passed(passed.priority);
                }
                if let Some(passed) = passed
                    && let Some(head) = head
                    && head.priority > passed.priority
                {
                    records.packets[head.packet].output_inversion += cycle + 1 - passed.since.max(head.since);
                }
            }
            Symbol::Packet(_) | Symbol::Control(_) => {}
        }
    }

    /// All that has been counted.
    pub(crate) fn result(&self) -> NodeResult {
        let mut result = self.result.clone();
        result.transmit_queue_max = self.host.queue.max;
        result.receive_queue_max = self.host.inputs_max;
        if let Some(protocol) = self.transmitter.protocol() {
            // Protocols that count nothing have equal results.
            result.of_protocol = protocol.counts().into_iter().filter(|count| count.1 > 0).collect();
            result.refused_packets += protocol.refused_packets();
        }
        result
    }

    /// Packet symbols in the bypass FIFO.
    pub(crate) fn bypassed(&self) -> Vec<PacketSymbol> {
        match &self.transmitter {
            Transmitter::States(states) => {
                let symbols = states.fifo.iter().filter_map(|held| match held {
                    Held::Packet(symbol) => Some(*symbol),
                    Held::Separator => None,
                });
                symbols.collect()
            }
            Transmitter::Decider(decider) => {
                // What has been replaced by its echo is still coming in.
                let cut = decider.bypass.cut();
                decider.bypass.symbols().filter(|symbol| Some(symbol.packet) != cut).collect()
            }
        }
    }

    /// Packets, their own or as echoes, whose last symbol is still to leave this node and has not come in as a symbol.
    pub(crate) fn keeps(&self, cycle: u64) -> Vec<usize> {
        let mut packets: Vec<usize> = self.host.queue.refused().collect();
        packets.extend(self.stripping.and_then(|stripping| stripping.late_echo).map(|echo| echo.packet));
        let head = self.host.queue.head.filter(Head::is_retry).map(|head| head.packet);
        match self.transmitter.head_is_being_sent() {
            None | Some(true) => packets.extend(head),
            Some(false) => {}
        }
        match &self.transmitter {
            Transmitter::States(states) => packets.extend(states.keeps(cycle)),
            Transmitter::Decider(decider) => packets.extend(decider.keeps(cycle, &self.host)),
        }
        packets
    }

    /// Packets that their source has sent and not yet seen accepted. A new one counts from its last symbol on.
    pub(crate) fn unaccepted(&self) -> Vec<usize> {
        let mut packets: Vec<usize> = self.host.queue.unaccepted.iter().flatten().copied().collect();
        let just_sent = self.transmitter.head_is_being_sent() == Some(false);
        let new = self.host.queue.head.filter(|head| just_sent && !head.is_retry());
        packets.extend(new.map(|head| head.packet));
        packets
    }

    /// Go bits that came in and have not been let go.
    pub(crate) fn saved_go_bits(&self) -> Go {
        match &self.transmitter {
            Transmitter::States(states) => states.saved.go(),
            Transmitter::Decider(decider) => decider.protocol.saved_go_bits(),
        }
    }

    /// Returns what every idle of the ring carries at cycle 0. `initial_go`: the go bits that are not lost before.
    pub(crate) fn first_idle(&self, initial_go: Option<u16>) -> Idle {
        match &self.transmitter {
            Transmitter::States(states) => states.first_idle(initial_go),
            Transmitter::Decider(decider) => decider.protocol.first_idle(initial_go),
        }
    }
}
