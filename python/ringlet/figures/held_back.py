"""Causes for which a node's next packet is held back, of which a run has shares of time."""

from collections.abc import Mapping

CAUSES: Mapping[str, str] = {
    "sending": "The node sends an own packet, or the idle behind it.",
    "nothing_to_send": "No packet waits.",
    "bypass": "The next packet waits while packets of others leave: they pass, or come out of the bypass FIFO.",
    "protocol": "The next packet waits for the flow control, such as a go bit, a token or a grant.",
    "window": "Packets wait, and as many are under way as may be.",
    "receiver": "Packets wait to be sent again, which a full receive queue has refused.",
    "bridge": "Packets wait to be sent again, which a full port of a switch has refused.",
    "link_error": "Packets wait to be sent again, of which the echo did not come in time.",
}
"""The causes by name; what each says of a cycle."""
