//! Messages that packets prompt: those of a window, and those that follow another flow's.

use ringlet_engine::Simulation;
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, MAX_FOLLOWED_PACKETS, MessagesSpec, NetworkSpec, ReceiveQueueSpec,
    ResponseTimeoutSpec, SizeSpec,
};

use crate::rings::{NONE, flow, once, ring, with_response};

/// Messages of one size, in packets of 64 bytes.
fn sized(bytes: u64) -> Box<MessagesSpec> {
    Box::new(MessagesSpec {
        jitter_cycles: 0,
        start_cycle: 0,
        stop_cycle: None,
        total: None,
        times: Vec::new(),
        size: SizeSpec::Weighted { sizes: vec![(bytes, 1.0)] },
        packet_bytes: 64,
        by_destination: false,
    })
}

fn of(bytes: u64, flow: FlowSpec) -> FlowSpec {
    FlowSpec { messages: Some(sized(bytes)), ..flow }
}

fn window(window: u32, think_cycles: f64, drawn: bool) -> ArrivalSpec {
    ArrivalSpec::Window { window, think_cycles, drawn }
}

fn after(flow: u32, delay_cycles: u64) -> ArrivalSpec {
    ArrivalSpec::After { flow, delay_cycles }
}

/// Flow, cycle of generation and cycle of delivery of each packet delivered.
fn delivered(spec: &NetworkSpec, cycles: u64) -> Vec<(u32, u64, u64)> {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.keep_deliveries();
    assert!(simulation.advance(cycles).is_none(), "no stall");
    let all = simulation.take_deliveries();
    all.iter().map(|one| (one.packet.flow, one.packet.generated, one.cycle)).collect()
}

fn generated(spec: &NetworkSpec, cycles: u64, number: u32) -> Vec<u64> {
    delivered(spec, cycles).into_iter().filter(|one| one.0 == number).map(|one| one.1).collect()
}

#[test]
fn a_message_of_a_window_is_due_a_think_time_after_one_is_accepted() {
    let spec = ring(4, 1, NONE, vec![of(64, flow(0, 2, 40, window(1, 500.0, false)))]);
    let times = generated(&spec, 10_000, 0);
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // The same in each round: the packet, the rest of the way and the echo, and the think time.
    assert!(times[0] == 0 && times.len() > 10 && gaps.iter().all(|&gap| gap == gaps[0]), "{gaps:?}");
    let without = generated(&ring(4, 1, NONE, vec![of(64, flow(0, 2, 40, window(1, 0.0, false)))]), 10_000, 0);
    // A think time is at least a cycle.
    assert_eq!(gaps[0] - 500, without[1] - without[0] - 1);
    // A closed loop with one packet has the same rounds.
    let closed = ArrivalSpec::Closed { pause_cycles: 500, posted: false, repeats: None };
    assert_eq!(generated(&ring(4, 1, NONE, vec![flow(0, 2, 40, closed)]), 10_000, 0), times);
}

#[test]
fn an_answered_message_is_done_with_its_last_response() {
    let asked = with_response(flow(0, 2, 8, window(1, 100.0, false)), 40);
    let spec = ring(4, 1, NONE, vec![of(192, asked)]);
    let all = delivered(&spec, 5_000);
    // Three requests and three responses each; the responses are of the requests' flow.
    let responses: Vec<u64> = all.chunks(6).map(|round| round.iter().map(|one| one.2).max().unwrap_or(0)).collect();
    let begun: Vec<u64> = all.chunks(6).map(|round| round[0].1).collect();
    assert!(begun.len() > 5);
    for (next, last) in begun[1..].iter().zip(&responses) {
        assert_eq!(*next, last + 100);
    }
}

#[test]
fn no_more_messages_than_the_window_are_under_way() {
    // A receiver that takes its time, so that messages of several packets queue up.
    let mut spec = ring(4, 1, NONE, vec![of(256, with_response(flow(0, 2, 40, window(3, 0.0, false)), 8))]);
    spec.queues.receive.common = ReceiveQueueSpec { capacity: None, service_cycles: 300 };
    let mut simulation = Simulation::new(&spec).expect("valid");
    let mut most = 0;
    for _ in 0..20_000 {
        simulation.advance(1);
        most = most.max(simulation.message_counters()[0].expect("messages").open);
    }
    assert_eq!(most, 3);
    // Four packets each, served one by one: the receiver is never idle.
    let completed = simulation.flow_counters()[0].host().completed_messages;
    assert!((15..=17).contains(&completed), "{completed}");
}

#[test]
fn think_times_may_be_drawn() {
    let spec = ring(4, 1, NONE, vec![of(64, flow(0, 2, 40, window(1, 1_000.0, true)))]);
    let times = generated(&spec, 4_000_000, 0);
    let constant = generated(&ring(4, 1, NONE, vec![of(64, flow(0, 2, 40, window(1, 1.0, false)))]), 1_000, 0);
    let round = constant[1] - constant[0] - 1;
    let thought: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0] - round).collect();
    let count = thought.len() as f64;
    let mean = thought.iter().sum::<u64>() as f64 / count;
    // Rounded up: half a cycle more, and the deviation of an exponential is its mean.
    assert!((mean - 1_000.5).abs() < 4.0 * 1_000.0 / count.sqrt(), "{mean}");
    let long = thought.iter().filter(|&&cycles| cycles > 1_000).count() as f64 / count;
    assert!((long - (-1f64).exp()).abs() < 0.03, "{long}");
}

#[test]
fn a_window_ends_with_its_total_and_its_stop() {
    let limited = |messages: MessagesSpec| FlowSpec {
        messages: Some(Box::new(messages)),
        ..flow(0, 2, 40, window(2, 100.0, false))
    };
    let few = limited(MessagesSpec { total: Some(5), start_cycle: 700, ..*sized(64) });
    let times = generated(&ring(4, 1, NONE, vec![few]), 50_000, 0);
    assert_eq!((times.len(), times[0], times[1]), (5, 700, 700));
    let stopped = limited(MessagesSpec { stop_cycle: Some(1_000), ..*sized(64) });
    let times = generated(&ring(4, 1, NONE, vec![stopped]), 50_000, 0);
    assert!(times.len() > 5 && times.iter().all(|&cycle| cycle < 1_000));
}

#[test]
fn a_lost_message_of_a_window_is_followed_by_another_one() {
    let mut spec = ring(4, 1, NONE, vec![of(640, flow(0, 2, 40, window(1, 99.0, false)))]);
    spec.queues.limits.common.transmit_capacity = Some(9);
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.advance(991);
    let counted = simulation.message_counters()[0].expect("messages");
    assert_eq!((counted.released, counted.lost), (11, 11));
}

#[test]
fn a_flow_follows_each_whole_message_that_comes() {
    // Three packets each; the follower answers with two.
    let first = of(192, flow(0, 2, 40, ArrivalSpec::Periodic { period: 1_000.0, phase: 0.0 }));
    let second = of(128, flow(2, 1, 40, after(0, 70)));
    let all = delivered(&ring(4, 1, NONE, vec![first, second]), 20_000);
    let came: Vec<u64> = all.iter().filter(|one| one.0 == 0).map(|one| one.2).collect();
    let followed: Vec<u64> = all.iter().filter(|one| one.0 == 1).map(|one| one.1).collect();
    let due: Vec<u64> = came.chunks(3).flat_map(|message| [message[2] + 70; 2]).collect();
    assert!(followed.len() == 40 && due == followed, "{due:?} {followed:?}");
}

#[test]
fn followers_have_followers_and_all_of_one_node_follow() {
    let spec = ring(
        4,
        1,
        NONE,
        vec![
            of(64, once(0, 2, 40, 5)),
            of(64, flow(2, 3, 40, after(0, 10))),
            of(64, flow(2, 1, 40, after(0, 20))),
            of(64, flow(3, 0, 40, after(1, 30))),
        ],
    );
    let all = delivered(&spec, 5_000);
    let of_flow = |number: u32| {
        let found: Vec<_> = all.iter().filter(|one| one.0 == number).collect();
        assert_eq!(found.len(), 1);
        (found[0].1, found[0].2)
    };
    assert_eq!(of_flow(1).0, of_flow(0).1 + 10);
    assert_eq!(of_flow(2).0, of_flow(0).1 + 20);
    assert_eq!(of_flow(3).0, of_flow(1).1 + 30);
}

#[test]
fn only_messages_that_come_to_its_node_prompt_a_follower() {
    let to = DestinationSpec::Weighted { weights: vec![0.0, 0.5, 0.5, 0.0] };
    let first = of(128, FlowSpec { destinations: to, ..flow(0, 2, 40, ArrivalSpec::Poisson { rate: 0.001 }) });
    let spec = ring(4, 1, NONE, vec![first, of(64, flow(2, 3, 40, after(0, 1)))]);
    let mut simulation = Simulation::new(&spec).expect("valid");
    simulation.keep_deliveries();
    simulation.advance(1_000_000);
    let all = simulation.take_deliveries();
    let here = all.iter().filter(|one| one.packet.flow == 0 && one.packet.destination == 2).count();
    let followed = all.iter().filter(|one| one.packet.flow == 1).count();
    assert!(here > 500 && (here / 2).abs_diff(followed) <= 1, "{here} {followed}");
}

#[test]
fn a_follower_at_the_same_node_waits_for_the_responses() {
    let asked = of(128, with_response(once(0, 2, 8, 5), 40));
    let all = delivered(&ring(4, 1, NONE, vec![asked, of(64, flow(0, 1, 40, after(0, 3)))]), 5_000);
    let last = all.iter().filter(|one| one.0 == 0).map(|one| one.2).max().expect("it came");
    assert_eq!(all.iter().find(|one| one.0 == 1).expect("it followed").1, last + 3);
}

#[test]
fn what_cannot_be_prompted_is_refused() {
    let refused = |flows: Vec<FlowSpec>| Simulation::new(&ring(4, 1, NONE, flows)).err().expect("refused").to_string();
    let plain = || of(64, flow(0, 2, 40, ArrivalSpec::Poisson { rate: 0.01 }));
    let here = |arrivals| of(64, flow(2, 3, 40, arrivals));
    assert!(refused(vec![plain(), flow(2, 3, 40, after(0, 1))]).starts_with("flows[1].arrivals: prompted"));
    assert!(refused(vec![plain(), here(after(2, 1))]).ends_with("a flow below 2"));
    assert!(refused(vec![plain(), of(64, flow(1, 3, 40, after(0, 1)))]).ends_with("whose messages go to node 1"));
    assert!(refused(vec![plain(), of(64, flow(0, 3, 40, after(0, 1)))]).contains("a flow with responses"));
    let longest = MAX_FOLLOWED_PACKETS * 64;
    let long = |bytes| of(bytes, flow(0, 2, 40, ArrivalSpec::Poisson { rate: 1e-6 }));
    assert!(Simulation::new(&ring(4, 1, NONE, vec![long(longest), here(after(0, 1))])).is_ok());
    assert!(refused(vec![long(longest + 1), here(after(0, 1))]).contains("at most 65536 packets"));
    let circle = vec![of(64, flow(0, 2, 40, after(1, 1))), of(64, flow(2, 0, 40, after(0, 1)))];
    assert!(refused(circle).contains("does not follow this one itself"));
    assert!(refused(vec![of(64, flow(0, 2, 40, window(0, 1.0, false)))]).starts_with("flows[0].arrivals.window: 0"));
    assert!(refused(vec![of(64, flow(0, 2, 40, window(1, -1.0, false)))]).contains("think_cycles: -1"));
    let mut spec = ring(4, 1, NONE, vec![with_response(plain(), 8), here(after(0, 1))]);
    spec.queues.response_timeout = Some(ResponseTimeoutSpec { timeout_cycles: 900, max_repeats: 1 });
    assert!(Simulation::new(&spec).err().expect("refused").to_string().contains("not sent again"));
}
