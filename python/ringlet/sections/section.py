"""The base class of all sections."""

from collections.abc import Collection, Iterator, Mapping
from inspect import get_annotations
from pathlib import Path
from typing import Any, ClassVar, Self, dataclass_transform

from ringlet.errors import MOST_MESSAGES, RingletError
from ringlet.sections.checks import check_of_key
from ringlet.sections.fields import HERE, Check, Field, Key, Keyed
from ringlet.sections.json_schema import schema_of
from ringlet.sections.mistakes import Kind, Mistake, RefusedError, WrongError
from ringlet.sections.plain import PLAIN, plain
from ringlet.sections.wording import as_error

_NONE: Mapping[str, Any] = {}


@dataclass_transform(kw_only_default=True, field_specifiers=(Field,))
class Section(Keyed):
    """The base class of all sections: no unknown keys, no silent conversions, no changes.

    Annotated attributes are keys, but for those of classes (`ClassVar`) and those whose name begins with `_`.
    """

    frames: ClassVar[tuple[str, ...]] = ()
    """Keys whose data frames are read by the names of their columns."""

    _needed: ClassVar[frozenset[str]] = frozenset()
    """Keys that a file has to give."""
    _plainly: ClassVar[Mapping[str, Any]] = {}
    """Values of the keys that are not given, but for those that are made for each section."""
    _made: ClassVar[Mapping[str, Key]] = {}
    """Keys whose values, where they are not given, are made for each section."""

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401
        """Takes the keys from the annotations."""
        super().__init_subclass__(**options)
        fields = {name: key for base in reversed(cls.__mro__[1:]) for name, key in getattr(base, "fields", {}).items()}
        for name, annotation in get_annotations(cls, eval_str=True).items():
            if name.startswith("_") or getattr(annotation, "__origin__", None) is ClassVar:
                continue
            if hasattr(Section, name):
                raise TypeError(f"{cls.__name__}.{name}: no key can have this name, which every section has")
            given = cls.__dict__.get(name, ...)
            key = given if isinstance(given, Key) else Key(given)
            key.annotation = annotation
            fields[name] = key
            if name in cls.__dict__:
                delattr(cls, name)
        cls.fields = fields
        cls._needed = frozenset(name for name, key in fields.items() if key.required)
        cls._plainly = {name: None if key.required else key.default for name, key in fields.items() if not key.is_made}
        cls._made = {name: key for name, key in fields.items() if key.is_made}

    def __init__(self, **keys: Any) -> None:  # noqa: ANN401
        """Takes the keys.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        try:
            self._fill(self._plain(keys), HERE)
        except WrongError as wrong:
            raise as_error(wrong, type(self)) from None

    @classmethod
    def checked(cls, content: Mapping[str, Any], *, named: str, folder: Path | None = None) -> Self:
        """Returns the section with the content of a file.

        Args:
            content: what the file holds.
            named: what it is called in a message.
            folder: where files that it names start from; default: here.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        try:
            return cls.made(cls._plain(content), HERE if folder is None else folder)
        except WrongError as wrong:
            raise as_error(wrong, cls) from None
        except RecursionError:
            raise RingletError(f"{named}: nested too deeply") from None

    @classmethod
    def _plain(cls, content: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever a caller gives
        """Returns the content as a file would hold it, but for data frames that the section reads by their columns."""
        if not isinstance(content, Mapping):
            return plain(content)
        return {
            key: one
            if type(one) in PLAIN or key not in cls.fields or (key in cls.frames and hasattr(one, "itertuples"))
            else plain(one, 1)
            for key, one in content.items()
        }

    @classmethod
    def by_default(cls) -> Self:
        """Returns a section of which a file says nothing; nothing of it is checked."""
        section = cls.__new__(cls)
        section._hold({}, frozenset())
        return section

    @classmethod
    def made(cls, content: object, folder: Path = HERE) -> Self:
        """Returns the section with the content of a table, or one that is checked again."""
        section = cls.__new__(cls)
        section._fill(content, folder)
        return section

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Returns the content of a table with what follows from it; whatever is wrong in it is found later.

        Raises:
            RefusedError, RingletError: what is wrong already.
        """
        return content

    def _fits_together(self, folder: Path) -> None:
        """Looks at all keys together; `folder` is where files that they name start from.

        Raises:
            RefusedError, RingletError: what is wrong.
        """

    def _fill(self, content: object, folder: Path) -> None:
        try:
            if isinstance(content, dict):
                table, given = self._completed(content), None
            elif isinstance(content, type(self)):
                table, given = dict(content.items()), content.given
            else:
                raise WrongError.at(content, "a table")
            self._hold(*self._checked(table, given))
            self._fits_together(folder)
        except RefusedError as refused:
            raise WrongError.at(content, refused.allowed, Kind.REFUSED) from None

    def _checked(self, table: dict[str, Any], given: frozenset[str] | None) -> tuple[dict[str, Any], frozenset[str]]:
        """Returns the values of the keys that are there, and which are given."""
        values: dict[str, Any] = {}
        mistakes: list[Mistake] = []
        left, stopped = 0, False
        known = self._known(table)
        for name, key in self.fields.items():
            if name in known:
                values[name] = known[name]
            elif name in table:
                try:
                    values[name] = (key.check or self._check(key))(table[name])
                except WrongError as wrong:
                    mistakes += wrong.within(name)
                    left, stopped = left + wrong.left, stopped or wrong.stopped
                except RingletError as error:
                    mistakes.append(Mistake((name,), Kind.TOLD, messages=error.args))
            elif name in self._needed:
                mistakes.append(Mistake((name,), Kind.MISSING))
        if not (self.others_allowed or self.fields.keys() >= table.keys()):
            unknown = [name for name in table if name not in self.fields]
            mistakes += [Mistake((str(name),), Kind.UNKNOWN) for name in unknown[:MOST_MESSAGES]]
            left += len(unknown[MOST_MESSAGES:])
        if mistakes:
            raise WrongError(mistakes, left, stopped=stopped)
        return values, frozenset(values) if given is None else given

    def _known(self, table: dict[str, Any]) -> Mapping[str, Any]:
        """Returns the values of keys that are not checked again, as their content has been checked before; here
        none."""
        return _NONE

    @staticmethod
    def _check(key: Key) -> Check:
        key.check = check_of_key(key)
        return key.check

    def _hold(self, values: dict[str, Any], given: frozenset[str]) -> None:
        held = self.__dict__
        held.update(self._plainly)
        held.update(values)
        for name, key in self._made.items():
            if name not in values:
                held[name] = key.value(held)
        held["_given"] = given

    @property
    def given(self) -> frozenset[str]:
        """The keys that are given, and not by default what they are."""
        given: frozenset[str] = self.__dict__["_given"]
        return given

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yields the keys with their values."""
        held = self.__dict__
        return ((name, held[name]) for name in self.fields)

    def table(
        self,
        *,
        with_none: bool = False,
        only_given: bool = False,
        without_defaults: bool = False,
        without: Collection[str] = (),
    ) -> dict[str, Any]:
        """Returns what a file would hold, ready for JSON.

        Args:
            with_none: is a key there that has no value? Of sections inside, too, like the next two.
            only_given: are keys left out that were not given?
            without_defaults: are keys left out that have their defaults?
            without: keys that are left out here.
        """
        how = {"with_none": with_none, "only_given": only_given, "without_defaults": without_defaults}
        held, given = self.__dict__, self.given if only_given else None
        found: dict[str, Any] = {}
        for name, key in self.fields.items():
            value = held[name]
            if (value is None and not with_none) or name in without or (given is not None and name not in given):
                continue
            if not (without_defaults and value == key.default):
                found[name] = value if type(value) in PLAIN else _written(value, how)
        return found

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Returns the JSON Schema of the section, of JSON Schema 2020-12."""
        return schema_of(cls)

    @classmethod
    def schema_changed(cls, schema: dict[str, Any]) -> None:
        """Changes nothing."""

    def changed(self, **keys: Any) -> Self:  # noqa: ANN401
        """Returns the section with other values, which are checked with all others.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        return self.checked({**dict(self.items()), **keys}, named=type(self).__name__.lower())

    def __setattr__(self, name: str, value: object) -> None:
        """Raises AttributeError for a key: a section does not change."""
        if not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__}.{name} cannot be changed: a section does not change")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        """The names of the section: those that every section has would bury them."""
        return [name for name in super().__dir__() if name.startswith("_") or not hasattr(Section, name)]

    def __eq__(self, other: object) -> bool:
        """Returns whether the other one is of the same kind and has the same values."""
        return type(self) is type(other) and isinstance(other, Section) and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        """Returns a number that is the same for equal sections; a section with a list has none."""
        return hash((type(self), *(value for _, value in self.items())))

    def __repr__(self) -> str:
        """The keys with their values, as they would be written in Python."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.items())})"


def _written(value: Any, how: dict[str, Any]) -> Any:  # noqa: ANN401 - the value of a key, or in a list
    if isinstance(value, list):
        return [one if type(one) in PLAIN else _written(one, how) for one in value]
    if isinstance(value, dict):
        return {key: _written(one, how) for key, one in value.items()}
    return value.table(**how) if isinstance(value, Section) else value
