"""Links of one ring that are slower than the ring: what takes them (docs/explanation/slow-links.md)."""

from ringlet.errors import RingletError
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.resolved.scenario import Resolved

GIVEN = "<a rate for each link>"
"""The value of `network.link_rate` in messages, where links of one ring have different ones."""


def check_slow_links(resolved: Resolved) -> None:
    """Raises RingletError for what does not go with links of different rates."""
    if not resolved.slow_links:
        return
    file = resolved.file
    reason = file.flow_control.against_slow_links()
    if reason is not None:
        taking = PROTOCOLS.names(lambda one: one.takes_slow_links)
        allowed = f"one rate for all links with protocol {file.flow_control.protocol!r}: {reason}; {taking} take others"
        raise RingletError.not_allowed("network.link_rate", GIVEN, allowed)
    beside = {
        "[errors]": resolved.link_errors is not None,
        "packets that have several receivers": resolved.has_copies,
        "retry.by = 'responder'": file.retry.by == "responder",
    }
    for what, is_given in beside.items():
        if is_given:
            raise RingletError.not_allowed("network.link_rate", GIVEN, f"one rate for all links with {what}")


def check_equal_links(resolved: Resolved, what: str) -> None:
    """Raises RingletError where links of one ring are slower than others, which what is asked for does not take; `what`
    in words."""
    if resolved.slow_links:
        allowed = f"one rate for all links of a ring, for {what}"
        raise RingletError.not_allowed("network.link_rate", GIVEN, allowed)
