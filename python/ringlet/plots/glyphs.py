"""Texts of figures that their fonts can show: what no font has stands as an escape, such as `\\x01`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import cast

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text


@contextmanager
def shown(drawn: Figure, *, outlines: bool) -> Iterator[None]:
    """Escapes meanwhile what cannot be shown: what is not printable, and in outlines also what no font has.

    Args:
        drawn: the figure.
        outlines: whether characters are drawn, and not left as text to who shows the file.
    """
    before: list[tuple[Text, str]] = []
    for text in drawn.findobj(Text):
        words = text.get_text()
        if words.isascii() and words.replace("\n", "").isprintable():
            continue
        known = _characters(tuple(text.get_fontfamily())) if outlines else None
        escaped = "".join(one if one == "\n" or _has(known, one) else _escape(one) for one in words)
        if escaped != words:
            before.append((text, words))
            text.set_text(escaped)
    try:
        with warnings.catch_warnings():
            if not outlines:
                # Text is measured in a font of this machine; who shows it may have another one.
                warnings.filterwarnings("ignore", "Glyph .* missing from font")
            yield
    finally:
        for text, words in before:
            text.set_text(words)


def _has(known: frozenset[int] | None, character: str) -> bool:
    return character.isprintable() and (known is None or ord(character) in known)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode()


@cache
def _characters(families: tuple[str, ...]) -> frozenset[int]:
    """Returns what the fonts of these families have together."""
    found: set[int] = set()
    settings = cast("dict[str, list[str]]", mpl.rcParams)
    for family in families:
        for name in settings.get(f"font.{family}", [family]):
            try:
                found |= get_font(findfont(FontProperties(family=name), fallback_to_default=False)).get_charmap().keys()
            except ValueError:
                # No such font is installed.
                continue
    return frozenset(found) or frozenset(get_font(findfont(FontProperties())).get_charmap())
