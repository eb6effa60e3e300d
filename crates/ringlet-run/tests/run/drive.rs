//! Warm-up, batches and stopping, with deliveries that the test writes down.

use crate::fake::{FakeSimulator, SYMBOLS, flow, ring};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use ringlet_engine::spec::{
    Forwarding, HostSpec, InterfaceSpec, RetryBy, RingSpec, SlotChoice, StrippedBy, SwitchKindSpec, SwitchSpec,
    TopologySpec,
};
use ringlet_run::plan::{BATCHES, NODE_CYCLES_CAP, WARM_UP_BINS, WarmUp};
use ringlet_run::{Driven, Extent, Goal, Payload, Plan, Series, Simulator, drive};

/// Arrivals of a flow that are drawn at random: no state comes back.
const RANDOM: &str = r#""arrivals": {"kind": "poisson", "rate": 0.02}"#;

/// Goal of so many measured cycles, with nothing to warm up.
fn measured(cycles: u64) -> Goal {
    Goal { warm_up: Some(0), measured: Some(cycles), precision: None, last_cycle: None, until_over: false, most: None }
}

fn warmed_up(cycles: u64) -> Goal {
    Goal { warm_up: None, ..measured(cycles) }
}

fn precise(precision: f64, most: u64) -> Goal {
    Goal { precision: Some(precision), ..measured(most) }
}

fn series(flows: u32) -> Series {
    let flows: Vec<String> = (0..flows).map(|source| flow(source, RANDOM)).collect();
    Series::new(&ring(4, 1, &flows), &vec![Payload::default(); flows.len()])
}

fn driven_as(simulator: &mut FakeSimulator, plan: &Plan) -> Driven {
    let flows = simulator.served().count() as u32;
    let Ok(driven) = drive(simulator, &series(flows), plan);
    driven
}

fn driven(simulator: &mut FakeSimulator, goal: Goal) -> Driven {
    driven_as(simulator, &Plan::new(Extent::of(&ring(1, 1, &[flow(0, RANDOM)])), goal))
}

fn steady() -> FakeSimulator {
    FakeSimulator::steady(1, |_| 100)
}

fn noisy() -> FakeSimulator {
    let mut random = Pcg64::seed_from_u64(1);
    FakeSimulator::new(
        1,
        Box::new(move |_, _| (u64::from(random.random::<f64>() < 0.02), random.random_range(50..150))),
    )
}

fn whole(driven: &Driven) -> u64 {
    driven.batches.cycles.iter().sum::<f64>() as u64
}

/// The number of the total of [`series`].
const TOTAL: usize = 4;

#[test]
fn a_duration_is_measured_to_the_cycle_in_equal_batches() {
    for cycles in [30_000, 30_011, 65, 31, 30, 7, 1] {
        let driven = driven(&mut steady(), measured(cycles));
        assert_eq!(whole(&driven), cycles);
        let lengths = &driven.batches.cycles;
        assert_eq!(lengths.len() as u64, BATCHES.min(cycles));
        let (last, others) = lengths.split_last().expect("there is a batch");
        assert!(others.iter().all(|length| length == &lengths[0]) && last >= &lengths[0], "{cycles}: {lengths:?}");
        assert!(driven.settled && driven.precision_reached.is_none());
    }
}

#[test]
fn a_given_warm_up_is_discarded_and_nothing_else() {
    let packets = |cycle, _| (u64::from(cycle < 1000 || cycle % 50 == 0), 100);
    let goal = Goal { warm_up: Some(1000), ..measured(10_000) };
    let driven = driven(&mut FakeSimulator::new(1, Box::new(packets)), goal);
    assert_eq!(driven.measured_from, 1000);
    assert_eq!(driven.batches.delivered_packets(TOTAL).iter().sum::<f64>(), 200.0);
    assert_eq!(driven.completed_before[0].messages, 1000);
}

#[test]
fn no_warm_up_measures_from_cycle_zero() {
    let mut simulator = steady();
    let driven = driven(&mut simulator, measured(3000));
    assert_eq!((driven.measured_from, simulator.cycle(), driven.batches.cycles.len()), (0, 3000, 30));
    assert!(driven.completed_before.is_empty());
}

#[test]
fn each_series_is_the_sum_of_its_flows() {
    let mut simulator = FakeSimulator::steady(3, |_| 100);
    let driven = driven(&mut simulator, measured(3000));
    for (flow, served) in simulator.served().enumerate() {
        assert_eq!(driven.batches.delivered_packets(flow).iter().sum::<f64>(), served.packets as f64);
    }
    let all = simulator.served().map(|served| served.packets).sum::<u64>();
    assert!(all > 100);
    assert_eq!(driven.batches.delivered_packets(TOTAL).iter().sum::<f64>(), all as f64);
    assert_eq!(driven.batches.payload_symbols(TOTAL).iter().sum::<f64>(), (all * SYMBOLS) as f64);
    assert_eq!(driven.batches.latency_cycles(TOTAL).iter().sum::<f64>(), (all * 100) as f64);
}

#[test]
fn an_automatic_warm_up_is_a_tenth_of_the_duration_if_there_is_no_transient() {
    let driven = driven(&mut steady(), warmed_up(100_000));
    assert_eq!((driven.measured_from, whole(&driven), driven.settled), (10_000, 100_000, true));
}

#[test]
fn an_automatic_warm_up_grows_past_the_transient() {
    const OVER: u64 = 15_000;
    let falling = |cycle: u64| 100.max(2000_u64.saturating_sub(cycle * 1900 / OVER));
    let driven = driven(&mut FakeSimulator::steady(1, falling), warmed_up(100_000));
    assert!((OVER..=8 * OVER).contains(&driven.measured_from));
    assert_eq!(driven.measured_from % 10_000, 0);
    assert_eq!(driven.batches.latency(TOTAL).mean, 100.0);
    assert!(driven.settled);
}

#[test]
fn throughput_alone_can_prolong_the_warm_up() {
    let mut random = Pcg64::seed_from_u64(2);
    let packets = move |cycle, _| (u64::from(cycle == 0 || cycle > 15_000 && random.random::<f64>() < 0.02), 100);
    let driven = driven(&mut FakeSimulator::new(1, Box::new(packets)), warmed_up(100_000));
    assert!(driven.measured_from > 15_000);
}

#[test]
fn a_drift_without_end_is_reported_after_as_long_as_the_duration() {
    let driven = driven(&mut FakeSimulator::steady(1, |cycle| cycle), warmed_up(50_000));
    assert_eq!((driven.measured_from, whole(&driven), driven.settled), (50_000, 50_000, false));
}

#[test]
fn a_long_warm_up_takes_few_steps() {
    let mut simulator = FakeSimulator::steady(1, |cycle| cycle);
    // As a run without a duration has it: short bins at first, and a limit far away.
    let warm_up = WarmUp::Auto { bin: 10, limit: 1_000_000 };
    let plan = Plan {
        warm_up,
        measured: 1000,
        precision: None,
        until_over: false,
        most: u64::MAX,
        open_ended: false,
        recurs: None,
    };
    assert!(driven_as(&mut simulator, &plan).measured_from > 900_000);
    // One for the first 200 bins, one for the 100 more of each of nine doublings, 30 for the batches.
    assert_eq!(simulator.steps.len(), 10 + 30);
}

#[test]
fn an_automatic_warm_up_covers_round_trips_of_a_long_ring_however_short_the_run() {
    let mut spec = ring(100, 1, &[flow(0, RANDOM)]);
    spec.hop_delay.common = 50;
    let driven = driven_as(&mut steady(), &Plan::new(Extent::of(&spec), warmed_up(10)));
    assert!(driven.measured_from >= 4 * 100 * 50);
    assert_eq!(whole(&driven), 10);
}

/// Each port is a cascade of as many link controllers as there are B-Links; a slow ring's symbols take longer.
#[test]
fn an_automatic_warm_up_counts_link_controllers_and_the_time_of_symbols() {
    let warm_up = |links: u16, symbol_cycles: u32| {
        let mut spec = ring(2, 1, &[flow(0, RANDOM)]);
        spec.hop_delay.common = 500;
        let of_node = |node: u32| RingSpec {
            interfaces: vec![InterfaceSpec::Node(node), InterfaceSpec::Port(0, node as u16)],
            symbol_cycles,
            ..RingSpec::default()
        };
        spec.network = Some(Box::new(TopologySpec {
            symbol_ps: 2000,
            bypass: Forwarding::CutThrough,
            pass_delay: 0,
            rings: vec![of_node(0), of_node(1)],
            switches: vec![SwitchSpec { kind: 0, ports: 2 }],
            switch_kinds: vec![SwitchKindSpec { links, ..SwitchKindSpec::EXAMPLE }],
            addresses: None,
            host: HostSpec::default(),
            hosts: None,
            slot_choice: SlotChoice::RetriesFirst,
            retry_by: RetryBy::Requester,
            errors: None,
            ways: None,
            stripped_by: StrippedBy::default(),
        }));
        match Plan::new(Extent::of(&spec), warmed_up(10)).warm_up {
            WarmUp::Auto { bin, .. } => bin * WARM_UP_BINS,
            WarmUp::Cycles(_) => unreachable!("it is automatic"),
        }
    };
    let of_packet = warm_up(1, 1) - 4 * 2 * 500;
    assert!((160..=360).contains(&of_packet), "{of_packet}");
    assert_eq!(warm_up(3, 1), 4 * 4 * 500 + of_packet);
    assert_eq!(warm_up(1, 3), 4 * 2 * 500 * 3 + of_packet);
}

#[test]
fn a_ring_without_traffic_needs_no_warm_up_and_no_precision() {
    let goal = Goal { warm_up: None, measured: None, ..precise(0.1, 0) };
    let driven = driven(&mut FakeSimulator::steady(0, |_| 0), goal);
    assert_eq!((driven.measured_from, driven.precision_reached), (0, Some(false)));
}

#[test]
fn a_precise_run_stops_when_both_series_are_precise() {
    let driven = driven(&mut noisy(), precise(0.02, 2_000_000));
    assert_eq!(driven.precision_reached, Some(true));
    assert!(whole(&driven) < 1_500_000);
    for interval in [driven.batches.throughput(TOTAL), driven.batches.latency(TOTAL)] {
        assert!(interval.relative_half_width() <= 0.02);
    }
}

#[test]
fn higher_precision_takes_longer() {
    let lengths = [0.05, 0.02, 0.01].map(|precision| whole(&driven(&mut noisy(), precise(precision, 3_000_000))));
    assert!(lengths.is_sorted() && lengths[0] < lengths[2], "{lengths:?}");
}

#[test]
fn batches_stay_between_20_and_40_however_long_it_takes() {
    let mut simulator = noisy();
    let driven = driven(&mut simulator, precise(1e-6, 500_000));
    assert!((20..=40).contains(&driven.batches.cycles.len()));
    assert_eq!((whole(&driven), simulator.cycle()), (500_000, 500_000));
    let (_, steps) = simulator.steps.split_last().expect("there is a step");
    let mut lengths = steps.to_vec();
    lengths.dedup();
    assert_eq!(lengths, [1000, 2000, 4000, 8000, 16000]);
}

#[test]
fn a_precision_out_of_reach_ends_at_the_duration() {
    let driven = driven(&mut noisy(), precise(1e-6, 50_000));
    assert_eq!((driven.precision_reached, whole(&driven)), (Some(false), 50_000));
}

#[test]
fn a_precision_without_a_duration_has_a_cap() {
    let flows: Vec<String> = (0..16).map(|source| flow(source, RANDOM)).collect();
    let goal = Goal { measured: None, ..precise(0.01, 0) };
    let network = Extent::of(&ring(16, 1, &flows));
    assert_eq!(Plan::new(network, goal).measured, NODE_CYCLES_CAP / 16);
    assert_eq!(Plan::new(network, Goal { most: Some(123_456), ..goal }).measured, 123_456);
}

#[test]
fn a_run_that_nothing_limits_ends_once_the_throughput_is_precise_where_queues_grow() {
    // Twice as much is generated as is served, and the latency grows without end.
    let overloaded = || {
        let mut simulator = FakeSimulator::steady(1, |cycle| cycle);
        simulator.generated_each = 2.0;
        simulator
    };
    for warm_up in [Some(0), None] {
        let mut simulator = overloaded();
        let goal = Goal { warm_up, measured: None, most: Some(10_000_000), ..precise(0.02, 0) };
        let driven = driven(&mut simulator, goal);
        assert_eq!((driven.precision_reached, driven.growing), (Some(false), true));
        assert!(simulator.cycle() < 2_000_000, "{}", simulator.cycle());
        assert!(driven.batches.throughput(TOTAL).relative_half_width() <= 0.02);
    }
    let limited = driven(&mut overloaded(), precise(0.02, 500_000));
    assert_eq!((whole(&limited), limited.growing), (500_000, false));
}

#[test]
fn queues_that_do_not_grow_do_not_end_a_run() {
    let mut simulator = FakeSimulator::steady(1, |cycle| cycle);
    let goal = Goal { measured: None, most: Some(500_000), ..precise(0.02, 0) };
    let driven = driven(&mut simulator, goal);
    assert_eq!((simulator.cycle(), driven.growing), (500_000, false));
}

#[test]
fn what_takes_place_once_is_measured_until_it_is_over_or_its_cap() {
    for (ends, most) in [(500, 1_000_000), (400_000, 1_000_000), (400_000, 100_000)] {
        let mut simulator = steady();
        simulator.over_at = ends;
        let goal = Goal { measured: None, until_over: true, most: Some(most), ..measured(0) };
        driven(&mut simulator, goal);
        let longest = ends.min(most);
        let cycle = simulator.cycle();
        assert!((longest..=longest + longest / 1000 + 100).contains(&cycle), "{ends}, at most {most}: {cycle}");
    }
}

#[test]
fn a_stall_ends_the_measurement_where_it_is() {
    for goal in [measured(30_000), precise(0.001, 30_000)] {
        let driven = driven(&mut steady().stalling_at(12_345), goal);
        assert_eq!(driven.stall.as_ref().map(|stall| stall.since_cycle), Some(12_340));
        assert_eq!((driven.measured_from, whole(&driven)), (0, 12_345));
    }
}

#[test]
fn after_a_stall_in_the_warm_up_everything_counts_as_measured() {
    for warm_up in [None, Some(5000)] {
        let mut simulator = steady().stalling_at(1234);
        let driven = driven(&mut simulator, Goal { warm_up, ..measured(30_000) });
        assert_eq!((driven.measured_from, whole(&driven), simulator.cycle()), (0, 1234, 1234));
    }
}

#[test]
fn a_trace_is_measured_until_it_has_been_delivered_and_hardly_longer() {
    for ends in [500, 5_000, 400_000] {
        let mut simulator = steady();
        simulator.over_at = ends;
        let goal = Goal { measured: None, last_cycle: Some(2999), ..measured(0) };
        let driven = driven(&mut simulator, goal);
        let longest = ends.max(3000);
        assert!(
            (longest..=longest + longest / 1000 + 100).contains(&simulator.cycle()),
            "{ends}: {}",
            simulator.cycle()
        );
        assert_eq!(whole(&driven), simulator.cycle());
        assert!((20..=41).contains(&driven.batches.cycles.len()));
    }
}

#[test]
fn the_interval_of_a_quantile_holds_it() {
    // Latencies of 1 to 100 cycles, all as often.
    let deliveries = |cycle: u64, _| (u64::from(cycle.is_multiple_of(10)), cycle / 10 * 37 % 100 + 1);
    for goal in [measured(300_000), precise(1e-9, 300_000)] {
        let driven = driven(&mut FakeSimulator::new(1, Box::new(deliveries)), goal);
        let (low, high) = driven.batches.latency_quantile(0.9).expect("the run is long");
        assert!((89..=90).contains(&low) && high.is_some_and(|high| (90..=91).contains(&high)), "{low} to {high:?}");
    }
}

#[test]
fn a_run_too_short_for_a_quantile_does_not_say_how_large_it_may_be() {
    // One packet of a hundred is slow: how many more there may be, one batch of many cannot say.
    let seldom = |cycle: u64, _| (u64::from(cycle.is_multiple_of(300)), if cycle > 29_600 { 50 } else { 1 });
    let driven = driven(&mut FakeSimulator::new(1, Box::new(seldom)), measured(30_000));
    let (low, high) = driven.batches.latency_quantile(0.99).expect("there are batches");
    assert_eq!((low, high), (1, None));
}

#[test]
fn slow_packets_of_one_batch_do_not_say_that_a_quantile_is_large() {
    // 2 of 100 packets are slow, all of them at the end.
    let once = |cycle: u64, _| (u64::from(cycle.is_multiple_of(10)), if cycle > 29_400 { 50 } else { 1 });
    let driven = driven(&mut FakeSimulator::new(1, Box::new(once)), measured(30_000));
    let (low, _) = driven.batches.latency_quantile(0.99).expect("there are batches");
    assert_eq!(low, 1);
}
