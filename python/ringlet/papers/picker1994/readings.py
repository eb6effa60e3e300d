"""All readings of the paper's silent points at once: how many rows of Table 3 each one reaches.

`python -m ringlet.papers.picker1994.readings` prints the table of docs/reproductions/picker1994-readings.md.
"""

from itertools import product

from ringlet.papers.agreement import agrees
from ringlet.papers.picker1994 import figure5, table3
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, Preset
from ringlet.papers.picker1994.study import FULL, PAPER, measure
from ringlet.papers.published import figures_of
from ringlet.papers.runs import simulate

HOP_DELAYS_CYCLES = (1, 2, 3, 4)
RELEASES = ("unblocked", "all")
EXTENSIONS = {"own": ("received", "none"), "any": ("received", "none", "passing", "after-send", "always")}
"""Extensions that are tried with each choice of the go bits that permit."""


def all_readings() -> list[Preset]:
    """Returns every combination of hop delay, permit, release and extension."""
    return [
        Preset(
            f"{delay} {permit} {release} {extension}",
            one_size_bytes=DEFAULT_PRESET.one_size_bytes,
            hop_delay_cycles=delay,
            permit=permit,
            release=release,
            extension=extension,
        )
        for delay, permit, release in product(HOP_DELAYS_CYCLES, EXTENSIONS, RELEASES)
        for extension in EXTENSIONS[permit]
    ]


def main() -> None:
    """Simulates and prints a Markdown table."""
    readings = all_readings()
    cases = [case for reading in readings for case in table3.cases(reading) + figure5.cases(reading)]
    results = simulate(cases, measure, seeds=FULL.seeds)
    published = {figure.id: figure for figure in figures_of(PAPER)}
    print("| hop delay | permit | release | extension | rows of Table 3 (of 36) | Figure 5: SCI <= enhanced (of 6) |")
    print("|---|---|---|---|---|---|")
    for reading in readings:
        obtained = table3.measurements(results, reading)
        reached = sum(agrees(published[row], measurement.value) for row, measurement in obtained.items())
        ordered = sum(
            figure5.average(results, reading, nodes, "sci", mix).value
            <= figure5.average(results, reading, nodes, "enhanced", mix).value
            for nodes in table3.RING_SIZES
            for mix in ("single", "mixed")
        )
        print(
            f"| {reading.hop_delay_cycles} | `{reading.permit}` | `{reading.release}` | `{reading.extension}` "
            f"| {reached} | {ordered} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
