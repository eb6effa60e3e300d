"""Tutorials work: that of a protocol has the program's own lines, those of the token ring under another name."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorials" / "add-a-protocol.md"
ENGINE = ROOT / "crates" / "ringlet-engine"
PYTHON = ROOT / "python" / "ringlet" / "scenario" / "flow_control"

PARTS = {
    "2. The engine": [ENGINE / "src" / "protocols" / "token_ring.rs", ENGINE / "src" / "protocols.rs"],
    "3. The reference": [
        ENGINE / "tests" / "engine" / "reference" / "protocols" / "token_ring.rs",
        ENGINE / "tests" / "engine" / "reference" / "protocols" / "mod.rs",
    ],
    "4. Python": [PYTHON / "token_ring.py", PYTHON / "__init__.py"],
}
"""The files from which the blocks of a section are, the last block from the list."""


def renamed(text: str) -> str:
    """The program's text under the tutorial's name."""
    for name in ("TokenRing", "Token ring", "token_ring", "token-ring"):
        text = text.replace(name, "Baton" if name[0] == "T" else "baton")
    return text


def code(text: str) -> list[str]:
    """The lines of a program, without empty ones and what is said of it as a whole; names in any order in a `use`.

    What Python imports depends on the methods that the tutorial leaves out.
    """
    lines = [line for line in text.splitlines() if line and not line.startswith(("//!", '"""', "from "))]
    return [str(sorted(re.findall(r"\w+", line))) if line.startswith("use ") else line for line in lines]


def blocks(section: str) -> list[str]:
    """The blocks of code of a section, but for commands."""
    page = TUTORIAL.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(section)}.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    listed = re.findall(r"^```\w+\n(.*?)^```", found[0], re.MULTILINE | re.DOTALL)
    return [block for block in listed if not block.startswith("cargo ")]


@pytest.mark.parametrize("section", PARTS)
def test_every_line_is_in_the_program_in_the_same_order(section):
    *written, listed = blocks(section)
    own, register = (renamed(file.read_text(encoding="utf-8")) for file in PARTS[section])
    left = iter(code(own))
    missing = [line for block in written for line in code(block) if not any(other == line for other in left)]
    assert missing == []
    assert listed.rstrip("\n") in register


def test_the_engine_and_the_reference_leave_nothing_out():
    for section in ("2. The engine", "3. The reference"):
        written = [line for block in blocks(section)[:-1] for line in code(block)]
        assert written == code(renamed(PARTS[section][0].read_text(encoding="utf-8")))


def test_the_package_with_patterns_and_topologies_of_ones_own_runs(tmp_path):
    """As pip would install it, without pip, which fetches what builds packages."""
    page = (ROOT / "docs" / "how-to" / "add-your-own.md").read_text(encoding="utf-8")
    nearby, star, project, scenario = re.findall(r"^```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    packaged = tomllib.loads(project)
    for name, text in zip(packaged["tool"]["setuptools"]["py-modules"], (nearby, star), strict=True):
        assert f"`{name}.py`:" in page
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    installed = tmp_path / "my_rings-1.0.dist-info"
    installed.mkdir()
    installed.joinpath("METADATA").write_text("Name: my-rings\nVersion: 1.0\n", encoding="utf-8")
    groups = packaged["project"]["entry-points"].items()
    lines = [f"[{group}]\n{name} = {at}\n" for group, entries in groups for name, at in entries.items()]
    installed.joinpath("entry_points.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "own.toml").write_text(f'{scenario}[run]\nduration = "20 us"\n', encoding="utf-8")
    command = [sys.executable, "-m", "ringlet", "run", "own.toml", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert json.loads(done.stdout)["scenario"]["traffic"]["reach"] == 2
