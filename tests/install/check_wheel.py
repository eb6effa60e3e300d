"""Installs a wheel into a fresh environment and uses it there, without the checkout and without a compiler.

    python tests/install/check_wheel.py dist/ringlet-0.1.0-cp311-abi3-linux_x86_64.whl

The packages that ringlet needs come from the package index that pip is set to.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

IN_WHEEL = (
    "ringlet/py.typed",
    "ringlet/CITATION.cff",
    "ringlet/__init__.pyi",
    "ringlet/_engine.pyi",
    "ringlet/cli/first_scenarios/research.toml",
    "ringlet/papers/published.csv",
    "ringlet/player/web/player.html.j2",
    "ringlet/report/assets/uPlot.LICENSE",
    "ringlet/report/assets/tablesort.LICENCE",
    ".dist-info/licenses/LICENSE",
    ".data/data/share/man/man1/ringlet.1",
)
"""What has to be in the wheel besides modules: types, templates, data, licences of what it holds."""

IN_SDIST = (
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "crates/ringlet-engine/src/lib.rs",
    "python/ringlet/__init__.py",
    "share/man/man1/ringlet.1",
)


def check_names(archive: Path, names: list[str], needed: tuple[str, ...]) -> None:
    """Stops if an archive lacks something, or holds what was compiled or measured here."""
    missing = [one for one in needed if not any(name.endswith(one) for name in names)]
    stray = [name for name in names if "__pycache__" in name or "/target/" in name or "/.venv/" in name]
    if missing or stray:
        sys.exit(f"{archive}: missing {missing}, not to be there {stray[:5]}")


def check_use(wheel: Path, folder: Path) -> None:
    """Installs the wheel and runs what a person runs first."""
    venv.create(folder / "env", with_pip=True)
    bin_folder = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    # No cargo, no compiler, no variables that lead back to the checkout.
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "CARGO"))}
    environment = {**kept, "PATH": str(bin_folder)}

    def call(*words: str) -> str:
        command = [str(bin_folder / words[0]), *words[1:]]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    call("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel.resolve()))
    assert call("ringlet", "--version").startswith("ringlet ")
    for user in ("research", "real-time", "data-acquisition", "teaching"):
        call("ringlet", "new", user)
        found = json.loads(call("python", "-m", "ringlet", "run", f"{user}.toml", "--json"))
        assert found["total"]["throughput_MBps"] > 0
    call("ringlet", "trace", "teaching.toml", "--format", "player", "--out", "ring.html")
    call("ringlet", "plot", "teaching.toml", "--out", "figures")
    call("ringlet", "explain", "traffic.load")
    call("ringlet", "schema")
    assert "todd2001" in call("ringlet", "cite", "todd2001")
    assert (folder / "env" / "share" / "man" / "man1" / "ringlet.1").exists()
    where = call("python", "-c", "import ringlet; print(ringlet.__file__)")
    assert str(folder) in where, where


def main(words: list[str]) -> None:
    """Checks each archive that is named."""
    for word in words:
        archive = Path(word)
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as content:
                check_names(archive, content.namelist(), IN_WHEEL)
            with tempfile.TemporaryDirectory() as folder:
                check_use(archive, Path(folder).resolve())
            print(f"{archive}: installed in a fresh environment and used, without checkout and compiler")
        else:
            with tarfile.open(archive) as content:
                check_names(archive, content.getnames(), IN_SDIST)
            print(f"{archive}: complete")


if __name__ == "__main__":
    main(sys.argv[1:])
