"""Writes the scenario reference from the JSON Schema of the model that checks scenarios, so that it cannot differ."""

from pathlib import Path

from ringlet.scenario import Scenario
from ringlet.sections.schema_in_words import described, facts, is_table, resolved, told_by

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
    write_changed(path, render(Scenario.json_schema()))


def write_changed(path: Path, page: str) -> None:
    """Writes a page, unless it is there already and the same."""
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def render(schema: dict) -> str:
    """Returns the page for a schema whose properties are the sections of the file."""
    page = Page("scenario-key", schema)
    definitions = page.definitions
    parts = [INTRODUCTION]
    sections = {key: content for key, content in schema["properties"].items() if is_table(content, definitions)}
    for key, content in sections.items():
        title = f"`[{key}]`"
        if alternatives := content.get("oneOf"):
            models = [resolved(one, definitions) for one in alternatives]
            told = next(iter(models[0]["properties"]))
            fields = [model["properties"][told] for model in models]
            defaults = {key: value for field in reversed(fields) for key, value in field.items() if key == "default"}
            chosen = {"description": "Each has keys of its own, below.", "anyOf": fields, **defaults}
            shared = {told: chosen, **_shared(models)}
            parts.append(page.section(title, {"description": content["description"], "properties": shared}, key))
            for model in models:
                own = {name: field for name, field in model["properties"].items() if name not in shared}
                parts.append(page.section(told_by(model), {**model, "properties": own}, key, level=3))
        else:
            parts.append(page.section(title, resolved(content, definitions), key))
        for name in nested(content, definitions):
            if f"#/$defs/{name}" not in str(content.get("oneOf", content)):
                parts.append(page.table(name, level=3))
    others = {key: content for key, content in schema["properties"].items() if key not in sections}
    if others:
        model = {"description": TOP_LEVEL, "properties": others}
        parts.append(page.section("Messages", model, ""))
        parts += [page.table(name, level=3) for name in nested(model, definitions)]
    return "\n".join(parts)


class Page:
    """A page about the keys of a file: each key is an entry, called by its path, and once."""

    def __init__(self, kind: str, schema: dict) -> None:
        """Takes what the search calls a key of this file, and the schema of the file."""
        self.definitions = schema.get("$defs", {})
        self._kind = kind
        self._paths = _paths(schema, self.definitions)
        self._named: set[str] = set()

    def table(self, name: str, *, level: int = 2) -> str:
        """Returns the part of a page about a table, by the name of its definition."""
        return self.section(name, self.definitions[name], self._paths[name], level=level)

    def section(self, title: str, model: dict, path: str, *, level: int = 2) -> str:
        """Returns the part of a page about the keys of one table, which is at a path of the file."""
        lines = [f"{'#' * level} {title}", ""]
        if model.get("description"):
            lines += [model["description"], ""]
        for key, field in model.get("properties", {}).items():
            name = f"{path}.{key}" if path else key
            entry = f"{_value(title)}: {name}" if name in self._named else name
            self._named.add(name)
            lines += [f":::{{{self._kind}}} {entry}", f"*{'; '.join(facts(key, field, model, self.definitions))}*", ""]
            table = is_table(field, self.definitions)
            description = field.get("description", "") if table else described(field, self.definitions)
            lines += [description, ":::", ""] if description else [":::", ""]
        return "\n".join(lines)


def _value(told: str) -> str:
    """Returns the value that distinguishes a table from its alternatives, the first of several."""
    return told.split('"')[1] if '"' in told else told


def _paths(schema: dict, definitions: dict) -> dict[str, str]:
    """Returns the path in the file of each table that is not a section, by the name of its definition."""
    paths: dict[str, str] = {}

    def visit(model: dict, path: str) -> None:
        for key, field in model.get("properties", {}).items():
            inner = f"{path}.{key}" if path else key
            for name in _named_in(field):
                if name not in paths:
                    paths[name] = inner
                    visit(definitions[name], inner)

    visit(schema, "")
    return paths


def _named_in(field: object) -> list[str]:
    """Names of the definitions that a key refers to, itself, in a list or as one of several."""
    if isinstance(field, dict):
        own = [field["$ref"].rsplit("/", 1)[-1]] if "$ref" in field else []
        return own + [name for part in field.values() for name in _named_in(part)]
    return [name for part in field for name in _named_in(part)] if isinstance(field, list) else []


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
