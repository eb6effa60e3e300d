"""The line of each key in a TOML file, found only for the message of an error."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import rtoml

from ringlet.errors import RingletError
from ringlet.scenario.file.reading import read_toml_text

_TOKEN = re.compile(
    r'''
    (?P<skipped> [ \t]++ | \#[^\n]*+ )
    | (?P<newline> \r?\n )
    | (?P<text> """(?:\\.|[^\\])*?"{3,5} | \'{3}.*?\'{3,5} | "(?:\\.|[^"\\\n])*+" | '[^'\n]*+' )
    | (?P<mark> [\[\]{}=,.] )
    | (?P<word> [^\s\[\]{}=,."'\#]++ )
    ''',
    re.VERBOSE | re.DOTALL,
)

_PART = r'(?:[A-Za-z0-9_][A-Za-z0-9_-]*|"(?:\\.|[^"\\])*")'
_KEY = re.compile(rf"{_PART}(?:\.{_PART}|\[\d+\])*")
_PARTS = re.compile(rf"(?P<index>\[\d+\])|(?P<name>{_PART})")

Key = tuple[str | int, ...]
"""The names of a key and the places in lists on its way."""


def with_lines(error: RingletError, file: Path, overridden: frozenset[Key] = frozenset()) -> RingletError:
    """Returns an error about the content of a TOML file with the file and the line of each key that it names.

    Args:
        error: messages that begin with a key, such as `traffic.load: `; others, and those that begin with the name of a
            file that there is, such as `trace.csv: `, stay as they are.
        file: whose content it is; it is read again.
        overridden: keys that are set elsewhere, on the command line or along an axis.
    """
    try:
        text = read_toml_text(file)
    except RingletError:
        return error
    keys = [_key_in_file(message, overridden) for message in error.args]
    lines = _lines_of(text, [key for key in keys if key is not None])
    return RingletError(
        *(
            message if key is None else f"{_place(file, lines[key])}: {message}"
            for message, key in zip(error.args, keys, strict=True)
        )
    )


def _key_in_file(message: str, overridden: frozenset[Key]) -> Key | None:
    """Returns the key with which a message begins, if it is one of the file."""
    key = key_of(message)
    if key is None or any(key[: len(other)] == other for other in overridden):
        return None
    return None if Path(message.partition(": ")[0]).is_file() else key


def _place(file: Path, line: int | None) -> str:
    return str(file) if line is None else f"{file}, line {line}"


def line_in(file: Path, key: Key) -> int | None:
    """Returns the line of a key in a TOML file, as `line_of` does; None also if it cannot be read any more."""
    try:
        return line_of(read_toml_text(file), key)
    except RingletError:
        return None


def key_of(message: str) -> Key | None:
    """Returns the key with which a message begins; None if it begins with something else."""
    match = _KEY.match(message)
    if match is None or not message.startswith(": ", match.end()):
        return None
    parts = _PARTS.finditer(match[0])
    return tuple(int(part["index"][1:-1]) if part["index"] else _name(part["name"]) for part in parts)


def line_of(text: str, key: Key) -> int | None:
    """Returns the line, from 1, of a key of a TOML document, or of the longest part of it that is there; None for none.

    Args:
        text: the document, without an error.
        key: what is looked for.
    """
    return _lines_of(text, [key])[key]


def _lines_of(text: str, keys: Sequence[Key]) -> dict[Key, int | None]:
    """Returns the line of each key as `line_of` does, in one pass over the document."""
    search = _Search(text, keys)
    with suppress(RecursionError):
        search.run()
    return search.lines


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup or "", match[0]
        if kind != "skipped":
            yield _Token(kind, found, line)
        line += found.count("\n")
    yield _Token("end", "", line)


def _name(text: str) -> str:
    """Returns the name that a part of a key stands for."""
    return next(iter(rtoml.loads(f"{text} = 0"))) if text[0] in "\"'" else text


class _Search:
    """One pass over the tokens of a document, as far as a key may still stand."""

    def __init__(self, text: str, keys: Sequence[Key]) -> None:
        self.lines: dict[Key, int | None] = dict.fromkeys(keys)
        self._depth = dict.fromkeys(keys, 0)
        self._open = set(self.lines)
        self._leading_to: dict[Key, list[Key]] = {}
        for key in self.lines:
            for end in range(1, len(key) + 1):
                self._leading_to.setdefault(key[:end], []).append(key)
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._tables: dict[Key, int] = {}

    def run(self) -> None:
        table: Key = ()
        while self._open and self._next.kind != "end":
            token = self._next
            if token.kind == "newline":
                self._take()
            elif token.text == "[":
                table = self._header()
            else:
                self._assignment(table)

    def _take(self) -> _Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _see(self, path: Key, line: int) -> None:
        """Notes that a part of keys stands in a line."""
        for key in self._leading_to.get(path, ()):
            if len(path) > self._depth[key]:
                self._depth[key], self.lines[key] = len(path), line
        self._open.discard(path)

    def _header(self) -> Key:
        line = self._take().line
        is_list = self._next.text == "["
        if is_list:
            self._take()
        names = self._names()
        while self._next.kind not in ("newline", "end"):
            self._take()
        path: Key = ()
        for depth, name in enumerate(names):
            path = (*path, name)
            self._see(path, line)
            if is_list and depth == len(names) - 1:
                place = self._tables[path] = self._tables.get(path, -1) + 1
                # Nothing more can stand in the table before it.
                self._open.difference_update(self._leading_to.get((*path, place - 1), ()))
            if path in self._tables:
                path = (*path, self._tables[path])
                self._see(path, line)
        return path

    def _names(self) -> list[str]:
        names: list[str] = []
        while self._next.kind in ("word", "text") or self._next.text == ".":
            token = self._take()
            if token.kind != "mark":
                names.append(_name(token.text))
        return names

    def _assignment(self, table: Key) -> None:
        line = self._next.line
        path = table
        for name in self._names():
            path = (*path, name)
            self._see(path, line)
        self._take()
        self._value(path)

    def _value(self, path: Key) -> None:
        if self._next.text == "[":
            self._items(path, "]")
        elif self._next.text == "{":
            self._items(path, "}")
        else:
            while self._next.kind in ("word", "text") or self._next.text == ".":
                self._take()

    def _items(self, path: Key, end: str) -> None:
        self._take()
        place = 0
        while self._next.kind != "end":
            if self._next.kind == "newline" or self._next.text == ",":
                self._take()
            elif self._next.text == end:
                self._take()
                return
            elif end == "}":
                self._assignment(path)
            else:
                self._see((*path, place), self._next.line)
                self._value((*path, place))
                place += 1
