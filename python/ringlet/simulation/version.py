"""The version of the code that made a result."""

import hashlib
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

from ringlet._engine import SOURCE_DIGEST, __version__

DECIDING = (
    "analysis",
    "document",
    "figures",
    "rings",
    "scenario",
    "sections",
    "simulation",
    "statistics",
    "symbol_ring",
    "theory",
)
"""Packages of which the figures of a run depend, beside the engine."""

ADDING = ("ringlet.patterns", "ringlet.topologies", "ringlet.protocols")
"""Groups of entry points by which installed packages add to them."""


@cache
def engine_version() -> str:
    """Returns the version of all code that decides the figures of a run, such as `0.1.0+1f0c25a9b3d4`.

    It is the release and a digest of the sources, those of installed packages that add patterns, topologies or
    protocols included, so that a result of changed code is never taken for one of this code. It does not depend on the
    machine or the compiler.
    """
    digest = hashlib.sha256(SOURCE_DIGEST.encode())
    for package in DECIDING:
        for module in _modules(files("ringlet").joinpath(package), package):
            digest.update(module)
    for module in _added():
        digest.update(module)
    return f"{__version__}+{digest.hexdigest()[:12]}"


def _added() -> list[bytes]:
    """Names and texts of the modules of installed packages that add something; one that cannot be read adds nothing."""
    entries = [entry for group in ADDING for entry in entry_points(group=group)]
    found: list[bytes] = []
    for package in sorted({entry.module.partition(".")[0] for entry in entries}):
        try:
            spec = find_spec(package)
        except (ImportError, ValueError):
            continue
        for folder in (spec and spec.submodule_search_locations) or ():
            found += _modules(Path(folder), package)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            found.append(f"{package}\n{Path(spec.origin).read_text(encoding='utf-8')}\n".encode())
    return found


def _modules(folder: Traversable, path: str) -> list[bytes]:
    """Names and texts of the modules in a package, in the order of their names."""
    found = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir() and entry.name != "__pycache__":
            found += _modules(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(".py"):
            text = entry.read_text(encoding="utf-8")
            found.append(f"{path}/{entry.name}\n{text}\n".encode())
    return found
