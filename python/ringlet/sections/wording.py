"""Messages for mistakes: key path, value and allowed values."""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from typing import get_args

from ringlet.errors import MOST_MESSAGES, RingletError, each_cause_once
from ringlet.sections.fields import Choice, Keyed
from ringlet.sections.mistakes import Kind, Mistake, WrongError

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
INDEX = re.compile(r"\[\d+\]")
MAX_KEY = 60


def as_error(wrong: WrongError, section: type[Keyed]) -> RingletError:
    """Returns a message for everything that is wrong, misspelt keys first; of very many only the number.

    Of a list or table with more than `MOST_COUNTED` wrong values it is the least number."""
    groups: dict[tuple[str, ...], list[Mistake]] = {}
    for mistake in wrong.mistakes:
        groups.setdefault(_item_path(mistake.path), []).append(mistake)
    # All alternatives of a union fail; the one that got furthest into the value says most.
    telling = [(_most_telling(group), group) for group in groups.values()]
    telling.sort(key=lambda one: one[0].kind is not Kind.UNKNOWN)
    unknown: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for one, _ in telling:
        if one.kind is Kind.UNKNOWN:
            unknown.setdefault(one.path[:-1], []).append(one.path)
    # Each message once. A message takes about a millisecond, so that those which are not shown are not made.
    messages: dict[str, None] = {}
    left = wrong.left
    for one, group in telling:
        beside = unknown.get(one.path[:-1], []) if one.kind is Kind.MISSING else []
        if len(messages) >= MOST_MESSAGES:
            left += not beside
        # A misspelt key explains why another one is missing.
        elif not any(one.path[-1] in _near(path, section) for path in beside[:MOST_MESSAGES]):
            messages.update(dict.fromkeys(one.messages or [_message(one, group, section)]))
    shown = each_cause_once(messages)
    left += len(shown[MOST_MESSAGES:])
    more = f"and at least {left} more" if wrong.stopped else f"and {left} more"
    return RingletError(*shown[:MOST_MESSAGES], *([more] if left or wrong.stopped else []))


def _item_path(path: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the path of a key of a section, or of a section of a list; unions differ further inside only.

    All values of a list that are no sections have the path of the list: the first one that is wrong is told.
    """
    places = [place for place, part in enumerate(path[:3]) if INDEX.fullmatch(part)]
    in_list = [place for place in places if len(path) > place + 1 and not INDEX.fullmatch(path[place + 1])]
    if in_list:
        return path[: in_list[0] + 2]
    return path[:1] if places[:1] == [1] else path[:2]


def _most_telling(group: list[Mistake]) -> Mistake:
    own = [one for one in group if one.kind in (Kind.REFUSED, Kind.UNKNOWN, Kind.TOLD)]
    return max(own or group, key=lambda one: len(one.path))


def _message(mistake: Mistake, group: list[Mistake], section: type[Keyed]) -> str:
    where = _join(mistake.path) or section.__name__.lower()
    if mistake.kind is Kind.UNKNOWN:
        return f"{where}: unknown key; {_hint(mistake.path, section)}"
    if mistake.kind is Kind.MISSING:
        return f"{where}: missing; it has to be given"
    alternatives = [one for one in group if one.path == mistake.path]
    if mistake.kind is Kind.REFUSED:
        # A refusal says more than the types do.
        alternatives = [one for one in alternatives if one.kind in (Kind.REFUSED, Kind.NAME)]
    allowed = " or ".join(dict.fromkeys(one.allowed for one in alternatives))
    return str(RingletError.not_allowed(where, mistake.value, allowed))


def _join(path: Iterable[str]) -> str:
    return "".join(part if INDEX.fullmatch(part) else f".{_key(part)}" for part in path).lstrip(".")


def _key(name: str) -> str:
    """Returns a key as TOML writes it, the beginning of one that is too long."""
    if len(name) > MAX_KEY:
        name = f"{name[:MAX_KEY]}..."
    return name if BARE_KEY.fullmatch(name) else json.dumps(name)


def _hint(path: tuple[str, ...], section: type[Keyed]) -> str:
    """Says which key may have been meant, with its section if it belongs to another one."""
    *outer, key = path
    known = _keys_at(section, outer)
    if close := _near(path, section):
        return f"did you mean '{close[0]}'?"
    others = [name for name in section.fields if sections_of(section, name) and key in _keys_at(section, (name,))]
    if others:
        return f"did you mean '{others[0]}.{key}'?"
    return f"known keys are {', '.join(known)}"


def _near(path: tuple[str, ...], section: type[Keyed]) -> list[str]:
    """Returns the key of a section that a misspelt one is close to; none if there is none."""
    known = _keys_at(section, path[:-1])
    return difflib.get_close_matches(path[-1][:MAX_KEY], known, n=1)


def _keys_at(section: type[Keyed], path: Sequence[str]) -> list[str]:
    """Returns the keys of the table at a path, of all sections that it may be."""
    sections = [section]
    for part in path:
        sections = [inner for outer in sections for inner in sections_of(outer, part)] or sections
    return list(dict.fromkeys(key for one in sections for key in one.fields))


def sections_of(section: type[Keyed], key: str) -> list[type[Keyed]]:
    """Returns the sections that the value of a key, or of a list there, may be."""
    found: dict[type[Keyed], None] = {}

    def visit(annotation: object) -> None:
        if isinstance(annotation, type) and issubclass(annotation, Keyed):
            found[annotation] = None
        for inner in (*get_args(annotation), *getattr(annotation, "__metadata__", ())):
            if isinstance(inner, Choice):
                found.update(dict.fromkeys(inner.known))
            else:
                visit(inner)

    if key in section.fields:
        visit(section.fields[key].annotation)
    return list(found)


def counted(number: int, what: str) -> str:
    """Returns a number with what is counted, in words for one of them.

    >>> counted(1, "packet"), counted(2, "packet"), counted(0, "switch"), counted(12_000, "switch")
    ('one packet', '2 packets', '0 switches', '12000 switches')
    """
    return f"{'one' if number == 1 else number} {plural(number, what)}"


def plural(number: int, what: str) -> str:
    """Returns what is counted, without its number.

    >>> plural(1, "run"), plural(2, "run"), plural(2, "echo")
    ('run', 'runs', 'echoes')
    """
    return what if number == 1 else f"{what}{'es' if what.endswith(('ch', 'cho', 's', 'x')) else 's'}"
