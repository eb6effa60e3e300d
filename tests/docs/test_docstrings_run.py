"""Every example in a docstring runs, and everything that `import ringlet` offers has one."""

import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import ringlet as rl

OFFERED = [name for name in rl.__all__ if inspect.isfunction(getattr(rl, name)) or inspect.isclass(getattr(rl, name))]


def modules_with_examples() -> Iterator[str]:
    """The modules of the package with an example."""
    root = Path(rl.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            yield ".".join(("ringlet", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples_in_docstrings_run(name, tmp_path, monkeypatch):
    # An example may write a file by its bare name, which must not stay beside the sources.
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", OFFERED)
def test_what_is_offered_has_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(rl, name))
