"""The influence of each choice: the systems with one of them changed."""

from dataclasses import dataclass

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.choices import NO_FLOW_CONTROL, PRINTED, WRITES
from ringlet.papers.richter1999.study import Point, Results, Scale
from ringlet.papers.richter1999.systems import (
    FIRST_GRADE,
    OMEGA_RINGLETS,
    SECOND_GRADE,
    TWO_LONG,
    TWO_RINGLETS,
    System,
    case,
)
from ringlet.papers.runs import Case


@dataclass(frozen=True, slots=True)
class Variant:
    """The parameters with something changed."""

    name: str
    overrides: tuple[str, ...]


NO_STORES = ("switch.to_link=58 ns", "switch.from_link=82 ns")
VARIANTS = (
    Variant("as it counts", ()),
    Variant(
        "as printed alone: no FIFO stores, B-Link without set-up",
        ("switch.set_up=0 ns", "network.pass_delay=0 ns", *NO_STORES),
    ),
    Variant("no stores in FIFOs at the B-Link", NO_STORES),
    Variant("no store in bypass FIFOs", ("network.pass_delay=0 ns",)),
    Variant(
        "packets stored at the link's rate, 168 ns",
        (
            "network.pass_delay=0",
            "network.bypass=store-and-forward",
            "switch.to_link=226 ns",
            "switch.from_link=250 ns",
        ),
    ),
    Variant("B-Link held for 106 + 82 ns besides", ("switch.set_up=188 ns",)),
    Variant("B-Link held for 88 bytes at the link's rate besides", ("switch.set_up=176 ns",)),
    Variant("nwrite64, B-Link held for 82 ns besides, no stores there", WRITES.overrides),
    Variant("nwrite64, B-Link held for 88 ns besides, with stores", (WRITES.overrides[0], "switch.set_up=88 ns")),
    Variant("no flow control", NO_FLOW_CONTROL),
    Variant("go-bit extension by ringlet's default", ("flow_control.extension=received",)),
    Variant(
        "the book's host: one slot, no time to fill it, packets stripped after 21 ns, 48 ns more to pass",
        ("host.slots=1", "host.fill_time=0 ns", "network.hop_delay=21 ns", "network.pass_delay=48 ns"),
    ),
    Variant(
        "the book's workload: nwrite64, framing 1, memory 166 ns, a host that stops and waits while it is refused",
        (*WRITES.overrides, "network.framing=1", "queues.service_time=166 ns", "host.order=stop-and-wait"),
    ),
    Variant("4 slots in each host", ("host.slots=4",)),
    Variant("no store in bypass FIFOs, and 4 slots", ("network.pass_delay=0 ns", "host.slots=4")),
    Variant("no packet waits for a slot", ("queues.transmit=0",)),
    Variant("16 packets wait for a slot", ("queues.transmit=16",)),
    Variant("memory without the B-Link: 40 ns", ("queues.service_time=40 ns",)),
    Variant("one framing symbol: echoes of 12 bytes", ("network.framing=1",)),
)
LOADS: dict[System, tuple[int, int]] = {
    TWO_RINGLETS: (100, 500),
    TWO_LONG: (425, 500),
    OMEGA_RINGLETS: (100, 500),
    FIRST_GRADE: (400, 500),
    SECOND_GRADE: (425, 500),
}
"""Input of each processor, in MB/s: where the latency is read, and where the output."""
PUBLISHED = ("176; 2344", "682; 1127", "1412; 6670", "5333; 1771", "5456; 1525")


def variant_case(variant: Variant, system: System, rate: int, scale: Scale) -> Case:
    """Returns the case of one point."""
    return case(system, PRINTED, rate, scale, *variant.overrides)


def cases(scale: Scale) -> list[Case]:
    """Returns every case; none for a check, which leaves out what no row reads."""
    if scale.quick:
        return []
    return [
        variant_case(variant, system, rate, scale)
        for variant in VARIANTS
        for system, rates in LOADS.items()
        for rate in rates
    ]


def table(results: Results, scale: Scale) -> Table:
    """Returns output beyond saturation and latency below it."""

    def point(variant: Variant, system: System, place: int) -> Point:
        return results[variant_case(variant, system, LOADS[system][place], scale)]

    lines: list[tuple[str | float, ...]] = [("published", *PUBLISHED)]
    for variant in VARIANTS:
        words = [
            f"{point(variant, system, 1).output_MBps:z.0f}; {point(variant, system, 0).largest_latency_ns:z.0f}"
            for system in LOADS
        ]
        lines.append((variant.name, *words))
    return Table(
        name="variants",
        title="What the choices decide",
        caption="Output in MB/s at 500 MB/s of each processor; largest latency in ns at "
        + ", ".join(str(rates[0]) for rates in LOADS.values())
        + " MB/s.",
        columns=("changed", *(system.title for system in LOADS)),
        lines=tuple(lines),
    )
