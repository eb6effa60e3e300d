"""The JSON Schema of a section, by JSON Schema 2020-12."""

from collections.abc import Mapping
from inspect import cleandoc
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ringlet.sections.fields import Choice, JsonSchema, Key, Keyed

_SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}

_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LENGTHS = {
    "string": {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
}

Definitions = dict[str, dict[str, Any]]


def published(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of ringlet's files or documents of this name, as it is printed for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:ringlet:{name}",
        **schema,
        "title": f"ringlet {name}",
    }


def schema_of(section: type[Keyed]) -> dict[str, Any]:
    """Returns the schema of a section, with those of all sections inside as definitions."""
    definitions: Definitions = {}
    schema = _section(section, definitions)
    if definitions:
        schema["$defs"] = definitions
    ordered: dict[str, Any] = _ordered(schema)
    return ordered


def _section(section: type[Keyed], definitions: Definitions) -> dict[str, Any]:
    properties = {name: _property(name, key, definitions) for name, key in section.fields.items()}
    schema: dict[str, Any] = {
        "type": "object",
        "title": section.__name__,
        "properties": properties,
    }
    if section.__doc__:
        schema["description"] = cleandoc(section.__doc__)
    if not section.others_allowed:
        schema["additionalProperties"] = False
    if required := [name for name, key in section.fields.items() if key.required]:
        schema["required"] = required
    section.schema_changed(schema)
    return schema


def _property(name: str, key: Key, definitions: Definitions) -> dict[str, Any]:
    schema = _limited(_type(key.annotation, definitions), key)
    if not _refers(schema):
        schema["title"] = name.replace("_", " ").title()
    if key.meaning is not None and not _repeats(schema, key.meaning, definitions):
        schema["description"] = key.meaning
    if not key.required and key.default_factory is None:
        schema["default"] = _default(key.default)
    if isinstance(key.schema, Mapping):
        schema |= key.schema
    return schema


def _refers(schema: Mapping[str, Any]) -> bool:
    """Returns whether the schema is that of a section, which has a title of its own."""
    parts = [one for one in schema.get("anyOf", ()) if one != _SIMPLE[type(None)]]
    return "$ref" in schema or (len(parts) == 1 and "$ref" in parts[0])


def _repeats(schema: Mapping[str, Any], meaning: str, definitions: Definitions) -> bool:
    """Returns whether the definition that the schema refers to says the same."""
    return "$ref" in schema and definitions[schema["$ref"].rpartition("/")[2]].get("description") == meaning


def _default(value: Any) -> Any:  # noqa: ANN401
    return value.table(with_none=True) if isinstance(value, Keyed) else value


def _type(annotation: Any, definitions: Definitions) -> dict[str, Any]:  # noqa: ANN401
    if annotation in _SIMPLE:
        return dict(_SIMPLE[annotation])
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(annotation, definitions)
    if origin in (Union, UnionType):
        schemas = [_type(one, definitions) for one in inner]
        # A union in a union is no other thing, unless more is said of it.
        parts = [part for one in schemas for part in (one["anyOf"] if list(one) == ["anyOf"] else [one])]
        return {"anyOf": [one for place, one in enumerate(parts) if one not in parts[:place]]}
    if origin is Literal:
        kind = _SIMPLE[type(inner[0])]
        return {**kind, **({"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)})}
    if origin is list:
        return {"type": "array", "items": _type(inner[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(inner[1], definitions) or True}
    return _reference(annotation, definitions)


def _reference(section: type[Keyed], definitions: Definitions) -> dict[str, Any]:
    name = section.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _section(section, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _annotated(annotation: Any, definitions: Definitions) -> dict[str, Any]:  # noqa: ANN401
    schema: dict[str, Any] = {}
    notes = annotation.__metadata__
    if not any(isinstance(note, Choice | JsonSchema) for note in notes):
        schema = _type(annotation.__origin__, definitions)
    for note in notes:
        if isinstance(note, Choice):
            schema = {"oneOf": [_reference(one, definitions) for one in note.sections]}
        elif isinstance(note, JsonSchema):
            schema = dict(note.schema)
        elif isinstance(note, Key):
            schema = _limited(schema, note) if "type" in schema or "anyOf" in schema else schema
            if callable(note.schema):
                note.schema(schema)
            elif note.schema is not None:
                schema |= note.schema
    return schema


def _limited(schema: dict[str, Any], key: Key) -> dict[str, Any]:
    """Returns the schema with the limits of a key, which hold for what is not null."""
    parts = schema.get("anyOf", ())
    if key.limits and _SIMPLE[type(None)] in parts:
        return {"anyOf": [_limited(one, key) if one != _SIMPLE[type(None)] else one for one in parts]}
    words = {**_LIMITS, **_LENGTHS.get(schema.get("type", ""), {})}
    limits = {word: getattr(key, name) for name, word in words.items() if getattr(key, name) is not None}
    return {**schema, **limits}


def _ordered(value: Any, parent: str = "") -> Any:  # noqa: ANN401 - any part of a schema
    """Sorts all names but those of keys."""
    if isinstance(value, dict):
        names = list(value) if parent in ("properties", "default") else sorted(value)
        return {name: _ordered(value[name], name) for name in names}
    return [_ordered(one, parent) for one in value] if isinstance(value, list) else value
