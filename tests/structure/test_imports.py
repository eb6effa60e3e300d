"""Which modules of the package import each other."""

import ast
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

import ringlet


def circle(imports: dict[str, Iterable[str]]) -> list[str]:
    """The modules of a circle, each of which imports the next one; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def imports_of_the_package() -> dict[str, set[str]]:
    """What each module imports: at its top, in its functions, and for a type checker alone.

    A package imports what its stub lists, at the first use of a name. Who imports a module imports its packages, too.
    """
    graph = grimp.build_graph("ringlet", exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    root = Path(ringlet.__file__).parent
    for stub in root.rglob("__init__.pyi"):
        package = ".".join(("ringlet", *stub.parent.relative_to(root).parts))
        parts = ast.parse(stub.read_text(encoding="utf-8")).body
        found = {part.module for part in parts if isinstance(part, ast.ImportFrom) and part.module}
        imports[package] |= found - {package}
    return {module: with_packages(module, found) for module, found in imports.items()}


def with_packages(module: str, imported: Iterable[str]) -> set[str]:
    """The imported modules and their packages, but for those in which the module itself lies."""
    packages = {".".join(parts[:i]) for parts in (one.split(".") for one in imported) for i in range(1, len(parts))}
    return {*imported, *(package for package in packages if not f"{module}.".startswith(f"{package}."))}


def test_no_modules_import_each_other():
    assert circle(imports_of_the_package()) == []


def test_a_circle_is_found():
    assert set(circle({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})) == {"a", "b", "c"}


def test_who_imports_a_module_imports_its_packages():
    assert with_packages("r.a.b", ["r.c.d", "r.a.e"]) == {"r.c", "r.c.d", "r.a.e"}
