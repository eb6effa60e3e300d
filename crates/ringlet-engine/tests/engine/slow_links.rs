//! Rings of which some links are slower than the others (docs/explanation/slow-links.md).

use std::sync::atomic::{AtomicU32, Ordering};

use crate::against_reference::{compare, steps};
use crate::random::network_with;
use crate::recurrence::{cuts, determined, equals_direct_run};
use crate::rings::*;
use crate::saved::{built, goes_on};
use proptest::prelude::*;
use proptest::sample::subsequence;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::protocols::metaring::MetaringSpec;
use ringlet_engine::protocols::token_ring::{TokenRelease, TokenRingSpec};
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec, SlowLinkSpec};

/// Protocols that slow links may be of, with some of their options.
const TAKING: &[&str] = &["none", "sci", "grouped", "token-ring", "metaring"];

fn slow(node: u32, cycles: u32, symbols: u32) -> SlowLinkSpec {
    SlowLinkSpec { node, cycles, symbols }
}

/// Slow links of a ring, each at a rate of its own: a little below that of the ring, and far below.
fn slow_links(nodes: u32) -> impl Strategy<Value = Vec<SlowLinkSpec>> {
    let rate = prop_oneof![
        (1..20u32, 1..20u32).prop_map(|(symbols, more)| (symbols + more, symbols)),
        (2..9u32).prop_map(|cycles| (cycles, 1)),
        (1..1000u32).prop_map(|symbols| (symbols + 1, symbols)),
        Just((1_000_000_000, 999_999_937)),
    ];
    let places = subsequence((0..nodes).collect::<Vec<_>>(), 1..=(nodes as usize).min(3));
    (places, proptest::collection::vec(rate, 3)).prop_map(|(places, rates)| {
        places.into_iter().zip(rates).map(|(node, (cycles, symbols))| slow(node, cycles, symbols)).collect()
    })
}

/// Any ring with slow links and a protocol that takes them.
fn slowed() -> impl Strategy<Value = NetworkSpec> {
    let taking = network_with(TAKING).prop_filter("the options do not take slow links", |spec| {
        crate::protocol(spec).limits(spec.shape()).takes_slow_links
    });
    taking.prop_flat_map(|spec| {
        slow_links(spec.nodes).prop_map(move |slow_links| NetworkSpec { slow_links, ..spec.clone() })
    })
}

proptest! {
    #![proptest_config(crate::cases(300))]

    #[test]
    fn a_ring_with_slow_links_equals_the_reference(spec in slowed(), steps in steps()) {
        compare(&spec, &steps)?;
    }

    /// A packet of each flow, and its response, arrives over slow links, or is lost where a queue is full: none stays
    /// anywhere. In each cycle a node emits one symbol.
    #[test]
    fn what_is_sent_arrives(mut spec in slowed()) {
        for (number, flow) in spec.flows.iter_mut().enumerate() {
            flow.arrivals = ArrivalSpec::Periodic { period: 1e12, phase: 20.0 * number as f64 };
        }
        let mut simulation = built(&spec);
        let cycles = 400_000;
        prop_assert_eq!(simulation.advance(cycles), None);
        prop_assert_eq!(simulation.packets_held(), 0);
        let generated: u64 = simulation.flow_counters().iter().map(|flow| flow.generated_packets).sum();
        prop_assert!(generated >= spec.flows.len() as u64);
        for node in simulation.node_counters() {
            let packets = node.link_send_symbols + node.link_retry_symbols + node.link_echo_symbols;
            prop_assert_eq!(packets + node.link_control_symbols + node.link_idle_symbols, cycles);
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(100))]

    #[test]
    fn a_saved_ring_with_slow_links_goes_on(spec in slowed(), before in 0..5_000u64, cycles in 0..5_000u64) {
        goes_on(&spec, before, cycles)?;
    }

    /// Damage is an error or gives another state that goes on, never a panic.
    #[test]
    fn a_damaged_state_is_refused_or_goes_on(
        spec in slowed(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut simulation = built(&spec);
        simulation.advance(1_000);
        let mut saved = simulation.save();
        let at = at.index(saved.len());
        saved[at] = byte;
        if cut {
            saved.truncate(at);
        }
        let mut restored = built(&spec);
        let read = restored.restore(&saved);
        prop_assert!(!cut || read.is_err());
    }
}

/// A ring for ever, with nothing drawn at random.
#[test]
fn a_ring_with_slow_links_that_comes_back_to_a_state_goes_on_as_before() {
    let found = AtomicU32::new(0);
    let config = crate::cases(100);
    let cases = config.cases;
    proptest!(config, |(spec in slowed().prop_map(determined), cuts in cuts())| {
        equals_direct_run(&spec, cuts, &found)?;
    });
    assert!(found.load(Ordering::Relaxed) > cases / 10, "{found:?} of {cases} rings come back");
}

/// Protocols that take slow links.
fn taking() -> [FlowControlSpec; 7] {
    let released = |release| FlowControlSpec::TokenRing(TokenRingSpec { release, ..TokenRingSpec::EXAMPLE });
    [
        NONE,
        SCI,
        sci(Extension::Passing, Release::All, 1),
        enhanced(4),
        released(TokenRelease::Early),
        released(TokenRelease::Returned),
        FlowControlSpec::Metaring(MetaringSpec::EXAMPLE),
    ]
}

/// Cycles of each of two packets that are generated at once, the second one behind the first, over the slow link of
/// node 1.
fn latencies(flow_control: FlowControlSpec, (cycles, symbols): (u32, u32)) -> Vec<u64> {
    let flows = vec![once(0, 2, 40, 7), once(1, 2, 20, 1_000), once(1, 2, 40, 2_000), once(1, 2, 40, 2_000)];
    let mut spec = ring(4, 5, flow_control, flows);
    spec.slow_links = vec![slow(1, cycles, symbols)];
    let mut simulation = built(&spec);
    simulation.keep_deliveries();
    simulation.advance(20_000);
    let mut found = simulation.take_deliveries();
    found.sort_by_key(|delivered| (delivered.packet.flow, delivered.cycle));
    found.iter().map(|delivered| delivered.cycle - delivered.packet.generated).collect()
}

/// A packet comes later by the time that its symbols take longer; the next one when the link has carried it, and its
/// idle. At 5/3 cycles a symbol 40 symbols take 26 and 2/3 longer, of which the last part is a cycle.
#[test]
fn a_packet_comes_when_the_slow_link_has_carried_it() {
    let at_once = |hops: u64, symbols: u64| 1 + 5 * hops + symbols;
    assert_eq!(latencies(NONE, (2, 1)), [at_once(2, 40) + 40, at_once(1, 20) + 20, at_once(1, 40) + 40, 1 + 5 + 162]);
    let third = [at_once(2, 40) + 27, at_once(1, 20) + 14, at_once(1, 40) + 27, 1 + 5 + 135];
    assert_eq!(latencies(NONE, (5, 3)), third);
    // With go bits in all idles while there is little traffic.
    assert_eq!(latencies(sci(Extension::Passing, Release::Unblocked, 1), (5, 3)), third);
}

/// All nodes send over a link at two fifths of the ring's rate: it carries packets all the time, and every one of them
/// arrives. Nothing stands still, whatever the protocol.
#[test]
fn a_slow_link_is_filled_and_no_ring_with_one_stands_still() {
    for flow_control in taking() {
        let flows = (0..5).map(|node| saturated(node, (node + 4) % 5, 40)).collect();
        let spec = with_limits(ring(5, 3, flow_control.clone(), flows), |limits| limits.outstanding_limit = Some(4));
        let spec = NetworkSpec { slow_links: vec![slow(2, 5, 2)], ..spec };
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        assert_eq!(simulation.advance(200_000), None, "{flow_control:?}");
        simulation.reset_measurement();
        assert_eq!(simulation.advance(400_000), None, "{flow_control:?}");
        let link = simulation.node_counters()[2].clone();
        let packets = |symbols, length| symbols / length * (length + 1);
        let carried = packets(link.link_send_symbols, 40) + packets(link.link_echo_symbols, 4);
        let share = 2.5 * carried as f64 / 400_000.0;
        let token = matches!(flow_control, FlowControlSpec::TokenRing(_) | FlowControlSpec::Metaring(_));
        assert!(share < 1.01 && (token || share > 0.97), "{flow_control:?}: {share}");
        let delivered: Vec<_> = simulation.flow_counters().iter().map(|flow| flow.delivered_packets).collect();
        assert!(delivered.iter().all(|&packets| packets > 100), "{flow_control:?}: {delivered:?}");
    }
}

#[test]
fn what_is_no_slow_link_is_refused() {
    let spec = |flow_control, slow_links| NetworkSpec { slow_links, ..ring(3, 1, flow_control, Vec::new()) };
    let refused = |spec: NetworkSpec| spec.validate().expect_err("it is none").to_string();
    let of = |slow_links| refused(spec(NONE, slow_links));
    assert_eq!(of(vec![slow(3, 2, 1)]), "slow_links[0].node: 3 is not allowed; 0 to 2, in their order");
    assert_eq!(of(vec![slow(1, 2, 1), slow(1, 2, 1)]), "slow_links[1].node: 1 is not allowed; 2 to 2, in their order");
    assert_eq!(of(vec![slow(0, 2, 2)]), "slow_links[0].cycles: 2 is not allowed; 3 to 2000000");
    assert_eq!(of(vec![slow(0, 2, 0)]), "slow_links[0].symbols: 0 is not allowed; 1 to below 1000000000");
    let ppq = spec(FlowControlSpec::Ppq(PPQ), vec![slow(0, 2, 1)]);
    assert_eq!(refused(ppq), "slow_links: that of node 0 is not allowed; none with this protocol");
}
