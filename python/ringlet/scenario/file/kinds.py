"""Kinds of TOML files: scenarios, studies, requirements. All are read here, and errors in them name the line."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ringlet.errors import RingletError
from ringlet.scenario.file.overrides import apply_override
from ringlet.scenario.file.reading import read_toml


class Kind(NamedTuple):
    """A kind of TOML file."""

    keys: tuple[str, ...]
    """Keys that distinguish it from other kinds; a message names the last."""
    command: str
    """The command that it is for."""
    least: str
    """Content that it has at least, in words."""


KINDS = {
    "a scenario": Kind(("network",), "ringlet run", "it has at least [network] with nodes"),
    "a study": Kind(("axes", "replications", "scenario"), "ringlet sweep", "it has at least a scenario"),
    "a schedulability study": Kind(
        ("periods", "protocols", "utilisations"),
        "ringlet schedulability",
        "it has at least a scenario, protocols, utilisations and periods",
    ),
    "requirements": Kind(
        ("rate", "receivers", "senders"), "ringlet advise", "they have at least senders, receivers and rate"
    ),
}
"""All kinds by what a message calls them."""


def read_kind(file: Path, wanted: str) -> dict[str, Any]:
    """Returns the content of a TOML file of one of the `KINDS`.

    Raises:
        RingletError: unreadable, empty, not TOML, or clearly of another kind.
    """
    own = KINDS[wanted]
    content = read_toml(file, f"{wanted}; {own.least}")
    likely = max(KINDS, key=lambda name: (len(content.keys() & set(KINDS[name].keys)), name == wanted))
    if likely != wanted:
        kind = KINDS[likely]
        is_kind = f"{likely}, for '{kind.command}': it has {min(content.keys() & set(kind.keys))!r}"
        raise RingletError(f"{file}: this is {is_kind}; '{own.command}' takes {wanted}, with {own.keys[-1]!r}")
    return content


def read_scenario(file: Path, overrides: Sequence[str] = ()) -> tuple[dict[str, Any], frozenset[tuple[str, ...]]]:
    """Returns the content of a scenario file, and the names of the keys that overrides `KEY=VALUE` have replaced.

    Raises:
        RingletError: the file is unreadable, empty, not TOML, or of another kind; an override is none.
    """
    content = read_kind(file, "a scenario")
    return content, frozenset(apply_override(content, override) for override in overrides)


@contextmanager
def lines_named(file: Path, overridden: frozenset[tuple[str, ...]] = frozenset()) -> Iterator[None]:
    """Makes errors about the content of a file name the file and the line, but for keys that are set elsewhere."""
    try:
        yield
    except RingletError as error:
        # Loaded for an error only.
        from ringlet.scenario.file.positions import with_lines

        raise with_lines(error, file, overridden) from None
