"""The parameters of Figures 6.21 to 6.27, those that are a choice of ours named, and the two readings of the workload.

All six scenario files have these values; no figure has one of its own.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the scenario files."""

    key: str
    value: str | int
    source: str
    """Section or choice that the value comes from."""
    chosen: bool = False
    """Is it ours, because the chapter is silent or contradicts itself?"""


PARAMETERS = (
    Parameter("network.link_rate", "500 MB/s", "Section 6.8"),
    Parameter(
        "network.hop_delay", "69 ns", "Section 6.8: 1 ns of cable, 20 ns of address decoding, 48 ns of bypass FIFO"
    ),
    Parameter(
        "network.pass_delay",
        "146.67 ns",
        "ours: 88 bytes at the B-Link's 600 MB/s, as if a FIFO stored a packet at the bus's rate. 20 + 48 + 146.67 "
        "ns are 214.67 ns, by which the latency grows with each port that is passed: (1771 - 1127) / 3",
        chosen=True,
    ),
    Parameter("switch.rate", "600 MB/s", "Section 6.5"),
    Parameter("switch.encapsulation", 8, "public facts about Dolphin's B-Link"),
    Parameter("switch.receive", 4, "Section 6.8"),
    Parameter("switch.transmit", 4, "Section 6.8"),
    Parameter(
        "switch.set_up",
        "215.67 ns",
        "ours: what a packet takes that passes a port, 1 + 20 + 48 + 146.67 ns, as if the B-Link were held until the "
        "packet has come through the far port. With the 146.67 ns of 88 bytes at 600 MB/s it is 362.33 ns; five "
        "published figures (176, 585, 1412, 112, 4684 MB/s) are 64 bytes in 362.4 to 363.0 ns",
        chosen=True,
    ),
    Parameter(
        "switch.to_link",
        "204.67 ns",
        "Section 6.8: 106 ns, of which the hop delay holds 48; and 146.67 ns (ours), as in a bypass FIFO",
        chosen=True,
    ),
    Parameter(
        "switch.from_link", "228.67 ns", "Section 6.8: 82 ns; and 146.67 ns (ours), as in a bypass FIFO", chosen=True
    ),
    Parameter(
        "host.slots",
        8,
        "ours: the 4 + 4 of Section 6.8 as one pool; with 4 a long ring carries 60 % of what is published",
        chosen=True,
    ),
    Parameter("host.fill_time", "146.67 ns", "88 bytes at 600 MB/s"),
    Parameter("host.fill_delay", "188 ns", "Section 6.8: 106 and 82 ns"),
    Parameter("host.receive_delay", "58 ns", "Section 6.8: 106 ns, of which the hop delay holds 48"),
    Parameter("host.store_delay", "82 ns", "Section 6.8"),
    Parameter(
        "host.order", "oldest-first", "ours: the chapter is silent; it decides latencies under overload", chosen=True
    ),
    Parameter("flow_control.protocol", "sci", "the German book on the same simulator"),
    Parameter(
        "flow_control.extension",
        "passing",
        "ours: book and chapter name no extension. With ringlet's default a node that sends alone replaces one go bit "
        "for each packet, and long rings carry 4024 MB/s where 5456 are published",
        chosen=True,
    ),
    Parameter("queues.receive", 4, "Section 6.8"),
    Parameter(
        "queues.transmit",
        1,
        "ours: a packet may wait for a slot; without it deterministic traffic locks in simple ratios",
        chosen=True,
    ),
    Parameter(
        "queues.service_time",
        "186.67 ns",
        "Section 6.8: 40 ns of access; the B-Link is held meanwhile (ours): 88 bytes at 600 MB/s",
        chosen=True,
    ),
)
"""Parameters, in the order of the scenario files."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of the workload, with what it needs of the switch."""

    name: str
    overrides: tuple[str, ...]
    words: str


PRINTED = Reading(
    "dmove64",
    (),
    "DMOVE64 as printed, no responses; every FIFO stores a packet for 88 bytes at 600 MB/s; nothing fitted",
)
"""The reading that counts."""
WRITES = Reading(
    "nwrite64",
    ("traffic.transaction=nwrite64", "switch.set_up=82 ns", "switch.to_link=58 ns", "switch.from_link=82 ns"),
    "NWRITE64, whose responses cross the B-Link, too; the B-Link is held for 82 ns with each packet, the printed time "
    "from the B-Link to the FIFO, and FIFOs beside it do not store; nothing fitted",
)
"""Some of the published figures fit it: 64 of 96 bytes of a link make 333.3 MB/s, and 16 x 333.3 is 5333. Request and
response hold the B-Link for 351 ns together."""
READINGS = (PRINTED, WRITES)
NO_FLOW_CONTROL = ('flow_control={protocol = "none"}',)
"""Overrides with which nodes send as soon as their bypass FIFO is empty."""
