"""The Python of README, pages and notebook is right by its types, as pyright sees them in a user's file."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYRIGHT = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
pytestmark = pytest.mark.skipif(
    PYRIGHT is None, reason="types of the examples are not checked without pyright (pip install basedpyright)"
)


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


def complaints(folder: Path) -> str:
    # A pydantic model is frozen by its configuration, which pyright does not read: a field may have a narrower type.
    settings: dict[str, object] = {"reportIncompatibleVariableOverride": False}
    settings |= {"typeCheckingMode": "basic", "reportUnusedExpression": False, "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    words = [str(PYRIGHT), "--level", "error", "--pythonpath", sys.executable]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_pyright_takes_the_examples(scripts):
    assert complaints(scripts) == ""


def test_a_wrong_argument_is_found(tmp_path):
    (tmp_path / "wrong.py").write_text("import ringlet as rl\nrl.run('ring.toml', seed='one')\nrl.run(3)\n")
    assert complaints(tmp_path).count("(reportArgumentType)") == 2
