//! Records of the ring as a whole: packets, messages, trains by number, and what is counted of them.

use std::collections::HashMap;

use ringlet_engine::record::Fate;
use ringlet_engine::spec::NetworkSpec;

use super::Train;
use super::multicast::Receivers;
use super::packet::{Class, Message, Packet};
use super::result::{Completion, Delivery, FlowCounts};

/// What happens to a packet besides being on a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Happened {
    pub(crate) node: u32,
    pub(crate) cycle: u64,
    pub(crate) fate: Fate,
    pub(crate) packet: usize,
}

/// Packets, messages and trains by number, in the order in which they were made, and what is counted of them.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) packets: Vec<Packet>,
    messages: Vec<Message>,
    pub(crate) trains: Vec<Train>,
    /// By flow.
    pub(crate) counts: Vec<FlowCounts>,
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) completions: Vec<Completion>,
    pub(crate) happened: Vec<Happened>,
    /// By flow.
    deadlines: Vec<Option<u64>>,
    /// By flow.
    receivers: Vec<Option<Receivers>>,
    /// The message of copies, by the message that they are of and their flow.
    copied: HashMap<(usize, usize), usize>,
}

impl Records {
    pub(crate) fn new(spec: &NetworkSpec) -> Self {
        Self {
            packets: Vec::new(),
            messages: Vec::new(),
            trains: Vec::new(),
            counts: vec![FlowCounts::default(); spec.flows.len()],
            deliveries: Vec::new(),
            completions: Vec::new(),
            happened: Vec::new(),
            deadlines: spec.flows.iter().map(|flow| flow.deadline_cycles).collect(),
            receivers: Receivers::of_flows(spec),
            copied: HashMap::new(),
        }
    }

    /// A new packet; its number.
    pub(crate) fn add_packet(&mut self, packet: Packet) -> usize {
        self.packets.push(packet);
        self.packets.len() - 1
    }

    /// A new message of so many packets; its number.
    pub(crate) fn add_message(&mut self, arrival: u64, packets: u32) -> usize {
        self.messages.push(Message { arrival, packets, incomplete: packets });
        self.messages.len() - 1
    }

    /// Receivers of a packet, if it has several.
    pub(crate) fn receivers(&self, packet: usize) -> Option<&Receivers> {
        self.receivers[self.packets[packet].flow].as_ref()
    }

    /// A copy of a packet, of a flow of copies, which a receiver takes; its number. Of its own flow it is the packet.
    pub(crate) fn copy(&mut self, packet: usize, flow: usize, destination: u32) -> usize {
        let original = self.packets[packet].clone();
        if flow == original.flow {
            return packet;
        }
        let Message { arrival, packets, .. } = self.messages[original.message];
        let next = self.messages.len();
        let message = *self.copied.entry((original.message, flow)).or_insert(next);
        if message == next {
            self.add_message(arrival, packets);
        }
        self.add_packet(Packet { flow, message, destination, accepted: false, refused_since: None, ..original })
    }

    /// A train as it leaves a node; its number.
    pub(crate) fn add_train(&mut self, train: Train) -> usize {
        self.trains.push(train);
        self.trains.len() - 1
    }

    /// Something happens to a packet at its destination.
    pub(crate) fn note_there(&mut self, packet: usize, cycle: u64, fate: Fate) {
        self.happened.push(Happened { node: self.packets[packet].destination, cycle, fate, packet });
    }

    /// An echo of a packet takes effect at its source.
    pub(crate) fn note_echo(&mut self, packet: usize, cycle: u64, accepted: bool) {
        let fate = if accepted { Fate::Acknowledged } else { Fate::Returned };
        self.happened.push(Happened { node: self.packets[packet].source, cycle, fate, packet });
    }

    /// The service of a packet ends.
    pub(crate) fn deliver(&mut self, packet: usize, cycle: u64) {
        self.note_there(packet, cycle, Fate::Delivered);
        let packet = &self.packets[packet];
        self.deliveries.push(Delivery {
            flow: packet.flow,
            generated: packet.generated,
            delivered: cycle,
            symbols: packet.symbols,
            destination: packet.destination,
            response: packet.class == Class::Response,
        });
        if packet.needs_response() {
            return;
        }
        let message = &mut self.messages[packet.message];
        message.incomplete -= 1;
        if message.incomplete == 0 {
            let latency_cycles = cycle - message.arrival;
            let missed = self.deadlines[packet.flow].is_some_and(|deadline| latency_cycles > deadline);
            self.completions.push(Completion { flow: packet.flow, completed: cycle, latency_cycles, missed });
        }
    }

    /// A packet is accepted, as an echo says, or without echoes its destination knows.
    pub(crate) fn count_accepted(&mut self, packet: usize) {
        let Packet { flow, refusals, .. } = self.packets[packet];
        self.counts[flow].first_try += u64::from(refusals == 0);
        self.counts[flow].accepted_after[31.min(refusals as usize)] += 1;
    }

    /// A packet finds no place, which no echo says to its sender: it is lost.
    pub(crate) fn drop(&mut self, packet: usize) {
        self.counts[self.packets[packet].flow].dropped += 1;
    }

    /// An input queue takes a packet. Its being held up, if it was, is over.
    pub(crate) fn accept(&mut self, packet: usize, cycle: u64) {
        let number = packet;
        let packet = &mut self.packets[packet];
        assert!(!packet.accepted, "packet {number} is received twice");
        packet.accepted = true;
        if let Some(since) = packet.refused_since.take() {
            self.counts[packet.flow].input_inversion.add(cycle - since);
        }
    }

    /// A packet's accepted echo has come home.
    pub(crate) fn conclude(&mut self, packet: usize) {
        let packet = &self.packets[packet];
        if packet.output_inversion > 0 {
            self.counts[packet.flow].output_inversion.add(packet.output_inversion);
        }
    }
}
