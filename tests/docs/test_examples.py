"""Every example in the README and the documentation runs, in the order in which a reader meets it.

A `text` block right behind a `console` block is what its last command prints, and one behind a `python` block what that
prints, but for the speed of the machine and the build of the engine; a line `...` in it stands for lines that are left
out. With `RINGLET_WRITE_OUTPUTS=1` blocks are
written instead of compared.
"""

import os
import re
import shlex
import shutil
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import command_server
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
OUTPUT = re.compile(r"\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPEED = re.compile(r"\n*^[\d,.]+ \w* ?node-cycles/s\n", re.MULTILINE)
# What the engine was built of; it changes with every change of the engine.
BUILD = re.compile(r"(?<=ringlet )(\d+\.\d+\.\d+)\+\w+")
LEFT_OUT = "..."
WRITES = os.environ.get("RINGLET_WRITE_OUTPUTS") == "1"
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
    written = text
    for block in BLOCK.finditer(text):
        language, code = block.groups()
        printed: list[str | None] = []
        if language == "toml":
            named = re.findall(r"`([\w-]+\.toml)`", text[: block.start()])
            path = tmp_path / named[-1]
            path.write_text(code, encoding="utf-8")
            content = tomllib.loads(code)
            needs = content.keys() & {"senders", "topologies"}
            model = Study if "scenario" in content else Requirements if needs else Scenario
            model.load(path)
        elif language == "text" and (table := re.search(r"`([\w-]+\.csv)`:\n\n$", text[: block.start()])):
            (tmp_path / table[1]).write_text(code, encoding="utf-8")
        elif language == "python":
            with redirect_stdout(StringIO()) as stream:
                exec(compile(code, f"{page.name}", "exec"), names)
            printed = [stream.getvalue()]
        elif language == "console":
            printed = [run_console_line(line, tmp_path) for line in code.splitlines()]
        if printed and (shown := OUTPUT.match(text, block.end())):
            found = next(filter(None, reversed(printed)))
            if WRITES:
                written = written.replace(
                    block.group() + shown.group(), f"{block.group()}\n\n```text\n{cut(found, shown[1])}```"
                )
            else:
                assert agrees(found, shown[1]), f"{page.name}: {code}prints\n{found}and not\n{shown[1]}"
    if written != text:
        page.write_text(written, encoding="utf-8")


def agrees(found: str, shown: str) -> bool:
    """Whether what is shown is what was printed, with lines left out where it says so."""
    lines = r"(?:.*\n)*?"
    pattern = "".join(lines if line == LEFT_OUT else f"{re.escape(line)}\n" for line in shown.splitlines())
    return re.fullmatch(pattern, found) is not None


def cut(found: str, shown: str) -> str:
    """What was printed, cut as what is shown: as many lines before and behind the line that leaves others out."""
    if agrees(found, shown):
        return shown
    before, left_out, after = shown.partition(f"{LEFT_OUT}\n")
    if not left_out:
        return found
    lines = found.splitlines(keepends=True)
    behind = len(after.splitlines())
    return "".join([*lines[: len(before.splitlines())], left_out, *(lines[-behind:] if behind else [])])


def test_an_output_is_written_again_with_the_same_lines_left_out():
    assert cut("a\nb\nc\nd\n", "x\n...\ny\n") == "a\n...\nd\n"
    assert cut("a\nb\n", "x\n...\n") == "a\n...\n"
    assert cut("a\nb\n", "x\n") == "a\nb\n"
    assert cut("a\nb\nc\n", "a\n...\nb\n...\n") == "a\n...\nb\n...\n"


def test_outputs_are_compared_line_by_line():
    assert agrees("a\nb\nc\n", "a\nb\nc\n")
    assert agrees("a\nb\nc\n", "a\n...\nc\n")
    assert agrees("a\nb\nc\n", "a\n...\n")
    assert not agrees("a\nb\nc\n", "a\nc\n")
    assert not agrees("a.\n", "ab\n")
    assert not agrees("a\nb\n", "...\na\n")


def run_console_line(line: str, folder: Path) -> str | None:
    """Runs a line, and returns what a reader sees it print; None where that goes to a file, or it is not run."""
    assert line.startswith("$ "), f"a console block holds commands only: {line!r}"
    words = shlex.split(line.removeprefix("$ "), comments=True)
    if ">" in words:
        words, (target,) = words[: words.index(">")], words[words.index(">") + 1 :]
    else:
        target = None
    if words == RUN_BY_ITS_OWN_TEST:
        return None
    program = Path(words[0]).name
    if program == "make":
        assert words[1] in TARGETS, f"the Makefile has no target {words[1]}"
        return None
    assert program == "ringlet", f"no rule to test {line!r}"
    code, printed, errors = command_server.run(words[1:], folder, dict(os.environ))
    # A verdict may fail: 3; or a property: 1.
    expected = (0, 1, 3) if words[1] == "check" else (0, 3)
    assert code in expected, f"{line}\n{errors}"
    assert printed
    if target is not None:
        (folder / target).write_text(printed, encoding="utf-8")
        return None
    return BUILD.sub(r"\1", SPEED.sub("\n", printed)).rstrip("\n") + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_of_the_project_hold(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            path = Path(os.path.normpath(page.parent / target))
            assert path in GENERATED or path.exists(), f"{page.name} links to {target}"
