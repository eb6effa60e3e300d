"""What must hold for every valid scenario: a function each, in a list with the share of scenarios that it is for."""

from collections.abc import Callable

from campaign.checks import counts, documents, latencies, relations, sentences, twins, ways
from campaign.observe import Observed

Check = Callable[[Observed], None]
"""Raises for something that does not hold."""

CHECKS: list[tuple[float, Check]] = [
    (1, counts.symbols_are_conserved),
    (1, counts.packets_are_conserved),
    (1, counts.queues_keep_their_places),
    (1, counts.links_carry_what_is_delivered),
    (1, counts.a_trace_is_accounted_for),
    (1, latencies.histogram_agrees),
    (1, latencies.sums_lie_between_extremes),
    (0.5, latencies.no_packet_is_faster_than_its_way),
    (0.2, relations.pieces_do_not_matter),
    (0.1, relations.threads_do_not_matter),
    (0.1, ways.all_ways_are_one_simulation),
    (0.05, ways.injected_packets_fare_alike_in_all_ways),
    (0.05, twins.injected_packets_are_those_of_a_trace),
    (0.05, relations.the_same_again),
    (0.05, relations.written_out_it_is_the_same_scenario),
    (0.1, documents.figures_are_finite_json),
    (0.1, documents.quantiles_are_in_order),
    (0.1, documents.totals_are_sums),
    (0.1, sentences.missed_deadlines_are_counted_once),
    (0.1, sentences.a_complete_trace_is_delivered),
    (0.1, sentences.met_deadlines_were_seen),
    (0.1, sentences.starved_nodes_got_nothing),
    (0.1, sentences.an_overload_is_counted),
    (0.1, sentences.failures_are_told_in_their_order),
    (0.1, documents.links_are_full),
    (0.02, documents.a_run_is_repeatable),
    (0.005, relations.a_sweep_equals_its_runs),
]
"""Share of the scenarios, and the check."""


def check(observed: Observed) -> None:
    """Makes the checks of a scenario: all of share 1, others as its numbers decide.

    One number decides about all, so that those that need the same run go together.
    """
    roll = observed.rng.random()
    for share, function in CHECKS:
        if roll < share:
            function(observed)
