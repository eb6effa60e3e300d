"""Colours and markers that hold on a white page and on a dark one, and for colour-blind readers."""

from typing import Literal, NamedTuple

Colour = Literal["ink", "grey", "orange", "blue", "green", "vermilion", "sky", "purple"]
Marker = Literal[
    "circle", "square", "triangle", "diamond", "cross", "down", "plus", "star", "left", "right", "hourglass"
]
Dashes = Literal["solid", "dashed", "dashdot", "dashdotdot", "dotted"]

INK: Colour = "ink"

COLOURS: dict[Colour, str] = {
    "blue": "#0072B2",
    "orange": "#C77F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "sky": "#2F95D6",
    "purple": "#C76E9F",
    "grey": "#777777",
}
"""The hues of Okabe and Ito, "Color Universal Design" (2008); orange, sky and purple darkened until each has a contrast
of 3 to white and to the dark page. `ink` is not here: it is the colour of the text, wherever the figure stands."""

DARK_PAGE = "#15171a"
"""Background of a page in dark mode."""

MPL_MARKERS: dict[Marker, str | tuple[tuple[float, float], ...]] = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "cross": "x",
    "down": "v",
    "plus": "P",
    "star": "*",
    "left": "<",
    "right": ">",
    "hourglass": ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)),
}
"""Markers, and the names that matplotlib has for them, or their corners. A series has one of its own, so that nothing
rests on colour alone."""

MARKERS: tuple[Marker, ...] = tuple(MPL_MARKERS)

LINES: tuple[Dashes, ...] = ("solid", "dashed", "dashdot", "dashdotdot")
"""Lines of measured curves; dotted ones are a model's."""


class Look(NamedTuple):
    """Colour, marker and line of a series."""

    colour: Colour
    marker: Marker
    dashes: Dashes


_LINES_OF_COLOURS: tuple[tuple[Colour, Dashes], ...] = (
    ("blue", "solid"),
    ("orange", "solid"),
    ("green", "solid"),
    ("vermilion", "dashed"),
    ("sky", "dashed"),
    ("purple", "dashed"),
    ("grey", "dashdot"),
    ("blue", "dashdot"),
    ("orange", "dashdot"),
    ("green", "dashdotdot"),
    ("sky", "dashdotdot"),
    ("vermilion", "dashdotdot"),
)
"""Colour and line of each series. To a deuteranope blue is like sky, orange like vermilion, and green like purple and
grey: colours that look alike, and in grey all do, have other lines."""


def look(index: int) -> Look:
    """Returns the look of the `index`-th series: the first eleven have a marker each, and looks repeat after 132."""
    colour, dashes = _LINES_OF_COLOURS[index % len(_LINES_OF_COLOURS)]
    return Look(colour, MARKERS[index % len(MARKERS)], dashes)


def look_of(*places: int) -> Look:
    """Returns the look of a series that several keys tell apart, by the place of its value of each key.

    The first key gives the colour, the second the marker, and the third the line. Of two keys the first gives the line,
    too, so that it can be told in grey.
    """
    colour = tuple(COLOURS)[places[0] % len(COLOURS)]
    line = places[2] if len(places) > 2 else places[0]
    return Look(colour, MARKERS[places[1] % len(MARKERS)], LINES[line % len(LINES)])
