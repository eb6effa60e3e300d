"""The switch and host sections: what a network's switches are made of, and what lies between a node and its ring."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from ringlet.scenario.hardware.adapter import Adapter
from ringlet.scenario.values.per_node import PlacesPerNode, TimePerNode
from ringlet.scenario.values.presets import FromPreset
from ringlet.scenario.values.units import LinkRate, Time
from ringlet.sections import Field, Section

MAX_LINKS = 16
MAX_BUFFERS = 1024
MAX_ENCAPSULATION = 1024

BLINK_CYCLE_BYTES = 8
"""Bytes that a B-Link carries in each of its cycles (Dolphin)."""

Preset = Literal["lc-2", "lc-1", "scilab"]

PRESETS: Mapping[str, Mapping[str, object]] = {
    "lc-2": {"rate": "600 MB/s", "to_link": "58 ns", "from_link": "82 ns"},
    "lc-1": {"rate": "400 MB/s", "to_link": "80 ns", "from_link": "70 ns"},
    "scilab": {"rate": "500 MB/s", "to_link": "80 ns", "from_link": "70 ns"},
}
"""Parameters of Dolphin's link controllers, and of the simulations of richter1997. Delays to the B-Link are less the
bypass FIFO's, 48 and 40 ns.

Of the LC-1 the chapters give the rate of its links only (richter1999, Section 6.3). The rest is assumed: 8 bytes at 50
MHz on the B-Link, and delays as in richter1997.
"""

PRESET_LINKS: Mapping[str, Mapping[str, str]] = {
    "lc-2": {"link_rate": "500 MB/s", "hop_delay": "69 ns"},
    "lc-1": {"link_rate": "200 MB/s", "hop_delay": "44 ns"},
    "scilab": {"link_rate": "500 MB/s", "hop_delay": "44 ns"},
}
"""Link rate and hop delay with each preset: 1 m of cable is 4 ns, the lc-2's links have 1 ns (richter1999, Section
6.8)."""


class Switch(FromPreset):
    """The parts of every switch of a network; only where there are switches."""

    presets: ClassVar[Mapping[str, Mapping[str, object]]] = PRESETS

    preset: Preset = Field(
        default="lc-2",
        description="Values of the keys that are not given, and of `network.link_rate` and `network.hop_delay`. "
        "`lc-2`: Dolphin's LC-2 as in "
        "richter1999 (B-Link of 600 MB/s; 20 ns of address decoding, 48 ns of bypass FIFO, 106 ns from there to the "
        "B-Link, 82 ns back). `scilab`: the "
        "simulations of richter1997 (500 MB/s; 40, 120, 70 ns; 4 ns of cable). `lc-1`: Dolphin's first link "
        "controller; its links of 200 MB/s are known, its "
        "B-Link is taken to have 50 MHz, 400 MB/s, and its delays to be those of `scilab`.",
    )
    links: int = Field(
        default=1,
        ge=1,
        le=MAX_LINKS,
        description="B-Links; with several each port is a cascade of link controllers, one for each B-Link.",
    )
    rate: LinkRate = Field(
        default="600 MB/s",
        description="Data rate of a B-Link, which carries 8 bytes per cycle for one packet at a time.",
    )
    set_up: Time = Field(default=0, description="Time for which a packet holds the B-Link besides.")
    encapsulation: int = Field(
        default=8, ge=0, le=MAX_ENCAPSULATION, description="Bytes that a B-Link carries with each packet besides."
    )
    to_link: Time = Field(
        default="58 ns",
        description="Time from a port to the B-Link, from when the packet could have passed the port: 106 ns of which "
        "the bypass FIFO would have taken 48.",
    )
    from_link: Time = Field(default="82 ns", description="Time from the B-Link to the transmit buffer of a port.")
    forwarding: Literal["store-and-forward", "cut-through"] = Field(
        default="store-and-forward",
        description="May a packet enter the B-Link, or leave its port, before all of it is there (`cut-through`)?",
    )
    cascade: Literal["first-free", "round-robin"] = Field(
        default="first-free",
        description="With several B-Links: is a packet for a port addressed to its first link controller, which lets "
        "it pass while its buffer is full (`first-free`), or to each in its turn?",
    )
    receive: int = Field(
        default=4, ge=1, le=MAX_BUFFERS, description="Requests, and responses, that each port's receive buffers hold."
    )
    transmit: int = Field(
        default=4,
        ge=1,
        le=MAX_BUFFERS,
        description="Requests, and responses, that each port's transmit buffers hold until they are accepted.",
    )
    pooled: bool = Field(
        default=False, description="Do requests and responses share their buffers, twice as many then?"
    )


class Host(Section):
    """The host interface between a node and its ring in a network; by default it takes no time. Each key but `order`
    may be a list, or a table, with a value for each node, as for `queues.service_time`."""

    slots: PlacesPerNode = Field(
        default="unlimited",
        description="Transmit slots: requests that are being filled, sent or not yet accepted. A packet that finds "
        "none waits in the transmit queue.",
    )
    fill_time: TimePerNode = Field(
        default=0, description="Time to fill a slot, one after the other; of nodes that have `slots`."
    )
    fill_delay: TimePerNode = Field(
        default=0, description="Time from then until the packet may be sent; of nodes that have `slots`."
    )
    receive_delay: TimePerNode = Field(
        default=0, description="Time from the end of a received packet until its service may begin."
    )
    store_delay: TimePerNode = Field(default=0, description="Time from the end of its service to its delivery.")
    order: Literal[
        "retries-first", "oldest-first", "requeue", "new-first", "lowest-slot", "newest-first", "stop-and-wait"
    ] = Field(
        default="retries-first",
        description="Which slot that is ready is sent, of hosts and of switch ports: of the packet refused first "
        "(`retries-first`), the slot taken first "
        "(`oldest-first`), the same with refused packets behind all others (`requeue`), packets not yet sent before "
        "refused ones (`new-first`), the slot "
        "with the lowest number, or the one taken last; or that of the packet refused first, and no other of its class "
        "until that one is accepted (`stop-and-wait`).",
    )
    adapter: Adapter | list[Adapter] | None = Field(
        default=None,
        description="A bridge from the host's bus instead: `[host.adapter]`. `{}` is that of test bed 2 with its "
        "defaults. Or a list, `[[host.adapter]]`: different ones, each at its `nodes`.",
    )

    @property
    def adapters(self) -> dict[str, Adapter]:
        """The kinds of adapter, by where each is said."""
        if isinstance(self.adapter, list):
            return {f"host.adapter[{place}]": one for place, one in enumerate(self.adapter)}
        return {} if self.adapter is None else {"host.adapter": self.adapter}


def preset_links(preset: object) -> Mapping[str, str]:
    """Returns the link rate and hop delay that go with a preset of switches; nothing where there is no such preset."""
    return PRESET_LINKS.get(preset, {}) if isinstance(preset, str) else {}
