"""All explanations, kept in the user's cache from one start to the next: to make them loads the classes of all files,
which takes many times as long as to look one up."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import blake2b
from pathlib import Path

from ringlet.cli.explanation import Explanation
from ringlet.files import write_text

PACKAGES = (".dist-info", ".egg-info")
"""Endings of what lies beside an installed package and says what it offers."""


@cache
def explanations() -> tuple[Explanation, ...]:
    """Returns all that can be explained: as it was kept, if nothing that it is made from has changed."""
    file, made_from = _file(), _made_from()
    if (kept := _kept(file, made_from)) is not None:
        return kept
    # Late: these are what takes long to load.
    from ringlet.cli import explanations as texts

    made = texts.explanations()
    if not texts.depends_on_other_packages():
        document = {"made_from": made_from, "explanations": [asdict(one) for one in made]}
        with suppress(OSError):  # a cache that cannot be written costs time only
            file.parent.mkdir(parents=True, exist_ok=True)
            write_text(file, json.dumps(document))
    return made


def _file() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("ringlet") / "explanations.json"


def _kept(file: Path, made_from: str) -> tuple[Explanation, ...] | None:
    """Returns what a file has, None if it is not there, damaged, or made from something else."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        if document["made_from"] != made_from:
            return None
        return tuple(
            Explanation(**one | {"facts": tuple(one["facts"]), "other_names": tuple(one["other_names"])})
            for one in document["explanations"]
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _made_from() -> str:
    """Returns a digest of what explanations are made from: ringlet's modules, and which packages are installed, since
    one may add patterns and topologies."""
    return blake2b("\n".join((sys.version, *_modules(), *_packages())).encode(), digest_size=16).hexdigest()


def _modules() -> Iterator[str]:
    """Yields name, size and time of each module of ringlet."""
    for folder, folders, files in os.walk(Path(__file__).parents[1]):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                path = os.path.join(folder, name)  # noqa: PTH118 - hundreds of files at each start
                found = os.stat(path)  # noqa: PTH116
                yield f"{path} {found.st_size} {found.st_mtime_ns}"


def _packages() -> Iterator[str]:
    """Yields name and time of what says what each installed package offers."""
    for place in sys.path:
        with suppress(OSError), os.scandir(place or ".") as entries:
            found = [(one.name, one.stat().st_mtime_ns) for one in entries if one.name.endswith(PACKAGES)]
            yield from (f"{place} {name} {time}" for name, time in sorted(found))
