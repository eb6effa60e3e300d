"""Rules for go bits that picker1994 does not state: the section of docs/reproductions/picker1994-readings.md.

    .venv/bin/python benches/go_bit_rules.py [RULES ...]

Says how many published figures agree under each rule, all of them simulated by the small model
`crates/ringlet-bench/examples/go_bit_rules.rs`, or under the rules that are named. All take some seven minutes of a
core.
"""

import subprocess
import sys
from functools import cache

import numpy as np

from ringlet.papers import agrees, figures_of
from ringlet.papers.measurement import Measurement
from ringlet.papers.picker1994 import figure3, figure5, population, table3, table4
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, MIXES, PROTOCOLS
from ringlet.papers.picker1994.study import FULL, PAPER, CaseResult, measure
from ringlet.papers.runs import Case
from ringlet.scenario.flow_control.grouped import Grouped

RULES = (
    "",
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
)
"""As the model reads them; it says what each means. None: those of ringlet."""


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


def simulate(cases: list[Case], rules: str) -> dict[Case, CaseResult]:
    """Returns the throughput of every node in each case under these rules, and its optimum."""
    cases = list(dict.fromkeys(cases))
    seeds = " ".join(map(str, FULL.seeds))
    lines = [f"{rules}|{ring(case)[0]}|{seeds}\n" for case in cases]
    program = ["cargo", "run", "-q", "--release", "-p", "ringlet-bench", "--example", "go_bit_rules"]
    answers = subprocess.run(program, input="".join(lines), capture_output=True, text=True, check=True).stdout
    return {
        case: CaseResult(
            np.array(answer.split(), float).reshape(len(FULL.seeds), -1), ring(case)[1].optimal_words_per_cycle
        )
        for case, answer in zip(cases, answers.splitlines(), strict=True)
    }


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
