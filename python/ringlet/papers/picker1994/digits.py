"""The packet lengths that the printed digits of picker1994's Table 3 fit: the argument for preset `64B`.

A deviation is `100 (1 - p / optimum)`. The table's maxima look as if throughput and optimum had been rounded to four
decimals first: then a printed maximum is `100 (1 - k 1e-4 / round(optimum, 4))` for a whole number `k`, rounded to two
decimals. For a wrong packet length the optimum is another, and only some maxima lie on that lattice by chance.

`python -m ringlet.papers.picker1994.digits` prints the table of docs/reproductions/picker1994-readings.md.
"""

import math
from collections.abc import Sequence

import numpy as np

from ringlet.analysis import optimal_throughput_with_echo
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, MIXES, PROTOCOLS, Mix
from ringlet.papers.picker1994.study import PAPER
from ringlet.papers.picker1994.table3 import RING_SIZES, case_of
from ringlet.papers.published import figures_of

LENGTHS_SYMBOLS = range(8, 41)
"""Lengths of the long packets that are tried: from a packet without data to the paper's longest, 80 bytes."""
SHORT_SYMBOLS = 8
"""Length of the short packets in the column of mixed sizes, 16 bytes (Section 5.1)."""
LONG_SHARE = 0.4
"""Share of the long packets there."""


def published_maxima(mix: Mix) -> dict[int, list[float]]:
    """Returns Table 3's maximum deviations in one column by ring size, in %, one for each protocol."""
    published = {figure.id: figure.value for figure in figures_of(PAPER)}
    return {
        nodes: [published[f"{PAPER}.t3.n{nodes}.{protocol}.{mix}.max"] for protocol in PROTOCOLS]
        for nodes in RING_SIZES
    }


def on_lattice(percent: float, optima: Sequence[float]) -> bool:
    """Says whether a printed deviation follows from a throughput of four decimals and one of the rounded optima.

    Args:
        percent: the deviation as printed, with two decimals.
        optima: optimal throughputs in words per cycle; any node may be the one with the largest deviation.
    """
    for optimum in {round(value, 4) for value in optima}:
        units = optimum * (1 - percent / 100) * 1e4
        for count in (math.floor(units), math.ceil(units)):
            if round(100 * (1 - count * 1e-4 / optimum), 2) == percent:
                return True
    return False


def fitting(mix: Mix, long_symbols: int) -> int:
    """Returns how many of a column's nine maxima lie on the lattice for a length of the long packets in symbols."""
    mean = long_symbols if mix == "single" else LONG_SHARE * long_symbols + (1 - LONG_SHARE) * SHORT_SYMBOLS
    found = 0
    for nodes, maxima in published_maxima(mix).items():
        matrix = case_of(DEFAULT_PRESET, nodes, "sci", mix).load().traffic_matrix()
        optima = np.unique(optimal_throughput_with_echo(matrix, mean_send_symbols=mean)).tolist()
        found += sum(on_lattice(percent, optima) for percent in maxima)
    return found


def main() -> None:
    """Prints a Markdown table: lengths, and how many maxima of each column they fit."""
    print("| long packets, bytes | one size: maxima that fit, of 9 | mixed sizes: maxima that fit, of 9 |")
    print("|--:|--:|--:|")
    for symbols in LENGTHS_SYMBOLS:
        print(f"| {2 * symbols} | {' | '.join(str(fitting(mix, symbols)) for mix in MIXES)} |", flush=True)


if __name__ == "__main__":
    main()
