"""Figure 5: symmetric traffic, every node sends to every other with equal probability (Section 5.5)."""

from itertools import pairwise

from ringlet.papers.measurement import (
    Interval,
    Measurement,
    common_seeds,
    median_interval,
    median_run,
    parts_of_relation,
)
from ringlet.papers.picker1994.presets import MIXES, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Results, case
from ringlet.papers.runs import Case

RING_SIZES = (4, 8, 16)


def case_of(preset: Preset, nodes: int, protocol: Protocol, mix: Mix) -> Case:
    """Returns the case of one bar."""
    return case(f"figure5-n{nodes}.toml", preset, protocol, mix)


def cases(preset: Preset) -> list[Case]:
    """Returns the cases of every bar."""
    return [case_of(preset, nodes, protocol, mix) for nodes in RING_SIZES for protocol in PROTOCOLS for mix in MIXES]


def average(results: Results, preset: Preset, nodes: int, protocol: Protocol, mix: Mix) -> Measurement:
    """Returns the average ring deviation of one bar, in %."""
    line = case_of(preset, nodes, protocol, mix)
    return median_run(results[line].average_percent, case=line)


def measurements(results: Results, preset: Preset) -> dict[str, Measurement]:
    """Returns the figure's row: 1 if none <= SCI <= enhanced for every ring size and size mix, else 0."""
    broken, margins = [], list[Interval]()
    for nodes in RING_SIZES:
        for mix in MIXES:
            bars = [average(results, preset, nodes, protocol, mix) for protocol in PROTOCOLS]
            none, sci, enhanced = (bar.value for bar in bars)
            lines = [case_of(preset, nodes, protocol, mix) for protocol in PROTOCOLS]
            for less, more in pairwise(lines):
                low, high = common_seeds([results[less].average_percent, results[more].average_percent])
                margins.append(median_interval(high - low, (less, more)))
            if not none <= sci <= enhanced:
                broken.append(f"N={nodes} {mix} ({none:z.1f}, {sci:z.1f}, {enhanced:z.1f} %)")
    detail = "broken for " + ", ".join(broken) if broken else ""
    return {"picker1994.f5.order": Measurement(float(not broken), detail=detail, intervals=parts_of_relation(margins))}
