"""The files of the project: what git tracks, without what a build has made."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def project_files(*suffixes: str) -> list[Path]:
    """Returns the project's files with these suffixes, sorted; skips the test where there is no list of them.

    Pages of rows are tables that `ringlet reproduce` writes, and minified libraries are their authors'.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout: there is no list of the project's files")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name.endswith(suffixes)]
    return sorted(path for path in paths if path.exists() and not path.name.endswith(("-rows.md", ".min.js")))
