"""The workflows of a public host call what continuous integration runs here, and a checker knows their language."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def text(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def test_the_steps_of_continuous_integration_are_those_of_the_workflow():
    steps = re.findall(r"^make (\w+)$", text(".ci", "run"), re.MULTILINE)
    (targets,) = re.findall(r"target: \[(.*)\]", text(".github", "workflows", "test.yml"))
    assert targets.split(", ") == steps


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_makes_what_there_is(path):
    made = set(re.findall(r"run: make (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert made <= set(re.findall(r"^(\w+):", MAKEFILE, re.MULTILINE))


def test_the_container_and_the_conda_package_are_built():
    (container,) = re.findall(r"docker build --file (\S+)", text(".github", "workflows", "test.yml"))
    (recipe,) = re.findall(r"conda build .* (\S+)$", text(".github", "workflows", "test.yml"), re.MULTILINE)
    assert ROOT.joinpath(container).is_file()
    assert ROOT.joinpath(recipe, "meta.yaml").is_file()


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="workflows are not checked without actionlint")
def test_actionlint_finds_nothing():
    done = subprocess.run(["actionlint", *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_hooks_before_a_commit_are_lints():
    entries = re.findall(r"entry: (.*)", text(".pre-commit-config.yaml"))
    lints = MAKEFILE[MAKEFILE.index("\nlint:") : MAKEFILE.index("\ndocs:")].replace("$(BIN)", ".venv/bin")
    assert entries
    assert [entry for entry in entries if entry not in lints] == []


def test_the_development_container_makes_what_developers_need():
    container = json.loads(text(".devcontainer", "devcontainer.json"))
    assert "make .venv/.developer" in container["postCreateCommand"]
    assert "$(DEVELOPER):" in MAKEFILE
