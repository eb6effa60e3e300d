"""Factors between the common units of time, data, data rate, frequency and length.

They are those of pint, bit for bit, so that a scenario gives the same run whichever way its units are converted. Other
units are left to pint, which takes longer to load than a short run.
"""

import math
import re
from functools import cache

_SI = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "": 1.0}
_SI |= {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}

TIMES: dict[str, tuple[float, ...]] = {
    "min": (60.0,),
    "h": (3600.0,),
    **{f"{prefix}s": (scale,) for prefix, scale in _SI.items()},
}
"""Units of time: the factors that make them seconds."""

SIZES: dict[str, tuple[float, ...]] = {
    f"{prefix}{unit}": (scale, bits)
    for prefix, scale in (_SI | _BINARY).items()
    for unit, bits in (("B", 8.0), ("byte", 8.0), ("bytes", 8.0), ("bit", 1.0), ("bits", 1.0))
    if not (prefix in _BINARY and unit.endswith("s"))
}
"""Units of data: the factors that make them bits."""

FREQUENCIES: dict[str, tuple[float, ...]] = {f"{prefix}Hz": (scale,) for prefix, scale in _SI.items()}
"""Units of frequency: the factors that make them hertz."""

LENGTHS: dict[str, tuple[float, ...]] = {f"{prefix}m": (scale,) for prefix, scale in _SI.items()}
"""Units of length: the factors that make them metres."""

_ALONE: dict[str, tuple[float, ...]] = {"": ()}

_KINDS = (
    (TIMES, _ALONE),
    (SIZES, _ALONE),
    (SIZES, TIMES),
    (FREQUENCIES, _ALONE),
    (LENGTHS, _ALONE),
)
"""Units above a fraction line, and those below."""


_SPELLED = re.compile(r"([KkMGTP]i?)?(bps|bit|byte|b|Bps|B)")


def spelled(unit: str) -> str:
    """Returns a unit of data or data rate as `SIZES` has it, for what people write: Gb/s, Gbps, KB, Kbit; b is a bit,
    and K is k, 1000, as M is a million. Any other unit stays as it is."""
    upper, slash, lower = unit.partition("/")
    match = _SPELLED.fullmatch(upper)
    if match is None:
        return unit
    prefix, size = match[1] or "", match[2]
    per = "/s" if size.endswith("ps") and not slash else slash + lower
    size = {"b": "bit", "bps": "bit", "Bps": "B"}.get(size, size)
    return f"{'k' if prefix == 'K' else prefix}{size}{per}"


@cache
def factor(unit: str, wanted: str) -> float | None:
    """Returns how many of a target unit a unit is, such as 1000.0 for "GB/s" in "MB/s".

    None if one of them is not known here, or if they are not of one kind.
    """
    upper, _, lower = unit.partition("/")
    wanted_upper, _, wanted_lower = wanted.partition("/")
    for kind, per in _KINDS:
        if upper in kind and wanted_upper in kind and lower in per and wanted_lower in per:
            above = [*kind[upper], *per[wanted_lower]]
            below = [*per[lower], *kind[wanted_upper]]
            break
    else:
        return None
    # Equal factors cancel before anything is rounded.
    for each in list(above):
        if each in below:
            above.remove(each)
            below.remove(each)
    return math.prod([*above, *(1 / each for each in below)])
