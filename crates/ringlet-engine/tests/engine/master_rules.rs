//! Slots that are split among bus masters (docs/explanation/network-model.md, "Hosts"), beside a small model of a bus.

use std::collections::VecDeque;

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::injection::{InjectedPacket, Outcome};
use ringlet_engine::spec::{
    ArrivalSpec, FillGroupsSpec, FillSplitSpec, FlowSpec, HostSpec, MAX_DELAY_PS, NetworkSpec, ReceiveQueueSpec,
};

use crate::cases;
use crate::networks::{DMOVE64, KIND, SYMBOL_PS, every, fingerprint, flow, network, node, ring, to, topology};

/// Cycles of a hop.
const HOP: u64 = 18;

/// Node 0 with these flows and this interface, and a memory beside it.
fn two_hosts(flows: Vec<FlowSpec>, host: HostSpec) -> NetworkSpec {
    let mut spec = network(vec![ring(vec![node(0), node(1)], vec![])], KIND, &[], flows);
    spec.queues.receive.common = ReceiveQueueSpec { capacity: None, service_cycles: 10 };
    topology(&mut spec).switch_kinds.clear();
    topology(&mut spec).host = host;
    spec
}

fn split(slots: u32, set_up_ps: u64, write_ps: u64) -> HostSpec {
    let split = Some(FillSplitSpec { set_up_ps });
    HostSpec { slots: Some(slots), fill_serial_ps: write_ps, split, ..HostSpec::default() }
}

/// A source whose next message begins when the last is done.
#[derive(Debug, Clone, Copy)]
struct Closed {
    burst: u32,
    pause: u64,
    posted: bool,
}

fn closed() -> impl Strategy<Value = Closed> {
    (1..4u32, 1..300u64, any::<bool>()).prop_map(|(burst, pause, posted)| Closed { burst, pause, posted })
}

/// A packet of a model: whose it is, and when.
#[derive(Debug, Clone, Copy)]
struct Timed {
    master: usize,
    at: u64,
}

/// A master of the model.
#[derive(Debug, Default)]
struct Master {
    /// Cycle in which its next message begins; none while one is not done.
    begins: Option<u64>,
    /// Packets of its messages that are behind the one that is served.
    waiting: u32,
    /// Does it hold a slot, or wait for one?
    is_served: bool,
    /// Packets of its message that are not done.
    left: u32,
    generated: u64,
    accepted: u64,
}

/// Cycle by cycle: masters wait for a slot, for the end of their set-up, for the bus, for the link and for an echo.
/// Returns what each has generated, and what has been accepted of it.
fn model(masters: &[Closed], host: &HostSpec, cycles: u64) -> Vec<(u64, u64)> {
    let set_up_ps = host.split.expect("it is split").set_up_ps;
    let mut free = host.slots.expect("it has slots");
    let mut all: Vec<Master> = masters.iter().map(|_| Master { begins: Some(0), ..Master::default() }).collect();
    // Each in the order of its events; times in ps for the bus, in cycles behind it.
    let (mut slot, mut bus) = (VecDeque::new(), VecDeque::<Timed>::new());
    let (mut filled, mut echoes) = (VecDeque::<Timed>::new(), VecDeque::<Timed>::new());
    let (mut bus_free_ps, mut link_free) = (0, 0);
    for now in 0..cycles {
        for (number, (master, &Closed { burst, .. })) in all.iter_mut().zip(masters).enumerate() {
            if master.begins == Some(now) {
                *master = Master { begins: None, left: burst, waiting: master.waiting + burst, ..*master };
                master.generated += u64::from(burst);
                if !master.is_served {
                    (master.is_served, master.waiting) = (true, master.waiting - 1);
                    slot.push_back(number);
                }
            }
        }
        let accepted = echoes.front().is_some_and(|echo| echo.at == now);
        if accepted {
            let Timed { master: number, .. } = echoes.pop_front().expect("it was just there");
            let (master, closed) = (&mut all[number], masters[number]);
            master.accepted += 1;
            free += 1;
            if !closed.posted {
                master.left -= 1;
                master.begins = (master.left == 0).then_some(now + closed.pause);
            }
            master.is_served = master.waiting > 0;
            if master.is_served {
                master.waiting -= 1;
                slot.push_back(number);
            }
        }
        while free > 0
            && let Some(master) = slot.pop_front()
        {
            free -= 1;
            bus.push_back(Timed { master, at: now * SYMBOL_PS + set_up_ps });
        }
        while let Some(&Timed { master: number, at }) = bus.front()
            && at <= now * SYMBOL_PS
        {
            bus.pop_front();
            bus_free_ps = at.max(bus_free_ps) + host.fill_serial_ps;
            let done = bus_free_ps.div_ceil(SYMBOL_PS);
            let (master, closed) = (&mut all[number], masters[number]);
            if closed.posted {
                master.left -= 1;
                master.begins = (master.left == 0).then_some(done + closed.pause);
            }
            filled.push_back(Timed { master: number, at: (bus_free_ps + host.fill_ps).div_ceil(SYMBOL_PS) });
        }
        while let Some(&Timed { master, at }) = filled.front()
            && at <= now
        {
            // A packet and the idle before it; its end reaches the memory, and the echo comes back.
            filled.pop_front();
            let sent = (at + 1).max(link_free);
            link_free = sent + u64::from(DMOVE64) + 1;
            echoes.push_back(Timed { master, at: sent + u64::from(DMOVE64) + 2 * HOP - 1 });
        }
    }
    all.iter().map(|master| (master.generated, master.accepted)).collect()
}

fn spec_of(masters: &[Closed], host: HostSpec) -> NetworkSpec {
    let flows = masters.iter().map(|&Closed { burst, pause, posted }| {
        let mut flow = flow(0, to(1), ArrivalSpec::Closed { pause_cycles: pause, posted, repeats: None });
        flow.burst = burst;
        flow
    });
    two_hosts(flows.collect(), host)
}

/// Returns the packets that each flow has generated, and those of them that were accepted at the first try.
fn simulated(spec: &NetworkSpec, cycles: u64) -> Vec<(u64, u64)> {
    let mut simulation = Simulation::new(spec).expect("valid");
    simulation.advance(cycles);
    let flows = simulation.flow_counters();
    flows.iter().map(|flow| (flow.generated_packets, flow.first_try_packets)).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    /// Any masters, with as many slots as they are, fewer or more, set-ups and times to fill that are no whole cycles.
    #[test]
    fn masters_of_split_slots_get_the_bus_in_the_order_in_which_they_request_it(
        masters in prop::collection::vec(closed(), 1..9), slots in 1..10u32,
        set_up_ps in prop_oneof![1 => Just(0), 4 => 0..1_600_000u64],
        write_ps in 0..400_000u64, fill_ps in 0..400_000u64,
    ) {
        let host = HostSpec { fill_ps, ..split(slots, set_up_ps, write_ps) };
        let cycles = 20_000;
        prop_assert_eq!(simulated(&spec_of(&masters, host), cycles), model(&masters, &host, cycles));
    }

    /// One master that has all of the bus is a bridge that combines one buffer, as far as requests go.
    #[test]
    fn a_master_alone_is_a_bridge_without_combined_buffers(
        alone in closed(), set_up_ps in 0..1_600_000u64, write_ps in 0..400_000u64,
    ) {
        let master = split(1, set_up_ps, write_ps);
        let groups = FillGroupsSpec { packets: 1, set_up_ps, uncrowded: 1, crowded_ps: 0 };
        let bridge = HostSpec { split: None, groups: Some(groups), ..master };
        let [found, expected] = [master, bridge].map(|host| {
            let mut simulation = Simulation::new(&spec_of(&[alone], host)).expect("valid");
            simulation.advance(20_000);
            fingerprint(&simulation)
        });
        prop_assert_eq!(found, expected);
    }
}

/// A bus that takes 80 cycles for a packet, and masters that take 257 for each: their throughputs add up
/// until the bus is always busy.
#[test]
fn masters_add_up_until_the_bus_is_full() {
    // 101 cycles of set-up, 80 on the bus, one, 40 and two hops until the echo is there.
    let host = split(8, 101 * SYMBOL_PS, 80 * SYMBOL_PS);
    let round = 101 + 80 + 1 + 40 + 2 * HOP - 1;
    assert_eq!(round, 257);
    for masters in 1..=8 {
        let closed = Closed { burst: 1, pause: 1, posted: true };
        let accepted: u64 =
            simulated(&spec_of(&vec![closed; masters], host), 1_000_000).iter().map(|flow| flow.1).sum();
        let possible = 1e6 / f64::max(80.0, round as f64 / masters as f64);
        assert!((accepted as f64 / possible - 1.0).abs() < 2e-3, "{masters} masters: {accepted} of {possible}");
    }
}

/// A response that requests the bus while a master sets its request up has it at once; a bridge whose set-up holds the
/// bus makes it wait.
#[test]
fn a_response_has_the_bus_while_masters_set_up() {
    let latency = |host: HostSpec| {
        let mut read = flow(1, to(0), every(5_000.0));
        read.response_symbols = Some(DMOVE64);
        let closed = ArrivalSpec::Closed { pause_cycles: 4_900, posted: true, repeats: None };
        let mut spec = two_hosts(vec![flow(0, to(1), closed), read], host);
        topology(&mut spec).hosts = Some(vec![host, HostSpec::default()]);
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(4_000);
        let flows = simulation.flow_counters();
        assert_eq!((flows[0].delivered_packets, flows[1].host().delivered_responses), (1, 1));
        flows[1].host().message_latency_sum_cycles
    };
    let (set_up, write) = (1_000, 100);
    let master = split(1, set_up * SYMBOL_PS, write * SYMBOL_PS);
    let groups = FillGroupsSpec { packets: 1, set_up_ps: set_up * SYMBOL_PS, uncrowded: 1, crowded_ps: 0 };
    let free = HostSpec { slots: Some(1), fill_serial_ps: write * SYMBOL_PS, ..HostSpec::default() };
    let bridge = HostSpec { split: None, groups: Some(groups), ..master };
    // The request is sent in cycle 1, and served for 10 cycles; so is the response.
    let alone = 1 + HOP + 40 + 10 + write + 1 + HOP + 40 + 10;
    assert_eq!(latency(master), alone);
    // Behind the set-up and the packet that it is for, from cycle 0 on.
    assert_eq!(latency(bridge), alone + (set_up + write) - (1 + HOP + 40 + 10));
    // Behind the packet alone.
    assert_eq!(latency(free), alone + write - (1 + HOP + 40 + 10));
}

/// A flow has one master, whatever the others do not use.
#[test]
fn a_flow_is_served_by_one_master_at_a_time() {
    let closed = Closed { burst: 4, pause: 1, posted: true };
    let host = |slots| split(slots, 400_000, 40_000);
    assert_eq!(simulated(&spec_of(&[closed], host(8)), 50_000), simulated(&spec_of(&[closed], host(1)), 50_000));
}

/// A request finds room where a master takes it at once, or one of the places for those that wait.
#[test]
fn what_masters_cannot_take_waits_or_is_lost() {
    let lost = |waiting: u32, flows: usize| {
        let mut spec = two_hosts(vec![flow(0, to(1), every(10.0)); flows], split(2, 400_000, 40_000));
        spec.queues.limits.common.transmit_capacity = Some(waiting);
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(95);
        let flows = simulation.flow_counters();
        flows.iter().map(|flow| (flow.generated_packets, flow.lost_packets)).collect::<Vec<_>>()
    };
    // Nothing is accepted yet: of the ten of each flow the first is in a slot.
    assert_eq!(lost(100, 1), [(10, 0)]);
    assert_eq!(lost(5, 1), [(10, 4)]);
    assert_eq!(lost(3, 2), [(10, 7), (10, 8)]);
}

/// Each packet that a program injects has a master of its own: three of one time are set up together, and cross the bus
/// one after the other; with two slots the third one waits for the first.
#[test]
fn an_injected_packet_acts_as_one_more_master() {
    let (set_up, write) = (100, 50);
    let sent = |slots: u32| {
        let host = split(slots, set_up * SYMBOL_PS, write * SYMBOL_PS);
        // Its packets say their lengths.
        let injected =
            FlowSpec { sizes: vec![(8, 1.0)], ..flow(0, to(1), ArrivalSpec::Injected { most_symbols: None }) };
        let mut simulation = Simulation::new(&two_hosts(vec![injected], host)).expect("valid");
        for _ in 0..3 {
            let packet = InjectedPacket {
                cycle: 10,
                source: 0,
                destination: 1,
                symbols: DMOVE64,
                response_symbols: None,
                priority: 0,
                group: None,
            };
            simulation.inject(&packet).expect("valid");
        }
        simulation.advance(1_000);
        let events = simulation.take_events();
        events.iter().filter(|event| event.outcome == Outcome::Sent).map(|event| event.cycle).collect::<Vec<_>>()
    };
    let first = 10 + set_up + write + 1;
    assert_eq!(sent(3), [first, first + write, first + 2 * write]);
    // The first echo is back when all of the packet, and two hops, have passed.
    let freed = first + u64::from(DMOVE64) + 2 * HOP - 1;
    assert_eq!(sent(2), [first, first + write, freed + set_up + write + 1]);
}

#[test]
fn slots_that_cannot_be_split_are_refused() {
    let refused =
        |host: HostSpec| Simulation::new(&two_hosts(Vec::new(), host)).err().expect("it is refused").to_string();
    let masters = split(2, 0, 0);
    let groups = Some(FillGroupsSpec { packets: 1, set_up_ps: 0, uncrowded: 1, crowded_ps: 0 });
    let without = refused(HostSpec { slots: None, ..masters });
    assert!(without.contains("host.split") && without.contains("slots"), "{without}");
    let combined = refused(HostSpec { groups, ..masters });
    assert!(combined.contains("host.split") && combined.contains("combined"), "{combined}");
    let slow = refused(split(2, MAX_DELAY_PS + 1, 0));
    assert!(slow.contains("host.split.set_up_ps") && slow.contains(&MAX_DELAY_PS.to_string()), "{slow}");
}
