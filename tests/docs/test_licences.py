"""What ringlet is made of may be given on: licences of the crates in the extension, and of the packages that it needs.

A licence that is not listed here fails: somebody has to read it first.
"""

import importlib.metadata
import json
import re
import shutil
import subprocess
from collections import deque
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ASK_FOR_THEIR_NOTICE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-CMU",
    "PSF-2.0", "Unicode-3.0", "Unlicense", "Zlib",
    # What packages without an SPDX expression call them.
    "Apache Software License", "BSD", "BSD License", "MIT License", "PSFL", "Python Software Foundation License",
}  # fmt: skip
"""Licences that ask for no more."""

READ = {
    "shellingham": "ISC License (ISCL)",
    "pebble": "GNU Library or Lesser General Public License (LGPL)",
    "numpy": "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
}
"""Packages whose licences are named otherwise, or are others: used as they are, not copied or changed here."""


def is_allowed(text: str) -> bool:
    """Whether all licences named, or one of alternatives, ask for their notice only; `/` is an old `OR`."""
    every = [part.strip("() ") for part in re.split(r"\bAND\b", text)]
    return all(
        any(one.strip("() ") in ASK_FOR_THEIR_NOTICE for one in re.split(r"\bOR\b|\bor\b|/", part)) for part in every
    )


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND GPL-2.0-only", False),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("MIT/Apache-2.0", True),
        ("", False),
    ],
)
def test_what_is_allowed(text, allowed):
    assert is_allowed(text) is allowed


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_every_crate_in_the_extension_may_be_given_on():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the crates are not there: {done.stderr.strip()[-200:]}")
    metadata = json.loads(done.stdout)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    todo = deque(identity for identity, package in packages.items() if package["name"] == "ringlet-python")
    seen = set()
    while todo:
        identity = todo.popleft()
        if identity in seen:
            continue
        seen.add(identity)
        # Crates that only tests and benchmarks need are not in the extension.
        todo += [
            one["pkg"] for one in nodes[identity]["deps"] if any(kind["kind"] != "dev" for kind in one["dep_kinds"])
        ]
    assert len(seen) > 20
    refused = {packages[identity]["name"]: packages[identity]["license"] for identity in seen}
    assert {name: text for name, text in refused.items() if not is_allowed(text or "")} == {}


def licence(package: importlib.metadata.Distribution) -> str:
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    named = [name.rpartition(" :: ")[2] for name in metadata.get_all("Classifier") or () if "License :: OSI" in name]
    names = [name for name in named if name != "OSI Approved"] or [(metadata.get("License") or "").split("\n")[0]]
    return " AND ".join(names)


def test_every_package_that_ringlet_needs_may_be_used():
    needed, todo = {}, deque(["ringlet"])
    while todo:
        name = todo.popleft().lower().replace("_", "-")
        if name in needed:
            continue
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            # For another system or an older Python.
            continue
        needed[name] = licence(package)
        todo += [re.match(r"[\w.-]+", text)[0] for text in package.requires or () if "extra ==" not in text]
    assert len(needed) > 15
    refused = {name: text for name, text in needed.items() if not is_allowed(text) and READ.get(name) != text}
    assert refused == {}


def test_the_wheel_lists_the_crates_that_are_in_it():
    package = importlib.metadata.distribution("ringlet")
    (listed,) = (file for file in package.files or () if "sboms" in file.parts and file.name.startswith("ringlet"))
    bill = json.loads(package.locate_file(listed).read_text(encoding="utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    assert {"ringlet-engine", "hdrhistogram", "rayon", "pyo3"} <= {part["name"] for part in bill["components"]}
