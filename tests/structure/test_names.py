"""Who knows the names of protocols, topologies, patterns, arrivals, transactions and retry strategies."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ringlet
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.keys.retry import STRATEGIES
from ringlet.scenario.network import TOPOLOGIES
from ringlet.scenario.patterns import PATTERNS
from ringlet.scenario.traffic.arrivals import ARRIVALS
from ringlet.scenario.values.transactions import MIXES, TRANSACTIONS

NAMES = frozenset(
    (*PROTOCOLS.listed, *TOPOLOGIES.listed, *PATTERNS.listed, *ARRIVALS, *TRANSACTIONS, *MIXES, *STRATEGIES),
)

OWN = {
    "scenario/network/multistage.py": "the multistage networks are one class with several names",
    "rings/banyan.py": "the same, wired",
    "imports/flows/booksim.py": "topologies and arrivals of BookSim have names of their own",
    "imports/flows/booksim_patterns.py": "patterns of BookSim have names of their own",
    "scenario/traffic/matrices.py": "the families of random matrices have names of their own",
    "symbol_ring/draws.py": "arrivals and destinations as the engine's specification names them",
    "symbol_ring/hosts.py": "retry strategies as the engine's specification names them",
}
"""Modules that branch on a name, and why; studies of papers name what they compare, too."""

ROOT = Path(ringlet.__file__).parent


def branches(source: str) -> Iterator[str]:
    """The names on which a module branches: those that it compares or matches something with."""
    for node in ast.walk(ast.parse(source)):
        inside = [node.value] if isinstance(node, ast.MatchValue) else []
        if isinstance(node, ast.Compare):
            inside = [one for side in (node.left, *node.comparators) for one in _compared(side)]
        yield from (one.value for one in inside if isinstance(one, ast.Constant) and one.value in NAMES)


def _compared(side: ast.expr) -> Iterator[ast.AST]:
    """What a side of a comparison is made of, but for the keys of what it reads, such as a column named "switch"."""
    yield side
    parts = [side.value] if isinstance(side, ast.Subscript) else ast.iter_child_nodes(side)
    for part in parts:
        yield from _compared(part)


def test_no_module_branches_on_the_name_of_a_member():
    modules = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    found = {name: sorted(branches(source)) for name, source in modules.items() if not name.startswith("papers/")}
    assert {name for name, names in found.items() if names} == set(OWN)


@pytest.mark.parametrize("script", sorted(ROOT.rglob("player/web/*.js")), ids=lambda path: path.name)
def test_the_player_names_no_protocol(script):
    words = re.findall(r"""["'`]([a-z-]+)["'`]""", script.read_text(encoding="utf-8"))
    assert not set(words) & (set(PROTOCOLS.listed) - {"none"})


@pytest.mark.parametrize("family", [PROTOCOLS, TOPOLOGIES, PATTERNS], ids=["protocols", "topologies", "patterns"])
def test_every_module_with_a_member_is_listed(family):
    first = next(iter(family.listed.values()))
    folder = ROOT.joinpath(*first.__module__.split(".")[1:-1])
    named = re.compile(rf"^    {first.chosen_by}: (?!str$)", re.MULTILINE)
    found = {path.stem for path in folder.glob("*.py") if named.search(path.read_text(encoding="utf-8"))}
    assert {one.__module__.rpartition(".")[2] for one in family.listed.values()} == found


def test_a_branch_is_found():
    assert list(branches("if protocol in ('sci', other): pass")) == ["sci"]
    assert list(branches("if row['switch'] == ['ring']: pass")) == ["ring"]
    assert list(branches("match one:\n    case 'torus': pass")) == ["torus"]
