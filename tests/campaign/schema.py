"""Values for the keys of a scenario, from the program's own JSON Schema: a new key is among them at once."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from ringlet.scenario import json_schema

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]
"""Keys and places in lists, from the scenario's root."""

LARGE = 2**53
"""The most cycles that a key may say."""

_LITERAL = re.compile(r"`([^`\n]+)`")
_QUOTED = re.compile(r'^"(.*)"$')


@cache
def scenario_schema() -> Schema:
    """The schema of scenario files."""
    return json_schema()


def resolved(schema: Schema) -> Schema:
    """Returns what a reference stands for."""
    while "$ref" in schema:
        schema = scenario_schema()["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


_OPTIONS: dict[int, tuple[Schema, Sequence[Schema]]] = {}
"""What `options` has found, by the identity of a schema; the schema is kept so that no other one gets its identity."""


def options(schema: Schema) -> Sequence[Schema]:
    """Returns the alternatives of a schema but for null, each with the unit and the description of the whole."""
    known = _OPTIONS.get(id(schema))
    if known is None:
        known = _OPTIONS[id(schema)] = (schema, _options(schema))
    return known[1]


def _options(schema: Schema) -> Sequence[Schema]:
    schema = resolved(schema)
    inner_schemas = schema.get("anyOf", schema.get("oneOf"))
    if "unit" in schema or inner_schemas is None:
        return [schema]
    kept = {key: schema[key] for key in ("description", "default") if key in schema}
    return [{**kept, **one} for inner in inner_schemas if inner.get("type") != "null" for one in options(inner)]


def words(schema: Schema) -> list[str]:
    """Returns the words that a key may be, of all its alternatives."""
    return [word for one in options(schema) for word in one.get("enum", [one["const"]] if "const" in one else [])]


@cache
def at(path: Path) -> Schema | None:
    """Returns the schema of what stands at a path; None where the schema knows nothing."""
    found: Schema | None = scenario_schema()
    for part in path:
        found = _inside(found, part)
        if found is None:
            return None
    return found


def _inside(schema: Schema, part: str | int) -> Schema | None:
    found = []
    for option in options(schema):
        if isinstance(part, int) and option.get("type") == "array":
            return option["items"]
        if isinstance(part, str) and part in option.get("properties", {}):
            found.append(option["properties"][part])
    return {"anyOf": found} if len(found) > 1 else next(iter(found), None)


@cache
def all_keys() -> tuple[Path, ...]:
    """All keys that a scenario and its sections have: those of lists and of tables in lists come with their key."""
    return tuple(_keys(scenario_schema(), ()))


def _keys(schema: Schema, path: Path) -> Iterator[Path]:
    for name, inner in schema["properties"].items():
        tables = [one for one in options(inner) if "properties" in one]
        if len(tables) == len(options(inner)) and not all(table.get("required") for table in tables):
            yield from dict.fromkeys(key for table in tables for key in _keys(table, (*path, name)))
        else:
            yield (*path, name)


class Values:
    """Draws values. What belongs to nodes is of as many nodes as there are."""

    def __init__(self, rng: Random, nodes: int, make_file: Callable[[str], str]) -> None:
        """`make_file` makes the file that a key of some name asks for, and returns the file's name."""
        self.rng, self.nodes, self._make_file = rng, nodes, make_file

    def draw(self, schema: Schema, key: str = "", depth: int = 0) -> Any:
        """Returns a value that the schema allows, or nearly so."""
        rng = self.rng
        schema = rng.choice(options(schema))
        if "unit" in schema:
            return self._quantity(schema["unit"])
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        match schema.get("type"):
            case "integer":
                return self._integer(schema)
            case "number":
                return self._number(schema)
            case "boolean":
                return rng.random() < 0.5
            case "array":
                return self._list(schema, key, depth)
            case "object" if "properties" in schema:
                return self._table(schema, depth)
            case "object":
                return self._mapping(schema)
        return self._string(schema, key)

    def _quantity(self, unit: str) -> int | float | str:
        rng = self.rng
        if unit == "words per cycle":
            share = rng.choice((0, 0.001, 0.02, 0.1, 0.3, 0.9, 1, 3.0)) * rng.choice((1, rng.random()))
            return share if rng.random() < 0.7 else f"{share * 800:g} MB/s"
        if unit == "bytes":
            size = rng.choice((1, 16, 64, 65, 200, 1000, rng.randint(1, 5000)))
            return size if rng.random() < 0.7 else f"{size} B"
        roll = rng.random()
        if roll < 0.015:
            return rng.choice((LARGE, 1e6, "1 s", "1e9 s", 1e-9, 2**32, 2**31 + 1))
        cycles = rng.choice((0, 1, 2, 3, 4, 7, 10, rng.randint(1, 60), rng.randint(1, 600), rng.randint(1, 4000)))
        if roll < 0.7:
            return cycles
        if roll < 0.8:
            return cycles + rng.random()
        return f"{cycles * rng.choice((1, 2, 0.5))} ns" if roll < 0.95 else f"{cycles / 1000} us"

    def _bounds(self, schema: Schema) -> tuple[float, float]:
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", LARGE))
        return low, high

    def _integer(self, schema: Schema) -> int:
        rng = self.rng
        low, high = map(int, self._bounds(schema))
        low += "exclusiveMinimum" in schema
        high -= "exclusiveMaximum" in schema
        roll = rng.random()
        if roll < 0.02:
            return rng.choice((low, high))
        most = rng.choice((low + 1, self.nodes - 1, 5, 10, 60, 1000))
        return rng.randint(low, max(low, min(high, most)))

    def _number(self, schema: Schema) -> float:
        rng = self.rng
        low, high = self._bounds(schema)
        roll = rng.random()
        if roll < 0.1:
            return rng.choice((float(low), float(high)))
        if roll < 0.3:
            # Error rates and other small shares.
            return max(low, min(high, 10 ** rng.uniform(-9, 0)))
        return rng.uniform(low, min(high, rng.choice((1, 1, 1, 2, 10))))

    def _list(self, schema: Schema, key: str, depth: int) -> list[Any]:
        rng, items = self.rng, schema["items"]
        inner = options(items)[0]
        least = schema.get("minItems", 0)
        if "properties" in inner:
            return [self.draw(inner, key, depth + 1) for _ in range(max(least, rng.choice((0, 1, 1, 2, 3))))]
        if inner.get("type") == "array":
            rows = [self._list(inner, key, depth + 1) for _ in range(self.nodes)]
            return [_shares(row, own) for own, row in enumerate(rows)] if _of_floats(rows) else rows
        length = self.nodes if rng.random() < 0.7 else max(least, rng.randint(0, 4))
        if inner.get("type") == "integer" and rng.random() < 0.7:
            low = inner.get("minimum", 0)
            return [rng.randrange(low, max(low + 1, self.nodes)) for _ in range(length)]
        return [self.draw(items, key, depth + 1) for _ in range(length)]

    def _table(self, schema: Schema, depth: int) -> dict[str, Any]:
        required, share = schema.get("required", ()), self.rng.choice((0, 0.2, 0.5))
        chosen = [name for name in schema["properties"] if name in required or self.rng.random() < share]
        return {name: self.draw(schema["properties"][name], name, depth + 1) for name in chosen}

    def _mapping(self, schema: Schema) -> dict[str, Any]:
        sizes = {str(2 * self.rng.randint(8, 144)) for _ in range(self.rng.randint(1, 4))}
        weights = _shares([self.rng.random() + 0.01 for _ in sizes], None)
        return dict(zip(sorted(sizes), weights, strict=True))

    def _string(self, schema: Schema, key: str) -> str:
        rng = self.rng
        if key.endswith("file"):
            return self._make_file(key)
        known = literals(schema.get("description", ""))
        if known and rng.random() < 0.9:
            return rng.choice(known)
        if isinstance(schema.get("default"), str) and rng.random() < 0.5:
            return schema["default"]
        return rng.choice(("a", "b", f"n{rng.randint(0, 99)}", "1 GHz", "500 MB/s", f"send{2 * rng.randint(8, 144)}"))


@cache
def literals(description: str) -> tuple[str, ...]:
    """The words in a key's description that stand in backquotes: values that it may have, among others."""
    found = (_QUOTED.sub(r"\1", text) for text in _LITERAL.findall(description))
    return tuple(text for text in found if not text.startswith(("[", "{")))


def _of_floats(rows: Sequence[Sequence[Any]]) -> bool:
    return any(isinstance(value, float) for row in rows for value in row)


def _shares(row: Sequence[float], own: int | None) -> list[float]:
    """Returns a row that sums to 1, with nothing at its own place."""
    row = [0.0 if place == own else abs(float(value)) for place, value in enumerate(row)]
    total = sum(row)
    if not total:
        row = [float(place != own) for place in range(len(row))]
        total = sum(row)
    return [value / total for value in row] if total else row
