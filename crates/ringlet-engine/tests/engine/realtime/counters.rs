//! Section 7: inversions.

use ringlet_engine::spec::NetworkSpec;

use crate::reference::Inversions;
use crate::rings::*;

const fn one(cycles: u64) -> Inversions {
    Inversions { packets: 1, cycles, max_cycles: cycles }
}

#[test]
fn a_head_that_waits_for_a_lower_priority_to_pass_is_inverted_from_the_cycle_in_which_it_came() {
    let inversion = |priority, cycle| {
        let flows = vec![with_priority(once(0, 2, 40, 0), 1), with_priority(once(1, 2, 8, cycle), priority)];
        simulate(&ring(3, 1, NONE, flows), 300).flow(1).output_inversion
    };
    // Node 0's packet passes node 1 from 2 to 41, its idle in 42.
    assert_eq!(inversion(2, 12), one(42 - 12 + 1));
    assert_eq!(inversion(2, 42), one(1), "in time for the idle");
    assert_eq!(inversion(1, 12), Inversions::default(), "equal priorities wait for each other");
    assert_eq!(inversion(2, 43), Inversions::default());
    // Head from 1 on, it would go first.
    assert_eq!(inversion(2, 0), Inversions::default());
}

#[test]
fn packets_drained_from_the_bypass_fifo_invert_the_next_head() {
    // Node 1 sends one packet from 1 to 40; meanwhile node 0's comes in. The next one of node 1 is head from 41 on.
    let high = |cycle| with_priority(once(1, 2, 40, cycle), 3);
    let reference = simulate(&ring(3, 1, NONE, vec![once(0, 2, 20, 5), high(0), high(30)]), 300);
    // The idle behind the first, then 20 symbols and the separator.
    assert_eq!(starts(&reference, 1), [1, 63]);
    assert_eq!(reference.flow(2).output_inversion, one(21));
}

#[test]
fn an_echo_that_passes_inverts_nothing() {
    let flows = vec![once(0, 2, 12, 0), with_priority(once(2, 0, 8, 14), 3), with_priority(once(1, 0, 8, 0), 1)];
    let reference = simulate(&ring(3, 1, NONE, flows), 300);
    assert!(reference.flows().iter().all(|flow| flow.output_inversion == Inversions::default()));
}

#[test]
fn a_packet_is_counted_when_its_echo_is_home() {
    let flows = vec![once(0, 2, 40, 0), with_priority(once(1, 2, 8, 12), 2)];
    let spec = ring(3, 10, NONE, flows);
    // Passes node 1 from 11 to 50, its idle in 51. Node 1's packet: out from 52 on, home with its last symbol in 52 +
    // 30 + 7.
    assert_eq!(simulate(&spec, 89).flow(1).output_inversion, Inversions::default());
    assert_eq!(simulate(&spec, 90).flow(1).output_inversion, one(51 - 12 + 1));
}

/// Two low priorities fill node 2's two places, then a packet of this priority comes, and is sent again until it is
/// accepted.
fn full_of_low(priority: u8) -> NetworkSpec {
    let flows = vec![once(1, 2, 8, 0), once(1, 2, 8, 0), with_priority(once(1, 2, 8, 20), priority)];
    with_input_queues(ring(4, 1, NONE, flows), 2, 100)
}

#[test]
fn a_packet_refused_while_lower_priorities_hold_places_is_inverted_until_it_is_accepted() {
    // Places are taken in 2 and 11, the first is free in 110. Refused in 22 first, then at every turn of 4 + 8 cycles:
    // out in 21, 33, ..., in at node 2 one later: 22, 34, ..., 106, 118.
    let reference = simulate(&full_of_low(1), 1_000);
    assert_eq!(reference.node(2).refused_packets, 8);
    assert_eq!(reference.flow(2).input_inversion, one(118 - 22));
    assert_eq!(simulate(&full_of_low(1), 118).flow(2).input_inversion, Inversions::default());
    assert_eq!(simulate(&full_of_low(1), 119).flow(2).input_inversion, one(118 - 22));
}

#[test]
fn a_packet_refused_among_its_equals_is_not_inverted() {
    let reference = simulate(&full_of_low(0), 1_000);
    assert_eq!(reference.node(2).refused_packets, 8);
    assert_eq!(reference.flow(2).input_inversion, Inversions::default());
}
