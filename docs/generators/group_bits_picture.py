"""Makes the picture of group bits against address bits (picker1994, Section 3.2): what each bit that an address gives
to groups takes from the ring's size, and what it gives to fairness."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import ringlet as rl
from ringlet.papers.picker1994.population import FAN_IN, members
from ringlet.papers.picker1994.presets import DEFAULT_PRESET
from ringlet.papers.picker1994.study import Scale, measure
from ringlet.plots import Chart, curves
from ringlet.plots.save import save

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "group-bits.svg"

ADDRESS_BITS = 16
"""Bits of an SCI address that name a node (Section 3.2)."""
NODES = 16
BITS = range(5)
"""Bits for groups: one group, which is SCI, to one for each node."""
MATRICES = 20

FAMILIES = {FAN_IN: "fan-in patterns", "deterministic": "random, one destination each", "sparse": "random, sparse"}

BITS_COLUMN, TRAFFIC, AVERAGE, WORST = "bits for groups", "traffic", "average_deviation", "max_deviation"
LABELS = {
    BITS_COLUMN: f"bits for groups, of {ADDRESS_BITS}",
    AVERAGE: "average deviation, %",
    WORST: "largest deviation, %",
}


def found(family: str, bits: int) -> tuple[float, float]:
    """The means over a family's matrices of the average and of the largest deviation, in %, with one packet size."""
    averages, worst = [], []
    for member in members(DEFAULT_PRESET, NODES, family, "enhanced", "single", Scale((1,), MATRICES)):
        scenario = member.case.load()
        options = {**scenario.to_dict()["flow_control"], "groups": 2**bits, "assignment": "maximal-conflict"}
        scenario = scenario.changed(flow_control=options)
        result = measure(scenario, [rl.run(scenario)])
        averages.append(result.average_percent[0])
        worst.append(result.maximum_percent[0])
    return float(np.mean(averages)), float(np.mean(worst))


def measured() -> pd.DataFrame:
    """The deviations of each family with each number of bits."""
    rows = [(name, bits, *found(family, bits)) for family, name in FAMILIES.items() for bits in BITS]
    return pd.DataFrame(rows, columns=[TRAFFIC, BITS_COLUMN, AVERAGE, WORST])


def table(rows: pd.DataFrame) -> str:
    """The table of the page."""
    lines = [
        "| bits for groups | groups | nodes at most | " + " | ".join(FAMILIES.values()) + " |",
        "|--:|--:|--:|" + "--:|" * len(FAMILIES),
    ]
    of = rows.set_index([TRAFFIC, BITS_COLUMN])
    for bits in BITS:
        each = [of.loc[(name, bits)] for name in FAMILIES.values()]
        shown = " | ".join(f"{row[AVERAGE]:.1f} / {row[WORST]:.1f}" for row in each)
        lines.append(f"| {bits} | {2**bits} | {2 ** (ADDRESS_BITS - bits):,} | {shown} |")
    return "\n".join(lines)


def main() -> None:
    """Runs all rings, draws the deviations over the bits, and prints the table of the page."""
    rows = measured()
    chart = Chart(
        name="group-bits",
        title=f"Group bits against address bits, {NODES} nodes",
        caption=f"Mean deviation from the optimum over the bits of a {ADDRESS_BITS}-bit address that name a group.",
        panels=tuple(curves(rows, x=BITS_COLUMN, y=y, by=[TRAFFIC], labels=LABELS) for y in (AVERAGE, WORST)),
        columns=2,
        panel_inches=(4.4, 3.0),
    )
    with TemporaryDirectory() as folder:
        save(chart, Path(folder), ("svg",))
        PICTURE.write_bytes((Path(folder) / "group-bits.svg").read_bytes())
    print(table(rows))


if __name__ == "__main__":
    main()
