//! Full input queues: busy retry, A/B ageing reservation, finite response queues.

use ringlet_engine::spec::ClassOrder;

use super::explore::explore;
use super::rings::{moves, reads, ring, sci, two_to_one, with_one_response, with_places, with_reservation};
use crate::rings::with_queues;

/// Without reservation the others may take every place that becomes free.
#[test]
fn busy_retry_without_reservation_may_starve_a_packet() {
    for service_cycles in [3, 20] {
        let spec = with_places(1, service_cycles, ring(3, sci(), two_to_one()));
        explore(&format!("busy retry, service {service_cycles}"), spec, 2).comes_to_rest().starves(0).starves(1);
    }
}

/// SCI's A/B ageing: every refused packet is accepted within two generations.
#[test]
fn reservation_serves_every_refused_packet() {
    for (capacity, service_cycles) in [(1, 3), (1, 20), (2, 10)] {
        let spec = with_reservation(with_places(capacity, service_cycles, ring(3, sci(), two_to_one())));
        let name = format!("reservation, {capacity} places, service {service_cycles}");
        explore(&name, spec, 2).comes_to_rest().starves_none();
    }
    let three = vec![moves(0, 3), moves(1, 3), moves(2, 3)];
    let spec = with_reservation(with_places(1, 3, ring(4, sci(), three)));
    explore("reservation, 3 senders", spec, 1).comes_to_rest().starves_none();
}

/// Requests and responses have queues of their own: that a server waits for a place for its response blocks no
/// response.
#[test]
fn requests_and_responses_do_not_deadlock() {
    for order in [ClassOrder::Alternate, ClassOrder::ResponseFirst, ClassOrder::RequestFirst] {
        for outstanding_limit in [Some(1), None] {
            let transactions = ring(2, sci(), vec![reads(0, 1), reads(1, 0)]);
            let spec = with_one_response(outstanding_limit, with_places(1, 3, transactions));
            let name = format!("transactions, {order:?}, {outstanding_limit:?} outstanding");
            explore(&name, with_queues(spec, |queues| queues.order = order), 2).comes_to_rest().starves_none();
        }
    }
}
