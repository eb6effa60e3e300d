//! What is counted, per flow and per node, since the last reset.

use hdrhistogram::Histogram;

/// Counts of one flow.
#[derive(Debug, Default)]
pub struct FlowCounters {
    /// Packets generated.
    pub generated_packets: u64,
    /// Packets that found the transmit queue full.
    pub lost_packets: u64,
    /// First transmissions started.
    pub sent_packets: u64,
    /// Retransmissions started.
    pub retries: u64,
    /// Packets whose service ended.
    pub delivered_packets: u64,
    /// Their symbols.
    pub delivered_symbols: u64,
    /// Sum of their latencies, in cycles.
    pub latency_sum_cycles: u64,
    /// Smallest latency, in cycles; 0 without a delivery.
    pub latency_min_cycles: u64,
    /// Largest latency, in cycles.
    pub latency_max_cycles: u64,
    /// Their distribution, made with the first delivery: a resting flow holds none.
    histogram: Option<Box<Histogram<u32>>>,
}

impl FlowCounters {
    /// Counts a delivery. `digits` is the histogram's precision.
    #[inline]
    pub(crate) fn deliver(&mut self, symbols: u64, latency_cycles: u64, digits: u8) {
        if self.delivered_packets == 0 {
            self.latency_min_cycles = latency_cycles;
        }
        self.delivered_packets += 1;
        self.delivered_symbols += symbols;
        self.latency_sum_cycles += latency_cycles;
        self.latency_min_cycles = self.latency_min_cycles.min(latency_cycles);
        self.latency_max_cycles = self.latency_max_cycles.max(latency_cycles);
        let histogram = self.histogram.get_or_insert_with(|| Box::new(new_histogram(digits)));
        histogram.saturating_record(latency_cycles);
    }

    /// Distribution of the latencies; `None` without a delivery.
    pub fn histogram(&self) -> Option<&Histogram<u32>> {
        self.histogram.as_deref()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.histogram.as_ref().map_or(0, |h| size_of::<Histogram<u32>>() + h.distinct_values() * size_of::<u32>())
    }
}

/// An empty latency histogram that grows with what it records.
pub(crate) fn new_histogram(digits: u8) -> Histogram<u32> {
    let mut histogram = Histogram::new(digits).expect("the spec allows 1 to 4 digits");
    histogram.auto(true);
    histogram
}

/// Counts of one node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Symbols of first transmissions on the node's output link, of any source.
    pub link_send_symbols: u64,
    /// Symbols of retransmissions.
    pub link_retry_symbols: u64,
    /// Symbols of echoes.
    pub link_echo_symbols: u64,
    /// Idles.
    pub link_idle_symbols: u64,
    /// Integral of the transmit queue's length over cycles.
    pub transmit_queue_packet_cycles: u64,
    /// Longest transmit queue.
    pub transmit_queue_max: u64,
    /// Integral of the receive queue's length (being received, waiting, in service) over cycles.
    pub receive_queue_packet_cycles: u64,
    /// Longest receive queue.
    pub receive_queue_max: u64,
    /// Largest bypass FIFO fill, in symbols with separators.
    pub bypass_max_symbols: u64,
    /// Busy echoes made.
    pub refused_packets: u64,
}

/// Integral over time of the number of things inside, from their entries and exits alone.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Population {
    inside: u64,
    /// Sum of exit cycles minus sum of entry cycles, of all things ever seen (wrapping).
    balance: u64,
    /// Integral up to the last reset (wrapping).
    base: u64,
    max: u64,
}

impl Population {
    #[inline]
    pub(crate) fn enter(&mut self, at: u64) {
        self.inside += 1;
        self.balance = self.balance.wrapping_sub(at);
        self.max = self.max.max(self.inside);
    }

    #[inline]
    pub(crate) fn leave(&mut self, at: u64) {
        self.inside -= 1;
        self.balance = self.balance.wrapping_add(at);
    }

    #[inline]
    pub(crate) fn inside(&self) -> u64 {
        self.inside
    }

    pub(crate) fn max(&self) -> u64 {
        self.max
    }

    fn total(&self, now: u64) -> u64 {
        self.balance.wrapping_add(self.inside.wrapping_mul(now))
    }

    /// Integral from the last reset to `now`; nothing may have entered or left later than that.
    pub(crate) fn integral(&self, now: u64) -> u64 {
        self.total(now).wrapping_sub(self.base)
    }

    pub(crate) fn reset(&mut self, now: u64) {
        self.base = self.total(now);
        self.max = self.inside;
    }
}

/// Sees what happens; the default sees nothing and costs nothing.
pub trait Observer: Send + Sync {
    /// Must it see every idle? Else revolutions in which only idles circulate are skipped.
    const SEES_IDLES: bool = false;

    /// `count` equal idles were emitted, the first in `cycle`.
    fn idles(&mut self, _node: u32, _cycle: u64, _word: u32, _count: u32) {}

    /// A packet's service ended.
    fn delivered(&mut self, _delivery: Delivery) {}
}

/// The observer that sees nothing.
impl Observer for () {}

/// A packet delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delivery {
    /// Cycle of its delivery.
    pub delivered: u64,
    /// Node that received it.
    pub destination: u32,
    /// Its flow.
    pub flow: u32,
    /// Cycle in which it was generated.
    pub generated: u64,
    /// Its length.
    pub symbols: u32,
}
