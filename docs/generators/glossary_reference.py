"""Writes the glossary from the terms that `ringlet explain` knows."""

from pathlib import Path

from scenario_reference import write_changed

from ringlet.cli.glossary import TERMS

INTRODUCTION = """# Glossary

The words of the field, as these pages use them. `ringlet explain 'go bit'` prints one. Keys and figures are in the
[scenario reference](scenario.md) and in [what a run tells](what-a-run-tells.md).
"""


def write(path: Path) -> None:
    """Writes the page."""
    write_changed(path, render())


def render() -> str:
    """Returns the page: an entry for each term, in the order of the alphabet."""
    return "\n".join([INTRODUCTION, *(_entry(term) for term in sorted(TERMS, key=lambda term: term.name.lower()))])


def _entry(term) -> str:
    also = f"*also: {', '.join(term.other_names)}*\n\n" if term.other_names else ""
    more = f" [More](../{term.see}.md)." if term.see else ""
    return f":::{{glossary-term}} {term.name}\n{also}{term.meaning}{more}\n:::\n"
