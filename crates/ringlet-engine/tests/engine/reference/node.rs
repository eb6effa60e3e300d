//! One node in one cycle: services and arrivals, strip, head, transmit.

use ringlet_engine::spec::NetworkSpec;

use super::decider::{Decider, Rules};
use super::flow_control::FlowControl;
use super::host::{Host, Service};
use super::records::Records;
use super::result::NodeResult;
use super::states::{Held, States};
use super::symbol::{Input, Kind, PacketSymbol, Symbol};
use super::transmit_queue::Head;

/// What decides what is emitted.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "speed does not matter here")]
pub(crate) enum Transmitter {
    /// *none*, *sci*, *grouped*.
    States(States),
    /// All others.
    Decider(Decider),
}

/// The send packet being stripped.
#[derive(Debug, Clone, Copy)]
struct Stripping {
    first: PacketSymbol,
    accepted: bool,
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
    pub(crate) host: Host,
    pub(crate) transmitter: Transmitter,
    stripping: Option<Stripping>,
    passing: Option<Passing>,
    result: NodeResult,
}

impl Node {
    pub(crate) fn new(spec: &NetworkSpec, index: u32) -> Self {
        let transmitter = match Rules::new(spec, index) {
            Some((rules, bypass, control)) => Transmitter::Decider(Decider::new(index, bypass, control, rules)),
            None => Transmitter::States(States::new(FlowControl::new(&crate::protocol(spec)), index)),
        };
        Self {
            index,
            echo_symbols: spec.echo_symbols,
            host: Host::new(spec, index),
            transmitter,
            stripping: None,
            passing: None,
            result: NodeResult::new(),
        }
    }

    /// The symbol emitted in cycle `cycle`, in which `input` comes in.
    pub(crate) fn step(&mut self, cycle: u64, input: Symbol, records: &mut Records) -> Symbol {
        // The services up to this cycle have been handled at the end of the last one.
        if let Transmitter::Decider(Decider { rules: Rules::Access(access), .. }) = &mut self.transmitter {
            access.begin(cycle);
        }
        self.host.queue.take_arrivals(cycle, records);
        self.start(cycle, records);
        let x = self.strip(cycle, input, records);
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

    // --- Step 0: services -----------------------------------------------------------------------------------------

    /// Everything that the servers do up to this cycle.
    fn serve(&mut self, cycle: u64, records: &mut Records) {
        while let Some(service) = self.host.serve(cycle, records) {
            let Transmitter::Decider(decider) = &mut self.transmitter else { continue };
            match (&mut decider.rules, service) {
                (Rules::Ppq(ppq), _) => ppq.served(service),
                (Rules::Dfc(dfc), Service::Ended(first)) => {
                    dfc.served(records.packets[first.packet].class, &self.host);
                }
                (Rules::Dfc(_), Service::Started(_)) | (Rules::Train(_) | Rules::Access(_), _) => {}
            }
        }
    }

    // --- Step 1: strip --------------------------------------------------------------------------------------------

    fn strip(&mut self, cycle: u64, input: Symbol, records: &mut Records) -> Input {
        match input {
            Symbol::Idle(idle) => {
                if let Transmitter::States(states) = &mut self.transmitter {
                    states.hear(idle, &self.host);
                }
                Input::passed(input)
            }
            Symbol::Control(symbol) => {
                let Transmitter::Decider(decider) = &mut self.transmitter else { panic!("{symbol:?} without DFC") };
                let head_is_bound = decider.head_is_bound();
                match &mut decider.rules {
                    Rules::Dfc(dfc) if symbol.is_first() => {
                        dfc.act(symbol.control, cycle, head_is_bound, &self.host, records);
                    }
                    Rules::Dfc(_) => {}
                    Rules::Access(access) => {
                        if symbol.is_first() {
                            access.take(symbol.control);
                        }
                        return Input::CREATED;
                    }
                    Rules::Ppq(_) | Rules::Train(_) => panic!("{symbol:?} without messages"),
                }
                if symbol.control.maker == self.index { Input::CREATED } else { Input::passed(input) }
            }
            Symbol::Packet(symbol) => match symbol.kind {
                Kind::Train => self.strip_train(cycle, symbol, records),
                Kind::Event => {
                    if symbol.target == self.index {
                        return Input::CREATED;
                    }
                    if symbol.is_first() {
                        self.raise(symbol);
                    }
                    Input::passed(input)
                }
                _ if symbol.target != self.index => Input::passed(input),
                Kind::Echo { accepted } => {
                    if symbol.is_last() {
                        self.host.take_echo(cycle, symbol, accepted, records);
                        if let Transmitter::Decider(Decider { rules: Rules::Access(access), .. }) =
                            &mut self.transmitter
                        {
                            access.echoed();
                        }
                        self.serve(cycle, records);
                    }
                    Input::CREATED
                }
                Kind::Send | Kind::Retry => self.strip_send(cycle, symbol, records),
            },
        }
    }

    fn strip_send(&mut self, cycle: u64, symbol: PacketSymbol, records: &mut Records) -> Input {
        if symbol.is_first() {
            self.stripping = Some(self.receive(cycle, symbol, records));
        }
        let Stripping { first, accepted } = self.stripping.expect("a packet has a first symbol");
        let before_echo = symbol.length - self.echo_symbols;
        if symbol.position < before_echo || (accepted && self.is_ppq()) {
            return Input::CREATED;
        }
        let echo = first.echo(self.index, accepted, self.echo_symbols);
        Input::passed(Symbol::Packet(echo.at(symbol.position - before_echo)))
    }

    fn is_ppq(&self) -> bool {
        matches!(&self.transmitter, Transmitter::Decider(Decider { rules: Rules::Ppq(_), .. }))
    }

    /// Whether an input queue takes the packet whose first symbol this is.
    fn receive(&mut self, cycle: u64, mut first: PacketSymbol, records: &mut Records) -> Stripping {
        let class = records.packets[first.packet].class;
        if first.granted
            && let Transmitter::Decider(decider) = &mut self.transmitter
        {
            match &mut decider.rules {
                Rules::Train(train) => train.granted_arrives(class),
                Rules::Dfc(dfc) => dfc.granted_arrives(class),
                Rules::Ppq(_) | Rules::Access(_) => {}
            }
        }
        let preempts = self.is_ppq();
        let reception = self.host.receive(cycle, &mut first, preempts, records);
        self.result.refused_packets += u64::from(!reception.accepted);
        if let Transmitter::Decider(decider) = &mut self.transmitter {
            match &mut decider.rules {
                Rules::Ppq(ppq) => reception.preempted.into_iter().for_each(|it| ppq.preempted_in_input_queue(it)),
                Rules::Dfc(dfc) if reception.accepted => dfc.accepted(class, &self.host),
                Rules::Dfc(_) | Rules::Train(_) | Rules::Access(_) => {}
            }
        }
        Stripping { first, accepted: reception.accepted }
    }

    fn strip_train(&mut self, cycle: u64, symbol: PacketSymbol, records: &mut Records) -> Input {
        if symbol.is_first() {
            self.take_in(cycle, records);
        }
        let Transmitter::Decider(decider) = &mut self.transmitter else { panic!("{symbol:?} without TRAIN") };
        let (x, deleted) = decider.take_train(cycle, symbol, &mut self.host, records);
        self.result.deleted_tickets += deleted;
        x
    }

    /// An event comes in: the packet that it names inherits a priority, if it is here and its echo has not been queued.
    fn raise(&mut self, event: PacketSymbol) {
        let Transmitter::Decider(decider) = &mut self.transmitter else { return };
        decider.bypass.raise(event.packet, event.priority);
        let in_service = decider.echoes_at_service_end();
        for input in &mut self.host.inputs {
            input.raise(event.packet, event.priority, in_service);
        }
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
    }

    /// The head has waited for a packet of lower priority, of which this was the idle.
    fn count_inversion(&mut self, cycle: u64, output: Symbol, head: Option<Head>, records: &mut Records) {
        match output {
            Symbol::Packet(symbol) if symbol.is_first() => {
                let passes = symbol.is_send() && symbol.source != self.index;
                self.passing = passes.then_some(Passing { priority: symbol.priority, since: cycle });
            }
            Symbol::Idle(_) => {
                if let Some(passed) = self.passing.take()
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
        let mut result = self.result;
        result.transmit_queue_max = self.host.queue.max;
        result.receive_queue_max = self.host.inputs_max;
        if let Transmitter::Decider(Decider { rules: Rules::Ppq(ppq), .. }) = &self.transmitter {
            result.preempted_packets = ppq.preempted;
            result.refused_packets += ppq.preempted;
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
            Transmitter::Decider(decider) => decider.bypass.symbols().collect(),
        }
    }

    /// Packets, their own or as echoes, whose last symbol is still to leave this node and has not come in as a symbol.
    pub(crate) fn keeps(&self, cycle: u64) -> Vec<usize> {
        let mut packets: Vec<usize> = self.host.queue.refused().collect();
        let head = self.host.queue.head.filter(Head::is_retry).map(|head| head.packet);
        let being_sent = match &self.transmitter {
            Transmitter::States(states) => states.head_is_being_sent(),
            Transmitter::Decider(decider) => decider.head_is_being_sent(),
        };
        match being_sent {
            None | Some(true) => packets.extend(head),
            Some(false) => {}
        }
        if let Transmitter::Decider(decider) = &self.transmitter {
            packets.extend(decider.keeps());
            if let Rules::Ppq(ppq) = &decider.rules {
                packets.extend(self.host.inputs.iter().flat_map(|input| ppq.without_echo(input, cycle)));
            }
        }
        packets
    }

    /// Packets that their source has sent and not yet seen accepted. A new one counts from its last symbol on.
    pub(crate) fn unaccepted(&self) -> Vec<usize> {
        let mut packets: Vec<usize> = self.host.queue.unaccepted.iter().flatten().copied().collect();
        let just_sent = match &self.transmitter {
            Transmitter::States(states) => states.head_is_being_sent() == Some(false),
            Transmitter::Decider(decider) => decider.head_is_being_sent() == Some(false),
        };
        let new = self.host.queue.head.filter(|head| just_sent && !head.is_retry());
        packets.extend(new.map(|head| head.packet));
        packets
    }

    /// Go bits that came in and have not been let go.
    pub(crate) fn saved_go_bits(&self) -> u16 {
        match &self.transmitter {
            Transmitter::States(states) => states.saved,
            Transmitter::Decider(Decider { rules: Rules::Train(train), .. }) => u16::from(train.holds_go_bit()),
            Transmitter::Decider(_) => 0,
        }
    }
}
