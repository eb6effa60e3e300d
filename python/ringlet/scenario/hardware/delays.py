"""Times of switches and hosts resolved: each in the units of the engine and of theory, converted here alone."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ringlet.errors import RingletError
from ringlet.scenario.hardware.adapter import BUFFER_BYTES, UNCROWDED, Adapter
from ringlet.scenario.hardware.switch import BLINK_CYCLE_BYTES, Switch
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import HEADER_BYTES
from ringlet.scenario.values.units import cycles, exact_cycles, magnitude

MAX_DELAY_PS = 10**9
"""Longest delay of a switch or host: 1 ms."""


@dataclass(frozen=True)
class Delay:
    """A time that a file gives, where a cycle takes so long."""

    path: str
    """Key of the delay."""
    given: float | str
    """A number of cycles, or a time with its unit."""
    symbol_time_ns: float

    @cached_property
    def cycles(self) -> int:
        """Whole cycles, rounded up."""
        return cycles(self.given, self.symbol_time_ns)

    @cached_property
    def exact_cycles(self) -> float:
        """Cycles, not rounded."""
        return exact_cycles(self.given, self.symbol_time_ns)

    @cached_property
    def ps(self) -> int:
        """Picoseconds, rounded.

        Raises:
            RingletError: it is more than 1 ms.
        """
        of_cycle = round(1000 * self.symbol_time_ns)
        exact = 1000 * magnitude(self.given, "ns") if isinstance(self.given, str) else self.given * of_cycle
        if exact > MAX_DELAY_PS:
            raise RingletError.not_allowed(self.path, self.given, "at most 1 ms")
        return round(exact)


class SwitchDelays:
    """The times that a packet takes in a switch."""

    def __init__(self, switch: Switch, symbol_time_ns: float, link_format: LinkFormat) -> None:
        """Takes the section, how long a cycle is, and how packets lie on links."""
        self._encapsulation, self._symbol_time_ns = switch.encapsulation, symbol_time_ns
        self._symbol_bytes = link_format.symbol_bytes
        self._bytes_per_ns = magnitude(switch.rate, "byte/ns")
        self.set_up = Delay("switch.set_up", switch.set_up, symbol_time_ns)
        self.to_link = Delay("switch.to_link", switch.to_link, symbol_time_ns)
        self.from_link = Delay("switch.from_link", switch.from_link, symbol_time_ns)

    @property
    def link_cycle_ps(self) -> float:
        """Picoseconds of a cycle of a B-Link."""
        return 1000 * BLINK_CYCLE_BYTES / self._bytes_per_ns

    @property
    def fastest_ps(self) -> float:
        """Picoseconds in which a packet crosses a switch at best."""
        shortest = -(-(HEADER_BYTES + self._encapsulation) // BLINK_CYCLE_BYTES)
        stored = self.set_up.ps + self.link_cycle_ps * shortest
        return min(stored, self.set_up.ps + self.from_link.ps + int(self.link_cycle_ps))

    @property
    def crossing_cycles(self) -> int:
        """Cycles from a port to another one but for the packet's own on the B-Link."""
        return self.set_up.cycles + self.to_link.cycles + self.from_link.cycles

    def bus_cycles(self, symbols: int) -> float:
        """Returns the cycles for which a packet holds a B-Link, not rounded."""
        held = self._symbol_bytes * symbols + self._encapsulation
        moved = math.ceil(held / BLINK_CYCLE_BYTES) * BLINK_CYCLE_BYTES
        return moved / self._bytes_per_ns / self._symbol_time_ns + self.set_up.exact_cycles


class AdapterDelays:
    """The times that data takes in a bridge between a host's memory and its ring."""

    def __init__(self, adapter: Adapter, path: str, symbol_time_ns: float) -> None:
        """Takes the section, where it is said, and how long a cycle is."""
        self._streams, self._masters = adapter.streams, adapter.masters
        self.write_time = Delay(f"{path}.write_time", adapter.write_time, symbol_time_ns)
        self.bridge_delay = Delay(f"{path}.bridge_delay", adapter.bridge_delay, symbol_time_ns)
        self.set_up = Delay(f"{path}.set_up", adapter.set_up, symbol_time_ns)
        self.crowded_time = Delay(f"{path}.crowded_time", adapter.crowded_time, symbol_time_ns)

    def fill_cycles(self, data_bytes: float) -> float:
        """Returns the cycles for which a packet with so much data holds the host's bus, at best and not rounded."""
        write = self.write_time.exact_cycles * data_bytes / BUFFER_BYTES
        # Each of several masters writes while the others set up.
        return max(write, (write + self._least_of_group) / self._masters)

    @property
    def _least_of_group(self) -> float:
        """Least cycles of a buffer for the set-up of its group and its crowding. What is left of a block makes smaller
        groups: the best one is full, or the largest that is not crowded."""
        set_up, crowded = self.set_up.exact_cycles, self.crowded_time.exact_cycles
        return min(
            (set_up + max(0, buffers - UNCROWDED) * crowded) / buffers
            for buffers in (min(self._streams, UNCROWDED), self._streams)
        )


@dataclass(frozen=True)
class NodeHost:
    """The interface between one node and its ring."""

    slots: int | None
    """Transmit slots; None: unlimited."""
    fill_time: float | str
    fill_delay: float | str
    receive_delay: float | str
    store_delay: float | str
    adapter: Adapter | None
    """The bridge that it has instead of slots and times to fill them."""
    adapter_path: str
    """Key that says the adapter."""

    KEYS: ClassVar[tuple[str, ...]] = ("slots", "fill_time", "fill_delay", "receive_delay", "store_delay")
    """The keys of a host that may differ from node to node."""

    @classmethod
    def of(
        cls,
        slots: int | str,
        fill_time: float | str,
        fill_delay: float | str,
        receive_delay: float | str,
        store_delay: float | str,
        *,
        adapter: Adapter | None,
        adapter_path: str,
    ) -> "NodeHost":
        """Returns that with these keys; without slots, nothing is filled."""
        if adapter is not None or isinstance(slots, str):
            return cls(None, 0, 0, receive_delay, store_delay, adapter, adapter_path)
        return cls(slots, fill_time, fill_delay, receive_delay, store_delay, adapter, adapter_path)


class HostDelays:
    """The times that packets take between a node and its ring."""

    def __init__(self, host: NodeHost, symbol_time_ns: float) -> None:
        """Takes the interface, and how long a cycle is."""
        self.fill_time = Delay("host.fill_time", host.fill_time, symbol_time_ns)
        self.fill_delay = Delay("host.fill_delay", host.fill_delay, symbol_time_ns)
        self.receive_delay = Delay("host.receive_delay", host.receive_delay, symbol_time_ns)
        self.store_delay = Delay("host.store_delay", host.store_delay, symbol_time_ns)
        self.adapter = None
        if host.adapter is not None:
            self.adapter = AdapterDelays(host.adapter, host.adapter_path, symbol_time_ns)

    @property
    def before_service_cycles(self) -> int:
        """Cycles from a node to its ring and from the ring to the service."""
        return self.fill_time.cycles + self.fill_delay.cycles + self.receive_delay.cycles

    @property
    def before_echo_cycles(self) -> float:
        """Cycles for which a slot is taken before its packet may be sent, at least."""
        return self.fill_time.exact_cycles + self.fill_delay.exact_cycles

    def fill_cycles(self, data_bytes: float) -> float:
        """Returns the cycles for which a packet with so much data holds the host's bus, not rounded."""
        return self.fill_time.exact_cycles if self.adapter is None else self.adapter.fill_cycles(data_bytes)
