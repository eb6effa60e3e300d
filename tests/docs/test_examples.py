"""Every example in the README and the documentation runs, in the order in which a reader meets it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ringlet.advice import Requirements
from ringlet.scenario import Scenario
from ringlet.studies import Study

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
# Pages that each build of the documentation makes anew, such as the one of examples from their README.
GENERATED = {ROOT / page for page in re.findall(r"^/(docs/.*\.md)$", (ROOT / ".gitignore").read_text(), re.MULTILINE)}
WRITTEN = {page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts} - GENERATED
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", EXAMPLES / "README.md", *WRITTEN])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = Path(sys.executable).parent / "ringlet"
# It takes half a minute: the test that looks at what it writes runs it (tests/cli/test_commands.py).
RUN_BY_ITS_OWN_TEST = ["ringlet", "reproduce", "picker1994", "--quick", "--out", "out"]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def pages_with(*languages: str) -> list[Path]:
    return [
        page for page in PAGES if any(f"```{language}\n" in page.read_text(encoding="utf-8") for language in languages)
    ]


@pytest.mark.parametrize(
    "page", pages_with("toml", "python", "console"), ids=lambda page: f"{page.parent.name}-{page.stem}"
)
def test_examples_run(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if page.parent == EXAMPLES:
        shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    names: dict[str, object] = {}
    for block in BLOCK.finditer(text):
        language, code = block.groups()
        if language == "toml":
            named = re.findall(r"`([\w-]+\.toml)`", text[: block.start()])
            path = tmp_path / named[-1]
            path.write_text(code, encoding="utf-8")
            content = tomllib.loads(code)
            model = Study if "scenario" in content else Requirements if "senders" in content else Scenario
            model.load(path)
        elif language == "python":
            exec(compile(code, f"{page.name}", "exec"), names)
        elif language == "console":
            for line in code.splitlines():
                run_console_line(line, tmp_path)


def run_console_line(line: str, folder: Path) -> None:
    assert line.startswith("$ "), f"a console block holds commands only: {line!r}"
    words = shlex.split(line.removeprefix("$ "), comments=True)
    if ">" in words:
        words, (target,) = words[: words.index(">")], words[words.index(">") + 1 :]
    else:
        target = None
    if words == RUN_BY_ITS_OWN_TEST:
        return
    program = Path(words[0]).name
    if program == "make":
        assert words[1] in TARGETS, f"the Makefile has no target {words[1]}"
        return
    assert program == "ringlet", f"no rule to test {line!r}"
    done = subprocess.run([COMMAND, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert done.stdout
    if target is not None:
        (folder / target).write_text(done.stdout, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_of_the_project_hold(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            path = Path(os.path.normpath(page.parent / target))
            assert path in GENERATED or path.exists(), f"{page.name} links to {target}"
