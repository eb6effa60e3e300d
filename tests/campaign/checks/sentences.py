"""What a run says in words, tested against its own counters."""

from campaign.observe import Observed, require


def missed_deadlines_are_counted_once(observed: Observed) -> None:
    """The total has the missed deadlines of all messages, however they are told."""
    document = observed.document
    missed = sum(one["missed"] for one in document.get("messages", ()))
    total = document["total"]["missed_deadlines"]
    require(total == missed, f"total.missed_deadlines is {total}, and messages missed {missed}")


def a_complete_trace_is_delivered(observed: Observed) -> None:
    """A replay is complete only if each packet started and none was dropped; then it does not end before its trace."""
    trace = observed.document.get("trace")
    if trace is None or not trace["complete"]:
        return
    require(not trace["waiting_packets"] and not trace["dropped_packets"], f"complete, and {trace}")
    require(trace["late_s"] >= 0, f"complete {trace['late_s']} s after the start of the last packet")
