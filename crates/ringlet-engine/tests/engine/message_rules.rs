//! Messages with sizes, receivers and times of their own: what is drawn, what is counted, and what does not matter.

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::MessageCounters;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, MessagesSpec, NetworkSpec, SizeSpec};

use crate::networks::fingerprint;
use crate::networks::random::any_network;
use crate::random;
use crate::rings::{NONE, flow, once, ring, saturated};

/// Bytes of a message that a packet carries.
pub(crate) const PACKET: u32 = 64;

/// Messages of one size that are released when they are due.
pub(crate) fn sized(bytes: u64) -> MessagesSpec {
    MessagesSpec {
        jitter_cycles: 0,
        start_cycle: 0,
        stop_cycle: None,
        total: None,
        times: Vec::new(),
        size: SizeSpec::Weighted { sizes: vec![(bytes, 1.0)] },
        packet_bytes: PACKET,
        by_destination: false,
    }
}

fn with(messages: MessagesSpec, flow: FlowSpec) -> FlowSpec {
    FlowSpec { messages: Some(Box::new(messages)), ..flow }
}

fn simulate(flows: Vec<FlowSpec>, cycles: u64) -> Simulation {
    let mut simulation = Simulation::new(&ring(4, 1, NONE, flows)).expect("a valid spec");
    assert!(simulation.advance(cycles).is_none(), "no stall");
    simulation
}

/// Counts of the messages of the first flow.
fn messages(simulation: &Simulation) -> MessageCounters {
    simulation.message_counters()[0].expect("it has messages")
}

fn every(period: f64) -> ArrivalSpec {
    ArrivalSpec::Periodic { period, phase: 0.0 }
}

/// Least, mean and largest latency of the messages of the first flow.
fn latencies(simulation: &Simulation) -> (u64, f64, u64) {
    let host = simulation.flow_counters()[0].host();
    let mean = host.message_latency_sum_cycles as f64 / host.completed_messages as f64;
    (host.message_latency_min_cycles, mean, host.message_latency_max_cycles)
}

/// Cycles in which the messages of a flow that is alone are due, by their deliveries.
fn due(flow: FlowSpec, cycles: u64) -> Vec<u64> {
    let mut simulation = Simulation::new(&ring(4, 1, NONE, vec![flow])).expect("a valid spec");
    simulation.keep_deliveries();
    simulation.advance(cycles);
    simulation.take_deliveries().iter().map(|delivered| delivered.packet.generated).collect()
}

#[test]
fn a_message_is_as_many_packets_as_its_bytes_need() {
    let simulation = simulate(vec![with(sized(200), once(0, 2, 40, 7))], 1_000);
    let flow = simulation.flow_counters()[0];
    assert_eq!((flow.generated_packets, flow.delivered_packets, flow.host().completed_messages), (4, 4, 1));
    let counted = messages(&simulation);
    assert_eq!((counted.released, counted.released_bytes, counted.completed_bytes, counted.open), (1, 200, 200, 0));
}

#[test]
fn a_message_that_is_released_late_is_measured_from_when_it_was_due() {
    let alone = latencies(&simulate(vec![flow(0, 2, 40, every(1_000.0))], 1_000_000));
    let late = with(MessagesSpec { jitter_cycles: 300, ..sized(64) }, flow(0, 2, 40, every(1_000.0)));
    let (least, mean, most) = latencies(&simulate(vec![late.clone()], 1_000_000));
    assert_eq!((least, most), (alone.0, alone.0 + 300));
    // A thousand draws from 0 to 300.
    assert!((mean - alone.1 - 150.0).abs() < 12.0, "{mean}");
    let times = due(late, 1_000_000);
    assert!(times.iter().all(|cycle| cycle % 1_000 <= 300));
}

#[test]
fn a_message_may_overtake_one_that_is_more_than_a_period_late() {
    let late = with(MessagesSpec { jitter_cycles: 5_000, ..sized(64) }, flow(0, 2, 40, every(1_000.0)));
    let simulation = simulate(vec![late.clone()], 2_000_000);
    let counted = messages(&simulation);
    assert!((1_990..=2_000).contains(&counted.released), "{}", counted.released);
    let times = due(late, 2_000_000);
    assert!(times.is_sorted() && times.windows(2).any(|pair| pair[1] - pair[0] < 300));
}

#[test]
fn sporadic_arrivals_keep_their_distance() {
    let arrivals = ArrivalSpec::Sporadic { period: 500.0, phase: 20.0, extra: 250.0 };
    let times = due(flow(0, 2, 40, arrivals), 3_000_000);
    assert_eq!(times[0], 20);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 499));
    let mean = (times[times.len() - 1] - 20) as f64 / (times.len() - 1) as f64;
    assert!((mean - 750.0).abs() < 4.0 * 250.0 / (times.len() as f64).sqrt(), "{mean}");
}

#[test]
fn a_source_that_is_on_and_off_sends_only_while_it_is_on() {
    for shape in [None, Some(2.5)] {
        let arrivals = ArrivalSpec::OnOff { gap: 100.0, on: 1_000.0, off: 3_000.0, shape };
        let times = due(flow(0, 2, 40, arrivals), 40_000_000);
        // A quarter of the time, one in 100 cycles.
        let rate = times.len() as f64 / 40e6;
        assert!((rate / (0.25 / 100.0) - 1.0).abs() < 0.05, "{rate}");
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|&gap| gap >= 99));
        let within = gaps.iter().filter(|&&gap| gap <= 101).count() as f64 / gaps.len() as f64;
        assert!((0.85..0.97).contains(&within), "{within}");
    }
}

#[test]
fn messages_start_stop_and_end_when_it_is_said() {
    let limited = MessagesSpec { start_cycle: 500, stop_cycle: Some(2_000), ..sized(64) };
    assert_eq!(due(with(limited, flow(0, 2, 40, every(400.0))), 10_000), [500, 900, 1_300, 1_700]);
    let few = MessagesSpec { total: Some(2), ..sized(64) };
    assert_eq!(due(with(few, flow(0, 2, 40, every(400.0))), 10_000), [0, 400]);
    let listed = MessagesSpec { times: vec![3, 3, 700], start_cycle: 10, ..sized(64) };
    assert_eq!(due(with(listed, flow(0, 2, 40, ArrivalSpec::Listed {})), 10_000), [13, 13, 710]);
}

#[test]
fn sizes_are_drawn_as_their_distribution_says() {
    let mean_of = |size: SizeSpec| {
        let drawn = with(MessagesSpec { size, ..sized(1) }, flow(0, 2, 8, every(100.0)));
        let counted = messages(&simulate(vec![drawn], 4_000_000));
        counted.released_bytes as f64 / counted.released as f64
    };
    let weighted = mean_of(SizeSpec::Weighted { sizes: vec![(64, 0.75), (128, 0.25)] });
    assert!((weighted - 80.0).abs() < 1.0, "{weighted}");
    let uniform = mean_of(SizeSpec::Uniform { least: 11, most: 50 });
    assert!((uniform - 30.5).abs() < 0.3, "{uniform}");
    let (mean_log, deviation_log): (f64, f64) = (4.0, 0.5);
    let log_normal = mean_of(SizeSpec::LogNormal { mean_log, deviation_log, least: 1, most: 1 << 20 });
    // Sizes are rounded up.
    let expected = (mean_log + deviation_log.powi(2) / 2.0).exp() + 0.5;
    assert!((log_normal / expected - 1.0).abs() < 0.015, "{log_normal} {expected}");
    assert_eq!(mean_of(SizeSpec::LogNormal { mean_log: 9.0, deviation_log: 0.1, least: 1, most: 100 }), 100.0);
}

#[test]
fn a_deadline_is_judged_once() {
    // Alone a message takes 43 cycles; every other one comes while four others are sent.
    let cycles = latencies(&simulate(vec![flow(0, 2, 40, every(1_000.0))], 10_000)).0;
    let judge = |deadline: u64, resets: &[u64]| {
        let late = with(MessagesSpec { jitter_cycles: 99, ..sized(64) }, flow(0, 2, 40, every(1_000.0)));
        let spec = ring(4, 1, NONE, vec![FlowSpec { deadline_cycles: Some(deadline), ..late }]);
        let mut simulation = Simulation::new(&spec).expect("valid");
        let mut sum = (0, 0, 0);
        for cycle in resets.iter().copied().chain([500_000]) {
            simulation.advance(cycle - simulation.cycle());
            let counted = messages(&simulation);
            sum = (sum.0 + counted.released, sum.1 + counted.judged, sum.2 + counted.missed);
            simulation.reset_measurement();
        }
        sum
    };
    assert_eq!(judge(cycles + 99, &[]), (500, 500, 0));
    let (released, judged, missed) = judge(cycles + 49, &[]);
    assert_eq!((released, judged), (500, 500));
    assert!((200..300).contains(&missed), "{missed}");
    // However often the counts are read and begun again, and whenever.
    assert_eq!(judge(cycles + 49, &[43, 44, 1_020, 1_100, 77_777]), (released, judged, missed));
}

#[test]
fn what_finds_a_full_queue_is_lost_and_misses_its_deadline() {
    let large = with(sized(640), flow(0, 2, 40, every(1_000.0)));
    let large = FlowSpec { deadline_cycles: Some(900), ..large };
    let mut spec = ring(4, 1, NONE, vec![large]);
    spec.queues.limits.common.transmit_capacity = Some(9);
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(10_000);
    let counted = messages(&simulation);
    let expected = MessageCounters {
        released: 10,
        released_bytes: 6_400,
        lost: 10,
        judged: 10,
        missed: 10,
        ..MessageCounters::default()
    };
    assert_eq!(counted, expected);
    assert_eq!(simulation.flow_counters()[0].lost_packets, 100);
}

#[test]
fn what_cannot_be_a_message_is_refused() {
    let refused = |messages: MessagesSpec, flow: FlowSpec| {
        let error = Simulation::new(&ring(4, 1, NONE, vec![with(messages, flow)])).err().expect("it is refused");
        error.path
    };
    let plain = || flow(0, 2, 40, every(400.0));
    assert_eq!(refused(sized(0), plain()), "flows[0].messages.size");
    assert_eq!(refused(sized(1 << 40), plain()), "flows[0].messages.size");
    let closed = ArrivalSpec::Closed { pause_cycles: 1, posted: false, repeats: None };
    assert_eq!(refused(sized(64), flow(0, 2, 40, closed)), "flows[0].arrivals");
    assert_eq!(refused(sized(65), saturated(0, 2, 40)), "flows[0].messages.size");
    let few = MessagesSpec { total: Some(9), ..sized(64) };
    assert_eq!(refused(few, saturated(0, 2, 40)), "flows[0].messages.total");
    assert_eq!(refused(MessagesSpec { times: vec![1], ..sized(64) }, plain()), "flows[0].messages.times");
    assert_eq!(refused(MessagesSpec { packet_bytes: 0, ..sized(64) }, plain()), "flows[0].messages.packet_bytes");
    assert_eq!(refused(sized(64), FlowSpec { burst: 2, ..plain() }), "flows[0].messages.burst");
    let shapeless = ArrivalSpec::OnOff { gap: 10.0, on: 10.0, off: 10.0, shape: Some(1.0) };
    assert_eq!(refused(sized(64), flow(0, 2, 40, shapeless)), "flows[0].arrivals.shape");
}

/// Gives some flows of a network messages, jitter and sizes that are drawn; some have windows, some follow others.
fn with_messages(spec: &mut NetworkSpec, kinds: &[u8]) {
    for (flow, &kind) in spec.flows.iter_mut().zip(kinds.iter().cycle()) {
        let times = !matches!(
            flow.arrivals,
            ArrivalSpec::Bernoulli { .. } | ArrivalSpec::Poisson { .. } | ArrivalSpec::Periodic { .. }
        );
        if times || flow.sizes.len() > 1 {
            continue;
        }
        let size = match kind % 3 {
            0 => SizeSpec::Weighted { sizes: vec![(10, 0.5), (150, 0.5)] },
            1 => SizeSpec::Uniform { least: 1, most: 300 },
            _ => SizeSpec::LogNormal { mean_log: 4.0, deviation_log: 1.0, least: 1, most: 600 },
        };
        flow.burst = 1;
        let jitter_cycles = [0, 40, 3_000][usize::from(kind / 3) % 3];
        flow.messages = Some(Box::new(MessagesSpec { jitter_cycles, size, by_destination: true, ..sized(64) }));
        flow.arrivals = match (flow.arrivals, kind / 9 % 3) {
            (ArrivalSpec::Periodic { period, phase }, 0) => ArrivalSpec::Sporadic { period, phase, extra: 50.0 },
            (ArrivalSpec::Periodic { period, .. }, 1) => {
                ArrivalSpec::OnOff { gap: period, on: 1_000.0, off: 500.0, shape: Some(1.5) }
            }
            (ArrivalSpec::Periodic { period, .. }, _) => {
                ArrivalSpec::Window { window: 1 + u32::from(kind) % 4, think_cycles: period, drawn: kind % 2 == 0 }
            }
            (arrivals, _) => arrivals,
        };
    }
    for number in 0..spec.flows.len() {
        let flow = &spec.flows[number];
        if !matches!(flow.arrivals, ArrivalSpec::Saturated {}) || flow.sizes.len() > 1 {
            continue;
        }
        // Not where its packets take either of two rings.
        let mut other = spec.clone();
        let size = SizeSpec::Uniform { least: 1, most: 64 };
        other.flows[number].messages = Some(Box::new(MessagesSpec { size, by_destination: true, ..sized(64) }));
        if other.validate().is_ok() {
            *spec = other;
        }
    }
    for number in 1..spec.flows.len() {
        let kind = kinds[number % kinds.len()];
        let flow = &spec.flows[number];
        if kind % 2 == 1 || flow.messages.is_none() || matches!(flow.arrivals, ArrivalSpec::Saturated {}) {
            continue;
        }
        let delay_cycles = u64::from(kind);
        let follows = |flow: u32| ArrivalSpec::After { flow, delay_cycles };
        // One before it, so that none follows itself.
        let followed = (0..number as u32).find(|&flow| {
            let mut other = spec.clone();
            other.flows[number].arrivals = follows(flow);
            other.validate().is_ok()
        });
        if let Some(flow) = followed {
            spec.flows[number].arrivals = follows(flow);
        }
    }
}

pub(crate) fn any_messages() -> impl Strategy<Value = NetworkSpec> {
    let network = prop_oneof![random::network().boxed(), any_network().boxed()];
    (network, proptest::collection::vec(any::<u8>(), 1..6)).prop_map(|(mut spec, kinds)| {
        with_messages(&mut spec, &kinds);
        spec
    })
}

fn all(simulation: &Simulation) -> String {
    let flows = 0..simulation.flow_counters().len();
    let destinations: Vec<_> = flows.map(|flow| simulation.destination_counters(flow)).collect();
    format!("{}\n{:?}\n{:?}", fingerprint(simulation), simulation.message_counters(), destinations)
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn steps_and_threads_do_not_matter(spec in any_messages(), cuts in proptest::collection::vec(1..2_000u64, 1..10)) {
        let run = |threads: usize, steps: &[u64]| {
            let mut simulation = Simulation::new(&spec).expect("a valid spec");
            simulation.use_threads(threads);
            for &cycles in steps {
                let until = simulation.cycle() + cycles;
                // A stall ends a step, not the simulation.
                while simulation.cycle() < until {
                    simulation.advance(until - simulation.cycle());
                }
            }
            all(&simulation)
        };
        let cycles: u64 = cuts.iter().sum();
        prop_assert_eq!(run(1, &[cycles]), run(1, &cuts));
        prop_assert_eq!(run(1, &[cycles]), run(3, &[cycles]));
    }

    #[test]
    fn saved_and_forked_messages_go_on(spec in any_messages(), before in 0..5_000u64, cycles in 0..5_000u64) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.advance(before);
        let saved = simulation.save();
        let mut restored = Simulation::new(&spec).expect("a valid spec");
        restored.restore(&saved).expect("it was just saved");
        let mut forked = simulation.fork();
        for each in [&mut simulation, &mut restored, &mut forked] {
            each.advance(cycles);
        }
        prop_assert_eq!(all(&simulation), all(&restored));
        prop_assert_eq!(all(&simulation), all(&forked));
    }

    /// A message of one size that is released when it is due is a burst of packets.
    #[test]
    fn messages_of_one_size_are_bursts(spec in random::network(), cycles in 1..10_000u64) {
        let mut same = spec.clone();
        for flow in &mut same.flows {
            let fixed = matches!(flow.destinations, DestinationSpec::Fixed { .. }) || spec.nodes == 1;
            let timed = matches!(
                flow.arrivals,
                ArrivalSpec::Bernoulli { .. } | ArrivalSpec::Poisson { .. } | ArrivalSpec::Periodic { .. }
            );
            let saturated = matches!(flow.arrivals, ArrivalSpec::Saturated {});
            if (fixed && timed || saturated) && flow.sizes.len() == 1 {
                flow.messages = Some(Box::new(sized(u64::from(flow.burst * PACKET))));
                flow.burst = 1;
            }
        }
        let run = |spec: &NetworkSpec| {
            let mut simulation = Simulation::new(spec).expect("a valid spec");
            simulation.advance(cycles);
            simulation
        };
        let (bursts, messages) = (run(&spec), run(&same));
        prop_assert_eq!(fingerprint(&bursts), fingerprint(&messages));
        for (place, counted) in messages.message_counters().iter().enumerate() {
            let Some(counted) = counted else { continue };
            let burst = u64::from(spec.flows[place].burst);
            let flow = bursts.flow_counters()[place];
            // The packet that waits at a saturated flow is no message yet, unless it is the head.
            let waits = flow.generated_packets - counted.released * burst;
            let saturated = matches!(spec.flows[place].arrivals, ArrivalSpec::Saturated {});
            prop_assert!(waits <= u64::from(saturated), "flow {} has {} that wait", place, waits);
            prop_assert_eq!(counted.open + counted.lost + flow.host().completed_messages, counted.released);
        }
    }
}
