//! The interface of a simulation that a run uses.

use ringlet_engine::measure::FlowCounters;
use ringlet_engine::observe::Delivered;
use ringlet_engine::{Histogram, Simulation, Stall};

/// Counts of a flow from which batches are made, since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    /// Packets delivered, requests and responses.
    pub packets: u64,
    /// Symbols of the packets delivered.
    pub symbols: u64,
    /// Responses among them.
    pub responses: u64,
    /// Sum of their latencies, in cycles.
    pub latency_cycles: u64,
    /// Packets among them that are no data, since they come again.
    pub bad: Bad,
}

/// Packets of messages that their source has found bad, or will.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bad {
    /// Packets, requests and responses.
    pub packets: u64,
    /// Symbols of the packets.
    pub symbols: u64,
    /// Responses among them.
    pub responses: u64,
}

impl From<&FlowCounters> for Served {
    fn from(counters: &FlowCounters) -> Self {
        let host = counters.host();
        Self {
            packets: counters.delivered_packets,
            symbols: counters.delivered_symbols,
            responses: host.delivered_responses,
            latency_cycles: counters.latency_sum_cycles,
            bad: Bad { packets: host.bad_packets, symbols: host.bad_symbols, responses: host.bad_responses },
        }
    }
}

/// Requests of a flow, since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    /// Requests generated.
    pub generated: u64,
    /// Requests served, lost or given up; one that is sent again, since it timed out, is served more than once.
    pub settled: u64,
}

impl From<&FlowCounters> for Requests {
    fn from(counters: &FlowCounters) -> Self {
        let host = counters.host();
        let served = counters.delivered_packets - host.delivered_responses;
        let again = host.timed_out_requests - host.unanswered_requests;
        // Of a request that has timed out the second service may come behind the last cycle counted: never below 0.
        let settled = served.saturating_sub(again) + counters.lost_packets + host.given_up_packets;
        Self { generated: counters.generated_packets, settled }
    }
}

/// Messages of a flow that are complete, since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completed {
    /// Messages complete.
    pub messages: u64,
    /// Messages that were complete after their deadline.
    pub late: u64,
}

impl From<&FlowCounters> for Completed {
    fn from(counters: &FlowCounters) -> Self {
        let host = counters.host();
        Self { messages: host.completed_messages, late: host.missed_deadlines }
    }
}

/// A simulation that a run advances.
pub trait Simulator {
    /// The reason for which a run may end before it is over.
    type Interrupt;

    /// Cycles simulated.
    fn cycle(&self) -> u64;

    /// Simulates `cycles` more cycles, to the last one or to a stall.
    ///
    /// # Errors
    /// The run is to end here.
    fn advance(&mut self, cycles: u64) -> Result<Option<Stall>, Self::Interrupt>;

    /// Simulates `cycles` more cycles, to the last one or to a stall; `each` sees every delivery before the cycle that
    /// is reached, in order of time.
    ///
    /// # Errors
    /// The run is to end here.
    fn advance_seen(
        &mut self,
        cycles: u64,
        each: &mut impl FnMut(&Delivered),
    ) -> Result<Option<Stall>, Self::Interrupt>;

    /// Starts all counts again from this cycle.
    fn reset_measurement(&mut self);

    /// The data served of each flow, in the order of the spec.
    fn served(&self) -> impl Iterator<Item = Served>;

    /// Latencies of all packets delivered since the last reset, in cycles.
    fn latencies(&self) -> Histogram<u32>;

    /// The messages of each flow, in the same order.
    fn completed(&self) -> impl Iterator<Item = Completed>;

    /// The requests of each flow, in the same order.
    fn requests(&self) -> impl Iterator<Item = Requests>;

    /// The engine's simulation, if there is one that may come back to a state.
    fn engine(&mut self) -> Option<&mut Simulation> {
        None
    }

    /// Returns whether nothing of a trace or of a collective operation is under way and nothing of it will start.
    fn is_over(&self) -> bool;
}
