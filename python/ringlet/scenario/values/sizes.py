"""Sizes of data that are drawn: several with their probabilities, or a distribution; and the packets that they fill."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from ringlet.scenario.values.units import Size, size_bytes
from ringlet.sections import After, Before, Field, Section, refuse

TOLERANCE = 1e-9
"""Largest deviation from 1 of the sum of probabilities."""

LEAST_SHARE = 1e-12
"""Share of a distribution below which a number of packets is left to the next one."""


def whole_bytes(value: float | str) -> float | str:
    """Returns an amount of data that is a whole number of bytes; any other is refused."""
    count = size_bytes(value)
    if count < 1 or count != round(count):
        raise refuse("a whole number of bytes, at least 1")
    return value


WholeSize = Annotated[Size, After(whole_bytes)]
"""An amount of data of whole bytes."""


class Spread(Section):
    """Sizes that follow a distribution: log-normal with a mean and a deviation, or uniform between least and most."""

    mean: WholeSize | None = Field(
        default=None,
        description="Mean of a log-normal distribution, before `least` and `most`. Default: the distribution is "
        "uniform between these.",
    )
    deviation: Size | None = Field(
        default=None, description="Standard deviation of a log-normal distribution, before `least` and `most`."
    )
    least: WholeSize = Field(default=1, description="The least size, which smaller ones become.")
    most: WholeSize | None = Field(
        default=None, description="The largest size, which larger ones become. Default, with a mean: no limit."
    )

    def _fits_together(self, folder: object) -> None:
        del folder
        if (self.mean is None) != (self.deviation is None):
            raise refuse("a mean and a deviation, or neither")
        if self.mean is None and self.most is None:
            raise refuse("a mean and a deviation, or a largest size, most")
        if self.most is not None and size_bytes(self.most) < size_bytes(self.least):
            raise refuse("a least size that is at most the largest one")

    @property
    def _bounds(self) -> tuple[float, float]:
        return size_bytes(self.least), math.inf if self.most is None else size_bytes(self.most)

    @property
    def log_normal(self) -> tuple[float, float] | None:
        """Mean and standard deviation of the logarithm; None of a uniform distribution."""
        if self.mean is None or self.deviation is None:
            return None
        mean = size_bytes(self.mean)
        variance = math.log1p((size_bytes(self.deviation) / mean) ** 2)
        return math.log(mean) - variance / 2, math.sqrt(variance)

    def up_to(self, size: float) -> float:
        """Returns the share of sizes of at most so many bytes."""
        least, most = self._bounds
        if size < least:
            return 0.0
        if size >= most:
            return 1.0
        if self.log_normal is None:
            return (size - least) / (most - least)
        place, scale = self.log_normal
        return _normal((math.log(size) - place) / scale)

    @property
    def mean_bytes(self) -> float:
        """Mean size, with those that become `least` or `most`."""
        least, most = self._bounds
        if self.log_normal is None:
            return (least + most) / 2
        place, scale = self.log_normal
        low = (math.log(least) - place) / scale
        high = math.inf if most == math.inf else (math.log(most) - place) / scale
        between = math.exp(place + scale**2 / 2) * (_normal(high - scale) - _normal(low - scale))
        return least * _normal(low) + between + (0.0 if most == math.inf else most * (1 - _normal(high)))


def _normal(value: float) -> float:
    """Returns the share of a normal distribution below a value."""
    return 0.5 * math.erfc(-value / math.sqrt(2))


def _are_sizes(value: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    if not isinstance(value, dict):
        return value
    if any(key in Spread.fields for key in value):
        return Spread.made(value)
    wanted = 'sizes with their probabilities, such as {"512 B" = 0.9, "4 KiB" = 0.1}'
    shares = value.values()
    if not value or not all(isinstance(key, str) for key in value):
        raise refuse(wanted)
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1 for one in shares):
        raise refuse(wanted)
    for key in value:
        try:
            whole_bytes(quantity(key))
        except ValueError:
            raise refuse(f"{wanted}; {key!r} is none") from None
    if abs(sum(shares) - 1) > TOLERANCE:
        raise refuse(f"probabilities that sum to 1, not {sum(shares):.12g}")
    return value


def quantity(text: str) -> float | str:
    """Returns the number of bytes that a text is, or the quantity."""
    try:
        return float(text)
    except ValueError:
        return text


Sizes = Annotated[WholeSize | Spread | dict[str, Annotated[float, Field(ge=0, le=1)]], Before(_are_sizes)]
"""One size, several with their probabilities, or a distribution."""

SizesGiven = float | str | Spread | Mapping[str, float]
"""A value of a key of `Sizes`."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Sizes cut into packets."""

    packets: tuple[tuple[int, float], ...]
    """Numbers of packets with their probabilities, which sum to 1."""
    mean_bytes: float

    @property
    def mean_packets(self) -> float:
        """Mean number of packets."""
        return sum(count * share for count, share in self.packets)


def cut(sizes: SizesGiven, packet_bytes: int, most_packets: int) -> Cut | None:
    """Returns the packets of so many bytes that data fill, the last one perhaps in part; None: too many."""
    if isinstance(sizes, Spread):
        return _cut_spread(sizes, packet_bytes, most_packets)
    given = sizes.items() if isinstance(sizes, Mapping) else [(sizes, 1.0)]
    each = [(round(size_bytes(quantity(size) if isinstance(size, str) else size)), share) for size, share in given]
    found = _shares((-(-size // packet_bytes), share) for size, share in each if share > 0)
    if max(found) > most_packets:
        return None
    return Cut(tuple(found.items()), sum(size * share for size, share in each))


def _cut_spread(sizes: Spread, packet_bytes: int, most_packets: int) -> Cut | None:
    shares, below, count = [], 0.0, 0
    while below < 1:
        count += 1
        if count > most_packets:
            return None
        up_to = sizes.up_to(count * packet_bytes)
        up_to = 1.0 if 1 - up_to < LEAST_SHARE else up_to
        if up_to - below >= LEAST_SHARE:
            shares.append((count, up_to - below))
            below = up_to
    return Cut(tuple(_shares(shares).items()), sizes.mean_bytes)


def _shares(each: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Returns the share of each number of packets: those that sum to 1 may make a little more when they are added."""
    found: dict[int, float] = {}
    for count, share in each:
        found[count] = min(1.0, found.get(count, 0.0) + share)
    return found
