"""Table 3: semi-pipelined rings with worst-case fan-in (Section 5.3).

`f = sqrt(N)` consecutive nodes send to one node, the remaining ones to their downstream neighbours.
"""

from ringlet.papers.measurement import Measurement, median_run
from ringlet.papers.picker1994.presets import MIXES, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Results, case
from ringlet.papers.runs import Case

RING_SIZES = (4, 8, 16)


def case_of(preset: Preset, nodes: int, protocol: Protocol, mix: Mix) -> Case:
    """Returns the case of one line of the table."""
    return case(f"table3-n{nodes}.toml", preset, protocol, mix)


def cases(preset: Preset) -> list[Case]:
    """Returns the cases of the whole table."""
    return [case_of(preset, nodes, protocol, mix) for nodes in RING_SIZES for protocol in PROTOCOLS for mix in MIXES]


def measurements(results: Results, preset: Preset) -> dict[str, Measurement]:
    """Returns the table's figures by row id: median over the seeds of each run's average and maximum deviation, in
    %."""
    found = {}
    for nodes in RING_SIZES:
        for protocol in PROTOCOLS:
            for mix in MIXES:
                line = case_of(preset, nodes, protocol, mix)
                row = f"picker1994.t3.n{nodes}.{protocol}.{mix}"
                found[f"{row}.ave"] = median_run(results[line].average_percent, case=line)
                found[f"{row}.max"] = median_run(results[line].maximum_percent, case=line)
    return found
