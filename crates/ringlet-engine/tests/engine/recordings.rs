//! Properties of a recording of any ring; `against_reference.rs` compares its symbols with the reference.

use crate::random;
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::NodeCounters;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::record::{Fate, LinkRun, Recorder, Recording, RunKind};
use ringlet_engine::spec::NetworkSpec;

/// A recording that sees the whole simulation, advanced in these steps, and the counts at its end.
fn record(spec: &NetworkSpec, window: (u64, u64), steps: &[u64]) -> (Recording, Vec<NodeCounters>) {
    let recorder = Recorder::new(window.0, window.1);
    let mut simulation = Simulation::observed(spec, recorder.clone()).expect("a valid spec");
    for &cycles in steps {
        simulation.advance(cycles);
    }
    (recorder.finish(), simulation.node_counters())
}

fn of_node(recording: &Recording, node: u32) -> Vec<LinkRun> {
    recording.runs.iter().filter(|run| run.node == node).copied().collect()
}

fn symbols(recording: &Recording, node: u32, kinds: &[RunKind]) -> u64 {
    let runs = of_node(recording, node).into_iter().filter(|run| kinds.contains(&run.kind));
    runs.map(|run| (run.cycle + u64::from(run.count)).min(recording.to) - run.cycle).sum()
}

/// Who the packets are.
fn numbers(recording: &Recording) -> Vec<(u32, u32, bool, u32, u32, u64)> {
    recording
        .packets
        .iter()
        .map(|it| (it.flow, it.message, it.response, it.source, it.destination, it.generated))
        .collect()
}

/// Most symbols in a node's bypass FIFO, separators included.
fn most_bypassed(recording: &Recording, node: u32) -> u64 {
    let stays: Vec<_> = recording.stays.iter().filter(|stay| stay.node == node).collect();
    let held = |now: u64| -> u64 {
        let come = |from: u64, count: u32| (now + 1).saturating_sub(from).min(u64::from(count) + 1);
        let held = stays.iter().map(|stay| {
            let gone = stay.leaves.map_or(0, |(at, count)| come(at, count));
            match (stay.replaced, stay.leaves) {
                (Some(replaced), Some((_, count))) if replaced <= now => u64::from(count) + 1 - gone,
                _ => come(stay.cycle, stay.count) - gone,
            }
        });
        held.sum()
    };
    // It is fullest when what leaves it begins to, or at the end.
    let moments = stays.iter().filter_map(|stay| stay.leaves).map(|(at, _)| at - 1).chain([recording.to - 1]);
    moments.map(held).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(crate::cases(150))]

    #[test]
    fn a_recording_counts_what_the_engine_counts(spec in random::network(), cycles in 1..4000u64) {
        let (recording, counters) = record(&spec, (0, cycles), &[cycles]);
        for (node, counted) in (0..).zip(counters) {
            prop_assert_eq!(symbols(&recording, node, &[RunKind::Idle]), counted.link_idle_symbols);
            prop_assert_eq!(symbols(&recording, node, &[RunKind::Send]), counted.link_send_symbols);
            prop_assert_eq!(symbols(&recording, node, &[RunKind::Retry]), counted.link_retry_symbols);
            prop_assert_eq!(symbols(&recording, node, &[RunKind::Echo, RunKind::BusyEcho]), counted.link_echo_symbols);
            let control = [RunKind::Control, RunKind::Train, RunKind::Event];
            prop_assert_eq!(symbols(&recording, node, &control), counted.link_control_symbols);
            let refused = recording.events.iter().filter(|event| event.node == node && event.fate == Fate::Refused);
            prop_assert_eq!(refused.count() as u64, counted.refused_packets - counted.of_protocol("preempted_packets"));
            let most = most_bypassed(&recording, node);
            let protocol = crate::protocol(&spec);
            use FlowControlSpec::{Grouped, None, Sci};
            if matches!(protocol, None(_) | Sci(_) | Grouped(_)) {
                prop_assert_eq!(most, counted.bypass_max_symbols);
            }
        }
    }

    #[test]
    fn a_recording_does_not_depend_on_the_steps(
        spec in random::network(),
        steps in proptest::collection::vec(1..900u64, 2..6),
    ) {
        let cycles = steps.iter().sum();
        let (stepped, at_once) = (record(&spec, (0, cycles), &steps).0, record(&spec, (0, cycles), &[cycles]).0);
        prop_assert_eq!(&stepped.packets, &at_once.packets);
        prop_assert_eq!(&stepped.runs, &at_once.runs);
        prop_assert_eq!(&stepped.stays, &at_once.stays);
        prop_assert_eq!(&stepped.heads, &at_once.heads);
        prop_assert_eq!(&stepped.withheld, &at_once.withheld);
        prop_assert_eq!(stepped, at_once);
    }

    #[test]
    fn a_recorder_that_comes_late_sees_the_same(spec in random::network(), before in 0..3000u64, cycles in 1..1500u64) {
        let from = before + Recorder::lead_cycles_of(&spec).expect("a valid spec");
        let (seen, _) = record(&spec, (from, from + cycles), &[from + cycles]);
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.advance(before);
        let recorder = Recorder::new(from, from + cycles);
        simulation.recorded(recorder.clone()).advance(from + cycles - before);
        let late = recorder.finish();
        prop_assert_eq!(numbers(&seen), numbers(&late));
        let differs = seen.runs.iter().zip(&late.runs).find(|(seen, late)| seen != late);
        prop_assert!(differs.is_none(), "{:?}", differs);
        prop_assert_eq!(seen.runs.len(), late.runs.len());
        prop_assert_eq!(seen.stays, late.stays);
        prop_assert_eq!(seen.heads, late.heads);
        prop_assert_eq!(seen.transmit_lengths, late.transmit_lengths);
        prop_assert_eq!(seen.receive_lengths, late.receive_lengths);
        prop_assert_eq!(seen.withheld, late.withheld);
        prop_assert_eq!(seen.events, late.events);
    }
}
