"""Writes the scenario reference from the JSON Schema of the model that checks scenarios, so that it cannot differ."""

from pathlib import Path

from ringlet.scenario import Scenario
from ringlet.scenario.reference import described, facts, is_table, resolved, told_by

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
    sections = {key: content for key, content in schema["properties"].items() if is_table(content, definitions)}
    for key, content in sections.items():
        if alternatives := content.get("oneOf"):
            models = [resolved(one, definitions) for one in alternatives]
            shared = {"description": content["description"], "properties": _shared(models)}
            parts.append(section(key, shared, definitions))
            for model in models:
                own = {name: field for name, field in model["properties"].items() if name not in shared["properties"]}
                parts.append(section(told_by(model), {**model, "properties": own}, definitions, level=3))
        else:
            model = resolved(content, definitions)
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
    for key, field in model.get("properties", {}).items():
        lines += [f"`{key}`", f": *{'; '.join(facts(key, field, model, definitions))}*", ""]
        description = field.get("description", "") if is_table(field, definitions) else described(field, definitions)
        if description:
            lines += [f"  {line}" if line else "" for line in description.splitlines()] + [""]
    return "\n".join(lines)


def _shared(models: list[dict]) -> dict:
    """The keys that all alternatives of a table have, but for the first, which names them."""
    first, *others = (model["properties"] for model in models)
    keys = [key for key in list(first)[1:] if all(key in other for other in others)]
    return {key: first[key] for key in keys}


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
