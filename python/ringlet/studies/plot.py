"""The figures that a study names: what stands along the axes, and what tells curves and panels apart."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

from ringlet.drawable import DEFAULT_FIGURES
from ringlet.errors import RingletError
from ringlet.figures import BY_INTERVAL, BY_NAME
from ringlet.sections import Before, Field, Section
from ringlet.studies.axes import Listed, Space, flat

MOST_FACETS = 12
"""Panels along a side of a figure."""
MOST_LINES, MOST_MARKERS = 4, 10
"""Values that lines and markers can tell apart."""
MOST_NAMED = 20
"""Values of an axis that a refusal names."""

CURVES = ("colour", "marker", "line")
SIDES = ("columns", "rows")
"""Sides of a figure along which the keys of `facet` tell panels apart. `CURVES` are the looks by which those of `by`
tell curves apart."""


def _as_list(content: object) -> object:
    """Takes one name for a list of it."""
    return [content] if isinstance(content, str) else content


def _or_a_name(schema: dict[str, Any]) -> None:
    """Says in the schema that `_as_list` takes a name."""
    array = dict(schema)
    schema.clear()
    schema["anyOf"] = [array, {"type": "string"}]


def _flat(content: object) -> object:
    """Takes keys with dots, which TOML reads as tables in tables, and nothing at all."""
    return content if content == {} else flat(content)


Names = Annotated[list[str], Before(_as_list), Field(schema=_or_a_name)]

Numbers = Annotated[list[float], Field(min_length=2, max_length=2)]

Ends = Annotated[dict[str, Numbers], Before(_flat)]


def _or_tables(schema: dict[str, Any]) -> None:
    """Says in the schema that keys with dots, which are tables within tables to TOML, are taken by `flat`."""
    schema["additionalProperties"] = {"anyOf": [schema["additionalProperties"], {"type": "object"}]}


Words = Annotated[dict[str, str], Before(_flat), Field(schema=_or_tables)]


class Plot(Section):
    """A figure to draw from the summary."""

    x: str = Field(description="The key of an axis, or a figure.")
    y: list[str] = Field(min_length=1, description="Figures, as the table of points names them; one panel for each.")
    by: Names | None = Field(
        default=None,
        description="Keys of other axes, a curve for each of their values: one key, or a list of up to three, of which "
        "the first is told by colour, the second by marker, the third by line. Default without `facet` too: all other "
        "axes, as up to eleven curves, or else as panels of curves.",
    )
    facet: Names | None = Field(
        default=None,
        description="Keys of other axes, a panel for each of their values: one key, along columns, or a list of two, "
        "along columns and rows.",
    )
    where: Annotated[dict[str, Any], Before(_flat)] = Field(
        default={},
        description="Only points that have these values: for keys of axes one of their values, or a list of several, "
        'such as `flow_control.protocol = ["none", "sci"]`.',
    )
    log: Names | None = Field(
        default=None, description='What has a logarithmic axis: "x", or figures of `y`. Default: latencies.'
    )
    limits: Ends = Field(
        default={}, description="Lower and upper end of the axis of `x`, or of figures of `y`, in the units drawn."
    )
    labels: Words = Field(
        default={},
        description="Words in place of the usual ones: for keys of axes, for figures of `y`, and for values of axes, "
        'such as `sci = "SCI"`.',
    )
    title: str = Field(default="", description="Title of the figure.")
    model: bool = Field(
        default=True, description="Whether the queueing model stands beside mean latencies, where it covers a point."
    )
    size: Numbers | None = Field(default=None, description="Width and height of a panel, in inches.")

    def _names(self, name: str) -> list[str]:
        return getattr(self, name) or []

    def _check_own(self) -> None:
        """Finds what is wrong with the keys, whatever the axes are."""
        for name, most in (("by", len(CURVES)), ("facet", len(SIDES))):
            if len(keys := self._names(name)) > most:
                raise RingletError.not_allowed(name, keys, f"at most {most} keys")
        for name in self.y:
            if name not in BY_NAME and name not in BY_INTERVAL:
                near = get_close_matches(name, [*BY_NAME, *BY_INTERVAL], n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise RingletError.not_allowed("y", name, f"figures, such as {', '.join(DEFAULT_FIGURES)}{hint}")
        drawn = ["x", *self.y]
        for name in self.log or ():
            if name not in drawn:
                raise RingletError.not_allowed("log", name, ", ".join(drawn))
        for name, ends in self.limits.items():
            if name not in drawn:
                raise RingletError.not_allowed(f"limits.{name}", ends, f"limits of {', '.join(drawn)}")
            if ends[0] >= ends[1]:
                raise RingletError.not_allowed(f"limits.{name}", ends, "a lower end below an upper one")
            logarithmic = name in BY_NAME and BY_NAME[name].log if self.log is None else name in self.log
            if logarithmic and ends[0] <= 0:
                raise RingletError.not_allowed(f"limits.{name}", ends, "ends above 0: the axis is logarithmic")
        if self.size is not None and not all(LEAST_INCHES <= one <= MOST_INCHES for one in self.size):
            raise RingletError.not_allowed("size", self.size, f"inches, {LEAST_INCHES:g} to {MOST_INCHES:g} each")

    @property
    def laid_out(self) -> bool:
        """True if the study says what tells points apart."""
        return self.by is not None or self.facet is not None

    def check(self, space: Space) -> None:
        """Finds what is wrong with the keys, keys that are none of an axis, and axes that no key draws.

        Raises:
            RingletError: names the key of this figure.
        """
        self._check_own()
        keys = ", ".join(space.keys) or "there is none"
        used: dict[str, str] = {}
        for name in ("by", "facet"):
            for key in self._names(name):
                if key not in space.keys:
                    raise RingletError.not_allowed(name, key, f"the key of an axis: {keys}")
                if key == self.x or key in used:
                    raise RingletError.not_allowed(name, key, f"each key once; {used.get(key, 'x')} has it")
                used[key] = name
        if self.x not in space.keys and self.x not in BY_NAME:
            raise RingletError.not_allowed("x", self.x, f"a figure, or the key of an axis: {keys}")
        shown = self.shown(space)
        if self.laid_out:
            self._check_complete(space, [self.x, *used], shown)
            self._check_counts(space, shown)
        self._check_labels(space)

    def shown(self, space: Space) -> dict[int, list[int]]:
        """Returns the places on axes that `where` leaves, by the number of the axis; others have all of theirs.

        Raises:
            RingletError: a value is none of its axis.
        """
        places: dict[int, list[int]] = {}
        for key, wanted in self.where.items():
            if key not in space.keys:
                raise RingletError.not_allowed(
                    f"where.{key}", wanted, f"keys of axes: {', '.join(space.keys) or 'there is none'}"
                )
            found = [space.find(key, value) for value in (wanted if isinstance(wanted, list) else [wanted])]
            if not found or None in found:
                listed = next(axis[key] for axis in space.axes if key in axis)
                short = listed if isinstance(listed, list) and len(listed) <= MOST_NAMED else []
                named = f": {', '.join(map(str, short))}" if short else ""
                raise RingletError.not_allowed(f"where.{key}", wanted, f"values of its axis{named}")
            number = next(number for number, _ in filter(None, found))
            own = sorted({place for _, place in filter(None, found)})
            places[number] = [place for place in own if place in places.get(number, own)]
            if not places[number]:
                raise RingletError.not_allowed(f"where.{key}", wanted, "values that move together on their axis")
        return places

    def _check_complete(self, space: Space, used: Sequence[str], shown: Mapping[int, list[int]]) -> None:
        for number, axis in enumerate(space.axes):
            count = len(shown.get(number, range(space.lengths[number])))
            if count > 1 and not set(axis) & set(used):
                key = next(iter(axis))
                raise RingletError(
                    f"by: no key draws the axis {key}, which has {count} values; allowed: {key} in by (a curve for "
                    "each), in facet (a panel for each), or with one value in where"
                )

    def _check_counts(self, space: Space, shown: Mapping[int, list[int]]) -> None:
        told = list(zip(self._names("by"), (None, MOST_MARKERS, MOST_LINES), strict=False))
        limits = [*(("by", *one) for one in told), *(("facet", key, MOST_FACETS) for key in self._names("facet"))]
        for name, key, most in limits:
            number = next(i for i, axis in enumerate(space.axes) if key in axis)
            count = len(shown.get(number, range(space.lengths[number])))
            if most is not None and count > most:
                raise RingletError.not_allowed(
                    name, key, f"an axis with at most {most} values, not {count}; where chooses some"
                )

    def _check_labels(self, space: Space) -> None:
        for name in self.labels:
            if name in space.keys or name in self.y or name == self.x:
                continue
            if not any(_has(values, name) for axis in space.axes for values in axis.values()):
                raise RingletError.not_allowed(
                    f"labels.{name}", self.labels[name], "words for keys of axes, their values, or figures of y"
                )


LEAST_INCHES, MOST_INCHES = 1.0, 30.0
"""Width and height of a panel."""


def _has(values: Listed, name: str) -> bool:
    """Returns whether a value stands in a figure under this name; ranges are too long to look through."""
    return isinstance(values, list) and any(str(value) == name for value in values)
