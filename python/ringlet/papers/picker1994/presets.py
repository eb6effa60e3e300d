"""The two readings of picker1994's silent points, as overrides of its scenario files."""

from dataclasses import dataclass
from typing import Literal

Protocol = Literal["none", "sci", "enhanced"]
"""Flow control as the paper names it; `enhanced` is the scenario file's `grouped`."""
Mix = Literal["single", "mixed"]
"""Packet sizes: 80-byte sends only, or 40 % of 80 bytes and 60 % of 16 bytes (Section 5.1)."""

PROTOCOLS: tuple[Protocol, ...] = ("none", "sci", "enhanced")
MIXES: tuple[Mix, ...] = ("single", "mixed")
TRANSACTIONS = {"single": "send80", "mixed": "mixed"}


@dataclass(frozen=True, slots=True)
class Preset:
    """One reading of what the paper leaves open."""

    name: str
    hop_delay_cycles: int
    release: str
    """What the idle behind an own packet carries while the bypass FIFO is not empty."""
    extension: str
    """Which created idles copy the go bits of the last emitted idle."""

    def overrides(self, protocol: Protocol, mix: Mix) -> tuple[str, ...]:
        """Returns the overrides that select this preset, a protocol and a size mix in a scenario file."""
        common = (f"network.hop_delay={self.hop_delay_cycles}", f"traffic.transaction={TRANSACTIONS[mix]}")
        # Protocols other than the files' own have other options: they replace the whole table.
        if protocol == "none":
            return (*common, 'flow_control={protocol = "none"}')
        reading = f'release = "{self.release}", extension = "{self.extension}"'
        if protocol == "sci":
            return (*common, f'flow_control={{protocol = "sci", {reading}}}')
        return (*common, f"flow_control.release={self.release}", f"flow_control.extension={self.extension}")


PRESETS = (
    Preset("A", hop_delay_cycles=3, release="unblocked", extension="after-send"),
    Preset("B", hop_delay_cycles=1, release="all", extension="none"),
)
"""A is nearest to Table 3, B to Figure 3 and the example of Section 1.2."""

DEFAULT_PRESET = PRESETS[0]
"""The preset whose figures stand beside the published ones; docs/protocols.md argues the choice."""
