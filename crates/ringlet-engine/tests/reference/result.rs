//! What the reference counts, for `[0, T)` if it has been advanced by `T` cycles in all.

use super::queue::FlowCounts;
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
}

impl Delivery {
    pub(crate) fn latency_cycles(&self) -> u64 {
        self.delivered - self.generated
    }
}

/// Counts of one flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlowResult {
    /// Arrivals at cycles below `T`, the lost ones included.
    pub(crate) generated_packets: u64,
    /// Arrivals that found the transmit queue full.
    pub(crate) lost_packets: u64,
    /// First transmissions whose first symbol was emitted.
    pub(crate) sent_packets: u64,
    /// Retransmissions whose first symbol was emitted.
    pub(crate) retries: u64,
    /// Packets with a delivery at `T` or before.
    pub(crate) delivered_packets: u64,
    pub(crate) delivered_symbols: u64,
    pub(crate) latency_sum_cycles: u64,
    /// `None` if nothing was delivered.
    pub(crate) latency_min: Option<u64>,
    /// `None` if nothing was delivered.
    pub(crate) latency_max: Option<u64>,
}

impl FlowResult {
    pub(crate) fn new<'a>(counts: FlowCounts, deliveries: impl Iterator<Item = &'a Delivery>) -> Self {
        let mut result = Self {
            generated_packets: counts.generated,
            lost_packets: counts.lost,
            sent_packets: counts.sent,
            retries: counts.retries,
            delivered_packets: 0,
            delivered_symbols: 0,
            latency_sum_cycles: 0,
            latency_min: None,
            latency_max: None,
        };
        for delivery in deliveries {
            let latency = delivery.latency_cycles();
            result.delivered_packets += 1;
            result.delivered_symbols += u64::from(delivery.symbols);
            result.latency_sum_cycles += latency;
            result.latency_min = Some(result.latency_min.map_or(latency, |least| least.min(latency)));
            result.latency_max = Some(result.latency_max.map_or(latency, |most| most.max(latency)));
        }
        result
    }
}

/// Symbols that a node has emitted, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LinkSymbols {
    /// Of first transmissions.
    pub(crate) send: u64,
    /// Of retransmissions.
    pub(crate) retry: u64,
    pub(crate) echo: u64,
    pub(crate) idle: u64,
}

/// Counts of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeResult {
    /// Symbols on the node's outgoing link.
    pub(crate) link_symbols: LinkSymbols,
    /// Packets that the node's receive queue refused.
    pub(crate) refused_packets: u64,
    /// Most symbols, separators included, in the bypass FIFO at the end of a cycle.
    pub(crate) bypass_max_symbols: u64,
    /// Packets in the transmit queue at the end of each cycle, summed.
    pub(crate) transmit_queue_packet_cycles: u64,
    /// Most packets in the transmit queue just after one was taken in.
    pub(crate) transmit_queue_max: u64,
    /// Packets that hold a place in the receive queue in each cycle, summed.
    pub(crate) receive_queue_packet_cycles: u64,
    /// Most packets in the receive queue just after one was accepted.
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
            bypass_max_symbols: 0,
            transmit_queue_packet_cycles: 0,
            transmit_queue_max: 0,
            receive_queue_packet_cycles: 0,
            receive_queue_max: 0,
            go_hash: Self::GO_HASH_START,
        }
    }

    /// Counts one emitted symbol.
    pub(crate) fn emitted(&mut self, symbol: Symbol) {
        match symbol {
            Symbol::Idle(idle) => {
                self.link_symbols.idle += 1;
                self.go_hash = fold(self.go_hash, idle.word());
            }
            Symbol::Packet(symbol) => match symbol.kind {
                Kind::Send => self.link_symbols.send += 1,
                Kind::Retry => self.link_symbols.retry += 1,
                Kind::Echo { .. } => self.link_symbols.echo += 1,
            },
        }
    }
}

/// One step of an order-sensitive hash over idle words (FNV-1a on words).
pub(crate) fn fold(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01B3)
}
