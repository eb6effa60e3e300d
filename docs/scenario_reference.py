"""Writes the scenario reference from the JSON Schema of the model that checks scenarios, so that it cannot differ."""

import json
from pathlib import Path

from ringlet.scenario import Scenario

INTRODUCTION = """# Scenario reference

A scenario is a TOML file. This page is generated from the model that checks it: an unknown key, a wrong unit or a
value out of range is reported with its key path, the value and what is allowed. Quantities are strings with units
(`"500 MB/s"`, `"2 us"`) or plain numbers in the base unit named below. Nodes are numbered from 0; link `k` runs from
node `k` to node `k + 1` modulo `N`.

Any key can be set from the command line, too: `ringlet run FILE --set traffic.load="200 MB/s"`.
"""

TOP_LEVEL = """A set of periodic messages: these keys stand at the top of the file, before its first table, but for
`[[messages]]` itself. It is what `ringlet breakdown` scales."""


def write(path: Path) -> None:
    """Writes the page."""
    write_changed(path, render(Scenario.model_json_schema()))


def write_changed(path: Path, page: str) -> None:
    """Writes a page, unless it is there already and the same."""
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def render(schema: dict) -> str:
    """Returns the page for a schema whose properties are the sections of the file."""
    parts = [INTRODUCTION]
    definitions = schema.get("$defs", {})
    sections = {key: content for key, content in schema["properties"].items() if _is_model(content, definitions)}
    for key, content in sections.items():
        if alternatives := content.get("oneOf"):
            parts.append(f"## `[{key}]`\n\n{content['description']}\n")
            for model in (_resolve(one, definitions) for one in alternatives):
                parts.append(section(_told_by(model), model, definitions, level=3))
        else:
            model = _resolve(content, definitions)
            parts.append(section(key, model, definitions))
        for name in nested(content, definitions):
            if f"#/$defs/{name}" not in str(content.get("oneOf", content)):
                parts.append(section(name, definitions[name], definitions, level=3))
    others = {key: content for key, content in schema["properties"].items() if key not in sections}
    if others:
        model = {"description": TOP_LEVEL, "properties": others}
        parts.append(section("Messages", model, definitions, level=2))
        for name in nested(model, definitions):
            parts.append(section(name, definitions[name], definitions, level=3))
    return "\n".join(parts)


def section(name: str, model: dict, definitions: dict, level: int = 2) -> str:
    """Returns the part of a page about one table."""
    title = f"`[{name}]`" if level == 2 and name.islower() else name
    lines = [f"{'#' * level} {title}", ""]
    if model.get("description"):
        lines += [model["description"], ""]
    required = model.get("required", [])
    for key, field in model.get("properties", {}).items():
        facts = [_type(field, definitions)]
        facts += _limits(field)
        if key in required:
            facts.append("required")
        elif field.get("default") not in (None, "", []) and not _is_model(field, definitions):
            facts.append(f"default `{json.dumps(field['default'])}`")
        lines += [f"`{key}`", f": *{'; '.join(facts)}*", ""]
        description = field.get("description") or _resolve(field, definitions).get("description", "")
        if description and not _is_model(field, definitions):
            lines += [f"  {line}" if line else "" for line in description.splitlines()] + [""]
        elif field.get("description"):
            lines += [f"  {line}" if line else "" for line in field["description"].splitlines()] + [""]
    return "\n".join(lines)


def _resolve(field: dict, definitions: dict) -> dict:
    if "$ref" in field:
        return definitions[field["$ref"].rsplit("/", 1)[1]]
    if len(field.get("allOf", ())) == 1:
        return _resolve(field["allOf"][0], definitions)
    return field


def _is_model(field: dict, definitions: dict) -> bool:
    return all("properties" in _resolve(one, definitions) for one in field.get("oneOf", [field]))


def _told_by(model: dict) -> str:
    """The key that tells a table from its alternatives, with its value, such as `protocol = "sci"`."""
    key, value = next((key, field["const"]) for key, field in model["properties"].items() if "const" in field)
    return f"`{key} = {json.dumps(value)}`"


def nested(model: dict, definitions: dict) -> list[str]:
    """Names of the tables inside a section, in the order in which they occur."""
    found: dict[str, None] = {}

    def visit(part: object) -> None:
        if isinstance(part, dict):
            name = part.get("$ref", "").rsplit("/", 1)[-1]
            if name and name not in found and "properties" in definitions[name]:
                found[name] = None
                visit(definitions[name])
            for key, value in part.items():
                if key != "$ref":
                    visit(value)
        elif isinstance(part, list):
            for value in part:
                visit(value)

    visit(model)
    return list(found)


def _type(field: dict, definitions: dict) -> str:
    """A field's type in words."""
    if "$ref" in field:
        name = field["$ref"].rsplit("/", 1)[1]
        return f"table {name}" if "properties" in definitions[name] else _type(definitions[name], definitions)
    for union in ("anyOf", "oneOf", "allOf"):
        if union in field:
            kinds = [_type(part, definitions) for part in field[union] if part.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    match field.get("type"):
        case "array":
            if "prefixItems" in field:
                return "[" + ", ".join(_type(part, definitions) for part in field["prefixItems"]) + "]"
            return f"list of {_type(field.get('items', {}), definitions)}"
        case "object":
            extra = field.get("additionalProperties")
            return f"table of {_type(extra, definitions)}" if isinstance(extra, dict) else "table"
        case "integer":
            return "whole number"
        case str(kind):
            return kind
        case _:
            return "any value"


def _limits(field: dict) -> list[str]:
    words = {
        "minimum": "at least {}",
        "exclusiveMinimum": "above {}",
        "maximum": "at most {}",
        "exclusiveMaximum": "below {}",
        "minLength": "at least {} characters",
        "minItems": "at least {} items",
    }
    candidates = [field, *field.get("anyOf", ())]
    return [text.format(part[key]) for part in candidates for key, text in words.items() if key in part]
