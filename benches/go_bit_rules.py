"""Rules for go bits that picker1994 does not state: the section of docs/reproductions/picker1994-readings.md.

    .venv/bin/python benches/go_bit_rules.py [--groupings] [RULES ...]

Says how many published figures agree under each rule, all of them simulated by the small model
`crates/ringlet-bench/examples/go_bit_rules.rs`, or under the rules that are named. All take some nine minutes of a
core. With --groupings it says instead what 42 groupings give of Table 3's ring of 16 nodes under the rules named.
"""

import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from ringlet.papers import agrees, figures_of
from ringlet.papers.measurement import Measurement
from ringlet.papers.picker1994 import figure3, figure5, population, table3, table4
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, MIXES, PROTOCOLS
from ringlet.papers.picker1994.study import FULL, PAPER, CaseResult, measure
from ringlet.papers.runs import Case
from ringlet.scenario.flow_control.grouped import Grouped

OURS = "enhanced own third incoming behind-only refill"
"""The rules of ringlet."""

RULES = (
    "",
    OURS,
    OURS.replace("third", "second"),
    OURS.replace("third", "fourth"),
    OURS.replace("third", "fifth"),
    OURS.replace("third", "every"),
    OURS.replace("third ", ""),
    OURS.replace("own ", ""),
    OURS.replace(" refill", ""),
    "fifo",
    "copied",
    "exit",
    "others",
    "leaving",
    "blocked",
    "emptied",
    "own",
    "draining",
    "behind",
    "second-free",
    "second",
    "second others",
    "second delay=2",
    "enhanced second",
    "enhanced second others",
    "enhanced second own",
    "enhanced third",
    "enhanced third own",
    "enhanced every waiting",
    "enhanced every waiting own",
    "stored",
    "sending",
    "behind-own",
    "received",
    "echoing",
    "stripped",
    "second-free every waiting",
    "second-free every",
    "second-free every waiting own",
    "all",
    "all extending",
    "second-free every waiting all",
    "second-free every waiting all none",
    "enhanced second-free every waiting all",
)
"""As the model reads them; it says what each means. None: those of the text."""


@cache
def ring(case: Case) -> tuple[str, CaseResult]:
    """Returns what the model is told of a case, without rules and seeds, and the optimum beside no runs."""
    scenario = case.load()
    matrix = scenario.traffic_matrix()
    control = scenario.flow_control
    groups = control.group_assignment(scenario.resolved.pattern) if isinstance(control, Grouped) else [0] * len(matrix)
    mixed = "transaction=mixed" in " ".join(case.overrides)
    size = 0 if mixed else round(scenario.mean_send_symbols)
    shares = " ".join(str(float(share)) for share in np.ravel(matrix))
    text = f"{len(matrix)} {int(control.protocol != 'none')} {size}|{' '.join(map(str, groups))}|{shares}"
    return text, measure(scenario, [])


def answers(questions: Iterable[tuple[str, str]], seeds: Sequence[int] = FULL.seeds) -> list[np.ndarray]:
    """Returns the words per cycle of each node, a row for each seed, for each question: rules, and a ring's text."""
    numbers = " ".join(map(str, seeds))
    program = ["cargo", "run", "-q", "--release", "-p", "ringlet-bench", "--example", "go_bit_rules"]
    lines = "".join(f"{rules}|{text}|{numbers}\n" for rules, text in questions)
    found = subprocess.run(program, input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    return [np.array(answer.split(), float).reshape(len(seeds), -1) for answer in found]


def simulate(cases: list[Case], rules: str) -> dict[Case, CaseResult]:
    """Returns the throughput of every node in each case under these rules, and its optimum."""
    cases = list(dict.fromkeys(cases))
    found = answers((rules, ring(case)[0]) for case in cases)
    return {
        case: CaseResult(words, ring(case)[1].optimal_words_per_cycle) for case, words in zip(cases, found, strict=True)
    }


def groupings() -> list[list[int]]:
    """Returns groupings of 4 nodes in conflict and 12 free ones: the free ones in up to 7 blocks, or in turn."""
    found = []
    for conflict in ([0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]):
        first = max(conflict) + 1
        found.append([*conflict, *[first] * 12])
        for count in range(2, 8 - first + 1):
            found.append(conflict + [first + node * count // 12 for node in range(12)])
            found.append(conflict + [first + node % count for node in range(12)])
    return found


def print_groupings(rules: str) -> None:
    """Prints Table 3's deviations of 16 nodes under each grouping, average and maximum, with one size and mixed."""
    lines = [table3.case_of(DEFAULT_PRESET, 16, "enhanced", mix) for mix in MIXES]
    print(f"groups ({rules or 'no rule'}) | " + " | ".join(f"{mix}: average | maximum" for mix in MIXES))
    for groups in groupings():
        cells = []
        for line in lines:
            text, result = ring(line)
            size, _, matrix = text.split("|")
            (words,) = answers([(rules, f"{size}|{' '.join(map(str, groups))}|{matrix}")])
            found = CaseResult(words, result.optimal_words_per_cycle)
            cells += [f"{np.median(found.average_percent):.2f}", f"{np.median(found.maximum_percent):.2f}"]
        print(f"{' '.join(map(str, groups))} | {' | '.join(cells)}", flush=True)


def obtained(rules: str) -> dict[str, Measurement]:
    """Returns the paper's figures under these rules, by row id."""
    preset = DEFAULT_PRESET
    lines = [(nodes, protocol, mix) for nodes in population.RING_SIZES for protocol in PROTOCOLS for mix in MIXES]
    primary = population.primary_family
    members = [population.members(preset, nodes, primary(nodes), *line, FULL) for nodes, *line in lines]
    cases = [member.case for line in members for member in line]
    results = simulate([*table3.cases(preset), *figure3.cases(preset), *figure5.cases(preset), *cases], rules)
    found = {
        **table3.measurements(results, preset),
        **figure3.measurements(results, preset),
        **figure5.measurements(results, preset),
    }
    average = {}
    for nodes, protocol, mix in lines:
        line = table4.deviation(results, preset, nodes, primary(nodes), protocol, mix, FULL)
        row = f"picker1994.t4.n{nodes}.{protocol}.{mix}"
        found |= {f"{row}.max": line.maximum, f"{row}.avemax": line.average_maximum}
        average[nodes, protocol, mix] = line.average.value
    better = all(average[nodes, "enhanced", mix] < average[nodes, "sci", mix] for nodes, _, mix in lines)
    return found | {"picker1994.f4.order": Measurement(float(better))}


def main() -> None:
    """Prints the table; the first line is what the others are compared with."""
    if "--groupings" in sys.argv:
        for rules in [argument for argument in sys.argv[1:] if argument != "--groupings"] or [""]:
            print_groupings(rules)
        return
    published = {figure.id: figure for figure in figures_of(PAPER)}
    usual: set[str] = set()
    print("rule | Table 3 (of 36) | all (of 77) | gained | lost")
    print("---|--:|--:|---|---")
    for rules in ["", *sys.argv[1:]] if sys.argv[1:] else RULES:
        agreeing = {row for row, found in obtained(rules).items() if agrees(published[row], found.value)}
        usual = usual or agreeing
        table3_rows = sum(row.startswith("picker1994.t3") for row in agreeing)
        names = [
            ", ".join(sorted(row.partition(".")[2] for row in rows)) for rows in (agreeing - usual, usual - agreeing)
        ]
        print(" | ".join([rules or "(none)", str(table3_rows), str(len(agreeing)), *names]), flush=True)


if __name__ == "__main__":
    main()
