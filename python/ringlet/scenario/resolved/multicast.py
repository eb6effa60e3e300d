"""Checks of packets with several receivers (docs/explanation/model.md, "Packets with several receivers")."""

from ringlet.errors import RingletError
from ringlet.scenario.resolved.scenario import Resolved


def check_multicast(resolved: Resolved) -> None:
    """Raises RingletError for what has no rule for packets with several receivers."""
    file = resolved.file
    if not resolved.has_copies:
        if file.network.stripped_by is not None:
            allowed = "none without flows that are multicast"
            raise RingletError.not_allowed("network.stripped_by", file.network.stripped_by, allowed)
        return
    for _, protocol in resolved.ring_protocols.named():
        if protocol.acts_on_refusals or protocol.needs_echoes() is not None:
            allowed = "one that does not act on echoes of each receiver, with multicast flows"
            raise RingletError.not_allowed("flow_control.protocol", protocol.protocol, allowed)
    if not file.flow_control.takes_full_round:
        name = file.flow_control.protocol
        if resolved.echoes:
            allowed = f"false with multicast flows and protocol {name!r}, under which no packet goes all the way round"
            raise RingletError.not_allowed("network.echoes", True, allowed)
        if file.network.stripped_by == "source":
            allowed = f"'last-receiver' with protocol {name!r}, which asks of each packet how far it goes"
            raise RingletError.not_allowed("network.stripped_by", file.network.stripped_by, allowed)
    if file.retry.reservation:
        allowed = "false with multicast flows: no copy that found no place comes again"
        raise RingletError.not_allowed("retry.reservation", True, allowed)
    if not resolved.echoes:
        return
    if file.network.stripped_by == "last-receiver":
        allowed = "'source' with echoes: a packet with several receivers is its own echo"
        raise RingletError.not_allowed("network.stripped_by", file.network.stripped_by, allowed)
    if file.errors.lose:
        allowed = "none with echoes and multicast flows: receivers do not know what comes again; network.echoes = false"
        raise RingletError.not_allowed("errors", "<[errors]>", allowed)
