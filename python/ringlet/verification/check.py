"""A verification computed again, and compared line by line with the report that was handed in."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.executors import Workers
from ringlet.limits import FILE_BYTES
from ringlet.scenario import Scenario
from ringlet.simulation import engine_version
from ringlet.store import Store
from ringlet.theory.response_flows import Assumed
from ringlet.verification.verification import SCHEMA, Progress, Verification, verified_set

GIVEN = (
    "scenario",
    "asked",
    "with_failures",
    "trials",
    "tolerance",
    "all_factors",
    "assumed",
    "inputs",
    "command",
    "engine",
)
"""Keys from which a report is computed again."""

VERSIONS = ("ringlet", "engine")
"""Keys that name the version; another one may well find the same."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first line in which a report differs from what is computed again."""

    line: int
    theirs: str
    """The line of the report; empty behind its end."""
    ours: str
    """The line that it ought to be; empty behind the end."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A report that was computed again."""

    verification: Verification
    difference: Difference | None
    """First line that differs; None: every line is the same."""
    version: str | None
    """Version of the code that made the report, where it is another one; None: this one."""


def document_text(document: Mapping[str, Any]) -> str:
    """Returns a verification's document as its file holds it: the same bytes on every machine."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_report(file: Path) -> tuple[str, dict[str, Any]]:
    """Returns the text of a report, and its document.

    Raises:
        RingletError: it cannot be read, or is no report of a verification.
    """
    try:
        if file.stat().st_size > FILE_BYTES:
            raise RingletError.not_allowed(str(file), "<a large file>", f"at most {FILE_BYTES >> 20} MiB")
        text = file.read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise RingletError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RingletError(f"{file}: no JSON: it is not UTF-8") from None
    except ValueError as error:
        raise RingletError(f"{file}, line {getattr(error, 'lineno', 1)}: no JSON: {error}") from None
    is_report = isinstance(document, dict) and isinstance(document.get("scenario"), dict)
    if is_report and document.get("schema") != SCHEMA:
        raise RingletError.not_allowed(f"{file}: schema", document.get("schema"), f"{SCHEMA}")
    if not is_report or any(key not in document for key in GIVEN):
        allowed = "the JSON that 'ringlet verify' wrote"
        raise RingletError.not_allowed(str(file), "<another document>", allowed)
    return text, document


def check_report(
    file: Path,
    *,
    inputs: Sequence[Mapping[str, str]] | None = None,
    scenario: Scenario | None = None,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Computes a report again, from the scenario that it holds, and compares it line by line.

    Args:
        file: the report, as JSON.
        inputs: names and digests of the files that it is to be of; None: those that it names.
        scenario: that these files hold; None: the one in the report.
        executor: as for `verify`.
        workers: processes on this machine.
        store: as for `verify`.
        progress: called with the number of tasks done and of all.

    Raises:
        RingletError: it is no report, or one that cannot be computed again.
    """
    text, document = read_report(file)
    try:
        given = Scenario.from_dict(document["scenario"]) if scenario is None else scenario
        ours = verified_set(
            given,
            document["asked"],
            failures=document["with_failures"],
            trials=document["trials"],
            tolerance=document["tolerance"],
            all_factors=document["all_factors"],
            assumed=Assumed(**document["assumed"]),
            inputs=document["inputs"] if inputs is None else inputs,
            command=document["command"],
            executor=executor,
            workers=workers,
            store=store,
            progress=progress,
        )
    except RingletError as error:
        raise error.behind(f"{file}: ") from None
    except (TypeError, ValueError, AttributeError) as error:
        # A value of another type than a report has.
        raise RingletError(f"{file}: cannot be computed again: {error}") from None
    version = None if document["engine"] == engine_version() else str(document["engine"])
    return Checked(ours, _difference(text, document_text(ours.document)), version)


def _difference(theirs: str, ours: str) -> Difference | None:
    versions = tuple(f' "{key}": ' for key in VERSIONS)
    for number, (one, other) in enumerate(zip_longest(theirs.split("\n"), ours.split("\n"), fillvalue=""), 1):
        if one != other and not (one.startswith(versions) and other.startswith(versions)):
            return Difference(number, one.strip(), other.strip())
    return None
