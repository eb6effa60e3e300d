//! The interface of a simulation that a run uses.

use ringlet_engine::measure::FlowCounters;
use ringlet_engine::observe::Delivered;
use ringlet_engine::{Histogram, Stall};

use crate::series::Series;

/// Counts of a flow from which batches are made, since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    /// Packets delivered, requests and responses.
    pub packets: u64,
    /// Their symbols.
    pub symbols: u64,
    /// Responses among them.
    pub responses: u64,
    /// Sum of their latencies, in cycles.
    pub latency_cycles: u64,
    /// Those of them that are no data, since they come again.
    pub bad: Bad,
}

/// Packets of messages that their source has found bad, or will.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bad {
    /// Packets, requests and responses.
    pub packets: u64,
    /// Their symbols.
    pub symbols: u64,
    /// Responses among them.
    pub responses: u64,
}

impl Served {
    /// Counts a delivery.
    pub(crate) fn count(&mut self, delivered: &Delivered, series: &Series) {
        let &Delivered { cycle, packet } = delivered;
        let (symbols, responses) = (u64::from(packet.symbols), u64::from(packet.response));
        self.packets += 1;
        self.symbols += symbols;
        self.responses += responses;
        self.latency_cycles += cycle - packet.generated;
        if series.is_bad(packet.flow as usize, packet.message) {
            self.bad.packets += 1;
            self.bad.symbols += symbols;
            self.bad.responses += responses;
        }
    }
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

/// Messages of a flow that are complete, since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completed {
    /// Messages complete.
    pub messages: u64,
    /// Those of them after their deadline.
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

    /// The same, and `each` sees every delivery before the cycle that is reached, in order of time.
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

    /// Returns whether nothing of a trace is under way and nothing of it will start.
    fn is_replay_over(&self) -> bool;
}

#[cfg(test)]
mod tests {
    use ringlet_engine::Simulation;
    use ringlet_engine::protocols::none::NoneSpec;
    use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, NetworkSpec};

    use super::*;
    use crate::series::Payload;

    #[test]
    fn deliveries_sum_up_to_the_counts_of_their_flows() {
        let read64 = |source| FlowSpec {
            response_symbols: Some(40),
            ..FlowSpec::new(source, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {}, 8)
        };
        let mut spec = NetworkSpec::ring(4, NoneSpec {}, (0..4).map(read64).collect());
        // Some requests are refused, and sent again.
        spec.receive_queue.capacity = Some(4);
        spec.receive_queue.service_cycles = 20;
        let series = Series::new(&spec, &[Payload { bytes_each: Some(64.0), in_response: true }; 4]);
        let mut simulation = Simulation::new(&spec).expect("the ring is allowed");
        simulation.keep_deliveries();
        let mut seen = vec![Served::default(); 4];
        for cycles in [1, 700, 5, 5_000, 20_000] {
            simulation.advance(cycles);
            for delivered in simulation.take_deliveries() {
                assert!(delivered.cycle < simulation.cycle());
                seen[delivered.packet.flow as usize].count(&delivered, &series);
            }
            let counted: Vec<Served> = simulation.flow_counters().into_iter().map(Served::from).collect();
            for (seen, counted) in seen.iter().zip(&counted) {
                // Of the last cycle it comes with the next step: one packet at each of four nodes.
                assert!((0..=4).contains(&(counted.packets - seen.packets)), "{seen:?} {counted:?}");
            }
        }
        let much = |seen: &Served| seen.packets > 100 && seen.responses > 50 && seen.latency_cycles > 10_000;
        assert!(seen.iter().all(much), "{seen:?}");
        simulation.drop_deliveries();
        simulation.advance(5_000);
        assert!(simulation.take_deliveries().is_empty());
    }
}
