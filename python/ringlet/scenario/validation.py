"""Messages for validation errors: key path, value and allowed values."""

import difflib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from ringlet.errors import Problems, RingletError

UNION_TAGS = re.compile(
    r"(int|float|str|Mix|Range)$|(literal|list|dict|function|constrained|lax-or-strict|nullable)[-\[]|[a-z]+="
)
"""The parts of an error's path by which pydantic distinguishes the alternatives of a union."""

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
INDEX = re.compile(r"\[\d+\]")
MAX_KEY = 60


class Choice(ABC):
    """Says in the annotation of a field which models its value may be of, where the type does not name them."""

    @property
    @abstractmethod
    def models(self) -> list[type[BaseModel]]:
        """The models."""


def as_ringlet_error(error: ValidationError, model: type[BaseModel]) -> RingletError:
    """Returns a message for everything that is wrong, misspelt keys first."""
    groups: dict[tuple[str, ...], list[ErrorDetails]] = {}
    for detail in error.errors(include_url=False):
        groups.setdefault(_item_path(detail), []).append(detail)
    # All alternatives of a union fail; the one that got furthest into the value says most.
    telling = [(_most_telling(group), group) for group in groups.values()]
    telling.sort(key=lambda one: one[0]["type"] != "extra_forbidden")
    # A misspelt key explains why another one is missing.
    paths = [_key_path(one) for one, _ in telling if one["type"] == "extra_forbidden"]
    meant = {(*path[:-1], name) for path in paths for name in _near(path, model)}
    problems = Problems()
    for one, group in telling:
        if one["type"] != "missing" or _key_path(one) not in meant:
            problems.messages += _messages(one, group, model)
    try:
        problems.check()
    except RingletError as found:
        return found
    raise AssertionError("a validation error has a reason")


@contextmanager
def as_details() -> Iterator[None]:
    """Makes a RingletError inside an error of a part of a model, so that the other parts are looked at, too."""
    try:
        yield
    except RingletError as error:
        raise PydanticCustomError("refused", "{text}", {"text": str(error), "messages": list(error.args)}) from None


def _item_path(detail: ErrorDetails) -> tuple[str, ...]:
    """Returns the path of a key of a section, or of a section of a list; unions differ further inside only."""
    path = _key_path(detail)
    places = [place for place, part in enumerate(path[:3]) if INDEX.fullmatch(part)]
    in_list = [place for place in places if len(path) > place + 1 and not INDEX.fullmatch(path[place + 1])]
    return path[: in_list[0] + 2] if in_list else path[:2]


def _messages(detail: ErrorDetails, group: list[ErrorDetails], model: type[BaseModel]) -> list[str]:
    if detail["type"] == "refused":
        return list(detail["ctx"]["messages"])
    return [_message(detail, group, model)]


def _most_telling(details: list[ErrorDetails]) -> ErrorDetails:
    own = [detail for detail in details if detail["type"] in ("not_allowed", "extra_forbidden", "refused")]
    return max(own or details, key=lambda detail: len(_key_path(detail)))


def _key_path(detail: ErrorDetails) -> tuple[str, ...]:
    path: list[str] = []
    last = len(detail["loc"]) - 1
    for depth, part in enumerate(detail["loc"]):
        if isinstance(part, int):
            path.append(f"[{part}]")
        elif detail["type"] == "extra_forbidden" and depth == last:
            # An unknown key may look like a tag.
            path.append(part)
        elif not UNION_TAGS.match(part):
            path.append(part)
    return tuple(path)


def _join(path: Iterable[str]) -> str:
    return "".join(part if INDEX.fullmatch(part) else f".{_key(part)}" for part in path).lstrip(".")


def _key(name: str) -> str:
    """Returns a key as TOML writes it, the beginning of one that is too long."""
    if len(name) > MAX_KEY:
        name = f"{name[:MAX_KEY]}..."
    return name if BARE_KEY.fullmatch(name) else json.dumps(name)


def _message(detail: ErrorDetails, group: list[ErrorDetails], model: type[BaseModel]) -> str:
    path = _key_path(detail)
    where = _join(path) or model.__name__.lower()
    match detail["type"]:
        case "extra_forbidden":
            return f"{where}: unknown key; {_hint(path, model)}"
        case "missing":
            return f"{where}: missing; it has to be given"
    alternatives = [one for one in group if _key_path(one) == path]
    if detail["type"] == "not_allowed":
        # It says more than the types do.
        alternatives = [one for one in alternatives if one["type"] in ("not_allowed", "literal_error")]
    allowed = " or ".join(dict.fromkeys(map(_allowed, alternatives)))
    return str(RingletError.not_allowed(where, detail["input"], allowed))


def _hint(path: tuple[str, ...], model: type[BaseModel]) -> str:
    """Says which key may have been meant, with its section if it belongs to another one."""
    *outer, key = path
    known = _keys_at(model, tuple(outer))
    if close := _near(path, model):
        return f"did you mean '{close[0]}'?"
    sections = [name for name in model.model_fields if key in _keys_at(model, (name,)) and _models(model, name)]
    if sections:
        return f"did you mean '{sections[0]}.{key}'?"
    return f"known keys are {', '.join(known)}"


def _near(path: tuple[str, ...], model: type[BaseModel]) -> list[str]:
    """Returns the key of a section that a misspelt one is close to; none if there is none."""
    known = _keys_at(model, path[:-1])
    return difflib.get_close_matches(path[-1][:MAX_KEY], known, n=1)


def _allowed(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "greater_than_equal" | "greater_than" | "less_than_equal" | "less_than":
            word = {
                "greater_than_equal": "at least",
                "greater_than": "above",
                "less_than_equal": "at most",
                "less_than": "below",
            }
            limit = next(iter(context.values()))
            return f"{word[detail['type']]} {limit}"
        case "literal_error":
            return str(context["expected"])
        case "int_type" | "int_from_float":
            return "a whole number"
        case "bool_type":
            return "true or false"
        case "float_type":
            return "a number"
        case "string_type":
            return "a string"
        case "list_type":
            return "a list"
        case "dict_type" | "model_type" | "model_attributes_type" | "union_tag_not_found":
            return "a table"
        case "finite_number":
            return "a finite number"
        case "too_short":
            return f"at least {context['min_length']} of them"
    return detail["msg"][:1].lower() + detail["msg"][1:]


def _keys_at(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Returns the keys of the table at a path, of all models that it may be of."""
    models = [model]
    for part in path:
        models = [inner for outer in models for inner in _models(outer, part)] or models
    return list(dict.fromkeys(key for one in models for key in one.model_fields))


def _models(model: type[BaseModel], key: str) -> list[type[BaseModel]]:
    """Returns the models that the value of a key may be of."""
    field = model.model_fields.get(key)
    if field is None:
        return []
    # Those of a family of sections, of which the file chooses one.
    found: dict[type[BaseModel], None] = dict.fromkeys(
        model for part in field.metadata if isinstance(part, Choice) for model in part.models
    )

    def visit(annotation: object) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found[annotation] = None
        for inner in get_args(annotation):
            visit(inner)

    visit(field.annotation)
    return list(found)
