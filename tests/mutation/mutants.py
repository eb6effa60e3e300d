"""Mutation testing of the engine: are small mistakes in its code caught by its Rust tests?

A mutant is the engine with one small mistake: `<` in place of `<=`, a statement left out, a number one too large. It is
*caught* if a test fails (or does not end), else it has *survived*. All mutants of a sample are compiled into one
program, each behind a question which of them is in force, so that a mutant costs a run of the tests up to the first
failure and not a build.

    make mutants                                                  # the sample of docs/explanation/tests.md
    .venv/bin/python tests/mutation/mutants.py --sample 20 --seed 7 --files protocols/dfc
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import tree_sitter_rust
from tree_sitter import Language, Node, Parser

ROOT = Path(__file__).parents[2]
SOURCES = Path("crates/ringlet-engine/src")
WORKSPACE = ROOT / "target" / "mutants"
# Below these names lies what the mutants are sampled from.
FILES = "protocols|node|ring|measure|network"
# A mutant counts as one that does not end after so many times the processor time that its tests take without one.
PATIENCE = 4

PARSER = Parser(Language(tree_sitter_rust.language()))
OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
    "+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|=",
}  # fmt: skip
METHODS = {
    "min": "max", "max": "min", "any": "all", "all": "any", "is_some": "is_none", "is_none": "is_some",
    "push_back": "push_front", "push_front": "push_back", "pop_front": "pop_back", "pop_back": "pop_front",
}  # fmt: skip
# What a function may return at once, by its type.
RETURNS = {"bool": ["true", "false"], **{kind: ["0", "1"] for kind in ("u8", "u16", "u32", "u64", "usize")}}
# Nothing within these is a value that is computed while the engine runs.
NOT_RUN = {
    "attribute_item", "inner_attribute_item", "const_item", "static_item", "macro_invocation", "type_arguments",
    "match_pattern", "tuple_struct_pattern", "captured_pattern", "range_pattern", "array_type", "let_condition",
}  # fmt: skip


@dataclass
class Mutant:
    """One mistake: `node`, a node of the syntax tree, is replaced by `text`."""

    file: Path
    node: Node
    text: str
    number: int = 0
    # Where it stands in what is compiled, in bytes.
    place: tuple[int, int] = (0, 0)
    caught_by: str | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.node.start_point.row + 1}"
        was, now = (" ".join(text.split())[:70] for text in (source_of(self.node), self.text or "nothing"))
        return f"{place}: `{was}` -> `{now}`"


def source_of(node: Node) -> str:
    return node.text.decode()


def is_field(node: Node, name: str) -> bool:
    """Is it this field of its parent?"""
    return node.parent is not None and node.parent.child_by_field_name(name) == node


def replacements(node: Node) -> Iterator[str]:
    """What stands in place of a node in each of its mutants."""
    text = source_of(node)
    match node.type:
        case "binary_expression" | "compound_assignment_expr":
            operator = node.child_by_field_name("operator")
            assert operator is not None
            if (other := OPERATORS.get(operator.type)) is not None:
                at = operator.start_byte - node.start_byte
                raw = node.text
                yield (raw[:at] + other.encode() + raw[at + len(operator.type) :]).decode()
        case "integer_literal" if not is_field(node, "field") and not is_field(node, "length"):
            digits = re.match(r"0[xbo][0-9a-fA-F_]+|[0-9_]+", text)
            if digits is not None:
                yield f"({text} + 1)"
        case "boolean_literal":
            yield "false" if text == "true" else "true"
        case "unary_expression" if text.startswith("!"):
            yield text[1:]
        case "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and function.type == "field_expression":
                name = function.child_by_field_name("field")
                assert name is not None
                if (other := METHODS.get(source_of(name))) is not None:
                    before, after = name.start_byte - node.start_byte, name.end_byte - node.start_byte
                    yield (node.text[:before] + other.encode() + node.text[after:]).decode()
        case "expression_statement" if text.endswith(";"):
            kind = node.children[0].type
            if kind in ("call_expression", "assignment_expression", "compound_assignment_expr"):
                yield ""
        case "block" if node.parent is not None and node.parent.type == "function_item" and node.named_children:
            kind = node.parent.child_by_field_name("return_type")
            for value in ["()"] if kind is None else RETURNS.get(source_of(kind), []):
                yield f"{{ {value} }}"


def mutants_of(file: Path, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order in which they stand in it."""
    found: list[Mutant] = []

    def walk(node: Node, runs: bool) -> None:
        if node.type in NOT_RUN:
            return
        if node.type == "function_item":
            modifiers = next((child for child in node.children if child.type == "function_modifiers"), None)
            is_const = modifiers is not None and "const" in source_of(modifiers)
            before = node.prev_named_sibling
            is_test = before is not None and before.type == "attribute_item" and "test" in source_of(before)
            body = node.child_by_field_name("body")
            if body is not None and not is_const and not is_test:
                walk(body, True)
            return
        if node.type == "mod_item" and "tests" in source_of(node)[:40]:
            return
        if runs:
            found.extend(Mutant(file, node, text) for text in replacements(node))
        for child in node.children:
            walk(child, runs)

    walk(PARSER.parse(source).root_node, False)
    return found


def written(source: bytes, mutants: list[Mutant]) -> bytes:
    """The file with all of these mutants, each behind a question whether it is in force."""
    by_node: dict[int, list[Mutant]] = {}
    for mutant in mutants:
        by_node.setdefault(mutant.node.id, []).append(mutant)
    out = bytearray()

    def put(node: Node) -> None:
        """Writes a node, and before it what stands between it and what was written last."""
        nonlocal read
        out.extend(source[read : node.start_byte])
        read = node.start_byte
        here = by_node.get(node.id, [])
        is_statement = node.type in ("expression_statement", "block")
        out.extend(b"{ " if node.type == "block" and here else b"(" if here and not is_statement else b"")
        for mutant in here:
            start = len(out)
            inner = mutant.text if node.type == "block" or not mutant.text else f"{{ {mutant.text} }}"
            out.extend(f"if crate::mutants::is({mutant.number}) {inner or '{}'} else ".encode())
            mutant.place = (start, len(out))
        out.extend(b"{ " if here and node.type != "block" else b"")
        for child in node.children:
            put(child)
        out.extend(source[read : node.end_byte])
        read = node.end_byte
        out.extend(b" }" if here and node.type != "block" else b"")
        out.extend(b" }" if node.type == "block" and here else b")" if here and not is_statement else b"")
        for mutant in here:
            mutant.place = (mutant.place[0], len(out))

    read = 0
    put(PARSER.parse(source).root_node if not mutants else root_of(mutants[0].node))
    out.extend(source[read:])
    return bytes(out)


def root_of(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node


IN_FORCE = """
/// Which mutant is in force.
pub(crate) mod mutants {
    static IN_FORCE: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| {
            std::env::var("RINGLET_MUTANT").map_or(0, |number| number.parse().expect("a number"))
        });

    #[inline]
    pub(crate) fn is(number: u32) -> bool {
        *IN_FORCE == number
    }
}
"""


def build(mutants: list[Mutant]) -> tuple[Path, list[Mutant]]:
    """The test program with those mutants that compile."""
    shutil.rmtree(WORKSPACE, ignore_errors=True)
    shutil.copytree(ROOT / "crates", WORKSPACE / "crates")
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, WORKSPACE)
    with (WORKSPACE / SOURCES / "lib.rs").open("a", encoding="utf-8") as library:
        library.write(IN_FORCE)
    while True:
        for file in {mutant.file for mutant in mutants}:
            here = [mutant for mutant in mutants if mutant.file == file]
            (WORKSPACE / SOURCES / file).write_bytes(written((ROOT / SOURCES / file).read_bytes(), here))
        command = ["cargo", "test", "-p", "ringlet-engine", "--test", "engine", "--no-run", "--message-format=json"]
        environment = {"CARGO_TARGET_DIR": str(ROOT / "target"), **os.environ}
        done = subprocess.run(command, cwd=WORKSPACE, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode == 0:
            programs = [Path(message["executable"]) for message in messages if message.get("executable")]
            return programs[-1], mutants
        refused = set(unviable(messages, mutants))
        if not refused:
            sys.exit(f"mutants: the engine does not compile, for no mutant's sake:\n{errors(messages)}")
        print(f"mutants: {len(refused)} do not compile and are left out", file=sys.stderr)
        mutants = [mutant for mutant in mutants if mutant.number not in refused]


def errors(messages: list[dict]) -> str:
    rendered = [message["message"]["rendered"] for message in messages if message["reason"] == "compiler-message"]
    return "\n".join(rendered[:3])


def unviable(messages: list[dict], mutants: list[Mutant]) -> Iterator[int]:
    """Numbers of the mutants in which the compiler finds errors: of those around an error, the innermost."""
    for message in messages:
        if message["reason"] != "compiler-message" or message["message"]["level"] != "error":
            continue
        for span in message["message"]["spans"]:
            around = [
                mutant
                for mutant in mutants
                if span["file_name"].endswith(str(SOURCES / mutant.file))
                and mutant.place[0] <= span["byte_start"]
                and span["byte_end"] <= mutant.place[1]
            ]
            if around:
                yield min(around, key=lambda mutant: mutant.place[1] - mutant.place[0]).number
                break


@dataclass
class Run:
    """A run of tests up to the first failure."""

    failed: str | None = None
    # Processor time of each test.
    seconds: dict[str, float] = field(default_factory=dict)


def run_tests(program: Path, number: int, names: list[str], limit_s: float | None) -> Run:
    """Runs these tests, or all, with a mutant in force, for so much processor time at most."""
    environment = {
        **os.environ,
        "RINGLET_MUTANT": str(number),
        # The same cases for every mutant, and no search for the smallest that fails.
        "PROPTEST_RNG_SEED": "1",
        "PROPTEST_MAX_SHRINK_ITERS": "0",
    }
    # The mutants' own module is in no layer.
    tests = ["--exact", *names] if names else ["--skip=layers::"]
    process = psutil.Popen(
        [program, "--test-threads=1", *tests],
        cwd=WORKSPACE / "crates" / "ringlet-engine",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    if limit_s is not None:
        process.rlimit(psutil.RLIMIT_CPU, (int(limit_s) + 1, int(limit_s) + 2))
    # Nor may it wait for ever, without any work.
    patience = threading.Timer(60 + 60 * (limit_s or 1_000), process.kill)
    patience.start()
    run, spent = Run(), 0.0
    for line in process.stdout:
        if (result := re.match(r"test (\S+) .*?\.\.\. ", line)) is not None:
            with contextlib.suppress(psutil.Error):
                before, spent = spent, sum(process.cpu_times()[:2])
                run.seconds[result[1]] = spent - before
        if line.rstrip().endswith("FAILED"):
            run.failed = next(reversed(run.seconds), "a test")
            process.kill()
            break
    code = process.wait()
    patience.cancel()
    if run.failed is None and code != 0:
        # Of the limit or by its own fault; which test it was in is not said.
        why = "does not end" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "dies"
        run.failed = f"{why} after {next(reversed(run.seconds), 'no test')}"
    return run


def stages(seconds: dict[str, float]) -> list[list[str]]:
    """The tests in three parts, the quick ones first: most mistakes are caught by those that take a tenth of the
    time."""
    parts: list[list[str]] = [[], [], []]
    whole, done = sum(seconds.values()), 0.0
    for name in sorted(seconds, key=seconds.__getitem__):
        done += seconds[name]
        parts[0 if done < 0.1 * whole else 1 if done < 0.4 * whole else 2].append(name)
    return [part for part in parts if part]


def caught_by(program: Path, mutant: Mutant, parts: list[list[str]], seconds: dict[str, float]) -> str | None:
    """The test that catches a mutant, if one does. Those named after its file come first."""
    named = [name for part in parts for name in part if mutant.file.stem in name]
    for names in [named, *([name for name in part if name not in named] for part in parts)]:
        limit_s = 10 + PATIENCE * sum(seconds[name] for name in names)
        if names and (failed := run_tests(program, mutant.number, names, limit_s).failed) is not None:
            return failed
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=100, help="mutants, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--files", default=FILES, help="expression that the path of a file must contain")
    parser.add_argument(
        "--at-least", type=float, default=0.9, help="share that must be caught; else the exit code is 1"
    )
    parser.add_argument("--list", action="store_true", help="list the sample and run nothing")
    options = parser.parse_args()

    files = sorted(path.relative_to(ROOT / SOURCES) for path in (ROOT / SOURCES).rglob("*.rs"))
    files = [path for path in files if re.search(options.files, str(path))]
    mutants = [mutant for path in files for mutant in mutants_of(path, (ROOT / SOURCES / path).read_bytes())]
    print(f"mutants: {len(mutants)} in {len(files)} files", file=sys.stderr)
    if 0 < options.sample < len(mutants):
        chosen = sorted(random.Random(options.seed).sample(range(len(mutants)), options.sample))
        mutants = [mutants[index] for index in chosen]
    for number, mutant in enumerate(mutants, start=1):
        mutant.number = number
    if options.list:
        print(*mutants, sep="\n")
        return 0
    program, mutants = build(mutants)
    whole = run_tests(program, 0, [], None)
    if whole.failed is not None:
        sys.exit(f"mutants: {whole.failed} fails without a mutant")
    print(f"mutants: {len(whole.seconds)} tests, {sum(whole.seconds.values()):.0f} s", file=sys.stderr)
    parts = stages(whole.seconds)
    for mutant in mutants:
        mutant.caught_by = caught_by(program, mutant, parts, whole.seconds)
        print(f"caught {mutant} by {mutant.caught_by}" if mutant.caught_by else f"SURVIVED {mutant}", flush=True)
    survivors = [mutant for mutant in mutants if mutant.caught_by is None]
    share = 1 - len(survivors) / len(mutants)
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants caught, {100 * share:.0f} %; seed {options.seed}")
    print(*(f"survived: {mutant}" for mutant in survivors), sep="\n")
    return 0 if share >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
