"""What belongs to closed arrivals: blocks that wait for each other, and the software check behind them."""

from typing import TYPE_CHECKING

from ringlet.errors import RingletError
from ringlet.scenario.units import MAX_CYCLES, cycles

if TYPE_CHECKING:
    from ringlet.scenario.scenario import Scenario

MAX_BLOCK_PACKETS = 65_535
"""Packets of a block: what the engine's counters hold."""


def check_closed(scenario: "Scenario") -> None:
    """Raises RingletError for the first key of closed arrivals that does not fit."""
    traffic, adapter = scenario.traffic, scenario.host.adapter
    if adapter is not None and adapter.bad_blocks > 0 and adapter.check == 0:
        raise RingletError.not_allowed(
            "host.adapter.bad_blocks", adapter.bad_blocks, "0 without host.adapter.check, which finds them"
        )
    if traffic.arrivals != "closed":
        for key in ("block", "pause"):
            if getattr(traffic, key) not in (None, 0):
                raise RingletError.not_allowed(
                    f"traffic.{key}", getattr(traffic, key), "it belongs to arrivals 'closed'"
                )
        if adapter is not None and adapter.check != 0:
            allowed = "0 without arrivals 'closed', whose blocks are checked"
            raise RingletError.not_allowed("host.adapter.check", adapter.check, allowed)
        return
    if traffic.load is not None:
        raise RingletError(
            "traffic.load: given with arrivals 'closed', which offer what gets through; traffic.pause slows them down"
        )
    if adapter is not None and cycles(adapter.check, scenario.symbol_time_ns) > MAX_CYCLES:
        allowed = f"at most 2^53 cycles of {scenario.symbol_time_ns:g} ns"
        raise RingletError.not_allowed("host.adapter.check", adapter.check, allowed)
    if traffic.block_packets > MAX_BLOCK_PACKETS:
        allowed = f"at most {MAX_BLOCK_PACKETS} transactions of {traffic.moves.payload_bytes:g} bytes"
        raise RingletError.not_allowed("traffic.block", traffic.block, allowed)
