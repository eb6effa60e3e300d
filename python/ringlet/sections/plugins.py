"""Families of sections of which a file chooses one by name: protocols, topologies, patterns.

Each member is a class, whose module is listed in one place. Installed packages add members through entry points; these
are looked up only when a file names one that is not listed, since that takes as long as half a start.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from inspect import isabstract
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar

from ringlet.errors import RingletError, note_added
from ringlet.lazy import library
from ringlet.sections import Choice, Section
from ringlet.sections.guard import FAILURES, guard

if TYPE_CHECKING:
    import difflib
else:
    difflib = library("difflib")


class Chosen(Section):
    """A section that a file chooses by its name."""

    chosen_by: ClassVar[str]
    """The key that holds the name."""
    added_by: ClassVar[str] = ""
    """Entry point and package that add it, as a message begins; empty for those of ringlet itself."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Returns the names by which files choose it."""
        return (str(cls.fields[cls.chosen_by].default),)


def name_needed(
    one: type[Chosen], schema: dict[str, Any], description: str, default: str, *, implied: bool = False
) -> None:
    """Makes the JSON Schema of all members but one require their name, so that just one of them fits.

    Args:
        one: the member.
        schema: its JSON Schema.
        description: of the key that holds the name.
        default: the name of the member that needs none.
        implied: does a key that only one of them has name it, too?
    """

    schema["properties"][one.chosen_by]["description"] = description
    if one.names() != (default,):
        base = next(each for each in one.__mro__ if issubclass(each, Chosen) and "chosen_by" in vars(each))
        own = [key for key in one.fields if key not in base.fields] if implied else []
        if own:
            schema["if"] = {"not": {"anyOf": [{"required": [key]} for key in own]}}
            schema["then"] = {"required": [one.chosen_by]}
        else:
            schema["required"] = [one.chosen_by, *schema.get("required", ())]


Member = TypeVar("Member", bound=Chosen)


def members(base: type[Member], package: str, modules: Iterable[str]) -> list[type[Member]]:
    """Returns the members that modules of a package define, in this order; helpers that lack a method are none."""
    found: list[type[Member]] = []
    for name in modules:
        module = import_module(f"{package}.{name}")
        defined = (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__)
        found += (one for one in defined if issubclass(one, base) and not isabstract(one))
    return found


class Family(Generic[Member]):
    """The members of a family by name."""

    def __init__(
        self,
        base: type[Member],
        listed: Sequence[type[Member]],
        *,
        path: str,
        group: str,
        added_base: type[Member] | None = None,
    ) -> None:
        """Takes the members.

        Args:
            base: what all of them are.
            listed: those of ringlet itself, the default one among them.
            path: the key that names one, such as `network.topology`.
            group: of entry points by which installed packages add members.
            added_base: what those are; None: `base`.
        """
        self._base, self._path, self._group = base, path, group
        self._added_base = added_base or base
        self._section, _, self._key = path.rpartition(".")
        self.listed: Mapping[str, type[Member]] = {name: one for one in listed for name in one.names()}
        """Members of ringlet itself, by name."""
        self._loaded: dict[str, type[Member]] = {}

    def names(self, which: Callable[[type[Member]], bool] = lambda _: True) -> str:
        """Returns the names of some listed members as a message has them: `'none' or 'sci'`."""
        return _in_words([name for name, one in self.listed.items() if which(one)], "or")

    def member(self, name: object) -> type[Member]:
        """Returns the member of a name.

        Raises:
            RingletError: there is none, or the package that adds it fails.
        """
        if isinstance(name, str) and name in self.listed:
            return self.listed[name]
        if isinstance(name, str) and name in self._entry_points:
            if name not in self._loaded:
                self._loaded[name] = self._load(name)
            return self._loaded[name]
        added = f"; or added by a package: {_in_words(list(self._entry_points), 'or')}" if self._entry_points else ""
        raise RingletError.not_allowed(self._path, name, self.names() + added)

    def added(self) -> Iterator[type[Member]]:
        """Yields the members that installed packages add; one that fails only fails where a file names it."""
        for name in self._entry_points:
            try:
                yield self.member(name)
            except RingletError:
                continue

    def add_to(self, schema: dict[str, Any]) -> None:
        """Adds the members that installed packages add to the JSON Schema of a file; those that fail are left out."""
        for one in self.added():
            try:
                own = one.json_schema()
            except FAILURES:
                continue
            schema["$defs"] |= {**own.pop("$defs", {}), one.__name__: own}
            schema["properties"][self._section]["oneOf"].append({"$ref": f"#/$defs/{one.__name__}"})

    @property
    def loaded(self) -> list[type[Member]]:
        """The members of packages that a file has named."""
        return list(self._loaded.values())

    @cached_property
    def _entry_points(self) -> dict[str, Any]:
        from importlib.metadata import entry_points

        return {one.name: one for one in entry_points(group=self._group) if one.name not in self.listed}

    def _load(self, name: str) -> type[Member]:
        entry = self._entry_points[name]
        of = f" of {entry.dist.name}" if entry.dist is not None else ""
        added_by = f"{self._path}: {name!r} is added by '{entry.value}'{of}"
        where = f"{added_by}, which"
        try:
            found = entry.load()
        except FAILURES as error:
            raise RingletError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
        base = f"{self._added_base.__module__}.{self._added_base.__qualname__}"
        if not (isinstance(found, type) and issubclass(found, self._added_base)):
            raise RingletError(f"{where} is not a subclass of {base}")
        guard(found, added_by)
        if name not in found.names():
            named = _in_words(list(found.names()), "or")
            raise RingletError(f"{where} calls itself {named}; its entry point has to have the same name")
        if missing := sorted(found.__abstractmethods__):
            of_base = f"which a {self._key} has to have (see {base})"
            raise RingletError(f"{where} lacks {_in_words(missing, 'and')}, {of_base}")
        found.added_by = added_by
        note_added(added_by)
        return found

    def annotation(self, default: str, *, implied: bool = False) -> Any:  # noqa: ANN401 - a type expression
        """Returns the type of a section that is any of the members.

        Args:
            default: the one that needs no name.
            implied: does a key that only one of them has name it, too?
        """
        return Annotated[self._base, AnyMember(self, default, implied=implied)]

    def made(self, content: object, default: str, *, implied: bool) -> Member:
        """Returns a section, checked by the member that it names.

        Raises:
            WrongError: what is wrong in it.
            RingletError: it names no member, or has keys of another one; or what is wrong with it as a whole.
        """
        if isinstance(content, self._base):
            return type(content).made(content)
        if not isinstance(content, dict):
            raise RingletError.not_allowed(self._section, content, "a table")
        name = content.get(self._key, self._implied(content, default) if implied else default)
        member = self.member(name)
        return member.made(self._own_keys({self._key: name, **content}, member))

    def _implied(self, content: Mapping[str, Any], default: str) -> str:
        """Returns the name of the member whose key is there, which others lack; the default one's if there is none."""
        beyond = [key for key, value in content.items() if value is not None and key not in self._base.fields]
        owners = set().union(*(self._owners(key) for key in beyond))
        return next((name for name in self.listed if name in owners), default)

    def _own_keys(self, content: Mapping[str, Any], member: type[Member]) -> dict[str, Any]:
        """Refuses keys of other members; those without a value go."""
        fields = member.fields
        given = {key: value for key, value in content.items() if key in fields or value is not None}
        for key, value in given.items():
            owners = () if key in fields else self._owners(key) or self._added_owners(key)
            if owners:
                verb = "has" if len(owners) == 1 else "have"
                allowed = f"{self._key} {given[self._key]!r} has no such key; {_in_words(owners, 'and')} {verb} it"
                raise RingletError.not_allowed(f"{self._section}.{key}", value, allowed)
        return given

    def _owners(self, key: str) -> Sequence[str]:
        """Returns the names of the listed members that have a key."""
        return self._all_owners.get(key, ())

    def _added_owners(self, key: str) -> Sequence[str]:
        """Returns the names of the members of installed packages that have a key; those that fail are left out.

        None for a key that is nearly a listed member's: it is misspelt, and what packages add takes a while to find.
        """
        owners: list[str] = []
        if difflib.get_close_matches(key, self._all_owners, n=1):
            return owners
        for name, entry in self._entry_points.items():
            # Not by `member`: what no file names is not loaded as far as other messages go.
            try:
                one = entry.load()
                if issubclass(one, self._added_base) and key in one.fields and name in one.names():
                    owners.append(name)
            except FAILURES:
                continue
        return owners

    @cached_property
    def _all_owners(self) -> Mapping[str, Sequence[str]]:
        owners: dict[str, list[str]] = {}
        for name, one in self.listed.items():
            for key in one.fields:
                owners.setdefault(key, []).append(name)
        return owners


class AnyMember(Choice):
    """Leaves a section to the member that it names."""

    def __init__(self, family: Family[Any], default: str, *, implied: bool) -> None:
        """Takes the family, and which member needs no name."""
        self._family, self._default, self._implied = family, default, implied

    @property
    def sections(self) -> list[type[Section]]:
        """All listed members."""
        return list(dict.fromkeys(self._family.listed.values()))

    @property
    def known(self) -> list[type[Section]]:
        """The listed members, and those of packages that a file has named."""
        return [*self.sections, *self._family.loaded]

    def made(self, content: object) -> Section:
        """Returns the section of the member that the content names."""
        found: Section = self._family.made(content, self._default, implied=self._implied)
        return found


def _in_words(names: Sequence[str], joined: str) -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} {joined} {last}" if first else last
