//! Counts of the reference, for `[0, T)` if it has been advanced by `T` cycles in all.

use super::symbol::{Kind, Symbol};

/// One delivered packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) flow: usize,
    /// Cycle in which the packet was generated.
    pub(crate) generated: u64,
    /// Cycle in which its service ended.
    pub(crate) delivered: u64,
    /// Length of the send packet.
    pub(crate) symbols: u32,
    pub(crate) destination: u32,
    pub(crate) response: bool,
}

impl Delivery {
    pub(crate) fn latency_cycles(&self) -> u64 {
        self.delivered - self.generated
    }
}

/// One message whose packets and their responses have all been served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) flow: usize,
    pub(crate) completed: u64,
    /// From its arrival.
    pub(crate) latency_cycles: u64,
    /// After its deadline.
    pub(crate) missed: bool,
}

/// Packets that had to wait for lower priorities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Inversions {
    pub(crate) packets: u64,
    pub(crate) cycles: u64,
    /// Cycles of the inversion of the worst packet.
    pub(crate) max_cycles: u64,
}

impl Inversions {
    pub(crate) fn add(&mut self, cycles: u64) {
        self.packets += 1;
        self.cycles += cycles;
        self.max_cycles = self.max_cycles.max(cycles);
    }
}

/// Counts of one flow that are made while the ring runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FlowCounts {
    /// Requests.
    pub(crate) generated: u64,
    /// Requests whose arrival did not find room for its packets.
    pub(crate) lost: u64,
    /// Packets that found no place at their destinations, without echoes.
    pub(crate) dropped: u64,
    /// First transmissions whose first symbol was emitted.
    pub(crate) sent: u64,
    /// Packets accepted the first time that they were sent.
    pub(crate) first_try: u64,
    /// All packets accepted, by how often they were sent again before; the last entry has all beyond, too.
    pub(crate) accepted_after: [u64; 32],
    /// Retransmissions whose first symbol was emitted.
    pub(crate) retries: u64,
    /// All symbols of these.
    pub(crate) retry_symbols: u64,
    /// Requests whose responses had not come in time.
    pub(crate) timed_out: u64,
    /// Requests of those that timed out which were not sent again.
    pub(crate) unanswered: u64,
    /// Responses that came after that time.
    pub(crate) late: u64,
    /// At the source, of packets whose accepted echo has come home.
    pub(crate) output_inversion: Inversions,
    /// At the destination, of packets accepted.
    pub(crate) input_inversion: Inversions,
}

/// Number, sum and extremes of some latencies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Latencies {
    pub(crate) count: u64,
    pub(crate) sum_cycles: u64,
    /// `None` without any.
    pub(crate) min: Option<u64>,
    /// `None` without any.
    pub(crate) max: Option<u64>,
}

impl FromIterator<u64> for Latencies {
    fn from_iter<I: IntoIterator<Item = u64>>(latencies: I) -> Self {
        let latencies: Vec<u64> = latencies.into_iter().collect();
        Self {
            count: latencies.len() as u64,
            sum_cycles: latencies.iter().sum(),
            min: latencies.iter().copied().min(),
            max: latencies.iter().copied().max(),
        }
    }
}

/// Counts of one flow, requests and responses together unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlowResult {
    /// Requests at cycles below `T`, the lost ones included.
    pub(crate) generated_packets: u64,
    pub(crate) lost_packets: u64,
    pub(crate) dropped_packets: u64,
    pub(crate) sent_packets: u64,
    pub(crate) first_try_packets: u64,
    pub(crate) accepted_after: [u64; 32],
    pub(crate) retries: u64,
    pub(crate) retry_symbols: u64,
    pub(crate) timed_out: u64,
    pub(crate) unanswered: u64,
    pub(crate) late: u64,
    /// One-way, of packets with a delivery at `T` or before.
    pub(crate) latencies: Latencies,
    /// Symbols of the packets delivered.
    pub(crate) delivered_symbols: u64,
    /// Latencies of responses alone.
    pub(crate) responses: Latencies,
    /// Latencies of messages complete at `T` or before.
    pub(crate) messages: Latencies,
    pub(crate) missed_deadlines: u64,
    pub(crate) output_inversion: Inversions,
    pub(crate) input_inversion: Inversions,
}

impl FlowResult {
    /// Returns the counts in cycles of the network, of which a symbol takes so many.
    pub(crate) fn in_cycles(self, symbol: u64) -> Self {
        let latencies = |latencies: Latencies| Latencies {
            sum_cycles: latencies.sum_cycles * symbol,
            min: latencies.min.map(|least| least * symbol),
            max: latencies.max.map(|most| most * symbol),
            ..latencies
        };
        let inversions = |inversions: Inversions| Inversions {
            cycles: inversions.cycles * symbol,
            max_cycles: inversions.max_cycles * symbol,
            ..inversions
        };
        Self {
            latencies: latencies(self.latencies),
            responses: latencies(self.responses),
            messages: latencies(self.messages),
            output_inversion: inversions(self.output_inversion),
            input_inversion: inversions(self.input_inversion),
            ..self
        }
    }

    pub(crate) fn new(counts: FlowCounts, deliveries: &[Delivery], completions: &[Completion]) -> Self {
        let responses = deliveries.iter().filter(|delivery| delivery.response);
        Self {
            generated_packets: counts.generated,
            lost_packets: counts.lost,
            dropped_packets: counts.dropped,
            sent_packets: counts.sent,
            first_try_packets: counts.first_try,
            accepted_after: counts.accepted_after,
            retries: counts.retries,
            retry_symbols: counts.retry_symbols,
            timed_out: counts.timed_out,
            unanswered: counts.unanswered,
            late: counts.late,
            latencies: deliveries.iter().map(Delivery::latency_cycles).collect(),
            delivered_symbols: deliveries.iter().map(|delivery| u64::from(delivery.symbols)).sum(),
            responses: responses.map(Delivery::latency_cycles).collect(),
            messages: completions.iter().map(|completion| completion.latency_cycles).collect(),
            missed_deadlines: completions.iter().filter(|completion| completion.missed).count() as u64,
            output_inversion: counts.output_inversion,
            input_inversion: counts.input_inversion,
        }
    }
}

/// Symbols that a node has emitted, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LinkSymbols {
    /// Symbols of first transmissions.
    pub(crate) send: u64,
    /// Symbols of retransmissions.
    pub(crate) retry: u64,
    pub(crate) echo: u64,
    /// Symbols of control symbols, trains and events.
    pub(crate) control: u64,
    pub(crate) idle: u64,
}

/// Counts of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeResult {
    /// Symbols on the node's outgoing link.
    pub(crate) link_symbols: LinkSymbols,
    /// Busy echoes made.
    pub(crate) refused_packets: u64,
    /// Counts for the protocol, by the names in the engine's results.
    pub(crate) of_protocol: Vec<(&'static str, u64)>,
    /// Most symbols, separators included, in the bypass FIFO at the end of a cycle.
    pub(crate) bypass_max_symbols: u64,
    pub(crate) slow_link_max_symbols: u64,
    /// Packets in the transmit queue at the end of each cycle, summed.
    pub(crate) transmit_queue_packet_cycles: u64,
    /// Most packets in the transmit queue just after one was taken in.
    pub(crate) transmit_queue_max: u64,
    /// Packets that hold a place in the input queues at the end of each cycle, summed.
    pub(crate) receive_queue_packet_cycles: u64,
    /// Most packets in both input queues just after one was accepted.
    pub(crate) receive_queue_max: u64,
    /// [`fold`] over the words of every idle emitted, in order; starts at [`NodeResult::GO_HASH_START`].
    pub(crate) go_hash: u64,
}

impl NodeResult {
    /// `go_hash` of a node that has emitted no idle.
    pub(crate) const GO_HASH_START: u64 = 0xCBF2_9CE4_8422_2325;

    pub(crate) fn new() -> Self {
        Self {
            link_symbols: LinkSymbols::default(),
            refused_packets: 0,
            of_protocol: Vec::new(),
            bypass_max_symbols: 0,
            slow_link_max_symbols: 0,
            transmit_queue_packet_cycles: 0,
            transmit_queue_max: 0,
            receive_queue_packet_cycles: 0,
            receive_queue_max: 0,
            go_hash: Self::GO_HASH_START,
        }
    }

    /// Returns the counts in cycles of the network, of which a symbol takes so many.
    pub(crate) fn in_cycles(&self, symbol: u64) -> Self {
        Self {
            transmit_queue_packet_cycles: self.transmit_queue_packet_cycles * symbol,
            receive_queue_packet_cycles: self.receive_queue_packet_cycles * symbol,
            ..self.clone()
        }
    }

    /// A count of the protocol; 0 if it has none of this name.
    pub(crate) fn of_protocol(&self, name: &str) -> u64 {
        self.of_protocol.iter().find(|count| count.0 == name).map_or(0, |count| count.1)
    }

    /// Counts one emitted symbol.
    pub(crate) fn emitted(&mut self, symbol: Symbol) {
        let links = &mut self.link_symbols;
        match symbol {
            Symbol::Idle(idle) => {
                links.idle += 1;
                self.go_hash = fold(self.go_hash, idle.word());
            }
            Symbol::Control(_) => links.control += 1,
            Symbol::Packet(symbol) => match symbol.kind {
                Kind::Send => links.send += 1,
                Kind::Retry => links.retry += 1,
                Kind::Echo { .. } => links.echo += 1,
                Kind::Event | Kind::Train | Kind::Call => links.control += 1,
            },
        }
    }
}

/// One step of an order-sensitive hash over idle words (FNV-1a on words).
pub(crate) fn fold(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01B3)
}
