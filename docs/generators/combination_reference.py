"""Writes the page on what goes together from the table of refusals, which the tests try, so that it cannot differ."""

import tomllib
from pathlib import Path
from typing import Any

from scenario_reference import write_changed

INTRODUCTION = """# What goes together

Protocols, topologies, traffic, errors and instruments combine freely: a scenario may have any of each, and any command
may look at it. What cannot be combined is on this page, with the reason. All else runs: `make test` makes a covering
array of all members, in which every pair that is not refused here is in a scenario, and simulates it in pieces and on
several threads, with packets and symbols counted; and it tries every refusal of this page and compares its message.
`make nightly` does so with every transaction. Members come from the program's own registries, so that a new protocol or
topology is tried with everything else at once.

An *instrument* is a command that takes a scenario, a sweep, or a simulation that a program steps. A *plan* says which
packets start when: each activity, such as `messages` or `events`. *Control* says that nodes of base SCI are among
others, that one ring has another protocol, that SCI reserves a share of the links for the lower of two classes
(`reserve`), that there are 256 transmission groups (`many groups`), or that each node sends packets of two of three
priorities (`classes`), which have shares of their own with MetaRing, timed tokens and RPR; *ports* are options of
interfaces and switches, a *format* is what stands around a packet's data on a link, a *window* what a node may have
under way, and a *retry* when a refused packet is sent again. `send1516` and `send9016` are packets with 1500 and 9000
bytes of data. Where processors send to memories, as in switches and Banyan networks, nodes are of two kinds.

The table is `tests/pairs/refusals.toml`. Options have conditions of their own, which the [scenario
reference](scenario.md) says at each key.
"""
FACTORS = {
    "instrument": "instrument",
    "protocol": "protocol",
    "topology": "topology",
    "pattern": "pattern",
    "arrivals": "arrivals",
    "transaction": "transaction",
    "plan": "plan",
    "errors": "errors",
    "echoes": "echoes",
    "responses": "responses",
    "control": "control",
    "ports": "ports",
    "link rates": "link rates",
    "link width": "link width",
    "format": "format",
    "window": "window",
    "retry": "retry",
}


def write(path: Path) -> None:
    """Writes the page."""
    table = path.parents[2] / "tests" / "pairs" / "refusals.toml"
    write_changed(path, render(tomllib.loads(table.read_text(encoding="utf-8"))["refusal"]))


def render(refusals: list[dict[str, Any]]) -> str:
    """Returns the page: a section for each factor that stands first in an entry, and a row for each entry."""
    parts, seen = [INTRODUCTION], dict.fromkeys(next(iter(one["where"])) for one in refusals)
    for first in seen:
        rows = ["together | why not", "---|---"]
        rows += [
            f"{_in_words(one['where'])} | {one['reason']}" for one in refusals if next(iter(one["where"])) == first
        ]
        parts += [f"## By {FACTORS[first]}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _in_words(where: dict[str, Any]) -> str:
    return "; ".join(f"{FACTORS[factor]} {_members(given)}" for factor, given in where.items())


def _members(given: Any) -> str:
    if isinstance(given, list):
        return ", ".join(f"`{one}`" for one in given)
    return "any but " + ", ".join(f"`{one}`" for one in given["not"])
