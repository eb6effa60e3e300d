//! Series, whose counts are added up: nodes, priorities, and all together.

use ringlet_engine::observe::Delivered;
use ringlet_engine::repeats::BadMessages;
use ringlet_engine::spec::{ArrivalSpec, FlowSpec, NetworkSpec};

use crate::simulator::Served;
use crate::statistics::pairwise_sum;

/// Levels of priority up to which each is reported, whether it is used or not: SCI's own.
const FEW_LEVELS: u16 = 4;

/// The part of a flow that counts as data when it has been served.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Payload {
    /// Bytes of each transaction; `None`: all bytes of its request, whatever its length.
    pub bytes_each: Option<f64>,
    /// Does the response bring them?
    pub in_response: bool,
}

/// A flow as a member of series.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Member {
    /// Node that sends.
    source: usize,
    /// Place of its priority among the reported ones.
    place: usize,
    /// Has it always a packet waiting?
    saturated: bool,
    /// Does it count what one of several receivers takes of another flow's packets?
    is_of_copies: bool,
    /// Have its requests responses?
    has_responses: bool,
    /// Mean data of a transaction, in bytes; of bare send packets all their bytes.
    mean_payload_bytes: f64,
    /// Part that counts as data.
    payload: Payload,
    /// Messages that do not count as data.
    bad: Option<BadMessages>,
}

/// The K series of a run, in this order: each node (by source), each reported priority, and the total.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    nodes: usize,
    priorities: Vec<u8>,
    framing_symbols: u32,
    symbol_bytes: f64,
    flows: Vec<Member>,
}

impl Series {
    /// The series of a network. Each of its flows has a payload.
    ///
    /// # Panics
    /// There are fewer payloads than flows.
    pub fn new(spec: &NetworkSpec, payloads: &[Payload]) -> Self {
        assert!(payloads.len() >= spec.flows.len(), "each flow has a payload");
        let priorities = reported(spec);
        let framing_symbols = spec.format.framing();
        let symbol_bytes = f64::from(spec.format.symbol_bytes());
        // Data of a request that may be sent again, since its response does not come in time, count when it does come.
        let is_sent_again = |flow: &FlowSpec| spec.queues.response_timeout.is_some() && flow.response_symbols.is_some();
        let flows = spec.flows.iter().zip(payloads).enumerate().map(|(index, (flow, &payload))| {
            let symbols = flow.sizes.iter().fold(0.0, |sum, &(symbols, share)| sum + f64::from(symbols) * share);
            Member {
                source: flow.source as usize,
                place: priorities.partition_point(|&priority| priority < flow.priority),
                saturated: matches!(flow.arrivals, ArrivalSpec::Saturated {}),
                is_of_copies: matches!(flow.arrivals, ArrivalSpec::Copies { .. }),
                has_responses: flow.response_symbols.is_some(),
                mean_payload_bytes: payload.bytes_each.unwrap_or(symbol_bytes * (symbols - f64::from(framing_symbols))),
                payload: Payload { in_response: payload.in_response || is_sent_again(flow), ..payload },
                bad: BadMessages::of(spec.seed, index, flow),
            }
        });
        let flows = flows.collect();
        Self { nodes: spec.nodes as usize, priorities, framing_symbols, symbol_bytes, flows }
    }

    /// Number of series, K.
    pub fn count(&self) -> usize {
        self.nodes + self.priorities.len() + 1
    }

    /// Nodes of the network.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Priorities with a series of their own, ascending: of few levels all, of many those that several flows use; none
    /// where there is one only.
    pub fn priorities(&self) -> &[u8] {
        &self.priorities
    }

    /// Flows.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Does a flow always have a packet waiting?
    pub(crate) fn is_saturated(&self, flow: usize) -> bool {
        self.flows[flow].saturated
    }

    /// Have the requests of a flow responses?
    pub(crate) fn has_responses(&self, flow: usize) -> bool {
        self.flows[flow].has_responses
    }

    /// Node that sends the packets of a flow.
    pub(crate) fn source(&self, flow: usize) -> usize {
        self.flows[flow].source
    }

    /// Data of a number of packets of a flow, in bytes.
    pub(crate) fn mean_payload_bytes(&self, flow: usize, packets: u64) -> f64 {
        packets as f64 * self.flows[flow].mean_payload_bytes
    }

    /// Bytes of a symbol, a word.
    pub fn symbol_bytes(&self) -> f64 {
        self.symbol_bytes
    }

    /// Symbols of packets without their framing.
    pub(crate) fn unframed(&self, symbols: u64, packets: u64) -> f64 {
        symbols as f64 - f64::from(self.framing_symbols) * packets as f64
    }

    /// Packets of a flow that have been served, in symbols without their framing. Of several receivers the last one
    /// counts: none where the flow is of copies for the others.
    pub(crate) fn packet_symbols(&self, flow: usize, served: &Served) -> f64 {
        if self.flows[flow].is_of_copies { 0.0 } else { self.unframed(served.symbols, served.packets) }
    }

    /// Data of a flow that has been served, in words: what symbols hold.
    pub fn payload_symbols(&self, flow: usize, served: &Served) -> f64 {
        let Member { payload, mean_payload_bytes, .. } = &self.flows[flow];
        if payload.bytes_each.is_none() {
            return self.unframed(served.symbols - served.bad.symbols, served.packets - served.bad.packets);
        }
        let responses = served.responses - served.bad.responses;
        let packets = served.packets - served.bad.packets;
        let transactions = if payload.in_response { responses } else { packets - responses };
        transactions as f64 * mean_payload_bytes / self.symbol_bytes
    }

    /// Counts a delivery among what has been served of its flow.
    pub(crate) fn count_delivery(&self, delivered: &Delivered, served: &mut Served) {
        let &Delivered { cycle, packet } = delivered;
        let (symbols, responses) = (u64::from(packet.symbols), u64::from(packet.response));
        served.packets += 1;
        served.symbols += symbols;
        served.responses += responses;
        served.latency_cycles += cycle - packet.generated;
        if self.is_bad(packet.flow as usize, packet.message) {
            served.bad.packets += 1;
            served.bad.symbols += symbols;
            served.bad.responses += responses;
        }
    }

    /// Does a message of a flow come again, since its source finds it bad?
    pub(crate) fn is_bad(&self, flow: usize, message: u32) -> bool {
        self.flows[flow].bad.is_some_and(|bad| bad.contains(message))
    }

    /// Numbers of the series of which a flow is a member, its node's first.
    fn of(&self, flow: usize) -> impl Iterator<Item = usize> {
        let member = &self.flows[flow];
        let priority = (!self.priorities.is_empty()).then_some(self.nodes + member.place);
        [member.source].into_iter().chain(priority).chain([self.count() - 1])
    }

    /// Flow numbers of each series.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count()];
        (0..self.flows.len()).for_each(|flow| self.of(flow).for_each(|series| members[series].push(flow)));
        members
    }

    /// Sums of one value per flow for each series.
    ///
    /// # Panics
    /// There are more values than flows.
    pub fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count()];
        for (flow, value) in values.iter().enumerate() {
            let member = &self.flows[flow];
            sums[member.source] += value;
            if !self.priorities.is_empty() {
                sums[self.nodes + member.place] += value;
            }
        }
        *sums.last_mut().expect("there is always a total") = pairwise_sum(values);
        sums
    }

    /// Least or most of one value per flow for each series; `None` where no flow has one.
    pub fn extremes(&self, values: impl Iterator<Item = Option<u64>>, pick: fn(u64, u64) -> u64) -> Vec<Option<u64>> {
        let mut found: Vec<Option<u64>> = vec![None; self.count()];
        for (flow, value) in values.enumerate() {
            let Some(value) = value else { continue };
            for series in self.of(flow) {
                let extreme = &mut found[series];
                *extreme = Some(extreme.map_or(value, |extreme| pick(extreme, value)));
            }
        }
        found
    }

    /// Bytes of data that the sources offered in `cycles` cycles, for each series: those of the requests
    /// generated that are no repeats, but one word per cycle for a node (or a node's priority) with a saturated flow,
    /// which takes whatever it gets.
    pub fn offered_bytes(&self, new_packets: impl Iterator<Item = u64>, cycles: u64) -> Vec<f64> {
        let saturation = self.symbol_bytes * cycles as f64;
        let reported = self.priorities.len();
        let mut by_node = vec![0.0; self.nodes];
        let mut by_pair = vec![0.0; self.nodes * reported];
        for (flow, packets) in new_packets.enumerate() {
            let member = &self.flows[flow];
            let bytes = self.mean_payload_bytes(flow, packets);
            by_node[member.source] += bytes;
            if reported > 0 {
                by_pair[member.source * reported + member.place] += bytes;
            }
        }
        for member in self.flows.iter().filter(|member| member.saturated) {
            by_node[member.source] = saturation;
            if reported > 0 {
                by_pair[member.source * reported + member.place] = saturation;
            }
        }
        let total = pairwise_sum(&by_node);
        let mut offered = by_node;
        offered.extend((0..reported).map(|place| by_pair.iter().skip(place).step_by(reported).sum::<f64>()));
        offered.push(total);
        offered
    }
}

fn reported(spec: &NetworkSpec) -> Vec<u8> {
    if (2..=FEW_LEVELS).contains(&spec.queues.priorities) {
        return (0..spec.queues.priorities as u8).collect();
    }
    let mut used: Vec<u8> = spec.flows.iter().map(|flow| flow.priority).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() > 1 { used } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use ringlet_engine::Simulation;
    use ringlet_engine::protocols::none::NoneSpec;
    use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, NetworkSpec};

    use super::*;

    #[test]
    fn deliveries_sum_up_to_the_counts_of_their_flows() {
        let read64 = |source| FlowSpec {
            response_symbols: Some(40),
            ..FlowSpec::new(source, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {}, 8)
        };
        let mut spec = NetworkSpec::ring(4, NoneSpec {}, (0..4).map(read64).collect());
        // Some requests are refused, and sent again.
        spec.queues.receive.common.capacity = Some(4);
        spec.queues.receive.common.service_cycles = 20;
        let series = Series::new(&spec, &[Payload { bytes_each: Some(64.0), in_response: true }; 4]);
        let mut simulation = Simulation::new(&spec).expect("the ring is allowed");
        simulation.keep_deliveries();
        let mut seen = vec![Served::default(); 4];
        for cycles in [1, 700, 5, 5_000, 20_000] {
            simulation.advance(cycles);
            for delivered in simulation.take_deliveries() {
                assert!(delivered.cycle < simulation.cycle());
                series.count_delivery(&delivered, &mut seen[delivered.packet.flow as usize]);
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
