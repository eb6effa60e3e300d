//! A switch between ringlets, against a plain simulation cycle by cycle that shares nothing with the engine but the
//! spec.
//!
//! On a ringlet of two interfaces of which one sends, packets and echoes never meet, so that this needs no symbols:
//! docs/explanation/network-model.md in its shortest form.

use std::collections::VecDeque;

use crate::networks::{KIND, SYMBOL_PS, buffers, every, flow, network, node, port, ring, step, to, topology};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::spec::{NetworkSpec, ReceiveQueueSpec, SlotChoice, SwitchKindSpec};

/// Bytes of a packet, and its symbols of 16 bits.
const BYTES: u32 = 80;
const SYMBOLS: u64 = 40;

/// A packet: its flow and the cycle of its generation.
type Packet = (usize, u64);

/// The sending end of a ringlet.
struct Sender {
    /// Cycles of a symbol.
    symbol: u64,
    /// Packets that are ready from a cycle on, in the order of these cycles; and packets that have been refused.
    ready: VecDeque<(u64, Packet)>,
    refused: VecDeque<(u64, Packet)>,
    /// Stop-and-wait: the packet beside which no other is sent, since it is being refused.
    stops: bool,
    only: Option<Packet>,
    /// Cycle from which on the sender is idle and decides.
    idle_from: u64,
    retries: u64,
}

impl Sender {
    fn new(symbol: u64) -> Self {
        let (ready, refused) = Default::default();
        Self { symbol, ready, refused, stops: false, only: None, idle_from: 0, retries: 0 }
    }

    /// In an idle of cycle `now`: the packet that follows it.
    fn send(&mut self, now: u64, end: u64) -> Option<Packet> {
        if now < self.idle_from {
            return None;
        }
        let again = match self.only {
            Some(only) => self.refused.iter().position(|refused| refused.1 == only && refused.0 <= now),
            None => self.refused.front().filter(|first| first.0 <= now).map(|_| 0),
        };
        if self.only.is_some() && again.is_none() {
            return None;
        }
        let packet = if let Some(place) = again {
            // It is counted with its first symbol.
            self.retries += u64::from(now + self.symbol < end);
            self.refused.remove(place)?.1
        } else {
            self.ready.front().filter(|first| first.0 <= now)?;
            self.ready.pop_front()?.1
        };
        self.idle_from = now + (1 + SYMBOLS) * self.symbol;
        Some(packet)
    }
}

/// Counts of a reference: deliveries and the sum of their latencies for each flow, retries of sources and ports,
/// transfers.
type Counts = (Vec<(u64, u64)>, Vec<u64>, Vec<u64>, u64);

/// `pairs` processors, each with its memory, at the ports of one switch: processor `i` at port `i`, memory `i` at port
/// `pairs + i`. The ringlets of processors have one rate, those of memories another; at `end` both are at a symbol.
fn reference(spec: &NetworkSpec, pairs: usize, end: u64) -> Counts {
    let kind = spec.network.as_ref().expect("a network").switch_kinds[0];
    let hop = u64::from(spec.hop_delay.common);
    let symbol = |ring: usize| u64::from(spec.network.as_ref().expect("a network").rings[ring].symbol_cycles);
    let (near, far) = (symbol(0), symbol(pairs));
    let symbol_of = |is_source: bool| if is_source { near } else { far };
    let memories = &spec.queues.receive.each.as_ref().expect("one of each node")[pairs..];
    let (mut sources, mut outs): (Vec<Sender>, Vec<Sender>) =
        ((0..pairs).map(|_| Sender::new(near)).collect(), (0..pairs).map(|_| Sender::new(far)).collect());
    let choice = spec.network.as_ref().expect("a network").slot_choice;
    outs.iter_mut().for_each(|port| port.stops = choice == SlotChoice::StopAndWait);
    // Per processor's port: cycles in which its buffers come free, or none yet; what waits for the bus, with the time
    // at which it is ready.
    let mut buffers: Vec<Vec<u64>> = vec![Vec::new(); pairs];
    let mut queues: Vec<VecDeque<(u64, Packet)>> = vec![VecDeque::new(); pairs];
    // Per memory's port: times in ps at which its slots are free.
    let mut slots: Vec<Vec<u64>> = vec![vec![0; kind.transmit.requests as usize]; pairs];
    let mut served: Vec<Vec<u64>> = vec![Vec::new(); pairs];
    // What reaches the other end of a ringlet with its first symbol, and echoes with their last: cycle, whether from a
    // source, packet, and what they say.
    let mut heads: Vec<(u64, bool, Packet)> = Vec::new();
    let mut echoes: Vec<(u64, bool, Packet, bool)> = Vec::new();
    let (mut bus_free, mut last, mut transfers) = (0u64, 0usize, 0u64);
    let mut delivered = vec![(0, 0); pairs];
    let periods: Vec<f64> = spec
        .flows
        .iter()
        .map(|flow| match flow.arrivals {
            ringlet_engine::spec::ArrivalSpec::Periodic { period, .. } => period,
            _ => unreachable!("periodic flows"),
        })
        .collect();
    let mut generated = vec![0u64; pairs];
    for now in 0..=end {
        // The bus, picosecond by picosecond as far as anything can happen, up to this cycle.
        let mut time = bus_free.max(now.saturating_sub(1) * SYMBOL_PS);
        while time < now * SYMBOL_PS {
            let ready = |port: usize| queues[port].front().is_some_and(|first| first.0 <= time);
            let free = |port: usize| slots[port].iter().any(|&at| at <= time);
            // Ports of memories receive nothing, but have their turns.
            let turn = (1..=2 * pairs)
                .map(|ahead| (last + ahead) % (2 * pairs))
                .find(|&at| at < pairs && ready(at) && free(at));
            let Some(port) = turn else {
                time += 1;
                let changes = queues.iter().filter_map(|queue| queue.front()).map(|first| first.0);
                let next = changes.chain(slots.iter().flatten().copied()).filter(|&at| at >= time).min();
                time = next.unwrap_or(u64::MAX);
                continue;
            };
            let (_, packet) = queues[port].pop_front().expect("it is ready");
            let done = time + kind.hold_ps(BYTES);
            let slot = slots[port].iter().position(|&at| at <= time).expect("one is free");
            slots[port].swap_remove(slot);
            let buffer = buffers[port].iter().position(|&at| at == u64::MAX).expect("it is in a buffer");
            let symbol_from = |ps: u64, symbol: u64| ps.div_ceil(symbol * SYMBOL_PS) * symbol;
            buffers[port][buffer] = symbol_from(done, near);
            outs[port].ready.push_back((symbol_from(done + kind.from_link_ps, far), packet));
            (bus_free, last, time) = (done, port, done);
            transfers += 1;
        }
        if now == end {
            break;
        }
        for (_, source, packet, accepted) in echoes.extract_if(.., |echo| echo.0 == now) {
            let sender = if source { &mut sources[packet.0] } else { &mut outs[packet.0] };
            if !accepted {
                sender.refused.push_back((now, packet));
                if sender.stops {
                    sender.only.get_or_insert(packet);
                }
                continue;
            }
            if sender.only == Some(packet) {
                sender.only = sender.refused.front().map(|first| first.1);
            }
            if !source {
                slots[packet.0].push(now * SYMBOL_PS + kind.to_link_ps);
            }
        }
        for (_, source, packet) in heads.extract_if(.., |head| head.0 == now) {
            let pair = packet.0;
            let accepted = if source {
                buffers[pair].retain(|&at| at > now);
                buffers[pair].len() < kind.receive.requests as usize
            } else {
                served[pair].retain(|&at| at > now);
                served[pair].len() < memories[pair].capacity.expect("limited") as usize
            };
            if accepted && source {
                buffers[pair].push(u64::MAX);
                queues[pair].push_back(((now + SYMBOLS * near) * SYMBOL_PS + kind.to_link_ps, packet));
            } else if accepted {
                let start = served[pair].last().copied().unwrap_or(0).max(now + SYMBOLS * far);
                let done = start + memories[pair].service_cycles.next_multiple_of(far);
                served[pair].push(done);
                if done <= end {
                    delivered[pair].0 += 1;
                    delivered[pair].1 += done - packet.1;
                }
            }
            echoes.push((now + (SYMBOLS - 1 + hop) * symbol_of(source), source, packet, accepted));
        }
        for pair in 0..pairs {
            while now % near == 0 && (generated[pair] as f64 * periods[pair]).ceil() as u64 <= now {
                sources[pair].ready.push_back((now, (pair, now)));
                generated[pair] += 1;
            }
            for (source, sender) in [(true, &mut sources[pair]), (false, &mut outs[pair])] {
                let symbol = sender.symbol;
                if now % symbol == 0
                    && let Some(packet) = sender.send(now, end)
                {
                    heads.push((now + (1 + hop) * symbol, source, packet));
                }
            }
        }
    }
    let retries = |senders: &[Sender]| senders.iter().map(|sender| sender.retries).collect();
    (delivered, retries(&sources), retries(&outs), transfers)
}

fn engine(spec: &NetworkSpec, pairs: usize, end: u64) -> Counts {
    let mut simulation = Simulation::new(spec).expect("valid");
    simulation.advance(end);
    let flows = simulation.flow_counters();
    let ports = simulation.port_counters();
    (
        flows.iter().map(|flow| (flow.delivered_packets, flow.latency_sum_cycles)).collect(),
        flows.iter().map(|flow| flow.retries).collect(),
        ports[pairs..].iter().map(|port| port.retries).collect(),
        simulation.link_counters()[0].packets,
    )
}

proptest! {
    #![proptest_config(crate::cases(100))]

    #[test]
    fn a_switch_equals_its_reference(
        pairs in proptest::collection::vec((45u32..400, 1..5u32, 0..150u64), 1..4),
        hop_delay in 1..30u32, end in 2_000..8_000u64,
        (setup_ps, to_link_ps, from_link_ps) in (0..500_000u64, 0..200_000u64, 0..200_000u64),
        (receive, transmit) in (1..5u32, 1..5u32), stops in any::<bool>(),
        // Powers of 2, by which periods can be divided.
        (near, far_rate) in (0..3u32, 0..3u32),
    ) {
        let end = end / 4 * 4;
        let memories: Vec<_> = pairs
            .iter()
            .map(|&(_, places, service_cycles)| ReceiveQueueSpec { capacity: Some(places), service_cycles })
            .collect();
        let periods: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
        let pairs = periods.len();
        let kind = SwitchKindSpec {
            setup_ps, to_link_ps, from_link_ps, receive: buffers(receive), transmit: buffers(transmit), ..KIND
        };
        let far = |number: u32| number + pairs as u32;
        let processors = (0..pairs as u32).map(|number| {
            ring(vec![node(number), port(0, number as u16)], (0..2 * pairs as u32)
                .map(|to| step(to, 1, if to == number { far(number) } else { to } as u16)).collect())
        });
        let far_rings = (0..pairs as u32).map(|number| {
            ring(vec![port(0, far(number) as u16), node(far(number))], (0..2 * pairs as u32)
                .map(|to| step(to, 0, if to == far(number) { number } else { to } as u16)).collect())
        });
        let flows = periods.iter().zip(0..);
        let flows = flows.map(|(&period, number)| flow(number, to(far(number)), every(f64::from(period))));
        let mut spec = network(processors.chain(far_rings).collect(), kind, &[2 * pairs as u16], flows.collect());
        spec.hop_delay.common = hop_delay;
        for (number, ring) in topology(&mut spec).rings.iter_mut().enumerate() {
            ring.symbol_cycles = 1 << if number < pairs { near } else { far_rate };
        }
        // Hosts have no slots here, ports always do.
        topology(&mut spec).slot_choice = if stops { SlotChoice::StopAndWait } else { SlotChoice::RetriesFirst };
        // A processor receives nothing.
        spec.queues.receive.each = Some([&memories[..], &memories[..]].concat());
        spec.queues.limits.common.outstanding_limit = None;
        prop_assert_eq!(engine(&spec, pairs, end), reference(&spec, pairs, end));
    }
}
