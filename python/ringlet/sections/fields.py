"""The keys of a section: limits, default, meaning, and what else may stand in the annotation of one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, get_origin

Check = Callable[[Any], Any]

HERE = Path()

REQUIRED: Any = ...
"""The default of a key that has none."""


class Key:
    """A key of a section, or limits in an annotation."""

    annotation: Any = Any
    """The type of its value."""
    check: "Check | None" = None
    """Returns a value as the section holds it, or raises WrongError; made for the first value of this key."""

    def __init__(
        self,
        default: Any = REQUIRED,  # noqa: ANN401
        *,
        default_factory: Callable[[dict[str, Any]], Any] | None = None,
        description: str | None = None,
        ge: float | None = None,
        gt: float | None = None,
        le: float | None = None,
        lt: float | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str | None = None,
        fail_fast: bool = False,
        schema: "SchemaChange | Mapping[str, Any] | None" = None,
    ) -> None:
        """Takes what `Field` takes."""
        self.default, self.default_factory, self.description = default, default_factory, description
        self.ge, self.gt, self.le, self.lt = ge, gt, le, lt
        self.min_length, self.max_length, self.pattern = min_length, max_length, pattern
        self.fail_fast, self.schema = fail_fast, schema

    @property
    def required(self) -> bool:
        """True if a file has to give it."""
        return self.default is REQUIRED and self.default_factory is None

    @property
    def is_made(self) -> bool:
        """True if each section has a default of its own: one that is made, or that could change."""
        return self.default_factory is not None or type(self.default) in (list, dict)

    @property
    def limits(self) -> bool:
        """True if anything limits its values besides their type."""
        limits = (self.ge, self.gt, self.le, self.lt, self.min_length, self.max_length, self.pattern)
        return any(limit is not None for limit in limits)

    @property
    def notes(self) -> tuple[Any, ...]:
        """Notes in the annotation beside the type."""
        return tuple(self.annotation.__metadata__) if get_origin(self.annotation) is Annotated else ()

    @property
    def meaning(self) -> str | None:
        """Description of the key, which may stand in the annotation."""
        given = [self.description, *(note.description for note in self.notes if isinstance(note, Key))]
        return next((one for one in given if one is not None), None)

    def value(self, before: dict[str, Any]) -> Any:  # noqa: ANN401
        """Returns the value of a key that is not given.

        Args:
            before: the values of the other keys, but for keys behind it whose values are made, too.
        """
        if self.default_factory is not None:
            return self.default_factory(before)
        default = self.default
        return default.copy() if type(default) in (list, dict) else default


SchemaChange = Callable[[dict[str, Any]], None]


def Field(  # noqa: N802 - stands where a type would
    default: Any = REQUIRED,  # noqa: ANN401
    *,
    default_factory: Callable[[dict[str, Any]], Any] | None = None,
    description: str | None = None,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    pattern: str | None = None,
    fail_fast: bool = False,
    schema: SchemaChange | Mapping[str, Any] | None = None,
) -> Any:  # noqa: ANN401 - the value of a key is of its own type
    """Returns what a section says of a key, or in an annotation of the values inside one.

    Args:
        default: its value where a file does not give it; it is not checked. Without one the key has to be given.
        default_factory: makes the default from the values of the keys in front of it, and of all that are not made so.
        description: what it means, in Markdown.
        ge: least number.
        gt: what a number is above.
        le: largest number.
        lt: what a number is below.
        min_length: fewest values of a list, or letters of a string.
        max_length: most of them.
        pattern: a regular expression that is found in a string.
        fail_fast: does the first mistake in a list hide all others?
        schema: what the JSON Schema says besides, or a function that changes it.
    """
    return Key(
        default,
        default_factory=default_factory,
        description=description,
        ge=ge,
        gt=gt,
        le=le,
        lt=lt,
        min_length=min_length,
        max_length=max_length,
        pattern=pattern,
        fail_fast=fail_fast,
        schema=schema,
    )


class JsonSchema:
    """Says in an annotation what the JSON Schema has in place of the type's own."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Takes the schema of a value."""
        self.schema = schema


class Keyed(ABC):
    """A class with keys."""

    fields: ClassVar[Mapping[str, Key]] = {}
    """All keys by name, in their order."""
    others_allowed: ClassVar[bool] = False
    """May there be other keys, which do not count?"""

    @classmethod
    @abstractmethod
    def made(cls, content: object, folder: Path = HERE) -> Self:
        """Returns the section with the content of a table, or one that is checked again.

        Args:
            content: the table, or the section.
            folder: where files that it names start from.

        Raises:
            WrongError: what is wrong in it.
            RingletError: what is wrong with it as a whole.
        """

    @abstractmethod
    def table(self, *, with_none: bool = False) -> dict[str, Any]:
        """Returns what a file would hold, ready for JSON; keys that have no value only `with_none`."""

    @classmethod
    @abstractmethod
    def schema_changed(cls, schema: dict[str, Any]) -> None:
        """Changes the JSON Schema of the section to what it also says."""


class Choice(ABC):
    """Says in an annotation which of several sections a value is, where the type does not."""

    @property
    @abstractmethod
    def sections(self) -> "Sequence[type[Keyed]]":
        """The sections."""

    @property
    def known(self) -> "Sequence[type[Keyed]]":
        """The sections whose keys a message may name."""
        return self.sections

    @abstractmethod
    def made(self, content: object) -> "Keyed":
        """Returns the section with the content of a table.

        Raises:
            WrongError: what is wrong in it.
            RingletError: it is none of the sections.
        """
