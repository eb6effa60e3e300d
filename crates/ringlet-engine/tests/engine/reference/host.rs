//! A node's host: its transmit queue, its two input queues, and what happens between them.

use ringlet_engine::record::Fate;
use ringlet_engine::spec::NetworkSpec;

use super::input_queue::InputQueue;
use super::packet::{Class, Packet};
use super::records::Records;
use super::symbol::PacketSymbol;
use super::transmit_queue::TransmitQueue;

/// Event at a server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Service {
    /// First symbol of the packet, with the priority that it has now.
    Started(PacketSymbol),
    /// Likewise.
    Ended(PacketSymbol),
}

/// Outcome of a packet that arrives at an input queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reception {
    pub(crate) accepted: bool,
    /// PPQ: the packet that had to give up its place.
    pub(crate) preempted: Option<PacketSymbol>,
}

#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) queue: TransmitQueue,
    /// By class.
    pub(crate) inputs: [InputQueue; 2],
    echoes: bool,
    response_capacity: Option<u32>,
    /// Responses created and not yet accepted.
    pending_responses: u32,
    /// Most packets in both input queues just after one was accepted.
    pub(crate) inputs_max: u64,
}

impl Host {
    pub(crate) fn new(spec: &NetworkSpec, node: u32) -> Self {
        Self {
            queue: TransmitQueue::new(spec, node),
            inputs: [0; 2].map(|_| InputQueue::new(spec, node as usize)),
            echoes: spec.format.echoes,
            response_capacity: spec.queues.limits.of(node).response_capacity,
            pending_responses: 0,
            inputs_max: 0,
        }
    }

    /// Returns whether as many responses are pending as may be.
    fn is_pressed(&self) -> bool {
        self.response_capacity.is_some_and(|capacity| self.pending_responses >= capacity)
    }

    /// The next thing that the servers do in this cycle, if any: what is over ends before anything starts, requests go
    /// first.
    pub(crate) fn serve(&mut self, cycle: u64, records: &mut Records) -> Option<Service> {
        for class in Class::BOTH {
            if let Some(first) = self.inputs[class.index()].end(cycle) {
                match class {
                    Class::Request => records.deliver(first.packet, cycle),
                    // Of what comes too late nothing counts.
                    Class::Response if self.queue.complete_transaction(first.packet, records) => {
                        records.deliver(first.packet, cycle);
                    }
                    Class::Response => {}
                }
                if records.packets[first.packet].needs_response() {
                    self.queue.respond(first.packet, first.priority, cycle, records);
                    self.pending_responses += 1;
                }
                return Some(Service::Ended(first));
            }
        }
        for class in Class::BOTH {
            if let Some(packet) = self.inputs[class.index()].next(cycle)
                && !(self.is_pressed() && records.packets[packet].needs_response())
            {
                return Some(Service::Started(self.inputs[class.index()].start(packet, cycle)));
            }
        }
        None
    }

    /// A packet's first symbol comes in. A refused one's phase changes. `preempts`: lower priorities make room. `kept`:
    /// places that are kept from it.
    pub(crate) fn receive(
        &mut self,
        cycle: u64,
        first: &mut PacketSymbol,
        preempts: bool,
        kept: u32,
        records: &mut Records,
    ) -> Reception {
        let class = records.packets[first.packet].class;
        let input = &mut self.inputs[class.index()];
        let admitted = input.admits(first.phase);
        let must_preempt = admitted && preempts && input.free(kept) == 0;
        let preempted = if must_preempt { input.preempt(first.priority, cycle) } else { None };
        let accepted = admitted && input.free(kept) > 0;
        if accepted {
            input.accept(*first, cycle);
            records.accept(first.packet, cycle);
            records.note_there(first.packet, cycle, Fate::Accepted);
        } else {
            records.note_there(first.packet, cycle, Fate::Refused);
            first.phase = input.refuse(first.phase);
            if input.holds_below(first.priority) {
                records.packets[first.packet].refused_since.get_or_insert(cycle);
            }
        }
        if let Some(preempted) = preempted {
            records.packets[preempted.packet].accepted = false;
        }
        let held = self.inputs.iter().map(|input| input.len() as u64).sum();
        self.inputs_max = self.inputs_max.max(held);
        Reception { accepted, preempted }
    }

    /// An echo takes effect. It may make room for another response.
    pub(crate) fn take_echo(&mut self, cycle: u64, echo: PacketSymbol, accepted: bool, records: &mut Records) {
        records.note_echo(echo.packet, cycle, accepted);
        self.queue.take_echo(cycle, echo.packet, accepted, echo.phase, records);
        if accepted {
            self.count_response_gone(echo.packet, records);
        }
    }

    /// A packet of this node was lost, which it misses now. Returns whether it gives the packet up, which may make room
    /// for another response.
    pub(crate) fn miss(&mut self, cycle: u64, packet: usize, max_timeouts: u8, records: &mut Records) -> bool {
        let gives_up = self.queue.miss(cycle, packet, max_timeouts, records);
        if gives_up {
            self.count_response_gone(packet, records);
        }
        gives_up
    }

    fn count_response_gone(&mut self, packet: usize, records: &Records) {
        if records.packets[packet].class == Class::Response {
            self.pending_responses -= 1;
        }
    }

    /// The idle behind an own packet: without echoes nothing waits for the packet any more. Returns whether it is so.
    pub(crate) fn has_sent(&mut self, cycle: u64, packet: usize, records: &mut Records) -> bool {
        if !self.echoes {
            self.queue.let_go(cycle, packet, records);
            self.count_response_gone(packet, records);
        }
        !self.echoes
    }

    /// A symbol of the head of node `node`.
    pub(crate) fn own_symbol(&self, node: u32, position: u32, records: &Records) -> PacketSymbol {
        self.queue.head.expect("a head").symbol(node, position, records)
    }

    /// Chooses a head, if there is none and a packet may be sent.
    pub(crate) fn choose_head(&mut self, cycle: u64, eligible: &dyn Fn(&Packet) -> bool, records: &Records) {
        self.queue.choose_head(cycle, self.is_pressed(), eligible, records);
    }

    /// A head that is not eligible, or that a better packet could replace, goes back to where it was.
    pub(crate) fn yield_head(&mut self, cycle: u64, eligible: &dyn Fn(&Packet) -> bool, records: &Records) {
        self.queue.yield_head(cycle, self.is_pressed(), eligible, records);
    }

    /// Packets that hold places in both input queues.
    pub(crate) fn held(&self) -> u64 {
        self.inputs.iter().map(|input| input.len() as u64).sum()
    }
}
