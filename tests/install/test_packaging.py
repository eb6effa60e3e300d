"""The files that others build ringlet by: container and conda recipe, which the workflow of tests builds, not these.

And systems other than Linux, as far as they can be played: what only Unix has is taken away.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import jinja2
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]


def instructions():
    """Instructions of the Dockerfile with their words."""
    text = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines if line)]


def test_the_container_copies_what_is_there_and_what_maturin_needs():
    known = {"FROM", "RUN", "COPY", "WORKDIR", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in instructions()} <= known
    copied = [shlex.split(rest)[:-1] for name, rest in instructions() if name == "COPY" and "--from" not in rest]
    sources = {source for each in copied for source in each}
    assert all((ROOT / source).exists() for source in sources)
    maturin = PROJECT["tool"]["maturin"]
    needed = {"Cargo.toml", "Cargo.lock", "pyproject.toml", PROJECT["project"]["readme"], "LICENSE", "crates"}
    assert needed | {maturin["python-source"], maturin["data"]} <= sources


def test_the_container_has_a_rust_that_is_new_enough_and_runs_the_command():
    images = [rest.split()[0] for name, rest in instructions() if name == "FROM"]
    rust, python = (re.search(r":(\d+)\.(\d+)", image) for image in images)
    assert tuple(map(int, rust.groups())) >= tuple(map(int, CARGO["rust-version"].split(".")[:2]))
    assert tuple(map(int, python.groups())) >= (3, 11)
    entry = dict(instructions())["ENTRYPOINT"]
    assert entry.strip('[]"') in PROJECT["project"]["scripts"]
    assert f'"{PROJECT["build-system"]["requires"][0]}"' in next(
        rest for _, rest in instructions() if "maturin>" in rest
    )


@pytest.fixture(scope="module")
def recipe():
    """The conda recipe, rendered as conda does."""

    def load_file_data(name, *, from_recipe_dir, recipe_dir):
        assert from_recipe_dir
        return tomllib.loads((ROOT / "packaging" / "conda" / recipe_dir / name).read_text(encoding="utf-8"))

    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    template = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False).from_string(text)
    rendered = template.render(load_file_data=load_file_data, compiler="{} compiler".format, PYTHON="python")
    return yaml.safe_load(rendered)


def test_the_conda_recipe_is_of_this_project(recipe):
    assert recipe["package"] == {"name": PROJECT["project"]["name"], "version": CARGO["version"]}
    assert recipe["build"]["entry_points"] == ["ringlet = ringlet.cli:main"]
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    needed = {re.match(r"[\w-]+", one)[0] for one in PROJECT["project"]["dependencies"]}
    listed = {
        re.match(r"[\w-]+", one)[0].replace("matplotlib-base", "matplotlib") for one in recipe["requirements"]["run"]
    }
    assert listed == needed | {"python"}
    assert (ROOT / "packaging" / "conda" / recipe["source"]["path"] / "pyproject.toml").resolve().exists()
    assert PROJECT["build-system"]["requires"][0].replace("maturin", "maturin ") in recipe["requirements"]["host"]


def test_without_cargo_pip_fetches_rust_or_says_in_a_sentence_what_is_missing(tmp_path):
    beside = tmp_path / "bin"
    beside.mkdir()
    (beside / "maturin").symlink_to(Path(sys.executable).parent / "maturin")

    def asked(hook, **environment):
        code = f"import maturin; print(maturin.{hook})"
        place = {"PATH": f"{beside}{os.pathsep}{os.defpath}", "HOME": str(tmp_path), **environment}
        return subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=place, capture_output=True, text=True, check=False, timeout=60
        )

    if shutil.which("cargo", path=os.defpath):
        pytest.skip("cargo is among the programs of the system, where no PATH can leave it out")
    assert "puccinialin" in asked("get_requires_for_build_wheel()").stdout
    refused = asked(f"prepare_metadata_for_build_wheel({str(tmp_path)!r})", MATURIN_NO_INSTALL_RUST="1")
    assert refused.returncode == 1
    assert refused.stderr.strip().startswith("Cargo, the Rust package manager, is not installed or is not on PATH.")
    assert "Traceback" not in refused.stderr


WITHOUT_UNIX = """
import os, signal, sys
for module, names in ((signal, ("pthread_sigmask", "SIGKILL", "SIGHUP", "SIGALRM")),
                      (os, ("fork", "sched_getaffinity", "getuid", "geteuid", "killpg", "setsid"))):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
import ringlet.store.file_system as place
place.MOUNTS = place.Path("nowhere")
from ringlet.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["new", "research"],
        ["run", "ring.toml"],
        ["sweep", "study.toml", "--out", "out", "--workers", "2"],
        ["trace", "ring.toml", "--format", "player", "--out", "ring.html"],
        ["plot", "ring.toml"],
    ],
    ids=lambda words: words[0],
)
def test_commands_work_without_what_only_unix_has(words, tmp_path):
    (tmp_path / "ring.toml").write_text('network.nodes = 4\nrun.duration = "20 us"\n', encoding="utf-8")
    study = 'scenario = "ring.toml"\n[[axes]]\n"traffic.load" = ["50 MB/s", "90 MB/s"]\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    (tmp_path / "main.py").write_text(WITHOUT_UNIX, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "main.py", *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
