"""Send packets, and their symbols on the links."""

from dataclasses import dataclass, field

REQUEST, RESPONSE = 0, 1
"""Classes of packets, which have queues of their own."""


@dataclass(slots=True, eq=False)
class Packet:
    """A send packet, a request or a response, as it is at its source."""

    number: int
    """Place among all packets of the ring, in the order in which they were made."""
    kind: int
    """0: a request; 1: a response."""
    flow: int
    """Number of its flow; a response has its request's."""
    source: int
    destination: int
    symbols: int
    """Length on the link, framing included."""
    response_symbols: int | None
    """Length of the response that its service creates; None: there is none."""
    priority: int
    """Send priority, 0 is the lowest."""
    generated: int
    """Cycle in which it was generated."""
    message: "Message"
    refusals: int = 0
    """Busy echoes so far."""
    accepted: bool = False
    """True once its destination has taken it."""
    has_left: bool = False
    inversion: int = 0
    """Cycles for which lower priorities passed while it was at the head."""
    refused_since: int | None = None
    """Cycle since which lower priorities have held a place that it was refused."""


@dataclass(slots=True, eq=False)
class Message:
    """The packets of one arrival."""

    arrival: int
    incomplete: int
    """Transactions that are not complete."""


@dataclass(slots=True, eq=False)
class Transmission:
    """A packet or an echo on its way: what its symbols have in common."""

    packet: Packet
    source: int
    """Node that made it."""
    target: int
    """Node that takes it off the ring."""
    length: int
    """Symbols."""
    kind: str
    """`send`, `retry`, or `echo`."""
    priority: int
    accepted: bool = False
    """True if an echo says that the packet was accepted."""

    @property
    def is_echo(self) -> bool:
        """True of an echo, False of a request or a response."""
        return self.kind == "echo"


PacketSymbol = tuple[Transmission, int]
"""A symbol of a packet or an echo: which one, and its place in it."""

Symbol = PacketSymbol | int | None
"""A symbol on a link: of a packet, or an idle with the number that it carries; None: an idle that stripping made."""


@dataclass(slots=True)
class Inversions:
    """Packets that had to wait for lower priorities."""

    packets: int = 0
    cycles: int = 0
    max_cycles: int = 0

    def add(self, cycles: int) -> None:
        """Counts a packet that had to, for so many cycles."""
        self.packets += 1
        self.cycles += cycles
        self.max_cycles = max(self.max_cycles, cycles)


@dataclass(slots=True)
class FlowCounts:
    """Counts of one flow since the last reset, of requests and responses together unless said otherwise."""

    generated: int = 0
    """Requests."""
    lost: int = 0
    """Requests that found the transmit queue full."""
    dropped: int = 0
    """Packets that found no place at their destination, without echoes."""
    sent: int = 0
    first_try: int = 0
    retries: int = 0
    retry_symbols: int = 0
    symbols: int = 0
    """Symbols of the packets delivered."""
    latencies: list[int] = field(default_factory=list)
    """One-way latency of each packet delivered, in cycles."""
    response_latencies: list[int] = field(default_factory=list)
    """Latencies of responses."""
    message_latencies: list[int] = field(default_factory=list)
    """Times from an arrival until all its packets and their responses are served."""
    missed: int = 0
    """Messages complete after their deadline."""
    retried: list[int] = field(default_factory=list)
    """Retries of each packet that was accepted after some."""
    output_inversions: Inversions = field(default_factory=Inversions)
    input_inversions: Inversions = field(default_factory=Inversions)
