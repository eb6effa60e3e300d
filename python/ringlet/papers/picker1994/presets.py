"""The two readings of picker1994's packets of one size, as overrides of its scenario files."""

from dataclasses import dataclass
from typing import Literal

from ringlet.scenario.flow_control.go_bits import DEFAULT_EXTENSION, DEFAULT_RELEASE
from ringlet.scenario.flow_control.grouped import DEFAULT_PERMIT

Protocol = Literal["none", "sci", "enhanced"]
"""Flow control as the paper names it; `enhanced` is the scenario file's `grouped`."""
Mix = Literal["single", "mixed"]
"""Packet sizes: one size only, or 40 % of 80 bytes and 60 % of 16 bytes (Section 5.1)."""

PROTOCOLS: tuple[Protocol, ...] = ("none", "sci", "enhanced")
MIXES: tuple[Mix, ...] = ("single", "mixed")


@dataclass(frozen=True, slots=True)
class Preset:
    """One reading of what the paper leaves open, or contradicts in its digits."""

    name: str
    one_size_bytes: int
    """Length of the send packets where all have one size."""
    hop_delay_cycles: int = 3
    permit: str = DEFAULT_PERMIT
    """The go bits behind which a node may send."""
    release: str = DEFAULT_RELEASE
    """Go bits of the idle behind an own packet while the bypass FIFO is not empty."""
    extension: str = DEFAULT_EXTENSION
    """Rule by which created idles copy go bits."""

    def overrides(self, protocol: Protocol, mix: Mix) -> tuple[str, ...]:
        """Returns the overrides that select this preset, a protocol and a size mix in a scenario file."""
        transaction = "mixed" if mix == "mixed" else f"{{sizes = {{{self.one_size_bytes} = 1.0}}}}"
        common = (f"network.hop_delay={self.hop_delay_cycles}", f"traffic.transaction={transaction}")
        # Protocols other than the files' own have other options: they replace the whole table.
        if protocol == "none":
            return (*common, 'flow_control={protocol = "none"}')
        if protocol == "sci":
            reading = f'release = "{self.release}", extension = "{self.extension}"'
            return (*common, f'flow_control={{protocol = "sci", {reading}}}')
        options = {"permit": self.permit, "release": self.release, "extension": self.extension}
        return (*common, *(f"flow_control.{option}={value}" for option, value in options.items()))


PRESETS = (Preset("64B", one_size_bytes=64), Preset("80B", one_size_bytes=80))
"""64 bytes is what the digits of Table 3 say (`digits`), 80 bytes what the text says; mixed sizes are the same in
both."""

DEFAULT_PRESET = PRESETS[0]
"""The preset whose figures stand beside the published ones; docs/reproductions/picker1994.md argues the choice."""
