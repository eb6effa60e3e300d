"""The six systems of Section 6.8, and what is read from their curves over the input rate."""

from dataclasses import dataclass

from ringlet.papers.measurement import Measurement, two_extremes
from ringlet.papers.published import figures_of
from ringlet.papers.richter1999.choices import Reading
from ringlet.papers.richter1999.study import PAPER, Point, Results, Scale
from ringlet.papers.runs import Case

LOWEST_MBPS, HIGHEST_MBPS = 50, 500
"""Gross input rates of a processor, in MB/s: up to the rate of a link (Section 6.8)."""
LOST = 0.005
"""A rate saturates a system if more than this part of the input is lost: what a curve shows."""


@dataclass(frozen=True, slots=True)
class System:
    """One system."""

    name: str
    file: str
    processors: int
    title: str


TWO_RINGLETS = System("ringlets", "figure6-21-ringlets.toml", 2, "4-port switch, ringlets")
TWO_LONG = System("long rings", "figure6-23-long-rings.toml", 2, "2 ports, long rings")
FOUR_LONG = System("four long rings", "figure6-24-four-rings.toml", 4, "4-port switch, long rings")
OMEGA_RINGLETS = System("Omega, ringlets", "figure6-25-ringlets.toml", 16, "16 x 16 Omega, ringlets")
FIRST_GRADE = System("first-grade", "figure6-26-first-grade.toml", 16, "16 x 16 Omega, first-grade optimized")
SECOND_GRADE = System("second-grade", "figure6-27-second-grade.toml", 16, "16 x 16 Omega, second-grade optimized")
EIGHT_LONG = System(
    "eight processors", "figure6-17-eight-processors.toml", 8, "4-port switch, long rings, 8 processors"
)
BASELINE_RINGLETS = System("Baseline, ringlets", "figure6-18-ringlets.toml", 8, "8 x 8 Baseline, ringlets")
BASELINE_LONG = System("Baseline, long rings", "figure6-18-long-rings.toml", 8, "8 x 8 Baseline, long rings")
SYSTEMS = (TWO_RINGLETS, TWO_LONG, FOUR_LONG, OMEGA_RINGLETS, FIRST_GRADE, SECOND_GRADE)
"""Six systems of Section 6.8."""


def rates_MBps(scale: Scale) -> list[int]:  # noqa: N802 - the unit
    """Returns the input rates of a processor, in MB/s."""
    if scale.quick:
        return [75, 100, 125, 375, 400, 425, 450, 500]
    return list(range(LOWEST_MBPS, HIGHEST_MBPS + 1, scale.step_MBps))


def case(system: System, reading: Reading, rate_MBps: float, scale: Scale, *more: str) -> Case:
    """Returns the case of one point."""
    load = f"traffic.load={rate_MBps:g} MB/s"
    return Case(PAPER, system.file, (*reading.overrides, load, *scale.overrides, *more))


@dataclass(frozen=True, slots=True)
class Curve:
    """One system under one reading, over the input rate of a processor in MB/s."""

    system: System
    reading: Reading
    points: dict[int, Point]

    @property
    def saturation_MBps(self) -> int:  # noqa: N802 - the unit
        """The lowest rate at which packets are lost, beyond `LOST`; the highest one if there is none."""
        lossy = (rate for rate, point in self.points.items() if point.loss_MBps > LOST * point.offered_MBps)
        return next(lossy, max(self.points))

    @property
    def unharmed_MBps(self) -> int:  # noqa: N802 - the unit
        """The highest rate below the first at which any packet is lost; the lowest one if there is none."""
        lossless = []
        for rate, point in self.points.items():
            if point.loss_MBps > 0:
                break
            lossless.append(rate)
        return lossless[-1] if lossless else min(self.points)

    @property
    def overload(self) -> dict[int, Point]:
        """The points from the saturation on."""
        return {rate: point for rate, point in self.points.items() if rate >= self.saturation_MBps}


def curve(results: Results, system: System, reading: Reading, scale: Scale) -> Curve:
    """Returns one curve."""
    points = {rate: results[case(system, reading, rate, scale)] for rate in rates_MBps(scale)}
    return Curve(system, reading, points)


def measurements(results: Results, reading: Reading, scale: Scale) -> dict[str, Measurement]:
    """Returns the figures of Section 6.8 under one reading, by row id."""
    found: dict[str, Measurement] = {}
    for system, place, parts in _ROWS:
        line = curve(results, system, reading, scale)
        figures = _figures(line, scale)
        for part, row in parts.items():
            found[f"{PAPER}.{row.format(place)}"] = figures[part]
    return found


_ROWS: tuple[tuple[System, str, dict[str, str]], ...] = (
    (
        TWO_RINGLETS,
        "ringlet",
        {
            "in": "f21.{}.sat.in",
            "out": "f21.{}.sat.out",
            "loss": "f21.{}.loss",
            "latency": "f22.{}.latency",
            "packets over": "f22.{}.latency.over",
        },
    ),
    (
        TWO_LONG,
        "long",
        {
            "in": "f21.{}.sat.in",
            "out": "f21.{}.sat.out",
            "loss": "f21.{}.loss",
            "latency": "f23.{}.latency",
            "rates over us": "f23.{}.latency.over",
        },
    ),
    (
        FOUR_LONG,
        "long4",
        {"in": "f24.{}.sat.in", "out": "f24.{}.sat.out", "loss": "f24.{}.loss", "latency": "f24.{}.latency"},
    ),
    (
        OMEGA_RINGLETS,
        "omega",
        {
            "in": "f25.{}.sat.in",
            "out": "f25.{}.sat.out",
            "loss at saturation": "f25.{}.loss.sat",
            "loss": "f25.{}.loss.8000",
            "latency": "f25.{}.latency",
            "over": "f25.{}.latency.over",
        },
    ),
    (
        FIRST_GRADE,
        "first",
        {"in": "f26.{}.sat.in", "out": "f26.{}.sat.out", "latency": "f26.{}.latency", "over": "f26.{}.latency.over"},
    ),
    (
        SECOND_GRADE,
        "second",
        {"in": "f27.{}.sat.in", "out": "f27.{}.sat.out", "latency": "f27.{}.latency", "over us": "f27.{}.latency.over"},
    ),
)
"""Rows of each system: what is read from its curve, and the row's id, with a word for the system."""


def _figures(line: Curve, scale: Scale) -> dict[str, Measurement]:
    at, below, highest = line.saturation_MBps, line.unharmed_MBps, max(line.points)
    overload = line.overload
    least = {rate: point.least_latency_ns for rate, point in overload.items()}
    largest = {rate: point.largest_latency_ns for rate, point in overload.items()}
    most = max(largest, key=lambda rate: largest[rate])
    shortest, calmest = min(least, key=lambda rate: least[rate]), min(largest, key=lambda rate: largest[rate])

    def case_at(rate: int) -> Case:
        return case(line.system, line.reading, rate, scale)

    def at_saturation(value: float) -> Measurement:
        return Measurement(value, detail=f"at {at} MB/s of each processor", case=case_at(at))

    over = (
        f"{min(largest.values()):z.0f} to {largest[most]:z.0f} ns, the largest of each rate from {at} MB/s of each "
        f"processor on"
    )
    return {
        "in": at_saturation(at * line.system.processors),
        "out": at_saturation(line.points[at].output_MBps),
        "loss at saturation": at_saturation(line.points[at].loss_MBps),
        "loss": Measurement(line.points[highest].loss_MBps, case=case_at(highest)),
        "latency": Measurement(
            line.points[below].largest_latency_ns,
            detail=f"largest at {below} MB/s of each processor, the highest rate without loss",
            case=case_at(below),
        ),
        "packets over": _extremes(
            "f22.ringlet.latency.over",
            Measurement(least[shortest], case=case_at(shortest)),
            Measurement(largest[most], case=case_at(most)),
            f"single packets, from {at} MB/s of each processor on",
        ),
        "rates over us": _extremes(
            "f23.long.latency.over",
            Measurement(largest[calmest] / 1e3, case=case_at(calmest)),
            Measurement(largest[most] / 1e3, case=case_at(most)),
            f"the largest of each rate from {at} MB/s of each processor on; a single packet takes "
            f"{least[shortest]:z.0f} ns or more",
        ),
        "over": Measurement(largest[most], detail=over, case=case_at(most)),
        "over us": Measurement(largest[most] / 1e3, detail=over, case=case_at(most)),
    }


def _extremes(row: str, low: Measurement, high: Measurement, detail: str) -> Measurement:
    (figure,) = (figure for figure in figures_of(PAPER) if figure.id == f"{PAPER}.{row}")
    return two_extremes(figure, low, high, detail=detail)
