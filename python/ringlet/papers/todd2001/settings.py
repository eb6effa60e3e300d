"""The common host of all protocols, and the settings of single protocols that come closest to the paper."""

from dataclasses import dataclass
from typing import Literal

Protocol = Literal["sci", "ppq", "train", "dfc"]
"""Flow control, as scenario files name it."""

PROTOCOLS: tuple[Protocol, ...] = ("sci", "ppq", "train", "dfc")
LABELS: dict[Protocol, str] = {"sci": "base SCI", "ppq": "PPQ", "train": "TRAIN", "dfc": "DFC"}


OPTIONS: dict[Protocol, str] = {
    # The paper gives no length and no node delay of a train, but three of its figures need one: 51 % at the hot spot
    # (311 MB/s) is one response in each pair of a request and a grant train of 98 cycles; 0.36 us on an idle ring is
    # half a pair more than base SCI; 611 MB/s under load is a pair of 200 cycles.
    "train": ", locomotive = 2, ticket = 1, delay = 4",
}
"""Options of a protocol under every setting, as they stand in its inline table."""

ORDERS: dict[Protocol, str] = {"train": "queues.order=oldest"}
"""Overrides without which a protocol is not what its rules say: TRAIN's tickets go by age, of both classes."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A set of differences from the scenario files."""

    name: str
    overrides: tuple[str, ...] = ()
    words: str = ""
    """Differences from the scenario files, in words."""

    def select(self, protocol: Protocol) -> tuple[str, ...]:
        """Returns the overrides that select a protocol with this setting."""
        # Protocols other than the files' own have other options: they replace the whole table.
        table = f'flow_control={{protocol = "{protocol}"{OPTIONS.get(protocol, "")}}}'
        return (table, *([ORDERS[protocol]] if protocol in ORDERS else []), *self.overrides)


COMMON = Setting("common host", words="the scenario files as they are")
"""Setting that is alike for all protocols: the rows rest on it alone."""

OLDEST = Setting("oldest first", ("queues.order=oldest",), "of a request and a response the one generated first")
"""Base SCI's own."""
UNLIMITED_RESPONSES = Setting(
    "unlimited responses",
    ("network.framing=2", "queues.responses=unlimited"),
    "two symbols of framing, any number of responses",
)
"""Host without what makes PPQ collapse, for base SCI beside PPQ."""
PING_PONG = Setting(
    "ping-pong",
    ("flow_control.overtakes=busy-echoes", "flow_control.late_echo=service-end"),
    "busy echoes overtaken, echoes late with one priority, too",
)
"""PPQ's own: its "very fast ping-pong" of packets and busy echoes "can prevent other nodes on the ring from being able
to transmit" (Section 4.1). It starves nodes of base SCI (docs/explanation/realtime-model.md, Section 6)."""
BARE = Setting(
    "no framing", ("network.framing=0", "flow_control.locomotive=4"), "bare packets, a LocalMotive of 4 symbols"
)
"""TRAIN's own."""
RESPONSES_2 = Setting("2 responses", ("queues.responses=2",), "2 responses not yet accepted")
"""DFC's own."""
