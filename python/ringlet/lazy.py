"""Names that are offered without importing the modules that define them."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def exports(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Returns `__getattr__`, `__dir__` and `__all__` (PEP 562) for a package that imports each of its names at first
    use.

    The names are those that the stub beside the package's `__init__.py` imports, a line each, which is also what
    editors and type checkers read (Scientific Python SPEC 1). A module that names the package at its top, as in
    `from ringlet import studies`, and uses `studies.Study` in a function, starts without what defines the name. A start
    takes a twentieth of a second in place of half a second in this way.

    Args:
        package: the package's `__name__`.
        file: the package's `__file__`.
    """
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:  # noqa: PTH123 - pathlib takes a while to load
        imports = [words for words in map(str.split, stub) if words[:1] == ["from"]]
    # from MODULE import ORIGINAL as NAME
    homes = {name: (module, original) for _, module, _, original, _, name in imports}

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = homes[name]
        # A submodule is no attribute of its package before it is imported.
        found = import_module(f"{package}.{name}") if module == package else getattr(import_module(module), original)
        # From now on it is found without this call.
        sys.modules[package].__dict__[name] = found
        return found

    class Package(ModuleType):
        """A package in which a name that is offered stays that, though a module has the same one."""

        def __setattr__(self, name: str, value: object) -> None:
            # The import system makes a submodule an attribute of its package.
            if not (isinstance(value, ModuleType) and homes.get(name, (package,))[0] != package):
                super().__setattr__(name, value)

    sys.modules[package].__class__ = Package
    return load, lambda: sorted(homes), sorted(homes)


def late(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the module defines
    """Returns what a module of a higher layer defines, for a method that only leads there, such as `Result.plot`.

    Imports point downward, and these would not: what leads upward is named here, at its first use.

    Args:
        module: its name below `ringlet`.
        name: what it defines.
    """
    return getattr(import_module(f"ringlet.{module}"), name)


class _Library(ModuleType):
    """A library that is loaded at the first use of a name of it."""

    def __getattr__(self, name: str) -> object:
        loaded = import_module(self.__name__)
        # From now on its names are found here, without a call.
        self.__dict__.update(loaded.__dict__)
        return getattr(loaded, name)


def library(name: str) -> Any:  # noqa: ANN401 - whatever the library defines
    """Returns a library that is loaded at the first use of a name of it, for modules that a start loads.

    A type checker reads the `import` that stands beside it: `if TYPE_CHECKING: import numpy as np`, else
    `np = library("numpy")`.
    """
    return _Library(name)
