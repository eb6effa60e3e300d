//! Property of any control loop and any collective operation: it is the trace of its packets, each of which
//! depends on those before it.

use crate::networks::fingerprint;
use crate::networks::random::any_network;
use crate::random;
use crate::traces::{Packet, packet, replay, traced};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::activities::WorkloadSpec;
use ringlet_engine::activities::chain::{ChainSpec, StageSpec};
use ringlet_engine::activities::collective::{CollectiveCounters, CollectiveSpec, Operation};
use ringlet_engine::chains::ChainCounters;
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, NetworkSpec};

const END: u64 = 20_000;

/// The last flows of a spec with plans, and one flow of other traffic.
fn with_flows(mut spec: NetworkSpec, sources: &[u32]) -> NetworkSpec {
    spec.flows.truncate(1);
    let mut like =
        FlowSpec { destinations: DestinationSpec::Uniform {}, deadline_cycles: None, ..spec.flows[0].clone() };
    if spec.network.is_some() {
        // Rings may have different numbers of groups.
        like.groups = GroupSpec::Fixed { group: 0 };
    }
    spec.flows.extend(sources.iter().map(|&source| traced(FlowSpec { source, ..like.clone() }, false, true)));
    spec.queues.limits.common.transmit_capacity = None;
    spec
}

/// The number of a member's flow.
fn flow_of(member: usize) -> u32 {
    1 + member as u32
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        Just(Operation::AllReduce {}),
        Just(Operation::AllGather {}),
        Just(Operation::ReduceScatter {}),
        Just(Operation::AllToAll {}),
        (0..2u32).prop_map(|root| Operation::Broadcast { root }),
    ]
}

/// A collective operation of some nodes of a network.
fn collective(spec: NetworkSpec) -> impl Strategy<Value = NetworkSpec> {
    let nodes: Vec<u32> = (0..spec.nodes).collect();
    let most = nodes.len();
    let members = proptest::sample::subsequence(nodes, 2..=most).prop_shuffle();
    (members, operation(), 1..6u32, 0..500u64, 0..60u64).prop_map(
        move |(members, operation, packets, start_cycle, reduce_cycles)| {
            let mut spec = with_flows(spec.clone(), &members);
            let flows = (0..members.len()).map(flow_of).collect();
            let plan = CollectiveSpec { operation, flows, packets, start_cycle, reduce_cycles };
            spec.workload = vec![plan.into()];
            spec
        },
    )
}

/// A control loop that goes from node to node of a network.
fn chain(spec: NetworkSpec) -> impl Strategy<Value = NetworkSpec> {
    let stages = proptest::collection::vec((1..spec.nodes, 1..5u32, 0..300u64), 1..4);
    (0..spec.nodes, stages, 50..900u32, 0..300u32, 1..3_000u64, 0..50u64).prop_map(
        move |(first, drawn, period, phase, deadline_cycles, end_cycles)| {
            let (mut sources, mut stages, mut here) = (Vec::new(), Vec::new(), first);
            for (flow, (steps, packets, after_cycles)) in (1..).zip(drawn) {
                let destination = (here + steps) % spec.nodes;
                sources.push(here);
                stages.push(StageSpec { flow, destination, packets, after_cycles });
                here = destination;
            }
            let mut spec = with_flows(spec.clone(), &sources);
            let release = ArrivalSpec::Periodic { period: period.into(), phase: phase.into() };
            spec.workload = vec![ChainSpec { release, jitter_cycles: 0, deadline_cycles, stages, end_cycles }.into()];
            spec
        },
    )
}

fn some_network() -> impl Strategy<Value = NetworkSpec> {
    let ring = random::network().boxed();
    prop_oneof![ring, any_network().boxed()].prop_filter("too small", |spec| !spec.flows.is_empty() && spec.nodes >= 2)
}

/// Any ring or network with a collective operation or a control loop.
pub(crate) fn planned() -> impl Strategy<Value = NetworkSpec> {
    some_network().prop_flat_map(|spec| prop_oneof![collective(spec.clone()).boxed(), chain(spec).boxed()])
}

/// Any ring or network with a control loop.
pub(crate) fn control_loop() -> impl Strategy<Value = NetworkSpec> {
    some_network().prop_flat_map(chain)
}

/// The packets of all steps, each of which depends on the one that it hands on.
fn trace_of_collective(spec: &NetworkSpec, plan: &CollectiveSpec) -> Vec<Packet> {
    let members = plan.flows.len();
    let mut all: Vec<Packet> = Vec::new();
    let node = |member: usize| spec.flows[plan.flows[member] as usize].source;
    let mut send = |cycle: u64, from: usize, to: usize, came: Option<usize>| {
        let first = all.len();
        for place in 0..plan.packets {
            let before: Vec<u32> = came.iter().map(|&first| first as u32 + place).collect();
            all.push(packet(cycle, plan.flows[from], node(to), &before));
        }
        first
    };
    let next = |member: usize| (member + 1) % members;
    match plan.operation {
        Operation::Broadcast { root } => {
            let mut came = None;
            for hop in 0..members - 1 {
                let from = (root as usize + hop) % members;
                came = Some(send(plan.start_cycle + hop as u64, from, next(from), came));
            }
        }
        Operation::AllToAll {} => {
            for step in 1..members {
                for from in 0..members {
                    send(plan.start_cycle, from, (from + step) % members, None);
                }
            }
        }
        Operation::AllGather {} | Operation::AllReduce {} | Operation::ReduceScatter {} => {
            let combining = if plan.operation == (Operation::AllGather {}) { 0 } else { members - 1 };
            let gathering = if plan.operation == (Operation::ReduceScatter {}) { 0 } else { members - 1 };
            let (mut cycle, mut came) = (plan.start_cycle, vec![None; members]);
            for step in 0..combining + gathering {
                if step > 0 {
                    // What has come in a combining step is combined before it is handed on.
                    cycle += if step <= combining { plan.reduce_cycles.max(1) } else { 1 };
                }
                let mut sent = vec![None; members];
                for from in 0..members {
                    sent[next(from)] = Some(send(cycle, from, next(from), came[from]));
                }
                came = sent;
            }
        }
    }
    all
}

/// The packets of all instances up to a cycle, in the order of the cycles that they would have if nothing took time.
fn trace_of_chain(plan: &ChainSpec) -> Vec<Packet> {
    let ArrivalSpec::Periodic { period, phase } = plan.release else { unreachable!("loops are periodic here") };
    let mut drawn: Vec<(u64, u64, u32, u32, Option<usize>, usize)> = Vec::new();
    for release in (0..).map(|instance| (phase + f64::from(instance) * period) as u64).take_while(|&at| at < END) {
        let mut cycle = release;
        let mut before = None;
        for (place, stage) in plan.stages.iter().enumerate() {
            cycle += if place == 0 { stage.after_cycles } else { stage.after_cycles.max(1) };
            drawn.push((cycle, release, stage.flow, stage.destination, before, stage.packets as usize));
            before = Some(drawn.len() - 1);
        }
    }
    let mut order: Vec<usize> = (0..drawn.len()).collect();
    order.sort_by_key(|&one| (drawn[one].0, drawn[one].1));
    let mut firsts = vec![0; drawn.len()];
    let mut all = Vec::new();
    for one in order {
        let (cycle, _, flow, destination, before, packets) = drawn[one];
        firsts[one] = all.len();
        let awaited: Vec<u32> = before
            .map(|stage: usize| (firsts[stage]..firsts[stage] + drawn[stage].5).map(|number| number as u32).collect())
            .unwrap_or_default();
        all.extend((0..packets).map(|_| packet(cycle, flow, destination, &awaited)));
    }
    all
}

fn simulate(spec: &NetworkSpec, threads: usize, steps: &[u64]) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.use_threads(threads);
    let mut steps = steps.iter().cycle();
    while simulation.cycle() < END {
        let step = *steps.next().expect("steps are repeated");
        simulation.advance(step.min(END - simulation.cycle()));
    }
    simulation
}

/// All that is measured, as text.
fn found(simulation: &Simulation) -> String {
    let counted =
        (simulation.activity_counters::<ChainCounters>(), simulation.activity_counters::<CollectiveCounters>());
    format!("{counted:?}\n{}", fingerprint(simulation))
}

fn as_a_trace(spec: &NetworkSpec, packets: &[Packet]) -> String {
    let spec = NetworkSpec { workload: Vec::new(), ..spec.clone() };
    fingerprint(&replay(&spec, packets, packets.len().max(1), 1, &[END], END))
}

proptest! {
    #![proptest_config(crate::cases(40))]

    #[test]
    fn a_collective_equals_its_trace(spec in some_network().prop_flat_map(collective)) {
        let WorkloadSpec::Collective(plan) = crate::activity(&spec) else { unreachable!("it has one") };
        let packets = trace_of_collective(&spec, &plan);
        prop_assert_eq!(packets.len() as u64, plan.all_packets());
        let simulation = simulate(&spec, 1, &[END]);
        prop_assert_eq!(fingerprint(&simulation), as_a_trace(&spec, &packets));
        let counted = *simulation.activity_counters::<CollectiveCounters>()[0];
        let flows = simulation.flow_counters();
        let delivered = |&flow: &u32| {
            let of_flow = &flows[flow as usize];
            of_flow.delivered_packets - of_flow.host().delivered_responses
        };
        let delivered: u64 = plan.flows.iter().map(delivered).sum();
        prop_assert_eq!(counted.packets, packets.len() as u64);
        // A flow has counted deliveries in the present cycle and behind it, too.
        let ahead = delivered.checked_sub(counted.delivered);
        prop_assert!(ahead.is_some_and(|ahead| ahead <= u64::from(spec.nodes)), "{ahead:?}");
    }

    #[test]
    fn a_loop_equals_its_trace(spec in some_network().prop_flat_map(chain)) {
        let WorkloadSpec::Chain(plan) = crate::activity(&spec) else { unreachable!("it has one") };
        let simulation = simulate(&spec, 1, &[END]);
        prop_assert_eq!(fingerprint(&simulation), as_a_trace(&spec, &trace_of_chain(&plan)));
        let counted = simulation.activity_counters::<ChainCounters>()[0];
        let complete = counted.responses.len();
        prop_assert!(complete <= counted.released && counted.missed <= counted.due && counted.due <= counted.released);
        let least: u64 = plan.stages.iter().map(|stage| stage.after_cycles).sum::<u64>() + plan.end_cycles;
        prop_assert!(complete == 0 || (least < counted.min_cycles && counted.min_cycles <= counted.max_cycles));
        // An instance that has missed its deadline took longer, or is still under way.
        let late = counted.max_cycles > plan.deadline_cycles || complete < counted.released;
        prop_assert!(counted.missed == 0 || late);
        prop_assert_eq!(counted.oldest.is_some(), complete < counted.released);
        prop_assert_eq!(counted.open, counted.released - complete);
    }

    #[test]
    fn steps_and_threads_do_not_matter(
        spec in prop_oneof![
            some_network().prop_flat_map(chain).boxed(),
            some_network().prop_flat_map(collective).boxed(),
        ],
        steps in proptest::collection::vec(1..2_000u64, 1..12),
    ) {
        let whole = found(&simulate(&spec, 1, &[END]));
        prop_assert_eq!(&whole, &found(&simulate(&spec, 1, &steps)));
        prop_assert_eq!(&whole, &found(&simulate(&spec, 3, &steps)));
    }
}
