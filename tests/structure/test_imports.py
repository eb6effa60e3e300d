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
    """What each module imports, in its functions, too, and where a package does so at the first use of a name.

    Imports that only a type checker reads do not count.
    """
    graph = grimp.build_graph("ringlet", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    root = Path(ringlet.__file__).parent
    for stub in root.rglob("__init__.pyi"):
        package = ".".join(("ringlet", *stub.parent.relative_to(root).parts))
        parts = ast.parse(stub.read_text(encoding="utf-8")).body
        found = {part.module for part in parts if isinstance(part, ast.ImportFrom) and part.module}
        imports[package] |= found - {package}
    return imports


def test_no_modules_import_each_other():
    assert circle(imports_of_the_package()) == []


def test_a_circle_is_found():
    assert set(circle({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})) == {"a", "b", "c"}
