"""Colours and markers that hold on a white page and on a dark one, and for colour-blind readers."""

from typing import Literal

Colour = Literal["ink", "grey", "orange", "blue", "green", "vermilion", "sky", "purple"]
Marker = Literal["circle", "square", "triangle", "cross", "diamond", "down"]

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

MARKERS: tuple[Marker, ...] = ("circle", "square", "triangle", "diamond", "cross", "down")
"""Each series has a marker of its own as well, so that nothing rests on colour alone."""

MPL_MARKERS: dict[Marker, str] = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "cross": "x",
    "diamond": "D",
    "down": "v",
}
"""What matplotlib calls them."""


def look(index: int) -> tuple[Colour, Marker]:
    """Returns colour and marker of the `index`-th series: the pair repeats after 42."""
    return tuple(COLOURS)[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
