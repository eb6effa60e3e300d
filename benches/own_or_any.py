"""The exclusion test of docs/reproductions/picker1994.md, "Own or any": does a rule set give Figure 5's order?

    .venv/bin/python benches/own_or_any.py [COUNT] [SEED]

Draws rule sets for go bits at random, as many with *any go bit of the block register permits* as with *the own
group's*, from the words of `crates/ringlet-bench/examples/go_bit_rules.rs`, and says how many of those that keep Table
3 for 4 nodes and one size put the enhanced protocol behind SCI under symmetric traffic, as Figure 5 does. 400 of each
take some minutes.
"""

import random
import sys
from itertools import compress

import numpy as np
from go_bit_rules import answers, ring

from ringlet.papers import agrees, figures_of
from ringlet.papers.picker1994 import figure5, table3
from ringlet.papers.picker1994.presets import DEFAULT_PRESET
from ringlet.papers.picker1994.study import PAPER, CaseResult
from ringlet.papers.runs import Case

CHOICES = (
    ("", "second", "third", "fourth", "every", "second-free"),
    ("", "incoming"),
    ("", "behind-only", "behind-only refill", "none", "extending"),
    ("", "fifo", "copied", "exit", "stored"),
    ("", "all", "others"),
    ("", "leaving", "blocked"),
    ("", "emptied"),
    ("", "waiting"),
    ("", "behind"),
    ("", "draining"),
    ("", "sending", "behind-own"),
    ("", "stripped"),
    ("", "echoing", "received"),
    ("delay=1", "delay=2", "delay=3", "delay=4"),
)
"""One word, or none, of each line makes a rule set."""

NODES = 4

SEEDS = range(1, 5)
"""Seeds of each run, of which the median counts."""


def draw(chooser: random.Random, permit: str) -> str:
    """Returns a rule set: most lines have their first word, as most rules have nothing to do with each other."""
    words = [chooser.choice(line) if chooser.random() < 0.4 else line[0] for line in CHOICES[:-1]]
    return " ".join(["enhanced", permit, *words, chooser.choice(CHOICES[-1])])


def medians(case: Case, rule_sets: list[str]) -> list[tuple[float, float]]:
    """Returns the medians of the average and the largest deviation of a case under each rule set, in %."""
    text, optimum = ring(case)
    found = [
        CaseResult(words, optimum.optimal_words_per_cycle)
        for words in answers(((each, text) for each in rule_sets), SEEDS)
    ]
    return [(float(np.median(one.average_percent)), float(np.median(one.maximum_percent))) for one in found]


def keep_table_3(rule_sets: list[str]) -> list[str]:
    """Returns the rule sets under which all figures of Table 3 for 4 nodes and one size agree."""
    published = {figure.id: figure for figure in figures_of(PAPER)}
    for protocol in ("sci", "enhanced"):
        found = medians(table3.case_of(DEFAULT_PRESET, NODES, protocol, "single"), rule_sets)
        rows = [published[f"picker1994.t3.n{NODES}.{protocol}.single.{figure}"] for figure in ("ave", "max")]
        agreeing = [all(map(agrees, rows, values)) for values in found]
        rule_sets = list(compress(rule_sets, agreeing))
    return rule_sets


def main() -> None:
    """Prints a line for each choice of the go bits that permit."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    chooser = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for permit, name in (("", "any of the block register"), ("own", "own group's")):
        kept = keep_table_3([draw(chooser, permit) for _ in range(count)])
        sci, enhanced = (
            medians(figure5.case_of(DEFAULT_PRESET, NODES, protocol, "single"), kept)
            for protocol in ("sci", "enhanced")
        )
        ordered = [rules for rules, one, other in zip(kept, sci, enhanced, strict=True) if one[0] <= other[0]]
        print(f"{name}: {count} drawn, {len(kept)} keep Table 3, {len(ordered)} of them Figure 5", flush=True)
        for rules in ordered[:5]:
            print(f"    {' '.join(rules.split())}")


if __name__ == "__main__":
    main()
