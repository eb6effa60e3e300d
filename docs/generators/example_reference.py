"""Writes the page of examples from the folder of examples, so that it cannot differ."""

import re
from pathlib import Path

ROW = re.compile(r"^\| \[([\w.-]+)\]\(\1\) \| (.+) \|$", re.MULTILINE)


def write(path: Path) -> None:
    """Writes the page, unless it is there already and the same."""
    page = render(path.parents[2] / "examples")
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def render(folder: Path) -> str:
    """Returns the page: what the table of the folder's README says of each file, then the file."""
    readme = (folder / "README.md").read_text(encoding="utf-8")
    parts = [readme.partition("|")[0].rstrip()]
    for name, words in ROW.findall(readme):
        shown = f"```{{literalinclude}} ../../examples/{name}\n:language: toml\n```"
        parts.append(f"## {name}\n\n{words[0].upper()}{words[1:]}.\n\n{shown}")
    return "\n\n".join(parts) + "\n"
