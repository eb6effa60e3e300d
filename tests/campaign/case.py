"""What a trial tries: a case, made from a seed, that can be shrunk, stored as a TOML file and tried again."""

import base64
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any


class RuleError(AssertionError):
    """Something that must hold does not."""


@dataclass(frozen=True)
class Case:
    """What one trial tries."""

    content: Mapping[str, Any] = field(default_factory=dict)
    """What the kind makes of it; for most a scenario under `scenario`. Only what TOML can hold."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that lie beside the scenario, by name."""
    checked: object = field(default=None, compare=False, repr=False)
    """The scenario as it was found valid when it was drawn, to be taken as it is; None where files belong to it, since
    these lie elsewhere when it is tried, and where it was not drawn but read or shrunk."""

    def write_files(self, folder: Path) -> None:
        """Puts the files into a folder."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)


@dataclass(frozen=True)
class Kind:
    """A kind of trial."""

    name: str
    what: str
    """What is tried, in words."""
    generate: Callable[[int], Case]
    """Makes the case of a seed: the same one each time, on any machine."""
    check: Callable[[Case, Path, Random], str]
    """Tries it in an empty folder that holds the case's files, and says in a word how it ended, for the counts.

    Whatever it raises is a failure, and so is a process that dies or takes too long. What it draws decides which of the
    costlier checks are made.
    """

    def try_case(self, case: Case, folder: Path, seed: int) -> str:
        """Writes the files of a case and checks it."""
        case.write_files(folder)
        return self.check(case, folder, Random(f"check {self.name} {seed}"))


def to_toml(kind: str, seed: int, failure: str, case: Case) -> str:
    """Returns the file that keeps a case that has failed."""
    import tomli_w

    files = {name: _as_text(content) for name, content in case.files.items()}
    document = {"kind": kind, "seed": seed, "failure": failure, "files": files, "content": _without_none(case.content)}
    return tomli_w.dumps(document, multiline_strings=False)


def from_toml(file: Path) -> tuple[str, int, Case]:
    """Returns the kind, the seed and the case of such a file."""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    files = {name: _as_bytes(content) for name, content in document.get("files", {}).items()}
    return document["kind"], document["seed"], Case(document["content"], files)


def _as_text(content: bytes) -> str | dict[str, str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}
    return text


def _as_bytes(content: str | Mapping[str, str]) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else base64.b64decode(content["base64"])


def _without_none(value: Any) -> Any:
    """TOML has no null: a key that holds it is left out."""
    match value:
        case Mapping():
            return {str(key): _without_none(inner) for key, inner in value.items() if inner is not None}
        case list() | tuple():
            return [_without_none(inner) for inner in value if inner is not None]
    return value
