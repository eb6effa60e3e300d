//! The Markov chain of a small ring under Bernoulli traffic: its states are the engine's, and a packet of every flow
//! may arrive in any cycle.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use ringlet_engine::spec::{ArrivalSpec, MAX_CYCLES, NetworkSpec, SpecError};
use ringlet_engine::{Simulation, State};

use crate::exploration::MAX_FLOWS;

/// All states of a ring whose flows generate a packet in each cycle or do not.
#[derive(Debug, Default)]
pub struct Chain {
    /// Flows of the ring, F.
    pub flows: usize,
    /// The state to which each of the 2^F sets of flows with an arrival leads from each state, in their order.
    pub next: Vec<u32>,
    /// Flows whose arrival finds the transmit queue full on that way, a bit each.
    pub lost: Vec<u8>,
    /// Flows of which a packet is delivered on that way, a bit each.
    pub delivered: Vec<u8>,
    /// Packets of each flow that are generated and not delivered, in each state.
    pub held: Vec<u16>,
}

/// A state whose steps are not known yet.
struct Open {
    number: u32,
    simulation: Simulation,
    held: Vec<u16>,
}

impl Chain {
    /// Explores every state, breadth first, until there are more than `most`; `goes_on` is asked now and then whether
    /// to.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated.
    ///
    /// # Panics
    /// There are more than [`MAX_FLOWS`] flows.
    pub fn explore(
        spec: &NetworkSpec,
        most: usize,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<Option<Self>, SpecError> {
        let flows = spec.flows.len();
        assert!(flows <= MAX_FLOWS, "{flows} flows");
        let mut spec = spec.clone();
        // Only the exploration lets packets arrive; a ring that stands still is a state like others.
        let never = ArrivalSpec::Periodic { period: 1.0, phase: MAX_CYCLES as f64 };
        spec.flows.iter_mut().for_each(|flow| flow.arrivals = never);
        spec.measurement.stall_cycles = MAX_CYCLES;
        // The coarsest histogram: nothing reads it here, and every state that is open has a copy.
        spec.measurement.latency_digits = 1;
        let mut simulation = Simulation::new(&spec)?;
        let mut chain = Self { flows, ..Self::default() };
        let mut numbers = HashMap::from([(fingerprint(&simulation.state()), 0u32)]);
        let mut open = VecDeque::from([Open { number: 0, simulation, held: vec![0; flows] }]);
        while let Some(Open { number, simulation, held }) = open.pop_front() {
            debug_assert_eq!(chain.held.len(), number as usize * flows);
            chain.held.extend(&held);
            if number % 1024 == 0 && !goes_on(numbers.len()) {
                return Ok(None);
            }
            for arrivals in 0..1u16 << flows {
                let mut next = simulation.fork();
                (0..flows).filter(|flow| arrivals >> flow & 1 == 1).for_each(|flow| next.generate(flow));
                next.advance(1);
                let (mut lost, mut delivered, mut left) = (0u8, 0u8, held.clone());
                for (flow, counted) in next.flow_counters().into_iter().enumerate() {
                    lost |= (counted.lost_packets as u8) << flow;
                    delivered |= (counted.delivered_packets as u8) << flow;
                    let came = counted.generated_packets as u16;
                    left[flow] = left[flow] + came - (counted.lost_packets + counted.delivered_packets) as u16;
                }
                next.reset_measurement();
                let count = numbers.len() as u32;
                let to = *numbers.entry(fingerprint(&next.state())).or_insert(count);
                if to == count {
                    open.push_back(Open { number: to, simulation: next, held: left });
                }
                chain.next.push(to);
                chain.lost.push(lost);
                chain.delivered.push(delivered);
            }
            if numbers.len() > most {
                goes_on(numbers.len());
                return Ok(None);
            }
        }
        Ok(Some(chain))
    }
}

/// 128 bits of a state: two of some millions of states are alike by chance in one of 10^24 cases.
fn fingerprint(state: &State) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        state.code.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

#[cfg(test)]
mod tests {
    use ringlet_engine::protocols::none::NoneSpec;
    use ringlet_engine::spec::{DestinationSpec, FlowSpec};

    use super::*;

    fn ring() -> NetworkSpec {
        let flow = |source: u32| {
            let arrivals = ArrivalSpec::Bernoulli { rate: 0.05 };
            FlowSpec::new(source, DestinationSpec::Fixed { node: 1 - source }, arrivals, 8)
        };
        let mut ring = NetworkSpec::ring(2, NoneSpec {}, vec![flow(0), flow(1)]);
        ring.queues.limits.common.transmit_capacity = Some(1);
        ring
    }

    #[test]
    fn every_step_leads_to_a_state_and_keeps_the_packets() {
        let chain = Chain::explore(&ring(), 100_000, |_| true).expect("a valid ring").expect("it is small");
        let states = chain.held.len() / 2;
        assert!(states > 100 && chain.next.len() == 4 * states, "{states} states");
        for (step, &to) in chain.next.iter().enumerate() {
            let (from, arrivals) = (step / 4, step % 4);
            for flow in 0..2 {
                let bit = |bits: u8| u16::from(bits >> flow & 1);
                let came = bit(arrivals as u8) - bit(chain.lost[step]);
                let left = chain.held[2 * from + flow] + came - bit(chain.delivered[step]);
                assert_eq!(chain.held[2 * to as usize + flow], left, "step {step} to {to}");
            }
        }
    }

    #[test]
    fn too_many_states_are_given_up() {
        let mut reached = 0;
        let found = Chain::explore(&ring(), 50, |states| {
            reached = states;
            true
        });
        assert!(found.expect("a valid ring").is_none() && reached > 50);
    }
}
