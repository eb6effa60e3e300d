"""The Python of README, pages and notebook is right by its types, as mypy and pyright see them in a user's file."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BIN = str(Path(sys.executable).parent)
PYRIGHT, MYPY = shutil.which("basedpyright", path=BIN), shutil.which("mypy", path=BIN)
needs_pyright = pytest.mark.skipif(
    PYRIGHT is None, reason="types of the examples are not checked by pyright without it (pip install basedpyright)"
)
needs_mypy = pytest.mark.skipif(
    MYPY is None, reason="types of the examples are not checked by mypy without it (pip install mypy pandas-stubs)"
)
WRONG = "import ringlet as rl\nrl.run('ring.toml', seed='one')\nrl.run(3)\n"


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """A folder with a file for each page: its blocks one after the other, as a reader runs them."""
    folder = tmp_path_factory.mktemp("scripts")
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
    for page in pages:
        if blocks := BLOCK.findall(page.read_text(encoding="utf-8")):
            name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
            (folder / f"{name}.py").write_text("\n".join(blocks), encoding="utf-8")
    for notebook in (ROOT / "docs" / "tutorials").glob("*.ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        (folder / f"notebook_{notebook.stem}.py").write_text("\n\n".join(code), encoding="utf-8")
    assert len(list(folder.glob("*.py"))) > 3
    return folder


def of_pyright(folder: Path) -> str:
    # No section changes, which pyright cannot be told of some names only: a key may have a narrower type.
    settings: dict[str, object] = {"reportIncompatibleVariableOverride": False}
    settings |= {"typeCheckingMode": "basic", "reportUnusedExpression": False, "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    return printed([str(PYRIGHT), "--level", "error", "--pythonpath", sys.executable], folder)


def of_mypy(folder: Path) -> str:
    # Functions without annotations are checked, too, as an editor does.
    return printed([str(MYPY), "--check-untyped-defs", "--python-executable", sys.executable, "."], folder)


def printed(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@needs_pyright
def test_pyright_takes_the_examples(scripts):
    assert of_pyright(scripts) == ""


@needs_pyright
def test_pyright_finds_wrong_arguments(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    assert of_pyright(tmp_path).count("(reportArgumentType)") == 2


@needs_mypy
def test_mypy_takes_the_examples(scripts):
    assert of_mypy(scripts) == ""


@needs_mypy
def test_mypy_finds_wrong_arguments(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    assert of_mypy(tmp_path).count("[arg-type]") == 2
