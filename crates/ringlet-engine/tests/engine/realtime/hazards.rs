//! Deadlocks, livelocks and collapses that simulations of these protocols have shown (specs/todd2001, Section 1.7).

use proptest::prelude::*;
use ringlet_engine::protocols::{
    FlowControlSpec,
    go_bits::{Extension, Release},
    ppq::PpqSpec,
    train::{TrainMode, TrainSpec},
};
use ringlet_engine::spec::{ArrivalSpec, ClassOrder, HostLimitsSpec, NetworkSpec, RetrySpec, RetryStrategy};

use crate::random;
use crate::reference::{Command, Control, Reference, Symbol};
use crate::rings::*;

/// A place for one response, and one for a packet of each class that waits for its echo.
const ONE_PLACE: HostLimitsSpec = HostLimitsSpec {
    response_capacity: Some(1),
    transmit_capacity: None,
    outstanding_limit: Some(1),
    window: None,
    retry: RetrySpec { strategy: RetryStrategy::Constant, delay_cycles: 0 },
};

/// Packets of each flow that are delivered from one cycle to another.
fn progress(spec: &NetworkSpec, from: u64, to: u64) -> Vec<u64> {
    let mut reference = Reference::new(spec);
    reference.advance(from);
    let before = reference.flows();
    reference.advance(to - from);
    let after = reference.flows();
    after.iter().zip(&before).map(|(after, before)| after.messages.count - before.messages.count).collect()
}

/// Every node reads 64 bytes from all the others, all the time.
fn reads(nodes: u32, flow_control: FlowControlSpec) -> NetworkSpec {
    let read = |node| with_response(uniform(saturated(node, (node + 1) % nodes, 8)), 40);
    ring(nodes, 1, flow_control, (0..nodes).map(read).collect())
}

fn any_protocol() -> Vec<FlowControlSpec> {
    vec![
        sci(Extension::Passing, Release::Unblocked, 1),
        FlowControlSpec::Ppq(PPQ),
        FlowControlSpec::Train(TRAIN),
        FlowControlSpec::Train(TrainSpec { mode: TrainMode::Switching, size_symbols: Some(200), ..TRAIN }),
        FlowControlSpec::Train(TrainSpec { mode: TrainMode::Gearshift, size_symbols: Some(200), ..TRAIN }),
        FlowControlSpec::Dfc(DFC),
    ]
}

// --- Lost go bits -------------------------------------------------------------------------------------------------

#[test]
fn a_lost_go_bit_stops_ppq_and_the_low_gear_of_train_but_nothing_that_has_no_go_bits() {
    for flow_control in any_protocol() {
        let has_go_bits = match &flow_control {
            FlowControlSpec::Train(options) => options.mode == TrainMode::Gearshift,
            FlowControlSpec::Dfc(_) => false,
            _ => true,
        };
        let spec = NetworkSpec { initial_go: Some(0), ..reads(4, flow_control.clone()) };
        let sent: u64 = simulate(&spec, 3_000).flows().iter().map(|flow| flow.sent_packets).sum();
        assert_eq!(sent == 0, has_go_bits, "{flow_control:?}: {sent}");
    }
}

#[test]
fn a_go_bit_that_comes_while_a_packet_of_the_bypass_fifo_is_emitted_is_not_lost() {
    // Node 1 drains node 0's packet while nothing but idles with go bits comes in; afterwards all can send.
    for flow_control in any_protocol() {
        let flows =
            vec![once(1, 3, 40, 0), once(0, 3, 40, 2), once(0, 2, 8, 500), once(2, 1, 8, 500), once(3, 1, 8, 500)];
        let reference = simulate(&ring(4, 1, flow_control.clone(), flows), 1_000);
        assert!(reference.flows().iter().all(|flow| flow.latencies.count == 1), "{flow_control:?}");
    }
}

#[test]
fn extension_behind_own_packets_lets_a_node_keep_a_go_bit_for_itself() {
    let stalls = |extension| {
        let spec = with_input_queues(reads(8, sci(extension, Release::Unblocked, 1)), 5, 50);
        let spec = NetworkSpec { seed: 2, ..with_limits(spec, |limits| limits.response_capacity = Some(5)) };
        let progress = progress(&spec, 240_000, 260_000);
        progress.iter().sum::<u64>() == 0
    };
    assert!(stalls(Extension::AfterSend));
    assert!(!stalls(Extension::Passing));
}

// --- Control symbols ----------------------------------------------------------------------------------------------

/// Control symbols that node `node` emits and node `maker` has made, but for what others add to them.
fn passed(reference: &Reference, node: usize, maker: u32) -> Vec<Control> {
    let symbols = reference.emitted(node).iter().filter_map(|symbol| match symbol {
        Symbol::Control(symbol) if symbol.is_first() && symbol.control.maker == maker => Some(symbol.control),
        _ => None,
    });
    let as_made = |control: Control| match control.command {
        Command::StopTo(mut stop) => {
            (stop.taken, stop.collected) = (false, None);
            Control { command: Command::StopTo(stop), ..control }
        }
        _ => control,
    };
    symbols.map(as_made).collect()
}

proptest! {
    #![proptest_config(crate::cases(100))]

    /// A RELEASE overtaken by an older STOP-TO blocks its maker for ever.
    #[test]
    fn control_symbols_keep_their_order(spec in random::network_with(&["dfc"])) {
        let reference = simulate(&spec, 4_000);
        for maker in 0..spec.nodes {
            let made = passed(&reference, maker as usize, maker);
            for node in 0..spec.nodes as usize {
                let passed = passed(&reference, node, maker);
                prop_assert_eq!(&passed[..], &made[..passed.len()], "node {} of node {}'s", node, maker);
            }
        }
    }

    /// At the end of all traffic no node is blocked, and nothing circulates.
    #[test]
    fn dfc_rests_after_all_traffic(spec in random::network_with(&["dfc"])) {
        let mut spec = spec;
        for (number, flow) in spec.flows.iter_mut().enumerate() {
            flow.arrivals = ArrivalSpec::Periodic { period: 1e12, phase: 10.0 * number as f64 };
        }
        spec.queues.receive.common.service_cycles = spec.queues.receive.common.service_cycles.min(50);
        spec.queues.limits.common.retry.delay_cycles = 0;
        // What is given up has no message.
        spec.queues.response_timeout = None;
        let reference = simulate(&spec, 20_000);
        prop_assert!(reference.flows().iter().all(|flow| flow.messages.count + flow.lost_packets.min(1) == 1));
        for node in 0..spec.nodes as usize {
            let end = &reference.emitted(node)[19_000..];
            prop_assert!(end.iter().all(|symbol| matches!(symbol, Symbol::Idle(_))), "node {} goes on", node);
        }
    }
}

// --- Deadlocks ----------------------------------------------------------------------------------------------------

#[test]
fn requests_and_responses_do_not_wait_for_each_other_in_a_circle() {
    // One place of everything: input queues, responses, echo-waiting queues, transactions.
    for flow_control in any_protocol() {
        for window in [None, Some(1)] {
            let spec = with_input_queues(reads(4, flow_control.clone()), 1, 30);
            let limits = HostLimitsSpec { window, ..ONE_PLACE };
            let spec = with_limits(spec, |common| *common = limits);
            let total: u64 = progress(&spec, 20_000, 30_000).iter().sum();
            assert!(total > 50, "{flow_control:?}, window {window:?}: {total}");
        }
    }
}

#[test]
fn a_slow_responder_with_one_place_per_class_in_the_echo_waiting_queue_does_not_deadlock_ppq() {
    // A request holds the place of its class until its service ends, for which the server needs a place for a response.
    let flow_control = FlowControlSpec::Ppq(PpqSpec { inheritance: true, ..PPQ });
    for nodes in 2..6 {
        let spec = with_input_queues(reads(nodes, flow_control.clone()), 2, 300);
        let spec = with_limits(spec, |limits| *limits = ONE_PLACE);
        assert!(progress(&spec, 30_000, 50_000).iter().sum::<u64>() > 10, "{nodes} nodes");
    }
}

// --- Livelock -----------------------------------------------------------------------------------------------------

#[test]
fn responses_of_low_priority_do_not_starve_behind_requests_of_high_priority_that_wait_for_them() {
    // Two nodes send each other requests of a low priority. While their servers are busy with that, requests of high
    // priority fill the input queues. They are not served as long as a response is pending, and those that are refused
    // are sent again and again.
    let low = |node: u32| with_response(once(node, 1 - node, 8, 0), 40);
    let high = |node: u32| in_bursts(with_priority(with_response(once(node, 1 - node, 8, 12), 40), 1), 50);
    let sci = sci(Extension::Passing, Release::Unblocked, 1);
    for flow_control in [NONE, sci, FlowControlSpec::Ppq(PPQ), FlowControlSpec::Dfc(DFC)] {
        let spec = ring(2, 1, flow_control.clone(), vec![low(0), low(1), high(0), high(1)]);
        let spec = with_limits(with_input_queues(spec, 2, 20), |limits| limits.response_capacity = Some(1));
        let complete: Vec<u64> = simulate(&spec, 30_000).flows().iter().map(|flow| flow.messages.count).collect();
        assert_eq!(complete, [1, 1, 1, 1], "{flow_control:?}");
    }
}

// --- Collapse -----------------------------------------------------------------------------------------------------

#[test]
fn responses_first_make_a_convoy_at_one_full_node() {
    let served = |order| {
        let spec = with_input_queues(reads(8, sci(Extension::Passing, Release::Unblocked, 1)), 5, 500);
        let spec = with_queues(spec, |queues| queues.order = order);
        progress(&spec, 50_000, 100_000).iter().sum::<u64>()
    };
    let (alternate, responses_first) = (served(ClassOrder::Alternate), served(ClassOrder::ResponseFirst));
    // One server makes 100 in that time.
    assert!(responses_first < 200 && alternate > 2 * responses_first, "{alternate} {responses_first}");
}

#[test]
fn a_packet_that_all_higher_priorities_overtake_arrives_with_ageing() {
    // todd2001, Section 2.2: "a low-priority packet may become stuck in an intermediate node's BQ for an indefinite
    // period of time".
    let delivered = |ageing_cycles| {
        let flow_control = FlowControlSpec::Ppq(PpqSpec { ageing_cycles, bypass_symbols: 145, ..PPQ });
        // While node 1 sends, the packet comes in at its bypass FIFO, and then those of node 3 without a gap and
        // without an end.
        let stream = flow(3, 2, 20, ArrivalSpec::Periodic { period: 21.0, phase: 20.0 });
        let flows = vec![with_priority(once(1, 2, 100, 0), 1), with_priority(stream, 9), once(0, 2, 8, 4)];
        simulate(&ring(4, 1, flow_control, flows), 20_000).flow(2).latencies.count
    };
    assert_eq!((delivered(None), delivered(Some(100))), (0, 1));
}
