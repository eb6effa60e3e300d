//! Section 2: busy retry with reservation.

use ringlet_engine::spec::NetworkSpec;

use crate::reference::{Letter, Phase, Reservation};
use crate::rings::*;

use Letter::{A, B};
use Phase::{DoTry, NoTry, Retry};

#[test]
fn a_refused_packet_gets_a_reservation_the_second_time() {
    let mut queue = Reservation::new();
    assert!(queue.admits(NoTry) && queue.admits(DoTry));
    assert_eq!(queue.refused(NoTry), DoTry);
    assert!(queue.admits(NoTry), "nothing is reserved");
    assert_eq!(queue.refused(DoTry), Retry(A));
    assert!(queue.admits(Retry(A)) && !queue.admits(Retry(B)) && !queue.admits(NoTry) && !queue.admits(DoTry));
    assert_eq!(queue.refused(Retry(A)), Retry(A), "it finds no place");
}

#[test]
fn who_is_refused_while_there_are_reservations_belongs_to_the_next_generation() {
    let mut queue = Reservation::new();
    queue.refused(DoTry);
    assert_eq!([queue.refused(NoTry), queue.refused(DoTry), queue.refused(DoTry)], [DoTry, Retry(B), Retry(B)]);
    assert_eq!(queue.refused(Retry(B)), Retry(B));
    // The one of A, then both of B, then any.
    queue.accepted();
    assert!(!queue.admits(Retry(A)) && queue.admits(Retry(B)) && !queue.admits(DoTry));
    queue.accepted();
    assert!(queue.admits(Retry(B)) && !queue.admits(NoTry));
    queue.accepted();
    assert!(queue.admits(NoTry));
    // The letter has changed twice.
    assert_eq!(queue.refused(DoTry), Retry(A));
}

#[test]
fn without_generations_left_acceptance_changes_nothing() {
    let mut queue = Reservation::new();
    queue.accepted();
    assert_eq!(queue.refused(DoTry), Retry(A));
}

/// Node 0 and node 1 send to node 2. Its only place is free again just before node 1's packet comes back, every time.
fn unlucky(reservation: bool) -> NetworkSpec {
    let spec = with_input_queues(ring(3, 1, SCI, vec![saturated(0, 2, 8), saturated(1, 2, 8)]), 1, 24);
    let spec = with_queues(spec, |queues| queues.reservation = reservation);
    with_limits(spec, |limits| limits.outstanding_limit = Some(1))
}

#[test]
fn without_reservation_a_packet_may_be_refused_for_ever() {
    let reference = simulate(&unlucky(false), 20_000);
    assert_eq!(reference.flow(0).latencies.count, 0);
    assert!(reference.flow(1).latencies.count > 400 && reference.most_refusals(0) > 1_000);
}

#[test]
fn with_reservation_every_packet_is_accepted_within_two_generations() {
    let reference = simulate(&unlucky(true), 20_000);
    let accepted = [0, 1].map(|flow| reference.flow(flow).latencies.count);
    assert!(accepted[0].abs_diff(accepted[1]) <= 1 && accepted[0] > 150, "{accepted:?}");
    // Twice until it has its reservation, then at most one turn of 18 cycles for each of two services of 24 and 8.
    assert!((0..2).all(|flow| reference.most_refusals(flow) <= 2 + 4));
}

#[test]
fn a_packet_carries_its_phase_from_retry_to_retry() {
    let mut spec = with_input_queues(ring(4, 1, NONE, vec![once(1, 2, 8, 0), once(1, 2, 8, 20)]), 1, 100);
    spec.queues.reservation = true;
    let phases: Vec<Phase> = sends(&simulate(&spec, 300), 1)[1..].iter().map(|(_, symbol)| symbol.phase).collect();
    assert_eq!(phases[..4], [NoTry, DoTry, Retry(A), Retry(A)]);
}
