"""A JSON Schema in words: keys, types and defaults for the reference pages and `ringlet explain`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]

LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "minItems": "at least {} items",
}


NAMED_KEYS = 3
"""Keys by which a table is named; each has an entry of its own."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a file."""

    path: str
    """Names of the path, joined by dots."""
    where: str
    """The key that distinguishes its table from others at the same place, such as `protocol = "sci"`; else empty."""
    facts: tuple[str, ...]
    """Type, limits, unit of plain numbers, whether it is required, default."""
    description: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a key that chooses what else its table has, such as a protocol."""

    path: str
    """Path of the key."""
    value: str
    description: str
    keys: tuple[str, ...]
    """Keys that the table has besides those of all choices."""


def choices_of(schema: Schema) -> Iterator[Choice]:
    """Yields the values of the keys that choose a table of a file, such as `flow_control.protocol`."""
    definitions = schema.get("$defs", {})
    for name, field in schema.get("properties", {}).items():
        tables = list(_tables(field, definitions)) if "oneOf" in field else []
        common = set.intersection(*(set(table["properties"]) for table in tables)) if tables else set()
        for table in tables:
            key, chosen = next(iter(table["properties"].items()))
            own = tuple(one for one in table["properties"] if one not in common)
            for value in chosen.get("enum") or [chosen["const"]]:
                yield Choice(f"{name}.{key}", str(value), str(table.get("description", "")), own)


def keys_of(schema: Schema) -> Iterator[Key]:
    """Yields the keys of a file, and those of the tables in it, in the order of the schema."""
    yield from _keys(schema, schema.get("$defs", {}), "", "", ())


def _keys(model: Schema, definitions: Schema, path: str, where: str, outer: tuple[str, ...]) -> Iterator[Key]:
    for name, field in model.get("properties", {}).items():
        inner_path = f"{path}.{name}" if path else name
        yield Key(inner_path, where, tuple(facts(name, field, model, definitions)), described(field, definitions))
        for table in _tables(field, definitions):
            title = str(table.get("title"))
            if title not in outer:
                told = told_by(table) if "oneOf" in field else where
                yield from _keys(table, definitions, inner_path, told, (*outer, title))


def _tables(field: Schema, definitions: Schema) -> Iterator[Schema]:
    """Yields the tables that a key may hold, itself or in a list."""
    found = resolved(field, definitions)
    if "properties" in found:
        yield found
    for part in (*found.get("oneOf", ()), *found.get("anyOf", ())):
        yield from _tables(part, definitions)
    if isinstance(found.get("items"), Mapping):
        yield from _tables(found["items"], definitions)


def facts(name: str, field: Schema, model: Schema, definitions: Schema) -> list[str]:
    """Returns type, limits and unit of a key of a table, and whether it is required or what its default is."""
    found = [type_in_words(field, definitions), *limits_in_words(field)]
    if units := dict.fromkeys(part["unit"] for part in (field, *field.get("anyOf", ())) if "unit" in part):
        found.append(f"a plain number is in {', '.join(units)}")
    if name in model.get("required", []):
        found.append("required")
    elif field.get("default") not in (None, "", []) and not is_table(field, definitions):
        found.append(f"default `{json.dumps(field['default'])}`")
    return found


def described(field: Schema, definitions: Schema) -> str:
    """Returns the description of a key; that of its type where it has none of its own."""
    return str(field.get("description") or resolved(field, definitions).get("description", ""))


def resolved(field: Schema, definitions: Schema) -> Schema:
    """Returns what a field refers to."""
    if "$ref" in field:
        found: Schema = definitions[field["$ref"].rsplit("/", 1)[1]]
        return found
    if len(field.get("allOf", ())) == 1:
        return resolved(field["allOf"][0], definitions)
    return field


def is_table(field: Schema, definitions: Schema) -> bool:
    """Returns whether a key holds a table with keys of its own, or one of several."""
    return all("properties" in resolved(one, definitions) for one in field.get("oneOf", [field]))


def told_by(model: Schema) -> str:
    """Returns the key that distinguishes a table from its alternatives, with its values, such as `protocol = "sci"`."""
    key, field = next(iter(model["properties"].items()))
    first, *others = [field["const"]] if "const" in field else field["enum"]
    return ", ".join([f"`{key} = {json.dumps(first)}`", *(f"`{json.dumps(one)}`" for one in others)])


def type_in_words(field: Schema, definitions: Schema) -> str:
    """Returns a field's type."""
    if "$ref" in field:
        found = resolved(field, definitions)
        return _table_in_words(found) if "properties" in found else type_in_words(found, definitions)
    if all("properties" in resolved(part, definitions) for part in field.get("oneOf", [{}])):
        return f"table, {_choice([resolved(part, definitions) for part in field['oneOf']])}"
    for union in ("anyOf", "oneOf", "allOf"):
        if union in field:
            return _any_of([part for part in field[union] if part.get("type") != "null"], definitions)
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    match field.get("type"):
        case "array":
            if "prefixItems" in field:
                return "[" + ", ".join(type_in_words(part, definitions) for part in field["prefixItems"]) + "]"
            item = type_in_words(field.get("items", {}), definitions)
            return f"list of {'tables' + item.removeprefix('table') if item.startswith('table with') else item}"
        case "object":
            extra = field.get("additionalProperties")
            return f"table of {type_in_words(extra, definitions)}" if isinstance(extra, dict) else "table"
        case "integer":
            return "whole number"
        case str(kind):
            return kind
        case _:
            return "any value"


def _table_in_words(table: Schema) -> str:
    """Returns a table by its first keys."""
    keys = [f"`{key}`" for key in table["properties"]]
    more = f" and {len(keys) - NAMED_KEYS} more" if len(keys) > NAMED_KEYS else ""
    return f"table with {', '.join(keys[:NAMED_KEYS])}{more}"


def _choice(tables: Sequence[Schema]) -> str:
    """Returns the key by which several tables are distinguished, with all its values."""
    key = next(iter(tables[0]["properties"]))
    values = [value for table in tables for value in told_by(table).removeprefix(f"`{key} = ").split(", ")]
    return f"by its `{key}`: {' or '.join(f'`{value.strip(chr(96))}`' for value in values)}"


def _any_of(parts: Sequence[Schema], definitions: Schema) -> str:
    """Returns the types of a key that takes several, in few words."""
    kinds = list(dict.fromkeys(type_in_words(part, definitions) for part in parts))
    if "number" in kinds and "whole number" in kinds:
        kinds.remove("whole number")
    units = [example for part in parts if "pattern" in part for example in part.get("examples", ())]
    if units and "string" in kinds:
        kinds[kinds.index("string")] = f"quantity such as `{json.dumps(units[0])}`"
    for place, kind in enumerate(kinds):
        for collection in ("list", "table"):
            if kind == f"{collection} of {kinds[0]}":
                kinds[place] = f"{collection} of these" if " or " in kinds[0] else kind
    return " or ".join(kinds)


def limits_in_words(field: Schema) -> list[str]:
    """Returns what a field's value may be at least and at most."""
    candidates = [field, *field.get("anyOf", ())]
    return [text.format(part[key]) for part in candidates for key, text in LIMITS.items() if key in part]
