"""Arrival curves as periodic flows with jitter."""

import math
from collections.abc import Sequence

from ringlet.errors import RingletError
from ringlet.scenario.values.units import magnitude


def quantity(place: str, value: object, unit: str | None, base: str) -> float:
    """Returns a quantity in a base unit.

    Args:
        place: where it is said.
        value: a number of `unit`, or text with a unit of its own.
        unit: unit of a number; None: the file says none.
        base: the base unit, such as `byte`.

    Raises:
        RingletError: it is no quantity at least 0, or has no unit.
    """
    text = str(value).strip()
    try:
        number: float | None = float(text)
    except ValueError:
        number = None
    if isinstance(value, bool) or (number is not None and unit is None):
        raise RingletError.not_allowed(place, value, f"a quantity with its unit, such as '10 {base}'")
    try:
        found = magnitude(text if number is None else f"{number!r} {unit}", base)
    except ValueError as error:
        raise RingletError.not_allowed(place, value, str(error)) from None
    if found < 0:
        raise RingletError.not_allowed(place, value, "at least 0")
    return found


def periodic(place: str, segments: Sequence[tuple[float, float]], packet: float | None) -> dict[str, str]:
    """Returns size, period and jitter of the messages whose least token bucket is the last segment of a curve.

    Messages of L bytes that come every T, each up to J late, are at most 1 + (t + J) / T in a time t: a token bucket of
    a burst b = L (1 + J / T) and a rate r = L / T. So T = L / r and J = (b - L) / r; L is the largest packet, and the
    burst where that is less, or where the file has none.

    Args:
        place: where the curve is.
        segments: burst in bytes, and rate in MB/s, of the token buckets of which the curve is the least one.
        packet: bytes of the largest packet; None: the file says none.

    Raises:
        RingletError: no rate, or no burst, above 0.
    """
    rate = min((rate for _, rate in segments), default=0.0)
    burst = min((burst for burst, one in segments if one == rate), default=0.0)
    if not (0 < rate < math.inf and 0 < burst < math.inf):
        value = f"<burst {burst:g} bytes, rate {rate:g} MB/s>"
        raise RingletError.not_allowed(f"{place}, arrival curve", value, "a burst and a rate above 0")
    size = math.ceil(burst if packet is None or not 0 < packet < burst else packet)
    cells = {"size_bytes": str(size), "arrivals": "periodic", "period_us": f"{size / rate:.15g}"}
    return cells | ({"jitter_us": f"{(burst - size) / rate:.12g}"} if burst > size else {})
